"""A whole model at work: what each of its parts adds, and the answer that stands there so far.

A model of layers makes a vector of each token, to which its parts add one after the other: each layer's attention, and
its feed-forward part. Read as if the model ended there, the vector gives the answer so far: the logit lens
(nostalgebraist 2020, "interpreting GPT: the logit lens"). What reads it was trained for the last vector, so early ones
may say little. A part that's off adds nothing to anything above it; no model was trained for that either.
"""

from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from manyheads.attention import causal_mask
from manyheads.drawing.element import table_html
from manyheads.maps.ledger import answer_of
from manyheads.models.registry import HeadModel, checked_head
from manyheads.reading.value_norms import held
from manyheads.shared.tokens import readable

EMBEDDING, ATTENTION, FEED_FORWARD = "embedding", "attention", "feed-forward"


@dataclass(frozen=True)
class Machine:
    """What the parts of a model make of a text; its method `machine` gives one.

    >>> from manyheads import load_focus_model
    >>> machine = load_focus_model().machine("I hate tea.")
    >>> machine.parts
    ('embedding', 'layer 1, attention', 'layer 1, feed-forward', 'layer 2, attention')
    >>> machine.adds.shape, machine.scores.shape  # [part, token], [part, label]
    ((4, 6), (4, 19))
    >>> machine.standings("sentiment").tolist()  # of "negative", the answer at the end, among three
    [2, 2, 2, 1]

    `adds` [part, token] are the norms of what each part adds to the tokens' vectors. `scores` [part, label] are the
    answers so far, probabilities or, where the `unit` is "similarity", cosines; the last row is the model's answer.
    `labels` are (question, label). The answer is read from the tokens at `places`; of several, from the mean of their
    vectors. What the parts in `replaces` write takes the vector's place, rather than being added to it. `parameters`
    counts what training made of each part, and last of what reads the answer. Of no words there are no labels.
    """

    tokens: tuple[str, ...]
    parts: tuple[str, ...]
    adds: NDArray[np.float32]
    scores: NDArray[np.float32]
    labels: tuple[tuple[str, str], ...]
    places: tuple[int, ...]
    parameters: tuple[int, ...]
    num_heads: int
    unit: str = "probability"
    replaces: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def standings(self, answer: str = "") -> NDArray[np.int64]:  # [part]
        """Where an answer stands after each part among all of its question, 1 for the first.

        It's the one at the end, unless `answer` names another: "question: label", or a question; without one, it's the
        first question's.
        """
        place, rivals = self._answer(answer)
        return 1 + (self.scores[:, rivals] > self.scores[:, [place]]).sum(1)

    def so_far(self, count: int = 1, answer: str = "") -> list[dict[str, float]]:
        """The likeliest answers to a question after each part, as {label: score}."""
        if not self.labels:
            return [{} for _ in self.parts]
        _, rivals = self._answer(answer)
        rows = self.scores[:, rivals]
        names = [self.labels[place][1] for place in rivals]
        return [{names[at]: float(row[at]) for at in np.argsort(-row, kind="stable")[:count]} for row in rows]

    def _answer(self, answer):  # -> its place among the labels, those of all answers to its question
        named = {"labels": [list(label) for label in self.labels], "parts": self.scores[-1][:, None]}
        if not self.labels:
            raise ValueError("there are no words, so nothing is answered")
        place = answer_of(named, answer)
        question = self.labels[place][0]
        return place, [at for at, (of, _) in enumerate(self.labels) if of == question]


@dataclass(frozen=True)
class Neurons:
    """The neurons of a layer's feed-forward part, on a text; a model's method `neurons` gives them.

    A neuron adds its activation times what it writes, its column of the part's last matrix. `activations` [neuron] are
    means over the tokens that count: those that the answer is read from; all, where it's read from what the heads of
    the next layer write. `writes` are [neuron, width]. What all add together, and the `bias` [width], is what the part
    adds to such a token. `raises` has the strongest, by how long the vector is that they add, the strongest first: the
    answers, (question, label), that gain by the neuron's being there, the most first, and how much. Where a norm comes
    after the part, its factor is held still at what it is for all neurons together. What gains is the
    logarithm of the probability, or the cosine above the mean of all. These are the answers so far after the part;
    those at the end, where all tokens count.
    """

    activations: NDArray[np.float32]
    writes: NDArray[np.float32]
    bias: NDArray[np.float32]
    raises: dict[int, dict[tuple[str, str], float]]

    @property
    def adds(self) -> NDArray[np.float32]:  # [neuron]
        """How long the vector is that each adds."""
        return np.abs(self.activations) * np.linalg.norm(self.writes, axis=1)


class Lens:
    """What a model can do that has a method `machine`."""

    def feed_forward_output(self, layer: int) -> torch.nn.Linear | None:
        """The last matrix of a layer's feed-forward part, which its neurons write through; None where it has none."""
        return None

    def neurons(self, text: str, layer: int, count: int = 5, part_mask: ArrayLike | None = None) -> Neurons:
        """What the neurons of a layer's feed-forward part add, and what the strongest raise by it.

        >>> from manyheads import load_focus_model
        >>> found = load_focus_model().neurons("I hate tea.", layer=0, count=2)
        >>> found.writes.shape  # [neuron, width]
        (192, 160)
        >>> {place: next(iter(gains)) for place, gains in found.raises.items()}
        {165: ('sentence type', 'choice question'), 46: ('sentence type', 'yes/no question')}

        `part_mask` is as for `machine`. Raises `ValueError` for a layer without a feed-forward part.
        """
        checked_head(self, layer, 0)
        output, part = self.feed_forward_output(layer), f"layer {layer + 1}, {FEED_FORWARD}"
        if output is None:
            raise ValueError(f"layer {layer + 1} has no feed-forward part")
        seen = []
        with hooked(output.register_forward_pre_hook, lambda _, inputs: seen.append(inputs[0].flatten(0, -2))):
            machine = self.machine(text, part_mask)
        places, row = list(machine.places), machine.parts.index(part)
        if machine.replaces:
            places, row = list(range(len(machine.tokens))), -1
        on = part_mask is None or np.asarray(part_mask)[layer, -1]
        activations = seen[0][places].mean(0) * float(on)
        writes = output.weight.T
        if hasattr(output, "norm"):
            writes = writes * held(output, seen[0][places[-1]] @ writes)
        adds = activations.abs() * writes.norm(dim=-1)
        raises = {}
        for neuron in adds.argsort(descending=True, stable=True)[:count].tolist():
            if adds[neuron] == 0 or not machine.labels:
                break

            def without(_, inputs, outputs, neuron=neuron):
                return outputs - inputs[0][..., [neuron]] * writes[neuron]

            with hooked(output.register_forward_hook, without):
                other = self.machine(text, part_mask)
            gains = score_of(machine, row) - score_of(other, row)
            raises[neuron] = {}
            for at in np.argsort(-gains, kind="stable")[: np.count_nonzero(gains > 0)]:
                raises[neuron].setdefault(machine.labels[at], gains[at].item())  # tokens may have the same text
        bias = torch.zeros_like(writes[0]) if output.bias is None else output.bias
        arrays = (tensor.numpy(force=True) for tensor in (activations, writes, bias * float(on)))
        return Neurons(*arrays, raises)

    def lens(
        self, text: str, count: int = 1, answer: str = "", part_mask: ArrayLike | None = None
    ) -> list[dict[str, float]]:
        """What the model would answer if it ended after the embedding, or after each part: the logit lens.

        >>> from manyheads import load_encoder, load_induction
        >>> [next(iter(so_far)) for so_far in load_induction().lens("a7kq3xwma7kq3x")]
        ['3', '3', 'w']
        >>> list(load_encoder().lens("My tired boss hates the noisy train to Berlin.")[-1])
        ['travel']

        Each is a dict of answers and their scores, the likeliest first; the last is the model's own. `answer` names a
        question that the model answers, the first unless given. `part_mask` is as for `machine`.
        """
        return self.machine(text, part_mask).so_far(count, answer)


def without_parts(model: HeadModel, parts: Iterable[tuple[int, int | str]]) -> NDArray[np.bool_]:
    """The part mask of a model without some parts, (layer, part) from 0: bool [layer, head + 1].

    >>> from manyheads import load_induction
    >>> without_parts(load_induction(), [(0, "attention"), (1, 1)]).tolist()
    [[False, False, True], [True, False, True]]

    A part is a head by its number, "attention" for all heads of a layer, or "feed-forward". The mask is a head mask
    with a column more, which is the feed-forward part's.
    """
    mask = np.ones((model.num_layers, model.num_heads + 1), dtype=bool)
    for layer, part in parts:
        if part == ATTENTION:
            mask[checked_head(model, layer, 0)[0], :-1] = False
        elif part == FEED_FORWARD:
            mask[checked_head(model, layer, 0)[0], -1] = False
        else:
            mask[checked_head(model, layer, part)] = False
    return mask


def checked_parts(mask, model, feed_forward):
    """A part mask as booleans [layer, h + 1], None all on. `feed_forward` says of each layer whether it has that part.

    >>> from manyheads import load_induction
    >>> checked_parts(None, load_induction(), [False, False]).shape
    torch.Size([2, 3])

    Raises `TypeError` for what isn't boolean; `ValueError` for another shape, and for a part that isn't there.
    """
    shape = (model.num_layers, model.num_heads + 1)
    if mask is None:
        return torch.ones(shape, dtype=torch.bool)
    mask = np.asarray(mask)
    if mask.dtype != bool:
        raise TypeError(f"part_mask must be boolean, False for a part that is off, got {mask.dtype}")
    if mask.shape != shape:
        raise ValueError(f"part_mask must have shape [layer, head + 1] = {list(shape)}, got {list(mask.shape)}")
    for layer in np.flatnonzero(~mask[:, -1]):
        if not feed_forward[layer]:
            raise ValueError(f"layer {layer + 1} has no feed-forward part")
    return torch.tensor(mask)


def part_names(feed_forward):
    """The names of a model's parts, of which `feed_forward` says which layers have one.

    >>> part_names([True, False])
    ('embedding', 'layer 1, attention', 'layer 1, feed-forward', 'layer 2, attention')
    """
    layers = [
        [f"layer {layer}, {part}" for part in (ATTENTION, *[FEED_FORWARD] * has)]
        for layer, has in enumerate(feed_forward, start=1)
    ]
    return (EMBEDDING, *(name for names in layers for name in names))


@contextmanager
def hooked(register, hook):
    """A hook of a module meanwhile."""
    handle = register(hook)
    try:
        yield
    finally:
        handle.remove()


def score_of(machine, row):  # -> [label]
    """The answers so far as differences count: logarithms of probabilities, or cosines above the mean of all."""
    scores = machine.scores[row].astype(np.float64)
    if machine.unit == "probability":
        return np.log(np.maximum(scores, np.finfo(np.float32).tiny))
    return scores - scores.mean()


def norms_of(added):  # [part] of [t, d] -> [part, t]
    return torch.stack([part.norm(dim=-1) for part in added]).numpy(force=True)


def sizes_of(*parts):
    """How many numbers training made, of parts that are lists of modules or tensors."""
    return tuple(sum(map(_size, part)) for part in parts)


def _size(part):
    return part.numel() if isinstance(part, torch.Tensor) else sum(each.numel() for each in part.parameters())


@torch.no_grad()
def walked(x, layers, on):  # [t, d], layers of (norm, attention, MLP or None), [layer, h + 1] -> 2 × [part] of [t, d]
    """What each part of a decoder adds to its vectors, the embedding first, and the vectors after each."""
    added, streams, mask = [x], [x], causal_mask(len(x))
    for (norm, attention, mlp), own in zip(layers, on):
        added.append(attention(norm(x), mask=mask, head_mask=own[:-1])[0])
        streams.append(x := x + added[-1])
        if mlp is not None:
            added.append(mlp(x) * own[-1])
            streams.append(x := x + added[-1])
    return added, streams


def plain_machine(machine, answer=""):
    """The answer so far after each part as a table, the last part first."""
    if not machine.labels:
        return table_html("There are no words, so nothing is answered.", [], [])
    place, _ = machine._answer(answer)
    question, label = machine.labels[place]
    adds = machine.adds[:, list(machine.places)].mean(1)  # where the answer is read
    columns = machine.parts, adds, machine.standings(answer), machine.so_far(1, answer)
    rows = [(part, f"{norm:.1f}", str(standing), next(iter(best))) for part, norm, standing, best in zip(*columns)]
    caption = f"{question}: {label}, for {' '.join(map(readable, machine.tokens))}"
    return table_html(caption, rows[::-1], ["adds", f"where {label} stands", "first"])


TOP = 10  # of the answers at the end, where a page has no more
MANY = 100


def few_of_many(machine):
    """Of many labels the likeliest ten at the end and the first after each part, with where they stand among all."""
    if len(machine.labels) <= MANY:
        return {"labels": [list(label) for label in machine.labels], "scores": machine.scores}
    last = np.argsort(-machine.scores[-1], kind="stable")[:TOP]
    kept = list(dict.fromkeys([*last.tolist(), *machine.scores.argmax(1).tolist()]))
    ranks = np.stack([1 + (machine.scores > machine.scores[:, [label]]).sum(1) for label in kept], axis=1)
    labels = [list(machine.labels[label]) for label in kept]
    return {"labels": labels, "scores": machine.scores[:, kept], "ranks": ranks, "among": len(machine.labels)}


def machine_data(machine):
    """A machine as a page has it, for `base64_arrays`."""
    named = {
        "tokens": list(machine.tokens),
        "notes": list(machine.notes),
        "numHeads": machine.num_heads,
        "parts": list(machine.parts),
        "places": list(machine.places),
        "parameters": list(machine.parameters),
        "unit": machine.unit,
        "replaces": list(machine.replaces),
    }
    return named | {"adds": machine.adds} | few_of_many(machine)
