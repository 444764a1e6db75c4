"""Named sources of a text, and the seconds of a sound: by the weights and the answers that the model itself has."""

import numpy as np
import pytest
import torch
import transformers
from close import assert_close
from hypothesis import given, settings
from hypothesis import strategies as st
from libraries import GPT2, LLAMA, TEXT, VOCABULARY, made, tokenizer
from vision_language import family, inputs_about, picture

from manyheads.maps import AttentionMap
from manyheads.reading.map_of import map_of
from manyheads.reading.patches import image_token_of
from manyheads.widgets import HeadMap

WORDS = [word for word in VOCABULARY if word.isalpha()]
SENTENCES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), min_size=2, max_size=5)
TEXT_OF_THREE = "user : the cat sat . the soup was good . what is this ?"
THREE = {"cat": "the cat sat .", "soup": (21, 40)}


def spans_of(sentences):
    """A text of sentences, each a source by its characters, and where the tokens of each begin and end."""
    spans, ends = {}, {}
    text, count = "", 0
    for number, words in enumerate(sentences):
        sentence = " ".join(words)
        spans[f"doc {number}"] = len(text), len(text) + len(sentence)
        ends[f"doc {number}"] = count, count + len(words)
        text, count = f"{text}{sentence} ", count + len(words)
    return text.strip(), spans, ends


@given(SENTENCES, st.integers(0, 4))
@settings(max_examples=20, deadline=None)
def test_a_source_gets_what_its_tokens_get(sentences, back):
    text, spans, ends = spans_of(sentences)
    model = made("LlamaForCausalLM", LLAMA, "eager")
    attention = map_of(model, text, tokenizer=tokenizer(marks=False), sources=spans)
    weights = torch.cat(model(**tokenizer(marks=False)(text, return_tensors="pt"), output_attentions=True).attentions)
    first = max(attention.shape[2] - 1 - back, 0)
    table = attention.by_source((first, attention.shape[2] - 1))
    wanted = [weights[:, :, first:, start:end].mean(2).sum(-1) for start, end in ends.values()]
    assert_close(table.looked_at, torch.stack(wanted, -1))
    assert table.tokens == tuple(end - start for start, end in ends.values())
    assert_close(table.per_token * np.float32(table.tokens), table.looked_at)
    assert_close(attention.merge_pieces().by_source().looked_at, attention.by_source().looked_at)
    assert_close(table.looked_at.sum(-1), np.ones(table.looked_at.shape[:2], np.float32))


def test_of_tokens_that_are_held_alone_the_sources_that_are_whole_are_told_and_others_named():
    model, options = made("LlamaForCausalLM", LLAMA), {"tokenizer": tokenizer(marks=False), "sources": THREE}
    whole = HeadMap.of(model, TEXT_OF_THREE, **options).attention
    options["max_weights"] = whole.weights.size - 1
    for first in (3, 6):
        part = HeadMap.of(model, TEXT_OF_THREE, **options, first=first).attention
        assert "These sources aren't held whole, so nothing is told of them: cat." in part.notes
        assert part.by_source().tokens == (whole.sources["soup"].tokens,)
        assert_close(part.by_source().looked_at[..., 0], whole.by_source().looked_at[..., 1])
    with pytest.raises(ValueError, match="none make up a whole source"):
        HeadMap.of(model, TEXT_OF_THREE, **options, first=9)


@pytest.mark.parametrize(("kind", "config"), [("LlamaForCausalLM", LLAMA), ("GPT2LMHeadModel", GPT2)])
def test_what_mattered_is_the_models_own_answer_with_a_source_masked(kind, config):
    model, read = made(kind, config), tokenizer(marks=False)
    shown = HeadMap.of(model, TEXT_OF_THREE, tokenizer=read, sources=THREE)
    table = shown.by_source(answer="the cat")
    ids = read(f"{TEXT_OF_THREE} the cat", return_tensors="pt").input_ids
    for name, share in zip((None, *THREE), (table.probability, *table.without), strict=True):
        mask = torch.ones_like(ids)
        if name is not None:
            mask[:, list(shown.attention.sources[name].places)] = 0
        with torch.no_grad():
            logits = model(ids, attention_mask=mask, position_ids=torch.arange(ids.shape[1])[None]).logits
        wanted = logits.softmax(-1)[0, [-3, -2], ids[0, -2:]].prod()
        assert_close(share, wanted, terms=1000)
    assert shown.query == shown.attention.shape[2] - 1
    likeliest = shown.by_source(mattered=True)
    assert likeliest.probability >= shown.by_source(answer="the").probability
    assert likeliest.answer in VOCABULARY
    assert likeliest.to_csv().splitlines()[0].endswith("answer,with,without")


def test_a_likeliest_token_that_the_tokenizer_lacks_is_named_by_its_id():
    model, read = made("LlamaForCausalLM", LLAMA), tokenizer(marks=False)
    with torch.no_grad():
        model.lm_head.weight[: len(read)] = 0
    assert len(read) < len(model.lm_head.weight)
    table = HeadMap.of(model, TEXT_OF_THREE, tokenizer=read, sources=THREE).by_source(mattered=True)
    assert int(table.answer) >= len(read)


def test_a_model_that_cant_be_asked_without_a_source_says_so():
    read = tokenizer(marks=False)
    bloom = transformers.BloomConfig(hidden_size=32, n_layer=2, n_head=4, vocab_size=50)
    roberta = transformers.RobertaConfig(**TEXT, is_decoder=True)  # it counts from its padding token on

    class Forgetful(transformers.LlamaForCausalLM):
        def forward(self, input_ids, attention_mask=None, position_ids=None):
            return super().forward(input_ids, position_ids=position_ids)

    for model, error, words in (
        (made("BloomForCausalLM", bloom), TypeError, "takes no position_ids"),
        (made("RobertaForCausalLM", roberta), ValueError, "counts its positions otherwise"),
        (Forgetful(LLAMA).eval(), ValueError, "doesn't hide a text"),
    ):
        shown = HeadMap.of(model, TEXT_OF_THREE, tokenizer=read, sources=THREE)
        with pytest.raises(error, match=words):
            shown.by_source(mattered=True)
    with pytest.raises(ValueError, match="a model that computes"):
        HeadMap.of(shown.attention).by_source(mattered=True)


def test_a_page_is_told_what_sources_are_for_or_why_not():
    read, sends = tokenizer(marks=False), []
    model = made("LlamaForCausalLM", LLAMA)
    shown = HeadMap.of(model, TEXT_OF_THREE, tokenizer=read, sources=THREE)
    nameless = HeadMap.of(model, TEXT_OF_THREE, tokenizer=read)
    for one in (shown, nameless):
        one.send = sends.append
        one._handle_custom_msg({"of": one._attention["computed"], "sources": [[2, 3]]}, [])
    table = shown.by_source(mattered=True)
    told = [{"answer": table.answer, "probability": table.probability, "without": each} for each in table.without]
    assert sends[0] == {"of": 1, "mattered": told}
    assert sends[1]["refused"].startswith("what a source is for is told by a model that computes: HeadMap.of(")
    shown.head_mask = [[False, True, True, True], [True] * 4]
    with pytest.raises(ValueError, match="with all heads on"):
        shown.by_source(mattered=True)


def test_a_source_that_isnt_there_or_is_there_twice_is_refused():
    tokens = ["tea", " is", " hot", " tea"]
    weights = np.full((4, 4), 1 / 4)
    for sources, error, words in (
        (["tea"], ValueError, "2 times, from characters 0, 11 on"),
        (["milk"], ValueError, "doesn't stand in the text: 'milk'"),
        ({"end": (4, 9)}, ValueError, "holds none of the 4 tokens"),
        ({"end": 4}, TypeError, "sources must be"),
        ("tea", TypeError, "sources must be"),
    ):
        with pytest.raises(error, match=words):
            map_of(weights, tokens, sources=sources)
    assert map_of(weights, tokens, sources=["is hot"]).sources["source 1"].places == (1, 2)
    with pytest.raises(ValueError, match="no sources"):
        map_of(weights, tokens).by_source()
    with pytest.raises(ValueError, match="query must be"):
        map_of(weights, tokens, sources=["is hot"]).by_source(4)
    with pytest.raises(ValueError, match="keys from 0 to 3"):
        AttentionMap(tokens, tokens, weights[None, None], sources={"tea": [4]})


def test_sources_of_a_long_text_are_the_sums_of_the_whole():
    rng = np.random.default_rng(0)
    documents = [" ".join(rng.choice(WORDS, count)) for count in (90, 130, 70)]
    text = f"user : {' . '.join(documents)} . what is this ?"
    starts = np.cumsum([7, *(len(one) + 3 for one in documents[:-1])]).tolist()
    sources = {f"doc {at}": (start, start + len(one)) for at, (start, one) in enumerate(zip(starts, documents))}
    asked = {"tokenizer": tokenizer(marks=False), "sources": sources}
    whole = map_of(made("LlamaForCausalLM", LLAMA), text, **asked)
    model = made("LlamaForCausalLM", LLAMA)
    shown = HeadMap.of(model, text, **asked, max_weights=2000)
    assert shown.attention.weights.size <= 4000 < whole.weights.size
    assert_close(shown.by_source().looked_at, whole.by_source().looked_at)
    assert shown.by_source().tokens == whole.by_source().tokens == (90, 130, 70)
    shown.query = 1  # opens a sentence, and closes the last
    assert shown.by_source().tokens == (90, 130, 70)


def test_the_places_of_a_sound_are_named_by_their_seconds():
    sizes = {"d_model": 32, "vocab_size": 50, "max_source_positions": 50, "num_mel_bins": 8}
    for side in ("encoder", "decoder"):
        sizes |= {f"{side}_layers": 2, f"{side}_attention_heads": 2, f"{side}_ffn_dim": 32}
    config = transformers.WhisperConfig(**sizes, pad_token_id=0, bos_token_id=1, eos_token_id=2)
    model = made("WhisperForConditionalGeneration", config)
    for hop, rate, second in ((160, 16000, "0.98 s"), (80, 16000, "0.49 s"), (80, 32000, "0.245 s")):
        reader = transformers.WhisperFeatureExtractor(8, rate, hop, chunk_length=1)
        inputs = {"input_features": torch.zeros(1, 8, 100), "decoder_input_ids": torch.tensor([[1, 5, 6]])}
        cross = map_of(model, inputs=inputs, tokenizer=reader, part="cross")
        assert (cross.key_tokens[0][-2:], cross.key_tokens[-1]) == (" s", second)
        assert len(cross.key_tokens) == 50
        first = map_of(cross, sources={"first": (0, 25)}).by_source()
        assert first.notes == ()  # the beginning of a sound is no sink
        assert_close(first.looked_at[..., 0], cross.weights[:, :, -1, :25].sum(-1))
    unknown = map_of(model, inputs=inputs, part="cross")
    assert unknown.key_tokens[0] == "1"


@pytest.mark.parametrize("name", ["llava", "gemma"])  # Gemma's patches see each other, by its token_type_ids
def test_parts_of_a_picture_are_looked_at_and_matter(name):
    model, read = family(name)
    inputs = inputs_about(name, picture())
    model.set_attn_implementation("eager")
    ids = inputs["input_ids"][0]
    patches = (ids == image_token_of(model.config)).nonzero().ravel().tolist()
    above = patches[0], patches[len(patches) // 2]
    asked = {"inputs": inputs, "tokenizer": read, "image": picture()}
    shown = HeadMap.of(model, **asked, sources={"above": above, "words": (len(ids) - 4, len(ids) - 1)})
    assert shown.query == len(ids) - 1
    table = shown.by_source(mattered=True)
    positions = torch.arange(len(ids))[None]
    with torch.no_grad():
        whole = model(**inputs, output_attentions=True)
        inputs["attention_mask"][:, slice(*above)] = 0
        without = model(**inputs, position_ids=positions).logits[0, -1].softmax(-1)
    looked = torch.cat(whole.attentions)[:, :, -1, slice(*above)].sum(-1)
    assert_close(table.looked_at[..., 0], looked)
    own = whole.logits[0, -1].softmax(-1)
    assert_close(table.probability, own.max(), terms=1000)
    assert_close(table.without[0], without[own.argmax()], terms=1000)
    assert abs(table.without[0] - table.probability) > 1e-5
