"""A language model: SmolLM2-135M-Instruct, computed by the book's own attention."""

from manyheads.models.decoder.head_model import Decoder, load_decoder, load_variant

__all__ = ["Decoder", "load_decoder", "load_variant"]
