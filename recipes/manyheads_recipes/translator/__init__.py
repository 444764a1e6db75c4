"""The translator: its words, its grammar, its training, and what a note claims of its heads."""
