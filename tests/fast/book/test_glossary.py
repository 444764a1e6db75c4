"""The glossary: in order, and each term linked to it on the first page that uses it."""

import re

import pytest
from conftest import ROOT

BOOK = ROOT / "book"
TERMS = re.findall(
    r"^(?=\S)(?!```)(.+)$", re.search(r"```\{glossary\}\n(.*?)```", (BOOK / "glossary.md").read_text(), re.S)[1], re.M
)
FIRST = [
    (BOOK / f"{name}.md").read_text(encoding="utf-8").partition("## The way through the book")[0]
    for name in ("index", "intuition", "coffee-or-tea")
]


HEADER, FENCE, NAMES = r"\A---$.*?^---$", r"^(`{3,}|~{3,})(?!\{admonition).*?^\1$", r"`[^`]*`|\$[^$]*\$"
NOT_PROSE = re.compile(f"{HEADER}|{FENCE}|{NAMES}", re.DOTALL | re.MULTILINE)


def test_terms_are_in_order():
    assert len(TERMS) > 40
    assert sorted(TERMS) == TERMS


@pytest.mark.parametrize("term", TERMS)
def test_the_first_page_that_uses_a_term_explains_it(term):
    """Of the pages that a newcomer reads first; the others explain their words where they need them."""
    link = re.compile(rf"\{{term\}}`(?:[^`<]*<)?{re.escape(term)}>?`", re.I)
    used = [page for page in FIRST if link.search(page) or re.search(rf"\b{term}s?\b", NOT_PROSE.sub("", page), re.I)]
    assert not used or link.search(used[0])
