"""Figures as the build of a book draws them, before any script runs in a page."""

from pathlib import Path
from tempfile import TemporaryDirectory

from bs4 import BeautifulSoup

from manyheads.sphinxext.prerender import draw_figures


def drawn(*figures):
    """The pages of some figures' HTML, parsed: all drawn in one process of Node."""
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"page-{place}.html") for place in range(len(figures))]
        for path, html in zip(paths, figures):
            path.write_text(f"<!DOCTYPE html><html><body>{html}</body></html>", encoding="utf-8")
        draw_figures(paths)
        return [BeautifulSoup(path.read_bytes(), "html.parser") for path in paths]


def weights_of(page):
    """The weights that cells of a drawn page carry, in their order."""
    return [float(cell["data-weight"]) for cell in page.select("[data-weight]")]
