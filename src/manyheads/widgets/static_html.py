"""A map as static HTML: what `<head-map>` shows before, or without, any script.

The markup is the one that `figures/head-map.js` and its views draw, so that nothing moves when the script takes over.
"""

import json
from dataclasses import replace
from html import escape

from manyheads.maps.legend import legend_of
from manyheads.maps.names import ASKED_FOR, CHOICES, FORMER_NAMES, HEAD_COLOURS
from manyheads.maps.shown import shown_map
from manyheads.maps.small_pictures import Tint
from manyheads.maps.wire import map_json
from manyheads.maps.written import percent
from manyheads.widgets.static_cells import Look
from manyheads.widgets.static_controls import chooser_room, examples_room, guide_room, tools_room, undo_room
from manyheads.widgets.static_views import drawn_as, legend, stage

BAKED = 2**22  # weights; a page of a map with more has one layer of it, some 4 MB at most
SHOWN = (*CHOICES, "top", "first", "last")  # the attributes that what is shown of a map depends on


def head_map_html(
    map,
    *,
    query=0,
    layer=0,
    status="A computed example. Live, it answers to your own sentence.",
    whole=False,
    compared=None,
    **attributes,
):
    """The `<head-map>` element with `map` baked in; `attributes` (model, sentence, view, ...) become its own.

    >>> from manyheads.maps import AttentionMap
    >>> map = AttentionMap(["[CLS]", "tea"], ["[CLS]", "tea"], [[[[0.25, 0.75], [0.5, 0.5]]]])
    >>> 'data-weight="0.7500"' in head_map_html(map, sentence="<tea>")
    True

    `compared` is the map of a second sentence. Of a map with more than `BAKED` weights, one layer is baked in, and
    small pictures of the others, unless the `whole` is wanted.
    """
    attributes = {"layer": layer, "query": query or None, **attributes}
    written = "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items() if value is not None)
    there = None if whole or map.weights.size <= BAKED else [min(layer, map.shape[0] - 1)]
    if there:
        layers = f"Of its {map.shape[0]} layers, layer {there[0] + 1} is in this page"
        status = f"{status} {layers}: the others would make it too large."
    models = attributes.get("model") or attributes.get("models")
    early = not {*ASKED_FOR}.isdisjoint((attributes.get("model") or "").split())  # where the page offers to load it
    body, notes = _body(map, query, layer, compared, attributes)
    said = " ".join([status, *dict.fromkeys((*map.notes, *notes))])
    line = f'<p class="hm-status" data-said="{escape(status)}">{escape(said)}</p>'
    words = "" if map.written is None else f'<p class="hm-translation">{escape(map.written)}</p>'
    return (
        f'<head-map class="head-map"{written}>{_sentences(attributes)}{line if early else ""}'
        f"{tools_room(map, attributes, bool(models))}{words}{body}{'' if early else line}"
        f'<script type="application/json">{_data(map, compared, there)}</script></head-map>'
    )


def _sentences(attributes):
    """The sentences, where there will be boxes to type them into."""
    sentence = attributes.get("sentence")
    texts = [text for text in (sentence, attributes.get("compare")) if text]
    rows = [f'<p class="hm-sentence">{escape(text)}</p>{undo_room() if text is sentence else ""}' for text in texts]
    return examples_room(attributes.get("examples")) + "".join(f'<div class="hm-ask">{row}</div>' for row in rows)


def _body(map, query, layer, compared, attributes):
    """The view, what its colours mean, and what the model concludes; and the notes on what is shown."""
    chosen = {name: attributes.get(name) for name in SHOWN}
    everywhere = attributes.get("view") == "grid" or chosen["layers"] == "rollout"
    layers = None if everywhere else [min(layer, map.shape[0] - 1)]
    found = shown_map(map, chosen, layers)
    second = None if compared is None else shown_map(compared, chosen, layers).map
    shown, asked = found.map, found.row_of(query, map.query_tokens)
    scale = FORMER_NAMES.get(chosen["scale"], chosen["scale"]) or CHOICES["scale"][0]
    look = Look(Tint(scale), top=bool(chosen["top"]), sought=attributes.get("find") or "")
    view = drawn_as(attributes, shown, layer)
    drawn, drawn_look = shown, look
    if second is not None and view in ("matrix", "grid"):  # they draw what differs
        drawn, drawn_look = replace(shown, kind="signed"), look.of_differences(shown)
    tells = legend_of(drawn, scale, min(layer, shown.shape[0] - 1), drawn_look.tint.fixed)
    key = chooser_room("Asked by", shown.query_tokens[asked]) + ("" if view == "lines" else legend(tells))
    predictions = "".join(_prediction(map, name, compared) for name in map.predictions)
    body = (
        f'<div class="hm-body{" hm-signed" if drawn.kind == "signed" else ""}">'
        f'{stage(attributes, shown, layer, asked, look, second)}<div class="hm-key">{key}</div>'
        f'<dl class="hm-predictions">{predictions}</dl>{guide_room(attributes.get("guide"))}</div>'
    )
    return body, shown.notes


def _prediction(map, name, compared=None):
    colour = HEAD_COLOURS[map.head_names.index(name)] if name in map.head_names else "currentColor"
    second = "" if compared is None else f'<dd class="hm-second">{_concluded(compared, name)}</dd>'
    first = f"<dt>{escape(name)}</dt><dd>{_concluded(map, name)}<small></small></dd>"
    return f'<div style="--head:{colour}">{first}{second}</div>'


def _concluded(map, name):
    labels = map.predictions[name]
    label = max(labels, key=labels.get)
    share = labels[label]
    return f'<b>{escape(label)}</b><span>{percent(share)}</span><meter max="1" value="{share:.4f}"></meter>'


def _data(map, compared, layers):
    """The maps themselves, for the script."""
    second = {} if compared is None else {"compared": map_json(compared, layers)}
    return json.dumps(map_json(map, layers) | second, separators=(",", ":")).replace("<", "\\u003c")
