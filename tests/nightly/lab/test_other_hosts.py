"""The same widget where anywidget goes beside JupyterLab: marimo and Voila, each really started, in a real browser."""

import os
import socket
import subprocess
import sys
from contextlib import contextmanager

import nbformat
import numpy as np
import pytest
from conftest import new_context
from lab_server import PATIENCE, stop
from urllib3 import PoolManager, Retry

from manyheads.models.focus import load_focus_model

COFFEE, TYPED = "Which do you like better, coffee or tea?", "Tea is not nice."
MARIMO = f"""import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    from manyheads import HeadMap

    map = mo.ui.anywidget(HeadMap({COFFEE!r}))
    map
    return map, mo


@app.cell
def _(map, mo):
    mo.md(f"Python reads: {{map.value['sentence']}}")
    return
"""
VOILA = [
    f"""from ipywidgets import HTML
from manyheads import HeadMap
map = HeadMap({COFFEE!r})
map""",
    """told = HTML()
map.observe(lambda change: setattr(told, "value", f"Python reads: {map.sentence}"), "attention")
told""",
]
# Voila brings an older JupyterLab, in which this extension, made for ours, raises an error.
FOREIGN = '["jupyterlab-jupytext"]'
OF_THE_HOST = ("https://cdn.jsdelivr.net/npm/@fortawesome/",)  # Voila's own template asks for an icon font


def marimo(folder, port):
    (folder / "tea.py").write_text(MARIMO, encoding="utf-8")
    return ["marimo", "run", "tea.py", "--headless", "--no-token", f"--port={port}"]


def voila(folder, port):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in VOILA])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / "tea.ipynb")
    without = f"--VoilaConfiguration.extension_denylist={FOREIGN}"
    return ["voila", "tea.ipynb", "--no-browser", "--Voila.ip=127.0.0.1", f"--port={port}", without]


@contextmanager
def started(make, folder):
    """Starts a host on a free port; gives its address once it answers."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folders = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("RUNTIME", "CONFIG", "DATA")}
    environment = {**os.environ, **folders, "HOME": str(folder)}
    with (folder / "server.log").open("w") as log:
        command = [sys.executable, "-m", *make(folder, port)]
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder)
        try:
            answers = Retry(PATIENCE, backoff_factor=0.1, backoff_max=1)
            PoolManager(retries=answers).request("GET", f"http://127.0.0.1:{port}/static/")  # any answer will do
            yield f"http://127.0.0.1:{port}"
        finally:
            stop(server)


@pytest.mark.parametrize("host", [marimo, voila])
def test_a_sentence_typed_in_another_host(host, browser, tmp_path, faults):
    model = load_focus_model()
    context = new_context(browser)
    context.route(
        lambda url: url.startswith(OF_THE_HOST), lambda route: route.fulfill(body="", content_type="text/css")
    )
    context.on("console", lambda message: message.type == "error" and faults.append(message.text))
    context.on("weberror", lambda error: faults.append(str(error.error)))
    context.on("requestfailed", lambda request: faults.append(f"failed: {request.url}"))
    with started(host, tmp_path) as address:
        known = (address, address.replace("http", "ws"), "data:", "blob:", *OF_THE_HOST)
        context.on("request", lambda request: request.url.startswith(known) or faults.append(request.url))
        page = context.new_page()
        page.goto(address)
        figure = page.locator(".head-map")
        cells = figure.locator("table.hm-paint td[data-weight]")
        cells.first.wait_for(timeout=1000 * PATIENCE)
        check_cells(cells, model(COFFEE))
        figure.get_by_role("textbox", name="Sentence").fill(TYPED)
        page.get_by_text(f"Python reads: {TYPED}").wait_for(timeout=1000 * PATIENCE)
        figure.locator("th, td").get_by_text("nice", exact=True).first.wait_for()
        check_cells(cells, model(TYPED))
        assert figure.get_by_role("status").inner_text() == "Ready: Python computes as you type."
        figure.get_by_role("button", name="sentiment", exact=True).click()
        without = model(TYPED, [True, True, True, False]).predictions["sentiment"]
        share = f"{max(without.values()):.0%}".replace("%", " %")
        figure.locator("[data-prediction=sentiment] dd > span").get_by_text(share).wait_for()
        page.get_by_role("radio", name="Grid").check(force=True)
        assert figure.locator("[role=status]").count() == 1
        context.close()
    assert not faults


def check_cells(cells, map):
    """What is painted is what [CLS] looks at, in Python's own numbers."""
    shown = cells.evaluate_all("(cells) => cells.map((cell) => Number(cell.dataset.weight))")
    np.testing.assert_allclose(shown, map.weights[0, :, 0].ravel(), atol=1e-4)
