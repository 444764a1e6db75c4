"""What the pages offer to those who want to run them: notebooks for download, and buttons that lead to hosts."""

import os
import re
import subprocess
import sys
from urllib.parse import unquote

import jupytext
import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from exercises import exercises_of

from manyheads.check.solutions import FIRST_LINE
from manyheads.figures import FIGURES, class_name
from manyheads.sphinxext.exercise_cells import EXERCISE, LOADS, SOLUTION
from manyheads.sphinxext.figure_cells import MADE, WIDGETS
from manyheads.sphinxext.notebooks import PROOF, SHOWN_ABOVE, WIDGET, install_cell

CHAPTERS = sorted((ROOT / "book").glob("*.md"))
SITE = "https://somebody.example/many-heads/"
KINDS = {class_name(kind): kind for kind in FIGURES} | {widget: kind for kind, widget in WIDGETS.items()}
HEADER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not re.match("MANYHEADS_(REPO|NOTE|JUPY|URL)", name)
}


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Builds a book of two chapters with an environment of its own; gives where its pages are."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "conf.py").write_text(
        'extensions = ["myst_nb", "manyheads.sphinxext.notebooks"]\nhtml_theme = "sphinx_book_theme"\nproject = "Two"\nexclude_patterns = ["_build"]\n'
        'nb_ipywidgets_js = {}\nnb_mime_priority_overrides = [["html", "text/html", 0]]\n'
        'nb_execution_mode = "cache"\nnb_execution_raise_on_error = True\n'
    )
    (folder / "index.md").write_text(f"{HEADER}# Read\n\nOnly text.\n\n```{{toctree}}\nbook/map\n```\n")
    (folder / "book").mkdir()
    (folder / "book" / "map.md").write_text(
        f'{HEADER}# Look\n\n```{{code-cell}}\nfrom manyheads import HeadMap\n\nHeadMap("Tea?")\n```\n'
    )

    def run(**environment):
        command = [sys.executable, "-m", "sphinx", "-W", "-q", str(folder), str(folder / "_build" / "html")]
        done = subprocess.run(command, env=ENVIRONMENT | environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return folder / "_build" / "html"

    return run


def links(page):
    return re.findall(r'href="([^"]*)"', page.read_text(encoding="utf-8").replace("&amp;", "&"))


def test_a_page_offers_its_executed_notebook_and_its_launch_buttons(build):
    html = build(
        MANYHEADS_REPOSITORY="git@github.com:somebody/many-heads.git",
        MANYHEADS_NOTEBOOKS="notebooks",
        MANYHEADS_URL=SITE,
    )
    for page in ("index", "book/map"):
        (download,) = (link for link in links(html / f"{page}.html") if link.endswith(".ipynb") and "_sources" in link)
        notebook = nbformat.read((html / f"{page}.html").parent / download, as_version=4)
        nbformat.validate(notebook)
        assert notebook.cells[0].source == install_cell(notebook.cells[1:], SITE).source
        assert (
            f"https://mybinder.org/v2/gh/somebody/many-heads/HEAD?urlpath=lab/tree/notebooks/{page.split('/')[-1]}.ipynb"
            in links(html / f"{page}.html")
        )
        assert f"https://colab.research.google.com/github/somebody/many-heads/blob/notebooks/{page}.ipynb" in links(
            html / f"{page}.html"
        )
    (output,) = notebook.cells[-1].outputs
    assert output.data["text/html"].startswith("<figure")
    assert WIDGET not in output.data

    chapter = html.parent.parent / "book" / "map.md"
    chapter.write_text(f"{chapter.read_text()}\nA sentence more, and the cell's output comes from the cache.\n")
    html = build(MANYHEADS_REPOSITORY="")  # nor has the book an address now
    assert nbformat.read(html / "_sources" / "book" / "map.ipynb", as_version=4).cells[1].outputs == [output]
    for page in ("index", "book/map"):
        text = (html / f"{page}.html").read_text(encoding="utf-8")
        assert "_sources" in text, "its notebook is still there"
        assert not re.search("mybinder|colab|launch-buttons", text)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_each_built_page_offers_a_notebook_that_is_valid(html, chapter):
    notebook = nbformat.read(html / "_sources" / "book" / f"{chapter.stem}.ipynb", as_version=4)
    nbformat.validate(notebook)
    written = [cell for cell in jupytext.read(chapter, fmt="md:myst").cells if cell.cell_type == "code"]
    kept = [cell.source for cell in written if PROOF not in cell.metadata.get("tags", [])]
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.id != "install-the-package"]
    run = [cell for cell in code if not {MADE, EXERCISE, LOADS, SOLUTION} & {*cell.metadata.get("tags", [])}]
    assert len(run) == len(kept)
    for cell, source in zip(run, kept):
        assert cell.source.endswith(source) or source.startswith("show("), "below its title, or what it lists"
    assert all(cell.execution_count for cell in run if cell.source.strip())
    page = (html / "book" / f"{chapter.stem}.html").read_text(encoding="utf-8")
    assert f"_sources/book/{chapter.stem}.ipynb" in page


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_the_exercises_of_a_built_page_are_done_in_its_notebook(html, chapter):
    notebook = nbformat.read(html / "_sources" / "book" / f"{chapter.stem}.ipynb", as_version=4)
    tagged = [(tag, cell.source) for cell in notebook.cells for tag in cell.metadata.get("tags", [])]
    assert [(tag, source) for tag, source in tagged if tag in (EXERCISE, SOLUTION)] == [
        (tag, code)
        for exercise in exercises_of(chapter.stem, chapter.read_text(encoding="utf-8"))
        for tag, codes in ((EXERCISE, exercise.cells), (SOLUTION, [f"{FIRST_LINE}\n{code}" for code in exercise.code]))
        for code in map(str.strip, codes)
    ]


def without_code(text):
    """Markdown without its code and its formulas, and the addresses of other sites."""
    blocks = re.sub(r"^[> ]*(`{3,}).*?^[> ]*\1$|\$\$.*?\$\$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"(`+).*?\1|(?<!\\)\$.*?\$|\(https:[^)]*\)", "", blocks)


def markdown(html, chapter):
    """The texts of a built chapter's Markdown cells."""
    notebook = nbformat.read(html / "_sources" / "book" / f"{chapter.stem}.ipynb", as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_the_links_of_a_notebook_lead_somewhere(html, chapter):
    """To a notebook beside it that has the heading, to a figure of its own, or out into the world."""
    notebook = nbformat.read(html / "_sources" / "book" / f"{chapter.stem}.ipynb", as_version=4)
    figures = {name for cell in notebook.cells for name in re.findall(r"""\bid="([^"]+)\"""", cell.source)}
    headings = {path.stem: re.findall(r"^#+ (.*)$", "\n".join(markdown(html, path)), re.MULTILINE) for path in CHAPTERS}
    texts = "\n".join(markdown(html, chapter))
    for target in re.findall(r"\]\(([^) ]+)[^)]*\)", without_code(texts)):
        path, _, heading = target.partition("#")
        if heading.startswith("try:"):
            assert heading.split(":")[1] in {*figures, *FIGURES}, target
            continue
        assert path.removesuffix(".ipynb") in (*headings, ""), target
        known = [plain(title) for title in headings[path.removesuffix(".ipynb") or chapter.stem]]
        assert not heading or unquote(heading) in known, target


def plain(title):
    """A heading's name in JupyterLab: what it shows, with hyphens."""
    return re.sub(r"[*`$]", "", title).replace(" ", "-")


def kind_of(source):
    """The element that a cell shows; "" for one that a cell above has made and named."""
    call = source.splitlines()[-1]
    if found := re.match(r"""PageFigure(?:\.of\('<|\(")([a-z-]+)""", call):
        return found[1]
    return KINDS.get(call.partition("(")[0], "")


def is_in_its_cell(figure):
    """Whether a cell of the chapter shows a figure of the page, or the same as it."""
    below = figure.find_next_sibling(True)
    shown_below = below is not None and f"tag_{SHOWN_ABOVE}" in below.get("class", [])
    return shown_below or figure.find_parent(class_="cell") is not None


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_the_figures_of_a_built_page_are_in_its_notebook(html, chapter):
    page = BeautifulSoup((html / "book" / f"{chapter.stem}.html").read_text(encoding="utf-8"), "html.parser")
    notebook = nbformat.read(html / "_sources" / "book" / f"{chapter.stem}.ipynb", as_version=4)
    sources = [cell.source for cell in notebook.cells if MADE in cell.metadata.get("tags", [])]
    made = [kind_of(source) for source in sources if not source.startswith("from IPython")]  # a drawing
    figures = [figure for figure in page.select(", ".join(FIGURES)) if not figure.find_parent([*FIGURES])]
    kinds = [figure.name for figure in figures if not is_in_its_cell(figure)]
    assert [kind or shown for kind, shown in zip(made, kinds, strict=True)] == kinds
    lines = {line.strip(" >") for text in markdown(html, chapter) for line in text.splitlines()}
    for control in page.select(", ".join(f"{name} :is(summary, legend, label > span)" for name in FIGURES)):
        assert control.get_text().strip() not in lines - {""}
