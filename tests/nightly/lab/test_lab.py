"""A real JupyterLab with a real kernel: the same widget, Python computing."""

import json
import os
import shutil
import signal
from contextlib import contextmanager, suppress

import jupytext
import lab_server
import nbformat
import pytest
from exercises import CHAPTERS
from jupyter_client import BlockingKernelClient
from lab_server import PATIENCE, choose, jupyter_lab, put_notebooks, run_first_cell
from live_maps import eventually, shows, tools
from playwright import sync_api
from playwright.sync_api import expect
from served import ROOT, VIEWPORT, patient

from manyheads.figures import FIGURES
from manyheads.models.focus import load_focus_model
from manyheads.sphinxext.figure_cells import MADE

NOTEBOOK = """---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

```{code-cell}
{code}
map
```
"""
CELLS = {
    "focus": """from manyheads.widgets import HeadMap
map = HeadMap("Which do you like better, coffee or tea?")""",
    "next": """from manyheads import NextWord
map = NextWord("The capital of Italy is")""",
    "large": """import numpy as np
from manyheads import HeadMap
weights = np.random.default_rng(0).random((12, 12, 512, 512), dtype=np.float32)
weights[7, 3] = np.eye(512)
weights /= weights.sum(-1, keepdims=True)
map = HeadMap.of(weights, [f"w{place}" for place in range(512)])""",
    "own": """import torch
from manyheads import HeadMap
torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(32, 4, 32, batch_first=True).eval()
def predictions(output):
    share = output[0, 0, 0].sigmoid()
    return {"tea": {"hot": share, "cold": 1 - share}}
map = HeadMap.of(layer, ["hot", "tea"], inputs=torch.randn(1, 2, 32), predictions=predictions)""",
    "boxed": """from ipywidgets import Dropdown, HBox, VBox
from manyheads.widgets import HeadMap
map = VBox([Dropdown(options=["one", "two"]), HBox([HeadMap("hot tea"), HeadMap("cold tea", view="grid")])])""",
    "long": """import numpy as np
from manyheads import HeadMap
map = HeadMap.of(np.full((1, 2100, 2100), 1 / 2100), ["The", "cat", "sat."] * 700)""",
}
ELEMENTS = ", ".join(f".jp-OutputArea {name}" for name in FIGURES)
ALIVE = """(figures) => figures.map((figure) =>
    [figure.localName, figure.matches(":defined"), figure.matches(".head-map"), figure.childElementCount > 0])"""
WEIGHTS = "(cells) => cells.map((cell) => Number(cell.dataset.weight))"


@contextmanager
def kernel_of(lab, notebook):
    """A second client of the kernel that runs a notebook."""
    client = BlockingKernelClient(connection_file=str(lab.kernel_file(notebook)))
    client.load_connection_file()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=PATIENCE)
        yield client
    finally:
        client.stop_channels()


def kernel_has(lab, notebook, expression, value):
    """Waits until an expression has this value in the kernel that runs a notebook: what a reader did comes there after the page has shown it."""
    eventually(lambda: ask_kernel(lab, notebook, expression), lambda found: found == value)


def ask_kernel(lab, notebook, expression):
    """The value of an expression in the kernel that runs a notebook, through JSON."""
    with kernel_of(lab, notebook) as kernel:
        reply = kernel.execute("import json", user_expressions={"found": f"json.dumps({expression})"}, reply=True)
        return json.loads(eval(reply["content"]["user_expressions"]["found"]["data"]["text/plain"]))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """JupyterLab without any settings, on one notebook for each of `CELLS`."""
    folder, runtime = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("runtime")
    for name, code in CELLS.items():
        jupytext.write(jupytext.reads(NOTEBOOK.replace("{code}", code), fmt="md:myst"), folder / f"{name}.ipynb")
    with jupyter_lab(folder, runtime) as lab:
        yield lab


@pytest.fixture(scope="module")
def chapters(tmp_path_factory, html):
    """JupyterLab as `make lab` and Binder set it up, on the notebooks of the built book."""
    folder, runtime = tmp_path_factory.mktemp("top"), tmp_path_factory.mktemp("runtime")
    for name in ("_build", "binder"):
        (folder / name).symlink_to(ROOT / name)
    put_notebooks(folder, runtime)
    for name, chapter in {"again": "from-the-notes", "not-run": "intuition"}.items():
        shutil.copyfile(folder / "notebooks" / f"{chapter}.ipynb", folder / "notebooks" / f"{name}.ipynb")
    with jupyter_lab(folder, runtime) as lab:
        yield lab


@pytest.fixture(scope="module")
def context(browser):
    """The browser context of all tests here: JupyterLab takes seconds to load."""
    context = patient(browser.new_context(viewport=VIEWPORT))
    yield context
    context.close()


@pytest.fixture(scope="module")
def loaded():
    """JupyterLab's pages, each loaded once and with no notebook open: {address: (page, faults)}."""
    return {}


@pytest.fixture
def notebook(context, loaded):
    """Opens a notebook in a JupyterLab's page; gives the page and the faults that its console tells of."""
    opened = []

    def opens(lab, path):
        if lab.address in loaded:
            page, faults = loaded.pop(lab.address)
            lab_server.open_another(page, path)
        else:
            page, faults = lab_server.open_notebook(context, f"{lab.address}/lab/tree/{path}?reset")
        opened.append((lab, path, page, faults))
        return page, faults

    yield opens
    for lab, path, page, faults in opened:
        if page.is_closed():
            lab.shut_down(path)
            continue
        lab_server.close_notebook(page)
        faults.clear()
        loaded[lab.address] = page, faults


def run_cell(notebook, lab, name):
    """The page of a plain notebook and the map that its cell shows."""
    page, _ = notebook(lab, f"{name}.ipynb")
    return page, run_first_cell(page).last


def test_the_widget_is_live_in_jupyterlab(notebook, plain):
    _, head_map = run_cell(notebook, plain, "focus")
    model = load_focus_model()
    shows(head_map, model("Which do you like better, coffee or tea?").weights[-1, :, 0])

    head_map.get_by_role("textbox", name="Sentence").fill("Please bring me a glass of water.")
    shows(head_map, model("Please bring me a glass of water.").weights[-1, :, 0])
    kernel_has(plain, "focus.ipynb", "map.sentence", "Please bring me a glass of water.")

    head_map.get_by_role("button", name="sentiment").click()
    head_map.locator(".hm-off").first.wait_for()
    kernel_has(plain, "focus.ipynb", "map.head_mask", [[True] * 4, [True, True, True, False]])


def test_a_head_of_ones_own_model_is_turned_off_in_jupyterlab(notebook, plain):
    _, head_map = run_cell(notebook, plain, "own")
    prediction = head_map.locator("[data-prediction=tea]")
    expect(prediction).not_to_contain_text("all heads on")
    head_map.get_by_role("button", name="head 2").click()
    expect(prediction).to_contain_text("all heads on")
    kernel_has(plain, "own.ipynb", "map.head_mask", [[True, False, True, True]])
    kernel_has(plain, "own.ipynb", "len(layer.self_attn._forward_pre_hooks)", 0)
    head_map.get_by_role("button", name="head 2").click()
    expect(prediction).not_to_contain_text("all heads on")


def test_a_click_opens_a_sentence_of_a_long_text_in_jupyterlab(notebook, plain):
    _, head_map = run_cell(notebook, plain, "long")
    words = head_map.locator("td[data-weight]")
    expect(words.first).to_have_text("The cat sat.")
    words.nth(2).click()
    expect(words.nth(2)).to_have_text("The")
    expect(words.nth(4)).to_have_text("sat.")
    expect(words.nth(5)).to_have_text("The cat sat.")


def test_a_word_is_written_and_a_head_turned_off_in_jupyterlab(notebook, plain):
    page, _ = notebook(plain, "next.ipynb")
    page.locator(".jp-CodeCell .cm-content").first.click()
    page.keyboard.press("Shift+Enter")
    figure = page.locator(".jp-OutputArea .next-word")
    bars, box = figure.get_by_role("listitem"), figure.get_by_role("textbox", name="Text so far")
    expect(bars.first).to_contain_text("Rome")
    figure.get_by_role("button", name="Where layer 24, head 5 looks").click()
    figure.get_by_role("button", name="layer 24, head 5", exact=True).click()
    expect(bars.first).to_contain_text("the")
    expect(bars.first).to_contain_text("was")
    kernel_has(plain, "next.ipynb", "[map.off, map.next[0]['word']]", [[[23, 4]], " the"])
    figure.get_by_role("button", name="Put back").click()
    expect(bars.first).to_contain_text("Rome")
    bars.first.get_by_role("button").click()
    expect(box).to_have_value("The capital of Italy is Rome")
    expect(figure.get_by_label("What the head looks at").locator("span span")).to_have_count(6)
    box.fill("Hot 🍵")
    expect(figure.get_by_label("What the head looks at").locator("span span").last).to_have_text(" 🍵")
    kernel_has(plain, "next.ipynb", "map.text", "Hot 🍵")


class Received:
    """The bytes that a page gets from its kernel from now on, by its websockets."""

    def __init__(self, page):
        self.bytes = 0
        devtools = page.context.new_cdp_session(page)
        devtools.on("Network.webSocketFrameReceived", self._count)
        devtools.send("Network.enable")

    def _count(self, event):
        frame = event["response"]
        binary = frame["opcode"] == 2  # told in base64
        self.bytes += len(frame["payloadData"]) * (3 / 4 if binary else 1)


def test_of_a_large_map_layers_come_when_they_are_looked_at(notebook, plain):
    """512 tokens x 144 heads: 151 MB in the kernel, a thirtieth of that at most to the page."""
    page, _ = notebook(plain, "large.ipynb")
    page.set_default_timeout(1000 * PATIENCE)
    received = Received(page)
    head_map = run_first_cell(page).last
    expect(head_map.locator("td[data-weight]")).to_have_count(12 * 512)
    first = received.bytes
    assert 3e6 < first < 5e6
    head_map.locator(".hm-paint tbody").first.locator("td").nth(5).click()
    tools(head_map)
    head_map.get_by_role("combobox", name="Layer", exact=True).select_option(label="8")
    looks_at_itself = head_map.locator(".hm-paint tbody").nth(3).locator("td[data-weight='1.0000']")
    expect(looks_at_itself).to_have_text("w5")
    assert 3e6 < received.bytes - first < 4e6, "one layer more"
    head_map.get_by_role("radio", name="Grid").check(force=True)
    head_map.get_by_text("Layers that were not looked at yet are small pictures").wait_for()
    assert received.bytes - first < 4e6


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_opens_as_a_notebook_and_runs_to_its_end(notebook, chapters, chapter):
    path = chapters.folder / "notebooks" / f"{chapter}.ipynb"
    cells = code_cells(path)
    page, faults = notebook(chapters, f"notebooks/{chapter}.ipynb")
    choose(page, "Edit", "Clear Outputs of All Cells")  # and the count of what the build ran
    choose(page, "Run", "Run All Cells")
    run = cells_run(page, path)
    assert [cell.source for cell in run] == [cell.source for cell in cells]
    outputs = [output for cell in run for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    has_live_figures(page, cells)
    press_a_phrase(page)
    answer_an_exercise(page)
    assert not faults


def has_live_figures(page, cells):
    """Waits until each figure of the page is alive in its cell: defined, dressed, and with something in it."""
    for place, cell in enumerate(cells):
        if MADE in cell.metadata.get("tags", []):
            output = page.locator(".jp-CodeCell").nth(place).locator(".jp-OutputArea")
            expect(output.locator(".head-map, svg").first).to_be_attached()
    eventually(lambda: page.locator(ELEMENTS).evaluate_all(ALIVE), lambda found: all(map(all, found)))
    expect(page.get_by_text("Waiting for Python")).to_have_count(0)


def press_a_phrase(page):
    """Presses the first phrase of a notebook's text that sets something in a figure, and sees that lit up."""
    phrase = page.locator("a[href*='#try:']").filter(visible=True).first  # others stand in folds
    if phrase.count():
        phrase.click()
        expect(page.locator(".hm-spoken").first).to_be_attached()


def answer_an_exercise(page):
    """Answers the first exercise of a notebook that has fields, and reads that it's right."""
    exercise = page.locator("field-exercise").first
    if not exercise.count():
        return
    fields = exercise.evaluate("(element) => JSON.parse(element.querySelector('script').textContent)")
    for place, field in enumerate(fields):
        row = exercise.locator(".fe-field").nth(place)
        if "options" in field:
            row.get_by_role("radio").nth(field["options"].index(field["answer"])).check(force=True)
        else:
            row.get_by_role("textbox").fill(field["answer"])
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.get_by_text("Right.")).to_have_count(len(fields))


def code_cells(path):
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def cells_run(page, path):
    """The cells of a notebook once it was saved with each of them run, or with one that failed: after it, none is."""
    for _ in range(PATIENCE):
        save_when_idle(page)
        cells = code_cells(path)
        failed = any(output.output_type == "error" for cell in cells for output in cell.outputs)
        if failed or all(cell.execution_count for cell in cells):
            return cells
    raise AssertionError("the kernel is idle, and yet not all cells were run")


def test_a_notebook_that_was_only_looked_at_stays_as_it_was(notebook, chapters):
    path = chapters.folder / "notebooks" / "not-run.ipynb"
    before = path.read_bytes()
    page, _ = notebook(chapters, "notebooks/not-run.ipynb")
    page.get_by_role("heading", name="1. Why several heads").wait_for()
    page.locator(".jp-CodeCell figure svg path").nth(9).wait_for()  # it shows its map before it runs
    expect(page.locator(".jp-CodeCell:visible .jp-InputArea").first).to_contain_text("WordSense(")
    save_when_idle(page)
    assert path.read_bytes() == before


def save_when_idle(page):
    """Waits until the kernel has nothing to do, then saves; again where JupyterLab, still saving, does not hear."""
    page.get_by_text("| Idle").wait_for(timeout=3000 * PATIENCE)
    for _ in range(PATIENCE):
        with suppress(sync_api.TimeoutError):
            with page.expect_response(is_saved, timeout=5000):
                page.keyboard.press("Control+s")
            return
    raise AssertionError("JupyterLab did not save")


def is_saved(response):
    return response.request.method == "PUT" and "/api/contents/" in response.url


def test_a_chapters_map_is_there_again_as_it_stood_before_its_cell_is_run(notebook, chapters, context):
    path = "notebooks/again.ipynb"
    page, faults = notebook(chapters, path)
    head_map = run_first_cell(page).first
    box = head_map.get_by_role("textbox", name="Sentence")
    box.fill("Please bring me a glass of water.")
    head_map.locator("td", has_text="water").first.wait_for()
    kernel_has(chapters, path, "Out[1].sentence", "Please bring me a glass of water.")
    weights = head_map.locator("td[data-weight]").evaluate_all(WEIGHTS)
    save_when_idle(page)
    expect(box).to_be_focused()  # saving takes the focus from nobody
    assert not faults
    output = opened_again(context, chapters, path, page)
    output.get_by_text("Please bring me a glass of water.", exact=True).wait_for(timeout=1000 * PATIENCE)
    eventually(lambda: output.locator("td[data-weight]").evaluate_all(WEIGHTS), lambda found: found == weights)
    expect(output.locator("input, select, textarea, canvas, button:enabled")).to_have_count(0)
    expect(output.locator(".head-map")).to_have_css("border-radius", "10px")
    output.page.close()
    metadata = nbformat.read(chapters.folder / path, as_version=4).metadata
    assert set(metadata) <= {"kernelspec", "language_info", "widgets"}


def opened_again(context, lab, path, page):
    """The first output of a notebook that is opened anew, beside a kernel that has run nothing."""
    kernel_file = lab.kernel_file(path)
    choose(page, "Kernel", "Shut Down Kernel")
    page.get_by_text("No Kernel |").wait_for()
    page.close()
    eventually(kernel_file.exists, lambda exists: not exists)
    page = context.new_page()
    page.goto(f"{lab.address}/lab/tree/{path}?reset")
    return page.locator(".jp-CodeCell").first.locator(".jp-OutputArea")


def test_maps_in_a_box_stand_side_by_side_and_are_kept_with_their_box(notebook, plain, context):
    page, _ = run_cell(notebook, plain, "boxed")
    maps = page.locator(".jp-OutputArea .head-map")
    expect(maps).to_have_count(2)
    eventually(lambda: [head_map.bounding_box() for head_map in maps.all()], are_side_by_side)
    save_when_idle(page)
    output = opened_again(context, plain, "boxed.ipynb", page)
    expect(output.locator(".head-map", has_text="This is how it stood")).to_have_count(2, timeout=1000 * PATIENCE)
    expect(output.locator(".head-map").first).to_contain_text("hot tea")
    output.page.close()


def are_side_by_side(boxes):
    left, right = boxes
    return 300 < left["width"] == pytest.approx(right["width"], abs=1) and right["x"] >= left["x"] + left["width"]


def test_a_figure_says_when_its_kernel_does_not_answer_and_when_it_does_again(notebook, plain):
    page, head_map = run_cell(notebook, plain, "focus")
    kernel = ask_kernel(plain, "focus.ipynb", "__import__('os').getpid()")
    box, status, words = (
        head_map.get_by_role("textbox", name="Sentence"),
        head_map.get_by_role("status"),
        head_map.locator("td"),
    )
    expect(status).to_contain_text("Python computes as you type")
    os.kill(kernel, signal.SIGSTOP)
    box.fill("Please bring me a glass of water.")
    expect(status).to_contain_text("Python hasn’t answered")
    expect(words.filter(has_text="water")).to_have_count(0)
    os.kill(kernel, signal.SIGCONT)
    expect(words.filter(has_text="water").first).to_be_visible()
    expect(status).to_contain_text("Python computes as you type")
    os.kill(kernel, signal.SIGKILL)
    page.get_by_role("dialog").get_by_role("button", name="Ok").click()
    expect(status).to_contain_text("Python hasn’t answered")
    box.fill("Is it gone?")
    expect(words.filter(has_text="gone")).to_have_count(0)
    expect(box).to_have_value("Is it gone?")
