"""Maps as elements of pages, and as files that stand alone: a page with its style and its script, that asks nobody."""

import gzip
import os
import secrets
import warnings
from base64 import b64encode
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

from manyheads.drawing.element import element_html, write_heads
from manyheads.drawing.endings import check_path
from manyheads.drawing.plain import plain_html
from manyheads.maps.choosing import fit_query, move_query, take_between, write_query
from manyheads.maps.wire import digits_in, digits_of, map_json
from manyheads.models.registry import is_named
from manyheads.shared.options import OPTIONS, is_whole, start_of
from manyheads.whole_files import write_whole
from manyheads.widgets.file_size import too_large
from manyheads.widgets.web_files import built

PLACES = ("layer", "head")  # in the order of a map's axes
TEXT = "text"  # what a model reads that doesn't say what it reads
BAKED = 2**22  # weights; a page of a map with more has one layer of it, some 4 MB at most
DIGITS = f"digits-{secrets.token_hex(8)}"  # stands in a page for weights that are written straight into its file
TOO_LARGE = "One layer alone would make this page too large: this is a picture of it."
SAVED = "Python computed this map. What is shown of it can be chosen; the {what} stays."
STILL = "Python computed this map; it stands still on a page."
ONLY_THESE = "Only these tokens are in this page: for all of them, leave out first and last before you write it."
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style class="manyheads">{style}</style>
</head>
<body>
{body}
<script type="module">
// The figures' script, packed so that the file is light to send.
const packed = Uint8Array.from(atob("{packed}"), (char) => char.charCodeAt(0));
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
const script = document.createElement("script");
script.type = "module";
script.textContent = await new Response(unpacked).text();
document.head.append(script);
</script>
</body>
</html>
"""
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"  # no network


def save_map(figure: Any, path: str | os.PathLike[str]) -> Path:
    """Write the map as one file that anybody can open: a page that needs no network, no server and no Python.

    >>> from manyheads import HeadMap
    >>> from tempfile import TemporaryDirectory
    >>> figure = HeadMap.of([[0.25, 0.75], [0.5, 0.5]], ["hot", "tea"])
    >>> with TemporaryDirectory() as folder:
    ...     figure.save(f"{folder}/map.html").stat().st_size < 150_000
    True

    The page starts as the map is now. Its reader chooses view, layer, word, heads and special tokens; the sentence,
    or the drawing, stays, since the model is not in the file. Several models, or what it is compared with, are
    maps of their own, one below the other. Of `first` to `last`, the file holds these tokens alone, and says so;
    but where `rollout`, merged pieces, what is written, or rows without special tokens are shown, it holds all, for
    these are told from whole rows. Of a file that gets larger than a mail carries, a warning says so before it is
    written, and what would fit. Returns the `Path`.

    Raises `ValueError` for a path that ends in something other than .html, `OSError` for one that can't be written.
    """
    path = check_path(path, ".html", ".htm")
    sentences = [figure.sentence] if figure.compare is None else [figure.sentence, figure.compare]
    saved = SAVED.format(what="sentence" if figure._reads == TEXT else figure._reads)
    figures, maps = [], []
    beside = [] if figure.beside is None else [figure.beside]
    for model in [*figure.models, *beside]:
        mask = figure.head_mask if model in (figure.model, figure.beside) else None
        for sentence in sentences:
            attention, shown = _part_of(figure, model(sentence, head_mask=mask), mask)
            named = (
                name_of(model) if len(figure.models) > 1 or beside else "",
                sentence if figure._reads == TEXT else "",
            )
            html = head_map_element(attention, status=saved, whole=True, digits=DIGITS, **shown)
            figures.append((": ".join(part for part in named if part), html))
            maps += [attention] * html.count(DIGITS)
    first, *rest = standalone_page(figures, figure._esm, figure._css).split(DIGITS)
    page, weights = len(first + "".join(rest)), sum(digits_in(each) for each in maps)
    layer = figure.attention.opened(figure.layer)
    if said := too_large(path.name, page, weights, maps, layer, parts=not _takes_whole_rows(figure)):
        warnings.warn(said, stacklevel=2)
    with write_whole(path) as beside, beside.open("w", encoding="utf-8", errors="replace") as file:
        file.write(first)
        for attention, part in zip(maps, rest, strict=True):
            file.writelines(digits_of(attention))
            file.write(part)
    return path


def standalone_page(figures, module, style):
    """A page of figures, [(title or "", element), ...], with the module that brings them to life.

    >>> page = standalone_page([("Hot <tea>", "<head-map></head-map>")], "const end = '</script>';", "p { margin: 0 }")
    >>> "<h2>Hot &lt;tea&gt;</h2>" in page, page.count("</script>")
    (True, 1)
    """
    sections = [f"<h2>{escape(title)}</h2>{html}" if title else html for title, html in figures]
    return PAGE.format(
        policy=POLICY,
        title=escape(figures[0][0] or "Attention"),
        style=style + built("plain.css"),
        body="\n".join(f"<section>{section}</section>" for section in sections),
        packed=b64encode(gzip.compress(module.encode(), mtime=0)).decode(),
    )


def head_map_element(attention, compared=None, *, status="", whole=False, digits=None, **attributes):
    """The `<head-map>` element of a page, with its map; `attributes` (model, sentence, view, layer ...) become its own.

    >>> from manyheads.maps import AttentionMap
    >>> attention = AttentionMap(["tea"], ["hot", "tea"], [[[[0.25, 0.75]]]])
    >>> head_map_element(attention, sentence="<tea>")[:38]
    '<head-map sentence="&lt;tea&gt;"><figu'

    `compared` is the map of a second sentence. `status` is what the status line says of a map that no model of a page
    computes again. Of a map with more than `BAKED` weights, the page has one layer and small pictures of the others,
    unless the `whole` is wanted. `digits` stands for many weights that are written later.
    """
    layer = attention.opened(attributes.get("layer"))
    if not whole and attention.weights[0].size > BAKED:
        return plain_html(replace(attention, notes=(*attention.notes, TOO_LARGE)), compared, layer)
    layers = None if whole or attention.weights.size <= BAKED else [layer]
    if layers:
        present = f"Of its {attention.shape[0]} layers, {attention.layer_names[layer]} is in this page"
        status = f"{status} {present}: the others would make it too large.".strip()
    data = map_json(attention, layers, digits)
    if compared is not None:
        data["compared"] = map_json(compared, layers)
    if status:
        data["status"] = status
    return element_html("head-map", attributes, data, plain_html(attention, compared, layer))


def element_of(figure):
    """A map, as it is shown now, as an element of the book's pages."""
    names = " ".join(figure._models)
    live = figure._computes and all(map(is_named, [*figure._models, *filter(None, [figure._beside])]))
    still = STILL if figure._computes else figure._status
    attention, compared = figure._sent
    if live:
        chosen = _shown(figure, attention, figure.head_mask)
        chosen["models" if len(figure._models) > 1 else "model"] = names
    else:
        compared = compared and _part_of(figure, compared, figure.head_mask)[0]
        attention, chosen = _part_of(figure, attention, figure.head_mask)
    chosen |= {"compare": figure.compare, "beside": figure._beside or None}
    if figure._computes:
        chosen["sentence"] = figure.sentence
    return head_map_element(attention, compared, status="" if live else still, **chosen)


def _shown(figure, attention, mask):
    """What is shown of a map, as attributes of its element; what a smaller one than was there lacks is another."""
    chosen = {name: getattr(figure, name) for name, row in OPTIONS.items() if "computed" not in row}
    for name, count in zip(PLACES, attention.shape):
        chosen[name] = None if chosen[name] is None else min(chosen[name], count - 1)
    chosen["query"] = fit_query(chosen["query"], attention.shape[2])
    rows = enumerate(mask or [])
    off = write_heads((layer, head) for layer, row in rows for head, on in enumerate(row) if not on)
    chosen = {name: None if value == start_of(name) else value for name, value in chosen.items()}
    asks = chosen["query"] and write_query(chosen["query"])
    return {**chosen, "query": asks, "off": off or None}


def _takes_whole_rows(figure):
    return any(is_whole(name, getattr(figure, name)) for name in OPTIONS)


def _part_of(figure, attention, mask):
    """What a page without its model holds of a map, the tokens that are shown, and its element's attributes."""
    shown = _shown(figure, attention, mask)
    if _takes_whole_rows(figure):
        return attention, shown
    part = take_between(attention, figure.first, figure.last)
    if part is attention:
        return attention, shown
    asks = figure.query
    if part.shape[2] < attention.shape[2]:  # those that ask are those that are looked at
        asks = move_query(asks, figure.first)
    asks = fit_query(asks, part.shape[2])
    shown |= {"first": None, "last": None, "query": write_query(asks) if asks else None}
    return replace(part, notes=(*part.notes, ONLY_THESE)), shown


def name_of(model):
    """What a head model is called where maps are chosen."""
    return getattr(model, "page_name", None) or getattr(model, "name", type(model).__name__)
