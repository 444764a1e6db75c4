"""Who wrote how much of the decoder's answer: parts that sum to the logit."""

from close import assert_close

from manyheads import load_decoder
from manyheads_recipes.decoder.measures import prompts


def test_the_parts_of_the_decoder_sum_to_the_logit():
    decoder = load_decoder()
    for prompt in prompts()[::20]:
        first = decoder.tokens(decoder.read(prompt.answer)[0])[0]
        parts = decoder.logit_parts(prompt.text, f"next word: {first}")
        scores = decoder.run(decoder.read(prompt.text)[0])[0][-1].double().numpy()
        assert_close(parts["parts"][:, :-1].sum(1), parts["parts"][:, -1], summed=parts["parts"], part=1e-9)
        assert_close(parts["parts"][:, -1], scores[parts["ids"]], summed=scores, part=1e-4)
