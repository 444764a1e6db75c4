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
    """The stylesheets of a figure: that of the maps, on which the others rest, and its own.

    A notebook puts those of one figure after those of another: a figure's own come first, wherever they stand, since
    they name it twice.
    """
    base = built("head-map.css")
    return base if element == "head-map" else base + built(f"{element}.css").replace(f".{element}", 2 * f".{element}")
