"""`AttentionMap.of`: any attentions as an attention map, without a widget."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import ParamSpec

from manyheads.maps import AttentionMap
from manyheads.reading.pipeline import make_maps, read
from manyheads.reading.request import ARGUMENTS, Arguments, Request
from manyheads.reading.sentences import Holding, TooMany
from manyheads.shared.arguments import refuse_unknown
from manyheads.shared.options import OPTIONS

SEVERAL = "this makes several maps, {}: part= names one"
TOO_MANY = (
    "this map has {count:,} weights, more than max_weights={most:,}: layers=[0] makes a map of one layer, max_weights= "
    "allows more, and HeadMap.of(...).attention has it by sentences"
)
P = ParamSpec("P")


def taking(
    arguments: Callable[P, Arguments],
) -> Callable[[Callable[[Request], AttentionMap]], Callable[P, AttentionMap]]:
    """Makes a function of a request one of its arguments, with their names, types and defaults."""

    def decorate(function: Callable[[Request], AttentionMap]) -> Callable[P, AttentionMap]:
        @wraps(function)
        def of(*args: P.args, **named: P.kwargs) -> AttentionMap:
            refuse_unknown(named, ARGUMENTS, "AttentionMap.of", elsewhere={"HeadMap.of": OPTIONS})
            return function(Request(*args, **named))

        of.__signature__ = inspect.signature(arguments).replace(return_annotation=AttentionMap)
        return of

    return decorate


@taking(Arguments)
def map_of(request: Request) -> AttentionMap:
    """The map of any attentions, as the tool that computed them hands them out: its numbers, and no widget.

    >>> import torch
    >>> layer = torch.nn.MultiheadAttention(embed_dim=6, num_heads=2)
    >>> AttentionMap.of(layer, ["hot", "tea"], inputs=[torch.ones(2, 6)] * 3).weights.shape
    (1, 2, 2, 2)

    It takes what `HeadMap.of` takes, without the traits. The map holds no model, and nothing else does, so this is for
    loops: over checkpoints, over texts.

    Raises as `HeadMap.of`, and `ValueError` where there are several maps, which it names, or more weights than
    `max_weights`. On all processes but the first of a model in pieces, it returns None.
    """
    request = read(request)
    try:
        maps = make_maps(replace(request, holding=Holding(most=request.max_weights)))
    except TooMany as many:
        count = Holding().count(many.shapes)
        raise ValueError(TOO_MANY.format(count=count, most=request.max_weights)) from many
    if len(maps) > 1:
        raise ValueError(SEVERAL.format(", ".join(maps)))
    return next(iter(maps.values()), None)


AttentionMap.of = staticmethod(map_of)  # maps know nothing of reading
