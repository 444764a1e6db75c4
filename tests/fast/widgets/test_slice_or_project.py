"""The queries of one word, made in three ways, for every number of heads that the focus model is trained with."""

import numpy as np
import pytest

from manyheads.models.registry import load_model
from manyheads.models.steps import attention_input, head_parameters
from manyheads.widgets.slice_or_project import projections

SENTENCE = "My boss hates the rain."


@pytest.mark.parametrize("name", ["focus", "focus/heads-1", "focus/heads-2", "focus/heads-8"])
def test_one_wide_matrix_equals_many_narrow_ones(name):
    model = load_model(name)
    X, _ = attention_input(model, SENTENCE)
    queries = model.attention.project(X, X, X)[0].detach().numpy()  # [h, q, d_k]
    for word in range(len(X)):
        made = projections(model, SENTENCE, word)
        np.testing.assert_allclose(made["wide"], queries[:, word], atol=5e-6, rtol=0)  # float32
        np.testing.assert_allclose(made["narrow"], made["wide"], atol=1e-6, rtol=0)
        width = X.shape[1] // model.num_heads
        for head in range(model.num_heads):
            learned = head_parameters(model.attention, head)
            rows = slice(head * width, (head + 1) * width)
            alone = X[word, rows].numpy() @ learned["Wq"][rows] + learned["bq"]
            np.testing.assert_allclose(made["sliced"][head], alone, atol=1e-5)
        if model.num_heads > 1:
            assert np.abs(made["sliced"] - made["wide"]).max() > 0.1
