"""The book on paper: all of it, in order, with bookmarks and links that hold, and small enough to send."""

import re
import subprocess
import sys

import pdf
import pikepdf
import pytest
from built import written
from conftest import ROOT
from pypdfium2 import PdfDocument
from sheets import sheets_of

from manyheads.models.focus import load_focus_model

MEGABYTE = 2**20


@pytest.fixture(scope="module")
def printed(html, tmp_path_factory):
    path = tmp_path_factory.mktemp("pdf") / "many-heads.pdf"
    command = [
        sys.executable,
        str(ROOT / "tests" / "pdf.py"),
        str(path),
    ]  # as `make pdf` does: two Playwrights need two processes
    subprocess.run(command, check=True)
    return path


@pytest.fixture(scope="module")
def sheets(printed):
    """The letters of each sheet."""
    return [letters(sheet.text) for sheet in sheets_of(printed)]


def letters(text):
    """A text without its white space."""
    return re.sub(r"\s", "", text)


def titles():
    pages = [written(f"{name}.html") for name in pdf.contents()]
    return [page.select_one("article h1").get_text().rstrip("#") for page in pages]


@pytest.mark.slow
def test_the_whole_book_is_on_paper_in_order(printed, sheets):
    assert printed.stat().st_size < 30 * MEGABYTE
    assert len(sheets) > 3 * len(titles())
    with PdfDocument(printed) as document:
        marks = [(mark.get_title(), mark.get_dest().get_index()) for mark in document.get_toc()]
    assert [title for title, _ in marks] == titles()
    assert marks[0][1] == 0
    assert [page for _, page in marks] == sorted({page for _, page in marks}), "each starts on a page of its own"
    for title, page in marks:
        assert letters(title) in sheets[page]


@pytest.mark.slow
def test_maps_solutions_and_numbers_are_on_paper(sheets):
    text = "".join(sheets)
    object = load_focus_model()("Which do you like better, coffee or tea?").predictions["object"]
    for said in (
        "[CLS]whichdoyoulikebetter,coffeeortea?[SEP]",
        "print(home[enough,1].max().round(2)",
        f"foodordrink{object['food or drink']:.0%}",
    ):
        assert said in text, said
    assert not re.search(r"Showthecode|Hidethecode|\{glue", text)


@pytest.mark.slow
def test_links_stay_in_the_document_or_lead_into_the_world(printed):
    with pikepdf.open(printed) as document:
        notes = [note for page in document.pages for note in page.get("/Annots", [])]
        addresses = {str(note.A.URI) for note in notes if "/URI" in note.get("/A", {})}
        inside = {str(note.Dest) for note in notes if "/Dest" in note}
        places = set(document.Root.Dests.keys())
    assert len(addresses) > 10
    assert all(address.startswith("https://") for address in addresses)
    assert len(inside) > 100
    assert inside <= places
