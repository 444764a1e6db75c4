import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import transformers
from close import assert_close
from tokenizers.decoders import ByteLevel

from manyheads.attention import multi_head_attention
from manyheads.models.encoder import Encoder, heads_off, load_encoder
from manyheads.models.encoder.page_files import encoder_page_files
from manyheads.models.pretrained import SHA256, pretrained_file
from manyheads.models.registry import all_but

BANK = "I went to the bank."
COFFEE = "Which do you like better, coffee or tea?"


# --- the default encoder


def test_the_first_layer_is_the_formula_of_the_book(encoder):
    """MiniLM's matrices in our own NumPy function give MiniLM's map: the chapters' code is what runs inside."""
    first = encoder.model.encoder.layer[0].attention
    ids = torch.tensor([encoder.tokenizer(COFFEE)["input_ids"]])
    X = encoder.model.embeddings(ids)[0].detach().numpy().astype(np.float64)
    ones = np.ones((len(X), 1))
    linears = first.self.query, first.self.key, first.self.value
    # A bias is one more row of the matrix, for an input that is always 1.
    Wq, Wk, Wv = (np.vstack([part.weight.detach().T, part.bias.detach()[None]]) for part in linears)
    _, weights = multi_head_attention(np.hstack([X, ones]), Wq, Wk, Wv, np.eye(384), num_heads=12)
    assert_close(encoder(COFFEE).weights[0], weights)


def test_a_map_has_a_row_per_token_that_sums_to_one(encoder):
    attention = encoder(COFFEE)
    assert attention.query_tokens == attention.key_tokens
    assert attention.query_tokens == "[CLS] which do you like better , coffee or tea ? [SEP]".split()
    assert attention.shape == (6, 12, 12, 12)
    assert attention.head_names == encoder.head_names == [f"head {n}" for n in range(1, 13)]
    np.testing.assert_allclose(attention.weights.sum(-1), 1, atol=1e-5)
    assert attention.predictions == {}
    assert attention.notes == ()


def test_a_batch_gives_the_maps_of_its_sentences(encoder):
    sentences = [BANK, COFFEE, "Tea.", ("A pair", "of two"), ""]
    assert encoder.batch([]) == []
    for attention, sentence in zip(encoder.batch(sentences), sentences):
        alone = encoder(sentence)
        assert attention.query_tokens == alone.query_tokens
        assert_close(attention.weights, alone.weights, terms=1000)


def test_long_text_is_cut_and_says_so(encoder):
    fits = encoder("tea " * 510)
    assert fits.shape == (6, 12, 512, 512)
    assert fits.notes == ()
    attention = encoder("tea " * 513)
    assert attention.query_tokens == fits.query_tokens
    assert attention.notes == ("This model reads at most 512 tokens; the last 3 are left out.",)


@pytest.mark.parametrize(
    "text", ["\ud800", "a\udfffb", "🙂‍↔️ 👩‍👩‍👧", "\x00\x07", "[MASK]", "日本語", "مرحبا", "x" * 5000]
)
def test_any_text_has_a_map(encoder, text):
    assert encoder(text).query_tokens[0] == "[CLS]"


# --- heads turned off


def test_turning_heads_off_is_zeroing_their_slice_by_hand(encoder):
    mask = all_but(encoder, [(0, 3), (2, 0), (2, 11)])
    by_hand = load_encoder()
    for layer, head in np.argwhere(~mask):
        slice_ = slice(32 * head, 32 * head + 32)  # heads are 384 / 12 = 32 wide
        by_hand.model.encoder.layer[layer].attention.output.dense.weight.data[:, slice_] = 0
    expected, found, before = by_hand(BANK).weights, encoder(BANK, head_mask=mask).weights, encoder(BANK).weights
    assert_close(found, expected, terms=1000)
    assert_close(encoder.hidden_states(BANK, head_mask=mask), by_hand.hidden_states(BANK), terms=1000)
    np.testing.assert_array_equal(found[0], before[0])  # the head's own layer still shows what it looks at
    assert np.abs(found[1] - before[1]).max() > 0.01


def test_a_mask_is_forgotten_after_the_call(encoder):
    before = encoder(BANK).weights
    encoder(BANK, head_mask=np.zeros((6, 12), dtype=bool))
    np.testing.assert_array_equal(encoder(BANK).weights, before)
    np.testing.assert_array_equal(encoder(BANK, head_mask=[[True] * 12] * 6).weights, before)
    with pytest.raises(RuntimeError), heads_off(encoder.model, torch.ones(6, 12)):
        raise RuntimeError
    assert not any(module._forward_pre_hooks for module in encoder.model.modules())


# --- other models: small ones with random weights, saved as folders

VOCABULARY = 30522
SIZES = {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 20}
TINY = {**SIZES, "vocab_size": VOCABULARY}
ARCHITECTURES = {
    "bert": transformers.BertConfig(**TINY),
    "distilbert": transformers.DistilBertConfig(vocab_size=30522, dim=12, n_layers=2, n_heads=3, hidden_dim=20),
    "gpt2": transformers.GPT2Config(vocab_size=30522, n_embd=12, n_layer=2, n_head=3),
    "llama": transformers.LlamaConfig(**TINY, num_key_value_heads=1),
}
DECODERS = {"gpt2", "llama"}


@pytest.fixture(scope="module", params=ARCHITECTURES)
def tiny(request, encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    torch.manual_seed(0)
    transformers.AutoModel.from_config(ARCHITECTURES[request.param]).save_pretrained(folder)
    encoder.tokenizer.save_pretrained(folder)
    return request.param, folder


def test_any_model_of_the_library_will_do(tiny):
    kind, folder = tiny
    model = load_encoder(folder)
    assert (model.name, model.num_layers, model.num_heads) == (str(folder), 2, 3)
    attention = model(COFFEE)
    assert attention.shape == (2, 3, 12, 12)
    is_causal = not np.triu(attention.weights, 1).any()
    assert is_causal == (kind in DECODERS)
    for together, sentence in zip(model.batch([COFFEE, "Tea."]), [COFFEE, "Tea."]):
        assert_close(together.weights, model(sentence).weights)
    assert model.hidden_states(COFFEE).shape == (3, 12, 12)


def test_heads_of_any_model_can_be_turned_off(tiny):
    kind, folder = tiny
    model, by_hand = load_encoder(folder), load_encoder(folder)
    endings = ("attention.output.dense", "out_lin", "c_proj", "o_proj")
    parts = by_hand.model.named_modules()
    name, output = next(part for part in parts if part[0].endswith(endings) and "mlp" not in part[0])
    rows = output.weight.data if kind == "gpt2" else output.weight.data.T  # GPT-2 keeps its matrices transposed
    rows[4:8] = 0  # the second of three heads, each 12 / 3 wide, in the first layer
    found = model.hidden_states(COFFEE, head_mask=all_but(model, [(0, 1)]))
    assert_close(found, by_hand.hidden_states(COFFEE), name=name)
    assert np.abs(found - model.hidden_states(COFFEE)).max() > 1e-4


# --- what cannot be done is said


def test_a_model_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="neither a folder here nor"):
        load_encoder(tmp_path / "nothing")
    with pytest.raises(ValueError, match="give another model's folder as its name"):
        load_encoder("another", folder=tmp_path)


def test_files_with_other_contents(tmp_path):
    for name in SHA256:
        shutil.copyfile(pretrained_file(name), tmp_path / name)
    assert load_encoder(folder=tmp_path).num_layers == 6
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    with pytest.warns(UserWarning, match=f"from the package .* instead. {tmp_path}: it is not the file it should be"):
        assert load_encoder(folder=tmp_path).num_layers == 6


def test_a_model_without_attentions(encoder):
    config = transformers.MambaConfig(vocab_size=30522, hidden_size=8, state_size=4, num_hidden_layers=2)
    mamba = Encoder(transformers.MambaModel(config), encoder.tokenizer, "mamba")
    with pytest.raises(ValueError, match="mamba returned attentions for 0 of its 2 layers"):
        mamba(BANK)


def test_what_the_site_ships():
    files = {path.name: path for path in encoder_page_files()}
    manifest = json.loads(files["encoder.json"].read_text(encoding="utf-8"))
    assert {entry["name"] for entry in manifest["files"].values()} < set(files)
    for entry in manifest["files"].values():
        assert files[entry["name"]].stat().st_size == entry["packed"]
    assert sum(entry["packed"] for entry in manifest["files"].values()) <= 25e6
    assert encoder_page_files() == list(files.values())


def test_tokens_of_byte_level_models_are_text_and_parts_of_characters_their_bytes():
    tokenizer = SimpleNamespace(backend_tokenizer=SimpleNamespace(decoder=ByteLevel()), all_special_tokens=["<s>"])
    encoder = SimpleNamespace(tokenizer=tokenizer)
    read = [Encoder._readable(encoder, token) for token in ("<s>", "ĠcafÃ©", "ĠðŁ", "[新]")]
    assert read == ["<s>", " café", " <F0 9F>", "[新]"]
