"""The Sphinx extension of this book: what its chapters' results come from, and BertViz's scripts on its site."""

from pathlib import Path

import manyheads_recipes
from manyheads_book.bertviz_frames import SCRIPTS
from manyheads_book.measured import own_path


def sources():
    """What the chapters' results come from beside the package."""
    return [Path(__file__).parent, Path(manyheads_recipes.__file__).parent, own_path()]


def setup(app):
    app.config.manyheads_sources = sources()
    app.config.manyheads_files = {f"bertviz/{name}": path for name, path in SCRIPTS.items()}
    return {"parallel_read_safe": True, "parallel_write_safe": True}
