"""The word vectors of the focus model: MiniLM's, reduced by PCA and kept in 8 bits."""

from functools import lru_cache

import torch
from safetensors import safe_open

from manyheads.models.focus.network import FocusConfig
from manyheads.models.focus.tokens import tokenizer
from manyheads.models.keeping import kept_file
from manyheads.models.pretrained import pretrained_file
from manyheads.whole_files import read_whole


@lru_cache
def reduced_words(config=FocusConfig()):
    """MiniLM's word vectors in their first principal components: codes int8 [vocabulary, d], scale [d].

    >>> codes, scale = reduced_words()
    >>> codes.shape, codes.dtype
    (torch.Size([30522, 160]), torch.int8)

    Those of the usual width and step are kept in the package; others are computed from MiniLM.
    """
    kept = read_words(kept_file("focus-words"))
    return kept if kept[1].equal(scale_of(config)) else reduce_words(config)


def read_words(path):
    """Codes and scale from a file; raises `ValueError` where they do not fit each other."""
    with read_whole(path, "take another copy of it"), safe_open(path, "pt") as file:
        codes, scale = file.get_tensor("codes"), file.get_tensor("scale")
    if codes.ndim != 2 or codes.dtype != torch.int8 or codes.shape[1:] != scale.shape:
        raise ValueError(f"{path} should hold codes [vocabulary, d] and scale [d], holds {codes.shape}, {scale.shape}")
    return codes, scale


def reduce_words(config=FocusConfig()):
    """Computes what `reduced_words` reads: the components are those of plain English words; unused words are zero."""
    vectors, components, plain, unused = components_of(config)
    reduced = vectors @ components  # [vocabulary, d]
    codes = (reduced / reduced[plain].std(0).mean() / config.word_step).round().clamp(-127, 127)
    codes[unused] = 0
    return codes.to(torch.int8), scale_of(config)


def scale_of(config):  # -> [d]
    """The step of the codes, in each dimension."""
    return torch.full((config.word_width,), config.word_step, dtype=torch.float32)


def components_of(config):  # -> [vocabulary, 384], [384, d], [vocabulary], [vocabulary]
    """MiniLM's word vectors, the components of its plain English words, which words those are, and the unused ones."""
    with safe_open(pretrained_file("model.safetensors"), "pt") as file:
        vectors = file.get_tensor("embeddings.word_embeddings.weight").double()
    tokens = [tokenizer().id_to_token(index) for index in range(len(vectors))]
    plain = torch.tensor([token.isascii() and token.isalpha() for token in tokens])
    unused = torch.tensor([token.startswith("[unused") for token in tokens])
    vectors = vectors - vectors[plain].mean(0)
    _, components = torch.linalg.eigh(vectors[plain].T @ vectors[plain])  # ascending
    components = components[:, -config.word_width :].flip(1)
    largest = components.abs().argmax(0)
    components = components * components[largest, range(config.word_width)].sign()  # else it is left to the machine
    return vectors, components, plain, unused
