"""What each kind of figure is to a screen reader: roles, names and states, held by the snapshots beside this test."""

from pathlib import Path

import pytest
from live_maps import settled
from playwright.sync_api import expect

SNAPSHOTS = Path(__file__).parent / "snapshots"
FIGURES = {
    "head-map": "index",
    "formula-steps": "formula",
    "attention-flow": "formula",
    "head-ledger": "what-a-head-writes",
    "slice-or-project": "formula",
    "softmax-scale": "formula",
    "word-shuffle": "order-and-cost",
    "field-exercise": "formula",
    "museum-piece": "museum",
    "head-cards": "real-heads",
    "word-sense": "ambiguity",
    "head-birth": "induction",
    "next-word": "decoder",
    "head-pruning": "claims",
    "exercise-list": "exercises",
}


def test_each_snapshot_has_its_figure():
    assert {path.stem for path in SNAPSHOTS.iterdir()} == set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_its_roles_names_and_states(page, site, name):
    page.goto(f"{site}/book/{FIGURES[name]}.html")
    settled(page)
    figure = page.locator(f"{name}[model], {name}:not(head-map, formula-steps)").first
    expect(figure).to_match_aria_snapshot((SNAPSHOTS / f"{name}.yml").read_text(encoding="utf-8"))
    expect(figure).not_to_contain_text("stands still")
