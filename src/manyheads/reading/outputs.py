"""The attentions in what a Hugging Face model returns."""

from manyheads.reading.parts import Part, tower
from manyheads.reading.tokens_from import chosen_text
from manyheads.reading.weights_from import EAGER, are_steps, has_weights

FIELDS = {
    "encoder_attentions": "encoder",
    "decoder_attentions": "decoder",
    "attentions": "",
    "cross_attentions": "cross",
}
# What an output holds of each text, by which texts are told from windows and beams.
OF_TEXTS = ("last_hidden_state", "logits", "start_logits", "prediction_logits", "pooler_output")
OTHER_FIELDS = (*OF_TEXTS, "hidden_states", "cache_params")  # of an output that has no place for attentions


def is_output(thing):
    """Whether something may be what a Hugging Face model returned, attentions or not."""
    return any(hasattr(thing, field) for field in FIELDS) or has_outputs(thing)


def has_outputs(output):
    """Whether an output holds those of the parts of a model, as CLIP's does."""
    return any(hasattr(value, "to_tuple") for value in _fields(output).values())


def of_output(output, batch=0, texts=None):
    """A Hugging Face output as it is, of an encoder, a decoder, both, of `generate`, or of a model with such parts.

    >>> from types import SimpleNamespace
    >>> list(of_output(SimpleNamespace(encoder_attentions=[1], decoder_attentions=[2], cross_attentions=[3])))
    ['encoder', 'decoder', 'cross']
    """
    found = attentions_in(output)
    if not found:
        within = {tower(name) or name: attentions_in(value) for name, value in _fields(output).items()}
        named = {name: layers for name, layers in within.items() if layers}
        found = {
            ", ".join(filter(None, (name, role))): one for name, layers in named.items() for role, one in layers.items()
        }
    if not found:
        raise ValueError(f"the output holds no attentions: {EAGER}")
    if (beams := getattr(output, "beam_indices", None)) is not None:
        rows = [int(row) for row in beams[chosen_text(batch, len(beams))]]
        found = {name: followed(layers, rows) if are_steps(layers) else layers for name, layers in found.items()}
    if len(found) > 1 or "cross" in found:
        found = {name or "decoder": layers for name, layers in found.items()}
    else:
        found = {"": found.popitem()[1]}
    decodes = getattr(output, "past_key_values", None) is not None
    return {name: Part(layers, texts=texts or texts_of(output), decodes=decodes) for name, layers in found.items()}


def attentions_in(output):
    """The attentions that an output has by itself, by their part."""
    found = {name: getattr(output, field, None) for field, name in FIELDS.items()}
    return {name: layers for name, layers in found.items() if layers is not None and has_weights(layers)}


def texts_of(output):
    """How many texts an output is of; None where it doesn't tell, as that of `generate`."""
    values = (getattr(output, name, None) for name in OF_TEXTS)
    return next((len(value) for value in values if getattr(value, "ndim", 0) > 1), None)


def followed(steps, rows):
    """The steps of `generate` for one beam, which was another row of the batch at each step."""
    return [[layer[row : row + 1] for layer in step] for step, row in zip(steps, rows) if row >= 0]


def _fields(output):
    return dict(output.items()) if hasattr(output, "to_tuple") and hasattr(output, "items") else {}
