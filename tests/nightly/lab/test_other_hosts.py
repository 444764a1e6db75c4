"""The same widget where anywidget goes beside JupyterLab: marimo and Voila, each really started, in a real browser."""

import os
import socket
import subprocess
import sys
from contextlib import contextmanager

import nbformat
import pytest
from lab_server import PATIENCE, stop
from live_maps import shows
from playwright.sync_api import expect
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
def test_a_sentence_typed_in_another_host(host, context, hosts, tmp_path):
    model = load_focus_model()
    nothing = {"body": "", "content_type": "text/css"}
    context.route(lambda url: url.startswith(OF_THE_HOST), lambda route: route.fulfill(**nothing))
    with started(host, tmp_path) as address:
        hosts += [address, address.replace("http", "ws"), *OF_THE_HOST]
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(address)
        figure = page.locator(".head-map")
        figure.locator("table.hm-paint td[data-weight]").first.wait_for()
        shows(figure, model(COFFEE).weights[-1, :, 0], "table.hm-paint td[data-weight]")
        figure.get_by_role("textbox", name="Sentence").fill(TYPED)
        page.get_by_text(f"Python reads: {TYPED}").wait_for()
        shows(figure, model(TYPED).weights[-1, :, 0], "table.hm-paint td[data-weight]")
        expect(figure.get_by_role("status")).to_have_text("Ready: Python computes as you type.")
        figure.get_by_role("button", name="sentiment", exact=True).click()
        without = model(TYPED, [True, True, True, False]).predictions["sentiment"]
        share = f"{max(without.values()):.0%}".replace("%", " %")
        expect(figure.locator("[data-prediction=sentiment] dd > span").get_by_text(share)).to_be_visible()
        page.get_by_role("radio", name="Grid").check(force=True)
        expect(figure.locator("[role=status]")).to_have_count(1)
        page.close()
