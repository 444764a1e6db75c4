"""Somebody loads a model: it is offered, comes, pauses, fails in whatever way, and comes after all."""

import re

import numpy as np
import pytest
from live_maps import attend, eventually, ready, stands_still, type_sentence
from loading import DAMAGED, HALF_A_MINUTE, NETWORK, READY, failed, try_again
from playwright.sync_api import expect
from served import HTML

from manyheads import load_decoder
from manyheads.models.encoder import load_encoder
from manyheads.models.registry import all_but

FRANCE = "The capital of France is"
STORY = "Once upon a time, a little robot lived in a"
KEPT = """async () => (await (await caches.open("manyheads-decoder")).keys()).map(({ url }) => url).filter((url) => url.includes("layer-"))"""

faulty = pytest.mark.usefixtures("faulty")


@pytest.fixture
def encoder(page, site):
    """The first map of the real heads, nothing loaded."""
    page.goto(f"{site}/book/real-heads.html")
    head_map = page.locator('head-map[model="encoder"]').first
    expect(head_map.get_by_role("button", name="Load the encoder")).to_be_visible()
    return head_map


@pytest.fixture
def writer(page, site):
    """The figure that writes, nothing loaded."""
    page.goto(f"{site}/book/decoder.html")
    figure = page.locator("next-word")
    expect(figure.get_by_role("button", name="Load the")).to_be_visible()
    return figure


def load(figure):
    figure.get_by_role("button", name="Load the").click()
    expect(figure.get_by_role("status").first).to_contain_text(READY)
    return figure


def answered(figure, text, off=""):
    """Waits until the bars are those of a text, and gives them: {word: probability}."""
    bars = "(el) => [el.shown?.text, el.shown?.off, el.next?.map(({ word, probability }) => [word, probability])]"
    return dict(eventually(lambda: figure.evaluate(bars), lambda found: found[:2] == [text, off])[2])


def alike(found, expected):
    """The likeliest words are Python's; page and Python may order the rarest otherwise."""
    shared = set(found) & set(expected)
    assert len(shared) >= 8
    assert {word: found[word] for word in shared} == pytest.approx({word: expected[word] for word in shared}, abs=2e-3)


def cut_short(route):
    body = route.fetch().body()
    route.fulfill(body=body[: len(body) // 2])


def test_no_model_comes_before_somebody_points_at_a_figure(page, site):
    fetched = []
    page.on("request", lambda request: fetched.append(request.url) if "/models/" in request.url else None)
    page.goto(f"{site}/book/coffee-or-tea.html", wait_until="networkidle")
    head_map = page.locator("head-map").first
    expect(head_map.get_by_role("status")).to_contain_text("The model loads when you point at it")
    assert fetched == []
    head_map.hover()
    expect(head_map.get_by_role("status")).to_contain_text("Ready")
    assert fetched != []


def test_the_encoder_is_offered_answers_what_was_typed_meanwhile_and_is_the_one_in_torch(page, encoder):
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    expect(encoder.get_by_role("button", name="Load the encoder")).to_contain_text(re.compile(r"\(\d\d\.\d MB\)"))
    box = encoder.get_by_role("textbox", name="Sentence")
    box.fill("I am early.")
    expect(encoder.get_by_text("answered once the encoder has loaded")).to_be_visible()
    expect(encoder.locator(".hm-stage")).to_have_css("filter", "grayscale(1)")  # it isn't the map of this text
    assert not [url for url in fetched if re.search(r"\.gz|\.mjs|worker", url)]
    encoder.get_by_role("button", name="Load the encoder").press("Enter")
    expect(encoder.locator("td", has_text="early").first).to_be_visible()
    expect(encoder.locator(".hm-stage")).to_have_css("filter", "none")
    expect(encoder.locator("*:focus")).to_have_count(1)  # the button goes, the focus stays
    expect(box).to_have_value("I am early.")
    for sentence in ("The bank of the river.", "Ὀδυσσεύς, naïve café 你好 🙂‍↔️!"):
        ours, theirs = load_encoder()(sentence), attend(encoder, sentence)
        assert theirs["queryTokens"] == ours.query_tokens
        np.testing.assert_allclose(theirs["weights"], ours.weights, atol=0.03)
        assert np.abs(theirs["weights"] - ours.weights).mean() <= 0.001


@faulty
def test_a_second_visit_needs_no_network(page, site, encoder):
    load(encoder)
    page.goto(f"{site}/book/real-heads.html")
    page.route("**/models/*", lambda route: route.abort())
    head_map = page.locator('head-map[model="encoder"]').first
    ready(head_map)
    type_sentence(head_map, "Without a network.")
    expect(head_map.locator("td", has_text="network").first).to_be_visible()


@faulty
def test_a_model_that_does_not_arrive_is_told_each_time_until_it_comes(page, site):
    hotel = "<html>Log in to the hotel's network</html>"
    troubles = [
        (lambda route: route.abort(), NETWORK),
        (lambda route: route.fulfill(status=404), "is missing on this site. Reload the page"),
        (cut_short, DAMAGED),
        (lambda route: route.fulfill(body=hotel), DAMAGED),
    ]
    page.goto(f"{site}/book/coffee-or-tea.html")
    head_map = page.locator("head-map").first
    for answer, said in troubles:
        page.route("**/focus-words*", answer)
        with page.expect_request("**/focus-words*"):
            if head_map.get_by_role("button", name="Try again").is_visible():
                head_map.get_by_role("button", name="Try again").click()
            else:
                head_map.get_by_role("textbox", name="Sentence").fill("Is this lost?")
        failed(head_map, said)
        expect(head_map.locator("td[data-weight]").nth(40)).to_be_visible()  # the example stays
        page.unroute("**/focus-words*")
    try_again(head_map)
    expect(head_map.locator("td", has_text="lost").first).to_be_visible()


@faulty
def test_a_file_that_hangs_is_told_within_half_a_minute(page, encoder):
    page.route("**/encoder*safetensors*", lambda route: None)
    page.clock.install()
    with page.expect_request("**/encoder*safetensors*"):
        encoder.get_by_role("button", name="Load the encoder").click()
    again = encoder.get_by_role("button", name="Try again")
    # By the page's clock; again while files that do come push the end off.
    eventually(lambda: page.clock.run_for(HALF_A_MINUTE) or again.is_visible(), bool)
    failed(encoder, NETWORK)
    page.unroute_all(behavior="ignoreErrors")
    page.clock.resume()
    try_again(encoder)


@faulty
def test_an_encoder_that_stops_can_be_started_again(page, encoder):
    load(encoder)
    page.workers[0].evaluate("() => { setTimeout(() => { throw new Error('no memory') }) }")
    encoder.get_by_role("textbox", name="Sentence").fill("Still there?")
    failed(encoder, "The map could not be computed: the model stopped")
    try_again(encoder)
    expect(encoder.locator("td", has_text="still").first).to_be_visible()


def test_the_decoder_writes_and_steps_back(page, writer):
    """What a reader does: let the story write itself, load, press a word, take a head off by its number."""
    box, decoder = writer.get_by_role("textbox", name="Text so far"), load_decoder()
    writer.get_by_role("button", name="▶ Play").click()
    expect(box).to_have_value(re.compile(STORY + r" small town\. They did not have money.*weather\.$"))
    page.get_by_text("How a word is chosen").click()
    page.get_by_role("button", name="France", exact=True).click()
    expect(writer.get_by_role("listitem").first).to_contain_text("Paris")
    expect(writer.get_by_role("button", name="Load the")).to_contain_text("97.")
    load(writer)
    alike(answered(writer, FRANCE), decoder.next_words(FRANCE))
    writer.get_by_role("listitem").first.get_by_role("button").click()
    answered(writer, f"{FRANCE} Paris")
    expect(box).to_have_value(f"{FRANCE} Paris")
    writer.get_by_role("button", name="Undo").click()
    answered(writer, FRANCE)

    italy = "The capital of Italy is"
    box.fill(italy)
    answered(writer, italy)
    expect(writer.get_by_text("at temperature 0.7")).to_be_visible()  # its own again, after the phrase's
    writer.get_by_role("slider", name="Temperature").fill("1")
    writer.get_by_role("button", name="Where layer 24, head 5 looks").click()
    writer.get_by_role("button", name="layer 24, head 5", exact=True).click()
    alike(answered(writer, italy, "23.4"), decoder.next_words(italy, head_mask=all_but(decoder, [(23, 4)])))
    writer.get_by_role("button", name="Put back").click()
    answered(writer, italy)

    story = "Once upon a time, there was a"
    box.fill(story)
    answered(writer, story)
    writer.get_by_role("slider", name="Temperature").fill("0")
    writer.get_by_role("button", name="▶ Play").click()
    expect(box).to_have_value(re.compile(re.escape(story + decoder.write(story, words=4, temperature=0))))
    writer.get_by_role("button", name="❚❚ Pause").click()
    expect(writer.get_by_role("button", name="▶ Play")).to_be_visible()


def test_the_decoder_answers_odd_texts_and_tokens_that_are_no_character(writer):
    load(writer)
    box, bars = writer.get_by_role("textbox", name="Text so far"), writer.get_by_role("listitem")
    writer.get_by_text("Less likely words").click()
    writer.get_by_role("button", name="Where layer 24, head 5 looks").click()
    for text in ("", "مرحبا", "<img src=x onerror=alert(1)>", "word " * 40):
        box.fill(text)
        answered(writer, text)
        expect(box).to_have_value(text)
        expect(bars).to_have_count(10)
    expect(writer.locator("img")).to_have_count(0)
    box.fill("🍵🍵🍵🍵")
    assert "<F0 9F>" in answered(writer, "🍵🍵🍵🍵")
    writer.get_by_role("button", name="Write “<F0 9F>”").click()
    expect(writer.get_by_label("What the head looks at").locator("span span").last).to_have_text("<F0 9F>")
    expect(box).to_have_value("🍵🍵🍵🍵")


@faulty
def test_loading_is_paused_and_goes_on_with_what_has_arrived(page, writer):
    held, requests = [], []

    def later(route):
        requests.append(route.request.url)
        if len(requests) > 6:
            held.append(route)
        else:
            route.continue_()

    page.route("**/decoder-layer-*", later)
    writer.get_by_role("button", name="Load the").click()
    kept = eventually(lambda: page.evaluate(KEPT), lambda kept: len(kept) == 6)
    writer.get_by_role("button", name="Pause").click()
    expect(writer.get_by_role("status")).to_contain_text("Paused. What has arrived whole is kept.")
    for route in held:
        route.abort()
    page.unroute("**/decoder-layer-*")
    again = []
    page.on("request", lambda request: again.append(request.url))
    writer.get_by_role("button", name="Resume").click()
    answered(writer, STORY)
    assert any("decoder-layer-" in url for url in again)
    assert not set(kept) & set(again), "what has arrived isn't fetched again"


@faulty
def test_a_figure_whose_own_script_does_not_come_says_so(page, site):
    page.route("**/attention-flow*.js*", lambda route: route.abort())
    page.goto(f"{site}/book/formula.html")
    eventually(lambda: stands_still(page, "attention-flow"), bool)
    eventually(lambda: stands_still(page, "softmax-scale"), lambda still: not still)


@faulty
def test_a_page_that_was_opened_as_a_file_says_so(page, hosts):
    address = (HTML / "book" / "index.html").as_uri()
    hosts.append(HTML.as_uri())
    page.goto(address)
    eventually(lambda: stands_still(page, "head-map"), bool)
    expect(page.get_by_text("A head finds “None” for “like”.")).to_be_visible()
