"""What the figures of a page fetch, by the places of the site's folder: scripts, stylesheets, files of models."""

import gzip
import json
from functools import cache

from manyheads.figures import FIGURES
from manyheads.models.files import listed
from manyheads.models.registry import FAMILIES, function, page_files
from manyheads.widgets.web_files import BUILT, built, own_styles

MODELS = "models/"  # the folder of their files
LIST = f"{MODELS}files.json"  # what pages check them by
BUILD_ONLY = "prerender"  # the script that Node runs
SHARED = "shared.js"  # what the scripts of all figures import
SMALL = {family: row for family, row in FAMILIES.items() if not row["onRequest"]}


def script_files():
    """The scripts and stylesheets: {name: path}."""
    built("head-map.js")  # or it says how to build them
    return {path.name: path for path in BUILT.iterdir() if path.is_file() and path.stem != BUILD_ONLY}


def figure_files():
    """What figures fetch beside a model."""
    return {path.name: path for row in FIGURES.values() if "files" in row for path in function(row["files"])()}


def site_file(place):
    """The bytes that a page fetches from a place of the folder, made only now where that's a large model's.

    >>> len(site_file("head-map.js")) > 10_000
    True

    Files of models aren't packed, which pages take as well. Raises `FileNotFoundError` for what isn't there.
    """
    if place == LIST:
        return json.dumps(_listed()).encode()
    found = _model_file(place.removeprefix(MODELS)) if place.startswith(MODELS) else script_files().get(place)
    if found is None:
        raise FileNotFoundError(f"the figures have no file {place!r}")
    return own_styles(found.stem).encode() if found.suffix == ".css" else found.read_bytes()


def _model_file(name):
    large = {family: row for family, row in FAMILIES.items() if name.startswith(family)}
    for files in (_small_files, lambda: page_files(large)):
        for known in (name, name.removesuffix(".gz")):
            if known in files():
                return files()[known]
    return None


@cache
def _small_files():
    return page_files(SMALL) | figure_files()


@cache
def _listed():
    rows = {}
    for name, path in _small_files().items():
        contents = path.read_bytes()
        unpacked = gzip.decompress(contents) if path.suffix == ".gz" else contents
        rows[name if path.suffix == ".gz" else f"{name}.gz"] = listed(name, contents, unpacked)
    return rows
