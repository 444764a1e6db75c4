"""What `<word-sense>` shows before a reader has the encoder."""

from manyheads.models.senses.axes import share


def word_sense_data(senses, sentence, word=None, layer=None):
    """What `<word-sense>` shows of a sentence: {"word", "senses", "shares" after each layer, "layer", "pushes"}.

    Its "layer" is the one that decides. With a `layer`, from 1, the pushes are those of that one, and "masked" has what
    each masked word comes to.

    >>> from manyheads.models.senses import load_senses
    >>> found = word_sense_data(load_senses(), "The bank of the river.", layer=1)
    >>> found["word"], found["pushes"]["tokens"][5], list(found["masked"])
    ('bank', 'river', ['1', '3', '4', '5'])

    Raises `ValueError` for a sentence without a known word, or without this one, and for a layer that isn't there.
    """
    if word is None:
        present = list(senses(sentence).predictions)
        if not present:
            raise ValueError(f"none of the words {', '.join(senses.words)} is in the sentence {sentence!r}")
        word = present[0]
    if layer is not None and not 0 < layer <= senses.num_layers:
        raise ValueError(f"layer is from 1 to {senses.num_layers}, got {layer}")
    word = senses.known(word)
    whole = senses.pushes(sentence, word)
    pushes = {"tokens": whole.tokens, "places": whole.places, "layers": _pushes_of(whole, layer)}
    data = {
        "word": word,
        "senses": senses.axes.senses[word],
        "shares": _shares(whole),
        "layer": senses.layer,
        "pushes": pushes,
    }
    if layer is None:
        return data
    masked = {}
    for places in _words_at(whole.tokens):
        if not set(places) & set(whole.places):
            found = senses.pushes(sentence, word, masked=places)
            masked[" ".join(map(str, places))] = {"shares": _shares(found), "layers": _pushes_of(found, layer)}
    return data | {"masked": masked}


def _shares(found):
    return [round(float(one), 6) for one in share(found.scores)]


def _pushes_of(found, only):
    """The layers of some pushes, rounded; all but one are left out where one alone is wanted."""
    return [
        {"weights": weights.round(3).tolist(), "pushes": pushes.round(3).tolist(), "rest": round(float(rest), 3)}
        if only in (None, layer)
        else None
        for layer, (weights, pushes, rest) in enumerate(zip(found.weights, found.pushes, found.rest), start=1)
    ]


def _words_at(tokens):
    """The places of each word's tokens; special tokens and punctuation aren't words."""
    words = []
    for place, token in enumerate(tokens):
        if token.startswith("##"):
            words[-1].append(place)
        elif token.isalnum():
            words.append([place])
    return words
