"""The examples in the packages' docstrings, to be run."""

import doctest
import importlib
import pkgutil
from functools import cache

import torch

import manyheads
import manyheads_book
import manyheads_recipes
from manyheads import load_encoder

# Their examples train a little, or measure many sentences: they are run at night.
MEASURING = (
    "manyheads.models.attributing",
    "manyheads.models.decoder.head_model",
    "manyheads_recipes.encoder.head_cards",
    "manyheads_recipes.focus.measures",
    "manyheads_recipes.induction.training",
    "manyheads_recipes.senses.__main__",
    "manyheads.models.senses.head_model",
    "manyheads_recipes.translator.training",
    "manyheads_book.experiments",
)
NAMES = sorted(
    found.name
    for package in (manyheads, manyheads_recipes, manyheads_book)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
)
ONCE = {"load_encoder": cache(load_encoder)}  # each example would load it again


def run_examples(name):
    """Runs the examples of a module; says how many failed."""
    module = importlib.import_module(name)
    with torch.random.fork_rng(devices=[]):
        more = {each: it for each, it in ONCE.items() if hasattr(module, each)}
        return doctest.testmod(module, extraglobs=more).failed
