"""One truth for what Python and JavaScript share: names, and the few functions that write for people on both sides."""

import json

import numpy as np
import pytest
from anywidget import AnyWidget
from node import WEB, run_node

from manyheads import AttentionFlow, HeadLedger, HeadMap, NextWord
from manyheads.models import cards
from manyheads.shared import names
from manyheads.shared.numbers import percent
from manyheads.shared.tokens import is_special, joined, readable, word_starts

OF_THE_TEXT = {"id", "examples", "guess"}  # traits that whoever writes the text around a figure sets, and no reader
FIGURES = {"head-map": HeadMap, "attention-flow": AttentionFlow, "head-ledger": HeadLedger, "next-word": NextWord}
# fmt: off
NUMBERS = [0.0, 0.125, 0.0625, -2.125, 0.0994, 0.0996, 0.2, 1 / 3, 0.996, 1.0, -0.001, 1.005, 99.994, -99.996, 12345.6]
SHARES = [abs(number) % 1 for number in [*NUMBERS, *np.random.default_rng(0).normal(scale=30, size=500).tolist()]]
SCORES = ("previous", "distance", "effect", "loss")
SPECIAL = [
    "[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "[unused7]", "[INST]", "[/INST]",  # BERT, Mistral
    "<s>", "</s>", "<unk>", "<mask>", "<eos>", "<extra_id_0>", "<eod>",  # RoBERTa, T5, XLNet
    "<|endoftext|>", "<|im_start|>", "<\uff5cbegin of sentence\uff5c>", "<BOS_TOKEN>", "<fim_prefix>",  # GPT-2 and later
    "<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<unused99>",  # Gemma
    "[DISTILL]", "register 12",  # DeiT, DINOv2
]
PLAIN = ["##able", "##", "#", "tea", "", " tea", "\u2581tea", "<or>", "<div>", "</b>", "<", "[", "[tea]", "patch 1,1", "<0x0A>", "cls", "s"]
POOL = ["a", " tea", "о<D0>", "<BE D0>", "<B2>", " <F0 9F>", "<8D>", "<B5>", "<E8>", "<8C B6>", "<C3>", "<A9>", "<AB", ">"]
# fmt: on
BYTES = [np.random.default_rng(seed).choice(POOL, 8).tolist() for seed in range(300)] + [[" <F0 9F>", "<8D>", "<B5>"]]
ASKED = {  # what is asked of the page, all in one process: a module, and what it says
    "names": ("math/names.ts", "it"),
    **{figure: (f"figures/{figure}/{figure}.ts", "it.TRAITS") for figure in FIGURES},
    "percent": ("math/text.ts", f"{SHARES}.map(it.percent)"),
    **{
        score: (
            "figures/head-cards/data.ts",
            f"{SHARES}.map((value) => it.shown({{ decimals: {json.dumps(cards.DECIMALS.get(score))} }}, value))",
        )
        for score in SCORES
    },
    "tokens": (
        "math/text.ts",
        f"{json.dumps(SPECIAL + PLAIN)}.map((token) => [it.isSpecial(token), it.readable(token)])",
    ),
    "bytes": ("math/text.ts", f"{json.dumps(BYTES)}.map((tokens) => [it.joined(tokens), it.wordStarts(tokens)])"),
}


@pytest.fixture(scope="module")
def in_page():
    asked = ", ".join(f"import('./{path}').then((it) => {what})" for path, what in ASKED.values())
    script = f"Promise.all([{asked}]).then((all) => console.log(JSON.stringify(all)))"
    return dict(zip(ASKED, json.loads(run_node("-e", script, cwd=WEB)), strict=True))


def test_both_sides_have_every_name(in_page):
    ours = {name: value for name, value in vars(names).items() if name.isupper() and not name.startswith("_")}
    assert in_page["names"] == ours
    assert len(ours) == len(json.loads((WEB.parent / "shared" / "names.json").read_text(encoding="utf-8")))


def test_the_stylesheets_have_the_colours():
    """A stylesheet reads no JSON."""
    light = (WEB / "figures" / "head-map" / "head-map.css").read_text(encoding="utf-8").split("@media")[0]
    for name in ("ink", "soft", "line"):
        assert f"--hm-{name}: {names.PAPER[name]};" in light
    for name, colour in {"head": names.NEUTRAL_COLOUR, "off": names.OFF_COLOUR, **names.NUMBER_COLOURS}.items():
        if name != "tint":
            assert f"--hm-{name}: {colour.lower()};" in light


@pytest.mark.parametrize(("figure", "widget"), FIGURES.items())
def test_every_part_of_a_figures_state_is_a_trait(in_page, figure, widget):
    own = set(widget.class_trait_names(sync=True)) - set(AnyWidget.class_trait_names())
    state = {name for name in own if not name.startswith("_")} - OF_THE_TEXT
    assert set(in_page[figure].values()) - {"_tail"} == state


def test_numbers_are_written_alike(in_page):
    assert in_page["percent"] == [percent(share) for share in SHARES]
    for score in SCORES:
        assert in_page[score] == [cards.shown(score, value) for value in SHARES]


def test_tokens_are_read_alike(in_page):
    assert in_page["tokens"] == [[is_special(token), readable(token)] for token in SPECIAL + PLAIN]
    assert [token for token in SPECIAL + PLAIN if is_special(token)] == SPECIAL


def test_bytes_become_characters_alike(in_page):
    """Tokens of all sorts in random order, so that bytes belong together or don't."""
    assert in_page["bytes"] == [[joined(tokens), word_starts(tokens)] for tokens in BYTES]
    assert in_page["bytes"][-1] == [" 🍵", [0]]
