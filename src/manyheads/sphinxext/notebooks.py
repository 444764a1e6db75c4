"""The book's pages as notebooks: what a page offers for download, and where its launch buttons lead.

The repository's address is `$MANYHEADS_REPOSITORY`, else the git remote's; where neither is known, no page has launch
buttons. A page's notebook is published beside its source, below `_sources`. Colab reads notebooks from a branch of
the repository, `$MANYHEADS_NOTEBOOKS`, to which publishing pushes that folder: without one there is no such button.
Nor is there one for a JupyterHub unless `$MANYHEADS_JUPYTERHUB` has its address.
"""

import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlencode

import nbformat
from jupyter_cache import get_cache

from manyheads.widgets.one_module import with_style

REPOSITORY, NOTEBOOKS, JUPYTERHUB = "MANYHEADS_REPOSITORY", "MANYHEADS_NOTEBOOKS", "MANYHEADS_JUPYTERHUB"
HOSTS = {"github.com": "gh", "gitlab.com": "gl"}  # what Binder calls them
EXECUTED = "jupyter_execute"  # beside the site: where MyST-NB leaves what it ran
WIDGET = "application/vnd.jupyter.widget-view+json"
INSTALL = """import importlib.util

if importlib.util.find_spec("manyheads") is None:
    %pip install --quiet "manyheads[chapters] @ git+{repository}\""""


def web_address(remote):
    """The address in a browser of a repository, from what git calls its remote; "" for one that is on no web host.

    >>> web_address("git@github.com:somebody/many-heads.git")
    'https://github.com/somebody/many-heads'
    >>> web_address("/srv/many-heads")
    ''
    """
    found = re.fullmatch(r"(?:https?://|ssh://)?(?:[^@/]+@)?([\w.-]+\.\w+)[:/](.+?)(?:\.git)?/?", remote.strip())
    return f"https://{found[1]}/{found[2]}" if found else ""


def repository_address(folder):
    """The address of the repository that holds a folder: the environment's, else the git remote's, else ""."""
    if REPOSITORY in os.environ:
        return web_address(os.environ[REPOSITORY])
    command = ["git", "-C", str(folder), "remote", "get-url", "origin"]
    try:
        return web_address(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    except FileNotFoundError:  # no git
        return ""


def launch_links(repository, page, *, branch="", hub=""):
    """Where a page opens as a notebook: {"Binder": address, ...}; nowhere where the repository is not known.

    >>> launch_links("https://github.com/somebody/many-heads", "book/code")["Binder"]
    'https://mybinder.org/v2/gh/somebody/many-heads/HEAD?urlpath=lab/tree/book/code.md'
    >>> launch_links("", "book/code")
    {}
    """
    if not repository:
        return {}
    host, path = repository.removeprefix("https://").split("/", 1)
    named = f"{HOSTS[host]}/{quote(path, '/' if host == 'github.com' else '')}" if host in HOSTS else ""
    binder = named or f"git/{quote(repository, '')}"
    links = {"Binder": f"https://mybinder.org/v2/{binder}/HEAD?urlpath=lab/tree/{page}.md"}
    if branch and host == "github.com":
        links["Colab"] = f"https://colab.research.google.com/github/{path}/blob/{quote(branch)}/{page}.ipynb"
    if hub:
        query = {"repo": repository, "urlpath": f"lab/tree/{path.split('/')[-1]}/{page}.md"}
        links["JupyterHub"] = f"{hub.rstrip('/')}/hub/user-redirect/git-pull?{urlencode(query, safe='/')}"
    return links


def published_notebook(executed, repository=""):
    """An executed notebook as it is offered for download: live once run, its maps there before; nothing asks a CDN.

    Widgets leave their HTML only: a viewer that cannot run them would show it in no other case. What needs the site's
    scripts (BertViz) is left out until the cell is run. With the repository's address, a first cell installs the
    package where it is missing.
    """
    notebook = nbformat.from_dict(executed)
    kept = ("kernelspec", "language_info")  # a page without code has not asked its kernel for its language
    notebook.metadata = {name: value for name, value in notebook.metadata.items() if name in kept}
    for cell in notebook.cells:
        cell.metadata = {name: value for name, value in cell.metadata.items() if name == "tags"}
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if not _needs_site(output)]
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                data.pop(WIDGET, None)
                data["text/html"] = with_style(data["text/html"])
    if repository:
        cell = nbformat.v4.new_code_cell(INSTALL.format(repository=repository), id="install-the-package")
        notebook.cells.insert(0, cell)
    nbformat.validate(notebook)
    return notebook


def _needs_site(output):
    return "_static/" in output.get("data", {}).get("text/html", "")


def executed_notebook(app, path):
    """The notebook of a page with its outputs, which MyST-NB leaves out where it took them from its cache."""
    notebook = nbformat.read(path, as_version=4)
    settings = app.env.mystnb_config
    if settings.execution_mode == "cache":
        with suppress(KeyError):  # not in the cache: it has no code
            _, notebook = get_cache(settings.execution_cache_path).merge_match_into_notebook(notebook)
    return notebook


def find_repository(app, config):
    if not config.manyheads_repository:
        config.manyheads_repository = repository_address(app.confdir)


def offer_notebook(app, pagename, templatename, context, doctree):
    """Writes a page's notebook beside its source, and tells the theme, whose download menu then has it."""
    executed = Path(app.outdir).parent / EXECUTED / f"{pagename}.ipynb"
    if doctree is None or app.builder.format != "html" or not executed.is_file():
        return
    repository = app.config.manyheads_repository
    path = Path(app.outdir) / "_sources" / f"{pagename}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(published_notebook(executed_notebook(app, executed), repository), path)
    context["ipynb_source"] = f"{pagename}.ipynb"


def add_launch_buttons(app, pagename, templatename, context, doctree):
    """Adds a menu of the places where a page with a notebook can be run."""
    repository = app.config.manyheads_repository
    links = launch_links(repository, pagename, branch=os.environ.get(NOTEBOOKS, ""), hub=os.environ.get(JUPYTERHUB, ""))
    buttons = [
        {"type": "link", "text": name, "tooltip": f"Open this chapter on {name}", "icon": ICONS[name], "url": url}
        for name, url in links.items()
    ]
    if buttons and "ipynb_source" in context and "header_buttons" in context:
        group = {"type": "group", "tooltip": "Run this chapter", "icon": "fas fa-rocket", "label": "launch-buttons"}
        context["header_buttons"].append(group | {"buttons": buttons})


ICONS = {
    "Binder": "_static/images/logo_binder.svg",
    "Colab": "_static/images/logo_colab.png",
    "JupyterHub": "_static/images/logo_jupyterhub.svg",
}


def setup(app):
    app.add_config_value("manyheads_repository", "", "html", [str])
    app.connect("config-inited", find_repository)
    app.connect("html-page-context", offer_notebook, priority=499)  # the theme makes its menus at 500 and 501
    app.connect("html-page-context", add_launch_buttons, priority=502)
