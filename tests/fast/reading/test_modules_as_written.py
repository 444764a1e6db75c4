"""Modules as people write attention, as HeadMap.of takes them: the right map or a plain refusal, never a wrong one.

What is expected is computed in NumPy, in double precision, from the queries and keys that a module projects.
"""

import math
import random
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
import transformers
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


@dataclass
class Case:
    """A module, what it's called with, and what is expected: a reference, or what the refusal says."""

    make: type
    reference: object = (
        None  # of the module and its inputs: [text, head, query, key], a list of layers, a dict of parts
    )
    says: str | None = None
    inputs: object = lambda texts: (torch.randn(texts, TOKENS, WIDTH),)
    asking: int | None = None  # how many queries there are, where they aren't the keys
    keys: int = TOKENS
    texts: tuple = (1, 2, 3)
    close: float = 1e-5
    of: dict = field(default_factory=dict)  # more for HeadMap.of


CASES = {}


def shows(reference, **more):
    def keep(make):
        CASES[make.__name__] = Case(make, reference, **more)
        return make

    return keep


def refused(says, **more):
    def keep(make):
        CASES[make.__name__] = Case(make, says=says, **more)
        return make

    return keep


def softmax(scores):
    """Shares in double precision; zeros for a query that may look nowhere."""
    scores = np.asarray(scores, np.float64)
    most = scores.max(-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(most), most, 0))
    return np.divide(
        powers, powers.sum(-1, keepdims=True), out=np.zeros_like(powers), where=powers.sum(-1, keepdims=True) > 0
    )


def apart(values, heads=HEADS):  # [b, n, h * d] -> [b, h, n, d]
    values = values.detach().double().numpy()
    return values.reshape(*values.shape[:2], heads, -1).swapaxes(1, 2)


def products(q, k, heads=HEADS):  # [b, n, h * d] each -> [b, h, q, k]
    q, k = apart(q, heads), apart(k, heads)
    return q @ k.swapaxes(-1, -2)


def weights(q, k, bias=0.0, heads=HEADS, scale=None):
    return softmax(products(q, k, heads) * (scale or (q.shape[-1] // heads) ** -0.5) + bias)


def plain(module, x):
    return weights(module.q(x), module.k(x))


def causal(module, x):
    return weights(module.q(x), module.k(x), CAUSAL)


def memory(texts):
    return torch.randn(texts, TOKENS, WIDTH), torch.randn(texts, MEMORY, WIDTH)


class Own(nn.Module):
    """Four layers and the two reshapes that everybody writes."""

    def __init__(self, shared=1):
        super().__init__()
        self.q, self.o = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.k, self.v = nn.Linear(WIDTH, WIDTH // shared), nn.Linear(WIDTH, WIDTH // shared)

    def split(self, x):
        b, n, d = x.shape
        return x.view(b, n, d // SIZE, SIZE).transpose(1, 2)

    def three(self, x):
        return self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))

    def join(self, x):
        b, h, n, d = x.shape
        return self.o(x.transpose(1, 2).reshape(b, n, h * d))


# --- F.scaled_dot_product_attention ------------------------------------------------------------------------------------


@shows(causal)
class SdpaCausal(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        return self.join(F.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0, is_causal=True))


@shows(lambda m, x: weights(m.q(x), m.k(x), m.bias.detach().numpy(), scale=0.7))
class SdpaFloatMaskAndScale(Own):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(HEADS, TOKENS, TOKENS))

    def forward(self, x):
        q, k, v = self.three(x)
        return self.join(torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=self.bias, scale=0.7))


def grouped(m, x):
    return weights(m.q(x), m.k(x).repeat(1, 1, HEADS))


@shows(grouped)
class SdpaEnableGqa(Own):
    def __init__(self):
        super().__init__(shared=HEADS)

    def forward(self, x):
        q, k, v = self.three(x)
        return self.join(F.scaled_dot_product_attention(q, k, v, enable_gqa=True))


@shows(grouped)
class SdpaRepeatKv(Own):
    def __init__(self):
        super().__init__(shared=HEADS)

    def repeat_kv(self, x, times):
        b, g, n, d = x.shape
        return x[:, :, None].expand(b, g, times, n, d).reshape(b, g * times, n, d)

    def forward(self, x):
        q, k, v = self.three(x)
        return self.join(F.scaled_dot_product_attention(q, self.repeat_kv(k, HEADS), self.repeat_kv(v, HEADS)))


@shows(causal)
class SdpaDropsAlways(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        return self.join(F.scaled_dot_product_attention(q, k, v, dropout_p=0.1, is_causal=True))


@shows(lambda m, x: weights(m.q(x), m.k(x), heads=1))
class SdpaOneHead(Own):
    def forward(self, x):
        return self.o(F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x)))


@shows(lambda m, x: weights(m.q(x), m.k(x).unflatten(-1, (2, -1)).repeat_interleave(2, -2).flatten(-2), heads=4))
class SdpaGroupsInFiveAxes(nn.Module):
    def __init__(self):
        super().__init__()
        self.n_heads, self.n_kv_heads = 4, 2
        self.q, self.kv = nn.Linear(WIDTH, 4 * 3), nn.Linear(WIDTH, 2 * 2 * 3)

    def k(self, x):
        return self.kv(x).chunk(2, -1)[0]

    def forward(self, x):
        q = rearrange(self.q(x), "b n (g r d) -> b g r n d", g=2, r=2)
        k, v = (rearrange(one, "b n (g d) -> b g 1 n d", g=2) for one in self.kv(x).chunk(2, -1))
        out = F.scaled_dot_product_attention(q, k.expand_as(q), v.expand_as(q))
        return rearrange(out, "b g r n d -> b n (g r d)")


@shows(
    lambda m, x, y: weights(m.q(x), m.k(y), np.triu(np.full((TOKENS, MEMORY), -np.inf), 3)),
    inputs=memory,
    asking=TOKENS,
    keys=MEMORY,
)
class SdpaLowerRight(Own):
    def forward(self, x, cached):
        q, k, v = self.split(self.q(x)), self.split(self.k(cached)), self.split(self.v(cached))
        return self.join(F.scaled_dot_product_attention(q, k, v, attn_mask=causal_lower_right(TOKENS, MEMORY)))


@shows(lambda m, x: causal(m._orig_mod, x))
def Compiled():
    return torch.compile(SdpaCausal())


@shows(causal)
def CompiledInPlace():
    module = SdpaCausal()
    module.compile()
    return module


@shows(causal)
class Checkpointed(Own):
    def inner(self, x):
        return self.join(sdpa(*self.three(x), is_causal=True))

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)


@shows(lambda m, x: [causal(m.layers[0], x), causal(m.layers[1], m.layers[0](x))])
class CheckpointedByReentry(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([SdpaCausal(), SdpaCausal()])

    def forward(self, x):
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=True)
        return x


@shows(lambda m, x: causal(m.module, x))
def InDataParallel():
    return nn.DataParallel(SdpaCausal())


@shows(causal)
class CountsItsCalls(Own):
    def __init__(self):
        super().__init__()
        self.calls, self.seen = 0, []
        self.register_buffer("mean", torch.zeros(WIDTH))

    def forward(self, x):
        self.calls += 1
        self.seen.append(x.shape)
        self.mean.lerp_(x.mean((0, 1)), 0.1)
        self.last = x
        return self.join(sdpa(*self.three(x + torch.randn(()) * 0), is_causal=True))


# --- Written out -------------------------------------------------------------------------------------------------------


@shows(lambda m, x: weights(*m.c_attn(x).split(WIDTH, 2)[:2], CAUSAL))
class NanoGpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.attn_dropout, self.resid_dropout = nn.Dropout(0.2), nn.Dropout(0.2)
        self.n_head = HEADS
        self.register_buffer("bias", torch.tril(torch.ones(8, 8)).view(1, 1, 8, 8))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(WIDTH, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = self.attn_dropout(F.softmax(att, dim=-1))
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.c_proj(y))


@shows(lambda m, x: [weights(*block.c_attn(one).split(WIDTH, 2)[:2], CAUSAL) for block, one in zip(m.h, m.read(x))])
class GptOfTwoBlocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.ModuleList(NanoGpt() for _ in range(2))
        self.ln_f = nn.LayerNorm(WIDTH)

    def read(self, x):
        return [x, x + self.h[0](x)]

    def forward(self, x):
        for block in self.h:
            x = x + block(x)
        return self.ln_f(x)


@shows(lambda m, x: weights(m.query(x), m.key(x)))
class BertSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.num_attention_heads, self.attention_head_size = HEADS, SIZE
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.dropout = nn.Dropout(0.1)

    def transpose_for_scores(self, x):
        return x.view(*x.size()[:-1], self.num_attention_heads, self.attention_head_size).permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask=None):
        query, key, value = (
            self.transpose_for_scores(one(hidden_states)) for one in (self.query, self.key, self.value)
        )
        attention_scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.attention_head_size)
        if attention_mask is not None:
            attention_scores = attention_scores + attention_mask
        attention_probs = self.dropout(nn.Softmax(dim=-1)(attention_scores))
        context_layer = torch.matmul(attention_probs, value).permute(0, 2, 1, 3).contiguous()
        return context_layer.view(*context_layer.size()[:-2], WIDTH)


@shows(plain)
class EinsumHeadsFirst(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        attn = (einsum("b h i d, b h j d -> b h i j", q, k) * ROOT).softmax(dim=-1)
        return self.join(einsum("bhij,bhjd->bhid", attn, v))


@shows(lambda m, x: weights(m.q(x), m.k(x), heads=1), texts=(1,))
class EinsumWithoutAnArrow(Own):
    def forward(self, x):
        attn = (torch.einsum("zid,zjd->zij", self.q(x), self.k(x)) * WIDTH**-0.5).softmax(-1)
        return torch.stack([torch.einsum("ij,jd", one, values) for one, values in zip(attn, self.v(x))])


@shows(causal)
class EinsumHeadsLast(Own):
    def forward(self, x):
        q, k, v = (one.unflatten(-1, (HEADS, SIZE)) for one in (self.q(x), self.k(x), self.v(x)))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / SIZE**0.5
        scores = scores.masked_fill(BEFORE.logical_not(), float("-1e20"))
        return self.o(torch.einsum("bhqk,bkhd->bqhd", [torch.softmax(scores, dim=3), v]).flatten(2))


@shows(plain)
class EinsumKeysBeforeQueries(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        attn = torch.einsum("bhjd,bhid->bjih", k, q).mul(ROOT).softmax(dim=1)
        return self.join(torch.einsum("bjih,bhjd->bhid", attn, v))


class OwnWithCount(Own):
    def __init__(self):
        super().__init__()
        self.num_heads = HEADS


@shows(
    lambda m, x: weights(m.q(x.transpose(0, 1)), m.k(x.transpose(0, 1))),
    inputs=lambda texts: (torch.randn(TOKENS, texts, WIDTH),),
)
class BmmOfFairseq(OwnWithCount):
    def forward(self, x):
        n, b, _ = x.shape
        q, k, v = (one(x).contiguous().view(n, b * HEADS, SIZE).transpose(0, 1) for one in (self.q, self.k, self.v))
        attn = torch.bmm(q * ROOT, k.transpose(1, 2)).softmax(-1)
        return self.o(torch.bmm(attn, v).transpose(0, 1).contiguous().view(n, b, WIDTH))


@shows(plain)
class BmmHeadsBeforeTexts(OwnWithCount):
    def forward(self, x):
        q, k, v = (torch.cat(one(x).chunk(HEADS, dim=-1), dim=0) for one in (self.q, self.k, self.v))
        attn = torch.bmm(q, k.transpose(1, 2)).div_(SIZE**0.5).softmax(-1)
        return self.o(torch.cat(torch.bmm(attn, v).chunk(HEADS, dim=0), dim=-1))


SLOPES = 2.0 ** -np.arange(1, HEADS + 1)


@shows(lambda m, x: weights(m.q(x), m.k(x), CAUSAL + SLOPES[:, None, None] * np.arange(TOKENS)))
class BloomBaddbmmAlibi(OwnWithCount):
    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (one.reshape(b * HEADS, n, SIZE) for one in self.three(x))
        alibi = (torch.tensor(SLOPES).float()[:, None, None] * torch.arange(n)).repeat(b, 1, 1)
        scores = alibi.baddbmm(batch1=q, batch2=k.transpose(1, 2), beta=1.0, alpha=ROOT).view(b, HEADS, n, n)
        probs = F.softmax(scores.masked_fill(~BEFORE, torch.finfo(scores.dtype).min), dim=-1)
        return self.join(torch.bmm(probs.view(b * HEADS, n, n), v).view(b, HEADS, n, SIZE))


@shows(lambda m, x: weights(m.q(x), m.k(x), m.bias().detach().numpy(), scale=1))
class T5PositionBias(Own):
    def __init__(self):
        super().__init__()
        self.relative_attention_bias = nn.Embedding(2 * TOKENS, HEADS)

    def bias(self):
        places = torch.arange(TOKENS)
        return self.relative_attention_bias(places[None] - places[:, None] + TOKENS).permute(2, 0, 1)[None]

    def forward(self, x):
        q, k, v = self.three(x)
        scores = torch.matmul(q, k.transpose(3, 2))
        scores += self.bias()
        return self.join(torch.matmul(F.softmax(scores.float(), dim=-1).type_as(scores), v))


def shaw(m, x):
    relative = m.relative(m.distances()).detach().double().numpy()
    q = apart(m.q(x))
    return softmax((products(m.q(x), m.k(x)) + np.einsum("bhqd,qkd->bhqk", q, relative)) * ROOT)


class Relative(Own):
    def __init__(self):
        super().__init__()
        self.relative = nn.Embedding(2 * TOKENS, SIZE)

    def distances(self):
        places = torch.arange(TOKENS)
        return places[None] - places[:, None] + TOKENS


@shows(shaw)
class ShawRelative(Relative):
    def forward(self, x):
        q, k, v = self.three(x)
        content = torch.matmul(q, k.permute(0, 1, 3, 2))
        places = self.relative(self.distances())
        r = torch.matmul(q.permute(2, 0, 1, 3).reshape(TOKENS, -1, SIZE), places.transpose(1, 2)).transpose(0, 1)
        attn = (content + r.contiguous().view(-1, HEADS, TOKENS, TOKENS)) * ROOT
        attn = torch.softmax(attn, dim=-1)
        of_values = torch.matmul(attn.permute(2, 0, 1, 3).reshape(TOKENS, -1, TOKENS), places).transpose(0, 1)
        return self.join(torch.matmul(attn, v) + of_values.reshape(-1, HEADS, TOKENS, SIZE))


def skewed(m, x):
    q, distances = apart(m.q(x)), np.arange(TOKENS)[:, None] - np.arange(TOKENS)
    by_place = q @ m.Er.detach().double().numpy().T
    at = np.take_along_axis(by_place, np.broadcast_to((TOKENS - 1 - distances) % TOKENS, by_place.shape), -1)
    return softmax((products(m.q(x), m.k(x)) + at) * ROOT + CAUSAL)


@shows(skewed)
class MusicTransformerSkew(Own):
    def __init__(self):
        super().__init__()
        self.Er = nn.Parameter(torch.randn(TOKENS, SIZE))

    def skew(self, x):
        b, h, n, m = x.shape
        return F.pad(x, (1, 0)).reshape(b, h, m + 1, n)[:, :, 1:, :]

    def forward(self, x):
        q, k, v = self.three(x)
        scores = (torch.matmul(q, k.mT) + self.skew(torch.matmul(q, self.Er.transpose(0, 1)))) / math.sqrt(SIZE)
        return self.join(torch.matmul(F.softmax(scores.masked_fill(~BEFORE, -torch.inf), dim=-1), v))


@shows(lambda m, x: softmax(np.tanh(products(m.q(x), m.k(x)) * ROOT / 0.5) * 0.5 + CAUSAL))
class GemmaSoftcap(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        scores = torch.tanh(torch.matmul(q, k.transpose(2, 3)) * ROOT / 0.5) * 0.5
        probs = F.softmax(scores.masked_fill(~BEFORE, -2.3819763e38), dim=-1, dtype=torch.float32).to(q.dtype)
        return self.join(torch.matmul(F.dropout(probs, p=0.0, training=self.training), v))


@shows(
    lambda m, x: softmax(((m.split(m.q(x)) * ROOT) @ m.split(m.k(x)).mT).float().detach().numpy()),
    inputs=lambda texts: (torch.randn(texts, TOKENS, WIDTH).bfloat16(),),
    close=1e-2,
)
class HalfPrecision(Own):
    def __init__(self):
        super().__init__()
        self.bfloat16()

    def forward(self, x):
        q, k, v = self.three(x)
        scores = (q * ROOT) @ k.transpose(-2, -1)
        return self.join(scores.float().softmax(-1).type_as(v) @ v)


@shows(lambda m, x: weights(m.q(x), m.k(x), np.where(np.eye(TOKENS)[2][:, None] > 0, -np.inf, CAUSAL)))
class RowThatLooksNowhere(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        mask = torch.full((TOKENS, TOKENS), -torch.inf).triu(1)
        mask[2] = -torch.inf
        attn = torch.softmax(q @ k.mT * ROOT + mask, dim=-1).nan_to_num(0.0)
        return self.join(attn @ v)


@shows(lambda m, x: weights(m.q(x), m.k(x), np.where(np.eye(TOKENS)[2][:, None] > 0, -np.inf, CAUSAL)))
class SdpaRowThatLooksNowhere(Own):
    def forward(self, x):
        mask = BEFORE.clone()
        mask[2] = False
        return self.join(sdpa(*self.three(x), attn_mask=mask))


@shows(causal)
class Where(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        scores = torch.matmul(q, k.transpose(-1, -2)) / (v.size(-1) ** 0.5)
        scores = torch.where(BEFORE, scores, torch.full([], torch.finfo(scores.dtype).min))
        return self.join(torch.matmul(nn.functional.softmax(scores, dim=-1).type(v.dtype), v))


@shows(plain)
class SoftmaxByHand(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        scores = q @ k.transpose(-2, -1) * ROOT
        powers = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
        return self.join(powers / powers.sum(dim=-1, keepdim=True) @ v)


@shows(causal)
class SoftmaxByLogsumexp(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        scores = torch.einsum("...id,...jd->...ij", q, k * ROOT)
        scores[..., ~BEFORE] = -torch.inf
        return self.join(torch.einsum("...ij,...jd->...id", (scores - scores.logsumexp(-1, keepdim=True)).exp(), v))


@refused("there is no attention to be seen")
class NormalisedAfterTheProduct(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        powers = torch.exp(q @ k.mT * ROOT)
        return self.join(powers @ v / powers.sum(-1, keepdim=True))


def talked(m, x):
    before = m.before.detach().double().numpy()
    return softmax(np.einsum("bhqk,hg->bgqk", products(m.q(x), m.k(x)) * ROOT, before))


@shows(talked)
class TalkingHeads(OwnWithCount):
    def __init__(self):
        super().__init__()
        self.before = nn.Parameter(torch.randn(HEADS, HEADS))
        self.after = nn.Parameter(torch.randn(HEADS, HEADS).softmax(0))

    def forward(self, x):
        q, k, v = self.three(x)
        scores = torch.einsum("bhij,hg->bgij", torch.einsum("bhid,bhjd->bhij", q, k) * ROOT, self.before)
        attn = torch.einsum("bhij,hg->bgij", scores.softmax(-1), self.after)
        return self.join(torch.einsum("bhij,bhjd->bhid", attn, v))


def talked_by_layer(m, x):
    mixed = np.einsum("bhqk,gh->bgqk", products(m.q(x), m.k(x)) * ROOT, m.mix.weight.detach().double().numpy())
    return softmax(mixed + m.mix.bias.detach().double().numpy()[:, None, None])


@shows(talked_by_layer)
class TalkingHeadsByLinear(OwnWithCount):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(HEADS, HEADS)

    def forward(self, x):
        q, k, v = self.three(x)
        scores = self.mix((q @ k.mT * ROOT).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return self.join(scores.softmax(-1) @ v)


@shows(grouped)
class MultiQuery(Own):
    def __init__(self):
        super().__init__(shared=HEADS)

    def forward(self, x):
        q, k, v = self.split(self.q(x)), self.k(x), self.v(x)
        attn = torch.einsum("bhnd,bmd->bhnm", q, k).mul(ROOT).softmax(dim=-1)
        return self.join(torch.einsum("bhnm,bmd->bhnd", attn, v))


def sunk(m, x):
    scores = products(m.q(x), m.k(x)) * ROOT + CAUSAL
    sinks = np.broadcast_to(m.sinks.detach().double().numpy()[:, None, None], (*scores.shape[:-1], 1))
    return softmax(np.concatenate([scores, sinks], -1))[..., :-1]


@shows(sunk)
class Sinks(Own):
    def __init__(self):
        super().__init__()
        self.sinks = nn.Parameter(torch.randn(HEADS))

    def forward(self, x):
        q, k, v = self.three(x)
        scores = torch.matmul(q, k.transpose(2, 3)) * ROOT + torch.full((TOKENS, TOKENS), -torch.inf).triu(1)
        sinks = self.sinks.reshape(1, -1, 1, 1).expand(q.shape[0], -1, q.shape[-2], -1)
        combined = torch.cat([scores, sinks], dim=-1)
        combined = combined - combined.max(dim=-1, keepdim=True).values
        return self.join(torch.matmul(F.softmax(combined, dim=-1, dtype=combined.dtype)[..., :-1], v))


@shows(plain)
class DropsAlways(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        att = F.dropout(F.softmax(q @ k.mT / SIZE**0.5, dim=-1), 0.1)
        return self.join(att.to(v.dtype).contiguous() @ v)


@shows(plain)
class KeepsItsWeights(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        self.attn = F.softmax(q @ k.mT / SIZE**0.5, dim=-1)
        out = self.join(self.attn @ v)
        self.attn.mul_(0)  # the room is used again
        return out


class DotProductAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.5)

    def forward(self, queries, keys, values, valid_lens):
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        scores[:, :, valid_lens:] = -1e6
        self.attention_weights = nn.functional.softmax(scores, dim=-1)
        return torch.bmm(self.dropout(self.attention_weights), values)


@shows(lambda m, x: weights(m.W_q(x), m.W_k(x), np.where(np.arange(TOKENS) < 4, 0, -np.inf)))
class D2lMultiHeadAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.num_heads, self.attention = HEADS, DotProductAttention()
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.LazyLinear(WIDTH) for _ in range(4))
        self(torch.randn(1, TOKENS, WIDTH))

    def transpose_qkv(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def forward(self, x):
        queries, keys, values = (self.transpose_qkv(one(x)) for one in (self.W_q, self.W_k, self.W_v))
        out = self.attention(queries, keys, values, valid_lens=4)
        out = out.reshape(-1, self.num_heads, out.shape[1], out.shape[2]).permute(0, 2, 1, 3)
        return self.W_o(out.reshape(out.shape[0], out.shape[1], -1))


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.key, self.query, self.value = (nn.Linear(WIDTH, SIZE, bias=False) for _ in range(3))
        self.register_buffer("tril", torch.tril(torch.ones(8, 8)))
        self.dropout = nn.Dropout(0.2)

    def forward(self, x):
        _, T, C = x.shape
        wei = self.query(x) @ self.key(x).transpose(-2, -1) * C**-0.5
        wei = F.softmax(wei.masked_fill(self.tril[:T, :T] == 0, float("-inf")), dim=-1)
        return self.dropout(wei) @ self.value(x)


def by_head(m, x):
    found = [weights(head.query(x), head.key(x), CAUSAL, heads=1, scale=WIDTH**-0.5) for head in m.heads]
    return np.concatenate(found, 1)


@shows(by_head)
class KarpathyHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads, self.proj = nn.ModuleList([Head() for _ in range(HEADS)]), nn.Linear(WIDTH, WIDTH)
        self.num_heads = HEADS

    def forward(self, x):
        return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))


class KarpathyBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.sa, self.ln1 = KarpathyHeads(), nn.LayerNorm(WIDTH)

    def forward(self, x):
        return x + self.sa(self.ln1(x))


@shows(
    lambda m, x: [by_head(m.blocks[0].sa, m.blocks[0].ln1(x)), by_head(m.blocks[1].sa, m.blocks[1].ln1(m.blocks[0](x)))]
)
class KarpathyGpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(KarpathyBlock(), KarpathyBlock())

    def forward(self, x):
        return self.blocks(x)


class InnerAttention(nn.Module):
    def forward(self, q, k, v):
        return (q @ k.mT / SIZE**0.5).softmax(-1) @ v


class HeadWithInner(Head):
    def __init__(self):
        super().__init__()
        self.inner = InnerAttention()

    def forward(self, x):
        return self.inner(self.query(x), self.key(x), self.value(x))


@shows(lambda m, x: np.concatenate([weights(head.query(x), head.key(x), heads=1) for head in (m.head_0, m.head_1)], 1))
class HeadsByName(nn.Module):
    def __init__(self):
        super().__init__()
        self.head_0, self.head_1 = HeadWithInner(), HeadWithInner()

    def forward(self, x):
        return torch.cat([self.head_0(x), self.head_1(x)], -1)


@shows(
    lambda m, x: [
        plain(m.block[0], x),
        plain(m.block[1], m.block[0](x)),
        plain(m.block[0], m.block(x)),
        plain(m.block[1], m.block[0](m.block(x))),
    ]
)
class Universal(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(EinsumHeadsFirst(), EinsumHeadsFirst())

    def forward(self, x):
        return self.block(self.block(x))


def looped(m, x):
    found = []
    for q, k, v in zip(m.q, m.k, m.v):
        found.append(weights(q(x), k(x)))
        x = x + torch.tensor(found[-1] @ apart(v(x))).float().transpose(1, 2).flatten(2)
    return found


@shows(looped)
class LayersInOneLoop(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(2)) for _ in range(3))

    def forward(self, x):
        for layer in zip(self.q, self.k, self.v):
            q, k, v = (one(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for one in layer)
            x = x + sdpa(q, k, v).transpose(1, 2).flatten(2)
        return x


def of_classes(m, x):
    asking, found = x.mean(1, keepdim=True), []
    for _ in range(2):
        found.append(weights(m.q(asking), m.k(x)))
        asking = asking + m.join(torch.tensor(found[-1]).float() @ m.split(m.v(x)))
    return found


@shows(of_classes, asking=1)
class ClassAttentionInOneLoop(OwnWithCount):
    def forward(self, x):
        asking = x.mean(1, keepdim=True)
        k, v = self.split(self.k(x)), self.split(self.v(x))
        for _ in range(2):
            asking = asking + self.join((self.split(self.q(asking)) @ k.mT * ROOT).softmax(-1) @ v)
        return asking


@refused("side by side")
class HeadsInOneLoop(Own):
    def forward(self, x):
        heads = zip(*(one(x).chunk(HEADS, -1) for one in (self.q, self.k, self.v)))
        return self.o(torch.cat([(q @ k.mT * ROOT).softmax(-1) @ v for q, k, v in heads], -1))


@refused("side by side")
class ValuesOfHeadsInOneLoop(OwnWithCount):
    def forward(self, x):
        q, k, v = self.three(x)
        attn = (q @ k.mT * ROOT).softmax(-1)
        return self.join(torch.stack([attn[:, head] @ v[:, head] for head in range(HEADS)], 1))


# --- Rows and columns, windows, memories ----------------------------------------------------------------------------------


def image(texts):
    return (torch.randn(texts, 2, TOKENS, WIDTH),)


@shows(
    lambda m, x: plain(m, x.reshape(len(x), 2, TOKENS, WIDTH)[:, 0]),
    inputs=lambda texts: (torch.randn(texts, 2 * TOKENS, WIDTH),),
    of={"first": True},
)
class SwinWindows(Own):
    def __init__(self):
        super().__init__()
        self.num_heads, self.qkv = HEADS, None

    def forward(self, x):
        b, n, d = x.shape
        windows = x.view(b, n // TOKENS, TOKENS, d).view(-1, TOKENS, d)
        q, k, v = self.three(windows)
        attn = (q * ROOT @ k.transpose(-2, -1)).view(b, -1, HEADS, TOKENS, TOKENS) + torch.zeros(n // TOKENS, 1, 1, 1)
        attn = attn.view(-1, HEADS, TOKENS, TOKENS).softmax(-1)
        return self.join(attn @ v).reshape(b, n, d)


@shows(lambda m, x: weights(m.q(m.latents[None].expand(len(x), -1, -1)), m.k(x)), asking=4)
class PerceiverLatents(Own):
    def __init__(self):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(4, WIDTH))

    def forward(self, x):
        latents = self.latents.expand(x.shape[0], -1, -1)
        q, k, v = self.split(self.q(latents)), self.split(self.k(x)), self.split(self.v(x))
        return latents + self.join((q @ k.mT * ROOT).softmax(-1) @ v)


@shows(
    lambda m, x: softmax(
        np.einsum("qd,bkd->bqk", m.query.detach().double().numpy(), m.k(x).detach().double().numpy()) * ROOT
    )[:, None],
    asking=2,
)
class PoolsByALearntQuery(Own):
    def __init__(self):
        super().__init__()
        self.query = nn.Parameter(torch.randn(2, WIDTH))

    def forward(self, x):
        return self.o((self.query @ self.k(x).mT * ROOT).softmax(-1) @ self.v(x))


@shows(
    lambda m, x: softmax(
        np.einsum("qd,bkd->bqk", m.query[0].detach().double().numpy(), m.k(x).detach().double().numpy())
    )[:, None],
    asking=1,
)
class PoolsByAnExpandedQuery(Own):
    def __init__(self):
        super().__init__()
        self.query = nn.Parameter(torch.randn(1, 1, WIDTH))

    def forward(self, x):
        attn = torch.bmm(self.query.expand(x.shape[0], -1, -1), self.k(x).transpose(1, 2)).softmax(dim=-1)
        return self.o(torch.bmm(attn, self.v(x)).squeeze(1))


class CrossAttention(Own):
    def forward(self, x, context):
        q, k, v = self.split(self.q(x)), self.split(self.k(context)), self.split(self.v(context))
        return self.join((q @ k.mT * ROOT).softmax(-1) @ v)


def translated(m, source, target):
    seen, asked = m.encoder(source, source), m.self_attn(target, target)
    return {
        "encoder": weights(m.encoder.q(source), m.encoder.k(source)),
        "decoder": weights(m.self_attn.q(target), m.self_attn.k(target)),
        "cross": weights(m.cross_attn.q(asked), m.cross_attn.k(seen)),
    }


@shows(translated, inputs=lambda texts: memory(texts)[::-1], asking=TOKENS, keys=MEMORY)
class EncoderAndDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.self_attn, self.cross_attn = CrossAttention(), CrossAttention(), CrossAttention()

    def forward(self, source, target):
        source = self.encoder(source, source)
        return self.cross_attn(self.self_attn(target, target), source)


@shows(
    lambda m, x: weights(*(one(x).flatten(2).mT for one in (m.query, m.key)), heads=1, scale=1),
    inputs=lambda texts: (torch.randn(texts, WIDTH, 1, TOKENS),),
)
class Sagan(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = nn.Conv2d(WIDTH, 2, 1), nn.Conv2d(WIDTH, 2, 1), nn.Conv2d(WIDTH, WIDTH, 1)
        self.gamma, self.softmax = nn.Parameter(torch.ones(1)), nn.Softmax(dim=-1)

    def forward(self, x):
        b, c, w, h = x.size()
        energy = torch.bmm(self.query(x).view(b, -1, w * h).permute(0, 2, 1), self.key(x).view(b, -1, w * h))
        attention = self.softmax(energy)
        out = torch.bmm(self.value(x).view(b, -1, w * h), attention.permute(0, 2, 1)).view(b, c, w, h)
        return self.gamma * out + x


def of_slots(m, x):
    scores = (
        np.einsum("bkd,qd->bqk", m.k(x).detach().double().numpy(), m.slots[0].detach().double().numpy()) * WIDTH**-0.5
    )
    attn = softmax(scores.swapaxes(1, 2)).swapaxes(1, 2) + 1e-8
    return (attn / attn.sum(-1, keepdims=True))[:, None]


@shows(of_slots, asking=4)
class SlotAttention(Own):
    def __init__(self):
        super().__init__()
        self.slots = nn.Parameter(torch.randn(1, 4, WIDTH))

    def forward(self, x):
        k, v = self.k(x), self.v(x)
        q = self.slots.expand(len(x), -1, -1) + torch.zeros(len(x), 1, 1)
        attn = (torch.einsum("bid,bjd->bij", q, k) * WIDTH**-0.5).softmax(dim=1) + 1e-8
        return torch.einsum("bjd,bij->bid", v, attn / attn.sum(dim=-1, keepdim=True))


def decoded(m, states, memory):
    return softmax(np.einsum("bqd,bkd->bqk", *(one.detach().double().numpy() for one in (states, m.W(memory)))))[
        :, None
    ]


class LuongAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.Linear(WIDTH, WIDTH)

    def forward(self, state, memory):
        scores = torch.bmm(self.W(memory), state.unsqueeze(2)).squeeze(2)
        attn_weights = F.softmax(scores, dim=1)
        return attn_weights.unsqueeze(1).bmm(memory)


@shows(decoded, inputs=memory, asking=TOKENS, keys=MEMORY)
class LuongSteps(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.out = LuongAttention(), nn.Linear(WIDTH, WIDTH)
        self.W = self.attention.W

    def forward(self, states, memory):
        return self.out(torch.cat([self.attention(state, memory) for state in states.unbind(1)], 1))


# --- What no map is made of ------------------------------------------------------------------------------------------------

NOTHING = "there is no attention to be seen in .*HeadMap.of\\(weights, tokens\\)"


class LinearAttention(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        context = torch.einsum("bhnd,bhne->bhde", k.softmax(dim=-2), v)
        return x + self.join(torch.einsum("bhnd,bhde->bhne", q.softmax(dim=-1), context))


class LinearAttentionOfImages(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_q, self.to_k, self.to_v, self.to_out = (nn.Conv2d(WIDTH, WIDTH, 1) for _ in range(4))

    def forward(self, x):
        h, w = x.shape[2:]
        q, k, v = (
            rearrange(one(x), "b (h c) x y -> b h c (x y)", h=HEADS) for one in (self.to_q, self.to_k, self.to_v)
        )
        context = torch.einsum("b h d n, b h e n -> b h d e", k.softmax(dim=-1), v)
        out = torch.einsum("b h d e, b h d n -> b h e n", context, q.softmax(dim=-2))
        return x + self.to_out(rearrange(out, "b h c (x y) -> b (h c) x y", x=h, y=w))


@refused(NOTHING, inputs=lambda texts: (torch.randn(texts, WIDTH, 2, 2),))
def LinearAttentionOfImagesTwice():
    return nn.Sequential(LinearAttentionOfImages(), LinearAttentionOfImages())


@refused(NOTHING)
class Performer(Own):
    def __init__(self):
        super().__init__()
        self.register_buffer("projection", torch.randn(8, SIZE))

    def features(self, x):
        return torch.exp(x @ self.projection.T - x.square().sum(-1, keepdim=True) / 2) + 1e-4

    def forward(self, x):
        q, k, v = self.three(x)
        q, k = self.features(q), self.features(k)
        inverse = 1 / torch.einsum("bhnd,bhd->bhn", q, k.sum(dim=-2))
        return self.join(torch.einsum("bhde,bhnd,bhn->bhne", torch.einsum("bhnd,bhne->bhde", k, v), q, inverse))


@refused(NOTHING)
class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.w = nn.Linear(WIDTH, 4), nn.Parameter(torch.randn(WIDTH, 4))
        self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x):
        outputs = torch.stack([expert(x) for expert in self.experts], 2)
        mixed = torch.einsum("bte,bted->btd", self.gate(x).softmax(-1), outputs)
        gates = (mixed @ self.w).softmax(-1).flatten(0, 1)[:, None]
        return torch.bmm(gates, outputs.flatten(0, 1)).view_as(x)


class MixedByMatmul(LinearAttention):
    def join(self, x):
        return (x.transpose(1, 2).flatten(2) @ self.o.weight.T).square().sqrt()


@refused(NOTHING)
def LinearAttentionByParametersTwice():
    return nn.Sequential(MixedByMatmul(), MixedByMatmul())


def on_a_graph(m, h):
    found = []
    for _ in range(2):
        Wh = h @ m.W
        scores = F.leaky_relu(Wh @ m.a[:WIDTH] + (Wh @ m.a[WIDTH:]).T).detach().double().numpy()
        found.append(softmax(np.where(BEFORE | BEFORE.T, scores, -np.inf))[None, None])
        h = m.layer(h)
    return found


@shows(on_a_graph, texts=(1,), inputs=lambda texts: (torch.randn(TOKENS, WIDTH),))
class GraphAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W, self.a = nn.Parameter(torch.randn(WIDTH, WIDTH)), nn.Parameter(torch.randn(2 * WIDTH, 1))

    def layer(self, h):
        Wh = torch.mm(h, self.W)
        e = F.leaky_relu(torch.matmul(Wh, self.a[:WIDTH]) + torch.matmul(Wh, self.a[WIDTH:]).T)
        attention = F.softmax(torch.where(BEFORE | BEFORE.T, e, -9e15 * torch.ones_like(e)), dim=1)
        return F.elu(torch.matmul(attention, Wh))

    def forward(self, h):
        return self.layer(self.layer(h))


@refused(NOTHING, texts=(1,), inputs=lambda texts: (torch.randn(TOKENS, WIDTH), torch.rand(TOKENS, TOKENS)))
class WalksOnAGraph(nn.Module):
    def forward(self, x, edges):
        steps = edges / edges.sum(-1, keepdim=True)
        return (steps @ steps) @ x


def step_by_step(m, states, memory):
    state, found = states[:, 0], []
    for _ in range(TOKENS):
        scores = m.w_v(torch.tanh(m.W_q(state).unsqueeze(1) + m.W_k(memory))).squeeze(-1)
        found.append(softmax(scores.detach().double().numpy())[:, None, None])
        state = m.rnn((torch.tensor(found[-1][:, 0]).float() @ memory).squeeze(1), state)
    return np.concatenate(found, 2)


@shows(step_by_step, inputs=memory, asking=TOKENS, keys=MEMORY)
class BahdanauSteps(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_q, self.W_k, self.w_v = nn.Linear(WIDTH, 8), nn.Linear(WIDTH, 8), nn.Linear(8, 1, bias=False)
        self.rnn = nn.GRUCell(WIDTH, WIDTH)

    def forward(self, states, memory):
        state = states[:, 0]
        for _ in range(TOKENS):
            features = torch.tanh(self.W_q(state).unsqueeze(1) + self.W_k(memory))
            attn = self.w_v(features).squeeze(-1).softmax(-1)
            state = self.rnn(torch.bmm(attn.unsqueeze(1), memory).squeeze(1), state)
        return state


@refused("side by side")
class Nystrom(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        ql, kl = q[:, :, ::2], k[:, :, ::2]
        first, last = (q @ kl.mT).softmax(-1), (ql @ k.mT).softmax(-1)
        middle = torch.linalg.pinv((ql @ kl.mT).softmax(-1))
        return self.join(first @ middle @ (last @ v))


@refused("computes its attention by flex_attention")
class Flex(Own):
    def forward(self, x):
        return self.join(flex_attention(*self.three(x)))


@torch.library.custom_op("manyheads_tests::flash_attn", mutates_args=())
def flash_attn(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v).clone()


@refused("by manyheads_tests.flash_attn|by flash_attn")
class FlashAsACustomOp(Own):
    def forward(self, x):
        return self.join(torch.ops.manyheads_tests.flash_attn(*self.three(x)))


@refused("how many there are, as in module.num_heads", texts=(1, 2))
class WindowsOfOneHead(Own):
    def forward(self, x):
        q, k, v = (F.pad(one(x), (0, 0, 0, 1)).reshape(-1, 3, WIDTH) for one in (self.q, self.k, self.v))
        return torch.bmm((q @ k.mT).softmax(-1), v)


@refused("how many there are, as in module.num_heads", inputs=image, texts=(1, 2))
class RowsOfAnImage(Own):
    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        return torch.einsum("bhij,bhjc->bhic", torch.einsum("bhic,bhjc->bhij", q, k).softmax(-1), v)


@refused("how many there are, as in module.num_heads")
class HeadsBeforeTextsUncounted(Own):
    def forward(self, x):
        q, k, v = (one(x).unflatten(-1, (HEADS, SIZE)).permute(2, 0, 1, 3) for one in (self.q, self.k, self.v))
        return self.o(((q @ k.mT * ROOT).softmax(-1) @ v).permute(1, 2, 0, 3).flatten(2))


@shows(plain)
class HeadsBeforeTexts(OwnWithCount):
    def forward(self, x):
        q, k, v = (one(x).unflatten(-1, (HEADS, SIZE)).permute(2, 0, 1, 3) for one in (self.q, self.k, self.v))
        return self.o(((q @ k.mT * ROOT).softmax(-1) @ v).permute(1, 2, 0, 3).flatten(2))


@refused("how many there are, as in module.num_heads")
class KeysOfItsOwnForEachQuery(Own):
    def forward(self, x):
        nearest = torch.cdist(x, x).topk(2, largest=False).indices
        k, v = (one(x)[torch.arange(len(x))[:, None, None], nearest] for one in (self.k, self.v))
        return ((self.q(x).unsqueeze(2) @ k.mT).softmax(-1) @ v).squeeze(2)


@refused(
    "encoder attends 2 times, for inputs that are read one beside another",
    inputs=lambda texts: torch.randn(2, texts, TOKENS, WIDTH).unbind(0),
)
class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = SdpaCausal()

    def forward(self, x, y):
        return self.encoder(x) * self.encoder(y)


@refused("attention attends 5 times, for inputs that are read one beside another or step by step")
class WritesWordByWord(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.num_heads = EinsumHeadsFirst(), HEADS

    def forward(self, x):
        for length in range(1, TOKENS + 1):
            out = self.attention(x[:, :length])
        return out


@refused("softmax within vmap")
class HeadsByVmap(Own):
    def forward(self, x):
        attend = torch.func.vmap(torch.func.vmap(lambda q, k, v: (q @ k.T * ROOT).softmax(-1) @ v))
        return self.join(attend(*self.three(x)))


@refused("TorchScript")
def Scripted():
    return torch.jit.script(InnerAttentionOfOne())


class InnerAttentionOfOne(nn.Module):
    def forward(self, x):
        return (x @ x.mT).softmax(-1) @ x


# --- PyTorch's own layers -----------------------------------------------------------------------------------------------


def own_weights(layer, q, k, **more):
    """The weights of one of PyTorch's layers, asked for; tests/fast/test_attention_in_pytorch.py has them by hand."""
    with torch.no_grad():
        found = layer(q, k, k, average_attn_weights=False, **more)[1].double().numpy()
    return found if found.ndim == 4 else found[None]


class Wrapped(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.attn = nn.MultiheadAttention(WIDTH, HEADS, **options)

    def forward(self, x):
        return self.attn(x, x, x, need_weights=False)[0]


@shows(lambda m, x: own_weights(m.attn, x, x), inputs=lambda texts: (torch.randn(TOKENS, texts, WIDTH),))
def LayerSequenceFirst():
    return Wrapped()


@shows(lambda m, x: own_weights(m.attn, x, x), inputs=lambda texts: (torch.randn(TOKENS, WIDTH),), texts=(1,))
def LayerUnbatched():
    return Wrapped(batch_first=True)


@shows(
    lambda m, x, y: own_weights(m.attn, x, y),
    inputs=lambda texts: (torch.randn(texts, TOKENS, WIDTH), torch.randn(texts, MEMORY, 6)),
    asking=TOKENS,
    keys=MEMORY,
)
class LayerOfOtherKeys(Wrapped):
    def __init__(self):
        super().__init__(kdim=6, vdim=6, batch_first=True)

    def forward(self, x, y):
        return self.attn(x, y, y)[0]


@shows(lambda m, x: own_weights(m.attn, x, x))
def LayerWithAddedKeys():
    return Wrapped(add_bias_kv=True, add_zero_attn=True, batch_first=True)


@shows(lambda m, x: own_weights(m.attn, x, x, key_padding_mask=m.padding(x)))
class LayerWithPadding(Wrapped):
    def __init__(self):
        super().__init__(batch_first=True)

    def padding(self, x):
        return (torch.arange(TOKENS) == 3).expand(len(x), -1)

    def forward(self, x):
        return self.attn(x, x, x, key_padding_mask=self.padding(x), need_weights=True, average_attn_weights=True)


@shows(lambda m, x: own_weights(m.attn, x.transpose(0, 1), x.transpose(0, 1)))
class CalledAsAFunction(Wrapped):
    def forward(self, x):
        x, a = x.transpose(0, 1), self.attn
        more = {"training": False, "need_weights": False}
        rest = (None, None, False, 0.0, a.out_proj.weight, a.out_proj.bias)
        return F.multi_head_attention_forward(x, x, x, WIDTH, HEADS, a.in_proj_weight, a.in_proj_bias, *rest, **more)[0]


@shows(
    lambda m, x: [own_weights(m.layers[0].self_attn, x, x), own_weights(m.layers[1].self_attn, *[m.layers[0](x)] * 2)]
)
def Encoder():
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


def of_decoder(m, target, memory):
    seen, cross = [], []
    for layer in m.layers:
        seen.append(own_weights(layer.self_attn, target, target))
        asking = layer.norm1(target + layer.self_attn(target, target, target)[0])
        cross.append(own_weights(layer.multihead_attn, asking, memory))
        target = layer(target, memory)
    return {"decoder": seen, "cross": cross}


@shows(of_decoder, inputs=memory, asking=TOKENS, keys=MEMORY)
def Decoder():
    return nn.TransformerDecoder(nn.TransformerDecoderLayer(WIDTH, HEADS, 16, batch_first=True), 2)


def of_both(m, source, target):
    first = [own_weights(m.encoder.layers[0].self_attn, source, source)]
    return {"encoder": first, **of_decoder(m.decoder, target, m.encoder(source))}


@shows(of_both, inputs=lambda texts: memory(texts)[::-1], asking=TOKENS, keys=MEMORY)
def BothOfPyTorch():
    return nn.Transformer(WIDTH, HEADS, 1, 1, 16, batch_first=True)


# --- All of them ---------------------------------------------------------------------------------------------------------


def state(module):
    """All that a look may not change, of a module and around it."""
    parts = [
        (
            part.training,
            [*vars(part)],
            len(part._forward_hooks),
            len(part._forward_pre_hooks),
            getattr(part, "calls", 0),
        )
        for part in module.modules()
    ]
    lengths = [len(part.seen) for part in module.modules() if hasattr(part, "seen")]
    values = [value.clone() for value in (*module.parameters(), *module.buffers())]
    numbers = random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()  # noqa: NPY002
    return parts, lengths, [value.tolist() for value in values], numbers, torch.backends.mha.get_fastpath_enabled()


@pytest.mark.filterwarnings(
    "ignore:.*torch.jit|.*flex_attention called without|.*enable_nested_tensor|None of the inputs"
)
@pytest.mark.parametrize("name", CASES)
def test_a_module_is_shown_right_or_refused(name):
    case = CASES[name]
    for texts in case.texts:
        torch.manual_seed(texts)
        module = case.make()
        inputs = case.inputs(texts)
        words = [f"k{place}" for place in range(case.keys)]
        asking = None if case.asking is None else [f"q{place}" for place in range(case.asking)]
        before = state(module)
        batch = texts - 1
        if case.says is not None:
            with pytest.raises(ValueError, match=case.says):
                HeadMap.of(module, words, asking, inputs=inputs, batch=batch)
            assert state(module) == before
            continue
        first = case.of.get("first")
        shown = HeadMap.of(module, words, asking, inputs=inputs, batch=2 * batch if first else batch)
        assert state(module) == before
        expected = case.reference(module.eval(), *inputs)
        expected = expected if isinstance(expected, dict) else {"": expected}
        assert shown._models == list(expected)
        for number, layers in enumerate(expected.values()):
            shown.model_index = number
            layers = layers if isinstance(layers, list) else [layers]
            np.testing.assert_allclose(shown.attention.weights, [layer[batch] for layer in layers], atol=case.close)


def notes_of(module, inputs=None):
    return HeadMap.of(module, inputs=torch.randn(1, TOKENS, WIDTH) if inputs is None else inputs).attention.notes


@pytest.mark.filterwarnings("ignore:None of the inputs")
def test_notes_say_what_is_no_layer_and_what_was_not_seen():
    class Ensemble(nn.Module):
        def __init__(self):
            super().__init__()
            self.models = nn.ModuleList([SdpaCausal(), SdpaCausal()])

        def forward(self, x):
            return sum(model(x) for model in self.models)

    beside = "Not all of these are layers that build on each other: models.0, models.1. Some read side by side."
    assert beside in notes_of(Ensemble())
    assert not any("side by side" in note for note in notes_of(CheckpointedByReentry()))
    unseen = "1 is computed by flash_attn, which gives no weights: it's left out."
    assert unseen in notes_of(nn.Sequential(SdpaCausal(), FlashAsACustomOp()))


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
    model = transformers.SqueezeBertModel(
        transformers.SqueezeBertConfig(**sizes, **groups, embedding_size=WIDTH, vocab_size=16)
    ).eval()
    ids = torch.arange(3, 8)[None]
    shown = HeadMap.of(model, inputs={"input_ids": ids}).attention
    scores = model(ids, output_attentions=True).attentions[0].detach().numpy()
    np.testing.assert_allclose(shown.weights, softmax(scores), atol=1e-5)
