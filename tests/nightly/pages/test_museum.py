"""The museum of bugs: each switch does to the map what the shown lines do to attention.py."""

import inspect
import re
from types import ModuleType

import pytest
import torch
from live_maps import agrees, attention_of, ready, type_sentence
from served import ROOT

from manyheads import attention
from manyheads.models.focus import load_focus_model
from manyheads.models.steps import attention_input

BUGS = ("view", "scale", "axis", "mask", "concat", "width")  # in the order of the page
MUSEUM = (ROOT / "book" / "museum.md").read_text()
SENTENCE = "The old cook made a wonderful soup."


def mutated(bug):
    """attention.py with the change that the museum's page shows for a bug."""
    diffs = re.findall(r"~~~diff\n(.*?)~~~", MUSEUM, re.DOTALL)
    lines = dict(zip(BUGS, diffs, strict=True))[bug].splitlines()
    source = inspect.getsource(attention)
    for right, wrong in zip(lines[::2], lines[1::2], strict=True):
        assert source.count(right[1:]) == 1, f"attention.py must have this, once: {right[1:]}"
        source = source.replace(right[1:], wrong[1:])
    module = ModuleType(f"attention_{bug}")
    exec(compile(source, module.__name__, "exec"), module.__dict__)
    return module


def unmasked(_, inputs, options):
    return inputs, options


def masked(_, inputs, options):
    """Layer 1, which is right, has the mask as well."""
    return inputs, options | {"mask": attention.causal_mask(inputs[0].shape[-2])}


def wrong_weights(bug, heads):
    """The weights of the focus model's layer in the mutated module."""
    model = load_focus_model()
    below = model.first.register_forward_pre_hook(masked if bug == "mask" else unmasked, with_kwargs=True)
    X, _ = attention_input(model, SENTENCE)
    below.remove()
    right, module = model.attention, mutated(bug)
    if bug == "view":
        wrong = module.MultiHeadAttention(right.embed_dim, right.num_heads, attention_dim=right.attention_dim)
        wrong.load_state_dict(right.state_dict())
        return wrong(X)[1]
    wrong = module.LoopedMultiHeadAttention(right.embed_dim, heads, attention_dim=right.attention_dim)
    width = right.attention_dim // heads
    for at, head in enumerate(wrong.heads):
        rows = slice(at * width, (at + 1) * width)
        for name in ("query", "key", "value"):
            layer = getattr(right, name)
            getattr(head, name).load_state_dict({"weight": layer.weight[rows], "bias": layer.bias[rows]})
    kept = wrong.output.in_features
    wrong.output.load_state_dict({"weight": right.output.weight[:, :kept], "bias": right.output.bias})
    return wrong(X, mask=attention.causal_mask(len(X)) if bug == "mask" else None)[1]


@pytest.mark.parametrize("bug", BUGS)
@torch.no_grad()
def test_the_page_does_what_the_shown_change_does_to_the_module(page, site, bug):
    page.goto(f"{site}/book/museum.html")
    piece = page.locator(f"museum-piece[bug={bug}]")
    drawer = page.locator("details", has=piece)
    if drawer.count():
        drawer.locator("> summary").click()
    head_map = piece.locator("head-map")
    ready(head_map)
    type_sentence(head_map, SENTENCE)
    piece.get_by_role("switch").check()
    weights = wrong_weights(bug, 5 if bug == "width" else 4)
    agrees(lambda: attention_of(head_map)["weights"][-1], weights, 1e-4)
