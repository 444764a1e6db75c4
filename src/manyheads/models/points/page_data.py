"""What `<word-points>` shows before a reader has the encoder."""

from manyheads.models.points.plane import SENSES, lost
from manyheads.models.registry import all_but

UNIT = 10_000  # places are whole numbers of so many parts


def word_points_data(plane, readings):
    """Landmarks, plane and words of some sentences: {"landmarks", "directions", "poles", "heads", "readings"}.

    `readings` are (sentence, off, masked): heads that are off, as (layer, head), and words that no word looks at. Words
    are {"words", "places": across and upwards after each layer, "near": the nearest landmarks after each}; where
    something is off or masked, "lost" has how much of each step that takes.

    >>> from manyheads.models.points import load_plane
    >>> word_points_data(load_plane(), [("A cup of tea.", (), ())])["readings"][0]["words"]
    ['a', 'cup', 'of', 'tea']
    """
    return {
        "landmarks": _written(plane.landmarks()),
        "directions": plane.directions.tolist(),
        "poles": list(SENSES),
        "heads": plane.encoder.num_heads,
        "readings": [_reading(plane, *asked) for asked in readings],
    }


def _reading(plane, sentence, off, masked):
    found = {"sentence": sentence, "off": off, "masked": masked}
    whole = plane.read(sentence)
    if not off and not masked:
        return found | _written(whole)
    left = plane.read(sentence, head_mask=all_but(plane.encoder, off), masked=masked)
    shares = [lost(each.vectors, without.vectors).round(4).tolist() for each, without in zip(whole, left)]
    return found | _written(left) | {"lost": shares}


def _written(points):
    return {
        "words": [point.text for point in points],
        "places": [(point.places * UNIT).round().astype(int).ravel().tolist() for point in points],
        "near": [point.near.ravel().tolist() for point in points],
    }
