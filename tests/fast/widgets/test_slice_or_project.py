"""The queries of one word, made in three ways, for every number of heads that the focus model is trained with."""

import numpy as np
import pytest
from close import assert_close

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
        assert_close(made["wide"], queries[:, word])  # float32
        assert_close(made["narrow"], made["wide"])
        width = X.shape[1] // model.num_heads
        for head in range(model.num_heads):
            learned = head_parameters(model.attention, head)
            rows = slice(head * width, (head + 1) * width)
            alone = X[word, rows].numpy() @ learned["Wq"][rows] + learned["bq"]
            assert_close(made["sliced"][head], alone)
        if model.num_heads > 1:
            assert np.abs(made["sliced"] - made["wide"]).max() > 0.1
