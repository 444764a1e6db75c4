"""What is said in praise of many heads, tested: one file a claim, a rule for each verdict, results with their seeds.

An experiment is a module with `SEEDS`, `RECIPE`, `parts()` and `measure(seed) -> numbers`; a claim is one with
`statements(runs) -> {statement: is it true?}`. `results.py` runs and keeps the experiments, `evidence.py` judges.
"""

from manyheads_book.experiments.claims import CLAIMS, findings, statements_of, verdict_of
from manyheads_book.experiments.evidence import across, clearly, differences
from manyheads_book.experiments.results import result_of, runs_of

__all__ = [
    "CLAIMS",
    "across",
    "clearly",
    "differences",
    "findings",
    "result_of",
    "runs_of",
    "statements_of",
    "verdict_of",
]
