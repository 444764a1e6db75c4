"""What `npm run build` makes of `web/`."""

import json
import re

import pytest
from node import WEB, bundle, run_node

DIST = WEB / "dist"
ROOMS = ("math", "models", "views", "figures", "doors")
SCRIPTS = sorted(DIST.glob("*.js"))
IMPORT = re.compile(r"""(?:^|[;}])(?:import|export)\b[^;(]*?from\s*["']|(?:^|[;}])import\s*["']""")


def test_pages_find_their_scripts():
    assert {"head-map", "formula-steps", "models", "theme"} <= {path.stem for path in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_each_script_is_one_file(script, tmp_path):
    text = script.read_text(encoding="utf-8")
    assert not IMPORT.search(text)
    module = tmp_path / "script.mjs"
    module.write_text(text, encoding="utf-8")
    run_node("--check", module)


def test_a_figure_loads_without_a_page(tmp_path):
    module = tmp_path / "map.mjs"
    module.write_bytes((DIST / "head-map.js").read_bytes())
    found = run_node("-e", f"import({json.dumps(module.as_uri())}).then((it) => console.log(Object.keys(it).sort()))")
    assert found.split() == ["[", "'TRAITS',", "'default'", "]"]


def test_what_runs_in_old_browsers_is_old_javascript():
    assert not re.search(r"\?\.|\?\?|&&=|\|\|=|\basync\b", (DIST / "standing-still.js").read_text(encoding="utf-8"))


def test_every_file_is_part_of_a_script_or_is_a_stylesheet():
    entries = [path for room in ROOMS for path in (WEB / room).glob("*.ts") if (DIST / f"{path.stem}.js").exists()]
    assert len(entries) == len(SCRIPTS)
    _, used = bundle(*(str(path.relative_to(WEB)) for path in entries))
    rooms = {str(path.relative_to(WEB)) for room in ROOMS for path in (WEB / room).iterdir()}
    assert rooms == {path for path in used if not path.endswith(".json")} | {
        path for path in rooms if path.endswith(".css")
    }
    assert {path.name for room in ROOMS for path in (WEB / room).glob("*.css")} == {
        path.name for path in DIST.glob("*.css")
    }
