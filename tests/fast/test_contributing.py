"""CONTRIBUTING.md tells a newcomer where things are: all rooms are in its table, and what it names is there."""

import re
import subprocess

from conftest import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


def folders(below=""):
    """The folders with files of ours directly below a path."""
    inside = (path.removeprefix(below) for path in TRACKED if path.startswith(below))
    return {below + path.split("/")[0] + "/" for path in inside if "/" in path}


def test_the_table_of_rooms_is_complete():
    table = set(re.findall(r"^\| `([\w/.]+)` \|", TEXT, re.MULTILINE))
    package = "src/manyheads/"
    rooms = folders() - {"src/"} | folders(package) | folders(f"{package}web/") | folders(f"{package}models/")
    rooms -= {f"{package}web/", ".ci/", ".github/"}  # web has a row for each of its folders
    modules = {path for path in TRACKED if re.fullmatch(rf"{package}[a-z]\w*\.py", path)}
    assert rooms | modules == {row for row in table if not row.startswith("make")}


def test_what_it_names_is_there():
    named = set(re.findall(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|ts|js|json|md|yml))`", TEXT)) - {"book/verb-first.md"}
    assert len(named) > 20
    missing = {name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in TRACKED)}
    assert not missing


def test_the_functions_it_names_are_defined():
    names = ("#compute", "loadModel", "multiHeadAttention", "attend", "shownMap", "HeadMapView", "_compute", "tokenize",
             "decodeMap", "MultiHeadAttention", "VIEWS", "headColours", "FigureDirective", "LiveFigure")  # fmt: skip
    sources = "\n".join(
        (ROOT / path).read_text(encoding="utf-8")
        for path in TRACKED
        if path.startswith("src/manyheads/") and path.endswith((".py", ".ts", ".json"))
    )
    for name in names:
        assert f"`{name}" in TEXT or f".{name}`" in TEXT, name
        places = (
            rf"\b(?:def|class|function|const) {name}\b",
            rf"^ +{name} = ",
            rf"^ +(?:async )?{name}\(.*\{{$",
            f'"{name}":',
        )
        assert re.search("|".join(places), sources, re.MULTILINE), name
