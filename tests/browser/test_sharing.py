"""Somebody shares: links, embeds, files and pictures hold what the page shows, wherever they are opened."""

import csv
import io
from contextlib import contextmanager
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree

import live_maps
import numpy as np
import pytest
from figures import unfold
from live_maps import attend, choose, eventually, has_weights, open_map, ready, saved, shows, tools, type_sentence
from playwright.sync_api import expect
from served import HTML, Shared, serve

from manyheads.models.focus import load_focus_model
from manyheads.shared.options import OPTIONS
from manyheads.widgets import HeadMap

# All that a link should carry, and the weights.
STATE = """(el) => {
  const value = (label) => el.querySelector(`[aria-label="${label}"]`)?.value ?? null;
  return {
    view: el.querySelector("input[type=radio]:checked").value,
    choices: ["Sentence", "Compare with", "Layer", "Head", "Special tokens", "Show", "Model"].map(value),
    query: el.query,
    pressed: [...el.querySelectorAll("button.hm-head")].map((button) => button.ariaPressed),
    weights: [...el.attention.weights],
  } }"""


def copied(head_map, what):
    """What the menu's button leaves in its field."""
    button = head_map.get_by_role("button", name=f"Copy {what}", exact=True)
    if not button.is_visible():
        live_maps.open_menu(head_map)
    button.click()
    field = head_map.get_by_role("textbox", name=what, exact=True)
    expect(field).to_be_visible()
    return eventually(field.input_value, bool)


def same_state(head_map, state):
    """Waits until a map is in a state."""
    ready(head_map)
    eventually(lambda: head_map.evaluate(STATE), lambda found: found == state)


def test_a_link_carries_the_whole_state_to_somebody_else(page, site, new_context):
    head_map = open_map(page, site)
    type_sentence(head_map, "The soup was good.")
    head_map.get_by_role("radio", name="Matrix").check()
    head_map.get_by_role("button", name="relation", exact=True).click()
    tools(head_map)
    head_map.get_by_role("button", name="Compare").click()
    head_map.get_by_role("textbox", name="Compare with").fill("The soup was awful, and longer by far.")
    choose(head_map, "Special tokens", "dim")
    soup = page.locator("th[scope=row]", has_text="soup")
    head_map.locator("figure tr").filter(has=soup).first.locator("td").first.click()
    state = eventually(lambda: head_map.evaluate(STATE), lambda found: found["query"] == 2)
    link = copied(head_map, "link")
    assert "soup" in urlsplit(link).fragment
    assert not urlsplit(link).query, "no server is told what the reader typed"
    other = new_context().new_page()
    other.goto(link)
    theirs = other.locator("head-map").first
    same_state(theirs, state)
    expect(theirs.get_by_role("button", name="relation", exact=True)).to_have_attribute("aria-pressed", "false")


def test_a_link_names_one_of_many_maps_and_leads_there(page, site, new_context):
    page.goto(f"{site}/book/coffee-or-tea.html")
    sentence, live = "Only the last one says so.", "head-map:is([model], [models])"
    head_map = unfold(page.locator(live).last)
    ready(head_map)
    type_sentence(head_map, sentence)
    other = new_context().new_page()
    other.goto(copied(head_map, "link"))
    there = other.locator(live).last
    expect(there.get_by_role("textbox", name="Sentence")).to_have_value(sentence)
    expect(there).to_be_in_viewport()
    expect(other.locator(live).first.get_by_role("textbox", name="Sentence")).not_to_have_value(sentence)


def test_an_open_page_follows_a_new_link(page, site):
    head_map = open_map(page, site)
    page.evaluate("() => { location.hash = 'map=1&sentence=Hello.&off=1.3' }")
    expect(head_map.locator("td", has_text="hello").first).to_be_visible()
    expect(head_map.get_by_role("button", name="sentiment", exact=True)).to_have_attribute("aria-pressed", "false")


def test_a_link_is_copied_or_else_marked(page, site):
    head_map = open_map(page, site)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = copied(head_map, "link")
    expect(head_map.get_by_text("Copied.")).to_be_visible()
    eventually(lambda: page.evaluate("navigator.clipboard.readText()"), lambda found: found == link)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new DOMException('no')) }")
    tag = copied(head_map, "tag")
    expect(head_map.get_by_text("Copy the marked text.")).to_be_visible()
    eventually(lambda: page.evaluate("getSelection().toString()"), lambda found: found == tag)


# ----------------------------------------------------------------------------------------------------------- files


def read_svg(contents):
    """The weights of a picture, as they are shown."""
    return [float(node.get("data-weight")) for node in ElementTree.fromstring(contents).iterfind(".//*[@data-weight]")]


NAMES = ("layer", "head", "query", "key")


def read_csv(contents):
    rows = csv.DictReader(io.StringIO(contents.decode()))
    return {tuple(int(row[name]) for name in NAMES): np.float32(row["weight"]) for row in rows}


def test_pictures_and_tables_that_are_saved_hold_the_weights(page, site):
    head_map = open_map(page, site)
    sentence = 'He said "no", & <left> the dog.'
    weights = {
        place: weight for place, weight in np.ndenumerate(attend(head_map, sentence)["weights"]) if place[0] == 1
    }
    head_map.get_by_role("radio", name="Matrix").check()
    shows(head_map, list(weights.values()))
    svg, name = saved(page, head_map, "SVG")
    assert name == "he-said-no-left-the-dog-matrix.svg"
    np.testing.assert_allclose(read_svg(svg), list(weights.values()), atol=5.1e-5)
    table, _ = saved(page, head_map, "CSV")
    assert read_csv(table) == weights, "to the last bit of a float32"
    png, _ = saved(page, head_map, "PNG")
    size, root = [int.from_bytes(png[at : at + 4]) for at in (16, 20)], ElementTree.fromstring(svg)
    assert size == [2 * int(root.get(side)) for side in ("width", "height")]
    head_map.get_by_role("radio", name="Paint").check()
    head_map.locator(".hm-paint tr").first.locator("td").nth(3).click()
    shows(head_map, [weight for place, weight in weights.items() if place[2] == 3])
    table, _ = saved(page, head_map, "CSV")
    assert read_csv(table) == {place: weight for place, weight in weights.items() if place[2] == 3}


def test_a_file_that_python_saved_opens_alone_and_without_network(opened):
    tokens, title = ["[CLS]", "hot", "tea", "<or>", "[SEP]"], "</title><script>alert(1)</script>"
    weights = np.random.default_rng(0).dirichlet(np.ones(5), (2, 3, 5))
    head_map = HeadMap.of(weights, tokens, head_names=["left", "mid", "right"])
    head_map.layer, head_map.query = 1, 2
    page = opened(head_map)
    shows(page.locator("head-map"), weights[1, :, 2])
    expect(page.locator("[role=status]")).to_contain_text("Python computed this map.")
    page.get_by_role("button", name="mid", exact=True).click()
    expect(page.locator("head-map .hm-off")).to_have_count(1)
    choose(page.locator("head-map"), "Layer", "0")
    page.get_by_role("radio", name="Matrix").check(force=True)
    shows(page.locator("head-map"), weights[0])
    table, _ = saved(page, page.locator("head-map"), "CSV")
    assert len(read_csv(table)) == 75
    page = opened(HeadMap(title, model=load_focus_model()))
    expect(page).to_have_title(title)
    expect(page.locator("script:not([type])")).to_have_count(0)


# ---------------------------------------------------------------------------------------------------------- embeds


@pytest.fixture
def stranger(page, tmp_path, hosts):
    """Opens HTML as somebody else's page, of another origin."""

    @contextmanager
    def opened(html):
        (tmp_path / "page.html").write_text(f"<!DOCTYPE html><meta charset=utf-8><link rel=icon href=data:,>{html}")
        with serve(tmp_path) as address:
            hosts.append(address)
            page.goto(f"{address}/page.html")
            yield page

    return opened


def test_the_copied_tag_works_on_a_page_of_another_origin(page, hosts, stranger):
    with serve(HTML, Shared) as site:
        hosts[:] = [site, "data:", "blob:"]
        head_map = open_map(page, site)
        type_sentence(head_map, 'Is "tea" < café?')
        head_map.get_by_role("button", name="object", exact=True).click()
        expect(head_map.get_by_role("button", name="object", exact=True)).to_have_attribute("aria-pressed", "false")
        state = head_map.evaluate(STATE)
        with stranger(copied(head_map, "tag")) as there:
            same_state(there.locator("head-map"), state)
            expect(there.locator("head-map")).to_have_css("display", "flex")  # the stylesheet is there


def test_the_copied_frame_works_on_a_page_of_another_origin(page, site, stranger):
    head_map = open_map(page, site)
    type_sentence(head_map, 'Is "tea" < coffee?')
    head_map.get_by_role("radio", name="Matrix").check()
    state = eventually(lambda: head_map.evaluate(STATE), lambda found: found["view"] == "matrix")
    with stranger(copied(head_map, "frame")) as there:
        inside = there.frame_locator("iframe").locator("head-map")
        same_state(inside, state)
        attend(inside, "It is alive.")
        expect(inside.locator("td[data-weight]")).to_have_count(4 * 6 * 6)
    page.goto(f"{site}/book/formula.html")
    flow = page.locator("attention-flow").first
    flow.evaluate("el => el.ready")
    flow.get_by_text("Share", exact=True).click()
    with stranger(copied(flow, "frame")) as there:
        frame = there.locator("iframe")
        expect(frame.content_frame.get_by_text("Ready: computed in your browser")).to_be_visible()
        body = frame.content_frame.locator("body")
        eventually(
            lambda: [
                body.evaluate("el => Math.ceil(el.getBoundingClientRect().height)"),
                frame.bounding_box()["height"],
            ],
            lambda found: found[0] == found[1],
        )


def test_the_embed_page_takes_every_setting_and_tells_a_wrong_one(page, site):
    settings = {"models": "focus focus/untaught", "sentence": "The soup was good.", "compare": "The soup was bad."}
    settings |= {"view": "matrix", "head": "2", "query": "1", "special": "dim", "off": "1.0 1.3", "theme": "dark"}
    page.goto(f"{site}/embed.html?{'&'.join(f'{name}={quote(text)}' for name, text in settings.items())}")
    head_map = page.locator("head-map")
    weights = load_focus_model()("The soup was good.", head_mask=[False, True, True, False]).weights
    ready(head_map)
    expect(head_map.locator("button.hm-head[aria-pressed=false]")).to_have_count(2)
    has_weights(head_map, weights)
    choices = ["The soup was good.", "The soup was bad.", "1", "2", "dim", "attention", "0"]
    eventually(lambda: head_map.evaluate(STATE)["choices"], lambda found: found == choices)
    expect(page.locator("html")).to_have_css("background-color", "rgb(14, 18, 22)")
    for setting, sentence in {
        "view=spiral": f"“view” can be {', '.join(OPTIONS['view']['values'])}; “spiral” is none of them.",
        "layer=-1": "“layer” must be a whole number from 0 on; “-1” is none.",
        "colour=<b>red</b>": "There is no setting called “colour”",
        "theme=pink": "“theme” can be light, dark",
    }.items():
        page.goto(f"{site}/embed.html?{setting}")
        expect(page.get_by_role("alert")).to_contain_text(sentence)
        ready(page.locator("head-map"))
        expect(page.locator("td[data-weight]")).to_have_count(4 * 12)
    page.goto(f"{site}/embed.html?model=__proto__&sentence=Tea%3F")
    expect(page.get_by_text("There is no model called “__proto__” here.")).to_be_visible()
