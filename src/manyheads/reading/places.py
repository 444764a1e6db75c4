"""The places of a part: which tokens ask and are looked at, and which of them are padding."""

from dataclasses import dataclass, replace

import numpy as np

from manyheads.reading.tokens_from import array_of_ids, chosen_text, ids_in, padding_of, row_of, strings_of

BEFORE = "{count} keys stand before these tokens, counted: a prefix, as of prefix tuning, or what a cache holds."
AROUND = "This model looks through a window: its keys are counted from the token that asks."
PADS_ITSELF = "The model pads texts by itself: {count} places after the text are left out."
# Where inputs say which places are padding, and whether what's true is padding.
MASKS = {
    "": (("attention_mask", False), ("src_key_padding_mask", True), ("key_padding_mask", True)),
    "decoder": (("decoder_attention_mask", False), ("tgt_key_padding_mask", True)),
}


@dataclass(frozen=True)
class Reading:
    """What is known of the tokens that a model read: those that are looked at, those that ask, which are padding."""

    tokens: list | None = None
    query_tokens: list | None = None
    mask: np.ndarray | None = None  # True for text
    decoder_mask: np.ndarray | None = None
    mask_is_given: bool = False  # by hand: then it has to fit
    padding: int = 0  # how many tokens at the end are padding by the tokenizer, unless a mask says
    of_inputs: bool = False  # whether tokens are those of the inputs, and none was named by hand

    def mask_is_full(self):
        """Whether nothing is padding."""
        return self.mask is None or bool(self.mask.all())


def reading_of(source, tokens, query_tokens, named, tokenizer, batch=0, attention_mask=None):
    """What is known of the tokens, by what was given, by `named` inputs, or by what `generate` wrote.

    >>> reading_of(None, ["hot", "tea"], None, {"attention_mask": np.array([[1, 0]])}, None).mask
    array([ True, False])
    """
    of_inputs = not isinstance(tokens, (list, tuple)) and query_tokens is None
    if attention_mask is None and hasattr(tokens, "input_ids"):
        named = {"attention_mask": tokens.get("attention_mask"), **named}
    asked, answer = ids_in(named), ids_in(named, decoder=True)
    if (written := getattr(source, "sequences", None)) is not None:
        encoder = getattr(source, "encoder_attentions", None) is not None
        asked, answer = (asked, written) if encoder else (written, None)
    if tokenizer is not None:
        tokens = asked if asked is not None and (tokens is None or isinstance(tokens, str)) else tokens
        query_tokens = answer if query_tokens is None else query_tokens
    masks = {which: mask_in(named, which, batch) for which in MASKS}
    by_tokenizer = tokenizer is not None and asked is not None and tokens is asked and written is None
    return Reading(
        strings_of("tokens", tokens, tokenizer, batch),
        strings_of("query_tokens", query_tokens, tokenizer, batch),
        masks[""] if attention_mask is None else _of_text(attention_mask, batch),
        masks["decoder"],
        attention_mask is not None,
        padding_of(row_of(array_of_ids(asked), batch), tokenizer) if by_tokenizer else 0,
        of_inputs and written is None,
    )


def reading_in(which, reading, roles, full):
    """What is known of the tokens of a part with so many queries and keys, in a model whose parts have these roles.

    >>> reading = Reading(["hot", "tea"], of_inputs=True)
    >>> roles = ["image", "text", "cross"]
    >>> [reading_in(which, reading, roles, full).tokens for which, full in zip(roles, ((9, 9), (2, 2), (2, 9)))]
    [None, ['hot', 'tea'], None]
    >>> reading_in("cross", reading, roles, (2, 9)).query_tokens
    ['hot', 'tea']

    A text's tokens aren't those of its picture; and of several parts, one with other numbers reads something else.
    """
    if which in ("image", "audio"):
        return Reading()
    if which == "cross" and {"image", "audio"} & set(roles) and reading.query_tokens is None:
        reading = replace(reading, tokens=None, query_tokens=reading.tokens, mask=None, decoder_mask=reading.mask)
    pairs = zip(tokens_of(which, reading), full)
    fits = all(names is None or len(names) in (count, *full) for names, count in pairs)
    return reading if fits or len(roles) == 1 or not reading.of_inputs else Reading()


def mask_in(named, which="", batch=0):  # -> [k], True for text, or None
    """Which places of the inputs aren't padding.

    >>> mask_in({"src_key_padding_mask": np.array([[False, True]])})
    array([ True, False])
    """
    for name, of_padding in MASKS[which]:
        mask = named.get(name)
        if mask is not None and getattr(mask, "ndim", 0) == 2 and batch < len(mask):
            return _of_text(mask, batch) != of_padding
    return None


def _of_text(mask, batch):
    mask = np.asarray(mask.detach().cpu() if hasattr(mask, "detach") else mask)
    mask = mask[chosen_text(batch, len(mask))] if mask.ndim == 2 else mask
    return np.isfinite(mask) & (mask > 0) if mask.dtype.kind == "f" else mask != 0


def placed(weights, which, part, reading, steps=False):  # [l, h, q, k] -> the same of the text, tokens, notes
    """Weights without padding, the tokens that ask, those that are looked at, and notes on what was changed.

    `which` is the role of the part; `steps` says that it was written, so that the last token may not have been read.
    """
    queries, keys = tokens_of(which, reading)
    if queries is keys and which != "cross":
        weights, queries, keys, notes = own_places(weights, part, keys, steps)
    else:
        queries, notes_on_queries = tokens_for("query_tokens", queries, weights.shape[2], steps)
        keys, notes = tokens_for("tokens", keys, weights.shape[3] - len(part.keys_after))
        keys, notes = [*keys, *part.keys_after], (*notes_on_queries, *notes)
    return without_padding(weights, queries, keys, notes, which, part, reading, steps)


def tokens_of(which, reading):
    """The tokens that ask and those that are looked at, in a part of this role; one list where they're the same."""
    if which.startswith("decoder"):
        return reading.query_tokens, reading.query_tokens
    if which.startswith("encoder") or (reading.query_tokens is None and which != "cross"):
        return reading.tokens, reading.tokens
    return reading.query_tokens, reading.tokens


def grouped(weights, which, part, reading, steps, full, sides, readable):
    """Weights by groups, the names of the groups that ask, those of the groups that are looked at, and notes.

    There are `full` queries and keys, and groups of them on both `sides`, None for a side that's as it was. `readable`
    makes text of tokens.
    """
    queries, keys = tokens_of(which, reading)
    own = queries is keys and which != "cross" and full[0] == full[1] - len(part.keys_after)
    keys, notes = tokens_for("tokens", keys, full[1] - len(part.keys_after), steps)
    queries, notes_on_queries = (keys, ()) if own else tokens_for("query_tokens", queries, full[0], steps)
    named = []
    for groups, tokens in zip(sides, (queries, [*keys, *part.keys_after])):
        tokens = readable(tokens)
        if groups is not None and groups.places is not None:
            notes = (*notes, *left_out(len(tokens) - len(groups.places)))
            tokens = [tokens[place] for place in groups.places]
        named.append(tokens if groups is None else groups.names(tokens))
    return weights, *named, tuple(dict.fromkeys((*notes_on_queries, *notes)))


def own_places(weights, part, tokens, steps=False):
    """Weights and tokens of a part that looks at itself; its queries may be the last of its keys."""
    queries = weights.shape[2]
    keys = weights.shape[3] - len(part.keys_after)
    if part.window is not None and keys > part.window:
        asking, notes = tokens_for("query_tokens", tokens, queries, steps)
        return weights, asking, around(part.window, keys), (*notes, AROUND)
    if queries == keys:
        if tokens is not None and pads_itself(weights, len(tokens)):
            text = len(tokens)
            note = PADS_ITSELF.format(count=queries - text)
            return weights[:, :, :text, :text], tokens, tokens, (note,)
        if tokens is not None and len(tokens) < keys:
            raise ValueError(
                f"there are {keys} places for tokens, got {len(tokens)}: {tokens}. If the model puts more before the "
                "text, as prompt tuning does, or pads it by itself, name these places as well"
            )
        tokens, notes = tokens_for("tokens", tokens, keys, steps)
        return weights, tokens, [*tokens, *part.keys_after], notes
    before = keys - queries
    if part.decodes or steps or is_last_part(weights):
        if tokens is None or len(tokens) > queries + steps:
            tokens, notes = tokens_for("tokens", tokens, keys, steps)
        else:
            tokens, notes = tokens_for("tokens", tokens, queries, steps)
            tokens, notes = counted(before) + tokens, (*notes, BEFORE.format(count=before))
        return weights, tokens[before:], tokens, notes
    if tokens is not None and len(tokens) == queries < keys:
        raise ValueError(
            f"there are {keys} keys for {queries} tokens. If {before} stand before the text, as a prefix (of prefix "
            f"tuning) or a cache puts them there, name all: tokens=[...] of {keys}, query_tokens=[...] of {queries}"
        )
    asking, notes_on_queries = tokens_for("query_tokens", tokens, queries, steps)
    tokens, notes = tokens_for("tokens", tokens, keys)
    return weights, asking, tokens, (*notes_on_queries, *notes)


def without_padding(weights, queries, keys, notes, which, part, reading, steps):
    """The same without the places that masks say are padding."""
    mask = reading.decoder_mask if which == "decoder" else reading.mask
    if mask is None and reading.padding and queries == keys == reading.tokens:
        mask = unseen(weights, reading.padding)
    given = reading.mask_is_given and which != "decoder"
    added = len(part.keys_after)
    text = text_of(mask, weights.shape[3], strict=given, written=steps, added=added)
    before = weights.shape[3] - added - weights.shape[2]  # keys that ask nothing
    if which == "cross":
        asking = text_of(reading.decoder_mask, weights.shape[2])
    elif text is None or before < 0:
        asking = None
    else:
        asking = [place - before for place in text if before <= place < before + weights.shape[2]]
    if text is not None and len(text) < weights.shape[3]:
        notes = (*left_out(weights.shape[3] - len(text)), *notes)
        weights, keys = weights[..., text], [keys[place] for place in text]
    if asking is not None and len(asking) < weights.shape[2]:
        weights, queries = weights[:, :, asking], [queries[place] for place in asking]
    return weights, queries, keys, notes


def left_out(count):
    """The note on so much padding, if there's any.

    >>> left_out(1), left_out(0)
    (('1 padding token is left out.',), ())
    """
    return (f"{count} padding token{' is' if count == 1 else 's are'} left out.",) if count else ()


def unseen(weights, padding):  # [l, h, q, k] -> [k], True for text, or None
    """The mask of a text that ends in so much padding, unless it looks at that.

    >>> unseen(np.array([[[[1.0, 0], [0.5, 0.5]]]]), 1), unseen(np.full((1, 1, 2, 2), 0.5), 1)
    (array([ True, False]), None)
    """
    text = weights.shape[3] - padding
    return None if weights[:, :, :text, text:].any() else np.arange(weights.shape[3]) < text


def around(window, count):
    """The names of keys that are counted from the token that asks, after those that all tokens look at.

    >>> around(2, 4)
    ['global 1', '1 before', 'itself', '1 after']
    """
    before = [f"{place} before" for place in range(window // 2, 0, -1)]
    after = [f"{place} after" for place in range(1, window // 2 + 1)]
    return [*(f"global {place + 1}" for place in range(count - window - 1)), *before, "itself", *after]


def pads_itself(weights, count):
    """Whether the places after the first `count` get nothing from those, as where a model pads its texts.

    >>> pads_itself(np.array([[[[0.5, 0.5, 0], [0.5, 0.5, 0], [1, 0, 0]]]]), 2)
    True

    A causal map doesn't tell: what comes after a query gets nothing anyway.
    """
    text = weights[:, :, :count, :count]
    return 0 < count < weights.shape[2] and not weights[:, :, :count, count:].any() and bool(np.triu(text, 1).any())


def is_last_part(weights):
    """Whether queries are the last of the keys by what they look at: each at nothing that comes after it.

    >>> is_last_part(np.array([[[[0.5, 0.5, 0], [0.2, 0.3, 0.5]]]])), is_last_part(np.full((1, 1, 2, 3), 1 / 3))
    (True, False)
    """
    q, k = weights.shape[2:]
    return 1 < q < k and not weights[..., ~np.tri(q, k, k - q, dtype=bool)].any()


def counted(count):
    """Places that have no names, from 1.

    >>> counted(2)
    ['1', '2']
    """
    return [str(place + 1) for place in range(count)]


def not_given(name):
    """The note on places that are counted."""
    return f"{name} are not given: places are counted."


def tokens_for(name, tokens, count, spare=False):
    """As many tokens as there are places, counted where none were given, and a note where they were changed.

    >>> tokens_for("tokens", ["a", "b", "c"], 2, spare=True)
    (['a', 'b'], ("The last token, 'c', was not read any more: it looks at nothing yet.",))
    >>> tokens_for("tokens", None, 3)
    (['1', '2', '3'], ('tokens are not given: places are counted.',))

    With `spare`, there may be one more: the last that `generate` wrote.
    """
    if tokens is None:
        return counted(count), (not_given(name),)
    if spare and len(tokens) == count + 1:
        return list(tokens[:-1]), (f"The last token, {tokens[-1]!r}, was not read any more: it looks at nothing yet.",)
    if len(tokens) != count:
        raise ValueError(f"there are {count} places for {name}, got {len(tokens)}: {list(tokens)}")
    return list(tokens), ()


def text_of(mask, count, strict=False, written=False, added=0):
    """The places that aren't padding, by a mask; None for no mask, and for one that doesn't fit unless it has to.

    >>> text_of(np.array([False, True, True]), 3), text_of(np.array([False, True]), 4, written=True)
    ([1, 2], [1, 2, 3])

    What was `written` after the mask was made is text, and so are keys that were `added`. Raises `ValueError` for a
    mask of another number of places.
    """
    if mask is None:
        return None
    places = count - added
    if written and mask.ndim == 1 and len(mask) < places:
        mask = np.concatenate([mask, np.ones(places - len(mask), bool)])
    if mask.shape == (places,):
        return [*np.flatnonzero(mask).tolist(), *range(places, count)]
    if strict:
        raise ValueError(f"attention_mask must be [{count}] or [batch, {count}], 0 for padding, got {list(mask.shape)}")
    return None
