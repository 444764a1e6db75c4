"""kinds.ts, the twin, gives what models/focus/kinds.py gives: every kind of attention, its maps and what its heads write."""

import pytest
import torch
from close import assert_close
from node import ask_node

from manyheads.attention import MultiHeadAttention
from manyheads.models.focus.kinds import KINDS, attention_of

DRIVER = """
import { attentionOf } from "./math/kinds.ts";
const read = ({ shape, values }) => ({ shape, values: Float32Array.from(values) });
const layer = Object.fromEntries(Object.entries(given.layer).map(([name, tensor]) => [name, read(tensor)]));
answer(Object.fromEntries(given.kinds.map((kind) => {
  const { output, weights } = attentionOf(kind)(read(given.X), layer, { numHeads: 4, rotaryBase: 10, headMask: given.headMask });
  return [kind, [output, weights].map(({ shape, values }) => ({ shape, values: [...values] }))];
})));
"""


def sent(tensor):
    return {"shape": list(tensor.shape), "values": tensor.flatten().tolist()}


@pytest.mark.parametrize("head_mask", [None, [True, False, True, True]])
def test_every_kind_is_the_same_in_the_page(head_mask):
    torch.manual_seed(1)
    module = MultiHeadAttention(44, 4, attention_dim=24, value_dim=40, rotary_base=10.0).eval()
    X = torch.randn(9, 44)
    layer = {name: sent(tensor) for name, tensor in module.state_dict().items()}
    found = ask_node(DRIVER, {"layer": layer, "X": sent(X), "kinds": list(KINDS), "headMask": head_mask})
    mask = torch.ones(1, 9, dtype=torch.bool)
    on = None if head_mask is None else torch.tensor(head_mask)
    maps = []
    for kind, theirs in found.items():
        with torch.no_grad():
            ours = attention_of(kind, module)(X, mask=mask, head_mask=on)
        for one, other in zip(ours, theirs, strict=True):
            assert list(one.shape) == other["shape"], kind
            assert_close(one.flatten(), other["values"], name=kind)
        maps.append(ours[1])
    for one in range(len(maps)):  # no kind passes for another
        assert all((maps[one] - maps[other]).abs().max() > 1e-3 for other in range(one)), list(found)[one]
