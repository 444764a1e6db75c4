"""The book on paper: each chapter as a browser prints it, and all of it as `make pdf` does."""

import re
import subprocess
import sys

import pikepdf
import pytest
from built import CHAPTERS, written
from live_maps import eventually, settled
from playwright.sync_api import expect
from pypdfium2 import PdfDocument
from served import ROOT
from sheets import sheets_of

PAPER = {"width": 680, "height": 1000}  # A4 within its margins, in CSS pixels
TOO_WIDE = """() => {
  const edge = document.querySelector(".bd-article").getBoundingClientRect().right + 1;
  const seen = (element) => element.checkVisibility() && !element.closest("svg, iframe");
  return [...document.querySelectorAll(".bd-article *")]
    .filter((element) => seen(element) && element.getBoundingClientRect().right > edge)
    .map((element) => `${element.tagName} ${element.className} ${element.textContent.slice(0, 60)}`);
}"""
FOLDED = """() => [...document.querySelectorAll("details.hide:not([open])")].filter((fold) => fold.checkVisibility()).length"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_is_wider_than_the_sheet_and_no_code_is_folded_on_it(page, site, chapter):
    page.set_viewport_size(PAPER)
    page.goto(f"{site}/{chapter}.html")
    settled(page)
    page.emulate_media(media="print")
    eventually(lambda: page.evaluate(TOO_WIDE), lambda found: found == [])
    eventually(lambda: page.evaluate(FOLDED), lambda found: found == 0)


@pytest.mark.parametrize("size", ["A4", "Letter"])
def test_the_summary_prints_on_one_sheet(page, site, size):
    page.goto(f"{site}/book/summary.html")
    settled(page)
    (sheet,) = sheets_of(page.pdf(format=size))
    text = re.sub(r"\s", "", sheet.text)
    assert "src_key_padding_mask" in text
    assert "Sentence" not in text


def test_frames_that_nobody_has_come_to_are_there_for_who_prints(page, site):
    page.goto(f"{site}/book/your-own-models.html")
    page.mouse.move(300, 300)
    for frame in page.locator("iframe.bertviz").all():
        expect(frame.content_frame.locator("svg line").first).to_be_attached()


@pytest.fixture(scope="module")
def printed(html, tmp_path_factory):
    """As `make pdf` does: two Playwrights need two processes."""
    path = tmp_path_factory.mktemp("pdf") / "many-heads.pdf"
    subprocess.run([sys.executable, str(ROOT / "tests" / "pdf.py"), str(path)], check=True)
    return path


def letters(text):
    return re.sub(r"\s", "", text)


def test_the_whole_book_is_on_paper_in_order(printed):
    titles = [written(f"{name}.html").select_one("article h1").get_text().rstrip("#") for name in CHAPTERS]
    sheets = [letters(sheet.text) for sheet in sheets_of(printed)]
    with PdfDocument(printed) as document:
        marks = [(mark.get_title(), mark.get_dest().get_index()) for mark in document.get_toc()]
    assert [title for title, _ in marks] == titles
    assert [page for _, page in marks] == sorted({page for _, page in marks}), "each starts on a page of its own"
    for title, page in marks:
        assert letters(title) in sheets[page]
    text = "".join(sheets)
    assert "[CLS]whichdoyoulikebetter,coffeeortea?[SEP]" in text
    assert not re.search(r"Showthecode|Hidethecode|\{glue", text)


def test_links_stay_in_the_document_or_lead_into_the_world(printed):
    with pikepdf.open(printed) as document:
        notes = [note for page in document.pages for note in page.get("/Annots", [])]
        addresses = {str(note.A.URI) for note in notes if "/URI" in note.get("/A", {})}
        inside = {str(note.Dest) for note in notes if "/Dest" in note}
        places = set(document.Root.Dests.keys())
    assert all(address.startswith("https://") for address in addresses)
    assert len(inside) > 100
    assert inside <= places
