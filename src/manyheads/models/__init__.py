"""Whatever makes an attention map of a sentence."""
