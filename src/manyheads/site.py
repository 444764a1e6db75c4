"""Sphinx extension: the `{head-map}`, `{formula-steps}` and `{museum-piece}` directives; what makes the pages live.

    ```{head-map} Which do you like better, coffee or tea?
    :models: focus focus/untaught
    ```

bakes the sentence's map into the page. Pages that hold a live figure load the scripts; no other page does.
"""

import functools
import gzip
import inspect
import os
import re
import shutil
from html import escape
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from manyheads import bertvizpage, notebooks, publish
from manyheads.attention import causal_mask
from manyheads.baked import head_map_html
from manyheads.encoder import load_encoder
from manyheads.export import encoder_page_files
from manyheads.focus import VARIANTS, focus_file, load_focus_model
from manyheads.formula import SHOWN, formula_steps, formula_steps_html
from manyheads.widget import CHOICES, VIEWS, WEB, one_module

FOLDER = "manyheads"  # below _static: where the scripts and models of the site lie
FIGURES = ("head-map", "formula-steps", "softmax-scale", "museum-piece", "head-cards")
MODELS = ("models.js", "focus.js", "attention.js", "formula-model.js", "bugs.js")
SCRIPTS = (*(f"{name}.css" for name in (*FIGURES, "plain")), *MODELS)
MATHJAX = WEB / "node_modules" / "mathjax" / "es5"
TOKENIZER = WEB / "node_modules" / "@huggingface" / "tokenizers" / "dist" / "tokenizers.min.mjs"


class HeadMapDirective(SphinxDirective):
    """`{head-map} sentence` with the attributes of `<head-map>` as options; the map is computed now and baked in."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        "model": directives.unchanged,
        "models": directives.unchanged,
        "view": lambda view: directives.choice(view, VIEWS),
        **{name: functools.partial(directives.choice, values=values) for name, values in CHOICES.items()},
        "layer": directives.nonnegative_int,
        "head": directives.nonnegative_int,
        "query": directives.nonnegative_int,
        "compare": directives.unchanged,
        "id": directives.unchanged_required,
    }

    def run(self):
        sentence = self.arguments[0]
        options = {"model": "focus", **self.options} if "models" not in self.options else self.options
        name = (options.get("models") or options["model"]).split()[0]
        try:
            map = page_model(name)(sentence)
        except ValueError as error:
            raise self.error(f"head-map: {error}") from error
        for option, axis in (("layer", 0), ("query", 2)):
            if options.get(option, 0) >= map.shape[axis]:
                raise self.error(f"head-map: {option} counts from 0 to {map.shape[axis] - 1}, got {options[option]}")
        return [nodes.raw("", head_map_html(map, sentence=sentence, **options), format="html")]


class FormulaStepsDirective(SphinxDirective):
    """`{formula-steps} sentence` with the attributes of `<formula-steps>` as options; computed now and baked in."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        "model": directives.unchanged,
        "head": directives.nonnegative_int,
        "word": directives.nonnegative_int,
        "step": lambda step: directives.choice(step, tuple(SHOWN)),
        **dict.fromkeys(("causal", "padding", "unscaled"), directives.flag),
    }

    def run(self):
        options = {"model": "focus", "head": 0, **self.options}
        flags = {flag: "" for flag in ("causal", "padding", "unscaled") if flag in options}
        causal, padding, scaled = "causal" in flags, "padding" in flags, "unscaled" not in flags
        try:
            model = page_model(options["model"])
            steps = formula_steps(
                model, self.arguments[0], options["head"], causal=causal, padding=padding, scaled=scaled
            )
        except ValueError as error:
            raise self.error(f"formula-steps: {error}") from error
        html = formula_steps_html(steps, sentence=self.arguments[0], **options | flags)
        return [nodes.raw("", html, format="html")]


class MuseumPieceDirective(SphinxDirective):
    """`{museum-piece} what the bug does`: a live map of `sentence`, the bug `bug` of bugs.js behind a switch."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        "bug": directives.unchanged_required,
        "sentence": directives.unchanged_required,
        **{name: HeadMapDirective.option_spec[name] for name in ("view", "head")},
    }

    def run(self):
        sentence, bug = self.options["sentence"], self.options["bug"]
        name = "focus/causal" if bug == "mask" else "focus"
        map = page_model(name)(sentence)
        shown = {option: self.options[option] for option in ("view", "head") if option in self.options}
        inside = head_map_html(map, sentence=sentence, models=f"{name} focus/bug-{bug}", **shown)
        attributes = f'class="head-map museum-piece" bug="{escape(bug)}" label="{escape(self.arguments[0])}"'
        return [nodes.raw("", f"<museum-piece {attributes}>{inside}</museum-piece>", format="html")]


def page_model(name):
    """The Python side of a page's model: `encoder`, `focus`, ...; in `focus/causal` no word looks ahead."""
    if name == "encoder":
        return _encoder()
    family, _, variant = name.partition("/")
    if family != "focus":
        raise ValueError(f"no model is called {name!r}")
    if variant != "causal":
        return load_focus_model(variant or "taught")

    def look_back(_module, inputs, options):
        return inputs, options | {"mask": options["mask"] & causal_mask(inputs[-1].shape[-2])}

    model = load_focus_model()
    model.attention.register_forward_pre_hook(look_back, with_kwargs=True)
    return model


@functools.cache
def _encoder():
    return load_encoder()


def add_scripts(app, pagename, templatename, context, doctree):
    """Puts the scripts on the pages that hold a live figure, whether from a directive or a notebook's output."""
    live = [name for name in FIGURES if f"<{name}" in (context.get("body") or "")]
    for name in live:
        app.add_js_file(f"{FOLDER}/{name}.js", type="module")
    for name in dict.fromkeys([FIGURES[0], *live] if live else []):  # the first stylesheet is the others' base
        app.add_css_file(f"{FOLDER}/{name}.css")


def drop_strangers(app, pagename, templatename, context, doctree):
    """Takes Thebe off the pages: Jupyter Book always adds it, twice (which is an error), and it calls a CDN.

    And MathJax off a page without maths: Sphinx adds it where a page's children have some, so always to the first page.
    """
    strangers = ["thebe"] if 'class="math' in (context.get("body") or "") else ["thebe", "mathjax"]
    context["script_files"] = [
        script
        for script in context["script_files"]
        if not any(name in f"{script.filename} {script.attributes}".lower() for name in strangers)
    ]


def plain_docstring(app, what, name, obj, options, lines):
    """Makes reStructuredText of our docstrings, which are plain text with `code`; adds the shapes beside the `def`."""
    paragraphs = "\n".join(lines).split("\n\n")
    for place, text in enumerate(paragraphs):
        if place and text.startswith("    "):  # shown as it stands; what announces it ends with a colon
            paragraphs[place - 1] += ":"
            paragraphs[place] = text.replace("`", "")
        elif not text.startswith(">>>"):
            parts = re.split(r"`([^`]+)`", text)  # what stands between backticks is at 1, 3, ...
            parts = [f"``{part}``" if at % 2 else part.replace("|", r"\|") for at, part in enumerate(parts)]
            paragraphs[place] = "".join(parts)
    shapes = _shapes(getattr(obj, "forward", obj))
    if shapes:
        paragraphs.insert(1, f"Shapes: ``{shapes}``")
    lines[:] = "\n\n".join(paragraphs).split("\n")


def _shapes(function):
    """What the comment beside a function's signature says."""
    if not inspect.isfunction(function):
        return None
    found = re.match(r"(?:\s*@.*\n)*\s*def [^#]*?:\s*# (.*)", inspect.getsource(function))
    return found and found[1]


def finish(app, error):
    """Puts what the pages need into the built site."""
    if not error and app.builder.format == "html":
        copy_files(app.outdir)
        publish.write_pages(app.outdir, page_model("focus"))


def copy_files(site):
    """Copies scripts, tokenizer, models and MathJax into a site's folder."""
    if not (TOKENIZER.is_file() and MATHJAX.is_dir()):
        raise FileNotFoundError(f"{TOKENIZER} or {MATHJAX} is missing: run `npm ci` in {WEB}, as `make book` does")
    folder = Path(site) / "_static" / FOLDER
    (folder / "models").mkdir(parents=True, exist_ok=True)
    for name in (*FIGURES, "embed"):
        (folder / f"{name}.js").write_text(one_module(f"{name}.js"), encoding="utf-8")
    for script in (*(WEB / name for name in SCRIPTS), TOKENIZER):
        shutil.copyfile(script, folder / script.name)
    for name, path in encoder_page_files().items():  # the focus model's tokenizer among them
        shutil.copyfile(path, folder / name)
    for path in map(focus_file, ("words", *VARIANTS)):
        packed = folder / "models" / f"{path.name}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    for path in (MATHJAX / "tex-chtml.js", *MATHJAX.glob("output/chtml/fonts/woff-v2/*.woff")):
        copy = folder / "mathjax" / path.relative_to(MATHJAX)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    (folder / "bertviz").mkdir(exist_ok=True)
    for name, path in bertvizpage.SCRIPTS.items():
        shutil.copyfile(path, folder / "bertviz" / name)


def setup(app):
    os.environ[bertvizpage.SITE] = f"_static/{FOLDER}/bertviz"  # the chapters' kernels inherit it
    app.add_directive("head-map", HeadMapDirective)
    app.add_directive("formula-steps", FormulaStepsDirective)
    app.add_directive("museum-piece", MuseumPieceDirective)
    if "sphinx.ext.autodoc" in app.extensions:
        app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("html-page-context", add_scripts)
    app.connect("html-page-context", drop_strangers, priority=900)
    app.connect("build-finished", finish)
    notebooks.setup(app)
    publish.setup(app, page_model)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
