"""HeadMap.of: every source of attentions that it knows, from models of random weights, and what it says of the others."""

import re

import libraries
import numpy as np
import pytest
import torch
import transformers
from close import assert_close
from conftest import ROOT
from libraries import BERT, GPT2, LLAMA, SIZES, T5, TEXT, VISION, bert, made, padding, photograph
from torch import nn

from manyheads.maps import AttentionMap
from manyheads.widgets import HeadMap

WIDTH, LAYERS, HEADS, QUERIES, KEYS = 32, 2, 4, 5, 7
WORDS, ASKING = [f"k{place}" for place in range(KEYS)], [f"q{place}" for place in range(QUERIES)]
IDS, ASKING_IDS = torch.arange(3, 3 + KEYS)[None], torch.arange(3, 3 + QUERIES)[None]
GROUPS = ["group 1, head 1", "group 1, head 2", "group 2, head 3", "group 2, head 4"]


def weights(*before):
    torch.manual_seed(0)
    return torch.rand(*before, KEYS, KEYS).softmax(-1)


# --- The table of the book, row after row -------------------------------------------------------------------------------

MANUAL = (ROOT / "book" / "your-own-models.md").read_text(encoding="utf-8")
TABLE = MANUAL[MANUAL.index("## Sources that were tried") :]
ROWS = {row[0]: row[1:] for row in re.findall(r"^\| (.*?) \| (.*?) \| `(HeadMap.*?)` \|$", TABLE, re.MULTILINE)}
BART = transformers.BartConfig(
    **{"d_model": WIDTH, "vocab_size": 50, "encoder_layers": LAYERS, "decoder_layers": LAYERS},
    **{f"{part}_attention_heads": HEADS for part in ("encoder", "decoder")},
    **{f"{part}_ffn_dim": WIDTH for part in ("encoder", "decoder")},
)
CLIP = transformers.CLIPConfig(text_config={**SIZES, "bos_token_id": 1, "eos_token_id": 2}, vision_config=VISION)
X, Y = torch.randn(1, KEYS, WIDTH), torch.randn(1, QUERIES, WIDTH)
PIXELS, SMALL_PIXELS = torch.rand(1, 3, 28, 28), torch.rand(1, 3, 8, 12)
HUGGING_FACE = {"ids": IDS, "answer_ids": ASKING_IDS, "batch": IDS.repeat(2, 1), "tokens": WORDS, "answer": ASKING}
TORCH = {"tokens": WORDS, "answer": ASKING, "words": X, "answer_words": Y, "query": X, "key": X, "value": X}
ARRAYS = {"array": weights(LAYERS, HEADS).numpy(), "tokens": WORDS}


def hugging_face(kind, config, kernel="eager", **more):
    return lambda: {"model": made(kind, config, kernel), **HUGGING_FACE, **more}


def in_torch(make, *arguments):
    return lambda: {"model": make(*arguments, batch_first=True).eval(), **TORCH}


def stack():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, WIDTH, batch_first=True)
    return nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)


def cache():
    """What TransformerLens' ActivationCache is to us: names with values."""
    patterns = {f"blocks.{layer}.attn.hook_pattern": weights(HEADS)[None] for layer in range(LAYERS)}
    return {"hook_embed": torch.ones(1, KEYS, WIDTH), **patterns, "blocks.1.hook_mlp_out": torch.ones(1, KEYS, WIDTH)}


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.o_proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        return self.o_proj(nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


def with_picture(make):
    def yours():
        read, processor = make(template="user : {image} {text} assistant :")
        return {"model": read, "processor": processor, "picture": photograph((56, 84))}

    return yours


def pipeline():
    reads = {"model": bert("BertForSequenceClassification"), "tokenizer": padding()}
    return {"pipe": transformers.pipeline("text-classification", **reads)}


DISTILBERT = transformers.DistilBertConfig(dim=WIDTH, n_layers=LAYERS, n_heads=HEADS, vocab_size=50)
LONGFORMER = transformers.LongformerConfig(**TEXT, attention_window=4)
YOURS = {  # what stands for the reader's own
    "BERT, an encoder of Hugging Face": hugging_face("BertModel", BERT),
    "DistilBERT": hugging_face("DistilBertModel", DISTILBERT),
    "ModernBERT, whose layers look far and near by turns": hugging_face(
        "ModernBertModel", transformers.ModernBertConfig(**TEXT, global_attn_every_n_layers=2)
    ),
    "GPT-2, a decoder": hugging_face("GPT2LMHeadModel", GPT2),
    "Llama, whose heads share keys in groups": hugging_face("LlamaModel", LLAMA),
    "T5, encoder and decoder": hugging_face("T5Model", T5),
    "BART, encoder and decoder": hugging_face("BartModel", BART),
    "what GPT-2 generates": hugging_face("GPT2LMHeadModel", GPT2),
    "what T5 generates": hugging_face("T5ForConditionalGeneration", T5),
    "ViT, which reads an image": hugging_face("ViTModel", transformers.ViTConfig(**VISION), pixels=PIXELS),
    "`nn.MultiheadAttention`": in_torch(nn.MultiheadAttention, WIDTH, HEADS),
    "its result": in_torch(nn.MultiheadAttention, WIDTH, HEADS),
    "`nn.TransformerEncoder`": lambda: {"model": stack(), **TORCH},
    "`nn.TransformerDecoder`": lambda: {
        "model": nn.TransformerDecoder(nn.TransformerDecoderLayer(WIDTH, HEADS, WIDTH, batch_first=True), LAYERS),
        **TORCH,
    },
    "`nn.Transformer`": in_torch(nn.Transformer, WIDTH, HEADS, LAYERS, LAYERS, WIDTH),
    "the cache of a TransformerLens run": lambda: {"cache": cache(), "tokens": WORDS},  # its names; it brings wandb
    "an array, [query, key] to [layer, 1, head, query, key]": lambda: ARRAYS,
    "lists of numbers": lambda: ARRAYS,
    "two of these": lambda: ARRAYS,
    "what `bertviz.head_view` takes": hugging_face("BertModel", BERT),
    "a model on sdpa": hugging_face("BertModel", BERT, "sdpa"),
    "a BERT within your own module": lambda: {"model": nn.Sequential(bert(kernel="sdpa")), **HUGGING_FACE},
    "`F.scaled_dot_product_attention` in your own code": lambda: {"model": Attention(), **TORCH},
    "CLIP, which reads texts and images": hugging_face("CLIPModel", CLIP, "sdpa", pixels=PIXELS),
    "DINOv2 with registers, and its picture": hugging_face(
        "Dinov2WithRegistersModel", transformers.Dinov2WithRegistersConfig(**VISION), "sdpa", pixels=PIXELS
    ),
    "a pipeline of transformers": pipeline,
    "a SentenceTransformer, which is called with one dict": lambda: {"model": libraries.SentenceEncoder()},
    "several texts": lambda: {"model": bert(), "tokenizer": padding()},
    "a picture and its processor": lambda: {
        "model": made("ViTModel", transformers.ViTConfig(**VISION)),
        "picture": photograph(),
        "processor": libraries.ImageProcessor(),
    },
    "LLaVA, whose words look at a picture": with_picture(libraries.llava),
    "Qwen2-VL, whose pictures keep their shape": with_picture(libraries.qwen),
    "a vision transformer of timm": lambda: {"model": libraries.ViT(), "pixels": SMALL_PIXELS},
    "CLIP of open_clip": lambda: {
        **{"model": libraries.Clip(), "pixels": SMALL_PIXELS},
        **{"ids": libraries.ClipTokenizer()(["the cat"]), "tokenizer": libraries.ClipTokenizer()},
    },
    "what a model on sdpa returned": hugging_face("BertModel", BERT, "sdpa"),
    "a batch of texts": hugging_face("BertModel", BERT),
    "dropout left on": hugging_face("BertModel", BERT),
    "weights averaged over the heads": in_torch(nn.MultiheadAttention, WIDTH, HEADS),
    "Longformer, which looks through a window": hugging_face(
        "LongformerModel", LONGFORMER, ids=torch.arange(3, 11)[None], tokens=list("abcdefgh")
    ),
}


def test_every_row_of_the_authors_table_is_tried():
    assert list(ROWS) == list(YOURS)


@pytest.mark.parametrize("source", ROWS)
def test_a_row_of_the_authors_table(source):
    seen, line = ROWS[source]
    names = {"HeadMap": HeadMap, **YOURS[source]()}
    with torch.no_grad():
        if seen.startswith('"'):
            with pytest.raises(ValueError, match=re.escape(seen[1:-1])):
                eval(line, names)
            return
        shown = eval(line, names)
    assert shown._models == ([""] if seen == "one map" else seen.split(", "))
    for index, name in enumerate(shown._models):
        shown.model_index = index
        attention = shown.attention
        assert attention.shape[1] == HEADS
        np.testing.assert_allclose(attention.weights.sum(-1), 1, atol=1e-5)
        assert not np.allclose(attention.weights[0, 0], attention.weights[0, 1]), "heads of their own, no averages"
        if "tokens, answer" in line:
            assert attention.query_tokens == (WORDS if name == "encoder" else ASKING)
            assert attention.key_tokens == (ASKING if name == "decoder" else WORDS)
        elif seen == "one map" and names.get("tokens") is WORDS and ", tokens" in line:
            assert attention.query_tokens == attention.key_tokens == WORDS
    assert shown._repr_mimebundle_()[0]["text/html"].startswith("<figure")


def test_maps_of_any_precision_stand_beside_maps_that_are_made():
    flat = AttentionMap(WORDS, WORDS, np.full((1, 1, KEYS, KEYS), 1 / KEYS))
    shown = HeadMap.of({"random": weights(LAYERS, 1, HEADS).bfloat16(), "flat": flat}, WORDS)
    assert [model.map.shape for model in shown.models] == [(LAYERS, HEADS, KEYS, KEYS), flat.shape]
    np.testing.assert_allclose(shown.attention.weights, weights(LAYERS, HEADS), atol=2**-8)


def test_one_text_of_a_batch_is_shown():
    whole = output("BertModel", BERT, input_ids=torch.stack([IDS[0], IDS[0].flip(0)]))
    shown = HeadMap.of(whole, WORDS, batch=1).attention
    np.testing.assert_array_equal(shown.weights, torch.stack(whole.attentions)[:, 1])
    assert "Text 2 of a batch of 2 is shown: batch=0 to batch=1 choose it." in shown.notes


# --- generate ---------------------------------------------------------------------------------------------------------


def output(kind, config, **inputs):
    with torch.no_grad():
        return made(kind, config, "eager")(**(inputs or {"input_ids": IDS}), output_attentions=True)


def generated(kind, config, tokens=4, **options):
    options = {"max_new_tokens": tokens, "do_sample": False, "pad_token_id": 0, "eos_token_id": 49, **options}
    given = {"return_dict_in_generate": True, "output_attentions": True}
    return made(kind, config, "eager").generate(IDS, **options, **given)


@pytest.mark.parametrize("options", [{}, {"use_cache": False}, {"cache_implementation": "static"}])
def test_the_steps_of_generate_are_one_causal_map(options):
    steps = generated("LlamaForCausalLM", LLAMA, **options)
    whole = output("LlamaForCausalLM", LLAMA, input_ids=steps.sequences[:, :-1])
    written = steps.sequences.shape[1]
    assert written == KEYS + 4
    tokens = [f"t{place}" for place in range(written)]
    shown = HeadMap.of(steps, tokens).attention
    assert shown.shape == (LAYERS, HEADS, written - 1, written - 1)
    assert_close(shown.weights, torch.cat(whole.attentions))
    assert np.triu(shown.weights, 1).max() == 0, "nothing looks ahead"
    assert shown.key_tokens == tokens[:-1]
    assert shown.answer_start == KEYS
    assert shown.notes == (
        f"The last token, 't{KEYS + 3}', was not read any more: it looks at nothing yet.",
        f"What the model wrote begins with token {KEYS + 1}, 't{KEYS}'.",
    )


def test_the_steps_of_an_encoder_and_decoder():
    steps = generated("T5ForConditionalGeneration", T5)
    whole = output("T5ForConditionalGeneration", T5, input_ids=IDS, decoder_input_ids=steps.sequences[:, :-1])
    answer = [f"t{place}" for place in range(steps.sequences.shape[1])]
    shown = HeadMap.of(steps, WORDS, answer)
    assert shown._models == ["encoder", "decoder", "cross"]
    for index, expected in enumerate((whole.encoder_attentions, whole.decoder_attentions, whole.cross_attentions)):
        shown.model_index = index
        assert_close(shown.attention.weights, torch.cat(expected))
    assert shown.attention.query_tokens == answer[:-1]
    assert shown.attention.key_tokens == WORDS


def test_the_beam_that_won_looks_as_if_it_had_been_alone():
    steps = generated("LlamaForCausalLM", LLAMA, num_beams=3, tokens=5)
    whole = output("LlamaForCausalLM", LLAMA, input_ids=steps.sequences[:, :-1])
    assert_close(HeadMap.of(steps).attention.weights, torch.cat(whole.attentions))


# --- Tokens, heads, layers, other weights -----------------------------------------------------------------------------


def test_heads_have_names():
    shown = HeadMap.of(weights(LAYERS, 2), WORDS, head_names=["left", "right"]).attention
    assert shown.head_names == ["left", "right"]
    shown = HeadMap.of(output("LlamaModel", LLAMA), WORDS, key_value_heads=LLAMA.num_key_value_heads).attention
    assert shown.head_names == GROUPS


def test_layers_and_names_are_chosen_of_a_map_that_is_there():
    attention = HeadMap.of(weights(LAYERS, 4), WORDS).attention
    shown = HeadMap.of(attention, layers=[1], key_value_heads=2).attention
    np.testing.assert_array_equal(shown.weights, attention.weights[1:2])
    assert (shown.layer_names, shown.head_names) == (["layer 2"], GROUPS)
    assert HeadMap.of(attention, layers=1, layer_names=["middle"]).attention.layer_names == ["middle"]
    with pytest.raises(ValueError, match="layers must be among"):
        HeadMap.of(attention, layers=[LAYERS])
    with pytest.raises(ValueError, match="1 head names for 4 heads"):
        HeadMap.of(attention, head_names=["one"])


def test_layers_carry_the_numbers_of_an_unordered_cache():
    given = {f"blocks.{number}.attn.hook_pattern": weights(HEADS)[None] ** number for number in (9, 5)}
    given = {name: layer / layer.sum(-1, keepdim=True) for name, layer in given.items()}
    shown = HeadMap.of(given, WORDS).attention
    assert shown.layer_names == ["layer 6", "layer 10"]
    assert_close(shown.weights[1], given["blocks.9.attn.hook_pattern"][0])


def test_weights_that_are_no_shares_are_shown_as_they_are_on_request_only():
    gates = 3 * weights(HEADS).numpy()
    with pytest.raises(ValueError, match=r"got sums from 3 to 3.*HeadMap.of\(..., normalised=False\)"):
        HeadMap.of(gates, WORDS)
    shown = HeadMap.of(gates, WORDS, normalised=False).attention
    np.testing.assert_array_equal(shown.weights[0], gates)
    assert shown.kind == "amounts"
    assert shown.notes == ("These weights are not shares: rows sum to 3 to 3. They are shown as they are.",)
    assert HeadMap.of(weights(HEADS), WORDS, normalised=False).attention.kind == "shares"


def test_tokens_come_from_a_tokenizer_in_any_form(encoder):
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=encoder.tokenizer._tokenizer)
    texts, square = tokenizer(["hot tea", "cold tea"]), np.full((4, 4), 0.25)
    ids, expected = torch.tensor(texts["input_ids"]), ["[CLS]", "cold", "tea", "[SEP]"]
    for tokens, options in (
        (texts, {"batch": 1}),
        (ids, {"tokenizer": tokenizer, "batch": 1}),
        (ids[1], {"tokenizer": tokenizer}),
        ("cold tea", {"tokenizer": tokenizer}),
        (np.array(expected), {}),
    ):
        assert HeadMap.of(square, tokens, **options).attention.key_tokens == expected


def test_padding_is_never_shown_as_attention():
    padded = torch.cat([torch.zeros(1, 3, dtype=torch.long), IDS], dim=1)
    mask = (padded > 0).long()
    given = output("LlamaModel", LLAMA, input_ids=padded, attention_mask=mask)
    shown = HeadMap.of(given, ["<pad>"] * 3 + WORDS, attention_mask=mask).attention
    assert shown.key_tokens == shown.query_tokens == WORDS
    assert shown.notes == ("3 padding tokens are left out.",)
    assert_close(shown.weights, torch.cat(output("LlamaModel", LLAMA).attentions))


# --- What is refused ----------------------------------------------------------------------------------------------------


MAMBA = transformers.MambaConfig(**SIZES, vocab_size=50)
REFUSED = {  # what is given, what is said
    "not asked for": (lambda: bert(kernel="eager")(IDS), r"call it with output_attentions=True"),
    "a state-space model": (
        lambda: made("MambaModel", MAMBA, "eager")(IDS),
        "a MambaOutput has no place for attentions: its model has none to give",
    ),
    "scores": (
        lambda: weights(HEADS).log(),
        r"scores want a softmax first; hidden states are no attention; weights that are meant to be signed are shown as they are by HeadMap.of",
    ),
}


@pytest.mark.parametrize(("source", "says"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_map_is_refused_with_what_to_do(source, says):
    with pytest.raises(ValueError, match=says):
        HeadMap.of(source(), WORDS)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"tokens": WORDS[1:]}, ValueError, "there are 7 places for tokens, got 6"),
        ({"tokens": "tea"}, TypeError, "tokens must be a list of strings, got 'tea': a text needs tokenizer="),
        ({"source": weights(2, HEADS)[:, None], "batch": 1}, ValueError, "batch must be from 0 to 0"),
        ({"source": weights(LAYERS, HEADS), "layers": [2]}, ValueError, "layers must be among 0, 1"),
        ({"attention_mask": [1, 1]}, ValueError, r"must be \[7\] or \[batch, 7\], 0 for padding, got \[2\]"),
        ({"key_value_heads": 3}, ValueError, "key_value_heads must divide the 4 heads, got 3"),
        ({"inputs": torch.ones(1)}, TypeError, "inputs are what a torch module is called with; got ndarray"),
        ({"source": stack()}, TypeError, r"HeadMap.of\(TransformerEncoder, ...\) needs inputs"),
    ],
)
def test_arguments_that_do_not_fit_are_named(arguments, error, says):
    with pytest.raises(error, match=says):
        HeadMap.of(**{"source": weights(HEADS).numpy(), "tokens": WORDS, **arguments})


def test_a_grid_that_is_given_holds_for_weights_with_names_and_for_maps():
    names = ["[CLS]", *(f"p{place}" for place in range(6))]
    maps = AttentionMap(names, names, weights(LAYERS, HEADS).numpy())
    for source, *tokens in ((maps.weights, names), (maps,), (HeadMap.of(maps),)):
        shown = HeadMap.of(source, *tokens, image=photograph(), grid=(2, 3))
        picture = shown.attention.picture
        assert (picture.rows, picture.columns, picture.key_start, picture.query_start) == (2, 3, 1, 1)
        assert (shown.attention.key_tokens, shown.view) == (names, "picture")
    asking = AttentionMap(["[CLS]"], names, maps.weights[:, :, :1])
    assert HeadMap.of(asking, image=photograph(), grid=(2, 3)).attention.picture.query_start is None
    with pytest.raises(ValueError, match=r"grid=\(4, 2\) is 8 patches, but the map has 7 places"):
        HeadMap.of(maps, image=photograph(), grid=(4, 2))
    with pytest.raises(ValueError, match=r"looks at patches of the image, as their names say: audio$"):
        HeadMap.of({"audio": maps.weights}, names, image=photograph(), grid=(2, 3))
