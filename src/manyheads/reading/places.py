"""The places of a part: which tokens ask and are looked at, and which of them are padding."""

from dataclasses import dataclass, replace

import numpy as np

from manyheads.maps.picture import Picture
from manyheads.reading.answers import text_of_answer
from manyheads.reading.parts import find_role
from manyheads.reading.token_names import array_of_ids, check_text, ids_in, padding_of, pretty, row_of, strings_of

BEFORE = "{count} keys stand before these tokens, counted: a prefix, as of prefix tuning, or what a cache holds."
EMPTY = "{count} places of the cache are empty, and left out."
GONE = "The first {count} tokens are gone: the cache holds what the model still looks at."
SLIDES = (
    "The cache of this model lets go of tokens, so places are counted from the first that it still had: "
    "HeadMap.of(model, inputs=dict(input_ids=..., past_key_values=...)) counts them all."
)
PICKED = (
    "Of {keys} places, each head lets those {queries} ask that look most sharply (ProbSparse), so no row is of one."
)
AROUND = "This model looks through a window: its keys are counted from the token that asks."
PADS_ITSELF = "The model pads texts by itself: {count} places after the text are left out."
TOO_FEW = (
    "there are {keys} places for tokens, got {given}: {tokens}. If the model puts more before the text, as prompt "
    "tuning does, or pads it by itself, name these places as well"
)
UNNAMED = (
    "there are {keys} keys for {queries} tokens. If {before} stand before the text, as a prefix (of prefix tuning) or "
    "a cache puts them there, name all: tokens=[...] of {keys}, query_tokens=[...] of {queries}"
)
# Where inputs say which places are padding, and whether what's true is padding.
MASKS = {
    "": (("attention_mask", False), ("src_key_padding_mask", True), ("key_padding_mask", True)),
    "decoder": (("decoder_attention_mask", False), ("tgt_key_padding_mask", True)),
}


@dataclass(frozen=True)
class Text:
    """What is known of the tokens that a model read: those that are looked at, those that ask, which are padding.

    Patches are a kind of text: their names stand among the tokens, beside the picture that they are of, if it's given.
    """

    tokens: list | None = None
    query_tokens: list | None = None
    mask: np.ndarray | None = None  # True for text
    decoder_mask: np.ndarray | None = None
    mask_is_given: bool = False  # by hand: then it has to fit
    padding: int = 0  # how many tokens at the end are padding by the tokenizer, unless a mask says
    of_inputs: bool = False  # whether tokens are those of the inputs, and none was named by hand
    picture: Picture | None = None  # by the places that the part has with its padding
    order: tuple | None = None  # the places row after row, where the model has its patches otherwise
    notes: tuple = ()
    refusal: str | None = None  # why there's no picture

    def sides(self, which):
        """The tokens that ask and those that are looked at, in a part of this role; one list where they're the same."""
        if which.startswith("decoder"):
            return self.query_tokens, self.query_tokens
        if which.startswith("encoder") or (self.query_tokens is None and which != "cross"):
            return self.tokens, self.tokens
        return self.query_tokens, self.tokens


def read_text(request):
    """What is known of the tokens, by what was given, by the inputs, or by what `generate` wrote.

    >>> from manyheads.reading.request import Request
    >>> read_text(Request([[1]], ["hot", "tea"], inputs={"attention_mask": np.array([[1, 0]])})).mask
    array([ True, False])
    """
    named = request.named
    tokens, query_tokens, tokenizer, batch = request.tokens, request.query_tokens, request.tokenizer, request.batch
    of_inputs = not isinstance(tokens, (list, tuple)) and query_tokens is None
    if request.attention_mask is None and hasattr(tokens, "input_ids"):
        named = {"attention_mask": tokens.get("attention_mask"), **named}
    asked, answer = ids_in(named), ids_in(named, decoder=True)
    if (generated := getattr(request.source, "sequences", None)) is not None:
        encoder = getattr(request.source, "encoder_attentions", None) is not None
        asked, answer = (asked, generated) if encoder else (generated, None)
    if tokenizer is not None:
        tokens = asked if asked is not None and (tokens is None or isinstance(tokens, str)) else tokens
        query_tokens = answer if query_tokens is None else query_tokens
    answers = None if generated is None else len(generated)
    masks = {which: mask_in(named, which, batch, answers) for which in MASKS}
    by_tokenizer = tokenizer is not None and asked is not None and tokens is asked and generated is None
    return Text(
        strings_of("tokens", tokens, tokenizer, batch),
        strings_of("query_tokens", query_tokens, tokenizer, batch),
        masks[""] if request.attention_mask is None else _mask_of_text(request.attention_mask, batch),
        masks["decoder"],
        request.attention_mask is not None,
        padding_of(row_of(array_of_ids(asked), batch), tokenizer) if by_tokenizer else 0,
        of_inputs and generated is None,
    )


def text_in_part(text, part, full):
    """What is known of the tokens of a part with so many queries and keys.

    >>> from manyheads.reading.parts import Part
    >>> text, names = Text(["hot", "tea"], of_inputs=True), ("image", "text", "cross")
    >>> image, of_text, cross = (Part([], name=name, among=names) for name in names)
    >>> [text_in_part(text, *one).tokens for one in ((image, (9, 9)), (of_text, (2, 2)), (cross, (2, 9)))]
    [None, ['hot', 'tea'], None]
    >>> text_in_part(text, cross, (2, 9)).query_tokens
    ['hot', 'tea']

    A text's tokens aren't those of its picture; and of several parts, one with other numbers reads something else.
    """
    which, roles = part.role, {find_role(name, part.among) for name in part.among}
    if which in ("image", "audio"):
        return Text()
    if which == "cross" and {"image", "audio"} & roles and text.query_tokens is None:
        text = replace(text, tokens=None, query_tokens=text.tokens, mask=None, decoder_mask=text.mask)
    pairs = zip(text.sides(which), full)
    fits = all(names is None or len(names) in (count, *full) for names, count in pairs)
    return text if fits or len(part.among) == 1 or not text.of_inputs else Text()


def mask_in(named, which="", batch=0, answers=None):  # -> [k], True for text, or None
    """Which places of the inputs aren't padding, of one text, or of that which one of so many `answers` is to.

    >>> mask_in({"src_key_padding_mask": np.array([[False, True]])})
    array([ True, False])
    """
    for name, of_padding in MASKS[which]:
        mask = named.get(name)
        if mask is None or getattr(mask, "ndim", 0) != 2:
            continue
        text = batch if answers is None else text_of_answer(batch, answers, len(mask))
        if text < len(mask):
            return _mask_of_text(mask, text) != of_padding
    return None


def _mask_of_text(mask, batch):
    mask = np.asarray(mask.detach().cpu() if hasattr(mask, "detach") else mask)
    mask = mask[check_text(batch, len(mask))] if mask.ndim == 2 else mask
    return np.isfinite(mask) & (mask > 0) if mask.dtype.kind == "f" else mask != 0


@dataclass(frozen=True)
class Between:
    """Weights, [l, h, q, k], the tokens that ask and those that are looked at, and notes."""

    weights: np.ndarray
    queries: list
    keys: list
    notes: tuple = ()
    asking: list | None = None  # which of the queries that the model has are left, None for all
    kept: list | None = None  # which of its keys

    def left(self, queries, keys):
        """Which of so many queries and keys of the model are left."""
        return (range(queries) if self.asking is None else self.asking), (
            range(keys) if self.kept is None else self.kept
        )


def place_tokens(weighed, text):  # Weighed -> Between
    """Weights between tokens of the text, without padding."""
    part, weights = weighed.part, weighed.array
    queries, keys = text.sides(part.role)
    if queries is keys and part.role != "cross":
        placed = place_own_tokens(weights, part, keys)
    else:
        queries, notes = name_places("query_tokens", queries, weights.shape[2], part.steps)
        keys, more = name_places("tokens", keys, weights.shape[3] - len(part.keys_after))
        placed = Between(weights, queries, [*keys, *part.keys_after], (*notes, *more))
    return leave_out_padding(placed, part, text)


def place_groups(weighed, text, sides):  # Weighed -> Between
    """Weights between groups of tokens, on both `sides`, None for a side that's as it was."""
    part, full, steps = weighed.part, weighed.full, weighed.part.steps
    queries, keys = text.sides(part.role)
    count, itself = full[1] - len(part.keys_after), queries is keys and part.role != "cross"
    if itself and part.cached is not None:  # before the tokens that ask
        used = part.keys_before(full[0], count) + full[0]
        keys, notes = name_last(keys, full[0], used, part.cached + full[0] - used)
        queries, notes_on_queries = keys[used - full[0] :], ()
        keys = [*keys, *["empty"] * (count - used)]
    else:
        keys, notes = name_places("tokens", keys, count, steps)
        own = itself and full[0] == count
        queries, notes_on_queries = (keys, ()) if own else name_places("query_tokens", queries, full[0], steps)
    named = []
    for groups, tokens in zip(sides, (queries, [*keys, *part.keys_after])):
        tokens = pretty(tokens)
        if groups is not None and groups.places is not None:
            notes = (*notes, *note_padding(len(tokens) - len(groups.places) - groups.others))
            tokens = [tokens[place] for place in groups.places]
        named.append(tokens if groups is None else groups.names(tokens))
    left = [range(count) if groups is None else groups.singles() for groups, count in zip(sides, full)]
    if text.order is not None:
        rows = {place: number for number, place in enumerate(text.order)}
        left = [[rows.get(place, -1) for place in places] for places in left]
    return Between(weighed.array, *named, tuple(dict.fromkeys((*notes_on_queries, *notes))), *left)


# --- A part that looks at itself ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Own:
    """A part that looks at itself: so many queries, which may be the last of its keys, and the tokens that were given.

    Keys that a layer adds aren't counted.
    """

    weights: np.ndarray
    part: object
    tokens: list | None
    queries: int
    keys: int

    def name(self, count, name="tokens"):
        """So many of the tokens, and notes: see `name_places`."""
        return name_places(name, self.tokens, count, self.part.steps)

    def asks_last(self):
        """Whether the tokens that ask are the last of those that are looked at."""
        written = self.part.steps or self.part.cached is not None
        return written or (self.part.decodes and self.queries == 1) or is_last_part(self.weights)

    def has_tokens(self, fewer_than):
        """Whether tokens were given, and fewer than so many."""
        return self.tokens is not None and len(self.tokens) < fewer_than


def place_own_tokens(weights, part, tokens):  # -> Between
    """Weights of a part that looks at itself between its tokens, by the first of `OWN` that fits."""
    own = Own(weights, part, tokens, weights.shape[2], weights.shape[3] - len(part.keys_after))
    return next(place for fits, place in OWN if fits(own))(own)


def _place_window(own):
    tokens, notes = own.name(own.queries, "query_tokens")
    return Between(own.weights, tokens, name_window(own.part.window, own.keys), (*notes, AROUND))


def _place_text_alone(own):
    count = len(own.tokens)
    note, left = PADS_ITSELF.format(count=own.queries - count), [*range(count)]
    return Between(own.weights[:, :, :count, :count], own.tokens, own.tokens, (note,), asking=left, kept=left)


def _place_all(own):
    tokens, notes = own.name(own.keys)
    return Between(own.weights, tokens, [*tokens, *own.part.keys_after], notes)


def _place_last(own):
    keys, gone = find_used(own.weights[..., : own.keys], own.part.cached)
    tokens, notes = name_last(own.tokens, own.queries, keys, gone, own.part.steps)
    notes += (SLIDES,) * (own.part.slides and own.part.cached is None)
    asking = tokens[keys - own.queries :]
    if keys == own.keys:
        return Between(own.weights, asking, tokens, notes)
    notes += (EMPTY.format(count=own.keys - keys),)
    return Between(own.weights[..., :keys], asking, tokens, notes, kept=[*range(keys)])


def _place_apart(own):
    asking, notes = [f"query {place}" for place in count_places(own.queries)], (note_counted("query_tokens"),)
    if own.has_tokens(own.keys):
        asking, notes = own.name(own.queries, "query_tokens")
    tokens, more = name_places("tokens", own.tokens, own.keys)
    if getattr(own.part.config, "attention_type", None) == "prob":
        notes = (PICKED.format(keys=own.keys, queries=own.queries),)
    return Between(own.weights, asking, tokens, (*notes, *more))


def _refuse(sentence):
    def refuse(own):
        counts = {"keys": own.keys, "queries": own.queries, "before": own.keys - own.queries}
        raise ValueError(sentence.format(**counts, given=len(own.tokens), tokens=own.tokens))

    return refuse


# Whether a part is such a case, and where its tokens then are.
OWN = (
    (lambda own: own.part.window is not None and own.keys > own.part.window, _place_window),
    (
        lambda own: own.queries == own.keys and own.tokens and pads_itself(own.weights, len(own.tokens)),
        _place_text_alone,
    ),
    (lambda own: own.queries == own.keys and own.has_tokens(own.keys), _refuse(TOO_FEW)),
    (lambda own: own.queries == own.keys, _place_all),
    (lambda own: own.asks_last(), _place_last),
    (lambda own: own.tokens is not None and len(own.tokens) == own.queries < own.keys, _refuse(UNNAMED)),
    (lambda own: True, _place_apart),
)


def name_last(tokens, queries, keys, gone=0, steps=False):
    """So many keys, of which the last ask, by the tokens that ask, by those of all keys, or by those `gone` as well.

    >>> name_last(["hot", "tea"], queries=2, keys=4, gone=3)[0]
    ['4', '5', 'hot', 'tea']
    >>> name_last(["a", "very", "hot", "tea"], queries=1, keys=2, gone=2)[0]
    ['hot', 'tea']
    """
    counted, before = count_places(gone + keys)[gone:], keys - queries
    notes = (GONE.format(count=gone),) * (gone > 0)
    if tokens is None:
        return counted, (note_counted("tokens"), *notes)
    if len(tokens) < queries + steps + 1:
        named, more = name_places("tokens", tokens, queries, steps)
        return counted[:before] + named, (*more, *(BEFORE.format(count=before),) * (before > 0), *notes)
    if len(tokens) == gone + keys:
        return tokens[gone:], notes
    named, more = name_places("tokens", tokens, keys, steps)
    return named, (*more, *notes)


def find_used(weights, cached=None):  # [l, h, q, k] -> how many keys are used, how many are gone before them
    """How many keys hold tokens, in a cache that may have empty places at its end, and how many tokens left it.

    >>> find_used(np.array([[[[0.5, 0.5, 0, 0]]]])), find_used(np.array([[[[0.5, 0.5, 0, 0]]]]), cached=1)
    ((2, 0), (2, 0))
    >>> find_used(np.array([[[[0.5, 0.5]]]]), cached=4)
    (2, 3)

    `cached` is how many tokens were read before, where that's known; else the queries look at themselves, and at
    nothing after them.
    """
    queries, keys = weights.shape[2:]
    if cached is None:
        looked_at = np.flatnonzero(weights.any((0, 1, 2)))
        return max(int(looked_at[-1]) + 1 if len(looked_at) else keys, queries), 0
    used = min(keys, cached + queries)
    return (keys, 0) if weights[..., used:].any() else (used, cached + queries - used)


# --- Padding, and names for places --------------------------------------------------------------------------------


def leave_out_padding(placed, part, text):  # Between -> Between
    """The same without the places that masks say are padding."""
    which = part.role
    weights, queries, keys, notes = placed.weights, placed.queries, placed.keys, placed.notes
    now_asking, now_kept = placed.left(len(queries), len(keys))
    mask = text.decoder_mask if which == "decoder" else text.mask
    if mask is None and text.padding and queries == keys == text.tokens:
        mask = mask_of_unseen(weights, text.padding)
    given = text.mask_is_given and which != "decoder"
    added = len(part.keys_after)
    kept = unpadded(mask, weights.shape[3], strict=given, steps=part.steps, added=added)
    before = weights.shape[3] - added - weights.shape[2]  # keys that ask nothing
    if which == "cross":
        asking = unpadded(text.decoder_mask, weights.shape[2])
    elif kept is None or before < 0:
        asking = None
    else:
        asking = [place - before for place in kept if before <= place < before + weights.shape[2]]
    if kept is not None and len(kept) < weights.shape[3]:
        notes = (*note_padding(weights.shape[3] - len(kept)), *notes)
        weights, keys = weights[..., kept], [keys[place] for place in kept]
        placed = replace(placed, kept=[now_kept[place] for place in kept])
    if asking is not None and len(asking) < weights.shape[2]:
        weights, queries = weights[:, :, asking], [queries[place] for place in asking]
        placed = replace(placed, asking=[now_asking[place] for place in asking])
    return replace(placed, weights=weights, queries=queries, keys=keys, notes=notes)


def note_padding(count):
    """The note on so much padding, if there's any.

    >>> note_padding(1), note_padding(0)
    (('1 padding token is left out.',), ())
    """
    return (f"{count} padding token{' is' if count == 1 else 's are'} left out.",) if count else ()


def mask_of_unseen(weights, padding):  # [l, h, q, k] -> [k], True for text, or None
    """The mask of a text that ends in so much padding, unless it looks at that.

    >>> mask_of_unseen(np.array([[[[1.0, 0], [0.5, 0.5]]]]), 1), mask_of_unseen(np.full((1, 1, 2, 2), 0.5), 1)
    (array([ True, False]), None)
    """
    text = weights.shape[3] - padding
    return None if weights[:, :, :text, text:].any() else np.arange(weights.shape[3]) < text


def name_window(window, count):
    """The names of keys that are counted from the token that asks, after those that all tokens look at.

    >>> name_window(2, 4)
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


def is_causal(weights):  # [l, h, q, k]
    """Whether each query looks at nothing that comes after it, by the weights of the first layer.

    >>> is_causal(np.array([[[[1.0, 0], [0.5, 0.5]]]])), is_causal(np.full((1, 1, 2, 2), 0.5))
    (True, False)
    """
    q, k = weights.shape[2:]
    return 1 < q == k and not np.triu(weights[0], 1).any()


def count_places(count):
    """Places that have no names, from 1.

    >>> count_places(2)
    ['1', '2']
    """
    return [str(place + 1) for place in range(count)]


def note_counted(name):
    """The note on places that are counted."""
    return f"{name} are not given: places are counted."


def name_places(name, tokens, count, spare=False):
    """As many tokens as there are places, counted where none were given, and a note where they were changed.

    >>> name_places("tokens", ["a", "b", "c"], 2, spare=True)
    (['a', 'b'], ("The last token, 'c', was not read any more: it looks at nothing yet.",))
    >>> name_places("tokens", None, 3)
    (['1', '2', '3'], ('tokens are not given: places are counted.',))

    With `spare`, there may be one more: the last that `generate` wrote.
    """
    if tokens is None:
        return count_places(count), (note_counted(name),)
    if spare and len(tokens) == count + 1:
        return list(tokens[:-1]), (f"The last token, {tokens[-1]!r}, was not read any more: it looks at nothing yet.",)
    if len(tokens) != count:
        raise ValueError(f"there are {count} places for {name}, got {len(tokens)}: {list(tokens)}")
    return list(tokens), ()


def unpadded(mask, count, strict=False, steps=False, added=0):
    """The places that aren't padding, by a mask; None for no mask, and for one that doesn't fit unless it has to.

    >>> unpadded(np.array([False, True, True]), 3), unpadded(np.array([False, True]), 4, steps=True)
    ([1, 2], [1, 2, 3])

    What came in `steps` after the mask was made is text, and so are keys that were `added`. Raises `ValueError` for a
    mask of another number of places.
    """
    if mask is None:
        return None
    places = count - added
    if steps and mask.ndim == 1 and len(mask) < places:
        mask = np.concatenate([mask, np.ones(places - len(mask), bool)])
    if mask.shape == (places,):
        return [*np.flatnonzero(mask).tolist(), *range(places, count)]
    if strict:
        raise ValueError(f"attention_mask must be [{count}] or [batch, {count}], 0 for padding, got {list(mask.shape)}")
    return None
