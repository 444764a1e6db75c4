"""Modules as people write attention, as HeadMap.of takes them: the right map or a plain refusal, never a wrong one.

What is expected is computed in NumPy, in double precision, from the queries and keys that a module projects.
"""

import math
import random
from dataclasses import dataclass

import numpy as np
import pytest
import torch
import transformers
from close import assert_close
from einops import rearrange
from torch import einsum, nn
from torch.nn import functional as F
from torch.nn.attention.bias import causal_lower_right
from torch.nn.attention.flex_attention import flex_attention
from torch.nn.functional import scaled_dot_product_attention as sdpa
from torch.utils.checkpoint import checkpoint

from manyheads.widgets import HeadMap

WIDTH, HEADS, TOKENS, MEMORY = 12, 3, 5, 7
SIZE = WIDTH // HEADS
ROOT = SIZE**-0.5
CAUSAL = np.where(np.tri(TOKENS), 0, -np.inf)
BEFORE = torch.tensor(np.tri(TOKENS, dtype=bool))
NOT_THE_THIRD = np.where(np.eye(TOKENS)[2][:, None] > 0, -np.inf, CAUSAL)  # whose query may look nowhere
NO_THIRD = torch.tensor(NOT_THE_THIRD).float()
LOWEST = torch.full([], torch.finfo(torch.float32).min)
PLACES = torch.arange(TOKENS)
DISTANCES = PLACES - PLACES[:, None] + TOKENS
SLOPES = 2.0 ** -np.arange(1, HEADS + 1)
NOTHING = r"there is no attention to be seen in .*HeadMap.of\(weights, tokens\)"
UNCOUNTED = "how many there are, as in module.num_heads"


def text(texts):
    return (torch.randn(texts, TOKENS, WIDTH),)


def graph(_):
    return torch.randn(TOKENS, WIDTH), torch.rand(TOKENS, TOKENS)


def text_and_memory(texts):
    return torch.randn(texts, TOKENS, WIDTH), torch.randn(texts, MEMORY, WIDTH)


def memory_and_text(texts):
    return text_and_memory(texts)[::-1]


def sequence_first(texts):
    return (torch.randn(TOKENS, texts, WIDTH),)


def one_text(_):
    return (torch.randn(TOKENS, WIDTH),)


def image(texts):
    return (torch.randn(texts, 2, TOKENS, WIDTH),)


@dataclass
class Case:
    """A module, what it's called with, and what is expected."""

    make: object
    expected: object  # [text, head, query, key], a list of layers, a dict of parts; as text, what the refusal says
    inputs: object = text
    asking: int | None = None  # how many queries there are, where they aren't the keys
    keys: int = TOKENS
    texts: tuple = (1, 2, 3)
    close: float = 1e-5
    windows: int = 1  # of each text, of which the first is shown


CROSSING = {"inputs": text_and_memory, "asking": TOKENS, "keys": MEMORY}
BOTH = {**CROSSING, "inputs": memory_and_text}


# --- What is expected -------------------------------------------------------------------------------------------------


def double(values):
    return values.detach().double().numpy()


def softmax(scores):
    """Shares in double precision; zeros for a query that may look nowhere."""
    scores = np.asarray(scores, np.float64)
    most = scores.max(-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(most), most, 0))
    sums = powers.sum(-1, keepdims=True)
    return np.divide(powers, sums, out=np.zeros_like(powers), where=sums > 0)


def apart(values, heads=HEADS):  # [b, n, h * d] -> [b, h, n, d]
    return double(values).reshape(*values.shape[:2], heads, -1).swapaxes(1, 2)


def products(q, k, heads=HEADS):  # [b, n, h * d] each -> [b, h, q, k]
    return apart(q, heads) @ apart(k, heads).swapaxes(-1, -2)


def weights(q, k, bias=0.0, heads=HEADS, scale=None):
    return softmax(products(q, k, heads) * (scale or (q.shape[-1] // heads) ** -0.5) + bias)


def plain(m, x, memory=None):
    return weights(m.q(x), m.k(x if memory is None else memory))


def causal(m, x):
    return weights(m.q(x), m.k(x), CAUSAL)


def of_two_layers(m, x):
    return [causal(m.layers[0], x), causal(m.layers[1], m.layers[0](x))]


def one_head(m, x):
    return weights(m.q(x), m.k(x), heads=1)


def grouped(m, x):
    return weights(m.q(x), m.k(x).repeat(1, 1, HEADS))


def turned(reference):  # of what has the sequence first
    return lambda m, x: reference(m, x.transpose(0, 1))


def asked(m, x, queries, scale=1.0):  # of one head, [q, d]
    return softmax(np.einsum("qd,bkd->bqk", double(queries), double(m.k(x))) * scale)[:, None]


# --- Four layers and the two reshapes that everybody writes -----------------------------------------------------------


class Parts(nn.Module):
    """A module of parts, each made anew where it can be called."""

    def __init__(self, **parts):
        super().__init__()
        for name, part in parts.items():
            setattr(self, name, part() if callable(part) else part)


class Own(Parts):
    def __init__(self, shared=1, **parts):
        q, k = linear(), linear(outputs=WIDTH // shared)
        super().__init__(**{"q": q, "o": q, "k": k, "v": k, **parts})

    def split(self, x):
        b, n, d = x.shape
        return x.view(b, n, d // SIZE, SIZE).transpose(1, 2)

    def three(self, x, memory=None):
        memory = x if memory is None else memory
        return self.split(self.q(x)), self.split(self.k(memory)), self.split(self.v(memory))

    def join(self, x):
        b, h, n, d = x.shape
        return self.o(x.transpose(1, 2).reshape(b, n, h * d))

    def forward(self, x, *memory):
        return self.join(self.attend(*self.three(x, *memory)))


def own(attend, **options):
    """Makes an `Own` whose heads are `attend(module, q, k, v)`, [b, h, n, d] each, with more parts, each made anew."""
    return lambda: type("Own", (Own,), {"attend": attend})(**options)


def weighed(weigh, **options):
    """Makes an `Own` whose heads multiply values by `weigh(module, scores)`, [b, h, q, k], not scaled yet."""
    return own(lambda m, q, k, v: torch.matmul(weigh(m, torch.matmul(q, k.transpose(-2, -1))), v), **options)


def whole(forward, **options):
    """Makes an `Own` of which all after the layers is `forward(module, x)`."""
    return lambda: type("Own", (Own,), {"forward": forward})(**options)


def other(forward, **parts):
    """Makes a module that computes `forward(module, x)` from parts of its own."""
    return lambda: type("Other", (Parts,), {"forward": forward})(**parts)


def linear(inputs=WIDTH, outputs=WIDTH, bias=True):
    return lambda: nn.Linear(inputs, outputs, bias)


def conv(outputs=WIDTH):
    return lambda: nn.Conv2d(WIDTH, outputs, 1)


def drop():
    return nn.Dropout(0.2)


def parameter(*shape):
    return lambda: nn.Parameter(torch.randn(shape))


def buffer(values):
    return lambda: nn.Buffer(values.clone())


def stacked(*makes):
    """Makes a module of layers that stand in a list."""
    return lambda: nn.Sequential(*(make() for make in makes))


# --- F.scaled_dot_product_attention ------------------------------------------------------------------------------------

SdpaCausal = own(lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, None, dropout_p=0, is_causal=True))


def groups_in_five_axes(m, x):
    q = rearrange(m.q(x), "b n (g r d) -> b g r n d", g=2, r=2)
    k, v = (rearrange(one(x), "b n (g d) -> b g 1 n d", g=2) for one in (m.k, m.v))
    return rearrange(F.scaled_dot_product_attention(q, k.expand_as(q), v.expand_as(q)), "b g r n d -> b n (g r d)")


def of_two_groups(m, x):
    return weights(m.q(x), m.k(x).unflatten(-1, (2, -1)).repeat_interleave(2, -2).flatten(-2), heads=4)


def compiled_in_place():
    module = SdpaCausal()
    module.compile()
    return module


def checkpointed_by_reentry(m, x):
    for layer in m.layers:
        x = checkpoint(layer, x, use_reentrant=True)
    return x


def checkpointed(m, x):
    return checkpoint(lambda y: m.join(sdpa(*m.three(y), is_causal=True)), x, use_reentrant=False)


CheckpointedByReentry = other(checkpointed_by_reentry, layers=stacked(SdpaCausal, SdpaCausal))


SDPA = {
    "SdpaCausal": Case(SdpaCausal, causal),
    "SdpaFloatMaskAndScale": Case(
        own(lambda m, q, k, v: sdpa(q, k, v, attn_mask=m.bias, scale=0.7), bias=parameter(HEADS, TOKENS, TOKENS)),
        lambda m, x: weights(m.q(x), m.k(x), double(m.bias), scale=0.7),
    ),
    "SdpaEnableGqa": Case(own(lambda m, q, k, v: sdpa(q, k, v, enable_gqa=True), shared=HEADS), grouped),
    "SdpaRepeatKv": Case(
        own(
            lambda m, q, *kv: sdpa(q, *(x[:, :, None].expand(-1, -1, HEADS, -1, -1).flatten(1, 2) for x in kv)),
            shared=HEADS,
        ),
        grouped,
    ),
    "SdpaDropsAlways": Case(own(lambda m, q, k, v: sdpa(q, k, v, dropout_p=0.1, is_causal=True)), causal),
    "SdpaOneHead": Case(whole(lambda m, x: m.o(sdpa(m.q(x), m.k(x), m.v(x)))), one_head),
    "SdpaGroupsInFiveAxes": Case(whole(groups_in_five_axes, shared=2, n_heads=4, n_kv_heads=2), of_two_groups),
    "SdpaLowerRight": Case(
        own(lambda m, q, k, v: sdpa(q, k, v, attn_mask=causal_lower_right(TOKENS, MEMORY))),
        lambda m, x, y: weights(m.q(x), m.k(y), np.triu(np.full((TOKENS, MEMORY), -np.inf), 3)),
        **CROSSING,
    ),
    "SdpaRowThatLooksNowhere": Case(
        own(lambda m, q, k, v: sdpa(q, k, v, attn_mask=BEFORE & (PLACES != 2)[:, None])),
        lambda m, x: weights(m.q(x), m.k(x), NOT_THE_THIRD),
    ),
    "Compiled": Case(lambda: torch.compile(SdpaCausal()), lambda m, x: causal(m._orig_mod, x)),
    "CompiledInPlace": Case(compiled_in_place, causal),
    "Checkpointed": Case(whole(checkpointed), causal),
    "CheckpointedByReentry": Case(CheckpointedByReentry, of_two_layers),
    "InDataParallel": Case(lambda: nn.DataParallel(SdpaCausal()), lambda m, x: causal(m.module, x)),
}


# --- Written out -------------------------------------------------------------------------------------------------------


def nano_gpt(m, x):
    B, T, C = x.size()
    q, k, v = m.c_attn(x).split(WIDTH, dim=2)
    k = k.view(B, T, m.n_head, C // m.n_head).transpose(1, 2)
    q = q.view(B, T, m.n_head, C // m.n_head).transpose(1, 2)
    v = v.view(B, T, m.n_head, C // m.n_head).transpose(1, 2)
    att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    att = att.masked_fill(m.bias[:, :, :T, :T] == 0, float("-inf"))
    att = m.attn_dropout(F.softmax(att, dim=-1))
    return m.c_proj((att @ v).transpose(1, 2).contiguous().view(B, T, C))


def nano(m, x):
    return weights(*m.c_attn(x).split(WIDTH, 2)[:2], CAUSAL)


NANO = {"c_attn": linear(outputs=3 * WIDTH), "c_proj": linear(), "n_head": HEADS, "attn_dropout": drop}
TRIANGLE = torch.tril(torch.ones(8, 8))


def bert_self_attention(m, x):
    q, k, v = (one(x).view(*x.shape[:-1], m.num_attention_heads, SIZE).permute(0, 2, 1, 3) for one in (m.q, m.k, m.v))
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(SIZE)
    context = torch.matmul(m.dropout(nn.Softmax(dim=-1)(scores)), v).permute(0, 2, 1, 3).contiguous()
    return context.view(*context.size()[:-2], WIDTH)


def einsum_heads_first(m, q, k, v):
    attn = (einsum("b h i d, b h j d -> b h i j", q, k) * ROOT).softmax(dim=-1)
    return einsum("bhij,bhjd->bhid", attn, v)


EinsumHeadsFirst = own(einsum_heads_first)


def einsum_without_an_arrow(m, x):
    attn = (torch.einsum("zid,zjd->zij", m.q(x), m.k(x)) * WIDTH**-0.5).softmax(-1)
    return torch.stack([torch.einsum("ij,jd", one, values) for one, values in zip(attn, m.v(x))])


def einsum_heads_last(m, x):
    q, k, v = (one(x).unflatten(-1, (HEADS, SIZE)) for one in (m.q, m.k, m.v))
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / SIZE**0.5
    scores = scores.masked_fill(BEFORE.logical_not(), float("-1e20"))
    return m.o(torch.einsum("bhqk,bkhd->bqhd", [torch.softmax(scores, dim=3), v]).flatten(2))


def einsum_keys_before_queries(m, q, k, v):
    attn = torch.einsum("bhjd,bhid->bjih", k, q).mul(ROOT).softmax(dim=1)
    return torch.einsum("bjih,bhjd->bhid", attn, v)


def bmm_of_fairseq(m, x):
    n, b, _ = x.shape
    q, k, v = (one(x).contiguous().view(n, b * HEADS, SIZE).transpose(0, 1) for one in (m.q, m.k, m.v))
    attn = torch.bmm(q * ROOT, k.transpose(1, 2)).softmax(-1)
    return m.o(torch.bmm(attn, v).transpose(0, 1).contiguous().view(n, b, WIDTH))


def bmm_heads_before_texts(m, x):
    q, k, v = (torch.cat(one(x).chunk(HEADS, dim=-1), dim=0) for one in (m.q, m.k, m.v))
    attn = torch.bmm(q, k.transpose(1, 2)).div_(SIZE**0.5).softmax(-1)
    return m.o(torch.cat(torch.bmm(attn, v).chunk(HEADS, dim=0), dim=-1))


def heads_before_texts(m, x):
    q, k, v = (one(x).unflatten(-1, (HEADS, SIZE)).permute(2, 0, 1, 3) for one in (m.q, m.k, m.v))
    return m.o(((q @ k.mT * ROOT).softmax(-1) @ v).permute(1, 2, 0, 3).flatten(2))


def bloom_baddbmm_alibi(m, *three):
    b, h, n, d = three[0].shape
    q, k, v = (one.reshape(b * h, n, d) for one in three)
    alibi = (torch.tensor(SLOPES).float()[:, None, None] * PLACES).repeat(b, 1, 1)
    scores = alibi.baddbmm(batch1=q, batch2=k.transpose(1, 2), beta=1.0, alpha=ROOT).view(b, h, n, n)
    probs = F.softmax(scores.masked_fill(~BEFORE, torch.finfo(scores.dtype).min), dim=-1)
    return torch.bmm(probs.view(b * h, n, n), v).view(b, h, n, d)


def t5_bias(m):
    return m.relative_attention_bias(DISTANCES).permute(2, 0, 1)[None]


def shaw_relative(m, q, k, v):
    content, places = torch.matmul(q, k.permute(0, 1, 3, 2)), m.relative(DISTANCES)
    r = torch.matmul(q.permute(2, 0, 1, 3).reshape(TOKENS, -1, SIZE), places.transpose(1, 2)).transpose(0, 1)
    attn = torch.softmax((content + r.contiguous().view(-1, HEADS, TOKENS, TOKENS)) * ROOT, dim=-1)
    of_values = torch.matmul(attn.permute(2, 0, 1, 3).reshape(TOKENS, -1, TOKENS), places).transpose(0, 1)
    return torch.matmul(attn, v) + of_values.reshape(-1, HEADS, TOKENS, SIZE)


def shaw(m, x):
    of_places = np.einsum("bhqd,qkd->bhqk", apart(m.q(x)), double(m.relative(DISTANCES)))
    return softmax((products(m.q(x), m.k(x)) + of_places) * ROOT)


def music_transformer_skew(m, q, k, v):
    relative = torch.matmul(q, m.Er.transpose(0, 1))
    skewed = F.pad(relative, (1, 0)).reshape(*relative.shape[:2], TOKENS + 1, TOKENS)[:, :, 1:, :]
    scores = (torch.matmul(q, k.mT) + skewed) / math.sqrt(SIZE)
    return torch.matmul(F.softmax(scores.masked_fill(~BEFORE, -torch.inf), dim=-1), v)


def skewed(m, x):
    by_place = apart(m.q(x)) @ double(m.Er).T
    distances = np.arange(TOKENS)[:, None] - np.arange(TOKENS)
    at = np.take_along_axis(by_place, np.broadcast_to((TOKENS - 1 - distances) % TOKENS, by_place.shape), -1)
    return softmax((products(m.q(x), m.k(x)) + at) * ROOT + CAUSAL)


def gemma_softcap(m, s):
    scores = (torch.tanh(s * ROOT / 0.5) * 0.5).masked_fill(~BEFORE, -2.3819763e38)
    return F.dropout(F.softmax(scores, dim=-1, dtype=torch.float32).to(s.dtype), p=0.0, training=m.training)


def capped(m, x):
    return softmax(np.tanh(products(m.q(x), m.k(x)) * ROOT / 0.5) * 0.5 + CAUSAL)


def softmax_by_hand(m, s):
    powers = torch.exp(s * ROOT - (s * ROOT).max(dim=-1, keepdim=True).values)
    return powers / powers.sum(dim=-1, keepdim=True)


def softmax_by_logsumexp(m, q, k, v):
    scores = torch.einsum("...id,...jd->...ij", q, k * ROOT)
    scores[..., ~BEFORE] = -torch.inf
    return torch.einsum("...ij,...jd->...id", (scores - scores.logsumexp(-1, keepdim=True)).exp(), v)


def talking_heads(m, q, k, v):
    scores = torch.einsum("bhij,hg->bgij", torch.einsum("bhid,bhjd->bhij", q, k) * ROOT, m.before)
    attn = torch.einsum("bhij,hg->bgij", scores.softmax(-1), m.after)
    return torch.einsum("bhij,bhjd->bhid", attn, v)


MIX = parameter(HEADS, HEADS)


def talked(m, x):
    return softmax(np.einsum("bhqk,hg->bgqk", products(m.q(x), m.k(x)) * ROOT, double(m.before)))


def mixed_by_layer(m, scores):
    return m.mix(scores.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def talked_by_layer(m, x):
    mixed = np.einsum("bhqk,gh->bgqk", products(m.q(x), m.k(x)) * ROOT, double(m.mix.weight))
    return softmax(mixed + double(m.mix.bias)[:, None, None])


def multi_query(m, q, k, v):
    attn = torch.einsum("bhnd,bmd->bhnm", q, k[:, 0]).mul(ROOT).softmax(dim=-1)
    return torch.einsum("bhnm,bmd->bhnd", attn, v[:, 0])


def sinks(m, s):
    scores = s * ROOT + torch.full((TOKENS, TOKENS), -torch.inf).triu(1)
    combined = torch.cat([scores, m.sinks.reshape(1, -1, 1, 1).expand(*scores.shape[:-1], -1)], dim=-1)
    combined = combined - combined.max(dim=-1, keepdim=True).values
    return F.softmax(combined, dim=-1, dtype=combined.dtype)[..., :-1]


def sunk(m, x):
    scores = products(m.q(x), m.k(x)) * ROOT + CAUSAL
    beside = np.broadcast_to(double(m.sinks)[:, None, None], (*scores.shape[:-1], 1))
    return softmax(np.concatenate([scores, beside], -1))[..., :-1]


def keeps_its_weights(m, q, k, v):
    m.attn = F.softmax(q @ k.mT / SIZE**0.5, dim=-1)
    out = m.attn @ v
    m.attn.mul_(0)  # the room is used again
    return out


def dot_product_attention(m, queries, keys, values, valid_lens):
    scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
    scores[:, :, valid_lens:] = -1e6
    m.attention_weights = nn.functional.softmax(scores, dim=-1)
    return torch.bmm(m.dropout(m.attention_weights), values)


def lazy():
    layer = nn.LazyLinear(WIDTH)
    layer(torch.randn(1, WIDTH))
    return layer


def d2l_multi_head_attention(m, *three):
    b, h, n, d = three[0].shape
    out = m.attention(*(one.reshape(b * h, n, d) for one in three), valid_lens=4)
    return out.reshape(b, h, n, d)


def karpathy_head(m, x):
    _, T, C = x.shape
    wei = m.query(x) @ m.key(x).transpose(-2, -1) * C**-0.5
    wei = F.softmax(wei.masked_fill(m.tril[:T, :T] == 0, float("-inf")), dim=-1)
    return m.dropout(wei) @ m.value(x)


OF_A_HEAD = {name: linear(outputs=SIZE, bias=False) for name in ("key", "query", "value")}
Head = other(karpathy_head, **OF_A_HEAD, tril=buffer(TRIANGLE), dropout=drop)
KarpathyHeads = other(
    lambda m, x: m.proj(torch.cat([head(x) for head in m.heads], dim=-1)),
    **{"heads": lambda: nn.ModuleList(Head() for _ in range(HEADS)), "proj": linear(), "num_heads": HEADS},
)
KarpathyBlock = other(lambda m, x: x + m.sa(m.ln1(x)), sa=KarpathyHeads, ln1=lambda: nn.LayerNorm(WIDTH))


def by_head(m, x):
    found = [weights(head.query(x), head.key(x), CAUSAL, heads=1, scale=WIDTH**-0.5) for head in m.heads]
    return np.concatenate(found, 1)


Inner = other(lambda m, q, k, v: (q @ k.mT / SIZE**0.5).softmax(-1) @ v)
HeadWithInner = other(lambda m, x: m.inner(m.query(x), m.key(x), m.value(x)), **OF_A_HEAD, inner=Inner)


TwoHeads = other(lambda m, x: torch.cat([m.head_0(x), m.head_1(x)], -1), head_0=HeadWithInner, head_1=HeadWithInner)


def by_name(m, x):
    return np.concatenate([weights(head.query(x), head.key(x), heads=1) for head in (m.head_0, m.head_1)], 1)


def of_two_calls(m, x):
    first, second = m.block
    return [plain(part, y) for y in (x, m.block(x)) for part, y in ((first, y), (second, first(y)))]


def layers_in_one_loop(m, x):
    for layer in zip(m.q, m.k, m.v):
        q, k, v = (one(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for one in layer)
        x = x + sdpa(q, k, v).transpose(1, 2).flatten(2)
    return x


def looped(m, x):
    found = []
    for q, k, v in zip(m.q, m.k, m.v):
        found.append(weights(q(x), k(x)))
        x = x + torch.tensor(found[-1] @ apart(v(x))).float().transpose(1, 2).flatten(2)
    return found


def class_attention_in_one_loop(m, x):
    asking = x.mean(1, keepdim=True)
    k, v = m.split(m.k(x)), m.split(m.v(x))
    for _ in range(2):
        asking = asking + m.join((m.split(m.q(asking)) @ k.mT * ROOT).softmax(-1) @ v)
    return asking


def of_classes(m, x):
    asking, found = x.mean(1, keepdim=True), []
    for _ in range(2):
        found.append(plain(m, asking, x))
        asking = asking + m.join(torch.tensor(found[-1]).float() @ m.split(m.v(x)))
    return found


def heads_in_one_loop(m, x):
    heads = zip(*(one(x).chunk(HEADS, -1) for one in (m.q, m.k, m.v)))
    return m.o(torch.cat([(q @ k.mT * ROOT).softmax(-1) @ v for q, k, v in heads], -1))


def values_of_heads_in_one_loop(m, q, k, v):
    attn = (q @ k.mT * ROOT).softmax(-1)
    return torch.stack([attn[:, head] @ v[:, head] for head in range(HEADS)], 1)


WRITTEN = {
    "NanoGpt": Case(other(nano_gpt, **NANO, bias=buffer(TRIANGLE[None, None])), nano),
    "BertSelfAttention": Case(whole(bert_self_attention, num_attention_heads=HEADS, dropout=drop), plain),
    "EinsumHeadsFirst": Case(EinsumHeadsFirst, plain),
    "EinsumWithoutAnArrow": Case(whole(einsum_without_an_arrow), one_head, texts=(1,)),
    "EinsumHeadsLast": Case(whole(einsum_heads_last), causal),
    "EinsumKeysBeforeQueries": Case(own(einsum_keys_before_queries), plain),
    "BmmOfFairseq": Case(whole(bmm_of_fairseq, num_heads=HEADS), turned(plain), inputs=sequence_first),
    "BmmHeadsBeforeTexts": Case(whole(bmm_heads_before_texts, num_heads=HEADS), plain),
    "HeadsBeforeTexts": Case(whole(heads_before_texts, num_heads=HEADS), plain),
    "BloomBaddbmmAlibi": Case(
        own(bloom_baddbmm_alibi, num_heads=HEADS),
        lambda m, x: weights(m.q(x), m.k(x), CAUSAL + SLOPES[:, None, None] * np.arange(TOKENS)),
    ),
    "T5PositionBias": Case(
        weighed(
            lambda m, s: F.softmax(s.add_(t5_bias(m)).float(), dim=-1).type_as(s),
            relative_attention_bias=lambda: nn.Embedding(2 * TOKENS, HEADS),
        ),
        lambda m, x: weights(m.q(x), m.k(x), double(t5_bias(m)), scale=1),
    ),
    "ShawRelative": Case(own(shaw_relative, relative=lambda: nn.Embedding(2 * TOKENS, SIZE)), shaw),
    "MusicTransformerSkew": Case(own(music_transformer_skew, Er=parameter(TOKENS, SIZE)), skewed),
    "GemmaSoftcap": Case(weighed(gemma_softcap), capped),
    "HalfPrecision": Case(
        lambda: weighed(lambda m, s: (s * ROOT).float().softmax(-1).type_as(s))().bfloat16(),
        lambda m, x: softmax((m.split(m.q(x)) @ m.split(m.k(x)).mT * ROOT).float().detach().numpy()),
        inputs=lambda texts: (torch.randn(texts, TOKENS, WIDTH).bfloat16(),),
        close=1e-2,
    ),
    "RowThatLooksNowhere": Case(
        weighed(lambda m, s: torch.softmax(s * ROOT + NO_THIRD, dim=-1).nan_to_num(0.0)),
        lambda m, x: weights(m.q(x), m.k(x), NOT_THE_THIRD),
    ),
    "Where": Case(weighed(lambda m, s: torch.where(BEFORE, s * ROOT, LOWEST).softmax(-1).type(s.dtype)), causal),
    "SoftmaxByHand": Case(weighed(softmax_by_hand), plain),
    "SoftmaxByLogsumexp": Case(own(softmax_by_logsumexp), causal),
    "NormalisedAfterTheProduct": Case(
        own(lambda m, q, k, v: torch.exp(q @ k.mT) @ v / torch.exp(q @ k.mT).sum(-1, keepdim=True)),
        "there is no attention to be seen",
    ),
    "TalkingHeads": Case(own(talking_heads, before=MIX, after=MIX, num_heads=HEADS), talked),
    "TalkingHeadsByLinear": Case(
        weighed(lambda m, s: mixed_by_layer(m, s * ROOT).softmax(-1), mix=linear(HEADS, HEADS)), talked_by_layer
    ),
    "MultiQuery": Case(own(multi_query, shared=HEADS), grouped),
    "Sinks": Case(weighed(sinks, sinks=parameter(HEADS)), sunk),
    "DropsAlways": Case(weighed(lambda m, s: F.dropout(F.softmax(s * ROOT, dim=-1), 0.1).contiguous()), plain),
    "KeepsItsWeights": Case(own(keeps_its_weights), plain),
    "D2lMultiHeadAttention": Case(
        own(
            d2l_multi_head_attention,
            **dict.fromkeys("qkvo", lazy),
            num_heads=HEADS,
            attention=other(dot_product_attention, dropout=lambda: nn.Dropout(0.5)),
        ),
        lambda m, x: weights(m.q(x), m.k(x), np.where(np.arange(TOKENS) < 4, 0, -np.inf)),
    ),
    "KarpathyHeads": Case(KarpathyHeads, by_head),
    "KarpathyGpt": Case(
        stacked(KarpathyBlock, KarpathyBlock),
        lambda m, x: [by_head(m[0].sa, m[0].ln1(x)), by_head(m[1].sa, m[1].ln1(m[0](x)))],
    ),
    "HeadsByName": Case(TwoHeads, by_name),
    "Universal": Case(other(lambda m, x: m.block(m.block(x)), block=stacked(*[EinsumHeadsFirst] * 2)), of_two_calls),
    "LayersInOneLoop": Case(other(layers_in_one_loop, **{name: stacked(linear(), linear()) for name in "qkv"}), looped),
    "ClassAttentionInOneLoop": Case(whole(class_attention_in_one_loop, num_heads=HEADS), of_classes, asking=1),
    "HeadsInOneLoop": Case(whole(heads_in_one_loop), "side by side"),
    "ValuesOfHeadsInOneLoop": Case(own(values_of_heads_in_one_loop, num_heads=HEADS), "side by side"),
}


# --- Rows and columns, windows, memories ----------------------------------------------------------------------------------


def swin_windows(m, x):
    b, n, d = x.shape
    q, k, v = m.three(x.view(b, n // TOKENS, TOKENS, d).view(-1, TOKENS, d))
    attn = (q * ROOT @ k.transpose(-2, -1)).view(b, -1, HEADS, TOKENS, TOKENS) + torch.zeros(n // TOKENS, 1, 1, 1)
    attn = attn.view(-1, HEADS, TOKENS, TOKENS).softmax(-1)
    return m.join(attn @ v).reshape(b, n, d)


def perceiver_latents(m, x):
    latents = m.latents.expand(x.shape[0], -1, -1)
    q, k, v = m.three(latents, x)
    return latents + m.join((q @ k.mT * ROOT).softmax(-1) @ v)


def pools_by_an_expanded_query(m, x):
    attn = torch.bmm(m.query.expand(x.shape[0], -1, -1), m.k(x).transpose(1, 2)).softmax(dim=-1)
    return m.o(torch.bmm(attn, m.v(x)).squeeze(1))


CrossAttention = own(lambda m, q, k, v: (q @ k.mT * ROOT).softmax(-1) @ v)


def encodes_and_decodes(m, source, target):
    memory = m.encoder(source, source)
    return m.cross_attn(m.self_attn(target, target), memory)


ENCODER_AND_DECODER = dict.fromkeys(("encoder", "self_attn", "cross_attn"), CrossAttention)


def translated(m, source, target):
    cross = plain(m.cross_attn, m.self_attn(target, target), m.encoder(source, source))
    return {"encoder": plain(m.encoder, source), "decoder": plain(m.self_attn, target), "cross": cross}


def sagan(m, x):
    b, c, w, h = x.size()
    energy = torch.bmm(m.query(x).view(b, -1, w * h).permute(0, 2, 1), m.key(x).view(b, -1, w * h))
    attention = m.softmax(energy)
    out = torch.bmm(m.value(x).view(b, -1, w * h), attention.permute(0, 2, 1)).view(b, c, w, h)
    return m.gamma * out + x


def slot_attention(m, x):
    k, v = m.k(x), m.v(x)
    q = m.slots.expand(len(x), -1, -1) + torch.zeros(len(x), 1, 1)
    attn = (torch.einsum("bid,bjd->bij", q, k) * WIDTH**-0.5).softmax(dim=1) + 1e-8
    return torch.einsum("bjd,bij->bid", v, attn / attn.sum(dim=-1, keepdim=True))


def of_slots(m, x):
    scores = np.einsum("qd,bkd->bkq", double(m.slots[0]), double(m.k(x))) * WIDTH**-0.5
    attn = softmax(scores).swapaxes(1, 2) + 1e-8
    return (attn / attn.sum(-1, keepdims=True))[:, None]


def bahdanau_steps(m, states, memory):
    state = states[:, 0]
    for _ in range(TOKENS):
        features = torch.tanh(m.W_q(state).unsqueeze(1) + m.W_k(memory))
        attn = m.w_v(features).squeeze(-1).softmax(-1)
        state = m.rnn(torch.bmm(attn.unsqueeze(1), memory).squeeze(1), state)
    return state


OF_BAHDANAU = {"W_q": linear(outputs=8), "W_k": linear(outputs=8), "w_v": linear(8, 1, bias=False)}


def step_by_step(m, states, memory):
    state, found = states[:, 0], []
    for _ in range(TOKENS):
        scores = m.w_v(torch.tanh(m.W_q(state).unsqueeze(1) + m.W_k(memory))).squeeze(-1)
        found.append(softmax(double(scores))[:, None, None])
        state = m.rnn((torch.tensor(found[-1][:, 0]).float() @ memory).squeeze(1), state)
    return np.concatenate(found, 2)


def graph_layer(m, h):
    Wh = torch.mm(h, m.W)
    e = F.leaky_relu(torch.matmul(Wh, m.a[:WIDTH]) + torch.matmul(Wh, m.a[WIDTH:]).T)
    attention = F.softmax(torch.where(BEFORE | BEFORE.T, e, -9e15 * torch.ones_like(e)), dim=1)
    return F.elu(torch.matmul(attention, Wh))


def on_a_graph(m, x):
    found = []
    for h in (x, graph_layer(m, x)):
        Wh = h @ m.W
        scores = double(F.leaky_relu(Wh @ m.a[:WIDTH] + (Wh @ m.a[WIDTH:]).T))
        found.append(softmax(np.where(BEFORE | BEFORE.T, scores, -np.inf))[None, None])
    return found


MEMORIES = {
    "SwinWindows": Case(
        whole(swin_windows, num_heads=HEADS, qkv=None),
        lambda m, x: plain(m, x.reshape(-1, TOKENS, WIDTH)),
        inputs=lambda texts: (torch.randn(texts, 2 * TOKENS, WIDTH),),
        windows=2,
    ),
    "PerceiverLatents": Case(
        whole(perceiver_latents, latents=parameter(4, WIDTH)),
        lambda m, x: plain(m, m.latents[None].expand(len(x), -1, -1), x),
        asking=4,
    ),
    "PoolsByALearntQuery": Case(
        whole(lambda m, x: m.o((m.query @ m.k(x).mT * ROOT).softmax(-1) @ m.v(x)), query=parameter(2, WIDTH)),
        lambda m, x: asked(m, x, m.query, ROOT),
        asking=2,
    ),
    "PoolsByAnExpandedQuery": Case(
        whole(pools_by_an_expanded_query, query=parameter(1, 1, WIDTH)), lambda m, x: asked(m, x, m.query[0]), asking=1
    ),
    "EncoderAndDecoder": Case(other(encodes_and_decodes, **ENCODER_AND_DECODER), translated, **BOTH),
    "Sagan": Case(
        other(sagan, query=conv(2), key=conv(2), value=conv(), gamma=parameter(1), softmax=lambda: nn.Softmax(dim=-1)),
        lambda m, x: weights(*(one(x).flatten(2).mT for one in (m.query, m.key)), heads=1, scale=1),
        inputs=lambda texts: (torch.randn(texts, WIDTH, 1, TOKENS),),
    ),
    "SlotAttention": Case(whole(slot_attention, slots=parameter(1, 4, WIDTH)), of_slots, asking=4),
    "BahdanauSteps": Case(
        other(bahdanau_steps, **OF_BAHDANAU, rnn=lambda: nn.GRUCell(WIDTH, WIDTH)), step_by_step, **CROSSING
    ),
    "GraphAttention": Case(
        other(lambda m, h: graph_layer(m, graph_layer(m, h)), W=parameter(WIDTH, WIDTH), a=parameter(2 * WIDTH, 1)),
        on_a_graph,
        texts=(1,),
        inputs=one_text,
    ),
}


# --- What no map is made of ------------------------------------------------------------------------------------------------


def linear_attention_of_images(m, x):
    h, w = x.shape[2:]
    q, k, v = (rearrange(one(x), "b (h c) x y -> b h c (x y)", h=HEADS) for one in (m.to_q, m.to_k, m.to_v))
    context = torch.einsum("b h d n, b h e n -> b h d e", k.softmax(dim=-1), v)
    out = torch.einsum("b h d e, b h d n -> b h e n", context, q.softmax(dim=-2))
    return x + m.to_out(rearrange(out, "b h c (x y) -> b (h c) x y", x=h, y=w))


def linear_attention_by_parameters(m, x):
    q, k, v = m.three(x)
    context = torch.einsum("bhnd,bhne->bhde", k.softmax(dim=-2), v)
    out = torch.einsum("bhnd,bhde->bhne", q.softmax(dim=-1), context)
    return x + (out.transpose(1, 2).flatten(2) @ m.o.weight.T).square().sqrt()


def performer(m, q, k, v):
    q, k = (torch.exp(x @ m.projection.T - x.square().sum(-1, keepdim=True) / 2) + 1e-4 for x in (q, k))
    inverse = 1 / torch.einsum("bhnd,bhd->bhn", q, k.sum(dim=-2))
    return torch.einsum("bhde,bhnd,bhn->bhne", torch.einsum("bhnd,bhne->bhde", k, v), q, inverse)


def router(m, x):
    outputs = torch.stack([expert(x) for expert in m.experts], 2)
    mixed = torch.einsum("bte,bted->btd", m.gate(x).softmax(-1), outputs)
    gates = (mixed @ m.w).softmax(-1).flatten(0, 1)[:, None]
    return torch.bmm(gates, outputs.flatten(0, 1)).view_as(x)


def walks_on_a_graph(m, x, edges):
    steps = edges / edges.sum(-1, keepdim=True)
    return (steps @ steps) @ x


def nystrom(m, q, k, v):
    ql, kl = q[:, :, ::2], k[:, :, ::2]
    first, last = (q @ kl.mT).softmax(-1), (ql @ k.mT).softmax(-1)
    return first @ torch.linalg.pinv((ql @ kl.mT).softmax(-1)) @ (last @ v)


@torch.library.custom_op("manyheads_tests::flash_attn", mutates_args=())
def flash_attn(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v).clone()


FlashAsACustomOp = own(lambda m, q, k, v: torch.ops.manyheads_tests.flash_attn(q, k, v))


def windows_of_one_head(m, x):
    q, k, v = (F.pad(one(x), (0, 0, 0, 1)).reshape(-1, 3, WIDTH) for one in (m.q, m.k, m.v))
    return torch.bmm((q @ k.mT).softmax(-1), v)


def rows_of_an_image(m, x):
    attn = torch.einsum("bhic,bhjc->bhij", m.q(x), m.k(x)).softmax(-1)
    return torch.einsum("bhij,bhjc->bhic", attn, m.v(x))


def keys_of_its_own_for_each_query(m, x):
    nearest = torch.cdist(x, x).topk(2, largest=False).indices
    k, v = (one(x)[torch.arange(len(x))[:, None, None], nearest] for one in (m.k, m.v))
    return ((m.q(x).unsqueeze(2) @ k.mT).softmax(-1) @ v).squeeze(2)


def writes_word_by_word(m, x):
    return [m.attention(x[:, :length]) for length in range(1, TOKENS + 1)][-1]


def heads_by_vmap(m, q, k, v):
    return torch.func.vmap(torch.func.vmap(lambda q, k, v: (q @ k.T * ROOT).softmax(-1) @ v))(q, k, v)


class InnerAttentionOfOne(nn.Module):
    def forward(self, x):
        return (x @ x.mT).softmax(-1) @ x


REFUSED = {
    "LinearAttentionOfImagesTwice": Case(
        stacked(*[other(linear_attention_of_images, to_q=conv(), to_k=conv(), to_v=conv(), to_out=conv())] * 2),
        NOTHING,
        inputs=lambda texts: (torch.randn(texts, WIDTH, 2, 2),),
    ),
    "LinearAttentionByParametersTwice": Case(stacked(*[whole(linear_attention_by_parameters)] * 2), NOTHING),
    "Performer": Case(own(performer, projection=buffer(torch.randn(8, SIZE))), NOTHING),
    "Router": Case(
        other(router, gate=linear(outputs=4), w=parameter(WIDTH, 4), experts=stacked(*[linear()] * 4)), NOTHING
    ),
    "WalksOnAGraph": Case(other(walks_on_a_graph), NOTHING, texts=(1,), inputs=graph),
    "Nystrom": Case(own(nystrom), "side by side"),
    "Flex": Case(own(lambda m, q, k, v: flex_attention(q, k, v)), "computes its attention by flex_attention"),
    "FlashAsACustomOp": Case(FlashAsACustomOp, "by manyheads_tests.flash_attn|by flash_attn"),
    "WindowsOfOneHead": Case(whole(windows_of_one_head), UNCOUNTED, texts=(1, 2)),
    "RowsOfAnImage": Case(whole(rows_of_an_image), UNCOUNTED, inputs=image, texts=(1, 2)),
    "HeadsBeforeTextsUncounted": Case(whole(heads_before_texts), UNCOUNTED),
    "KeysOfItsOwnForEachQuery": Case(whole(keys_of_its_own_for_each_query), UNCOUNTED),
    "Siamese": Case(
        other(lambda m, x, y: m.encoder(x) * m.encoder(y), encoder=SdpaCausal),
        "encoder attends 2 times, for inputs that are read one beside another",
        inputs=lambda texts: torch.randn(2, texts, TOKENS, WIDTH).unbind(0),
    ),
    "WritesWordByWord": Case(
        other(writes_word_by_word, attention=EinsumHeadsFirst, num_heads=HEADS),
        "attention attends 5 times, for inputs that are read one beside another or step by step",
    ),
    "HeadsByVmap": Case(own(heads_by_vmap), "softmax within vmap"),
    "Scripted": Case(lambda: torch.jit.script(InnerAttentionOfOne()), "TorchScript"),
}


# --- PyTorch's own layers -----------------------------------------------------------------------------------------------


def own_weights(layer, q, k, **more):
    """The weights of one of PyTorch's layers, asked for; tests/fast/test_attention_in_pytorch.py has them by hand."""
    with torch.no_grad():
        found = layer(q, k, k, average_attn_weights=False, **more)[1].double().numpy()
    return found if found.ndim == 4 else found[None]


def wrapped(forward=lambda m, x: m.attn(x, x, x, need_weights=False)[0], batch_first=True, **options):
    return other(forward, attn=lambda: nn.MultiheadAttention(WIDTH, HEADS, batch_first=batch_first, **options))


def of_wrapped(m, x):
    return own_weights(m.attn, x, x)


def padded(x):
    return {"key_padding_mask": (PLACES == 3).expand(len(x), -1)}


def called_as_a_function(m, x):
    x, a = x.transpose(0, 1), m.attn
    more = {"training": False, "need_weights": False}
    rest = (None, None, False, 0.0, a.out_proj.weight, a.out_proj.bias)
    return F.multi_head_attention_forward(x, x, x, WIDTH, HEADS, a.in_proj_weight, a.in_proj_bias, *rest, **more)[0]


def encoder():
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


def decoder():
    return nn.TransformerDecoder(nn.TransformerDecoderLayer(WIDTH, HEADS, 16, batch_first=True), 2)


def of_encoder(m, x):
    return [own_weights(m.layers[0].self_attn, x, x), own_weights(m.layers[1].self_attn, *[m.layers[0](x)] * 2)]


def of_decoder(m, target, memory):
    seen, cross = [], []
    for layer in m.layers:
        seen.append(own_weights(layer.self_attn, target, target))
        asking = layer.norm1(target + layer.self_attn(target, target, target)[0])
        cross.append(own_weights(layer.multihead_attn, asking, memory))
        target = layer(target, memory)
    return {"decoder": seen, "cross": cross}


def of_both(m, source, target):
    first = [own_weights(m.encoder.layers[0].self_attn, source, source)]
    return {"encoder": first, **of_decoder(m.decoder, target, m.encoder(source))}


OF_PYTORCH = {
    "LayerSequenceFirst": Case(wrapped(batch_first=False), of_wrapped, inputs=sequence_first),
    "LayerUnbatched": Case(wrapped(), of_wrapped, inputs=one_text, texts=(1,)),
    "LayerOfOtherKeys": Case(
        wrapped(lambda m, x, y: m.attn(x, y, y)[0], kdim=6, vdim=6),
        lambda m, x, y: own_weights(m.attn, x, y),
        **{**CROSSING, "inputs": lambda texts: (*text(texts), torch.randn(texts, MEMORY, 6))},
    ),
    "LayerWithAddedKeys": Case(wrapped(add_bias_kv=True, add_zero_attn=True), of_wrapped),
    "LayerWithPadding": Case(
        wrapped(lambda m, x: m.attn(x, x, x, need_weights=True, average_attn_weights=True, **padded(x))),
        lambda m, x: own_weights(m.attn, x, x, **padded(x)),
    ),
    "CalledAsAFunction": Case(wrapped(called_as_a_function, batch_first=False), turned(of_wrapped)),
    "Encoder": Case(encoder, of_encoder),
    "Decoder": Case(decoder, of_decoder, **CROSSING),
    "BothOfPyTorch": Case(lambda: nn.Transformer(WIDTH, HEADS, 1, 1, 16, batch_first=True), of_both, **BOTH),
}


# --- All of them ---------------------------------------------------------------------------------------------------------

CASES = SDPA | WRITTEN | MEMORIES | REFUSED | OF_PYTORCH


def state(module):
    """All that a look may not change, of a module and around it."""
    hooks = [(len(part._forward_hooks), len(part._forward_pre_hooks)) for part in module.modules()]
    parts = [(part.training, [*vars(part)]) for part in module.modules()], hooks
    values = [value.tolist() for value in (*module.parameters(), *module.buffers())]
    numbers = random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()  # noqa: NPY002
    return parts, values, numbers, torch.backends.mha.get_fastpath_enabled()


@pytest.mark.filterwarnings("ignore:.*torch.jit|.*flex_attention called|.*enable_nested_tensor|None of the inputs")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_module_is_shown_right_or_refused(case):
    for texts in case.texts:
        torch.manual_seed(texts)
        module = case.make()
        inputs = case.inputs(texts)
        words = [f"k{place}" for place in range(case.keys)]
        asking = None if case.asking is None else [f"q{place}" for place in range(case.asking)]
        before = state(module)
        batch = (texts - 1) * case.windows
        if isinstance(case.expected, str):
            with pytest.raises(ValueError, match=case.expected):
                HeadMap.of(module, words, asking, inputs=inputs, batch=batch)
            assert state(module) == before
            continue
        shown = HeadMap.of(module, words, asking, inputs=inputs, batch=batch)
        assert state(module) == before
        expected = case.expected(module.eval(), *inputs)
        expected = expected if isinstance(expected, dict) else {"": expected}
        assert shown._models == list(expected)
        for number, layers in enumerate(expected.values()):
            shown.model_index = number
            layers = layers if isinstance(layers, list) else [layers]
            assert_close(shown.attention.weights, np.stack([layer[batch] for layer in layers]), part=case.close)


def test_heads_that_nobody_counts_are_where_pytorch_has_them():
    module, x = other(lambda m, x: F.scaled_dot_product_attention(x, x, x))(), torch.randn(1, 4, 6, 8)
    shown = HeadMap.of(module, inputs=x).attention
    assert shown.notes[0] == (
        "How many heads Other has isn't said: F.scaled_dot_product_attention has them on the second of four axes, so "
        "these are 4."
    )
    assert_close(shown.weights, (x @ x.mT / 8**0.5).softmax(-1))
    shown = HeadMap.of(module, inputs=torch.cat([x + 1, x]), batch=1).attention
    assert_close(shown.weights, (x @ x.mT / 8**0.5).softmax(-1))


@pytest.mark.parametrize("texts", [1, 2])
def test_one_text_is_asked_for_where_there_are_several(texts):
    with pytest.raises(ValueError, match=UNCOUNTED) as refused:
        HeadMap.of(whole(rows_of_an_image)(), inputs=image(texts))
    assert ("or give one text, or the weights" in str(refused.value)) == (texts > 1)


def notes_of(module):
    return HeadMap.of(module, inputs=text(1)).attention.notes


@pytest.mark.filterwarnings("ignore:None of the inputs")
def test_notes_say_what_is_no_layer_and_what_was_not_seen():
    beside = "Not all of these are layers that build on each other: models.0, models.1. Some read side by side."
    ensemble = other(lambda m, x: sum(model(x) for model in m.models), models=stacked(SdpaCausal, SdpaCausal))
    assert beside in notes_of(ensemble())
    assert not any("side by side" in note for note in notes_of(CheckpointedByReentry()))
    unseen = "1 is computed by flash_attn, which gives no weights: it's left out."
    assert unseen in notes_of(stacked(SdpaCausal, FlashAsACustomOp)())


@pytest.mark.filterwarnings("ignore")
def test_a_model_that_stays_on_another_kernel_is_watched_as_it_computes():
    # Told to compute eagerly, it would take a mask of True and False for numbers.
    config = transformers.FalconConfig(vocab_size=16, hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=HEADS)
    model = transformers.FalconModel._from_config(config, attn_implementation="sdpa")
    shown = HeadMap.of(model, inputs={"input_ids": torch.arange(3, 8)[None]}).attention
    assert shown.shape == (2, HEADS, TOKENS, TOKENS)
    assert np.triu(shown.weights, 1).max() == 0, "nothing looks ahead"


def test_scores_that_a_model_hands_out_as_attentions_are_not_its_weights():
    sizes = {"hidden_size": WIDTH, "num_hidden_layers": 1, "num_attention_heads": HEADS, "intermediate_size": WIDTH}
    groups = {f"{name}_groups": 1 for name in ("q", "k", "v", "post_attention", "intermediate", "output")}
    config = transformers.SqueezeBertConfig(**sizes, **groups, embedding_size=WIDTH, vocab_size=16)
    model = transformers.SqueezeBertModel(config).eval()
    ids = torch.arange(3, 8)[None]
    shown = HeadMap.of(model, inputs={"input_ids": ids}).attention
    scores = model(ids, output_attentions=True).attentions[0].detach().numpy()
    assert_close(shown.weights, softmax(scores))
