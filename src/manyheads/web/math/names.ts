// The names that Python and JavaScript share, from names.json, which maps/names.py reads as well and explains.

import names from "../names.json" with { type: "json" };

export const VIEWS = names.views;
export const CHOICES = names.choices;
export const KINDS = names.kinds;
export const EXAMPLE = names.example;
export const EMPTY = names.empty;
export const ONLY_SPECIAL = names.onlySpecial;
export const SPECIAL_TOKEN = names.specialToken;
export const PIECE_MARK = names.pieceMark;
export const WORD_MARKS = names.wordMarks;
export const SINK = names.sink;
export const DECADES = names.decades;
export const NOTES = names.notes;
export const HEAD_COLOURS = names.headColours;
export const FORMER_NAMES = names.formerNames;
export const TONES = names.tones;
export const DEPTH = names.depth;
export const FULL = names.full;
export const LEGEND = names.legend;
export const MIXED_COLOUR = names.mixedColour;
export const OFF_COLOUR = names.offColour;
export const PAPER = names.paper;
export const DIGITS = names.digits;
export const CSV_COLUMNS = names.csvColumns;
export const STEPS = names.steps;
export const OVER_WORDS = names.overWords;
export const FLAGS = names.flags;
export const PADDING = names.padding;
export const NUMBER_COLOURS = names.numberColours;
