"""Runs the experiments and says what they come to: `python -m manyheads.experiments [experiment ...] [--seeds N]`."""

import argparse
import sys

from manyheads.experiments import kept
from manyheads.experiments.claims import CLAIMS, verdict_of
from manyheads.experiments.running import run

parser = argparse.ArgumentParser(prog="python -m manyheads.experiments", description=__doc__)
parser.add_argument(
    "experiments", nargs="*", default=[*kept.EXPERIMENTS], help=f"any of {', '.join(kept.EXPERIMENTS)}; else all"
)
parser.add_argument("--seeds", type=int, help="how many seeds each experiment gets")

if __name__ == "__main__":
    chosen = parser.parse_args()
    command = " ".join(["python -m manyheads.experiments", *sys.argv[1:]])
    run(chosen.experiments, chosen.seeds, command)
    for claim in CLAIMS:
        print(f"{claim:16}{verdict_of(claim)}")
