"""What a browser prints, sheet by sheet."""

from typing import NamedTuple

from pypdfium2 import PdfDocument


class Sheet(NamedTuple):
    """The text of a printed sheet, and the share of it that lies below its last word."""

    text: str
    blank: float


def sheets_of(pdf):
    """The sheets of a PDF, given as its path or as its bytes."""
    with PdfDocument(pdf) as document:
        return [_sheet(page, page.get_textpage()) for page in document]


def _sheet(page, text):
    bottoms = [text.get_rect(place)[1] for place in range(text.count_rects())]
    return Sheet(text.get_text_range(), min(bottoms) / page.get_height())
