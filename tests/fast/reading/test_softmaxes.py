"""A softmax of anything: attention where it weighs places and multiplies their values, and nothing where it weighs
experts, classes, features or a table.
"""

import pytest
import torch
from close import assert_close
from einops import rearrange
from torch import nn
from torch.nn import functional as F

from manyheads.widgets import HeadMap

WIDTH, TOKENS, MEMORY, HEADS = 12, 5, 7, 3
STATES, STATE, ENCODED = torch.randn(1, TOKENS, WIDTH), torch.randn(1, 1, WIDTH), torch.randn(1, MEMORY, WIDTH)
GENERATOR = torch.Generator().manual_seed(0)


class Scored(nn.Module):
    """Layers for the scores that people write."""

    def __init__(self):
        super().__init__()
        self.Wa, self.Ua, self.Va = nn.Linear(WIDTH, 8), nn.Linear(WIDTH, 8), nn.Linear(8, 1)
        self.both, self.general = nn.Linear(2 * WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.v, self.conv = nn.Parameter(torch.randn(WIDTH)), nn.Conv1d(WIDTH, WIDTH, 3, padding=1)

    def additive(self, query, keys):  # [b, 1, d], [b, k, d] -> [b, 1, k]
        return self.Va(torch.tanh(self.Wa(query) + self.Ua(keys))).squeeze(2).unsqueeze(1)

    def forward(self, *inputs):
        return type(self).attend(self, *inputs)


def over_places(scores):
    """What a decoder's state finds: one weight for each place, of scores [b, k]."""

    def attend(self, state, encoded):
        weights = F.softmax(scores(self, state, encoded), dim=1).unsqueeze(1)
        return weights.bmm(encoded), weights

    return attend


def bahdanau(self, query, keys):
    """PyTorch's tutorial on translation."""
    weights = F.softmax(self.additive(query, keys), dim=-1)
    return torch.bmm(weights, keys), weights


def concatenated(self, state, encoded):
    energy = self.both(torch.cat((state.expand(-1, encoded.size(1), -1), encoded), 2)).tanh()
    return torch.sum(self.v * energy, dim=2)


LUONG = {  # PyTorch's tutorial on chatbots
    "luong, dot": over_places(lambda self, state, encoded: torch.sum(state * encoded, dim=2)),
    "luong, general": over_places(lambda self, state, encoded: torch.sum(state * self.general(encoded), dim=2)),
    "luong, concat": over_places(concatenated),
}


def convolved(self, state, encoded):
    """Values are a convolution of what the encoder gave."""
    weights = F.softmax((state * self.general(encoded)).sum(-1), -1).unsqueeze(1)
    return (weights * self.conv(encoded.transpose(1, 2))).sum(-1), weights


def all_queries_at_once(self, states, encoded):
    """Dive into Deep Learning's additive attention."""
    features = torch.tanh(self.Wa(states).unsqueeze(2) + self.Ua(encoded).unsqueeze(1))
    weights = self.Va(features).squeeze(-1).masked_fill(torch.arange(MEMORY) > 5, -1e6).softmax(-1)
    return torch.bmm(F.dropout(weights, training=self.training), encoded), weights


def by_distance(self, states, encoded):
    weights = torch.softmax(-torch.cdist(states, encoded), -1)
    return torch.einsum("bqk,bkd->bqd", weights, encoded), weights


def by_cosine(self, states, encoded):
    weights = F.cosine_similarity(states[:, :, None], encoded[:, None], dim=-1).softmax(-1)
    return weights @ encoded, weights


def pooled_by_sum(self, encoded, _):
    weights = torch.softmax(self.Va(torch.tanh(self.Wa(encoded))), dim=1)
    return (weights * encoded).sum(1), weights.mT


def pooled_by_expanding(self, encoded, _):
    weights = F.softmax(self.Va(torch.tanh(self.Wa(encoded))).squeeze(-1), dim=-1)
    return torch.sum(encoded * weights.unsqueeze(2).expand_as(encoded), dim=1, keepdim=True), weights[:, None]


def pooled_by_einsum(self, encoded, _):
    weights = (torch.tanh(encoded) @ self.v).softmax(-1)
    return torch.einsum("bk,bkd->bd", weights, encoded), weights[:, None]


def pooled_by_columns(self, encoded, _):
    weights = F.softmax(self.Va(torch.tanh(self.Wa(encoded))).squeeze(2), 1)
    return torch.bmm(encoded.transpose(1, 2), weights.unsqueeze(2)).squeeze(2), weights[:, None]


AT_ONCE = (all_queries_at_once, by_distance, by_cosine)
POOLS = (pooled_by_sum, pooled_by_expanding, pooled_by_einsum, pooled_by_columns)
WAYS = {  # each with what it reads
    **{name: (attend, STATE, ENCODED) for name, attend in LUONG.items()},
    **{attend.__name__: (attend, STATE, ENCODED) for attend in (bahdanau, convolved)},
    **{attend.__name__: (attend, STATES, ENCODED) for attend in AT_ONCE},
    **{attend.__name__: (attend, ENCODED, STATE) for attend in POOLS},
}


@torch.no_grad()
@pytest.mark.parametrize(("attend", "asking", "keys"), WAYS.values(), ids=WAYS)
def test_scores_of_any_kind_are_attention_where_they_weigh_places(attend, asking, keys):
    torch.manual_seed(1)
    module = type("Attention", (Scored,), {"attend": attend})().eval()
    _, weights = module(asking, keys)
    shown = HeadMap.of(module, inputs=(asking, keys)).attention
    assert_close(shown.weights[0], weights)


class Bahdanau(Scored):
    attend = bahdanau


class Seq2Seq(nn.Module):
    """PyTorch's tutorial on translation, whole: an encoder, and a decoder that asks at each step."""

    def __init__(self):
        super().__init__()
        self.embedding, self.encoder = nn.Embedding(20, WIDTH), nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.attention, self.decoder = Bahdanau(), nn.GRU(2 * WIDTH, WIDTH, batch_first=True)

    def forward(self, ids):
        keys, hidden = self.encoder(self.embedding(ids))
        found, word = [], self.embedding(ids[:, :1] * 0)
        for _ in range(4):
            context, weights = self.attention(hidden.permute(1, 0, 2), keys)
            word, hidden = self.decoder(torch.cat((word, context), dim=2), hidden)
            found.append(weights)
        return word, torch.cat(found, 1)


class AttnDecoderRNN(nn.Module):
    """The same tutorial's older decoder, whose scores come from a layer with a feature for each place."""

    def __init__(self):
        super().__init__()
        self.attn, self.gru = nn.Linear(2 * WIDTH, MEMORY), nn.GRU(2 * WIDTH, WIDTH)

    def forward(self, embedded, hidden, encoder_outputs):
        weights = F.softmax(self.attn(torch.cat((embedded[0], hidden[0]), 1)), dim=1)
        applied = torch.bmm(weights.unsqueeze(0), encoder_outputs.unsqueeze(0))
        return self.gru(torch.cat((embedded, applied), 2), hidden)[0], weights[None]


@torch.no_grad()
def test_a_decoder_that_asks_step_by_step_has_a_query_for_each():
    ids = torch.arange(3, 3 + MEMORY)[None]
    for module, inputs in ((Seq2Seq(), (ids,)), (AttnDecoderRNN(), (STATE, STATE, ENCODED[0]))):
        shown = HeadMap.of(module.eval(), inputs=inputs).attention
        assert_close(shown.weights[0], module(*inputs)[1])


# --- What weighs no places -----------------------------------------------------------------------------------------------


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, 8), nn.Linear(8, WIDTH)

    def forward(self, x):
        return self.down(self.up(x).relu())


class Others(nn.Module):
    """What else softmaxes are for; there are as many experts, classes and codes as tokens."""

    def __init__(self):
        super().__init__()
        self.gate, self.wide = nn.Linear(WIDTH, TOKENS), nn.Linear(WIDTH, TOKENS * WIDTH)
        self.experts = nn.ModuleList(Expert() for _ in range(TOKENS))
        self.many, self.mix = nn.Parameter(torch.randn(TOKENS, WIDTH, WIDTH)), nn.Parameter(torch.randn(TOKENS))
        self.classes, self.layer = nn.Embedding(TOKENS, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.register_buffer("codes", torch.randn(TOKENS, WIDTH))

    def gates(self, x):
        return self.gate(x).softmax(-1)

    def expert(self, x):
        return torch.stack([expert(x) for expert in self.experts], 2)

    def forward(self, x):
        return type(self).weigh(self, x)


def efficient(m, x):
    q, k = m.gate(x).softmax(-1), m.gate(x).softmax(1)
    return q @ (k.mT @ m.layer(x))


def topmost(m, x):
    weights, chosen = m.gate(x).topk(2, -1)
    found = m.expert(x).gather(2, chosen[..., None].expand(-1, -1, -1, WIDTH))
    return (weights.softmax(-1)[..., None] * found).sum(2)


OTHERS = {
    "experts, by einsum": lambda m, x: torch.einsum("bte,bted->btd", m.gates(x), m.expert(x)),
    "experts, by a sum": lambda m, x: (m.gates(x)[..., None] * m.expert(x)).sum(2),
    "experts, by bmm": lambda m, x: torch.bmm(m.gates(x).flatten(0, 1)[:, None], m.expert(x).flatten(0, 1)),
    "experts, the topmost": topmost,
    "experts in one weight": lambda m, x: torch.einsum(
        "bte,bted->btd", m.gates(x), torch.einsum("btd,edf->btef", x, m.many)
    ),
    "experts in one layer": lambda m, x: (m.gates(x)[..., None] * m.wide(x).unflatten(-1, (TOKENS, -1))).sum(2),
    "experts that share a layer": lambda m, x: (m.gates(x)[..., None] * m.layer(m.expert(x))).sum(2),
    "layers": lambda m, x: torch.einsum("e,bted->btd", m.mix.softmax(0), m.expert(x)),
    "classes times their embeddings": lambda m, x: m.gates(x) @ m.classes.weight,
    "the same, looked up": lambda m, x: m.gates(x) @ m.layer(m.classes(torch.arange(TOKENS))),
    "codes": lambda m, x: (x @ m.codes.T).softmax(-1) @ m.codes,
    "codes by distance": lambda m, x: (-torch.cdist(x, m.codes)).softmax(-1) @ m.codes,
    "an expected place": lambda m, x: m.layer(x).softmax(1).mT @ torch.linspace(0, 1, TOKENS)[:, None],
    "an entropy": lambda m, x: (m.gates(x) * m.gates(x).log()).sum(-1),
    "each feature by itself": lambda m, x: (m.layer(x).softmax(1) * x).sum(1),
    "linear attention": efficient,
    "clusters": lambda m, x: m.gates(x).mT @ x,
    "a window of each place": lambda m, x: (
        m.gate(x).flatten(0, 1).softmax(-1)[:, None] @ F.pad(x, (0, 0, 4, 0)).unfold(1, 5, 1).flatten(0, 1).mT
    ),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_softmax_that_weighs_no_places_is_never_attention(other):
    torch.manual_seed(0)
    module = type("Module", (Others,), {"weigh": OTHERS[other]})()
    module(STATES)
    with pytest.raises(ValueError, match="none of its softmaxes is known to weigh places"):
        HeadMap.of(module, inputs=STATES)


# --- Channels, and heads that talk ---------------------------------------------------------------------------------------


class CrossCovariance(nn.Module):
    """XCiT's attention over channels."""

    def __init__(self):
        super().__init__()
        self.num_heads, self.temperature = HEADS, nn.Parameter(torch.ones(HEADS, 1, 1))
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, HEADS, d // HEADS).permute(2, 0, 3, 4, 1).unbind(0)
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        weights = (q @ k.transpose(-2, -1) * self.temperature).softmax(dim=-1)
        return self.proj((weights @ v).permute(0, 3, 1, 2).reshape(b, n, d))


class CrossCovarianceFused(CrossCovariance):
    def forward(self, x):
        q, k, v = rearrange(self.qkv(x), "b n (three h c) -> three b h c n", three=3, h=HEADS)
        return self.proj(rearrange(F.scaled_dot_product_attention(q, k, v, scale=1.0), "b h c n -> b n (h c)"))


class Restormer(nn.Module):
    def __init__(self):
        super().__init__()
        self.num_heads, self.qkv = HEADS, nn.Conv2d(WIDTH, 3 * WIDTH, 1, bias=False)
        self.qkv_dwconv = nn.Conv2d(3 * WIDTH, 3 * WIDTH, 3, padding=1, groups=3 * WIDTH)

    def forward(self, x):
        q, k, v = self.qkv_dwconv(self.qkv(x)).chunk(3, dim=1)
        q, k, v = (rearrange(one, "b (h c) y x -> b h c (y x)", h=HEADS) for one in (q, k, v))
        weights = (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)).softmax(dim=-1)
        return weights @ v


class ChannelsOfAnImage(nn.Module):
    """DANet's channel attention, which has no layers."""

    def forward(self, x):
        flat = x.flatten(2)
        return (torch.bmm(flat, flat.mT).softmax(-1) @ flat).view_as(x)


@pytest.mark.parametrize("kind", [CrossCovariance, CrossCovarianceFused, Restormer, ChannelsOfAnImage])
def test_attention_over_channels_is_never_shown_as_places(kind):
    size = WIDTH // HEADS  # as many tokens as channels
    x = torch.randn(1, size, WIDTH) if "Cross" in kind.__name__ else torch.randn(1, WIDTH, 2, size)
    with pytest.raises(ValueError, match=r"attends over channels \(itself\): it compares features"):
        HeadMap.of(kind(), inputs=x)


class XCiT(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(CrossCovariance() for _ in range(3))
        self.cls_attn = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return self.cls_attn(x[:, :1], x, x)[0]


def test_beside_attention_over_channels_the_rest_is_shown():
    shown = HeadMap.of(XCiT(), inputs=STATES).attention
    assert shown.shape == (1, HEADS, 1, TOKENS)
    assert shown.notes[0].endswith("is left out: blocks.0 to blocks.2.")


class Talks(nn.Module):
    def __init__(self):
        super().__init__()
        self.num_heads, self.qkv = HEADS, nn.Linear(WIDTH, 3 * WIDTH)
        self.proj_w, self.matrix = nn.Linear(HEADS, HEADS), nn.Parameter(torch.randn(HEADS, HEADS))
        self.conv, self.norm, self.layer_norm = nn.Conv2d(HEADS, HEADS, 1), nn.BatchNorm2d(HEADS), nn.LayerNorm(HEADS)

    def forward(self, x):
        q, k, v = rearrange(self.qkv(x), "b n (three h d) -> three b h n d", three=3, h=HEADS)
        weights = (q @ k.mT / 2).softmax(-1)
        return (type(self).talk(self, weights) @ v).transpose(1, 2).flatten(2), weights


def as_deepvit_has_it(m, weights):
    mixed = torch.einsum("b h i j, h g -> b g i j", weights, m.matrix)
    return rearrange(m.layer_norm(rearrange(mixed, "b h i j -> b i j h")), "b i j h -> b h i j")


TALKS = {
    "CaiT": lambda m, weights: m.proj_w(weights.permute(0, 2, 3, 1)).permute(0, 3, 1, 2),
    "DeepViT": as_deepvit_has_it,
    "DeepViT, by a convolution": lambda m, weights: m.norm(m.conv(weights)) * 1.5,
    "heads last": lambda m, weights: torch.einsum("bhij,hg->bijg", weights, m.matrix).permute(0, 3, 1, 2),
}


@torch.no_grad()
@pytest.mark.parametrize("talk", TALKS)
def test_heads_that_talk_after_the_softmax_are_shown_before_that(talk):
    torch.manual_seed(0)
    module = type("Attention", (Talks,), {"talk": TALKS[talk]})().eval()
    shown = HeadMap.of(module, inputs=STATES).attention
    assert_close(shown.weights, module(STATES)[1])
    assert shown.notes[0].startswith("The heads talk after the softmax: these are the weights of each before that")
