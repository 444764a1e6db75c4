"""How what the package keeps was made: grammars, trainings, measurements."""

SHORT = "loss after 40 steps"  # the metric by which a test knows that a recipe still learns what it learned
