"""The induction model: it turns with every seed, its heads compose, and it reads whatever is typed."""

from dataclasses import asdict

import numpy as np
import pytest
import torch
from births import check_birth
from close import assert_close
from hypothesis import given, settings
from hypothesis import strategies as st

from manyheads import load_induction
from manyheads.models.induction import InductionConfig
from manyheads.models.induction.network import AttentionOnly
from manyheads.models.keeping import write_model
from manyheads_recipes.induction.data import held_out_sequences
from manyheads_recipes.induction.measures import measured, without_each


def test_the_shipped_model_says_the_second_copy():
    check_birth(load_induction().history)
    found = measured(load_induction().network, *held_out_sequences())
    assert found["right"] >= 0.98
    assert found["second"] < 0.05
    assert found["first"] > 4  # nobody can know the first copy: ln 64 = 4.16


def test_its_heads_do_what_they_are_called():
    model = load_induction()
    attention = model("a7kq3xwma7kq3xwm")
    (one, previous), (two, induction) = model.previous_head, model.induction_head
    assert (one, two) == (0, 1)
    assert attention.weights[one, previous].diagonal(-1).mean() > 0.8
    assert attention.weights[two, induction].diagonal(-7)[1:].mean() > 0.6


def test_without_the_previous_head_the_induction_head_is_blind():
    model = load_induction()
    table = without_each(model, *held_out_sequences())
    assert table[model.previous_head]["right"] < 0.3
    without, whole = (table[head]["induction"][1][model.induction_head[1]] for head in (model.previous_head, None))
    assert without < 0.1 < 0.95 < whole
    for head in {(0, 0), (0, 1), (1, 0), (1, 1)} - {model.previous_head}:
        assert table[head]["right"] > 0.9, head


@settings(max_examples=30)
@given(st.text(min_size=1, max_size=80))
def test_any_text_is_read_by_the_pattern_of_its_characters(induction, text):
    model = induction
    attention, guesses = model(text), model.guesses(text)
    assert len(attention.query_tokens) == min(len(text), 64)
    assert bool(attention.notes) == (len(text) > 64)
    assert set(guesses.characters) <= {*attention.query_tokens, None}
    assert len(guesses.losses) == len(attention.query_tokens) - 1
    swapped = text.translate({ord(character): 0x4E00 + number for number, character in enumerate(dict.fromkeys(text))})
    assert np.array_equal(model(swapped).weights, attention.weights)


def test_bad_input_is_refused():
    model = load_induction()
    with pytest.raises(ValueError, match="Type a few characters"):
        model("")
    with pytest.raises(TypeError, match="got int"):
        model(7)
    with pytest.raises(ValueError, match="step-190"):
        load_induction("step-7")


OTHER = InductionConfig(layers=2, heads=3, width=12, symbols=7, positions=9)


def saved(path, **changes):
    """A file as the page writes one, but for what is changed: its sizes are others than ours."""
    network = AttentionOnly(OTHER)
    header = {"variant": "seed-0-step-40", "config": asdict(OTHER), "roles": {"previous": [0, 2], "induction": [1, 0]}}
    header |= {"history": [], "words": {"nothing": "Type."}} | changes
    write_model(path, network, {name: value for name, value in header.items() if value is not None}, torch.float32)
    return network


def test_a_model_of_a_readers_own_is_read_from_its_file(tmp_path):
    path = tmp_path / "step-190.safetensors"  # named as one of ours, which it isn't
    network = saved(path)
    for written in (path, str(path)):
        model = load_induction(written)
        assert (model.name, model.config, model.previous_head) == ("step-190.safetensors", OTHER, (0, 2))
        with torch.no_grad():
            expected = network(torch.tensor([0, 1, 2, 0, 1]))[1]
        assert_close(model("abcab").weights, expected)


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("its header lacks roles", {"roles": None}),
        ("must be a head of .2, 3., from 0, got .0, 3.", {"roles": {"previous": [0, 3]}}),
        ("its config differs in .*'heads'", {"config": {"layers": 2}}),
        ("layers must be a whole number from 1, got 'two'", {"config": asdict(OTHER) | {"layers": "two"}}),
        ("these differ: .*position", {"config": asdict(OTHER) | {"positions": 8}}),
        ("num_heads must divide", {"config": asdict(OTHER) | {"heads": 5}}),
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path, message, changes):
    path = tmp_path / "mine.safetensors"
    saved(path, **changes)
    with pytest.raises(ValueError, match=message):
        load_induction(path)


def test_what_is_no_such_file_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_induction(tmp_path / "none.safetensors")
    path = tmp_path / "tea.safetensors"
    path.write_bytes(b"two sugars")
    with pytest.raises(ValueError, match="take another copy of it"):
        load_induction(path)


def test_a_file_of_another_kind_is_told_what_makes_one(tmp_path):
    path = tmp_path / "mine.pt"
    torch.save(load_induction().state_dict(), path)
    for written in (path, str(path)):
        with pytest.raises(ValueError, match=r"mine.pt isn't a safetensors file: .* the model's save\(path\)"):
            load_induction(written)
    saved(tmp_path / "mine.bin")
    assert load_induction(str(tmp_path / "mine.bin")).config == OTHER
    with pytest.raises(ValueError, match="no such variant"):
        load_induction(str(tmp_path / "none.pt"))
