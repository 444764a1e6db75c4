"""Another ambiguous word, whose axes are built from its sentences."""

import pytest

from manyheads.models.senses import load_senses


def test_a_word_can_be_added():
    pitch = {
        "field": ["The players ran onto the pitch."] * 4 + ["Grass grows on the football pitch."] * 4,
        "tone": ["The singer could not hold the pitch."] * 4 + ["The pitch of the flute is high."] * 4,
    }
    senses = load_senses().with_words({"pitch pitches": pitch})
    assert senses.word_sense("Rain soaked the pitch before the game.", "pitch")["field"] > 0.5
    assert senses.word_sense("His voice rose in pitch.", "pitch")["tone"] > 0.5
    with pytest.raises(ValueError, match="7 sentences for the sense 'tone'; 8 are the least"):
        load_senses().with_words({"pitch": {**pitch, "tone": pitch["tone"][1:]}})
