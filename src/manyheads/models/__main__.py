"""Makes what is missing of the pretrained models, files for pages and measurements: `python -m manyheads.models`."""

from manyheads.models.files import side_by_side
from manyheads.models.head_cards import cards_jobs
from manyheads.models.registry import page_files
from manyheads.models.senses.measures import senses_jobs

if __name__ == "__main__":
    side_by_side([*senses_jobs(), *cards_jobs(), page_files])
