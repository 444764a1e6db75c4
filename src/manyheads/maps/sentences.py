"""Long texts sentence by sentence: a map of some thousand tokens is read when its places are sentences, one opened."""

import re
from dataclasses import dataclass

import numpy as np

from manyheads.maps.tokens import joined, readable

LONG = 2048  # from so many tokens on, a map is shown by sentences
LONGEST = 64  # tokens of a sentence; what goes on is divided
ENDS = re.compile("[.!?…。！？]['\"”’)\\]]*\\s*$|\n\\s*$")
BY_SENTENCES = (
    "{count} tokens are shown as {shown} places: sentences, of which the one that asked last is opened into its words. "
    "What looks at the words of a sentence is summed, what they look at is averaged."
)


@dataclass(frozen=True)
class Groups:
    """Tokens in groups: where each begins, and how many tokens there are."""

    starts: tuple
    count: int

    def sizes(self):
        """How many tokens are in each group."""
        return np.diff([*self.starts, self.count])

    def summed(self, weights):  # [..., q, k] -> [..., group, group]
        """Weights of groups: of keys the sums, of queries the means. NumPy or torch.

        >>> Groups((0, 1), 3).summed(np.array([[1, 0, 0], [0.5, 0.25, 0.25], [0, 0, 1]])).tolist()
        [[1.0, 0.0], [0.25, 0.75]]
        """
        sizes = self.sizes().astype(np.float32)
        if not hasattr(weights, "cumsum_"):
            keys = np.add.reduceat(weights, self.starts, axis=-1)
            return np.add.reduceat(keys, self.starts, axis=-2) / sizes[:, None]
        ends = weights.new_tensor([*self.starts[1:], self.count], dtype=int) - 1
        up_to = weights.cumsum(-1)[..., ends]  # a row sums to 1, so that differences are exact enough
        keys = up_to.diff(dim=-1, prepend=up_to.new_zeros(1).expand(*up_to.shape[:-1], 1))
        means = np.repeat(np.diag(1 / sizes), self.sizes(), axis=1)  # [group, query]
        return weights.new_tensor(means) @ keys.clamp(min=0)

    def names(self, tokens):
        """The text of each group.

        >>> Groups((0, 2), 3).names([" Hot", " tea.", " Cold"])
        ['Hot tea.', 'Cold']
        """
        ends = [*self.starts[1:], self.count]
        return [text_of(tokens[start:end]) for start, end in zip(self.starts, ends)]

    def opened(self, place):
        """The groups, of which one is each token by itself; the tokens of one that is opened again.

        >>> Groups((0, 2, 5), 6).opened(1).starts
        (0, 2, 3, 4, 5)
        """
        end = [*self.starts[1:], self.count][place]
        return Groups((*self.starts[:place], *range(self.starts[place], end), *self.starts[place + 1 :]), self.count)


def sentences_of(tokens):
    """Tokens in sentences, each of `LONGEST` at most.

    >>> sentences_of(["Hot", "tea", ".", "Cold", "tea", "!"]).starts
    (0, 3)
    """
    starts = [0]
    for place, token in enumerate(tokens[:-1], start=1):
        if ENDS.search(token) or place - starts[-1] == LONGEST:
            starts.append(place)
    return Groups(tuple(starts), len(tokens))


def text_of(tokens):
    """Tokens as people read them: with spaces between, unless they carry their own.

    >>> text_of(["hot", "tea", "##cup", "."]), text_of(["1", "2", "3"])
    ('hot teacup.', '1 2 3')
    """
    if any(token[:1].isspace() for token in tokens):
        return joined(tokens).strip()
    text = "".join(token if token.startswith("##") else f" {token}" for token in tokens).replace("##", "")
    return re.sub(r"\s+([.,;:!?…)\]])", r"\1", text).strip() or readable(tokens[0])
