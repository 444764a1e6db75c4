"""BertViz's own views on a page of the book, with the scripts that they need served by the book itself.

BertViz (Vig 2019, arXiv:1906.05714) writes HTML that fetches require.js, jQuery and d3 from a CDN. Here the same HTML
is put into a frame, where its names and its require.js meet nobody else's, and the three scripts come from the book or,
in a notebook, along with the HTML.
"""

import os
import re
import warnings
from html import escape

import torch
from IPython.display import HTML

from manyheads.drawing.element import BUILDING
from manyheads.widgets.web_files import WEB

MODULES = WEB / "node_modules"
SCRIPTS = {  # as the site calls them, and where npm puts them
    "require.js": MODULES / "requirejs" / "require.js",
    "jquery.js": MODULES / "jquery" / "dist" / "jquery.min.js",
    "d3.js": MODULES / "d3" / "dist" / "d3.min.js",
}
VIEWS = ("head_view", "model_view")
# BertViz draws for white paper; in the dark its picture is turned over, and keeps its hues.
STYLE = """<style>
.bertviz {
  display: block; box-sizing: border-box; width: 100%; margin: 1rem 0; padding: .6rem;
  border: 1px solid #d5dae0; border-radius: 10px; background: #fff; color-scheme: light;
}
html[data-theme="dark"] .bertviz, body[data-jp-theme-light="false"] .bertviz { filter: invert(.91) hue-rotate(180deg) }
</style>"""
FIT = """
requirejs(["jquery", "d3"], () => {
const svg = document.querySelector("svg");
svg.setAttribute("viewBox", [0, 0, svg.clientWidth, svg.clientHeight].join(" "));
svg.style = "width: 100%; min-width: 44rem; height: auto";
frameElement.style.height = document.body.scrollHeight + 40 + "px";
});"""  # model_view is always 970 pixels wide
# The site makes a file of the frame, beside the scripts: `with_files` of sphinxext/finishing.py.
LOAD = """<script src="require.js"></script><script>
require.config({{ baseUrl: "./", waitSeconds: 0 }}); // a slow network is no fault
{view}
</script>"""


def bertviz_view(view, attention_map, **options):
    """One of BertViz's views, "head_view" or "model_view", of an `AttentionMap`, for a notebook and for the book.

    >>> from manyheads.models.encoder import load_encoder
    >>> html = bertviz_view("head_view", load_encoder()("Tea or coffee?"), layer=2)
    >>> "cdnjs" in html.data
    False

    `options` are the view's own, such as `layer` and `heads`, or `include_layers`. Weights are written to four
    decimals. In a notebook where npm has not brought the scripts (on Colab, say), BertViz fetches them from its CDN.
    Raises `ValueError` for another view, `ImportError` without `bertviz`, and `RuntimeError` for a BertViz whose HTML
    is not as that of version 1.4.1.
    """
    if view not in VIEWS:
        raise ValueError(f"view must be one of {VIEWS}, got {view!r}")
    try:
        import bertviz
    except ImportError as error:
        raise ImportError("BertViz's views need bertviz: run `pip install bertviz`") from error

    attention = [torch.tensor(layer, dtype=torch.float64).round(decimals=4)[None] for layer in attention_map.weights]
    light = {"display_mode": "light"} if view == "model_view" else {}
    if attention_map.query_tokens == attention_map.key_tokens:
        data = {"attention": attention, "tokens": attention_map.query_tokens}
    else:
        data = {
            "cross_attention": attention,
            "decoder_tokens": attention_map.query_tokens,
            "encoder_tokens": attention_map.key_tokens,
        }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves its script open
        written = getattr(bertviz, view)(**data, html_action="return", **light, **options).data
    if os.environ.get(BUILDING) or all(path.is_file() for path in SCRIPTS.values()):
        written = _with_own_scripts(written)
    page = f'<!doctype html><meta charset="utf-8"><body style="margin:0">{written}</body>'
    frame = (
        f'title="{view.replace("_", " ")} of BertViz" height="{_height(view, attention_map)}" srcdoc="{escape(page)}"'
    )
    return HTML(f'{STYLE}<iframe class="bertviz" loading="lazy" {frame}></iframe>')


def _with_own_scripts(written):
    """BertViz's HTML without its CDNs: the markup as it is, then the scripts, and the view once they are there."""
    written = re.sub(r"bertviz-[0-9a-f]{32}", "bertviz", written)  # alone in its frame, and the same at every build
    pattern = r'<script src="https://[^"]*require[^"]*"></script>(.*)<script type="text/javascript">(.*)</script>\s*'
    found = re.fullmatch(pattern, written, re.DOTALL)
    view, configs = re.subn(r"require\.config\(\{.*?\n\}\);", "", found[2], flags=re.DOTALL) if found else ("", 0)
    if configs != 1 or "cdnjs" in view:
        raise RuntimeError("this BertViz writes other HTML than version 1.4.1: install bertviz==1.4.1")
    view = re.sub(r"^/\*\*.*?\*/|^ +", "", view, flags=re.DOTALL | re.MULTILINE).replace("</", "<\\/")
    view += FIT if "renderThumbnail" in view else ""
    if os.environ.get(BUILDING):
        return found[1] + LOAD.format(view=view)
    sources = {name: path.read_text(encoding="utf-8").replace("</", "<\\/") for name, path in SCRIPTS.items()}
    inline = "".join(f"<script>{sources[name]}</script>" for name in ("jquery.js", "d3.js", "require.js"))
    names = 'define("jquery", [], () => jQuery); define("d3", [], () => d3);'
    return f"{found[1]}{inline}<script>{names}\n{view}</script>"


def _height(view, attention):
    """What the view will need, by the measures in its own script, and the margins around."""
    longest = max(attention.shape[2:])
    if view == "head_view":
        return round(22.5 * longest + 90)
    thumbnails = attention.shape[0] * (longest * 84 / attention.shape[1] + 10) + 38
    return round(max(thumbnails, longest * 18 + 55) + 60)
