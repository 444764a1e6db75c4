"""Places beside a cache, and other places that aren't the text's: empty, gone, picked, padding."""

import pytest
import torch
import transformers
from close import assert_close
from libraries import LLAMA, TEXT, made, padding, tokenizer

from manyheads.widgets import HeadMap

TOKENS = "the cat sat on mat . soup was".split()
IDS = tokenizer(marks=False)(" ".join(TOKENS), return_tensors="pt")["input_ids"]
MISTRAL = transformers.MistralConfig(**TEXT, num_key_value_heads=2, sliding_window=4)


def whole_of(kind, config):
    """The weights of all layers for the whole text, as the model hands them out."""
    return torch.cat(made(kind, config, "eager")(IDS, output_attentions=True).attentions).numpy()


@torch.no_grad()
@pytest.mark.parametrize("kernel", ["sdpa", "eager"])
@pytest.mark.parametrize("masked", [True, False])
def test_empty_places_of_a_static_cache_are_left_out(kernel, masked):
    model = made("LlamaForCausalLM", LLAMA, kernel)
    cache = transformers.StaticCache(config=LLAMA, max_cache_len=20)
    model(IDS[:, :5], past_key_values=cache)
    inputs = {"input_ids": IDS[:, 5:], "past_key_values": cache}
    inputs |= {"attention_mask": torch.ones(1, 8, dtype=int)} if masked else {}
    shown = HeadMap.of(model, inputs=inputs, tokenizer=tokenizer(marks=False)).attention
    assert shown.query_tokens == TOKENS[5:]
    assert shown.key_tokens == ["1", "2", "3", "4", "5", *TOKENS[5:]]
    assert "12 places of the cache are empty, and left out." in shown.notes
    assert_close(shown.weights, whole_of("LlamaForCausalLM", LLAMA)[:, :, 5:])
    named = HeadMap.of(model, TOKENS, inputs=inputs).attention
    assert (named.query_tokens, named.key_tokens) == (TOKENS[5:], TOKENS)


@torch.no_grad()
def test_empty_places_are_left_out_of_what_a_model_returned():
    model = made("LlamaForCausalLM", LLAMA, "eager")
    cache = transformers.StaticCache(config=LLAMA, max_cache_len=20)
    model(IDS[:, :5], past_key_values=cache)
    shown = HeadMap.of(model(IDS[:, 5:], past_key_values=cache, output_attentions=True)).attention
    assert (shown.query_tokens, shown.key_tokens) == (["6", "7", "8"], [str(place) for place in range(1, 9)])
    assert_close(shown.weights, whole_of("LlamaForCausalLM", LLAMA)[:, :, 5:])


@torch.no_grad()
@pytest.mark.parametrize("kernel", ["sdpa", "eager"])
def test_places_of_a_sliding_cache_keep_their_numbers(kernel):
    model = made("MistralForCausalLM", MISTRAL, kernel)
    cache = transformers.DynamicCache(config=MISTRAL)
    model(IDS[:, :6], past_key_values=cache)
    inputs = {"input_ids": IDS[:, 6:], "past_key_values": cache}
    shown = HeadMap.of(model, inputs=inputs).attention
    assert (shown.query_tokens, shown.key_tokens) == (["7", "8"], ["4", "5", "6", "7", "8"])
    assert "The first 3 tokens are gone: the cache holds what the model still looks at." in shown.notes
    assert_close(shown.weights, whole_of("MistralForCausalLM", MISTRAL)[:, :, 6:, 3:])
    for tokens in (TOKENS, TOKENS[3:]):
        named = HeadMap.of(model, tokens, inputs=inputs).attention
        assert (named.query_tokens, named.key_tokens) == (TOKENS[6:], TOKENS[3:])
    new = HeadMap.of(model, TOKENS[6:], inputs=inputs).attention
    assert new.key_tokens == ["4", "5", "6", *TOKENS[6:]]


@torch.no_grad()
def test_what_a_model_with_a_sliding_cache_returned_says_that_its_places_are_counted_anew():
    model = made("MistralForCausalLM", MISTRAL, "eager")
    cache = transformers.DynamicCache(config=MISTRAL)
    model(IDS[:, :6], past_key_values=cache)
    output = model(IDS[:, 6:], past_key_values=cache, output_attentions=True)
    assert any(
        note.startswith("The cache of this model lets go of tokens") for note in HeadMap.of(output).attention.notes
    )


@torch.no_grad()
@pytest.mark.parametrize("cache", [transformers.DynamicCache(), transformers.StaticCache(LLAMA, max_cache_len=400)])
def test_a_long_text_after_a_cache_asks_from_its_own_places(cache):
    model, ids = made("LlamaForCausalLM", LLAMA), torch.arange(300)[None] % 47 + 3
    model(ids[:, :200], past_key_values=cache)
    inputs = {"input_ids": ids[:, 200:], "past_key_values": cache}
    shown = HeadMap.of(model, inputs=inputs, max_weights=10_000).attention
    assert shown.query_tokens[0].split()[0] == "201"
    assert shown.query_tokens[-1].split()[-1] == "300"
    assert shown.key_tokens[0].split()[0] == "1"
    tokens = " ".join(shown.key_tokens).split()
    assert tokens[299:] == ["300", *["empty"] * (len(tokens) - 300)]


def informer():
    sizes = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32}
    sizes |= {"encoder_attention_heads": 4, "decoder_attention_heads": 4, "distil": False, "sampling_factor": 1}
    lengths = {"prediction_length": 4, "context_length": 12, "lags_sequence": [1], "num_time_features": 1}
    torch.manual_seed(0)
    return transformers.InformerModel(transformers.InformerConfig(**sizes, **lengths)).eval()


def test_rows_that_each_head_picks_for_itself_are_no_places():
    past, future = torch.randn(1, 13), torch.randn(1, 4)
    inputs = {"past_values": past, "past_time_features": past[..., None], "past_observed_mask": torch.ones(1, 13)}
    inputs |= {"future_values": future, "future_time_features": future[..., None]}
    shown = {one.name: one.map for one in HeadMap.of(informer(), inputs=inputs).models}
    for part, queries, keys in (("encoder", 3, 12), ("decoder", 2, 4)):
        assert shown[part].query_tokens == [f"query {number}" for number in range(1, queries + 1)]
        assert shown[part].notes[0].startswith(f"Of {keys} places, each head lets those {queries} ask")
    assert shown["cross"].query_tokens == ["1", "2", "3", "4"]


# --- Padding ----------------------------------------------------------------------------------------------------------

SHOWN = "2 places are padding, [PAD], by the tokenizer: {} leaves padding out."


def test_padding_that_no_mask_tells_of_is_told():
    model, reader = made("LlamaForCausalLM", LLAMA, "eager"), padding(marks=False, padding_side="left")
    both = reader(["the cat", "the cat sat on"], return_tensors="pt", padding=True)
    options = {"output_attentions": True, "return_dict_in_generate": True, "max_new_tokens": 2}
    written = model.generate(**both, **options)
    assert SHOWN.format("attention_mask=") in HeadMap.of(written, tokenizer=reader).attention.notes
    shown = HeadMap.of(written, tokenizer=reader, attention_mask=both["attention_mask"]).attention
    assert shown.key_tokens[:2] == ["the", "cat"]
    assert not any("by the tokenizer" in note for note in shown.notes)
    read = HeadMap.of(model, inputs=both["input_ids"], tokenizer=reader).attention
    assert SHOWN.format("an attention_mask among the inputs") in read.notes
    assert not any(
        "by the tokenizer" in note for note in HeadMap.of(model, inputs=both, tokenizer=reader).attention.notes
    )


# --- The kernel's own departures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kernel", "told"), [("sdpa", True), ("eager", False)])
def test_a_cap_that_a_kernel_leaves_out_is_told(kernel, told):
    config = transformers.Gemma2Config(**TEXT, num_key_value_heads=2, head_dim=8, attn_logit_softcapping=0.5)
    shown = HeadMap.of(made("Gemma2ForCausalLM", config, kernel), inputs=IDS).attention
    assert any("(attn_logit_softcapping=0.5), which its sdpa" in note for note in shown.notes) == told
