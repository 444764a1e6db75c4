"""Sphinx extension: the directives of live figures, and what makes pages live.

    ```{head-map} Which do you like better, coffee or tea?
    :models: focus focus/untaught
    ```

puts the sentence's map into the page. Pages that hold a live figure load the scripts; no other page does.
"""

import os

from manyheads.drawing.element import BUILDING
from manyheads.sphinxext import (
    assets,
    chapters,
    equations,
    execution_cache,
    exercises,
    notebooks,
    phrases,
    progress,
    publishing,
    term_cards,
    theme,
)
from manyheads.sphinxext.docstrings import plain_docstring
from manyheads.sphinxext.figures import add_directives
from manyheads.sphinxext.figures_first import FiguresFirst
from manyheads.sphinxext.finishing import finish


def write_side_by_side(app, env):
    """All processors write pages, for which Jupyter Book doesn't ask; one has read them, in their order."""
    app.parallel = os.cpu_count()


def setup(app):
    os.environ[BUILDING] = "1"  # the chapters' kernels inherit it
    add_directives(app)
    if "sphinx.ext.autodoc" in app.extensions:
        app.connect("autodoc-process-docstring", plain_docstring)
    app.add_post_transform(FiguresFirst)
    app.connect("env-updated", write_side_by_side)
    app.connect("build-finished", finish, priority=900)  # the theme writes the colours of code at 500
    assets.setup(app)
    chapters.setup(app)
    equations.setup(app)
    execution_cache.setup(app)
    exercises.setup(app)
    notebooks.setup(app)
    phrases.setup(app)
    progress.setup(app)
    publishing.setup(app)
    term_cards.setup(app)
    theme.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
