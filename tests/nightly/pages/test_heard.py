"""What each kind of figure is to a screen reader: roles, names and states, held by the snapshots beside this test."""

from pathlib import Path

import pytest
from figures import CHAPTER_OF
from live_maps import settled
from playwright.sync_api import expect

SNAPSHOTS = Path(__file__).parent / "snapshots"


def test_each_snapshot_has_its_figure():
    assert {path.stem for path in SNAPSHOTS.iterdir()} == set(CHAPTER_OF)


@pytest.mark.parametrize("name", CHAPTER_OF)
def test_a_figure_has_its_roles_names_and_states(page, site, name):
    page.goto(f"{site}/book/{CHAPTER_OF[name]}.html")
    settled(page)
    figure = page.locator(f"{name}[model], {name}:not(head-map, formula-steps)").first
    expect(figure).to_match_aria_snapshot((SNAPSHOTS / f"{name}.yml").read_text(encoding="utf-8"))
    expect(figure).not_to_contain_text("stands still")
