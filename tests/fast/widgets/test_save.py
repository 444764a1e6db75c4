"""One file to send: a saved map in a browser that has no network."""

import re
import subprocess
import sys

import numpy as np
import pytest
from live_maps import choose

from manyheads.models.focus import load_focus_model
from manyheads.widgets import HeadMap

COFFEE = "Which do you like better, coffee or tea?"
TOKENS = ["[CLS]", "hot", "tea", "<or>", "[SEP]"]


def given():
    weights = np.random.default_rng(0).random((2, 3, 5, 5))
    return HeadMap.of(weights / weights.sum(-1, keepdims=True), TOKENS, head_names=["left", "mid", "right"])


def test_a_saved_map_is_there_in_full(opened):
    map = given()
    map.layer, map.query = 1, 2
    page = opened(map)
    found = page.locator("head-map").evaluate("(el) => ({ ...el.attention, weights: [...el.attention.weights] })")
    assert found["queryTokens"] == found["keyTokens"] == TOKENS
    assert found["headNames"] == ["left", "mid", "right"]
    np.testing.assert_allclose(found["weights"], map.attention.weights.ravel(), atol=1e-5)
    assert page.get_by_label("Layer", exact=True).input_value() == "1"
    assert page.get_by_label("Asked by").input_value() == "2"
    shown = page.locator("table.hm-paint td").evaluate_all(
        "(cells) => cells.map((cell) => Number(cell.dataset.weight))"
    )
    np.testing.assert_allclose(shown, map.attention.weights[1, :, 2].ravel(), atol=1e-4)
    assert page.locator("[role=status]").inner_text().startswith("Python computed this map.")


@pytest.mark.parametrize("view", ["Matrix", "Grid", "Lines", "Paint"])
def test_its_reader_chooses_view_layer_and_tokens(opened, view):
    page = opened(given())
    page.get_by_role("radio", name=view).check(force=True)
    assert page.locator("head-map .hm-stage").inner_text().strip()
    page.get_by_label("Layer", exact=True).select_option(label="2")
    choose(page, "Special tokens", "remove")
    assert "[CLS]" not in page.locator("head-map .hm-stage").inner_text()
    assert page.locator("head-map .hm-stage").inner_text().strip()
    assert page.get_by_role("textbox").count() == 0, "there is no model"


def test_heads_are_switched_off_and_on(opened):
    map = given()
    map.head_mask = [[True] * 3, [True, False, True]]
    map.layer = 1
    page = opened(map)
    pressed = "(all) => all.map((one) => one.ariaPressed)"
    toggles = page.locator("head-map button.hm-head")
    assert toggles.evaluate_all(pressed) == ["true", "false", "true"]
    assert page.locator("head-map .hm-off").count() == 1
    page.get_by_role("button", name="mid").click()
    page.get_by_role("button", name="right").click()
    assert toggles.evaluate_all(pressed) == ["true", "true", "false"]
    assert page.locator("head-map .hm-off").inner_text().split()[0] == "right"


def test_a_picture_is_saved_of_it(opened):
    page = opened(given())
    page.get_by_text("Share or save").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_several_maps_stand_one_below_the_other(opened):
    models = [load_focus_model("heads-2"), load_focus_model("heads-8")]
    page = opened(HeadMap("Tea?", models=models, compare="Coffee!", layer=0, head=1))
    assert page.locator("h2").all_inner_texts() == [
        "focus/heads-2: Tea?",
        "focus/heads-2: Coffee!",
        "focus/heads-8: Tea?",
        "focus/heads-8: Coffee!",
    ]
    shapes = page.locator("head-map").evaluate_all("(all) => all.map((one) => one.attention.shape)")
    assert shapes == [[1, 2, 4, 4]] * 2 + [[1, 8, 4, 4]] * 2
    assert "Coffee!" not in page.title()


def test_what_is_no_data_is_small(tmp_path):
    tokens = [str(place) for place in range(64)]
    map = HeadMap.of(np.full((6, 12, 64, 64), 1 / 64), tokens, view="matrix")
    whole = map.save(tmp_path / "large.html").read_text(encoding="utf-8")
    figure = re.search(r"<head-map .*?</head-map>", whole, re.DOTALL)[0]
    assert len(whole.encode()) - len(figure.encode()) < 150_000
    assert not re.search(r"(?:src|href)=[\"']?https?:", whole)
    assert whole.index('<meta charset="utf-8">') < 200


def test_what_was_typed_cannot_break_out(opened):
    page = opened(HeadMap("</title><script>alert(1)</script>", model=load_focus_model()))
    assert page.title() == "</title><script>alert(1)</script>"
    assert page.locator("script:not([type])").count() == 0


def test_a_file_that_could_not_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    map = HeadMap.of(np.full((1, 1, 80, 80), 1 / 80))
    path = map.save(tmp_path / "map.html")
    before = path.read_bytes()

    def full(map):
        yield "AAAA"
        raise OSError("No space left on device")

    monkeypatch.setattr("manyheads.widgets.head_map.digits_of", full)
    with pytest.raises(OSError, match="No space left"):
        map.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


LARGE = """
import resource
import numpy as np
from manyheads.widgets import HeadMap
peak = lambda: 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
weights = np.full((8, 12, 448, 448), 1 / 448, np.float32)
map = HeadMap.of(weights)
before = peak()
size = map.save("map.html").stat().st_size
print(peak() - before, size, len(map._repr_mimebundle_()[0]["text/html"]), weights.nbytes)
"""


def test_a_large_map_is_saved_with_less_memory_than_it_has(tmp_path):
    done = subprocess.run([sys.executable, "-c", LARGE], cwd=tmp_path, capture_output=True, text=True, check=True)
    more, size, html, weights = map(int, done.stdout.split())
    assert more < weights
    assert size < weights
    assert html < 10e6


def test_a_token_that_no_file_can_hold_is_replaced(tmp_path, opened):
    map = HeadMap.of([[1.0]], ["\ud800tea"])
    assert map.attention.key_tokens == ["\ufffdtea"]
    assert "\ufffdtea" in map.save(tmp_path / "map.html").read_text(encoding="utf-8")
