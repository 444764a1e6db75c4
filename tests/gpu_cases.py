"""What a reader does with a model on a GPU: the same cases on a real one (`tests/gpu`) and on a pretended one.

A case gets the GPU: `put(module)` brings a module there, `there(tensor)` a tensor. What it shows is compared with what
the same model shows on the CPU.
"""

import pytest
import torch
from close import assert_close
from libraries import GPT2, LLAMA, VISION, made, tokenizer
from torch import nn
from transformers import BatchEncoding, DynamicCache, ViTConfig

import manyheads
from manyheads import HeadMap, value_norms

TEXT = "the cat sat on the mat ."
CASES = {}


def case(name, *arguments):
    """Keeps a case under a name; with arguments, one of several."""

    def keep(check):
        CASES[name] = (lambda gpu: check(gpu, *arguments)) if arguments else check
        return check

    return keep


TOKENIZER = tokenizer(marks=False)
IDS = TOKENIZER(TEXT, return_tensors="pt").input_ids


def gpt2():
    return made("GPT2LMHeadModel", GPT2)


def llama(kernel="sdpa"):
    return made("LlamaForCausalLM", LLAMA, kernel)


def vit():
    return made("ViTModel", ViTConfig(**VISION))


def layers():
    torch.manual_seed(0)
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 48, batch_first=True), 2).eval()


def words():
    return torch.randn(1, 5, 32, generator=torch.Generator().manual_seed(1))


def pixels():
    return torch.randn(1, 3, 28, 28, generator=torch.Generator().manual_seed(1))


def alike(shown, wanted, part=None):
    """Two maps with the same tokens and, up to rounding, the same weights."""
    assert shown.attention.key_tokens == wanted.attention.key_tokens
    assert_close(shown.attention.weights, wanted.attention.weights, part=part)


@case("a text and its tokenizer")
def a_text(gpu):
    alike(*(HeadMap.of(model, TEXT, tokenizer=TOKENIZER) for model in (gpu.put(gpt2()), gpt2())))


@case("the tokenizer's own inputs")
def encoded(gpu):
    inputs = TOKENIZER(TEXT, return_tensors="pt")
    alike(*(HeadMap.of(model, inputs=inputs, tokenizer=TOKENIZER) for model in (gpu.put(gpt2()), gpt2())))
    assert isinstance(inputs, BatchEncoding)
    assert inputs.input_ids.device.type == "cpu"


@case("a tokenizer's inputs that are on the GPU")
def encoded_there(gpu):
    inputs = TOKENIZER(TEXT, return_tensors="pt")
    given = {name: gpu.there(value) for name, value in inputs.items()}
    wanted = HeadMap.of(gpt2(), inputs=inputs, tokenizer=TOKENIZER)
    alike(HeadMap.of(gpu.put(gpt2()), inputs=given, tokenizer=TOKENIZER), wanted)


@case("ids on the CPU")
def ids(gpu):
    alike(*(HeadMap.of(model, inputs=IDS) for model in (gpu.put(gpt2()), gpt2())))


@case("ids on the GPU")
def ids_there(gpu):
    alike(HeadMap.of(gpu.put(gpt2()), inputs=gpu.there(IDS)), HeadMap.of(gpt2(), inputs=IDS))


@case("a tuple of arguments, a mask by name")
def tuples(gpu):
    alike(HeadMap.of(gpu.put(layers()), inputs=(words(), None)), HeadMap.of(layers(), inputs=(words(), None)))
    mask = torch.tensor([[1, 1, 1, 1, 1, 0, 0]])
    inputs = {"input_ids": IDS, "attention_mask": mask}
    alike(*(HeadMap.of(model, inputs=inputs) for model in (gpu.put(gpt2()), gpt2())))


@case("a prompt that the model keeps in its cache")
def cached(gpu):
    def second_turn(model, where):
        past = DynamicCache()
        with torch.no_grad():
            model(where(IDS), past_key_values=past)
        return HeadMap.of(model, inputs={"input_ids": IDS[:, :3], "past_key_values": past})

    alike(second_turn(gpu.put(gpt2()), gpu.there), second_turn(gpt2(), lambda tensor: tensor))


@case("pixels")
def picture(gpu):
    alike(*(HeadMap.of(model, inputs=pixels(), image=pixels()) for model in (gpu.put(vit()), vit())))


@case("pixels in double precision, which no layer takes")
def doubled(gpu):
    alike(HeadMap.of(gpu.put(vit()), inputs=pixels().double()), HeadMap.of(vit(), inputs=pixels()))


@case("heads off")
def heads_off(gpu):
    def shown(model, inputs):
        def predictions(output):
            return {"next": dict(zip("abc", output.logits.softmax(-1)[0, -1, :3].tolist()))}

        attention = HeadMap.of(model, inputs=inputs, predictions=predictions)
        attention.head_mask = [[True, False, True, True], [True] * 4]
        return attention

    there, here = shown(gpu.put(gpt2()), gpu.there(IDS)), shown(gpt2(), IDS)
    alike(there, here)
    assert there.attention.predictions["next"] == pytest.approx(here.attention.predictions["next"], abs=1e-5)


@case("value norms")
def norms(gpu):
    inputs = TOKENIZER(TEXT, return_tensors="pt")
    assert_close(value_norms(gpu.put(gpt2()), inputs), value_norms(gpt2(), inputs))


@case("what generate returned")
def generated(gpu):
    def written(model, ids):
        model.set_attn_implementation("eager")
        options = {"output_attentions": True, "return_dict_in_generate": True, "pad_token_id": 0}
        return HeadMap.of(model.generate(ids, max_new_tokens=3, do_sample=False, **options), tokenizer=TOKENIZER)

    alike(written(gpu.put(gpt2()), gpu.there(IDS)), written(gpt2(), IDS))


@case("outputs of a call")
def outputs(gpu):
    def returned(model, ids):
        with torch.no_grad():
            return HeadMap.of(model(ids, output_attentions=True), TEXT.split())

    alike(returned(gpu.put(llama("eager")), gpu.there(IDS)), returned(llama("eager"), IDS))


@case("bfloat16, sdpa", torch.bfloat16, "sdpa")
@case("bfloat16, eager", torch.bfloat16, "eager")
@case("float16, sdpa", torch.float16, "sdpa")
@case("float16, eager", torch.float16, "eager")
def half(gpu, dtype, kernel):
    alike(HeadMap.of(gpu.put(llama(kernel).to(dtype)), inputs=IDS), HeadMap.of(llama(), inputs=IDS), part=0.02)


@case("PyTorch's layers in bfloat16, x as float32")
def half_layers(gpu):
    alike(HeadMap.of(gpu.put(layers().bfloat16()), inputs=words()), HeadMap.of(layers(), inputs=words()), part=0.02)


@case("compiled")
def compiled(gpu):
    alike(HeadMap.of(torch.compile(gpu.put(gpt2())), inputs=IDS), HeadMap.of(gpt2(), inputs=IDS))


@case("by sentences, and one opened", torch.float32, None)
@case("by sentences, and one opened, in bfloat16", torch.bfloat16, 0.02)
def by_sentences(gpu, dtype, part):
    ids = IDS.repeat(1, 40)  # 280 tokens
    tokens = TEXT.split() * 40
    models = gpu.put(llama().to(dtype)), llama()
    there, here = (HeadMap.of(model, tokens, inputs=ids, max_weights=150_000) for model in models)
    assert there.attention.shape == (2, 4, 40, 40)
    alike(there, here, part)
    for attention in (there, here):
        attention.query = 7
    assert there.attention.shape == (2, 4, 46, 46)
    alike(there, here, part)


class Wrapped(nn.Module):
    """A model within another, whose cache is a plain attribute."""

    def __init__(self):
        super().__init__()
        self.model, self.seen = llama(), None

    def forward(self, ids):
        self.seen = ids
        return self.model(ids).logits


@case("a model within one's own")
def within(gpu):
    alike(HeadMap.of(gpu.put(Wrapped()), inputs=IDS), HeadMap.of(Wrapped(), inputs=IDS))


OURS = {"focus": TEXT, "induction": "tea tea", "translator": "The girls eat the red apple.", "encoder": TEXT}


def ours_there(gpu, name):
    model = manyheads.load_model(name)
    wanted = model(OURS[name])
    if isinstance(model, nn.Module):
        return gpu.put(model)(OURS[name]), wanted
    model.model = gpu.put(model.model)
    return model(OURS[name]), wanted


@case("our focus model", "focus")
@case("our induction model", "induction")
@case("our translator", "translator")
def ours(gpu, name):
    shown, wanted = ours_there(gpu, name)
    assert_close(shown.weights, wanted.weights)
    assert shown.predictions.keys() == wanted.predictions.keys()


@case("our models, whatever the default device")
def default_device(gpu):
    with torch.device("cuda"):
        shown = {name: manyheads.load_model(name)(text) for name, text in OURS.items() if name != "encoder"}
        assert HeadMap("They never like tea.").attention.shape == (2, 4, 7, 7)
    for name, attention in shown.items():
        assert_close(attention.weights, manyheads.load_model(name)(OURS[name]).weights)


@case("our models, whatever the default dtype")
def default_dtype(gpu):
    torch.set_default_dtype(torch.bfloat16)
    try:
        shown = {name: manyheads.load_model(name)(text) for name, text in OURS.items() if name != "encoder"}
        assert torch.get_default_dtype() == torch.bfloat16
    finally:
        torch.set_default_dtype(torch.float32)
    for name, attention in shown.items():
        assert_close(attention.weights, manyheads.load_model(name)(OURS[name]).weights)


@case("an error of the model's own pass")
def own_error(gpu):
    with pytest.raises(AssertionError, match="was expecting embedding dimension of 32, but got 31"):
        HeadMap.of(gpu.put(layers()), inputs=torch.randn(1, 5, 31))
    wide = torch.zeros(1, 1, 9, 9)
    for kernel in ("eager", "sdpa"):
        with pytest.raises(RuntimeError, match=r"^(?!.*eager).*size"):
            HeadMap.of(gpu.put(llama(kernel)), inputs={"input_ids": IDS, "attention_mask": wide})
