"""The kernel that comes with the package is what AssemblyScript makes of its source today."""

import subprocess

from node import WEB


def test_the_kernel_is_made_of_its_source(tmp_path):
    made = tmp_path / "kernel.wasm"
    subprocess.run(["npm", "run", "--silent", "kernel", "--", "--outFile", made], cwd=WEB, check=True)
    assert made.read_bytes() == (WEB / "models" / "kernel.wasm").read_bytes(), "run `npm run kernel` in web/"
