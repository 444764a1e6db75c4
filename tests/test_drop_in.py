"""drop_in.py: called as `nn.MultiheadAttention` is, with its masks, it gives what that gives."""

import math
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from test_attention import every_case, shake
from torch import nn

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
        options = {"bias": self.bias, "batch_first": self.batch_first, "dtype": self.dtype, "dropout": self.dropout}
        theirs = shake(nn.MultiheadAttention(width, self.num_heads, **options)).train(self.training)
        return theirs, DropInAttention.from_torch(theirs)

    def text(self, length):
        shape = [length] if self.batch is None else [self.batch, length]
        text = torch.randn(*shape, self.num_heads * self.head_dim, dtype=self.dtype)
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
    query, key = call.text(call.queries), call.text(call.keys)
    options = call.arguments()
    with torch.set_grad_enabled(call.grad):
        check_equal(call, called(ours, query, key, key, **options), called(theirs, query, key, key, **options))


@every_case
@given(calls)
def test_within_a_text_it_gives_what_pytorch_gives_by_any_path(call):
    """Without gradients and in evaluation, PyTorch may take its fast path."""
    theirs, ours = call.pair()
    text, options = call.text(call.queries), call.arguments(keys=call.queries)
    with torch.set_grad_enabled(call.grad):
        check_equal(call, called(ours, text, text, text, **options), called(theirs, text, text, text, **options))


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mask", MASKS)
def test_every_kind_of_mask_with_all_axes_different(mask, padding):
    for batch in (None, 2):
        for weights in (True, False):
            call = Call(mask=mask, padding=padding, batch=batch, need_weights=weights, batch_first=False)
            theirs, ours = call.pair()
            texts = call.text(call.queries), *[call.text(call.keys)] * 2
            results = called(ours, *texts, **call.arguments()), called(theirs, *texts, **call.arguments())
            check_equal(call, *results)
            gradients = [torch.autograd.grad(result[0].square().sum(), layer.out_proj.weight) for result, layer in
                         zip(results, (ours, theirs))]  # fmt: skip
            torch.testing.assert_close(*gradients)


def test_true_forbids():
    _, ours = Call(num_heads=1).pair()
    text = torch.randn(1, 2, 4, dtype=torch.float64)
    _, weights = ours(text, text, text, attn_mask=torch.tensor([[False, True], [True, False]]))
    assert weights.tolist() == [[[1, 0], [0, 1]]]
    _, weights = ours(text, text, text, key_padding_mask=torch.tensor([[False, True]]))
    assert weights.tolist() == [[[1, 0], [1, 0]]]


@pytest.mark.parametrize("weights", [True, False])
@pytest.mark.parametrize("kind", ["boolean", "-inf"])
def test_a_query_without_keys_gets_zeros_where_pytorch_gives_nan(kind, weights):
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


def test_dropout_is_pytorchs_and_the_weights_are_those_before_it():
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
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("options", INSIDE.values(), ids=list(INSIDE))
@pytest.mark.parametrize("made", ["before", "after"])
@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")  # said where ours stands in the layer that is cloned
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_inside_a_transformer_encoder(made, options, training, grad):
    """Put into the layer that the encoder clones, or into a whole encoder, which then must not make nested tensors."""
    layer = layers_with()
    theirs = nn.TransformerEncoder(layer, 2).train(training)
    if made == "before":
        ours = nn.TransformerEncoder(replace_attention(layer), 2).train(training)
    else:
        ours = replace_attention(nn.TransformerEncoder(layer, 2)).train(training)
    assert sum(isinstance(part, DropInAttention) for part in ours.modules()) == 2
    text = torch.randn(3, 7, 12)
    seen = []
    for part in ours.modules():
        if isinstance(part, DropInAttention):
            part.register_forward_hook(lambda *_: seen.append(1))
    with torch.set_grad_enabled(grad):
        output, expected = ours(text, **options), theirs(text, **options)
    assert len(seen) == 2, "PyTorch's fast path would pass it by"
    told = ~options.get("src_key_padding_mask", torch.zeros(3, 7, dtype=torch.bool))  # nested tensors lose the padding
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


def test_an_encoder_that_makes_nested_tensors_is_told_what_to_do():
    encoder = nn.TransformerEncoder(layers_with(), 2).eval()
    for layer in encoder.layers:
        layer.self_attn = DropInAttention.from_torch(layer.self_attn)
    text = torch.randn(3, 7, 12)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The PyTorch API of nested tensors", UserWarning)
        with pytest.raises(ValueError, match="set use_nested_tensor = False on the TransformerEncoder"):
            encoder(text, src_key_padding_mask=PADDED)
        encoder.use_nested_tensor = False
        assert encoder(text, src_key_padding_mask=PADDED).isfinite().all()


def test_there_and_back():
    theirs, ours = Call(batch_first=True, dropout=0.25, training=True).pair()
    again = ours.to_torch()
    assert (again.batch_first, again.dropout, again.training) == (True, 0.25, True)
    for name, tensor in theirs.state_dict().items():
        assert torch.equal(again.state_dict()[name], tensor), name
    made = DropInAttention(12, 3, 0.25, False, batch_first=True, device="meta", dtype=torch.float16)
    assert (made.dropout, made.output.bias, made.in_proj_bias, made.query.weight.dtype) == (
        0.25, None, None, torch.float16)  # fmt: skip


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
        ({"attn_mask": torch.zeros(2, 5, 5)}, ValueError, r"got \[2, 5, 5\]"),
        ({"key_padding_mask": torch.zeros(5)}, ValueError, r"key_padding_mask must be \[2, 5\], got \[5\]"),
        ({"key_padding_mask": torch.zeros(2, 5).int()}, TypeError, "True for what is forbidden.* got torch.int32"),
        ({"is_causal": True}, ValueError, "got no attn_mask"),
    ],
)
def test_masks_that_do_not_fit_are_refused(options, error, says):
    with pytest.raises(error, match=says):
        DropInAttention(8, 2, batch_first=True)(TEXT, TEXT, TEXT, **options)
