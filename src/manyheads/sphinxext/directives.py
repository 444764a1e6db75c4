"""The directives of live figures: each computes its example now and puts it into the figure's element as data.

The build draws what stands in a page before its scripts run from the same data (`prerender.py`).
"""

from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from manyheads.drawing.element import attributes_html, element_html, read_heads, write_heads
from manyheads.models.decoder import load_decoder
from manyheads.models.decoder.head_scores import head_behaviours as decoder_behaviours
from manyheads.models.decoder.stories import stored_story
from manyheads.models.drawing import READY
from manyheads.models.encoder.head_cards import head_behaviours as encoder_behaviours
from manyheads.models.focus.kinds import KINDS, cache_of
from manyheads.models.induction.page_data import head_birth_data
from manyheads.models.registry import all_but, load_model
from manyheads.models.senses import load_senses
from manyheads.models.senses.page_data import word_sense_data
from manyheads.shared.names import FLAGS, STATION_MATRICES
from manyheads.shared.options import OPTIONS
from manyheads.sphinxext.exercises import OPEN, is_checked
from manyheads.sphinxext.phrases import phrases_of
from manyheads.widgets.attention_flow import attention_flow_element, flow_steps
from manyheads.widgets.head_ledger import head_ledger, head_ledger_element
from manyheads.widgets.head_map import head_map_element, start_of_drawn
from manyheads.widgets.next_word import next_word_element, stored_answer
from manyheads.widgets.slice_or_project import projections, projections_element

MASKED = ("mask", "padding", "polarity")  # the switches of bugs.ts that start from the causal mask
BEHAVIOURS = {"encoder": encoder_behaviours, "decoder": decoder_behaviours}  # what each head mostly does
WORDING = ("switch", "off", "on")


class AnyOption(dict):
    """The options of a figure whose element knows what it takes."""

    def __missing__(self, name):
        return directives.unchanged

    def __bool__(self):  # else there would be none to read
        return True


class FigureDirective(SphinxDirective):
    """`{name-of-a-figure} words`: the figure's element; the words are its `label`, the options its attributes."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = AnyOption()

    def run(self):
        try:
            html = self.html(" ".join(self.arguments), dict(self.options))
        except ValueError as error:
            raise self.error(f"{self.name}: {error}") from error
        return [nodes.raw("", html, format="html")]

    def html(self, words, options):
        """The element; a `ValueError` is an error of the page."""
        return element_html(self.name, {"label": words or None} | options, {})


class TextDirective(FigureDirective):
    """A figure that needs a text: `{name-of-a-figure} text`."""

    required_arguments = 1
    optional_arguments = 0


def option_reader(row):
    """What reads an option of a map as it's written on a page."""
    if row["kind"] == "choice":
        return lambda text: directives.choice(text, (*row["values"], *row.get("former", {})))
    return directives.nonnegative_int if row["kind"] == "place" else directives.unchanged


class HeadMapDirective(TextDirective):
    """`{head-map} sentence` with the attributes of `<head-map>` as options."""

    option_spec: ClassVar = {
        "model": directives.unchanged,
        "models": directives.unchanged,
        **{name: option_reader(row) for name, row in OPTIONS.items() if name != "sentence"},
        "try": directives.unchanged_required,
        "tools": lambda text: directives.choice(text, ("none",)),
        "behaviours": directives.flag,
        "id": directives.unchanged_required,
    }

    def html(self, words, options):
        if "models" not in options:
            options = {"model": "focus"} | options
        if "try" in options:
            options["examples"] = options.pop("try")
        model = load_model((options.get("models") or options["model"]).split()[0])
        if "behaviours" in options:
            if model.page_name not in BEHAVIOURS:
                raise ValueError(f"behaviours are known of {' and '.join(BEHAVIOURS)}, not of {model.page_name}")
            options["behaviours"] = " ".join(BEHAVIOURS[model.page_name]())
        map = model(words)
        compared = model(options["compare"]) if "compare" in options else None
        check_places(map, options)
        return head_map_element(map, compared, sentence=words, **options)


def check_places(map, options):
    """Refuse places that a map hasn't, which the page would clamp without a word; all count from 0."""
    layers, heads, queries, keys = map.shape
    counts = {"layer": layers, "head": heads, "query": queries, "first": keys, "last": keys}
    for option, count in counts.items():
        if options.get(option, 0) >= count:
            raise ValueError(f"{option} counts from 0 to {count - 1}, got {options[option]}")
    if "last" in options and options["last"] < options.get("first", 0):
        raise ValueError(f"last must not come before first, got {options['last']} and {options.get('first', 0)}")


class SentenceDirective(TextDirective):
    """A figure that shows what a model, else `focus`, makes of a sentence; `figure` gives its HTML."""

    def html(self, words, options):
        flags = {name: "" for name in options if self.option_spec[name] is directives.flag}
        options = {"model": "focus"} | options | flags
        return self.figure(load_model(options["model"]), words, options)


class AttentionFlowDirective(SentenceDirective):
    """`{attention-flow} sentence` with the attributes of `<attention-flow>` as options.

    `small` is for one in passing. `for` names the map to follow by its id; without a value, it's the nearest one above.
    """

    option_spec: ClassVar = {
        "model": directives.unchanged,
        "layer": directives.nonnegative_int,
        "head": directives.nonnegative_int,
        "query": directives.nonnegative_int,
        "answer": directives.unchanged_required,
        "station": lambda station: directives.choice(station, tuple(STATION_MATRICES)),
        "cell": directives.unchanged_required,
        "for": directives.unchanged,
        "small": directives.flag,
        **dict.fromkeys(FLAGS, directives.flag),
    }

    def figure(self, model, words, options):
        changes = {"causal": "causal" in options, "padding": "padding" in options, "scaled": "unscaled" not in options}
        places = {"layer": options.get("layer", 0), "answer": options.get("answer", "")}
        steps = flow_steps(model, words, options.get("head", 0), **places, **changes)
        return attention_flow_element(steps, sentence=words, **options)


class HeadLedgerDirective(SentenceDirective):
    """`{head-ledger} sentence` with the attributes of `<head-ledger>` as options."""

    option_spec: ClassVar = {
        "model": directives.unchanged,
        "answer": directives.unchanged_required,
        "head": directives.nonnegative_int,
        "guess": directives.flag,
    }

    def figure(self, model, words, options):
        return head_ledger_element(head_ledger(model, words), sentence=words, **options)


class SliceOrProjectDirective(SentenceDirective):
    """`{slice-or-project} sentence`: the queries of all heads for the token at `word`, made in three ways."""

    option_spec: ClassVar = {"model": directives.unchanged, "word": directives.nonnegative_int}

    def figure(self, model, words, options):
        return projections_element(projections(model, words, options.get("word", 0)), sentence=words, **options)


class MuseumPieceDirective(TextDirective):
    """`{museum-piece} what the bug does`: a live map of `sentence`, the bug `bug` of bugs.ts behind a switch.

    For another mask instead of a bug, `switch` names the switch, `off` and `on` what it chooses from.
    """

    option_spec: ClassVar = {
        "bug": directives.unchanged_required,
        "sentence": directives.unchanged_required,
        **dict.fromkeys(WORDING, directives.unchanged_required),
        **{name: HeadMapDirective.option_spec[name] for name in ("view", "head", "id")},
    }

    def html(self, words, options):
        sentence, bug = options["sentence"], options["bug"]
        name = "focus/causal" if bug in MASKED else "focus"
        shown = {option: options[option] for option in ("view", "head", "id") if option in options}
        map = head_map_element(
            load_model(name)(sentence), sentence=sentence, models=f"{name} focus/bug-{bug}", tools="none", **shown
        )
        wording = {"bug": bug, "label": words} | {option: options[option] for option in WORDING if option in options}
        return f"<museum-piece{attributes_html(wording)}>{map}</museum-piece>"


class AttentionKindsDirective(TextDirective):
    """`{attention-kinds} sentence`: kinds of attention to choose from, a map of each, and what a cache keeps for it."""

    option_spec: ClassVar = {"id": directives.unchanged_required}

    def html(self, words, options):
        names = [f"focus/{kind}" for kind in KINDS]
        model = load_model(names[0])
        shown = {"models": " ".join(names), "tools": "none", "view": "matrix", "layer": 0}
        map = head_map_element(model(words), sentence=words, **shown)
        return element_html("attention-kinds", options, {kind: cache_of(kind, model.first) for kind in KINDS}, map)


class FirstLookDirective(TextDirective):
    """`{first-look} sentence`: a sentence, the head of layer 1 that its `answer` needs, with a switch, and the answer.

    `head` counts from 0; the labels of `answer` are a scale. Behind the picture are the journey along that head's arc
    and the map of all heads. Once, the sentence types itself for a reader, out of the sentence `first`. `try` is as in
    `{head-map}`.
    """

    option_spec: ClassVar = {
        "first": directives.unchanged_required,
        "head": directives.nonnegative_int,
        "answer": directives.unchanged_required,
        "try": directives.unchanged_required,
    }

    def html(self, words, options):
        model = load_model("focus")
        map = model(words)
        head, answer = options.get("head", 0), options.get("answer", "sentiment")
        if head >= map.shape[1]:
            raise ValueError(f"head counts from 0 to {map.shape[1] - 1}, got {head}")
        if answer not in map.predictions:
            raise ValueError(f"answer must be one of {', '.join(map.predictions)}, got {answer!r}")
        shown = head_map_element(map, sentence=words, model="focus", tools="none", examples=options.get("try"))
        places = {"head": head, "answer": answer}
        journey = attention_flow_element(
            flow_steps(model, words, **places), sentence=words, model="focus", small="", **{"for": ""}, **places
        )
        written = {"first": options.get("first", ""), "head": head, "answer": answer}
        return f"<first-look{attributes_html(written)}>{shown}{journey}</first-look>"


class DrawingBoardDirective(FigureDirective):
    """`{drawing-board} name of a ready drawing`: paper to draw on, and a live map of what the drawing model sees there.

    Without a name, `strokes` are on the paper, as `write_strokes` writes them, or nothing is. `off`, `layer`, `head`
    and `query` are the map's. `goal` is what a reader is to reach, for the exercise that it stands in or `exercise`
    names; `guess` is the head of which they say where it will look. Heads may be called by their roles, `gap` and
    `carrier`.
    """

    option_spec: ClassVar = {
        "strokes": directives.unchanged,
        "off": directives.unchanged_required,
        "goal": directives.unchanged_required,
        "guess": directives.unchanged_required,
        **dict.fromkeys(("layer", "head", "query"), directives.nonnegative_int),
        **dict.fromkeys(("exercise", "id"), directives.unchanged_required),
    }

    def run(self):
        if OPEN in self.env.temp_data:
            self.options = {"exercise": self.env.temp_data[OPEN]} | self.options
            if "goal" in self.options:
                is_checked(self.env)
        return super().run()

    def html(self, words, options):
        if words and "strokes" in options:
            raise ValueError("name a ready drawing, or give strokes, not both")
        if words and words not in READY:
            raise ValueError(f"the ready drawings are {', '.join(READY)}, got {words!r}")
        drawing, model = READY.get(words) or options.pop("strokes", ""), load_model("drawing")
        roles = {role: write_heads([place]) for role, place in model.roles.items()}
        for name in {"off", "guess"} & {*options}:
            options[name] = " ".join(roles.get(head, head) for head in options[name].split())
        mask = all_but(model, read_heads(options.get("off", "")))
        all_but(model, read_heads(options.get("guess", "")))  # refuses a head that it hasn't
        map, filled = model(drawing, mask), model.answer(drawing, mask).filled > 0.5
        check_places(map, options)
        own = {name: options.pop(name, None) for name in ("goal", "guess", "exercise", "id")}
        shown = start_of_drawn(map.picture) | options
        inside = head_map_element(map, model="drawing", sentence=drawing, **shown)
        data = {"filled": "".join("01"[dot] for dot in filled.ravel().astype(int))}
        return element_html("drawing-board", own, data, inside)


class WordSenseDirective(TextDirective):
    """`{word-sense} sentence`: in which sense the encoder reads the ambiguous word `word`, the first known one else.

    With a `layer`, from 1, the figure shows that one alone, without tools, and its words can be masked before a reader
    has the encoder. Sentences that phrases of the page, `{try}`, set in it are stored as well.
    """

    option_spec: ClassVar = {
        "word": directives.unchanged_required,
        "layer": directives.positive_int,
        "id": directives.unchanged_required,
    }

    def html(self, words, options):
        senses, layer = load_senses(), options.get("layer")
        data = word_sense_data(senses, words, options.get("word"), layer)
        phrases = phrases_of(Path(self.env.doc2path(self.env.docname)), {self.name, options.get("id")})
        others = {settings.get("sentence", words) for settings in phrases} - {words}
        if others:
            data["others"] = {other: word_sense_data(senses, other, data["word"], layer) for other in sorted(others)}
        attributes = {"sentence": words, "word": data["word"], "layer": layer, "id": options.get("id")}
        return element_html("word-sense", attributes, data)


class NextWordDirective(TextDirective):
    """`{next-word} text`: what the language model would write after it.

    A reader asks for the model; until then the page answers from what's stored: the text, at a `temperature`; a `story`
    of so many tokens after it; and what phrases of the page, `{try}`, set in this figure.
    """

    option_spec: ClassVar = {
        "off": directives.unchanged_required,
        "temperature": float,
        "story": directives.nonnegative_int,
        "id": directives.unchanged_required,
    }

    def html(self, words, options):
        decoder, story = load_decoder(), options.pop("story", 0)
        temperature = options.get("temperature", 1)
        stored = [stored_answer(decoder, words, options.get("off", ""), temperature=temperature)]
        if story:
            stored = stored_story(decoder, words, story, temperature)
        for settings in phrases_of(Path(self.env.doc2path(self.env.docname)), {self.name, options.get("id")}):
            if "text" in settings:
                off, masked = settings.get("off", ""), settings.get("masked") == "first"
                shaped = float(settings.get("temperature", temperature))
                stored.append(stored_answer(decoder, settings["text"], off, masked, shaped))
        return next_word_element(decoder, words, stored, **options)


class HeadBirthDirective(TextDirective):
    """`{head-birth} text`: two heads of the small decoder come into being on a text that repeats."""

    option_spec: ClassVar = {"id": directives.unchanged_required}

    def html(self, words, options):
        return element_html("head-birth", {"sentence": words} | options, head_birth_data(words))
