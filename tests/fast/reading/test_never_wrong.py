"""HeadMap.of says what a map is, or refuses it: chunks, caches, padding, sinks, windows, towers, long texts, pictures."""

import copy

import numpy as np
import pytest
import torch
import transformers
from close import assert_close
from libraries import BERT, GPT2, LLAMA, SIZES, T5, TEXT, VISION, VOCABULARY, bert, llava, photograph
from libraries import made as made_with
from torch import nn

from manyheads import value_norms
from manyheads.widgets import HeadMap

IDS = torch.arange(3, 17)[None]  # 14 tokens
PIXELS = torch.randn(1, 3, 28, 28, generator=torch.Generator().manual_seed(0))
WRITING = {"output_attentions": True, "return_dict_in_generate": True, "max_new_tokens": 6, "do_sample": False}


def made(kind, config, kernel="eager"):
    return made_with(kind, config, kernel)


# --- Which token is which --------------------------------------------------------------------------------------------


def test_a_prompt_that_was_read_in_chunks_keeps_its_numbers():
    model = made("GPT2LMHeadModel", GPT2)
    steps = model.generate(IDS, prefill_chunk_size=4, **WRITING)
    shown = HeadMap.of(steps).attention
    assert shown.query_tokens == [str(place) for place in range(13, 20)]
    assert shown.key_tokens == [str(place) for place in range(1, 20)]
    assert shown.notes[0].startswith("The first 12 tokens ask nothing here")
    with torch.no_grad():
        whole = model(steps.sequences[:, :-1], output_attentions=True)
    assert_close(shown.weights, torch.cat(whole.attentions)[:, :, 12:])


@torch.no_grad()
def test_a_second_turn_with_a_cache_is_numbered_once_and_leaves_the_cache_alone():
    model = made("GPT2LMHeadModel", GPT2)
    past, turn = model(IDS).past_key_values, torch.arange(3, 10)[None]
    whole = torch.cat(model(torch.cat([IDS, turn], 1), output_attentions=True).attentions)[:, :, 14:]
    words = [f"w{place}" for place in range(21)]
    for tokens, queries in ((None, [*map(str, range(15, 22))]), (words, words[14:]), (words[14:], words[14:])):
        shown = HeadMap.of(model, tokens, inputs={"input_ids": turn, "past_key_values": past}).attention
        assert past.get_seq_length() == 14
        assert shown.query_tokens == queries
        assert shown.key_tokens[14:] == queries
        assert_close(shown.weights, whole)
    output = model(turn, past_key_values=past, output_attentions=True)
    assert HeadMap.of(output, words[14:]).attention.query_tokens == words[14:]


def test_what_stands_before_the_text_is_explained():
    with pytest.raises(ValueError, match=r"16 keys for 6 tokens. If 10 stand before the text, .* or a cache"):
        HeadMap.of(np.full((1, 4, 6, 16), 1 / 16), list("abcdef"))
    with pytest.raises(ValueError, match=r"If the model puts more before .*, or pads it by itself"):
        HeadMap.of(np.tri(7)[None] / np.arange(1, 8)[:, None], list("abcde"))


PACKED = torch.block_diag(torch.ones(6, 6), torch.ones(8, 8)).tril().bool()[None, None]


@pytest.mark.parametrize("kind", ["LlamaForCausalLM", "BertModel"])
def test_a_mask_of_true_and_false_hides_what_it_hides_from_the_model_itself(kind):
    config = LLAMA if kind.startswith("Llama") else BERT
    inputs = {"input_ids": IDS, "attention_mask": PACKED}
    shown = HeadMap.of(made(kind, config, "sdpa"), inputs=inputs).attention
    assert (shown.weights[:, :, ~PACKED[0, 0].numpy()] == 0).all()
    numbers = torch.zeros(1, 1, 14, 14).masked_fill(~PACKED, -torch.inf)
    wanted = HeadMap.of(made(kind, config), inputs={**inputs, "attention_mask": numbers}).attention
    assert_close(shown.weights, wanted.weights)


def test_a_model_that_was_loaded_eager_shows_what_it_makes_of_such_a_mask_and_why():
    model, inputs = bert(kernel="eager"), {"input_ids": IDS, "attention_mask": PACKED}
    shown = HeadMap.of(model, inputs=inputs).attention
    with torch.no_grad():
        own = torch.cat(model(**inputs, output_attentions=True).attentions)
    assert_close(shown.weights, own)
    assert shown.weights[:, :, 6:, :6].max() > 0.01
    assert any("True counts as 1, hiding nothing" in note for note in shown.notes)


class Casting(nn.Module):
    """A model that computes in 16 bits, whatever its weights are."""

    def __init__(self, kernel):
        super().__init__()
        self.model = bert(kernel=kernel)

    def forward(self, ids):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.model(ids)


@pytest.mark.parametrize("kernel", ["sdpa", "eager"])
@pytest.mark.parametrize("options", [{}, {"max_weights": 3000}])
def test_what_is_computed_beside_a_model_is_not_cast_as_it_is(kernel, options):
    ids = torch.randint(3, 50, (1, 140), generator=torch.Generator().manual_seed(0))
    shown = HeadMap.of(Casting(kernel), inputs=ids, **options).attention
    wanted = HeadMap.of(bert(), inputs=ids, **options).attention
    np.testing.assert_allclose(shown.weights, wanted.weights, atol=1e-3 if kernel == "sdpa" else 5e-3)


PADDED, MASK = torch.tensor([[0, 0, 3, 4, 5, 6], [3, 4, 5, 6, 7, 8]]), torch.tensor([[0, 0, 1, 1, 1, 1], [1] * 6])


def test_padding_is_left_out_wherever_its_mask_stands():
    model = made("GPT2LMHeadModel", GPT2)
    with torch.no_grad():
        positions = (MASK.cumsum(-1) - 1).clamp(min=0)
        inputs = {"input_ids": PADDED, "attention_mask": MASK, "position_ids": positions}
        alone = model(PADDED[:1, 2:], output_attentions=True)
    shown = HeadMap.of(model, list("abcdef"), inputs=inputs).attention
    assert shown.key_tokens == list("cdef")
    assert_close(shown.weights, torch.cat(alone.attentions))
    written = HeadMap.of(model.generate(PADDED, attention_mask=MASK, **WRITING), attention_mask=MASK).attention
    assert written.key_tokens == [str(place) for place in range(3, 12)]
    layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 32, batch_first=True), 1)
    inputs = (torch.randn(1, 5, 32), None, torch.tensor([[False, False, False, True, True]]))
    assert HeadMap.of(layers, list("abcde"), inputs=inputs).attention.key_tokens == list("abc")


def test_a_model_that_pads_says_so():
    sparse = {"attention_type": "block_sparse", "block_size": 4, "num_random_blocks": 1}
    model = made("BigBirdModel", transformers.BigBirdConfig(**TEXT | {"vocab_size": 99}, **sparse))
    with pytest.raises(ValueError, match="The model pads texts by itself: 2 places after the text are left out"):
        HeadMap.of(model, [f"w{place}" for place in range(90)], inputs=torch.arange(90)[None] % 47 + 3)


def test_rows_are_parts_only_where_the_model_has_sinks():
    with pytest.raises(ValueError, match=r"got sums from 0.5: keys are missing, or the rest went to sinks"):
        HeadMap.of(np.full((1, 2, 4, 4), 1 / 8))
    sizes = {"num_key_value_heads": 2, "head_dim": 8, "num_local_experts": 2, "num_experts_per_tok": 1}
    config = transformers.GptOssConfig(**TEXT, **sizes, layer_types=["full_attention"] * 2)
    shown = HeadMap.of(made("GptOssForCausalLM", config), inputs=IDS).attention
    assert shown.kind == "parts"
    assert "a sink that the model has learnt" in " ".join(shown.notes)


class ChangesAfterSoftmax(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.num_heads, self.change, self.qkv = 2, change, nn.Linear(8, 24)

    def forward(self, x, attention_mask=None):
        q, k, v = (one.unflatten(-1, (2, 4)).transpose(1, 2) for one in self.qkv(x).chunk(3, -1))
        self.kept = self.change((q @ k.mT).softmax(-1), q @ k.mT)
        return (self.kept @ v).transpose(1, 2).flatten(2)


CHANGES = {
    "a mask": lambda weights, scores: weights * torch.ones(5, 5).tril(),
    "small ones left out": lambda weights, scores: weights * (weights > 0.15),
    "a softmax each way": lambda weights, scores: weights * scores.softmax(-2),
    "one more than all": lambda weights, scores: weights * 1.5,
}


@torch.no_grad()
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_who_gives_a_model_is_not_told_to_give_one(change):
    torch.manual_seed(0)
    model, x = ChangesAfterSoftmax(change), torch.randn(1, 5, 8)
    with pytest.raises(ValueError, match="the model changes its weights after their softmax, as by a mask") as refused:
        HeadMap.of(model, inputs=x)
    assert "HeadMap.of(model" not in str(refused.value)
    shown = HeadMap.of(model, inputs=x, normalised=False).attention
    model(x)
    np.testing.assert_array_equal(shown.weights[0], model.kept[0])


def test_padding_that_a_model_looks_at_is_among_what_may_be_the_reason():
    model, x = ChangesAfterSoftmax(lambda weights, scores: weights), torch.randn(1, 5, 8)
    mask = torch.tensor([[1, 1, 1, 1, 0]])
    with pytest.raises(
        ValueError, match=r"more than these tokens, such as padding; .*\. 1 padding token is left out\. t"
    ):
        HeadMap.of(model, inputs={"x": x, "attention_mask": mask})


def test_windows_are_windows_and_layers_of_other_shapes_maps_of_their_own():
    sizes = {"image_size": 32, "patch_size": 2, "embed_dim": 8, "depths": [1, 1], "num_heads": [2, 2], "window_size": 4}
    shown = HeadMap.of(made("SwinModel", transformers.SwinConfig(**sizes)), inputs=torch.randn(1, 3, 32, 32))
    assert shown._models == ["layer 1", "layer 2"]
    assert shown.attention.notes[0] == "Window 1 of 16 is shown: batch=0 to batch=15 choose it."


def test_keys_that_are_counted_from_the_query_are_named_so():
    config = transformers.LongformerConfig(**TEXT, attention_window=4)
    shown = HeadMap.of(made("LongformerModel", config), list("abcdefgh"), inputs=torch.arange(3, 11)[None]).attention
    assert shown.query_tokens == list("abcdefgh")
    assert shown.key_tokens[-5:] == ["2 before", "1 before", "itself", "1 after", "2 after"]


# --- What holds a model, and which part of it ----------------------------------------------------------------------------


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert, self.output = bert(), nn.Linear(32, 2)

    def forward(self, ids):
        return self.output(self.bert(ids)[0][:, 0])


@pytest.mark.parametrize("around", [nn.Sequential, nn.DataParallel, lambda _: Classifier()])
def test_a_model_is_found_within_others_and_named(around):
    module = around(bert())
    shown = HeadMap.of(module, inputs=IDS).attention
    assert_close(shown.weights, HeadMap.of(bert(), inputs=IDS).attention.weights)
    assert f"Found in the {type(module).__name__}: " in shown.notes[0]
    assert "a BertModel." in shown.notes[0]


def test_towers_are_maps_with_names_and_part_chooses_one():
    inputs = {"input_ids": IDS, "pixel_values": PIXELS}
    model = made("CLIPModel", transformers.CLIPConfig(text_config=TEXT, vision_config=VISION), "sdpa")
    assert HeadMap.of(model, inputs=inputs)._models == ["image", "text"]
    assert HeadMap.of(model, inputs=inputs, part="text").attention.shape == (2, 4, 14, 14)
    with pytest.raises(ValueError, match="part must be one of 'image', 'text', got 'audio'"):
        HeadMap.of(model, inputs=inputs, part="audio")
    model.set_attn_implementation("eager")
    with torch.no_grad():
        assert HeadMap.of(model(**inputs, output_attentions=True))._models == ["image", "text"]


def test_an_encoder_that_lacks_its_decoders_text_says_what_to_give():
    model = made("T5Model", T5)
    with pytest.raises(ValueError, match=r"give inputs=dict\(input_ids=..., decoder_input_ids=...\), or labels"):
        HeadMap.of(model, inputs=IDS)
    inputs = {"input_ids": IDS, "decoder_input_ids": IDS[:, :4]}
    with pytest.raises(ValueError, match="this model has encoder, decoder, cross: part= names one"):
        value_norms(model, inputs)
    assert value_norms(model, inputs, part="cross").shape == (2, 4, 14)


def test_layers_that_read_the_sequence_first_say_so():
    with pytest.raises(ValueError, match=r"one token of 7 texts; with batch_first=True"):
        HeadMap.of(nn.TransformerEncoderLayer(32, 4, 32), list("abcdefg"), inputs=torch.randn(1, 7, 32))


class Sharper(nn.MultiheadAttention):
    """What is put on a layer, as a LoRA is: PyTorch's fast path reads the layer's weights and skips it."""

    def forward(self, query, *others, **named):
        return super().forward(3 * query, *others, **named)


def test_a_fast_path_that_skips_what_was_put_on_a_layer_is_told():
    layer = nn.TransformerEncoderLayer(32, 4, 32, batch_first=True)
    layer.self_attn = Sharper(32, 4, batch_first=True)
    shown = HeadMap.of(layer.eval(), inputs=torch.randn(1, 5, 32)).attention
    assert "PyTorch's fast path skips what was put on these layers" in " ".join(shown.notes)


# --- As people have it ----------------------------------------------------------------------------------------------------


def test_tokens_are_taken_where_they_are(encoder):
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=encoder.tokenizer._tokenizer, pad_token="[PAD]")
    model = made("BertModel", transformers.BertConfig(**SIZES, vocab_size=31000), "sdpa")
    expected = ["[CLS]", "hot", "tea", "[SEP]"]
    encoded = tokenizer("hot tea", return_tensors="pt")
    for shown in (
        HeadMap.of(model, "hot tea", tokenizer=tokenizer),
        HeadMap.of(model, inputs=encoded, tokenizer=tokenizer),
        HeadMap.of(model, inputs=encoded["input_ids"], tokenizer=tokenizer),
        HeadMap.of(model, inputs=encoded),
        HeadMap.of(model, encoded),
        HeadMap.of(model, tokenizer(["hot tea", "tea"], padding=True)),
    ):
        assert shown.attention.key_tokens == expected
    assert HeadMap.of(np.full((2, 2), 0.5), [5, 999999], tokenizer=tokenizer).attention.key_tokens[1] == "<999999>"


class Table:
    """What a DataFrame of pandas is to us."""

    columns, index = ["hot", "tea"], ["q", "r"]

    def to_numpy(self):
        return np.array([[0.5, 0.5], [0.25, 0.75]])


def test_dicts_and_tables_are_what_they_look_like():
    model = bert()
    assert HeadMap.of({"a": model, "b": model}, inputs=IDS)._models == ["a", "b"]
    assert HeadMap.of({"a": HeadMap.of(model, inputs=IDS), "b": HeadMap.of(model, inputs=IDS)})._models == ["a", "b"]
    layers = {f"layer_{number}": np.full((1, 2, 3, 3), 1 / 3) for number in (1, 0)}
    assert HeadMap.of(layers).attention.shape == (2, 2, 3, 3)
    assert HeadMap.of(Table()).attention.query_tokens == ["q", "r"]


# --- Values through the layer as it is --------------------------------------------------------------------------------


class WithLoRA(nn.Module):
    """A layer as peft wraps it: its `weight` is that of the base."""

    def __init__(self, base, inputs, outputs):
        super().__init__()
        self.base_layer, self.in_features = base, inputs
        self.down, self.up = nn.Linear(inputs, 2, bias=False), nn.Linear(2, outputs, bias=False)

    weight = property(lambda self: self.base_layer.weight)

    def forward(self, x):
        return self.base_layer(x) + self.up(self.down(x))

    def merged(self):
        layer = copy.deepcopy(self.base_layer)
        more = (self.up.weight @ self.down.weight).detach()
        layer.weight.data += more if layer.weight.shape == more.shape and isinstance(layer, nn.Linear) else more.T
        return layer


@pytest.mark.parametrize(("name", "outputs"), [("c_proj", 32), ("c_attn", 96)])
def test_value_norms_are_those_of_a_merged_lora(name, outputs):
    given, merged = made("GPT2LMHeadModel", GPT2), made("GPT2LMHeadModel", GPT2)
    for block, other in zip(given.transformer.h, merged.transformer.h):
        lora = WithLoRA(getattr(block.attn, name), 32, outputs)
        setattr(block.attn, name, lora)
        setattr(other.attn, name, lora.merged())
    norms = [value_norms(model, {"input_ids": IDS}) for model in (given, merged)]
    assert_close(*norms)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_value_norms_of_eight_bits_are_near_those_of_more():
    model = bert()
    small = torch.ao.quantization.quantize_dynamic(copy.deepcopy(model))
    norms = value_norms(model, {"input_ids": IDS})
    assert_close(value_norms(small, {"input_ids": IDS}), norms, part=0.05)


# --- Heads off, long texts, pictures ---------------------------------------------------------------------------------------


def test_a_head_that_is_off_is_out_of_the_readers_own_model_and_put_back():
    model = bert("BertForSequenceClassification")

    def predictions(output):
        return {"class": {str(label): share for label, share in enumerate(output.logits.softmax(-1)[0].tolist())}}

    shown = HeadMap.of(model, inputs=IDS, predictions=predictions)
    whole = shown.attention
    shown.head_mask = [[True, False, True, True], [True] * 4]
    without = copy.deepcopy(model)
    without.bert.encoder.layer[0].attention.output.dense.weight.data[:, 8:16] = 0
    with torch.no_grad():
        assert shown.attention.predictions["class"] == pytest.approx(predictions(without(IDS))["class"], abs=1e-5)
        assert predictions(model(IDS))["class"] == pytest.approx(whole.predictions["class"], abs=1e-5)
    np.testing.assert_array_equal(shown.attention.weights[0], whole.weights[0])
    shown.head_mask = None
    assert shown.attention is whole


def test_heads_of_pytorchs_layers_are_turned_off():
    layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 32, batch_first=True), 2).eval()
    before, x = copy.deepcopy(layers.state_dict()), torch.randn(1, 5, 32)
    shown = HeadMap.of(layers, inputs=x, predictions=lambda output: {"mean": {"abs": output.abs().mean()}})
    whole = shown.attention
    shown.head_mask = [[False] * 4, [True] * 4]
    assert shown.attention.predictions != whole.predictions
    assert all(torch.equal(value, before[name]) for name, value in layers.state_dict().items())
    with pytest.raises(TypeError, match=r"predictions must be a function from what the model returns to \{name"):
        HeadMap.of(layers, inputs=x, predictions=lambda output: output)


def test_a_long_text_is_shown_by_sentences_and_a_click_opens_one():
    config = transformers.GPT2Config(n_embd=8, n_layer=1, n_head=2, vocab_size=50, n_positions=2100)
    model = made("GPT2LMHeadModel", config)
    tokens = (["The", "cat", "sat", "."] * 525)[:2100]
    shown = HeadMap.of(model, tokens, inputs=torch.arange(2100)[None] % 50)
    words = HeadMap.of(model, tokens, inputs=torch.arange(2100)[None] % 50, first=0).attention.weights
    assert shown.attention.key_tokens[:2] == ["The cat sat."] * 2
    sentences = np.add.reduceat(words, range(0, 2100, 4), axis=3)
    assert_close(shown.attention.weights, sentences.reshape(1, 2, 525, 4, 525).mean(3))
    shown.query = 2
    assert shown.attention.key_tokens[1:7] == ["The cat sat.", "The", "cat", "sat", ".", "The cat sat."]
    np.testing.assert_allclose(shown.attention.weights.sum(-1), 1, atol=1e-4)
    shown.query = 0
    assert shown.attention.key_tokens[:5] == ["The", "cat", "sat", ".", "The cat sat."]


def test_of_several_parts_those_that_are_long_are_shown_by_sentences():
    model = nn.Transformer(8, 2, 1, 1, 8, batch_first=True)
    inputs = (torch.randn(1, 2100, 8), torch.randn(1, 4, 8))
    shown = HeadMap.of(model, ["tea", "."] * 1050, list("abcd"), inputs=inputs)
    assert [model.map.shape for model in shown.models] == [(1, 2, 1050, 1050), (1, 2, 4, 4), (1, 2, 4, 2100)]
    few = HeadMap.of(model, ["tea", "."] * 1050, list("abcd"), inputs=inputs, max_weights=3_000_000)
    assert [model.map.shape for model in few.models] == [(1, 2, 1050, 1050), (1, 2, 4, 4), (1, 2, 4, 1050)]


DINO = transformers.Dinov2WithRegistersConfig(**VISION, num_register_tokens=4)
LEADING = {
    "ViTModel": (transformers.ViTConfig(**VISION), ["[CLS]"]),
    "DeiTModel": (transformers.DeiTConfig(**VISION), ["[CLS]", "[DISTILL]"]),
    "Dinov2WithRegistersModel": (DINO, ["[CLS]", *(f"register {number}" for number in range(1, 5))]),
    "CLIPVisionModel": (transformers.CLIPVisionConfig(**VISION), ["[CLS]"]),
    "SiglipVisionModel": (transformers.SiglipVisionConfig(**VISION), []),
}


@pytest.mark.parametrize("kind", LEADING)
def test_places_of_a_picture_have_names_and_the_picture_stands_beneath(kind):
    config, leading = LEADING[kind]
    pixels = torch.tensor(np.asarray(photograph((28, 28)))).permute(2, 0, 1)[None] / 255
    shown = HeadMap.of(made(kind, config, "sdpa"), inputs=pixels, image=photograph((28, 28)))
    attention, start = shown.attention, len(leading)
    assert attention.key_tokens == [
        *leading,
        *(f"patch {row},{column}" for row in range(1, 5) for column in range(1, 5)),
    ]
    found = attention.picture
    assert (found.rows, found.columns, found.key_start, found.query_start) == (4, 4, start, start)
    assert shown.view == "picture"
    assert attention.notes == ()


def test_words_look_at_the_patches_of_their_picture():
    ids = torch.tensor([[3, *[VOCABULARY["<image>"]] * 16, 8, 9]])
    words = ["<s>", *["<image>"] * 16, "what", "is"]
    shown = HeadMap.of(llava()[0], words, inputs={"input_ids": ids, "pixel_values": PIXELS}, image=photograph())
    assert shown._models == ["text", "image"]
    assert shown.attention.key_tokens[0:2] == ["<s>", " patch 1,1"]
    assert shown.attention.picture.key_start == 1
    assert shown.query == 18, "the last token sees the picture"
    with pytest.raises(ValueError, match=r"no part of this map looks at patches of the image: grid=\(rows, columns\)"):
        HeadMap.of(np.full((2, 7, 7), 1 / 7), image=photograph())
