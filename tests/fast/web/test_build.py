"""What `npm run build` makes of `web/`."""

import json
import re

from node import WEB, run_node

from manyheads.figures import FIGURES
from manyheads.figures.files import SHARED

DIST = WEB / "dist"
ROOMS = ("math", "models", "views", "doors", "figures")


def test_a_widget_loads_without_a_page_and_from_one_file(tmp_path):
    """As a notebook loads it, that has no other file of ours beside it."""
    names = ("head-map", "attention-flow", "head-ledger", "next-word")
    for name in names:
        (tmp_path / f"{name}.mjs").write_bytes((DIST / "widgets" / f"{name}.js").read_bytes())
    paths = json.dumps([(tmp_path / f"{name}.mjs").as_uri() for name in names])
    script = f"""Promise.all({paths}.map((path) => import(path))).then((all) =>
        console.log(JSON.stringify(all.map((module) => Object.keys(module).sort()))))"""
    assert json.loads(run_node("-e", script)) == [["TRAITS", "default"]] * len(names)


def test_the_figures_of_a_page_share_one_script():
    for name in FIGURES:
        script = (DIST / f"{name}.js").read_text(encoding="utf-8")
        assert re.findall(r'\b(?:from|import)"(\.[^"]*)"', script) == [f"./{SHARED}"], name


def imports_of(path):
    """The modules that one imports, types as well."""
    names = re.findall(r'^(?:import|export)\b[^"]*? from "(\.[^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE)
    return [(path.parent / name).resolve() for name in names]


def test_no_module_leads_back_to_itself():
    left = {path: imports_of(path) for room in ROOMS for path in (WEB / room).resolve().rglob("*.ts")}
    while free := [path for path, found in left.items() if not any(module in left for module in found)]:
        for path in free:
            del left[path]
    assert sorted(map(str, left)) == []
