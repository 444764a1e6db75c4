"""What heads do for the sense of a word, measured on the labelled sentences: heads off, kinds of clues, added noise."""

import numpy as np

from manyheads.models.files import key_of, measured_file
from manyheads.models.pretrained import SHA256
from manyheads.models.registry import all_but
from manyheads.models.senses.data import building_sentences
from manyheads.models.senses.head_model import load_senses, senses_path
from manyheads.shared.threads import one_thread
from manyheads.whole_files import read_whole, write_whole
from manyheads_recipes.senses.sentences import DATA, labelled_sentences, noise_words

RECIPE = 1  # the version of how it is measured: raise it when code changes a number
RANKED_ON = 4  # heads are ranked on every fourth sentence of those that the axes are built from
OFF = (0, 1, 2, 4, 8, 16, 32)  # so many of the 72 heads are off
RANDOM = 4  # sets of as many other heads, drawn at random
NOISE = (2, 4, 8, 16, 32)  # so many words are added
SHUFFLES = 2000
NEAR = 3  # tokens from the word
LOOKERS = 8  # so many heads that look most at the clues are turned off


def measure_senses():
    """All that the book counts of ambiguous words, as arrays by name, as we measured it, or else measured once.

    >>> found = measure_senses()
    >>> found["moves"].shape, found["off"].shape, found["noise"].shape  # of each sentence
    ((92, 6, 12), (7, 92, 7), (5, 92, 7))

    All numbers are how far a score is on the right side, above 0, or on the wrong one: `whole` [sentence, layer +
    1]; `moves` [sentence, layer, head], by how much the score of the layer that decides grows when a head is off;
    `ranking` [72], the heads from the one that helps most, as their absence shows on other sentences; `off` [count,
    sentence, layer + 1], with the first heads of the ranking off, `random` [draw, count, sentence, layer + 1] with
    others; `noise` [count, sentence, layer + 1], with words added. Of attention there is `looks` [sentence, layer,
    head], how much of the word's goes to the clues; `blind` [sentence, layer + 1], the scores with the heads off
    that look there most in that sentence; and `to_noise` [count, layer, head], the word's attention to a token of
    noise as a multiple of that to a token of the sentence (the word itself and special tokens apart).
    """
    path = _path()
    if not path.exists():
        with one_thread():
            found = _measure(load_senses())
        with write_whole(path) as beside:
            np.savez_compressed(beside, **found)
    with read_whole(path), np.load(path) as kept:
        return dict(kept)


def _path():
    key = key_of(
        recipe=RECIPE,
        settings=(RANKED_ON, LOOKERS, OFF, RANDOM, NOISE),
        sentences=labelled_sentences(),
        noise=noise_words(),
        axes=senses_path().parent.name,
        encoder=SHA256,
    )
    return measured_file(DATA, f"senses-measured-{key}.npz")


def on_the_right_side(senses, sentences, scores):
    """Scores with their signs turned so that above 0 is right: [sentence, ...] -> [sentence, ...].

    >>> senses = load_senses()
    >>> on_the_right_side(senses, labelled_sentences()[:1], np.array([[-2.0]]))  # the first sense, as it should be
    array([[2.]])
    """
    signs = [1 if one.sense == senses.axes.senses[one.word][1] else -1 for one in sentences]
    return scores * np.array(signs).reshape(-1, *[1] * (scores.ndim - 1))


def accuracy(right):  # [..., sentence, layer] -> [..., layer]
    """The share of sentences on the right side.

    >>> accuracy(np.array([[1.0, -1.0], [2.0, 3.0]]))
    array([1. , 0.5])
    """
    return (right > 0).mean(axis=-2)


def clue_sides(senses, sentences):
    """Whether each sentence's clues stand before its word (-1), after it (1) or on both sides (0); whether near it.

    >>> sides, near = clue_sides(load_senses(), labelled_sentences()[:3])
    >>> sides.tolist(), near.tolist()  # "The loan from the bank", "her salary at the bank", "The bank raised its rates"
    ([-1, -1, 1], [True, True, True])

    Near is at most `NEAR` tokens away.
    """
    sides, near = [], []
    for one in sentences:
        tokens = senses.encoder(one.text).query_tokens
        steps = np.array(clue_places(senses, one, tokens)) - senses.places(tokens, one.word)[0]
        sides.append(int(np.sign(steps).mean()) if np.ptp(np.sign(steps)) == 0 else 0)
        near.append(bool(np.abs(steps).min() <= NEAR))
    return np.array(sides), np.array(near)


def clue_places(senses, sentence, tokens):
    """Where the clues of a labelled sentence stand among its tokens.

    >>> senses, sentence = load_senses(), labelled_sentences()[0]
    >>> clue_places(senses, sentence, senses.encoder(sentence.text).query_tokens)  # [CLS] the loan ...
    [2]
    """
    places = []
    for clue in sentence.clues:
        pieces = senses.encoder.tokenizer.tokenize(clue)
        starts = [at for at in range(len(tokens)) if tokens[at : at + len(pieces)] == pieces]
        places += [at + step for at in starts for step in range(len(pieces))]
    return places


def different_heads(moves, groups, strata, shuffles=SHUFFLES):
    """Whether the heads that matter differ between two groups of sentences: a permutation test.

    `moves` is [sentence, head], `groups` is True or False, `strata` keeps apart what may not be mixed, such as senses.
    The distance between the groups' mean moves is compared with those of groups drawn at random within each stratum.
    Returns the distance, the mean of the drawn ones, and p, the share of them that are as large.

    >>> rng = np.random.default_rng(0)
    >>> groups, strata = np.arange(40) % 2 == 0, np.arange(40) // 4
    >>> moves = rng.normal(size=(40, 5))
    >>> different_heads(moves, groups, strata)[2] > 0.05
    True
    >>> different_heads(moves + np.outer(groups, [3, 0, 0, 0, 0]), groups, strata)[2] < 0.01
    True
    """
    rng = np.random.default_rng(0)

    def distance(groups):
        return np.linalg.norm(moves[groups].mean(0) - moves[~groups].mean(0))

    drawn = []
    for _ in range(shuffles):
        mixed = groups.copy()
        for stratum in np.unique(strata):
            own = np.flatnonzero(strata == stratum)
            mixed[own] = rng.permutation(mixed[own])
        drawn.append(distance(mixed))
    found = distance(groups)
    return float(found), float(np.mean(drawn)), float((1 + sum(np.array(drawn) >= found)) / (1 + shuffles))


def with_noise(text, word_forms, count, seed):
    """A sentence with some unrelated words put in at random places; its own words keep their order.

    >>> with_noise("Tea, please.", ["tea"], 2, seed=0)
    'thirty seven Tea, please.'
    """
    rng = np.random.default_rng([seed, count])
    words = text.split()
    chosen = [word for word in noise_words() if word.lower() not in word_forms]
    for noise in rng.choice(chosen, count):
        words.insert(rng.integers(len(words)), str(noise))  # never last: the sentence keeps its end
    return " ".join(words)


def head_moves(senses, pairs):
    """How far each score moves when one head is off, for every head: [(sentence, word)] -> [sentence, layer, head].

    >>> moves = head_moves(load_senses(), [("We sat on the bank of the river.", "bank")])
    >>> moves.shape, moves.dtype
    ((1, 6, 12), dtype('float32'))

    The score is that of the layer that decides. A head whose absence moves it towards the first sense (below 0) had
    moved it towards the second.
    """
    whole = senses.scores(pairs)[:, senses.layer]
    moves = np.empty((len(pairs), senses.num_layers, senses.num_heads), np.float32)
    for head in np.ndindex(senses.num_layers, senses.num_heads):
        moves[(slice(None), *head)] = senses.scores(pairs, all_but(senses, [head]))[:, senses.layer] - whole
    return moves


def _measure(senses):
    sentences = labelled_sentences()
    pairs = [(one.text, one.word) for one in sentences]

    def right(pairs, mask=None):  # -> [sentence, layer + 1]
        return on_the_right_side(senses, sentences, senses.scores(pairs, mask))

    ranked_on = building_sentences()[::RANKED_ON]
    helped = head_moves(senses, [(one.text, one.word) for one in ranked_on])
    ranking = on_the_right_side(senses, ranked_on, helped).mean(0).ravel().argsort()  # most hurt first
    rng = np.random.default_rng(0)
    draws = [rng.permutation(ranking.size) for _ in range(RANDOM)]
    noisy = [
        [(with_noise(text, senses.forms[word], count, seed), word) for seed, (text, word) in enumerate(pairs)]
        for count in NOISE
    ]
    looks = np.stack([_attention_to_clues(senses, one) for one in sentences])
    blind = []
    for text_and_word, look in zip(pairs, looks):
        most = look.ravel().argsort()[::-1][:LOOKERS]
        blind.append(senses.scores([text_and_word], _without(senses, most))[0])
    return {
        "whole": right(pairs),
        "looks": looks,
        "blind": on_the_right_side(senses, sentences, np.stack(blind)),
        "moves": on_the_right_side(senses, sentences, head_moves(senses, pairs)),
        "ranking": ranking,
        "off": np.stack([right(pairs, _without(senses, ranking[:count])) for count in OFF]),
        "random": np.stack([[right(pairs, _without(senses, draw[:count])) for count in OFF] for draw in draws]),
        "noise": np.stack([right(with_words) for with_words in noisy]),
        "to_noise": np.stack([_attention_to_noise(senses, pairs, with_words) for with_words in noisy]),
    }


def _without(senses, heads):
    return all_but(senses, (divmod(int(head), senses.num_heads) for head in heads))


def _attention_to_clues(senses, sentence):  # -> [layer, head]
    attention = senses.encoder(sentence.text)
    word, clues = (
        senses.places(attention.query_tokens, sentence.word),
        clue_places(senses, sentence, attention.query_tokens),
    )
    return attention.weights[:, :, word].mean(2)[..., clues].sum(-1)


def _attention_to_noise(senses, pairs, noisy):  # -> [layer, head]
    """The word's mean attention to a token of noise, over its mean attention to a token of the sentence."""
    shares = []
    for (text, word), (with_words, _) in zip(pairs, noisy):
        attention = senses.encoder(with_words)
        places = senses.places(attention.query_tokens, word)
        own = _own_places(senses.encoder(text).query_tokens, attention.query_tokens)
        inside = set(range(1, len(attention.query_tokens) - 1)) - set(places)
        groups = [sorted(inside & own), sorted(inside - own)]
        row = attention.weights[:, :, places].mean(2)  # [layer, h, k]
        shares.append([row[..., group].mean(-1) for group in groups])
    kept, noise = np.mean(shares, axis=0)
    return noise / kept


def _own_places(own, tokens):
    """Where the tokens of a sentence stand among those of the sentence with noise, in their order."""
    places, at = set(), len(tokens) - 1
    for token in reversed(own):
        while tokens[at] != token:
            at -= 1
        places.add(at)
        at -= 1
    return places
