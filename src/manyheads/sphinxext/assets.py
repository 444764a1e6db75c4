"""What the pages need beside their HTML: scripts and styles on pages with a live figure, files in the built site."""

import gzip
import shutil
from pathlib import Path

from manyheads.models.focus import focus_files
from manyheads.models.senses import senses_file
from manyheads.models.translator import translator_files
from manyheads.sphinxext import bertviz_frames
from manyheads.sphinxext.onnx_export import encoder_page_files
from manyheads.widgets.one_module import WEB, one_module

FOLDER = "manyheads"  # below _static: where the scripts and models of the site lie
FIGURES = (
    *("head-map", "formula-steps", "softmax-scale", "museum-piece", "head-cards", "word-shuffle", "word-sense"),
    *("head-pruning", "field-exercise", "exercise-list"),
)
MODELS = ("models", "formula-model", "bugs", "encoder", "encoder-worker", "translator")
DOORS = ("embed", "paper", "search-excerpts", "standing-still", "theme")
ROOMS = {"figures": FIGURES, "doors": DOORS, "models": MODELS}
SCRIPTS = tuple(f"{room}/{name}.js" for room, names in ROOMS.items() for name in names)
STYLESHEETS = (
    *(f"figures/{name}.css" for name in FIGURES),
    *(f"doors/{name}.css" for name in ("plain", "theme")),
)
FIRST = 490  # scripts run in their order; where one of the theme never comes, the figures live all the same
TOKENIZER = WEB / "node_modules" / "@huggingface" / "tokenizers" / "dist" / "tokenizers.min.mjs"


def add_scripts(app, pagename, templatename, context, doctree):
    """Puts the scripts on the pages that hold a live figure, whether from a directive or a notebook's output."""
    live = [name for name in FIGURES if f"<{name}" in (context.get("body") or "")]
    app.add_js_file(f"{FOLDER}/theme.js")
    for name in ["paper", *live] if live else []:
        app.add_js_file(f"{FOLDER}/{name}.js", type="module", priority=FIRST, fetchpriority="low")  # styles first
    if live or pagename == "search":  # as soon as may be: it waits for none of those that may not come
        figures = {"data-figures": ", ".join(live)} if live else {}
        app.add_js_file(f"{FOLDER}/standing-still.js", **{"async": "async"}, **figures)
    for name in dict.fromkeys([FIGURES[0], *live] if live else []):  # the first stylesheet is the others' base
        app.add_css_file(f"{FOLDER}/{name}.css")
    app.add_css_file(f"{FOLDER}/theme.css")


def drop_strangers(app, pagename, templatename, context, doctree):
    """Takes Thebe off the pages: Jupyter Book always adds it, twice (which is an error), and it calls a CDN."""
    for kind in ("script_files", "css_files"):
        context[kind] = [file for file in context[kind] if "thebe" not in f"{file.filename} {file.attributes}".lower()]


def write_scripts(folder):
    """Writes into a folder the stylesheets, and every script that a page asks for by name, with what it imports."""
    for name in SCRIPTS:
        (folder / Path(name).name).write_text(one_module(name), encoding="utf-8")
    for path in (*(WEB / name for name in STYLESHEETS), TOKENIZER):
        shutil.copyfile(path, folder / path.name)


def copy_files(site):
    """Copies scripts, tokenizer and models into a site's folder."""
    if not TOKENIZER.is_file():
        raise FileNotFoundError(f"{TOKENIZER} is missing: run `npm ci` in {WEB}, as `make book` does")
    folder = Path(site) / "_static" / FOLDER
    (folder / "models").mkdir(parents=True, exist_ok=True)
    write_scripts(folder)
    for name, path in encoder_page_files().items():  # the focus model's tokenizer among them
        shutil.copyfile(path, folder / name)
    models = {path.name: path for path in (*focus_files(), *translator_files())}
    for name, path in {"senses.safetensors": senses_file(), **models}.items():
        packed = folder / "models" / f"{name}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    (folder / "bertviz").mkdir(exist_ok=True)
    for name, path in bertviz_frames.SCRIPTS.items():
        shutil.copyfile(path, folder / "bertviz" / name)
