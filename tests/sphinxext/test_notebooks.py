"""What the pages offer to those who want to run them: notebooks for download, and buttons that lead to hosts."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata

import jupytext
import nbformat
import pytest
from conftest import ROOT
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from jupytext.sync_contentsmanager import build_sync_jupytext_contents_manager_class
from nbconvert import HTMLExporter
from traitlets.config import Config, PyFileConfigLoader

from manyheads.sphinxext.notebooks import (
    INSTALL,
    WIDGET,
    launch_links,
    published_notebook,
    repository_address,
    web_address,
)
from manyheads.widgets import HeadMap

CHAPTERS = sorted((ROOT / "book").glob("*.md"))
REPOSITORY = "https://github.com/somebody/many-heads"
SETTINGS = ROOT / "binder" / "jupyter"
HEADER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not re.match("MANYHEADS_(REPO|NOTE|JUPY|SITE)", name)
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


@pytest.mark.slow
def test_a_page_offers_its_executed_notebook_and_its_launch_buttons(build):
    html = build(MANYHEADS_REPOSITORY="git@github.com:somebody/many-heads.git", MANYHEADS_NOTEBOOKS="notebooks")
    for page in ("index", "book/map"):
        (download,) = (link for link in links(html / f"{page}.html") if link.endswith(".ipynb") and "_sources" in link)
        notebook = nbformat.read((html / f"{page}.html").parent / download, as_version=4)
        nbformat.validate(notebook)
        assert notebook.cells[0].source == INSTALL.format(repository=REPOSITORY)
        assert f"https://mybinder.org/v2/gh/somebody/many-heads/HEAD?urlpath=lab/tree/{page}.md" in links(
            html / f"{page}.html"
        )
        assert f"https://colab.research.google.com/github/somebody/many-heads/blob/notebooks/{page}.ipynb" in links(
            html / f"{page}.html"
        )
    (output,) = notebook.cells[-1].outputs
    assert 'data-weight="' in output.data["text/html"]
    assert WIDGET not in output.data

    chapter = html.parent.parent / "book" / "map.md"
    chapter.write_text(f"{chapter.read_text()}\nA sentence more, and the cell's output comes from the cache.\n")
    html = build(MANYHEADS_REPOSITORY="")  # nor has the book an address now
    assert nbformat.read(html / "_sources" / "book" / "map.ipynb", as_version=4).cells[1].outputs == [output]
    for page in ("index", "book/map"):
        text = (html / f"{page}.html").read_text(encoding="utf-8")
        assert "_sources" in text, "its notebook is still there"
        assert not re.search("mybinder|colab|launch-buttons", text)


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
        cells = re.findall(r'data-weight="([\d.]+)"', page)
        assert cells == [f"{weight:.4f}" for weight in map.attention.weights[0, :, 0].ravel()]
        assert "td[data-weight]" in page, "its stylesheet comes along"


def test_a_chapter_that_is_saved_keeps_its_map(tmp_path):
    """With the settings of `make lab` and Binder: its outputs lie in a notebook of their own, its figures as HTML."""
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "map.md").write_text(f"{HEADER}# Look\n\n```{{code-cell}}\nmap\n```\n")
    shutil.copyfile(ROOT / "jupytext.toml", tmp_path / "jupytext.toml")
    config = PyFileConfigLoader("jupyter_server_config.py", SETTINGS).load_config()
    manager = build_sync_jupytext_contents_manager_class(LargeFileManager)(config=config, root_dir=str(tmp_path))
    model = manager.get("book/map.md", type="notebook")
    data = HeadMap("Tea?")._repr_mimebundle_()[0]
    assert WIDGET in data
    model["content"].cells[-1].outputs = [nbformat.v4.new_output("display_data", data=data)]
    manager.save(model, "book/map.md")
    (output,) = manager.get("book/map.md", type="notebook")["content"].cells[-1].outputs
    assert output.data["text/html"] == data["text/html"]
    assert WIDGET not in output.data
    assert (tmp_path / "executed" / "map.ipynb").is_file()
    assert "output" not in (tmp_path / "book" / "map.md").read_text()


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("git@github.com:somebody/many-heads.git\n", REPOSITORY),
        ("https://user:secret@github.com/somebody/many-heads.git", REPOSITORY),
        ("ssh://git@gitlab.com/a/group/book", "https://gitlab.com/a/group/book"),
        ("/srv/book.git", ""),
        ("../book", ""),
        ("", ""),
    ],
)
def test_a_remote_is_known_by_its_web_address(remote, address):
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
    assert gitlab == {"Binder": "https://mybinder.org/v2/gl/a%2Fgroup%2Fbook/HEAD?urlpath=lab/tree/book/code.md"}
    other = launch_links("https://git.example.org/book", "book/code", hub="https://hub.example.org/")
    assert other["Binder"].startswith("https://mybinder.org/v2/git/https%3A%2F%2Fgit.example.org%2Fbook/HEAD?")
    assert other["JupyterHub"] == (
        "https://hub.example.org/hub/user-redirect/git-pull"
        "?repo=https%3A//git.example.org/book&urlpath=lab/tree/book/book/code.md"
    )


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_what_a_chapter_imports_comes_with_the_package(chapter):
    """Colab installs `manyheads[chapters]` and nothing else."""
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
    assert outside <= needed


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_each_built_page_offers_a_notebook_that_is_valid(html, chapter):
    notebook = nbformat.read(html / "_sources" / "book" / f"{chapter.stem}.ipynb", as_version=4)
    nbformat.validate(notebook)
    written = [cell for cell in jupytext.read(chapter, fmt="md:myst").cells if cell.cell_type == "code"]
    run = [
        cell for cell in notebook.cells if cell.cell_type == "code" and "importlib.util.find_spec" not in cell.source
    ]
    assert [cell.source for cell in run] == [cell.source for cell in written]
    assert all(cell.execution_count for cell in run if cell.source.strip())
    page = (html / "book" / f"{chapter.stem}.html").read_text(encoding="utf-8")
    assert f"_sources/book/{chapter.stem}.ipynb" in page
