"""The senses of words: how well they're told apart, and what heads do for it, measured."""
