"""What the build of `web/` made: the scripts and stylesheets that notebooks, saved files and pages bring."""

from pathlib import Path

WEB = Path(__file__).parent.parent / "web"
BUILT = WEB / "dist"


def built(name):
    """The text of a built script or stylesheet.

    >>> len(built("head-map.css")) > 1000
    True

    Raises `FileNotFoundError` where it isn't built: an editable install from a clone without node.
    """
    path = BUILT / name
    if not path.is_file():
        raise FileNotFoundError(
            f"The scripts of the figures aren't built: run `npm ci && npm run build` in {WEB}, or `make scripts`."
        )
    return path.read_text(encoding="utf-8")


def styles_of(element):
    """The stylesheets of a figure: that of the maps, on which the others rest, and its own."""
    base = own_styles("head-map")
    return base if element == "head-map" else base + own_styles(element)


def own_styles(element):
    """The stylesheet of a figure in a notebook, which puts those of one figure after those of another.

    A figure's own come before that of the maps, wherever they stand, since they name it twice.
    """
    own = built(f"{element}.css")
    return own if element == "head-map" else own.replace(f".{element}", 2 * f".{element}")
