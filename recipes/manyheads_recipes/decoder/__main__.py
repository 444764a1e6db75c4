"""Measures what the decoder's heads do, and keeps it: `python -m manyheads_recipes.decoder`."""

from manyheads.models.decoder import load_decoder
from manyheads.shared.threads import one_thread
from manyheads_recipes.decoder import head_cards, head_scores

if __name__ == "__main__":
    with one_thread():
        head_scores.keep_scores(load_decoder())
        head_cards.keep_examples(load_decoder())
    print(f"Measured and written to {head_scores.FILE} and {head_cards.FILE}")
