"""Sphinx extension: the `{head-map}`, `{formula-steps}`, `{museum-piece}`, `{word-sense}`; what makes pages live.

    ```{head-map} Which do you like better, coffee or tea?
    :models: focus focus/untaught
    ```

bakes the sentence's map into the page. Pages that hold a live figure load the scripts; no other page does.
"""

import os

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
from manyheads.sphinxext.directives import (
    FormulaStepsDirective,
    HeadMapDirective,
    MuseumPieceDirective,
    WordSenseDirective,
    page_model,
)
from manyheads.sphinxext.docstrings import plain_docstring
from manyheads.sphinxext.figures_first import FiguresFirst
from manyheads.widgets.one_module import SITE_SCRIPTS


def finish(app, error):
    """Puts what the pages need into the built site."""
    if not error and app.builder.format == "html":
        assets.copy_files(app.outdir)
        equations.copy_files(app.outdir)
        publishing.write_pages(app.outdir, page_model("focus"), publishing.chapters(app.env))
        light_theme.lighten_files(app)
        bertviz_frames.give_files(app.outdir)
        policy.finish_pages(app.outdir)


def setup(app):
    os.environ[SITE_SCRIPTS] = f"_static/{assets.FOLDER}/bertviz"  # the chapters' kernels inherit it
    app.add_directive("head-map", HeadMapDirective)
    app.add_directive("formula-steps", FormulaStepsDirective)
    app.add_directive("museum-piece", MuseumPieceDirective)
    app.add_directive("word-sense", WordSenseDirective)
    if "sphinx.ext.autodoc" in app.extensions:
        app.connect("autodoc-process-docstring", plain_docstring)
    app.add_post_transform(FiguresFirst)
    app.connect("html-page-context", assets.add_scripts)
    app.connect("html-page-context", assets.drop_strangers, priority=900)
    app.connect("build-finished", finish)
    equations.setup(app)
    execution_cache.setup(app)
    exercises.setup(app)
    light_theme.setup(app)
    notebooks.setup(app)
    page_frame.setup(app)
    publishing.setup(app, page_model)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
