"""Words as points: where each layer of the encoder puts the words of a sentence, among landmarks.

A landmark's vectors are those of the word alone in a text. Vectors are taken from the landmarks' mean at their layer
and divided by the landmarks' spread there, so that all layers have one scale. Two directions, the same for all layers,
make the plane:

- The horizontal axis is the way from *bank* in sentences about money to *bank* in sentences about rivers: those that
  the senses are built from, the mean of its directions after each layer. Landmarks have no part in it.
- The vertical axis is the direction in which the landmarks differ most, apart from the first.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from manyheads.models.encoder import load_encoder
from manyheads.models.senses.data import building_sentences, word_forms
from manyheads.models.senses.head_model import word_vectors

FILE = Path(__file__).parent / "data" / "landmarks.txt"
WORD, SENSES = "bank", ("money", "river")  # from the left to the right
DIGITS = 5  # of the directions, as pages have them


@dataclass(frozen=True)
class WordPlane:
    """Landmarks, and the plane that they are drawn on; `load_plane` makes it.

    `words` are the landmarks, `vectors` [landmark, layer + 1, width] theirs from their mean, `centre` [layer + 1,
    width], in units of their spread [layer + 1]. `directions` [2, width] make the plane.

    >>> plane = load_plane()
    >>> (word,) = [word for word in plane.read("We sat on the bank of the river.") if word.text == "bank"]
    >>> word.places.shape, plane.words[word.near[6, 0]]  # across and upwards after each layer, the embeddings first
    ((7, 2), 'river')
    """

    encoder: object
    words: list[str]
    centre: np.ndarray
    spread: np.ndarray
    vectors: np.ndarray
    directions: np.ndarray

    def read(self, sentence, nearest=4, head_mask=None, masked=()):
        """The words of a sentence as points, without punctuation.

        `head_mask` [layer, h] is False for a head that is off; no word looks at those that are `masked`, in any layer.
        """
        ((tokens, states),) = self.encoder.states([sentence], head_mask)
        words = {places: _text_of(tokens, places) for places in map(tuple, words_at(tokens))}
        if not words:
            return []
        if unseen := [place for places, text in words.items() if text in masked for place in places]:
            _, _, states = self.encoder.reading(sentence, head_mask, unseen)
            states = states.numpy()
        vectors = self.seen(np.stack([states[:, list(places)].mean(1) for places in words]))
        return self._points(list(words.values()), vectors, nearest)

    def landmarks(self, nearest=4):
        """The landmarks as points; none is near itself."""
        return self._points(self.words, self.vectors, nearest, own=False)

    def seen(self, states):  # [..., layer + 1, width]
        """Vectors from the landmarks' mean, in units of their spread."""
        return (states.astype(np.float64) - self.centre) / self.spread[:, None]

    def share(self):
        """How much of the landmarks' spread the plane shows, across and upwards; of 1."""
        return (self.vectors @ self.directions.T).var(0).sum(0) / self.vectors.var(0).sum()

    def _points(self, names, vectors, nearest, own=True):
        places = vectors @ self.directions.T  # [word, layer + 1, 2]
        alike = np.einsum("wld,mld->wlm", _long_one(vectors), _long_one(self.vectors))
        if not own:
            alike[np.arange(len(names)), :, np.arange(len(names))] = -2
        near = np.argsort(-alike, axis=-1, kind="stable")[..., :nearest]
        return [WordPoint(*each) for each in zip(names, places, near, vectors)]


@dataclass(frozen=True)
class WordPoint:
    """A word: its `places` [layer + 1, 2] on the plane, its nearest landmarks, `near` [layer + 1, count], its vectors.

    Near is whoever's vector has the smallest angle to its own, in all dimensions. `vectors` [layer + 1, width] are
    taken from the landmarks' mean, in units of their spread.
    """

    text: str
    places: np.ndarray
    near: np.ndarray
    vectors: np.ndarray


def lost(whole, left):
    """How much of each step of a word goes where something is taken away: [layer]; below 0, it grows.

    `whole` is its way, [layer + 1, d], `left` what is left of it. What counts is how far each step leads in its old
    direction.

    >>> lost(np.array([[0, 0], [2, 0], [2, 1]]), np.array([[0, 0], [1, 5], [1, 6]]))
    array([0.5, 0. ])
    """
    step, shorter = np.diff(whole, axis=0), np.diff(left, axis=0)
    return 1 - (shorter * step).sum(-1) / (step * step).sum(-1)


@cache
def load_plane():
    """The plane of the encoder's words."""
    return build_plane(load_encoder(), landmarks())


def build_plane(encoder, words):
    """The plane of an encoder, with some words as landmarks, *river* among them."""
    states = np.stack([states[:, 1] for _, states in encoder.states(words)]).astype(np.float64)
    centre = states.mean(0)
    spread = np.sqrt(((states - centre) ** 2).sum(-1).mean(0))
    vectors = (states - centre) / spread[:, None]
    across = _way_between_senses(encoder, spread)
    upwards = _widest(vectors - (vectors @ across)[..., None] * across)
    upwards *= np.sign((vectors[words.index("river")] @ upwards).sum())
    return WordPlane(encoder, words, centre, spread, vectors, np.stack([across, upwards]).round(DIGITS))


def landmarks():
    """The landmarks; those at the front keep their labels where two would overlap.

    >>> landmarks()[:3]
    ['river', 'money', 'coffee']
    """
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]


def words_at(tokens):
    """The places of each word's tokens; special tokens and punctuation aren't words.

    >>> words_at(["[CLS]", "loud", "bark", "##s", ".", "[SEP]"])
    [[1], [2, 3]]
    """
    words = []
    for place, token in enumerate(tokens):
        if token.startswith("##") and words and words[-1][-1] == place - 1:
            words[-1].append(place)
        elif token[0].isalnum():
            words.append([place])
    return words


def _text_of(tokens, places):
    return "".join(tokens[place].removeprefix("##") for place in places)


def _way_between_senses(encoder, spread):
    """From the word in its first sense to that in its second: the mean of the ways after each layer, of length 1."""
    of_word = [sentence for sentence in building_sentences() if sentence.word == WORD]
    forms = [encoder.tokenizer.tokenize(form) for form in word_forms()[WORD]]
    vectors = np.stack(word_vectors(encoder, [(sentence.text, forms) for sentence in of_word])) / spread[:, None]
    first, second = (vectors[[sentence.sense == sense for sentence in of_word]].mean(0) for sense in SENSES)
    return _long_one(_long_one((second - first)[1:]).mean(0))


def _widest(vectors):
    """The direction in which vectors differ most, of length 1."""
    flat = vectors.reshape(-1, vectors.shape[-1])
    return np.linalg.eigh(flat.T @ flat)[1][:, -1]


def _long_one(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
