"""The chapter on the language model, as its reader sees it."""

import re

import numpy as np
import pytest
from live_maps import choose, ready

from manyheads import load_decoder
from manyheads.maps.names import NOTES
from manyheads.models.decoder.measures import INDUCTION_HEADS

pytestmark = pytest.mark.xdist_group("decoder")


@pytest.fixture
def chapter(page, site):
    page.goto(f"{site}/book/decoder.html")
    return page.locator("article")


def rows(chapter, column):
    """The table that has a column of this name, as {first cell: the others}."""
    table = chapter.get_by_role("table").filter(has=chapter.page.get_by_role("columnheader", name=column, exact=True))
    cells = [row.get_by_role("cell").all_inner_texts() for row in table.get_by_role("row").all()]
    return {first: others for first, *others in filter(None, cells)}


def test_the_likeliest_words_are_pythons_own(chapter):
    found = rows(chapter, "likeliest next")
    assert found["“The capital of France is”"][0].startswith("Paris 77%")
    for start, (words,) in found.items():
        expected = load_decoder().next_words(start.strip("“”"), 4)
        assert words == ", ".join(f"{word.strip()} {share:.0%}" for word, share in expected.items())


def test_forty_prompts_say_what_each_absence_costs(chapter):
    found = {name: [float(cell) for cell in cells] for name, cells in rows(chapter, "of 8 new names").items()}
    on, roman, seven, others, roman_mean, seven_mean, masked = found.values()
    assert roman[0] < on[0] - 2
    assert roman[1] == on[1], "the head of the capitals is none of opposites"
    assert seven[3] < others[3] / 3
    assert roman_mean[0] <= roman[0]
    assert roman_mean[1] == on[1]
    assert seven_mean[3] < on[3] / 3
    assert masked[:3] == [0, 0, 0]
    assert masked[3] > 4


@pytest.mark.parametrize(
    "sentence",
    [
        r"after The wizard Z the model gives or 99\.\d%\.",
        r"The wizard is then called Zorin\.",
        r"Rome falls from 38% to 4%",
        r"goes on with Mary, 92%",
        r"the first token gets \d\d% of all attention",
        r"of 32 capitals, opposites and names, it gets none right",
        r"It takes Sydney for a capital",
    ],
)
def test_each_experiment_says_its_numbers(chapter, sentence):
    chapter.evaluate("(el) => el.querySelectorAll('details').forEach((drawer) => { drawer.open = true })")
    assert re.search(sentence, " ".join(chapter.inner_text().split()))


def test_the_map_is_a_triangle_and_the_seven_heads_look_where_the_name_went_on(chapter):
    map = chapter.locator("head-map").first
    ready(map)
    found = map.evaluate("(el) => ({ ...el.attention, weights: [...el.attention.weights] })")
    weights = np.array(found["weights"]).reshape(found["shape"])
    layers = map.get_by_role("combobox", name="Layer").get_by_role("option").all_inner_texts()
    assert layers == ["17", "18", "19", "24"]
    place = found["keyTokens"].index("or")
    for layer, head in INDUCTION_HEADS:
        row = weights[layers.index(str(layer + 1)), head, -1]
        assert row[1:].argmax() + 1 == place
    assert not np.triu(np.abs(weights).sum((0, 1)), 1).any()


def first_shares(map):
    """The first token's share of what is shown of each head, in the one row that asks: [head]."""
    rows = map.locator(".hm-paint tbody").evaluate_all(
        """(all) => all.map((body) => [...body.rows[0].querySelectorAll("td")].map((cell) => +cell.dataset.weight))"""
    )
    weights = np.array(rows)
    return weights[:, 0] / weights.sum(1)


def test_the_sink_fades_where_it_is_shown_what_heads_write(page, site):
    page.goto(f"{site}/book/decoder.html#sink")
    map, text = page.locator("#sink"), "The capital of Italy is"
    map.get_by_role("radio", name="Paint").check()
    map.get_by_role("combobox", name="Layer", exact=True).select_option(label="24")
    map.get_by_role("combobox", name="Asked by").select_option(label="is")
    attention = first_shares(map)
    choose(map, "Show", "amount written")
    assert NOTES["written"] in map.get_by_role("status").inner_text()
    assert "More (1 set)" in map.inner_text()
    written = first_shares(map)
    # A baked map of so many weights has two digits or three of each.
    expected = load_decoder()(text).value_weighted().weights[23, :, -1]
    np.testing.assert_allclose(written, expected[:, 0] / expected.sum(1), atol=0.02)
    assert attention.mean() > 0.6
    assert written.mean() < 0.6 * attention.mean()

    map.get_by_role("button", name="Load the language model").click()
    ready(map)
    np.testing.assert_allclose(first_shares(map), written, atol=0.02)
    map.get_by_role("button", name="Compare").click()
    map.get_by_role("textbox", name="Compare with").fill("The capital of France is")
    map.locator("td.hm-only", has_text="France").first.wait_for()
    pair = first_shares(map)  # of both sentences, head by head
    assert len(pair) == len(written)
    assert NOTES["written"] in map.get_by_role("status").inner_text()
    map.get_by_role("button", name="Stop comparing").click()
    map.locator("td.hm-only").first.wait_for(state="detached")

    choose(map, "Show", "attention")
    np.testing.assert_allclose(first_shares(map), attention, atol=0.02)
    assert NOTES["written"] not in map.get_by_role("status").inner_text()
