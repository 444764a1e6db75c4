"""The encoder: what its heads do, measured."""
