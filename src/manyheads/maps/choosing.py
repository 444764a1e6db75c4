"""Less of a map, for reading it: words, no special tokens, some of the tokens, several that ask as one.

Twin of `web/math/choosing.ts`. Each function gives a new map, whose `notes` say what was done to it.
"""

import re
from dataclasses import replace

import numpy as np

from manyheads.maps.picture import move_picture
from manyheads.maps.sources import move_sources, places_of_kept
from manyheads.shared.names import NOTES, ONLY_SPECIAL
from manyheads.shared.numbers import percent
from manyheads.shared.options import OPTIONS
from manyheads.shared.tokens import find_words, is_special, joined, readable, text_of, word_starts

MOST_PLACES = 6  # of a text that stands at more, these are named


def rows_to_one(weights):  # [..., q, k] -> [..., q, k]
    """Each row over its sum; a row of zeros stays."""
    sums = weights.sum(-1, keepdims=True)
    return np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)


def add_note(attention, text):
    """The map with one more note."""
    return replace(attention, notes=(*attention.notes, text))


def merge_words(attention):
    """See `AttentionMap.merge_pieces`."""
    queries, keys = word_starts(attention.query_tokens), word_starts(attention.key_tokens)
    if (len(queries), len(keys)) == attention.shape[2:]:
        return attention
    sums = np.add.reduceat(attention.weights.astype(np.float64), keys, axis=3)
    sums = np.add.reduceat(sums, queries, axis=2)  # [layer, head, word that asks, word looked at]
    counts = np.diff([*queries, len(attention.query_tokens)])
    words = replace(
        attention,
        query_tokens=words_of(attention.query_tokens, queries),
        key_tokens=words_of(attention.key_tokens, keys),
        weights=rows_to_one(sums) if attention.kind == "shares" else sums / counts[:, None],
        mask=None if attention.allowed is None else any_piece(attention.allowed, queries, keys),
        causal=False,  # a mask that is causal again becomes the flag
        value_norms=None,
        picture=None,
        answer_start=move_answer(attention.answer_start, keys),
        sources=move_sources(attention.sources, np.repeat(range(len(keys)), np.diff([*keys, attention.shape[3]]))),
    )
    return add_note(words, OPTIONS["pieces"]["values"]["merge"]["note"])


def any_piece(mask, queries, keys):
    """Whether any piece of a word may look at any piece of another; words begin at these places.

    >>> any_piece(np.tri(3, dtype=bool), [0, 1], [0, 1]).tolist()
    [[True, False], [True, True]]
    """
    looked_at = np.logical_or.reduceat(mask, keys, axis=1)
    return np.logical_or.reduceat(looked_at, queries, axis=0)


def words_of(tokens, starts):
    """The words that begin at these places.

    >>> words_of(["un", "##help", "##ful", "!"], [0, 3])
    ['unhelpful', '!']
    """
    ends = [*starts[1:], len(tokens)]
    return [joined([tokens[start], *map(readable, tokens[start + 1 : end])]) for start, end in zip(starts, ends)]


def leave_out_special(attention):
    """See `AttentionMap.without_special`."""
    queries, keys = places_of_words(attention.query_tokens), places_of_words(attention.key_tokens)
    if not (queries and keys):
        return replace(attention, notes=(*attention.notes, ONLY_SPECIAL))
    return take_tokens(attention, queries, keys)


def places_of_words(tokens):
    """The places of tokens that are not special."""
    return [place for place, token in enumerate(tokens) if not is_special(token)]


def take_tokens(attention, queries, keys):
    """A map of some of its tokens; rows of shares are scaled to sum to 1 again."""
    weights = attention.weights[:, :, list(queries)][..., list(keys)]
    return replace(
        attention,
        query_tokens=[attention.query_tokens[place] for place in queries],
        key_tokens=[attention.key_tokens[place] for place in keys],
        weights=rows_to_one(weights.astype(np.float64)) if attention.kind == "shares" else weights,
        mask=None if attention.allowed is None else attention.allowed[list(queries)][:, list(keys)],
        causal=False,
        value_norms=None if attention.value_norms is None else attention.value_norms[..., list(keys)],
        picture=move_picture(attention.picture, queries, keys),
        answer_start=move_answer(attention.answer_start, keys),
        sources=move_sources(attention.sources, places_of_kept(keys, attention.shape[3])),
    )


def take_between(attention, first, last):
    """The map of tokens `first` to `last` (None: the last), weights as they were; so are queries that are the keys.

    >>> from manyheads.maps import AttentionMap
    >>> attention = AttentionMap(["hot", "tea"], ["hot", "tea"], [[[[0.5, 0.5], [0.25, 0.75]]]])
    >>> part = take_between(attention, 1, None)
    >>> part.query_tokens, part.weights.tolist(), part.notes[0].split(" are")[0]
    (['tea'], [[[[0.75]]]], 'Tokens 2 to 2 of 2')
    """
    count = len(attention.key_tokens)
    start, end = between(first, last, count)
    if (start, end) == (0, count):
        return attention
    alike = attention.query_tokens == attention.key_tokens
    return cut(attention, slice(start, end) if alike else slice(None), slice(start, end), (start, end, count))


def between(first, last, count):  # -> start, end
    """Where tokens `first` to `last` (None: the last) start and end, of so many.

    >>> between(1, None, 3), between(1, 1, 3), between(5, 9, 3)
    ((1, 3), (1, 2), (2, 3))
    """
    start = min(first, count - 1)
    return start, max(start, count - 1 if last is None else min(last, count - 1)) + 1


def cut(attention, queries, keys, shown):
    """The map of the queries and the keys in these slices, weights as they were.

    `shown` says which tokens these are: where they start and end, and of how many.
    """
    asking = attention.weights[:, :, queries]
    weights = asking[..., keys]
    part = replace(
        attention,
        query_tokens=attention.query_tokens[queries],
        key_tokens=attention.key_tokens[keys],
        weights=weights,
        kind="parts" if attention.kind == "shares" else attention.kind,
        mask=None if attention.mask is None else attention.mask[queries, keys],
        value_norms=None,  # parts aren't weighed
        picture=move_picture(attention.picture, range(attention.shape[2])[queries], range(attention.shape[3])[keys]),
        answer_start=move_answer(attention.answer_start, range(attention.shape[3])[keys]),
        sources=move_sources(attention.sources, places_of_kept(range(attention.shape[3])[keys], attention.shape[3])),
    )
    start, end, count = shown
    shown = {"first": start + 1, "last": end, "count": count}
    if part.kind != "parts":
        return add_note(part, NOTES["betweenAny"].format(**shown))
    return add_note(part, NOTES["between"].format(**shown, share=percent(share_left_out(asking, weights))))


def move_answer(start, keys):
    """Where an answer begins among these keys of another map; None where that isn't between two of them.

    >>> move_answer(3, [0, 2, 4]), move_answer(1, [1, 2])
    (2, None)
    """
    at = None if start is None else next((number for number, key in enumerate(keys) if key >= start), None)
    return at or None


def weigh_by_norms(attention):
    """See `AttentionMap.value_weighted`."""
    if attention.value_norms is None:
        raise ValueError("this map has no value_norms: how long the vectors are that its heads write isn't known")
    if attention.kind != "shares":
        raise ValueError(f"what heads write is told from shares of their attention, got {attention.kind}")
    weights = attention.weights * attention.value_norms[:, :, None]
    weighted = replace(attention, weights=weights, kind="amounts", value_norms=None)
    return add_note(weighted, OPTIONS["weigh"]["values"]["written"]["note"])


def share_left_out(before, after):
    """The share of all weights that is gone."""
    whole = before.sum(dtype=np.float64)
    return max(1 - after.sum(dtype=np.float64) / whole, 0) if whole > 0 else 0.0


def query_of(query, tokens=None):
    """Who asks, as a place, or as the first and the last of a span of tokens, both included.

    >>> tokens = ["the", "red", "car", "met", "the", "bus"]
    >>> query_of(3), query_of((2, 0), tokens), query_of((1, 1), tokens), query_of("The red", tokens)
    (3, (0, 2), 1, (0, 1))
    >>> query_of("the", tokens)
    Traceback (most recent call last):
    ValueError: “the” stands there 2 times, at 0, 4: choose one of these places, counted from 0, to ask.

    A text stays one as long as there are no tokens in which it could be found. Raises `TypeError` for what is none of
    these, `ValueError` for places that the tokens don't have, and for a text that stands nowhere or more than once.
    """
    if isinstance(query, str):
        return query if tokens is None else _query_in(tokens, query)
    places = list(query) if isinstance(query, (tuple, list, np.ndarray)) else [query] * 2
    if len(places) != 2 or any(isinstance(each, bool) or not isinstance(each, (int, np.integer)) for each in places):
        raise TypeError(f"query must be a place, a span of tokens (first, last) or a text, got {query!r}")
    first, last = sorted(map(int, places))
    if first < 0:
        raise ValueError(f"query counts from 0, got {query}")
    if tokens is not None and last >= len(tokens):
        raise ValueError(f"query must be from 0 to {len(tokens) - 1} for this map, got {query}")
    return first if first == last else (first, last)


def _query_in(tokens, text):
    found = find_words(tokens, text)
    if not found:
        raise ValueError(NOTES["nowhere"].format(words=text))
    if len(found) > 1:
        places = ", ".join(map(write_query, found[:MOST_PLACES])) + ", …" * (len(found) > MOST_PLACES)
        raise ValueError(NOTES["twice"].format(words=text, count=len(found), places=places))
    return query_of(found[0])


def write_query(query):
    """Who asks, as attributes and links write it.

    >>> write_query((5, 9)), write_query((5, 5)), write_query(5), write_query("the red car")
    ('5-9', '5', '5', 'the red car')
    """
    return "-".join(map(str, dict.fromkeys(query))) if isinstance(query, tuple) else str(query)


def read_query(text):
    """Who asks, as `write_query` wrote it.

    >>> read_query("5-9"), read_query("5"), read_query("the red car")
    ((5, 9), 5, 'the red car')
    """
    written = re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", text)
    return query_of([int(written[1]), int(written[2] or written[1])]) if written else text


def fit_query(query, count):
    """Who asks of a map that has so many queries: what is left of a span, else the first.

    >>> fit_query(3, 4), fit_query(4, 4), fit_query((2, 9), 4), fit_query((3, 9), 4), fit_query((4, 9), 4)
    (3, 0, (2, 3), 3, 0)
    """
    if isinstance(query, str):
        return 0
    first, last = query if isinstance(query, tuple) else (query, query)
    return 0 if first >= count or last < 0 else query_of((max(first, 0), min(last, count - 1)))


def move_query(query, start):
    """Who asks, with places counted from `start` on: below 0 for what comes before.

    >>> move_query((5, 9), 4), move_query(5, 4), move_query("tea", 4)
    ((1, 5), 1, 'tea')
    """
    if isinstance(query, str):
        return query
    return tuple(place - start for place in query) if isinstance(query, tuple) else query - start


def for_query(attention, query):
    """See `AttentionMap.for_query`."""
    query = query_of(query, attention.query_tokens)
    first, last = query if isinstance(query, tuple) else (query, query)
    rows = attention.weights[:, :, first : last + 1]
    looks = bool(rows.any(-1).all())  # a token that looks at nothing, as padding does, makes the mean smaller
    one = replace(
        attention,
        query_tokens=[text_of(attention.query_tokens, first, last)],
        weights=rows.mean(2, keepdims=True, dtype=np.float64),
        kind=attention.kind if looks or attention.kind != "shares" else "parts",
        mask=None if attention.allowed is None else attention.allowed[first : last + 1].any(0, keepdims=True),
        causal=False,
        picture=move_picture(attention.picture, [], range(attention.shape[3])),
    )
    note = NOTES["asOne" if one.kind == "shares" else "asOneAny"]
    return add_note(one, note.format(words=one.query_tokens[0], count=last + 1 - first)) if first < last else one
