"""What the decoder's heads do: the labelled prompts, and the kept scores against measuring again."""

import numpy as np
import pytest

from manyheads.models.decoder.head_model import INDUCTION_HEADS
from manyheads.models.decoder.head_scores import head_scores
from manyheads_recipes.decoder.measures import answered, prompts

pytestmark = pytest.mark.xdist_group("decoder")


def of(kind):
    return [prompt for prompt in prompts() if prompt.kind == kind]


def test_a_made_up_name_goes_on_as_it_began(decoder):
    for prompt in of("made-up name"):
        start = prompt.text.rpartition(" ")[2]
        assert f" {start}{prompt.answer} " in prompt.text
        first = decoder.read(f" {start}{prompt.answer}")[0][0]
        assert decoder.read(prompt.text)[0][-1] == first, "the text ends with the name's first token"


def test_an_answer_is_right_where_it_is_the_likeliest(decoder):
    asked = of("two names")[:2]
    chances, right = answered(decoder, asked)
    for prompt, chance, ok in zip(asked, chances, right):
        word, probability = next(iter(decoder.next_words(prompt.text, 1).items()))
        assert ok == (word == prompt.answer)
        assert chance == pytest.approx(probability, abs=1e-4) if ok else chance < probability


def test_the_scores_find_the_heads_that_the_search_found(decoder):
    kept = head_scores()
    assert np.unravel_index(kept["previous"].argmax(), (30, 9)) == (16, 0)
    strongest = [divmod(int(place), 9) for place in np.argsort(-kept["induction"], axis=None)[:12]]
    assert set(strongest) > set(INDUCTION_HEADS)
