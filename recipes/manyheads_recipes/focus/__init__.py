"""The focus model: how its heads are trained, the sentences that score them, and how well they do."""
