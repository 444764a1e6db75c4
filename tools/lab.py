"""The built notebooks where JupyterLab opens them: `make lab` and Binder run `python tools/lab.py`.

A notebook in `notebooks/` that is no longer as it was put there belongs to whoever changed it, and stays; delete or
rename it, and the book's own comes back.
"""

import shutil
from pathlib import Path

import nbformat
from nbformat.sign import NotebookNotary

from manyheads.sphinxext.notebooks import FOLDER

BUILT = Path("_build", "html", "_sources", "book")
AS_PUT = ".as-put"  # inside the folder: each notebook as it was put there


def put_notebooks(built, folder):
    """Copies the notebooks of a folder into another and trusts them; returns the names of those left as they are.

    JupyterLab shows the outputs of a notebook that it trusts with their style.

    Raises `FileNotFoundError` where there are none.
    """
    known = folder / AS_PUT
    known.mkdir(parents=True, exist_ok=True)
    paths = sorted(built.glob("*.ipynb"))
    if not paths:
        raise FileNotFoundError(f"there are no notebooks in {built}: run `make book` first")
    notary = NotebookNotary()
    changed = []
    for path in paths:
        target, put = folder / path.name, known / path.name
        if target.exists() and not (put.exists() and target.read_bytes() == put.read_bytes()):
            changed.append(path.name)
            continue
        shutil.copyfile(path, put)
        shutil.copyfile(path, target)
        notary.sign(nbformat.read(target, as_version=4))
    notary.store.close()
    return changed


if __name__ == "__main__":
    for name in put_notebooks(BUILT, Path(FOLDER)):
        print(f"{FOLDER}/{name} was changed, and stays as it is; the book's own is {BUILT / name}")
