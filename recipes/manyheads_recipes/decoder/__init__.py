"""The decoder: what its heads do, measured."""
