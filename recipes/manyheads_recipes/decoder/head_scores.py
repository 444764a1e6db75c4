"""What each of the decoder's 270 heads looks at, and what is lost without it: measured once and kept.

`python -m manyheads_recipes.decoder` measures again in a quarter of an hour.
"""

import json
from functools import cache
from unicodedata import category

import numpy as np

from manyheads.models.decoder.head_scores import FILE
from manyheads.models.registry import all_but
from manyheads.shared.texts import OTHERS, SENTENCES
from manyheads.whole_files import write_whole
from manyheads_recipes.decoder.measures import COPY, answered, lead, prompts, said_twice

# The first token draws most of nearly every head, so it is scored apart; the others are shares of the rest.
SCORES = {
    "first": "attention to the first token",
    "previous": "attention to the token before",
    "local": "attention to the token itself and the three before it",
    "punctuation": "attention to punctuation",
    "duplicate": "attention to the same token, where random tokens are said twice",
    "induction": "attention to the token after the same one, where random tokens are said twice",
    "loss": "how much more surprised the model is by each token without the head, in nats",
    "mary": "the probability of Mary without the head, where John gave her a drink",
    "names": "how many of the eight prompts with two names are answered right without the head",
    "rome": "how much likelier Rome is than any other word without the head, as the capital of Italy",
}
DIGITS = 4


def sample():
    """The texts that the scores are measured on: long sentences, and a few of other kinds.

    >>> len(sample())
    18
    """
    return [*SENTENCES, *OTHERS]


def measure_scores(decoder):
    """Measure all scores: {name: float [layer, h]}."""
    scores = looks(decoder, sample()) | copies(decoder)
    asked = [prompt for prompt in prompts() if prompt.kind == "two names"]
    rome = next(prompt for prompt in prompts() if prompt.answer == " Rome")
    scores["loss"] = np.concatenate(rises(decoder), axis=-1).mean(-1)
    scores |= {name: np.zeros((decoder.num_layers, decoder.num_heads)) for name in ("mary", "names", "rome")}
    for head in np.ndindex(decoder.num_layers, decoder.num_heads):
        mask = all_but(decoder, [head])
        chances, right = answered(decoder, asked, mask)
        scores["mary"][head], scores["names"][head] = chances[0], right.sum()
        scores["rome"][head] = lead(decoder, rome, mask)
    return scores


def looks(decoder, texts):
    """What heads look at in some texts: {name: float [layer, h]}."""
    totals = {name: 0.0 for name in ("first", "previous", "local", "punctuation")}
    asking = 0
    for text in texts:
        attention = decoder(text)
        asking += max(len(attention.key_tokens) - 2, 0)
        chosen = targets(attention.key_tokens)
        for name in totals:
            of = attention.weights[:, :, 2:] * chosen[name][2:]
            totals[name] = totals[name] + of.sum((-2, -1))
    free = asking - totals["first"]
    return {name: total / (asking if name == "first" else free) for name, total in totals.items()}


def targets(tokens):  # -> {name: bool [q, k]}
    """What a token looks at to have a score, and under "rest" all but the first token.

    >>> targets(["Tea", ",", " please"])["punctuation"].astype(int).tolist()
    [[0, 0, 0], [0, 1, 0], [0, 1, 0]]
    """
    count = len(tokens)
    back = np.arange(count)[:, None] - np.arange(count)  # [q, k]: how far a key stands before a query
    rest = (np.arange(count) > 0)[None] & (back >= 0)
    signs = np.array([all(category(sign)[0] in "PS" for sign in token.strip() or "a") for token in tokens])
    first = (np.arange(count) == 0)[None] & (back > 1)  # queries that have others to look at
    return {
        "previous": rest & (back == 1),
        "local": rest & (back < 4),
        "punctuation": rest & signs,
        "first": first,
        "rest": rest,
    }


def copies(decoder):
    """What heads look at when random tokens come again: {name: float [layer, h]}."""
    _, maps, _ = decoder.run(said_twice(4), need_weights=True)
    weights = maps.numpy(force=True)[
        ..., COPY + 1 :, :
    ]  # [text, layer, h, q, k]; the first of the second copy is left out
    queries = np.arange(COPY - 1)
    free = (1 - weights[..., 0]).sum((0, -1))
    found = {"duplicate": weights[..., queries, queries + 1], "induction": weights[..., queries, queries + 2]}
    return {name: of.sum((0, -1)) / free for name, of in found.items()}


@cache
def rises(decoder, heads=None):
    """How much more surprised the model is by each token of each text of the sample without each head.

    For each text [layer, h, t - 1], since the first token can't be expected; NaN for other heads than `heads`.
    """
    shape = (decoder.num_layers, decoder.num_heads)
    whole = losses(decoder)
    found = [np.full((*shape, len(of)), np.nan) for of in whole]
    for head in np.ndindex(shape) if heads is None else heads:
        for rise, before, after in zip(found, whole, losses(decoder, all_but(decoder, [head]))):
            rise[head] = after - before
    return found


def losses(decoder, head_mask=None):
    """The losses on all tokens of each text of the sample but its first."""
    return [decoder.losses(decoder.read(text)[0], head_mask) for text in sample()]


def decimals(values, digits=DIGITS):
    """Numbers as they are kept."""
    return np.round(np.float64(values), digits).tolist()


def keep_scores(decoder):
    """Measure, and write the file."""
    scores = measure_scores(decoder)
    lines = [f"{json.dumps(name)}: {json.dumps(decimals(scores[name]))}" for name in SCORES]
    with write_whole(FILE) as beside:
        beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
