"""Large maps by groups of tokens: sentences, or rows of patches, of which a click opens one.

A map has a number for each layer, head, query and key. Of more than `MAX_WEIGHTS`, groups are what is computed and
held; and from `LONG` tokens on they are what is shown, since nobody reads a map of some thousand words.
"""

import math
import re
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from manyheads.maps.choosing import between
from manyheads.shared.tokens import joined, readable

MAX_WEIGHTS = 2**26  # of a map that is held whole: a quarter of a gigabyte
LONG = 2048  # from so many tokens on, a map is shown by sentences
LONGEST = 64  # tokens of a sentence; what goes on is divided
FEW = 2 * LONGEST  # tokens that make no groups
PIECE = 128  # tokens that are summed by one product: more of them multiply more zeros
ENDS = re.compile("[.!?…。！？]['\"”’)\\]]*\\s*$|\n\\s*$")
PATCH = re.compile(r"\s*(?:[a-z]+(?: [\d,]+)?, )*patch (\d+),(\d+)$")  # of a picture, as `PatchGrid` names them
SECONDS = re.compile(r"\d+\.\d+ s")  # as `name_seconds` names places
BEFORE_PATCHES = re.compile(r"\[CLS\]|\[DISTILL\]|(register|prefix) \d+")
BY_SENTENCES = (
    "{count} tokens are shown as {shown} places: sentences, of which the one that asked last is opened into its words. "
    "What looks at the words of a sentence is summed, what they look at is averaged."
)
BY_ROWS = (
    "{count} tokens ask as {shown} places: sentences and rows of patches, of which the one that asked last is opened. "
    "What looks at the words of a sentence is summed, what asks together is averaged."
)
PASSAGE_TOO_LARGE = (
    "the tokens that first and last choose make {count:,} weights, more than max_weights={most:,}: choose fewer, or "
    "one layer, as in layers=[0], or allow more by max_weights="
)
TOO_LARGE = (
    "this map has more than {most:,} weights, and no text whose tokens could be shown by sentences: layers=[0] makes "
    "a map of one layer, max_weights= allows more"
)


class TooMany(Exception):
    """A map has more weights than it may hold: `shapes` are [(how many heads, queries, keys), ...] of all layers."""

    def __init__(self, shapes):
        super().__init__(shapes)
        self.shapes = shapes


@dataclass(frozen=True)
class Groups:
    """Tokens in groups: where each begins, and how many tokens there are; `places` are theirs among all, for None all.

    Of all that are in no group, `others` are text, and the rest is padding.

    >>> Groups((0, 2), 3).names([" Hot", " tea.", " Cold"])
    ['Hot tea.', 'Cold']
    """

    starts: tuple
    count: int
    places: tuple | None = None
    others: int = 0

    def __len__(self):
        return len(self.starts)

    def sizes(self):
        """How many tokens are in each group."""
        return np.diff([*self.starts, self.count])

    def numbers(self):
        """The number of each token's group.

        >>> Groups((0, 2), 3).numbers().tolist()
        [0, 0, 1]
        """
        return np.repeat(np.arange(len(self)), self.sizes())

    def parted(self, bounds):
        """The groups, of which none goes across one of these bounds."""
        return replace(self, starts=tuple(sorted({*self.starts, *(at for at in bounds if 0 < at < self.count)})))

    def names(self, tokens):
        """The text of each group."""
        ends = [*self.starts[1:], self.count]
        return [text_of(tokens[start:end]) for start, end in zip(self.starts, ends)]

    def opened(self, start):
        """The groups, of which the one that begins with this token is each token by itself; for None as they are.

        >>> Groups((0, 2, 5), 6).opened(2).starts
        (0, 2, 3, 4, 5)
        """
        if start not in self.starts:
            return self
        end = next((other for other in self.starts if other > start), self.count)
        return self.alone(range(start, end))

    def alone(self, tokens):
        """The groups, of which some tokens in a row are each by itself."""
        more = (*tokens, *(end for end in [tokens.stop] if end < self.count))
        return replace(self, starts=tuple(sorted({*self.starts, *more})))

    def singles(self):
        """The place of each group that is one token, among all that a model reads; -1 for the others.

        >>> Groups((0, 1, 3), 4, places=(5, 6, 7, 8)).singles()
        [5, -1, 8]
        """
        places = range(self.count) if self.places is None else self.places
        return [places[start] if size == 1 else -1 for start, size in zip(self.starts, self.sizes())]

    def pieces(self, step):  # -> (groups, places, [group, token])
        """Some tokens after the other: of which groups they are, their places among all, and which is of which group.

        >>> [(groups, members.tolist()) for groups, places, members in Groups((0, 1), 3).pieces(2)]
        [(slice(0, 2, None), [[1.0, 0.0], [0.0, 1.0]]), (slice(1, 2, None), [[1.0]])]

        A group of more than `step` tokens is in several pieces.
        """
        number = self.numbers()
        for start in range(0, self.count, step):
            of = number[start : start + step]
            groups = slice(int(of[0]), int(of[-1]) + 1)
            members = (of == np.arange(groups.start, groups.stop)[:, None]).astype(np.float32)
            yield groups, self._places_of(start, start + len(of)), members

    def _places_of(self, start, end):
        """The places of some tokens in a row: a slice where these stand in a row as well."""
        if self.places is None:
            return slice(start, end)
        places = np.array(self.places[start:end])
        in_a_row = np.array_equal(places, np.arange(places[0], places[0] + len(places)))
        return slice(int(places[0]), int(places[-1]) + 1) if in_a_row else places

    def sums(self, weights):  # [..., k] -> [..., group]
        """The sums of weights over groups of keys.

        >>> Groups((0, 1), 3, places=(1, 2, 3)).sums(np.array([9.0, 1, 2, 4])).tolist()
        [1.0, 6.0]
        """
        sums = zeros_beside(weights, (*weights.shape[:-1], len(self)))
        for groups, places, members in self.pieces(PIECE):
            sums[..., groups] += as_float32(weights[..., places]) @ beside(weights, members.T)
        return sums

    def means(self, weights):  # [..., q, k] -> [..., group, k]
        """The means of weights over groups of queries.

        >>> Groups((0, 1), 3).means(np.array([[9.0], [1], [2]])).tolist()
        [[9.0], [1.5]]
        """
        means = zeros_beside(weights, (*weights.shape[:-2], len(self), weights.shape[-1]))
        for groups, places, members in self.pieces(PIECE):
            shares = beside(weights, members / self.sizes()[groups, None])
            means[..., groups, :] += shares @ as_float32(weights[..., places, :])
        return means


@dataclass(frozen=True)
class Grouping:
    """How the tokens of an axis are grouped where they ask, and where they are looked at; one group may be open.

    >>> sentences = Groups((0, 1), 3)
    >>> weights = np.array([[1, 0, 0], [0.5, 0.25, 0.25], [0, 0, 1]])
    >>> Holding(groups={3: Grouping(sentences, sentences)}).summed(weights).tolist()
    [[1.0, 0.0], [0.25, 0.75]]
    """

    queries: Groups
    keys: Groups
    open: int | None = None  # the token with which the open group begins

    def asking(self):
        """The groups that ask."""
        return self.queries.opened(self.open)

    def looked_at(self):
        """The groups that are looked at."""
        return self.keys.opened(self.open)


def as_float32(weights):
    return weights.float() if hasattr(weights, "float") else weights


def beside(like, array):
    """An array of numbers as a tensor of float32 where this one is, or as it is beside an array."""
    return like.new_zeros(1).float().new_tensor(array) if hasattr(like, "new_tensor") else np.float32(array)


def zeros_beside(like, shape):
    """Zeros of float32, as a tensor where this one is, or as an array beside an array."""
    return like.new_zeros(1).float().new_zeros(shape) if hasattr(like, "new_zeros") else np.zeros(shape, np.float32)


def keep_quiet(count):
    """Tells nobody how far a computation is."""


@dataclass(frozen=True)
class Holding:
    """What is held of the weights that a model computes: of which layers, how many at most, by which groups.

    `layers` are the numbers of layers, from 0, None for all; `most` is None for no limit. `groups` holds a `Grouping`
    by the length of the axis that it's for. With a `passage`, the first and the last of some tokens, these alone ask
    where a text looks at itself. `advance` is called with how many weights have been computed since.
    """

    layers: tuple | None = None
    most: int | None = None
    groups: dict = field(default_factory=dict)
    passage: tuple | None = None
    advance: Any = keep_quiet

    def of_layers(self, chosen):
        """The same of these layers alone; of all for None."""
        return replace(self, layers=None if chosen is None else tuple(np.ravel(chosen).tolist()))

    def wants(self, name):
        """Whether layers of a module of this name are held: one that has a number, and none that is wanted, isn't.

        >>> Holding(layers=(3,)).wants("layer.3.attention"), Holding(layers=(3,)).wants("layer.13.attention")
        (True, False)
        """
        numbers = {int(number) for number in re.findall(r"\d+", name)}
        return self.layers is None or not numbers or bool(numbers & set(self.layers))

    def sides(self, queries, keys):
        """The groups of queries and of keys for weights of so many, None where an axis stays as it is."""
        asks_itself = self.passage is None or queries == keys
        asking, looked_at = self.groups.get(queries) if asks_itself else None, self.groups.get(keys)
        return asking and asking.asking(), looked_at and looked_at.looked_at()

    def summed(self, weights):  # [..., q, k]
        """Weights by groups, where their axes have some."""
        queries, keys = self.sides(*weights.shape[-2:])
        weights = weights if queries is None else queries.means(weights)  # fewer rows to sum
        return weights if keys is None else keys.sums(weights)

    def allows(self, shapes):
        """Whether so many weights may be held, of shapes as `TooMany` has them."""
        return self.most is None or self.count(shapes) <= self.most

    def count(self, shapes):
        """How many weights are held of these shapes."""
        return sum(heads * math.prod(self.shape(queries, keys)) for heads, queries, keys in shapes)

    def shape(self, queries, keys):
        """How many queries and keys are held of so many."""
        return [full if side is None else len(side) for side, full in zip(self.sides(queries, keys), (queries, keys))]


def grouping_of(tokens, places=None, most=None):
    """Tokens by sentences, and so `most` groups; patches of a picture by rows where they ask, each where looked at.

    >>> grouping = grouping_of(["patch 1,1", "patch 1,2", "tea", "is", "hot", "."])
    >>> grouping.asking().starts, grouping.looked_at().starts
    ((0, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5))

    >>> grouping_of(["[CLS]", "register 1", "patch 1,1", "patch 1,2"]).asking().starts
    (0, 1, 2)

    Of a text with a picture the last sentence is open: what is written looks at the picture. `places` are those of the
    tokens among all that a model reads, without padding.
    """
    groups = replace(sentences_of(tokens, most), places=places)
    patches = [place for place, token in enumerate(tokens) if PATCH.match(token)]
    if not patches:
        return Grouping(groups, groups)
    first = patches[0]
    while first > 0 and BEFORE_PATCHES.fullmatch(tokens[first - 1]):
        first -= 1
    groups = groups.alone(range(first, patches[0]))
    written = groups.starts[-1] if patches[-1] < groups.starts[-1] else None
    return Grouping(groups, groups.alone(range(first, patches[-1] + 1)), written)


def passage_of(count, places, first, last):
    """Of so many tokens, each of `first` to `last` by itself, which alone ask; those before and after are two groups.

    >>> passage = passage_of(9, None, first=4, last=5)
    >>> passage.asking().places, passage.looked_at().starts
    ((4, 5), (0, 4, 5, 6))
    """
    start, end = between(first, last, count)
    length, asking = end - start, range(start, end) if places is None else places[start:end]
    before, after = (0,) * (start > 0), (end,) * (end < count)
    looked_at = Groups((*before, *range(start, end), *after), count, places)
    return Grouping(Groups(tuple(range(length)), length, tuple(asking), count - length), looked_at)


def sentences_of(tokens, most=None):
    """Tokens in sentences, each of `LONGEST` at most, and patches of a picture in rows; of many, so `most` groups.

    >>> sentences_of(["Hot", "tea", ".", "Cold", "tea", "!"]).starts
    (0, 3)
    >>> sentences_of(["[CLS]", "patch 1,1", "patch 1,2", "patch 2,1", "patch 2,2", "tea"]).starts
    (0, 1, 3, 5)
    """
    starts = [0]
    for place, (before, token) in enumerate(pairwise(tokens), start=1):
        rows = [found and found[1] for found in (PATCH.match(before), PATCH.match(token))]
        ends = rows[0] != rows[1] if any(rows) else ENDS.search(before) or place - starts[-1] == LONGEST
        if ends:
            starts.append(place)
    step = 1 if most is None else math.ceil(len(starts) / most)
    return Groups(tuple(starts[::step]), len(tokens))


def text_of(tokens):
    """Tokens as people read them: with spaces between, unless they carry their own; patches by their rows.

    >>> text_of(["hot", "tea", "##cup", "."]), text_of(["1", "2", "3"])
    ('hot teacup.', '1 2 3')
    >>> text_of(["[CLS]", "patch 1,1", "patch 1,2", "patch 2,1", "patch 2,2"])
    '[CLS] patches of rows 1 to 2'
    """
    runs = [(of, [*run]) for of, run in groupby(tokens, lambda token: PATCH.match(token) and token.split("patch")[0])]
    if len(tokens) > 1 and any(of is not None for of, _ in runs):
        return " ".join(text_of(run) if of is None else of.lstrip() + rows_of(run) for of, run in runs)
    if len(tokens) > 1 and all(SECONDS.fullmatch(token) for token in tokens):
        return f"{tokens[0]} to {tokens[-1]}"
    if any(token[:1].isspace() for token in tokens):
        return joined(tokens).strip()
    text = "".join(token if token.startswith("##") else f" {token}" for token in tokens).replace("##", "")
    return re.sub(r"\s+([.,;:!?…)\]])", r"\1", text).strip() or readable(tokens[0])


def rows_of(patches):
    """Patches by their rows."""
    first, last = (PATCH.match(patch)[1] for patch in (patches[0], patches[-1]))
    return f"patches of row {first}" if first == last else f"patches of rows {first} to {last}"
