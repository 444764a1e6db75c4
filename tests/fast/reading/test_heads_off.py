"""Heads turned off in modules as people write them: what the layer that reads them gets is zero, wherever it is, or the
reason is told why it can't be.
"""

import copy
import re

import pytest
import torch
import transformers
from close import assert_close
from conftest import ROOT
from einops import rearrange
from libraries import BERT, T5, TEXT
from libraries import made as hugging_face
from torch import nn

from manyheads import HeadMap, value_norms

WIDTH, HEADS, TOKENS = 12, 3, 5
SIZE = WIDTH // HEADS
X = torch.randn(1, TOKENS, WIDTH, generator=torch.Generator().manual_seed(0))
IDS = torch.arange(3, 3 + TOKENS)[None]


class UnseenLinear(nn.Linear):
    """A layer whose product PyTorch doesn't know, as those of bitsandbytes are."""

    def forward(self, x):
        return torch.from_numpy(x.numpy() @ self.weight.numpy().T + self.bias.numpy())


class UnseenNorm(nn.LayerNorm):
    def forward(self, x):
        x = x.numpy()
        return torch.from_numpy((x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1e-5)) * self.weight


class Adapted(nn.Module):
    """A layer with an adapter beside it, as a LoRA is: one of them reads first."""

    def __init__(self, unseen_first):
        super().__init__()
        layers = UnseenLinear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.layers = nn.ModuleList(layers if unseen_first else layers[::-1])

    def forward(self, x):
        return sum(layer(x) for layer in self.layers)


class Own(nn.Module):
    """Multi-head attention whose heads a mask can silence, [h], before `mix` reads them: what is expected."""

    def __init__(self):
        super().__init__()
        self.num_heads, self.mask = HEADS, None
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.gate, self.norm = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.W_O = nn.Parameter(torch.randn(HEADS, SIZE, WIDTH) / 4)
        self.conv = nn.Conv1d(WIDTH, WIDTH, 1)
        self.unseen, self.unseen_norm = UnseenLinear(WIDTH, WIDTH), UnseenNorm(WIDTH)
        self.unseen_first, self.unseen_last = Adapted(True), Adapted(False)

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


def unseen(m, heads, x):
    return m.unseen(silenced(m, heads.transpose(1, 2).flatten(2)))


def adapted(m, heads, x):
    return m.unseen_first(silenced(m, heads.transpose(1, 2).flatten(2)))


def adapted_the_other_way(m, heads, x):
    return m.unseen_last(silenced(m, heads.transpose(1, 2).flatten(2)))


def unseen_apart(m, heads, x):
    joined = silenced(m, heads.transpose(1, 2).flatten(2))
    return m.unseen(joined) + m.out(joined)


def unseen_norm(m, heads, x):
    return m.out(m.unseen_norm(heads.transpose(1, 2).flatten(2)))


UNSEEN = (unseen, adapted, adapted_the_other_way)
LINEAR = (plain, by_einsum, by_matmul, by_convolution, features_before_heads, *UNSEEN)
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
@pytest.mark.parametrize("mix", [*LINEAR, *OTHERS, gated_by_itself, unseen_apart])
def test_what_reads_the_heads_gets_zeros_wherever_it_is(mix):
    module = made(mix)
    found = output_with(module, [[True, False, True]])
    assert not torch.allclose(found, module(X), atol=1e-3)
    module.mask = torch.tensor([1.0, 0, 1])
    assert_close(found, module(X))


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
    assert_close(value_norms(module, X), [expected])


@pytest.mark.parametrize("mix", OTHERS)
def test_value_norms_are_refused_where_something_stands_between(mix):
    with pytest.raises(ValueError, match="known in layer 1: something scales or mixes its heads' outputs before"):
        value_norms(made(mix), X)


@pytest.mark.parametrize(("mix", "names"), [(gated_by_itself, "gate, out"), (unseen_apart, "unseen, out")])
def test_value_norms_are_refused_where_several_layers_read_the_heads(mix, names):
    with pytest.raises(ValueError, match=f"several layers read its heads' outputs: {names}"):
        value_norms(made(mix), X)


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
        (
            lambda: made(unseen_norm),
            "no layer is seen to read its heads' outputs before they're mixed with something else",
        ),
        (Sagan, "no layer is seen to read its heads' outputs before they're mixed with something else"),
        (Talking, "its heads talk after the softmax, so what multiplies values is of no head alone"),
    ],
)
def test_why_heads_cannot_be_turned_off_is_told(kind, says):
    module = kind()
    name = type(module).__name__
    with pytest.raises(ValueError, match=f"heads of a {name} can't be turned off in layer 1: {says}"):
        output_with(module, [[True, False, True]])
    with pytest.raises(ValueError, match=f"value_norms of a {name} aren't known in layer 1: {says}"):
        value_norms(module, X)


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
def test_of_a_layer_that_is_called_twice_the_head_is_off_in_the_call_that_is_meant():
    module = Shared()
    found = output_with(module, [[True] * HEADS, [True, False, True]])
    middle = module.layer(X)
    module.layer.mask = torch.tensor([1.0, 0, 1])
    assert_close(found, module.layer(middle))


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
    assert_close(value_norms(module, x, batch=1)[0], expected)
    module.mask = torch.tensor([1.0, 0, 1])
    assert_close(found, module(x))


# --- Against columns of the output projection that are zero ----------------------------------------------------------


def of(name, **options):
    return lambda: hugging_face(f"{name}Model", getattr(transformers, f"{name}Config")(**options))


STAGES = {"image_size": 32, "patch_size": 2, "embed_dim": 8, "depths": [1, 1], "num_heads": [2, 2], "window_size": 4}
LONGFORMER, DIFFLLAMA = of("Longformer", **TEXT, attention_window=4), of("DiffLlama", **TEXT, num_key_value_heads=4)
XLNET = of("XLNet", d_model=32, n_layer=2, n_head=4, d_inner=32, vocab_size=50)
READ, TRANSLATED = {"input_ids": IDS}, {"input_ids": IDS, "decoder_input_ids": IDS[:, :3]}
PIXELS = {"pixel_values": torch.randn(1, 3, 32, 32)}
ON, SECOND, THIRD = [True] * 4, [True, False, True, True], [True, True, False, True]
SWIN_OUTPUT = [  # transformers has changed its name
    f"encoder.layers.1.blocks.0.attention.{name}.weight" for name in ("o_proj", "output.dense")
]
OFF = {  # the model, the heads that are off, the parameter and its columns that are theirs, what it reads, options
    "modules of their own": (Karpathy, [[True, False, True]], "proj.weight", slice(SIZE, 2 * SIZE), X, {}),
    "an output projection that is a parameter": (XLNET, [ON, THIRD], "layer.1.rel_attn.o", 2, READ, {}),
    "computed in pieces": (
        *(LONGFORMER, [ON, THIRD], "encoder.layer.1.attention.output.dense.weight", slice(16, 24), READ),
        {},
    ),
    "a part of several": (
        *(lambda: hugging_face("T5Model", T5), [ON, SECOND]),
        *("decoder.block.1.layer.1.EncDecAttention.o.weight", slice(8, 16), TRANSLATED, {"part": "cross"}),
    ),
    "chosen layers": (
        *(lambda: hugging_face("BertModel", BERT), [SECOND]),
        *("encoder.layer.1.attention.output.dense.weight", slice(8, 16), READ, {"layers": [1]}),
    ),
    "layers of another shape": (
        *(of("Swin", **STAGES), [[False, True]], SWIN_OUTPUT, slice(8)),
        *(PIXELS, {"part": "layer 2"}),
    ),
}


@torch.no_grad()
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("make", "mask", "parameter", "columns", "x", "options"), OFF.values(), ids=OFF)
def test_a_head_is_off_as_if_what_reads_it_were_zero(make, mask, parameter, columns, x, options):
    torch.manual_seed(0)
    model = make().eval()
    without = copy.deepcopy(model)
    names = parameter if isinstance(parameter, list) else [parameter]
    next(weight for name, weight in without.named_parameters() if name in names)[:, columns] = 0
    expected = without(**x)[0] if isinstance(x, dict) else without(x)
    assert_close(output_with(model, mask, x, **options), expected)


@torch.no_grad()
def test_value_norms_of_a_part_of_several_are_its_own():
    model = hugging_face("T5Model", T5)
    cross = model.decoder.block[0].layer[1].EncDecAttention
    values, rows = cross.v(model.encoder(IDS)[0])[0].unflatten(-1, (4, -1)), cross.o.weight.T.unflatten(0, (4, -1))
    expected = torch.einsum("khd,hde->hke", values, rows).norm(dim=-1)
    assert_close(value_norms(model, TRANSLATED, part="cross")[0], expected)


@torch.no_grad()
@pytest.mark.filterwarnings("ignore")
def test_what_transformers_mixes_in_its_own_ways_is_told():
    with pytest.raises(ValueError, match="it computes in pieces, or by several values"):
        value_norms(LONGFORMER(), READ)
    with pytest.raises(ValueError, match="no layer is seen to read its heads' outputs before they're mixed"):
        output_with(DIFFLLAMA(), [THIRD, ON], READ)


# --- The table of what can't be told --------------------------------------------------------------------------------------

MANUAL = (ROOT / "book" / "your-own-models.md").read_text(encoding="utf-8")
TABLE = re.findall(r"^\| (.*?) \| (yes|no) \| (yes|no) \|$", MANUAL, re.MULTILINE)
EXPERTS = {"num_experts": 2, "num_local_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16}
GROUPED = {**TEXT, "num_key_value_heads": 2}
QWEN = {
    **{**GROUPED, **EXPERTS, "head_dim": 8, "linear_num_key_heads": 2, "linear_num_value_heads": 2},
    **{"linear_key_head_dim": 8, "linear_value_head_dim": 8, "shared_expert_intermediate_size": 16},
    "layer_types": ["linear_attention", "full_attention"],
}


MODELS = {  # what stands for each row, by how it begins
    "Qwen3-Next": of("Qwen3Next", **QWEN),
    "BitNet": of("BitNet", **GROUPED),
    "Longformer": LONGFORMER,
    "Nyströmformer": of("Nystromformer", **TEXT, num_landmarks=4, segment_means_seq_len=4),
    "JetMoE": of("JetMoe", **GROUPED, kv_channels=8, num_local_experts=2),
    "DiffLlama": DIFFLLAMA,
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
