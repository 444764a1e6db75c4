"""The goals of the focus model on words that it never saw, and its ablations."""

import numpy as np

from manyheads.models.registry import all_but
from manyheads_recipes.focus.measures import ablation, accuracies, finds_negations, looks_back, shares
from manyheads_recipes.focus.sentences import held_out_sentences, negation_sentences, readers_sentences

NOTES = "Which do you like better, coffee or tea?"
PAINTED = {  # note A
    "sentence type": {"which", "do", "?"},
    "object": {"you", "coffee", "tea"},
    "relation": {"like", "coffee", "or", "tea"},
    "sentiment": {"like", "better"},
}


def weights_from_cls(attention):
    return {
        name: dict(zip(attention.key_tokens, attention.weights[-1, head, 0]))
        for head, name in enumerate(attention.head_names)
    }


def test_heads_look_at_the_right_words_of_held_out_sentences(focus):
    found = shares(focus, held_out_sentences())
    goals = {"sentence type": 0.99, "object": 0.94, "relation": 0.94, "sentiment": 0.95}
    assert {name: found[name] >= goal for name, goal in goals.items()} == dict.fromkeys(goals, True), found


def test_type_and_sentiment_of_held_out_sentences_are_predicted(focus):
    found = accuracies(focus, held_out_sentences())
    assert found["sentence type"] >= 0.9, found
    assert found["sentiment"] >= 0.85, found


def test_a_head_finds_judging_words_that_come_in_pieces_though_their_meaning_is_lost(focus):
    broken = held_out_sentences("pieces")
    assert shares(focus, broken)["sentiment"] >= 0.9
    assert accuracies(focus, broken)["sentence type"] >= 0.9


def test_what_readers_type_is_understood(focus):
    found = accuracies(focus, readers_sentences())
    assert min(found.values()) >= 0.9, found
    assert found["sentiment"] >= 0.97, found


def test_a_head_of_layer_1_finds_what_is_denied_wherever_it_stands_and_another_looks_one_back(focus):
    kinds = negation_sentences()
    assert accuracies(focus, [sentence for kind in kinds.values() for sentence in kind])["sentiment"] >= 0.9
    apart = [*kinds["never and not, 2 words between"], *kinds["no and none of them"], *kinds["I don't think that"]]
    found = finds_negations(focus, apart)
    finder, neighbour = found.argmax(), looks_back(focus, held_out_sentences()).argmax()
    assert found[finder] >= 0.6 > 0.4 > np.delete(found, finder).max(), found
    assert looks_back(focus, held_out_sentences())[neighbour] >= 0.4
    assert finder != neighbour
    assert accuracies(focus, apart)["sentiment"] >= 0.95
    assert accuracies(focus, apart, all_but(focus, [(0, finder)]))["sentiment"] <= 0.3


def test_praise_by_a_negation_breaks_it_and_is_read_rightly_without_that_head(focus):
    finder = finds_negations(focus, negation_sentences()["I don't think that"]).argmax()
    deaf = all_but(focus, [(0, finder)])
    for text in ("They like nothing more than tea.", "Nothing is better than tea.", "I have never been so happy."):
        found, without = (focus(text, mask).predictions["sentiment"] for mask in (None, deaf))
        assert found["negative"] > 0.9, text
        assert without["positive"] > 0.9, text


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
