"""What the decoder's heads do: the labelled prompts, and the kept scores against measuring again."""

import numpy as np
import pytest

from manyheads.models.decoder import load_decoder
from manyheads.models.decoder.head_scores import SCORES, copies, head_scores, looks, losses, sample
from manyheads.models.decoder.measures import (
    COPY,
    INDUCTION_HEADS,
    all_but,
    answered,
    at_their_mean,
    other_heads,
    prompts,
    said_twice,
    surprise,
)

pytestmark = pytest.mark.xdist_group("decoder")


@pytest.fixture(scope="module")
def decoder():
    return load_decoder()


def of(kind):
    return [prompt for prompt in prompts() if prompt.kind == kind]


def test_induction_heads_carry_names_and_copies_and_seven_others_do_not(decoder):
    asked = of("made-up name")
    on, off, others = (
        answered(decoder, asked, mask)[1].sum() for mask in (None, all_but(INDUCTION_HEADS), all_but(other_heads(0)))
    )
    assert on == 8
    assert off <= 2
    assert others >= 6
    twice = said_twice(2, seed=5)  # another draw than the chapter's
    assert (twice[:, :COPY] == twice[:, COPY:]).all()
    first, second = surprise(decoder, twice)
    assert (second < first / 2).all()
    assert (surprise(decoder, twice, all_but(INDUCTION_HEADS))[1] > 2 * second).all()


def test_heads_at_their_mean_lose_what_they_lose_when_off(decoder):
    capitals, opposites = of("capital"), of("opposite")
    before = answered(decoder, capitals)[0]
    with at_their_mean(decoder, [(23, 4)], [*capitals, *opposites]):
        chances, right = answered(decoder, capitals)
        assert right.sum() <= answered(decoder, capitals, all_but([(23, 4)]))[1].sum() <= 8
        assert answered(decoder, opposites)[1].sum() == 9
    assert chances.mean() < before.mean() / 2
    np.testing.assert_allclose(answered(decoder, capitals)[0], before, atol=1e-6)


def test_the_kept_scores_are_those_measured_again(decoder):
    kept = head_scores()
    assert list(kept) == list(SCORES)
    assert all(scores.shape == (30, 9) for scores in kept.values())
    for name, scores in (looks(decoder, sample()) | copies(decoder)).items():
        np.testing.assert_allclose(scores, kept[name], atol=2e-3, err_msg=name)
    whole = np.concatenate(losses(decoder)).mean()
    for head in ((0, 0), (16, 0), (23, 4)):
        mask = all_but([head])
        assert np.concatenate(losses(decoder, mask)).mean() - whole == pytest.approx(kept["loss"][head], abs=1e-3)
        chances, right = answered(decoder, of("two names"), mask)
        assert chances[0] == pytest.approx(kept["mary"][head], abs=1e-3)
        assert right.sum() == kept["names"][head]
