"""The scale from sense to sense as static HTML: what `<word-sense>` shows before, or without, any script."""

import json
from html import escape

from manyheads.maps.written import percent

# As wide as the controls that come here, so that nothing moves when they do.
ROOM = (
    '<span class="hm-field hm-room" aria-hidden="true">Heads off <b class="hm-select">layer 6, head 12</b></span>'
    '<button type="button" class="hm-room" disabled>Rank the heads</button>'
)


def word_sense_html(senses, sentence, word=None, id=None):
    """The `<word-sense>` element with the shares of `sentence` baked in; `word` is the first known one unless given.

    >>> from manyheads.models.senses import load_senses
    >>> html = word_sense_html(load_senses(), "The bank of the river.")
    >>> html.count("<tr"), 'word="bank"' in html
    (7, True)

    The markup is the one that `figures/word-sense.js` draws, so that nothing moves when the script takes over. Raises
    `ValueError` for a sentence without a known word, or without this one.
    """
    if word is None:
        here = list(senses(sentence).predictions)
        if not here:
            raise ValueError(f"none of the words {', '.join(senses.words)} is in the sentence {sentence!r}")
        word = here[0]
    word = senses.known(word)
    both, shares = senses.axes.senses[word], senses.by_layer(sentence, word)
    rows = "".join(_row(both, layer, share, layer == senses.layer) for layer, share in enumerate(shares))
    ends = "".join(f"<b>{escape(sense)}</b>" for sense in both)
    data = {"word": word, "senses": both, "shares": [round(float(share), 4) for share in shares], "layer": senses.layer}
    written = json.dumps(data).replace("<", "\\u003c")
    named = f' id="{escape(id)}"' if id else ""
    return (
        f'<word-sense class="head-map word-sense"{named} sentence="{escape(sentence)}" word="{escape(word)}">'
        '<p class="hm-status">A computed example. Live, it answers to your own sentence.</p>'
        f'<div><p class="hm-sentence">{escape(sentence)}</p></div>'
        f'<div class="hm-tools"><span class="hm-field">Word <b class="hm-select">{escape(word)}</b></span>{ROOM}</div>'
        f'<p class="ws-ends">{ends}</p>'
        f'<table class="ws-scales" aria-label="The sense after each layer"><tbody>{rows}</tbody></table>'
        f'<script type="application/json">{written}</script></word-sense>'
    )


def _row(senses, layer, share, deciding):
    name = f"layer {layer}" if layer else "embeddings"
    chance = max(share, 1 - share)
    leaning = f"{percent(chance)} {escape(senses[int(share >= 0.5)])}"
    scale = (
        f'<span class="ws-scale" role="meter" aria-valuemin="0" aria-valuemax="1" aria-label="{name}" '
        f'aria-valuenow="{share:.4f}" aria-valuetext="{leaning}" style="--share:{share:.4f}"><i></i></span>'
    )
    marked = ' class="ws-deciding"' if deciding else ""
    return f'<tr{marked}><th scope="row">{name}</th><td>{scale}</td><td>{leaning}</td></tr>'
