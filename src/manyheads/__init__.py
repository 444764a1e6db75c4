"""Many Heads: multi-head attention you can edit.

What is public stands in `__init__.pyi`, for editors and for this module; of the modules `attention` and `check`
everything is. The rest serves the package itself, and may change. A name is imported when it's first used, so that
`import manyheads` costs nothing.
"""

import importlib
import importlib.metadata
import importlib.util
import re
from pathlib import Path
from typing import Any

from manyheads.figures import PAGE_FIGURES

_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
PUBLIC = {  # the module that each name is in
    **{name: module for module, name in re.findall(r"^from (manyheads\S*) import (\w+)", _STUB, re.MULTILINE)},
    **dict.fromkeys(PAGE_FIGURES, "manyheads.figures.page_figure"),
}
__all__ = [*PUBLIC]


def __getattr__(name: str) -> Any:
    module = PUBLIC.get(name, __name__)
    if module != __name__:
        value = getattr(importlib.import_module(module), name)
    elif name == "__version__":
        value = importlib.metadata.version("manyheads")
    elif not name.startswith("_") and importlib.util.find_spec(f"manyheads.{name}"):
        value = importlib.import_module(f"manyheads.{name}")
    else:
        raise AttributeError(f"module 'manyheads' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__, "__version__"]
