"""HeadMap.of: every source of attentions that it knows, from models of random weights, and what it says of the others."""

import numpy as np
import pytest
import torch
import transformers
from torch import nn

from manyheads.maps import AttentionMap
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
T5 = transformers.T5Config(d_model=WIDTH, d_kv=8, d_ff=WIDTH, num_layers=LAYERS, num_heads=HEADS, vocab_size=50)
T5.decoder_start_token_id = 0
LLAMA = transformers.LlamaConfig(**SIZES, num_key_value_heads=2)


def model(kind, config, implementation="eager"):
    torch.manual_seed(0)
    return getattr(transformers, kind)._from_config(config, attn_implementation=implementation).eval()


def output(kind, config, **inputs):
    with torch.no_grad():
        return model(kind, config)(**(inputs or {"input_ids": IDS}), output_attentions=True)


def generated(kind, config, input_ids=IDS, tokens=4, implementation="eager", **options):
    options = {"max_new_tokens": tokens, "do_sample": False, "pad_token_id": 0, "eos_token_id": 49, **options}
    given = {"return_dict_in_generate": True, "output_attentions": True}
    return model(kind, config, implementation).generate(input_ids, **options, **given)


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


BERT = transformers.BertConfig(**SIZES)
WHOLE = (LAYERS, HEADS, KEYS, KEYS)
BOTH = {"input_ids": IDS, "decoder_input_ids": ASKING_IDS}
SOURCES = {  # what is given, the shape of each map
    "BERT, an encoder": (lambda: output("BertModel", transformers.BertConfig(**SIZES)), {"": WHOLE}),
    "Llama, grouped queries": (lambda: output("LlamaModel", LLAMA), {"": WHOLE}),
    "T5, encoder and decoder": (
        lambda: output("T5Model", T5, **BOTH),
        {"encoder": WHOLE, "decoder": (LAYERS, HEADS, QUERIES, QUERIES), "cross": (LAYERS, HEADS, QUERIES, KEYS)},
    ),
    "the attentions alone": (lambda: output("BertModel", transformers.BertConfig(**SIZES)).attentions, {"": WHOLE}),
    "nn.TransformerEncoder": (lambda: (stack(), torch.randn(1, KEYS, WIDTH)), {"": WHOLE}),
    "nn.Transformer": (
        lambda: (
            nn.Transformer(WIDTH, HEADS, LAYERS, LAYERS, WIDTH, batch_first=True),
            (torch.randn(1, KEYS, WIDTH), torch.randn(1, QUERIES, WIDTH)),
        ),
        {"encoder": WHOLE, "decoder": (LAYERS, HEADS, QUERIES, QUERIES), "cross": (LAYERS, HEADS, QUERIES, KEYS)},
    ),
    "nn.MultiheadAttention": (
        lambda: (nn.MultiheadAttention(WIDTH, HEADS), [torch.randn(KEYS, WIDTH)] * 3),
        {"": (1, HEADS, KEYS, KEYS)},
    ),
    "its result, unaveraged": (
        lambda: nn.MultiheadAttention(WIDTH, HEADS)(*[torch.randn(KEYS, WIDTH)] * 3, average_attn_weights=False),
        {"": (1, HEADS, KEYS, KEYS)},
    ),
    "a TransformerLens cache": (cache, {"": WHOLE}),
    "a tensor of 5": (lambda: weights(LAYERS, 1, HEADS).bfloat16(), {"": WHOLE}),
    "lists of numbers": (lambda: weights(HEADS).tolist(), {"": (1, HEADS, KEYS, KEYS)}),
    "several by name": (
        lambda: {
            "random": weights(LAYERS, HEADS),
            "flat": AttentionMap(WORDS, WORDS, np.full((1, 1, KEYS, KEYS), 1 / KEYS)),
        },
        {"random": WHOLE, "flat": (1, 1, KEYS, KEYS)},
    ),
}


@pytest.mark.parametrize(("source", "shapes"), SOURCES.values(), ids=list(SOURCES))
def test_every_source_in_one_call(source, shapes):
    given, inputs = source(), None
    if isinstance(given, tuple) and isinstance(given[0], nn.Module):
        given, inputs = given
    crosses = "cross" in shapes
    shown = HeadMap.of(given, WORDS, ASKING if crosses else None, inputs=inputs, view="grid")
    assert shown._models == list(shapes)
    for index, (name, shape) in enumerate(shapes.items()):
        shown.model_index = index
        map = shown.attention
        assert map.shape == shape
        assert map.query_tokens == (ASKING if name in ("decoder", "cross") else WORDS)
        assert map.key_tokens == (ASKING if name == "decoder" else WORDS)
        np.testing.assert_allclose(map.weights.sum(-1), 1, atol=1e-5)
        if map.shape[1] > 1:
            assert not np.allclose(map.weights[0, 0], map.weights[0, 1]), "heads of their own, no averages"
    assert shown._repr_mimebundle_()[0]["text/html"].startswith("<figure")


def test_a_module_computes_what_it_always_did_and_is_left_as_it_was():
    layers, words = stack().train(), torch.randn(1, KEYS, WIDTH)
    seen = []
    watch = layers.layers[1].register_forward_hook(lambda _, inputs, output: seen.append(output))
    shown = HeadMap.of(layers, WORDS, inputs=words).attention
    watch.remove()
    assert layers.training
    assert all(part.training for part in layers.modules())
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in layers.modules())
    layers.eval()
    expected = layers(words)
    torch.testing.assert_close(seen[0], expected)
    first = layers.layers[0].self_attn(words, words, words, average_attn_weights=False)[1]
    np.testing.assert_allclose(shown.weights[:1], first.detach(), atol=1e-6)


# --- generate ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"use_cache": False}, {"cache_implementation": "static"}])
def test_the_steps_of_generate_are_one_causal_map(options):
    steps = generated("LlamaForCausalLM", LLAMA, **options)
    whole = output("LlamaForCausalLM", LLAMA, input_ids=steps.sequences[:, :-1])
    written = steps.sequences.shape[1]
    assert written == KEYS + 4
    tokens = [f"t{place}" for place in range(written)]
    shown = HeadMap.of(steps, tokens).attention
    assert shown.shape == (LAYERS, HEADS, written - 1, written - 1)
    np.testing.assert_allclose(shown.weights, torch.cat(whole.attentions), atol=1e-6)
    assert np.triu(shown.weights, 1).max() == 0, "nothing looks ahead"
    assert shown.key_tokens == tokens[:-1]
    assert shown.notes == (f"The last token, 't{KEYS + 3}', was not read any more: it looks at nothing yet.",)


def test_the_steps_of_an_encoder_and_decoder():
    steps = generated("T5ForConditionalGeneration", T5)
    whole = output("T5ForConditionalGeneration", T5, input_ids=IDS, decoder_input_ids=steps.sequences[:, :-1])
    answer = [f"t{place}" for place in range(steps.sequences.shape[1])]
    shown = HeadMap.of(steps, WORDS, answer)
    assert shown._models == ["encoder", "decoder", "cross"]
    for index, expected in enumerate((whole.encoder_attentions, whole.decoder_attentions, whole.cross_attentions)):
        shown.model_index = index
        np.testing.assert_allclose(shown.attention.weights, torch.cat(expected), atol=1e-6)
    assert shown.attention.query_tokens == answer[:-1]
    assert shown.attention.key_tokens == WORDS


# --- Tokens, heads, other weights -------------------------------------------------------------------------------------


def test_heads_have_names():
    shown = HeadMap.of(weights(LAYERS, 2), WORDS, head_names=["left", "right"]).attention
    assert shown.head_names == ["left", "right"]
    shown = HeadMap.of(output("LlamaModel", LLAMA), WORDS, key_value_heads=LLAMA.num_key_value_heads).attention
    assert shown.head_names == ["group 1, head 1", "group 1, head 2", "group 2, head 3", "group 2, head 4"]


def test_layers_and_names_are_chosen_of_a_map_that_is_there():
    map = HeadMap.of(weights(LAYERS, 4), WORDS).attention
    shown = HeadMap.of(map, layers=[1], key_value_heads=2).attention
    np.testing.assert_array_equal(shown.weights, map.weights[1:2])
    assert shown.layer_names == ["layer 2"]
    assert shown.head_names == ["group 1, head 1", "group 1, head 2", "group 2, head 3", "group 2, head 4"]
    assert HeadMap.of(map, layers=1, layer_names=["middle"]).attention.layer_names == ["middle"]
    with pytest.raises(ValueError, match="layers must be among"):
        HeadMap.of(map, layers=[LAYERS])
    with pytest.raises(ValueError, match="1 head names for 4 heads"):
        HeadMap.of(map, head_names=["one"])


def test_weights_that_are_no_shares_are_shown_as_they_are_on_request_only():
    gates = 3 * weights(HEADS).numpy()
    with pytest.raises(ValueError, match=r"got sums from 3 to 3.*HeadMap.of\(..., normalised=False\)"):
        HeadMap.of(gates, WORDS)
    shown = HeadMap.of(gates, WORDS, normalised=False).attention
    np.testing.assert_array_equal(shown.weights[0], gates)
    assert shown.kind == "amounts"
    assert shown.notes == ("These weights are not shares: rows sum to 3 to 3. They are shown as they are.",)
    assert HeadMap.of(weights(HEADS), WORDS, normalised=False).attention.kind == "shares"


def on_sdpa():
    return model("BertModel", transformers.BertConfig(**SIZES), "sdpa")(IDS, output_attentions=True)


REFUSED = {  # what is given, what is said
    "BERT on sdpa": (on_sdpa, r'load the model with attn_implementation="eager"'),
    "not asked for": (
        lambda: model("BertModel", transformers.BertConfig(**SIZES))(IDS),
        r"call it with output_attentions=True",
    ),
    "a state-space model": (
        lambda: model("MambaModel", transformers.MambaConfig(**SIZES))(IDS),
        "a MambaOutput has no place for attentions: its model has none to give",
    ),
    "scores": (
        lambda: weights(HEADS).log(),
        r"scores want a softmax first; hidden states are no attention; weights that are meant to be signed are shown as they are by HeadMap.of",
    ),
}


@pytest.mark.parametrize(("source", "says"), REFUSED.values(), ids=list(REFUSED))
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
        (
            {"attention_mask": [1, 1]},
            ValueError,
            r"attention_mask must be \[7\] or \[batch, 7\], 0 for padding, got \[2\]",
        ),
        ({"key_value_heads": 3}, ValueError, "key_value_heads must divide the 4 heads, got 3"),
        ({"inputs": torch.ones(1)}, TypeError, "inputs are what a torch module is called with; got ndarray"),
        ({"source": stack()}, TypeError, r"HeadMap.of\(TransformerEncoder, ...\) needs inputs"),
    ],
)
def test_arguments_that_do_not_fit_are_named(arguments, error, says):
    with pytest.raises(error, match=says):
        HeadMap.of(**{"source": weights(HEADS).numpy(), "tokens": WORDS, **arguments})


# --- Layers by number, texts of a batch, padding, sinks, other kernels ---------------------------------------------------


def test_layers_carry_the_numbers_of_an_unordered_cache():
    given = {f"blocks.{number}.attn.hook_pattern": weights(HEADS)[None] ** number for number in (9, 5)}
    given = {name: layer / layer.sum(-1, keepdim=True) for name, layer in given.items()}
    shown = HeadMap.of(given, WORDS).attention
    assert shown.layer_names == ["layer 6", "layer 10"]
    np.testing.assert_allclose(shown.weights[1], given["blocks.9.attn.hook_pattern"][0], atol=1e-6)


def test_a_model_on_another_kernel_is_read_and_left_as_it_was():
    given = model("LlamaForCausalLM", LLAMA, "sdpa").train()
    shown = HeadMap.of(given, WORDS, inputs={"input_ids": IDS}).attention
    assert given.config._attn_implementation == "sdpa"
    assert given.training
    np.testing.assert_allclose(shown.weights, torch.cat(output("LlamaForCausalLM", LLAMA).attentions), atol=1e-6)


def test_one_text_of_a_batch_is_shown():
    ids = torch.stack([IDS[0], IDS[0].flip(0)])
    whole = output("BertModel", BERT, input_ids=ids)
    shown = HeadMap.of(whole, WORDS, batch=1).attention
    np.testing.assert_array_equal(shown.weights, torch.stack(whole.attentions)[:, 1])
    assert "Text 2 of a batch of 2 is shown: batch=0 to batch=1 choose it." in shown.notes


def test_the_beam_that_won_looks_as_if_it_had_been_alone():
    steps = generated("LlamaForCausalLM", LLAMA, num_beams=3, tokens=5)
    whole = output("LlamaForCausalLM", LLAMA, input_ids=steps.sequences[:, :-1])
    shown = HeadMap.of(steps).attention
    np.testing.assert_allclose(shown.weights, torch.cat(whole.attentions), atol=1e-5)


def test_padding_is_never_shown_as_attention():
    padded = torch.cat([torch.zeros(1, 3, dtype=torch.long), IDS], dim=1)
    mask = (padded > 0).long()
    given = output("LlamaModel", LLAMA, input_ids=padded, attention_mask=mask)
    shown = HeadMap.of(given, ["<pad>"] * 3 + WORDS, attention_mask=mask).attention
    assert shown.key_tokens == shown.query_tokens == WORDS
    assert shown.notes == ("3 padding tokens are left out.",)
    np.testing.assert_allclose(shown.weights, torch.cat(output("LlamaModel", LLAMA).attentions), atol=1e-5)


def test_tokens_come_from_a_tokenizer_in_any_form(encoder):
    tokenizer = encoder.tokenizer
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer)
    texts = fast(["hot tea", "cold tea"])
    expected = ["[CLS]", "cold", "tea", "[SEP]"]
    square = np.full((4, 4), 0.25)
    ids = torch.tensor(texts["input_ids"])
    assert HeadMap.of(square, texts, batch=1).attention.key_tokens == expected
    assert HeadMap.of(square, ids, tokenizer=fast, batch=1).attention.key_tokens == expected
    assert HeadMap.of(square, ids[1], tokenizer=fast).attention.key_tokens == expected
    assert HeadMap.of(square, "cold tea", tokenizer=fast).attention.key_tokens == expected
    assert HeadMap.of(square, np.array(expected)).attention.key_tokens == expected
