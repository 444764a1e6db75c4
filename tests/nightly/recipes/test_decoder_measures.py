"""What the decoder's heads do: the labelled prompts, and the kept scores against measuring again."""

import numpy as np
import pytest
from close import assert_close

from manyheads.models.decoder import load_decoder
from manyheads.models.decoder.head_scores import head_scores
from manyheads.models.registry import all_but
from manyheads_recipes.decoder.head_scores import SCORES, copies, looks, losses, sample
from manyheads_recipes.decoder.measures import answered, lead, prompts

pytestmark = pytest.mark.xdist_group("decoder")


@pytest.fixture(scope="module")
def decoder():
    return load_decoder()


def of(kind):
    return [prompt for prompt in prompts() if prompt.kind == kind]


def test_the_kept_scores_are_those_measured_again(decoder):
    kept = head_scores()
    assert list(kept) == list(SCORES)
    assert all(scores.shape == (30, 9) for scores in kept.values())
    for name, scores in (looks(decoder, sample()) | copies(decoder)).items():
        assert_close(scores, kept[name], part=2e-3, name=name)
    whole = np.concatenate(losses(decoder)).mean()
    (rome,) = (prompt for prompt in prompts() if prompt.answer == " Rome")
    for head in ((0, 0), (1, 4), (16, 0), (23, 4)):
        mask = all_but(decoder, [head])
        assert np.concatenate(losses(decoder, mask)).mean() - whole == pytest.approx(
            kept["loss"][head], abs=1e-3 * whole
        )
        chances, right = answered(decoder, of("two names"), mask)
        assert chances[0] == pytest.approx(kept["mary"][head], abs=1e-3)
        assert abs(right.sum() - kept["names"][head]) <= 1, "where two words are as likely"
        assert lead(decoder, rome, mask) == pytest.approx(kept["rome"][head], rel=1e-3, abs=5e-3)
