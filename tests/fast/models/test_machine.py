"""What the parts of a whole model add, and the answers so far, against what torch computes where nothing is recorded."""

import json
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from bs4 import BeautifulSoup
from close import assert_close

from manyheads import load_focus_model, load_induction
from manyheads.figures.elements import make
from manyheads.models.machine import without_parts
from manyheads.shared.names import TOPICS

NURSE = "The nurse is not happy with the new boss."
TRAIN = "My tired boss hates the noisy train to Berlin."
REPEATS = "a7kq3xwma7kq3x"


@contextmanager
def zeroed(*modules):
    """Modules whose outputs are zeros meanwhile."""
    hooks = [module.register_forward_hook(lambda _, __, output: output * 0) for module in modules]
    yield
    for hook in hooks:
        hook.remove()


def outputs_of(call, modules):  # -> [module] of [t, d]
    """What modules put out while something is called, the last token axis and the width of each."""
    found = []
    hooks = [module.register_forward_hook(lambda _, __, output: found.append(output)) for module in modules]
    call()
    for hook in hooks:
        hook.remove()
    return [output.reshape(-1, output.shape[-1]) for output in found]


def norms(vectors):
    return torch.stack([each.norm(dim=-1) for each in vectors]).detach().numpy()


def shares(attention):
    return np.concatenate([list(labels.values()) for labels in attention.predictions.values()])


def test_parts_of_the_focus_model_add_what_torch_does():
    model = load_focus_model()
    machine = model.machine(NURSE)
    modules = [model.first.output, model.mix, model.attention.output]
    assert_close(machine.adds[1:], norms(outputs_of(lambda: model(NURSE), modules)))
    assert_close(machine.scores[-1], shares(model(NURSE)))  # the lens at the end is the answer
    assert machine.standings("sentiment").tolist() == [2, 3, 2, 1]
    assert [next(iter(each)) for each in model.lens(NURSE, answer="sentiment")] == [*["positive"] * 3, "negative"]


def test_the_focus_model_answers_without_parts():
    model = load_focus_model()
    heads = np.array([[True, False, True, True], [True, True, True, False]])
    mask = without_parts(model, [(0, 1), (1, 3)])
    assert_close(model.machine(NURSE, mask).scores[-1], shares(model(NURSE, heads)))
    off = model.machine(NURSE, without_parts(model, [(0, "feed-forward")]))
    with zeroed(model.mix):
        assert_close(off.scores[-1], shares(model(NURSE)))
    assert not off.adds[2].any()
    assert list(off.so_far(answer="sentiment")[-1]) == ["neutral"]
    bare = without_parts(model, [(0, "attention")])
    assert list(model.lens(NURSE, answer="sentiment", part_mask=bare)[-1]) == ["positive"]


def test_parts_of_the_induction_model_add_what_torch_does():
    model = load_induction()
    machine = model.machine(REPEATS)
    layers = [layer.output for layer in model.network.layers]
    assert_close(machine.adds[1:], norms(outputs_of(lambda: model.guesses(REPEATS), layers)))
    known = list(dict.fromkeys(REPEATS))
    answers = model(REPEATS).predictions["next character"]
    assert_close(machine.scores[-1], [answers[character] for character in known])
    assert machine.standings().tolist() == [7, 7, 1]
    layer, head = model.previous_head
    heads = np.ones((2, 2), bool)
    heads[layer, head] = False
    off = model(REPEATS, heads).predictions["next character"]
    found = model.machine(REPEATS, without_parts(model, [(layer, head)]))
    assert_close(found.scores[-1], [off[character] for character in known])
    assert max(off, key=off.get) != "w"


def test_parts_of_the_encoder_add_what_torch_does(encoder):
    machine, layers = encoder.machine(TRAIN), encoder.model.encoder.layer
    modules = [each for layer in layers for each in (layer.attention.output.dense, layer.output.dense)]
    assert_close(machine.adds[1:], norms(outputs_of(lambda: encoder(TRAIN), modules)))
    topics = encoder.sentence_vectors(TOPICS)
    assert_close(machine.scores[-1], encoder.sentence_vector(TRAIN) @ topics.T)
    for layer, states in enumerate(encoder.hidden_states(TRAIN)):  # the stream after the embedding and each layer
        mean = states.mean(0)
        assert_close(machine.scores[2 * layer], mean @ topics.T / np.linalg.norm(mean), name=f"after layer {layer}")
    assert (machine.standings()[0], machine.standings()[-1]) == (23, 1)
    assert list(machine.so_far()[-1]) == ["travel"]


@pytest.mark.parametrize("layer", [0, 4])
def test_the_encoder_answers_without_parts(encoder, layer):
    topics = encoder.sentence_vectors(TOPICS)
    off = encoder.machine(TRAIN, without_parts(encoder, [(layer, "feed-forward"), (5, 11)]))
    heads = np.ones((6, 12), bool)
    heads[5, 11] = False
    with zeroed(encoder.model.encoder.layer[layer].output.dense):
        assert_close(off.scores[-1], encoder.sentence_vector(TRAIN, heads) @ topics.T)
    assert not off.adds[2 + 2 * layer].any()


def test_parts_of_the_decoder_add_what_torch_does(decoder):
    text = "The capital of Italy is"
    machine, layers = decoder.machine(text), decoder.model.layers
    modules = [each for layer in layers for each in (layer.attention.output, layer.mlp.down)]
    assert_close(machine.adds[1:], norms(outputs_of(lambda: decoder(text), modules)), terms=1000)
    scores, _, _ = decoder.run(decoder.read(text)[0])
    assert_close(machine.scores[-1], scores[-1].softmax(-1), terms=1000)
    standings = machine.standings("next word:  Rome")
    assert standings[-1] == 1
    assert (standings[:44] > 1000).all()
    assert machine.labels[scores[-1].argmax()][1] == " Rome"
    off = decoder.machine(text, without_parts(decoder, [(29, "feed-forward"), (23, 4)]))
    heads = np.ones((30, 9), bool)
    heads[23, 4] = False
    with zeroed(layers[29].mlp.down):
        without, _, _ = decoder.run(decoder.read(text)[0], head_mask=heads)
    assert_close(off.scores[-1], without[-1].softmax(-1), terms=1000)
    assert list(off.so_far()[-1]) != [" Rome"]


@pytest.mark.parametrize(
    ("name", "text", "layer"), [("focus", NURSE, 0), ("encoder", TRAIN, 3), ("decoder", "Hot tea", 20)]
)
def test_neurons_add_together_what_their_part_does(name, text, layer, encoder, decoder):
    model = {"focus": load_focus_model(), "encoder": encoder, "decoder": decoder}[name]
    output = model.feed_forward_output(layer)
    (added,) = outputs_of(lambda: model.machine(text), [output])
    places = list(range(len(added))) if name == "focus" else list(model.machine(text).places)
    found = model.neurons(text, layer, count=2)
    assert_close(found.activations @ found.writes + found.bias, added[places].mean(0), terms=len(found.writes))
    strongest, second = found.raises
    assert strongest == found.adds.argmax()
    assert found.adds[second] == np.sort(found.adds)[-2]
    with torch.no_grad(), zeroed_column(output, strongest):
        other = model.machine(text)
    whole, row = model.machine(text), -1 if name == "focus" else 2 + 2 * layer
    gains = np.log(whole.scores[row]) - np.log(other.scores[row]) if name != "encoder" else cosines(whole, other, row)
    expected = {}
    for label, gain, score in zip(whole.labels, gains.clip(0), whole.scores[row]):
        if score > 1e-30:  # smaller ones lose their digits
            expected[label] = max(gain, expected.get(label, 0))  # tokens may have the same text
    raised = found.raises[strongest]
    assert_close([raised.get(label, 0) for label in expected], list(expected.values()), part=1e-3)
    assert list(raised.values()) == sorted(raised.values(), reverse=True)
    off = model.neurons(text, layer, part_mask=without_parts(model, [(layer, "feed-forward")]))
    assert not off.adds.any()
    assert not off.bias.any()
    assert off.raises == {}


def cosines(whole, other, row):
    gains = whole.scores[row] - other.scores[row]
    return gains - gains.mean()


@contextmanager
def zeroed_column(linear, column):
    """A matrix without what one of its inputs adds, meanwhile."""
    kept = linear.weight[:, column].clone()
    linear.weight[:, column] = 0
    try:
        yield
    finally:
        linear.weight[:, column] = kept


def test_without_words_nothing_is_answered(encoder):
    for model in (load_focus_model(), encoder):
        machine = model.machine("")
        assert machine.scores.shape == (len(machine.parts), 0)
        assert model.lens("") == [{}] * len(machine.parts)
        assert model.neurons("", 0).raises == {}
        with pytest.raises(ValueError, match="there are no words"):
            machine.standings()
    assert "There are no words" in make("whole-model", "", {})


def test_a_part_that_is_not_there_is_refused():
    model = load_focus_model()
    with pytest.raises(ValueError, match="layer 2 has no feed-forward part"):
        model.machine(NURSE, without_parts(model, [(1, "feed-forward")]))
    with pytest.raises(ValueError, match=r"\[layer, head \+ 1\] = \[2, 5\], got \[2, 4\]"):
        model.lens(NURSE, part_mask=np.ones((2, 4), bool))
    for other, layer in ((model, 1), (load_induction(), 0)):
        with pytest.raises(ValueError, match=f"layer {layer + 1} has no feed-forward part"):
            other.neurons(NURSE, layer)
    with pytest.raises(TypeError, match="must be boolean"):
        model.machine(NURSE, np.ones((2, 5)))
    with pytest.raises(ValueError, match="there is no head 4 in layer 0"):
        without_parts(model, [(0, 4)])
    with pytest.raises(ValueError, match="no answer is called 'colour'"):
        model.machine(NURSE).standings("colour")


def test_a_page_has_the_answers_to_its_phrases_and_a_table_for_places_without_scripts():
    others = [{"off": "0.feed-forward"}, {"sentence": "I love tea.", "off": "1.3"}]
    page = BeautifulSoup(make("whole-model", NURSE, {"answer": "sentiment", "others": others}), "html.parser")
    stored = json.loads(page.find("script").string)["stored"]
    assert [(one["sentence"], one["off"]) for one in stored] == [
        (NURSE, ""),
        (NURSE, "0.feed-forward"),
        ("I love tea.", "1.3"),
        ("I love tea.", ""),
    ]
    rows = [[cell.text for cell in row.find_all(["th", "td"])] for row in page.find_all("tr")]
    assert rows[0][1:] == ["adds", "where negative stands", "first"]
    assert [row[0] for row in rows[1:]] == list(load_focus_model().machine(NURSE).parts[::-1])
    assert rows[1][2:] == ["1", "negative"]
    with pytest.raises(ValueError, match="translator can't be taken apart"):
        make("whole-model", NURSE, {"model": "translator"})
