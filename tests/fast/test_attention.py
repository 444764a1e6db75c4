"""attention.py: every version of the notes' programs computes the same, and the same as PyTorch's own layer.

The `check_*` functions take the module under test, so that test_mutations.py can hand them a broken copy.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from close import assert_close
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from manyheads import attention

MASKS = ("none", "queries by keys", "per head", "padding", "causal", "some queries see nothing")


@dataclass(frozen=True)
class Case:
    """One shape of everything; by default all axes differ, so that a lost transpose cannot hide."""

    batch: tuple = (2,)
    num_heads: int = 3
    embed_dim: int = 8
    head_dim: int = 4
    value_dim: int = 6  # of a head, where it may differ
    queries: int = 5
    keys: int = 7
    dtype: torch.dtype = torch.float64
    mask: str = "none"
    bias: bool = True
    seed: int = 0

    @property
    def attention_dim(self):
        return self.num_heads * self.head_dim

    def texts(self):
        """A text that asks, a text that is asked, and a mask between them."""
        torch.manual_seed(self.seed)
        query = torch.randn(*self.batch, self.queries, self.embed_dim, dtype=self.dtype)
        key = torch.randn(*self.batch, self.keys, self.embed_dim, dtype=self.dtype)
        return query, key, self.make_mask(self.queries, self.keys)

    def make_mask(self, queries, keys):
        mask = {
            "none": lambda: None,
            "queries by keys": lambda: torch.rand(queries, keys) < 0.7,
            "per head": lambda: torch.rand(*self.batch, self.num_heads, queries, keys) < 0.7,
            "padding": lambda: attention.padding_mask(torch.randint(1, keys + 1, self.batch), keys),
            "causal": lambda: torch.ones(queries, keys, dtype=torch.bool).tril(),
            "some queries see nothing": lambda: torch.rand(queries, keys) < 0.2,
        }[self.mask]()
        if mask is not None and self.mask != "some queries see nothing":
            mask[..., 0] = True
        return mask

    def module(self, kind, **options):
        torch.manual_seed(self.seed)
        module = kind(self.embed_dim, self.num_heads, attention_dim=self.attention_dim, bias=self.bias, **options)
        return shake(module.to(self.dtype))

    def torch_layer(self):
        torch.manual_seed(self.seed)
        layer = nn.MultiheadAttention(self.attention_dim, self.num_heads, bias=self.bias, batch_first=True)
        return shake(layer.to(self.dtype))


cases = st.builds(
    Case,
    batch=st.sampled_from([(), (1,), (2,), (2, 3)]),
    num_heads=st.integers(1, 4),
    embed_dim=st.integers(1, 9),
    head_dim=st.integers(1, 5),
    value_dim=st.integers(1, 5),
    queries=st.integers(1, 6),
    keys=st.integers(1, 6),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    mask=st.sampled_from(MASKS),
    bias=st.booleans(),
    seed=st.integers(0, 2**16),
)
every_case = settings(max_examples=25)


@torch.no_grad()
def shake(module):
    """Makes every parameter random: biases that start as zeros hide mistakes."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    return module


def numpy_weights(module):
    """The matrices of a `MultiHeadAttention` without biases, as the formula writes them: [in, out]."""
    layers = (module.query, module.key, module.value, module.output)
    return [layer.weight.detach().T.numpy() for layer in layers]


def gradients(outputs, inputs):
    torch.manual_seed(1)
    loss = sum((output * torch.randn(output.shape, dtype=output.dtype)).sum() for output in outputs)
    return torch.autograd.grad(loss, inputs)


def gradients_close(found, expected):
    """All of them together: a gradient that is zero by itself, as that of a key's bias is, holds what rounding left."""
    assert [one.shape for one in found] == [one.shape for one in expected]
    assert_close(*(torch.cat([one.flatten() for one in each]) for each in (found, expected)), name="gradient")


def check_numpy_equals_torch(attention, case=Case()):
    case = replace(case, bias=False)
    query, _, _ = case.texts()
    mask = case.make_mask(case.queries, case.queries)
    module = case.module(attention.MultiHeadAttention)
    expected = module(query, mask=mask)
    masks = None if mask is None else mask.numpy()
    found = attention.multi_head_attention(query.numpy(), *numpy_weights(module), case.num_heads, masks)
    for name, a, b in zip(("output", "weights"), found, expected, strict=True):
        assert a.dtype == query.numpy().dtype
        assert_close(a, b, name=name)


def check_head_equals_numpy(attention, case=Case()):
    query, _, _ = case.texts()
    mask = None if case.mask == "per head" else case.make_mask(case.queries, case.queries)
    mask = mask if mask is None or mask.ndim == 2 else mask[..., 0, :, :]
    torch.manual_seed(case.seed)
    head = shake(attention.AttentionHead(case.embed_dim, case.head_dim, bias=False).to(case.dtype))
    matrices = [linear.weight.detach().T.numpy() for linear in (head.query, head.key, head.value)]
    found = attention.self_attention(query.numpy(), *matrices, None if mask is None else mask.numpy())
    for name, a, b in zip(("output", "weights"), found, head(query, mask=mask), strict=True):
        assert_close(a, b, name=name)


def check_loop_equals_all_at_once(attention, case=Case()):
    query, key, mask = case.texts()
    value = torch.randn_like(key)
    looped = case.module(attention.LoopedMultiHeadAttention)
    module = attention.MultiHeadAttention.from_loop(looped)
    for texts in ((query, key, value), (query, key), (key,)):
        own = mask if len(texts) > 1 else case.make_mask(case.keys, case.keys)
        inputs = [text.clone().requires_grad_() for text in texts]
        expected, found = looped(*inputs, mask=own), module(*inputs, mask=own)
        for name, a, b in zip(("output", "weights"), found, expected, strict=True):
            assert a.dtype == case.dtype
            assert_close(a, b, name=name)
        gradients_close(gradients(found, inputs), gradients(expected, inputs))


def check_einsum_equals_all_at_once(attention, case=Case()):
    """Note C's words between the same layers, self- and cross-attention, with gradients; values of another width."""
    query, key, mask = case.texts()
    module = case.module(attention.MultiHeadAttention, value_dim=case.num_heads * case.value_dim)
    for texts in ((query, key, torch.randn_like(key)), (query, key, key), (key, key, key)):
        own = mask if texts[0] is query else case.make_mask(case.keys, case.keys)
        inputs = [text.clone().requires_grad_() for text in texts]
        projected = [layer(text) for layer, text in zip((module.query, module.key, module.value), inputs)]
        context, weights = attention.einsum_attention(*projected, case.num_heads, own)
        expected, found = module(*inputs, mask=own), (module.output(context), weights)
        for name, a, b in zip(("output", "weights"), found, expected, strict=True):
            assert_close(a, b, name=name)
        gradients_close(gradients(found, inputs), gradients(expected, inputs))


def joined(tensors, bias):
    """Gradients of query, key, value and output, in PyTorch's way: the first three in one."""
    kinds = 2 if bias else 1  # weight and bias
    return [*(torch.cat(tensors[kind : 3 * kinds : kinds]) for kind in range(kinds)), *tensors[3 * kinds :]]


def check_equals_pytorch(attention, case=Case()):
    """Outputs, weights, and gradients of texts and parameters; PyTorch's mask is True where attention is forbidden."""
    case = replace(case, embed_dim=case.attention_dim, batch=case.batch[:1])
    if case.mask == "some queries see nothing":  # there PyTorch gives NaN
        case = replace(case, mask="queries by keys")
    query, key, mask = case.texts()
    layer = case.torch_layer()
    module = attention.MultiHeadAttention.from_torch(layer)
    assert module.training == layer.training
    forbidden = None
    if mask is not None:
        shape = (*case.batch, case.num_heads, case.queries, case.keys)
        forbidden = ~mask.broadcast_to(shape).reshape(-1, case.queries, case.keys)
    for twin in (layer, module.to_torch(), module.to_torch(batch_first=False)):
        texts = [text.clone().requires_grad_() for text in (query, key)]
        given = texts if twin.batch_first or not case.batch else [text.transpose(0, 1) for text in texts]
        expected = list(twin(*given, given[1], attn_mask=forbidden, average_attn_weights=False))
        if given is not texts:
            expected[0] = expected[0].transpose(0, 1)
        found = module(*texts, mask=mask)
        for name, a, b in zip(("output", "weights"), found, expected, strict=True):
            assert_close(a, b, name=name)
        ours = gradients(found, [*texts, *module.parameters()])
        theirs = gradients(expected, [*texts, *twin.parameters()])
        gradients_close([*ours[:2], *joined(ours[2:], case.bias)], theirs)


def check_equals_the_formula(attention, case=Case()):
    """Equation 1 and section 3.2.2 written out with einsum and nothing else."""
    query, key, mask = case.texts()
    module = case.module(attention.MultiHeadAttention, value_dim=case.num_heads * case.value_dim)
    layers = zip((query, key, key), (module.query, module.key, module.value))
    Q, K, V = (layer(x).unflatten(-1, (case.num_heads, -1)) for x, layer in layers)  # [..., t, h, d]
    scores = torch.einsum("...qhd,...khd->...hqk", Q, K) / math.sqrt(case.head_dim)
    powers = scores.exp() if mask is None else scores.exp() * mask
    weights = powers / powers.sum(-1, keepdim=True).clamp(min=1e-300 if case.dtype == torch.float64 else 1e-30)
    context = torch.einsum("...hqk,...khd->...qhd", weights, V).flatten(-2)
    output = context @ module.output.weight.T + (module.output.bias if case.bias else 0)
    found = module(query, key, mask=mask)
    assert_close(found[1], weights, name="weights")
    assert_close(found[0], output, name="output")


def check_without_weights(attention, case=Case()):
    query, key, mask = case.texts()
    module = case.module(attention.MultiHeadAttention)
    texts = [text.requires_grad_() for text in (query, key)]
    found, nothing = module(*texts, mask=mask, need_weights=False)
    expected, _ = module(*texts, mask=mask)
    assert nothing is None
    assert_close(found, expected, name="output")
    gradients_close(gradients([found], texts), gradients([expected], texts))


def check_inference_equals_training(attention, case=Case()):
    """Where no gradient is asked for: the same numbers, and the reader's tensors untouched."""
    query, key, mask = case.texts()
    module = case.module(attention.MultiHeadAttention)
    before, expected = query.clone(), module(query, key, mask=mask)
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            found = module(query, key, mask=mask)
            alone, nothing = module(query, key, mask=mask, need_weights=False)
        assert nothing is None
        for a, b in zip((*found, alone), (*expected, expected[0]), strict=True):
            assert_close(a.clone(), b.detach())
    assert torch.equal(query, before)


# --- What is true of every attention


def check_rows_sum_to_one(attention, case=Case()):
    query, key, mask = case.texts()
    weights = case.module(attention.MultiHeadAttention)(query, key, mask=mask)[1]
    expected = torch.ones(weights.shape[:-1], dtype=case.dtype)
    if mask is not None:
        expected = expected * mask.broadcast_to(weights.shape).any(-1)
        assert (weights[~mask.broadcast_to(weights.shape)] == 0).all(), "attends to what the mask hides"
    assert (weights >= 0).all()
    assert_close(weights.sum(-1), expected, name="a row of weights must sum to 1")


def check_heads_permute(attention, case=Case()):
    """Other order of heads, other order of maps, same output; and each map looks like no other."""
    query, key, mask = case.texts()
    if case.mask == "per head":
        mask = mask[..., :1, :, :]
    module, permuted = (case.module(attention.MultiHeadAttention) for _ in range(2))
    order = torch.roll(torch.arange(case.num_heads), 1)

    def rows(tensor):  # of all heads, in another order
        return tensor.unflatten(0, (case.num_heads, -1))[order].flatten(0, 1)

    with torch.no_grad():
        for layer in (permuted.query, permuted.key, permuted.value):
            for tensor in layer.parameters():
                tensor.copy_(rows(tensor))
        permuted.output.weight.copy_(rows(module.output.weight.T).T)
    expected, weights = module(query, key, mask=mask)
    found, permuted_weights = permuted(query, key, mask=mask)
    assert_close(permuted_weights, weights[..., order, :, :], name="weights")
    assert_close(found, expected, name="output")
    if case == Case():
        assert (weights[..., 0, :, :] - weights[..., 1, :, :]).abs().max() > 0.01, "all heads show the same map"


def check_padding_changes_nothing(attention, case=Case(), padding=3):
    query, key, _ = case.texts()
    module = case.module(attention.MultiHeadAttention)
    filler = 1e3 * torch.randn(*case.batch, padding, case.embed_dim, dtype=case.dtype)
    padded = torch.cat([key, filler], dim=-2)
    mask = attention.padding_mask(torch.full(case.batch, case.keys), case.keys + padding)
    for need_weights in (True, False):
        expected, weights = module(query, key, need_weights=need_weights)
        found, padded_weights = module(query, padded, mask=mask, need_weights=need_weights)
        assert_close(found, expected, name="output")
        if need_weights:
            assert_close(padded_weights[..., : case.keys], weights, name="weights")
            assert (padded_weights[..., case.keys :] == 0).all()


def check_causal_never_looks_ahead(attention, case=Case()):
    query, _, _ = case.texts()
    module = case.module(attention.MultiHeadAttention)
    mask = attention.causal_mask(case.queries)
    for seen in range(1, case.queries):
        changed = query.clone()
        changed[..., seen:, :] += torch.randn_like(changed[..., seen:, :])
        for need_weights in (True, False):
            before, weights = module(query, mask=mask, need_weights=need_weights)
            after, _ = module(changed, mask=mask, need_weights=need_weights)
            assert_close(after[..., :seen, :], before[..., :seen, :], name="an earlier word knows a later one")
            if need_weights:
                assert (weights.triu(1) == 0).all()


def check_query_without_keys(attention, case=Case()):
    """Zeros, not NaN; also without weights, in NumPy, under no_grad; and its gradients are finite."""
    query, key, _ = case.texts()
    mask = torch.ones(case.queries, case.keys, dtype=torch.bool)
    mask[-1] = False
    inputs = [text.requires_grad_() for text in (query, key)]
    module = case.module(attention.MultiHeadAttention)
    bias = module.output.bias if case.bias else torch.zeros(case.embed_dim, dtype=case.dtype)
    for need_weights in (True, False):
        output, weights = module(*inputs, mask=mask, need_weights=need_weights)
        assert output.isfinite().all()
        assert torch.equal(output[..., -1, :], bias.expand(*case.batch, -1))
        if need_weights:
            assert (weights[..., -1, :] == 0).all()
        with torch.autograd.set_detect_anomaly(True, check_nan=True):
            found = gradients([output], [*inputs, *module.parameters()])
        assert all(gradient.isfinite().all() for gradient in found)
        assert (found[0][..., -1, :] == 0).all()
        with torch.no_grad():
            assert_close(module(*inputs, mask=mask, need_weights=need_weights)[0], output.detach())
    head = attention.AttentionHead(case.embed_dim, case.head_dim).to(case.dtype)
    for result in head(*inputs, mask=mask):
        assert (result[..., -1, :] == 0).all()
    X, W = query.detach().numpy(), np.ones((case.embed_dim, 3))
    nobody = np.zeros((case.queries, case.queries), bool)
    for result in attention.self_attention(X, W, W, W, mask=nobody):
        assert (result == 0).all()


def check_head_mask(attention, case=Case()):
    """An ablated head leaves a hole in the concatenation; its weights are still returned."""
    query, key, mask = case.texts()
    module = case.module(attention.MultiHeadAttention)
    value_dim = case.attention_dim // case.num_heads
    _, weights = module(query, key, mask=mask)
    for off in range(case.num_heads):
        keep = torch.arange(case.num_heads) != off
        ablated = case.module(attention.MultiHeadAttention)
        with torch.no_grad():
            ablated.output.weight[:, off * value_dim : (off + 1) * value_dim] = 0
        expected = ablated(query, key, mask=mask)[0]
        shapes = [keep, keep.expand(*case.batch, -1)]
        for head_mask in shapes:
            for need_weights in (True, False):
                output, found = module(query, key, mask=mask, head_mask=head_mask, need_weights=need_weights)
                assert_close(output, expected, name="output")
                if need_weights:
                    assert_close(found, weights, name="weights")


def check_width_must_divide(attention, case=Case()):
    with pytest.raises(ValueError, match=r"num_heads must divide attention_dim, got 3 heads for a width of 8"):
        attention.MultiHeadAttention(8, 3)
    with pytest.raises(ValueError, match="value_dim, got 4 heads for a width of 6"):
        attention.MultiHeadAttention(8, 4, value_dim=6)
    with pytest.raises(ValueError, match="attention_dim, got 3 heads for a width of 10"):
        attention.LoopedMultiHeadAttention(8, 3, attention_dim=10)
    with pytest.raises(ValueError, match="Wq, got 4 heads for a width of 6"):
        attention.multi_head_attention(np.ones((5, 3)), *[np.ones((3, 6))] * 3, np.ones((6, 3)), num_heads=4)


CHECKS = (
    check_numpy_equals_torch,
    check_head_equals_numpy,
    check_loop_equals_all_at_once,
    check_einsum_equals_all_at_once,
    check_equals_pytorch,
    check_equals_the_formula,
    check_without_weights,
    check_inference_equals_training,
    check_rows_sum_to_one,
    check_heads_permute,
    check_padding_changes_nothing,
    check_causal_never_looks_ahead,
    check_query_without_keys,
    check_head_mask,
    check_width_must_divide,
)


@pytest.mark.parametrize("check", CHECKS)
def test_with_all_axes_different(check):
    for mask in MASKS:
        check(attention, Case(mask=mask))


@pytest.mark.parametrize("check", [check for check in CHECKS if check is not check_width_must_divide])
@every_case
@given(case=cases)
def test_with_any_axes(check, case):
    check(attention, case)


def test_no_keys_at_all():
    module = attention.MultiHeadAttention(6, 2)
    for need_weights in (True, False):
        output, weights = module(torch.randn(5, 6), torch.randn(0, 6), need_weights=need_weights)
        assert (output == 0).all()
        assert weights is None or weights.shape == (2, 5, 0)


# --- Dropout, the block, the steps


def test_dropout_drops_weights_in_training_only():
    torch.manual_seed(0)
    module, X = attention.MultiHeadAttention(12, 3, dropout=0.5), torch.randn(2, 5, 12)
    for need_weights in (True, False):
        (first, weights), (second, _) = (module.train()(X, need_weights=need_weights) for _ in range(2))
        assert not torch.allclose(first, second)
        if need_weights:
            assert_close(weights.sum(-1), torch.ones(2, 3, 5))  # as they were before dropout
        first, second = (module.eval()(X, need_weights=need_weights)[0] for _ in range(2))
        assert torch.equal(first, second)
        many, _ = module.train()(X.expand(2000, -1, -1, -1), need_weights=need_weights)
        assert_close(many.mean(0), first, part=0.1)  # on average nothing changes


def test_block_adds_the_query_and_normalises():
    torch.manual_seed(0)
    block = attention.AttentionBlock(8, 2, attention_dim=6, value_dim=10, dropout=0.5).eval()
    query, key = torch.randn(3, 5, 8), torch.randn(3, 7, 8)
    mask = torch.rand(5, 7) < 0.7
    attended, expected = block.attention(query, key, mask=mask)
    output, weights = block(query, key, mask=mask)
    mixed = query + attended
    mean, variance = mixed.mean(-1, keepdim=True), mixed.var(-1, keepdim=True, correction=0)
    assert_close(output, (mixed - mean) / (variance + block.norm.eps).sqrt())
    assert_close(weights, expected)
    assert weights.shape == (3, 2, 5, 7)
    assert not torch.allclose(block.train()(query, key)[0], block(query, key)[0])


@every_case
@given(cases, st.booleans())
def test_steps_lead_to_the_output(case, scaled):
    case = Case(**{**vars(case), "batch": (), "mask": "none" if case.mask in ("per head", "padding") else case.mask})
    X, _, _ = case.texts()
    mask = case.make_mask(case.queries, case.queries)
    module = case.module(attention.MultiHeadAttention)
    output, weights = module(X, mask=mask)
    for head in range(case.num_heads):
        steps = attention.steps(module, X, head, mask=mask, scaled=scaled)
        assert_close(steps["scores"], steps["Q"] @ steps["K"].T / (math.sqrt(case.head_dim) if scaled else 1))
        if mask is not None:
            assert (steps["masked"][~mask] == -math.inf).all()
            assert torch.equal(steps["masked"][mask], steps["scores"][mask])
        assert_close(steps["context"], steps["weights"] @ steps["V"])
        columns = slice(head * case.head_dim, (head + 1) * case.head_dim)
        assert_close(steps["concat"][:, columns], steps["context"])
        if scaled:
            assert_close(steps["weights"], weights[head].detach())
            assert_close(steps["output"], output.detach())


# --- Conversions


@pytest.mark.parametrize("options", [{"kdim": 6}, {"vdim": 6}, {"add_bias_kv": True}, {"add_zero_attn": True}])
def test_from_torch_refuses_what_it_cannot_express(options):
    with pytest.raises(ValueError, match="expected one width, no add_bias_kv, no add_zero_attn"):
        attention.MultiHeadAttention.from_torch(nn.MultiheadAttention(12, 3, **options))


@pytest.mark.parametrize("options", [{"attention_dim": 6}, {"value_dim": 6}])
def test_to_torch_refuses_what_pytorch_cannot_express(options):
    with pytest.raises(ValueError, match=r"one width for words, queries, keys and values, got \[12, "):
        attention.MultiHeadAttention(12, 3, **options).to_torch()


# --- Bad input: in words, with the shapes

X, Y = torch.ones(2, 5, 8), torch.ones(2, 7, 8)
BAD_INPUTS = [
    ((torch.ones(5, 7),), {}, ValueError, r"must be \[\.\.\., length, 8\], got \[5, 7\]"),
    ((X, torch.ones(7, 8)), {}, ValueError, r"got \[\[2, 5, 8\], \[7, 8\], \[7, 8\]\]"),
    ((X, Y, X), {}, ValueError, r"\[\[2, 5, 8\], \[2, 7, 8\], \[2, 5, 8\]\]"),
    ((X, Y, torch.ones(2, 7, 9)), {}, ValueError, r"got \[2, 7, 9\]"),
    ((X.int(),), {}, TypeError, "floating-point tensors, got torch.int32"),
    (([[1.0] * 8],), {}, TypeError, "floating-point tensors, got list"),
    ((X,), {"mask": torch.ones(5, 5)}, TypeError, "mask must be a boolean array.*got torch.float32"),
    ((X,), {"mask": torch.ones(5, 4, dtype=torch.bool)}, ValueError, r"to \[2, 4, 5, 5\], got \[5, 4\]"),
    ((X,), {"mask": torch.ones(2, 5, 5, dtype=torch.bool)}, ValueError, r"got \[2, 5, 5\]"),
    ((X,), {"head_mask": torch.ones(1, dtype=torch.bool)}, ValueError, r"head_mask .* \[2, 4\], got \[1\]"),
    ((X,), {"head_mask": torch.ones(3, 4, dtype=torch.bool)}, ValueError, r"\[2, 4\], got \[3, 4\]"),
    ((X,), {"head_mask": torch.ones(4)}, TypeError, "head_mask must be a boolean array.*got torch.float32"),
]


@pytest.mark.parametrize(("inputs", "options", "error", "message"), BAD_INPUTS)
def test_bad_input_is_refused_in_words(inputs, options, error, message):
    for need_weights in (True, False):
        with pytest.raises(error, match=message):
            attention.MultiHeadAttention(8, 4)(*inputs, **options, need_weights=need_weights)


def test_bad_input_is_refused_on_the_lower_rungs():
    head = attention.AttentionHead(8, 3)
    with pytest.raises(ValueError, match=r"must broadcast to \[2, 5, 5\], got \[2, 1, 5, 5\]"):
        head(X, mask=torch.ones(2, 1, 5, 5, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"must be \[\.\.\., length, 8\], got \[2, 5, 7\]"):
        attention.LoopedMultiHeadAttention(8, 2)(torch.ones(2, 5, 7))
    W = np.ones((3, 6))
    for arrays in (
        (np.ones((5, 4)), W, W, W),
        (np.ones(3), W, W, W),
        (np.ones((5, 3)), W, np.ones((3, 5)), W),
        (np.ones((5, 3)), W, W, np.ones(3)),
    ):
        with pytest.raises(ValueError, match=r"X, Wq, Wk, Wv must be .*, got \[\["):
            attention.self_attention(*arrays)
    with pytest.raises(ValueError, match=r"Wo must have a row for each column of Wv \[3, 6\], got \[5, 3\]"):
        attention.multi_head_attention(np.ones((5, 3)), W, W, W, np.ones((5, 3)), num_heads=2)
    with pytest.raises(TypeError, match=r"mask must be a boolean array.*got float64"):
        attention.self_attention(np.ones((5, 3)), W, W, W, mask=np.ones((5, 5)))
    with pytest.raises(ValueError, match=r"mask must broadcast to \[2, 5, 5\], got \[4, 5\]"):
        attention.multi_head_attention(np.ones((5, 3)), W, W, W, W.T, num_heads=2, mask=np.ones((4, 5), bool))


def test_masks():
    assert attention.causal_mask(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert attention.padding_mask(2, 3).tolist() == [[[True, True, False]]]
    assert attention.padding_mask([0, 2], 3)[:, 0, 0].tolist() == [[False] * 3, [True, True, False]]
    assert attention.padding_mask(torch.ones(2, 4, dtype=torch.long), 3).shape == (2, 4, 1, 1, 3)
