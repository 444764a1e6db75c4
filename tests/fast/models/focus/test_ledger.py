"""What each head brings to an answer, against what the model predicts."""

import numpy as np
import pytest
import torch

from manyheads.models.focus import load_focus_model
from manyheads.models.focus.sentences import FACTS, generate_sentences
from manyheads.widgets.formula_steps import attention_input

VARIANTS = ("taught", "untaught", "heads-1", "heads-8")


def ledger_of(model, sentence):
    X, map = attention_input(model, sentence)
    values = model.attention.project(X, X, X)[2]
    context = torch.tensor(map.weights[0]) @ values  # [h, q, d]
    return model.ledger(context[:, 0].flatten()), map


@pytest.mark.parametrize("variant", VARIANTS)
@torch.no_grad()
def test_the_parts_sum_to_what_the_model_predicts(variant):
    model = load_focus_model(variant)
    for sentence in generate_sentences(12, seed=9):
        ledger, map = ledger_of(model, sentence.text)
        parts = ledger["parts"].numpy()
        np.testing.assert_allclose(parts[:, :-1].sum(-1), parts[:, -1], atol=1e-12)
        ours = iter(ledger["answer"][:, 0].tolist())
        for fact, labels in FACTS.items():
            theirs = [map.predictions[fact][label] for label in labels]
            np.testing.assert_allclose([next(ours) for _ in labels], theirs, atol=1e-5, err_msg=fact)


@torch.no_grad()
def test_with_the_spread_frozen_a_head_that_is_left_out_takes_exactly_its_part_with_it():
    model = load_focus_model()
    ledger, _ = ledger_of(model, "Do you hate tea?")
    X, map = attention_input(model, "Do you hate tea?")
    context = torch.tensor(map.weights[0]) @ model.attention.project(X, X, X)[2]
    output = model.attention.output(context[:, 0].flatten())
    spread = (output.var(unbiased=False) + model.after.eps).sqrt()
    for head in range(model.num_heads):
        rest = context[:, 0].clone()
        rest[head] = 0
        left = model.attention.output(rest.flatten())
        home = (left - left.mean()) / spread * model.after.weight + model.after.bias
        logits = torch.cat([readout(home) for readout in model.readouts.values()])
        np.testing.assert_allclose(ledger["parts"][:, -1] - logits, ledger["parts"][:, head], atol=1e-5)
