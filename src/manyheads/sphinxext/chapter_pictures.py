"""A chapter's first figure as a small picture: what the build drew of it, as an SVG with the styles that it needs."""

import re
from html import escape

import tinycss2
from bs4 import BeautifulSoup

from manyheads.sphinxext.figures import FIGURES, figures_in
from manyheads.sphinxext.stylesheets import Names, cut
from manyheads.widgets.web_files import BUILT, built

WIDTH, HEIGHT = 640, 360
# A figure, or what stands for it on a page that has none.
KINDS = [re.compile(rf"<({kind})\b.*?</\1>", re.DOTALL) for kind in ("|".join(FIGURES), "svg", "pre")]
LEFT_OUT = ("script", "datalist")
NAMESPACES = {"svg": "http://www.w3.org/2000/svg", "math": "http://www.w3.org/1998/Math/MathML"}
CASED = ("viewBox", "preserveAspectRatio")  # as SVG has them; whoever reads HTML may write them small
OTHER_MEDIA = re.compile("print|coarse|scripting|prefers|forced")  # a picture looks the same to everybody
# What a reader would press is left out, and what says how things stand.
STYLE = f"""\
.page {{ box-sizing: border-box; width: {WIDTH}px; height: {HEIGHT}px; overflow: hidden;
  font: 16px/1.4 system-ui, sans-serif; background: #fff; color: #1d2329; }}
[data-theme=dark] .page {{ background: #15191e; color: #e8eaed; }}
.page textarea {{ font-family: inherit !important; }}
.page > * {{ margin: 0 !important; border: 0 !important; border-radius: 0 !important; min-height: {HEIGHT}px;
  padding: 14px 18px !important; }}
:is(.hm-start, .hm-heads, .hm-sorting, .hm-tooler, .hm-panel, .hm-menu, .hm-status, .hm-model, .hm-unseen, .hm-tip,
  .db-acts, .db-ready, .db-hint,
  [hidden]) {{ display: none !important; }}
.page pre {{ font: 15px/1.45 ui-monospace, monospace; white-space: pre; }}
.page > svg {{ width: 100%; height: auto; }}
.page :is(.k, .kn, .o) {{ color: #976590; }}
.page :is(.nf, .nc, .fm) {{ color: #0073e8; }}
.page :is(.c1, .sd) {{ color: #4a8500; }}
.page :is(.mi, .s2) {{ color: #be5c00; }}"""

PICTURE = f"""\
<svg xmlns="{NAMESPACES["svg"]}" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">\
<style>{{style}}</style><foreignObject width="{WIDTH}" height="{HEIGHT}">\
<html xmlns="http://www.w3.org/1999/xhtml" data-theme="{{theme}}"><body style="margin:0">\
<div class="page">{{drawn}}</div></body></html></foreignObject></svg>"""


def pictures_of(page, themes):
    """The first figure in the text of a page as an SVG in the colours of each theme; {} where there is none.

    >>> pictures_of("<article><pre>tea = 2</pre></article>", ["dark"])["dark"][-78:]
    '<div class="page"><pre>tea = 2</pre></div></body></html></foreignObject></svg>'
    """
    _, _, article = page.partition("<article")
    found = next(filter(None, (kind.search(article) for kind in KINDS)), None)
    if not found:
        return {}
    figure = BeautifulSoup(found[0], "html.parser")
    for part in figure.find_all(LEFT_OUT):
        part.decompose()
    for part in figure.find_all(NAMESPACES):
        part["xmlns"] = NAMESPACES[part.name]
    drawn = str(figure)
    for name in CASED:
        drawn = drawn.replace(f" {name.lower()}=", f" {name}=")
    style = escape(_styles_of(drawn) + STYLE, quote=False)
    return {theme: PICTURE.format(theme=theme, style=style, drawn=drawn) for theme in themes}


def _styles_of(figure):
    """The rules for what stands in the HTML of a figure."""
    names = Names()
    names.add_page(f"<html><body>{figure}")
    sheets = dict.fromkeys(["head-map", *figures_in(figure)])
    return "".join(
        cut(built(f"{name}.css"), names, wanted=_shows) for name in sheets if (BUILT / f"{name}.css").is_file()
    )


def _shows(rule):
    """Whether a rule concerns a picture: it has a width, and nothing in it moves or is printed."""
    if rule.type != "at-rule":
        return True
    return rule.lower_at_keyword in ("media", "container") and not OTHER_MEDIA.search(tinycss2.serialize(rule.prelude))
