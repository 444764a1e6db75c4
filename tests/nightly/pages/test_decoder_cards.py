"""The cards of the decoder's 270 heads in the built book: sorted, opened, and pressed into the figure that writes."""

import gzip

import pytest
from bs4 import BeautifulSoup
from conftest import HTML
from live_maps import CONTRAST
from playwright.sync_api import expect

from manyheads import load_decoder
from manyheads.models.decoder.head_cards import CARD_SCORES, decoder_cards
from manyheads.models.decoder.measures import all_but
from manyheads.models.head_cards_table import shown

pytestmark = pytest.mark.xdist_group("decoder")
CHAPTER = "book/decoder.html"
FIRST = 20


@pytest.fixture
def cards(page, site):
    page.goto(f"{site}/{CHAPTER}")
    return opened(page)


def opened(page):
    page.get_by_text("What each of the 270 heads looks at").click()
    cards = page.locator("head-cards")
    cards.get_by_role("table", name="Head cards").wait_for()
    return cards


def ranked(name):
    """The names of the heads, those with most of a score first, and how their score is written."""
    best = sorted(decoder_cards(), key=lambda card: -card.scores[name])
    return [(f"layer {card.layer + 1}, head {card.head + 1}", shown(name, card.scores[name])) for card in best]


def rows(cards, name):
    """The heads in view, and what the column says of each."""
    at = list(CARD_SCORES).index(name)
    found = cards.locator("tbody tr").evaluate_all(
        "(rows, at) => rows.map((row) => [row.querySelector('th a').innerText, row.querySelectorAll('td')[at].innerText])",
        at,
    )
    return [tuple(row) for row in found]


def press(cards, head, name, at=0):
    """Opens a head's card at one of its scores and presses a text; gives the example."""
    card = next(card for card in decoder_cards() if (card.layer, card.head) == head)
    cards.get_by_role("button", name="Show all 270 heads").click()
    cards.get_by_role("button", name=f"card of layer {head[0] + 1}, head {head[1] + 1}", exact=True).click()
    expect(cards.get_by_role("heading")).to_have_text(f"Layer {head[0] + 1}, head {head[1] + 1}")
    block = cards.locator("details").nth(list(CARD_SCORES).index(name))
    if block.get_attribute("open") is None:
        block.locator("summary").click()
    block.get_by_role("link").nth(at).click()
    return card.strongest[name][at]


def start_of(example):
    return "".join(example.tokens[: example.query + 1])


def test_each_score_puts_its_strongest_heads_first(cards):
    assert rows(cards, "previous") == ranked("previous")[:FIRST], "before anything is pressed"
    for name in CARD_SCORES:
        column = cards.get_by_role("columnheader", name=name)
        if column.get_attribute("aria-sort") != "descending":
            column.get_by_role("button").click()
        found = rows(cards, name)
        assert [score for _, score in found] == [score for _, score in ranked(name)[:FIRST]]
    cards.get_by_role("button", name="Show all 270 heads").click()
    assert sorted(rows(cards, "loss")) == sorted(ranked("loss"))
    cards.get_by_role("columnheader", name="loss").get_by_role("button").click()
    assert rows(cards, "loss")[0][1] == ranked("loss")[-1][1], "the weakest first"
    cards.get_by_role("button", name="Show the first 20").click()
    assert len(rows(cards, "loss")) == FIRST


def test_a_card_has_three_texts_for_each_score_with_the_token_that_looks(cards):
    cards.get_by_role("columnheader", name="induction").get_by_role("button").click()
    cards.locator("tbody tr").first.get_by_role("button").click()
    best = max(decoder_cards(), key=lambda card: card.scores["induction"])
    expect(cards.get_by_role("heading")).to_have_text(f"Layer {best.layer + 1}, head {best.head + 1}")
    blocks = cards.locator("details")
    assert blocks.count() == len(CARD_SCORES)
    for block, name in zip(blocks.all(), CARD_SCORES):
        texts = block.locator("li")
        assert texts.count() == 3
        for text, example in zip(texts.all(), best.strongest[name]):
            assert text.locator("mark").text_content() in (
                example.tokens[example.query].strip() or "\u2423",
                example.tokens[example.query].replace("\n", "\u21b5"),
            )
            looked = example.tokens[example.key].strip()
            assert f"most at {looked}" in text.text_content()
    induction = blocks.nth(list(CARD_SCORES).index("induction"))
    assert induction.get_attribute("open") is not None, "its rank is best there"
    text, frame = induction.get_by_role("link").first.bounding_box(), cards.bounding_box()
    assert frame["y"] < text["y"] < frame["y"] + frame["height"]


def test_before_the_model_is_here_a_press_sets_its_text_and_waits(cards):
    example = press(cards, (16, 0), "previous")
    figure = cards.page.locator("next-word")
    expect(figure.get_by_role("textbox", name="Text so far")).to_have_value(start_of(example))
    expect(figure.get_by_role("combobox", name="Layer", exact=True)).to_have_value("16")
    expect(figure.get_by_role("combobox", name="Head", exact=True)).to_have_value("0")
    expect(figure.get_by_role("button", name="Load the")).to_be_in_viewport()


def test_a_press_shows_the_text_and_where_the_head_looks(cards):
    page, figure, decoder = cards.page, cards.page.locator("next-word"), load_decoder()
    looks = press(cards, (17, 3), "induction")
    figure.get_by_role("button", name="Load the").click()
    page.wait_for_function("([el, text]) => el.shown?.text === text", arg=[figure.element_handle(), start_of(looks)])
    word = figure.locator(".nw-words span").nth(looks.key)
    share = float(word.get_attribute("title").split()[0]) / 100
    assert share == pytest.approx(looks.weight, abs=0.02)
    box, frame = word.bounding_box(), figure.bounding_box()
    assert frame["y"] < box["y"] < frame["y"] + frame["height"]

    lost = press_again(cards, (23, 4), "loss")
    page.wait_for_function(
        "([el, text]) => el.shown?.text === text && el.shown.off === '23.4'",
        arg=[figure.element_handle(), start_of(lost)],
    )
    found = dict(figure.evaluate("(el) => el.next.map(({ word, probability }) => [word, probability])"))
    expected = decoder.next_words(start_of(lost), head_mask=all_but([(23, 4)]))
    likeliest = next(iter(expected))
    assert found[likeliest] == pytest.approx(expected[likeliest], abs=5e-3)

    press_again(cards, (17, 3), "induction")
    page.wait_for_function(
        "([el, text]) => el.shown?.text === text && el.shown.off === ''",
        arg=[figure.element_handle(), start_of(looks)],
    )


def press_again(cards, head, name):
    cards.get_by_role("button", name="Show the first 20").click()
    return press(cards, head, name)


@pytest.mark.parametrize("width", [360, 768, 1400])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_readable_at_every_width(page, site, width, theme):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{site}/{CHAPTER}")
    cards = opened(page)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    frame, table = cards.bounding_box(), cards.get_by_role("region", name="Scores of all heads").bounding_box()
    assert table["x"] >= frame["x"] - 1
    assert table["x"] + table["width"] <= frame["x"] + frame["width"] + 1
    for row in cards.locator("tbody tr").all()[:3]:
        assert 15 < row.bounding_box()["height"] < 60
    contrast = CONTRAST.replace("head-map :is(", "head-cards :is(a, th, mark, summary, small, h3, ")
    assert page.evaluate(contrast) == []


def test_without_scripts_the_strongest_heads_are_there(still, site):
    still.goto(f"{site}/{CHAPTER}")
    still.get_by_text("What each of the 270 heads looks at").click()
    assert rows(still.locator("head-cards"), "previous") == ranked("previous")[:FIRST]


def test_what_is_baked_into_the_page_is_small():
    page = BeautifulSoup((HTML / CHAPTER).read_text(encoding="utf-8"), "html.parser")
    element = page.find("head-cards")
    assert len(gzip.compress(str(element).encode())) < 120_000
    assert len(element.select("tbody tr")) == FIRST
