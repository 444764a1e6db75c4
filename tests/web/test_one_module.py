"""The files of `web/`, put together."""

import json

import pytest
from node import run_node

from manyheads.sphinxext.assets import SCRIPTS, STYLESHEETS
from manyheads.widgets.one_module import IMPORT, JSON, WEB, one_module

ROOMS = ("math", "models", "views", "figures", "doors")


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_script_of_the_site_is_one_module(name, tmp_path):
    """All of ours is in it; a name that two of its files share would be an error."""
    module = tmp_path / "script.mjs"
    module.write_text(one_module(name), encoding="utf-8")
    assert not IMPORT.search(one_module(name))
    assert not JSON.search(one_module(name))
    run_node("--check", module)


def test_a_figure_loads_without_a_page(tmp_path):
    module = tmp_path / "map.mjs"
    module.write_text(one_module("figures/head-map.js"), encoding="utf-8")
    found = run_node("-e", f"import({json.dumps(module.as_uri())}).then((it) => console.log(Object.keys(it).sort()))")
    assert found.split() == ["[", "'TRAITS',", "'default'", "]"]


def test_every_file_is_part_of_a_script_or_is_a_stylesheet():
    used = {WEB / name for name in STYLESHEETS}

    def follow(path):
        if path not in used:
            used.add(path)
            for imported in IMPORT.findall(path.read_text(encoding="utf-8")):
                follow((path.parent / imported).resolve())

    for name in SCRIPTS:
        follow(WEB / name)
    assert used == {path for room in ROOMS for path in (WEB / room).iterdir()}
