"""What is said in praise of many heads, tested: one file a claim, a rule for each verdict, results with their seeds.

An experiment is a module with `SEEDS`, `RECIPE`, `parts()` and `measure(seed) -> numbers`; a claim is one with
`statements(runs) -> {statement: is it true?}`. `python -m manyheads.experiments` runs all, `evidence.py` judges.
"""

from manyheads.experiments.claims import CLAIMS, is_steady, statements_of, verdict_of
from manyheads.experiments.evidence import across, clearly, verdict
from manyheads.experiments.once import measured_once
from manyheads.experiments.results import result_of, runs_of

__all__ = [
    "CLAIMS",
    "across",
    "clearly",
    "is_steady",
    "measured_once",
    "result_of",
    "runs_of",
    "statements_of",
    "verdict",
    "verdict_of",
]
