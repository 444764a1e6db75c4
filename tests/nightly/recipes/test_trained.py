"""Each recipe takes forty steps, and learns what it learnt when the kept weights were trained."""

import pytest

from manyheads.models.keeping import manifest
from manyheads_recipes import SHORT
from manyheads_recipes.trained import MODELS

SHORTENED = [entry for entry in manifest().values() if SHORT in entry["metrics"]]
LEARNT = {(entry["model"], entry["variant"]): entry["metrics"][SHORT] for entry in SHORTENED}


@pytest.mark.parametrize(("model", "job"), LEARNT)
def test_forty_steps_of_a_recipe_learn_what_they_learnt(model, job):
    assert MODELS[model].loss_after(40, job) == pytest.approx(LEARNT[model, job], rel=0.01)
