"""The word vectors of the focus model: MiniLM's, reduced by PCA and kept in 8 bits."""

import json
from functools import lru_cache

import torch
from safetensors import safe_open

from manyheads.models.files import SHA256, encoder_file, kept_folder, key_of, made_once, write_tensors
from manyheads.models.focus.config import FocusConfig
from manyheads.models.focus.tokens import tokenizer
from manyheads.whole_files import read_whole

RECIPE = 2  # the version of how they are reduced: raise it when code changes the numbers, or the form of the file


def words_key(config=FocusConfig()):
    """The key of the reduced word vectors: it changes with the recipe, their width and step, and the encoder."""
    return key_of(recipe=RECIPE, width=config.word_width, step=config.word_step, encoder=SHA256)


def words_file(config=FocusConfig()):
    """The path of `focus-words.safetensors`, which models in Python and on pages read; it is made if missing.

    >>> words_file().name
    'focus-words.safetensors'
    """
    path = kept_folder(f"words-{words_key(config)}") / "focus-words.safetensors"

    def make():
        codes, scale = reduce_words(config)
        write_tensors(path, {"codes": codes, "scale": scale}, {"encoder": json.dumps(SHA256)})

    return made_once(path, make)


@lru_cache
def reduced_words(config=FocusConfig()):
    """MiniLM's word vectors in their first principal components: codes int8 [vocabulary, d], scale [d].

    >>> codes, scale = reduced_words()
    >>> codes.shape, codes.dtype
    (torch.Size([30522, 160]), torch.int8)
    """
    return read_words(words_file(config))


def read_words(path):
    """Codes and scale from a file; raises `ValueError` where they do not fit each other."""
    with read_whole(path), safe_open(path, "pt") as file:
        codes, scale = file.get_tensor("codes"), file.get_tensor("scale")
    if codes.ndim != 2 or codes.dtype != torch.int8 or codes.shape[1:] != scale.shape:
        raise ValueError(f"{path} should hold codes [vocabulary, d] and scale [d], holds {codes.shape}, {scale.shape}")
    return codes, scale


def reduce_words(config):
    """Computes what `reduced_words` reads: the components are those of plain English words; unused words are zero."""
    with safe_open(encoder_file("model.safetensors"), "pt") as file:
        vectors = file.get_tensor("embeddings.word_embeddings.weight").double()  # [vocabulary, 384]
    tokens = [tokenizer().id_to_token(index) for index in range(len(vectors))]
    plain = torch.tensor([token.isascii() and token.isalpha() for token in tokens])
    unused = torch.tensor([token.startswith("[unused") for token in tokens])
    vectors = vectors - vectors[plain].mean(0)
    _, components = torch.linalg.eigh(vectors[plain].T @ vectors[plain])  # ascending
    components = components[:, -config.word_width :].flip(1)  # [384, d]
    largest = components.abs().argmax(0)
    components = components * components[largest, range(config.word_width)].sign()  # else it is left to the machine
    reduced = vectors @ components  # [vocabulary, d]
    codes = (reduced / reduced[plain].std(0).mean() / config.word_step).round().clamp(-127, 127)
    codes[unused] = 0
    return codes.to(torch.int8), torch.full((config.word_width,), config.word_step, dtype=torch.float32)
