"""Pretrained transformers as head models: a sentence goes in, what every head of every layer looks at comes out.

The default is MiniLM, 6 layers x 12 heads (Wang et al. 2020, arXiv:2002.10957; sentence-transformers/all-MiniLM-L6-v2):
heads that nobody taught. Any other Hugging Face encoder or decoder will do, by its name or as a folder.

This module needs `transformers`, which is imported when the first model is loaded and not before.
"""

import itertools
import os
import re
from collections.abc import Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from safetensors.torch import load_file

from manyheads.attention import MultiHeadAttention
from manyheads.defaults import new_tensors, where_it_is
from manyheads.inputs import checked_heads
from manyheads.maps import AttentionMap
from manyheads.models.machine import Lens, Machine, checked_parts, norms_of, part_names, sizes_of
from manyheads.models.pretrained import ENCODER, pretrained_file
from manyheads.models.white_space import within_reach
from manyheads.shared.names import EMPTY, TOPICS
from manyheads.shared.tokens import BYTES, of_bytes

MAX_TOKENS = 512
Sentence = str | tuple[str, str]
CONFIG = {  # the config.json of MiniLM, as far as it departs from BERT's own
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "max_position_embeddings": MAX_TOKENS,
    "attn_implementation": "eager",  # the other implementations return no attentions
}
SPECIAL = {name: f"[{name[:3].upper()}]" for name in ("unk_token", "cls_token", "sep_token", "pad_token")}

# How the library's models call the layer that mixes the heads, W^O: BERT, DistilBERT, GPT-2, Llama, OPT, T5, ...
OUTPUT = re.compile(
    r"(^|\.)(attention|attn|self_attn|self_attention|SelfAttention)"
    r"\.(output\.dense|out_lin|c_proj|o_proj|out_proj|dense|Wo|wo|o)$"
)


@cache
def load_variant(_variant):
    """The encoder of the pages, which is called `encoder` and has no variants; loaded once."""
    return load_encoder()


def load_encoder(name: str | os.PathLike[str] = ENCODER, folder: str | os.PathLike[str] | None = None) -> "Encoder":
    """Load a pretrained encoder or decoder as a head model.

    >>> encoder = load_encoder()
    >>> encoder.num_layers, encoder.num_heads, encoder.head_names[:2]
    (6, 12, ['head 1', 'head 2'])
    >>> encoder("Which do you like better, coffee or tea?").shape  # [layer, head, query, key]
    (6, 12, 12, 12)

    `name` is a name on the Hugging Face hub or a folder with a model in the hub's format. The default is built from the
    checked files of `manyheads.models.pretrained` (in `folder`, if given). Weights are float32.

    Raises `ImportError` without `transformers`, `FileNotFoundError` for a model that is not to be had, `ValueError` for
    models that are no stack of self-attention layers.
    """
    name = os.path.expanduser(str(name))
    transformers = _transformers()
    if name == ENCODER:
        config = transformers.BertConfig(**CONFIG)
        with new_tensors():
            model = transformers.BertModel(config, add_pooling_layer=False)
        model.load_state_dict(_minilm_weights(folder), strict=True)
        path = pretrained_file("tokenizer.json", folder)
        tokenizer = transformers.PreTrainedTokenizerFast(
            tokenizer_file=str(path), model_max_length=MAX_TOKENS, **SPECIAL
        )
        return Encoder(model, tokenizer, name)
    if folder is not None:
        raise ValueError("folder is for the files of the default encoder; give another model's folder as its name")
    try:
        model = transformers.AutoModel.from_pretrained(name, attn_implementation="eager", dtype=torch.float32)
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    except OSError as error:
        raise FileNotFoundError(
            f"The model {name!r} is neither a folder here nor to be had from the Hugging Face hub or its cache: {error}"
        ) from error
    return Encoder(model, tokenizer, name)


@where_it_is
class Encoder(Lens):
    """A Hugging Face model and its tokenizer as a head model; `load_encoder` makes one.

    >>> encoder = load_encoder()
    >>> attention = encoder("The bank of the river.")
    >>> attention.query_tokens
    ['[CLS]', 'the', 'bank', 'of', 'the', 'river', '.', '[SEP]']
    >>> encoder(("Tea or coffee?", "Tea.")).query_tokens  # a pair of sentences
    ['[CLS]', 'tea', 'or', 'coffee', '?', '[SEP]', 'tea', '.', '[SEP]']
    >>> mask = np.ones((6, 12), dtype=bool)
    >>> mask[0, 3] = False  # the fourth head of the first layer is turned off
    >>> encoder("The bank of the river.", head_mask=mask).shape
    (6, 12, 8, 8)

    A sentence is a string, or a tuple of two for a pair. `head_mask[layer][head]` is False for a head that is off: its
    part of the concatenated heads is zero before the output layer W^O mixes them, so that later layers see nothing of
    it; its own weights are shown all the same. Text beyond `max_tokens` is left out, and the map's `notes` say so.

    Raises `TypeError` for a sentence or mask of the wrong type, `ValueError` for a mask of the wrong shape, and for a
    model that returns no attentions or whose W^O is not known by name when heads are to be turned off.
    """

    name: str
    num_layers: int
    num_heads: int
    head_names: list[str]
    max_tokens: int

    def __init__(self, model: Any, tokenizer: Any, name: str) -> None:
        config = model.config
        if getattr(config, "is_encoder_decoder", False):
            raise ValueError(f"{name} has an encoder and a decoder; only models of one stack of layers can be shown")
        self.model, self.tokenizer, self.name = model.eval(), tokenizer, name
        self.page_name = "encoder" if name == ENCODER else None  # pages have the default alone
        self.num_layers = getattr(config, "num_hidden_layers", 0)
        self.num_heads = getattr(config, "num_attention_heads", 0)
        self.head_names = [f"head {head + 1}" for head in range(self.num_heads)]
        self.max_tokens = min(_positions(model), tokenizer.model_max_length)
        self._topics = None  # their vectors, once they're needed

    def __call__(self, sentence: Sentence, head_mask: ArrayLike | None = None) -> AttentionMap:
        """The map of one sentence, or of one pair."""
        return self.batch([sentence], head_mask)[0]

    def to(self, *place: Any) -> "Encoder":
        """Move the model, as a module's `to` does; returns the encoder."""
        self.model.to(*place)
        return self

    def batch(self, sentences: Sequence[Sentence], head_mask: ArrayLike | None = None) -> list[AttentionMap]:
        """The maps of several sentences, computed together.

        >>> [attention.shape for attention in load_encoder().batch(["Tea.", "Coffee or tea?"])]
        [(6, 12, 4, 4), (6, 12, 6, 6)]
        """
        if not sentences:
            return []
        encodings, output = self._run(sentences, head_mask, output_attentions=True)
        layers = getattr(output, "attentions", None) or ()
        if len(layers) != self.num_layers or not layers or any(layer is None for layer in layers):
            raise ValueError(
                f"{self.name} returned attentions for {sum(layer is not None for layer in layers)} of its "
                f"{self.num_layers} layers; only models whose layers all return attention weights can be shown"
            )
        weights = torch.stack(layers, dim=1).numpy(force=True)  # [b, layer, h, q, k]
        return [self._map(encoding, weights[b]) for b, encoding in enumerate(encodings)]

    def hidden_states(self, sentence: Sentence, head_mask: ArrayLike | None = None) -> NDArray[np.float32]:
        """What each layer makes of each token, the embeddings first: float32 [layer + 1, token, width].

        >>> load_encoder().hidden_states("The bank of the river.").shape
        (7, 8, 384)
        """
        return self.states([sentence], head_mask)[0][1]

    def states(
        self, sentences: Sequence[Sentence], head_mask: ArrayLike | None = None
    ) -> list[tuple[list[str], NDArray[np.float32]]]:
        """The tokens and hidden states of several sentences, computed together: (tokens, [layer + 1, token, width]).

        >>> (tokens, states), _ = load_encoder().states(["Tea.", "Coffee or tea?"])
        >>> tokens, states.shape
        (['[CLS]', 'tea', '.', '[SEP]'], (7, 4, 384))
        """
        if not sentences:
            return []
        encodings, output = self._run(sentences, head_mask, output_hidden_states=True)
        layers = torch.stack(output.hidden_states, dim=1).numpy(force=True)  # [b, layer + 1, padded token, width]
        tokens = [self.tokenizer.convert_ids_to_tokens(encoding["input_ids"]) for encoding in encodings]
        return [(names, states[:, : len(names)]) for names, states in zip(tokens, layers)]

    def reading(
        self, sentence: Sentence, head_mask: ArrayLike | None = None, masked: Sequence[int] = ()
    ) -> tuple[list[str], torch.Tensor, torch.Tensor]:
        """A sentence as tensors: its tokens, weights [layer, h, q, k] and hidden states [layer + 1, token, width].

        `masked` holds the places of tokens that no token may look at, in any layer.

        >>> tokens, weights, states = load_encoder().reading("The bank of the river.", masked=[5])
        >>> tokens[5], weights.shape, states.shape, float(weights[..., 5].max())
        ('river', torch.Size([6, 12, 8, 8]), torch.Size([7, 8, 384]), 0.0)

        Raises `ValueError` for a place that isn't one of the sentence's tokens.
        """
        wanted = {"output_attentions": True, "output_hidden_states": True}
        (encoding,), output = self._run([sentence], head_mask, masked, **wanted)
        weights, states = (torch.stack(layers, dim=1)[0].cpu() for layers in (output.attentions, output.hidden_states))
        return self.tokenizer.convert_ids_to_tokens(encoding["input_ids"]), weights, states

    def sentence_vector(self, sentence: Sentence, head_mask: ArrayLike | None = None) -> NDArray[np.float32]:
        """The mean of the last layer over all tokens, scaled to length 1: float32 [width].

        >>> encoder = load_encoder()
        >>> tea, coffee, river = map(encoder.sentence_vector, ("A cup of tea.", "A cup of coffee.", "The river bank."))
        >>> bool(tea @ coffee > tea @ river)
        True

        This is what all-MiniLM-L6-v2 was trained for; other models' vectors may mean less.
        """
        return self.sentence_vectors([sentence], head_mask)[0]

    def sentence_vectors(
        self, sentences: Sequence[Sentence], head_mask: ArrayLike | None = None
    ) -> NDArray[np.float32]:
        """The vectors of several sentences, computed together: float32 [sentence, width].

        >>> load_encoder().sentence_vectors(["Tea.", "A cup of coffee."]).shape
        (2, 384)
        """
        encodings, output = self._run(sentences, head_mask)
        hidden = output.last_hidden_state.numpy(force=True)  # [b, padded token, width]
        vectors = np.stack([state[: len(e["input_ids"])].mean(axis=0) for e, state in zip(encodings, hidden)])
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def machine(self, sentence: Sentence, part_mask: ArrayLike | None = None) -> Machine:
        """What each part adds and the topic so far, with the parts off whose `part_mask` [layer, h + 1] is False.

        >>> machine = load_encoder().machine("My tired boss hates the noisy train to Berlin.")
        >>> machine.standings()[[0, -1]].tolist()  # of "travel" among the topics of `manyheads.shared.names`
        [23, 1]

        This model answers nothing: it makes a vector of a sentence, the mean of its tokens', and two sentences are as
        alike as their vectors. So the topic whose own vector is nearest stands for an answer, and the score is the
        cosine. Raises `ValueError` for a model that isn't built as BERT is.
        """
        if not all(hasattr(layer, "intermediate") for layer in getattr(self._encoder, "layer", [None])):
            raise ValueError(f"the layers of {self.name} aren't built as BERT's are")
        feed_forward = [True] * self.num_layers
        on = checked_parts(part_mask, self, feed_forward)
        encoding = self._encode(sentence)
        with torch.inference_mode():
            added, streams = self._walked(encoding, on)
            vectors = torch.stack([stream.mean(0) for stream in streams])
        if self._topics is None:
            self._topics = self.sentence_vectors(TOPICS)
        vectors = vectors.numpy(force=True)
        ids = encoding["input_ids"]
        topics = () if set(ids) <= set(self.tokenizer.all_special_ids) else TOPICS  # nothing is near to no words
        scores = vectors / np.linalg.norm(vectors, axis=1, keepdims=True) @ self._topics[: len(topics)].T
        parts = [
            part
            for layer in self._encoder.layer
            for part in ([layer.attention], [layer.intermediate.dense, layer.output])
        ]
        return Machine(
            tokens=tuple(map(self._readable, self.tokenizer.convert_ids_to_tokens(ids))),
            parts=part_names(feed_forward),
            adds=norms_of(added),
            scores=scores.astype(np.float32),
            labels=tuple(("topic", topic) for topic in topics),
            places=tuple(range(len(ids))),
            parameters=(*sizes_of([self.model.embeddings], *parts), 0),
            num_heads=self.num_heads,
            unit="similarity",
            notes=tuple(encoding["notes"]),
        )

    def feed_forward_output(self, layer):
        return self._encoder.layer[layer].output.dense

    @property
    def _encoder(self):
        return getattr(self.model, "encoder", None)

    def _walked(self, encoding, on):  # [layer, h + 1] -> 2 × [part] of [t, d]
        """What each part adds to the tokens' vectors, and the vectors after each: BERT's layers once more."""
        inputs = {name: torch.tensor([encoding[name]]) for name in ("input_ids", "token_type_ids") if name in encoding}
        x = self.model.embeddings(**inputs)
        added, streams = [x], [x]
        for layer, own in zip(self._encoder.layer, on):
            context = layer.attention.self(x)[0] * own[:-1].repeat_interleave(x.shape[-1] // self.num_heads)
            mixed = layer.attention.output
            added.append(mixed.dense(context))
            streams.append(x := mixed.LayerNorm(x + added[-1]))
            added.append(layer.output.dense(layer.intermediate(x)) * own[-1])
            streams.append(x := layer.output.LayerNorm(x + added[-1]))
        return [part[0] for part in added], [stream[0] for stream in streams]

    def attention_layer(self, layer: int) -> MultiHeadAttention:
        """The attention of one layer as a `MultiHeadAttention`, for a model that is built as BERT is.

        >>> encoder = load_encoder()
        >>> output, weights = encoder.attention_layer(2)(torch.tensor(encoder.hidden_states("Tea.")[2]))
        >>> bool(np.allclose(weights.detach(), encoder("Tea.").weights[2], atol=1e-5))
        True

        Raises `ValueError` for a layer that isn't there, and for a model that is built otherwise.
        """
        if not 0 <= layer < self.num_layers:
            raise ValueError(f"layer must be from 0 to {self.num_layers - 1}, got {layer}")
        try:
            own = self.model.encoder.layer[layer].attention
            parts = {name: getattr(own.self, name) for name in ("query", "key", "value")} | {"output": own.output.dense}
        except AttributeError as error:
            raise ValueError(f"the layers of {self.name} aren't built as BERT's are: {error}") from error
        module = MultiHeadAttention(self.model.config.hidden_size, self.num_heads)
        for name, part in parts.items():
            getattr(module, name).load_state_dict(part.state_dict())
        return module

    def layer_input(self, sentence: Sentence, layer: int) -> torch.Tensor:  # [t, d]
        """What the heads of a layer read: the tokens' vectors as the layer below left them."""
        return torch.tensor(self.hidden_states(sentence)[layer])

    def _run(self, sentences, head_mask, masked=(), **wanted):
        encodings = [self._encode(sentence) for sentence in sentences]
        inputs = {
            name: torch.nn.utils.rnn.pad_sequence([torch.tensor(e[name]) for e in encodings], batch_first=True)
            for name in ("input_ids", "attention_mask", "token_type_ids")
            if name in encodings[0]
        }
        count = inputs["input_ids"].shape[1]
        if not all(0 <= place < count for place in masked):
            raise ValueError(f"masked holds places of tokens, from 0 to {count - 1}; got {list(masked)}")
        inputs["attention_mask"][:, list(masked)] = 0
        mask = checked_heads(head_mask, self.num_layers, self.num_heads)
        off = nullcontext() if mask is None else heads_off(self.model, mask)
        with torch.inference_mode(), off:
            return encodings, self.model(**inputs, **wanted, return_dict=True)

    def _encode(self, sentence):
        """The tokens of a sentence as ids, and `notes` if it is blank or cut."""
        parts = sentence if isinstance(sentence, tuple) else (sentence,)
        if len(parts) not in (1, 2) or not all(isinstance(part, str) for part in parts):
            raise TypeError(f"a sentence is a string or a tuple of two, got {sentence!r}")
        # Lone surrogates, half a character each, are no text that could be encoded.
        parts = [part.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for part in parts]
        parts, cuts = zip(*(within_reach(part, self.max_tokens) for part in parts))
        notes = tuple(dict.fromkeys(note for cut in cuts for note in cut))
        kinds = getattr(self.model.config, "type_vocab_size", 0) > 1  # marks which of a pair a token belongs to
        settings = {"truncation": True, "max_length": self.max_tokens, "return_token_type_ids": kinds}
        encoding = dict(self.tokenizer(*parts, **settings))
        encoding["notes"] = notes
        if not encoding["input_ids"]:
            start = self.tokenizer.bos_token_id
            if start is None:
                raise ValueError(f"{self.name} makes no token of {sentence!r}: give it a sentence")
            encoding |= {"input_ids": [start], "attention_mask": [1]} | ({"token_type_ids": [0]} if kinds else {})
        if not any(self.tokenizer(part, add_special_tokens=False, verbose=False)["input_ids"] for part in parts):
            encoding["notes"] = (*notes, EMPTY)
        elif len(encoding["input_ids"]) == self.max_tokens:
            beyond = len(self.tokenizer(*parts, verbose=False)["input_ids"]) - self.max_tokens
            if beyond > 0:
                note = f"This model reads at most {self.max_tokens} tokens; the last {beyond} are left out."
                encoding["notes"] = (*notes, note)
        return encoding

    def _map(self, encoding, weights):  # [layer, h, padded q, padded k]
        length = len(encoding["input_ids"])
        tokens = [self._readable(token) for token in self.tokenizer.convert_ids_to_tokens(encoding["input_ids"])]
        weights = weights[:, :, :length, :length]
        return AttentionMap(tokens, tokens, weights, self.head_names, notes=encoding["notes"])

    def _readable(self, token):
        """`Ġcafé`, as byte-level tokenizers write it, and `▁café` become ` café`."""
        decoder = getattr(getattr(self.tokenizer, "backend_tokenizer", None), "decoder", None)
        if type(decoder).__name__ == "ByteLevel" and token not in self.tokenizer.all_special_tokens:
            return of_bytes(token) if set(token) <= BYTES.keys() else token  # one that was added later is text
        return token.replace("▁", " ")


@contextmanager
def heads_off(model, head_mask):  # [layer, h]
    """While this lasts, multiply every head's part of what enters the output layer W^O by its `head_mask`.

    >>> encoder = load_encoder()
    >>> with heads_off(encoder.model, torch.zeros(6, 12)):
    ...     off = encoder.hidden_states("No head says anything.")
    >>> bool((off == encoder.hidden_states("No head says anything.", np.zeros((6, 12), dtype=bool))).all())
    True

    A hook before W^O rather than the library's own `head_mask`, which most of its models have lost. Raises `ValueError`
    for a model whose output layers are not known by name.
    """
    outputs = [module for name, module in model.named_modules() if OUTPUT.search(name)]
    if len(outputs) not in (1, len(head_mask)):  # one: ALBERT, whose layers share it
        raise ValueError(
            f"found {len(outputs)} attention output layers for {len(head_mask)} layers of {type(model).__name__}: "
            "turning heads off is not known for this model"
        )
    calls = itertools.count()

    def turn_off(module, inputs):
        kept = head_mask[next(calls)]  # [h]
        context = inputs[0].unflatten(-1, (len(kept), -1))  # [..., h * d] -> [..., h, d]
        return (context * kept[:, None]).flatten(-2)  # [..., h * d]

    hooks = [output.register_forward_pre_hook(turn_off) for output in outputs]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _positions(model):
    """How many tokens have a position; RoBERTa and its kin leave some rows of the table to the padding."""
    limit = getattr(model.config, "max_position_embeddings", None) or 2**31
    tables = (module for name, module in model.named_modules() if name.endswith("position_embeddings"))
    padding = [table.padding_idx for table in tables if getattr(table, "padding_idx", None) is not None]
    return limit - (padding[0] + 1 if padding else 0)


def _minilm_weights(folder):
    weights = load_file(pretrained_file("model.safetensors", folder))
    unused = ("embeddings.position_ids", "pooler.")  # counted by the model itself; made for another task
    return {name: tensor for name, tensor in weights.items() if not name.startswith(unused)}


def _transformers():
    try:
        import transformers
    except ImportError as error:
        raise ImportError("pretrained encoders need transformers: run `pip install transformers`") from error
    return transformers
