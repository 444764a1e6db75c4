"""Which sense an ambiguous word has in a sentence: the encoder's vectors of it, laid on the axis between its senses."""

import functools
import json
from dataclasses import replace
from textwrap import shorten

import numpy as np
import torch

from manyheads.models.encoder import load_encoder
from manyheads.models.files import MEASURED, key_of, measured_file, read_tensors, write_tensors
from manyheads.models.pretrained import SHA256
from manyheads.models.senses.axes import FOLDS, SHRINKAGE, SenseAxes, fit_axes, share
from manyheads.models.senses.data import SenseSentence, building_sentences, senses_of, word_forms
from manyheads.models.senses.pushes import find_pushes
from manyheads.whole_files import read_whole

RECIPE = 1  # the version of how the axes are made: raise it when code changes what is in their file
BATCH = 32


def word_sense(sentence: str, word: str) -> dict[str, float]:
    """The share of each sense of an ambiguous word in a sentence: {sense: share}, which sum to 1.

    >>> shares = word_sense("We sat on the bank of the river.", "bank")
    >>> list(shares), shares["river"] > 0.9
    (['money', 'river'], True)

    Inflected forms and capitals count; where the word stands several times, the first decides. Raises `TypeError` for
    what is not text, `ValueError` for a word that is not known or not in the sentence; each says what to do.
    """
    return load_senses().word_sense(sentence, word)


@functools.cache
def load_senses():
    """The default encoder with the axes of all words that `data/building.txt` has; built once, and kept.

    >>> senses = load_senses()
    >>> senses.words[:7]
    ['bank', 'bat', 'spring', 'match', 'light', 'mouse', 'crane']
    """
    return _read(senses_file())


class Senses:
    """An encoder that says in which sense it reads an ambiguous word; a head model as the encoder is.

    >>> attention = load_senses()("The bank of the river.")  # the encoder's own map, with predictions
    >>> senses = attention.predictions["bank"]
    >>> attention.shape, list(attention.predictions), max(senses, key=senses.get)
    ((6, 12, 8, 8), ['bank'], 'river')

    `axes` are `SenseAxes`, `forms` the forms of each word. `layer` is the one that decides: 0 is the embeddings.
    """

    def __init__(self, encoder, axes, forms):
        self.encoder, self.axes, self.forms = encoder, axes, forms
        self.words, self.layer = list(axes.senses), axes.layer
        self.pieces = {
            word: [encoder.tokenizer.tokenize(form) for form in sorted(forms[word], key=len, reverse=True)]
            for word in self.words
        }
        self.name, self.page_name = f"the senses in {encoder.name}", None
        self.num_layers, self.num_heads, self.head_names = encoder.num_layers, encoder.num_heads, encoder.head_names

    def __call__(self, sentence, head_mask=None):
        """The encoder's map of a sentence; its predictions are the senses of the words that are known."""
        attention = self.encoder(sentence, head_mask)
        here = [word for word in self.words if self.places(attention.query_tokens, word)]
        return replace(attention, predictions={word: self.word_sense(sentence, word, head_mask) for word in here})

    def word_sense(self, sentence, word, head_mask=None):
        """{sense: share} at the layer that decides; `head_mask` as the encoder's."""
        word = self.known(word)
        second = float(share(self.scores([(sentence, word)], head_mask)[0, self.layer]))
        return dict(zip(self.axes.senses[word], (1 - second, second)))

    def by_layer(self, sentence, word, head_mask=None):
        """The share of the word's second sense after each layer, the embeddings first: [layer + 1].

        >>> shares = load_senses().by_layer("We sat on the bank of the river.", "bank")
        >>> shares.shape, bool(0.3 < shares[0] < 0.7 < shares[-1])
        ((7,), True)
        """
        return share(self.scores([(sentence, self.known(word))], head_mask)[0])

    def scores(self, pairs, head_mask=None):
        """How far each word is on the side of its second sense: [(sentence, word)] -> [sentence, layer + 1].

        Raises as `word_sense`.
        """
        words = [self.known(word) for _, word in pairs]
        vectors = self.vectors(pairs, head_mask)
        return np.stack([self.axes.scores(vector, word) for vector, word in zip(vectors, words)])

    def vectors(self, pairs, head_mask=None):
        """The vectors of words in sentences, after each layer: [(sentence, word)] -> [sentence, layer + 1, width]."""
        found = word_vectors(self.encoder, [(text, self.pieces[self.known(word)]) for text, word in pairs], head_mask)
        for (text, word), vector in zip(pairs, found):
            if vector is None:
                raise self._lacking(text, self.known(word))
        return np.stack(found)

    def _lacking(self, text, word):
        forms = " or ".join(self.forms[word])
        return ValueError(f"The sentence has to hold the word {forms}; this one does not: {shorten(text, 80)!r}")

    def pushes(self, sentence, word, head_mask=None, masked=()):
        """What pushes a word towards one of its senses, by layer, head and word looked at: `Pushes`.

        >>> found = load_senses().pushes("I went to the bank and watched the boats.", "bank")
        >>> first = found.pushes[0].sum(0)  # of layer 1, by the word looked at
        >>> found.tokens[first.argmax()], bool(abs(first.sum() + found.rest[0] - found.scores[1]) < 1e-3)
        ('boats', True)

        `masked` holds the places of tokens that no token may look at. Raises as `word_sense`, and `ValueError` for a
        place that isn't one of the sentence's.
        """
        word = self.known(word)

        def places_of(tokens):
            found = self.places(tokens, word)
            if not found:
                raise self._lacking(sentence, word)
            return found

        return find_pushes(self.encoder, self.axes, word, sentence, places_of, head_mask, masked)

    def places(self, tokens, word):
        """The places of the word's tokens where it first stands; none where it does not.

        >>> load_senses().places(["[CLS]", "loud", "bark", "##s", "[SEP]"], "bark")
        [2, 3]
        """
        return word_places(tokens, self.pieces[word])

    def known(self, word):
        """The word that this is a form of."""
        if not isinstance(word, str):
            raise TypeError(f"a word is a string, got {word!r}")
        tidy = word.strip().lower()
        for known, forms in self.forms.items():
            if tidy in forms:
                return known
        raise ValueError(
            f"The senses of {word!r} are not known. Known are {', '.join(self.words)}. To add a word, write eight "
            "sentences or more for each of its two senses: the book's page “For teachers and authors” says where, "
            "under “Add an ambiguous word”."
        )

    def with_words(self, more):
        """These senses and those of more words: {word: {sense: [sentence, ...]}}; after the word, its other forms.

        >>> king, tool = ["The ruler wore a crown."] * 8, ["Draw the line with a ruler."] * 8
        >>> senses = load_senses().with_words({"ruler rulers": {"king": king, "tool": tool}})
        >>> senses.word_sense("The ruler of the empire waged war.", "ruler")["king"] > 0.5
        True

        Ordinary sentences that all differ do best. Raises `ValueError` for fewer than eight of a sense, for other than
        two senses, and for a sentence without the word.
        """
        sentences, forms = building_sentences(), word_forms()
        for written, senses in more.items():
            word, *others = written.lower().split()
            forms[word] = (word, *others)
            sentences += [SenseSentence(text, word, sense) for sense, texts in senses.items() for text in texts]
        return build_senses(self.encoder, sentences, forms)


def build_senses(encoder, sentences, forms):
    """Builds `Senses` from labelled sentences, and the forms of their words.

    Raises `ValueError` as `senses_of`, and for a sentence without its word.
    """
    senses_of(sentences)  # refuses too few before it computes
    pieces = {word: [encoder.tokenizer.tokenize(form) for form in forms[word]] for word in forms}
    vectors = word_vectors(encoder, [(sentence.text, pieces[sentence.word]) for sentence in sentences])
    for sentence, vector in zip(sentences, vectors):
        if vector is None:
            raise ValueError(f"this sentence does not hold {sentence.word!r} in one of its forms: {sentence.text!r}")
    return Senses(encoder, fit_axes(np.stack(vectors), sentences), forms)


def word_vectors(encoder, pairs, head_mask=None):
    """The vectors of a word in each sentence, after each layer: [layer + 1, width], or None where it is not there.

    `pairs` holds sentences, and the word's forms as tokens. A word of several tokens has the mean of their vectors.
    """
    for text, _ in pairs:
        if not isinstance(text, str):
            raise TypeError(f"a sentence is a string, got {text!r}")
    found = [None] * len(pairs)
    order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][0]))  # those of one batch are of about one length
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        for at, (tokens, states) in zip(batch, encoder.states([pairs[at][0] for at in batch], head_mask)):
            places = word_places(tokens, pairs[at][1])
            if places:
                found[at] = states[:, places].mean(1)
    return found


def word_places(tokens, forms):
    """Where one of the forms first stands, as whole words: its places among the tokens, or none.

    >>> word_places(["a", "bank", "##er", "bank"], [["bank"]])
    [3]
    """
    for start in range(len(tokens)):
        for form in forms:
            end = start + len(form)
            if tokens[start:end] == form and not "".join(tokens[end : end + 1]).startswith("##"):
                return list(range(start, end))
    return []


def senses_files():
    """What pages fetch for `<word-sense>`, as paths."""
    return [senses_file()]


def senses_file():
    """The file with the axes, for the page too: made on the first request.

    >>> senses_file().suffix
    '.safetensors'

    It holds `directions` [word · layer, width] and `offsets` [word, layer]; its header says, as JSON, which words and
    senses there are, each word's forms as tokens, and the layer that decides.
    """
    path = senses_path()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, build_senses(load_encoder(), building_sentences(), word_forms()))
    return path


def senses_path():
    """Where that file is, or will be."""
    key = key_of(
        recipe=RECIPE, settings=(SHRINKAGE, FOLDS), sentences=building_sentences(), forms=word_forms(), encoder=SHA256
    )
    return measured_file(MEASURED, f"senses-{key}/senses.safetensors")  # pages fetch it by this name


def _write(path, senses):
    axes = senses.axes
    tensors = {
        "directions": torch.from_numpy(axes.directions.reshape(-1, axes.directions.shape[-1])),
        "offsets": torch.from_numpy(axes.offsets),
        "accuracy": torch.tensor(axes.accuracy, dtype=torch.float32),
    }
    words = [
        {"word": word, "senses": axes.senses[word], "forms": senses.forms[word], "tokens": senses.pieces[word]}
        for word in senses.words
    ]
    write_tensors(path, tensors, {"words": json.dumps(words), "layer": str(senses.layer)})


def _read(path):
    with read_whole(path):
        tensors, header = read_tensors(path)
        words = json.loads(header["words"])
    directions, offsets, accuracy = (tensors[name].numpy() for name in ("directions", "offsets", "accuracy"))
    senses = {one["word"]: tuple(one["senses"]) for one in words}
    axes = SenseAxes(senses, directions.reshape(*offsets.shape, -1), offsets, accuracy)
    return Senses(load_encoder(), axes, {one["word"]: tuple(one["forms"]) for one in words})
