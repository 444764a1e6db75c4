"""What the pages offer to those who want to run them: notebooks for download, and buttons that lead to hosts."""

import json

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from lab import put_notebooks
from nbconvert import HTMLExporter
from traitlets.config import Config

from manyheads.sphinxext.figure_cells import figure_cell
from manyheads.sphinxext.notebooks import WIDGET, cells_of_page, published_notebook
from manyheads.widgets import HeadMap

SETTINGS = ROOT / "binder" / "jupyter"


def test_a_published_notebook_shows_its_map_anywhere():
    """Also through nbconvert; and with the book's own settings a saved notebook does, widget state and all."""
    map = HeadMap("Tea?")
    data = map._repr_mimebundle_()[0]
    cell = nbformat.v4.new_code_cell("map", outputs=[nbformat.v4.new_output("display_data", data=data)])
    state = {"state": {data[WIDGET]["model_id"]: {"model_name": "AnyModel", "model_module": "anywidget", "state": {}}}}
    saved = nbformat.v4.new_notebook(
        cells=[cell],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3"},
            "language_info": {"name": "python"},
            "widgets": {"application/vnd.jupyter.widget-state+json": state | {"version_major": 2, "version_minor": 0}},
        },
    )
    published = published_notebook(nbformat.from_dict(saved))
    settings = Config(json.loads((SETTINGS / "jupyter_nbconvert_config.json").read_text()))
    for notebook, config in ((published, Config()), (saved, settings)):
        page, _ = HTMLExporter(config=config).from_notebook_node(notebook)
        found, plain = (BeautifulSoup(html, "html.parser").figure for html in (page, map._plain()))
        assert found.get_text() == plain.get_text()
        assert [path["d"] for path in found.select("path")] == [path["d"] for path in plain.select("path")]


PAGE = """<section id="a"><h1>Look<a class="headerlink" href="#a">#</a></h1><head-map sentence="Tea?" model="focus"></head-map>
<p>So <span class="math" data-tex="a_b"></span>, 2 $ and &lt;tea&gt;.</p>{cells}<div class="admonition note"><p class="admonition-title">1. Try</p>
<div class="highlight-python"><div class="highlight"><pre>f = "```"</pre></div></div></div>
<field-exercise exercise="try"><ul><li>The <code>shape</code>: 2 / 3</li></ul><script type="application/json">[]</script></field-exercise>
<museum-piece bug="axis" label="a bug"><head-map sentence="Tea?" models="focus focus/bug-axis" view="lines"></head-map></museum-piece></section>"""


def code(source, *tags):
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)})


def test_a_page_becomes_the_cells_of_its_notebook():
    cells = [code("first", "remove-cell"), code("second", "hide-input"), code("last", "remove-cell")]
    made = cells_of_page(cells, PAGE.format(cells='<div class="cell"></div>'), lambda address: address or "page.html")
    assert [cell.source for cell in made] == [
        "# Look",
        'from manyheads import HeadMap\n\nHeadMap("Tea?")',
        "So $a_b$, 2 \\$ and &lt;tea>.",
        "first",
        "second",
        '> **1. Try**\n>\n> ````python\n> f = "```"\n> ````\n\n- The `shape`: 2 / 3\n\n> On the [page](page.html), a switch puts a bug in: *a bug*.',
        'from manyheads import HeadMap\n\nHeadMap("Tea?", view="lines")',
        "last",
    ]
    hidden = {"source_hidden": True}
    assert [cell.metadata["jupyter"] for cell in made[3:5]] == [{**hidden, "outputs_hidden": True}, hidden]


@pytest.mark.parametrize(
    ("figure", "cell"),
    {
        '<head-map sentence="Tea?" id="a" tools="none" examples="No." head="2" layer="0" off="1.3" weigh="written">': (
            'HeadMap("Tea?", head=2, layer=0, weigh="written")'
        ),
        '<attention-flow sentence="Tea?" for="a" small="" causal="" station="scores" cell="scores 1 2">': (
            'AttentionFlow("Tea?", causal=True, station="scores", cell="scores 1 2")'
        ),
        '<head-ledger sentence="Tea?" guess="" off="1.3 1.0" head="2">': (
            'HeadLedger("Tea?", off=[(1, 3), (1, 0)], head=2)'
        ),
    }.items(),
)
def test_a_cell_runs_and_leaves_out_what_is_for_pages_alone(figure, cell):
    made = figure_cell(BeautifulSoup(figure, "html.parser").contents[0])
    assert made.source.split("\n\n")[1] == cell
    exec(made.source, {})


def test_a_cell_stands_for_the_figure_above_and_has_its_picture():
    page = '<head-map sentence="Tea?"><b>Plain</b></head-map><div class="cell tag_remove-output"></div>'
    (cell,) = cells_of_page([code("map", "hide-input", "remove-output")], page, str)
    assert cell.source == "map"
    assert cell.outputs[0].data["text/html"] == "<b>Plain</b>"


def test_the_figures_of_an_exercise_stand_below_its_words():
    board = '<drawing-board goal="shut"><head-map sentence="{}" model="drawing"></head-map></drawing-board>'
    page = (
        f'<div class="exercise admonition"><p>Shut it.</p>{board.format("1_1")}{board.format("")}</div><p>And on.</p>'
    )
    made = cells_of_page([], page, str)
    assert [cell.source.splitlines()[-1] for cell in made] == [
        "> > On the page of this chapter, there is a live figure here.",
        'HeadMap("1_1", model="drawing")',
        'HeadMap("", model="drawing")',
        "And on.",
    ]


def test_exercises_and_their_solutions_are_cells_in_which_one_works():
    exercise = '<div class="exercise admonition" id="{0}"><p class="admonition-title">{0}</p><p>Do it.</p></div>'
    python = '<div class="highlight-python"><div class="highlight"><pre><span>answer</span> = 2\n</pre></div></div>'
    solution = '<details class="solution"><summary>Solution</summary><div>{}</div></details>'
    page = (
        f"<section><p>Now you.</p>{exercise.format('one')}{solution.format(f'<p>Count.</p>{python}<p>Two.</p>')}"
        f'<details><summary>More</summary><div class="sd-card-body">{exercise.format("two")}{solution.format(python)}</div></details></section>'
    )
    details = {"practises": "counting", "kind": "cell", "cells": []}
    stub = "answer = ...\n\ncheck.equals(answer, 2)"
    made = cells_of_page(
        [code("needed", "remove-cell")], page, str, {"one": details | {"cells": [stub, "more"]}, "two": details}
    )
    folded = "<details><summary>Solution</summary>\n\n{}\n\n</details>"
    about = "*counting · write it in a cell*"
    assert [(cell.metadata.get("tags"), cell.source) for cell in made] == [
        (None, "Now you."),
        (["remove-cell"], "needed"),
        (None, f"> **one**\n>\n> {about}\n>\n> Do it."),
        (["exercise"], stub),
        (["exercise"], "more"),
        (None, folded.format("Count.")),
        (["solution"], "# Solution\nanswer = 2"),
        (None, folded.format("Two.")),
        (None, "### More"),
        (None, f"> **two**\n>\n> {about}\n>\n> Do it."),
        (["solution"], "# Solution\nanswer = 2"),
    ]
    assert made[6].metadata["jupyter"] == {"source_hidden": True, "outputs_hidden": True}


def test_a_notebook_that_was_changed_is_never_overwritten(tmp_path):
    built, folder = tmp_path / "built", tmp_path / "notebooks"
    built.mkdir()

    def build(text):
        for name in ("changed", "deleted", "as-it-was"):
            cells = [nbformat.v4.new_markdown_cell(text, id="one")]
            nbformat.write(nbformat.v4.new_notebook(cells=cells), built / f"{name}.ipynb")

    def text(name):
        return nbformat.read(folder / f"{name}.ipynb", as_version=4).cells[0].source

    with pytest.raises(FileNotFoundError, match="make book"):
        put_notebooks(built, folder)
    build("old")
    assert put_notebooks(built, folder) == []
    (folder / "deleted.ipynb").unlink()
    path = folder / "changed.ipynb"
    path.write_text(path.read_text().replace("old", "mine"))
    build("new")
    assert put_notebooks(built, folder) == ["changed.ipynb"]
    assert [text(name) for name in ("changed", "deleted", "as-it-was")] == ["mine", "new", "new"]
    assert put_notebooks(built, folder) == ["changed.ipynb"]
    assert text("changed") == "mine"
    (folder / "changed.ipynb").unlink()
    assert put_notebooks(built, folder) == []
    assert text("changed") == "new"
