"""Measures what the encoder's heads do, and keeps it with the package: `python -m manyheads_recipes.encoder`."""

from manyheads.models.encoder import load_encoder
from manyheads.models.encoder.head_cards import FILE
from manyheads.shared.threads import one_thread
from manyheads_recipes.encoder.head_cards import keep_cards

if __name__ == "__main__":
    with one_thread():
        keep_cards(load_encoder())
    print(f"Measured and written to {FILE}")
