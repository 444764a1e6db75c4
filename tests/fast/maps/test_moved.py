"""`AttentionMap.moved`: how far each head of a second model is from the first, the same in Python and in the page."""

from dataclasses import replace

import numpy as np
import pytest
from close import assert_close
from hypothesis import given
from hypothesis import strategies as st
from node import ask_node
from traitlets import TraitError

from manyheads import HeadMap
from manyheads.maps import AttentionMap
from manyheads.maps.wire import map_dict

TWIN = """
import { apartOf, averageOf } from "./math/compared.ts";
import { decodeMap } from "./math/wire.ts";
const apart = given.map((both) => apartOf(...both.map(decodeMap)));
answer({ moved: apart.map(({ heads }) => heads), average: averageOf(apart.slice(0, 2)) });
"""


def drawn(random, shape, kind="shares"):
    """A map of any shape, of which some rows look at nothing; of parts, each row lacks something."""
    *_, queries, keys = shape
    weights = random.dirichlet(np.full(keys, 0.4), shape[:3])
    weights[random.random(shape[:3]) < 0.2] = 0
    weights *= random.uniform(0.2, 1, (*shape[:3], 1)) if kind == "parts" else 1
    names = [f"q{at}" for at in range(queries)], [f"k{at}" for at in range(keys)]
    return AttentionMap(*names, weights, kind=kind)


@given(
    shape=st.permutations([1, 2, 3, 5, 7]).map(lambda sizes: sizes[:4]),
    kind=st.sampled_from(["shares", "parts"]),
    seed=st.integers(0, 10**6),
)
def test_how_far_heads_moved_is_a_distance(shape, kind, seed):
    random = np.random.default_rng(seed)
    first, second, third = (drawn(random, shape, kind) for _ in range(3))
    moved = first.moved(second)
    assert moved.shape == first.shape[:2]
    assert (first.moved(first) == 0).all()
    assert (moved == second.moved(first)).all()
    assert (moved >= 0).all()
    assert (moved <= 1).all()
    assert (moved <= first.moved(third) + third.moved(second) + 1e-12).all()


def test_a_row_that_shares_nothing_has_moved_whole():
    (before, after), tokens = ([[[[1.0, 0.0], [1, 0]]]], [[[[0.0, 1.0], [1, 0]]]]), ["hot", "tea"]
    assert AttentionMap(tokens, tokens, before).moved(AttentionMap(tokens, tokens, after)).tolist() == [[0.5]]


def test_the_page_finds_the_same():
    random = np.random.default_rng(3)
    pairs = [[drawn(random, shape) for _ in range(2)] for shape in [(2, 3, 5, 7)] * 2 + [(3, 1, 7, 2), (1, 4, 1, 3)]]
    sent = [[map_dict(each) | {"weights": each.weights.ravel().tolist()} for each in both] for both in pairs]
    found = ask_node(TWIN, sent)
    expected = [first.moved(second).ravel() for first, second in pairs]
    for theirs, ours in zip(found["moved"], expected, strict=True):
        assert_close(np.array(theirs), ours, part=1e-6)
    assert_close(np.array(found["average"]), (expected[0] + expected[1]) / 2, part=1e-6)


def test_maps_whose_heads_have_no_like_are_refused():
    random = np.random.default_rng(0)
    first = drawn(random, (2, 3, 5, 7))
    for other, says in [
        (drawn(random, (3, 2, 5, 7)), "there are 2 layers of 3 heads, and 3 of 2"),
        (
            replace(first, key_tokens=[*"abcdefg"]),
            r"other tokens, \['k0', .*\] and \['a', .*\]: compare models that cut",
        ),
        (replace(first, kind="amounts"), "rows that sum to 1, got amounts"),
    ]:
        with pytest.raises(ValueError, match=says):
            first.moved(other)


def test_a_given_map_is_compared_with_another_models():
    random = np.random.default_rng(1)
    first, second = (drawn(random, (2, 3, 5, 7)) for _ in range(2))
    second = replace(second, predictions={"next word": {"tea": 1.0}})
    for compare in (second, HeadMap.of(second)):
        both = HeadMap.of(first, compare=compare)
        assert (both.view, both._beside) == ("grid", "second map")
        assert both._compared["predictions"] == {"next word": {"tea": 1.0}}
        assert both.attention is first
    assert HeadMap.of({"q4": first}, compare=HeadMap.of({"f16": second}), view="matrix")._beside == "f16"
    for compare, error, says in [
        (drawn(random, (3, 2, 5, 7)), ValueError, "2 layers of 3 heads, and 3 of 2"),
        ("a sentence", TypeError, "compare must be a HeadMap or an AttentionMap of the same tokens, got str"),
    ]:
        with pytest.raises(error, match=says):
            HeadMap.of(first, compare=compare)
    with pytest.raises(ValueError, match="compare is for one map, but there are 2"):
        HeadMap.of({"a": first, "b": second}, compare=second)


def test_a_second_model_reads_what_is_typed_and_is_saved_beside_the_first(tmp_path):
    figure = HeadMap("Tea or coffee?", model="focus", beside="focus/untaught")
    before = figure._compared["weights"]
    figure.sentence = "Tea or milk, or coffee?"
    assert figure._compared["weights"] != before
    assert figure._compared["keyTokens"] == figure.attention.key_tokens
    figure.head_mask = [[True] * 4, [False, True, True, True]]
    with pytest.raises(ValueError, match="heads are compared one by one"):
        HeadMap("Tea or coffee?", model="focus", beside="focus/heads-8")
    with pytest.raises(TraitError, match="compare is for one model: beside it stands focus/untaught"):
        figure.compare = "Tea!"
    page = figure.save(tmp_path / "both.html").read_text(encoding="utf-8")
    assert "<h2>focus: Tea or milk" in page
    assert "<h2>focus/untaught: Tea or milk" in page
    assert 'beside="focus/untaught"' in figure._element()
