"""Sphinx extension: the directives of live figures, and what makes pages live.

    ```{head-map} Which do you like better, coffee or tea?
    :models: focus focus/untaught
    ```

puts the sentence's map into the page. Pages that hold a live figure load the scripts; no other page does.
"""

import os

from manyheads.maps.element import BUILDING
from manyheads.sphinxext import (
    assets,
    bertviz_frames,
    equations,
    execution_cache,
    exercises,
    light_theme,
    notebooks,
    page_frame,
    policy,
    publishing,
)
from manyheads.sphinxext.docstrings import plain_docstring
from manyheads.sphinxext.figures import add_directives
from manyheads.sphinxext.figures_first import FiguresFirst
from manyheads.sphinxext.prerender import draw_figures


def finish(app, error):
    """Puts what the pages need into the built site."""
    if not error and app.builder.format == "html":
        assets.copy_files(app.outdir)
        equations.copy_files(app.outdir)
        publishing.write_pages(app.outdir, publishing.chapters(app.env))
        draw_figures(app.outdir)
        light_theme.lighten_files(app)
        bertviz_frames.give_files(app.outdir)
        policy.finish_pages(app.outdir)


def setup(app):
    os.environ[BUILDING] = f"_static/{assets.FOLDER}/bertviz"  # the chapters' kernels inherit it
    add_directives(app)
    if "sphinx.ext.autodoc" in app.extensions:
        app.connect("autodoc-process-docstring", plain_docstring)
    app.add_post_transform(FiguresFirst)
    app.connect("html-page-context", assets.add_scripts)
    app.connect("html-page-context", assets.drop_thebe, priority=900)
    app.connect("build-finished", finish)
    equations.setup(app)
    execution_cache.setup(app)
    exercises.setup(app)
    light_theme.setup(app)
    notebooks.setup(app)
    page_frame.setup(app)
    publishing.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
