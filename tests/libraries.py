"""Models of other libraries, small, with random weights: by the names and the calls that they have there.

What's here of timm, open_clip and sentence_transformers was written after timm 1.0, open_clip 3.3 and
sentence_transformers 6.2.
"""

import math

import numpy as np
import torch
import transformers
from PIL import Image, ImageDraw
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import nn

# --- Tokenizers and processors of transformers ------------------------------------------------------------------------

IMAGE_TOKENS = ["<image>", "<|vision_start|>", "<|vision_end|>"]
WORDS = "the cat sat on mat . soup was good what is this ? user : assistant"
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *IMAGE_TOKENS]
VOCABULARY = {word: number for number, word in enumerate([*MARKS, *WORDS.split()])}
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}
VISION = {**SIZES, "image_size": 28, "patch_size": 7}
TEXT = {**SIZES, "vocab_size": 50, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
GPT2 = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=50, bos_token_id=None, eos_token_id=None)
T5 = transformers.T5Config(d_model=32, d_kv=8, d_ff=32, num_layers=2, num_heads=4, vocab_size=50)
T5.decoder_start_token_id = 0
BERT, LLAMA = transformers.BertConfig(**TEXT), transformers.LlamaConfig(**TEXT, num_key_value_heads=2)
CAT, SOUP = "the cat sat .", "the soup was good ."
CAT_TOKENS, SOUP_TOKENS = ["[CLS]", *CAT.split(), "[SEP]"], ["[CLS]", *SOUP.split(), "[SEP]"]


def tokenizer(marks=True, **options):
    """A tokenizer of a few words, which puts `[CLS]` and `[SEP]` around a text, or not."""
    cut = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    cut.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if marks:
        around = [("[CLS]", VOCABULARY["[CLS]"]), ("[SEP]", VOCABULARY["[SEP]"])]
        cut.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=around)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=cut, unk_token="[UNK]", **options)


def padding(**options):
    return tokenizer(pad_token="[PAD]", mask_token="[MASK]", **options)


def made(kind, config, kernel=None):
    torch.manual_seed(0)
    return getattr(transformers, kind)._from_config(config, attn_implementation=kernel).eval()


def bert(kind="BertModel", kernel=None):
    return made(kind, BERT, kernel)


def photograph(size=(56, 28)):
    image = Image.new("RGB", size, "skyblue")
    ImageDraw.Draw(image).ellipse((4, 4, 14, 14), fill="gold")
    return image


class ImageProcessor:
    """An image processor as transformers' are: called with images, it returns pixels of one size, normalised."""

    model_input_names = ("pixel_values",)

    def __call__(self, images, return_tensors=None):
        image = images[0] if isinstance(images, list) else images
        pixels = np.asarray(image.resize((28, 28)), np.float32).transpose(2, 0, 1) / 127.5 - 1
        return {"pixel_values": torch.tensor(pixels)[None]}


# --- sentence_transformers --------------------------------------------------------------------------------------------


class SentenceEncoder(nn.Sequential):
    """sentence_transformers' SentenceTransformer: it's called with one dict, and brings its tokenizer."""

    def __init__(self, max_seq_length=None):
        super().__init__(Reads(bert()), Pools())
        self.tokenizer, self.max_seq_length = padding(), max_seq_length

    def forward(self, input: dict[str, torch.Tensor], **kwargs):
        return super().forward(input)


class Reads(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.auto_model = model

    def forward(self, features: dict[str, torch.Tensor], **kwargs):
        read = {name: value for name, value in features.items() if name != "modality"}
        return features | {"token_embeddings": self.auto_model(**read)[0]}


class Pools(nn.Module):
    def forward(self, features: dict[str, torch.Tensor]):
        return features | {"sentence_embedding": features["token_embeddings"].mean(1)}


# --- Vision-language models of transformers ---------------------------------------------------------------------------


class Processor:
    """A processor of a vision-language model as transformers' are: it makes room for the patches of each picture."""

    def __init__(self, image_processor, room, image="<image>", template=None, tells_kinds=False):
        self.tokenizer, self.image_processor, self.tells_kinds = tokenizer(marks=False), image_processor, tells_kinds
        self.image_token, self.room, self.image, self.chat_template = "<image>", room, image, template

    def apply_chat_template(self, conversation, add_generation_prompt=False, tokenize=True):
        assert add_generation_prompt
        assert not tokenize
        ((picture, text),) = [message["content"] for message in conversation]
        assert picture == {"type": "image"}
        return self.chat_template.format(image=self.image, text=text["text"])

    def __call__(self, images=None, text=None, return_tensors=None):
        pixels = self.image_processor(images)
        text = text[0].replace("<image>", " ".join(["<image>"] * self.room(pixels)))
        read = self.tokenizer([text], return_tensors=return_tensors)
        more = {"mm_token_type_ids": (read["input_ids"] == VOCABULARY["<image>"]).int()} if self.tells_kinds else {}
        return transformers.BatchFeature({**read, **pixels, **more})


def llava(**options):
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(**VISION),
        text_config=transformers.LlamaConfig(**TEXT),
        image_token_id=VOCABULARY["<image>"],
    )
    model = made("LlavaForConditionalGeneration", config)
    return model, Processor(ImageProcessor(), lambda pixels: 16, **options)


class Flattens:
    """Qwen's image processor: a picture keeps its shape, and its pixels come as [patch, pixel], block after block."""

    model_input_names = ("pixel_values", "image_grid_thw")

    def __call__(self, images, return_tensors=None):
        image = images[0] if isinstance(images, list) else images
        rows, columns = image.height // 14, image.width // 14
        pixels = torch.tensor(np.asarray(image, np.float32) / 127.5 - 1)
        blocks = pixels.reshape(rows // 2, 2, 14, columns // 2, 2, 14, 3).permute(0, 3, 1, 4, 6, 2, 5)
        twice = blocks.reshape(rows * columns, 3, 1, 14, 14).expand(-1, -1, 2, -1, -1)  # as two frames
        return {"pixel_values": twice.flatten(1), "image_grid_thw": torch.tensor([[1, rows, columns]])}


def qwen(**options):
    positions = {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 10000.0}
    config = transformers.Qwen2VLConfig(
        text_config={**TEXT, "num_key_value_heads": 2, "rope_parameters": positions},
        vision_config={"depth": 2, "embed_dim": 32, "hidden_size": 32, "num_heads": 4, "patch_size": 14},
        image_token_id=VOCABULARY["<image>"],
        vision_start_token_id=VOCABULARY["<|vision_start|>"],
        vision_end_token_id=VOCABULARY["<|vision_end|>"],
    )
    room = {"image": "<|vision_start|> <image> <|vision_end|>", "tells_kinds": True, **options}
    reader = Processor(Flattens(), lambda pixels: int(pixels["image_grid_thw"].prod()) // 4, **room)
    return made("Qwen2VLForConditionalGeneration", config), reader


# --- timm -------------------------------------------------------------------------------------------------------------

WIDTH = 8


class PatchEmbed(nn.Module):
    """timm.layers.PatchEmbed: its grid is that of `img_size`, and another follows the pixels where it may."""

    def __init__(self, size, patch=4, channels=3, dynamic=False, pads=False):
        super().__init__()
        self.img_size, self.patch_size = size, (patch, patch)
        self.grid_size = tuple(side // patch for side in size)
        self.num_patches = math.prod(self.grid_size)
        self.strict_img_size, self.dynamic_img_pad = not dynamic, pads
        self.proj = nn.Conv2d(channels, WIDTH, patch, patch)

    def feat_ratio(self, as_scalar=True):
        return max(self.patch_size) if as_scalar else self.patch_size

    def forward(self, x):
        if self.strict_img_size:
            assert tuple(x.shape[-2:]) == self.img_size
        if self.dynamic_img_pad:
            x = nn.functional.pad(x, (0, -x.shape[-1] % self.patch_size[1], 0, -x.shape[-2] % self.patch_size[0]))
        return self.proj(x).flatten(2).mT


class Attention(nn.Module):
    def __init__(self, pools=False):
        super().__init__()
        self.num_heads, self.pools = 4, pools
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        q = q[:, :, :1] if self.pools else q
        return nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)


class Block(nn.Module):
    def __init__(self, pools=False):
        super().__init__()
        self.attn = Attention(pools)

    def forward(self, x):
        return self.attn(x) if self.attn.pools else x + self.attn(x)


def blocks(count=2, **options):
    return nn.Sequential(*(Block(**options) for _ in range(count)))


class ViT(nn.Module):
    """timm's VisionTransformer, Eva, Beit and VisionTransformerDistilled, as far as their tokens differ."""

    def __init__(self, size=(8, 12), cls=True, dist=False, registers=0, **embedding):
        super().__init__()
        self.patch_embed = PatchEmbed(size, **embedding)
        self.cls_token = nn.Parameter(torch.randn(1, 1, WIDTH)) if cls else None
        if dist:
            self.dist_token = nn.Parameter(torch.randn(1, 1, WIDTH))
        self.reg_token = nn.Parameter(torch.randn(1, registers, WIDTH)) if registers else None
        self.num_prefix_tokens = cls + dist + registers
        self.blocks = blocks()

    def forward(self, x):
        before = [self.cls_token, getattr(self, "dist_token", None), self.reg_token]
        before = [token.expand(len(x), -1, -1) for token in before if token is not None]
        return self.blocks(torch.cat([*before, self.patch_embed(x)], 1))


# --- open_clip --------------------------------------------------------------------------------------------------------


class ResidualBlock(nn.Module):
    """A layer as open_clip has it: PyTorch's attention under the name `attn`."""

    def __init__(self, width, causal):
        super().__init__()
        self.attn, self.causal = nn.MultiheadAttention(width, 4, batch_first=True), causal

    def forward(self, x):
        mask = torch.full((x.shape[1],) * 2, -torch.inf).triu(1) if self.causal else None
        return x + self.attn(x, x, x, need_weights=False, attn_mask=mask)[0]


class Transformer(nn.Module):
    def __init__(self, width, causal=False):
        super().__init__()
        self.resblocks = nn.ModuleList([ResidualBlock(width, causal) for _ in range(2)])

    def forward(self, x):
        for block in self.resblocks:
            x = block(x)
        return x


class Tower(nn.Module):
    """The image's tower as open_clip has it, its names for sizes and for the token before the patches included."""

    def __init__(self, size=(8, 12), patch=4, width=8):
        super().__init__()
        self.image_size, self.patch_size = size, (patch, patch)
        self.grid_size = (size[0] // patch, size[1] // patch)
        self.conv1 = nn.Conv2d(3, width, patch, patch)
        self.class_embedding = nn.Parameter(torch.randn(width))
        self.transformer = Transformer(width)

    def forward(self, x):
        patches = self.conv1(x).flatten(2).mT
        first = self.class_embedding.expand(len(x), 1, -1)
        return self.transformer(torch.cat([first, patches], 1))[:, 0]


class Clip(nn.Module):
    """open_clip's CLIP: the image's tower has a name, the text's stands at the root, and ids are called `text`."""

    def __init__(self, causal=True):
        super().__init__()
        torch.manual_seed(0)
        self.visual = Tower()
        self.transformer, self.token_embedding = Transformer(8, causal), nn.Embedding(10, 8)

    def forward(self, image=None, text=None):
        image = None if image is None else self.visual(image)
        return image, None if text is None else self.transformer(self.token_embedding(text))


class ClipTokenizer:
    """open_clip's tokenizer: it gives ids alone, all of one length, and pads with the id of a token."""

    def __init__(self):
        words = ["!", "the</w>", "c", "at</w>", "sat</w>"]
        self.decoder = {**dict(enumerate(words)), 8: "<start_of_text>", 9: "<end_of_text>"}
        self.eot_token_id = 9

    def __call__(self, texts):
        rows = [[8, *(1, 2, 3, 4)[: len(text.split()) + 1], 9] for text in texts]
        return torch.tensor([row + [0] * (8 - len(row)) for row in rows])
