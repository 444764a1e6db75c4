"""The focus models by the names that pages give them, among them two that are the taught one with a part changed."""

from manyheads.attention import causal_mask
from manyheads.models.files import encoder_file
from manyheads.models.focus.bag_of_words import without_order
from manyheads.models.focus.head_model import load_focus_model
from manyheads.models.keeping import kept_file, kept_files


def load_variant(variant):
    """The focus model that pages call `focus/<variant>`; the taught one where the variant is "".

    >>> load_variant("causal")("Hot tea.").weights[0, 0, 0].round(3)  # [CLS] sees nothing but itself
    array([1., 0., 0., 0., 0.], dtype=float32)
    """
    change = CHANGES.get(variant)
    if change is None:
        return load_focus_model(variant or "taught")
    model = change(load_focus_model())
    model.page_name = f"focus/{variant}"
    return model


def page_files():
    """The paths of all that a page needs for the focus models."""
    return [kept_file("focus-words"), *kept_files("focus"), encoder_file("tokenizer.json")]


def without_looking_ahead(model):
    """Let no token of a focus model look at a later one. Changes the model and returns it."""

    def mask_later(_module, inputs, options):
        return inputs, options | {"mask": options["mask"] & causal_mask(inputs[-1].shape[-2])}

    model.attention.register_forward_pre_hook(mask_later, with_kwargs=True)
    return model


CHANGES = {"no-order": without_order, "causal": without_looking_ahead}
