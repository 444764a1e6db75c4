"""A JupyterLab server of our own, and a notebook in it."""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from jupyter_server.serverapp import list_running_servers
from playwright.sync_api import expect
from served import ROOT
from urllib3 import PoolManager, Retry, request

PATIENCE = 120  # seconds, for what takes a few on an idle machine
LIVE = ".head-map:has(> [role=status])"  # without such a line it is a picture of a map


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab: where it is, the folder that it shows, and where its kernels leave their connection files."""

    address: str
    folder: Path
    runtime: Path

    def kernel_file(self, path):
        """The connection file of the kernel that runs a notebook; it may be gone."""
        (kernel,) = (session["kernel"]["id"] for session in self._sessions() if session["path"] == path)
        return self.runtime / f"kernel-{kernel}.json"

    def shut_down(self, path):
        """Ends the kernel that runs a notebook."""
        for session in self._sessions():
            if session["path"] == path:
                assert self._ask("DELETE", f"/{session['id']}").status == 204

    def _sessions(self):
        return self._ask("GET").json()

    def _ask(self, method, below=""):
        return request(method, f"{self.address}/api/sessions{below}", timeout=PATIENCE, retries=False)


def with_folders(environment, runtime):
    """Variables that keep Jupyter's files below one folder."""
    folders = {"RUNTIME": runtime, "CONFIG": runtime / "config", "DATA": runtime / "data"}
    return {**environment, **{f"JUPYTER_{name}_DIR": str(path) for name, path in folders.items()}}


def put_notebooks(folder, runtime, *, python=sys.executable, environment=os.environ):
    """Puts the built notebooks and the settings where a JupyterLab on `folder` has them, as `make lab` does."""
    shutil.copytree(folder / "binder" / "jupyter", runtime / "config")
    command = [python, ROOT / "tools" / "lab.py"]
    subprocess.run(command, cwd=folder, env=with_folders(environment, runtime), check=True)


@contextmanager
def jupyter_lab(folder, runtime, *, python=sys.executable, environment=os.environ):
    """A JupyterLab server on `folder`, on a port that it takes itself; `runtime` is for its log and its own files."""
    command = [
        *(python, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", f"--ServerApp.root_dir={folder}"),
        *("--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"),
        *("--LabApp.news_url=", "--LabApp.check_for_updates_class="),
    ]
    environment = with_folders(environment, runtime)
    with (runtime / "server.log").open("w") as log:  # no pipe: nobody reads one, and a full one stops the server
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder)
        try:
            yield Lab(address_of(server, runtime), folder, runtime)
        finally:
            stop(server)


def stop(server):
    """Ends a server; JupyterLab now and then hangs in "Shutting down 6 extensions", its kernels long gone."""
    server.terminate()
    try:
        server.wait(timeout=8)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def address_of(server, runtime):
    """The address that a server has written into its runtime folder; waits until it has."""
    for _ in range(10 * PATIENCE):
        for told in list_running_servers(str(runtime)):
            address = told["url"].rstrip("/")
            answers = Retry(PATIENCE, backoff_factor=0.1, backoff_max=1)  # it listens a little after it tells
            PoolManager(retries=answers).request("GET", f"{address}/api")
            return address
        with suppress(subprocess.TimeoutExpired):
            server.wait(timeout=0.1)
            break
    raise RuntimeError(f"JupyterLab did not start: {(runtime / 'server.log').read_text()[-2000:]}")


def open_notebook(context, address):
    """The page of a notebook at its address, its kernel ready, and the faults that its console tells of."""
    page, faults = context.new_page(), []
    page.on("console", lambda message: message.type == "error" and faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(address)
    _wait_for_kernel(page)
    return page, faults


def open_another(page, path):
    """Opens another notebook in JupyterLab's page, which has none open, its kernel ready."""
    choose(page, "File", "Open from Path…")
    page.get_by_role("dialog").get_by_role("textbox").fill(path)
    page.keyboard.press("Enter")
    _wait_for_kernel(page)


def close_notebook(page):
    """Closes the notebook that JupyterLab's page has open, and ends its kernel."""
    choose(page, "File")
    page.get_by_role("menuitem", name="Close and Shut Down Notebook…").click()  # its shortcut is part of its name
    page.get_by_role("dialog").get_by_role("button", name="Ok").click()
    expect(page.locator(".jp-NotebookPanel")).to_have_count(0)


def choose(page, *menu):
    """Goes through JupyterLab's menu."""
    for name in menu:
        page.get_by_role("menuitem", name=name, exact=True).click()


def _wait_for_kernel(page):
    page.get_by_text("| Idle").wait_for(timeout=1000 * PATIENCE)  # what is run before is lost


def run_first_cell(page):
    """Runs a notebook's first cell; gives the maps that it shows."""
    page.locator(".jp-CodeCell .cm-content").first.click()
    page.keyboard.press("Shift+Enter")
    return _maps(page)


def _maps(page):
    maps = page.locator(f".jp-OutputArea {LIVE}")
    maps.last.locator("td[data-weight]").first.wait_for(timeout=1000 * PATIENCE)
    return maps
