"""Models trained once and kept."""

import pytest

from manyheads.models.focus import FocusConfig, FocusModel, focus_file, load_focus_model


def test_a_model_is_trained_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("MANYHEADS_CACHE", str(tmp_path))
    config = FocusConfig(untaught_steps=1, num_sentences=300)
    path = focus_file("heads-2", config=config, progress=False)
    kept = path.stat().st_mtime_ns
    assert focus_file("heads-2", config=config, progress=False) == path
    assert path.stat().st_mtime_ns == kept
    model = FocusModel.load(path)
    assert (model.num_heads, model.config) == (2, config)


def test_unknown_variants_are_refused():
    with pytest.raises(ValueError, match="heads-3"):
        load_focus_model("heads-3")
