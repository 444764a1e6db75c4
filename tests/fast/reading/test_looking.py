"""Looking at a model leaves all of it as it was, whatever it's made of, whoever looks and however the look ends."""

import random
import threading
from contextlib import nullcontext, suppress

import numpy as np
import pretended_gpu
import pytest
import torch
import transformers
from accelerate import cpu_offload
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import distributed, nn
from torch.distributed.fsdp import fully_shard

from manyheads.reading.value_norms import value_norms
from manyheads.widgets import HeadMap

WIDTH, TOKENS = 8, 4
IDS = torch.arange(3, 3 + TOKENS)[None]
SIZES = {"hidden_size": WIDTH, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": WIDTH}
BERT = transformers.BertConfig(**SIZES, vocab_size=16)
IMAGES = transformers.CLIPVisionConfig(**SIZES, image_size=4, patch_size=2)
LLAVA = {"image_token_index": 15, "vision_feature_layer": -1, "vision_feature_select_strategy": "default"}
KERNELS = ("eager", "sdpa")


class Restless(nn.Module):
    """What modules do besides computing: they count, keep, write, replace, switch and draw random numbers."""

    def __init__(self):
        super().__init__()
        self.inner, self.calls, self.seen, self.kept = nn.Linear(WIDTH, WIDTH), 0, [], {}
        self.norm = nn.BatchNorm1d(WIDTH)
        self.register_buffer("written", torch.zeros(2))
        self.register_buffer("replaced", torch.zeros(2))

    def forward(self, x):
        self.calls += 1
        self.seen.append(self.calls)
        self.kept["last"] = self.last = x
        self.written += 1
        self.replaced = self.replaced + 1
        self.inner.weight_before = self.inner.weight
        torch.backends.mha.set_fastpath_enabled(not torch.backends.mha.get_fastpath_enabled())
        noise = torch.rand(()) + random.random() + np.random.rand()  # noqa: NPY002
        return self.norm((self.inner(x) + noise).mT).mT


class OwnCache:
    """A cache as people write one: tensors, and how far they're filled."""

    def __init__(self):
        self.keys, self.length = [torch.zeros(TOKENS, WIDTH)], 0


class Frozen(dict):
    """A dict that can't be written to, as diffusers keeps its configurations."""

    def refuse(self, *_):
        raise TypeError("it is frozen")

    update = clear = __setitem__ = refuse


class Caching(nn.Module):
    """What modules keep beside parameters and buffers: tensors, lists and dicts of them, caches, a generator."""

    def __init__(self):
        super().__init__()
        self.inner, self.cache_k = nn.Linear(WIDTH, WIDTH), torch.zeros(TOKENS, WIDTH)
        self.lists, self.named = [torch.zeros(2), [torch.zeros(3)]], {"kept": [torch.zeros(2)]}
        self.own, self.cache = OwnCache(), transformers.DynamicCache()
        self.static = transformers.StaticCache(config=BERT, max_cache_len=64)
        self.draws, self.settings = torch.Generator().manual_seed(0), Frozen(width=WIDTH)
        with torch.inference_mode():
            self.inferred = torch.zeros(2)

    def forward(self, x):
        self.cache_k[: x.shape[-2]] = x[0]
        self.lists[0] += 1
        self.lists[1][0].fill_(x.sum())
        self.named["kept"][0].add_(1)
        self.named["kept"].append(x)
        self.own.keys[0][: x.shape[-2]] = x[0]
        self.own.length += 1
        self.cache.update(x[:, None], x[:, None], 0)
        self.static.update(x[:, None], x[:, None], 0)
        with torch.inference_mode():
            self.inferred.add_(1)
        return self.inner(x) + torch.rand((), generator=self.draws)


def held(thing):
    """All that a cache holds, as something that can be compared."""
    if isinstance(thing, torch.Tensor):
        return thing.tolist()
    if isinstance(thing, torch.Generator):
        return thing.get_state().tolist()
    if isinstance(thing, (list, tuple)):
        return [held(one) for one in thing]
    if isinstance(thing, dict):
        return {name: held(one) for name, one in thing.items()}
    if isinstance(thing, (OwnCache, transformers.Cache)) or hasattr(thing, "lazy_initialization"):
        return {name: held(one) for name, one in vars(thing).items() if name != "layer_class_to_replicate"}
    return repr(thing)


CACHES = ("settings", "cache_k", "lists", "named", "own", "cache", "static", "draws", "inferred")


class Reader(nn.Module):
    """A model of Hugging Face as a part of another."""

    def __init__(self, kernel):
        super().__init__()
        self.bert = transformers.BertModel._from_config(BERT, attn_implementation=kernel)

    def forward(self, ids):
        return self.bert(ids).last_hidden_state


def llava(kernels):
    text = transformers.LlamaConfig(**SIZES, vocab_size=16, max_position_embeddings=16)
    config = transformers.LlavaConfig(vision_config=IMAGES, text_config=text, **LLAVA)
    of_images, of_text, whole = kernels
    by_part = {"": whole, "vision_config": of_images, "text_config": of_text}
    return transformers.LlavaModel._from_config(config, attn_implementation=by_part)


def layer():
    return nn.TransformerEncoderLayer(WIDTH, 2, WIDTH, batch_first=True)


@st.composite
def models(draw):
    """A model with its inputs: its parts frozen, shared, with gradients, hooks and in training mode, at random."""
    torch.manual_seed(0)
    kind = draw(st.sampled_from(["layers", "shared", "within", "llava", "caching", "offloaded", "on a GPU"]))
    kernels = [draw(st.sampled_from(KERNELS)) for _ in range(3)]
    if kind == "llava":
        ids = torch.tensor([[3, 15, 15, 15, 15, 4]])
        model, inputs = llava(kernels), {"input_ids": ids, "pixel_values": torch.ones(1, 3, 4, 4)}
    elif kind == "within":
        model, inputs = nn.Sequential(Reader(kernels[0]), Restless(), layer()), IDS
    elif kind == "caching":
        model, inputs = nn.Sequential(Caching(), layer(), Caching()), torch.ones(1, TOKENS, WIDTH)
        model[0](torch.rand(1, 2, WIDTH).detach())  # so that it has something to lose
    else:
        first = layer()
        model = nn.Sequential(first, Restless(), first if kind == "shared" else layer())
        inputs = torch.ones(1, TOKENS, WIDTH)
    chance = random.Random(draw(st.integers(0, 2**16)))
    for part in model.modules():
        part.training = chance.random() < 0.5
        if chance.random() < 0.2:
            part.register_forward_hook(lambda *_: None)
    for parameter in model.parameters():
        parameter.requires_grad_(chance.random() < 0.5)
        if chance.random() < 0.5:
            parameter.grad = torch.ones_like(parameter)
    if kind == "offloaded":
        model, inputs = cpu_offload(Reader(kernels[0]).requires_grad_(False)), IDS
    return (pretended_gpu.put(model) if kind == "on a GPU" else model), inputs


def everything(model):
    """All that a look may not change, of a model and around it, as something that can be compared."""
    parts, configs = [*model.modules()], {}
    waiting = [part.config for part in parts if hasattr(part, "config")]
    while waiting:
        config = waiting.pop()
        if id(config) not in configs:
            configs[id(config)] = (config._attn_implementation, repr(config))
            waiting += [value for value in vars(config).values() if hasattr(value, "to_dict")]
    tensors = [(name, one) for name, one in (*model.named_parameters(), *model.named_buffers()) if not one.is_meta]
    grads = [None if one.grad is None else (id(one.grad), one.grad.tolist()) for one in model.parameters()]
    hooks = ("_forward_hooks", "_forward_pre_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called")
    return {
        "training": [part.training for part in parts],
        "attributes": [sorted(vars(part)) for part in parts],
        "hooks": [[list(getattr(part, name)) for name in (*hooks, "_forward_pre_hooks_with_kwargs")] for part in parts],
        "counts": [(part.calls, list(part.seen), list(part.kept)) for part in parts if isinstance(part, Restless)],
        "meta": [name for name, one in model.named_parameters() if one.is_meta],
        "caches": [held(getattr(part, name)) for part in parts if isinstance(part, Caching) for name in CACHES],
        "tensors": [(name, id(one), one.requires_grad, one.tolist()) for name, one in tensors],
        "grads": grads,
        "configurations": configs,
        "random numbers": (random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()),  # noqa: NPY002
        "switches": (torch.backends.mha.get_fastpath_enabled(), torch.is_grad_enabled(), torch.get_default_dtype()),
    }


def on_its_device(model):
    """Where a model on a pretended GPU can compute, in this thread."""
    return pretended_gpu.device() if next(model.parameters()).is_cuda else nullcontext()


def look(model, inputs):
    HeadMap.of(model, inputs=inputs)


def measure(model, inputs):
    value_norms(model, inputs, part="text" if isinstance(inputs, dict) else None)


def fail(model, inputs):
    HeadMap.of(model, inputs=(inputs, "one too many", "and another"))


def interrupted(model, inputs):
    """Ctrl-C while a part computes, in the middle of the model."""

    def interrupt(*_):
        raise KeyboardInterrupt

    handle = [*model.modules()][-1].register_forward_hook(interrupt)
    try:
        HeadMap.of(model, inputs=inputs)
    finally:
        handle.remove()


def in_threads(model, inputs):
    def one(way):
        with on_its_device(model), suppress(ValueError, TypeError):
            way(model, inputs)

    threads = [threading.Thread(target=one, args=(way,)) for way in (look, measure, look)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("way", [look, measure, fail, interrupted, in_threads])
@settings(max_examples=20)
@given(model_and_inputs=models())
def test_a_look_changes_nothing(way, model_and_inputs):
    model, inputs = model_and_inputs
    before = everything(model)
    with on_its_device(model), suppress(ValueError, TypeError, AttributeError, KeyboardInterrupt):
        way(model, inputs)
    after = everything(model)
    assert {name: after[name] for name in after if after[name] != before[name]} == {}


@pytest.fixture(scope="module")
def one_process():
    """Models may be sharded, on this process alone."""
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


@pytest.mark.parametrize("way", [look, measure, fail, interrupted])
@pytest.mark.parametrize("trained", [False, True])
def test_a_sharded_model_is_sharded_again_and_trains_on(one_process, way, trained):
    """Before the first step and after it, when FSDP2 has gathered the outermost parameters, or not."""

    def losses(looked_at):
        torch.manual_seed(0)
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES, vocab_size=16, pad_token_id=0)).train()
        for inner in model.model.layers:
            fully_shard(inner)
        fully_shard(model)
        optimizer, found = torch.optim.SGD(model.parameters(), 0.1), []
        for step in range(3):
            if step == trained and looked_at:
                before = [type(parameter) for parameter in model.parameters()]
                with suppress(ValueError, TypeError, AttributeError, KeyboardInterrupt):
                    way(model, IDS)
                if way is look:
                    assert [type(parameter) for parameter in model.parameters()] == before
            loss = model(IDS, labels=IDS).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            found.append(loss.item())
        return found

    assert losses(True) == losses(False)
