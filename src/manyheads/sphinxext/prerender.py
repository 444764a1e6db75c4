"""What stands in a page before its scripts run: each figure, drawn by the same views that will draw it live."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from sphinx.errors import ExtensionError

from manyheads.sphinxext.node import node
from manyheads.widgets.web_files import BUILT


def draw_figures(pages):
    """Draw every figure of some pages' files from the data in its element, in a process of Node for each processor.

    Raises `ExtensionError` with what Node said where one can't be drawn.
    """
    largest_first = sorted(pages, key=lambda page: page.stat().st_size, reverse=True)
    shares = [largest_first[start :: os.cpu_count()] for start in range(os.cpu_count())]
    with ThreadPoolExecutor() as threads:
        for done in threads.map(_draw, filter(None, shares)):
            if done.returncode:
                raise ExtensionError(f"A figure could not be drawn:\n{done.stdout}{done.stderr}")


def _draw(pages):
    command = [node(), BUILT / "prerender.mjs", *pages]
    return subprocess.run(command, capture_output=True, text=True, check=False)
