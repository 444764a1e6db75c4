"""The pretended GPU's cases on a real one, and what only a real one has: sizes, libraries, NCCL. `make test-gpu`."""

import time

import numpy as np
import pytest
import torch
from gpu_cases import CASES, IDS, TEXT, TOKENIZER, alike, gpt2, layers, llama, words
from torch import distributed, nn
from transformers import LlamaConfig, LlamaForCausalLM

from manyheads import HeadMap
from manyheads.attention import MultiHeadAttention

assert torch.cuda.is_available(), "there is no GPU here: the pretended one is in tests/fast/maps"


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
    np.testing.assert_allclose(HeadMap.of(cupy.asarray(weights), list("abcde")).attention.weights, weights, atol=1e-6)


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


SIZES = [(128, {}), (512, {}), (1024, {}), (2047, {}), (4096, {}), (8192, {}), (512, {"max_weights": 2**32})]


@pytest.mark.parametrize(("tokens", "options"), [*SIZES, (1024, {"max_weights": 2**32}), (2047, {"layers": [3]})])
def test_a_model_of_a_real_size(tokens, options, record_property):
    """1.1 billion parameters in bfloat16: prints seconds, memory of the GPU and of the host."""
    import resource

    sizes = {"hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22, "num_attention_heads": 32}
    config = LlamaConfig(vocab_size=32000, num_key_value_heads=4, max_position_embeddings=32768, **sizes)
    with torch.device("cuda"):
        model = LlamaForCausalLM(config).to(torch.bfloat16).eval()
    ids = torch.randint(5, 30000, (1, tokens))
    names = [f"w{at}" if at % 20 else "." for at in range(tokens)]
    with torch.no_grad():
        model(ids[:, :64].cuda())
        torch.cuda.synchronize()
        start = time.time()
        model(ids.cuda())
        torch.cuda.synchronize()
    passed = time.time() - start
    HeadMap.of(model, inputs=ids[:, :8])
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before, host, start = torch.cuda.memory_allocated(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.time()
    shown = HeadMap.of(model, names, inputs=ids, **options)
    took, more = time.time() - start, (torch.cuda.max_memory_allocated() - before) / 1e9
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - host) / 1e6
    print(
        f"\n{tokens} tokens {options}: pass {passed:.2f} s, map {took:.1f} s {shown.attention.shape}, "
        f"{more:.2f} GB more of the GPU, {grown:.1f} GB more of the host"
    )
    assert more < 1.5
    assert took < 10


def test_our_module_compiled():
    module, x = MultiHeadAttention(64, 4).cuda(), torch.randn(2, 9, 64, device="cuda")
    assert (module(x)[0] - torch.compile(module, fullgraph=True)(x)[0]).abs().max() < 1e-5
