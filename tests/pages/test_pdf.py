"""The book on paper: all of it, in order, with bookmarks and links that hold, and small enough to send."""

import re
import subprocess
import sys

import pdf
import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from pypdf import PdfReader

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
    return [letters(page.extract_text()) for page in PdfReader(printed).pages]


def letters(text):
    """A text without its white space, and with what a font joins taken apart."""
    return re.sub(r"\s", "", text).replace("ﬁ", "fi").replace("ﬀ", "ff").replace("ﬂ", "fl").replace("ﬃ", "ffi")


def titles(html):
    pages = (html / f"{name}.html" for name in pdf.contents())
    soups = [BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser") for page in pages]
    return [soup.select_one("article h1").get_text().rstrip("#") for soup in soups]


@pytest.mark.slow
def test_the_whole_book_is_on_paper_in_order(html, printed, sheets):
    reader = PdfReader(printed)
    assert printed.stat().st_size < 30 * MEGABYTE
    assert len(reader.pages) > 3 * len(titles(html))
    marks = [(mark.title, reader.get_destination_page_number(mark)) for mark in reader.outline]
    assert [title for title, _ in marks] == titles(html)
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
    reader = PdfReader(printed)
    notes = [note.get_object() for page in reader.pages for note in page.get("/Annots", [])]
    addresses = {note["/A"]["/URI"] for note in notes if "/URI" in note.get("/A", {})}
    assert len(addresses) > 10
    assert all(address.startswith("https://") for address in addresses)
    inside = {note["/Dest"] for note in notes if "/Dest" in note}
    assert len(inside) > 100
    assert inside <= set(reader.named_destinations)
