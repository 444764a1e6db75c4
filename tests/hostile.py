"""Maps of texts that mean harm, in every place of a map that a text can come from."""

import random
from itertools import islice

import numpy as np

from manyheads.maps import AttentionMap

CASES, MAPS = 1_980, 20
FIRE = "globalThis.fired=1"
SEEDS = [
    f"<img src=x onerror={FIRE}>",
    f"<script>{FIRE}</script>",
    f"</script><script>{FIRE}</script>",
    f"<svg/onload={FIRE}>",
    "<iframe srcdoc='<script>parent.fired=1</script>'></iframe>",
    f'" autofocus onfocus={FIRE} x="',
    f"' onmouseover='{FIRE}' x='",
    f"<a href=javascript:{FIRE}>x</a>",
    f"<!--<script>{FIRE}//--></script>",
    f"]]><script>{FIRE}</script>",
    f"&lt;img src=x onerror={FIRE}&gt;",
    f"{{{{constructor.constructor('{FIRE}')()}}}}",
    f"<style>@import 'javascript:{FIRE}';</style>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={FIRE}>",
    f"<object data='data:text/html,<script>{FIRE}</script>'></object>",
    f"\\u003cimg src=x onerror={FIRE}\\u003e",
]
WRAPS = ["{}", '"{}', "'{}", "-->{}", "</style>{}", "</textarea>{}", "</title>{}", "</option></select>{}"]
WRAPS += ["\n{}", "##{}", "\u202e{}"]


def texts(choose, count):
    """Seeds in random wrappings, letters of tags in random case."""

    def shuffled(text):
        return "".join(map(choose.choice, zip(text.lower(), text.upper()))) if choose.random() < 0.3 else text

    picked = [choose.choice(WRAPS).format(shuffled(choose.choice(SEEDS))) for _ in range(count)]
    return [f"{text}{number}" for number, text in enumerate(picked)]


def hostile_maps():
    """Each with a sentence that is no better."""
    choose, each = random.Random(20261125), CASES // MAPS
    for _ in range(MAPS):
        evil = iter(texts(choose, each))
        tokens, heads, layers = list(islice(evil, 60)), list(islice(evil, 8)), list(islice(evil, 2))
        names, labels, notes, written = list(islice(evil, 6)), list(islice(evil, 12)), list(islice(evil, 9)), next(evil)
        predictions = {name: {labels[2 * at]: 0.75, labels[2 * at + 1]: 0.25} for at, name in enumerate(names)}
        weights = np.full((2, 8, 6, 60), 1 / 60)
        names = {"written": written, "layer_names": layers}
        yield AttentionMap(tokens[:6], tokens, weights, heads, predictions, tuple(notes), **names), next(evil)
