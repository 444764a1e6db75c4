"""What `npm run build` makes of `web/`."""

import json

from node import WEB, run_node

DIST = WEB / "dist"


def test_a_figure_loads_without_a_page_and_from_one_file(tmp_path):
    """As a notebook loads it, that has no other file of ours beside it."""
    names = ("head-map", "formula-steps", "attention-flow", "head-ledger", "next-word")
    for name in names:
        (tmp_path / f"{name}.mjs").write_bytes((DIST / f"{name}.js").read_bytes())
    paths = json.dumps([(tmp_path / f"{name}.mjs").as_uri() for name in names])
    script = f"""Promise.all({paths}.map((path) => import(path))).then((all) =>
        console.log(JSON.stringify(all.map((module) => Object.keys(module).sort()))))"""
    assert json.loads(run_node("-e", script)) == [["TRAITS", "default"]] * len(names)
