"""A reader's own model, computed again: with heads off, or by other groups of a long text."""

from manyheads.maps.other_tools import maps_of
from manyheads.maps.places import counted, reading_of
from manyheads.maps.sentences import LONG
from manyheads.maps.sources import is_module, modules_among, named_of
from manyheads.maps.tokens_from import ids_in, of_processor


def long_text(source, tokens=None, inputs=None, tokenizer=None):
    """The tokens of a long text that a module is about to read; None for a shorter one, or where that isn't known."""
    if not is_module(source):
        return None
    tokenizer = of_processor(tokenizer)
    reading = reading_of(source, tokens, None, {} if inputs is None else named_of(source, inputs), tokenizer)
    ids = ids_in(named_of(source, inputs)) if inputs is not None else None
    count = len(reading.tokens or ()) if ids is None else ids.shape[-1]
    alone = ids is None or ids.ndim == 1 or len(ids) == 1
    return (reading.tokens or counted(count)) if count >= LONG and alone and reading.mask_is_full() else None


def with_heads_off(name, source, *tokens, layers=None, **options):
    """What makes the map of this name again with heads off, a function of the mask; None where nothing computes it."""
    if not modules_among(source):
        return None
    key = (
        next((key for key in source if f"{name}, ".startswith(f"{key}, ")), None) if isinstance(source, dict) else None
    )
    module = source if key is None else source[key]
    if not is_module(module):
        return None
    part = name if key is None else name.removeprefix(str(key)).removeprefix(", ")

    def again(head_mask):
        from manyheads.maps.heads_off import turn_off

        def before(module):
            turn_off(module, part, layers, head_mask)

        maps = maps_of(module, *tokens, layers=layers, part=part or None, before=before, **options)
        return maps[part]

    return again
