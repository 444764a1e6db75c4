"""The page that traces the five notes: each has its rows, and each row leads to a section that exists."""

from urllib.parse import urldefrag

import pytest
from bs4 import BeautifulSoup
from conftest import HTML

ROWS = {"A": 11, "B": 13, "C": 14, "D": 7, "E": 7}
PAGE = HTML / "book" / "from-the-notes.html"


def read(page):
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def rows(page, note):
    return page.find(id=f"note-{note.lower()}").find_parent("section").find_all("tr")[1:]


@pytest.mark.parametrize("note", ROWS)
def test_every_row_leads_to_a_section(note):
    found = rows(read(PAGE), note)
    assert len(found) == ROWS[note]
    for row in found:
        links = [link["href"] for link in row.find_all("td")[1].find_all("a", href=True)]
        assert links, row.get_text()
        for link in links:
            file, section = urldefrag(link)
            there = read(PAGE.parent / file)
            assert section, link
            assert there.find(id=section), link


def test_nothing_is_announced():
    assert "coming" not in read(PAGE).find("article").get_text()
