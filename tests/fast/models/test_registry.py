"""Every model with a name is a `HeadModel`, and all of them refuse a head mask that doesn't fit in the same words."""

import re

import numpy as np
import pytest

from manyheads.models.registry import FAMILIES, HeadModel

ALONE = ("focus", "translator")  # take the heads of one layer alone: the last, or the only one
TEXTS = {"drawing": "16_8-16_24"}  # of a model that reads no sentences
LARGE = pytest.param("decoder", marks=pytest.mark.xdist_group("decoder"))


@pytest.mark.parametrize("family", [LARGE, *(name for name in FAMILIES if name != "decoder")])
def test_every_family_is_a_head_model(family, request):
    model, text = request.getfixturevalue(family), TEXTS.get(family, "The cat sleeps.")
    assert isinstance(model, HeadModel)
    shape = (model.num_layers, model.num_heads)
    on = np.ones(shape, bool)
    attention = model(text, on.tolist())
    assert attention.shape[:2] == shape
    assert attention.head_names == model.head_names
    with pytest.raises(TypeError, match="head_mask must be boolean, False for a head that is off, got float64"):
        model(text, head_mask=on.astype(float))
    alone = family in ALONE
    for wrong in (on[:, 1:], on[None], on[0, 1:] if alone else on[0]):
        said = re.escape(f"{list(shape)}{f' or [{shape[1]}]' if alone else ''}, got {list(wrong.shape)}")
        with pytest.raises(ValueError, match=rf"head_mask must have shape \[layer, head\] = {said}"):
            model(text, head_mask=wrong)


def test_the_heads_of_the_last_layer_may_be_given_alone(focus, translator):
    for model in (focus, translator):
        alone = [True, False, True, True]
        whole = [[True] * 4] * (model.num_layers - 1) + [alone]
        assert model("The cat sleeps.", alone).predictions == model("The cat sleeps.", whole).predictions
        assert model("The cat sleeps.", alone).written == model("The cat sleeps.", whole).written
