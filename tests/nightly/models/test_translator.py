"""The trained translator: its French, its maps, its heads, and what it says to what it cannot read."""

import pytest

from manyheads.models.translator.claims import CLAIMS, held_out_sentences, looked, right, trial


@pytest.fixture(scope="module")
def tried(translator):
    return trial(translator, held_out_sentences())


def test_each_claim_has_a_head_and_suffers_most_without_it(translator, tried):
    shares = looked(translator, tried)
    with_all = right(translator, tried)
    lost = [
        {claim: with_all[claim] - share for claim, share in right(translator, tried, head).items()}
        for head in range(translator.num_heads)
    ]
    for claim in CLAIMS:
        best = int(shares[claim][-1].argmax())
        assert shares[claim][-1, best] >= 0.5
        assert max(range(translator.num_heads), key=lambda head, claim=claim: lost[head][claim]) == best
        assert max(CLAIMS, key=lambda other, best=best: lost[best][other]) == claim
