"""The encoder in a real browser against torch in float32, from a folder laid out as the site is."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from mixed_sentences import sentences
from node import bundle
from served import patient, serve

from manyheads.models.encoder import load_encoder
from manyheads.models.encoder_page_files import encoder_page_files
from manyheads.models.senses import labelled_sentences, load_senses, senses_file
from manyheads.widgets.web_files import BUILT

ODD = [
    *("", " \t\u3000", "\ud83d", "a\udfffb", "\x00\x07\ufffd", "[MASK] [SEP][CLS] [nothing]", "x" * 101, "x" * 5000),
    *("'" * 40, "ΟΔΟΣ Σ", "𠀀𪚥x𫝀", "ﬁ ſ ẞ ǅ", "a\u200bb\u200dc\ufeff\u00ad", "tea " * 513, "a\nb\u2028c\u0085d"),
]
ENGINE = """async () => {
  const { Encoder } = await import("/encoder.js");
  globalThis.encoder = await Encoder.load({});
}"""
# Compared with the expected weights here, since there are many; a NaN anywhere makes both sums NaN.
ATTEND = """async ([sentence, mask]) => {
  const { weights, states, ...map } = await encoder.attend(JSON.parse(sentence), mask, { states: true });
  const expected = new Float32Array(await (await fetch("/weights", { cache: "no-store" })).arrayBuffer());
  const differences = weights.map((weight, index) => Math.abs(weight - expected[index]));
  const rows = new Float64Array(weights.length / map.shape[3]);
  weights.forEach((weight, index) => (rows[Math.floor(index / map.shape[3])] += weight));
  const largest = (values) => values.reduce((a, b) => Math.max(a, b), 0);
  return {
    ...map,
    count: weights.length,
    largest: largest(differences),
    mean: differences.reduce((a, b) => a + b, 0) / weights.length,
    rows: largest(rows.map((sum) => Math.abs(sum - 1))),
  };
}"""
SENSES = """async (asked) => {
  const { SenseAxes, shareOf } = await import("/senses.js");
  const { readSafetensors } = await import("/files.js");
  const bytes = new Uint8Array(await (await fetch("/senses.safetensors")).arrayBuffer());
  const axes = new SenseAxes(readSafetensors(bytes));
  const found = [];
  for (const [sentence, word] of asked) {
    const map = await encoder.attend(sentence, null, { states: true });
    found.push(axes.scores(map, axes.known(word)).map(shareOf));
  }
  return { found, layer: axes.layer };
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the site ships for the encoder."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(BUILT, folder, dirs_exist_ok=True)
    (folder / "models").mkdir()
    for path in encoder_page_files():
        shutil.copyfile(path, folder / "models" / path.name)
    (folder / "index.html").write_text("<!doctype html><title>.</title><link rel=icon href=data:,>", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def engine(browser, folder):
    """A page with the encoder loaded."""
    with serve(folder) as address:
        page = patient(browser.new_context()).new_page()
        page.goto(address)
        page.evaluate(ENGINE)
        yield page
        page.context.close()


@pytest.fixture
def attend(engine, folder):
    """What the page makes of a sentence; what it has in common with Python's map is looked at here."""

    def attend(sentence, mask=None):
        expected = load_encoder()(sentence, mask)
        (folder / "weights").write_bytes(expected.weights.tobytes())
        # As JSON, since Playwright's own wire cannot carry half a character.
        return alike(engine.evaluate(ATTEND, [json.dumps(sentence), mask]), expected)

    return attend


def alike(found, expected):
    assert found["queryTokens"] == found["keyTokens"] == expected.query_tokens
    assert found["shape"] == list(expected.shape)
    assert found["count"] == expected.weights.size
    assert found["notes"] == list(expected.notes)
    assert found["rows"] <= 1e-5
    assert found["largest"] <= 0.03
    assert found["mean"] <= 0.001
    return found


def test_attention_in_the_page_is_attention_in_torch(attend):
    for sentence in sentences():
        attend(sentence)


def test_heads_turned_off_in_the_page_are_off_in_torch(attend):
    attend(
        "I went to the bank of the river.",
        [[(layer, head) not in ((0, 3), (2, 0), (2, 11)) for head in range(12)] for layer in range(6)],
    )


def test_odd_text_is_read_as_python_reads_it(attend):
    for sentence in ODD:
        attend(sentence)


def test_the_page_reads_each_labelled_sentence_in_the_sense_that_python_does(engine, folder):
    for path in ("math/senses.ts", "models/files.ts"):
        [text], _ = bundle(path)
        (folder / f"{Path(path).stem}.js").write_text(text, encoding="utf-8")
    shutil.copyfile(senses_file(), folder / "senses.safetensors")
    asked, senses = [(one.text, one.word) for one in labelled_sentences()], load_senses()
    same_senses(engine.evaluate(SENSES, asked), senses.layer, np.array([senses.by_layer(*one) for one in asked]))


def same_senses(in_page, layer, expected):
    found = np.array(in_page["found"])
    assert in_page["layer"] == layer
    np.testing.assert_array_equal(found[:, layer] > 0.5, expected[:, layer] > 0.5)
    assert np.abs(found - expected).max() < 0.1
