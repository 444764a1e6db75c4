"""The translation chapter in a real browser: French as one types, heads off, words it does not know, what is masked."""

import numpy as np
import pytest
from live_maps import ready

from manyheads import load_translator

SENTENCE = "The girls eat a green apple."
FRENCH = "Les filles mangent une pomme verte."


@pytest.fixture
def map(page, site):
    page.goto(f"{site}/book/translation.html")
    map = page.locator("head-map#translator")
    ready(map)
    return map


def box(map):
    """Where words are offered, a text box is a combobox."""
    return map.get_by_role("combobox", name="Sentence")


def type_sentence(map, text):
    """Types, and gives `el.attention`, which is there when the keystroke has been answered."""
    box(map).fill(text)
    found = map.evaluate("(el) => ({ ...el.attention, weights: [...el.attention.weights] })")
    return found | {"weights": np.array(found["weights"], np.float32).reshape(found["shape"])}


def words(map):
    return map.get_by_label("Translation").get_by_role("button").all_inner_texts()


def test_the_page_translates_as_python_does(map):
    found = type_sentence(map, SENTENCE)
    expected = load_translator()(SENTENCE)
    assert found["translation"] == expected.translation == FRENCH
    assert (found["queryTokens"], found["keyTokens"]) == (expected.query_tokens, expected.key_tokens)
    assert np.abs(found["weights"] - expected.weights).max() <= 1e-5
    assert words(map) == expected.query_tokens[:-1]


def test_a_french_word_asks(map):
    type_sentence(map, SENTENCE)
    map.get_by_label("Translation").get_by_role("button", name="pomme").click()
    assert map.get_by_role("table").get_attribute("aria-label") == "What each head looks at when pomme asks"
    cell = map.get_by_role("cell", name="pomme to apple:").first
    assert float(cell.get_attribute("data-weight")) > 0.9


def test_a_head_off_breaks_the_french(map):
    both_genders = "A black cow sees a black cat."
    whole = type_sentence(map, both_genders)["translation"]
    map.get_by_role("button", name="noun", exact=True).click()
    off = np.array([True, False, True, True])
    assert map.evaluate("(el) => el.attention.translation") == load_translator().translate(both_genders, off) != whole


def test_an_unknown_word_is_named_and_the_last_french_stays(map):
    type_sentence(map, SENTENCE)
    status = map.get_by_role("status")
    box(map).fill("The girls eat a green appel.")
    assert "does not know “appel”. Near ones that it knows: apple" in status.inner_text()
    assert words(map) == ["les", "filles", "mangent", "une", "pomme", "verte"]
    assert "hm-stale" in map.get_by_label("Translation").get_attribute("class")
    status.get_by_role("button", name="Use “apple”").click()
    assert box(map).input_value() == SENTENCE
    assert "hm-stale" not in map.get_by_label("Translation").get_attribute("class")
    for text, said in (("", "Type an English sentence"), ("the " * 60, "at most 14 words; this sentence has 60")):
        box(map).fill(text)
        assert said in status.inner_text()
    assert map.evaluate("(el) => el.attention.translation") == FRENCH


def test_words_are_offered_while_one_is_typed(map):
    type_sentence(map, SENTENCE)
    box(map).fill("The girls ea")
    offered = map.evaluate("(el) => [...el.querySelector('datalist').options].map(({ value }) => value)")
    assert offered == ["The girls eat", "The girls eats"]


def test_what_is_masked_is_no_zero(map):
    type_sentence(map, SENTENCE)
    map.get_by_role("slider", name="Model").fill("3")
    map.get_by_role("radio", name="Matrix").check()
    cell = map.get_by_role("cell", name="les to filles: masked", exact=True).first
    assert "hm-masked" in cell.get_attribute("class")
    assert map.get_by_role("cell", name="filles to mangent: masked", exact=True).first.is_visible()
    assert not map.get_by_role("cell", name="filles to les: masked", exact=True).count()
