"""An axis for each ambiguous word and layer, which leads from one of its senses to the other.

Of the vectors that a layer gives the word in sentences whose sense is clear, take the mean of each sense. The axis
leads from one mean to the other, and the middle between them is zero: without that, "bank" would lean to money in every
sentence. A direction counts for less where the vectors of one sense differ anyway (Fisher 1936: the linear
discriminant); that spread is pooled over all words, and shrunk, since there are more directions than sentences. How
fast the shares go from 0 to 1 along the axis is a logistic curve's, fitted where the axis was not: on each fifth of the
sentences with axes from the other four.
"""

from dataclasses import dataclass

import numpy as np

from manyheads.models.senses.data import senses_of

SHRINKAGE = 0.3  # of 0.03, 0.1, 0.3, 0.5 and 1 the best in cross-validation on the building sentences
FOLDS = 5
SLOPES = np.geomspace(0.001, 1, 200)


@dataclass(frozen=True)
class SenseAxes:
    """Where a vector stands between the senses of a word.

    `directions` is float32 [word, layer, width], `offsets` float32 [word, layer]; their first layer is the embeddings.
    `accuracy` [layer] is that of cross-validation. `senses` has the two senses of each word.
    """

    senses: dict[str, tuple[str, str]]
    directions: np.ndarray
    offsets: np.ndarray
    accuracy: np.ndarray

    @property
    def layer(self):
        """The layer that is right most often in cross-validation; the last of those that are."""
        return int(np.flatnonzero(self.accuracy == self.accuracy.max())[-1])

    def scores(self, vectors, word):
        """How far the vectors of a word are on the side of the second sense: [..., layer, width] -> [..., layer].

        0 is the middle; `share` makes a share of a score.
        """
        at = list(self.senses).index(word)
        return (vectors * self.directions[at]).sum(-1) + self.offsets[at]


def share(score):
    """The share of the second sense, from 0 to 1, of a score.

    >>> share(np.array([0.0, 3.0])).round(3)
    array([0.5  , 0.953])
    """
    return 1 / (1 + np.exp(-score))


def fit_axes(vectors, sentences):  # [sentence, layer, width] -> SenseAxes
    """The axes of all words of some labelled sentences; `vectors` are those of the ambiguous words in them.

    >>> from manyheads.models.senses.data import SenseSentence
    >>> sentences = [SenseSentence("", "bank", sense) for sense in ("money", "river") for _ in range(8)]
    >>> noise = np.random.default_rng(0).normal(size=(16, 1, 2))
    >>> vectors = noise + np.array([[[9, 0]]] * 8 + [[[9, 6]]] * 8)  # all lean to one side
    >>> axes = fit_axes(vectors, sentences)
    >>> float(axes.accuracy[0]), (share(axes.scores(vectors, "bank"))[:, 0] > 0.5).tolist() == [False] * 8 + [True] * 8
    (1.0, True)

    Raises `ValueError` as `senses_of`.
    """
    senses = senses_of(sentences)
    kinds = [(word, sense) for word, both in senses.items() for sense in both]
    of_sentence = np.array([kinds.index((sentence.word, sentence.sense)) for sentence in sentences])
    fold = np.zeros(len(sentences), int)
    for sense in range(len(kinds)):
        own = np.flatnonzero(of_sentence == sense)
        fold[own] = np.arange(len(own)) % FOLDS
    layers = [_fit_layer(vectors[:, layer].astype(float), of_sentence, fold) for layer in range(vectors.shape[1])]
    directions, offsets, accuracy = zip(*layers)
    return SenseAxes(
        senses, np.stack(directions, 1).astype(np.float32), np.stack(offsets, 1).astype(np.float32), np.array(accuracy)
    )


def _fit_layer(vectors, sense, fold):  # [sentence, width], [sentence], [sentence] -> [word, width], [word], accuracy
    right = np.empty(len(vectors))  # how far each is on the right side of an axis that does not know it
    for left_out in range(FOLDS):
        known, tested = fold != left_out, fold == left_out
        directions, offsets = _discriminants(vectors[known], sense[known])
        word, second = np.divmod(sense[tested], 2)
        scores = (vectors[tested] * directions[word]).sum(-1) + offsets[word]
        right[tested] = np.where(second, scores, -scores)
    surprise = np.logaddexp(0, -SLOPES[:, None] * right).mean(1)
    slope = SLOPES[surprise.argmin()]
    directions, offsets = _discriminants(vectors, sense)
    return slope * directions, slope * offsets, (right > 0).mean()


def _discriminants(vectors, sense):  # [sentence, width], [sentence] -> [word, width], [word]
    means = np.stack([vectors[sense == which].mean(0) for which in range(sense.max() + 1)])
    rest = vectors - means[sense]
    spread = rest.T @ rest / len(rest)  # [width, width]
    width = len(spread)
    spread = (1 - SHRINKAGE) * spread + SHRINKAGE * np.trace(spread) / width * np.eye(width)
    first, second = means[::2], means[1::2]
    directions = np.linalg.solve(spread, (second - first).T).T
    return directions, -(directions * (first + second) / 2).sum(-1)
