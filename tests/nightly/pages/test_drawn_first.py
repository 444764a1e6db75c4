"""What stands in a page before its scripts run is what they draw: every node in its place, in its colours."""

import random
import shutil

import numpy as np
import pytest
from live_maps import eventually
from served import serve

from manyheads.maps import AttentionMap
from manyheads.models.focus.data import FACTS
from manyheads.models.registry import load_model
from manyheads.shared.names import STATION_MATRICES
from manyheads.shared.options import OPTIONS
from manyheads.sphinxext.prerender import draw_figures
from manyheads.widgets.attention_flow import attention_flow_element, flow_steps, learned_in
from manyheads.widgets.head_ledger import head_ledger, head_ledger_element
from manyheads.widgets.saving import head_map_element
from manyheads.widgets.slice_or_project import projections, projections_element
from manyheads.widgets.web_files import BUILT

STATES = 36
WORDS = ["[CLS]", "un", "##like", "##ly", "tea", ",", "or", "cof", "##fee", "<b>", "[SEP]"]
PAGE = """<!doctype html><html data-theme="{theme}"><head><meta charset="utf-8"><link rel="icon" href="data:,">
<link rel="stylesheet" href="head-map.css"><link rel="stylesheet" href="attention-flow.css"><link rel="stylesheet" href="head-ledger.css"><link rel="stylesheet" href="slice-or-project.css">
<script type="module" src="head-map.js"></script>
<script type="module" src="attention-flow.js"></script><script type="module" src="head-ledger.js"></script>
<script type="module" src="slice-or-project.js"></script>
</head><body>{body}</body></html>"""
# Every visible node of every figure: its kind, its rectangle within the figure, its colours and its own text. HTML can't say
# how far something is scrolled, which scripts do to bring a matrix's lit cell into view.
SEEN = """() => [...document.querySelectorAll("head-map, attention-flow, head-ledger, slice-or-project")].map((figure) => {
  for (const node of figure.querySelectorAll("*")) node.scrollTo(0, 0);
  const { x, y, width, height } = figure.getBoundingClientRect();
  const round = (size) => Math.round(4 * size) / 4;
  const nodes = [...figure.querySelectorAll("*")].map((node) => {
    const box = node.getBoundingClientRect();
    const { backgroundColor, color, borderColor, opacity, visibility } = getComputedStyle(node);
    if (!box.width || !box.height || visibility === "hidden" || node.localName === "script") return null;
    const kind = node.localName === "canvas" ? "img" : node.localName;
    const text = node.childElementCount ? "" : node.value ?? node.textContent;
    const place = [box.x - x, box.y - y, box.width, box.height].map(round).join(" ");
    return [kind, place, backgroundColor, color, borderColor, opacity, text, node.checked ?? ""].join(" | ");
  });
  return [`${round(width)} x ${round(height)}`, ...nodes.filter(Boolean)];
})"""


def random_map(rng, queries, keys):
    """A map of unequal axes in two layers of three heads."""
    weights = rng.dirichlet(np.full(len(keys), 0.4), size=(2, 3, len(queries)))
    norms = 9 * rng.random((2, 3, len(keys)))
    predictions = {"taste": {"sweet": 0.25, "bitter": 0.75}}
    return AttentionMap(queries, keys, weights, predictions=predictions, notes=("A note.",), value_norms=norms)


def random_figure(seed):
    """A map in a random state, as the element of a page: heads off, averaged, compared, merged, cut, in every view."""
    choose, rng = random.Random(seed), np.random.default_rng(seed)
    tokens = choose.sample(WORDS, choose.randint(2, len(WORDS)))
    queries = tokens if choose.random() < 0.7 else choose.sample(WORDS, 3)
    second = choose.sample(WORDS, len(tokens)) if queries is tokens and choose.random() < 0.4 else None
    choices = {name: [*row["values"]] for name, row in OPTIONS.items() if row["kind"] == "choice"}
    state = {name: choose.choice(values) for name, values in choices.items() if choose.random() < 0.4}
    state["view"] = choices["view"][seed % len(choices["view"])]
    state["layer"], state["query"] = choose.randrange(2), choose.randrange(len(queries))
    if choose.random() < 0.4:
        state["off"] = f"{choose.randrange(2)}.{choose.randrange(3)}"
    if choose.random() < 0.3:
        state["first"] = 1
    if choose.random() < 0.3:
        state["head"] = choose.randrange(3)
    compared = None
    if second:
        state["compare"], compared = " ".join(second), random_map(rng, second, second)
    if choose.random() < 0.5:
        state |= {"model": "focus", "sentence": " ".join(tokens)}
    return head_map_element(random_map(rng, queries, tokens), compared, status="It stands still.", **state)


def flows():
    """The journey at every station, of different heads and asking words."""
    model, sentence = load_model("focus"), "Hot tea, please!"
    for place, station in enumerate(STATION_MATRICES):
        head, query = place % 4, place % 5
        flags = {"causal": ""} if station == "softmax" else {}
        steps = flow_steps(model, sentence, head, causal=bool(flags))
        places = {"station": station, "head": head, "query": query}
        places["cell"] = "scores 2 1" if station == "scores" else None
        yield attention_flow_element(
            steps, learned_in(model, head), model="focus", sentence=sentence, **places, **flags
        )


def ledgers():
    """What heads write into an answer of each fact."""
    model, sentence = load_model("focus"), "Hot tea, please!"
    ledger = head_ledger(model, sentence)
    for place, fact in enumerate(FACTS):
        yield head_ledger_element(ledger, model="focus", sentence=sentence, answer=fact, head=place or None)


def projected():
    """The query of two words, from one wide matrix."""
    model, sentence = load_model("focus"), "Hot tea, please!"
    for word in (0, 2):
        made = projections(model, sentence, word)
        yield projections_element(made, model="focus", sentence=sentence, word=word)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """The address of two pages, light and dark, of figures that the build has drawn."""
    folder = tmp_path_factory.mktemp("drawn")
    shutil.copytree(BUILT, folder, dirs_exist_ok=True)
    body = "<hr>".join([*map(random_figure, range(STATES)), *flows(), *ledgers(), *projected()])
    pages = {theme: folder / f"{theme}.html" for theme in ("light", "dark")}
    for theme, page in pages.items():
        page.write_text(PAGE.format(theme=theme, body=body), encoding="utf-8")
    draw_figures(pages.values())
    with serve(folder) as address:
        yield address


@pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (768, "dark"), (480, "light")])
def test_the_build_draws_what_scripts_draw(page, hosts, drawn, width, theme):
    hosts.append(drawn)
    page.set_viewport_size({"width": width, "height": 900})
    scripts = []
    page.route("**/*.js", lambda route: scripts.append(route))  # they come when the page was seen without them
    page.goto(f"{drawn}/{theme}.html", wait_until="commit")
    page.wait_for_function("document.readyState !== 'loading' && document.fonts.status === 'loaded'")
    count = STATES + len(STATION_MATRICES) + len(FACTS) + 2
    page.wait_for_function(
        "document.getAnimations().every(({ playState }) => playState === 'finished')"
    )  # a sheet opens
    built = eventually(lambda: page.evaluate(SEEN), lambda found: len(found) == count and min(map(len, found)) > 20)
    for script in scripts:
        script.continue_()
    page.unroute_all()
    page.wait_for_function("document.querySelectorAll(':not(:defined)').length === 0")

    def alike(live):
        for place, (before, after) in enumerate(zip(built, live, strict=True)):
            assert before == after, f"figure {place}"

    eventually(lambda: page.evaluate(SEEN), alike, seconds=9)
