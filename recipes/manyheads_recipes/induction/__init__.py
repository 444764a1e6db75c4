"""The induction model: what it's trained on, how, and what its heads look at; its gradient by hand."""
