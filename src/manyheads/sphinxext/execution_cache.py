"""Executes the chapters again when the package changed, and as many at once as there are processors.

MyST-NB's cache knows a chapter's own code and nothing of what it imports, and MyST-NB executes one chapter after the
other. Here a digest of all that the chapters' results may come from drops the whole cache when it changes, and what is
missing in the cache is executed side by side before MyST-NB looks.
"""

import hashlib
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core.read import is_myst_markdown_notebook, myst_nb_reader_plugin

from manyheads.sphinxext.progress import stage
from manyheads.sphinxext.warm_kernels import KERNELS

PACKAGE = Path(__file__).parent.parent
PATTERNS = ("*.py", "data/*", "kept/*", "measured/*", "shared/*")
DIGEST = "package.sha256"  # in the folder of the cache


def package_digest(book, sources=()):
    """The digest of the package's Python, data and weights, and the book's pinned packages.

    `sources` are what else the chapters' results come from: files, and folders of Python and data.
    """
    paths = [path for folder in (PACKAGE, *sources) for pattern in PATTERNS for path in folder.rglob(pattern)]
    ours = sorted(path for path in paths if "node_modules" not in path.parts)
    digest = hashlib.sha256()
    for path in [*ours, *sources, Path(book) / "constraints.txt"]:
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def note_package(app, config):
    config.manyheads_package = package_digest(app.confdir, config.manyheads_sources)


def execute_side_by_side(app, env, docnames):
    """Executes the chapters that Sphinx is about to read; one that fails, MyST-NB executes again, and says why."""
    if env.mystnb_config.execution_mode != "cache":
        return
    folder = Path(env.mystnb_config.execution_cache_path)
    digest = folder / DIGEST
    if not digest.is_file() or digest.read_text(encoding="utf-8") != app.config.manyheads_package:
        shutil.rmtree(folder, ignore_errors=True)
    cache = get_cache(folder)
    paths = [path for path in map(env.doc2path, docnames) if is_myst_markdown_notebook(Path(path).read_text("utf-8"))]
    chapters = {path: myst_nb_reader_plugin(path) for path in paths}
    missing = {path: chapter for path, chapter in chapters.items() if not is_cached(chapter, cache)}
    if missing:
        with stage(f"Executing {sum(map(bool, map(code_size, missing.values())))} chapters"):
            execute(missing, cache, env.mystnb_config.execution_timeout)
        digest.write_text(app.config.manyheads_package, encoding="utf-8")


def is_cached(notebook, cache):
    try:
        return bool(cache.match_cache_notebook(notebook))
    except KeyError:
        return False


def execute(chapters, cache, timeout):
    """Executes notebooks, by their paths, with a kernel for each processor, and puts them into the cache."""
    longest_first = sorted(chapters, key=lambda path: code_size(chapters[path]), reverse=True)

    def run(path):
        notebook, folder = chapters[path], str(Path(path).parent)
        if not code_size(notebook):
            return ExecutionResult(notebook, folder, 0)
        # What is printed comes in as many parts as chance has it: they are put together.
        return single_nb_execution(notebook, folder, timeout, allow_errors=False, coalesce_streams=True, **KERNELS)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for path, result in zip(longest_first, threads.map(run, longest_first)):
            if not result.err:
                bundle = CacheBundleIn(result.nb, path, data={"execution_seconds": result.time})
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def code_size(notebook):
    """How many characters of code a notebook has: of those that are long, none begins when the others are done."""
    return sum(len(cell.source) for cell in notebook.cells if cell.cell_type == "code")


def setup(app):
    app.add_config_value("manyheads_sources", [], "", [list])  # a book's own: `package_digest` explains them
    app.add_config_value("manyheads_package", "", "env", [str])  # when it changes, Sphinx reads all pages again
    app.connect("config-inited", note_package)
    app.connect("env-before-read-docs", execute_side_by_side)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
