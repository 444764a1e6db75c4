"""A focus model as a bag of words: what is left of it when nothing tells it in which order the words stand."""

import torch


@torch.no_grad()
def without_order(model):
    """Take away what tells a focus model the order: positions and neighbours, steps 1 to 4 of `FocusModel.compute`.

    >>> from manyheads.models.focus import load_focus_model
    >>> bag = without_order(load_focus_model())
    >>> texts = "Not good, but awful.", "Not awful, but good."
    >>> good, bad = (bag(text).predictions["sentiment"]["positive"] for text in texts)
    >>> abs(good - bad) < 1e-6
    True

    What enters the attention is then `layer_norm(word)`, each word on its own. Changes the model and returns it.
    """
    for part in (model.position, model.mix.weight, model.mix.bias):
        part.zero_()
    return model
