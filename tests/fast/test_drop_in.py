"""drop_in.py: called as `nn.MultiheadAttention` is, with its masks, it gives what that gives."""

import itertools
import math
import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from shaken import shake
from torch import nn

from manyheads.conversions import from_torch_names
from manyheads.drop_in import DropInAttention, replace_attention
from manyheads.widgets import HeadMap

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

    def arguments(self, queries=None, keys=None):
        torch.manual_seed(self.seed + 1)
        queries, keys = queries or self.queries, keys or self.keys
        per_head = ((self.batch or 1) * self.num_heads, queries, keys)
        padding = (keys,) if self.batch is None else (self.batch, keys)
        return {
            "attn_mask": self.draw(self.mask, per_head if "per head" in self.mask else (queries, keys)),
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


every_case = settings(max_examples=25)
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


def check_equal(call, ours, theirs):
    assert (ours[1] is None) == (theirs[1] is None)
    for mine, other in zip(ours, theirs):
        if other is not None:
            torch.testing.assert_close(mine, other, **call.tolerance)


@every_case
@given(calls)
def test_between_two_texts_it_gives_what_pytorch_gives(call):
    theirs, ours = call.pair()
    texts, options = call.texts(), call.arguments()
    with torch.set_grad_enabled(call.grad):
        check_equal(call, called(ours, *texts, **options), called(theirs, *texts, **options))


@every_case
@given(calls)
def test_within_a_text_it_gives_what_pytorch_gives_by_any_path(call):
    """Without gradients and in evaluation, PyTorch may take its fast path."""
    call = replace(call, kdim=None, vdim=None)
    theirs, ours = call.pair()
    text, options = call.text(call.queries), call.arguments(keys=call.queries)
    with torch.set_grad_enabled(call.grad):
        check_equal(call, called(ours, text, text, text, **options), called(theirs, text, text, text, **options))


# --- In PyTorch's transformer


def layers_with(d_model=12, nhead=2, **options):
    torch.manual_seed(0)
    return shake(nn.TransformerEncoderLayer(d_model, nhead, 16, dropout=0.0, batch_first=True, **options))


PADDED = torch.tensor([[False] * 5 + [True] * 2, [False] * 7, [False] * 4 + [True] * 3])
INSIDE = {
    "no mask": {},
    "a causal mask": {"mask": nn.Transformer.generate_square_subsequent_mask(7), "is_causal": True},
    "a boolean mask": {"mask": torch.ones(7, 7, dtype=torch.bool).triu(2)},
    "padding": {"src_key_padding_mask": PADDED},
    "both": {"mask": torch.ones(7, 7, dtype=torch.bool).triu(1), "src_key_padding_mask": PADDED},
}


@pytest.mark.parametrize("grad", [True, False], ids=["gradients", "no gradients"])
@pytest.mark.parametrize("made", ["before", "after"])
@pytest.mark.filterwarnings(
    "ignore:enable_nested_tensor is True"
)  # raised where ours stands in the layer that is cloned
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_inside_a_transformer_encoder(made, grad):
    """Put into the layer that the encoder clones, or into a whole encoder, which may make nested tensors."""
    layer = layers_with()
    theirs = nn.TransformerEncoder(layer, 2).eval()
    if made == "before":
        ours = nn.TransformerEncoder(replace_attention(layer), 2).eval()
    else:
        ours = replace_attention(nn.TransformerEncoder(layer, 2)).eval()
    assert sum(isinstance(part, DropInAttention) for part in ours.modules()) == 2
    text = torch.randn(3, 7, 12)
    seen = []
    for part in ours.modules():
        if isinstance(part, DropInAttention):
            part.register_forward_hook(lambda *_: seen.append(1))
    for options in INSIDE.values():
        seen.clear()
        with torch.set_grad_enabled(grad):
            output, expected = ours(text, **options), theirs(text, **options)
        assert len(seen) == 2, "PyTorch's fast path would pass it by"
        told = ~options.get("src_key_padding_mask", torch.zeros(3, 7, dtype=torch.bool))  # nested tensors lose padding
        torch.testing.assert_close(output[told], expected[told], rtol=0, atol=1e-4)


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
def test_a_whole_transformer_with_its_decoder(batch_first):
    torch.manual_seed(0)
    theirs = nn.Transformer(12, 3, 1, 2, 16, dropout=0.0, batch_first=batch_first).eval()
    ours = nn.Transformer(12, 3, 1, 2, 16, dropout=0.0, batch_first=batch_first).eval()
    ours.load_state_dict(theirs.state_dict())
    replace_attention(ours)
    assert not any(isinstance(part, nn.MultiheadAttention) for part in ours.modules())
    read, written = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    if not batch_first:
        read, written = read.transpose(0, 1), written.transpose(0, 1)
    masks = {
        "tgt_mask": nn.Transformer.generate_square_subsequent_mask(7),
        "memory_key_padding_mask": torch.tensor([[0, 0, 0, 0, -math.inf], [0, 0, 0, 0, 0]]),
    }
    torch.testing.assert_close(ours(read, written, **masks), theirs(read, written, **masks), rtol=0, atol=1e-4)


def test_a_map_of_a_model_that_holds_ours():
    """HeadMap.of asks it for its weights as it asks PyTorch's own."""
    theirs, words = layers_with(), torch.randn(1, 7, 12)
    tokens = [f"w{place}" for place in range(7)]
    expected = HeadMap.of(theirs, tokens, inputs=words).attention
    np.testing.assert_allclose(
        HeadMap.of(replace_attention(theirs), tokens, inputs=words).attention.weights, expected.weights, atol=1e-6
    )


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


# --- Made as PyTorch makes it

WIDTHS = {
    "one width": {},
    "other widths": {"bias": False, "kdim": 5, "vdim": 6},
    "two more keys": {"add_bias_kv": True, "add_zero_attn": True},
}


@pytest.mark.parametrize("options", WIDTHS.values(), ids=list(WIDTHS))
def test_a_seed_gives_the_numbers_that_it_gives_pytorch(options):
    torch.manual_seed(7)
    theirs, following = nn.MultiheadAttention(12, 3, **options), torch.rand(1)
    expected = from_torch_names(theirs.state_dict())
    torch.manual_seed(7)
    ours = DropInAttention(12, 3, **options)
    assert torch.rand(1) == following, "as many random numbers are drawn"
    assert sorted(ours.state_dict()) == sorted(expected)
    for name, tensor in ours.state_dict().items():
        assert torch.equal(tensor, expected[name]), name
    shake(ours)
    torch.manual_seed(7)
    ours.reset_parameters()
    for name, tensor in ours.state_dict().items():
        assert torch.equal(tensor, expected[name]), name


@pytest.mark.parametrize("options", WIDTHS.values(), ids=list(WIDTHS))
def test_from_pytorch_and_back(options):
    theirs = shake(nn.MultiheadAttention(12, 3, 0.25, dtype=torch.float64, **options))
    ours = DropInAttention.from_torch(theirs)
    again = ours.to_torch()
    assert type(theirs) is type(again) is nn.MultiheadAttention, "they are copies"
    assert {*map(id, theirs.parameters())}.isdisjoint(map(id, [*ours.parameters(), *again.parameters()]))
    assert (again.batch_first, again.dropout, again.training) == (False, 0.25, True)
    assert list(again.state_dict()) == list(theirs.state_dict())
    assert all(torch.equal(again.state_dict()[name], tensor) for name, tensor in theirs.state_dict().items())
    with pytest.raises(TypeError, match=r"expected an nn.MultiheadAttention, got Linear"):
        DropInAttention.from_torch(nn.Linear(2, 2))


# --- How it differs: each row of the table in its docstring


def no_key_allowed():
    for kind, weights in itertools.product(["boolean", "-inf"], [True, False]):
        a_query_without_keys(kind, weights)


def a_query_without_keys(kind, weights):
    call = Call(mask=kind)
    theirs, ours = call.pair()
    query, key, options = call.text(call.queries), call.text(call.keys), call.arguments()
    options["attn_mask"][2] = True if kind == "boolean" else -math.inf
    options["need_weights"] = weights
    output, shares = ours(query, key, key, **options)
    expected, their_shares = theirs(query, key, key, **options)
    others = [0, 1, 3, 4]
    torch.testing.assert_close(output[:, others], expected[:, others], **call.tolerance)
    torch.testing.assert_close(output[:, 2], ours.output.bias.expand(2, -1))
    if weights:
        assert their_shares[:, :, 2].isnan().all()
        assert (shares[:, :, 2] == 0).all()
    output.sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in ours.parameters())


def dropout():
    call = Call(training=True, dropout=0.5, mask="float")
    theirs, ours = call.pair()
    query, key, options = call.text(call.queries), call.text(call.keys), call.arguments()
    results = []
    for layer in (theirs, ours):
        torch.manual_seed(3)
        results.append(layer(query, key, key, **options))
    torch.testing.assert_close(results[1][0], results[0][0], **call.tolerance)
    shares = results[1][1]
    torch.testing.assert_close(shares.sum(-1), torch.ones_like(shares.sum(-1)))
    torch.testing.assert_close(ours.eval()(query, key, key, **options)[1], shares)
    assert not torch.allclose(ours(query, key, key, **options)[0], results[1][0])


def is_causal():
    """PyTorch attends causally and doesn't read the mask; ours reads it."""
    call = Call(queries=5, keys=5, need_weights=False)
    theirs, ours = call.pair()
    text, nothing_forbidden = call.text(5), torch.zeros(5, 5, dtype=torch.bool)
    options = {"attn_mask": nothing_forbidden, "need_weights": False}
    output = ours(text, text, text, is_causal=True, **options)[0]
    torch.testing.assert_close(output, theirs(text, text, text, **options)[0], **call.tolerance)
    assert not torch.allclose(output, theirs(text, text, text, is_causal=True, **options)[0])


DIFFERENCES = {
    "no key allowed": no_key_allowed,
    "dropout": dropout,
    "is_causal": is_causal,
}


@pytest.mark.parametrize("row", DIFFERENCES)
def test_a_row_of_the_table_of_differences(row):
    DIFFERENCES[row]()
