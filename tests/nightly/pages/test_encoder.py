"""The pretrained encoder in the built book: asked for, fetched once, live; every view of its seventy-two heads."""

import json

import numpy as np
import pytest
from conftest import HTML, VIEWPORT, watched
from live_maps import CONTRAST, assert_unmoved, boxes, choose, ready, renew
from mixed_sentences import sentences

from manyheads.maps import AttentionMap
from manyheads.maps.names import FULL
from manyheads.models.encoder import load_encoder

CHAPTER = "book/real-heads"
MODELS = HTML / "_static" / "manyheads" / "models"
SENTENCE = "The bank of the river was muddy."  # 10 tokens


def open_map(page, site):
    page.goto(f"{site}/{CHAPTER}.html")
    return page.locator('head-map[model="encoder"]').first


def show(map, view="grid", sentence=SENTENCE):
    """Loads the encoder and shows a sentence in a view; gives the map."""
    ready(map)
    map.evaluate("(el, view) => el.setAttribute('view', view)", view)
    attend(map, sentence)
    by_layer = map.get_by_role("button", name="Sort by layer")
    if by_layer.is_visible():
        by_layer.click()
    return map


@pytest.fixture(scope="module")
def loaded(browser, site):
    """A page that stays open for all tests here, its encoder loaded; and its faults."""
    faults = []
    with watched(browser, site, faults) as context:
        page = context.new_page()
        ready(open_map(page, site))
        yield page, faults


@pytest.fixture
def untouched(loaded):
    """The first map of the loaded page, as the server sends it."""
    page, faults = loaded
    page.set_viewport_size(VIEWPORT)
    page.mouse.move(0, 0)  # a word that lies under it would ask
    yield renew(page, 'head-map[model="encoder"]')
    assert not faults


def attend(map, sentence):
    """What `el.attention` is after `el.sentence` was set, as an `AttentionMap`."""
    found = map.evaluate(
        """async (el, sentence) => {
          const seen = new Promise((done) => el.addEventListener("attention", done, { once: true }));
          el.sentence = sentence;
          await seen;
          return { ...el.attention, hidden: null, weights: [...el.attention.weights] };
        }""",
        sentence,
    )
    weights = np.array(found["weights"], np.float32).reshape(found["shape"])
    return AttentionMap(
        found["queryTokens"], found["keyTokens"], weights, found["headNames"], notes=tuple(found["notes"])
    )


def attention(map):
    """`el.attention` as it is."""
    found = map.evaluate("(el) => ({ ...el.attention, hidden: null, weights: [...el.attention.weights] })")
    weights = np.array(found["weights"], np.float32).reshape(found["shape"])
    return AttentionMap(found["queryTokens"], found["keyTokens"], weights, found["headNames"])


def shown(map):
    """The weights of all visible cells, in the page's order."""
    cells = map.locator("td[data-weight]:visible")
    return np.array(cells.evaluate_all("(cells) => cells.map((cell) => Number(cell.dataset.weight))"))


def total_megabytes():
    files = json.loads((MODELS / "encoder.json").read_text())["files"].values()
    assert {file["name"]: file["packed"] for file in files} == {
        file["name"]: (MODELS / file["name"]).stat().st_size for file in files
    }
    return sum(file["packed"] for file in files) / 1e6


def test_the_download_is_as_small_as_was_promised():
    sizes = {path.name: path.stat().st_size / 1e6 for path in MODELS.glob("*.gz")}
    assert sizes["encoder.safetensors.gz"] + sizes["tokenizer.json.gz"] <= 25


def test_nothing_large_comes_before_the_reader_asks_and_what_was_typed_is_answered(context, site):
    page, fetched = context.new_page(), []
    page.on("request", lambda request: fetched.append(request.url.rsplit("/", 1)[-1].split("?")[0]))
    map = open_map(page, site)
    button = map.get_by_role("button", name="Load the encoder")
    button.wait_for()
    assert button.inner_text() == f"Load the encoder ({total_megabytes():.1f} MB)"
    box = map.get_by_role("textbox", name="Sentence")
    box.fill("I am ear")
    box.fill("I am early.")
    before = shown(map)
    assert before.size > 5, "the baked map"
    map.get_by_text("answered once the encoder has loaded").wait_for()
    for view in ("Paint", "Matrix", "Lines", "Grid"):
        map.get_by_role("radio", name=view).check()
    np.testing.assert_array_equal(shown(map), before)
    assert not {name for name in fetched if name.endswith((".gz", ".mjs")) or "worker" in name}
    button.press("Enter")
    page.wait_for_function("(el) => el.attention.queryTokens[3] === 'early'", arg=map.element_handle())
    assert map.evaluate("(el) => el.contains(document.activeElement)"), "the button goes, the focus stays"
    assert box.input_value() == "I am early."
    assert map.get_by_role("status").inner_text().startswith("Ready")
    assert button.count() == 0


def test_a_second_visit_fetches_nothing_and_needs_no_network(context, site, faults):
    page = context.new_page()
    show(open_map(page, site))
    page.close()
    page, fetched = context.new_page(), []
    page.on("request", lambda request: fetched.append(request.url) if "/models/" in request.url else None)
    map = open_map(page, site)
    page.wait_for_function("(el) => el.innerText.includes('Ready')", arg=map.element_handle())
    assert [url.rsplit("/", 1)[-1] for url in set(fetched)] == ["encoder.json"]
    page.goto(f"{site}/{CHAPTER}.html")
    page.route("**/models/*", lambda route: route.abort())
    map = page.locator('head-map[model="encoder"]').first
    ready(map)
    assert attend(map, "Without a network.").key_tokens[1] == "without"
    faults[:] = [fault for fault in faults if "ERR_FAILED" not in fault]


def test_a_download_cut_short_is_told_and_the_next_try_works(page, site, faults):
    whole = (MODELS / "encoder.safetensors.gz").read_bytes()
    page.route("**/encoder.safetensors.gz*", lambda route: route.fulfill(body=whole[: len(whole) // 2]))
    map = open_map(page, site)
    before = shown(map)
    map.get_by_role("textbox", name="Sentence").fill("Is this lost?")
    map.get_by_role("button", name="Load the encoder").click()
    again = map.get_by_role("button", name="Try again")
    again.wait_for()
    assert "a part of it arrived damaged." in map.get_by_role("status").inner_text()
    np.testing.assert_array_equal(shown(map), before)
    page.unroute("**/encoder.safetensors.gz*")
    again.click()
    page.wait_for_function("(el) => el.attention.queryTokens.includes('lost')", arg=map.element_handle())
    faults.clear()


def test_an_encoder_that_stops_can_be_started_again(context, site, faults):
    page = context.new_page()
    map = show(open_map(page, site))
    page.workers[0].evaluate("() => { setTimeout(() => { throw new Error('no memory') }) }")
    map.get_by_role("textbox", name="Sentence").fill("Still there?")
    again = map.get_by_role("button", name="Try again")
    again.wait_for()
    assert "The map could not be computed: the model stopped" in map.get_by_role("status").inner_text()
    assert attention(map).key_tokens[1:3] == ["the", "bank"], "what was shown stays"
    again.click()
    page.wait_for_function("(el) => el.attention.queryTokens.includes('still')", arg=map.element_handle())
    assert map.get_by_role("status").inner_text().startswith("Ready")
    faults.clear()


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "no cache"])
def test_all_figures_of_a_page_share_one_engine(context, site, kept):
    page, fetched = context.new_page(), []
    if not kept:  # as without https
        page.add_init_script("delete globalThis.caches; delete Window.prototype.caches")
    page.on("request", lambda request: fetched.append(request.url) if ".gz" in request.url else None)
    map = open_map(page, site)
    page.evaluate(
        """() => {
          const second = document.createElement("head-map");
          for (const [name, value] of [["id", "second"], ["model", "encoder"], ["sentence", "Two."]]) second.setAttribute(name, value);
          document.querySelector("article").append(second);
        }"""
    )
    second = page.locator("#second")
    second.scroll_into_view_if_needed()
    second.get_by_role("button", name="Load the encoder").wait_for()
    map.get_by_role("button", name="Load the encoder").click()
    page.wait_for_function("() => document.querySelector('#second').attention?.keyTokens[1] === 'two'")
    assert len(fetched) == len(set(fetched)) == 2


def test_attention_in_the_built_page_is_attention_in_torch(untouched):
    map, encoder = show(untouched), load_encoder()
    expected = [None]
    untouched.page.route("**/expected-weights", lambda route: route.fulfill(body=expected[0]))
    found = []
    for sentence in list(sentences())[::7]:  # each script, and all of them mixed; tests/web has the other lengths
        ours = encoder(sentence)
        expected[0] = ours.weights.tobytes()
        found.append(
            map.evaluate(
                """async (el, sentence) => {
                  const seen = new Promise((done) => el.addEventListener("attention", done, { once: true }));
                  el.sentence = sentence;
                  await seen;
                  const { weights, shape, queryTokens } = el.attention;
                  const expected = new Float32Array(await (await fetch("../expected-weights")).arrayBuffer());
                  let [largest, sum, rows] = [0, 0, 0];
                  for (let row = 0; row < weights.length; row += shape[3]) {
                    let total = 0;
                    for (let at = row; at < row + shape[3]; at++) {
                      total += weights[at];
                      const difference = Math.abs(weights[at] - expected[at]);
                      sum += difference;
                      if (!(difference <= largest)) largest = difference;
                    }
                    rows = Math.max(rows, Math.abs(total - 1));
                  }
                  return { largest, mean: sum / weights.length, rows, shape, queryTokens, count: expected.length };
                }""",
                sentence,
            )
        )
        assert found[-1]["queryTokens"] == ours.query_tokens
        assert found[-1]["shape"] == list(ours.shape)
        assert found[-1]["count"] == ours.weights.size
    largest, mean, rows = (max(one[key] for one in found) for key in ("largest", "mean", "rows"))
    print(f"{len(found)} sentences: largest {largest:.4f}, largest mean {mean:.6f}, rows {rows:.1e}")
    assert largest <= 0.03
    assert mean <= 0.001
    assert rows <= 1e-5


PIXELS = """(el) => {
  const canvas = el.querySelector(".hm-grid canvas");
  const paper = canvas.getContext("2d", { willReadFrequently: true });
  const [layers, heads, queries, keys] = el.attention.shape;
  const across = Math.round(canvas.getBoundingClientRect().width / el.querySelector(".hm-grid button").getBoundingClientRect().width);
  const step = canvas.width / across, gap = 2;
  const alphas = [];
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0; head < heads; head++)
      for (let query = 0; query < queries; query++)
        for (let key = 0; key < keys; key++) {
          const [row, column] = across === heads ? [layer, head] : [head, layer];
          const x = Math.floor(column * step + gap + (key + 0.5) * (step - 2 * gap) / keys);
          const y = Math.floor(row * step + gap + (query + 0.5) * (step - 2 * gap) / queries);
          alphas.push(paper.getImageData(x, y, 1, 1).data[3]);
        }
  return alphas;
}"""


@pytest.mark.parametrize("width", [360, 1400])
def test_the_grid_shows_every_weight_of_every_head(untouched, width):
    untouched.page.set_viewport_size({"width": width, "height": 900})
    map = show(untouched)
    weights = attention(map).weights
    shares = np.minimum(weights / FULL, 1)  # the scale is the same for every row of every map
    np.testing.assert_allclose(map.evaluate(PIXELS), 255 * shares.ravel(), atol=0.51)
    assert map.locator(".hm-grid button").count() == 72
    assert untouched.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_head_of_the_grid_is_enlarged_to_a_table(untouched):
    map = show(untouched)
    weights = attention(map).weights
    np.testing.assert_allclose(shown(map), weights[0, 0, 0], atol=5.1e-5, err_msg="one head is painted below")
    map.get_by_role("button", name="Enlarge layer 3, head 5", exact=True).click()
    table = map.get_by_role("table", name="layer 3, head 5: rows ask")
    assert table.locator("td").count() == 100
    np.testing.assert_allclose(shown(map), weights[2, 4].ravel(), atol=5.1e-5)
    map.get_by_role("button", name="Shrink layer 3, head 5").click()
    assert table.count() == 0

    map.get_by_role("button", name="Enlarge layer 3, head 5", exact=True).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
        untouched.page.keyboard.press(key)
    np.testing.assert_allclose(shown(map), weights[3, 5, 0], atol=5.1e-5, err_msg="the row follows the keyboard")
    untouched.page.keyboard.press("Enter")
    np.testing.assert_allclose(shown(map), weights[3, 5].ravel(), atol=5.1e-5)
    assert map.evaluate("(el) => document.activeElement.ariaExpanded") == "true"
    assert map.locator(".hm-grid button[tabindex='0']").count() == 1


def test_a_head_turned_off_is_off_in_the_grid_and_for_later_layers(untouched):
    map = show(untouched)
    before = attention(map).weights
    choose(map, "Layer", "2")
    map.evaluate("(el) => { el.seen = new Promise((done) => el.addEventListener('attention', done, { once: true })) }")
    map.get_by_role("button", name="head 4", exact=True).click()
    map.evaluate("(el) => el.seen")
    mask = np.ones((6, 12), dtype=bool)
    mask[1, 3] = False
    after = attention(map).weights
    np.testing.assert_allclose(after, load_encoder()(SENTENCE, mask).weights, atol=0.03)
    assert np.abs(after - before)[2:].max() > 0.05
    assert map.get_by_role("button", name="head 4", exact=True).get_attribute("aria-pressed") == "false"


def test_the_layers_heads_are_painted_and_drawn_as_matrices(untouched):
    map = show(untouched, "paint")
    weights = attention(map).weights
    choose(map, "Layer", "5")
    np.testing.assert_allclose(shown(map), weights[4, :, 0].ravel(), atol=5.1e-5)
    map.get_by_role("radio", name="Matrix").check()
    np.testing.assert_allclose(shown(map), weights[4].ravel(), atol=5.1e-5)


def test_lines_are_as_strong_as_the_weights(untouched):
    map = show(untouched, "lines")
    weights = attention(map).weights[0]
    lines = map.locator(".hm-lines path")
    assert lines.count() == min((weights[:, 0] >= 0.01).sum(), 800)  # the first word asks, until another does
    choose(map, "Head", "head 3")
    widths = lines.evaluate_all("(paths) => paths.map((path) => Number(path.getAttribute('stroke-width')))")
    drawn = np.sort(weights[2, 0][weights[2, 0] >= 0.01])
    np.testing.assert_allclose(widths, 1 + 3.5 * drawn, atol=0.0051)
    map.get_by_role("list", name="Words that ask").get_by_role("button", name="river").hover()
    assert lines.count() == (weights[2, 5] >= 0.01).sum()
    told = map.locator(".hm-stage .hm-hint").first.inner_text()
    best = attention(map).key_tokens[weights[2, 5].argmax()]
    assert told.startswith(f"“river” looks most at {best}")
    map.get_by_role("textbox", name="Sentence").hover()
    assert lines.count() == len(drawn)
    words = map.get_by_role("list", name="Words looked at").get_by_role("button")
    words.first.focus()
    untouched.page.keyboard.press("ArrowDown")
    assert lines.count() == (weights[2, :, 1] >= 0.01).sum()


def test_special_tokens_are_kept_dimmed_or_removed_in_every_view(untouched):
    map = show(untouched, "paint")
    whole = attention(map)
    stripped = whole.without_special()
    choose(map, "Special tokens", "remove")
    rows = shown(map).reshape(12, 8)
    np.testing.assert_allclose(rows.sum(1), 1, atol=5e-4)
    np.testing.assert_allclose(rows, stripped.weights[0, :, 0], atol=5.1e-5)
    map.get_by_role("radio", name="Matrix").check()
    np.testing.assert_allclose(shown(map), stripped.weights[0].ravel(), atol=5.1e-5)
    map.get_by_role("radio", name="Lines").check()
    assert map.get_by_role("list", name="Words looked at").get_by_role("listitem").count() == 8
    map.get_by_role("radio", name="Grid").check()
    assert map.locator(".hm-grid canvas").get_attribute("data-drawn") == "6 12 8 8"
    np.testing.assert_array_equal(attention(map).weights, whole.weights)
    choose(map, "Asked by", "river")
    np.testing.assert_allclose(shown(map), stripped.weights[0, 0, 4], atol=5.1e-5)
    choose(map, "Special tokens", "dim")
    np.testing.assert_allclose(shown(map), whole.weights[0, 0, 5], atol=5.1e-5)
    assert map.locator("td.hm-faint:visible").count() == 2
    for view in ("Paint", "Matrix", "Lines"):
        map.get_by_role("radio", name=view).check()
        assert map.get_by_role("combobox", name="Special tokens").input_value() == "dim"


def test_heads_are_averaged_and_layers_rolled_out(untouched):
    map = show(untouched, "matrix")
    whole = attention(map)
    choose(map, "Heads", "average")
    np.testing.assert_allclose(shown(map), whole.average().weights[0].ravel(), atol=5.1e-5)
    choose(map, "Layers", "rollout")
    choose(map, "Layer", "6")
    np.testing.assert_allclose(shown(map), whole.rollout().weights[5].ravel(), atol=5.1e-5)
    map.get_by_role("radio", name="Grid").check()
    assert map.locator(".hm-grid button").count() == 6
    assert map.get_by_role("button", name="head 1", exact=True).get_attribute("aria-pressed") == "true"


def test_the_last_keystroke_wins(untouched):
    map = show(untouched)
    shapes = map.evaluate(
        """async (el) => {
          const shapes = [];
          const box = el.querySelector(".hm-sentence");
          const done = new Promise((done) => el.addEventListener("attention", ({ detail }) => {
            shapes.push(detail.shape[3]);
            if (detail.shape[3] === 22) done();
          }));
          for (let words = 1; words <= 20; words++) {
            box.value = "a ".repeat(words);
            box.dispatchEvent(new Event("input", { bubbles: true }));
          }
          await done;
          await el.ready;
          return shapes;
        }"""
    )
    assert shapes == [22]
    assert map.get_by_role("textbox", name="Sentence").input_value() == "a " * 20


def test_a_second_sentence_is_compared(untouched):
    map = show(untouched, "paint", "The bank of the river.")
    map.get_by_role("button", name="Compare").click()
    map.get_by_role("textbox", name="Compare with").fill("The bank of the city.")
    map.locator("td.hm-only", has_text="city").first.wait_for()
    moved = [float(text.split()[1]) for text in map.locator("tr:nth-child(2) th").all_inner_texts()]
    assert len(moved) == 12
    assert moved == sorted(moved, reverse=True)


@pytest.mark.parametrize("view", ["paint", "matrix", "grid", "lines"])
def test_a_text_of_512_tokens_is_drawn_and_called_long(untouched, view):
    map = show(untouched, view)
    shape = map.evaluate(
        """async (el) => {
          const seen = new Promise((done) => el.addEventListener("attention", done, { once: true }));
          el.sentence = "the bank of the river ".repeat(200);
          await seen;
          return el.attention.shape;
        }"""
    )
    assert shape == [6, 12, 512, 512]
    said = map.get_by_role("status").inner_text()
    assert "reads at most 512 tokens; the last 490 are left out" in said
    assert "This text is long (512 tokens)" in said
    if view in ("matrix", "grid"):
        map.get_by_role("button", name="Enlarge").nth(1).click()
        blank = "(canvases) => canvases.map((canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.every((byte) => byte === 0))"
        canvases = map.locator("canvas:visible")
        assert canvases.evaluate_all(blank) == [False] * (12 if view == "matrix" else 2)
    assert map.evaluate("(el) => el.querySelectorAll('*').length") < 8000
    assert untouched.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("view", ["paint", "matrix", "grid", "lines"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_view_fits_and_is_readable(page, site, view, theme):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": 360, "height": 800})
    map = open_map(page, site)
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", theme)
    map.evaluate("(el, view) => { el.setAttribute('view', view); el.setAttribute('head', 1) }", view)
    for special in ("keep", "dim"):
        choose(map, "Special tokens", special)
        assert page.evaluate(CONTRAST) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_grid_is_a_picture_without_any_script(still, site):
    still.goto(f"{site}/{CHAPTER}.html")
    map = still.locator('head-map[model="encoder"][view="grid"]').first
    assert map.locator("img").is_visible()
    assert map.locator("td[data-weight]").first.is_visible()


def test_no_text_moves_when_the_script_takes_over(still, page, site):
    still.goto(f"{site}/{CHAPTER}.html")
    before = boxes(still.locator('head-map[view="grid"] td[data-weight]'))
    map = open_map(page, site)
    map.get_by_role("button", name="Load the encoder").wait_for()
    assert_unmoved(before, boxes(map.locator("td[data-weight]:visible")))
