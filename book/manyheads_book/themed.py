"""Matplotlib figures as SVG in a page's own colours, light or dark, on no paper of their own.

A hue means the same as in live figures: a head's, by its name or what it does, or a sign's. Other lines are `INK` and
`GREY`, and differ in their dashes.
"""

import io
import re
from html import escape

from IPython.display import HTML
from matplotlib import pyplot, rc_context
from matplotlib.colors import LinearSegmentedColormap, to_rgba

from manyheads.shared.names import NEUTRAL_COLOUR, NUMBER_COLOURS

INK = "#010203"  # stands for the colour of the page's text, which only the page knows
GREY = "#787B80"  # seen on white and on black
STYLE = {  # for `plt.rcParams.update`; 11 points on 4.5 inches are 11 pixels on a phone
    "figure.figsize": (4.5, 3),
    "figure.constrained_layout.use": True,
    "font.size": 11,
    "font.family": "sans-serif",
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "svg.fonttype": "none",  # letters stay letters: sharp at any size
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
}
LOW, HIGH = NUMBER_COLOURS["negative"], NUMBER_COLOURS["positive"]
SHADE = LinearSegmentedColormap.from_list("shade", [to_rgba(NEUTRAL_COLOUR, 0), to_rgba(NEUTRAL_COLOUR, 0.9)])
SIGNS = LinearSegmentedColormap.from_list("signs", [to_rgba(LOW), to_rgba(LOW, 0), to_rgba(HIGH, 0), to_rgba(HIGH)])
TAG, EXACT = re.compile("<[^>]*>"), re.compile(r"\d+\.\d{3,}")  # finer than a hundredth of a pixel no eye sees
# The theme lays dark pages' outputs on light paper, for pictures that need it.
SHEET = """<style>
html[data-theme="dark"] .bd-content div.cell_output .text_html:not(:has(table.dataframe)):has(> .themed) {
  padding: 0; background: none; color: inherit;
}
@supports (overflow-clip-margin: 3rem) { /* else letters at the edge are cut */
  .themed svg { content-visibility: auto; overflow-clip-margin: 3rem; } /* nobody waits for what is not in view */
}
</style>"""


def themed(*figures, alt):
    """Show figures side by side, or one below the other where there is no room; `INK` follows the page's theme.

    >>> from matplotlib.figure import Figure
    >>> figure = Figure(figsize=(3, 2))
    >>> _ = figure.text(0.5, 0.5, "tea", color=INK)
    >>> html = themed(figure, alt="A word.").data
    >>> "currentColor" in html, 'aria-label="A word."' in html, INK in html
    (True, True, False)

    `alt` says in words what is to be seen. Returns `IPython.display.HTML`; make the figures under `STYLE`.
    """
    drawn = []
    for place, figure in enumerate(figures):
        text = io.StringIO()
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": f"{alt} {place}"}):  # no two figures share an id
            figure.savefig(text, format="svg", transparent=True)
        pyplot.close(figure)  # else the notebook shows it once more
        _, _, marks = text.getvalue().partition("</defs>")  # before them stand styles, which would be the whole page's
        marks = re.sub('<g id="[^"]*"', "<g", marks).replace(INK, "currentColor")
        marks = TAG.sub(lambda tag: EXACT.sub(lambda number: f"{float(number[0]):.2f}", tag[0]), marks)
        width, height = 72 * figure.get_size_inches()
        share = width / 324
        size = f"flex: {share:.3g} 1 {18 * share:.3g}rem; max-width: {30 * share:.3g}rem; min-width: 0; height: auto"
        size += f"; aspect-ratio: {width:g} / {height:g}"  # holds its place before it is drawn
        style = f"{size}; overflow: visible"  # letters may be a little wider than they were measured
        drawn.append(f'<svg viewBox="0 0 {width:g} {height:g}" style="{style}" stroke-linejoin="round">{marks}')
    frame = "display: flex; flex-wrap: wrap; justify-content: center; align-items: center; gap: 1rem"
    named = f'class="themed" role="img" aria-label="{escape(alt)}"'
    return HTML(f'{SHEET}<div {named} style="{frame}">{"".join(drawn)}</div>')
