"""The page that traces the five notes: each has its statements, and each leads to a section that exists."""

from posixpath import normpath
from urllib.parse import urldefrag

import pytest
from built import written

STATEMENTS = {"A": 9, "B": 10, "C": 12, "D": 5, "E": 6}
PAGE = "book/from-the-notes.html"


def statements(page, note):
    return page.find(id=f"note-{note.lower()}").find_parent("section").find_all("li")


@pytest.mark.parametrize("note", STATEMENTS)
def test_every_statement_leads_to_a_section(note):
    found = statements(written(PAGE), note)
    assert len(found) == STATEMENTS[note]
    for statement in found:
        links = [link["href"] for link in statement.find_all("a", href=True) if "reference" not in link["href"]]
        assert links, statement.get_text()
        for link in links:
            file, section = urldefrag(link)
            assert section, link
            assert written(normpath(f"book/{file}")).find(id=section), link


def test_nothing_is_announced():
    assert "coming" not in written(PAGE).find("article").get_text()
