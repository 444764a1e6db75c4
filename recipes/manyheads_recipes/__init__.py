"""How what the package keeps was made: grammars, trainings, measurements."""
