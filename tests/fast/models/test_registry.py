"""Every model with a name is a `HeadModel`, and all of them refuse a head mask that doesn't fit in the same words."""

import re

import numpy as np
import pytest

from manyheads.models.registry import FAMILIES, HeadModel

LARGE = pytest.param("decoder", marks=pytest.mark.xdist_group("decoder"))


@pytest.mark.parametrize("family", [LARGE, *(name for name in FAMILIES if name != "decoder")])
def test_every_family_is_a_head_model(family, request):
    model = request.getfixturevalue(family)
    assert isinstance(model, HeadModel)
    shape = (model.num_layers, model.num_heads)
    on = np.ones(shape, bool)
    map = model("The cat sleeps.", on.tolist())
    assert map.shape[:2] == shape
    assert map.head_names == model.head_names
    with pytest.raises(TypeError, match="head_mask must be boolean, False for a head that is off, got float64"):
        model("The cat sleeps.", head_mask=on.astype(float))
    for wrong in (on[:, 1:], on[None], on[0] if len(on) > 1 else on[0, 1:]):
        said = re.escape(f"{list(shape)}{f' or [{shape[1]}]' if len(on) == 1 else ''}, got {list(wrong.shape)}")
        with pytest.raises(ValueError, match=rf"head_mask must have shape \[layer, head\] = {said}"):
            model("The cat sleeps.", head_mask=wrong)


def test_a_model_of_one_layer_takes_its_heads_alone(focus, translator):
    for model in (focus, translator):
        alone, whole = ([True, False, True, True], [[True, False, True, True]])
        assert model("The cat sleeps.", alone).predictions == model("The cat sleeps.", whole).predictions
        assert model("The cat sleeps.", alone).written == model("The cat sleeps.", whole).written
