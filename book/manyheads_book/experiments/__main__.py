"""Runs the experiments and says what they come to: `python -m manyheads_book.experiments [NAME ...] [--seeds N]`."""

import argparse
import sys

from manyheads_book.experiments.claims import CLAIMS, verdict_of
from manyheads_book.experiments.results import COMMAND, EXPERIMENTS, run

FEWEST = 4

parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
parser.add_argument("experiments", nargs="*", default=[*EXPERIMENTS], help=f"any of {', '.join(EXPERIMENTS)}; else all")
parser.add_argument("--seeds", type=int, help=f"how many seeds each experiment gets, at least {FEWEST}")

if __name__ == "__main__":
    chosen = parser.parse_args()
    if chosen.seeds is not None and chosen.seeds < FEWEST:
        parser.error(f"half of the seeds must have a spread: --seeds {FEWEST} or more")
    run(chosen.experiments, chosen.seeds, " ".join([COMMAND, *sys.argv[1:]]))
    for claim in CLAIMS:
        print(f"{claim:16}{verdict_of(claim)}")
