"""The decoder's tokens: pieces of words, and bytes for whatever no piece spells.

A text is cut into words, digits and signs, and each is spelled in bytes; then pairs of pieces are joined, the pair that
was most frequent in training first (byte-pair encoding, Sennrich et al. 2016, arXiv:1508.07909). SentencePiece (Kudo &
Richardson 2018, arXiv:1808.06226) spells the whole text in characters, a space as "▁", and joins the pair that makes
the piece with the best score. A GGUF file says in its facts which of the two its model was trained with.
`shared/pretokenizers.json` has how texts are cut, under llama.cpp's names, what is the same in each `tokenizer.json`,
and the sentences for files that can't be read. Its bounds are in how many places all tokens together may be cut, times
their lengths (of 256,000 it's some 2^24), and characters of the tokens that are looked for in a text as a whole.
"""

import json
import math
import re
from importlib.resources import files
from typing import NamedTuple

from tokenizers import Tokenizer

from manyheads.models.decoder.gguf import NotRead
from manyheads.models.white_space import within_reach
from manyheads.shared.names import EMPTY, LONE_BYTES, NOTES
from manyheads.shared.tokens import BYTES, of_bytes, spelled

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED = 1, 2, 3, 4, 5  # the types of tokens, in GGUF
_TABLE = json.loads(files("manyheads.shared").joinpath("pretokenizers.json").read_text(encoding="utf-8"))


class FileTokenizer(NamedTuple):
    """What a file's facts say of its tokenizer: twin of web/models/gguf-tokens."""

    json: dict  # the `tokenizer.json` that the libraries of Hugging Face read, here and in pages
    words: list  # what each token stands for, by its id
    before: list  # ids that come before each text
    start: int  # stands for a text that has no token
    ends: list  # ids that end a text
    notes: list
    is_bytewise: bool


def tokenizer_of(facts, rows=math.inf):
    """The tokenizer of a GGUF file, from its facts; its embedding has so many rows.

    >>> facts = {"model": "llama", "tokens": ["<unk>", "<s>", "▁", "t", "e", "▁te", "▁t"], "scores": [0] * 5 + [-1, -2]}
    >>> found = tokenizer_of({f"tokenizer.ggml.{name}": value for name, value in facts.items()})
    >>> found.words[5], found.before, found.json["model"]["merges"]
    (' te', [1], [['▁t', 'e'], ['▁', 't']])

    Raises `ValueError`, with half a sentence that says why, for a tokenizer of another kind and for a damaged one.
    """
    given = _Given(facts)
    if given.count > rows:
        raise _damaged("rows")
    is_bytewise, cut, ids = given.kind == "gpt2", given.text("pre"), given.ids
    family = _family(cut) if is_bytewise else {}
    notes = [] if family is not None else [_TABLE["note"]]
    if family is None:
        nearest = _TABLE["nearest"].get(str(given.architecture), "llama-bpe")
        family = {"cuts": _family(nearest)["cuts"]}
    first, last = given.id("bos_token_id", None if is_bytewise else 1), given.id("eos_token_id")
    parts = _TABLE["json"] | {"added_tokens": given.marks()} | (_bytewise(family) if is_bytewise else _pieces(given))
    joining = {"byte_fallback": not is_bytewise, "ignore_merges": family.get("wholeFirst", False)}
    parts["model"] = parts["model"] | joining | {"vocab": ids, "merges": given.merges()}
    word = _word_of_bytes if is_bytewise else _word_of_piece
    words = [token if type in (UNKNOWN, CONTROL) else word(token) for token, type in zip(ids, given.types)]
    begins = given.flag("add_bos_token", not is_bytewise or cut in _TABLE["begins"]) and first is not None
    start = next(each for each in (ids.get("<|endoftext|>"), first, last, 0) if each is not None)
    return FileTokenizer(parts, words, [first] * begins, start, given.ends({first, last}), notes, is_bytewise)


def facts_of_tokenizer(written, ends):
    """The facts of a GGUF file with the tokenizer of a `tokenizer.json`; texts end in the tokens numbered `ends`.

    Raises `ValueError` for one that reads texts in another way than those of files do; `KeyError`, `TypeError` and
    the like for one that's damaged.
    """
    model, added = written["model"], written.get("added_tokens") or []
    if model["type"] != "BPE":
        raise NotRead(_TABLE["faults"]["kind"].format(kind=model["type"][:40]))
    ids = model["vocab"] | {each["content"]: each["id"] for each in added}
    by_id = {number: token for token, number in ids.items()}
    are_numbers = _are([int], [*by_id]) and all(0 <= number < _TABLE["most"]["tokens"] for number in by_id)
    others = [each for each in added if model["vocab"].get(each["content"], each["id"]) != each["id"]]
    if not are_numbers or len(by_id) < len(ids) or others:
        raise _damaged("tokens")
    marks = {each["id"]: CONTROL if each["special"] else USER_DEFINED for each in added}
    every, before = range(max(by_id, default=0) + 1), _before(written.get("post_processor"))
    facts = _cutting(written, added) | {
        "tokens": [by_id.get(number, "") for number in every],
        "token_type": [marks.get(number, NORMAL if number in by_id else UNUSED) for number in every],
        "merges": [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]],
        "add_bos_token": bool(before),
    }
    ends = [number for number in ends if type(number) is int and number in by_id]
    facts |= dict(zip(["bos_token_id"], before)) | dict(zip(["eos_token_id", "eot_token_id", "eom_token_id"], ends))
    return {f"tokenizer.ggml.{name}": value for name, value in facts.items()}


def _cutting(written, added):
    """How a `tokenizer.json` cuts texts, as facts; refused where a file's can't say so."""
    model, steps, cut = written["model"], written.get("normalizer"), written.get("pre_tokenizer")
    is_whole = any(each.get(name) for each in added for name in ("single_word", "lstrip", "rstrip"))
    is_odd = any(model.get(name) for name in ("dropout", "continuing_subword_prefix", "end_of_word_suffix"))
    is_spaced = model.get("byte_fallback") and steps and any(each.get("normalized") for each in added)
    if is_whole or is_odd or is_spaced:
        raise NotRead(_TABLE["faults"]["cuts"])
    if model.get("byte_fallback"):
        parts, scheme = _TABLE["pieces"], (cut or {}).get("prepend_scheme")
        if not steps and scheme in ("first", "never") and parts["cut"].items() <= cut.items():
            return {"model": "llama", "add_space_prefix": scheme == "first"}
        *before, last = (steps or {}).get("normalizers") or [steps]
        is_uncut = cut is None or cut == parts["idle"]  # Gemma's splits at spaces, of which none are left
        if is_uncut and last == parts["replace"] and before in ([], [parts["prepend"]]):
            return {"model": "llama", "add_space_prefix": bool(before), "add_space_to_parts": True}
        raise NotRead(_TABLE["faults"]["cuts"])
    for family in _TABLE["families"]:
        same = _plain(cut) == _plain(_bytewise(family)["pre_tokenizer"]) and steps == family.get("normalizer")
        if same and model.get("ignore_merges", False) == family.get("wholeFirst", False):
            return {"model": "gpt2", "pre": family["names"][0]}
    raise NotRead(_TABLE["faults"]["cuts"])


def _plain(cut):
    """A pre-tokenizer's steps, alike where they cut alike."""
    if cut["type"] == "Sequence":
        return [step for each in cut["pretokenizers"] for step in _plain(each)]
    if cut["type"] == "ByteLevel" and not cut["add_prefix_space"]:
        return [["ByteLevel", cut.get("use_regex", True)]]
    if cut["type"] == "Split" and "Regex" in cut["pattern"]:
        short, long = _TABLE["endings"]
        pattern = cut["pattern"]["Regex"].replace(short, long).replace(f"(?:{long})", long)
        how = cut["behavior"], cut["invert"]
        if how == ("Removed", True) and pattern.endswith(r"|\s+"):  # nothing is left between what such patterns find
            how = "Isolated", False
        return [["Split", pattern, *how]]
    return [cut]


def _before(step):
    """The ids that a post-processor puts before each text."""
    kind = (step or {}).get("type")
    if kind in (None, "ByteLevel"):
        return []
    if kind == "Sequence":
        return [number for each in step["processors"] for number in _before(each)]
    *before, text = step["single"] if kind == "TemplateProcessing" else [{}]
    if "Sequence" not in text or len(before) > 1:
        raise NotRead(_TABLE["faults"]["cuts"])
    return [number for each in before for number in step["special_tokens"][each["SpecialToken"]["id"]]["ids"]]


class _Given:
    """The facts of a tokenizer, which may lie: what isn't as it should be raises `ValueError`."""

    def __init__(self, facts):
        self.architecture = facts.get("general.architecture")
        self.facts = {name.removeprefix("tokenizer.ggml."): value for name, value in facts.items()}
        self.kind, tokens = self.text("model"), self.facts.get("tokens")
        if self.kind not in ("gpt2", "llama"):
            raise NotRead(_TABLE["faults"]["kind"].format(kind=self.kind[:40] or "none"))
        if not _are([str], tokens) or not tokens:
            raise _damaged("tokens")
        self.count = len(tokens)
        self.types = self.facts.get("token_type", [NORMAL] * self.count)
        if not _are([int], self.types) or len(self.types) != self.count:
            raise _damaged("types")
        self.scores = self.facts.get("scores", [0] * self.count)
        are_numbers = _are([int, float], self.scores) and all(map(math.isfinite, self.scores))
        if not are_numbers or len(self.scores) != self.count:
            raise _damaged("scores")
        self.ids = _ids(tokens)

    def id(self, name, default=None):
        number = self.facts.get(name, default)
        if number is None or (name not in self.facts and number >= self.count):
            return None
        if not _are([int], [number]) or not 0 <= number < self.count:
            raise _damaged("ids")
        return number

    def text(self, name):
        value = self.facts.get(name)
        return value if isinstance(value, str) else ""

    def flag(self, name, default):
        return self.facts[name] is True if name in self.facts else default

    def ends(self, others):
        """The ids that end a text: those that are named, and `others`; the ends of chats, where they're marked."""
        marked = {self.ids[token] for token in _TABLE["ends"] if token in self.ids}
        ends = {number for number in marked if self.types[number] != NORMAL} | others
        return sorted((ends | {self.id("eot_token_id"), self.id("eom_token_id")}) - {None})

    def marks(self):
        """The tokens that are looked for in a text as a whole."""
        marks = [
            {"id": number, "content": token, "special": type != USER_DEFINED} | _TABLE["mark"]
            for (token, number), type in zip(self.ids.items(), self.types)
            if type in (UNKNOWN, CONTROL, USER_DEFINED)
        ]
        if sum(len(mark["content"]) for mark in marks) > _TABLE["most"]["marked"]:
            raise _damaged("long")
        return marks

    def merges(self):
        """The pairs that are joined, the first first: those of the file, or those that its scores imply."""
        if "merges" not in self.facts and self.kind == "llama":
            return self._merges_by_score()
        merges = self.facts.get("merges")
        if not _are([str], merges):
            raise _damaged("merges")
        ids, merges = self.ids, list(dict.fromkeys(merges))  # the first of two counts, as in llama.cpp
        pairs = [[pair[:at], pair[at + 1 :]] for pair in merges for at in [pair.find(" ", 1)] if at > 0]
        known = all(left in ids and right in ids and left + right in ids for left, right in pairs)
        if not known or len(pairs) < len(merges):
            raise _damaged("merges")
        return pairs

    def _merges_by_score(self):
        """As `generate_merges` of transformers has them: by score, then by the lengths of both, the largest first."""
        ids = self.ids
        if "scores" not in self.facts:
            raise _damaged("scores")
        if sum(len(token) ** 2 for token in ids) > _TABLE["most"]["cuts"]:
            raise _damaged("long")
        merges = []
        for token, score in zip(ids, self.scores):
            pairs = [(token[:at], token[at:]) for at in range(1, len(token))]
            known = [pair for pair in pairs if pair[0] in ids and pair[1] in ids]
            known.sort(key=lambda pair: (ids[pair[0]], ids[pair[1]]))
            merges += [(score, len(left), len(right), [left, right]) for left, right in known]
        merges.sort(key=lambda merge: merge[:3], reverse=True)
        return [pair for *_, pair in merges]


def _ids(tokens):
    """The number of each token, as llama.cpp has them: empty tokens have names, and no two tokens are spelled alike."""
    ids = {}
    for number, token in enumerate(tokens):
        first = ids.setdefault(token or f"[EMPTY_{number}]", number)
        if first != number:
            raise ValueError(_TABLE["faults"]["twice"].format(token=token[:40], first=first, second=number))
    return ids


def _damaged(what):
    faults = _TABLE["faults"]
    return ValueError(faults["damaged"].format(what=faults[what]))


def _are(kinds, values):
    return isinstance(values, list) and all(type(value) in kinds for value in values)


def _family(cut):
    return next((family for family in _TABLE["families"] if cut in family["names"]), None)


def _bytewise(family):  # -> the parts of a `tokenizer.json` that cut and join
    bytewise = _TABLE["bytewise"]
    cuts = [cut if "type" in cut else _TABLE["split"] | {"pattern": cut} for cut in family["cuts"]]
    cuts += [bytewise | {"use_regex": False}] if bytewise not in cuts else []
    cutting = {"type": "Sequence", "pretokenizers": cuts}
    return {"normalizer": family.get("normalizer"), "pre_tokenizer": cutting, "decoder": bytewise}


def _pieces(given):
    """Spaces become "▁", and one comes before the text: before each part of it for Phi 3, or if it begins with none."""
    spaced, parts = given.flag("add_space_prefix", True), _TABLE["pieces"]
    if not given.flag("add_space_to_parts", given.architecture == "phi3"):
        cutting = parts["cut"] | {"prepend_scheme": "first" if spaced else "never"}
        return {"pre_tokenizer": cutting, "decoder": parts["decoder"]}
    steps = [parts["prepend"]] * spaced + [parts["replace"]]
    return {"normalizer": {"type": "Sequence", "normalizers": steps}, "decoder": parts["decoder"]}


def _word_of_bytes(token):
    return of_bytes(token) if all(sign in BYTES for sign in token) else token


def _word_of_piece(token):
    byte = re.fullmatch("<0x([0-9A-F]{2})>", token)
    return spelled(bytes.fromhex(byte[1])) if byte else token.replace("▁", " ")


def load_tokenizer(weights):
    """The tokenizer of the weights' file."""
    return DecoderTokens(weights.metadata).tokenizer


class DecoderTokens:
    """From texts to tokens and back, with the tokenizer of a file: twin of web/models/decoder-tokens.

    `facts` are those of the file, and `rows` how many its embedding has: `words` say what each stands for.
    """

    def __init__(self, facts, rows=0):
        self._file = tokenizer_of(facts, rows or math.inf)
        self.tokenizer = Tokenizer.from_str(json.dumps(self._file.json))
        known = self._file.words
        self.words = [*known, *(f"<unused{number}>" for number in range(len(known), rows))]
        self.ends = self._file.ends
        signs = BYTES if self._file.is_bytewise else {f"<0x{byte:02X}>": byte for byte in range(256)}
        self.unspelled = {byte for sign, byte in signs.items() if self.tokenizer.token_to_id(sign) is None}

    def read(self, text, most):
        """The ids of at most so many tokens, and what is left out or comes in bytes: ([id, ...], (note, ...)).

        Of a longer text the end is read, after the ids that come before each.
        """
        # Lone surrogates, half a character each, are no text that could be encoded.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text, cut = within_reach(text, most, "last")
        ids, notes, before = self.tokenizer.encode(text).ids, [*self._file.notes, *cut], self._file.before
        if self.unspelled and self.unspelled & set(self._in_bytes(text).encode()):
            notes.append("No token spells some of these characters; they are left out.")
        if before and ids[:1] == before:  # as in llama.cpp, which warns of it, and in transformers
            notes.append(_TABLE["doubled"].format(token=self.words[before[0]]))
        beyond = len(before) + len(ids) - most
        if beyond > 0:
            notes.append(f"This model reads at most {most} tokens; the first {beyond} are left out.")
            ids = ids[beyond:]
        bytes_alone = next(filter(None, (re.search(LONE_BYTES, self.words[number]) for number in ids)), None)
        if bytes_alone:
            notes.append(NOTES["bytes"].format(bytes=bytes_alone[0]))
        if ids:
            return [*before, *ids], tuple(notes)
        return before or [self._file.start], (*notes, EMPTY)

    def _in_bytes(self, text):
        """What of a text is spelled in bytes: all of it, or the characters that are no token."""
        if self._file.is_bytewise:
            return text
        return "".join(sign for sign in set(text.replace(" ", "▁")) if self.tokenizer.token_to_id(sign) is None)
