"""What people have in their hands: pipelines, sentence encoders, lists of texts, processors, pictures beside texts."""

from dataclasses import replace
from types import SimpleNamespace

import libraries
import numpy as np
import pytest
import torch
import transformers
from close import assert_close
from libraries import CAT, CAT_TOKENS, SIZES, SOUP, SOUP_TOKENS, TEXT, bert, made, padding, photograph, tokenizer
from PIL import ImageDraw
from torch import nn

from manyheads import value_norms
from manyheads.reading.parts import Part
from manyheads.reading.picture_places import find_patches
from manyheads.reading.places import Text
from manyheads.reading.request import Request
from manyheads.reading.weights import Weighed
from manyheads.widgets import HeadMap


def alone(text, kind="BertModel"):
    """The weights of a text that's read by hand."""
    model = bert(kind)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        return torch.cat(model(**padding()(text, return_tensors="pt"), output_attentions=True).attentions)


# --- Sentence encoders ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        lambda model: HeadMap.of(model, CAT),
        lambda model: HeadMap.of(model, CAT, tokenizer=model.tokenizer),
        lambda model: HeadMap.of(model, inputs={**model.tokenizer([CAT], return_tensors="pt"), "modality": "text"}),
        lambda model: HeadMap.of(model, inputs=({**model.tokenizer([CAT], return_tensors="pt")},)),
        lambda model: HeadMap.of(model, [SOUP, CAT], batch=1),
        lambda model: HeadMap.of(model, CAT_TOKENS, inputs=dict(model.tokenizer(CAT, return_tensors="pt"))),
    ],
)
def test_a_sentence_encoder_brings_its_tokenizer_and_takes_a_dict(asked):
    shown = asked(libraries.SentenceEncoder()).attention
    assert shown.key_tokens == CAT_TOKENS
    assert_close(shown.weights, alone(CAT))


def test_it_reads_as_much_as_it_says_and_no_more():
    shown = HeadMap.of(libraries.SentenceEncoder(max_seq_length=4), CAT).attention
    assert shown.key_tokens == ["[CLS]", "the", "cat", "[SEP]"]
    assert shown.notes[0] == "The first 4 tokens of 6 are read, as the model reads no more."
    assert HeadMap.of(libraries.SentenceEncoder(max_seq_length=6), CAT).attention.key_tokens == CAT_TOKENS


def test_heads_of_a_sentence_encoder_are_turned_off_and_what_they_write_is_measured():
    model = libraries.SentenceEncoder()
    shown = HeadMap.of(model, CAT, predictions=lambda output: {"sum": {"all": output["sentence_embedding"].sum()}})
    whole = shown.attention.predictions
    shown.head_mask = [[False] * 4, [True] * 4]
    assert shown.attention.predictions != whole
    assert value_norms(model, dict(model.tokenizer(CAT, return_tensors="pt"))).shape == (2, 4, 6)


class WithATokenizer(nn.Module):
    """A module whose `tokenizer` makes tokens of pictures, not of texts."""

    def __init__(self):
        super().__init__()
        self.tokenizer, self.attend = nn.Linear(8, 8), nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        x = self.tokenizer(x)
        return self.attend(x, x, x)


def test_a_part_called_tokenizer_reads_no_text():
    assert HeadMap.of(WithATokenizer(), inputs=torch.rand(1, 3, 8)).attention.key_tokens == ["1", "2", "3"]
    with pytest.raises(TypeError, match="a text needs tokenizer=, the model's own"):
        HeadMap.of(WithATokenizer(), "hot tea")


class Own(nn.Module):
    """Code of one's own, which is called with ids."""

    def __init__(self):
        super().__init__()
        self.bert = bert()

    def forward(self, words):
        return self.bert(words)[0]


def test_code_of_ones_own_that_takes_ids_gets_them():
    shown = HeadMap.of(Own(), CAT, tokenizer=padding()).attention
    assert shown.key_tokens == CAT_TOKENS
    ids = padding()(CAT, return_tensors="pt")["input_ids"]
    assert HeadMap.of(Own(), inputs=ids, tokenizer=padding()).attention.key_tokens == CAT_TOKENS, "by whatever name"


# --- Pipelines of transformers ----------------------------------------------------------------------------------------


def gpt2():
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": len(libraries.VOCABULARY)}
    return made("GPT2LMHeadModel", transformers.GPT2Config(**sizes, bos_token_id=None, eos_token_id=None))


PIPELINES = {
    "text-classification": lambda: (bert("BertForSequenceClassification"), padding()),
    "fill-mask": lambda: (bert("BertForMaskedLM"), padding()),
    "feature-extraction": lambda: (bert(), padding()),
    "text-generation": lambda: (gpt2(), tokenizer(marks=False)),
}


@pytest.mark.parametrize("task", PIPELINES)
def test_a_pipeline_has_model_and_tokenizer(task):
    model, reader = PIPELINES[task]()
    pipe = transformers.pipeline(task, model=model, tokenizer=reader)
    shown = HeadMap.of(pipe, CAT)
    expected = HeadMap.of(model, CAT, tokenizer=reader).attention
    assert shown.attention.key_tokens == expected.key_tokens
    assert_close(shown.attention.weights, expected.weights)
    assert HeadMap.of(pipe, [CAT, SOUP], batch=1).attention.key_tokens[1:4] != shown.attention.key_tokens[1:4]


PIXELS = np.asarray(photograph())


def vit():
    return made("ViTForImageClassification", transformers.ViTConfig(**SIZES, image_size=28, patch_size=7))


@pytest.mark.parametrize("image", [photograph(), PIXELS, torch.tensor(PIXELS) / 255])
def test_a_picture_is_read_by_the_processor_that_a_pipeline_has_or_somebody_gives(image):
    model, reader = vit(), libraries.ImageProcessor()
    expected = HeadMap.of(model, inputs=reader(photograph()), image=photograph()).attention
    pipe = SimpleNamespace(model=model, tokenizer=None, image_processor=reader)  # as transformers' pipelines have them
    for shown in (HeadMap.of(pipe, image=image), HeadMap.of(model, image=image, tokenizer=reader)):
        assert_close(shown.attention.weights, expected.weights)
        assert shown.attention.picture == expected.picture
        assert shown.attention.notes == ()


def test_what_reads_no_picture_or_no_text_says_what_does():
    with pytest.raises(TypeError, match=f"a picture needs .* processor, as tokenizer=, got {type(padding()).__name__}"):
        HeadMap.of(vit(), image=photograph(), tokenizer=padding())
    with pytest.raises(TypeError, match="a text needs the model's tokenizer, got ImageProcessor"):
        HeadMap.of(vit(), "the cat", tokenizer=libraries.ImageProcessor())
    with pytest.raises(TypeError, match="a text needs the model's tokenizer, got a pipeline without one"):
        HeadMap.of(SimpleNamespace(model=vit(), image_processor=libraries.ImageProcessor()), "the cat")
    with pytest.raises(ValueError, match=r"these pixels are normalised: give them as inputs=, .* as image="):
        HeadMap.of(vit(), image=torch.randn(3, 28, 28), tokenizer=libraries.ImageProcessor())
    with pytest.raises(TypeError, match=r"HeadMap.of\(BertModel, ...\) needs inputs.*; or a text and tokenizer="):
        HeadMap.of(bert())


# --- Several texts ----------------------------------------------------------------------------------------------------


FIRST_OF_TWO = "Text 1 of a batch of 2 is shown: batch=0 to batch=1 choose it."
SECOND_ALONE = "Text 2 of 2 is read alone, as {}: batch=0 to batch=1 choose it."


@pytest.mark.parametrize("side", ["right", "left"])
def test_of_several_texts_one_is_shown_without_the_padding_of_the_others(side):
    reader = padding(padding_side=side)
    first = HeadMap.of(bert(), [CAT, SOUP], tokenizer=reader).attention
    assert first.key_tokens == CAT_TOKENS
    assert set(first.notes) == {FIRST_OF_TWO, "1 padding token is left out."}
    second = HeadMap.of(bert(), (CAT, SOUP), tokenizer=reader, batch=1).attention
    assert second.key_tokens == SOUP_TOKENS
    assert_close(second.weights, alone(SOUP))
    if side == "right":
        assert_close(first.weights, alone(CAT))


def test_without_a_padding_token_the_chosen_text_is_read_alone():
    reader = tokenizer(marks=False)
    shown = HeadMap.of(gpt2(), [CAT, SOUP], tokenizer=reader, batch=1).attention
    assert shown.key_tokens == SOUP.split()
    assert shown.notes == (SECOND_ALONE.format("the tokenizer has no padding token"),)
    assert HeadMap.of(gpt2(), [CAT], tokenizer=reader).attention.notes == ()
    with pytest.raises(ValueError, match="batch must be from 0 to 1 for these 2 texts, got 2"):
        HeadMap.of(gpt2(), [CAT, SOUP], tokenizer=reader, batch=2)


def test_strings_are_texts_where_a_module_has_to_read_and_tokens_elsewhere():
    reader, words = padding(), ["the", "cat"]
    read = HeadMap.of(bert(), words, tokenizer=reader).attention
    assert read.key_tokens == ["[CLS]", "the", "[SEP]"]
    assert "Text 1 of a batch of 2 is shown" in read.notes[0]
    ids = reader(words, is_split_into_words=True, add_special_tokens=False, return_tensors="pt")["input_ids"]
    assert HeadMap.of(bert(), words, inputs=ids, tokenizer=reader).attention.key_tokens == words
    assert HeadMap.of(np.full((2, 2), 0.5), words, tokenizer=reader).attention.key_tokens == words
    with pytest.raises(TypeError, match="needs inputs"):
        HeadMap.of(bert(), words)


# --- A picture beside a text ------------------------------------------------------------------------------------------

TEMPLATE = "user : {image} {text} assistant :"


def test_one_line_reads_a_text_and_its_picture():
    model, processor = libraries.llava(template=TEMPLATE)
    shown = HeadMap.of(model, "what is this ?", tokenizer=processor, image=photograph())
    words = shown.attention.key_tokens
    assert " ".join(word for word in words if "patch" not in word) == "user : what is this ? assistant :"
    assert (words[2], words[17], shown.attention.picture.key_start) == (" patch 1,1", " patch 4,4", 2)
    assert "The text stands in the model's chat template, after the picture." in shown.attention.notes
    asked = HeadMap.of(model, "<image> what is this ?", tokenizer=processor, image=photograph()).attention
    assert " ".join(asked.key_tokens[16:]) == "what is this ?", "as it stands, where it has a place for the picture"
    assert shown.query == len(words) - 1, "the token that comes next is asked for"
    with pytest.raises(ValueError, match="the text has no place for the picture: write '<image>' where it stands"):
        HeadMap.of(model, "what is this ?", tokenizer=libraries.llava()[1], image=photograph())
    with pytest.raises(ValueError, match=r"reads a text beside a picture: HeadMap.of\(model, text, image=picture"):
        HeadMap.of(model, tokenizer=processor, image=photograph())


def test_of_several_texts_one_goes_with_a_picture():
    model, processor = libraries.llava()
    texts = ["<image> what", "<image> the cat"]
    shown = HeadMap.of(model, texts, tokenizer=processor, image=photograph(), batch=1).attention
    assert shown.key_tokens[16:] == ["the", "cat"]
    assert shown.notes[0] == SECOND_ALONE.format("a picture goes with one text")


@pytest.mark.parametrize(("size", "rows", "columns"), [((84, 56), 2, 3), ((28, 112), 4, 1)])
def test_a_picture_that_keeps_its_shape_says_its_rows_and_columns(size, rows, columns):
    model, processor = libraries.qwen(template=TEMPLATE)
    shown = HeadMap.of(model, "what is this ?", tokenizer=processor, image=photograph(size))
    assert shown._models == ["text", "image"]
    found = shown.attention.picture
    assert (found.rows, found.columns, found.key_start) == (rows, columns, 3)
    assert shown.attention.key_tokens[3 + rows * columns - 1] == f" patch {rows},{columns}"
    shown.model_index = 1
    found = shown.attention.picture
    assert (found.rows, found.columns, found.key_start) == (2 * rows, 2 * columns, 0)
    assert "The model reads patches in blocks of 2 x 2: here they stand row after row." in shown.attention.notes


def test_the_patches_of_a_picture_in_blocks_are_the_ones_that_are_named():
    model, processor = libraries.qwen(template=TEMPLATE)
    image, changed = photograph((84, 56)), photograph((84, 56))
    ImageDraw.Draw(changed).rectangle((70, 14, 83, 27), fill="black")
    far = []
    for part in ("text", "image"):
        options = {"tokenizer": processor, "part": part}
        before, after = (HeadMap.of(model, "what ?", image=one, **options).attention for one in (image, changed))
        apart = np.abs(after.weights - before.weights)[0].max(0)
        asks = -1 if part == "text" else 0
        far.append(before.key_tokens[int(apart[asks].argmax())])
    assert far == [" patch 1,3", "patch 2,6"]


def test_two_texts_have_each_their_picture():
    model, processor = libraries.qwen()
    read = [processor([photograph(size)], ["<image> what ?"], return_tensors="pt") for size in ((84, 56), (56, 84))]
    both = {name: torch.cat([one[name] for one in read]) for name in read[0]}
    part = Part({}, name="text", among=("text", "image"), config=model.config)
    named = {name: value for name, value in both.items() if name != "pixel_values"}
    for text, grid in enumerate([(2, 3), (3, 2)]):
        request, words = Request(None, inputs=named, batch=text), Text([*["<image>"] * 6, "what", "?"])
        found = find_patches(request, Weighed(part, None, (8, 8)), words)
        assert found.tokens[5] == " patch {},{}".format(*grid)
    image = Weighed(replace(part, name="image"), None, (48, 48))
    assert find_patches(Request(None, inputs=named), image, Text()).tokens is None, "both pictures in one"


def test_a_large_picture_in_blocks_is_shown_by_its_rows():
    model, processor = libraries.qwen(template=TEMPLATE)
    asked = {"tokenizer": processor, "image": photograph((336, 168)), "part": "image"}  # 12 x 24 patches
    whole = HeadMap.of(model, "what ?", **asked).attention
    rows = HeadMap.of(model, "what ?", max_weights=100_000, **asked).attention
    assert rows.query_tokens == [f"patches of row {row}" for row in range(1, 13)]
    assert rows.key_tokens == whole.key_tokens
    assert_close(rows.weights, whole.weights.reshape(2, 4, 12, 24, 288).mean(3))
    assert (rows.picture.rows, rows.picture.columns, rows.picture.key_start) == (12, 24, 0)


def test_what_is_written_below_a_picture_looks_at_its_patches():
    words = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=50, add_cross_attention=True)
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(
        transformers.ViTConfig(**SIZES, image_size=28, patch_size=7), words
    )
    ids = padding()(CAT, return_tensors="pt")["input_ids"]
    inputs = {"pixel_values": torch.rand(1, 3, 28, 28), "decoder_input_ids": ids}
    model = transformers.VisionEncoderDecoderModel(config=config).eval()
    shown = HeadMap.of(model, inputs=inputs, tokenizer=padding(), image=photograph((28, 28)), part="cross").attention
    assert shown.query_tokens == CAT_TOKENS
    assert shown.key_tokens[:2] == ["[CLS]", "patch 1,1"]
    assert (shown.picture.rows, shown.picture.key_start, shown.picture.query_start) == (4, 1, None)


def test_what_queries_make_of_patches_is_no_patch():
    vision = {**SIZES, "image_size": 28, "patch_size": 7}  # 16 patches, of which four queries make four places
    asking = {**TEXT, "encoder_hidden_size": 32, "cross_attention_frequency": 1}
    text = {**SIZES, "ffn_dim": 32, "word_embed_proj_dim": 32}
    text |= {"model_type": "opt", "vocab_size": len(libraries.VOCABULARY), "pad_token_id": 0}
    config = transformers.Blip2Config(vision_config=vision, qformer_config=asking, text_config=text, num_query_tokens=4)
    config.image_token_index = config.image_token_id = libraries.VOCABULARY["<image>"]
    model = transformers.Blip2ForConditionalGeneration(config).eval()
    ids = padding(marks=False)("<image> <image> <image> <image> what ?", return_tensors="pt")["input_ids"]
    inputs = {"pixel_values": torch.rand(1, 3, 28, 28), "input_ids": ids}
    shown = HeadMap.of(model, inputs=inputs, tokenizer=padding(), part="text").attention
    assert shown.key_tokens == ["<image>"] * 4 + ["what", "?"]
