"""What `generate` wrote: answers to texts, perhaps several to each, perhaps by beams."""

from dataclasses import replace

import numpy as np

from manyheads.reading.token_names import array_of_ids, check_text, strings_of
from manyheads.reading.weights import are_steps, array_of, count_unasked

LOST = (
    "what answer {answer} looked at is lost: its beams were rows {rows} of the batch, and this model's generate keeps "
    "{kept} of them. Write it with num_beams=1, or read it once more: "
    "HeadMap.of(model, inputs=dict(inputs, decoder_input_ids=outputs.sequences))"
)


def follow_answer(layers, output, answer):
    """The layers, or the steps, of a part of what `generate` returned, where all rows are those of one answer.

    >>> from types import SimpleNamespace
    >>> beams = SimpleNamespace(sequences=np.ones((1, 5)), beam_indices=np.array([[0, 1, -1]]))
    >>> steps = [[np.full((2, 1, 1, 1), [[[[step]]], [[[step + 10]]]])] for step in range(3)]
    >>> [step[0].ravel().tolist() for step in follow_answer(steps, beams, answer=0)]
    [[0], [11]]

    Raises `ValueError` where its rows weren't kept.
    """
    answers, beams = len(output.sequences), getattr(output, "beam_indices", None)
    check_text(answer, answers)
    if not are_steps(layers):  # of an encoder, which reads each text once
        row = text_of_answer(answer, answers, len(next(layer for layer in layers if layer is not None)))
        return [_repeat(layer, row, answers) for layer in layers]
    if beams is None:
        return layers
    rows = [int(row) for row in beams[answer] if row >= 0]
    kept = min(len(layer) for step in layers for layer in step)
    if max(rows) >= kept:
        raise ValueError(LOST.format(answer=answer, rows=", ".join(map(str, sorted({*rows}))), kept=kept))
    return [[_repeat(layer, row, answers) for layer in step] for step, row in zip(layers, rows)]


def text_of_answer(answer, answers, texts):
    """Which of so many texts an answer is to; where these aren't fewer, its own number.

    >>> text_of_answer(3, answers=4, texts=2), text_of_answer(1, answers=2, texts=2)
    (1, 1)
    """
    return answer * texts // answers if texts < answers and answers % texts == 0 else answer


def _repeat(layer, row, count):
    """A layer in which so many rows are all this one."""
    if layer is None or row >= len(layer):
        return layer
    shape = (count, *layer.shape[1:])
    return layer[row : row + 1].expand(shape) if hasattr(layer, "expand") else np.broadcast_to(layer[row], shape)


def prompt_of(request, part):
    """How many tokens of a part's text are a prompt, which what the model wrote follows; None where that isn't known.

    >>> from manyheads.reading.parts import Part
    >>> from manyheads.reading.request import Request
    >>> steps = [[np.full((1, 1, 3, 3), 1 / 3)], [np.full((1, 1, 1, 4), 1 / 4)]]
    >>> prompt_of(Request(steps), Part(steps)), prompt_of(Request(steps), Part(steps, name="cross", among=("cross",)))
    (3, None)

    Of the steps of `generate`, the first reads it.
    """
    if part.role not in ("", "text", "decoder") or getattr(request.source, "encoder_attentions", None) is not None:
        return None
    if not part.steps:
        return request.prompt
    first = next(layer for layer in part.layers[0] if layer is not None)
    return first.shape[2] + count_unasked(array_of(first[min(request.batch, len(first) - 1)]))


def choose_answer(request):
    """A request for one of several answers with its tokens: without what stands after its end, and of the text that it
    answers. Other requests are as they were.
    """
    sequences = getattr(request.source, "sequences", None)
    if sequences is None:
        return request
    answers, beams = len(sequences), getattr(request.source, "beam_indices", None)
    answer = check_text(request.batch, answers)
    has_encoder = getattr(request.source, "encoder_attentions", None) is not None
    request = _choose_text(request, answer, answers)
    if beams is not None and request.tokenizer is not None:
        prompt, name = sequences.shape[1] - beams.shape[1], "query_tokens" if has_encoder else "tokens"
        if getattr(request, name) is None or (not has_encoder and isinstance(request.tokens, str)):
            written = int((beams[answer] >= 0).sum())
            request = replace(request, **{name: array_of_ids(sequences[answer])[: prompt + written]})
    return request


def _choose_text(request, answer, answers):
    """The request with the tokens, and the mask, of the text that an answer is to, where each has several answers."""
    tokens, mask = request.tokens, request.attention_mask
    if hasattr(tokens, "input_ids") and mask is None:
        mask = tokens.get("attention_mask")
    ids = tokens["input_ids"] if hasattr(tokens, "input_ids") else tokens
    if getattr(ids, "ndim", 0) == 2 and len(ids) < answers:
        tokens = strings_of("tokens", tokens, request.tokenizer, text_of_answer(answer, answers, len(ids)))
    if getattr(mask, "ndim", 0) == 2 and len(mask) < answers:
        mask = mask[text_of_answer(answer, answers, len(mask))]
    return replace(request, tokens=tokens, attention_mask=mask)
