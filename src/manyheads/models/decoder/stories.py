"""A story that a page knows by heart, so that it's written before the model has come."""

from manyheads.models.decoder.sampling import drawn, probabilities, uniforms

SEED = 1  # of a page's draws, as its figure opens


def stored_story(decoder, text, length, temperature):
    """The answers on the way through a story of so many tokens, each with the word that the seed of pages draws.

    >>> from manyheads import load_decoder
    >>> first, second = stored_story(load_decoder(), "Once upon a time", 1, temperature=0)
    >>> first["words"][first["drawn"]][0], second["text"]
    (',', 'Once upon a time,')
    """
    numbers, answers, new, cache = uniforms(SEED), [], decoder.read(text)[0], None
    while True:
        scores, _, cache = decoder.run(new, cache)
        scores = scores[-1].numpy()
        new = [drawn(*probabilities(scores, temperature), next(numbers))]
        words, word = decoder.rows(scores, temperature=temperature, needed=new), decoder.tokens(new)[0]
        answers.append({"text": text, "off": "", "masked": False, "temperature": temperature, "words": words})
        if len(answers) > length or new[0] in decoder.end_tokens:
            return answers
        answers[-1] |= {"seed": SEED, "drawn": [known for known, *_ in words].index(word)}
        text += word
