"""What the pages need beside their HTML: scripts and styles on pages with a live figure, files in the built site."""

import gzip
import os
import re
import shutil
from pathlib import Path

from manyheads.maps.names import FIRST_STEPS
from manyheads.models.registry import page_files
from manyheads.sphinxext import bertviz_frames
from manyheads.sphinxext.figures import figure_files, figures_in
from manyheads.widgets.web_files import BUILT, built

FOLDER = "manyheads"  # below _static: where the scripts and models of the site lie
FIRST = 490  # scripts run in their order; where one of the theme never comes, the figures live all the same
# A reader who has not taken the first steps sees less of a map that offers them; known before anything is drawn.
FIRST_MINUTE = f"""try {{ if (localStorage.getItem("{FIRST_STEPS}") !== "1" && !location.hash)
document.documentElement.toggleAttribute("data-first-minute", true) }} catch {{}}"""
GUIDED = re.compile(r"<head-map [^>]*\bguide\b")
READY_TO_SEND = (".gz", ".json")
LARGE = ".bin"  # parts of a model that gzip would hardly make smaller


def add_scripts(app, pagename, templatename, context, doctree):
    """Puts the scripts on the pages that hold a live figure, whether from a directive or a notebook's output."""
    live = figures_in(context.get("body") or "")
    app.add_js_file(f"{FOLDER}/theme.js")
    if GUIDED.search(context.get("body") or ""):
        app.add_js_file(None, body=FIRST_MINUTE)
    for name in ["paper", *live] if live else []:
        app.add_js_file(f"{FOLDER}/{name}.js", type="module", priority=FIRST, fetchpriority="low")  # styles first
    if live or pagename == "search":  # as soon as may be: it waits for none of those that may not come
        figures = {"data-figures": ", ".join(live)} if live else {}
        app.add_js_file(f"{FOLDER}/standing-still.js", **{"async": "async"}, **figures)
    for name in dict.fromkeys(["head-map", *live] if live else []):  # the first stylesheet is the others' base
        if (BUILT / f"{name}.css").is_file():
            app.add_css_file(f"{FOLDER}/{name}.css")
    app.add_css_file(f"{FOLDER}/theme.css")


def drop_thebe(app, pagename, templatename, context, doctree):
    """Takes Thebe off the pages: Jupyter Book always adds it, twice (which is an error), and it calls a CDN."""
    for kind in ("script_files", "css_files"):
        context[kind] = [file for file in context[kind] if "thebe" not in f"{file.filename} {file.attributes}".lower()]


def copy_files(site):
    """Copies scripts, stylesheets and models into a site's folder."""
    built("head-map.js")  # or it says how to build them
    folder = Path(site) / "_static" / FOLDER
    shutil.copytree(BUILT, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("prerender.*"))
    shutil.rmtree(folder / "models", ignore_errors=True)  # those of an earlier build that no page fetches any more
    (folder / "models").mkdir()
    for name, path in {**figure_files(), **page_files()}.items():
        if path.suffix == LARGE:
            _link(path, folder / "models" / name)
        elif path.suffix in READY_TO_SEND:
            shutil.copyfile(path, folder / "models" / name)
        else:
            packed = gzip.compress(path.read_bytes(), 9, mtime=0)
            (folder / "models" / f"{name}.gz").write_bytes(packed)
    (folder / "bertviz").mkdir(exist_ok=True)
    for name, path in bertviz_frames.SCRIPTS.items():
        shutil.copyfile(path, folder / "bertviz" / name)


def _link(path, beside):
    """The same file at another place, which takes no room; a copy where the disk is another."""
    try:
        os.link(path, beside)
    except OSError:
        shutil.copyfile(path, beside)
