"""Pretrained transformers as head models: MiniLM, or any other of Hugging Face."""

from manyheads.models.encoder.head_model import Encoder, heads_off, load_encoder, load_variant

__all__ = ["Encoder", "heads_off", "load_encoder", "load_variant"]
