"""HeadMap.of: every source of attentions that it knows, from models of random weights, and what it says of the others."""

import re

import numpy as np
import pytest
import torch
import transformers
from conftest import ROOT
from libraries import Clip, ClipTokenizer, ImageProcessor, SentenceEncoder, ViT, bert, llava, padding, photograph, qwen
from torch import nn

from manyheads.widgets import HeadMap

WIDTH, LAYERS, HEADS, QUERIES, KEYS = 32, 2, 4, 5, 7
WORDS, ASKING = [f"k{place}" for place in range(KEYS)], [f"q{place}" for place in range(QUERIES)]
IDS, ASKING_IDS = torch.arange(3, 3 + KEYS)[None], torch.arange(3, 3 + QUERIES)[None]
SIZES = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": WIDTH,
    "vocab_size": 50,
}
GPT2 = transformers.GPT2Config(n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS, vocab_size=50)
T5 = transformers.T5Config(d_model=WIDTH, d_kv=8, d_ff=WIDTH, num_layers=LAYERS, num_heads=HEADS, vocab_size=50)
T5.decoder_start_token_id = 0
BART = transformers.BartConfig(
    **{"d_model": WIDTH, "vocab_size": 50, "encoder_layers": LAYERS, "decoder_layers": LAYERS},
    **{f"{part}_attention_heads": HEADS for part in ("encoder", "decoder")},
    **{f"{part}_ffn_dim": WIDTH for part in ("encoder", "decoder")},
)
GROUPED = {**SIZES, "num_key_value_heads": 2}
LLAMA = transformers.LlamaConfig(**GROUPED)
SEEN = {**SIZES, "image_size": 28, "patch_size": 7}
CLIP = transformers.CLIPConfig(text_config={**SIZES, "bos_token_id": 1, "eos_token_id": 2}, vision_config=SEEN)
DINO = transformers.Dinov2WithRegistersConfig(**SEEN, num_register_tokens=4)
PIXELS = torch.rand(1, 3, 28, 28)
VIT = transformers.ViTConfig(**{**SIZES, "image_size": 4, "patch_size": 2, "num_channels": 1})


def model(kind, config, implementation="eager"):
    torch.manual_seed(0)
    return getattr(transformers, kind)._from_config(config, attn_implementation=implementation).eval()


def stack(number=LAYERS):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, WIDTH, batch_first=True)
    return nn.TransformerEncoder(layer, number, enable_nested_tensor=False)


def cache():
    """What TransformerLens' ActivationCache is to us: names with values."""
    patterns = {f"blocks.{layer}.attn.hook_pattern": weights(HEADS)[None] for layer in range(LAYERS)}
    return {"hook_embed": torch.ones(1, KEYS, WIDTH), **patterns, "blocks.1.hook_mlp_out": torch.ones(1, KEYS, WIDTH)}


def weights(*before):
    torch.manual_seed(0)
    return torch.rand(*before, KEYS, KEYS).softmax(-1)


MANUAL = (ROOT / "book" / "your-own-models.md").read_text(encoding="utf-8")
TABLE = MANUAL[MANUAL.index("## Sources that were tried") :]
ROWS = {row[0]: row[1:] for row in re.findall(r"^\| (.*?) \| (.*?) \| `(HeadMap.*?)` \|$", TABLE, re.MULTILINE)}
BERT = transformers.BertConfig(**SIZES)
X, Y = torch.randn(1, KEYS, WIDTH), torch.randn(1, QUERIES, WIDTH)
HUGGING_FACE = {"ids": IDS, "answer_ids": ASKING_IDS, "batch": IDS.repeat(2, 1), "tokens": WORDS, "answer": ASKING}
TORCH = {"tokens": WORDS, "answer": ASKING, "words": X, "answer_words": Y, "query": X, "key": X, "value": X}


def hugging_face(kind, config, implementation="eager", **more):
    return lambda: {"model": model(kind, config, implementation), **HUGGING_FACE, **more}


def in_torch(make, *arguments, **options):
    return lambda: {"model": make(*arguments, **options, batch_first=True).eval(), **TORCH}


def decoder():
    return {
        "model": nn.TransformerDecoder(nn.TransformerDecoderLayer(WIDTH, HEADS, WIDTH, batch_first=True), 2),
        **TORCH,
    }


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


ARRAYS = {"array": weights(LAYERS, HEADS).numpy(), "tokens": WORDS}
SIZES_OF_OTHERS = {
    "DistilBERT": transformers.DistilBertConfig(dim=WIDTH, n_layers=LAYERS, n_heads=HEADS, vocab_size=50),
    "ModernBERT": transformers.ModernBertConfig(**SIZES, global_attn_every_n_layers=2, pad_token_id=0),
    "Longformer": transformers.LongformerConfig(**SIZES, attention_window=4, pad_token_id=0),
}
YOURS = {  # what stands for the reader's own
    "BERT, an encoder of Hugging Face": hugging_face("BertModel", BERT),
    "DistilBERT": hugging_face("DistilBertModel", SIZES_OF_OTHERS["DistilBERT"]),
    "ModernBERT, whose layers look far and near by turns": hugging_face(
        "ModernBertModel", SIZES_OF_OTHERS["ModernBERT"]
    ),
    "GPT-2, a decoder": hugging_face("GPT2LMHeadModel", GPT2),
    "Llama, whose heads share keys in groups": hugging_face("LlamaModel", LLAMA),
    "T5, encoder and decoder": hugging_face("T5Model", T5),
    "BART, encoder and decoder": hugging_face("BartModel", BART),
    "what GPT-2 generates": hugging_face("GPT2LMHeadModel", GPT2),
    "what T5 generates": hugging_face("T5ForConditionalGeneration", T5),
    "ViT, which reads an image": hugging_face("ViTModel", VIT, pixels=torch.randn(1, 1, 4, 4)),
    "`nn.MultiheadAttention`": in_torch(nn.MultiheadAttention, WIDTH, HEADS),
    "its result": in_torch(nn.MultiheadAttention, WIDTH, HEADS),
    "`nn.TransformerEncoder`": lambda: {"model": stack(), **TORCH},
    "`nn.TransformerDecoder`": decoder,
    "`nn.Transformer`": in_torch(nn.Transformer, WIDTH, HEADS, LAYERS, LAYERS, WIDTH),
    "the cache of a TransformerLens run": lambda: {"cache": cache(), "tokens": WORDS},  # its names; it brings wandb
    "an array, [query, key] to [layer, 1, head, query, key]": lambda: ARRAYS,
    "lists of numbers": lambda: ARRAYS,
    "two of these": lambda: ARRAYS,
    "what `bertviz.head_view` takes": hugging_face("BertModel", BERT),
    "a model on sdpa": hugging_face("BertModel", BERT, "sdpa"),
    "a BERT within your own module": lambda: {"model": nn.Sequential(model("BertModel", BERT, "sdpa")), **HUGGING_FACE},
    "`F.scaled_dot_product_attention` in your own code": lambda: {"model": Attention(), **TORCH},
    "CLIP, which reads texts and images": hugging_face("CLIPModel", CLIP, "sdpa", pixels=PIXELS),
    "DINOv2 with registers, and its picture": hugging_face("Dinov2WithRegistersModel", DINO, "sdpa", pixels=PIXELS),
    "a pipeline of transformers": pipeline,
    "a SentenceTransformer, which is called with one dict": lambda: {"model": SentenceEncoder()},
    "several texts": lambda: {"model": bert(), "tokenizer": padding()},
    "a picture and its processor": lambda: {
        "model": model("ViTModel", transformers.ViTConfig(**SEEN)),
        "picture": photograph(),
        "processor": ImageProcessor(),
    },
    "LLaVA, whose words look at a picture": with_picture(llava),
    "Qwen2-VL, whose pictures keep their shape": with_picture(qwen),
    "a vision transformer of timm": lambda: {"model": ViT(), "pixels": torch.rand(1, 3, 8, 12)},
    "CLIP of open_clip": lambda: {
        "model": Clip(),
        "pixels": torch.rand(1, 3, 8, 12),
        "ids": ClipTokenizer()(["the cat"]),
        "tokenizer": ClipTokenizer(),
    },
    "what a model on sdpa returned": hugging_face("BertModel", BERT, "sdpa"),
    "a batch of texts": hugging_face("BertModel", BERT),
    "dropout left on": hugging_face("BertModel", BERT),
    "weights averaged over the heads": in_torch(nn.MultiheadAttention, WIDTH, HEADS),
    "Longformer, which looks through a window": hugging_face(
        "LongformerModel", SIZES_OF_OTHERS["Longformer"], ids=torch.arange(3, 11)[None], tokens=list("abcdefgh")
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
    for index in range(len(shown._models)):
        shown.model_index = index
        assert shown.attention.shape[1] == HEADS
        np.testing.assert_allclose(shown.attention.weights.sum(-1), 1, atol=1e-5)
