"""Links, embeds and exports: what leaves a page holds the same numbers as the page."""

import csv
import io
import re
import shutil
from contextlib import contextmanager
from urllib.parse import parse_qs, quote, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from built import scripts
from conftest import HTML, Shared, new_context, serve
from live_maps import COFFEE, attend, choose, open_map, open_menu, ready, saved, type_sentence
from small_book import AUTHORS

from manyheads.maps import AttentionMap
from manyheads.models.focus import load_focus_model

SVG = "{http://www.w3.org/2000/svg}"
EVIL = """<img src=x onerror="document.title='hacked'"> & "quotes" 'too' #?&=+% \\"""


def copied(map, what):
    """What the menu's button leaves in its field."""
    button = map.get_by_role("button", name=f"Copy {what}", exact=True)
    if not button.is_visible():
        open_menu(map)
    button.click()
    field = map.get_by_role("textbox", name=what, exact=True)
    assert field.is_visible()
    return field.input_value()


def state_of(map):
    """All that a link should carry, and the weights."""
    return map.evaluate("""(el) => {
        const value = (label) => el.querySelector(`[aria-label="${label}"]`)?.value ?? null;
        return {
            view: el.querySelector("input[type=radio]:checked").value,
            choices: ["Sentence", "Compare with", "Asked by", "Layer", "Head", "Special tokens", "Heads", "Layers", "Model"].map(value),
            pressed: [...el.querySelectorAll("button.hm-head")].map((button) => button.ariaPressed),
            cells: [...el.querySelectorAll("td[data-weight]")].map((cell) => cell.dataset.weight),
            weights: [...el.attention.weights],
        } }""")


def in_new_profile(browser, link, place=0):
    """The state of the map that a link leads to, in a browser that was never there; and where the reader stands."""
    context = new_context(browser)
    faults = []
    context.on("console", lambda message: message.type == "error" and faults.append(message.text))
    context.on("weberror", lambda error: faults.append(str(error.error)))
    page = context.new_page()
    page.goto(link)
    map = page.locator("head-map").nth(place)
    ready(map)
    map.evaluate("() => new Promise(requestAnimationFrame)")
    found = state_of(map), map.evaluate("(el) => el.getBoundingClientRect().top < innerHeight"), page.title()
    context.close()
    assert not faults
    return found


def test_a_link_carries_the_whole_state_to_a_new_profile(browser, page, site):
    map = open_map(page, site)
    type_sentence(map, "The soup was good.")
    map.get_by_role("radio", name="Matrix").check()
    map.get_by_role("button", name="relation", exact=True).click()
    map.get_by_role("button", name="Compare").click()
    map.get_by_role("textbox", name="Compare with").fill("The soup was awful, and longer by far.")
    choose(map, "Special tokens", "dim")
    map.get_by_role("combobox", name="Asked by").select_option(label="soup")
    map.get_by_role("button", name="Enlarge object").click()
    link = copied(map, "link")
    assert "soup" in urlsplit(link).fragment
    assert not urlsplit(link).query, "no server is told what the reader typed"
    there, _, _ = in_new_profile(browser, link)
    assert there == state_of(map)
    assert there["choices"][:3] == ["The soup was good.", "The soup was awful, and longer by far.", "2"]
    assert there["pressed"] == ["true", "true", "false", "true"]


def test_a_link_names_one_of_many_maps_and_leads_there(browser, page, site):
    page.goto(f"{site}/book/coffee-or-tea.html")
    live = page.locator("head-map").evaluate_all("(maps) => maps.map((el) => el.matches('[model], [models]'))")
    last = len(live) - 1 - live[::-1].index(True)
    assert last > 0
    map = page.locator("head-map").nth(last)
    ready(map)
    slider = map.get_by_role("slider", name="Model")
    if slider.count():
        slider.fill("1")
    type_sentence(map, "Only the last one says so, in more words than before.")
    there, in_sight, _ = in_new_profile(browser, copied(map, "link"), place=last)
    assert there == state_of(map)
    assert in_sight
    first = page.locator("head-map").first
    ready(first)
    other, _, _ = in_new_profile(browser, copied(map, "link"), place=0)
    assert other["weights"] == state_of(first)["weights"], "the others are as they were"


def test_what_stands_in_a_link_is_text_and_nothing_else(browser, page, site):
    map = open_map(page, site)
    title = page.title()
    type_sentence(map, EVIL)
    there, _, name = in_new_profile(browser, copied(map, "link"))
    assert there["choices"][0] == EVIL
    assert there["weights"] == state_of(map)["weights"]
    assert name == title


def test_a_broken_link_still_gives_a_map(browser, page, site):
    said = (
        "map=1&view=spiral&layer=-1&head=x&query=99999&off=9.9+7&special=%FF&model=nobody&sentence=Tea%3F&constructor=1"
    )
    there, _, _ = in_new_profile(browser, f"{site}/book/index.html#{said}")
    assert there["view"] == "paint"
    assert there["choices"][0] == "Tea?"
    np.testing.assert_allclose(there["weights"], load_focus_model()("Tea?").weights.ravel(), atol=1e-5)


def test_an_open_page_follows_a_new_link(page, site):
    map = open_map(page, site)
    page.evaluate("() => { location.hash = 'map=1&sentence=Hello.&off=0.3' }")
    page.wait_for_function("() => document.querySelector('head-map').attention.queryTokens[1] === 'hello'")
    assert map.get_by_role("button", name="sentiment").get_attribute("aria-pressed") == "false"


def test_the_clipboard_or_else_a_marked_field(browser, page, site):
    map = open_map(page, site)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = copied(map, "link")
    map.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == link
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new DOMException('no')) }")
    copied(map, "tag")
    map.get_by_text("Copy the marked text.").wait_for()
    assert page.evaluate("getSelection().toString()") == map.get_by_role("textbox", name="tag").input_value()


def test_the_menu_is_used_by_keyboard(page, site):
    map = open_map(page, site)
    summary = map.locator("details.hm-menu > summary")
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "link"
    page.keyboard.press("Enter")
    assert map.get_by_role("textbox", name="link").input_value().startswith(site)
    page.keyboard.press("Escape")
    assert not map.get_by_role("button", name="Copy link").is_visible()
    assert summary.evaluate("(el) => el === document.activeElement")


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_the_menu_fits(page, site, width):
    page.set_viewport_size({"width": width, "height": 800})
    map = open_map(page, site)
    copied(map, "frame")
    outer = map.bounding_box()
    for node in map.locator("details.hm-menu :is(button, textarea)").all():
        box = node.bounding_box()
        assert box["x"] >= outer["x"]
        assert box["x"] + box["width"] <= outer["x"] + outer["width"]
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_map_that_stands_still_can_be_shared_as_it_is_shown(browser, page, site):
    page.goto(f"{site}/book/coffee-or-tea.html")
    still = page.locator("head-map:not([model], [models])").first
    place = still.evaluate("(el) => [...document.querySelectorAll('head-map')].indexOf(el)")
    ready(still)
    still.get_by_role("radio", name="Matrix").check()
    open_menu(still)
    assert still.locator(".hm-menu button").all_inner_texts() == ["link", "SVG", "PNG", "CSV"]
    there, _, _ = in_new_profile(browser, copied(still, "link"), place)
    assert there == state_of(still)


def test_a_link_to_a_bug_turns_its_switch_on(browser, page, site):
    page.goto(f"{site}/book/museum.html")
    piece = page.locator("museum-piece").first
    map = piece.locator("head-map")
    ready(map)
    piece.get_by_role("switch").check()
    page.wait_for_function(
        "() => document.querySelector('museum-piece head-map [role=status]').textContent.startsWith('Ready')"
    )
    link, weights = copied(map, "link"), state_of(map)["weights"]
    assert "model=focus%2Fbug-" in link
    context = new_context(browser)
    there = context.new_page()
    there.goto(link)
    ready(there.locator("museum-piece head-map").first)
    assert there.get_by_role("switch").first.is_checked()
    assert there.locator("table.mp-changes").first.is_visible()
    assert state_of(there.locator("head-map").first)["weights"] == weights
    context.close()


KERNEL = """async (module) => {
    const { default: door } = await import(module);
    const traits = { sentence: "Tea", compare: null, view: "matrix", layer: 0, head: null, query: 0, head_mask: null, model_index: 0,
        special: "keep", heads: "each", layers: "one", _models: ["mine"], _computes: true, _status: "Ready.", _compared: null,
        _attention: { queryTokens: ["tea"], keyTokens: ["tea"], shape: [1, 1, 1, 1], weights: [1], headNames: ["head 1"], predictions: {} } };
    document.body.replaceChildren(document.createElement("main"));
    door.render({ model: { get: (name) => traits[name], on() {}, off() {} }, el: document.querySelector("main") });
}"""


def test_a_notebook_only_saves(page, site):
    page.goto(f"{site}/embed.html")
    page.evaluate(KERNEL, f"{site}/{scripts()}/head-map.js")
    map = page.locator("main")
    assert map.locator(".hm-menu > summary").inner_text() == "Save"
    assert map.locator(".hm-menu button").evaluate_all("(all) => all.map((one) => one.textContent)") == [
        "SVG",
        "PNG",
        "CSV",
    ]
    assert read_csv(saved(page, map, "CSV")[0]) == {(0, 0, 0, 0): 1}


# ----------------------------------------------------------------------------------------------------------- exports


def read_svg(contents):
    """The weights of a picture: {(layer, head, query, key): weight}."""
    root = ElementTree.fromstring(contents)
    found = {}

    def walk(node, inherited):
        known = inherited | {
            name: int(node.get(f"data-{name}"))
            for name in ("layer", "head", "query", "key")
            if node.get(f"data-{name}")
        }
        if "data-enlarged" in node.attrib:
            return
        if node.get("data-weight"):
            place = tuple(known[name] for name in ("layer", "head", "query", "key"))
            assert place not in found
            found[place] = np.float32(node.get("data-weight"))
        for child in node:
            walk(child, known)

    walk(root, {})
    return found


def read_csv(contents):
    return {
        tuple(int(row[name]) for name in ("layer", "head", "query", "key")): np.float32(row["weight"])
        for row in csv.DictReader(io.StringIO(contents.decode()))
    }


def expected(map, view):
    """`el.attention` by place; Paint and Lines show one query."""
    found = map.evaluate("(el) => ({ shape: el.attention.shape, weights: [...el.attention.weights] })")
    weights = np.array(found["weights"], np.float32).reshape(found["shape"])
    return {place: weight for place, weight in np.ndenumerate(weights) if view in ("matrix", "grid") or place[2] == 3}


@pytest.mark.parametrize("view", ["paint", "matrix", "grid", "lines"])
def test_saved_pictures_and_tables_hold_the_weights(page, site, view):
    map = open_map(page, site)
    attend(map, 'He said "no", & <left> the old dog.')
    map.get_by_role("combobox", name="Asked by").select_option("3")
    map.get_by_role("radio", name=view.capitalize()).check()
    if view == "lines":
        map.get_by_role("combobox", name="Head", exact=True).select_option("all")
    weights = expected(map, view)
    svg, name = saved(page, map, "SVG")
    assert name == f"he-said-no-left-the-old-{view}.svg"
    lines = sorted(weights.items(), key=lambda found: found[1])[-800:]
    drawn = {place: weight for place, weight in lines if weight >= 0.01} if view == "lines" else weights
    assert read_svg(svg) == drawn, "to the last bit of a float32"
    table, _ = saved(page, map, "CSV")
    assert read_csv(table) == weights
    assert table.decode().splitlines()[0] == AttentionMap(["a"], ["a"], [[[[1]]]]).to_csv().splitlines()[0]
    png, _ = saved(page, map, "PNG")
    width, height = (int.from_bytes(png[at : at + 4]) for at in (16, 20))
    root = ElementTree.fromstring(svg)
    assert (width, height) == (2 * int(root.get("width")), 2 * int(root.get("height")))
    assert len(png) > 5_000


def test_what_is_saved_is_what_is_shown(page, site):
    map = open_map(page, site)
    attend(map, "The soup was good.")
    map.get_by_role("button", name="object", exact=True).click()
    choose(map, "Special tokens", "remove")
    choose(map, "Heads", "average")
    cells = map.locator("td[data-weight]").evaluate_all("(cells) => cells.map((cell) => Number(cell.dataset.weight))")
    for read, kind in ((read_csv, "CSV"), (read_svg, "SVG")):
        np.testing.assert_allclose(list(read(saved(page, map, kind)[0]).values()), cells, atol=5.1e-5)
    choose(map, "Heads", "each")
    map.get_by_role("button", name="Compare").click()
    map.get_by_role("textbox", name="Compare with").fill("The soup was awful indeed.")
    rows = list(csv.DictReader(io.StringIO(saved(page, map, "CSV")[0].decode())))
    assert [row["key_token"] for row in rows if (row["sentence"], row["head"]) == ("2", "0")] == [
        "the",
        "soup",
        "was",
        "awful",
        "indeed",
        ".",
    ]
    cells = map.locator("td[data-weight]").evaluate_all("(cells) => cells.map((cell) => Number(cell.dataset.weight))")
    np.testing.assert_allclose([float(row["weight"]) for row in rows], cells, atol=5.1e-5)


# ------------------------------------------------------------------------------------------------------------ embeds


@contextmanager
def stranger(tmp_path, html):
    """The address of somebody else's page, of another origin."""
    (tmp_path / "page.html").write_text(
        f"<!DOCTYPE html><meta charset='utf-8'><link rel='icon' href='data:,'>{html}", encoding="utf-8"
    )
    with serve(tmp_path) as address:
        yield f"{address}/page.html"


@pytest.fixture
def abroad(browser, faults):
    """A page that may ask any host; errors still fail the test."""
    context = new_context(browser, viewport={"width": 1000, "height": 800})
    context.on("response", lambda response: response.status >= 400 and faults.append(response.url))
    context.on("console", lambda message: message.type == "error" and faults.append(message.text))
    context.on("weberror", lambda error: faults.append(str(error.error)))
    yield context.new_page()
    context.close()
    assert not faults


def test_the_copied_tag_works_on_a_page_of_another_origin(abroad, page, tmp_path):
    with serve(HTML, Shared) as site:
        map = open_map(abroad, site)
        type_sentence(map, 'Is "tea" < coffee?')
        map.get_by_role("button", name="object", exact=True).click()
        tag, weights = copied(map, "tag"), state_of(map)["weights"]
        with stranger(tmp_path, tag) as address:
            abroad.goto(address)
            map = abroad.locator("head-map")
            ready(map)
            assert state_of(map)["weights"] == weights
            assert state_of(map)["pressed"] == ["true", "false", "true", "true"]
            assert map.evaluate("(el) => getComputedStyle(el).display") == "flex", (
                "the stylesheet beside the module is there"
            )
            assert not [
                name
                for name in abroad.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
                if not name.startswith((site, "data:"))
            ]


def test_the_encoder_works_on_a_page_of_another_origin(abroad, tmp_path):
    with serve(HTML, Shared) as site:
        tag = f'<script type="module" src="{site}/_static/manyheads/head-map.js"></script><head-map model="encoder" sentence="The bank." off="5.11"></head-map>'
        with stranger(tmp_path, tag) as address:
            abroad.goto(address)
            ready(abroad.locator("head-map"))
            shape, spoken = abroad.locator("head-map").evaluate(
                "(el) => [el.attention.shape, el.attention.queryTokens]"
            )
    assert (shape, spoken) == ([6, 12, 5, 5], ["[CLS]", "the", "bank", ".", "[SEP]"])


def test_the_copied_frame_works_on_a_page_of_another_origin(abroad, site, tmp_path):
    map = open_map(abroad, site)
    type_sentence(map, 'Is "tea" < coffee?')
    map.get_by_role("radio", name="Matrix").check()
    frame, there = copied(map, "frame"), state_of(map)
    with stranger(tmp_path, frame) as address:
        abroad.goto(address)
        inside = abroad.frame_locator("iframe").locator("head-map")
        inside.wait_for()
        ready(inside)
        assert state_of(inside) == there
        assert abroad.frames[1].url.startswith(f"{site}/embed.html?model=focus&")
        assert frame.partition("\n")[2] in AUTHORS, "the authors' page shows the same script"
        attend(inside, "It is alive.")
        assert inside.locator("td[data-weight]").count() == 4 * 6 * 6
        link = copied(inside, "link")
        abroad.goto(link)
        map = abroad.locator("head-map")
        ready(map)
        assert map.evaluate("(el) => el.sentence") == "It is alive."


FITS = """() => {
    const frame = document.querySelector("iframe"), inside = frame.contentDocument;
    const { bottom } = inside.querySelector("head-map").getBoundingClientRect();
    return frame.offsetHeight === Math.ceil(bottom) && inside.documentElement.scrollHeight <= frame.offsetHeight;
}"""


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_the_frame_of_the_authors_page_is_as_high_as_what_it_shows(browser, faults, tmp_path, width):
    """The lines of the page as they stand there; on our own origin, so that the test can measure inside."""
    (lines,) = re.findall(r"^```html\n(<iframe.*?)^```$", AUTHORS, re.DOTALL | re.MULTILINE)
    shutil.copytree(HTML / "_static", tmp_path / "_static", symlinks=True)
    shutil.copy(HTML / "embed.html", tmp_path)
    (tmp_path / "slide.html").write_text(
        f"<!DOCTYPE html><title>Slide</title><link rel='icon' href='data:,'>{lines.replace('https://your-site/', '')}"
    )
    context = new_context(browser, viewport={"width": width, "height": 700})
    context.on("console", lambda message: message.type == "error" and faults.append(message.text))
    context.on("weberror", lambda error: faults.append(str(error.error)))
    with serve(tmp_path) as address:
        page = context.new_page()
        page.goto(f"{address}/slide.html")
        map = page.frame_locator("iframe").locator("head-map")
        map.locator("[data-prediction=sentiment]").wait_for()
        page.wait_for_function(FITS)
        height = "document.querySelector('iframe').offsetHeight"
        before = page.evaluate(height)
        map.get_by_role("radio", name="Matrix").check(force=True)
        map.get_by_role("button", name="Enlarge ").first.click()
        page.wait_for_function(f"() => {height} > {before}")
        page.wait_for_function(FITS)
        map.get_by_role("radio", name="Lines").check(force=True)
        page.wait_for_function(f"() => Math.abs({height} - {before}) <= 1")
        page.wait_for_function(FITS)
        context.close()
    assert not faults


def test_a_tag_on_a_page_that_names_no_encoding(abroad, tmp_path):
    """Such a page is read as if it were written in 1995; what the tag brings is not."""
    with serve(HTML, Shared) as site:
        map = open_map(abroad, site)
        type_sentence(map, "Café, très chaud?")
        tag = copied(map, "tag")
        (tmp_path / "old.html").write_bytes(f"<link rel='icon' href='data:,'>{tag}".encode())
        with serve(tmp_path) as address:
            abroad.goto(f"{address}/old.html")
            assert abroad.evaluate("document.characterSet") == "windows-1252"
            map = abroad.locator("head-map")
            ready(map)
            assert map.evaluate("(el) => el.sentence") == "Café, très chaud?"
            menu = "(el) => getComputedStyle(el.querySelector('.hm-menu > summary'), '::after').content"
            assert map.evaluate(menu) == '" ▾"'


@pytest.mark.parametrize("sign", ["?", "#"])
def test_the_embed_page_takes_every_setting(page, site, sign):
    said = {
        "models": "focus focus/untaught",
        "sentence": "The soup was good.",
        "compare": "The soup was bad.",
        "view": "matrix",
    }
    said |= {"head": "2", "query": "1", "special": "dim", "off": "0.0 0.3", "theme": "dark"}
    page.goto(f"{site}/embed.html{sign}{'&'.join(f'{name}={quote(text)}' for name, text in said.items())}")
    map = page.locator("head-map")
    ready(map)
    found = state_of(map)
    assert (found["view"], found["pressed"]) == ("matrix", ["false", "true", "true", "false"])
    assert found["choices"] == ["The soup was good.", "The soup was bad.", "1", "0", "2", "dim", "each", "one", "0"]
    weights = load_focus_model()("The soup was good.", head_mask=[False, True, True, False]).weights
    np.testing.assert_allclose(found["weights"], weights.ravel(), atol=1e-5)
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(14, 18, 22)"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("view=spiral", "“view” can be paint, matrix, grid, lines; “spiral” is none of them."),
        ("layer=-1", "“layer” must be a whole number from 0 on; “-1” is none."),
        ("off=all", "“off” names heads as layer.head, like 0.3; “all” names none."),
        ("colour=<b>red</b>", "There is no setting called “colour”"),
        ("model=", "“model” names no model."),
        ("theme=pink", "“theme” can be light, dark"),
    ],
)
def test_a_wrong_setting_is_told_in_a_sentence(page, site, said, told):
    page.goto(f"{site}/embed.html?{said}")
    assert told in page.get_by_role("alert").inner_text()
    ready(page.locator("head-map"))
    assert page.locator("td[data-weight]").count() == 4 * 12, "the rest works"


def test_a_model_that_does_not_exist_is_told_in_a_sentence(page, site):
    page.goto(f"{site}/embed.html?model=__proto__&sentence=Tea%3F")
    page.get_by_text("There is no model called “__proto__” on this page.").wait_for()


def test_links_and_pages_agree_on_what_is_written(page, site):
    map = open_map(page, site)
    frame = re.search(r'src="([^"]+)"', copied(map, "frame"))[1].replace("&#38;", "&")
    assert parse_qs(urlsplit(frame).query) == {"model": ["focus"], "sentence": [COFFEE]}
