"""What stands in a page before its scripts run: each figure, drawn by the same views that will draw it live."""

import subprocess

from sphinx.errors import ExtensionError

from manyheads.sphinxext.node import node
from manyheads.widgets.web_files import BUILT


def draw_figures(pages):
    """Draw every figure of some pages' files from the data in its element; all in one process of Node.

    Raises `ExtensionError` with what Node said where one can't be drawn.
    """
    done = subprocess.run([node(), BUILT / "prerender.mjs", *pages], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ExtensionError(f"A figure could not be drawn:\n{done.stdout}{done.stderr}")
