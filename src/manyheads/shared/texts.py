"""Twenty texts of ours, on which heads are measured and models compared; pages read them as well."""

import json
from pathlib import Path

_KINDS = json.loads((Path(__file__).parent / "texts.json").read_text(encoding="utf-8"))

SENTENCES = tuple(_KINDS["sentences"])  # long ones
OTHERS = tuple(_KINDS["others"])  # code, a letter, numbers, German, a list, a question with its answer
TEXTS = tuple(text for kind in _KINDS.values() for text in kind)
