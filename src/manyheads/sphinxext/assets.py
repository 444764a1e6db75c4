"""What the pages need beside their HTML: scripts and styles on pages with a live figure, files in the built site.

All that figures fetch lies in one folder, `_static/manyheads/<version>`, whose name is a hash of what is in it.
Scripts, styles, workers and models name each other by relative addresses, so the version is in all of them, and no
cache can answer a page of one build with a file of another. Around it are only doors for other people's pages, whose
tags were copied once and stay: `_static/manyheads/head-map.js` imports the script of the present version.
"""

import gzip
import hashlib
import json
import os
import shutil
from pathlib import Path

from manyheads.figures import FIGURES
from manyheads.figures.files import LIST, MODELS, SHARED, figure_files, script_files
from manyheads.models.files import write_page_file
from manyheads.models.registry import page_files
from manyheads.sphinxext.figures import figures_in
from manyheads.widgets.web_files import BUILT

FOLDER = "manyheads"  # below _static: where the versions of the site's scripts and models lie
FIRST = 490  # scripts run in their order; where one of the theme never comes, the figures live all the same
LARGE = ".bin"  # parts of a model that gzip would hardly make smaller; the model's own list has their hashes


def add_scripts(app, pagename, templatename, context, doctree):
    """Puts the scripts on the pages that hold a live figure, whether from a directive or a notebook's output."""
    live = figures_in(context.get("body") or "")
    folder = context["figures_folder"] = version_folder(app.config)
    app.add_js_file(f"{folder}/theme.js", priority=FIRST)
    for name in live:
        app.add_js_file(f"{folder}/{name}.js", type="module", priority=FIRST, fetchpriority="low")  # styles first
    for name in dict.fromkeys(["head-map", *live] if live else []):  # the first stylesheet is the others' base
        if (BUILT / f"{name}.css").is_file():
            app.add_css_file(f"{folder}/{name}.css")
    if live:
        app.add_css_file(f"{folder}/arriving.css", id="arriving")
        shared = context["pathto"](f"_static/{folder}/{SHARED}", resource=True)
        preload = f'<link rel="modulepreload" href="{shared}" fetchpriority="low">\n'  # it comes beside what imports it
        context["metatags"] = context.get("metatags", "") + preload
    app.add_css_file(f"{folder}/theme.css")


def drop_thebe(app, pagename, templatename, context, doctree):
    """Takes Thebe off the pages: Jupyter Book always adds it, twice (which is an error), and it calls a CDN."""
    for kind in ("script_files", "css_files"):
        context[kind] = [file for file in context[kind] if "thebe" not in f"{file.filename} {file.attributes}".lower()]


def version_folder(config):
    """Where this build's scripts and models lie, below `_static`."""
    return f"{FOLDER}/{config.manyheads_version}"


def site_files(more):
    """All that figures fetch, by its place in the folder of its version, {"head-map.js": path, ...}; and `more`."""
    models = {f"{MODELS}{name}": path for name, path in {**figure_files(), **page_files()}.items()}
    return dict(sorted({**script_files(), **models, **more}.items()))


def version_of(files):
    """The name of a version: a hash of the files in it and of their places."""
    digest = hashlib.sha256()
    for place, path in files.items():
        contents = b"" if path.suffix == LARGE else path.read_bytes()
        digest.update(f"{place} {len(contents)}\n".encode() + contents)
    return digest.hexdigest()[:12]


def note_version(app, config):
    """Before a page is read: pages name the version, and those that name another are written again."""
    config.manyheads_version = version_of(site_files(config.manyheads_files))


def copy_files(app):
    """Copies scripts, stylesheets and models into the site before its pages are written, unless they are there."""
    folder = Path(app.outdir, "_static", version_folder(app.config))
    if app.builder.format != "html" or folder.is_dir():
        return
    beside = folder.with_name("unfinished")
    shutil.rmtree(beside, ignore_errors=True)
    listed = {}
    for place, path in site_files(app.config.manyheads_files).items():
        target = beside / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == LARGE:
            _link(path, target)
        elif not place.startswith(MODELS) or path.suffix == ".json":
            shutil.copyfile(path, target)
        else:
            file = _pack(path, target)
            listed[file["name"]] = file
    (beside / LIST).write_text(json.dumps(listed, indent=1), encoding="utf-8")
    beside.rename(folder)


def _pack(path, target):
    """Puts a file of a model packed into the site; gives what `files.json` says of it."""
    contents = path.read_bytes()
    if path.suffix == ".gz":
        return write_page_file(target, contents, gzip.decompress(contents))
    return write_page_file(target.with_name(f"{target.name}.gz"), gzip.compress(contents, 6, mtime=0), contents)


def finish_files(app):
    """Removes versions of earlier builds, whose pages are gone, and writes the doors for other people's pages."""
    folder = Path(app.outdir, "_static", FOLDER)
    for path in folder.iterdir():
        if path.is_dir() and path.name != app.config.manyheads_version:
            shutil.rmtree(path)
        elif path.is_file():
            path.unlink()
    for name in FIGURES:
        imports = (f'import "./{app.config.manyheads_version}/{script}";\n' for script in (SHARED, f"{name}.js"))
        (folder / f"{name}.js").write_text("".join(imports), encoding="utf-8")


def _link(path, beside):
    """The same file at another place, which takes no room; a copy where the disk is another."""
    try:
        os.link(path, beside)
    except OSError:
        shutil.copyfile(path, beside)


def setup(app):
    app.add_config_value("manyheads_files", {}, "", [dict])  # a book's own for that folder: {place: path}
    app.add_config_value("manyheads_version", "", "html", [str])
    app.connect("config-inited", note_version)
    app.connect("builder-inited", copy_files)
    app.connect("html-page-context", add_scripts)
    app.connect("html-page-context", drop_thebe, priority=900)
