"""The journey of one asking word in a real browser: every station, every number, at three widths, by hand and by key."""

import re
from datetime import datetime, timedelta
from itertools import combinations

import numpy as np
import pytest
import torch
from live_maps import MOVE
from page_numbers import array, number

from manyheads.maps.names import STATION_STEPS
from manyheads.models.focus import load_focus_model
from manyheads.widgets.attention_flow import flow_steps

STATIONS = list(STATION_STEPS)
COFFEE = "Which do you like better, coffee or tea?"
JOURNEYS = [(COFFEE, 1, 0), ("The soup was not good.", 3, 0), ("Do you hate tea?", 2, 3)]  # sentence, head, asking word
FOUND = """(el) => Object.fromEntries(Object.entries(el.steps).filter(([, value]) => value?.shape)
  .map(([name, { shape, values }]) => [name, { shape, values: [...values].map(String) }]))"""
# Every text that is seen in the picture: what it says and where.
TEXTS = """(el) => [...el.querySelectorAll("text")].filter((node) => node.checkVisibility() && +node.getAttribute("opacity") > .02)
  .map((node) => { const { x, y, width, height } = node.getBoundingClientRect();
    return { key: node.dataset.key, text: node.textContent, box: [x, y, x + width, y + height] } })"""
# How high each word's part of the bar of 100 % is; some have no height.
BARS = """(el) => [...el.querySelectorAll('rect[data-key^="part-"]')].filter((bar) => bar.closest(".af-scene").getClientRects().length)
  .sort((a, b) => a.dataset.key.slice(5) - b.dataset.key.slice(5)).map((bar) => +bar.getAttribute("height"))"""


def open_flow(page, site, chapter="formula"):
    page.goto(f"{site}/book/{chapter}.html")
    figure = page.locator("attention-flow").first
    figure.evaluate("async (el) => { await el.ready }")
    return figure


def travel(figure, sentence, head, query):
    figure.get_by_role("textbox", name="Sentence").fill(sentence)
    figure.get_by_role("combobox", name="Head").select_option(index=head)
    figure.get_by_role("combobox", name="Asked by").select_option(index=query)


def stop_at(figure, station):
    figure.get_by_role("slider", name="Journey").evaluate(MOVE, STATIONS.index(station))


def numbers(figure, prefix):
    """The numbers of all texts whose key is this and a place, in their order."""
    texts = {text["key"]: text["text"] for text in figure.evaluate(TEXTS)}
    places = sorted(int(key.removeprefix(prefix)) for key in texts if re.fullmatch(rf"{prefix}\d+", key))
    return [number(texts[f"{prefix}{place}"].removesuffix(" %")) for place in places]


@pytest.mark.parametrize(("sentence", "head", "query"), JOURNEYS)
@pytest.mark.parametrize("width", [360, 1400])
def test_every_number_at_every_station_is_pythons(page, site, width, sentence, head, query):
    page.set_viewport_size({"width": width, "height": 900})
    figure, ours = open_flow(page, site), flow_steps(load_focus_model(), sentence, head)
    travel(figure, sentence, head, query)
    theirs = figure.evaluate(FOUND)
    for name in (*"XQKV", "scores", "weights", "context", "concat", "output", "maps", "reading", "parts", "answer"):
        np.testing.assert_allclose(array(theirs[name]), ours[name], atol=1e-5, rtol=1e-6, err_msg=name)

    weights = 100 * ours["weights"][query]
    stop_at(figure, "scores")
    np.testing.assert_allclose(numbers(figure, "score-number-"), ours["scores"][query], atol=0.00501)
    stop_at(figure, "softmax")
    np.testing.assert_allclose(numbers(figure, "weight-"), weights, atol=0.501)
    bars = figure.evaluate(BARS)
    whole = sum(bars)
    np.testing.assert_allclose(np.array(bars) / whole * 100, weights, atol=0.05)
    stop_at(figure, "values")
    np.testing.assert_allclose(numbers(figure, "weight-"), weights, atol=0.501)
    stop_at(figure, "answer")
    facts = list(dict.fromkeys(fact for fact, _ in ours["labels"]))
    for fact in facts:
        own = [place for place, (of, _) in enumerate(ours["labels"]) if of == fact]
        best = max(own, key=lambda place: ours["answer"][place, 0])
        shown = {text["key"]: text["text"] for text in figure.evaluate(TEXTS)}
        assert shown[f"fact-answer-{fact}"] == ours["labels"][best][1]
        assert abs(number(shown[f"fact-share-{fact}"].removesuffix(" %")) - 100 * ours["answer"][best, 0]) < 0.501
        figure.locator(f'text[data-key="fact-name-{fact}"]:visible').click()
        *parts, logit = numbers(figure, "brought-number-")
        np.testing.assert_allclose([*parts, logit], ours["parts"][best], atol=0.00501)
        assert abs(sum(parts) - logit) < 0.005 * 6


def test_the_parts_sum_to_the_logit_that_the_model_computes(page, site):
    model, figure = load_focus_model(), open_flow(page, site)
    for sentence, head, query in JOURNEYS:
        travel(figure, sentence, head, query)
        parts = array(figure.evaluate(FOUND)["parts"]).astype(np.float64)
        with torch.no_grad():
            X = torch.tensor(flow_steps(model, sentence, head)["X"])
            home = model.after(model.attention(X)[0][0])
            logits = torch.cat([readout(home) for readout in model.readouts.values()]).numpy()
        np.testing.assert_allclose(parts[:, :-1].sum(-1), logits, atol=1e-5)


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_every_text_of_every_station_is_in_the_picture_and_on_no_other(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    figure = open_flow(page, site)
    for sentence, head, query in JOURNEYS:
        travel(figure, sentence, head, query)
        for station in STATIONS:
            stop_at(figure, station)
            left, right = figure.evaluate(
                "(el) => { const { left, right } = el.getBoundingClientRect(); return [left, right] }"
            )
            texts = figure.evaluate(TEXTS)
            assert len(texts) > 3, station
            for text in texts:
                assert left <= text["box"][0], (station, text)
                assert text["box"][2] <= right, (station, text)
            for one, other in combinations(texts, 2):
                a, b = one["box"], other["box"]
                apart = a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 3 or b[3] <= a[1] + 3
                assert apart, (station, one, other)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_arrow_keys_back_and_next_walk_the_stations(page, site):
    page.emulate_media(reduced_motion="reduce")
    figure = open_flow(page, site)
    heard = figure.evaluate(
        "(el) => (globalThis.heard = [], el.addEventListener('station', ({ detail }) => heard.push(detail)), el.stations)"
    )
    assert heard == STATIONS
    slider = figure.get_by_role("slider", name="Journey")
    slider.focus()
    for place, station in enumerate(STATIONS):
        assert figure.evaluate("(el) => el.station") == station
        assert slider.get_attribute("aria-valuetext").startswith(f"{place + 1} of 8: ")
        page.keyboard.press("ArrowRight")
    assert figure.evaluate("(el) => el.station") == "answer"
    assert page.evaluate("heard") == STATIONS[1:]
    page.keyboard.press("Home")
    assert figure.evaluate("(el) => el.station") == "words"
    page.keyboard.press("End")
    figure.get_by_role("button", name="Back").click()
    assert figure.evaluate("(el) => el.station") == "mix"
    figure.get_by_role("button", name="Next").click()
    assert figure.evaluate("(el) => el.station") == "answer"


def test_for_readers_who_ask_for_less_motion_stations_are_still(page, site):
    page.emulate_media(reduced_motion="reduce")
    figure = open_flow(page, site)
    slider = figure.get_by_role("slider", name="Journey")
    for place in range(1, 8):
        figure.get_by_role("button", name="Play").click()
        assert float(slider.input_value()) == place, "it is there at once"


def test_play_goes_to_the_answer_says_each_station_once_and_stops(page, site):
    figure = open_flow(page, site)
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(seconds=1))
    figure.evaluate(
        """(el) => { globalThis.said = []; const live = el.querySelector("[aria-live=polite].hm-unseen");
        new MutationObserver(() => said.push(live.textContent)).observe(live, { childList: true, characterData: true, subtree: true }) }"""
    )
    figure.get_by_role("button", name="Play").click()
    page.clock.run_for(3_000)
    assert figure.get_by_role("button", name="Pause").count() == 1
    page.clock.run_for(40_000)
    assert figure.evaluate("(el) => el.station") == "answer"
    assert figure.get_by_role("button", name="Play").count() == 1
    said = [text.split(".")[0] for text in page.evaluate("said")]
    assert said == ["Keys", "Scores", "Softmax", "Values", "Heads", "Mix", "Answer"]


def test_the_journey_goes_on_from_where_it_is(page, site):
    figure = open_flow(page, site)
    slider = figure.get_by_role("slider", name="Journey")
    slider.evaluate(MOVE, 3.6)
    travel(figure, "The soup was not good.", 3, 2)
    assert float(slider.input_value()) == 3.6
    assert figure.evaluate("(el) => el.steps.tokens.length") == 8
    slider.evaluate(MOVE, 4)
    figure.locator('text[data-key="word-5"]:visible').click()
    assert figure.get_by_role("combobox", name="Asked by").input_value() == "5"
    assert float(slider.input_value()) == 4
    slider.evaluate(MOVE, 5)
    figure.locator('text[data-key="head-1"]:visible').click()
    assert figure.get_by_role("combobox", name="Head").input_value() == "1"


def test_what_is_pointed_at_says_what_it_is_and_its_number(page, site):
    figure, ours = open_flow(page, site), flow_steps(load_focus_model(), COFFEE, 1)
    told = figure.locator(".af-pointed")
    stop_at(figure, "scores")
    figure.locator('rect[data-key="score-9"]:visible').hover()
    assert f"score of “tea” for “[CLS]”: {ours['scores'][0, 9]:.4f}" == told.inner_text()
    stop_at(figure, "softmax")
    figure.locator('rect[data-key="part-7"]:visible').hover()
    assert f"({ours['weights'][0, 7]:.4f})" in told.inner_text()
    stop_at(figure, "keys")
    keys = figure.locator('canvas[data-key="K"]:visible')
    box = keys.bounding_box()
    keys.hover(position={"x": box["width"] * 2.5 / 16, "y": box["height"] * 9.5 / 12})
    assert told.inner_text() == f"key of “tea”, number 3 of 16: {ours['K'][9, 2]:.4f}".replace("-", "−")


def test_the_numbers_of_a_station_open_at_the_same_step(page, site):
    figure = open_flow(page, site)
    travel(figure, "Do you hate tea?", 2, 3)
    stop_at(figure, "softmax")
    figure.get_by_role("link", name="Open the numbers").click()
    steps = page.locator("formula-steps[model]").first
    steps.get_by_role("tab", name="5 Softmax", selected=True).wait_for()
    assert steps.get_by_role("textbox", name="Sentence").input_value() == "Do you hate tea?"
    assert steps.get_by_role("combobox", name="Head").input_value() == "2"
    assert steps.get_by_role("combobox", name="Word").input_value() == "3"


def test_a_copied_link_opens_the_journey_as_it_stands(page, site):
    figure = open_flow(page, site)
    travel(figure, "Do you hate tea?", 2, 3)
    stop_at(figure, "values")
    figure.get_by_text("Share").click()
    figure.get_by_role("button", name="Copy link").click()
    link = figure.get_by_role("textbox", name="link").input_value()
    frame = figure.get_by_role("button", name="Copy frame")
    frame.click()
    embed = re.search(r'src="([^"]+)"', figure.get_by_role("textbox", name="frame").input_value())[1]
    for address in (link, embed.replace("&#38;", "&")):
        other = page.context.new_page()
        other.goto(address)
        opened = other.locator("attention-flow").first
        opened.evaluate("async (el) => { await el.ready }")
        state = "(el) => [el.sentence, el.station, el.steps.head]"
        assert opened.evaluate(state) == ["Do you hate tea?", "values", 2]
        assert opened.get_by_role("combobox", name="Asked by").input_value() == "3"
        other.close()


def test_the_picture_stands_without_any_script(still, site):
    still.goto(f"{site}/book/index.html")
    figure = still.locator("attention-flow").first
    weights = figure.locator(".af-weight:visible").all_text_contents()
    ours = flow_steps(load_focus_model(), COFFEE, 1)["weights"][0]
    np.testing.assert_allclose([number(text.removesuffix(" %")) for text in weights], 100 * ours, atol=0.501)
    assert figure.locator("path:visible").count() > 3, "the bands of the values"
    assert figure.locator("img:visible").count() >= 3, "strips"
