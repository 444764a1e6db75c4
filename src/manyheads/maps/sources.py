"""Named sources of a map: the documents of a prompt, say, with how much of a token's attention each of them gets."""

import csv
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from manyheads.drawing.element import table_html
from manyheads.drawing.endings import check_path
from manyheads.shared.names import NOTES
from manyheads.shared.numbers import fixed, percent
from manyheads.whole_files import write_texts

COLUMNS = ("layer", "head", "source", "tokens", "looked_at", "per_token")
MATTERED = ("answer", "with", "without")
UNKNOWN = "there is no source {name!r}: they are {names}"
NO_SOURCES = "this map has no sources: HeadMap.of(model, text, sources=...) names some"


@dataclass(frozen=True)
class Source:
    """The keys of a map that are a source, and how many tokens each stands for: one, unless words or sentences do."""

    places: tuple[int, ...]
    sizes: tuple[int, ...] = ()

    def __post_init__(self):
        object.__setattr__(self, "places", tuple(map(int, self.places)))
        object.__setattr__(self, "sizes", tuple(map(int, self.sizes)) or (1,) * len(self.places))

    @property
    def tokens(self) -> int:
        """How many tokens it has."""
        return sum(self.sizes)


@dataclass(frozen=True)
class SourceTable:
    """How much of a token's attention each source gets, and perhaps what it's for; `by_source` of a map makes one.

    >>> shares, titles = np.float32([[[0.5, 0.25], [0.125, 0.75]]]), (("head 1", "head 2"),)
    >>> table = SourceTable(("tea", "milk"), (2, 4), shares, titles)
    >>> table.average.tolist(), table.top("milk", 1)
    ([0.3125, 0.5], {'head 2': 0.75})

    `looked_at` [layer, head, source] is the share of the token's attention that all tokens of a source get together,
    which grows with its length; `per_token` is that over the number of its `tokens`. `titles` [layer][head] are the
    names of the heads. What a source is looked at isn't what it's for. Where that was measured, `answer` is the text
    whose probability `mattered` tells: `probability` as the text stands, and `without` each of the sources, masked for
    all tokens. The others stay where they are, and keep their positions.
    """

    names: tuple[str, ...]
    tokens: tuple[int, ...]
    looked_at: NDArray[np.float32] = field(repr=False)
    titles: tuple[tuple[str, ...], ...] = field(repr=False)
    query: str = ""
    answer: str | None = None
    probability: float | None = None
    without: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def average(self) -> NDArray[np.float32]:  # [source]
        """The mean over all heads of all layers."""
        return self.looked_at.mean((0, 1))

    @property
    def per_token(self) -> NDArray[np.float32]:  # [layer, head, source]
        """The attention that each token of a source gets, on average."""
        return self.looked_at / np.array(self.tokens, np.float32)

    def top(self, name: str, count: int = 5) -> dict[str, float]:
        """The heads that look most at a source, by their titles, the first most.

        Raises `ValueError` for a source that isn't there.
        """
        if name not in self.names:
            raise ValueError(UNKNOWN.format(name=name, names=", ".join(self.names)))
        shares = self.looked_at[..., self.names.index(name)]
        order = np.argsort(-shares, axis=None, kind="stable")[:count]
        places = [np.unravel_index(place, shares.shape) for place in order]
        return {self.titles[layer][head]: float(shares[layer, head]) for layer, head in places}

    @overload
    def to_csv(self, path: None = None) -> str: ...
    @overload
    def to_csv(self, path: str | os.PathLike[str]) -> Path: ...
    def to_csv(self, path=None):
        """Write a row for each layer, head and source; where it was measured, what mattered stands in each.

        >>> print(SourceTable(("tea",), (2,), np.float32([[[0.5]]]), (("head 1",),)).to_csv())
        layer,head,source,tokens,looked_at,per_token
        0,0,tea,2,0.5,0.25
        <BLANKLINE>

        Returns the text; with a `path`, which ends in .csv, writes it there and returns the `Path`.
        """
        measured = self.answer is not None
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*COLUMNS, *(MATTERED if measured else ())])
        for layer, head, number in np.ndindex(self.looked_at.shape):
            row = [layer, head, self.names[number], self.tokens[number], self.looked_at[layer, head, number]]
            more = [self.answer, self.probability, self.without[number]] if measured else []
            writer.writerow([*row, self.per_token[layer, head, number], *more])
        return text.getvalue() if path is None else write_texts(check_path(path, ".csv"), [text.getvalue()])

    def _repr_html_(self):
        average, rows = self.average, []
        answer = None if self.answer is None else self.answer.strip()
        for number, (name, tokens) in enumerate(zip(self.names, self.tokens)):
            head, share = next(iter(self.top(name, 1).items()))
            mattered = [percent(self.without[number])] if self.without else []
            each = f"{fixed(100 * average[number] / tokens, 2)}\xa0%"
            rows.append((name, percent(average[number]), *mattered, f"{percent(share)} · {head}", each, str(tokens)))
        without = [f"{answer!r} without it"] if self.without else []
        columns = ["looked at", *without, "looked at most, by", "per token", "tokens"]
        caption = f"How much of its attention {self.query!r} gives to each source, on average over all heads."
        if self.without:
            caption += f" With all sources, the probability of {answer!r} is {percent(self.probability)}."
        html = table_html(" ".join([caption, *self.notes]), rows, columns)
        return html.replace(
            "<table>", '<table class="dataframe">', 1
        )  # by which pages and notebooks know one of numbers


def check_sources(sources, keys):
    """The sources of a map of so many keys, each a `Source`; None where there are none.

    >>> check_sources({"tea": [1, 2]}, keys=3)
    {'tea': Source(places=(1, 2), sizes=(1, 1))}

    Raises `ValueError` for one without a token, or with one that isn't there.
    """
    if not sources:
        return None
    found = {str(name): one if isinstance(one, Source) else Source(tuple(one)) for name, one in sources.items()}
    for name, one in found.items():
        if not one.places or not 0 <= min(one.places) <= max(one.places) < keys:
            raise ValueError(f"the source {name!r} must be keys from 0 to {keys - 1}, got {list(one.places)}")
    return found


def move_sources(sources: Mapping[str, Source] | None, places):
    """The sources of a map whose keys stand at other places now: `places` [key], -1 for those that are gone.

    >>> move_sources({"tea": Source((0, 1, 2))}, [-1, 0, 0])
    {'tea': Source(places=(0,), sizes=(2,))}
    """
    moved = {}
    for name, one in (sources or {}).items():
        sizes = {}
        for place, size in zip(one.places, one.sizes):
            if (new := int(places[place])) >= 0:
                sizes[new] = sizes.get(new, 0) + size
        if sizes:
            moved[name] = Source(tuple(sizes), tuple(sizes.values()))
    return moved or None


def places_of_kept(kept, count):
    """Where each of so many keys stands among those that are kept, -1 for the others.

    >>> places_of_kept([1, 2], 4).tolist()
    [-1, 0, 1, -1]
    """
    places = np.full(count, -1)
    places[list(kept)] = np.arange(len(kept))
    return places


def table_of(attention, query=None):  # AttentionMap -> SourceTable
    """See `AttentionMap.by_source`."""
    if attention.sources is None:
        raise ValueError(NO_SOURCES)
    count = attention.shape[2]
    asking = attention.for_query(count - 1 if query is None else query)
    rows = asking.weights[:, :, 0]  # [layer, head, key]
    sources = attention.sources.values()
    layers, heads = attention.shape[:2]
    reads = attention.query_tokens == attention.key_tokens  # a text itself, and doesn't look at another
    return SourceTable(
        tuple(attention.sources),
        tuple(one.tokens for one in sources),
        np.stack([rows[..., list(one.places)].sum(-1) for one in sources], -1).astype(np.float32),
        tuple(tuple(attention.head_title(layer, head) for head in range(heads)) for layer in range(layers)),
        query=asking.query_tokens[0].strip(),
        notes=tuple(
            NOTES["begins"].format(name=name) for name, one in attention.sources.items() if reads and 0 in one.places
        ),
    )
