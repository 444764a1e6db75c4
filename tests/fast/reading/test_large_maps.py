"""Maps of more weights than are held: groups are the sums and means of the whole, whoever computed it."""

import re
import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
import transformers
from close import assert_close
from hypothesis import given, settings
from hypothesis import strategies as st
from libraries import made
from PIL import Image
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
from traitlets import TraitError

from manyheads.maps.choosing import take_between
from manyheads.reading import grouping
from manyheads.reading.kernels import fused_weights
from manyheads.reading.modules import parts_of_module
from manyheads.reading.request import Request
from manyheads.reading.sentences import MAX_WEIGHTS, Grouping, Holding, grouping_of, passage_of
from manyheads.reading.weights import weigh
from manyheads.widgets import HeadMap

SIZES = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 16}
TEXT = {**SIZES, "vocab_size": 50, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
LENGTH = 160
SIDE = 12  # patches to a side


def llama(kernel="sdpa"):
    return made("LlamaModel", transformers.LlamaConfig(**TEXT, num_key_value_heads=2), kernel)


def bert(kernel="sdpa"):
    return made("BertModel", transformers.BertConfig(**TEXT), kernel)


class Own(nn.Module):
    """Attention of one's own, three axes for texts and heads at once."""

    num_heads = 4

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.query, self.key, self.value = (nn.Linear(16, 16) for _ in range(3))

    def forward(self, input_ids, attention_mask=None):
        x = self.words(input_ids)
        layers = self.query, self.key, self.value
        q, k, v = (layer(x).unflatten(-1, (4, 4)).transpose(1, 2).flatten(0, 1) for layer in layers)
        weights = (q @ k.mT).softmax(-1)
        return torch.bmm(weights, v)


MODELS = {
    "Llama": llama,
    "Llama, eager": lambda: llama("eager"),
    "BERT": bert,
    "BERT, eager": lambda: bert("eager"),
    "own code": Own,
    "in bfloat16": lambda: llama().bfloat16(),
}


@st.composite
def texts(draw):
    """Tokens, some of which end sentences, and how many of the places after them are padding."""
    ends = draw(st.sets(st.integers(1, LENGTH - 2), min_size=4, max_size=24))
    padding = draw(st.sampled_from([0, 0, 7]))
    return ["." if place in ends else f" w{place}" for place in range(LENGTH - padding)], padding


def grouped(weights, tokens):
    """Weights by sentences, one after the other: keys summed, queries averaged."""
    starts = [0, *(place + 1 for place, token in enumerate(tokens[:-1]) if token == ".")]
    starts = [first for begin, end in zip(starts, [*starts[1:], len(tokens)]) for first in range(begin, end, 64)]
    sums = np.add.reduceat(np.add.reduceat(weights.astype(np.float64), starts, 3), starts, 2)
    return sums / np.diff([*starts, len(tokens)])[:, None], starts


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=4)
@given(text=texts())
def test_groups_are_sums_and_means_of_the_whole(name, text):
    tokens, padding = text
    if name == "own code":
        tokens, padding = [*tokens, *["x"] * padding], 0  # it knows no mask
    model, close = MODELS[name](), 0.01 if name == "in bfloat16" else 1e-5
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(3, 50, (2, LENGTH), generator=generator)
    mask = torch.ones(2, LENGTH, dtype=int)
    mask[:, LENGTH - padding :] = 0
    inputs, names = {"input_ids": ids, "attention_mask": mask}, [*tokens, *["[PAD]"] * padding]
    whole = HeadMap.of(model, names, inputs=inputs, batch=1).attention
    assert whole.key_tokens == tokens
    heads = whole.shape[0] * whole.shape[1]
    wanted, starts = grouped(whole.weights, tokens)
    shown = HeadMap.of(model, names, inputs=inputs, batch=1, max_weights=heads * LENGTH**2 - 1)
    np.testing.assert_allclose(shown.attention.weights, wanted, atol=close)
    shown.query = 1
    ends = [*starts[1:], len(tokens)]
    opened = whole.weights[:, :, starts[1] : ends[1]]
    of_words = shown.attention.weights[:, :, 1 : 1 + ends[1] - starts[1], 1 : 1 + ends[1] - starts[1]]
    np.testing.assert_allclose(of_words, opened[..., starts[1] : ends[1]], atol=close)
    assert shown.attention.shape[2] == len(starts) - 1 + ends[1] - starts[1]
    before, shown.query = shown.attention, (0, 2)
    assert shown.attention is before, "of several that ask as one, none is opened"


def test_arrays_outputs_and_what_was_written_are_grouped_as_modules_are():
    model = made("GPT2LMHeadModel", transformers.GPT2Config(n_embd=16, n_layer=2, n_head=4, vocab_size=50), "eager")
    ids = torch.randint(3, 50, (1, LENGTH), generator=torch.Generator().manual_seed(1))
    tokens = (["tea", "is", "hot", "."] * LENGTH)[:LENGTH]
    with torch.no_grad():
        output = model(ids, output_attentions=True)
        options = {"output_attentions": True, "return_dict_in_generate": True, "max_new_tokens": 2}
        written = model.generate(ids[:, :-1], do_sample=False, pad_token_id=0, **options)
    whole = HeadMap.of(output, tokens).attention
    wanted, _ = grouped(whole.weights, tokens)
    for source in (output, output.attentions, whole.weights, torch.tensor(whole.weights), written):
        shown = HeadMap.of(source, tokens, max_weights=100_000).attention
        assert_close(shown.weights[:, :, :-1], wanted[:, :, :-1])


def test_where_one_text_looks_at_another_each_side_has_its_own_groups():
    config = transformers.BartConfig(
        **{"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "vocab_size": 50},
        **{"encoder_attention_heads": 2, "decoder_attention_heads": 2},
    )
    model = made("BartModel", config)
    ids = torch.randint(3, 50, (1, LENGTH), generator=torch.Generator().manual_seed(1))
    inputs = {"input_ids": ids, "decoder_input_ids": ids[:, :5]}
    tokens = (["tea", "is", "hot", "."] * LENGTH)[:LENGTH]
    shown = HeadMap.of(model, tokens, list("abcde"), inputs=inputs, max_weights=20_000)
    whole = HeadMap.of(model, tokens, list("abcde"), inputs=inputs)
    assert [part.name for part in shown.models] == ["encoder", "decoder", "cross"]
    assert [part.map.shape[2:] for part in shown.models] == [(40, 40), (5, 5), (5, 40)]
    cross = shown.models[2].map
    assert cross.query_tokens == list("abcde")
    assert cross.key_tokens == ["tea is hot."] * 40
    wanted = whole.models[2].map.weights.reshape(1, 2, 5, 40, 4).sum(-1)
    assert_close(cross.weights, wanted)


@pytest.fixture(scope="module")
def llava():
    vision = transformers.CLIPVisionConfig(**SIZES, image_size=SIDE * 4, patch_size=4)
    text = transformers.LlamaConfig(**TEXT)
    config = transformers.LlavaConfig(vision_config=vision, text_config=text, image_token_id=49)
    return made("LlavaForConditionalGeneration", config)


def test_a_written_word_looks_at_each_patch_of_a_large_picture(llava):
    count = SIDE**2
    ids = torch.tensor([[3, *[49] * count, 5, 6, 7, 8, 9, 10]])
    words = ["<s>", *["<image>"] * count, " What", " is", " this", "?", " It", " is"]
    pixels = torch.randn(1, 3, SIDE * 4, SIDE * 4, generator=torch.Generator().manual_seed(0))
    options = {"inputs": {"input_ids": ids, "pixel_values": pixels}, "image": Image.new("RGB", (48, 48), "gold")}
    whole = HeadMap.of(llava, words, part="text", **options).attention
    shown = HeadMap.of(llava, words, **options, max_weights=300_000)
    attention = shown.models[0].map
    assert shown.view == "picture"
    assert attention.query_tokens[shown.query] == "is"
    assert attention.query_tokens[:3] == ["<s>", "patches of row 1", "patches of row 2"]
    assert attention.query_tokens[-3:] == ["What is this?", "It", "is"]
    assert attention.key_tokens[1:3] == ["patch 1,1", "patch 1,2"]
    assert (attention.picture.rows, attention.picture.columns, attention.picture.key_start) == (SIDE, SIDE, 1)
    patches = slice(1, 1 + count)
    assert_close(attention.weights[:, :, -1, patches], whole.weights[:, :, -1, patches])
    by_row = whole.weights[:, :, 1 : 1 + SIDE, patches].mean(2)
    assert_close(attention.weights[:, :, 1, patches], by_row)
    assert attention.notes[0].startswith("151 tokens ask as 16 places: sentences and rows of patches")


# --- What is computed


def sentences(count, length):
    """So many tokens in sentences of this length, as groups that ask and that are looked at."""
    both = grouping_of(["." if place % length == length - 1 else " w" for place in range(count)])
    return both.asking(), both.looked_at()


def operations(call):
    with FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops()


@pytest.mark.parametrize("length", [4, 64])
def test_weights_by_groups_cost_little_more_than_weights(length):
    query, key = torch.randn(2, 1, 2, 1024, 32)
    whole = operations(lambda: fused_weights(query, key))
    assert operations(lambda: fused_weights(query, key, groups=sentences(1024, length))) < 3 * whole


def test_of_causal_weights_those_that_are_0_are_not_computed():
    query, key = torch.randn(2, 1, 2, 1024, 32)
    groups = sentences(1024, 64)
    causal, whole = (
        operations(lambda causal=causal: fused_weights(query, key, is_causal=causal, groups=groups))
        for causal in (True, False)
    )
    assert causal < 0.7 * whole


@pytest.mark.parametrize("queries", [7, 300])
def test_causal_weights_are_those_of_a_causal_mask_whatever_is_longer(queries):
    query, key = torch.randn(1, 2, queries, 8), torch.randn(1, 2, 150, 8)
    mask = torch.ones(queries, 150, dtype=bool).tril()
    for groups in ((None, None), (None, sentences(150, 3)[1]), (sentences(queries, 3)[0], None)):
        found = fused_weights(query, key, is_causal=True, groups=groups)[0]
        assert_close(found, fused_weights(query, key, attn_mask=mask, groups=groups)[0])


def test_places_in_an_order_of_their_own_are_grouped_as_they_are_listed():
    order = torch.randperm(300, generator=torch.Generator().manual_seed(0)).tolist()
    groups = [replace(one, places=tuple(order)) for one in sentences(300, 7)]
    query, key = torch.randn(2, 1, 2, 300, 8)
    wanted, starts = grouped(
        fused_weights(query, key)[0][:, :, order][..., order].numpy(), [*([" w"] * 6 + ["."]) * 42, *[" w"] * 6]
    )
    found = fused_weights(query, key, groups=groups)[0]
    assert len(starts) == 43
    assert_close(found, wanted)


@pytest.mark.parametrize("name", MODELS)
def test_how_far_a_long_text_is_read_is_told_up_to_its_end(name):
    seen, ids = [], torch.randint(3, 50, (1, LENGTH))
    holding = Holding(groups={LENGTH: Grouping(*sentences(LENGTH, 4))}, advance=seen.append)
    (part,) = parts_of_module(MODELS[name](), ids, holding=holding).values()
    assert sum(seen) == len(part.layers) * 4 * LENGTH**2
    assert max(seen) <= sum(seen) / len(part.layers)


def test_who_waits_sees_how_far_it_is_and_nobody_else_reads_anything(capsys, monkeypatch):
    options = {"inputs": torch.randint(3, 50, (1, LENGTH)), "max_weights": 100_000}
    HeadMap.of(bert(), **options)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(grouping, "PATIENCE", 0)
    HeadMap.of(bert(), **options)
    assert "Reading a long text:   0%|" in capsys.readouterr().err


# --- What is held


def test_what_a_model_looks_at_is_written_once_into_the_array_of_its_map():
    (part,) = parts_of_module(bert(), torch.arange(3, 12)[None]).values()
    assert part.array.shape == (3, 4, 9, 9)
    assert [layer.data_ptr() for layer in part.layers.values()] == [layer.ctypes.data for layer in part.array]
    weights = weigh(Request(None), part).array
    assert weights is part.array
    np.testing.assert_array_equal(weigh(Request(None), replace(part, chosen=[2, 0])).array, weights[[2, 0]])


@pytest.mark.parametrize("kernel", ["eager", "sdpa"])
def test_of_the_layers_that_are_wanted_alone_anything_is_held(kernel):
    ids = torch.arange(3, 12)[None]
    (part,) = parts_of_module(bert(kernel), ids, holding=Holding(layers=(1,))).values()
    assert [layer.is_meta for layer in part.layers.values()] == [True, False, True]
    one = HeadMap.of(bert(kernel), inputs=ids, layers=[1], max_weights=4 * 81).attention
    assert one.layer_names == ["layer 2"]
    assert_close(one.weights, HeadMap.of(bert(kernel), inputs=ids).attention.weights[1:2])


@pytest.mark.parametrize("kernel", ["eager", "sdpa"])
def test_of_the_texts_that_are_read_at_once_one_is_held(kernel):
    ids = torch.randint(3, 50, (7, 9), generator=torch.Generator().manual_seed(0))
    (part,) = parts_of_module(bert(kernel), ids, batch=2, holding=Holding(layers=(0, 1, 2))).values()
    assert [layer.untyped_storage().nbytes() for layer in part.layers.values()] == [4 * 4 * 9 * 9] * 3
    for batch in (0, 6):
        shown = HeadMap.of(bert(kernel), inputs=ids, batch=batch, layers=[0, 1, 2]).attention
        alone = HeadMap.of(bert(kernel), inputs=ids[batch : batch + 1]).attention
        assert_close(shown.weights, alone.weights)
        assert f"Text {batch + 1} of a batch of 7 is shown: batch=0 to batch=6 choose it." in shown.notes
    with pytest.raises(ValueError, match="batch must be from 0 to 6 for these 7 texts, got 7"):
        HeadMap.of(bert(kernel), inputs=ids, batch=7)


def test_layers_whose_numbers_are_not_those_of_their_names_are_found_all_the_same():
    class Stages(nn.Module):
        def __init__(self):
            super().__init__()
            layers = [nn.TransformerEncoderLayer(8, 2, 8, batch_first=True) for _ in range(4)]
            self.stages = nn.ModuleList([nn.ModuleList(layers[:2]), nn.ModuleList(layers[2:])])

        def forward(self, x):
            for stage in self.stages:
                for layer in stage:
                    x = layer(x)
            return x

    model, x = Stages().eval(), torch.randn(1, 5, 8)
    whole = HeadMap.of(model, inputs=x).attention
    assert_close(HeadMap.of(model, inputs=x, layers=[3]).attention.weights, whole.weights[3:])


def test_what_is_too_large_whatever_is_grouped_says_what_to_do():
    with pytest.raises(ValueError, match=r"more than 1,000 weights, .*: layers=\[0\] makes .*, max_weights="):
        HeadMap.of(bert(), inputs=torch.arange(3, 40)[None], max_weights=1000)


def test_the_whole_is_shown_where_it_may_be_held():
    ids = torch.randint(3, 50, (1, LENGTH))
    numbers = 3 * 4 * LENGTH**2
    assert numbers < MAX_WEIGHTS
    for options in ({}, {"max_weights": numbers}, {"first": 20}):
        assert HeadMap.of(bert(), inputs=ids, **options).attention.shape[2:] == (LENGTH, LENGTH)


# --- Tokens that the reader chooses


def padded(padding=7):
    mask = torch.ones(2, LENGTH, dtype=int)
    mask[:, :padding] = 0
    ids = torch.randint(3, 50, (2, LENGTH), generator=torch.Generator().manual_seed(1))
    return {"input_ids": ids, "attention_mask": mask}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("passage", [{"first": 20, "last": 30}, {"first": 140}, {"last": 9}])
def test_of_a_map_that_is_too_large_the_tokens_that_somebody_wants_are_held(name, passage):
    model, inputs = MODELS[name](), padded(0 if name == "own code" else 7)  # own code knows no mask
    whole = HeadMap.of(model, inputs=inputs, batch=1).attention
    heads = whole.shape[0] * whole.shape[1]
    shown = HeadMap.of(model, inputs=inputs, batch=1, max_weights=heads * 1000, **passage)
    wanted = take_between(whole, passage.get("first", 0), passage.get("last"))
    assert shown.attention.query_tokens == wanted.query_tokens
    assert shown.attention.key_tokens == wanted.key_tokens
    assert shown.attention.kind == "parts"
    assert {*shown.attention.notes[:-1]} == {*wanted.notes}
    assert shown.attention.notes[-1].startswith(
        f"The others aren't held, because all would make more than {heads * 1000:,}"
    )
    close = 0.01 if name == "in bfloat16" else 1e-5
    np.testing.assert_allclose(shown.attention.weights, wanted.weights, atol=close)
    assert (shown.first, shown.last) == (0, None)


def test_of_the_tokens_that_are_held_alone_one_asks_and_heads_are_turned_off_as_in_the_whole():
    model, inputs, off = llama(), padded(), [[True] * 4, [True, False, True, True], [True] * 4]
    shown = HeadMap.of(model, inputs=inputs, max_weights=3000, first=20, last=30, query=25)
    assert shown.query == 5
    assert HeadMap.of(model, inputs=inputs, max_weights=3000, first=20, last=30, query=31).query == 0
    assert HeadMap.of(model, inputs=inputs, max_weights=3000, first=20, last=30, query=(28, 99)).query == (8, 10)
    whole = HeadMap.of(model, inputs=inputs, head_mask=off)
    whole.head_mask = shown.head_mask = off
    wanted = take_between(whole.attention, 20, 30).weights
    assert abs(wanted - take_between(HeadMap.of(model, inputs=inputs).attention, 20, 30).weights).max() > 1e-5
    assert_close(shown.attention.weights, wanted)
    with pytest.raises(TraitError, match="layers='rollout' is told from whole rows, and of this map first and last"):
        shown.layers = "rollout"


def test_where_one_text_looks_at_another_all_ask_and_the_tokens_that_are_wanted_are_looked_at():
    config = transformers.BartConfig(
        **{"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "vocab_size": 50},
        **{"encoder_attention_heads": 2, "decoder_attention_heads": 2},
    )
    model, ids = made("BartModel", config), padded(0)["input_ids"][:1]
    options = {"inputs": {"input_ids": ids, "decoder_input_ids": ids[:, :20]}}
    whole = HeadMap.of(model, **options)
    shown = HeadMap.of(model, **options, max_weights=3000, first=3, last=6)
    for one, part in zip(whole.models, shown.models, strict=True):
        wanted = take_between(one.map, 3, 6)
        assert (part.map.query_tokens, part.map.key_tokens) == (wanted.query_tokens, wanted.key_tokens)
        assert_close(part.map.weights, wanted.weights)


def test_queries_that_nobody_wants_are_not_computed():
    query, key = torch.randn(2, 1, 2, 1024, 32)
    passage = passage_of(1024, None, 900, 950)
    part = operations(lambda: fused_weights(query, key, groups=(passage.asking(), passage.looked_at())))
    assert part < operations(lambda: fused_weights(query, key)) / 4


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"first": 0},
            "the tokens that first and last choose make 307,200 weights, more than max_weights=3,000: choose",
        ),
        ({"first": 3, "last": 9, "pieces": "merge"}, "pieces='merge' is told from whole rows, and of this map first"),
        ({"first": -1}, "first must be the place of a token, counted from 0, got -1"),
        ({"last": "tea"}, "last must be the place of a token, counted from 0, got 'tea'"),
    ],
)
def test_what_cannot_be_held_of_them_says_what_to_do(options, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        HeadMap.of(bert(), inputs=padded()["input_ids"][:1], max_weights=3000, **options)


def test_a_map_is_copied_once_from_what_somebody_has():
    layers = [np.full((1, 4, 512, 512), 1 / 512, np.float32) for _ in range(4)]
    size = sum(layer.nbytes for layer in layers)
    tokens = [f"w{place}" for place in range(512)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        tracemalloc.start()
        shown = HeadMap.of(layers, tokens)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert shown.attention.shape == (4, 4, 512, 512)
    assert peak < 1.7 * size, "one copy, and what a page gets at first"


def test_weights_are_grouped_without_a_copy_of_them():
    weights = np.full((4, 1024, 1024), 1 / 1024, np.float32)
    holding = Holding(groups={1024: Grouping(*sentences(1024, 4))})
    tracemalloc.start()
    holding.summed(weights)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < weights.nbytes / 2
