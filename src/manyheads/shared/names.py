"""The names that Python and JavaScript share: both read `shared/names.json`, here and in `web/math/names.ts`.

`tests/fast/web/test_names.py` holds that both sides have the same, and that the stylesheets, which cannot read the
file, have its colours. A name that only one side needs stays with that side.
"""

import json
from pathlib import Path

_NAMES = json.loads((Path(__file__).parent / "names.json").read_text(encoding="utf-8"))

# What the weights of a map are: rows that sum to 1, parts of such rows, any amounts, numbers of both signs.
KINDS = _NAMES["kinds"]

# Sentences: the example where a reader gives none, a map's notes.
EXAMPLE = _NAMES["example"]
EMPTY = _NAMES["empty"]
ONLY_SPECIAL = _NAMES["onlySpecial"]

# How tokens are told apart: a pattern of those that mark a place, and how the rest of a word begins; a pattern of bytes
# that make no character by themselves.
SPECIAL_TOKEN = _NAMES["specialToken"]
PIECE_MARK = _NAMES["pieceMark"]
LONE_BYTES = _NAMES["loneBytes"]
WORD_MARKS = _NAMES["wordMarks"]  # with one of them a word begins, where tokens carry what stands before them

RIGHT_TO_LEFT = _NAMES["rightToLeft"]  # letters that run so, as of Hebrew and Arabic

# How many tokens in a row may begin no new word where a model writes; of a word that never ends nobody reads more.
LONGEST_WORD = _NAMES["longestWord"]
# How many characters a token has at most, on average over a text: more are not looked at, however much is pasted.
LONGEST_TOKEN = _NAMES["longestToken"]
# The titles of columns whose sentences are worth trying, and how many words such a sentence has at least.
WORTH_TRYING = _NAMES["worthTrying"]

# What a sentence may be about, for a model that makes a vector of it: the topic whose own vector is nearest.
TOPICS = _NAMES["topics"]

# Small words of other languages that English lacks, without their accents: a sentence with several isn't English.
FOREIGN = _NAMES["foreign"]

# What is said of a map that is not shown as it was computed.
NOTES = _NAMES["notes"]

# A hue means one thing in every figure (`tests/fast/web/test_hues.py`): a head, a kind of heads, or a sign.
# What each of the taught heads is drawn in, by its name, and every head that isn't one of them, an average included.
# One colour for bars and cells: black letters can be read on it, and white ones.
HEAD_COLOURS = _NAMES["headColours"]
NEUTRAL_COLOUR = _NAMES["neutralColour"]
DEPTH = _NAMES["depth"]  # of a cell's colour, at most
FULL = _NAMES["full"]  # the share of attention from which on a cell has it, on the absolute scale
LEGEND = _NAMES["legend"]
# What a head mostly does: what a legend calls it, and the colour of a head of which that's known.
BEHAVIOURS = _NAMES["behaviours"]
OFF_COLOUR = _NAMES["offColour"]
# Of pictures: how deep the largest weight of a row is tinted, and how many cells one may have (some 5 MB). Where there
# are more weights, the weaker are left out, and the picture says so.
PAPER = _NAMES["paper"]

# How many weights are written in a page: one digit below `few`, where nearly all are in a map of many words, and two
# from there on. No quote, backslash or "<" is among the digits.
DIGITS = _NAMES["digits"]
CSV_COLUMNS = _NAMES["csvColumns"]

# The stations of a word's journey, each with the matrices that it shows.
STATION_MATRICES = _NAMES["stations"]
# What may be changed in the formula; one adds padding, as a longer neighbour in a batch would.
FLAGS = _NAMES["flags"]
PADDING = _NAMES["padding"]
NUMBER_COLOURS = _NAMES["numberColours"]  # of the signs; what is below 0 is hatched, or has its minus, as well


def colour_of(head_name):
    """The colour of a head, by its name: its own where it is a taught one."""
    return HEAD_COLOURS.get(head_name, NEUTRAL_COLOUR)
