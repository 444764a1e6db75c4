"""The translator as a head model: a sentence goes in, its French and what every head looks at come out."""

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict

import torch
from numpy.typing import ArrayLike
from torch import nn

from manyheads.defaults import new_tensors, where_it_is
from manyheads.inputs import checked_heads
from manyheads.maps import AttentionMap
from manyheads.models.keeping import fill, kept_file, kept_files, kept_variants, read_model, write_model
from manyheads.models.translator.network import END, MARKS, START, EncoderDecoder, TranslatorConfig, padded
from manyheads.models.translator.sentences import MAX_WORDS, MESSAGES, SHORT_FORMS, read

HEADS = ("word", "noun", "subject", "antecedent")  # what each is taught to look at
LONGEST = 23  # French words, at most
# Which attention a map shows: its part of the network, and the layers, which may be one.
ATTENTIONS = {
    "cross": "the last layer's cross-attention: French words ask, English words are looked at",
    "first": "the first layer's cross-attention",
    "english": "the encoder's self-attention: English words ask English words",
    "french": "the decoder's causal self-attention: French words ask those before them",
}


@where_it_is
class Translator(nn.Module):
    """English in, French out, by four heads: call it with a sentence and it gives the cross-attention's map.

    >>> from manyheads import load_translator
    >>> translator = load_translator()
    >>> translator.translate("The girls eat the red apple.")
    'Les filles mangent la pomme rouge.'
    >>> attention = translator("The girls eat the red apple.")
    >>> attention.query_tokens
    ['les', 'filles', 'mangent', 'la', 'pomme', 'rouge', '</s>']
    >>> attention.shape  # layers, heads, queries, keys
    (1, 4, 7, 7)

    `vocabulary` holds the English words it knows. It reads the sentences whose words, each by its letter of `letters`,
    fit the `pattern`. `head_mask` is [layer, h]; False turns a head off, and the French
    then is what is left of it. `attention` is the one whose map is given, of `ATTENTIONS`.

    Raises `TypeError` for a sentence that is not a string; `NotTranslated`, a `ValueError` that gives the reason, for
    one that it cannot read; and `ValueError` for a head mask of another shape.
    """

    __call__: Callable[..., AttentionMap]  # of nn.Module, which calls `forward`

    def __init__(
        self,
        variant: str,
        english: Sequence[str],
        french: Sequence[str],
        letters: dict[str, str],
        pattern: str,
        config: TranslatorConfig = TranslatorConfig(),
        attention: str = "cross",
    ) -> None:
        super().__init__()
        if attention not in ATTENTIONS:
            raise ValueError(f"no such attention: {attention!r}; there are {', '.join(ATTENTIONS)}")
        self.variant, self.config, self.attention, self.kept = variant, config, attention, False
        self.english, self.french = list(english), list(french)
        self.letters, self.pattern = letters, pattern
        self.num_heads = int(variant.removeprefix("heads-")) if variant.startswith("heads-") else len(HEADS)
        self.network = EncoderDecoder(len(english), len(french), self.num_heads, config)

    @property
    def num_layers(self) -> int:
        return 1 if self.attention in ("cross", "first") else self.config.layers

    @property
    def head_names(self) -> list[str]:
        """What the heads were taught to look at; `head 1`, `head 2`, ... where they were not taught."""
        taught = self.variant == "taught" and self.attention == "cross"
        return list(HEADS) if taught else [f"head {head + 1}" for head in range(self.num_heads)]

    @property
    def page_name(self) -> str | None:
        """What pages call it, such as `translator/french`; None if it was trained just now: no page has it."""
        parts = [part for part in (self.variant, self.attention) if part not in ("taught", "cross")]
        return "/".join(["translator", *parts]) if self.kept else None

    @property
    def name(self) -> str:
        return self.page_name or "translator, trained just now"

    @property
    def vocabulary(self) -> list[str]:
        """The English words that it knows, in order."""
        return [word for word in self.english if word not in MARKS]

    def read(self, sentence: str) -> list[str]:
        """The words of a sentence, as the translator knows them.

        >>> from manyheads import load_translator
        >>> load_translator().read("The girl doesn't see an umbrella.")
        ['the', 'girl', 'does', 'not', 'see', 'an', 'umbrella']

        Raises `TypeError` for a sentence that is not a string, `NotTranslated` for nothing, for more than 14 words, for
        an unknown word and for a sentence outside the grammar, with the first word that doesn't fit.
        """
        return read(sentence, self.letters, self.pattern)

    def translate(self, sentence: str, head_mask: ArrayLike | None = None) -> str:
        """The French of an English sentence."""
        words, *_ = self._translated(self.read(sentence), self._off(head_mask))
        return joined(words)

    @torch.no_grad()
    def forward(self, sentence: str, head_mask: ArrayLike | None = None) -> AttentionMap:
        words = self.read(sentence)
        french, english_maps, french_maps, cross_maps = self._translated(words, self._off(head_mask))
        queries, keys, causal = [*french, END], [*words, END], self.attention == "french"
        if self.attention == "english":
            queries, maps = keys, english_maps
        elif causal:
            queries = keys = [START, *french]
            maps = french_maps
        else:
            maps = cross_maps[:1] if self.attention == "first" else cross_maps[-1:]
        weights = torch.cat(maps).numpy(force=True)  # [layer, h, q, k]
        return AttentionMap(queries, keys, weights, self.head_names, causal=causal, written=joined(french))

    def _off(self, head_mask):
        """The head masks of the network's parts, for one of this map's."""
        mask = checked_heads(head_mask, self.num_layers, self.num_heads)
        if mask is None:
            return None
        if self.attention in ("english", "french"):
            return {self.attention: mask}
        rest = torch.ones(self.config.layers - 1, self.num_heads, dtype=torch.bool)
        return {"cross": torch.cat([mask, rest] if self.attention == "first" else [rest, mask])}

    @torch.no_grad()
    def _translated(self, words, off=None):
        """Greedy decoding: the French words, and the maps of all layers as [1, h, q, k]."""
        [french] = self.batch([words], off)
        memory, english_maps = self.network.encode(self._ids([words], self.english), off=off)
        ids = self._ids([[START, *french]], self.french)[:, : len(french) + 1]
        _, french_maps, cross_maps = self.network.decode(ids, memory, off=off)
        return french, english_maps, french_maps, cross_maps

    def _ids(self, rows, vocabulary):
        number = {word: place for place, word in enumerate(vocabulary)}
        end = [] if vocabulary is self.french else [END]
        return padded([[number[word] for word in [*row, *end]] for row in rows])

    @torch.no_grad()
    def batch(self, sentences: Sequence[Sequence[str]], off: dict[str, torch.Tensor] | None = None) -> list[list[str]]:
        """The French words of several sentences, given as lists of words; `off` has a head mask [layer, h] by part.

        >>> from manyheads import load_translator
        >>> load_translator().batch([["the", "cat", "sleeps"], ["we", "sing"]])
        [['le', 'chat', 'dort'], ['nous', 'chantons']]
        """
        sources = self._ids(sentences, self.english)
        mask = (sources > 0)[:, None, None]
        memory, _ = self.network.encode(sources, mask, off)
        written = torch.full((len(sentences), 1), MARKS.index(START))
        going = torch.ones(len(sentences), dtype=torch.bool)
        while going.any() and written.shape[1] <= LONGEST:
            logits, *_ = self.network.decode(written, memory, mask, off)
            chosen = logits[:, -1].argmax(-1)
            written = torch.cat([written, chosen[:, None]], dim=1)
            going &= chosen != MARKS.index(END)
        found = []
        for row in written[:, 1:].tolist():
            length = row.index(MARKS.index(END)) if MARKS.index(END) in row else LONGEST
            found.append([self.french[number] for number in row[:length]])
        return found

    def save(self, path: str | os.PathLike[str], dtype: torch.dtype = torch.float32) -> None:
        """Write the weights as safetensors; the header says what they are, and what the page has to know."""
        header = {
            "variant": self.variant,
            "num_heads": self.num_heads,
            "english": self.english,
            "french": self.french,
            "head_names": list(HEADS) if self.variant == "taught" else None,
            "letters": self.letters,
            "pattern": self.pattern,
            "messages": MESSAGES,
            "short_forms": SHORT_FORMS,
            "max_words": MAX_WORDS,
            "longest": LONGEST,
            "config": asdict(self.config),
        }
        write_model(path, self.network, header, dtype)

    @classmethod
    def load(cls, path: str | os.PathLike[str], attention: str = "cross") -> "Translator":
        """Read what `save` wrote; raises `ValueError` when a tensor is missing, extra or of another shape."""
        names = ("variant", "english", "french", "letters", "pattern")
        header, config, tensors = read_model(path, "translator", {*names}, TranslatorConfig)
        with new_tensors():
            model = cls(*(header[name] for name in names), config, attention)
        fill(model.network, tensors, path)
        model.kept = True
        return model.eval()


def load_translator(variant: str = "taught", *, attention: str = "cross") -> Translator:
    """Load a trained translator: taught, or with one head that was shown nothing, heads-1.

    >>> load_translator().translate("The girl sees the red apple.")
    'La fille voit la pomme rouge.'
    >>> load_translator(attention="french")("The cat sleeps.").query_tokens
    ['<s>', 'le', 'chat', 'dort']

    `attention` is the one that its maps show: "cross" (of the last layer), "first" (of the first), "english" (the
    encoder's self-attention) or "french" (the decoder's, which is causal).

    Raises `ValueError` for another variant or attention, and for a file that isn't the one we trained.
    """
    return Translator.load(kept_file("translator", variant), attention)


def load_variant(name):
    """The translator that pages call `translator/<name>`: a training, an attention, or both with a slash between.

    >>> load_variant("heads-1/french").head_names
    ['head 1']
    """
    parts = name.split("/") if name else []
    training = next((part for part in parts if part in kept_variants("translator")), "taught")
    return load_translator(training, attention=next((part for part in parts if part in ATTENTIONS), "cross"))


def page_files():
    """The paths of all that a page needs for the translators."""
    return kept_files("translator")


def joined(words):
    """French words as a text.

    >>> joined(["l'", "ami", "dort"])
    "L'ami dort."
    """
    text = " ".join(words).replace("' ", "'").replace(" ,", ",").replace(" ?", "\u00a0?")
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('?') else '.'}" if text else ""
