"""The room that a live map's controls will take, so that nothing moves when they come. Without scripts it is empty."""

from html import escape

from manyheads.maps import readable
from manyheads.maps.names import VIEWS


def tools_room(map, attributes, answers):
    """A line as high as the controls of `figures/head-map-controls.js`; `answers` says whether there will be a model.

    >>> from manyheads.maps import AttentionMap
    >>> "Compare" in tools_room(AttentionMap(["a"], ["a"], [[[[1]]]]), {}, True)
    True
    """
    views = "".join(f"<label><span>{view.capitalize()}</span></label>" for view in VIEWS)
    parts = [f'<span class="hm-views">{views}</span>']
    if map.shape[0] > 1:
        parts.append(chooser_room("Layer", str((attributes.get("layer") or 0) + 1)))
    if attributes.get("view") == "lines":
        parts.append(chooser_room("Head", max(map.head_names, key=len)))
    if answers:
        parts.append(f'<span class="hm-comparer">{"Stop comparing" if attributes.get("compare") else "Compare"}</span>')
    menu = "Share or save"
    parts += [f'<span class="hm-{name}"><i>{text}</i></span>' for name, text in (("menu", menu), ("more", "More"))]
    if attributes.get("models"):
        parts.append('<span class="hm-field hm-model">Model</span>')
    return f'<div class="hm-tools hm-room" aria-hidden="true">{"".join(parts)}</div>'


def chooser_room(label, chosen):
    """A list with its label, as text."""
    return f'<span class="hm-field">{label} <b class="hm-select">{escape(readable(chosen))}</b></span>'


def undo_room():
    """Room for the buttons beside a sentence."""
    return '<span class="hm-undo hm-room"></span>' * 2


def examples_room(examples):
    """Sentences to press, "one | another", before they can be pressed."""
    sentences = [text.strip() for text in (examples or "").split("|") if text.strip()]
    if not sentences:
        return ""
    told = "<span>Type your own, or press:</span>"
    return f'<div class="hm-start hm-room">{told}{"".join(f"<i>{escape(text)}</i>" for text in sentences)}</div>'


def guide_room(guide):
    """Room for a reader's first steps."""
    if guide is None:
        return ""
    steps = "".join(f"<li>{step}</li>" for step in ("Change a word", "Switch a head off", "Ask from a word"))
    return f'<div class="hm-guide hm-room"><ol>{steps}</ol><button type="button" disabled>Skip</button></div>'
