"""The fields of an exercise that the page itself checks: read from YAML, and written as `<field-exercise>`.

    ```{field-exercise}
    - shape: the weights
      answer: 3 4 5 5
      computed: list(weights.shape)
      hints:
        3 5 5: That is one map. Each head has its own.
    ```

A field is a `shape`, a `number`, a `word`, a `choice` of `options`, or a `query` that makes a head look at a word; what
stands after that is its label. `answer` is the right one, and `computed` what the tests compute it by, in the chapter's
kernel. `hints` are for likely wrong answers, `hint` is for all others, `right` is told with the right one.
"""

import re
from html import escape

import yaml

from manyheads.drawing.element import element_html

KINDS = ("shape", "number", "word", "choice", "query")
NEEDED = {"choice": ("options",), "query": ("words", "keys", "target", "share")}
OPTIONAL = ("hints", "hint", "right", "within")


def read_fields(text):
    """The fields of an exercise: [{kind, label, answer, computed, ...}]; `ValueError` for what does not fit.

    >>> read_fields("- {number: the weight, answer: 0.5, computed: weights.max()}")[0]["label"]
    'the weight'
    """
    try:
        fields = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"its fields cannot be read; text with a colon stands in quotes: {error}") from error
    if not isinstance(fields, list) or not all(isinstance(field, dict) for field in fields):
        raise ValueError("its fields are a list, each with - kind: label")
    return [_read(field) for field in fields]


def _read(field):
    kinds = [kind for kind in KINDS if kind in field]
    if len(kinds) != 1:
        raise ValueError(f"a field is one of {', '.join(KINDS)}, got {list(field)}")
    kind = kinds[0]
    rest = {name: value for name, value in field.items() if name != kind}
    needed = ("answer", "computed", *NEEDED.get(kind, ()))
    if wrong := [*{*needed} - {*rest}, *{*rest} - {*needed, *OPTIONAL}]:
        raise ValueError(f"the {kind} {field[kind]!r} lacks or knows no {', '.join(wrong)}")
    rest["answer"] = str(rest["answer"])
    hints = {str(wrong): hint for wrong, hint in rest.get("hints", {}).items()}
    options = [str(option) for option in rest.get("options", [])]
    if rest["answer"] in hints or (kind == "choice" and {*options} != {rest["answer"], *hints}):
        raise ValueError(f"the {kind} {field[kind]!r} needs a hint for each wrong option, and none for the right one")
    return {
        "kind": kind,
        "label": str(field[kind]),
        **rest,
        "hints": hints,
        **({"options": options} if options else {}),
    }


def fields_html(exercise, fields, **shows):
    """The element with its fields, and as a list for notebooks; `exercise` is the label of its exercise.

    `shows` are the `map` that then shows the `sentence`.
    """
    items = "".join(f"<li>{_item(field)}</li>" for field in fields)
    shown = [{name: value for name, value in field.items() if name != "computed"} for field in fields]
    return element_html("field-exercise", {"exercise": exercise, **shows}, shown, f"<ul>{items}</ul>")


def _item(field):
    label = to_html(field["label"])
    return f"{label}: {' / '.join(map(to_html, field['options']))}" if "options" in field else label


def to_html(text):
    """Text with `code` and *emphasis* as HTML.

    >>> to_html("the `mask` *<here>*")
    'the <code>mask</code> <em>&lt;here&gt;</em>'
    """
    return re.sub(r"`([^`]+)`|\*([^*]+)\*", _mark, escape(text, quote=False))


def _mark(found):
    return f"<code>{found[1]}</code>" if found[1] else f"<em>{found[2]}</em>"
