"""Puts the trained models and the tokenizer into the package, for a wheel to carry them: `make wheel`."""

import shutil

from manyheads.models.files import PACKAGED, encoder_file
from manyheads.models.focus import focus_files
from manyheads.models.translator import translator_files


def fill_package():
    """Copies what is kept elsewhere into the package's own folder, in which it is looked for first."""
    shutil.rmtree(PACKAGED, ignore_errors=True)
    tokenizer, models = encoder_file("tokenizer.json"), [*focus_files(), *translator_files()]
    PACKAGED.mkdir()
    shutil.copyfile(tokenizer, PACKAGED / tokenizer.name)
    for path in models:
        (PACKAGED / path.parent.name).mkdir(exist_ok=True)
        shutil.copyfile(path, PACKAGED / path.parent.name / path.name)


if __name__ == "__main__":
    fill_package()
