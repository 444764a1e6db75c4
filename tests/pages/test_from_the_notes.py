"""The page that traces the five notes: each has its rows, and each row leads to a section that exists."""

from posixpath import normpath
from urllib.parse import urldefrag

import pytest
from built import written

ROWS = {"A": 11, "B": 13, "C": 14, "D": 7, "E": 7}
PAGE = "book/from-the-notes.html"


def rows(page, note):
    return page.find(id=f"note-{note.lower()}").find_parent("section").find_all("tr")[1:]


@pytest.mark.parametrize("note", ROWS)
def test_every_row_leads_to_a_section(note):
    found = rows(written(PAGE), note)
    assert len(found) == ROWS[note]
    for row in found:
        links = [link["href"] for link in row.find_all("td")[1].find_all("a", href=True)]
        assert links, row.get_text()
        for link in links:
            file, section = urldefrag(link)
            assert section, link
            assert written(normpath(f"book/{file}")).find(id=section), link


def test_nothing_is_announced():
    assert "coming" not in written(PAGE).find("article").get_text()
