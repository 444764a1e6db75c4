"""What has to agree, and can't be derived: the release's number and date, the Pythons, the versions in the prose."""

import re

from conftest import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from manyheads.models.pretrained import pinned


def found(pattern, name):
    """The one place of a file that has this pattern: what its groups have."""
    (match,) = re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return match


def test_version_and_date_are_the_same_everywhere():
    version = found(r'^version = "(.*)"$', "pyproject.toml")
    date = found(rf"^## {re.escape(version)}, ([\d-]+|unreleased)$", "CHANGELOG.md")
    if date != "unreleased":
        assert found(r"^version: (.*)\ndate-released: (.*)$", "CITATION.cff") == (version, date)


def test_what_is_published_is_tested_on_its_python_and_on_the_newest():
    """On the oldest, `make test-oldest` tests the package."""
    published, newest = re.findall(r'"([\d.]+)"', found(r"^ +python: \[(.*)\]", ".github/workflows/test.yml"))
    oldest = found(r'^requires-python = ">=([\d.]+)"', "pyproject.toml")
    assert published == found(r"^python-(.*)$", "binder/runtime.txt")
    named = re.findall(r"Python :: 3\.(\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    first, last = (int(version.removeprefix("3.")) for version in (oldest, newest))
    assert [int(minor) for minor in named] == [*range(first, last + 1)]


def test_readers_are_told_to_install_the_files_that_are_tested():
    prose = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "book").glob("*.md"))
    told = set(re.findall(r"--no-deps ([\w-]+)==([\w.]+)", prose))
    assert told
    assert all(pinned(package) == f"{package}=={version}" for package, version in told)


def asked(name):
    """The requirements of a file, here and on this Python."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    made = [Requirement(line.partition(" #")[0]) for line in lines if re.match(r"\w", line)]
    return [need for need in made if not need.marker or need.marker.evaluate()]


def test_the_lock_has_what_is_asked_for_and_names_no_host():
    locked = {canonicalize_name(line.name): next(iter(line.specifier)).version for line in asked("constraints.txt")}
    for name in ("requirements.txt", "tests/requirements.txt", "tests/nightly/requirements.txt"):
        for need in asked(name):
            assert need.specifier.contains(locked[canonicalize_name(need.name)]), "run `make lock`"
    assert "://" not in (ROOT / "constraints.txt").read_text(encoding="utf-8")
