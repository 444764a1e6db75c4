"""What a source is for: the probability of an answer with and without it, one more pass of the model for each."""

import inspect

import torch

from manyheads.reading.arguments import call_module
from manyheads.reading.looking import leave_untouched
from manyheads.reading.patches import image_token_of
from manyheads.reading.token_names import ids_in, pretty, tokens_by

CAUSAL = (
    "what a source is for is told of a language model that writes on, whose forward takes input_ids, attention_mask "
    "and position_ids and returns logits; {name} {what}"
)
MOVES = "{name} counts its positions otherwise than 0, 1, 2, so what comes after a masked source would move"
SEES = "the attention_mask of {name} doesn't hide a text: what it says changes with the words that are masked"
ALL_ON = "what a source is for is told of a model with all heads on: turn them on again"
NO_TOKENIZER = "an answer is a text, and needs tokenizer=, the model's own"
KEPT = ("logits_to_keep", "num_logits_to_keep")  # how a model is asked for the last logits alone
OF_PICTURES = ("pixel_", "image_")  # how inputs begin that a picture among the words brings
KINDS = "token_type_ids"  # how inputs end that say of each token what it is; what a model writes is a text, of kind 0
CLOSE = 1e-3  # that two passes over the same text may differ by, relative to the largest logit


def measure(request, answer=None, head_mask=None):  # -> answer, its probability, [without each source]
    """The probability of an answer after a text, by default of the likeliest next token, with and without each source.

    A source that is off is masked for every token that asks, in every layer and head: the others stay where they are,
    with the positions that they had. Raises `ValueError` or `TypeError` for a model of which that can't be told.
    """
    hidden = [[], *request.found.values()]
    if request.reading is not None:
        return measure_own(request.reading, hidden, answer, head_mask)
    if head_mask is not None:
        raise ValueError(ALL_ON)
    if len(request.modules) != 1 or request.kind != "module":
        raise ValueError(
            "what a source is for is told by the model: give HeadMap.of the model, and not what it returned"
        )
    with leave_untouched(request.source):
        return measure_module(request, hidden, answer)


def measure_own(reading, hidden, answer, head_mask):
    """The same of a language model of ours."""
    model = reading.get("no source can be masked")
    ids = model.read(reading.text)[0]
    first = model.run(ids, head_mask=head_mask)[0][-1]
    written = [int(first.argmax())] if answer is None else model.tokenizer.encode(answer, add_special_tokens=False).ids
    answer = "".join(model.tokens(written)) if answer is None else answer
    longer = [*ids, *written[:-1]]
    shares = [chance(model.run(longer, head_mask=head_mask, hidden=places)[0], written) for places in hidden]
    return answer, shares[0], shares[1:]


def measure_module(request, hidden, answer):
    """The same of a module of one's own."""
    module, name = request.source, f"a {type(request.source).__name__}"
    parameters = inspect.signature(module.forward).parameters
    ids = readable_ids(request, parameters, name)
    kept = torch.arange(ids.shape[1])
    if request.text.mask is not None:
        kept = kept[torch.as_tensor(request.text.mask)]
    others = {key: value for key, value in request.named.items() if key.startswith(OF_PICTURES)}

    kinds = {key: torch.as_tensor(value) for key, value in request.named.items() if key.endswith(KINDS)}

    def run(inputs, wanted=1, row=0):  # -> [wanted, token]
        output = call_module(module, inputs | {one: wanted for one in KEPT if one in parameters})
        if getattr(output, "logits", None) is None:
            raise TypeError(CAUSAL.format(name=name, what="returns none"))
        return output.logits[row, -wanted:].float()

    def logits(ids, places=(), wanted=1):  # -> [wanted, token]
        mask, after = torch.ones_like(ids), ids.shape[1] - len(kept)
        mask[:, list(places)] = 0
        positions = torch.cat([kept, kept[-1] + 1 + torch.arange(after)])
        each = {key: torch.nn.functional.pad(row[[request.batch]][:, kept], (0, after)) for key, row in kinds.items()}
        inputs = {"input_ids": ids, "attention_mask": mask, "position_ids": positions[None]}
        return run(inputs | others | each, wanted)

    ids = ids[:, kept]
    token_of = torch.full((kept[-1] + 1,), -1)
    token_of[kept] = torch.arange(len(kept))
    hidden = [token_of[places].tolist() for places in hidden]
    as_it_reads = logits(ids)
    if request.text.mask is None or request.text.mask.all():
        given = {key: value for key, value in request.named.items() if key != "labels"}
        refuse_unless_close(as_it_reads, run(given, row=request.batch), MOVES.format(name=name))
    image = image_token_of(getattr(module, "config", None))  # another in its place, and the model would miss a patch
    words = [[place for place in places if ids[0, place] != image] for places in hidden]
    refuse_where_masked_words_count(ids, next(filter(None, words), [ids.shape[1] - 2]), logits, name)
    answer, written = written_by(request.tokenizer, answer, as_it_reads)
    longer = torch.cat([ids, ids.new_tensor(written[:-1])[None]], 1)
    shares = [chance(logits(longer, places, len(written)), written) for places in hidden]
    return answer, shares[0], shares[1:]


def readable_ids(request, parameters, name):  # -> [1, token]
    """The ids of the text that a module reads; refuses one that can't be called with some of them masked."""
    if getattr(getattr(request.source, "config", None), "is_encoder_decoder", False):
        raise TypeError(CAUSAL.format(name=name, what="has an encoder"))
    for needed in ("attention_mask", "position_ids"):
        if needed not in parameters:
            raise TypeError(CAUSAL.format(name=name, what=f"takes no {needed}"))
    ids = ids_in(request.named)
    if ids is None:
        raise TypeError(CAUSAL.format(name=name, what="wasn't given input_ids"))
    return torch.atleast_2d(ids)[request.batch][None]


def refuse_where_masked_words_count(ids, masked, logits, name):
    """Refuse a model whose logits change with the words at places that are masked."""
    others_there = ids.clone()
    others_there[:, masked] = ids[:, masked].flip(-1).roll(1, -1)
    others_there[:, masked[0]] = ids[0, -1]
    refuse_unless_close(logits(ids, masked), logits(others_there, masked), SEES.format(name=name))


def written_by(tokenizer, answer, logits):  # -> the answer, its ids
    """An answer as tokens; by default it's the likeliest next one."""
    if answer is None:
        ids = [int(logits[-1].argmax())]
        tokens = [None] if tokenizer is None else tokens_by(tokenizer, ids)
        return str(ids[0]) if None in tokens else pretty(tokens)[0], ids  # a model may have more ids than its tokenizer
    if not callable(tokenizer):
        raise TypeError(NO_TOKENIZER)
    return answer, tokenizer(answer, add_special_tokens=False)["input_ids"]


def chance(logits, written):  # [t, token] -> the probability of the last tokens, one after the other
    """How likely the tokens of an answer are, each after those before it, by the last logits."""
    rows = logits[-len(written) :].float().log_softmax(-1)
    return float(rows[torch.arange(len(written)), torch.as_tensor(written)].sum().exp())


def refuse_unless_close(one, other, sentence):
    """Refuse a model whose two passes differ by more than rounding."""
    if not torch.isfinite(one).all() or (one - other).abs().max() > CLOSE * one.abs().max():
        raise ValueError(sentence)
