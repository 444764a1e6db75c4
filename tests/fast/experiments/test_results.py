"""The experiments' kept results: fitting, small, told how they came about, the same when measured again, replaceable."""

import json

import pytest

from manyheads_book import measured
from manyheads_book.experiments import CLAIMS, findings, results, runs_of, statements_of, verdict_of
from manyheads_book.experiments.evidence import VERDICTS, verdict

HALVES = slice(0, None, 2), slice(1, None, 2)


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


def test_a_verdict_can_be_lost(own):
    """The rules do say no: with the heads of the lookups exchanged, nothing of the claim is left."""
    runs = json.loads(json.dumps(runs_of("lookups")))
    for run in runs:
        for kind in run.values():
            for by_heads in kind.values():
                by_heads["1"], by_heads["2"] = by_heads["2"], by_heads["1"]
    statements, _ = CLAIMS["lookups"]
    assert verdict(statements(runs)) == "not shown"


def test_a_readers_own_results_replace_those_that_came(own, shipped):
    runs = [{"mine": seed} for seed in range(5)]
    own.write_text(json.dumps({"lookups": shipped["lookups"] | {"runs": runs}}), encoding="utf-8")
    assert runs_of("lookups") == runs
    assert runs_of("distances") == shipped["distances"]["runs"]
    own.write_text(json.dumps({"lookups": shipped["lookups"] | {"runs": runs, "key": "another"}}), encoding="utf-8")
    assert runs_of("lookups") == shipped["lookups"]["runs"], "results of another recipe are not used"
