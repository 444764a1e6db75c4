"""The cache grows by a word; without one, all words are computed again."""

import re

import pytest
from figures import open_figure
from live_maps import seen

from manyheads import load_decoder

pytestmark = pytest.mark.xdist_group("decoder")


@pytest.fixture
def figure(page, site):
    return open_figure(page, site, "growing-cache")


def test_each_word_is_computed_once_with_a_cache_and_over_and_over_without(figure):
    write = figure.get_by_role("button", name="Write a word")
    for _ in range(4):
        write.click()
    cached, again = figure.get_by_role("list").all()
    assert cached.get_by_role("listitem").all_inner_texts() == ["Once", "upon", "a", "time", "there"]
    assert cached.get_by_label("kept").count() == 4
    assert again.get_by_label("computed").count() == 5
    computed = seen(figure, "so far").all_inner_texts()
    assert [re.findall(r"\d+", text) for text in computed] == [["1", "5"], ["5", "15"]]
    figure.get_by_role("button", name="Start over").click()
    assert cached.get_by_role("listitem").count() == 1


def test_its_bytes_are_those_of_pythons_cache(figure):
    for _ in range(4):
        figure.get_by_role("button", name="Write a word").click()
    decoder = load_decoder()
    _, _, cache = decoder.run(decoder.read("Once upon a time there")[0])
    numbers = sum(kept.numel() for layer in cache for kept in layer)
    said = seen(figure, "takes")
    assert f"these 5 words takes {2 * numbers / 1000:.0f} kB" in said.inner_text()
    figure.get_by_role("combobox", name="Heads of keys and values").select_option("9")
    assert f"takes {3 * 2 * numbers / 1000:.0f} kB" in said.inner_text()
    assert f"100,000 tokens would take {3 * 2 * numbers / 5 * 1e5 / 1e6:,.0f} MB" in said.inner_text()


def test_it_writes_on_by_itself_and_ends(figure):
    figure.get_by_role("button", name="Write on").click()
    seen(figure, "these 15 words").wait_for()
    assert figure.get_by_role("button", name="Write a word").get_attribute("aria-disabled") == "true"
