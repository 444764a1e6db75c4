"""Rotary positions in the page as in Python."""

import json

import numpy as np
import torch
from node import WEB, run_node

from manyheads.attention import rotate

SCRIPT = """
import { rotated } from "%s/math/rotary.ts";
import { readFileSync } from "node:fs";
const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(({ features, position }) => [...rotated(features, position)])));
"""


def test_a_turned_vector_is_pythons():
    rng = np.random.default_rng(3)
    cases = [(rng.normal(size=2 * half), position) for half in (1, 2, 5, 32) for position in (0, 1, 7, 511)]
    given = json.dumps([{"features": features.tolist(), "position": position} for features, position in cases])
    found = json.loads(run_node("--input-type=module", "-e", SCRIPT % WEB.as_uri(), input=given))
    for (features, position), page in zip(cases, found, strict=True):
        ours = rotate(torch.tensor(features)[None], start=position)[0]
        np.testing.assert_allclose(page, ours, atol=1e-9)
