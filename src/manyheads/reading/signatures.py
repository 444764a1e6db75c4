"""How a module is called, by its signature: with named inputs, with one dict of them, or with the ids of a text."""

import inspect

from manyheads.reading.token_names import is_tokenizer, tokenizer_in

OF_TOKENIZERS = ("input_ids", "attention_mask", "token_type_ids")


def fit_arguments(module, arguments, named):
    """What a module is called with, unnamed and named: where it takes one dict, the named inputs as that.

    >>> from torch import nn
    >>> fit_arguments(nn.Sequential(), (), {"input": 1}), fit_arguments(nn.Sequential(), (), {"ids": 1, "mask": 2})
    (((), {'input': 1}), (({'ids': 1, 'mask': 2},), {}))
    """
    return ((named,), {}) if not arguments and takes_dict(module, named) else (arguments, named)


def takes_dict(module, named):
    """Whether a module is called with a dict as it is: it needs one thing, which nothing in the dict is called."""
    needed = [one for one in _parameters_of(module) if one.default is one.empty]
    if len(needed) != 1 or not hasattr(named, "keys") or len(named) == 0 or needed[0].name in named:
        return False
    return _may_be_dict(needed[0]) or "Tensor" not in str(needed[0].annotation)


def takes_text(module):
    """Whether a module takes something by the name `text`, as open_clip's do."""
    return any(one.name == "text" for one in _parameters_of(module))


def takes_ids(module):
    """Whether a module takes one tensor, as code of one's own does, and not what a tokenizer returns.

    >>> from torch import nn
    >>> takes_ids(nn.Embedding(9, 2)), takes_ids(nn.Bilinear(2, 2, 2))
    (True, False)
    """
    needed = [one for one in _parameters_of(module) if one.default is one.empty]
    if len(needed) != 1 or needed[0].name in OF_TOKENIZERS or _may_be_dict(needed[0]):
        return False
    return "Tensor" in str(needed[0].annotation) or brought_by(module) is None


def brought_by(module):
    """The tokenizer, or the processor, that a module has as `tokenizer`; None where that's a part of it, or nothing."""
    found = getattr(module, "tokenizer", None)
    return found if is_tokenizer(tokenizer_in(found)) else None


def _parameters_of(module):
    """The parameters that a module may be called with in their order; none where they aren't known."""
    forward = getattr(getattr(module, "_orig_mod", module), "forward", None)  # as it was before it was compiled
    try:
        parameters = inspect.signature(forward).parameters.values()
    except (TypeError, ValueError):
        return []
    found = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    inner = getattr(module, "module", None)  # of DataParallel, which hands on whatever it gets
    return found if found or inner is None else _parameters_of(inner)


def _may_be_dict(parameter):
    return "dict" in str(parameter.annotation).lower()
