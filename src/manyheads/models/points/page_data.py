"""What `<word-points>` shows before a reader has the encoder."""

from manyheads.models.points.plane import SENSES

UNIT = 10_000  # places are whole numbers of so many parts


def word_points_data(plane, sentences):
    """The landmarks, the plane, and the words of some sentences: {"landmarks", "directions", "poles", "sentences"}.

    Words are {"words", "places": across and upwards after each layer, "near": the nearest landmarks after each}.

    >>> from manyheads.models.points import load_plane
    >>> word_points_data(load_plane(), ["A cup of tea."])["sentences"]["A cup of tea."]["words"]
    ['a', 'cup', 'of', 'tea']
    """
    return {
        "landmarks": _written(plane.landmarks()),
        "directions": plane.directions.tolist(),
        "poles": list(SENSES),
        "sentences": {sentence: _written(plane.read(sentence)) for sentence in sentences},
    }


def _written(points):
    return {
        "words": [point.text for point in points],
        "places": [(point.places * UNIT).round().astype(int).ravel().tolist() for point in points],
        "near": [point.near.ravel().tolist() for point in points],
    }
