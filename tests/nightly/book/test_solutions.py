"""Every exercise has a solution, and a solution or an answer that is wrong is found when it is run.

Each chapter's own are run where a student runs them, in JupyterLab: tests/nightly/lab/test_lab.py.
"""

import pytest
from exercises import answer_check, run_solutions
from jupyter_client.manager import run_kernel


@pytest.fixture(scope="module")
def kernel():
    """A kernel that has run a chapter of one cell."""
    with run_kernel(kernel_name="python3") as client:
        client.execute("length = 3", reply=True)
        yield client


def dropdown(code):
    return f":::{{dropdown}} Solution\n~~~python\n{code}\n~~~\n:::\n"


BROKEN = {"length + '!'": "TypeError", "assert length == 4": "AssertionError"}


@pytest.mark.parametrize(("code", "error"), BROKEN.items())
def test_a_broken_solution_is_found(kernel, code, error):
    with pytest.raises(AssertionError, match=error):
        run_solutions(kernel, dropdown(code))


@pytest.mark.parametrize(
    "field",
    [
        {"kind": "number", "answer": "3.1", "computed": "length"},
        {"kind": "query", "answer": "1, 2", "share": 0.9, "computed": "0.8"},
    ],
)
def test_a_wrong_answer_is_found(kernel, field):
    with pytest.raises(AssertionError, match="which one"):
        run_solutions(kernel, dropdown(answer_check({"label": "which one", **field})))
