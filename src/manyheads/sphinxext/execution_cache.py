"""Executes a chapter again when what it imports changed: MyST-NB's cache knows no more than the chapter's own code.
And as many chapters at once as there are processors: MyST-NB executes one after the other what is not in its cache.

Of each of our modules that a chapter imports, or that those import, the statements count, and the data that it reads, a
reader's own results in the cache among them; comments and docstrings do not. A chapter that imports `inspect` shows
source: there every character of the modules that it names counts. All pages are read again, and executed or not, when
any of our code changed.
"""

import ast
import hashlib
import json
import logging
from functools import cache
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from myst_nb.core.read import is_myst_markdown_notebook

from manyheads.models.files import cache_folder

PACKAGE = Path(__file__).parent.parent
READER = {"type": "plugin", "name": "myst_nb_md"}  # MyST-NB's
KEPT = "imports.json"  # in the folder of the cache: hash of a chapter's code -> digest of what it imported


def imported(tree):
    """The dotted names that a piece of code imports, in functions too.

    >>> sorted(imported(ast.parse("import numpy as np; from manyheads.maps import AttentionMap, is_special")))
    ['manyheads.maps.AttentionMap', 'manyheads.maps.is_special', 'numpy']
    """
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def source_of(name):
    """The file that defines a dotted name of ours; None for other names.

    >>> source_of("manyheads.maps.AttentionMap").name, source_of("numpy")
    ('attention_map.py', None)
    """
    top, *parts = name.split(".")
    if top != PACKAGE.name:
        return None
    place = PACKAGE
    while parts and (place / parts[0]).is_dir():
        place /= parts.pop(0)
    if parts and (place / f"{parts[0]}.py").is_file():
        return place / f"{parts[0]}.py"
    for node in ast.walk(parsed(place / "__init__.py")):
        if isinstance(node, ast.ImportFrom) and parts[:1] in [[alias.name] for alias in node.names]:
            return source_of(f"{node.module}.{parts[0]}")
    return place / "__init__.py"


def sources_of(names):
    return {source for source in map(source_of, names) if source}


@cache  # a build reads each file once
def parsed(source):
    """The syntax tree of a module, without comments and docstrings."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        if documented and ast.get_docstring(node) is not None:
            del node.body[0]
    return tree


@cache
def meaning(source):
    """What counts of a module: its statements, what lies in `data` beside it, the JSON of its name in `web`.

    And that of its folder's name in the cache: results of a reader's own.
    """
    data = [*sorted(source.parent.glob("data/*")), *source.parent.glob(f"../web/{source.stem}.json")]
    data += cache_folder().glob(f"{source.parent.name}.json")
    lines = [line for path in data for line in path.read_text(encoding="utf-8").splitlines()]
    return "\n".join([ast.dump(parsed(source)), *(line for line in lines if not line.startswith("#"))])


def digest(texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def chapter_digest(code):
    """Of all of ours that some code imports, itself or through others.

    >>> chapter_digest("import math") == chapter_digest("") != chapter_digest("import manyheads")
    True
    """
    names = imported(ast.parse(code))
    named = sources_of(names)
    found, waiting = set(), set(named)
    while waiting:
        found |= waiting
        waiting = sources_of(name for source in waiting for name in imported(parsed(source)))
        waiting -= found
    shown = sorted(named) if "inspect" in names else []
    return digest([*map(meaning, sorted(found)), *(source.read_text(encoding="utf-8") for source in shown)])


def package_digest():
    return digest(meaning(source) for source in sorted(PACKAGE.rglob("*.py")) if "node_modules" not in source.parts)


def digests(cached):
    """Of every chapter in the cache, by the hash of its code: what it imports now."""
    python = TransformerManager()  # knows magics
    found = {}
    for record in cached.list_cache_records():
        cells = cached.get_cache_bundle(record.pk).nb.cells
        found[record.hashkey] = chapter_digest("\n".join(python.transform_cell(cell.source) for cell in cells))
    return found


def note_code(app, config):
    parsed.cache_clear()
    meaning.cache_clear()
    config.manyheads_code = package_digest()


def forget_changed(app, env, added, changed, removed):
    """Takes those out of the cache that imported something else than they would import now, to be read again."""
    if env.mystnb_config.execution_mode != "cache":
        return []
    cached = get_cache(env.mystnb_config.execution_cache_path)
    kept = cached.path / KEPT
    then = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    now = digests(cached)
    gone = [record for record in cached.list_cache_records() if then.get(record.hashkey) != now[record.hashkey]]
    for record in gone:
        cached.remove_cache(record.pk)
    return [env.path2doc(record.uri) for record in gone]


def execute_side_by_side(app, env, docnames):
    """Executes the chapters that Sphinx is about to read; one that fails, MyST-NB executes again, and says why."""
    if env.mystnb_config.execution_mode != "cache":
        return
    paths = [path for path in map(env.doc2path, docnames) if is_myst_markdown_notebook(Path(path).read_text("utf-8"))]
    if not paths:
        return
    cached = get_cache(env.mystnb_config.execution_cache_path)
    keys = [cached.add_nb_to_project(str(path), read_data=READER).pk for path in paths]
    told = logging.getLogger(__name__)
    told.setLevel(logging.INFO)  # the executor then says what it executes
    executor = load_executor("local-parallel", cached, logger=told)
    executor.run_and_cache(filter_pks=keys, timeout=env.mystnb_config.execution_timeout)


def keep_digests(app, env):
    if env.mystnb_config.execution_mode == "cache":
        cached = get_cache(env.mystnb_config.execution_cache_path)
        (cached.path / KEPT).write_text(json.dumps(digests(cached)), encoding="utf-8")


def setup(app):
    app.add_config_value("manyheads_code", "", "env", [str])  # when it changes, Sphinx reads all pages again
    app.connect("config-inited", note_code)
    app.connect("env-get-outdated", forget_changed)
    app.connect("env-before-read-docs", execute_side_by_side)
    app.connect("env-updated", keep_digests)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
