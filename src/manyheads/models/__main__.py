"""Makes the files of all models that are missing: `python -m manyheads.models`."""

from manyheads.models.files import side_by_side
from manyheads.models.focus import focus_jobs
from manyheads.models.head_cards import cards_jobs
from manyheads.models.induction import induction_jobs
from manyheads.models.senses.measures import senses_jobs
from manyheads.models.translator import translator_jobs

if __name__ == "__main__":
    # Short ones come last: in the end no processor waits long for another.
    side_by_side([*translator_jobs(), *senses_jobs(), *induction_jobs(), *cards_jobs(), *focus_jobs()])
    print("All models are in place.")
