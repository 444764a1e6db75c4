"""Head cards of the decoder: the kept scores of its 270 heads, and the clearest examples, kept beside them."""

import json
from functools import cache
from pathlib import Path

import numpy as np

from manyheads.models.cards import Example, HeadCard
from manyheads.models.decoder.head_scores import head_scores
from manyheads.whole_files import write_whole
from manyheads_recipes.cards import strongest
from manyheads_recipes.decoder.head_scores import SCORES, decimals, rises, sample, targets
from manyheads_recipes.decoder.measures import prompts

COLUMNS = ("previous", "induction", "duplicate", "first", "local", "punctuation", "loss")
CARD_SCORES = {name: SCORES[name] for name in COLUMNS}
FILE = Path(__file__).parent / "data" / "head_examples.json"
DIGITS = 3


@cache
def decoder_cards():
    """The cards of all heads, layer by layer, as those of the encoder are, but without weakest examples.

    >>> card = decoder_cards()[16 * 9]
    >>> card.layer, card.head, list(card.scores) == list(CARD_SCORES)
    (16, 0, True)
    >>> example = card.strongest["previous"][0]
    >>> example.query - example.key, example.weight > 0.9
    (1, True)

    The value of an example is the part of the token's attention; for `loss`, how much more surprised the model is by
    the token after the one that looks, in nats.
    """
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    texts = [("".join(tokens), tokens) for tokens in kept["texts"]]
    scores = head_scores()
    return [
        HeadCard(
            layer,
            head,
            {name: float(scores[name][layer, head]) for name in CARD_SCORES},
            {name: [Example(*texts[at], *rest) for at, *rest in kept[name][layer][head]] for name in CARD_SCORES},
            {},
        )
        for layer, head in np.ndindex(scores["loss"].shape)
    ]


def example_texts(decoder):
    """The texts that examples are chosen from: the sample, and prompts in which names come again.

    >>> from manyheads.models.decoder.head_model import load_decoder
    >>> len(example_texts(load_decoder()))
    33

    A text with tokens that are parts of a sign is left out, since they can't be read.
    """
    texts = [*sample(), *(prompt.text for prompt in prompts() if prompt.kind in ("two names", "made-up name"))]
    return [text for text in texts if "".join(decoder.tokens(decoder.read(text)[0])) == text]


def values_of(decoder, text):  # -> {name: [layer, h, q]}, NaN where there is nothing to look at
    """The scores of every token of a text in every head, but `loss`, and its map."""
    attention = decoder(text)
    found = targets(attention.key_tokens)
    for name, step in {"duplicate": 0, "induction": 1}.items():
        found[name] = _again(attention.key_tokens, step) & found["rest"]
    return {
        name: np.where(found[name].any(-1), (attention.weights * found[name]).sum(-1), np.nan)
        for name in CARD_SCORES
        if name in found
    }, attention


def measure_examples(decoder, heads=None):
    """The strongest examples of some heads, else of all, of each score, none two of one text.

    {"texts": [tokens, ...], name: {(layer, h): [[text, query, key, weight, value], ...]}}
    """
    texts = example_texts(decoder)
    found = [values_of(decoder, text) for text in texts]
    maps = [attention for _, attention in found]
    values = {name: [scores[name] for scores, _ in found] for name in found[0][0]}
    risen = dict(zip(sample(), rises(decoder, None if heads is None else tuple(heads))))
    nothing = np.full((decoder.num_layers, decoder.num_heads, 0), np.nan)
    values["loss"] = [risen.get(text, nothing) for text in texts]
    kept = {"texts": [attention.key_tokens for attention in maps]}
    for name in CARD_SCORES:
        places = [(at, query) for at, of in enumerate(values[name]) for query in range(2, of.shape[-1])]
        kept[name] = {}
        for head in heads or np.ndindex(decoder.num_layers, decoder.num_heads):
            of_head = np.array([values[name][at][head][query] for at, query in places])
            kept[name][head] = [
                _example(maps, head, *places[place], of_head[place]) for place in strongest(of_head, places)
            ]
    return kept


def keep_examples(decoder):
    """Measure the examples of all heads, and write the file."""
    kept = measure_examples(decoder)
    lines = [f'"texts": {json.dumps(kept["texts"], ensure_ascii=False)}']
    for name in CARD_SCORES:
        rows = [[kept[name][layer, head] for head in range(decoder.num_heads)] for layer in range(decoder.num_layers)]
        lines.append(f"{json.dumps(name)}: {json.dumps(rows, separators=(',', ':'))}")
    with write_whole(FILE) as beside:
        beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _example(maps, head, at, query, value):
    row = maps[at].weights[head][query]
    key = int(np.argmax(row))
    return [at, query, key, decimals(row[key], DIGITS), decimals(value, DIGITS)]


def _again(tokens, step):  # -> [q, k]
    """Which keys stand so many steps after an earlier token that is the same as the query's."""
    same = np.array([[query == key for key in tokens] for query in tokens])
    earlier = np.tril(same, -1)
    return np.tril(np.roll(earlier, step, axis=-1), -1) if step else earlier
