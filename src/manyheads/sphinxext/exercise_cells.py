"""The cells of a notebook in which an exercise is done, and those in which its solution waits."""

import nbformat

from manyheads.check.solutions import FIRST_LINE
from manyheads.sphinxext.notebook_prose import classes, folded, prose

EXERCISE = "exercise"  # the tag of a cell in which a reader writes
SOLUTION = "solution"  # and of a solution's code
HIDDEN = {"collapsed": True, "jupyter": {"source_hidden": True, "outputs_hidden": True}}
LOADS = "solutions-wait"  # and of the one cell that lets solutions wait
WAITING = """# Run All leaves the solutions to you: each runs when you run its cell once more.
%load_ext manyheads.check.solutions"""


def waiting_cell():
    """The cell that stands before a page's exercises where a solution has code."""
    return nbformat.v4.new_code_cell(WAITING, metadata={"tags": [LOADS]})


def exercise_cells(details):
    """What a reader begins with, and the check of it: a cell for each `{check}` of an exercise."""
    return [nbformat.v4.new_code_cell(code, metadata={"tags": [EXERCISE]}) for code in details["cells"]]


def solution_cells(solution, link=lambda address: address):
    """The words of a solution as folds, and its code as cells that run, folded like what they put out.

    >>> from bs4 import BeautifulSoup
    >>> code = '<div class="highlight-python"><div class="highlight"><pre>2 + 2</pre></div></div>'
    >>> page = f"<details><summary>Solution</summary><div><p>Add.</p>{code}<p>So it is.</p></div></details>"
    >>> [cell.source for cell in solution_cells(BeautifulSoup(page, "html.parser").details)][1:]
    ['# Solution\\n2 + 2', '<details><summary>Solution</summary>\\n\\nSo it is.\\n\\n</details>']

    `link` is as in `prose`.
    """
    title = solution.find("summary").get_text().strip()
    made, words = [], []

    def end_words():
        if text := prose(words, link):
            made.append(nbformat.v4.new_markdown_cell(folded(title, text)))
        words.clear()

    for part in solution.find("div", recursive=False).find_all(True, recursive=False):
        if "highlight-python" in classes(part):
            end_words()
            source = f"{FIRST_LINE}\n{part.find('pre').get_text().strip()}"
            made.append(nbformat.v4.new_code_cell(source, metadata={"tags": [SOLUTION], **HIDDEN}))
        else:
            words.append(part)
    end_words()
    return made
