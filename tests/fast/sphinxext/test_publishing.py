"""The book out in the world: below any path, found, previewed, and calm where there is no such page."""

import re

import pytest
import yaml
from conftest import ROOT

from manyheads.sphinxext import publishing

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("said", ["example.org", "ftp://example.org", "https://example.org/?a=1"])
def test_an_address_that_is_none_is_refused(monkeypatch, said):
    monkeypatch.setenv(publishing.ADDRESS, said)
    with pytest.raises(ValueError, match="must be an address such as"):
        publishing.address()


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job.get("steps", [])]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_the_workflows_run_what_is_there_and_need_no_secret(path):
    text = path.read_text()
    assert "secrets." not in text
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for step in steps(yaml.load(text, yaml.BaseLoader)):
        assert ("run" in step) != ("uses" in step)
        assert set(re.findall(r"\bmake (\w+)", step.get("run", ""))) <= set(targets)
        for pattern in re.findall(r"hashFiles\(([^)]*)\)", str(step)):
            for name in re.findall(r"'([^']+)'", pattern):
                assert list(ROOT.glob(name)), f"{name} is not there"
