"""Other people's models, and what other tools hand out, read as attention maps: without a trace."""
