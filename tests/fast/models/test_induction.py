"""The induction model: it turns with every seed, its heads compose, and it reads whatever is typed."""

import numpy as np
import pytest
from births import check_birth
from hypothesis import given, settings
from hypothesis import strategies as st

from manyheads import load_induction
from manyheads.models.induction import held_out_sequences
from manyheads.models.induction.measures import measured, without_each


def test_the_shipped_model_says_the_second_copy():
    check_birth(load_induction().history)
    found = measured(load_induction().network, *held_out_sequences())
    assert found["right"] >= 0.98
    assert found["second"] < 0.05
    assert found["first"] > 4  # nobody can know the first copy: ln 64 = 4.16


def test_its_heads_do_what_they_are_called():
    model = load_induction()
    map = model("a7kq3xwma7kq3xwm")
    (one, previous), (two, induction) = model.previous_head, model.induction_head
    assert (one, two) == (0, 1)
    assert map.weights[one, previous].diagonal(-1).mean() > 0.8
    assert map.weights[two, induction].diagonal(-7)[1:].mean() > 0.6


def test_without_the_previous_head_the_induction_head_is_blind():
    model = load_induction()
    table = without_each(model, *held_out_sequences())
    assert table[model.previous_head]["right"] < 0.3
    assert (
        table[model.previous_head]["induction"][1][model.induction_head[1]] < 0.1 < 0.4 < table[None]["induction"][1][1]
    )
    for head in {(0, 0), (0, 1), (1, 0), (1, 1)} - {model.previous_head}:
        assert table[head]["right"] > 0.9, head


@settings(max_examples=30)
@given(st.text(min_size=1, max_size=80))
def test_any_text_is_read_by_the_pattern_of_its_characters(induction, text):
    model = induction
    map, guesses = model(text), model.guesses(text)
    assert len(map.query_tokens) == min(len(text), 64)
    assert bool(map.notes) == (len(text) > 64)
    assert set(guesses.characters) <= {*map.query_tokens, None}
    assert len(guesses.losses) == len(map.query_tokens) - 1
    swapped = text.translate({ord(character): 0x4E00 + number for number, character in enumerate(dict.fromkeys(text))})
    assert np.array_equal(model(swapped).weights, map.weights)


def test_bad_input_is_refused():
    model = load_induction()
    with pytest.raises(ValueError, match="Type a few characters"):
        model("")
    with pytest.raises(TypeError, match="got int"):
        model(7)
    with pytest.raises(ValueError, match="step-190"):
        load_induction("step-7")
