"""How heads of the induction model are born, whatever the seed."""

from manyheads_recipes.induction.measures import birth

TOGETHER = 30  # steps


def check_birth(history):
    """The heads of a training come into being, and within a few steps of each other."""
    end = history[-1]
    assert end["right"] >= 0.98
    assert history[0]["right"] < 0.05
    previous, induction = (birth(history, score, layer) for layer, score in enumerate(("previous", "induction")))
    assert abs(previous - induction) <= TOGETHER
    assert 50 < min(previous, induction) < 400
