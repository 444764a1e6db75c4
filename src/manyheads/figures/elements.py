"""The elements of the live figures: each from the words and the options of its directive, its example computed now.

    {drawing-board} open ring          DrawingBoard("open ring", off="gap")
    :off: gap

One function makes both: its keywords are the options. `-` in an option is `_` here, and `for` and `try`, which Python
keeps for itself, are `for_` and `try_`. An option with `int` or `float` is a number, one with `str` needs a text, and
any other may stand without a value, which is "". A `ValueError` or `TypeError` is an error of the page. The build draws
what stands in a page before its scripts run from the same data (`prerender.py`).
"""

import inspect
import re
from functools import partial
from html import escape
from statistics import mean

from manyheads.drawing.element import attributes_html, element_html, read_heads, table_html, write_heads
from manyheads.drawing.guess import guess_html
from manyheads.figures import FIGURES
from manyheads.figures.settings import read_settings
from manyheads.maps.choosing import query_of, read_query, write_query
from manyheads.maps.wire import base64_arrays
from manyheads.models.cards import SCORES, head_cards_element
from manyheads.models.decoder import load_decoder
from manyheads.models.decoder.head_scores import head_behaviours as decoder_behaviours
from manyheads.models.decoder.stories import stored_story
from manyheads.models.drawing import READY
from manyheads.models.encoder.head_cards import head_behaviours as encoder_behaviours
from manyheads.models.focus.kinds import KINDS, cache_of
from manyheads.models.induction.descent import one_step_data
from manyheads.models.induction.page_data import head_birth_data
from manyheads.models.machine import machine_data, plain_machine, without_parts
from manyheads.models.points import load_plane, word_points_data
from manyheads.models.registry import all_but, function, load_model
from manyheads.models.senses import load_senses
from manyheads.models.senses.page_data import word_sense_data
from manyheads.shared.arguments import refuse_unknown
from manyheads.shared.names import FLAGS, STATION_MATRICES
from manyheads.shared.options import OPTIONS
from manyheads.widgets.attention_flow import attention_flow_element, flow_steps, learned_in
from manyheads.widgets.head_ledger import head_ledger as ledger_of
from manyheads.widgets.head_ledger import head_ledger_element
from manyheads.widgets.head_map import start_of_drawn
from manyheads.widgets.next_word import next_word_element, stored_answer
from manyheads.widgets.saving import head_map_element
from manyheads.widgets.slice_or_project import projections, projections_element

BEHAVIOURS = {"encoder": encoder_behaviours, "decoder": decoder_behaviours}  # what each head mostly does
MASKED = ("mask", "padding", "polarity")  # the switches of bugs.ts that start from the causal mask
DIALS = ("weight", "step", "rate")  # of a step of training
BETWEEN = re.compile(r"\s*\|\s*")  # the answers of a guess


def maker(element):
    """The function that makes an element of words and options.

    >>> maker("rotary-positions")("Turn it", id="turn")
    '<rotary-positions label="Turn it" id="turn"><script type="application/json">{}</script></rotary-positions>'

    Raises `KeyError` for an element that is no figure.
    """
    row = FIGURES[element]
    if "element" in row:
        return function(row["element"])
    plain = partial(_plain, element)
    plain.__doc__ = _plain.__doc__
    return plain


def make(element, words, options):
    """An element with its data; options are named as Python names them, and those that are None or False are left out.

    Raises `ValueError` or `TypeError`, which say what to do, for words and options that it doesn't take.
    """
    options = {name: "" if value is True else value for name, value in options.items() if value not in (None, False)}
    make = maker(element)
    [_, *known] = inspect.signature(make).parameters.values()
    needed = [each.name for each in known if each.kind is each.KEYWORD_ONLY and each.default is each.empty]
    if missing := [name for name in needed if name not in options]:
        raise ValueError(f"it needs {', '.join(missing)}")
    if not any(each.kind is each.VAR_KEYWORD for each in known):
        refuse_unknown(options, [each.name for each in known], element)
    return make(words, **options)


def _plain(element, words="", **attributes):
    """A figure that needs no example: the words are its `label`."""
    return element_html(element, {"label": words or None} | _attributes(attributes), {})


def _attributes(options):
    """Options as attributes are named."""
    return {name.rstrip("_").replace("_", "-"): value for name, value in options.items()}


def head_map(
    sentence, *, model: str = "focus", models: str = "", behaviours=None, tools=None, try_=None, id=None, **shown
):
    """A live map; `models` are names with spaces between them. All other options are those of `HeadMap`."""
    shown = _shown(shown)
    first = load_model((models or model).split()[0])
    if tools not in (None, "none"):
        raise ValueError(f"tools may be none, got {tools!r}")
    if behaviours is not None:
        if first.page_name not in BEHAVIOURS:
            raise ValueError(f"behaviours are known of {' and '.join(BEHAVIOURS)}, not of {first.page_name}")
        behaviours = " ".join(BEHAVIOURS[first.page_name]())
    attention = first(sentence)
    compared = first(shown["compare"]) if "compare" in shown else None
    check_places(attention, shown)
    named = {"models": models} if models else {"model": model}
    own = {"examples": try_, "tools": tools, "behaviours": behaviours, "id": id}
    return head_map_element(attention, compared, sentence=sentence, **named, **shown, **own)


def _shown(options):
    """The options of a map, read."""
    refuse_unknown(options, OPTIONS, "head-map")
    return {name: _read(name, value) for name, value in options.items()}


def _read(name, value):
    row = OPTIONS[name]
    if row["kind"] == "choice" and value not in (*row["values"], *row.get("former", {})):
        raise ValueError(f"{name} may be {', '.join(row['values'])}, got {value!r}")
    if row["kind"] == "query":
        return write_query(query_of(read_query(value) if isinstance(value, str) else value))
    if row["kind"] != "place":
        return value
    if not str(value).isdecimal():
        raise ValueError(f"{name} counts from 0, got {value!r}")
    return int(value)


def check_places(attention, options):
    """Refuse places that a map hasn't, which the page would clamp without a word; all count from 0."""
    layers, heads, _, keys = attention.shape
    counts = {"layer": layers, "head": heads, "first": keys, "last": keys}
    for option, count in counts.items():
        if options.get(option, 0) >= count:
            raise ValueError(f"{option} counts from 0 to {count - 1}, got {options[option]}")
    query_of(read_query(str(options.get("query", 0))), attention.query_tokens)
    if "last" in options and options["last"] < options.get("first", 0):
        raise ValueError(f"last must not come before first, got {options['last']} and {options.get('first', 0)}")


def attention_flow(
    sentence,
    *,
    model: str = "focus",
    layer: int | None = None,
    head: int | None = None,
    query: int | None = None,
    answer: str | None = None,
    station: str | None = None,
    cell: str | None = None,
    for_=None,
    small=None,
    **flags,
):
    """A word's journey; `small` is for one in passing.

    `for` names the map to follow by its id; without a value, it's the nearest one above.
    """
    refuse_unknown(flags, FLAGS, "attention-flow")
    if station is not None and station not in STATION_MATRICES:
        raise ValueError(f"station may be {', '.join(STATION_MATRICES)}, got {station!r}")
    changes = {"causal": "causal" in flags, "padding": "padding" in flags, "scaled": "unscaled" not in flags}
    loaded, asked = load_model(model), (head or 0, answer or "")
    steps = flow_steps(loaded, sentence, *asked, layer=layer or 0, **changes)
    learned = learned_in(loaded, *asked, layer or 0)
    places = {"layer": layer, "head": head, "query": query, "answer": answer, "station": station, "cell": cell}
    return attention_flow_element(
        steps, learned, sentence=sentence, model=model, **places, small=small, **flags, **{"for": for_}
    )


def head_ledger(
    sentence, *, model: str = "focus", answer: str | None = None, head: int | None = None, guess=None, id=None
):
    """What each head adds to an answer."""
    shown = {"model": model, "answer": answer, "head": head, "guess": guess, "id": id}
    return head_ledger_element(ledger_of(load_model(model), sentence), sentence=sentence, **shown)


def whole_model(
    sentence, *, model: str = "focus", answer: str | None = None, off: str | None = None, others=(), id=None
):
    """A model from its tokens up to its answer, a part a row.

    `answer` names one of several questions that it answers. `off` are parts, as "0.1 1.feed-forward 1.attention";
    layers and heads count from 0. Until the model is there the page answers from what's stored: the sentence, with all
    parts on and with these off, and `others`, what phrases of a page set, [{name: value}, ...].
    """
    whole = load_model(model)
    if not hasattr(whole, "machine"):
        raise ValueError(f"{model} can't be taken apart; focus models, encoder, induction and decoder can")
    stored = {(sentence, ""): None, (sentence, off or ""): None}
    stored |= {(settings.get("sentence", sentence), settings.get("off", "")): None for settings in others}
    stored |= {(text, ""): None for text, _ in stored}
    data = {"stored": [_stored_machine(whole, *each) for each in stored]}
    shown = {"sentence": sentence, "model": model, "answer": answer, "off": off, "id": id}
    return element_html("whole-model", shown, data, plain_machine(whole.machine(sentence), answer or ""))


def _stored_machine(model, sentence, off):
    parts = [place.split(".") for place in off.split()]
    mask = without_parts(model, [(int(layer), int(part) if part.isdecimal() else part) for layer, part in parts])
    return {"sentence": sentence, "off": off} | base64_arrays(machine_data(model.machine(sentence, mask)))


def slice_or_project(sentence, *, model: str = "focus", word: int | None = None):
    """The queries of all heads for the token at `word`, made in three ways."""
    made = projections(load_model(model), sentence, word or 0)
    return projections_element(made, sentence=sentence, model=model, word=word)


def museum_piece(
    label,
    *,
    bug: str,
    sentence: str,
    switch: str | None = None,
    off: str | None = None,
    on: str | None = None,
    id=None,
    **shown,
):
    """A live map of `sentence`, the bug `bug` of bugs.ts behind a switch; `label` says what it does.

    For another mask instead of a bug, `switch` names the switch, `off` and `on` what it chooses from. `view` and
    `head` are the map's.
    """
    name = "focus/causal" if bug in MASKED else "focus"
    attention = load_model(name)(sentence)
    shown = _shown(shown) | {"id": id}
    inside = head_map_element(attention, sentence=sentence, models=f"{name} focus/bug-{bug}", tools="none", **shown)
    wording = {"bug": bug, "label": label, "switch": switch, "off": off, "on": on}
    return f"<museum-piece{attributes_html(wording)}>{inside}</museum-piece>"


def attention_kinds(sentence, *, id=None):
    """Kinds of attention to choose from, a map of each, and what a cache keeps for it."""
    names = [f"focus/{kind}" for kind in KINDS]
    model = load_model(names[0])
    shown = {"models": " ".join(names), "tools": "none", "view": "matrix", "layer": 0}
    inside = head_map_element(model(sentence), sentence=sentence, **shown)
    return element_html("attention-kinds", {"id": id}, {kind: cache_of(kind, model.first) for kind in KINDS}, inside)


def first_look(sentence, *, first: str = "", head: int = 0, answer: str = "sentiment", try_=None):
    """A sentence, the head of layer 1 that its `answer` needs, with a switch, and the answer.

    `head` counts from 0; the labels of `answer` are a scale. Behind the picture are the journey along that head's arc
    and the map of all heads. Once, the sentence types itself for a reader, out of the sentence `first`. `try` is as in
    `{head-map}`.
    """
    model = load_model("focus")
    attention = model(sentence)
    if head >= attention.shape[1]:
        raise ValueError(f"head counts from 0 to {attention.shape[1] - 1}, got {head}")
    if answer not in attention.predictions:
        raise ValueError(f"answer must be one of {', '.join(attention.predictions)}, got {answer!r}")
    shown = head_map_element(attention, sentence=sentence, model="focus", tools="none", examples=try_)
    places = {"head": head, "answer": answer}
    steps = flow_steps(model, sentence, **places)
    learned = learned_in(model, **places)
    journey = attention_flow_element(
        steps, learned, sentence=sentence, model="focus", small="", **{"for": ""}, **places
    )
    written = {"first": first, "head": head, "answer": answer}
    return f"<first-look{attributes_html(written)}>{shown}{journey}</first-look>"


def drawing_board(
    name="",
    *,
    strokes="",
    off: str = "",
    layer: int | None = None,
    head: int | None = None,
    query: int | None = None,
    goal: str | None = None,
    guess: str | None = None,
    exercise: str | None = None,
    id=None,
):
    """Paper to draw on with the ready drawing `name`, and a live map of what the drawing model sees there.

    Without a name, `strokes` are on the paper, as `write_strokes` writes them, or nothing is. `off`, `layer`, `head`
    and `query` are the map's. `goal` is what a reader is to reach, for the exercise that it stands in or `exercise`
    names; `guess` is the head of which they say where it will look. Heads may be called by their roles, `gap` and
    `carrier`.
    """
    if name and strokes:
        raise ValueError("name a ready drawing, or give strokes, not both")
    if name and name not in READY:
        raise ValueError(f"the ready drawings are {', '.join(READY)}, got {name!r}")
    drawing, model = READY.get(name) or strokes, load_model("drawing")
    roles = {role: write_heads([place]) for role, place in model.roles.items()}
    off, guess = (" ".join(roles.get(head, head) for head in (heads or "").split()) for heads in (off, guess))
    mask = all_but(model, read_heads(off))
    all_but(model, read_heads(guess))  # refuses a head that it hasn't
    attention, filled = model(drawing, mask), model.answer(drawing, mask).filled > 0.5
    places = {place: at for place, at in (("layer", layer), ("head", head), ("query", query)) if at is not None}
    check_places(attention, places)
    shown = start_of_drawn(attention.picture) | {"off": off or None} | places
    inside = head_map_element(attention, model="drawing", sentence=drawing, **shown)
    data = {"filled": "".join("01"[dot] for dot in filled.ravel().astype(int))}
    own = {"goal": goal, "guess": guess or None, "exercise": exercise, "id": id}
    return element_html("drawing-board", own, data, inside)


def word_sense(sentence, *, word: str | None = None, layer: int | None = None, others=(), id=None):
    """In which sense the encoder reads the ambiguous word `word`, the first known one else.

    With a `layer`, from 1, the figure shows that one alone, without tools, and its words can be masked before a reader
    has the encoder. `others` is what phrases of a page set, [{name: value}, ...], whose sentences are stored as well.
    """
    senses = load_senses()
    data = word_sense_data(senses, sentence, word, layer)
    sentences = {settings.get("sentence", sentence) for settings in others} - {sentence}
    if sentences:
        data["others"] = {other: word_sense_data(senses, other, data["word"], layer) for other in sorted(sentences)}
    return element_html("word-sense", {"sentence": sentence, "word": data["word"], "layer": layer, "id": id}, data)


def word_points(sentence, *, other: str = "", word: str | None = None, layer: int | None = None, others=(), id=None):
    """The words of a sentence as points, layer by layer, and those of an `other` sentence beside it.

    `word` is followed; `layer` is from 0, the embeddings. `others` is as in `word_sense`.
    """
    plane = load_plane()
    if layer is not None and not 0 <= layer <= plane.encoder.num_layers:
        raise ValueError(f"layer is from 0 to {plane.encoder.num_layers}, got {layer}")
    written = {"sentence": sentence, "other": other}
    readings = {}
    for settings in (written, *others):
        for text in filter(None, (settings.get(name, written[name]) for name in written)):
            taken = tuple(read_heads(settings.get("off", ""))), tuple(settings.get("masked", "").split())
            readings |= {(text, (), ()): None, (text, *taken): None}
    data = word_points_data(plane, readings)
    rows = [
        (f"{point.text}, in “{text}”", *(plane.words[near] for near in point.near[-1]))
        for text in filter(None, written.values())
        for point in plane.read(text)
        if word in (None, point.text)
    ]
    plain = table_html("The nearest landmarks after the last layer", rows)
    return element_html("word-points", written | {"word": word, "layer": layer, "id": id}, data, plain)


def next_word(text, *, off: str | None = None, temperature: float | None = None, story: int = 0, others=(), id=None):
    """What the language model would write after a text.

    A reader asks for the model; until then the page answers from what's stored: the text, at a `temperature`; a `story`
    of so many tokens after it; and `others`, what phrases of a page set, [{name: value}, ...].
    """
    decoder, shaped = load_decoder(), 1 if temperature is None else temperature
    stored = [stored_answer(decoder, text, off or "", temperature=shaped)]
    if story:
        stored = stored_story(decoder, text, story, shaped)
    for settings in others:
        if "text" in settings:
            masked, warmth = settings.get("masked") == "first", float(settings.get("temperature", shaped))
            stored.append(stored_answer(decoder, settings["text"], settings.get("off", ""), masked, warmth))
    return next_word_element(decoder, text, stored, off=off, temperature=temperature, id=id)


def head_birth(text, *, id=None):
    """Two heads of the small decoder come into being on a text that repeats."""
    return element_html("head-birth", {"sentence": text, "id": id}, head_birth_data(text))


def one_step(dials, *, id=None):
    """What a step of training is, with `dials` to turn: "weight", "weight step" or "weight step rate"."""
    if dials not in (known := [" ".join(DIALS[:count]) for count in (1, 2, 3)]):
        raise ValueError(f"dials may be {', '.join(known)}, got {dials!r}")
    data = one_step_data()
    plain = table_html(
        f"The loss of a batch along one of {data['count']:,} weights, in nats",
        [(f"weight {point['weight']}", f"{point['loss']:.2f}") for point in data["stops"][::10]],
    )
    return element_html("one-step", {"dials": dials, "id": id}, data, plain)


def blend_triangle(words, *, values: str):
    """What one head can make of three words, each a thing and a feeling: `values` has these, as "0.2 0.1, 0 1, 1 0"."""
    points = [(word, *point.split()) for word, point in zip(words.split(), values.split(","))]
    plain = table_html("A thing and a feeling in each word", points, ["thing", "feeling"])
    return element_html("blend-triangle", {"words": words, "values": values}, {}, plain)


def growing_cache(words, *, layers: int, heads: int, width: int):
    """A cache of keys and values that grows word by word, of so many key-value heads in so many layers."""
    sizes = {"layers": layers, "heads": heads, "width": width}
    kept = 2 * layers * heads * width
    plain = f"<p>For each word of “{escape(words)}”, the cache keeps {kept:,} numbers.</p>"
    return element_html("growing-cache", {"words": words} | sizes, {}, plain)


def result_slider(name, *, steps, series, unit="", digits: int = 0, start: int = 0, id=None):
    """What was found at each step of what `name` names, to slide through.

    `series` maps names to values, [step][seed].
    """
    steps = [*map(str, steps)]
    written = {row: [[float(f"{value:.5g}") for value in each] for each in values] for row, values in series.items()}
    rows = [{"name": row, "values": values} for row, values in written.items()]
    data = {"name": name, "steps": steps, "series": rows, "unit": unit, "digits": digits, "start": start}
    means = [(row, *(f"{mean(each):.{digits}f} {unit}".strip() for each in values)) for row, values in written.items()]
    return element_html("result-slider", {"id": id}, data, table_html(name, means, steps))


def head_cards(cards, *, for_="map", scores=SCORES, causal=None):
    """A card for each head, with examples to press, which the figure `for` shows: see `models/cards.py`."""
    return head_cards_element(cards, for_, scores, causal is not None)


def figure_guess(question, *, answers, right, says="", why=(), for_=None, sets=None, covers=None):
    """A question above a figure, which then answers it.

    ~~~md
    ```{guess} Mask *boats*. Where does the dot go?
    :answers: it stays | to the middle
    :right: to the middle
    :for: bank
    :sets: masked: boats
    ```
    ~~~

    `for` names the figure as `{try}` does, by its id or its kind, and `sets` is what a press sets there. With `covers`,
    the figure right below is covered until then. `why` says of each wrong answer, in their order and with `|` between
    them, why it isn't so. What the page's code asserts of the answer, it says in a comment that
    quotes it: `# guess: to the middle` (tests/fast/book/test_guesses.py).
    """
    answers = BETWEEN.split(answers) if isinstance(answers, str) else answers
    sets = read_settings(sets) if isinstance(sets, str) else sets
    why = BETWEEN.split(why) if isinstance(why, str) else why
    return guess_html(question, answers, right, says=says, why=why, figure=for_, sets=sets, covers=covers is not None)
