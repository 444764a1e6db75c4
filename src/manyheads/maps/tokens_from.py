"""The tokens of a map as people have them: strings, the ids of a tokenizer, or what a tokenizer returned."""

import numpy as np


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
            raise TypeError(
                f"{name} must be a list of strings, got {tokens!r}: a text needs tokenizer=, the model's own"
            )
        return _named(name, np.asarray(tokenizer(tokens)["input_ids"]), tokenizer, batch)
    values = array_of_ids(tokens) if hasattr(tokens, "detach") else tokens
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{name} must be a list of strings, got {tokens!r}")
    if values and all(_is_id(value) for value in np.ravel(np.asarray(values, dtype=object))):
        return _named(name, np.asarray(values), tokenizer, batch)
    if not all(isinstance(value, str) for value in values):
        raise TypeError(f"{name} must be a list of strings, got {tokens!r}")
    return list(values)


def inputs_of(tokens, tokenizer):
    """What a model is called with to read the tokens: what a tokenizer returned, or a text, with the `tokenizer`.

    None where they are neither. A batch of plain lists becomes tensors.
    """
    if isinstance(tokens, str) and callable(tokenizer):
        tokens = tokenizer(tokens, return_tensors="pt")
    if not hasattr(tokens, "input_ids"):
        return None
    if hasattr(tokens["input_ids"], "ndim"):
        return tokens
    batched = isinstance(tokens["input_ids"][0], list)
    return type(tokens)({name: values if batched else [values] for name, values in tokens.items()}).convert_to_tensors(
        "pt"
    )


def ids_in(named, decoder=False):
    """The ids among the inputs of a model, as it was called: those of its text, or those of its decoder's."""
    names = ("decoder_input_ids",) if decoder else ("input_ids", "input")
    ids = next((named[name] for name in names if named.get(name) is not None), None)
    return ids if ids is not None and "int" in str(getattr(ids, "dtype", "")) else None


def array_of_ids(ids):
    """Ids as an array, of a tensor of any device, or as they are."""
    return np.asarray(ids.detach().cpu() if hasattr(ids, "detach") else ids)


def _is_id(value):
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _named(name, ids, tokenizer, batch):
    if tokenizer is None:
        raise TypeError(f"{name} are ids, got {ids.tolist()}: they need tokenizer=, the model's own")
    if ids.ndim > 1:
        ids = ids[chosen_text(batch, len(ids))]
    ids = [int(one) for one in ids]
    tokens = tokenizer.convert_ids_to_tokens(ids)
    return [f"<{one}>" if token is None else token for one, token in zip(ids, tokens)]


def chosen_text(batch, count):
    """The place of the text that `batch` names, from 0; raises `ValueError` where there is none.

    >>> chosen_text(3, count=2)
    Traceback (most recent call last):
    ValueError: batch must be from 0 to 1 for these 2 texts, got 3
    """
    if isinstance(batch, bool) or not isinstance(batch, (int, np.integer)) or not 0 <= batch < count:
        raise ValueError(f"batch must be from 0 to {count - 1} for these {count} texts, got {batch!r}")
    return int(batch)


def of_processor(tokenizer):
    """The tokenizer of a processor, which reads more than text; a tokenizer as it is."""
    return tokenizer if hasattr(tokenizer, "convert_ids_to_tokens") else getattr(tokenizer, "tokenizer", tokenizer)
