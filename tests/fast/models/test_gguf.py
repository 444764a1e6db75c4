"""Readers' GGUF files: unpacked as llama.cpp's own package does, computed as transformers does, refused in a sentence."""

import math
import re
import struct
from textwrap import dedent

import numpy as np
import pytest
import torch
from close import assert_close
from conftest import ROOT
from gguf import GGMLQuantizationType
from ggufs import (
    ARCHITECTURES,
    REFUSED,
    REFUSED_FOLDERS,
    SPOILT,
    STRAIGHT,
    WIDE,
    changed_json,
    dequantized,
    spoil,
    write_folder,
    write_gguf,
    write_older,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

from manyheads import AttentionFlow, HeadLedger, HeadMap, NextWord, attribution, load_decoder, score_parts
from manyheads.models.decoder.gguf import BLOCKS, GGUF, Tensor
from manyheads.models.decoder.weights import gguf_file
from manyheads.models.registry import all_but

TEXT = "The cup of tea isn't cold: 12 🍵"
LLAMA_3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}


def assert_equals(decoder, reference, ids):
    scores, maps, _ = decoder.run(ids, need_weights=True)
    with torch.inference_mode():
        output = reference(torch.tensor([ids]), output_attentions=True)
    assert_close(maps, torch.cat(output.attentions), terms=1000)
    assert_close(scores, output.logits[0], terms=1000)


@pytest.mark.parametrize("kind", BLOCKS)
@settings(max_examples=10)
@given(st.data())
def test_blocks_are_unpacked_as_llama_cpps_package_does(kind, data):
    weights, size = BLOCKS[kind]["weights"], BLOCKS[kind]["bytes"]
    shape = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 3)) * size
    seed = data.draw(st.integers(0, 2**32))
    packed = np.random.default_rng(seed).integers(0, 256, shape, np.uint8)
    tensor = Tensor(kind, packed)
    with np.errstate(invalid="ignore", over="ignore"):  # some scales are no numbers, or too large
        found, expected = tensor.unpacked(), dequantized(packed, GGMLQuantizationType[kind])
    assert found.shape == tensor.shape == (shape[0], shape[1] // size * weights)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", [*BLOCKS, "Q4_K_M", {"attn_": "Q5_1", "": "F16"}], ids=str)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_maps_and_logits_are_transformers_for_each_architecture_and_kind(tmp_path, architecture, kind):
    reference = write_gguf(tmp_path / "model.gguf", architecture, kind)
    decoder, ids = load_decoder(tmp_path / "model.gguf"), [*range(3, 40)]
    assert_equals(decoder, reference, ids)
    assert decoder.run(ids, need_weights=True)[1][..., -1, :].max() > 0.1  # heads choose, so that they could be wrong


@settings(max_examples=40)
@given(st.data())
def test_maps_and_logits_are_transformers_for_any_sizes(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    architecture = data.draw(st.sampled_from(ARCHITECTURES))
    groups, shared, half = (data.draw(st.integers(1, most)) for most in (3, 3, 9))
    scalings = [None, {"rope_type": "linear", "factor": 3.0}, LLAMA_3]
    more = 2 if architecture == "gemma3" else 0  # so that some have a sixth layer, which isn't local
    sizes = {
        "kv_heads": groups,
        "heads": groups * shared,
        "head_dim": 2 * half,
        "width": groups * shared * data.draw(st.integers(2, 7)),
        "hidden": data.draw(st.integers(1, 40)),
        "layers": data.draw(st.integers(1, 5)) + more,
        "tied": data.draw(st.booleans()),
        "rope_base": data.draw(st.sampled_from([100.0, 10_000.0, 5e5])),
        "epsilon": data.draw(st.sampled_from([1e-6, 1e-5, 1e-2])),
        "scaling": None if architecture in STRAIGHT else data.draw(st.sampled_from(scalings)),
        "seed": data.draw(st.integers(0, 99)),
    }
    reference, decoder = write_gguf(path, architecture, "F32", **sizes), load_decoder(path)
    ids = data.draw(st.lists(st.integers(0, 356), min_size=1, max_size=40))
    assert_equals(decoder, reference, ids)
    assert decoder.max_tokens == min(256, math.isqrt(GGUF["mostWeights"] // (decoder.num_layers * decoder.num_heads)))


@pytest.mark.parametrize("architecture", WIDE)
def test_queries_of_the_largest_gemmas_are_divided_by_another_root(tmp_path, architecture):
    path, sizes = tmp_path / "model.gguf", {"heads": 2, "width": 32, "head_dim": 64, "layers": WIDE[architecture]}
    reference = write_gguf(path, architecture, "F32", **sizes)
    assert reference.config.query_pre_attn_scalar == 16
    assert_equals(load_decoder(path), reference, [*range(3, 40)])


def test_a_file_of_gemma_2_that_says_nothing_of_caps_has_the_first_ones(tmp_path):
    silent = {"gemma2.attn_logit_softcapping": None, "gemma2.final_logit_softcapping": None}
    write_gguf(tmp_path / "model.gguf", "gemma2", "F32", facts=silent)
    model = load_decoder(tmp_path / "model.gguf").model
    assert (model.layers[0].attention.cap, model.logit_cap) == (50, 30)


def test_the_books_own_file_is_the_books_own_decoder(decoder):
    opened = load_decoder(gguf_file())
    for (name, tensor), theirs in zip(decoder.model.state_dict().items(), opened.model.state_dict().values()):
        assert torch.equal(tensor, theirs), name
    text = "The capital of Italy is"
    np.testing.assert_array_equal(opened(text).weights, decoder(text).weights)
    assert opened(text).predictions == decoder(text).predictions
    assert (opened.max_tokens, opened.page_name, opened.head_lists) == (512, None, {})
    assert opened.read(text) == decoder.read(text)


@pytest.mark.parametrize(
    ("facts", "most"),
    [
        ({}, 256),  # the context that the file names
        ({"llama.attention.sliding_window": 7}, 7),
        ({"llama.attention.sliding_window": 0}, 256),
        ({"llama.context_length": 32768}, 512),
        ({"llama.context_length": None}, 512),
    ],
)
def test_no_text_is_read_that_reaches_beyond_a_window(tmp_path, facts, most):
    write_gguf(tmp_path / "model.gguf", "llama", "F16", facts=facts)
    decoder = load_decoder(tmp_path / "model.gguf")
    assert decoder.max_tokens == most
    assert len(decoder.read("tea " * 600)[0]) == most


def test_a_factor_of_a_scaling_that_is_none_slows_nothing(tmp_path):
    facts = {"llama.rope.scaling.type": "none", "llama.rope.scaling.factor": 4.0}
    reference = write_gguf(tmp_path / "model.gguf", "llama", "F16", facts=facts)
    assert_equals(load_decoder(tmp_path / "model.gguf"), reference, [*range(3, 40)])


# --- in several files, and as a folder


def test_any_part_of_a_model_in_several_files_finds_the_others_and_one_that_is_missing_is_named(tmp_path):
    reference = write_gguf(tmp_path / "tea.gguf", "llama", "F32", each=8)
    *paths, last = sorted(tmp_path.iterdir())
    assert [path.name for path in paths] == ["tea-00001-of-00003.gguf", "tea-00002-of-00003.gguf"]
    for path in (paths[0], last):
        decoder = load_decoder(path)
        assert decoder.name == "file/tea"
        assert_equals(decoder, reference, [*range(3, 40)])
    whole = last.read_bytes()
    last.write_bytes(whole[:-50])
    with pytest.raises(ValueError, match=r"in tea-00003-of-00003.gguf, it is cut short"):
        load_decoder(paths[0])
    last.write_bytes(paths[1].read_bytes())
    with pytest.raises(ValueError, match=r"in tea-00003-of-00003.gguf, it should be part 3 of 3, but isn’t."):
        load_decoder(paths[0])
    write_gguf(tmp_path / "other.gguf", "llama", "F32", each=9)
    (tmp_path / "other-00003-of-00003.gguf").rename(last)
    with pytest.raises(ValueError, match=r"opened: (its parts hold|in tea-00003-of-00003\.gguf, it should be)"):
        load_decoder(paths[0])
    last.unlink()
    with pytest.raises(
        ValueError, match=r"its model is in 3 parts, of which these are missing: tea-00003-of-00003\.gguf\. Put all"
    ):
        load_decoder(paths[1])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_folder_is_read_as_transformers_reads_it(tmp_path, architecture, dtype):
    scaling = None if architecture in STRAIGHT else LLAMA_3
    model = write_gguf(tmp_path / "model.gguf", architecture, "F32", kv_heads=2, scaling=scaling, tied=bool(scaling))
    write_folder(tmp_path / "my model", model.to(dtype), max_shard_size="100KB")
    assert len([*(tmp_path / "my model").glob("*.safetensors")]) > 2
    decoder = load_decoder(tmp_path / "my model")
    tokenizer = PreTrainedTokenizerFast.from_pretrained(tmp_path / "my model")  # AutoTokenizer takes Qwen2's own cut
    options = {"dtype": torch.float32, "attn_implementation": "eager"}
    reference = AutoModelForCausalLM.from_pretrained(tmp_path / "my model", **options)
    ids = decoder.read(TEXT)[0]
    assert (decoder.name, ids) == ("file/my-model", tokenizer(TEXT).input_ids)
    assert_equals(decoder, reference, ids)


@pytest.mark.parametrize("architecture", ["gpt2", "gemma3"])
def test_a_folder_of_the_first_years_is_read_as_well(tmp_path, architecture):
    scaling = {"rope_type": "linear", "factor": 3.0} if architecture == "gemma3" else None
    model = write_gguf(tmp_path / "model.gguf", architecture, "F32", hidden=4 * 96, scaling=scaling)
    write_folder(tmp_path / "model", model)
    write_older(tmp_path / "model", architecture)
    assert_equals(load_decoder(tmp_path / "model"), model, [*range(3, 40)])


def test_what_a_config_leaves_out_is_as_transformers_has_it(tmp_path):
    for name, row in GGUF["folder"]["models"].items():
        defaults = AutoConfig.for_model(name)
        rope = getattr(defaults, "rope_parameters", None) or {}
        rope = rope.get("full_attention", rope)
        for key, value in (GGUF["folder"]["config"] | row).items():
            found = getattr(defaults, key, rope.get(key, value))
            assert key in ("architecture", "files") or found == value, (name, key)


@pytest.mark.parametrize("sentence", REFUSED_FOLDERS)
def test_a_folder_that_would_be_read_wrong_is_refused_with_its_reason(tmp_path, sentence):
    architecture, change = REFUSED_FOLDERS[sentence]
    write_folder(tmp_path, write_gguf(tmp_path / "model.gguf", architecture, "F32"))
    (tmp_path / "model.gguf").unlink()
    change(tmp_path)
    with pytest.raises(ValueError, match=re.escape(f"{tmp_path} can't be opened: {sentence}")):
        load_decoder(tmp_path)


# --- what can be done with one


@pytest.fixture(scope="module", params=ARCHITECTURES)
def opened(request, tmp_path_factory):
    """A decoder of each architecture, with an output matrix of its own and heads of a width of their own."""
    path = tmp_path_factory.mktemp("gguf") / "my model.GGUF"
    scaling = None if request.param in STRAIGHT else LLAMA_3
    write_gguf(path, request.param, "Q8_0", kv_heads=2, head_dim=40, tied=False, scaling=scaling)
    return load_decoder(path)


def test_all_figures_show_it(opened):
    shape = (opened.num_layers, 4, *[len(opened.read(TEXT)[0])] * 2)
    assert (opened.name, HeadMap(TEXT, model=opened).attention.shape) == ("file/my-model", shape)
    figure = NextWord(TEXT, model=opened, off=[(0, 1)])
    assert figure.next[0]["word"] == next(iter(opened.next_words(TEXT, head_mask=all_but(opened, [(0, 1)]))))
    assert 'model="file/my-model"' in figure._element()  # or the page would answer by its own
    for layer in range(opened.num_layers):
        steps = AttentionFlow(TEXT, model=opened, layer=layer, head=3).steps
        assert_close(steps["maps"], opened(TEXT).weights[layer])
    words = opened.write(TEXT, words=2)
    assert words == opened.write(TEXT, words=2)


def test_a_model_with_vectors_for_positions_writes_no_further_than_these(tmp_path):
    write_gguf(tmp_path / "model.gguf", "gpt2", "F32", context=9)
    decoder = load_decoder(tmp_path / "model.gguf")
    decoder.end_tokens = []
    assert len(decoder.read("tea " * 30)[0]) == 9
    for seed in range(3):
        decoder.write("tea " * 30, words=99, temperature=1, seed=seed)


def test_parts_of_an_answer_sum_to_its_logit(opened):
    logits = opened.run(opened.read(TEXT)[0])[0][-1]
    ledger = HeadLedger(TEXT, model=opened).ledger
    words = [opened.vocabulary.index(word) for _, word in ledger["labels"]]
    assert_close(ledger["parts"][:, -1], logits[words], summed=ledger["parts"], terms=1000)
    assert_close(ledger["parts"][:, :-1].sum(1), logits[words], summed=ledger["parts"], terms=1000)
    assert_close(attribution(opened, TEXT).logit, logits.max(), terms=1000)
    assert list(opened.lens(TEXT)[-1]) == [ledger["labels"][0][1]]


def test_neurons_add_together_what_their_layer_does(opened):
    machine, neurons = opened.machine(TEXT), opened.neurons(TEXT, 1)
    added = neurons.activations @ neurons.writes + neurons.bias
    row = machine.parts.index("layer 2, feed-forward")
    assert_close(np.linalg.norm(added), machine.adds[row, -1], summed=neurons.adds, terms=1000)


@pytest.mark.parametrize("off", [None, (0, 2)])
def test_parts_of_a_score_sum_to_it_before_the_softmax(opened, off):
    mask = None if off is None else all_but(opened, [off])
    for layer, head, query, key in [(0, 0, 5, 0), (1, 1, 6, 6), (opened.num_layers - 2, 3, 7, 2)]:
        shares = opened(TEXT, head_mask=mask).weights[layer, head, query]
        first, own = (score_parts(opened, TEXT, layer, head, query, each, mask).score for each in (0, key))
        logs = np.log(shares[[0, key]])  # the scores, less what is the same for all keys
        assert_close(own - first, logs[1] - logs[0], summed=[own, first, *logs], terms=1000)


# --- what is refused


@pytest.mark.parametrize("sentence", REFUSED)
def test_a_model_that_would_be_computed_wrong_is_refused_with_its_reason(tmp_path, sentence):
    path = tmp_path / "model.gguf"
    write_gguf(path, **({"architecture": "llama", "kind": "F32"} | REFUSED[sentence]))
    with pytest.raises(ValueError, match=re.escape(f"{path} can't be opened: {sentence}")):
        load_decoder(path)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"facts": {"general.alignment": 0}}, "it aligns its tensors at 0 bytes"),
        ({"tensors": {"odd.weight": np.ones((2, 2, 2))}}, r"a shape that we don't read, odd.weight: \[2, 2, 2\]"),
        ({"tokens": 300}, "it has more tokens than the model has vectors"),
    ],
    ids=["alignment", "shape", "tokens"],
)
def test_a_file_that_contradicts_itself_is_refused(tmp_path, changed, sentence):
    path = tmp_path / "model.gguf"
    write_gguf(path, "llama", **({"kind": "F32"} | changed))
    with pytest.raises(ValueError, match=f"can't be opened: .*{sentence}"):
        load_decoder(path)


@pytest.mark.parametrize("kind", BLOCKS)
def test_weights_that_are_no_numbers_are_refused_by_the_name_of_their_tensor(tmp_path, kind):
    path = tmp_path / "model.gguf"
    for tensor, number, least in SPOILT:
        write_gguf(path, "llama", kind)
        spoil(path, tensor, number, least)
        with pytest.raises(ValueError, match=f"its {tensor} has weights that aren’t finite numbers"):
            load_decoder(path)


def assert_shows(lines, reference):
    """Run lines as a reader pastes them: the last one shows the attention of a model."""
    *loading, showing = dedent(lines).strip().splitlines()
    known = {}
    exec("\n".join(loading), known)
    shown, ids = eval(showing, known).attention, known["tokenizer"]("a text").input_ids
    with torch.inference_mode():
        attentions = torch.stack(reference(torch.tensor([ids]), output_attentions=True).attentions)
    assert_close(shown.weights, attentions[:, 0])


def test_transformers_opens_what_is_refused_by_the_lines_of_the_refusal_and_of_the_book(tmp_path, monkeypatch):
    reference = write_gguf(tmp_path / "model.gguf", "llama", "TQ1_0")
    with pytest.raises(ValueError, match="transformers may read it, with the package gguf:") as refused:
        load_decoder(tmp_path / "model.gguf")
    _, refusal = str(refused.value).split(":\n\n")
    book = (ROOT / "book" / "your-own-models.md").read_text(encoding="utf-8")
    [recipe] = [lines for lines in re.findall("```python\n(.+?)```", book, re.DOTALL) if "gguf_file" in lines]
    monkeypatch.chdir(tmp_path)
    for lines in (refusal, recipe):
        assert_shows(lines, reference)


def test_a_folder_whose_tokenizer_is_not_read_is_shown_by_the_lines_of_the_refusal(tmp_path):
    reference = write_gguf(tmp_path / "model.gguf", "llama", "F32")
    write_folder(tmp_path / "model", reference)
    changed_json(
        tmp_path / "model" / "tokenizer.json", lambda found: found["pre_tokenizer"].update(add_prefix_space=True)
    )
    with pytest.raises(ValueError, match=r"its tokenizer\.json cuts texts") as refused:
        load_decoder(tmp_path / "model")
    assert_shows(str(refused.value).split(":\n\n")[1], reference)


def test_of_a_model_in_parts_it_is_said_how_they_become_one(tmp_path):
    path = tmp_path / "tea.gguf"
    write_gguf(path, "llama", "F32", each=8, facts={"general.architecture": "bloom"})
    with pytest.raises(ValueError, match=r"`llama-gguf-split --merge tea-00001-of-00003\.gguf tea\.gguf`") as refused:
        load_decoder(tmp_path / "tea-00001-of-00003.gguf")
    assert "gguf_file='tea.gguf')" in str(refused.value)


def test_what_is_no_gguf_file_and_what_is_missing_are_named(tmp_path):
    (tmp_path / "model.gguf").write_bytes(b"")
    with pytest.raises(ValueError, match="can't be opened: it is not a GGUF file"):
        load_decoder(tmp_path / "model.gguf")
    with pytest.raises(FileNotFoundError, match="another"):
        load_decoder(tmp_path / "another.gguf")


@settings(max_examples=60)
@given(st.data())
def test_a_file_that_is_cut_short_or_lies_is_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    write_gguf(path, "qwen2", "Q4_0", layers=1)
    held = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        path.write_bytes(held[: data.draw(st.integers(0, len(held) - 1))])
    else:  # one length or count becomes another number
        at = data.draw(
            st.sampled_from([8, 16, 24, *[found.start() for found in re.finditer(b"\x08\0\0\0", held[:999])]])
        )
        number = data.draw(st.sampled_from([2**15, 2**40, 2**60, 2**64 - 1]))
        path.write_bytes(held[:at] + struct.pack("<Q", number) + held[at + 8 :])
    with pytest.raises(ValueError, match="can't be opened: it"):
        load_decoder(path)
