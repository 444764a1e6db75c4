"""What the pages offer to those who want to run them: notebooks for download, and buttons that lead to hosts."""

import ast
import json
import re
import subprocess
import sys
from importlib import metadata

import jupytext
import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from nbconvert import HTMLExporter
from traitlets.config import Config, PyFileConfigLoader

from manyheads.models.registry import is_in_python
from manyheads.sphinxext.figure_cells import WIDGETS, figure_cell
from manyheads.sphinxext.figures import FIGURES
from manyheads.sphinxext.lab import put_notebooks
from manyheads.sphinxext.notebook_prose import prose
from manyheads.sphinxext.notebooks import (
    WIDGET,
    cells_of_page,
    launch_links,
    published_notebook,
    repository_address,
    web_address,
)
from manyheads.widgets import HeadMap
from manyheads.widgets.figure import KEEPS

CHAPTERS = sorted((ROOT / "book").glob("*.md"))
REPOSITORY = "https://github.com/somebody/many-heads"
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


def test_a_notebook_that_is_saved_keeps_its_figures_as_they_stood(tmp_path):
    """With the settings of `make lab` and Binder: as HTML, from the page where that left it, else from Python."""
    config = PyFileConfigLoader("jupyter_server_config.py", SETTINGS).load_config()
    manager = LargeFileManager(config=config, root_dir=str(tmp_path))
    typed, untouched = (HeadMap("Tea?")._repr_mimebundle_()[0] for _ in range(2))
    outputs = [nbformat.v4.new_output("display_data", data=data) for data in (typed, untouched)]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("map", outputs=outputs)])
    notebook.metadata["manyheads"] = {typed[WIDGET]["model_id"]: "<p>Coffee?</p>"}
    manager.save({"type": "notebook", "content": notebook}, "map.ipynb")
    saved = nbformat.read(tmp_path / "map.ipynb", as_version=4)
    shown = [output.data for output in saved.cells[0].outputs]
    assert [data["text/html"] for data in shown] == ["<p>Coffee?</p>", untouched["text/html"]]
    assert not any(WIDGET in data for data in shown)
    assert "manyheads" not in saved.metadata


def test_a_figure_says_what_it_is_kept_as_only_where_somebody_keeps_it(monkeypatch):
    monkeypatch.delenv(KEEPS, raising=False)
    assert HeadMap("Tea?")._kept_as == ""
    monkeypatch.setenv(KEEPS, "yes")
    map = HeadMap("Tea?")
    assert map._kept_as == map.model_id != ""


def test_a_remote_is_known_by_its_web_address():
    for remote, address in {
        "git@github.com:somebody/many-heads.git\n": REPOSITORY,
        "https://user:secret@github.com/somebody/many-heads.git": REPOSITORY,
        "ssh://git@gitlab.com/a/group/book": "https://gitlab.com/a/group/book",
        "../book": "",
        "": "",
    }.items():
        assert web_address(remote) == address


def test_the_remote_is_asked_where_the_environment_is_silent(tmp_path, monkeypatch):
    monkeypatch.delenv("MANYHEADS_REPOSITORY", raising=False)
    assert repository_address(tmp_path) == ""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    remote = ["git", "-C", str(tmp_path), "remote", "add", "origin", "git@gitlab.com:group/book.git"]
    subprocess.run(remote, check=True)
    assert repository_address(tmp_path) == "https://gitlab.com/group/book"
    monkeypatch.setenv("MANYHEADS_REPOSITORY", REPOSITORY)
    assert repository_address(tmp_path) == REPOSITORY


def test_each_host_gets_the_address_it_understands():
    gitlab = launch_links("https://gitlab.com/a/group/book", "book/code", branch="notebooks")
    assert gitlab == {
        "Binder": "https://mybinder.org/v2/gl/a%2Fgroup%2Fbook/HEAD?urlpath=lab/tree/notebooks/code.ipynb"
    }
    other = launch_links(
        "https://git.example.org/book", "book/code", branch="notebooks", hub="https://hub.example.org/"
    )
    assert other["Binder"].startswith("https://mybinder.org/v2/git/https%3A%2F%2Fgit.example.org%2Fbook/HEAD?")
    assert other["JupyterHub"] == (
        "https://hub.example.org/hub/user-redirect/git-pull"
        "?repo=https%3A//git.example.org/book&branch=notebooks&urlpath=lab/tree/book/book/code.ipynb"
    )
    assert "JupyterHub" not in launch_links("https://git.example.org/book", "book/code", hub="https://hub.example.org/")


def test_what_a_chapter_imports_comes_with_the_package():
    """Colab installs `manyheads[chapters]` and nothing else."""
    for chapter in CHAPTERS:
        notebook = jupytext.read(chapter, fmt="md:myst")
        imported = set()
        for cell in notebook.cells:
            if cell.cell_type == "code":
                for node in ast.walk(ast.parse(cell.source)):
                    names = [node.module] if isinstance(node, ast.ImportFrom) else []
                    names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
                    imported |= {name.split(".")[0] for name in names}
        outside = imported - set(sys.stdlib_module_names) - {"manyheads", "IPython"}
        needed = {re.split(r"[^\w-]", need)[0].replace("-", "_") for need in metadata.requires("manyheads")}
        assert outside <= needed, chapter.stem


PAGE = """<section id="a"><h1>Look<a class="headerlink" href="#a">#</a></h1><head-map sentence="Tea?" model="focus"></head-map>
<p>So <span class="math" data-tex="a_b"></span>, 2 $ and &lt;tea&gt;.</p>{cells}<div class="admonition note"><p class="admonition-title">1. Try</p>
<div class="highlight-python"><div class="highlight"><pre>f = "```"</pre></div></div></div>
<museum-piece bug="axis" label="a bug"><head-map sentence="Tea?" models="focus focus/bug-axis" view="lines"></head-map></museum-piece></section>"""


def code(source, *tags):
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)})


def test_a_page_becomes_the_cells_of_its_notebook():
    cells = [code("first", "remove-cell"), code("second", "hide-input"), code("last", "remove-cell")]
    made = cells_of_page(cells, PAGE.format(cells='<div class="cell"></div>'), lambda address: address, "there")
    assert [cell.source for cell in made] == [
        "# Look",
        'from manyheads import HeadMap\n\nHeadMap("Tea?")',
        "So $a_b$, 2 \\$ and &lt;tea>.",
        "first",
        "second",
        '> **1. Try**\n>\n> ````python\n> f = "```"\n> ````\n\n> There, a switch puts a bug in: *a bug*.',
        'from manyheads import HeadMap\n\nHeadMap("Tea?", view="lines")',
        "last",
    ]
    assert [cell.metadata["jupyter"] for cell in made[3:5]] == [
        {"source_hidden": True, "outputs_hidden": True},
        {"source_hidden": True},
    ]


def test_a_cell_below_a_map_stands_for_it():
    page = PAGE.format(cells="").replace("</head-map>\n", '</head-map><div class="cell tag_remove-output"></div>', 1)
    made = cells_of_page([code("HeadMap(TEA)", "hide-input", "remove-output")], page, str, "there")
    assert [cell.source for cell in made[:2]] == ["# Look", "HeadMap(TEA)"]
    assert "jupyter" not in made[1].metadata


def test_no_control_of_a_figure_is_printed_as_prose():
    """On a page the figure holds what its script or the build has drawn in it."""
    for name in FIGURES:
        controls = (
            "<button>Load it</button><label>Heads <select><option>all of them</option></select></label><p>Ready.</p>"
        )
        page = f'<section><h1>Look</h1><div><{name} sentence="Tea?">{controls}</{name}></div></section>'
        made = cells_of_page([], page, str, "on the page")
        texts = "\n".join(cell.source for cell in made if cell.cell_type == "markdown")
        assert not re.search("Load it|all of them|Ready|Heads", texts)
        if name not in WIDGETS:
            assert "On the page, " in texts


def test_every_figure_of_a_chapter_that_a_widget_shows_has_a_cell():
    for chapter in CHAPTERS:
        source = re.sub("^([`~]{4,}).*?^\\1$", "", chapter.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for name, sentence, options in re.findall(
            rf"^```\{{({'|'.join(WIDGETS)})\}} (.*)\n((?::.*\n)*)```$", source, re.MULTILINE
        ):
            figure = BeautifulSoup(f"<{name}></{name}>", "html.parser").find(name)
            figure["sentence"] = sentence
            figure.attrs |= dict(re.findall(r"^:(\w+): ?(.*)$", options.replace(":try:", ":examples:"), re.MULTILINE))
            cell = figure_cell(figure)
            assert cell is not None, sentence
            shown = eval_cell(cell.source)
            assert (shown["name"], shown["sentence"]) == (WIDGETS[name], sentence)
            named = figure.get("models", figure.get("model", "focus")).split()
            assert shown.get("models", [shown.get("model", "focus")]) == [each for each in named if is_in_python(each)]


def eval_cell(source):
    """The call that a figure's cell makes: its name, its sentence and what else it is given."""
    call = ast.parse(source).body[-1].value
    given = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    return {"name": call.func.id, "sentence": ast.literal_eval(call.args[0]), **given}


@pytest.mark.parametrize("count", [0, 2])
def test_a_page_with_other_cells_than_its_notebook_is_refused(count):
    with pytest.raises(ValueError, match="cell"):
        cells_of_page([code("one")], PAGE.format(cells='<div class="cell"></div>' * count), str, "there")


def test_prose_keeps_tables_and_numbered_formulas():
    page = BeautifulSoup(
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1 | 2</td></tr></tbody></table>"
        '<div class="math" data-tex="a\n= b"><span class="eqno">(3.1)<a class="headerlink" href="#e">#</a></span></div>',
        "html.parser",
    )
    assert prose(page.contents) == "| a |\n| --- |\n| 1 \\| 2 |\n\n$$a = b \\tag{3.1}$$"


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
