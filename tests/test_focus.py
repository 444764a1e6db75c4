"""The focus model: its goals on unseen words, its ablations, its files, and whatever a reader may type."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from manyheads import focus
from manyheads.focus import (
    VARIANTS,
    FocusModel,
    encode,
    focus_file,
    load_focus_model,
    pieces,
    reduced_words,
    tokenize,
    tokenizer,
    train_focus_model,
    validation_loss,
)
from manyheads.maps import AttentionMap
from manyheads.scores import ablation, accuracies, focus_shares, rests, shares
from manyheads.sentences import FACTS, HEADS, generate_sentences
from manyheads.unseen import unseen_sentences

NOTES = "Which do you like better, coffee or tea?"
PAINTED = {  # note A
    "sentence type": {"which", "do", "?"},
    "object": {"you", "coffee", "tea"},
    "relation": {"like", "coffee", "or", "tea"},
    "sentiment": {"like", "better"},
}


@pytest.fixture(scope="module")
def taught():
    return load_focus_model()


def weights_from_cls(map):
    return {name: dict(zip(map.key_tokens, map.weights[0, head, 0])) for head, name in enumerate(map.head_names)}


# --- Goals ------------------------------------------------------------------------------------------------------------


def test_heads_look_at_the_right_words_of_unseen_sentences(taught):
    found = shares(taught, unseen_sentences("all"))
    goals = {"sentence type": 0.95, "object": 0.95, "relation": 0.90, "sentiment": 0.95}
    assert {name: found[name] >= goal for name, goal in goals.items()} == dict.fromkeys(goals, True), found


def test_type_and_sentiment_of_unseen_sentences_are_predicted(taught):
    found = accuracies(taught, unseen_sentences())
    assert found["sentence type"] >= 0.9, found
    assert found["sentiment"] >= 0.9, found


def test_a_head_finds_judging_words_that_come_in_pieces_though_their_meaning_is_lost(taught):
    broken = unseen_sentences("pieces")
    assert shares(taught, broken)["sentiment"] >= 0.9
    assert accuracies(taught, broken)["sentence type"] >= 0.9


def test_the_words_of_the_notes_outrank_all_others(taught):
    for name, weights in weights_from_cls(taught(NOTES)).items():
        lowest = min(weights[word] for word in PAINTED[name])
        highest = max(weight for word, weight in weights.items() if word not in PAINTED[name])
        assert lowest > 5 * highest, (name, weights)


def test_a_head_that_is_off_takes_its_own_fact_along(taught):
    lost = ablation(taught, unseen_sentences())
    assert lost.argmax(1).tolist() == [0, 1, 2, 3]
    assert (lost - np.diag(lost.diagonal())).max() < 0.06
    without = accuracies(taught, unseen_sentences(), np.array([True, True, True, False]))
    assert without["sentiment"] < 0.55


def test_a_head_without_words_rests_on_cls(taught):
    found = rests(taught, unseen_sentences())
    assert found["sentiment"] > 0.85
    plain = weights_from_cls(taught("The plumber was under the sink."))
    assert plain["sentiment"]["[CLS]"] > 0.9


def test_untaught_heads_predict_without_being_shown_where_to_look():
    model = load_focus_model("untaught")
    assert accuracies(model, unseen_sentences())["sentence type"] > 0.8
    assert focus_shares(model, unseen_sentences()).shape == (4, 4)


# --- The head model's contract ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_is_a_head_model(variant):
    model = load_focus_model(variant)
    heads = int(variant.removeprefix("heads-")) if variant.startswith("heads-") else 4
    map = model("Do the bees hum?")
    assert isinstance(map, AttentionMap)
    assert map.shape == (1, heads, 7, 7) == (model.num_layers, model.num_heads, 7, 7)
    assert map.head_names == model.head_names
    assert model.name == ("focus" if variant == "taught" else f"focus/{variant}")
    assert {name: tuple(labels) for name, labels in map.predictions.items()} == FACTS
    for probabilities in map.predictions.values():
        assert sum(probabilities.values()) == pytest.approx(1, abs=1e-5)


def test_taught_heads_are_named_and_untaught_ones_numbered(taught):
    assert taught.head_names == ["sentence type", "object", "relation", "sentiment"]
    assert load_focus_model("heads-2").head_names == ["head 1", "head 2"]


def test_a_head_mask_changes_predictions_and_leaves_the_map(taught):
    whole, without = taught(NOTES), taught(NOTES, np.array([True, True, True, False]))
    assert np.array_equal(whole.weights, without.weights)
    assert whole.predictions["sentiment"]["positive"] > 0.9 > without.predictions["sentiment"]["positive"]
    assert taught(NOTES, [True] * 4).predictions == whole.predictions


def test_steps_one_to_four_are_what_the_docstring_says(taught):
    ids, _ = tokenize(NOTES)
    words = taught.word_codes[ids].float() * taught.word_scale
    x = words + taught.position[: len(ids)]
    kind = torch.relu(x @ taught.kind.weight.T + taught.kind.bias)
    silence = torch.zeros(focus.REACH, kind.shape[1])
    heard = torch.cat([silence, kind, silence])
    heard = torch.stack([heard[at : at + 2 * focus.REACH + 1].flatten() for at in range(len(ids))])
    near = torch.relu(heard @ taught.near.weight.T + taught.near.bias)
    x = x + near @ taught.mix.weight.T + taught.mix.bias
    x = (x - x.mean(1, keepdim=True)) / (x.var(1, unbiased=False, keepdim=True) + 1e-5).sqrt()
    x = x * taught.before.weight + taught.before.bias
    _, weights = taught.attention(x)
    assert np.allclose(weights.detach().numpy(), taught(NOTES).weights[0], atol=1e-6)


def test_padding_changes_nothing(taught):
    sentences = generate_sentences(8, seed=5)
    ids, mask, *_ = encode(sentences)
    with torch.no_grad():
        scores, weights = taught.compute(taught.word_vectors(ids), mask)
    for row, sentence in enumerate(sentences):
        map, length = taught(sentence.text), mask[row].sum()
        assert np.allclose(weights[row, :, :length, :length], map.weights[0], atol=1e-6)
        for name, labels in FACTS.items():
            expected = [map.predictions[name][label] for label in labels]
            assert np.allclose(scores[name][row].softmax(-1), expected, atol=1e-5)


# --- Bad input --------------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=300))
def test_any_text_gives_a_map(taught, text):
    map = taught(text)
    assert map.key_tokens[0] == "[CLS]"
    assert len(map.key_tokens) <= 128
    assert np.allclose(map.weights.sum(-1), 1, atol=1e-4)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b"])
def test_blank_text_asks_for_a_sentence(taught, text):
    map = taught(text)
    assert map.key_tokens == ["[CLS]", "[SEP]"]
    assert map.predictions == {}
    assert map.notes == ("Type a sentence to see what each head looks at.",)


@pytest.mark.parametrize(
    ("text", "note", "tokens"),
    [
        ("tea " * 64, None, 66),
        ("tea " * 80, "Only the first 64 of 80 words are shown.", 66),
        ("a" * 10_000, None, 3),
        ("a-b" * 3_000, "Only the first 126 of 6001 word pieces are shown.", 128),
        ("日本語" * 100, "Only the first 126 of 300 word pieces are shown.", 128),
        ("tea", None, 3),
        ("<b>tea</b> 😀 \ud800", None, 12),
    ],
)
def test_what_is_left_out_is_told(taught, text, note, tokens):
    map = taught(text)
    assert map.notes == ((note,) if note else ())
    assert len(map.key_tokens) == tokens
    assert map.key_tokens[-1] == "[SEP]"


@pytest.mark.parametrize("sentence", [None, 3, b"tea", ["tea"]])
def test_a_sentence_is_a_string(taught, sentence):
    with pytest.raises(TypeError, match=type(sentence).__name__):
        taught(sentence)


def test_a_head_mask_has_one_boolean_per_head(taught):
    with pytest.raises(ValueError, match=r"\[4\], got \[3\]"):
        taught("Tea?", np.array([True, False, True]))
    with pytest.raises(TypeError, match="boolean"):
        taught("Tea?", np.array([1.0, 0.0, 1.0, 1.0]))


def test_unknown_variants_are_refused():
    with pytest.raises(ValueError, match="heads-3"):
        load_focus_model("heads-3")
    with pytest.raises(ValueError, match="step-100"):
        train_focus_model("step-100")


# --- Words and tokens -------------------------------------------------------------------------------------------------


def test_word_by_word_tokens_are_the_tokens_of_the_text():
    for sentence in (*unseen_sentences(), *generate_sentences(200, seed=9)):
        spelt = [token for word in sentence.words for token in pieces(word)]
        assert spelt == tokenize(sentence.text)[0][1:-1], sentence.text


def test_labels_are_shares_of_a_word_and_fall_on_cls_without_any():
    _, mask, labels, facts = encode(unseen_sentences())
    assert torch.allclose(labels.sum(-1), torch.ones(labels.shape[:2]))
    assert not labels[~mask[:, None].expand(labels.shape)].any()
    assert (labels[:, list(HEADS).index("S"), 0] > 0).any()
    assert facts.shape == (len(unseen_sentences()), 4)


def test_words_are_bytes_and_unused_ones_are_zero():
    codes, scale = reduced_words()
    assert codes.dtype == torch.int8
    assert codes.shape[1:] == scale.shape
    unused = [tokenizer().token_to_id(f"[unused{number}]") for number in (0, 500, 993)]
    assert not codes[unused].any()
    assert codes[tokenizer().token_to_id("coffee")].any()


def test_like_words_have_like_vectors():
    codes, _ = reduced_words()
    vectors = [codes[tokenizer().token_to_id(word)].double() for word in ("coffee", "tea", "staircase")]
    coffee_tea = torch.cosine_similarity(vectors[0], vectors[1], 0)
    assert coffee_tea > torch.cosine_similarity(vectors[0], vectors[2], 0) + 0.2


# --- Training and files -----------------------------------------------------------------------------------------------


def test_training_is_the_same_for_the_same_seed_and_leaves_the_readers_randomness_alone():
    torch.manual_seed(1)
    expected, threads = torch.rand(2), torch.get_num_threads()
    torch.manual_seed(1)
    options = {"steps": 3, "num_sentences": 300, "progress": False}
    first, second = train_focus_model(**options).state_dict(), train_focus_model(**options).state_dict()
    other = train_focus_model(seed=1, **options).state_dict()
    assert torch.equal(torch.rand(2), expected)
    assert torch.get_num_threads() == threads
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["kind.weight"], other["kind.weight"])


def test_training_lowers_the_loss_and_can_be_watched():
    losses = {}

    def watch(step, model):
        if step in (0, 25):
            losses[step] = validation_loss(model, count=100)

    train_focus_model("untaught", steps=25, num_sentences=500, checkpoint=watch, progress=False)
    assert losses[25] < 0.9 * losses[0]


def test_training_stops_after_some_seconds():
    seen = []
    train_focus_model(seconds=1e-6, num_sentences=100, progress=False, checkpoint=lambda step, _: seen.append(step))
    assert seen == [0]


def test_save_and_load_keep_every_number(tmp_path):
    model = train_focus_model("heads-2", steps=1, num_sentences=100, progress=False)
    model.save(tmp_path / "model.safetensors")
    again = FocusModel.load(tmp_path / "model.safetensors")
    assert again.variant == "heads-2"
    assert again.head_names == model.head_names
    assert np.array_equal(again(NOTES).weights, model(NOTES).weights)
    assert [path.name for path in tmp_path.iterdir()] == ["model.safetensors"]
    with safe_open(tmp_path / "model.safetensors", "pt") as file:
        assert {file.get_tensor(name).dtype for name in file.keys()} == {torch.float32}  # noqa: SIM118


def test_words_are_read_from_the_file_that_pages_read(tmp_path):
    model = FocusModel.load(focus_file("taught"), focus_file("words"))
    assert np.array_equal(model(NOTES).weights, load_focus_model()(NOTES).weights)


@pytest.mark.parametrize("change", ["missing", "extra", "shape", "header"])
def test_a_file_that_does_not_fit_is_refused(tmp_path, change):
    with safe_open(focus_file("taught"), "pt") as file:
        header = file.metadata()
    tensors = load_file(focus_file("taught"))
    if change == "missing":
        del tensors["near.bias"]
    elif change == "extra":
        tensors["spare"] = torch.zeros(1)
    elif change == "shape":
        tensors["near.bias"] = torch.zeros(5)
    else:
        header = {}
    save_file(tensors, tmp_path / "model.safetensors", header)
    with pytest.raises(ValueError, match=r"near\.bias|tensors|header"):
        FocusModel.load(tmp_path / "model.safetensors")


def test_a_model_is_trained_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("MANYHEADS_CACHE", str(tmp_path))
    monkeypatch.setattr(focus, "UNTAUGHT_STEPS", 1)
    path = focus_file("heads-2", progress=False)
    kept = path.stat().st_mtime_ns
    assert focus_file("heads-2", progress=False) == path
    assert path.stat().st_mtime_ns == kept
    assert load_focus_model("heads-2").num_heads == 2
