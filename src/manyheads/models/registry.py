"""The models that have a name, such as `focus/heads-8`: Python and the pages read the same table, `shared/models.json`.

A row is a family of models. `variants` is the pattern of what may stand after the family's name and a slash,
`onlyOnPages` of those that Python lacks. `load` names the function `(variant) -> head model`, `files` the one that
makes what pages fetch and lists the paths. `module` is the script of
`web/models` that runs the family in a page, `onRequest` whether it waits there until a reader asks for it. `label` is
what the offer calls it, `plain` what a slider calls the model without a variant; `attention` says whether tokens look
at their own text ("self") or at another ("cross"). `reads` says what it reads where that isn't text: "drawing", whose
text form stands wherever others have a sentence. `HeadModel` is what any model is, with a name or without.
"""

import json
import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from manyheads.maps import AttentionMap

TELL = (
    'Models of load_focus_model(), load_induction() and load_decoder() have it, and load_decoder("model.gguf") reads a '
    "file of your own"
)
FAMILIES = json.loads((Path(__file__).parent.parent / "shared" / "models.json").read_text(encoding="utf-8"))


@runtime_checkable
class HeadModel(Protocol):
    """What has heads and makes an attention map of a text: what `HeadMap` shows, and each of our models.

    >>> isinstance(load_model("focus"), HeadModel)
    True

    The map is [num_layers, num_heads, query, key]. `head_mask` [layer, head] is False for heads that are off; with None
    all are on. For a text that it can't read, a model raises `TypeError` or `ValueError`, whose message readers see.

    One that reads something else says so: `reads`, an attribute, is then "drawing", and `written(drawing)` gives the
    text of whatever it's kept in, which calling the model takes as well. Without `reads`, a model reads text.
    """

    @property
    def name(self) -> str: ...
    @property
    def num_layers(self) -> int: ...
    @property
    def num_heads(self) -> int: ...
    @property
    def head_names(self) -> list[str]: ...  # the same in each layer, or of `named_layer`, where a model has one

    def __call__(self, sentence: Any, /, head_mask: Any = None) -> AttentionMap: ...


def check_tells(model, method, reason):
    """Refuse a model that lacks a method by which some of ours tell what their heads write, for this reason.

    >>> check_tells(load_model("focus"), "head_ledger", "no heads add to what it answers")
    """
    if not hasattr(model, method):
        raise TypeError(f"a {type(model).__name__} has no {method}: {reason}. {TELL}")


def all_but(model: HeadModel, heads: Iterable[tuple[int, int]]) -> NDArray[np.bool_]:
    """The head mask of a model without some heads, given as (layer, head) from 0: bool [layer, head].

    >>> all_but(load_model("induction"), [(0, 1)]).tolist()
    [[True, False], [True, True]]

    Raises `ValueError` for a head that the model hasn't.
    """
    mask = np.ones((model.num_layers, model.num_heads), dtype=bool)
    for layer, head in heads:
        mask[checked_head(model, layer, head)] = False
    return mask


def checked_head(model: HeadModel, layer, head):
    """A head as (layer, head); refuses one that the model hasn't.

    >>> checked_head(load_model("induction"), 2, 0)
    Traceback (most recent call last):
    ValueError: there is no head 0 in layer 2: heads are [2, 2], from 0
    """
    if not (0 <= layer < model.num_layers and 0 <= head < model.num_heads):
        shape = [model.num_layers, model.num_heads]
        raise ValueError(f"there is no head {head} in layer {layer}: heads are {shape}, from 0")
    return layer, head


def is_named(name):
    """Whether pages know a model of this name.

    >>> is_named("focus/heads-8"), is_named("focus/teapot"), is_named("my model")
    (True, False, False)
    """
    family, _, variant = name.partition("/")
    return family in FAMILIES and (not variant or bool(re.fullmatch(FAMILIES[family]["variants"], variant)))


def load_model(name: str) -> HeadModel:
    """Load a model by the name that pages give it.

    >>> load_model("focus/heads-8").num_heads
    8

    Raises `ValueError` for a name that isn't known, and for a model that only pages have.
    """
    family, _, variant = name.partition("/")
    if not is_named(name):
        known = ", ".join(f"{family} ({row['attention']}-attention)" for family, row in FAMILIES.items())
        raise ValueError(f"no model is called {name!r}; the families are {known}")
    if not is_in_python(name):
        raise ValueError(f"{name!r} runs only in pages: its bug is written in their script")
    return function(FAMILIES[family]["load"])(variant)


def is_in_python(name):
    """Whether `load_model` has a model of this name.

    >>> is_in_python("focus/causal"), is_in_python("focus/bug-scale")
    (True, False)
    """
    family, _, variant = name.partition("/")
    return is_named(name) and not re.fullmatch(FAMILIES[family].get("onlyOnPages", "(?!)"), variant)


def page_files(families=FAMILIES):
    """The files that pages fetch, by name; what has to be derived from a pretrained model is derived now."""
    return {path.name: path for row in families.values() for path in function(row["files"])()}


def function(place):
    """The function that "module:name" stands for."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
