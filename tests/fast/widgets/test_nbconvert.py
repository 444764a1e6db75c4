"""Notebooks of anybody's as HTML, by nbconvert as it comes."""

import nbformat
import pytest
from nbconvert import HTMLExporter

from manyheads import AttentionFlow, HeadMap
from manyheads.widgets.figure import WIDGET, nobody_answers

DRAWN = 'aria-label="Attention of each head"'


def html_of(notebook):
    return HTMLExporter().from_notebook_node(notebook)[0]


def test_a_notebook_that_jupyterlab_saved_shows_its_maps():
    """It keeps what a live reader saw, HTML and widget, and no state."""
    data, metadata = HeadMap.of([[1.0]], ["tea"])._repr_mimebundle_()
    output = nbformat.v4.new_output("display_data", data, metadata=metadata)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[output])])
    html = html_of(notebook)
    assert DRAWN in html
    assert data[WIDGET]["model_id"] not in html


class Kernel:
    """The kernel behind a notebook's cell, as far as its asker goes."""

    def __init__(self, **content):
        self.kernel = self
        self.get_parent = lambda: {"content": content}


@pytest.mark.parametrize("figure", [HeadMap, AttentionFlow])
def test_a_reader_gets_a_live_figure(figure, monkeypatch):
    """JupyterLab, Notebook, Colab and VS Code let readers type an answer; Voila does not, but has readers."""
    shown = figure("Tea?")
    assert WIDGET in shown._repr_mimebundle_()[0], "no kernel: a plain Python"
    for content, environment, live in (
        ({"allow_stdin": True}, {}, True),
        ({"allow_stdin": False}, {}, False),
        ({"allow_stdin": False}, {"SERVER_SOFTWARE": "voila/0.5.8"}, True),
        ({"allow_stdin": False}, {"VOILA_PREHEAT": "True"}, True),
        ({}, {}, True),  # an answer to a widget, not to a cell
    ):
        with monkeypatch.context() as patch:
            patch.setattr("manyheads.widgets.figure.get_ipython", lambda content=content: Kernel(**content))
            for name, value in environment.items():
                patch.setenv(name, value)
            assert nobody_answers() is not live
            assert (WIDGET in shown._repr_mimebundle_()[0]) is live
