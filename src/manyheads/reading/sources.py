"""Where the sources that somebody names stand among the tokens of a text: documents in a prompt, say."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from weakref import ref

import numpy as np

from manyheads.maps.sources import Source, move_sources, places_of_kept
from manyheads.reading.request import GONE
from manyheads.reading.token_names import pretty
from manyheads.reading.tokenizing import are_texts
from manyheads.shared.tokens import is_special, readable

WRONG = (
    "sources must be {{name: (start, end) or a text}}, or a list of texts that stand in the prompt; got {got!r} "
    "for {name!r}"
)
NOWHERE = "the source {name!r} doesn't stand in the text: {text!r}"
TWICE = "the source {name!r} stands in the text {count} times, from characters {places} on: say which by (start, end)"
EMPTY = "the source {name!r}, {start} to {end}, holds none of the {count} {unit} of the text"
UNALIGNED = "{token!r} isn't found in the text, so where its sources stand isn't known: give a fast tokenizer"
NOT_READ = "no map looks at the text in which the sources stand, token by token: name its part by part="
SHORTER = "the text has {count} tokens, and the map {keys}: sources need both alike"


@dataclass(frozen=True)
class Reading:
    """A language model of ours, as `load_decoder` makes it, and the text that it reads; it isn't kept alive."""

    model: Any  # a weak reference
    text: str

    def get(self, what="it can't read"):
        """The model; `ValueError` where it's gone, which says `what` can't be done."""
        model = self.model()
        if model is None:
            raise ValueError(GONE.format(what=what))
        return model

    def starts(self):
        """Where the tokens of its text begin to say something, as of `Standing`."""
        offsets = self.get().tokenizer.encode(self.text, add_special_tokens=False).offsets
        return starts_of(self.text, offsets[-self.get().max_tokens :])


def is_language_model(source):
    """Whether it's one of ours, as `load_decoder` makes them."""
    return all(hasattr(source, name) for name in ("run", "read", "num_heads"))


def let_read(request):
    """The request with the map of a text in the place of a language model of ours that reads it; others as they are."""
    source, text = request.source, request.tokens
    if not is_language_model(source) or not isinstance(text, str):
        return request
    return replace(request, source=source(text), tokens=None, reading=Reading(ref(source), text))


@dataclass(frozen=True)
class Standing:
    """A text and the character at which each of its tokens begins to say something; None for those of no character."""

    text: str
    starts: tuple
    by_tokens: bool = False  # whether a span counts tokens: nobody gave a text

    def places(self, name, start, end):
        """The tokens of a span: those whose first character that isn't white space stands in it."""
        numbers = range(len(self.starts)) if self.by_tokens else self.starts
        places = [place for place, at in enumerate(numbers) if at is not None and start <= at < end]
        if not places:
            unit, count = ("tokens", len(self.starts)) if self.by_tokens else ("characters", len(self.text))
            raise ValueError(EMPTY.format(name=name, start=start, end=end, count=count, unit=unit))
        return places

    def find(self, name, wanted):
        """The tokens of a text that stands in this one once."""
        wanted = wanted.strip()
        found = [at for at in range(len(self.text)) if wanted and self.text.startswith(wanted, at)]
        if not found:
            raise ValueError(NOWHERE.format(name=name, text=wanted[:60]))
        if len(found) > 1:
            raise ValueError(TWICE.format(name=name, count=len(found), places=", ".join(map(str, found[:8]))))
        return replace(self, by_tokens=False).places(name, found[0], found[0] + len(wanted))


def find_sources(request, given, batch):  # -> {name: [place]}
    """The tokens of each source that a request names; `given` are its tokens as they were given, of texts the batch.

    >>> from manyheads.reading.request import Request
    >>> tokens = ["hot", " tea", " is", " cold"]
    >>> find_sources(Request([[1]], tokens, sources={"tea": "tea is", "end": (3, 4)}), tokens, 0)
    {'tea': [1, 2], 'end': [3]}

    Raises `TypeError` for sources of another form, `ValueError` for one that stands nowhere, or twice.
    """
    sources = request.sources
    if not isinstance(sources, Mapping):
        if not are_texts(sources) or isinstance(sources, str):
            raise TypeError(WRONG.format(got=sources, name="sources"))
        sources = {f"source {number}": text for number, text in enumerate(sources, start=1)}
    standing, found = stand(request, given, batch), {}
    for name, one in sources.items():
        if isinstance(one, str):
            found[str(name)] = standing.find(name, one)
            continue
        span = np.asarray(one)
        if span.shape != (2,) or span.dtype.kind not in "iu":
            raise TypeError(WRONG.format(got=one, name=name))
        found[str(name)] = standing.places(name, *span.tolist())
    return found


def stand(request, given, batch):  # -> Standing
    """Where the tokens of a request stand in its text, or in what they make together."""
    if request.reading is not None:
        return Standing(request.reading.text, request.reading.starts())
    text, encoded = None, request.tokens
    if request.inputs is not None and are_texts(given):
        text = given if isinstance(given, str) else given[batch]
    if text is not None and getattr(encoded, "is_fast", False):
        count = len(encoded.tokens(request.batch))
        return Standing(text, starts_of(text, [encoded.token_to_chars(request.batch, at) for at in range(count)]))
    shown = getattr(request.source, "attention", request.source)
    tokens = pretty(getattr(shown, "key_tokens", None) or request.text.tokens or ())
    return align(tokens, "".join(tokens) if text is None else text, by_tokens=text is None)


def starts_of(text, spans):
    """The first character of each span that isn't white space, else its first; None for a span of none.

    >>> starts_of("hot  tea", [None, (0, 3), (3, 8), (3, 5)])
    (None, 0, 5, 3)
    """
    starts = []
    for span in spans:
        start, end = span or (0, 0)
        inside = text[start:end]
        starts.append(None if start == end else start + (len(inside) - len(inside.lstrip()) if inside.strip() else 0))
    return tuple(starts)


def align(tokens, text, by_tokens=False):
    """Tokens, one after the other, where they stand in a text.

    >>> align(["[CLS]", "hot", "##ter", "tea"], "hotter tea").starts
    (None, 0, 3, 7)
    """
    starts, at = [], 0
    for token in tokens:
        piece = readable(token).strip()
        if by_tokens:  # the text is what they make together
            starts.append(at + len(token) - len(token.lstrip()) if piece else at)
            at += len(token)
            continue
        if is_special(token) or not piece:
            starts.append(None)
            continue
        found = text.find(piece, at)
        if found < 0:
            raise ValueError(UNALIGNED.format(token=token))
        starts.append(found)
        at = found + len(piece)
    return Standing(text, tuple(starts), by_tokens)


def place_sources(request, keys, kept=None, groups=None):
    """The sources among so many keys of a model, of which some are kept, or are looked at in groups; None for none."""
    if not request.found:
        return None
    if groups is None:
        places = places_of_kept(range(keys) if kept is None else kept, keys)
    else:
        places = np.full(keys, -1)
        places[list(range(groups.count) if groups.places is None else groups.places)] = groups.numbers()
    if max(map(max, request.found.values())) >= keys:
        return None
    return move_sources({name: Source(tuple(places)) for name, places in request.found.items()}, places)
