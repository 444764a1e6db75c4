"""Puts the trained models and the tokenizer into the package, for a wheel to carry them: `make wheel`."""

import shutil

from manyheads.models.files import PACKAGED
from manyheads.models.registry import page_files, wheel_families


def fill_package():
    """Copies what is kept elsewhere into the package's own folder, in which it is looked for first."""
    shutil.rmtree(PACKAGED, ignore_errors=True)
    PACKAGED.mkdir()
    for path in page_files(wheel_families()).values():
        # Models lie in a folder that is called by what went into them, the tokenizer beside these.
        folder = PACKAGED if path.suffix == ".json" else PACKAGED / path.parent.name
        folder.mkdir(exist_ok=True)
        shutil.copyfile(path, folder / path.name)


if __name__ == "__main__":
    fill_package()
