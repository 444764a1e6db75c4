"""How heads of the induction model are born, whatever the seed."""

from manyheads_recipes.induction.measures import birth

TOGETHER = 30  # steps


def check_birth(history):
    """The heads of a training come into being within a few steps of each other, the one that reads first."""
    end = history[-1]
    assert end["right"] >= 0.98
    assert history[0]["right"] < 0.05
    previous, induction = (birth(history, score, layer) for layer, score in enumerate(("previous", "induction")))
    assert 0 < previous - induction <= TOGETHER
    assert 50 < induction < 400
