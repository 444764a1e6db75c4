"""A real JupyterLab with a real kernel: the same widget, Python computing."""

import json
import os
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager

import jupytext
import nbformat
import numpy as np
import pytest
from conftest import ROOT, VIEWPORT
from jupyter_client import BlockingKernelClient
from urllib3 import PoolManager, Retry

from manyheads.encoder import load_encoder
from manyheads.focus import load_focus_model

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
FOCUS = """from manyheads.widget import HeadMap
map = HeadMap("Which do you like better, coffee or tea?")"""
ENCODER = """from manyheads import HeadMap
from manyheads.encoder import load_encoder
map = HeadMap("The bank of the river.", model=load_encoder(), view="grid")"""
LINKED = """from ipywidgets import VBox, Text, interactive_output, jslink, link
from manyheads.widget import HeadMap
first, second, words, other = HeadMap("Tea?"), HeadMap(""), Text("Coffee?"), Text("")
link((first, "sentence"), (second, "sentence"))
jslink((first, "sentence"), (other, "value"))
out = interactive_output(lambda text: setattr(first, "sentence", text), {"text": words})
map = VBox([first, first, second, other])"""


WEIGHTS = "(cells) => cells.map((cell) => Number(cell.dataset.weight))"


@contextmanager
def jupyter_lab(folder, runtime, *, python=sys.executable, environment=os.environ):
    """A JupyterLab server on `folder`; gives its address. Its kernels leave their connection files in `runtime`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        *(python, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1"),
        *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={folder}"),
        *("--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"),
        *("--LabApp.news_url=", "--LabApp.check_for_updates_class="),
    ]
    folders = {"RUNTIME": runtime, "CONFIG": runtime / "config", "DATA": runtime / "data"}
    environment = {**environment, **{f"JUPYTER_{name}_DIR": str(path) for name, path in folders.items()}}
    address = f"http://127.0.0.1:{port}"
    with (runtime / "server.log").open("w") as log:
        server = subprocess.Popen(command, stderr=log, env=environment, cwd=folder)
        try:
            patience = Retry(60, backoff_factor=0.1, backoff_max=1)
            PoolManager(retries=patience).request("GET", f"{address}/api")
            yield address
        finally:
            server.terminate()
            try:
                server.wait(timeout=30)
            except subprocess.TimeoutExpired:  # now and then it hangs in "Shutting down 5 extensions"
                server.kill()
                server.wait()


def ask_kernel(runtime, expression):
    """The value of an expression in the one running kernel, through JSON."""
    (connection,) = runtime.glob("kernel-*.json")
    client = BlockingKernelClient(connection_file=str(connection))
    client.load_connection_file()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        reply = client.execute("import json", user_expressions={"found": f"json.dumps({expression})"}, reply=True)
        return json.loads(eval(reply["content"]["user_expressions"]["found"]["data"]["text/plain"]))
    finally:
        client.stop_channels()


@pytest.fixture
def lab(tmp_path, request):
    folder, runtime = tmp_path / "notebooks", tmp_path / "runtime"
    folder.mkdir()
    runtime.mkdir()
    jupytext.write(jupytext.reads(NOTEBOOK.replace("{code}", request.param), fmt="md:myst"), folder / "map.ipynb")
    with jupyter_lab(folder, runtime) as address:
        yield address, runtime


def run_cell(browser, address):
    """The page of the notebook and the map that its cell shows."""
    page, _ = open_notebook(browser, f"{address}/lab/tree/map.ipynb")
    return page, run_first_cell(page).last


def open_notebook(browser, address):
    """The page of a notebook at its address, its kernel ready, and the faults that its console tells of."""
    page, faults = browser.new_page(viewport=VIEWPORT), []
    page.on("console", lambda message: message.type == "error" and faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(address)
    page.get_by_text("| Idle").wait_for(timeout=120_000)  # what is run before is lost
    return page, faults


def run_first_cell(page):
    """The maps that it shows."""
    page.locator(".jp-CodeCell").first.click()
    page.keyboard.press("Shift+Enter")
    maps = page.locator(".jp-OutputArea .head-map")
    maps.last.locator("td[data-weight]").first.wait_for(timeout=120_000)
    return maps


@pytest.mark.parametrize("lab", [FOCUS], indirect=True, ids=["focus"])
def test_the_widget_is_live_in_jupyterlab(browser, lab):
    address, runtime = lab
    page, map = run_cell(browser, address)
    cells = map.locator("td[data-weight]")

    def shown():
        return np.array(cells.evaluate_all(WEIGHTS))

    model = load_focus_model()
    expected = model("Which do you like better, coffee or tea?").weights[0, :, 0].ravel()
    np.testing.assert_allclose(shown(), expected, atol=5.1e-5)

    map.get_by_role("textbox", name="Sentence").fill("Please bring me a glass of water.")
    map.locator("td", has_text="water").first.wait_for()
    expected = model("Please bring me a glass of water.").weights[0, :, 0].ravel()
    np.testing.assert_allclose(shown(), expected, atol=5.1e-5)
    assert ask_kernel(runtime, "map.sentence") == "Please bring me a glass of water."

    map.get_by_role("button", name="sentiment").click()
    map.locator(".hm-off").first.wait_for()
    assert ask_kernel(runtime, "map.head_mask") == [[True, True, True, False]]
    page.close()


@pytest.mark.parametrize("lab", [ENCODER], indirect=True, ids=["encoder"])
def test_python_computes_the_encoder_as_one_types(browser, lab):
    """All heads in the grid, one of them enlarged; the numbers are torch's own."""
    address, runtime = lab
    page, map = run_cell(browser, address)
    sentence = "Please bring me a glass of water."
    map.get_by_role("textbox", name="Sentence").fill(sentence)
    map.locator("td", has_text="water").first.wait_for()
    weights = load_encoder()(sentence).weights
    canvas = map.locator(".hm-grid canvas")
    assert canvas.get_attribute("data-drawn") == " ".join(str(side) for side in weights.shape)
    map.get_by_role("button", name="Enlarge layer 2, head 3", exact=True).click()
    cells = map.locator("td[data-weight]:visible")
    shown = cells.evaluate_all(WEIGHTS)
    np.testing.assert_allclose(shown, weights[1, 2].ravel(), atol=5.1e-5)
    map.get_by_role("combobox", name="Special tokens").select_option("remove")
    map.get_by_role("button", name="head 3", exact=True).click()
    map.locator(".hm-off").first.wait_for()
    mask = ask_kernel(runtime, "[map.layer, map.head, map.special, map.head_mask]")
    assert mask[:3] == [1, 2, "remove"]
    assert [(layer, head) for layer in range(6) for head in range(12) if not mask[3][layer][head]] == [(1, 2)]
    page.close()


@pytest.mark.parametrize("lab", [LINKED], indirect=True, ids=["linked"])
def test_views_of_one_map_and_linked_maps_show_one_sentence(browser, lab):
    address, runtime = lab
    page, _ = run_cell(browser, address)
    maps = page.locator(".jp-OutputArea .head-map")
    assert maps.count() == 3
    maps.nth(0).get_by_role("textbox", name="Sentence").fill("Please bring water.")
    for place in range(3):  # the same model again, then a linked one
        maps.nth(place).locator("td", has_text="water").first.wait_for()
    maps.nth(2).get_by_role("textbox", name="Sentence").fill("Milk?")
    maps.nth(1).locator("td", has_text="milk").first.wait_for()
    assert ask_kernel(runtime, "[first.sentence, second.sentence, other.value]") == ["Milk?"] * 3
    maps.nth(1).get_by_role("button", name="sentiment").click()
    maps.nth(0).locator(".hm-off").first.wait_for()
    assert maps.nth(2).locator(".hm-off").count() == 0, "only sentences were linked"
    page.close()


@contextmanager
def chapters(tmp_path):
    """JupyterLab as `make lab` and Binder set it up, on a copy of the chapters; gives its address and folders."""
    folder, runtime = tmp_path / "top", tmp_path / "runtime"
    shutil.copytree(ROOT / "book", folder / "book")
    shutil.copyfile(ROOT / "jupytext.toml", folder / "jupytext.toml")
    shutil.copytree(ROOT / "binder" / "jupyter", runtime / "config")
    with jupyter_lab(folder, runtime) as address:
        yield address, folder, runtime


@pytest.mark.parametrize("chapter", [path.stem for path in sorted((ROOT / "book").glob("*.md"))])
def test_a_chapter_opens_as_a_notebook_and_runs_to_its_end(browser, tmp_path, chapter):
    written = jupytext.read(ROOT / "book" / f"{chapter}.md", fmt="md:myst")
    cells = [cell for cell in written.cells if cell.cell_type == "code"]
    with chapters(tmp_path) as (address, folder, _):
        page, faults = open_notebook(browser, f"{address}/lab/tree/book/{chapter}.md")
        choose(page, "Run", "Run All Cells")
        save_when_run(page)
        notebook = nbformat.read(folder / "executed" / f"{chapter}.ipynb", as_version=4)
        page.close()
    run = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.source for cell in run] == [cell.source for cell in cells]
    assert all(cell.execution_count for cell in run)
    outputs = [output for cell in run for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    assert not faults


def choose(page, *menu):
    """Goes through JupyterLab's menu."""
    for name in menu:
        page.get_by_role("menuitem", name=name, exact=True).click()


def save_when_run(page):
    """Waits until no cell is running or waiting to, then saves."""
    page.wait_for_function(
        """() => ![...document.querySelectorAll(".jp-InputPrompt")].some((prompt) => prompt.textContent.includes("*"))""",
        timeout=300_000,
    )
    page.get_by_text("| Idle").wait_for(timeout=300_000)
    with page.expect_response(lambda response: response.request.method == "PUT" and "/api/contents/" in response.url):
        page.keyboard.press("Control+s")


def test_a_chapters_map_answers_and_is_there_again_without_a_kernel(browser, tmp_path):
    with chapters(tmp_path) as (address, _, runtime):
        chapter = f"{address}/lab/tree/book/coffee-or-tea.md"
        page, faults = open_notebook(browser, chapter)
        map = run_first_cell(page).first
        cells = map.locator("td[data-weight]")
        example = cells.evaluate_all(WEIGHTS)
        map.get_by_role("textbox", name="Sentence").fill("Please bring me a glass of water.")
        map.locator("td", has_text="water").first.wait_for()
        assert ask_kernel(runtime, "Out[1].sentence") == "Please bring me a glass of water."
        save_when_run(page)
        choose(page, "Kernel", "Shut Down Kernel")
        page.get_by_text("No Kernel |").wait_for()
        page.close()
        assert not faults
        assert not list(runtime.glob("kernel-*.json"))

        page = browser.new_page()
        page.route(
            "**/api/sessions*", lambda route: route.abort() if route.request.method == "POST" else route.continue_()
        )
        page.goto(chapter)
        cells = page.locator(".jp-OutputArea [data-weight]")
        cells.first.wait_for(timeout=120_000)
        assert cells.evaluate_all(WEIGHTS) == example
        page.close()
