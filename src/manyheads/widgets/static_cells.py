"""Weights on words as static HTML, as `views/paint.js` draws them: what Paint, Matrix and Grid are made of."""

from dataclasses import dataclass, replace
from html import escape

from manyheads.maps import is_special, readable
from manyheads.maps.compared_maps import aligned, row_in_second
from manyheads.maps.names import DEPTH, FULL
from manyheads.maps.small_pictures import Tint
from manyheads.maps.written import written
from manyheads.widgets.static_pictures import colour_of, weight_colour

DEPTHS = 200  # from no tint to the full one; as in math/maps.js
THICKEST = 4  # pixels of an underline; as in views/paint.js


@dataclass(frozen=True)
class Look:
    """How weights are shown: tinted by which scale, only the strongest of a row, with a word that is searched."""

    tint: Tint
    top: bool = False
    sought: str = ""

    def of_differences(self, map):
        """How the differences between a map and another one are shown: all of them, on a scale of their own."""
        shares = map.kind in ("shares", "parts")
        return replace(self, top=False, tint=replace(self.tint, fixed=FULL if shares else None))

    def told(self, map, weight):
        return "left out" if self.top and weight == 0 else written(map, weight)

    def finds(self, token):
        """As `isFound` in figures/head-map-more.js."""
        sought = self.sought.strip().lower()
        return sought != "" and sought in readable(token).lower()


def row(map, layer, head, query, name, look, compared=None, second=""):
    """One head's weights on all words; of two sentences, one below the other, the `second` with a name of its own."""
    cells_of_first = cells(map, layer, head, query, look, asker=map.query_tokens == map.key_tokens, other=compared)
    below = ""
    if compared is not None:
        asked = row_in_second(map, compared, query)
        rest = cells(compared, layer, head, asked, look, asker=True, other=map)
        below = f'<tr role="row"><th scope="row" role="rowheader">{second}</th>{rest}</tr>'
    return (
        f'<tbody role="rowgroup" style="--head:{colour_of(map, head)}"><tr role="row"><th scope="row" role="rowheader">'
        f'<span class="hm-head hm-on">{escape(name)}</span></th>{cells_of_first}</tr>{below}</tbody>'
    )


def cells(map, layer, head, query, look, *, asker=False, other=None, written=True):
    """The cells of a row; those of words that the `other` sentence has not are marked, and so is the word that asks."""
    weights = map.weights[layer, head, query]
    asks = escape(map.query_tokens[query])
    seen = [True] * len(weights) if map.allowed is None else map.allowed[query]
    told = [look.told(map, weight) if looked else "masked" for weight, looked in zip(weights, seen)]
    alike = range(len(weights)) if other is None else {at for at, _ in aligned(map.key_tokens, other.key_tokens)}
    marks = [
        {"hm-masked": not looked, "hm-asker": asker and place == query, "hm-only": place not in alike}
        for place, looked in enumerate(seen)
    ]
    tints = look.tint.of(weights, look.tint.full(map, layer)[head, query])
    return "".join(
        f'<td role="cell" class="{_classes(token, weight, look, mark)}" data-weight="{weight:.4f}" '
        f'data-percent="{said}" style="{_style(weight_colour(map, head, weight), tint, underlined=written)}" '
        f'aria-label="{asks} to {escape(token)}: {said}">{escape(readable(token)) if written else ""}</td>'
        for token, weight, tint, mark, said in zip(map.key_tokens, weights, tints, marks, told)
    )


def _style(colour, tint, underlined):
    """As `cellLook` in math/maps.js, where no token is dimmed."""
    share = round(DEPTHS * float(tint)) / DEPTHS
    ground = f"background-color:{colour}{round(255 * DEPTH * share):02x}"
    return f"{ground};background-size:100% {THICKEST * share:.2f}px,auto" if underlined else ground


def class_of(token):
    """The class that a token's marks give it, as an attribute."""
    name = _mark(token)
    return f' class="{name}"' if name else ""


def _mark(token):
    return "hm-piece" if readable(token) != token else "hm-special" if is_special(token) else ""


def _classes(token, weight, look, marks):
    names = {_mark(token): True, "hm-minus": round(float(weight), 4) < 0, "hm-found": look.finds(token), **marks}
    return " ".join(name for name, there in names.items() if name and there)
