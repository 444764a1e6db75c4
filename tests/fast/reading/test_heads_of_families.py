"""The heads of other people's models, one family after the other: turned off, and how long the vectors are that they
write, both against what's computed by hand from each family's own layers.
"""

import pytest
import torch
import transformers
from close import assert_close
from torch import nn

from manyheads import HeadMap, value_norms

HEADS, WIDTH, SIZE, TOKENS = 4, 32, 8, 5
SIZES = {
    **{"hidden_size": WIDTH, "num_attention_heads": HEADS, "num_hidden_layers": 2, "intermediate_size": 48},
    **{"vocab_size": 64, "max_position_embeddings": 128, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2},
}
GROUPED = SIZES | {"num_key_value_heads": 2}
LATENT = {
    **{"q_lora_rank": 16, "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 6},
    **{"n_routed_experts": 2, "num_experts_per_tok": 1, "first_k_dense_replace": 2, "moe_intermediate_size": 16},
    **{"n_group": 1, "topk_group": 1, "head_dim": 4, "num_key_value_heads": HEADS},
}
MAMBA = {
    **{"mamba_d_state": 8, "mamba_expand": 2, "mamba_d_conv": 4, "use_mamba_kernels": False},
    **{"num_experts": 2, "num_experts_per_tok": 1},
}
IDS = torch.arange(3, 3 + TOKENS)[None]
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")


def apart(values, heads=HEADS):  # [b, k, h * d] -> [b, k, h, d]
    return values.unflatten(-1, (heads, -1))


def grouped(values):  # each of two serves two heads
    return apart(values, 2).repeat_interleave(HEADS // 2, 2)


def third(values):  # queries, keys and values of all heads, one after the other
    return apart(values.chunk(3, -1)[-1])


def of_each_head(values):  # queries, keys and values of one head, then of the next
    return apart(values).chunk(3, -1)[-1]


# Of each family: its class, its configuration, its layers' attention, and therein the layer of values, how it has them,
# and W^O; where a family has layers without attention, which have some.
FAMILIES = {
    "BERT": ("BertModel", SIZES, "encoder.layer.{}.attention", "self.value", apart, "output.dense"),
    "ALBERT": (
        "AlbertModel",
        SIZES | {"embedding_size": 16},
        "encoder.albert_layer_groups.0.albert_layers.0.attention",
        *("value", apart, "dense"),
    ),
    "DeBERTa": (
        "DebertaModel",
        SIZES | {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
        *("encoder.layer.{}.attention", "self.in_proj", of_each_head, "output.dense"),
    ),
    "DeBERTa v2": (
        "DebertaV2Model",
        SIZES | {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
        *("encoder.layer.{}.attention", "self.value_proj", apart, "output.dense"),
    ),
    "ModernBERT": ("ModernBertModel", SIZES, "layers.{}.attn", "Wqkv", third, "Wo"),
    "GPT-2": ("GPT2Model", {"n_embd": WIDTH, "n_layer": 2, "n_head": HEADS}, "h.{}.attn", "c_attn", third, "c_proj"),
    "Llama": ("LlamaModel", GROUPED, "layers.{}.self_attn", "v_proj", grouped, "o_proj"),
    "Phi-3": (
        *("Phi3Model", GROUPED, "layers.{}.self_attn", "qkv_proj"),
        *(lambda values: grouped(values[..., -2 * SIZE :]), "o_proj"),
    ),
    "Bloom": (
        "BloomModel",
        {"hidden_size": WIDTH, "n_layer": 2, "n_head": HEADS, "vocab_size": 64},
        *("h.{}.self_attention", "query_key_value", of_each_head, "dense"),
    ),
    "GPT-NeoX": ("GPTNeoXModel", SIZES, "layers.{}.attention", "query_key_value", of_each_head, "dense"),
    "Falcon": (
        *("FalconModel", SIZES | {"multi_query": True}, "h.{}.self_attention", "query_key_value"),
        *(lambda values: values[..., None, -SIZE:].expand(-1, -1, HEADS, -1), "dense"),
    ),
    "Falcon, in groups": (
        "FalconModel",
        SIZES | {"new_decoder_architecture": True, "num_kv_heads": 2},
        *("h.{}.self_attention", "query_key_value"),
        *(lambda values: apart(values, 2).unflatten(-1, (4, -1))[..., -1, :].repeat_interleave(2, 2), "dense"),
    ),
    "MPT": ("MptModel", dict(d_model=WIDTH, n_layers=2, n_heads=HEADS), "blocks.{}.attn", "Wqkv", third, "out_proj"),
    "DeepSeek V2": (
        *("DeepseekV2Model", SIZES | LATENT, "layers.{}.self_attn", "kv_b_proj"),
        *(lambda values: apart(values.squeeze(1))[..., -6:], "o_proj"),
    ),
    "DeepSeek V3": (
        *("DeepseekV3Model", SIZES | LATENT, "layers.{}.self_attn", "kv_b_proj"),
        *(lambda values: apart(values.squeeze(1))[..., -6:], "o_proj"),
    ),
    "OPT": (
        "OPTModel",
        {"hidden_size": WIDTH, "word_embed_proj_dim": WIDTH, "num_attention_heads": HEADS, "num_hidden_layers": 2}
        | {"ffn_dim": 48, "vocab_size": 64},
        *("decoder.layers.{}.self_attn", "v_proj", apart, "out_proj"),
    ),
    "Jamba": (
        "JambaModel",
        GROUPED | MAMBA | {"num_hidden_layers": 8, "attn_layer_period": 8, "attn_layer_offset": 4, "num_experts": 2},
        *("layers.{}.self_attn", "v_proj", grouped, "o_proj", [4]),
    ),
    "Falcon-H1": (
        "FalconH1Model",
        GROUPED | {"mamba_d_ssm": 32, "mamba_n_heads": 4, "mamba_d_head": 8, "mamba_d_state": 8, "mamba_n_groups": 1},
        *("layers.{}.self_attn", "v_proj", grouped, "o_proj"),
    ),
    "Zamba2": (
        "Zamba2Model",
        SIZES
        | {"layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"], "num_hidden_layers": 4, "use_mem_rope": True}
        | {"mamba_d_state": 8, "n_mamba_heads": 4, "mamba_headdim": 16, "attention_head_dim": 16, "num_mem_blocks": 1},
        *("layers.{}.shared_transformer.self_attn", "v_proj", apart, "o_proj", [1, 3]),
    ),
}


def made(family):
    kind, sizes, *_ = FAMILIES[family]
    torch.manual_seed(0)
    config = getattr(transformers, kind).config_class(**{"vocab_size": 64} | sizes)
    model = getattr(transformers, kind)(config).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.2)
    return model


def attentions(model, family):
    """The attention of each layer that has some, by the layer's number; one and the same for layers that share it."""
    _, _, place, *_, last = FAMILIES[family]
    numbers = last if isinstance(last, list) else range(2)
    return {number: model.get_submodule(place.format(number)) for number in numbers}


def calls(model, layers, hook):
    """Calls a model; `hook(number, layer, arguments, output)` sees the layers, which may be shared, in their order."""
    waiting = [*layers.items()]

    def seen(layer, arguments, output=None):
        number, expected = waiting.pop(0)
        assert layer is expected
        return hook(number, layer, arguments, output)

    handles = [layer.register_forward_hook(seen) for layer in dict.fromkeys(layers.values())]
    output = model(IDS)
    for handle in handles:
        handle.remove()
    return output


@torch.no_grad()
@pytest.mark.parametrize("family", FAMILIES)
def test_a_head_is_off_as_if_its_columns_of_the_output_projection_were_zero(family):
    model = made(family)
    _, _, _, _, _, name, *_ = FAMILIES[family]
    outputs = {number: part.get_submodule(name) for number, part in attentions(model, family).items()}
    seen = []

    def predictions(output):
        seen.append(output[0].clone())
        return {}

    shown = HeadMap.of(model, inputs={"input_ids": IDS}, predictions=predictions)
    assert shown.attention.layer_names == [f"layer {number + 1}" for number in outputs]
    for place, (number, layer) in enumerate(outputs.items()):
        off = [1] if place else [0, 2, 3]
        mask = [[row != place or head not in off for head in range(HEADS)] for row in range(len(outputs))]
        shown.head_mask = mask
        weight = layer.weight.T if type(layer).__name__ == "Conv1D" else layer.weight  # [d, h * d_v]
        columns = torch.tensor([head in off for head in range(HEADS)]).repeat_interleave(weight.shape[1] // HEADS)

        def without(at, _, arguments, output, number=number, weight=weight, columns=columns):
            return output - (arguments[0] * columns) @ weight.T if at == number else output

        expected = calls(model, outputs, without)[0]
        assert not torch.allclose(seen[0], expected, atol=1e-3)
        assert_close(seen[-1], expected)


@torch.no_grad()
@pytest.mark.parametrize("family", FAMILIES)
def test_value_norms_are_those_of_values_times_the_output_projection(family):
    model = made(family)
    _, _, _, values, split, name, *_ = FAMILIES[family]
    parts, found = attentions(model, family), []

    def measure(number, _, __, output):
        own = split(output[0] if isinstance(output, tuple) else output)
        if family == "DeBERTa":
            own = own + parts[number].self.v_bias.unflatten(0, (HEADS, -1))
        weight = parts[number].get_submodule(name).weight
        weight = weight if type(parts[number].get_submodule(name)).__name__ == "Conv1D" else weight.T
        found.append(torch.einsum("bkhd,hde->bhke", own, weight.unflatten(0, (HEADS, -1))).norm(dim=-1)[0])

    calls(model, {number: part.get_submodule(values) for number, part in parts.items()}, measure)
    norms = value_norms(model, {"input_ids": IDS})
    assert_close(norms, torch.stack(found))
