"""The experiments' kept results: fitting, small, told how they came about, the same when measured again, replaceable."""

import json
import re

import pytest
from conftest import ROOT

from manyheads_book import measured
from manyheads_book.experiments import CLAIMS, findings, results, runs_of, statements_of, verdict_of
from manyheads_book.experiments.evidence import HALVES, VERDICTS, verdict


@pytest.fixture
def shipped():
    return measured.read(results.SHIPPED)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A cache in which nobody has measured anything."""
    monkeypatch.setattr(results, "own_path", lambda: tmp_path / "experiments.json")
    return tmp_path / "experiments.json"


def test_results_of_all_experiments_come_with_the_book(shipped):
    assert set(shipped) == set(results.EXPERIMENTS)
    assert results.SHIPPED.stat().st_size <= 200_000
    for name, result in shipped.items():
        assert result["key"] == results.key(name), f"{name}: its recipe changed; run it again, ship what it gives"
        assert len(result["seeds"]) == len(result["runs"]) == results.EXPERIMENTS[name].SEEDS
        assert min(result["seeds"]) == results.FIRST_SEED, "what counts as evidence was settled on those before"
        assert result["command"].startswith(("make experiments", "python -m manyheads_book.experiments"))
        assert result["date"] >= "2026-11-22"
        assert result["machine"]["processors"] >= 1


@pytest.mark.parametrize("claim", CLAIMS)
def test_disjoint_seeds_agree_or_the_text_says_that_they_do_not(claim, own):
    halves = [verdict(statements_of(claim, half)) for half in HALVES]
    agree = len({*halves, verdict(statements_of(claim))}) == 1
    shown = findings(claim).data
    assert f"**Verdict: {verdict_of(claim)}.**" in shown
    assert verdict_of(claim) in VERDICTS
    assert ("one and the same verdict" in shown) == (not agree)
    assert agree or verdict_of(claim) == "not shown"


def test_a_claim_rests_on_ten_seeds():
    """With five, chance alone gives a claim of four statements a good verdict more than twice as often."""
    for _, *names in CLAIMS.values():
        assert [results.EXPERIMENTS[name].SEEDS for name in names] == [10] * len(names)


def test_a_verdict_that_another_page_names_is_the_one_found(own):
    text = (ROOT / "book/from-the-notes.md").read_text()
    named = [link for link in re.findall(r"\[([\w ]+)\]\(claim-(\w+)\)", text) if link[0] in VERDICTS]
    assert len(named) >= 5
    assert named == [(verdict_of(claim), claim) for _, claim in named]


def test_a_verdict_can_be_lost(own):
    """The rules do say no: with the heads of the lookups exchanged, nothing of the claim is left."""
    runs = json.loads(json.dumps(runs_of("lookups")))
    for run in runs:
        for kind in run.values():
            for by_heads in kind.values():
                by_heads["1"], by_heads["2"] = by_heads["2"], by_heads["1"]
    statements, _ = CLAIMS["lookups"]
    assert verdict(statements(runs)) == "the opposite"


def test_a_readers_own_results_replace_those_that_came(own, shipped):
    runs = [{"mine": seed} for seed in range(5)]
    own.write_text(json.dumps({"lookups": shipped["lookups"] | {"runs": runs}}), encoding="utf-8")
    assert runs_of("lookups") == runs
    assert runs_of("distances") == shipped["distances"]["runs"]
    own.write_text(json.dumps({"lookups": shipped["lookups"] | {"runs": runs, "key": "another"}}), encoding="utf-8")
    assert runs_of("lookups") == shipped["lookups"]["runs"], "results of another recipe are not used"
