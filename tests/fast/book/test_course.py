"""The chapters of the way are one course: each leads on to the next, ends as the others do, and asks after it has shown."""

import re
from itertools import pairwise

import pytest
import yaml
from conftest import ROOT

from manyheads.sphinxext.phrases import guesses_in

PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
WAY = [chapter["file"].removeprefix("book/") for part in PARTS if part.get("numbered") for chapter in part["chapters"]]
PAGES = {name: (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8") for name in WAY}
DRAWER = re.compile(r"^(:{3,})\{dropdown\}.*?^\1$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"^```\{(?!code-cell|field-exercise)[a-z]+-[a-z-]+\}|^:file: images|^[A-Z]\w+\(", re.MULTILINE)
NEXT = re.compile(r"^Next: .*\]\(([a-z-]+)\.md\)[?.]$")


def in_view(page):
    """A page's source without its drawers."""
    return DRAWER.sub("", page)


@pytest.mark.parametrize(("name", "follower"), [*pairwise(WAY), (WAY[-1], "summary")])
def test_the_last_line_leads_on(name, follower):
    last = NEXT.match(PAGES[name].strip().splitlines()[-1])
    assert last, "its last line begins with Next:"
    assert last[1] == follower


@pytest.mark.parametrize("name", WAY)
def test_a_chapter_ends_as_the_others_do(name):
    """With a sentence or two that are known now, and an exercise in view that needs no code."""
    view = in_view(PAGES[name])
    assert re.findall(r"^## (.*)$", view, re.MULTILINE)[-2:] == ["What you know now", "Exercises"]
    known, _, exercises = view.partition("\n## What you know now\n")[2].partition("\n## Exercises\n")
    assert len(known.strip().split("\n\n")[0].split()) <= 50
    kinds = re.findall(r"^:kind: (\w+)$", exercises, re.MULTILINE)
    assert 1 <= len(kinds) <= 2
    assert kinds[0] not in ("cell", "think")


@pytest.mark.parametrize("name", WAY)
def test_a_chapter_asks_after_it_has_shown_and_says_why(name):
    page = PAGES[name]
    for options in guesses_in(page):
        assert FIGURE.search(page).start() < page.index("```{guess}")
        assert options.get("why", "").count(" | ") == options["answers"].count(" | ") - 1, options["why"]
