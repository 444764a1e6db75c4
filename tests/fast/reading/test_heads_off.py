"""Heads turned off in modules as people write them: what the layer that reads them gets is zero, wherever it is, or the
reason is told why it can't be.
"""

import copy
import re

import numpy as np
import pytest
import torch
import transformers
from conftest import ROOT
from einops import rearrange
from torch import nn

from manyheads import HeadMap, value_norms

WIDTH, HEADS, TOKENS = 12, 3, 5
SIZE = WIDTH // HEADS
X = torch.randn(1, TOKENS, WIDTH, generator=torch.Generator().manual_seed(0))
IDS = torch.arange(3, 3 + TOKENS)[None]
SIZES = {"hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 32, "vocab_size": 50}


class Own(nn.Module):
    """Multi-head attention whose heads a mask can silence, [h], before `mix` reads them: what is expected."""

    def __init__(self):
        super().__init__()
        self.num_heads, self.mask = HEADS, None
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.gate, self.norm = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.W_O = nn.Parameter(torch.randn(HEADS, SIZE, WIDTH) / 4)
        self.conv = nn.Conv1d(WIDTH, WIDTH, 1)

    def three(self, x):
        return rearrange(self.qkv(x), "b n (three h d) -> three b h n d", three=3, h=HEADS)

    def forward(self, x):
        q, k, v = self.three(x)
        heads = (q @ k.mT / SIZE**0.5).softmax(-1) @ v  # [b, h, n, d]
        return x + type(self).mix(self, heads, x)


def silenced(m, joined):  # [b, n, h * d]
    return joined if m.mask is None else joined * m.mask.repeat_interleave(SIZE)


def silenced_apart(m, heads):  # [b, h, n, d]
    return heads if m.mask is None else heads * m.mask[:, None, None]


def plain(m, heads, x):
    return m.out(silenced(m, heads.transpose(1, 2).flatten(2)))


def by_einsum(m, heads, x):
    return torch.einsum("bhnd,hde->bne", silenced_apart(m, heads), m.W_O)


def by_matmul(m, heads, x):
    return silenced(m, heads.transpose(1, 2).reshape(1, TOKENS, WIDTH)) @ m.W_O.flatten(0, 1)


def by_convolution(m, heads, x):
    return m.conv(silenced(m, rearrange(heads, "b h n d -> b n (h d)")).mT).mT


def features_before_heads(m, heads, x):
    return m.out(rearrange(silenced_apart(m, heads), "b h n d -> b n (d h)"))


def gated(m, heads, x):
    return m.out(silenced(m, rearrange(heads, "b h n d -> b n (h d)") * m.gate(x).sigmoid()))


def normed(m, heads, x):
    return m.out(silenced(m, m.norm(heads.transpose(1, 2).flatten(2))))


def gated_by_itself(m, heads, x):
    joined = silenced(m, rearrange(heads, "b h n d -> b n (h d)"))
    return m.out(joined * m.gate(joined).sigmoid())


def pooled(m, heads, x):
    return m.out(silenced(m, heads.transpose(1, 2).flatten(2)).sum(1, keepdim=True))


def with_places(m, heads, x):
    return plain(m, heads + m.three(x)[2], x)


LINEAR = (plain, by_einsum, by_matmul, by_convolution, features_before_heads)
OTHERS = (gated, normed, pooled, with_places)


def made(mix):
    torch.manual_seed(0)
    return type("Attention", (Own,), {"mix": mix})().eval()


def output_with(module, mask, x=X, **options):
    """What a module returns with heads off, as its map has it."""
    seen = []

    def predictions(output):
        seen.append((output if isinstance(output, torch.Tensor) else output[0]).clone())
        return {}

    shown = HeadMap.of(module, inputs=x, predictions=predictions, **options)
    shown.head_mask = mask
    return seen[-1]


@torch.no_grad()
@pytest.mark.parametrize("mix", [*LINEAR, *OTHERS, gated_by_itself])
def test_what_reads_the_heads_gets_zeros_wherever_it_is(mix):
    module = made(mix)
    found = output_with(module, [[True, False, True]])
    assert not torch.allclose(found, module(X), atol=1e-3)
    module.mask = torch.tensor([1.0, 0, 1])
    torch.testing.assert_close(found, module(X), atol=1e-6, rtol=0)


@torch.no_grad()
@pytest.mark.parametrize("mix", LINEAR)
def test_value_norms_go_through_whatever_reads_the_heads(mix):
    module = made(mix)
    values = module.three(X)[2]  # [1, h, k, d]
    expected = []
    for head in range(HEADS):
        alone = torch.zeros(1, HEADS, TOKENS, SIZE)
        alone[:, head] = values[:, head]
        written = mix(module, alone, X) - mix(module, torch.zeros_like(alone), X)
        expected.append(written[0].norm(dim=-1).numpy())
    np.testing.assert_allclose(value_norms(module, X), [expected], atol=1e-5)


@pytest.mark.parametrize("mix", OTHERS)
def test_value_norms_are_refused_where_something_stands_between(mix):
    with pytest.raises(
        ValueError, match="aren't known in layer 1: something scales or mixes its heads' outputs before"
    ):
        value_norms(made(mix), X)


def test_value_norms_are_refused_where_several_layers_read_the_heads():
    with pytest.raises(ValueError, match="several layers read its heads' outputs: gate, out"):
        value_norms(made(gated_by_itself), X)


class Sagan(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        return x + 0.5 * rearrange((q @ k.mT).softmax(-1) @ v, "b h n d -> b n (h d)")


class Talking(Own):
    def forward(self, x):
        q, k, v = self.three(x)
        weights = torch.einsum("bhqk,hg->bgqk", (q @ k.mT).softmax(-1), self.W_O[:, 0, :HEADS])
        return self.out((weights @ v).transpose(1, 2).flatten(2))


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (Sagan, "no layer is seen to read its heads' outputs before they're mixed with something else"),
        (Talking, "its heads talk after the softmax, so what multiplies values is of no head alone"),
    ],
)
def test_why_heads_cannot_be_turned_off_is_told(kind, says):
    with pytest.raises(ValueError, match=f"heads of a {kind.__name__} can't be turned off in layer 1: {says}"):
        output_with(kind(), [[True, False, True]])
    with pytest.raises(ValueError, match=f"value_norms of a {kind.__name__} aren't known in layer 1: {says}"):
        value_norms(kind(), X)


# --- Heads that are apart, layers that are called again, texts in a row ------------------------------------------------


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(WIDTH, SIZE, bias=False) for _ in range(3))

    def forward(self, x):
        return (self.q(x) @ self.k(x).mT / SIZE**0.5).softmax(-1) @ self.v(x)


class Karpathy(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads, self.proj = nn.ModuleList(Head() for _ in range(HEADS)), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return x + self.proj(torch.cat([head(x) for head in self.heads], -1))


class Shared(nn.Module):
    """One layer, called twice, as ALBERT's is."""

    def __init__(self):
        super().__init__()
        self.layer = made(plain)

    def forward(self, x):
        return self.layer(self.layer(x))


@torch.no_grad()
def test_heads_that_are_modules_of_their_own_and_layers_that_are_called_twice():
    torch.manual_seed(0)
    module = Karpathy()
    without = copy.deepcopy(module)
    without.proj.weight[:, SIZE : 2 * SIZE] = 0
    torch.testing.assert_close(output_with(module, [[True, False, True]]), without(X), atol=1e-6, rtol=0)
    module = Shared()
    found = output_with(module, [[True] * HEADS, [True, False, True]])
    middle = module.layer(X)
    module.layer.mask = torch.tensor([1.0, 0, 1])
    torch.testing.assert_close(found, module.layer(middle), atol=1e-6, rtol=0)


class HeadsBeforeTexts(Own):
    def forward(self, x):
        q, k, v = (torch.cat(one.chunk(HEADS, -1)) for one in self.qkv(x).chunk(3, -1))  # [h * b, n, d]
        heads = torch.bmm(torch.bmm(q, k.mT).softmax(-1), v)
        return self.out(silenced(self, torch.cat(heads.chunk(HEADS), -1)))


@torch.no_grad()
def test_in_a_batch_the_head_is_off_in_all_texts():
    torch.manual_seed(0)
    module, x = HeadsBeforeTexts().eval(), torch.randn(2, TOKENS, WIDTH)
    found = output_with(module, [[True, False, True]], x, batch=1)
    values = module.qkv(x).chunk(3, -1)[-1][1].unflatten(-1, (HEADS, -1))  # [k, h, d]
    rows = module.out.weight.T.unflatten(0, (HEADS, -1))
    expected = torch.einsum("khd,hde->hke", values, rows).norm(dim=-1)
    np.testing.assert_allclose(value_norms(module, x, batch=1)[0], expected, atol=1e-5)
    module.mask = torch.tensor([1.0, 0, 1])
    torch.testing.assert_close(found, module(x), atol=1e-6, rtol=0)


# --- Of transformers, what's special ------------------------------------------------------------------------------------


def hugging_face(kind, config):
    torch.manual_seed(0)
    return getattr(transformers, kind)(config).eval()


@torch.no_grad()
def test_xlnet_whose_output_projection_is_a_parameter():
    config = transformers.XLNetConfig(d_model=32, n_layer=2, n_head=4, d_inner=32, vocab_size=50)
    model = hugging_face("XLNetModel", config)
    without = copy.deepcopy(model)
    without.layer[1].rel_attn.o[:, 2] = 0
    mask = [[True] * 4, [True, True, False, True]]
    torch.testing.assert_close(output_with(model, mask, {"input_ids": IDS}), without(IDS)[0], atol=1e-6, rtol=0)


@torch.no_grad()
@pytest.mark.filterwarnings("ignore")
def test_longformer_which_computes_in_pieces():
    config = transformers.LongformerConfig(**SIZES, attention_window=4, pad_token_id=0)
    model = hugging_face("LongformerModel", config)
    without = copy.deepcopy(model)
    without.encoder.layer[1].attention.output.dense.weight[:, 16:24] = 0
    mask = [[True] * 4, [True, True, False, True]]
    torch.testing.assert_close(output_with(model, mask, {"input_ids": IDS}), without(IDS)[0], atol=1e-6, rtol=0)
    with pytest.raises(ValueError, match="it computes in pieces, or by several values"):
        value_norms(model, {"input_ids": IDS})


@torch.no_grad()
def test_diffllama_whose_heads_are_subtracted_from_each_other():
    model = hugging_face("DiffLlamaModel", transformers.DiffLlamaConfig(**SIZES, num_key_value_heads=4))
    with pytest.raises(ValueError, match="no layer is seen to read its heads' outputs before they're mixed"):
        output_with(model, [[True, False, True, True], [True] * 4], {"input_ids": IDS})


@torch.no_grad()
def test_a_part_of_several_is_the_one_whose_heads_are_off():
    config = transformers.T5Config(d_model=32, d_kv=8, d_ff=32, num_layers=2, num_heads=4, vocab_size=50)
    model = hugging_face("T5Model", config)
    without = copy.deepcopy(model)
    without.decoder.block[1].layer[1].EncDecAttention.o.weight[:, 8:16] = 0
    inputs = {"input_ids": IDS, "decoder_input_ids": IDS[:, :3]}
    found = output_with(model, [[True] * 4, [True, False, True, True]], inputs, part="cross")
    torch.testing.assert_close(found, without(**inputs)[0], atol=1e-6, rtol=0)
    values = model.decoder.block[0].layer[1].EncDecAttention.v(model.encoder(IDS)[0])[0].unflatten(-1, (4, -1))
    rows = model.decoder.block[0].layer[1].EncDecAttention.o.weight.T.unflatten(0, (4, -1))
    expected = torch.einsum("khd,hde->hke", values, rows).norm(dim=-1)
    np.testing.assert_allclose(value_norms(model, inputs, part="cross")[0], expected, rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_chosen_layers_and_layers_of_another_shape_are_those_of_the_map():
    model = hugging_face("BertModel", transformers.BertConfig(**SIZES))
    without = copy.deepcopy(model)
    without.encoder.layer[1].attention.output.dense.weight[:, 8:16] = 0
    found = output_with(model, [[True, False, True, True]], {"input_ids": IDS}, layers=[1])
    torch.testing.assert_close(found, without(IDS)[0], atol=1e-6, rtol=0)
    sizes = {"image_size": 32, "patch_size": 2, "embed_dim": 8, "depths": [1, 1], "num_heads": [2, 2], "window_size": 4}
    model, pixels = hugging_face("SwinModel", transformers.SwinConfig(**sizes)), torch.randn(1, 3, 32, 32)
    without = copy.deepcopy(model)
    without.encoder.layers[1].blocks[0].attention.o_proj.weight[:, :8] = 0
    found = output_with(model, [[False, True]], {"pixel_values": pixels}, part="layer 2")
    torch.testing.assert_close(found, without(pixels)[0], atol=1e-6, rtol=0)


# --- The table of what can't be told --------------------------------------------------------------------------------------

MANUAL = (ROOT / "book" / "your-own-models.md").read_text(encoding="utf-8")
TABLE = re.findall(r"^\| (.*?) \| (yes|no) \| (yes|no) \|$", MANUAL, re.MULTILINE)
SIZES_OF_EXPERTS = {"num_experts": 2, "num_local_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16}
LINEAR_LAYERS = {
    **{"linear_num_key_heads": 2, "linear_num_value_heads": 2, "linear_key_head_dim": 8, "linear_value_head_dim": 8},
    **{"shared_expert_intermediate_size": 16, "layer_types": ["linear_attention", "full_attention"]},
}
MODELS = {  # what stands for each row, by how it begins
    "Qwen3-Next": lambda: hugging_face(
        "Qwen3NextModel",
        transformers.Qwen3NextConfig(
            **SIZES, **SIZES_OF_EXPERTS, **LINEAR_LAYERS, num_key_value_heads=2, head_dim=8, pad_token_id=0
        ),
    ),
    "BitNet": lambda: hugging_face(
        "BitNetModel", transformers.BitNetConfig(**SIZES, num_key_value_heads=2, pad_token_id=0, bos_token_id=1)
    ),
    "Longformer": lambda: hugging_face(
        "LongformerModel", transformers.LongformerConfig(**SIZES, attention_window=4, pad_token_id=0)
    ),
    "Nyströmformer": lambda: hugging_face(
        "NystromformerModel", transformers.NystromformerConfig(**SIZES, num_landmarks=4, segment_means_seq_len=4)
    ),
    "JetMoE": lambda: hugging_face(
        "JetMoeModel",
        transformers.JetMoeConfig(**SIZES, num_key_value_heads=2, kv_channels=8, num_local_experts=2, pad_token_id=0),
    ),
    "DiffLlama": lambda: hugging_face("DiffLlamaModel", transformers.DiffLlamaConfig(**SIZES, num_key_value_heads=4)),
    "CaiT": Talking,
}


def works(what):
    try:
        what()
    except ValueError:
        return "no"
    return "yes"


@torch.no_grad()
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "off", "written"), TABLE, ids=[row[0] for row in TABLE])
def test_what_cannot_be_told_is_what_the_book_says(model, off, written):
    module = next(make for name, make in MODELS.items() if model.startswith(name))()
    x = X if isinstance(module, Own) else {"input_ids": torch.arange(3, 7)[None]}
    layers, heads = HeadMap.of(module, inputs=x).attention.shape[:2]
    mask = [[head > 0 for head in range(heads)] for _ in range(layers)]
    assert (works(lambda: output_with(module, mask, x)), works(lambda: value_norms(module, x))) == (off, written)


def test_every_row_of_the_table_is_tried():
    assert len(TABLE) == len(MODELS)
