"""The tokenizer of a GGUF file, in the page and in Python: both read as the tokenizer that the facts were taken from."""

import json
import os
import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed_sentences import WORDS
from node import ask_node
from odd_texts import HOSTILE, fuzzed
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import GemmaTokenizer, GPT2Tokenizer
from transformers.integrations.gguf.gguf_tokenizer_mapping import GGUF_PRE_TOKENIZER_SPLITS, convert_gguf_tokenizer

from manyheads.models.decoder.tokens import _TABLE, DecoderTokens, facts_of_tokenizer, tokenizer_of
from manyheads.models.decoder.weights import open_weights
from manyheads.shared.tokens import joined

MOST, ROWS = 512, 3  # tokens of a text; rows of the embedding that no token has
FUZZED = int(os.environ.get("MANYHEADS_FUZZ", 1_000)) // 2  # random texts for each of the tokenizers
MARKS, CALL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], "<think>"
TEXTS = [
    *(
        "I'LL say DON'T, we'Re 'ſup: it'S ours",
        "1234567890123456789012345",
        "١٢٣٤٥٦٧ ½²³ⅷ",
        "a\ufeff! \x85\x85x \x1c\x1cx\u200b",
    ),
    *(
        "<s> hi</s><|endoftext|> <|im_start|>user\nhello<|im_end|>",
        "<think> so</think>",
        "<unk><pad> [INST] hi [/INST]",
        "<s>G",
        "Café déjà vu — 123 😊",
        "Cafe\u0301 de\u0301ja\u0300 vu",
    ),
    *(
        "\n\n\n  \n\t x\r\n\r\n y",
        "  two   spaces  ",
        "\t\tif x:\n        return 1",
        "<0x0A> <0xFF>",
        "▁▁x ▁",
        " x",
        " ",
    ),
    *(
        "e\u0301 o\u0308 \u1112\u1161\u11ab Å",
        "สวัสดีชาวโลก ไทย",
        "日本語の文章です。",
        "👩‍👩‍👧‍👦🏳️‍🌈",
        "word " * 600,
        " " * 3000 + "x",
    ),
    *("MixedCaseWORDSareHARD XMLHttpRequest ÀÉx ǅungla ʰʰ", "http://a/b//c/\n/x", "constructor __proto__ 7"),
]
CORPUS = [*WORDS.values(), *TEXTS] * 3
SPLITS = {**GGUF_PRE_TOKENIZER_SPLITS, "deepseek-coder": [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+"]}
BYTEWISE = ("gpt-2", "smollm", "llama-bpe", "dbrx", "qwen2", "qwen35", "tekken", "gpt-4o", "deepseek-coder")
PIECES = ("llama", "phi3")  # architectures
# What Gemma has as whole tokens, whatever its merges are.
WHOLE = [
    *("\n" * most for most in range(1, 32)),
    *(sign * most for sign in "▁\t" for most in range(2, 32)),
    "<b>",
    "</b>",
]


def bytewise(cut):
    """A small byte-level tokenizer that was trained with such a pre-tokenizer."""
    tokenizer = Tokenizer(models.BPE())
    splits = [SPLITS[cut]] if isinstance(SPLITS.get(cut), str) else SPLITS.get(cut, [])
    cuts = [pre_tokenizers.Split(Regex(split), "isolated") for split in splits]
    cuts += [pre_tokenizers.Digits(individual_digits=True)] if cut in ("smollm", "deepseek-coder") else []
    cuts += [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not splits)]
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Sequence(cuts), decoders.ByteLevel()
    if cut.startswith("qwen"):
        tokenizer.normalizer = normalizers.NFC()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=700, special_tokens=MARKS, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_tokens([CALL])
    return tokenizer


def facts_of(tokenizer, cut):
    """The facts of a GGUF file with a byte-level tokenizer."""
    ids = tokenizer.get_vocab()
    tokens = sorted(ids, key=ids.get)
    pairs = json.loads(tokenizer.to_str())["model"]["merges"]
    facts = {"model": "gpt2", "pre": cut, "tokens": tokens, "bos_token_id": 1, "eos_token_id": 2}
    facts["token_type"] = [4 if token == CALL else 3 if token in MARKS else 1 for token in tokens]
    facts["merges"] = [" ".join(pair) for pair in pairs]
    return named(facts) | {"general.architecture": "llama"}


def named(facts):
    return {f"tokenizer.ggml.{name}": value for name, value in facts.items()}


def pieces_of(folder, symbols, **options):
    """A small SentencePiece tokenizer, which has such symbols whole, and the facts of a GGUF file with it."""
    options |= {"model_type": "bpe", "byte_fallback": True, "vocab_size": 700 + len(symbols), "minloglevel": 2}
    options |= {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    lines = (line for text in CORPUS for line in text.splitlines())
    prefix = str(folder / "small")
    SentencePieceTrainer.train(sentence_iterator=lines, model_prefix=prefix, user_defined_symbols=symbols, **options)
    read = SentencePieceProcessor(model_file=f"{prefix}.model")
    kinds = {6: read.IsByte, 3: read.IsControl, 2: read.IsUnknown}
    ids = range(len(read))
    tokens = [read.IdToPiece(id) for id in ids]
    types = [next((kind for kind, holds in kinds.items() if holds(id)), 1) for id in ids]
    types = [4 if token in symbols else type for token, type in zip(tokens, types)]
    facts = {"model": "llama", "tokens": tokens, "scores": [read.GetScore(id) for id in ids], "token_type": types}
    return read, named(facts)


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    """The facts of a small SentencePiece tokenizer."""
    return pieces_of(tmp_path_factory.mktemp("pieces"), [CALL])[1]


@pytest.fixture(scope="module")
def gemma(tmp_path_factory):
    """A small SentencePiece tokenizer of Gemma's kind, and its facts."""
    marks = {
        f"{name}_{part}": value for name in ("pad", "eos", "bos", "unk") for part, value in [("piece", f"<{name}>")]
    }
    ids = {"pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3}
    folder = tmp_path_factory.mktemp("gemma")
    read, facts = pieces_of(folder, [CALL, *WHOLE], add_dummy_prefix=False, split_digits=True, **marks, **ids)
    more = {"bos_token_id": 2, "eos_token_id": 1, "add_bos_token": True, "add_space_prefix": False}
    return read, facts | named(more) | {"general.architecture": "gemma3"}


DRIVER = """
import { Tokenizer } from "./node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
import { DecoderTokens } from "./models/decoder-tokens.ts";
import { tokenizerOf } from "./models/gguf-tokens.ts";
const readOf = (facts, texts) => {
  const file = tokenizerOf(new Map(Object.entries(facts)));
  const options = { vocabularySize: file.words.length + given.rows, maxTokens: given.most };
  const tokens = new DecoderTokens(new Tokenizer(file.json, {}), options, file);
  return { read: texts.map((text) => tokens.read(text)), words: tokens.words, ends: file.ends };
};
answer(given.cases.map(({ facts, texts }) => {
  try { return readOf(facts, texts); } catch ({ name, message }) { return { [name]: message }; }
}));
"""


def read_in_node(cases):
    """What the page makes of each of several files' facts, and of texts."""
    return ask_node(
        DRIVER, {"rows": ROWS, "most": MOST, "cases": [dict(zip(("facts", "texts"), case)) for case in cases]}
    )


def read_in_python(facts, texts):
    try:
        tokens = DecoderTokens(facts, len(tokenizer_of(facts).words) + ROWS)
    except ValueError as error:
        return {"Fault": str(error)}
    read = [dict(zip(("ids", "notes"), map(list, tokens.read(text, MOST)))) for text in texts]
    return {"read": read, "words": tokens.words, "ends": tokens.ends}


def is_old(text):
    """Whether each character is older than the Unicode of all libraries."""
    return all(unicodedata.category(sign) != "Cn" for sign in text)


@pytest.fixture(scope="module")
def tokenizers(pieces):
    """The tokenizers that files were made from, and the files' facts: {name: (tokenizer, facts)}."""
    found = {cut: (tokenizer := bytewise(cut), facts_of(tokenizer, cut)) for cut in BYTEWISE}
    for architecture in PIECES:
        facts = pieces | {"general.architecture": architecture}
        given = {"tokenizer_type": "llama", **{name.rpartition(".")[2]: value for name, value in pieces.items()}}
        found[architecture] = convert_gguf_tokenizer(architecture, given)[0], facts
    return found


@pytest.fixture(scope="module")
def texts():
    odd = [text for text in [*TEXTS, *HOSTILE, *fuzzed(FUZZED)] if len(text) < 30_000 and is_old(text)]
    return json.loads(json.dumps(odd))  # two halves of a character become one


@pytest.fixture(scope="module")
def in_page(tokenizers, texts):
    return dict(zip(tokenizers, read_in_node([(facts, texts) for _, facts in tokenizers.values()])))


def whole(text):
    """A text with a sign in the place of each half of a character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@pytest.mark.parametrize("name", [*BYTEWISE, *PIECES])
def test_a_file_is_read_as_the_tokenizer_it_was_made_from(tokenizers, texts, in_page, name):
    tokenizer, facts = tokenizers[name]
    ours = read_in_python(facts, texts)
    before = tokenizer_of(facts).before
    assert before == ([1] if name in ("llama-bpe", "tekken", *PIECES) else [])
    for text, python, page in zip(texts, ours["read"], in_page[name]["read"], strict=True):
        ids = tokenizer.encode(whole(text), add_special_tokens=False).ids[-(MOST - len(before)) :]
        assert python["ids"] == [*before, *ids] if ids else before or [0], ascii(text[:80])
        assert page == python, ascii(text[:80])
    assert in_page[name]["words"] == ours["words"]
    assert in_page[name]["ends"] == ours["ends"]


@pytest.mark.parametrize("space", ["▁", " "], ids=["signs", "spaces"])
def test_gemmas_tokens_are_read_as_sentencepiece_reads_them(gemma, texts, space):
    """Older files spell tokens of several spaces as SentencePiece does; newer ones in spaces, with scores of no use.

    In these llama.cpp reads a "▁" that is typed by hand as another sign than a space, as we do.
    """
    reader, facts = gemma
    tokens, scores = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.scores"]
    if space == " ":
        scores = [-1000.0 if token in WHOLE else score for token, score in zip(tokens, scores)]
        tokens = [token.replace("▁", " ") if token in WHOLE else token for token in tokens]
    facts = facts | named({"tokens": tokens, "scores": scores})
    runs = ["a  b\n\n\n   <b>c</b>\t\td", "\n" * 70 + " " * 70 + "\t" * 70 + "e", "a \n f  \n\n\t  g"]
    plain = [text for text in [*texts, *runs] if not any(mark in text for mark in ("<unk>", "<pad>"))]
    python = read_in_python(facts, plain)
    assert read_in_node([(facts, plain)]) == [python]
    for text, found in zip(plain, python["read"], strict=True):
        ids = [2, *reader.encode(whole(text))]
        assert found["ids"] == ids or len(ids) > MOST or (space == " " and "▁" in text), ascii(text[:80])


PLAIN = (st.text() | st.lists(st.sampled_from(TEXTS)).map(" ".join)).filter(
    lambda text: is_old(text) and "▁" not in text and "<" not in text
)


@pytest.fixture(scope="module")
def reader_of(tokenizers):
    """A function, which is short where an example is written out: name -> the tokenizer, what Python makes of its file."""
    return {name: (tokenizer, DecoderTokens(facts)) for name, (tokenizer, facts) in tokenizers.items()}.get


@settings(max_examples=200)
@given(st.sampled_from([*BYTEWISE, *PIECES]), PLAIN)
def test_words_of_a_text_are_read_as_the_same_tokens(reader_of, name, text):
    """A page writes words after a text, and reads it anew: it's read as it was written."""
    tokenizer, reader = reader_of(name)
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    read, _ = reader.read(text, 10_000)
    before = read[: len(read) - len(ids)] if text else []
    assert read == [*before, *ids] or not text
    spelt = joined([reader.words[id] for id in ids])
    if name in BYTEWISE:
        assert spelt == (tokenizer.normalizer.normalize_str(text) if tokenizer.normalizer else text)
    else:
        assert spelt in (text, f" {text}")
        assert (spelt == text) is (not text or (name == "llama" and text[0] == " "))
    assert name == "phi3" or not text or reader.read(spelt, 10_000)[0] == read


def test_a_word_that_is_a_token_stays_whole_where_its_tokenizer_was_made_so(tokenizers):
    """Though no merges lead to it: Llama 3's and Mistral's vocabularies have such tokens."""
    whole, cases = {"llama-bpe": True, "tekken": True, "gpt-2": False, "dbrx": False, "qwen2": False}, []
    for facts in (tokenizers[name][1] for name in whole):
        tokens, types = ([*facts[f"tokenizer.ggml.{name}"]] for name in ("tokens", "token_type"))
        cases.append((facts | named({"tokens": [*tokens, "zqxz"], "token_type": [*types, 1]}), ["zqxz"]))
    ours = [read_in_python(*case) for case in cases]
    assert read_in_node(cases) == ours
    assert [each["words"][each["read"][0]["ids"][-1]] == "zqxz" for each in ours] == [*whole.values()]


def test_an_unknown_way_of_cutting_is_read_with_the_nearest_and_a_note(tokenizers):
    nearest = {"llama": "llama-bpe", "qwen3": "qwen2", "gpt2": "gpt-2", "granite": "smollm", "olmo2": "dbrx"}
    cases = []
    for architecture, name in nearest.items():
        for cut in ("default", "of tomorrow", None, 7):
            changed = {"pre": cut, "add_bos_token": name == "llama-bpe"}
            facts = tokenizers[name][1] | named(changed) | {"general.architecture": architecture}
            cases.append(({key: value for key, value in facts.items() if value is not None}, TEXTS))
    ours = [read_in_python(*case) for case in cases]
    assert read_in_node(cases) == ours
    for (facts, texts), found in zip(cases, ours):
        known = read_in_python(facts | named({"pre": nearest[facts["general.architecture"]]}), texts)
        for one, other, text in zip(found["read"], known["read"], texts, strict=True):
            assert "may differ at the edges of words" in one["notes"][0]
            assert one["ids"] == other["ids"] or unicodedata.normalize("NFC", text) != text


def test_what_comes_before_a_text_and_what_ends_it_are_as_the_file_says(pieces):
    """Or as llama.cpp has it, where the file is silent; an empty text has a token, and rows without a token a name."""
    count = len(pieces["tokenizer.ggml.tokens"])
    cases = [
        (pieces, [1], [1, 2]),
        (pieces | named({"add_bos_token": False}), [1], [1, 2]),
        (
            pieces | named({"bos_token_id": 5, "eos_token_id": 7, "eot_token_id": 9, "eom_token_id": 8}),
            [5],
            [2, 5, 7, 8, 9],
        ),
    ]
    found = read_in_node([(facts, ["", "tea"]) for facts, *_ in cases])
    assert found == [read_in_python(facts, ["", "tea"]) for facts, *_ in cases]
    for (facts, start, ends), each in zip(cases, found, strict=True):
        empty, tea = each["read"]
        assert (empty["ids"], each["ends"]) == (start, ends)
        assert (tea["ids"][0] == start[0]) is facts.get("tokenizer.ggml.add_bos_token", True)
        assert each["words"][count:] == [f"<unused{count + place}>" for place in range(ROWS)]


def test_a_start_that_is_typed_by_hand_stands_twice_and_one_that_is_not_there_nowhere(tokenizers):
    """As llama.cpp and transformers have it: the first warns, and we say so."""
    _, pieces = tokenizers["llama"]
    _, bpe = tokenizers["qwen2"]
    without = {name: value for name, value in bpe.items() if not name.endswith("bos_token_id")}
    start = pieces["tokenizer.ggml.tokens"][1]
    cases = [(pieces, [f"{start}The cat", f"The {start}cat"]), (without | named({"add_bos_token": True}), ["The cat"])]
    found = read_in_node(cases)
    assert found == [read_in_python(*case) for case in cases]
    twice, once = found[0]["read"]
    note = f"This model’s tokenizer puts {start} before each text by itself, so it stands here twice."
    assert (twice["ids"][:2], twice["notes"]) == ([1, 1], [note])
    assert (once["ids"].count(1), once["notes"]) == (2, [])
    assert found[1]["read"][0]["ids"] == tokenizers["qwen2"][0].encode("The cat").ids


@pytest.mark.parametrize("style", ["parts", "first", "never"])
def test_pieces_of_a_tokenizer_json_are_read_as_it_reads_them(tokenizers, texts, style):
    """Files spell them with spaces before each part of a text, before the first one, or before none."""
    prepend, replace, cut = (_TABLE["pieces"][name] for name in ("prepend", "replace", "cut"))
    steps = {"type": "Sequence", "normalizers": [prepend, replace]} if style == "parts" else None
    written = tokenizer_of(tokenizers["llama"][1]).json
    written = written | {"normalizer": steps, "pre_tokenizer": None if steps else cut | {"prepend_scheme": style}}
    check_json(written, texts)


@pytest.mark.parametrize("name", BYTEWISE)
def test_a_tokenizer_json_is_read_as_it_reads_itself(tokenizers, texts, name):
    written = json.loads(tokenizers[name][0].to_str())
    written["model"]["ignore_merges"] = name in ("llama-bpe", "tekken")  # as those families' own have it
    mark = {
        "type": "TemplateProcessing",
        "special_tokens": {MARKS[0]: {"id": MARKS[0], "ids": [0], "tokens": MARKS[:1]}},
    }
    mark["single"] = [{"SpecialToken": {"id": MARKS[0], "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    mark["pair"] = [*mark["single"], {"Sequence": {"id": "B", "type_id": 1}}]
    if name == "dbrx":  # as what comes from tiktoken is often written
        written["pre_tokenizer"]["pretokenizers"][0] |= {"behavior": "Removed", "invert": True}
    check_json(written | {"post_processor": mark}, texts)


def test_a_tokenizer_that_transformers_saves_for_gpt_2_or_gemma_is_read_as_it_reads_itself(tokenizers, gemma, texts):
    for kind, facts in ((GPT2Tokenizer, tokenizers["gpt-2"][1]), (GemmaTokenizer, gemma[1])):
        model = tokenizer_of(facts).json["model"]
        tokenizer = kind(model["vocab"], [tuple(pair) for pair in model["merges"]], extra_special_tokens=[CALL])
        check_json(json.loads(tokenizer.backend_tokenizer.to_str()), texts)


def check_json(written, texts):
    """Python and the page make the same facts of a `tokenizer.json`, by which texts are read as its library reads them."""
    facts, tokenizer = facts_of_tokenizer(written, [2]), Tokenizer.from_str(json.dumps(written))
    script = """
    import { factsOfTokenizer } from "./models/gguf-tokens.ts";
    answer(Object.fromEntries(factsOfTokenizer(given, [2])));
    """
    assert ask_node(script, written) == facts
    read = read_in_python(facts, texts)
    assert "Fault" not in read
    for text, each in zip(texts, read["read"], strict=True):
        ids = tokenizer.encode(whole(text)).ids
        assert len(ids) > MOST or not text or each["ids"] == (ids or each["ids"]), ascii(text[:80])


TYPES = {"normal": 1, "control": 3, "user-defined": 4, "unused": 5, "byte": 6}


@pytest.mark.parametrize("name", [*BYTEWISE, *PIECES])
def test_a_vocabulary_that_spells_a_token_twice_is_refused_whatever_its_type(tokenizers, name):
    """As llama.cpp refuses it: nothing says which of the two a text has, and transformers takes the last."""
    _, facts = tokenizers[name]
    tokens, types = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.token_type"]
    cases = [
        (facts | named({"tokens": [*tokens, tokens[400]], "token_type": [*types, type]} | scored(facts)), ["the"])
        for type in TYPES.values()
    ]
    found = read_in_node(cases)
    assert found == [read_in_python(*case) for case in cases]
    for each in found:
        assert f"“{tokens[400]}” (numbers 400 and {len(tokens)})" in each["Fault"]


def scored(facts):
    """The scores of a file, and one more, where it has any."""
    scores = facts.get("tokenizer.ggml.scores")
    return {"scores": [*scores, 0]} if scores else {}


def test_empty_tokens_have_names_and_a_pair_that_stands_twice_counts_once(tokenizers):
    """As llama.cpp has them."""
    _, facts = tokenizers["llama-bpe"]
    tokens, types, merges = (facts[f"tokenizer.ggml.{name}"] for name in ("tokens", "token_type", "merges"))
    changed = {"tokens": [*tokens, "", ""], "token_type": [*types, 1, 5], "merges": [*merges, *merges[:50]]}
    cases = [(facts, TEXTS), (facts | named(changed), TEXTS)]
    whole, found = read_in_node(cases)
    assert [whole, found] == [read_in_python(*case) for case in cases]
    assert found["read"] == whole["read"]
    assert found["words"][len(tokens) : -ROWS] == [f"[EMPTY_{len(tokens) + more}]" for more in range(2)]


@pytest.mark.parametrize("name", ["llama-bpe", "llama"])
def test_types_and_scores_that_are_fewer_than_tokens_are_refused(tokenizers, name):
    _, facts = tokenizers[name]
    count = len(facts["tokenizer.ggml.tokens"])
    cases = [
        (facts | named(change), ["tea"])
        for change in (
            {"scores": [0.0] * (count - 1)},
            {"scores": [0.0] * (count - 1), "merges": []},
            {"scores": [0.0] * (count - 1) + [float("nan")]},
            {"token_type": [1] * (count - 1)},
        )
    ]
    found = [read_in_python(*case) for case in cases]
    whats = [
        "the scores of its tokens",
        "the scores of its tokens",
        "the scores of its tokens",
        "the kinds of its tokens",
    ]
    assert all(what in each["Fault"] for what, each in zip(whats, found, strict=True))
    without_nan = [0, 1, 3]  # which JSON doesn't have
    assert read_in_node([cases[at] for at in without_nan]) == [found[at] for at in without_nan]


DAMAGED = {
    "of the kind “bert”": {"model": "bert"},
    "of the kind “none”": {"model": 7},
    "no list of tokens": {"tokens": [], "token_type": []},
    "the kinds of its tokens": {"token_type": [1, 1]},
    "the scores of its tokens": {"scores": ["-1"]},
    "joins tokens that aren’t": {"merges": ["nothing"]},
    "names a token that isn’t": {"bos_token_id": 2**40},
    "are too long": {"tokens": ["x" * 2**18, "<s>", "</s>"], "token_type": [4, 3, 3], "scores": [0, 0, 0]},
    "too long": {"tokens": ["x" * 9000, "<s>", "</s>"], "token_type": [1, 3, 3], "scores": [0, 0, 0]},
}


@pytest.mark.parametrize("why", DAMAGED)
def test_a_tokenizer_that_cannot_be_read_is_refused_in_a_sentence(pieces, why):
    facts = pieces | named(DAMAGED[why])
    with pytest.raises(ValueError, match=why):
        tokenizer_of(facts)


def test_a_file_with_more_tokens_than_rows_is_refused(pieces):
    count = len(pieces["tokenizer.ggml.tokens"])
    assert len(DecoderTokens(pieces, count).words) == count
    with pytest.raises(ValueError, match="more tokens than the model"):
        DecoderTokens(pieces, count - 1)
    script = """
    import { tokenizerOf } from "./models/gguf-tokens.ts";
    const facts = new Map(Object.entries(given.facts));
    answer([0, 1].map((less) => { try { return tokenizerOf(facts, given.count - less).words.length; } catch ({ message }) { return message; } }));
    """
    read, refused = ask_node(script, {"facts": pieces, "count": count})
    assert read == count
    assert "more tokens than the model" in refused


def test_facts_that_lie_are_read_or_refused_alike(tokenizers):
    """Never is anything else raised; a number that is no whole one doesn't pass for an id."""
    chance, odd = random.Random(58), ["", "x", "a b", 0, -1, 3, 2**40, 0.5, True, False, [], ["a"], [0], ["a b"], {}]
    cases = []
    for _ in range(FUZZED // 4):
        _, facts = tokenizers[chance.choice([*tokenizers])]
        facts = dict(facts)
        for _ in range(chance.randint(1, 2)):
            name = chance.choice(
                [*facts, "tokenizer.ggml.merges", "tokenizer.ggml.scores", "tokenizer.ggml.eot_token_id"]
            )
            value = facts.get(name)
            if isinstance(value, list) and value and chance.random() < 0.7:
                value = [*value]
                value[chance.randrange(len(value))] = chance.choice(odd + value[:3])
                facts[name] = value[: chance.choice([len(value), len(value) - 1])]
            elif chance.random() < 0.2:
                facts.pop(name, None)
            else:
                facts[name] = chance.choice(odd)
        cases.append((facts, ["Hot tea 12 é\n", MARKS[1]]))
    cases += [(tokenizers["llama"][1] | named(change), ["tea"]) for change in DAMAGED.values()]
    ours = [read_in_python(*case) for case in cases]
    for case, page, python in zip(cases, read_in_node(cases), ours, strict=True):
        assert page == python, {name: str(value)[:60] for name, value in case[0].items()}
    assert 0.2 < sum("Fault" in each for each in ours) / len(ours) < 0.95


def test_the_page_reads_with_the_books_decoder_as_python_does(texts):
    """Also the digits of other scripts."""
    script = """
    import { Tokenizer } from "./node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
    import { DecoderTokens } from "./models/decoder-tokens.ts";
    import { tokenizerOf } from "./models/gguf-tokens.ts";
    const { facts, texts, ...sizes } = given;
    const file = tokenizerOf(new Map(Object.entries(facts)));
    const tokens = new DecoderTokens(new Tokenizer(file.json, {}), sizes, file);
    answer({ ends: file.ends, words: tokens.words, read: texts.map((text) => tokens.read(text)) });
    """
    facts = {name: value for name, value in open_weights().metadata.items() if not name.endswith("template")}
    tokens = DecoderTokens(facts)
    sizes = {"vocabularySize": len(tokens.words), "maxTokens": MOST}
    found = ask_node(script, {"facts": facts, "texts": texts, **sizes})
    read = [dict(zip(("ids", "notes"), map(list, tokens.read(text, MOST)))) for text in texts]
    assert [(text, page) for text, page, python in zip(texts, found["read"], read, strict=True) if page != python] == []
    assert found["words"] == tokens.words
    assert found["ends"] == tokens.ends
