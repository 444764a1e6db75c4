"""The tokens of a map as people have them: strings, the ids of a tokenizer, or what a tokenizer returned."""

import re

import numpy as np

from manyheads.shared.tokens import are_bytewise, is_special, of_bytes, spelled

TEXT_ALONE = "{name} must be a list of strings, got {text!r}: a text needs tokenizer=, the model's own"
PADDING = "[PAD]"
# What code of one's own calls the ids of a text, and what holds other whole numbers of it.
IDS = re.compile("ids|input|text|token|word|sentence|caption|prompt|src|source")
OTHER_NUMBERS = re.compile("mask|padding|type|position|label|target|size|grid|length|index|decoder")


def strings_of(name, tokens, tokenizer=None, batch=0):
    """Tokens as a list of strings, None for None; of a batch of texts, one.

    >>> strings_of("tokens", np.array(["hot", "tea"]))
    ['hot', 'tea']

    `tokens` are strings, ids (a list, array or tensor, which need the `tokenizer`), a text (likewise), or what a fast
    tokenizer returned. Raises `TypeError` for anything else, `ValueError` for a text that is not in the batch.
    """
    if tokens is None:
        return None
    if callable(getattr(tokens, "tokens", None)) and hasattr(tokens, "input_ids"):  # a tokenizer's BatchEncoding
        ids = array_of_ids(tokens["input_ids"])
        return (
            list(tokens.tokens(batch if ids.ndim > 1 else 0)) if tokens.is_fast else _named(name, ids, tokenizer, batch)
        )
    if isinstance(tokens, str):
        if tokenizer is None:
            raise TypeError(TEXT_ALONE.format(name=name, text=tokens))
        encoded = tokenizer(tokens)
        ids = array_of_ids(encoded["input_ids"] if hasattr(encoded, "keys") else encoded)
        return _named(name, ids, tokenizer, batch)
    values = array_of_ids(tokens) if hasattr(tokens, "detach") else tokens
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{name} must be a list of strings, got {tokens!r}")
    if values and all(_is_id(value) for value in np.ravel(np.asarray(values, dtype=object))):
        return _named(name, np.asarray(values), tokenizer, batch)
    if not all(isinstance(value, str) for value in values):
        raise TypeError(f"{name} must be a list of strings, got {tokens!r}")
    return list(values)


def ids_in(named, decoder=False):
    """The ids among the inputs of a model, by its names for them: those of its text, or those of its decoder's.

    >>> import torch
    >>> ids_in({"image": torch.ones(1, 3, 4, 4), "text": torch.tensor([[5, 3]])})
    tensor([[5, 3]])

    They're the whole numbers whose name says so, or all that there is.
    """
    ids = named.get("decoder_input_ids" if decoder else "input_ids")
    if decoder or ids is not None:
        return ids if _are_ids(ids) else None
    found = {name: value for name, value in named.items() if _are_ids(value) and not OTHER_NUMBERS.search(name)}
    told = [value for name, value in found.items() if IDS.search(name) or len(named) == 1]
    return told[0] if len(told) == 1 else None


def _are_ids(value):
    return "int" in str(getattr(value, "dtype", "")) and getattr(value, "ndim", 0) in (1, 2)


def array_of_ids(ids):
    """Ids as an array, of a tensor of any device, or as they are."""
    return np.asarray(ids.detach().cpu() if hasattr(ids, "detach") else ids)


def _is_id(value):
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _named(name, ids, tokenizer, batch):
    if tokenizer is None:
        raise TypeError(f"{name} are ids, got {ids.tolist()}: they need tokenizer=, the model's own")
    ids = row_of(ids, batch)
    tokens = [f"<{one}>" if token is None else token for one, token in zip(ids, tokens_by(tokenizer, ids))]
    end = getattr(tokenizer, "eot_token_id", None)  # of open_clip, whose padding has a token of the text
    pads = 0 if end is None else padding_of(ids, tokenizer)
    return [*tokens[: len(ids) - pads], *[PADDING] * pads]


def row_of(ids, batch=0):
    """The ids of one text as a list.

    >>> row_of(np.array([[5, 3], [5, 9]]), batch=1)
    [5, 9]
    """
    return [int(one) for one in (ids[check_text(batch, len(ids))] if ids.ndim > 1 else ids)]


def tokens_by(tokenizer, ids):
    """The tokens of ids by a tokenizer of Hugging Face, or one that keeps them by id, as open_clip's.

    >>> from types import SimpleNamespace
    >>> tokens_by(SimpleNamespace(decoder={5: "tea"}), [5, 6])
    ['tea', None]
    """
    if is_tokenizer(tokenizer):
        return tokenizer.convert_ids_to_tokens(ids)
    if isinstance(known := getattr(tokenizer, "decoder", None), dict):
        return [known.get(one) for one in ids]
    if callable(named := getattr(tokenizer, "id_to_token", None)):  # of the library tokenizers
        return [named(one) for one in ids]
    raise TypeError(f"tokenizer must be one that names tokens by their ids, got {type(tokenizer).__name__}")


def padding_of(ids, tokenizer):
    """How many ids at the end of a text are padding, as far as its tokenizer tells.

    >>> from types import SimpleNamespace
    >>> padding_of([5, 9, 0, 0], SimpleNamespace(eot_token_id=9)), padding_of([5, 0], SimpleNamespace(pad_token_id=0))
    (2, 1)
    """
    end, pad = getattr(tokenizer, "eot_token_id", None), getattr(tokenizer, "pad_token_id", None)
    if end is not None:
        after = ids[ids.index(end) + 1 :] if end in ids else []
        return len(after) if len(set(after)) == 1 else 0
    text = [place for place, one in enumerate(ids) if one != pad]
    kept = text[-1] + 1 if text else 0
    ends_so = pad is not None and pad == getattr(tokenizer, "eos_token_id", None)
    return max(len(ids) - kept - ends_so, 0)


def pads_among(tokens, tokenizer):
    """How many tokens are padding, at the beginning and at the end of a text, as far as its tokenizer tells.

    >>> from types import SimpleNamespace
    >>> pads_among(["[PAD]", "tea", "[PAD]"], SimpleNamespace(pad_token="[PAD]"))
    2
    >>> pads_among(["tea", "</s>", "</s>"], SimpleNamespace(pad_token="</s>", eos_token="</s>"))
    1
    """
    pad = getattr(tokenizer, "pad_token", None)
    text = [place for place, token in enumerate(tokens) if token != pad]
    if pad is None or not text:
        return 0
    after = len(tokens) - 1 - text[-1]
    ends_so = after > 0 and pad == getattr(tokenizer, "eos_token", None)
    return text[0] + after - ends_so


def check_text(batch, count):
    """The place of the text that `batch` names, from 0; raises `ValueError` where there is none.

    >>> check_text(3, count=2)
    Traceback (most recent call last):
    ValueError: batch must be from 0 to 1 for these 2 texts, got 3
    """
    if isinstance(batch, bool) or not isinstance(batch, (int, np.integer)) or not 0 <= batch < count:
        raise ValueError(f"batch must be from 0 to {count - 1} for these {count} texts, got {batch!r}")
    return int(batch)


def tokenizer_in(tokenizer):
    """The tokenizer of a processor, which reads more than text; a tokenizer as it is."""
    return tokenizer if is_tokenizer(tokenizer) else getattr(tokenizer, "tokenizer", tokenizer)


def is_tokenizer(thing):
    """Whether something is a tokenizer as Hugging Face's are."""
    return hasattr(thing, "convert_ids_to_tokens")


def pretty(tokens):
    """Tokens as text, without the marks that tokenizers put into them; special tokens as they are.

    >>> pretty(["Ġtea", "▁or", "cof", "fee</w>"])
    [' tea', ' or', 'cof', 'fee']
    >>> pretty(["Ġæĺ¯", "ĠcafÃ©", "ĠðŁ", "Ċ"])
    [' 是', ' café', ' <F0 9F>', '\\n']
    >>> pretty(["▁café", "<0xF0>", "<0x0A>", "<s>"])
    [' café', '<F0>', '\\n', '<s>']

    Bytes that are part of a character only are in hexadecimal; `AttentionMap.merge_pieces` makes characters of them.
    """
    text_of = of_bytes if are_bytewise(tokens) else _of_piece
    return [token if is_special(token) else text_of(token).replace("</w>", "") for token in tokens]


def _of_piece(token):
    if re.fullmatch("<0x[0-9A-F]{2}>", token):
        return spelled(bytes.fromhex(token[3:5]))
    return token.replace("Ġ", " ").replace("▁", " ")
