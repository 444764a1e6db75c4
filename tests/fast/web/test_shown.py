"""What is shown of a map: the same in Python and in the page, whatever the reader chose."""

import itertools

import numpy as np
import pytest
from close import assert_close
from node import ask_node

from manyheads.drawing.legend import legend_of
from manyheads.maps import AttentionMap
from manyheads.maps.choosing import fit_query, query_of, read_query, take_between
from manyheads.maps.wire import map_dict, map_json
from manyheads.shared.numbers import amount, percent
from manyheads.shared.options import OPTIONS, is_whole
from manyheads.shared.tokens import direction_of, find_words, isolated, spelled, text_of

TWIN = """
import { START } from "./math/options.ts";
import { queryRow, legendOf, shownMap } from "./math/shown.ts";
import { amount, directionOf, isolated, spelled } from "./math/text.ts";
import { decodeMap } from "./math/wire.ts";
const { cases, numbers, contents, texts } = given;
const found = cases.map(({ written, state }) => {
  const map = decodeMap(written);
  const shown = shownMap(map, { ...START, ...state });
  const legend = legendOf(shown, { ...START, ...state, layer: 0 });
  return { ...shown, legend, weights: [...shown.weights], asked: queryRow(shown, state.query, map.queryTokens) };
});
answer({ found, amounts: numbers.map((number) => [amount(number), amount(number, true)]), spelled: contents.map((bytes) => spelled(Uint8Array.from(bytes))), directions: texts.map((tokens) => [directionOf(tokens), tokens.map(isolated)]) });
"""
TEXTS = [
    ["[CLS]", "un", "##help", "##ful", "tea", "[SEP]"],
    ["The", " un", "help", "ful", ",", " tea", " 2nd", "s"],
    ["<s>", "</s>"],
    ["▁a", "b", "<extra_id_0>", "c", "##d"],
    ["x"],
    ["Hot", " <F0 9F>", "<8D>", "<B5>", "<E8>", "<8C>"],
    "I| don|’|t| pay| '|3|.|50|'|,| James|'| 1|,|000|.|a|.|b".split("|"),
]


LEGENDS = {  # by kind and scale
    ("shares", "absolute"): ["0\xa0%", "40\xa0% of a head’s attention or more, on every map"],
    ("shares", "relative"): ["0", "the largest weight of its row"],
    ("amounts", "absolute"): ["0", "{}, the largest weight of the layer"],
    ("amounts", "relative"): ["0", "the largest weight of its row"],
    ("signed", "absolute"): ["−{}", "+{}, the largest weight of the layer"],
    ("signed", "relative"): ["0", "the largest weight of its row"],
}


def in_the_page(cases, numbers=(), contents=(), texts=()):
    """What the page shows of maps: [(map, state), ...]; how it writes numbers, spells bytes, and turns texts."""
    written = [map_dict(attention) | {"weights": attention.weights.ravel().tolist()} for attention, _ in cases]
    sent = [{"written": attention, "state": {"query": 0} | state} for attention, (_, state) in zip(written, cases)]
    return ask_node(TWIN, {"cases": sent, "numbers": numbers, "contents": [*map(list, contents)], "texts": texts})


def maps(empty=0.2):
    """Maps of all kinds, of the same and of other tokens on both sides; some rows look at nothing."""
    random = np.random.default_rng(7)
    for tokens, kind in itertools.product([*TEXTS, None], ("shares", "amounts", "signed")):
        queries, keys = (TEXTS[0], TEXTS[1]) if tokens is None else (tokens, tokens)
        weights = random.dirichlet(np.full(len(keys), 0.4), (2, 3, len(queries)))
        weights[random.random(weights.shape[:3]) < empty] = 0
        weights = {"shares": weights, "amounts": 5 * weights, "signed": 200 * weights - 3}[kind]
        norms = 9 * random.random((2, 3, len(keys))) if kind == "shares" else None
        yield AttentionMap(queries, keys, weights, kind=kind, value_norms=norms)


def examples():
    """Maps, states, and what Python makes of them by the same choices in the same order."""
    random = np.random.default_rng(7)
    for attention in maps():
        if attention.kind == "shares" and attention.query_tokens == attention.key_tokens:
            yield attention, {"layers": "rollout"}, attention.rollout()
            yield attention, {"layers": "rollout", "weigh": "written"}, attention.rollout()
        yield attention, {"first": 1, "last": 3}, take_between(attention, 1, 3)
        yield attention, {"first": 2, "heads": "average"}, take_between(attention.average(), 2, None)
        for _ in range(4):
            state, shown = {"view": "grid", "query": int(random.integers(attention.shape[2]))}, attention
            if random.random() < 0.5:
                state["weigh"] = "written"
                shown = attention.value_weighted() if attention.value_norms is not None else attention
            if random.random() < 0.5:
                mask = (random.random(attention.shape[:2]) < 0.6).tolist() if random.random() < 0.7 else None
                state |= {"heads": "average", "headMask": mask}
                shown = shown.average(mask)
            if random.random() < 0.5:
                state["pieces"], shown = "merge", shown.merge_pieces()
            if random.random() < 0.5:
                state["special"], shown = "remove", shown.without_special()
            yield attention, state, shown


def test_python_and_the_page_show_the_same():
    cases = list(examples())
    numbers = [0, 0.0004, 0.9996, 1, 9.996, 12.34, 99.96, 1234.5, -0.5, -20]
    answer = in_the_page([(attention, {"view": "grid"} | state) for attention, state, _ in cases], numbers)
    assert answer["amounts"] == [[amount(number), amount(number, signed=True)] for number in numbers]
    notes = set()
    for (_, _, ours), theirs in zip(cases, answer["found"]):
        np.testing.assert_allclose(theirs["weights"], ours.weights.ravel(), atol=2e-4, rtol=1e-5)
        assert theirs["shape"] == list(ours.shape)
        assert (theirs["queryTokens"], theirs["keyTokens"]) == (ours.query_tokens, ours.key_tokens)
        assert theirs.get("kind", "shares") == ours.kind
        assert theirs["notes"] == list(ours.notes)
        notes |= {note.split()[0] for note in ours.notes}
    assert notes == {"Each", "Word", "Weights", "There", "Tokens"}, "every note was among the examples"


def test_a_legend_says_what_the_colours_mean():
    cases = [(attention, scale) for attention in maps() for scale in OPTIONS["scale"]["values"]]
    found = in_the_page([(attention, {"scale": scale}) for attention, scale in cases])["found"]
    for (attention, scale), theirs in zip(cases, found):
        largest = amount(np.abs(attention.weights[0]).max())
        assert theirs["legend"] == [text.format(largest) for text in LEGENDS[attention.kind, scale]]
        note = OPTIONS["scale"]["values"][scale].get("note")
        assert theirs["notes"] == [*attention.notes, *([note] if note else [])]
        if scale == "absolute":
            assert legend_of(attention, 0) == theirs["legend"]


def test_what_is_told_from_whole_rows_says_so():
    """Of some tokens, a page holds these alone: shown in any way that isn't `whole`, they look as they did among all."""
    some = {"first": 1, "last": 3}
    pairs = [(attention, take_between(attention, **some)) for attention in maps(empty=0) if attention.shape[3] > 3]
    ways = [(name, value) for name, row in OPTIONS.items() for value in row.get("values", ())]
    states = [{"view": "grid", name: value} for name, value in ways]
    cases = [
        case for state in states for attention, part in pairs for case in ((attention, state | some), (part, state))
    ]
    shown = (np.reshape(each["weights"], each["shape"])[each["present"]] for each in in_the_page(cases)["found"])
    for name, value in ways:
        both = [(next(shown), next(shown)) for _ in pairs]
        alike = all(one.shape == two.shape and np.allclose(one, two, atol=1e-4) for one, two in both)
        asked = "drop the column" if alike else 'give it the column "whole": true'
        assert alike != is_whole(name, value), f"{value!r} of {name!r} in shared/options.json: {asked}"


def causal():
    """Ten tokens of a decoder; the first, which is no special token, gets half of all attention and more."""
    weights = np.tril(np.full((10, 10), 0.02))
    weights[:, 0] += 1 - weights.sum(-1)
    return AttentionMap(tokens := [f" w{place}" for place in range(10)], tokens, weights[None, None])


def test_a_range_keeps_true_weights_and_says_what_lies_outside():
    part, start = in_the_page([(causal(), {"first": 4, "last": 6}), (causal(), {"last": 0})])["found"]
    inside = causal().weights[0, 0, 4:7, 4:7]
    assert_close(part["weights"], inside.ravel())
    assert part["queries"] == part["keys"] == [4, 5, 6]
    range_said = "Tokens 5 to 7 of 10 are shown. Weights are as they were: "
    assert part["notes"] == [f"{range_said}{percent(1 - inside.sum() / 3)} of what is looked at here lies outside."]
    assert start["keyTokens"] == [" w0"]


@pytest.mark.parametrize("kind", ["shares", "signed"])
def test_many_weights_travel_as_digits(kind):
    random, tokens = np.random.default_rng(0), [str(place) for place in range(70)]
    shares, signed = random.dirichlet(np.ones(70), (1, 1, 70)), random.normal(scale=40, size=(1, 1, 70, 70))
    weights, near = (shares, 0.0007) if kind == "shares" else (signed, np.abs(signed).max() / 4000)
    attention = AttentionMap(tokens, tokens, weights, kind=kind)
    written = map_json(attention)
    assert len(written["weights"]) <= 2 * 70 * 70
    case = {"written": written, "state": {"query": 0}}
    (found,) = ask_node(TWIN, {"cases": [case], "numbers": [], "contents": [], "texts": []})["found"]
    np.testing.assert_allclose(found["weights"], attention.weights.ravel(), atol=near)


def test_python_and_the_page_spell_bytes_alike():
    random = np.random.default_rng(7)
    text = "a é 是 🍵 \ufeff\u07ff\U0010ffff".encode()
    parts = [text[start : start + random.integers(9)] for start in range(len(text))]
    contents = [*parts, *(part[::-1] for part in parts), *map(bytes, random.integers(256, size=(200, 5)))]
    contents += [bytes.fromhex(some) for some in ("C0 AF", "ED A0 80", "F4 90 80 80", "E2 82 41 82 AC", "")]
    assert in_the_page([], contents=contents)["spelled"] == [spelled(some) for some in contents]


def test_python_and_the_page_know_the_direction_of_a_text():
    right_to_left = ["[CLS]", "5", "שלום,"], ["<s>", " مرحبا", "!"], ["Ġ", "<D9 85>"], ["<D7>", "<A9>"], ["\U0001e900"]
    others = ["[CLS]", "Anna", "שלום"], ["茶"], ["12!"], ["[SEP]"], []
    texts = [*right_to_left, *others]
    ours = [[direction_of(tokens), [isolated(token) for token in tokens]] for tokens in texts]
    assert [direction for direction, _ in ours] == ["rtl"] * 5 + ["ltr"] * 5
    assert in_the_page([], texts=texts)["directions"] == ours


SPANS = """
import { forQuery, asOne, fitQuery } from "./math/choosing.ts";
import { isMasked } from "./math/maps.ts";
import { readQuery, writeQuery } from "./math/query.ts";
import { findWords, textOf } from "./math/text.ts";
import { decodeMap } from "./math/wire.ts";
answer(given.map(({ written, span, text }) => {
  const map = decodeMap(written);
  const one = forQuery(map, span);
  return {
    weights: [...one.weights],
    masked: map.keyTokens.map((_, key) => [isMasked(map, span, key), isMasked(one, 0, key)]),
    notes: asOne(map, span),
    name: textOf(map.queryTokens, ...span),
    found: findWords(map.queryTokens, text),
    fits: fitQuery(readQuery(text) ?? "", map.queryTokens),
    written: writeQuery(span),
  };
}));
"""


def test_python_and_the_page_let_the_same_words_ask_as_one():
    random, cases = np.random.default_rng(3), []
    for attention in [*maps(empty=0), *maps(), causal()]:
        count = len(attention.query_tokens)
        for _ in range(6):
            first, last = sorted(map(int, random.integers(count, size=2)))
            named = text_of(attention.query_tokens, first, last)
            text = str(random.choice([named, named.upper(), "tea", "un", f"{last}-{first + 99}", "nowhere"]))
            cases.append((attention, (first, last), text))
    sent = [
        {"written": map_dict(attention) | {"weights": attention.weights.ravel().tolist()}, "span": span, "text": text}
        for attention, span, text in cases
    ]
    refused = set()
    for (attention, span, text), theirs in zip(cases, ask_node(SPANS, sent)):
        ours = attention.for_query(span)
        largest = np.abs(attention.weights).max()
        np.testing.assert_allclose(theirs["weights"], ours.weights.ravel(), atol=1e-6 * largest)
        allowed = np.ones((1, len(ours.key_tokens)), bool) if ours.allowed is None else ours.allowed
        assert theirs["masked"] == [[not seen] * 2 for seen in allowed[0]]
        assert theirs["notes"] == [note for note in ours.notes if note not in attention.notes]
        assert (theirs["name"], theirs["written"]) == (text_of(attention.query_tokens, *span), "{}-{}".format(*span))
        assert theirs["found"] == [list(place) for place in find_words(attention.query_tokens, text)]
        query, places = read_query(text), find_words(attention.query_tokens, text)
        if isinstance(query, str) and len(places) != 1:
            with pytest.raises(ValueError, match="“") as error:
                query_of(query, attention.query_tokens)
            assert theirs["fits"] == {"query": 0, "refused": str(error.value)}
            refused.add(len(places) > 1)
            continue
        if isinstance(query, str):
            query = query_of(query, attention.query_tokens)
        fits = fit_query(query, len(attention.query_tokens))
        assert theirs["fits"] == {"query": list(fits) if isinstance(fits, tuple) else fits}
    assert len(refused) == 2, "some stood nowhere, some more than once"
