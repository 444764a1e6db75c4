"""The museum of bugs in the built book, the chapters beside it, and what they say about the module."""

import inspect
import re
from types import ModuleType

import numpy as np
import pytest
import torch
from built import scripts
from conftest import ROOT
from test_mutations import BUGS as MUTATIONS

from manyheads import attention
from manyheads.models.focus import load_focus_model
from manyheads.models.registry import load_model
from manyheads.widgets.formula_steps import attention_input

COFFEE = "Which do you like better, coffee or tea?"
BUGS = ("scale", "axis", "mask", "view", "concat", "width")
MUSEUM = (ROOT / "book" / "museum.md").read_text()


@pytest.fixture
def piece_of(page, site):
    """Gives the piece of a bug in the museum's page."""
    page.goto(f"{site}/book/museum.html")

    def piece_of(bug):
        piece = page.locator(f"museum-piece[bug={bug}]")
        piece.evaluate("async (el) => { await el.ready }")
        return piece

    return piece_of


def type_sentence(piece, text):
    piece.get_by_role("textbox", name="Sentence").fill(text)
    return map_of(piece)


def map_of(piece):
    """What the piece's map shows; weights [h, q, k], output [q, d]."""
    found = piece.evaluate("""async ({ map }) => {
        await new Promise((done) => setTimeout(done));
        const { shape, weights, predictions, output } = map.attention;
        return { shape, weights: [...weights], predictions, output: [...output.values], width: output.shape[1] } }""")
    found["weights"] = np.array(found["weights"], np.float32).reshape(found["shape"][1:])
    found["output"] = np.array(found["output"], np.float32).reshape(-1, found["width"])
    return found


def switch(piece, on):
    """Moves the switch and gives the map once the model behind it has answered."""
    piece.get_by_role("switch").set_checked(on)
    piece.page.wait_for_function(
        """async ([piece, on, scripts]) => {
        const { loadModel } = await import(new URL(`../${scripts}/models.js`, location.href));
        const model = await loadModel(piece.map.models[Number(on)]);
        const expected = model.attend(piece.map.sentence).output.values;
        const shown = piece.map.attention.output?.values;
        return shown && shown.every((value, at) => value === expected[at]) }""",
        arg=[piece.element_handle(), on, scripts()],
    )
    return map_of(piece)


def best(labels):
    return max(labels, key=labels.get)


@pytest.mark.parametrize("sentence", ["My neighbour adores old trains, doesn't she?", COFFEE, "Hi"])
@pytest.mark.parametrize("bug", BUGS)
def test_every_switch_changes_the_map_or_its_predictions_and_gives_them_back(piece_of, bug, sentence):
    piece = piece_of(bug)
    assert not piece.locator(".mp-changes").is_visible()
    before = type_sentence(piece, sentence)
    shown = piece.locator("head-map").inner_html()
    after = switch(piece, on=True)
    assert piece.locator("head-map").inner_html() != shown, "something in the map looks different"
    assert np.isfinite(after["weights"]).all()
    if bug == "concat":  # the map stays, and what the model concludes does not
        then, now = ([*found["predictions"].values()] for found in (before, after))
        assert max(abs(old[label] - new[label]) for old, new in zip(then, now) for label in old) > 0.1
        np.testing.assert_array_equal(after["weights"], before["weights"])
    elif bug == "width":
        assert (len(before["weights"]), len(after["weights"])) == (4, 5)
    else:
        assert np.abs(after["weights"] - before["weights"]).max() > 0.1
    sums = after["weights"].sum(-1)
    assert (np.abs(sums - 1).max() < 1e-5) == (bug not in ("axis", "mask"))
    table = piece.locator(".mp-changes")
    table.wait_for()
    for name, labels in after["predictions"].items():
        row = table.locator("tr", has_text=f"Prediction: {name}")
        assert best(before["predictions"][name]) in row.locator("td").first.inner_text()
        assert best(labels) in row.locator("td").last.inner_text()
    again = switch(piece, on=False)
    np.testing.assert_array_equal(again["weights"], before["weights"])
    assert not table.is_visible()


@pytest.mark.parametrize("bug", BUGS)
def test_the_table_follows_the_sentence_and_the_heads(piece_of, bug):
    piece = piece_of(bug)
    switch(piece, on=True)
    table = piece.locator(".mp-changes tbody")
    first = table.inner_text()
    type_sentence(piece, "The heron waited.")
    piece.page.wait_for_function("([table, first]) => table.innerText !== first", arg=[table.element_handle(), first])
    second = table.inner_text()
    piece.locator("button.hm-head").first.click()
    if bug != "width":  # there the right model has other heads
        piece.page.wait_for_function(
            "([table, second]) => table.innerText !== second", arg=[table.element_handle(), second]
        )
    assert piece.locator("td[data-weight]").count() > 0


def mutated(bug):
    """attention.py with the change that the museum's page shows for a bug."""
    diffs = re.findall(r"~~~diff\n(.*?)~~~", MUSEUM, re.DOTALL)  # in the order of the page
    lines = dict(zip(BUGS, diffs, strict=True))[bug].splitlines()
    source = inspect.getsource(attention)
    for right, wrong in zip(lines[::2], lines[1::2], strict=True):
        assert (right[0], wrong[0]) == ("-", "+")
        assert source.count(right[1:]) == 1, f"attention.py must have this, once: {right[1:]}"
        source = source.replace(right[1:], wrong[1:])
    module = ModuleType(f"attention_{bug}")
    exec(compile(source, module.__name__, "exec"), module.__dict__)
    return module


MUTATED = [  # what test_mutations.py calls the bugs, in the order of the page
    "scaling by the model width, in one head",
    "softmax over the wrong axis",
    "mask after softmax, seen from the past",
    "a view without the transpose",
    "concatenating on the wrong axis",
    "silent truncation, in the loop",
]


def test_the_museum_names_the_tests_that_catch_its_bugs():
    """Every test it names is one that test_mutations.py sees failing, on the bug of that piece."""
    named = re.findall(r"The test that catches it: (\w+)", MUSEUM)
    for check, mutation in zip(named, MUTATED, strict=True):
        assert check in {caught.__name__ for caught in MUTATIONS[mutation].caught_by}
    table = set(re.findall(r"^\|.*`(check_\w+)` \|$", MUSEUM, re.MULTILINE))
    assert table <= {caught.__name__ for bug in MUTATIONS.values() for caught in bug.caught_by}
    assert len(table) == 9


@pytest.mark.parametrize("bug", BUGS)
@torch.no_grad()
def test_the_page_does_what_the_shown_change_does_to_the_module(piece_of, bug):
    """The twin's wrong step and the lines in the page are the same bug: same weights, same output."""
    sentence = "The old cook made a wonderful soup."
    piece = piece_of(bug)
    type_sentence(piece, sentence)
    shown = switch(piece, on=True)
    model = load_focus_model()
    X, _ = attention_input(model, sentence)
    right = model.attention
    mask = attention.causal_mask(len(X)) if bug == "mask" else None
    module = mutated(bug)
    if bug == "view":
        wrong = module.MultiHeadAttention(right.embed_dim, right.num_heads, attention_dim=right.attention_dim)
        wrong.load_state_dict(right.state_dict())
        output, weights = wrong(X)
    else:
        heads = len(shown["weights"])
        wrong = module.LoopedMultiHeadAttention(right.embed_dim, heads, attention_dim=right.attention_dim)
        width = right.attention_dim // heads
        for at, head in enumerate(wrong.heads):
            rows = slice(at * width, (at + 1) * width)
            for name in ("query", "key", "value"):
                layer = getattr(right, name)
                getattr(head, name).load_state_dict({"weight": layer.weight[rows], "bias": layer.bias[rows]})
        kept = wrong.output.in_features
        wrong.output.load_state_dict({"weight": right.output.weight[:, :kept], "bias": right.output.bias})
        output, weights = wrong(X, mask=mask)
    np.testing.assert_allclose(shown["weights"], weights, atol=1e-4)
    np.testing.assert_allclose(shown["output"], output, atol=1e-3)


def test_the_causal_model_of_the_museum_is_right(piece_of):
    piece = piece_of("mask")
    shown = type_sentence(piece, COFFEE)
    ours = load_model("focus/causal")(COFFEE)
    np.testing.assert_allclose(shown["weights"], ours.weights[0], atol=1e-5)
    for name, labels in ours.predictions.items():
        np.testing.assert_allclose(list(shown["predictions"][name].values()), list(labels.values()), atol=1e-5)
    assert not np.triu(ours.weights[0], 1).any()


def test_a_piece_is_there_without_any_script(still, site):
    still.goto(f"{site}/book/museum.html")
    assert still.locator("museum-piece").count() == len(BUGS)
    for piece in still.locator("museum-piece").all():
        assert piece.locator("td[data-weight]").first.is_visible()


def test_a_switch_is_worked_by_keyboard_and_says_what_it_is(piece_of):
    piece = piece_of("axis")
    named = piece.get_by_role("switch", name="The bug: softmax over the queries, not the keys")
    named.focus()
    piece.page.keyboard.press("Space")
    assert named.is_checked()
    piece.locator(".mp-changes").wait_for()


def test_the_code_chapter_shows_the_module_and_proves_each_rung(page, site):
    page.goto(f"{site}/book/code.html")
    text = page.locator("article").text_content()  # drawers included
    for thing in (
        attention.multi_head_attention,
        attention.AttentionHead.forward,
        attention.LoopedMultiHeadAttention.forward,
        attention.MultiHeadAttention.forward,
        attention.EinsumMultiHeadAttention.forward,
        attention.AttentionBlock.forward,
    ):
        last = inspect.getsource(thing).strip().splitlines()[-1].strip()
        assert last in text, f"{last} is the module's last line of {thing.__qualname__}"
    differences = re.findall(r"output differs by at most (\S+), weights by (\S+)", text)
    assert len(differences) == 8, "one NumPy, one loop, two joint, note C's words, PyTorch's own, the block, the cache"
    assert all(float(number) < 1e-9 for pair in differences for number in pair)
    assert page.locator("details").count() >= 8, "predictions to reveal, and solutions"
    assert "nan" in text


CUT = """() => [...document.querySelectorAll("article pre")].filter((code) => {
  for (let at = code; (at = at.parentElement?.closest("details")); ) at.open = true;
  return code.scrollWidth > code.clientWidth + 1 }).map((code) => code.textContent)"""  # listings wider than the page


def test_no_listing_of_the_code_chapter_is_cut(page, site):
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto(f"{site}/book/code.html")
    assert page.evaluate(CUT) == []


def test_the_code_that_is_seen_first_is_bare(page, site):
    page.goto(f"{site}/book/code.html")
    seen = " ".join(code.inner_text() for code in page.locator("article pre").all() if code.is_visible())
    assert "def self_attention" in seen
    assert "def all_heads" in seen
    for plumbing in ("device", "dtype", "raise ", "np.asarray"):
        assert plumbing not in seen


def test_the_api_page_has_every_public_name_of_attention(page, site):
    page.goto(f"{site}/book/api.html")
    public = [
        name
        for name, thing in vars(attention).items()
        if getattr(thing, "__module__", "") == attention.__name__
        and not name.startswith("_")
        and not name.endswith("_")
    ]
    assert len(public) >= 10
    for name in public:
        entry = page.locator(f"[id='manyheads.attention.{name}']")
        assert entry.count() == 1, name
        assert entry.locator("xpath=..").locator(".doctest").count() >= 1, f"{name} has no example"
    text = page.locator("article").inner_text()
    assert "`" not in text, "a backtick that nobody turned into code"
    assert page.locator("article .viewcode-link").count() >= len(public)
