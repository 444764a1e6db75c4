"""drop_in.py: called as `nn.MultiheadAttention` is, with its masks, it gives what that gives."""

import copy
import math
import warnings
from dataclasses import dataclass, replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from shaken import shake
from torch import nn

from manyheads.drop_in import DropInAttention, replace_attention

MASKS = ("none", "boolean", "float", "boolean per head", "float per head", "causal", "-inf")
PADDINGS = ("none", "boolean", "float", "-inf")


@dataclass(frozen=True)
class Call:
    """Texts, masks and options of one call; by default all axes differ."""

    batch: int | None = 2  # None for a text without a batch
    num_heads: int = 3
    head_dim: int = 4
    queries: int = 5
    keys: int = 7
    dtype: torch.dtype = torch.float64
    mask: str = "none"
    padding: str = "none"
    bias: bool = True
    kdim: int | None = None
    vdim: int | None = None
    add_bias_kv: bool = False
    add_zero_attn: bool = False
    batch_first: bool = True
    need_weights: bool = True
    average: bool = False
    training: bool = False
    dropout: float = 0.0
    grad: bool = True
    seed: int = 0

    @property
    def tolerance(self):
        return {"rtol": 0, "atol": {torch.float32: 1e-5, torch.float64: 1e-10}[self.dtype]}

    def pair(self):
        """PyTorch's layer and ours, with the same weights."""
        torch.manual_seed(self.seed)
        width = self.num_heads * self.head_dim
        names = ("bias", "kdim", "vdim", "add_bias_kv", "add_zero_attn", "batch_first", "dtype", "dropout")
        options = {name: getattr(self, name) for name in names}
        theirs = shake(nn.MultiheadAttention(width, self.num_heads, **options)).train(self.training)
        return theirs, DropInAttention.from_torch(theirs)

    def texts(self):
        """Queries, and the keys and values that they are compared with."""
        return self.text(self.queries), self.text(self.keys, self.kdim), self.text(self.keys, self.vdim)

    def text(self, length, width=None):
        shape = [length] if self.batch is None else [self.batch, length]
        text = torch.randn(*shape, width or self.num_heads * self.head_dim, dtype=self.dtype)
        return text if self.batch is None or self.batch_first else text.transpose(0, 1)

    def arguments(self):
        torch.manual_seed(self.seed + 1)
        shape = self.queries, self.keys
        per_head = ((self.batch or 1) * self.num_heads, *shape)
        padding = (self.keys,) if self.batch is None else (self.batch, self.keys)
        return {
            "attn_mask": self.draw(self.mask, per_head if "per head" in self.mask else shape),
            "key_padding_mask": self.draw(self.padding, padding),
            "need_weights": self.need_weights,
            "average_attn_weights": self.average,
        }

    def draw(self, kind, shape):
        if kind == "none":
            return None
        forbidden = torch.rand(shape) < 0.4
        if kind == "causal":
            forbidden = torch.ones(shape, dtype=torch.bool).triu(1)
        forbidden[..., 0] = False  # everybody may look at the first word, or PyTorch gives NaN
        if kind.startswith("float"):
            return torch.randn(shape, dtype=self.dtype)
        if kind == "-inf":
            return torch.zeros(shape, dtype=self.dtype).masked_fill(forbidden, -math.inf)
        return forbidden


calls = st.builds(
    Call,
    batch=st.sampled_from([None, 1, 2, 3]),
    num_heads=st.integers(1, 4),
    head_dim=st.integers(1, 5),
    queries=st.integers(1, 6),
    keys=st.integers(1, 6),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    mask=st.sampled_from(MASKS),
    padding=st.sampled_from(PADDINGS),
    bias=st.booleans(),
    kdim=st.sampled_from([None, None, 5]),
    vdim=st.sampled_from([None, None, 6]),
    add_bias_kv=st.booleans(),
    add_zero_attn=st.booleans(),
    batch_first=st.booleans(),
    need_weights=st.booleans(),
    average=st.booleans(),
    training=st.booleans(),
    grad=st.booleans(),
    seed=st.integers(0, 2**16),
)


def called(layer, *texts, **options):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Support for mismatched", UserWarning)  # PyTorch's, of masks of two types
        return layer(*texts, **options)


@settings(max_examples=50)
@given(calls, st.booleans())
def test_it_gives_what_pytorch_gives_by_any_path(call, within):
    """Between two texts or within one; without gradients and in evaluation, PyTorch may take its fast path."""
    if within:
        call = replace(call, kdim=None, vdim=None, keys=call.queries)
    theirs, ours = call.pair()
    texts = [call.text(call.queries)] * 3 if within else call.texts()
    with torch.set_grad_enabled(call.grad):
        found, expected = (called(layer, *texts, **call.arguments()) for layer in (ours, theirs))
    torch.testing.assert_close(found, expected, **call.tolerance)


# --- In PyTorch's transformer


PADDED = torch.tensor([[False] * 5 + [True] * 2, [False] * 7, [False] * 4 + [True] * 3])
INSIDE = {
    "no mask": {},
    "both": {"mask": torch.ones(7, 7, dtype=torch.bool).triu(1), "src_key_padding_mask": PADDED},
}


@pytest.mark.parametrize("options", INSIDE.values(), ids=list(INSIDE))
@pytest.mark.parametrize("grad", [True, False], ids=["gradients", "no gradients"])
@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True", "ignore:The PyTorch API of nested tensors")
def test_inside_a_transformer_encoder_it_is_asked(grad, options):
    torch.manual_seed(0)
    theirs = nn.TransformerEncoder(
        shake(nn.TransformerEncoderLayer(12, 2, 16, dropout=0.0, batch_first=True)), 2
    ).eval()
    ours, seen = replace_attention(copy.deepcopy(theirs)), []
    for part in ours.modules():
        if isinstance(part, DropInAttention):
            part.register_forward_hook(lambda *_: seen.append(1))
    text = torch.randn(3, 7, 12)
    with torch.set_grad_enabled(grad):
        output, expected = ours(text, **options), theirs(text, **options)
    assert len(seen) == 2, "PyTorch's fast path would pass it by"
    words = ~PADDED if options else torch.ones(3, 7, dtype=torch.bool)  # nested tensors lose padding
    torch.testing.assert_close(output[words], expected[words], rtol=0, atol=1e-4)


TEXT = torch.zeros(2, 5, 8)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"attn_mask": torch.zeros(5, 4)}, ValueError, r"attn_mask must be \[5, 5\] or \[4, 5, 5\], got \[5, 4\]"),
        ({"key_padding_mask": torch.zeros(5)}, ValueError, r"key_padding_mask must be \[2, 5\], got \[5\]"),
        ({"key_padding_mask": torch.zeros(2, 5).int()}, TypeError, "True for what is forbidden.* got torch.int32"),
        ({"value": torch.zeros(2, 4, 8)}, ValueError, r"of one length, and all of one batch, got .*\[2, 4, 8\]"),
        ({"query": torch.zeros(2, 5, 8).long()}, TypeError, "query must be a floating-point tensor, got torch.int64"),
    ],
)
def test_what_does_not_fit_is_refused(options, error, says):
    with pytest.raises(error, match=says):
        DropInAttention(8, 2, batch_first=True)(**{"query": TEXT, "key": TEXT, "value": TEXT, **options})


# --- How it differs, as the table in its docstring says


def test_a_query_without_keys_gets_zeros():
    theirs, ours = (call := Call(mask="boolean")).pair()
    query, key, options = call.text(call.queries), call.text(call.keys), call.arguments()
    options["attn_mask"][2] = True
    output, weights = ours(query, key, key, **options)
    expected, their_weights = theirs(query, key, key, **options)
    others = [0, 1, 3, 4]
    torch.testing.assert_close(output[:, others], expected[:, others], **call.tolerance)
    torch.testing.assert_close(output[:, 2], ours.output.bias.expand(2, -1))
    assert their_weights[:, :, 2].isnan().all()
    assert (weights[:, :, 2] == 0).all()
    output.sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in ours.parameters())


def test_a_mask_is_read_though_it_is_called_causal():
    theirs, ours = (call := Call(queries=5, keys=5)).pair()
    text, options = call.text(5), {"attn_mask": torch.zeros(5, 5, dtype=torch.bool), "need_weights": False}
    output = ours(text, text, text, is_causal=True, **options)[0]
    torch.testing.assert_close(output, theirs(text, text, text, **options)[0], **call.tolerance)
    assert not torch.allclose(output, theirs(text, text, text, is_causal=True, **options)[0])


@pytest.mark.parametrize(
    "options", [{"bias": False, "kdim": 5, "vdim": 6}, {"add_bias_kv": True, "add_zero_attn": True}]
)
def test_a_seed_gives_the_numbers_that_it_gives_pytorch_and_they_come_back(options):
    torch.manual_seed(7)
    theirs, following = nn.MultiheadAttention(12, 3, 0.25, **options), torch.rand(1)
    torch.manual_seed(7)
    ours = DropInAttention(12, 3, 0.25, **options)
    assert torch.rand(1) == following, "as many random numbers are drawn"
    again = ours.to_torch()
    assert (again.batch_first, again.dropout, again.training) == (False, 0.25, True)
    assert list(again.state_dict()) == list(theirs.state_dict())
    assert all(torch.equal(again.state_dict()[name], tensor) for name, tensor in theirs.state_dict().items())
    assert {*map(id, ours.parameters())}.isdisjoint(map(id, again.parameters())), "copied, not shared"
