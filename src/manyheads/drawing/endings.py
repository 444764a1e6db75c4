"""The names of files that maps are written to: what each ending holds, and what else writes it."""

from pathlib import Path

PICTURES = (".png", ".pdf", ".jpg", ".jpeg", ".eps", ".ps", ".tif", ".tiff", ".webp")
WRITERS = {
    ".html": "HeadMap.of(attention).save",
    ".htm": "HeadMap.of(attention).save",
    ".svg": "attention.to_svg",
    ".csv": "attention.to_csv",
    **dict.fromkeys(PICTURES, "attention.plot().savefig"),
}


def check_path(path, *endings):
    """The path, `~` being the reader's own folder; refused where its ending belongs to another kind of file.

    >>> check_path("map.svg", ".svg").name, check_path("layer-0.5", ".svg").name
    ('map.svg', 'layer-0.5')
    >>> check_path("map.pdf", ".svg")
    Traceback (most recent call last):
    ValueError: this writes .svg, not .pdf: call attention.plot().savefig('map.pdf') instead
    """
    path = Path(path).expanduser()
    ending = path.suffix.lower()
    if ending in (*endings, "", ".") or ending[1:].isdigit():
        return path
    name = f"call the file {path.with_suffix(endings[0]).name!r}"
    instead = f"call {WRITERS[ending]}({path.name!r}) instead" if ending in WRITERS else name
    raise ValueError(f"this writes {endings[0]}, not {ending}: {instead}")
