"""The pretended GPU's cases on a real one, and what only a real one has: sizes, libraries, NCCL. `make test-gpu`."""

import resource
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from close import assert_close
from gpu_cases import CASES, IDS, TEXT, TOKENIZER, alike, gpt2, layers, llama, words
from torch import distributed, nn
from transformers import LlamaConfig, LlamaForCausalLM

from manyheads import HeadMap
from manyheads.attention import MultiHeadAttention

assert torch.cuda.is_available(), "there is no GPU here: the pretended one is in tests/fast/reading"


class Real:
    @staticmethod
    def put(module):
        return module.to("cuda")

    @staticmethod
    def there(tensor):
        return tensor.cuda()


@pytest.mark.parametrize("name", CASES)
def test_what_a_reader_does_with_a_model_on_a_gpu(name):
    CASES[name](Real)


def test_a_model_that_is_spread_over_gpu_and_cpu():
    dispatch_model = pytest.importorskip("accelerate").dispatch_model
    model = llama()
    rest = {"model.embed_tokens": 0, "model.norm": 0, "model.rotary_emb": 0, "lm_head": 0}
    dispatch_model(model, {**rest, "model.layers.0": 0, "model.layers.1": "cpu"}, main_device=0)
    alike(HeadMap.of(model, TEXT, tokenizer=TOKENIZER), HeadMap.of(llama(), TEXT, tokenizer=TOKENIZER))


def test_an_adapted_model():
    peft = pytest.importorskip("peft")
    model = peft.get_peft_model(gpt2().cuda(), peft.LoraConfig(target_modules=["c_attn"]))
    alike(HeadMap.of(model, TEXT, tokenizer=TOKENIZER), HeadMap.of(gpt2(), TEXT, tokenizer=TOKENIZER))


def test_an_array_of_cupy():
    cupy = pytest.importorskip("cupy")
    weights = np.random.default_rng(0).dirichlet(np.ones(5), (2, 3, 5)).astype("f4")
    assert_close(HeadMap.of(cupy.asarray(weights), list("abcde")).attention.weights, weights)


@pytest.fixture
def process_group():
    distributed.init_process_group("nccl", store=distributed.HashStore(), rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


def sharded():
    from torch.distributed.fsdp import fully_shard

    model = layers().cuda().train()
    for layer in model.layers:
        fully_shard(layer)
    return fully_shard(model)


def parallel():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    ways = dict.fromkeys(("q_proj", "k_proj", "v_proj"), ColwiseParallel()) | {"o_proj": RowwiseParallel()}
    plan = {f"model.layers.{layer}.self_attn.{name}": way for layer in range(2) for name, way in ways.items()}
    return parallelize_module(llama().cuda(), init_device_mesh("cuda", (1,)), plan)


def test_a_model_in_pieces(process_group):
    alike(HeadMap.of(parallel(), inputs=IDS), HeadMap.of(llama(), inputs=IDS))
    alike(HeadMap.of(sharded(), inputs=words()), HeadMap.of(layers(), inputs=words()))


@pytest.mark.parametrize("make", [sharded, lambda: nn.parallel.DistributedDataParallel(layers().cuda())])
def test_training_goes_on_after_a_look(process_group, make):
    def losses(looks):
        model, found = make(), []
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for step in range(3):
            torch.manual_seed(step)
            loss = model(words().cuda()).pow(2).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            found.append(loss.item())
            if looks:
                HeadMap.of(model, inputs=words())
        return found

    assert losses(True) == losses(False)


TIMM = ["vit_tiny_patch16_224", "vit_small_patch14_reg4_dinov2", "deit_tiny_distilled_patch16_224", "convit_tiny"]


@pytest.mark.parametrize("name", [*TIMM, "eva02_tiny_patch14_224", "beit_base_patch16_224", "visformer_tiny"])
def test_pictures_of_timm(name):
    timm = pytest.importorskip("timm")
    model = timm.create_model(name).eval().cuda()
    pixels = torch.rand(1, *model.default_cfg["input_size"])
    part = "layers 11 to 12" if name == "convit_tiny" else None  # before these it has no [CLS]
    attention = HeadMap.of(model, inputs=pixels, image=pixels, part=part).attention
    assert attention.picture is not None
    assert getattr(model, "num_prefix_tokens", 0) == 0 or attention.key_tokens[0] == "[CLS]"


def test_attention_over_channels_is_not_shown_as_places():
    timm = pytest.importorskip("timm")
    model = timm.create_model("xcit_nano_12_p16_224").eval().cuda()
    shown = HeadMap.of(model, inputs=torch.rand(1, 3, 224, 224)).attention
    assert shown.shape[-1] == 197
    assert any("channels" in note for note in shown.notes)


@pytest.fixture(scope="module")
def large():
    """1.1 billion parameters in bfloat16."""
    sizes = {"hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22, "num_attention_heads": 32}
    config = LlamaConfig(vocab_size=32000, num_key_value_heads=4, max_position_embeddings=32768, **sizes)
    with torch.device("cuda"):
        return LlamaForCausalLM(config).to(torch.bfloat16).eval()


@contextmanager
def measured(found):
    """Within this, seconds and the most gigabytes that the GPU and the host need more, as `found`."""
    done, host = threading.Event(), [resident()]

    def look():
        while not done.wait(0.005):
            host.append(resident())

    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    watcher = threading.Thread(target=look)
    watcher.start()
    before, start = torch.cuda.memory_allocated(), time.perf_counter()
    yield
    torch.cuda.synchronize()
    found["s"] = time.perf_counter() - start
    done.set()
    watcher.join()
    found |= {"GPU": (torch.cuda.max_memory_allocated() - before) / 1e9, "host": (max(host) - host[0]) / 1e9}


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


WHOLE = {"max_weights": 2**33}
SIZES = [(tokens, {}) for tokens in (128, 512, 1024, 2047, 4096, 8192)]
SIZES += [(512, WHOLE), (1024, WHOLE), (2047, WHOLE), (2047, {"layers": [3], **WHOLE})]


@pytest.mark.parametrize(("tokens", "options"), SIZES)
def test_a_model_of_a_real_size(large, tokens, options):
    """Prints what a map takes, beside the model's own pass."""
    ids = torch.randint(5, 30000, (1, tokens))
    names = [f"w{at}" if at % 20 else "." for at in range(tokens)]
    HeadMap.of(large, inputs=ids[:, :8])
    own, ours = {}, {}
    with torch.no_grad():
        large(ids.cuda())
        with measured(own):
            large(ids.cuda())
    with measured(ours):
        shown = HeadMap.of(large, names, inputs=ids, **options)
    told = ", ".join(f"{name} {own[name]:.2f} {ours[name]:.2f}" for name in own)
    print(f"\n{tokens} tokens {options} {shown.attention.shape}: pass and map, {told}")
    if not options and tokens < 4096:
        assert ours["s"] < 10
        assert ours["GPU"] < 1.5


def test_our_module_compiled():
    module, x = MultiHeadAttention(64, 4).cuda(), torch.randn(2, 9, 64, device="cuda")
    assert_close(torch.compile(module, fullgraph=True)(x)[0], module(x)[0])
