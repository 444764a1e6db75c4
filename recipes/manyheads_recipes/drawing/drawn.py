"""Drawings that were put down point by point: no generator drew them, and no training saw them.

Ten such as a child makes, and six that a reader may try next when a ring has done what the chapter says.
"""

import numpy as np

from manyheads.models.drawing import read_strokes

DRAWN = {  # each stroke goes smoothly through its points, in dots; where one stands twice, there's a corner
    "sun": (
        "16_9-21_11-23_16-21_21-16_23-11_21-9_16-11_11-16_9~16_2-16_6~26_6-23_9~30_16-26_16"
        "~26_26-23_23~16_30-16_26~6_26-9_23~2_16-6_16~6_6-9_9"
    ),
    "face": (
        "16_3-25_7-29_16-25_25-16_29-7_25-3_16-7_7-16_3~11_10-13_12-11_14-9_12-11_10"
        "~21_10-23_12-21_14-19_12-21_10~9_19-12_23-16_24-20_23-23_19"
    ),
    "heart": "16_11-12_6-7_6-4_11-7_18-16_27-16_27-25_18-28_11-25_6-20_6-16_11",
    "fish": "27_9-20_20-11_23-5_16-11_9-20_12-28_23",
    "star": "16_3-16_3-23_27-23_27-4_12-4_12-28_12-28_12-9_27-9_27-16_3-16_3",
    "snail": "3_26-12_27-24_26-28_20-25_11-17_8-10_13-11_20-17_22-21_18-19_14-16_15~3_26-2_20-4_17",
    "flower": "16_10-19_6-22_9-20_13-16_13-12_13-10_9-13_6-16_10~16_13-16_21-15_30~15_25-20_20-24_21-21_25-15_26",
    "house": (
        "6_29-6_29-6_14-6_14-26_14-26_14-26_29-26_29-6_29-6_29~5_14-5_14-16_3-16_3-27_14"
        "~10_19-10_19-15_19-15_19-15_24-15_24-10_24-10_24-10_19"
    ),
    "cloud": "8_23-4_20-5_15-10_14-12_9-18_8-22_12-27_14-28_20-24_23-16_23-11_23",
    "key": "13_16-11_20-7_20-4_16-7_12-11_12-13_16-13_16-28_16-28_16-28_20~24_16-24_20",
}
SMALL, OTHER = "9_3-13_5-15_9-13_13-9_15-5_13-3_9-5_5", "23_17-27_19-29_23-27_27-23_29-19_27-17_23-19_19"
LARGE, WITHIN = "16_3-25_7-29_16-25_25-16_29-7_25-3_16-7_7", "16_10-20_12-22_16-20_20-16_22-12_20-10_16-12_12"
SECOND = {  # what is open, and what shuts it
    "one of two rings": (f"{SMALL}~{OTHER}-23_17", "5_5-9_3"),
    "two rings": (f"{SMALL}~{OTHER}", "5_5-9_3~19_19-23_17"),
    "ring around a ring": (f"{LARGE}~{WITHIN}-16_10", "7_7-16_3"),
    "two gaps": ("20_5-27_11-27_21-20_27~12_27-5_21-5_11-12_5", "12_5-20_5~20_27-12_27"),
    "corridor": ("4_12-4_12-28_12~4_20-4_20-28_20", "4_12-4_20~28_12-28_20"),
    "heart": ("16_11-12_6-7_6-4_11-7_18-16_27-16_27-25_18-28_11-25_6-20_6", "20_6-16_11"),
}


def drawn():
    """The ten drawings by name, as strokes from 0 to 1.

    >>> len(drawn()), len(drawn()["fish"][0])
    (10, 37)
    """
    return {name: curves(text) for name, text in DRAWN.items()}


def second():
    """The six drawings by name, each open and shut, as strokes from 0 to 1.

    >>> opened, closed = second()["two rings"]
    >>> len(opened), len(closed)
    (2, 4)
    """
    return {name: (curves(line), curves(line) + curves(lid)) for name, (line, lid) in SECOND.items()}


def curves(text):
    """Smooth strokes through the points of a drawing's text."""
    return [curved(np.array(stroke)).tolist() for stroke in read_strokes(text)]


def curved(points, pieces=6):
    """Points [n, 2] and others between them on a smooth curve through all of them, of Catmull and Rom."""
    around = (points[-2:-1], points[1:2]) if (points[0] == points[-1]).all() else (points[:1], points[-1:])
    before, after = np.concatenate([around[0], points[:-1]]), np.concatenate([points[1:], around[1]])
    slopes = (after - before) / 2
    slopes[(points == before).all(1) | (points == after).all(1)] = 0  # corners, and ends that don't meet
    t = np.linspace(0, 1, pieces, endpoint=False)[:, None, None]
    start, end, leaves, comes = points[:-1], points[1:], slopes[:-1], slopes[1:]
    held = (2 * t**3 - 3 * t**2 + 1) * start + (3 * t**2 - 2 * t**3) * end
    curve = held + (t**3 - 2 * t**2 + t) * leaves + (t**3 - t**2) * comes
    return np.concatenate([curve.transpose(1, 0, 2).reshape(-1, 2), points[-1:]])
