"""What is kept of the word vectors of the focus model."""

import json

from manyheads.models.files import key_of, write_tensors
from manyheads.models.focus.network import FocusConfig
from manyheads.models.focus.word_vectors import components_of, reduce_words
from manyheads.models.keeping import file_name
from manyheads.models.pretrained import SHA256

RECIPE = 2  # the version of how they are reduced: raise it when code changes the numbers
KEPT_JOBS = ("",)


def recipe_key(config=FocusConfig()):
    """The key of what the vectors follow from: the recipe, their width and step, and the encoder."""
    return key_of(recipe=RECIPE, width=config.word_width, step=config.word_step, encoder=SHA256)


def train_kept(folder, job=""):
    """Write the words into a folder; gives their metrics."""
    config = FocusConfig()
    codes, scale = reduce_words(config)
    path = folder / file_name("focus-words", job)
    write_tensors(path, {"codes": codes, "scale": scale}, {"encoder": json.dumps(SHA256)})
    vectors, components, plain, _ = components_of(config)
    kept = (vectors[plain] @ components).square().sum() / vectors[plain].square().sum()
    return {job: {"variance of plain words that is kept": kept.item()}}
