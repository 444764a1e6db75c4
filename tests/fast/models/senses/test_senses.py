"""The sense of ambiguous words: right on sentences that nothing was built from, whatever the form, plain about bad input."""

import re
from collections import Counter

import numpy as np
import pytest
from close import assert_close

from manyheads import word_sense
from manyheads.models.registry import all_but
from manyheads.models.senses import building_sentences, load_senses
from manyheads_recipes.senses.measures import head_moves
from manyheads_recipes.senses.sentences import labelled_sentences


def test_the_labelled_sentences_are_many_balanced_and_kept_apart():
    labelled, building = labelled_sentences(), building_sentences()
    assert len(labelled) >= 60
    counts = Counter((sentence.word, sentence.sense) for sentence in labelled)
    assert set(counts) == {(sentence.word, sentence.sense) for sentence in building}
    for word in load_senses().words:
        assert len({counts[word, sense] for sense in load_senses().axes.senses[word]}) == 1, word
    assert min(counts.values()) >= 3
    assert {one.text for one in labelled}.isdisjoint(one.text for one in building)
    assert all(sentence.clues for sentence in labelled)
    assert min(Counter((sentence.word, sentence.sense) for sentence in building).values()) >= 8


def test_the_sense_is_right_on_the_labelled_sentences_and_none_is_favoured():
    labelled = labelled_sentences()
    shares = [word_sense(one.text, one.word) for one in labelled]
    assert np.mean([share[one.sense] > 0.5 for share, one in zip(shares, labelled)]) >= 0.9
    assert 0.4 < np.mean([next(iter(share.values())) > 0.5 for share in shares]) < 0.6


def test_forms_capitals_and_spaces_count():
    sentence = "Bats sleep in caves during the day."
    assert word_sense(sentence, "bat") == word_sense(sentence, " Bats ") == word_sense(sentence.upper(), "BAT")
    assert word_sense("Mice ate the cheese.", "mouse")["animal"] > 0.5
    assert word_sense("Her dog barks all night.", "bark")["dog"] > 0.5  # two tokens


def test_the_embeddings_know_nothing_and_later_layers_do():
    for sentence in ("She took her money to the bank.", "The boat drifted to the bank of the river."):
        assert abs(load_senses().by_layer(sentence, "bank")[0] - 0.5) < 0.2
    river = load_senses().by_layer("The boat drifted to the bank of the river.", "bank")
    assert river[-1] > 0.9


@pytest.mark.parametrize(
    ("sentence", "word", "error", "said"),
    [
        ("The pitch was wet.", "pitch", ValueError, "To add a word, write eight sentences"),
        ("", "bank", ValueError, "The sentence has to hold the word bank or banks"),
        ("The banker retired.", "bank", ValueError, "this one does not: 'The banker retired.'"),
        ("tea " * 600 + "bank", "bank", ValueError, "this one does not"),
        (None, "bank", TypeError, "a sentence is a string, got None"),
        ("The bank.", 3, TypeError, "a word is a string, got 3"),
    ],
)
def test_bad_input_is_refused_in_plain_words(sentence, word, error, said):
    with pytest.raises(error, match=re.escape(said)) as caught:
        word_sense(sentence, word)
    assert len(str(caught.value)) < 500


def test_heads_that_are_off_move_the_sense():
    senses = load_senses()
    sentence = "The loan from the bank was large."
    moves = head_moves(senses, [(sentence, "bank")])[0]
    one = np.unravel_index(np.abs(moves).argmax(), moves.shape)
    mask = all_but(senses, [one])
    before, after = (senses.scores([(sentence, "bank")], off)[0, senses.layer] for off in (None, mask))
    assert_close(after - before, moves[one], summed=[after, before], terms=1000)
    all_off = senses.by_layer(sentence, "bank", np.zeros((6, 12), bool))
    alone = senses.by_layer("bank", "bank", np.zeros((6, 12), bool))
    assert np.ptp(all_off) < 1
    assert abs(all_off[-1] - alone[-1]) < 0.5, "no word says anything to another"


BOATS = "I went to the bank and watched the boats."


def test_what_heads_take_from_words_and_the_rest_sum_to_the_score_of_each_layer():
    senses = load_senses()
    off = all_but(senses, [(0, 4), (5, 7)])
    cases = [(BOATS, "bank", None, ()), (BOATS, "bank", off, (9,)), ("Her dog barks all night.", "bark", None, (1,))]
    for sentence, word, mask, masked in cases:
        found = senses.pushes(sentence, word, mask, masked)
        assert_close(found.pushes.sum((1, 2)) + found.rest, found.scores[1:], summed=found.pushes, part=1e-6)
        assert found.pushes.shape == found.weights.shape == (6, 12, len(found.tokens))
        assert np.abs(found.pushes[..., list(masked)]).max(initial=0) == 0
        assert mask is None or np.abs(found.pushes[~mask]).max() == 0
    assert_close(senses.pushes(BOATS, "bank").scores, senses.scores([(BOATS, "bank")])[0], part=1e-5)


def test_without_the_boats_the_bank_is_in_the_middle_after_the_first_layer():
    senses = load_senses()
    whole, without = (senses.pushes(BOATS, "bank", masked=masked) for masked in ((), (9,)))
    words = whole.pushes[0].sum(0)
    assert whole.tokens[words.argmax()] == whole.tokens[9] == "boats"
    assert words[9] > 1.5
    assert whole.scores[1] > 3 > 0.6 > abs(without.scores[1])
    assert without.scores[-1] < -1, "without a clue, money"


def test_what_a_head_writes_tells_what_its_absence_does_in_the_same_layer():
    senses = load_senses()
    whole = senses.pushes(BOATS, "bank")
    off = [senses.scores([(BOATS, "bank")], all_but(senses, [(0, head)]))[0, 1] for head in range(12)]
    assert np.corrcoef(whole.scores[1] - off, whole.pushes[0].sum(-1))[0, 1] > 0.9


def test_a_place_beyond_the_sentence_cannot_be_masked():
    with pytest.raises(ValueError, match=re.escape("masked holds places of tokens, from 0 to 11; got [12]")):
        load_senses().pushes(BOATS, "bank", masked=[12])
    with pytest.raises(ValueError, match="The sentence has to hold the word bank or banks"):
        load_senses().pushes("The river.", "bank")
