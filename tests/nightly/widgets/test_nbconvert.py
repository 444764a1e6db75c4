"""Notebooks of anybody's as HTML, by nbconvert as it comes."""

import nbformat
from nbconvert import HTMLExporter
from nbconvert.preprocessors import ExecutePreprocessor

from manyheads.widgets.figure import WIDGET

CODE = """import numpy as np
from ipywidgets import IntSlider
from IPython.display import display
from manyheads import HeadMap
display(IntSlider(3))
HeadMap.of(np.full((2, 2), 0.5), ["hot", "tea"])"""


DRAWN = 'aria-label="Attention of each head"'


def html_of(notebook):
    return HTMLExporter().from_notebook_node(notebook)[0]


def test_a_notebook_that_nbconvert_runs_shows_its_maps():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CODE)])
    ExecutePreprocessor(timeout=120).preprocess(notebook)
    slider, head_map = notebook.cells[0].outputs
    assert notebook.metadata.widgets, "with the state of its widgets, nbconvert prefers those"
    assert WIDGET in slider["data"]
    assert WIDGET not in head_map["data"]
    assert DRAWN in html_of(notebook)
