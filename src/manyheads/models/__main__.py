"""Derives what the book shows of the pretrained models, where it is missing: `python -m manyheads.models`."""

from manyheads.models.files import side_by_side
from manyheads.models.head_cards import cards_jobs
from manyheads.models.registry import page_files
from manyheads.models.senses.measures import senses_jobs

if __name__ == "__main__":
    side_by_side([*senses_jobs(), *cards_jobs(), page_files])
