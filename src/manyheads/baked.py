"""A map as static HTML: what `<head-map>` shows before, or without, any script.

The markup is the one that `web/head-map.js` draws, so that nothing moves when the script takes over.
"""

import base64
import json
from html import escape

import numpy as np

from manyheads.maps import HEAD_COLOURS

SMALL = 4096  # up to so many weights are written as numbers, more as one byte each


def head_map_html(
    map, *, query=0, layer=0, status="With JavaScript, this map answers to your own sentence.", **attributes
):
    """The `<head-map>` element with `map` baked in; `attributes` (model, sentence, view, ...) become its own.

    >>> from manyheads.maps import AttentionMap
    >>> map = AttentionMap(["[CLS]", "tea"], ["[CLS]", "tea"], [[[[0.25, 0.75], [0.5, 0.5]]]])
    >>> 'data-weight="0.7500"' in head_map_html(map, sentence="<tea>")
    True
    """
    attributes = {"layer": layer, **attributes}
    written = "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items() if value is not None)
    sentence = attributes.get("sentence")
    box = f'<div><p class="hm-sentence">{escape(sentence)}</p></div>' if sentence else ""
    rows = "".join(_row(map, layer, head, query) for head in range(map.shape[1]))
    predictions = "".join(_prediction(map, name) for name in map.predictions)
    data = json.dumps(map_json(map), separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<head-map class="head-map"{written}>{box}'
        f'<p class="hm-tools">Asked by {escape(map.query_tokens[query])}</p>'
        f'<div class="hm-stage"><table class="hm-paint" role="table">{rows}</table></div>'
        f'<dl class="hm-predictions">{predictions}</dl>'
        f'<p class="hm-status">{escape(" ".join([status, *map.notes]))}</p>'
        f'<script type="application/json">{data}</script></head-map>'
    )


def map_json(map):
    """The map as `decodeMap` in head-map.js reads it. Many weights w become bytes round(255 √w), in base64."""
    weights = map.weights.ravel()
    if weights.size <= SMALL:
        weights = [round(float(weight), 5) for weight in weights]
    else:
        weights = base64.b64encode(np.round(np.sqrt(weights) * 255).astype(np.uint8).tobytes()).decode()
    return map_dict(map) | {"weights": weights}


def map_dict(map):
    """The map by the page's names, all but its weights."""
    return {
        "queryTokens": map.query_tokens,
        "keyTokens": map.key_tokens,
        "shape": list(map.shape),
        "headNames": map.head_names,
        "predictions": map.predictions,
        "notes": list(map.notes),
    }


def _row(map, layer, head, query):
    weights = map.weights[layer, head, query]
    largest = weights.max() or 1.0
    asks = escape(map.query_tokens[query])
    cells = "".join(
        f'<td role="cell" class="{_classes(token)}" data-weight="{weight:.4f}" data-percent="{percent(weight)}" '
        f'style="--share:{weight / largest:.3f}" aria-label="{asks} to {escape(token)}: {percent(weight)}">'
        f"{escape(token.removeprefix('##') or token)}</td>"
        for token, weight in zip(map.key_tokens, weights)
    )
    colour = HEAD_COLOURS[head % len(HEAD_COLOURS)]
    name = escape(map.head_names[head])
    return (
        f'<tbody role="rowgroup" style="--head:{colour}"><tr role="row"><th scope="row" role="rowheader">'
        f'<span class="hm-head">{name}</span></th>{cells}</tr></tbody>'
    )


def _classes(token):
    if token.startswith("##") and len(token) > 2:
        return "hm-piece"
    return "hm-special" if token in ("[CLS]", "[SEP]", "[PAD]", "[MASK]", "<s>", "</s>") else ""


def _prediction(map, name):
    labels = map.predictions[name]
    label = max(labels, key=labels.get)
    colour = HEAD_COLOURS[map.head_names.index(name)] if name in map.head_names else "currentColor"
    return (
        f'<div style="--head:{colour}"><dt>{escape(name)}</dt><dd><b>{escape(label)}</b>'
        f'<span>{percent(labels[label])}</span><meter max="1" value="{labels[label]:.4f}"></meter>'
        "<small></small></dd></div>"
    )


def percent(share):
    """A share of 1 in per cent, to a tenth below ten: as `percent` in head-map.js."""
    return f"{100 * share:.{1 if 0 < share < 0.0995 else 0}f} %"
