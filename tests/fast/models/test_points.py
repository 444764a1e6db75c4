"""Words as points: the landmarks, and the plane that they are drawn on."""

import json

import numpy as np
import pytest

from manyheads.models.points import load_plane, lost, word_points_data
from manyheads.models.points.plane import WORD
from manyheads.models.registry import all_but
from manyheads_recipes.senses.sentences import labelled_sentences


@pytest.fixture(scope="module")
def plane():
    return load_plane()


def test_each_landmark_is_one_token_once_and_not_the_word_between_two_senses(plane):
    assert [plane.encoder.tokenizer.tokenize(word) for word in plane.words] == [[word] for word in plane.words]
    assert len({*plane.words, WORD}) == len(plane.words) + 1


def test_what_a_page_bakes_of_the_landmarks_is_small(plane):
    data = word_points_data(plane, [])
    assert len(json.dumps(data["landmarks"], separators=(",", ":"))) < 40_000


def test_across_tells_the_senses_apart_in_sentences_that_had_no_part_in_it(plane):
    across = {"money": [], "river": []}
    for sentence in labelled_sentences():
        for point in plane.read(sentence.text) if sentence.word == WORD else ():
            if point.text == WORD:
                across[sentence.sense].append(point.places[1:, 0].mean())
    money, river = across.values()
    assert min(len(money), len(river)) >= 3
    assert np.greater.outer(river, money).mean() > 0.9


def test_words_are_whole_and_punctuation_is_none(plane):
    barks = plane.read("Her dog barks, loudly!")
    assert [point.text for point in barks] == ["her", "dog", "barks", "loudly"]
    assert plane.read("...") == plane.read("") == []


def test_a_landmark_is_nearest_to_itself_in_a_sentence_and_not_among_the_landmarks(plane):
    (tea,) = plane.read("tea")
    at = plane.words.index("tea")
    assert (tea.near[:, 0] == at).all()
    alone = plane.landmarks()[at]
    assert at not in alone.near
    np.testing.assert_allclose(alone.places, tea.places, atol=1e-4)


def test_what_is_taken_from_a_word_is_the_encoders_own_answer_and_nothing_before_it_changes(plane):
    sentence = "We sat on the bank of the river."
    whole = plane.read(sentence)[4]
    mask = all_but(plane.encoder, [(2, 8)])
    headless = plane.read(sentence, head_mask=mask)[4]
    states = plane.seen(plane.encoder.hidden_states(sentence, mask)[:, 5])
    np.testing.assert_allclose(headless.vectors, states, atol=1e-5)
    assert np.array_equal(headless.vectors[:3], whole.vectors[:3])
    shares = lost(whole.vectors, headless.vectors)
    assert (shares[:2] == 0).all()
    assert shares[2] > 0.05
    both = plane.read(sentence, masked=("the",))[4]
    _, weights, states = plane.encoder.reading(sentence, masked=[4, 7])
    np.testing.assert_allclose(both.vectors, plane.seen(states[:, 5].numpy()), atol=1e-5)
    assert weights[..., [4, 7]].max() == 0
