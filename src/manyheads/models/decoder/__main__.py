"""Measures what the decoder's heads do, and keeps it with the package: `python -m manyheads.models.decoder`."""

from manyheads.models.decoder.head_scores import FILE, keep_scores

if __name__ == "__main__":
    keep_scores()
    print(f"Measured and written to {FILE}")
