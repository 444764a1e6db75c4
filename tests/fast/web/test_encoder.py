"""The encoder in a real browser against torch in float32, from a folder laid out as the site is."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import new_context, serve
from mixed_sentences import sentences
from node import bundle

from manyheads.models.encoder import load_encoder
from manyheads.models.encoder_page_files import encoder_page_files
from manyheads.models.senses import labelled_sentences, load_senses, senses_file
from manyheads.widgets.web_files import BUILT

ODD = [
    *(
        "",
        " \t\u3000",
        "\ud83d",
        "a\udfffb",
        "\x00\x07\ufffd",
        "[MASK] [SEP][CLS] [nothing]",
        "x" * 101,
        "x" * 5000,
        "'" * 40,
    ),
    *("ΟΔΟΣ Σ", "𠀀𪚥x𫝀", "ﬁ ſ ẞ ǅ", "a\u200bb\u200dc\ufeff\u00ad", "tea " * 510, "tea " * 513, "a\nb\u2028c\u0085d"),
]

ENGINE = """async () => {
  const { Encoder } = await import("/encoder.js");
  window.told = [];
  window.encoder = await Encoder.load({ progress: (...numbers) => told.push(numbers) });
}"""
# Compared with the expected weights here, since there are many; a NaN anywhere makes both sums NaN.
ATTEND = """async ([sentence, mask, wanted]) => {
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
    states: { shape: states.shape, values: wanted && [...states.values] },
  };
}"""


def lay_out(folder):
    """Puts into a folder what the site ships for the encoder."""
    shutil.copytree(BUILT, folder, dirs_exist_ok=True)
    (folder / "models").mkdir()
    for path in encoder_page_files():
        shutil.copyfile(path, folder / "models" / path.name)
    (folder / "index.html").write_text("<!doctype html><title>.</title><link rel=icon href=data:,>", encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    lay_out(folder)
    return folder


@pytest.fixture(scope="module")
def address(folder):
    with serve(folder) as address:
        yield address


def open_page(context, address):
    """A page, and a list of all that its console said."""
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    return page, said


@pytest.fixture(scope="module")
def engine(browser, address):
    """A page with the encoder loaded; nothing that the tests do may appear on its console."""
    page, said = open_page(new_context(browser), address)
    page.evaluate(ENGINE)
    yield page
    page.context.close()
    assert said == []


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


@pytest.fixture
def attend(engine, folder, encoder):
    """What the page makes of a sentence; all that it should have in common with Python's map is looked at here."""

    def attend(sentence, mask=None, states=False):
        expected = encoder(sentence, mask)
        (folder / "weights").write_bytes(expected.weights.tobytes())
        # As JSON, since Playwright's own wire cannot carry half a character.
        found = engine.evaluate(ATTEND, [json.dumps(sentence), mask, states])
        assert found["queryTokens"] == found["keyTokens"] == expected.query_tokens
        assert found["shape"] == list(expected.shape)
        assert found["count"] == expected.weights.size
        assert found["headNames"] == expected.head_names
        assert found["notes"] == list(expected.notes)
        assert found["predictions"] == {}
        assert found["rows"] <= 1e-5
        assert found["states"]["shape"] == [7, len(expected.query_tokens), 384]
        return found

    return attend


def test_attention_in_the_page_is_attention_in_torch(attend):
    found = [attend(sentence) for sentence in sentences()]
    counts, means = [[map[key] for map in found] for key in ("count", "mean")]
    print(f"largest {max(map['largest'] for map in found):.4f}, mean {np.average(means, weights=counts):.6f}")
    assert max(map["largest"] for map in found) <= 0.03
    assert max(means) <= 0.001


def test_heads_turned_off_in_the_page_are_off_in_torch(attend, encoder):
    sentence = "I went to the bank of the river."
    mask = [[(layer, head) not in ((0, 3), (2, 0), (2, 11)) for head in range(12)] for layer in range(6)]
    found = attend(sentence, mask, states=True)
    assert found["largest"] <= 0.03
    assert np.abs(encoder(sentence, mask).weights - encoder(sentence).weights).max() > 0.1, "the mask changes a lot"
    states = np.reshape(found["states"]["values"], found["states"]["shape"])
    np.testing.assert_allclose(states, encoder.hidden_states(sentence, mask), atol=0.05)


@pytest.mark.parametrize("sentence", ODD, ids=lambda sentence: ascii(sentence[:12]))
def test_odd_text_is_read_as_python_reads_it(attend, sentence):
    assert attend(sentence)["mean"] <= 0.001


def test_progress_counts_up_to_all_bytes(engine):
    told = engine.evaluate("told")
    done = [done for done, _ in told]
    assert done == sorted(done)
    assert len(told) > 5
    assert {total for _, total in told} == {done[-1]}


def test_the_last_keystroke_wins(engine):
    outcomes = engine.evaluate(
        """async () => {
          let controller;
          const keystrokes = Array.from({ length: 20 }, (_, place) => {
            controller?.abort();
            controller = new AbortController();
            return encoder.attend("a ".repeat(place + 1), null, { signal: controller.signal });
          });
          const outcomes = await Promise.allSettled(keystrokes);
          return outcomes.map(({ value, reason }) => value?.queryTokens.length ?? reason.name);
        }"""
    )
    assert outcomes == ["AbortError"] * 19 + [22]


def test_two_who_ask_are_both_answered(engine):
    lengths = engine.evaluate(
        """async () => {
          const maps = await Promise.all(["one", "one two", "one two three"].map((text) => encoder.attend(text)));
          return maps.map(({ shape }) => shape[3]);
        }"""
    )
    assert lengths == [3, 4, 5]


def test_a_second_visit_fetches_nothing_again(browser, address):
    context = new_context(browser)
    page, said = open_page(context, address)
    page.evaluate(
        "caches.open('manyheads-encoder').then((cache) => cache.put('/models/of-an-older-book.gz', new Response('')))"
    )
    page.evaluate(ENGINE)
    kept = page.evaluate(
        "caches.open('manyheads-encoder').then((cache) => cache.keys()).then((keys) => keys.map(({ url }) => url))"
    )
    assert len(kept) == 3, "the list, the weights, the tokenizer"
    assert not any("older" in url for url in kept)
    page.close()
    page, said = open_page(context, address)
    fetched = []
    context.on("request", lambda request: fetched.append(request.url.removeprefix(address)))
    page.evaluate(ENGINE)
    assert {url for url in fetched if "/models/" in url} == {"/models/encoder.json"}, "the list of files only"
    page.close()
    page, said = open_page(context, address)
    page.route("**/models/*", lambda route: route.abort())
    page.evaluate(ENGINE)
    assert page.evaluate("encoder.attend('Without a network.').then(({ shape }) => shape)") == [6, 12, 6, 6]
    assert [line for line in said if "ERR_FAILED" not in line] == []
    context.close()


def outcome(page, patience=30_000):
    """What loading the encoder comes to: "loaded", or the sentence that says what is wrong."""
    load = """async (patience) => {
      const { Encoder } = await import("/encoder.js");
      return Encoder.load({ patience }).then((encoder) => (encoder.close(), "loaded"), (error) => error.message);
    }"""
    return page.evaluate(load, patience)


def swap(path, contents):
    """A route that sends other bytes for a file."""
    return lambda page: page.context.route(f"**/{path}*", lambda route: route.fulfill(body=contents))


def broken(folder):
    name = "encoder.safetensors.gz"
    yield "cut short", swap(name, (folder / "models" / name).read_bytes()[:900_000])
    yield "other bytes", swap(name, gzip.compress(b"other"))
    yield "no gzip", swap("tokenizer.json.gz", b"<html>")
    yield "a page instead", swap("encoder.json", b"<html>")


def test_a_file_that_arrives_broken_is_told_and_the_next_try_works(browser, address, folder):
    for what, break_it in broken(folder):
        context = new_context(browser)
        page, _ = open_page(context, address)
        break_it(page)
        assert outcome(page).startswith("a part of it arrived damaged."), what
        context.unroute_all()
        if what == "cut short":
            assert outcome(page) == "loaded"
        context.close()


ABSENT = "a part of it did not arrive. Check the network, then try again or reload the page."


def test_a_network_that_brings_nothing(browser, address):
    context = new_context(browser)
    page, _ = open_page(context, address)
    context.route("**/models/encoder.safetensors.gz*", lambda route: route.abort())
    assert outcome(page) == ABSENT
    context.route("**/models/encoder.safetensors.gz*", lambda route: route.fulfill(status=404))
    assert outcome(page).startswith("a part of it is missing on this site.")
    context.route("**/models/encoder.safetensors.gz*", lambda route: None)  # says nothing, ever
    assert outcome(page, patience=1000) == ABSENT
    context.route("**/model-worker.js*", lambda route: route.fulfill(status=404))
    assert outcome(page) == ABSENT
    context.close()


def test_a_device_with_too_little_memory_is_told_so(browser, address, folder):
    context = new_context(browser)
    page, _ = open_page(context, address)
    full = "WebAssembly.Memory = function () { throw new RangeError(); };\n"
    script = full + (folder / "model-worker.js").read_text(encoding="utf-8")
    context.route("**/model-worker.js*", lambda route: route.fulfill(body=script, content_type="text/javascript"))
    assert outcome(page).startswith("this device has too little memory for it")
    context.unroute_all()
    assert outcome(page) == "loaded"
    context.close()


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


def test_the_page_reads_each_labelled_sentence_in_the_sense_that_python_does(engine, folder):
    for path in ("math/senses.ts", "models/files.ts"):
        [text], _ = bundle(path)
        (folder / f"{Path(path).stem}.js").write_text(text, encoding="utf-8")
    shutil.copyfile(senses_file(), folder / "senses.safetensors")
    asked, senses = [(one.text, one.word) for one in labelled_sentences()], load_senses()
    in_page = engine.evaluate(SENSES, asked)
    assert in_page["layer"] == senses.layer
    found, expected = np.array(in_page["found"]), np.array([senses.by_layer(*one) for one in asked])
    print(f"largest difference of a share {np.abs(found - expected).max():.3f}")
    np.testing.assert_array_equal(found[:, senses.layer] > 0.5, expected[:, senses.layer] > 0.5)
    assert np.abs(found - expected).max() < 0.1
