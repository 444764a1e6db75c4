"""Vision-language models of transformers, small, with random weights, and their own processors of a few words.

The processors are transformers' classes, so that the order of tokens is theirs. Three of them want what can't be had
here, to read videos with or to spell a number: `Reads` lets them read pictures without.
"""

import warnings
from functools import cache

import numpy as np
import torch
import transformers
from PIL import Image
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers.models.smolvlm import processing_smolvlm

SIDE, PATCH = 16, 4  # of a tile, in pixels; SmolVLM wants tiles of as many tokens
LARGEST = 8  # rows or columns of tiles, in tokens that name them
WORDS = "[PAD] <s> </s> [UNK] the cat sat on a mat . what is this and ?".split()
SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
TEXT = {**SIZES, "num_key_value_heads": 1, "head_dim": 8, "vocab_size": 128}
TEXT |= {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
VISION = {**SIZES, "image_size": SIDE, "patch_size": PATCH}
SIGLIP = {"model_type": "siglip_vision_model", **VISION}
IN_THREE = {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 10000.0}
SQUARE = {"height": SIDE, "width": SIDE}


class Reads:
    """A processor that doesn't ask for what it needs for videos."""

    def check_argument_for_proper_class(self, *_):
        pass


def picture(width=56, height=56, seed=0):
    """A picture whose parts are unlike each other."""
    colours = np.random.default_rng(seed).integers(0, 255, (6, 6, 3), np.uint8)
    return Image.fromarray(colours).resize((width, height))


def words(tokens=(), **named):
    """A tokenizer of a few words, with tokens that stand for something by name."""
    cut = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    cut.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "bos_token": "<s>", "eos_token": "</s>"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=cut, **special, extra_special_tokens=named)
    tokenizer.add_special_tokens({"additional_special_tokens": list(tokens)})
    return tokenizer


def made(kind, config):
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**config)
    return getattr(transformers, f"{kind}ForConditionalGeneration")._from_config(config).eval()


def like(kind):
    """The processor of transformers that can do without videos."""
    return type(kind, (Reads, getattr(transformers, kind)), {})


def llava():
    tokenizer = words(image_token="<image>")
    images = transformers.CLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size=SIDE)
    has_cls = {"vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    processor = transformers.LlavaProcessor(images, tokenizer, patch_size=PATCH, **has_cls)
    vision = {"model_type": "clip_vision_model", **VISION}
    config = {"vision_config": vision, "text_config": {"model_type": "llama", **TEXT}}
    return made("Llava", config | {"image_token_id": tokenizer.image_token_id}), processor


def pixtral():
    """LLaVA with another tower: pictures keep their shape, and their rows end with a token. Its processor isn't here."""
    vision = {"model_type": "pixtral", **VISION, "head_dim": 8}
    config = {"vision_config": vision, "text_config": {"model_type": "mistral", **TEXT}, "vision_feature_layer": -1}
    return made("Llava", config | {"vision_feature_select_strategy": "full", "image_token_id": 60})


def qwen(kind="Qwen2VL"):
    marks = ["<|vision_start|>", "<|vision_end|>"]
    tokenizer = words(marks, image_token="<|image_pad|>", video_token="<|video_pad|>")
    patch = 16 if kind == "Qwen3VL" else 14
    images = transformers.Qwen2VLImageProcessorPil(min_pixels=28**2, max_pixels=16 * 32**2, patch_size=patch)
    processor = like(f"{kind}Processor")(images, tokenizer, None)
    start, end = tokenizer.convert_tokens_to_ids(marks)
    ids = {"image_token_id": tokenizer.image_token_id, "video_token_id": tokenizer.video_token_id}
    ids |= {"vision_start_token_id": start, "vision_end_token_id": end}
    vision = {"depth": 2, "hidden_size": 16, "num_heads": 2, "patch_size": patch, "intermediate_size": 16}
    if kind == "Qwen2VL":
        vision = {"depth": 2, "embed_dim": 16, "hidden_size": 16, "num_heads": 2, "patch_size": patch, "mlp_ratio": 1}
    elif kind == "Qwen2_5_VL":
        vision |= {"out_hidden_size": 16, "window_size": 56, "fullatt_block_indexes": [1]}
    else:
        vision |= {"out_hidden_size": 16, "num_position_embeddings": 16, "deepstack_visual_indexes": [0]}
    return made(kind, {"vision_config": vision, "text_config": {**TEXT, "rope_parameters": IN_THREE}, **ids}), processor


def idefics(kind="Idefics3"):
    places = [f"<row_{row}_col_{column}>" for row in range(1, LARGEST) for column in range(1, LARGEST)]
    marks = ["<global-img>", "<fake_token_around_image>", "<end_of_utterance>", *places]
    tokenizer = words(marks, image_token="<image>")
    images = getattr(transformers, f"{kind}ImageProcessorPil")
    images = images(size={"longest_edge": 3 * SIDE}, max_image_size={"longest_edge": SIDE})
    if kind == "SmolVLM":
        processing_smolvlm.num2words = str
        processor = like("SmolVLMProcessor")(images, tokenizer, None, image_seq_len=4)
    else:
        processor = transformers.Idefics3Processor(images, tokenizer, image_seq_len=4)
    config = {"vision_config": VISION, "text_config": {"model_type": "llama", **TEXT}, "scale_factor": 2}
    return made(kind, config | {"image_token_id": processor.image_token_id}), processor


def paligemma():
    tokenizer = words(image_token="<image>")
    images = transformers.SiglipImageProcessorPil(size=SQUARE)
    images.image_seq_length = 16
    processor = transformers.PaliGemmaProcessor(images, tokenizer)
    config = {"vision_config": SIGLIP, "text_config": {"model_type": "gemma", **TEXT, "vocab_size": 2048}}
    more = {"projection_dim": 16, "image_token_id": tokenizer.image_token_id}
    return made("PaliGemma", config | more), processor


def internvl():
    named = {"start_image_token": "<img>", "end_image_token": "</img>", "video_token": "<video>"}
    tokenizer = words(context_image_token="<IMG_CONTEXT>", **named)
    images = transformers.GotOcr2ImageProcessorPil(size=SQUARE, crop_to_patches=True, min_patches=1, max_patches=6)
    processor = like("InternVLProcessor")(images, tokenizer, None, image_seq_length=4)
    vision = {**VISION, "image_size": [SIDE, SIDE], "patch_size": [PATCH, PATCH]}
    config = {"vision_config": vision, "text_config": {"model_type": "qwen2", **TEXT}}
    return made("InternVL", config | {"image_token_id": tokenizer.context_image_token_id}), processor


def gemma():
    named = {"boi_token": "<start_of_image>", "eoi_token": "<end_of_image>", "image_token": "<image_soft_token>"}
    tokenizer = words(**named)
    images = transformers.Gemma3ImageProcessorPil(size=SQUARE)
    processor = transformers.Gemma3Processor(images, tokenizer, image_seq_length=4)
    config = {"vision_config": SIGLIP, "text_config": TEXT, "mm_tokens_per_image": 4}
    model = made("Gemma3", config | {"image_token_index": tokenizer.image_token_id})
    torch.nn.init.normal_(model.model.multi_modal_projector.mm_input_projection_weight)  # which is 0 at first
    return model, processor


FAMILIES = {  # each with what stands for a picture in a text
    "llava": (llava, "<image>"),
    "qwen2": (lambda: qwen("Qwen2VL"), "<|vision_start|> <|image_pad|> <|vision_end|>"),
    "qwen2.5": (lambda: qwen("Qwen2_5_VL"), "<|vision_start|> <|image_pad|> <|vision_end|>"),
    "qwen3": (lambda: qwen("Qwen3VL"), "<|vision_start|> <|image_pad|> <|vision_end|>"),
    "idefics": (idefics, "<image>"),
    "smolvlm": (lambda: idefics("SmolVLM"), "<image>"),
    "paligemma": (paligemma, "<image>"),
    "internvl": (internvl, "<IMG_CONTEXT>"),
    "gemma": (gemma, "<start_of_image>"),
}


@cache
def family(name):
    """The model of a family and its processor, made once."""
    return FAMILIES[name][0]()


def inputs_about(name, *pictures, text="what is this ?", **options):
    """What the processor of a family makes of a text after pictures."""
    _, processor = family(name)
    before = " ".join([FAMILIES[name][1]] * len(pictures))
    nested = name in ("idefics", "smolvlm", "paligemma", "gemma")
    images = [list(pictures)] if nested else list(pictures)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # PaliGemma's makes an array of a tensor as NumPy 2 warns of
        return processor(images=images, text=[f"{before} {text}"], return_tensors="pt", **options)
