"""Somebody opens a model of their own: it's refused, cancelled, dropped on a figure, and then all figures read with it."""

import base64

import numpy as np
import pytest
from ggufs import write_gguf
from live_maps import eventually, has_weights, tools
from playwright.sync_api import expect

from manyheads import load_decoder
from manyheads.models.decoder.weights import gguf_file
from manyheads.shared.numbers import percent

FRANCE = "The capital of France is Paris"
DROP = """(target, [name, bytes]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([Uint8Array.from(atob(bytes), (byte) => byte.charCodeAt(0))], name));
  for (const type of ["dragover", "drop"])
    target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
}"""
LEDGER = "(el) => { const { heads, rest, logit } = el.ledger() ?? {}; return { values: heads?.map(({ value }) => value), rest, logit } }"


@pytest.fixture
def owl(tmp_path):
    """A file with a small random model."""
    path = tmp_path / "Tiny Owl.gguf"
    write_gguf(path, "qwen2", "Q8_0", layers=3, heads=6, kv_heads=2, width=96)
    return path


@pytest.fixture
def opened(page, site):
    """The page on which models are opened, and what it requests from then on."""
    page.goto(f"{site}/book/open-your-model.html", wait_until="networkidle")
    requests = []
    page.on("request", lambda request: requests.append(request))
    return page, requests


# Cancels as soon as the page says what the file is and how much of it is read: a fast machine has read it before a test could press.
CANCELS = """(opener) => new MutationObserver((_, watch) => {
    const cancel = [...opener.querySelectorAll("button")].find((button) => button.textContent === "Cancel");
    const reads = opener.querySelector("progress").checkVisibility() && opener.innerText.includes("30 layers of 9 heads");
    if (!cancel || !reads) return;
    watch.disconnect();
    cancel.click();
}).observe(opener, { subtree: true, childList: true, attributes: true, characterData: true })"""


def test_a_file_is_refused_or_cancelled_in_a_sentence_and_what_was_shown_stays(opened, tmp_path):
    page, requests = opened
    opener = page.locator("open-model")
    chooser, status = opener.get_by_label("Open a GGUF file"), opener.get_by_role("status")
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader, this is no model.")
    chooser.set_input_files(letter)
    expect(status).to_contain_text("The file could not be opened: it isn’t a GGUF file.")
    opener.get_by_label("Open a folder").set_input_files(tmp_path)
    expect(status).to_contain_text("The file could not be opened: it lacks config.json.")
    opener.evaluate(CANCELS)
    chooser.set_input_files(gguf_file())
    expect(status).to_have_text("Cancelled. What you see stays.")
    expect(opener.get_by_role("progressbar")).to_be_hidden()
    expect(page.locator("head-map").get_by_role("button", name="Load the language model")).to_be_visible()
    assert {request.method for request in requests} == {"GET"}


def test_all_figures_read_with_a_file_that_is_dropped_on_one_and_nothing_leaves_the_page(opened, owl):
    page, requests = opened
    head_map, writer, ledger = (page.locator(name) for name in ("head-map", "next-word", "head-ledger"))
    python = load_decoder(owl)
    head_map.evaluate(DROP, [owl.name, base64.b64encode(owl.read_bytes()).decode()])
    expect(page.locator("open-model").get_by_role("status")).to_contain_text("Tiny-Owl reads here now.")
    for figure in (head_map, ledger):
        figure.get_by_role("textbox", name="Sentence").fill(FRANCE)
    writer.get_by_role("textbox", name="Text so far").fill(FRANCE)
    whole = python(FRANCE)
    assert whole.shape[:2] == (3, 6)
    has_weights(head_map, whole.weights, part=1e-3)
    expect(head_map.get_by_role("button", name="Enlarge layer 3, head 6")).to_be_visible()
    tools(head_map)
    head_map.get_by_text("Share or save").click()
    with page.expect_download() as saved:
        head_map.get_by_role("button", name="Save as SVG").click()
    assert saved.value.suggested_filename == "tiny-owl-the-capital-of-france-is-paris-grid.svg"
    assert "Computed by Tiny-Owl." in saved.value.path().read_text(encoding="utf-8")
    words = python.next_words(FRANCE, 10)
    eventually(
        lambda: writer.evaluate("(el) => [el.shown?.text, el.next?.map(({ probability }) => probability)]"),
        lambda found: found[0] == FRANCE and np.allclose(found[1], list(words.values()), atol=1e-3),
    )
    logit = python.head_ledger(FRANCE)["parts"][0, -1]
    eventually(
        lambda: ledger.evaluate(LEDGER),
        lambda found: len(found["values"] or []) == 18 and found["logit"] == pytest.approx(logit, rel=5e-3),
    )
    page.locator("attention-flow").scroll_into_view_if_needed()
    eventually(lambda: page.locator("attention-flow").evaluate("(el) => el.steps?.layers"), lambda found: found == 3)
    smaller = owl.with_stem("Tiny Owl Q4")
    write_gguf(smaller, "qwen2", "Q4_0", layers=3, heads=6, kv_heads=2, width=96)
    opener = page.locator("open-model")
    opener.get_by_label("Open a second file beside it").set_input_files(smaller)
    expect(opener.get_by_text("both together")).to_be_visible()
    opener.get_by_role("button", name="Load it").click()
    moved = whole.moved(load_decoder(smaller)(FRANCE))
    layer, head = np.unravel_index(moved.argmax(), moved.shape)
    most = opener.get_by_role("row", name=f"layer {layer + 1}, head {head + 1}")
    expect(most).to_contain_text(percent(moved.max()))
    most.get_by_role("button").click()
    expect(head_map).to_have_attribute("head", str(head))
    opener.get_by_role("button", name="Close Tiny-Owl-Q4").click()
    expect(opener.get_by_role("status").first).to_contain_text("Tiny-Owl reads here now.")
    assert {request.method for request in requests} == {"GET"}
