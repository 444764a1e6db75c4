"""Head cards of the default encoder, measured: `python -m manyheads_recipes.encoder`.

The scores follow Clark et al. 2019 (arXiv:1906.04341, section 3) and are means over all tokens that ask, which is
every token but [CLS] and [SEP], of all sentences in `card_sentences()`. `effect` follows Michel et al. 2019
(arXiv:1905.10650) in turning off one head at a time, and looks at the sentence vector.
"""

import gzip
import json
from dataclasses import asdict
from unicodedata import category

import numpy as np

from manyheads.models.cards import SCORES, Example, HeadCard
from manyheads.models.encoder.head_cards import FILE
from manyheads.models.files import key_of
from manyheads.models.pretrained import SHA256
from manyheads.models.registry import all_but
from manyheads.shared.texts import SENTENCES
from manyheads.whole_files import write_whole
from manyheads_recipes.cards import NUM_EXAMPLES, strongest
from manyheads_recipes.focus.sentences import held_out_sentences

BATCH = 12
RECIPE = 1  # the version of how they are measured: raise it when code changes what a card says, or how it is kept


def card_sentences():
    """The sentences that the cards are measured on: the held-out sentences and some longer ones.

    >>> len(card_sentences()) >= 100
    True
    """
    return [*(sentence.text for sentence in held_out_sentences()), *SENTENCES]


def measure_heads(encoder, sentences):
    """Measure the cards of all heads of an encoder on some sentences.

    >>> from manyheads import load_encoder
    >>> cards = measure_heads(load_encoder(), ["Tea or coffee?", "Put the kettle on, please.", "Tea."])
    >>> 0 < cards[0].scores["entropy"] < 3  # the longest of them has 8 tokens, so 3 bits at most
    True

    Raises `ValueError` for fewer sentences than examples are shown.
    """
    if len(sentences) < NUM_EXAMPLES:
        raise ValueError(f"the cards show {NUM_EXAMPLES} sentences for each score, got {len(sentences)}")
    sentences = sorted(sentences, key=len)  # those of one batch should be of about one length
    chunks = [sentences[start : start + BATCH] for start in range(0, len(sentences), BATCH)]
    maps = [attention for chunk in chunks for attention in encoder.batch(chunk)]
    of_map = [token_scores(attention) for attention in maps]
    values = {name: np.concatenate([scores[name] for scores in of_map], axis=-1) for name in of_map[0]}
    values["effect"] = effects(encoder, chunks)  # [layer, h, sentence]; the others [layer, h, asking in any sentence]
    tokens = [(which, query) for which, attention in enumerate(maps) for query in asking(attention)]
    whole = [(which, None) for which in range(len(maps))]

    def example(layer, head, place, value):  # place: (sentence, query or None)
        which, query = place
        attention = maps[which]
        row = [0] if query is None else attention.weights[layer, head, query]
        key = None if query is None else int(np.argmax(row))
        return Example(sentences[which], attention.query_tokens, query, key, float(np.max(row)), float(value))

    cards = []
    for layer, head in np.ndindex(encoder.num_layers, encoder.num_heads):
        card = HeadCard(layer, head, {}, {}, {})
        for name in SCORES:
            places = whole if name == "effect" else tokens
            value = values[name][layer, head]
            card.scores[name] = float(np.nanmean(value))
            best = [example(layer, head, places[at], value[at]) for at in strongest(value, places)]
            card.strongest[name] = best
            card.weakest[name] = example(layer, head, places[np.nanargmin(value)], np.nanmin(value))
        cards.append(card)
    return cards


def asking(attention):
    """The places of the tokens that ask: all but [CLS] and [SEP].

    >>> from manyheads import load_encoder
    >>> asking(load_encoder()("Tea!"))
    [1, 2]
    """
    return [place for place, token in enumerate(attention.query_tokens) if token not in ("[CLS]", "[SEP]")]


def token_scores(attention):  # -> {name: [layer, h, asking]}
    """The scores of every token that asks, in every head of a map; NaN where there is nothing to look at.

    >>> from manyheads.maps import AttentionMap
    >>> attention = AttentionMap(*[["[CLS]", "tea", "!", "[SEP]"]] * 2, np.full((1, 1, 4, 4), 0.25))
    >>> token_scores(attention)["previous"].tolist()  # only [CLS] stands before "tea", and it has a score of its own
    [[[nan, 0.25]]]
    >>> token_scores(attention)["entropy"].tolist()
    [[[2.0, 2.0]]]
    """
    tokens, places = np.array(attention.key_tokens), np.array(asking(attention))
    rows = attention.weights[:, :, places].astype(float)  # [layer, h, asking, k]
    steps = np.arange(len(tokens)) - places[:, None]  # from the asking token to each key: [asking, k]
    words = np.isin(np.arange(len(tokens)), places)
    marks = np.array([all(category(sign).startswith("P") for sign in token) for token in tokens])
    targets = {
        "previous": (steps == -1) & words,
        "next": (steps == 1) & words,
        "same": steps == 0,
        "cls": steps * 0 + (tokens == "[CLS]") > 0,
        "sep": steps * 0 + (tokens == "[SEP]") > 0,
        "punctuation": steps * 0 + (marks & words) > 0,
    }  # each [asking, k]
    shares = {
        name: np.where(target.any(-1), (rows * target).sum(-1), np.nan) for name, target in targets.items()
    }  # each [layer, h, asking]
    bits = np.log2(rows, out=np.zeros_like(rows), where=rows > 0)
    return {**shares, "distance": (rows * np.abs(steps)).sum(-1), "entropy": -(rows * bits).sum(-1)}


def effects(encoder, chunks):  # -> [layer, h, sentence]
    """The cosine distance between the vector of a sentence and its vector without a head, for every head.

    >>> from manyheads import load_encoder
    >>> effects(load_encoder(), [["Tea or coffee?", "Tea."], ["Put the kettle on, please."]]).shape
    (6, 12, 3)

    `chunks` are lists of sentences, each computed together.
    """
    shape = (encoder.num_layers, encoder.num_heads)
    found = []
    for chunk in chunks:
        whole = encoder.sentence_vectors(chunk).astype(float)
        for head in np.ndindex(shape):
            found.append(1 - (encoder.sentence_vectors(chunk, all_but(encoder, [head])) * whole).sum(-1))
    count = len(found) // len(chunks)
    by_head = [np.concatenate(found[head::count]) for head in range(count)]
    return np.array(by_head).reshape(*shape, -1)


def keep_cards(encoder):
    """Measure the cards of all heads, and write the file."""
    kept = {"key": cards_key(), "cards": [asdict(card) for card in measure_heads(encoder, card_sentences())]}
    with write_whole(FILE) as beside:
        beside.write_bytes(gzip.compress(json.dumps(kept).encode(), mtime=0))


def cards_key():
    """Of all that decides how the cards turn out."""
    return key_of(recipe=RECIPE, scores=list(SCORES), examples=NUM_EXAMPLES, sentences=card_sentences(), encoder=SHA256)
