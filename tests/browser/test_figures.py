"""Each figure of the book answers what its reader does first."""

import json
import re

import numpy as np
from close import assert_close
from exercises import EXERCISES
from figures import open_figure
from live_maps import agrees, eventually, has_weights, ready, seen
from node import WEB, run_node
from playwright.sync_api import expect

from manyheads import load_drawing, load_induction, without_parts
from manyheads.maps.ledger import answer_of
from manyheads.models.drawing import READY
from manyheads.models.encoder.head_cards import head_cards
from manyheads.models.focus import load_focus_model
from manyheads.models.induction import InductionModel
from manyheads.models.induction.descent import Descent
from manyheads.models.points import load_plane, lost
from manyheads.models.registry import all_but, load_model
from manyheads.models.senses import load_senses
from manyheads.shared.names import STATION_MATRICES
from manyheads.widgets.attention_flow import asker_of, flow_steps
from manyheads.widgets.head_ledger import head_ledger
from manyheads_recipes.induction.training import CHECKPOINTS

SOUP = "The soup was not good."
MATRICES_OF = """(matrices) => Object.fromEntries(Object.entries(matrices).filter(([, value]) => value?.shape && value.values)
  .map(([name, { shape, values }]) => [name, { shape, values: [...values].map(String) }]))"""


def number(text):
    """A number as people read it, or as it was sent, since JSON has no infinity."""
    return float(text.replace("−", "-").replace("∞", "inf").replace("Infinity", "inf"))


def array(matrix):
    return np.array([number(value) for value in matrix["values"]], np.float32).reshape(matrix["shape"])


def matrices(figure, of):
    """The matrices that a figure computed, by their names."""
    return {name: array(found) for name, found in figure.evaluate(f"(el) => ({MATRICES_OF})(el.{of})").items()}


def agree(figure, of, ours, names):
    """Waits until a figure has computed what Python computes."""

    def check(found):
        for name in names:
            assert_close(found[name], ours[name], name=name)

    eventually(lambda: matrices(figure, of), check)


def numbers(locator):
    return [number(text) for text in locator.all_text_contents()]


def type_into(figure, text):
    figure.get_by_role("textbox", name="Sentence").fill(text)


def test_a_number_of_the_journey_opens_the_products_that_make_it(page, site):
    figure = open_figure(page, site, "attention-flow")
    ready(figure)
    figure.evaluate("(el) => { el.station = 'scores' }")
    figure.locator('.af-wide text[data-key="score-number-1"]').click()
    sheet = figure.get_by_role("region", name="Arithmetic")
    expect(sheet).to_contain_text("sum of the products")
    expect(sheet.locator("tbody tr")).to_have_count(16)
    products = eventually(lambda: numbers(sheet.locator("tbody td:last-child")), lambda found: len(found) == 16)
    eventually(lambda: numbers(sheet.locator("b")), lambda told: abs(sum(products) - told[0]) < 1e-3)
    sheet.locator("tbody button").first.click()
    expect(sheet).to_contain_text("Query of “like”, feature 1, of an arrow that position 4 turns")
    expect(sheet.locator("tbody tr")).to_have_count(2)
    sheet.locator("tbody button").first.click()
    expect(sheet.locator("tbody tr")).to_have_count(160)
    eventually(
        lambda: [abs(size) for size in numbers(sheet.locator("tbody td:last-child"))],
        lambda sizes: len(sizes) == 160 and sizes == sorted(sizes, reverse=True),
    )
    sheet.get_by_role("button", name="Journey").click()
    expect(sheet).to_be_hidden()


def test_the_journey_of_a_word_stops_at_every_station(page, site):
    page.emulate_media(reduced_motion="reduce")
    figure = open_figure(page, site, "attention-flow")
    ready(figure)
    type_into(figure, SOUP)
    figure.get_by_role("combobox", name="Head").select_option(index=3)
    ours = flow_steps(load_focus_model(), SOUP, 3, "sentiment")
    agree(figure, "steps", ours, [name for name, value in ours.items() if isinstance(value, np.ndarray)])
    track = figure.get_by_role("slider", name="Stations")
    track.focus()
    for place, name in enumerate(STATION_MATRICES, start=1):
        expect(track).to_have_attribute("aria-valuetext", re.compile(f"^{place} {name}, of 9$", re.IGNORECASE))
        page.keyboard.press("ArrowRight")
    figure.get_by_text("5 Softmax", exact=True).and_(figure.locator(".af-names span")).click()
    texts = figure.locator('text[data-key^="weight-"]:visible').filter(has_text="%")
    eventually(
        lambda: sorted(number(text.removesuffix("\xa0%")) for text in texts.all_text_contents()),
        lambda found: np.testing.assert_allclose(found, sorted(100 * ours["weights"][asker_of(ours)]), atol=1),
    )
    figure.evaluate("(el) => el.setAttribute('answer', '')")  # as a phrase of the chapter does
    figure.get_by_text("What if").click()
    figure.get_by_label("Causal mask").check()
    agree(figure, "steps", flow_steps(load_focus_model(), SOUP, 3, causal=True), ["weights", "output", "maps"])


def test_one_wide_matrix_is_pulled_apart_into_the_same_numbers(page, site):
    figure = open_figure(page, site, "slice-or-project")
    ready(figure)
    type_into(figure, "I hate this awful tea.")
    figure.locator("label", has_text="Narrow ones").click()
    expect(figure.get_by_role("radio", name="Narrow ones")).to_be_checked()
    expect(figure.locator("tfoot")).to_contain_text("under 0.000001")

    def one_and_not_the_other(found):
        assert_close(found["wide"], found["narrow"])
        assert np.abs(found["sliced"] - found["wide"]).max() > 0.1

    eventually(lambda: matrices(figure, "projections"), one_and_not_the_other)


def test_a_head_that_is_off_changes_what_a_drawing_is_said_to_shut_in_as_in_python(page, site):
    board = open_figure(page, site, "drawing-board")
    ready(board)
    board.get_by_role("button", name="House", exact=True).click()
    model = load_drawing()
    layer, head = model.carrier
    board.get_by_role("button", name=f"layer {layer + 1}, head {head + 1}", exact=True).click()
    mask = np.ones((model.num_layers, model.num_heads), bool)
    mask[layer, head] = False
    ours = model.answer(READY["house"], mask)
    theirs = eventually(
        lambda: board.evaluate("(board) => [board.answer.places, [...board.answer.filled]]"),
        lambda found: (ours.filled > 0.5).ravel().tolist() == [dot == 1 for dot in found[1]],
    )
    assert theirs[0] == ours.places
    expect(board.locator(".db-says")).to_have_text(
        re.compile("^One place is shut in, but with one head off, the model ")
    )


def test_an_exercise_is_answered_by_keyboard_and_kept(page, site):
    exercise = next(exercise for exercise in EXERCISES if exercise.label == "shapes-of-a-batch")
    page.goto(f"{site}/book/{exercise.chapter}.html")
    figure = page.locator(f'field-exercise[exercise="{exercise.label}"]')
    boxes, replies = figure.get_by_role("textbox"), figure.get_by_role("status")
    for answers, reply in (
        ([next(iter(field["hints"])) for field in exercise.fields], "Not yet. "),
        ([field["answer"] for field in exercise.fields], "Right."),
    ):
        boxes.first.focus()
        for answer in answers:
            page.keyboard.press("Control+A")
            page.keyboard.type(answer)
            page.keyboard.press("Tab")
        expect(page.locator("*:focus")).to_have_text("Check")
        page.keyboard.press("Enter")
        expect(replies).to_contain_text([reply] * len(answers))
    page.reload()
    expect(replies).to_contain_text(["Right."] * len(exercise.fields))
    page.goto(f"{site}/book/exercises.html")
    exercises = page.locator("exercise-list")
    answered = exercises.get_by_role("listitem").filter(has_text=exercise.title).get_by_role("img", name="answered")
    expect(answered).to_be_visible()
    exercises.get_by_role("button", name="Erase my answers").press("Enter")
    expect(answered).to_have_count(0)


def test_positions_keep_their_score_and_kinds_of_attention_their_bytes(page, site):
    figure = open_figure(page, site, "rotary-positions")
    key, query = (figure.get_by_role("slider", name=f"Position of the {name}") for name in ("key", "query"))
    score, before = seen(figure, "Score"), seen(figure, "Score").inner_text()
    key.fill("12")
    expect(score).not_to_have_text(before)
    moved = score.inner_text()
    place = int(query.input_value())
    figure.get_by_role("checkbox", name="Move both").check()
    key.fill("16")
    expect(query).to_have_value(str(place + 4))
    expect(score).to_have_text(moved)

    figure = open_figure(page, site, "attention-kinds")
    head_map = figure.locator("head-map")
    ready(head_map)
    type_into(head_map, "The heron never waited for us.")
    figure.get_by_role("radio", name="multi-query").check()
    page.keyboard.press("ArrowDown")
    expect(figure.get_by_role("radio", name="latent")).to_be_checked()
    expect(figure.locator(".ak-changes")).to_contain_text("of the attention lies elsewhere")
    ours = load_model("focus/latent")("The heron never waited for us.").weights
    expect(figure.get_by_role("radio", name=f"{64 * ours.shape[-1]} bytes")).to_have_count(2)
    has_weights(head_map, ours)


def test_shuffled_words_are_nothing_new_to_a_model_without_order(page, site):
    page.goto(f"{site}/book/formula.html")
    head_map, shuffle = page.locator("head-map#order"), page.locator("word-shuffle")
    ready(head_map)
    type_into(head_map, "The soup was not awful but good.")
    shuffle.get_by_role("button", name="yes, and a conclusion turns").click()
    expect(shuffle).to_contain_text("Not so: no. The first model doesn’t know the order.")
    bag, taught = shuffle.get_by_role("listitem").nth(0), shuffle.get_by_role("listitem").nth(1)
    expect(bag).to_have_text("no order: no weight changes. No conclusion changes.")
    expect(taught).to_contain_text(re.compile(r"a weight changes by \d"))
    expect(head_map.get_by_role("textbox", name="Sentence")).not_to_have_value("The soup was not awful but good.")
    shuffle.get_by_role("button", name="Undo").click()
    expect(head_map.get_by_role("textbox", name="Sentence")).to_have_value("The soup was not awful but good.")


def test_what_heads_write_adds_up_to_the_logit(page, site):
    figure = open_figure(page, site, "head-ledger")
    ready(figure)
    type_into(figure, "I hate this awful tea.")
    figure.get_by_role("combobox", name="Answer").select_option("sentiment: negative")
    ours = head_ledger(load_focus_model(), "I hate this awful tea.")
    agree(figure, "matrices", ours, ["parts", "without", "weights", "says"])
    row = ours["parts"][answer_of(ours, "sentiment: negative")]

    def adds_up(found):
        heads = [part["value"] for part in found["heads"]]
        assert_close(heads, row[:4])
        assert_close(sum(heads) + found["rest"], found["logit"], summed=heads)

    eventually(lambda: figure.evaluate("(el) => el.ledger('sentiment', 'negative')"), adds_up)
    figure.get_by_role("combobox", name="Head").select_option("sentiment")
    words = figure.get_by_role("table", name="Where the head “sentiment” looks")
    expect(words.locator("tbody tr")).to_have_count(len(ours["tokens"]))


def test_a_whole_model_answers_without_a_part_as_in_python(page, site):
    figure = open_figure(page, site, "whole-model")
    ready(figure)
    sentence, model = "Nobody here is happy with the new boss.", load_focus_model()
    type_into(figure, sentence)
    expect(figure.locator(".wm-answer > b")).to_have_text("negative")
    figure.get_by_role("button", name="layer 1, attention").click()
    expect(figure.locator(".wm-answer > b")).to_have_text("positive")
    expect(figure.locator(".wm-was")).to_have_text("with all parts on: negative")
    machine = model.machine(sentence, without_parts(model, [(0, "attention")]))
    agree(figure, "machine", {"adds": machine.adds, "scores": machine.scores}, ["adds", "scores"])
    figure.get_by_role("button", name="layer 2", exact=True).click()
    inside = figure.get_by_role("group", name="Inside layer 2")
    expect(inside.locator(".hm-head")).to_have_text(model.head_names)
    inside.get_by_role("button", name="follow sentiment").click()  # its journey has the parts that are off
    expect(inside.locator("attention-flow .af-caption")).to_contain_text("as layer 1 left it")
    inside.get_by_role("button", name="Back to layer 2").click()
    expect(inside.locator("attention-flow")).to_have_count(0)
    figure.get_by_role("button", name="Turn all on").click()
    expect(figure.locator(".wm-answer > b")).to_have_text("negative")


def test_two_heads_reach_what_one_cannot(page, site):
    figure = open_figure(page, site, "blend-triangle")
    wanted = seen(figure, "Wanted")
    before = wanted.inner_text()
    figure.get_by_role("button", name="Blend of the head").press("ArrowLeft")
    expect(wanted).not_to_have_text(before)
    figure.get_by_role("radio", name="Two heads").check()
    expect(figure.get_by_role("button", name="Blend of head 2")).to_be_visible()
    plot = figure.locator(".bt-plot").bounding_box()
    for head, (across, up) in {1: (1, 0), 2: (0, 1)}.items():
        figure.get_by_role("button", name=f"Blend of head {head}").hover()
        page.mouse.down()
        share = (across + 0.1) / 1.3, (up + 0.1) / 1.3
        page.mouse.move(plot["x"] + share[0] * plot["width"], plot["y"] + (1 - share[1]) * plot["height"], steps=5)
        page.mouse.up()
    expect(seen(figure, "There!")).to_be_visible()


def test_the_cards_of_heads_are_sorted_and_lead_to_the_map(page, site):
    figure = open_figure(page, site, "head-cards")
    figure.get_by_text("All 72 heads in a table").click()
    figure.get_by_role("columnheader", name="next").get_by_role("button").click()
    expect(figure.get_by_role("columnheader", name="next")).to_have_attribute("aria-sort", "descending")
    best = max(head_cards(), key=lambda card: card.scores["next"])
    name = f"layer {best.layer + 1}, head {best.head + 1}"
    expect(figure.locator("tbody button").first).to_have_text(name)
    figure.locator("tbody button").first.click()
    title = figure.get_by_role("heading").first
    expect(title).to_have_text(name.capitalize())
    title.get_by_role("link").press("Enter")
    head_map = page.locator("#map")
    expect(head_map).to_have_js_property("enlarged", {"layer": best.layer, "head": best.head})
    expect(head_map).to_be_in_viewport()


def test_the_sense_of_a_word_moves_with_the_sentence_and_heads_are_ranked(page, site):
    open_figure(page, site, "word-sense")
    figure = page.locator("#scale")  # with all layers and tools
    figure.scroll_into_view_if_needed()
    figure.get_by_role("button", name="Load the encoder").press("Enter")
    senses = {"She took her boat to the bank of the stream.": "river", "She took her money to the bank.": "money"}
    for sentence, sense in senses.items():
        type_into(figure, sentence)
        expect(figure.get_by_role("meter", name="layer 6")).to_have_attribute("aria-valuetext", re.compile(f"{sense}$"))
    ours = load_senses().by_layer("She took her money to the bank.", "bank")
    agrees(lambda: figure.evaluate("(el) => el.sense.shares"), ours, part=0.1)
    figure.get_by_role("button", name="Rank the heads").click()
    first = figure.get_by_role("table", name="Heads by what their absence does").get_by_role("button").first
    first.click()
    expect(first).to_have_attribute("aria-pressed", "false")
    type_into(figure, "The pitch was wet.")
    expect(seen(figure, "No word here has two senses that this book knows.")).to_be_visible()
    points = page.locator("word-points")  # the encoder is here for both
    plane, sentence = load_plane(), "Her dog sat on the bank of the creek."
    type_into(points, sentence)
    mask = all_but(plane.encoder, [(0, 4)])
    whole, left = (plane.read(sentence, head_mask=each) for each in (None, mask))
    for off, ours in {"": whole, "0.4": left}.items():
        points.evaluate("(el, off) => el.setAttribute('off', off)", off)
        places = np.stack([point.places for point in ours])
        agrees(lambda: points.evaluate("(el) => el.words[0].map(({ places }) => places)"), places, part=0.02)
    shares = np.stack([lost(one.vectors, other.vectors) for one, other in zip(whole, left)])
    agrees(lambda: points.evaluate("(el) => el.words[0].map((word) => word.lost)"), shares, part=0.02)
    page.emulate_media(reduced_motion="reduce")  # so that no dot glides from under the hand
    points.get_by_role("slider", name="Layer").fill("6")
    expect(points.get_by_role("combobox", name="Follow")).to_have_value("bank")
    points.locator(".wp-plane i.wp-landmark", has_text=re.compile("^tea$")).click(force=True)
    expect(points.get_by_role("combobox", name="Follow")).to_have_value("tea")


def test_a_text_that_repeats_is_guessed_once_the_heads_are_born(page, site):
    figure = open_figure(page, site, "head-birth")
    ready(figure)
    figure.get_by_label("Text", exact=True).fill("mnopqrstu mnopqrstu")
    guesses = figure.get_by_role("listitem").locator("span")
    for place, variant in ((0, "step-0"), (len(CHECKPOINTS), "")):
        figure.get_by_label("Training step").fill(str(place))
        expected = load_induction(variant).guesses("mnopqrstu mnopqrstu").characters[:-1]
        shown = ["·" if each is None else each.replace(" ", "␣") for each in expected]
        eventually(lambda: guesses.all_inner_texts()[1:], lambda found, shown=shown: found == shown)
    expect(seen(figure, "Where the text repeats, 8 of 8 guesses are right.")).to_be_visible()
    figure.get_by_role("button", name="previous-token head", exact=True).click()
    expect(seen(figure, "8 of 8 guesses are right")).to_have_count(0)
    page.get_by_role("button", name="put 32 other characters before the text").click()
    expect(seen(figure, "Where the text repeats, 0 of 7 guesses are right.")).to_be_visible()


def test_steps_in_the_page_are_pythons_and_a_training_is_nodes_whose_model_python_opens(page, site, tmp_path):
    figure, descent = open_figure(page, site, "one-step"), Descent()
    figure.get_by_label("One weight").fill("2")
    for told in figure.locator(".os-slopes b").all():
        expect(told).to_have_text(f"{descent.point(2.0)['slope']:.3f}")
    steps = page.locator("one-step").last
    steps.get_by_role("button", name="Ten steps").click()
    for _ in range(10):
        descent.step(rate=1)
    expect(steps).to_contain_text(f"to {descent.loss().item():.2f} nats.")
    steps.get_by_role("button", name="Start over").click()
    steps.get_by_label("Learning rate").fill("4")
    for said in ("Step 1: the loss fell from", "Step 2: the loss climbed from"):
        steps.get_by_role("button", name="Step", exact=True).click()
        expect(steps).to_contain_text(said)
    figure = open_figure(page, site, "head-birth")
    figure.get_by_label("Text", exact=True).fill("tea cup tea")
    figure.evaluate("(el) => el.train(2)")
    eventually(lambda: figure.evaluate("(el) => el.training.step"), lambda step: step == 2)
    with page.expect_download() as download:
        figure.get_by_role("button", name="Save").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    model = InductionModel.load(path)
    weights = model("tea cup tea").weights.ravel()
    eventually(
        lambda: figure.evaluate("(el) => [...el.attention.weights].map(String)"),
        lambda shown: np.testing.assert_allclose(np.array(shown, float), weights, atol=1e-5),
    )
    steps = "for (let step = 0; step < 2; step++) learner.learn()"
    script = f"""import("{WEB.as_uri()}/models/learner.ts").then(({{ Learner }}) => {{
        const learner = new Learner({(WEB.parent / "shared" / "training.json").read_text()}, 0); {steps};
        console.log(JSON.stringify(Object.fromEntries(Object.entries(learner.tensors).map(([name, {{ values }}]) => [name, [...values]]))));
    }})"""
    nodes = json.loads(run_node("-e", script))
    for name, tensor in model.network.state_dict().items():
        np.testing.assert_array_equal(tensor.numpy().ravel(), np.array(nodes[name], np.float32), err_msg=name)


def test_without_the_scale_softmax_takes_one_word_and_a_cache_computes_each_once(page, site):
    figure = open_figure(page, site, "softmax-scale")
    figure.get_by_role("slider", name="Width d_k").fill("9")
    eventually(
        lambda: [number(text) for text in re.findall(r"0\.\d\d|1\.00", figure.locator(".hm-status").inner_text())],
        lambda found: found[0] > 0.9 > found[1],
    )

    figure = open_figure(page, site, "growing-cache")
    expect(figure.get_by_role("button", name="120")).to_be_visible()  # as the walls come to
    for _ in range(4):
        figure.get_by_role("button", name="Write a word").click()
    cached, again = figure.get_by_role("list").nth(0), figure.get_by_role("list").nth(1)
    expect(cached.get_by_role("listitem")).to_have_text(["Once", "upon", "a", "time", "there"])
    expect(cached.get_by_label("kept")).to_have_count(4)
    expect(again.get_by_label("computed")).to_have_count(5)
    expect(seen(figure, "so far")).to_contain_text(["5 so far", "15 so far"])
    expect(figure.locator(".gc-size")).to_contain_text("these 5 words takes 115 kB")


def test_a_slider_shows_what_runs_came_to_and_one_over_models_goes_back_after_a_guess(page, site):
    runs = open_figure(page, site, "result-slider").get_by_role("slider")
    before = runs.get_attribute("aria-valuetext")
    runs.press("End" if runs.input_value() == "0" else "Home")
    expect(runs).not_to_have_attribute("aria-valuetext", before)
    head_map = page.locator("head-map").first
    ready(head_map)
    guess = page.locator("figure-guess").first
    guess.get_by_role("button", name="just show me").click()
    expect(guess.get_by_role("button", name=", right")).to_have_count(1)
    expect(head_map).to_have_js_property("model", "focus/heads-1")
    sentence = "She never liked the soup."
    head_map.get_by_role("textbox", name="Sentence").fill(sentence)
    has_weights(head_map, load_focus_model("heads-8")(sentence).weights)


def test_bertviz_draws_beside_ours_and_answers(page, site):
    page.goto(f"{site}/book/your-own-models.html")
    for view in ("head", "model"):
        frame = page.locator(f"iframe[title='{view} view of BertViz']")
        frame.scroll_into_view_if_needed()
        expect(frame.content_frame.locator("svg line").first).to_be_attached()
    page.locator("iframe[title='head view of BertViz']").scroll_into_view_if_needed()
    inside = page.frame_locator("iframe[title='head view of BertViz']")
    lines = "(all) => all.map((line) => line.getAttribute('stroke-opacity')).join()"
    before = eventually(lambda: inside.locator("svg line").evaluate_all(lines), bool)
    inside.locator("select#layer").select_option("0")
    eventually(lambda: inside.locator("svg line").evaluate_all(lines), lambda found: found not in ("", before))
