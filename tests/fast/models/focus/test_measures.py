"""The goals of the focus model on words that it never saw, and its ablations."""

import numpy as np

from manyheads.models.focus.data import held_out_sentences
from manyheads.models.focus.measures import ablation, accuracies, shares

NOTES = "Which do you like better, coffee or tea?"
PAINTED = {  # note A
    "sentence type": {"which", "do", "?"},
    "object": {"you", "coffee", "tea"},
    "relation": {"like", "coffee", "or", "tea"},
    "sentiment": {"like", "better"},
}


def weights_from_cls(map):
    return {name: dict(zip(map.key_tokens, map.weights[0, head, 0])) for head, name in enumerate(map.head_names)}


def test_heads_look_at_the_right_words_of_held_out_sentences(focus):
    found = shares(focus, held_out_sentences("all"))
    goals = {"sentence type": 0.95, "object": 0.95, "relation": 0.90, "sentiment": 0.95}
    assert {name: found[name] >= goal for name, goal in goals.items()} == dict.fromkeys(goals, True), found


def test_type_and_sentiment_of_held_out_sentences_are_predicted(focus):
    found = accuracies(focus, held_out_sentences())
    assert found["sentence type"] >= 0.9, found
    assert found["sentiment"] >= 0.85, found


def test_a_head_finds_judging_words_that_come_in_pieces_though_their_meaning_is_lost(focus):
    broken = held_out_sentences("pieces")
    assert shares(focus, broken)["sentiment"] >= 0.9
    assert accuracies(focus, broken)["sentence type"] >= 0.9


def test_the_words_of_the_notes_outrank_all_others(focus):
    for name, weights in weights_from_cls(focus(NOTES)).items():
        lowest = min(weights[word] for word in PAINTED[name])
        highest = max(weight for word, weight in weights.items() if word not in PAINTED[name])
        assert lowest > 5 * highest, (name, weights)


def test_a_head_that_is_off_takes_its_own_fact_along(focus):
    lost = ablation(focus, held_out_sentences())
    assert lost.argmax(1).tolist() == [0, 1, 2, 3]
    assert (lost - np.diag(lost.diagonal())).max() < 0.06
    without = accuracies(focus, held_out_sentences(), np.array([True, True, True, False]))
    assert without["sentiment"] < 0.55
