"""Reads the book's English: `python tests/prose.py FILE...` names each line with a habit that a native editor would change.

The general checks are proselint's. `HABITS` are ours: what reviews of this book kept finding.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

from proselint.checks import __register__ as GENERAL
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

OFF = {
    "typography": "smartquotes does it",
    "dates_times": "it takes formulas for dates",
    "weasel_words": "it mourns every 'very'",
    "spelling.consistency": "it takes the names of functions and CSS for words",
    "restricted": "not that kind of book",
    "lexical_illusions": "it takes a table's cells for one sentence",
}


PROSE = ("{admonition}", "{dropdown}", "{grid-item-card}", "{glossary}")  # directives with sentences in them
BREAK = r"((?<=[.?!:;])\s|\n\s*\n|\n?\s*\||\n\s*(?:[-*]|\d\.) )"  # between sentences, paragraphs, cells, points


class Habit(NamedTuple):
    pattern: str  # `^` is where a sentence starts
    instead: str
    wrong: str
    right: str


HABITS = [
    Habit(r"\b[Uu]nseen\b", "name the test set", "on unseen sentences", "on held-out sentences"),
    Habit(r"\b[Ww]hat stands\b", "say what it is", "Cover what stands below", "Cover the answers"),
    Habit(
        r"^Who\b[^.?!]*\.", '"Anyone who ..."', "Who checks only the maps misses it.", "Who looks, when a head looks?"
    ),
    Habit(
        r"^(Under|Above|Below|Beside|Behind|In|On|At)\b[^.,;:?!]{0,40}? (stands?|lies?|hangs?)\b",
        "subject first",
        "Under the map stand four predictions.",
        "There are four predictions under the map.",
    ),
    Habit(
        r"^What [^.?!]*, (nobody|no one)\b",
        "subject first",
        "What it says, nobody told it.",
        "Nobody told it what it says.",
    ),
    Habit(r"^What (is|are) \w+ are\b", '"It is the ... that"', "What are joined are outputs.", "Outputs are joined."),
    Habit(r"\bthen because\b", '"it is because"', "if they differ, then because", "if they differ, it is because"),
    Habit(r"\bthe sense of the saying\b", '"this is what ... means"', "That is the sense of the saying", "This means"),
    Habit(r"\bhas not[.:,;]", '"lacks"', "what tea has and it has not:", "what it lacks:"),
    Habit(r"\bgoes by the name\b", '"is called"', "the bug goes by the name of", "the bug is called"),
    Habit(r"\bis dearer\b", '"costs more"', "Length is dearer.", "Length costs more."),
    Habit(r"^At last it\b", '"Finally"', "At last it learnt", "Finally it learnt"),
    Habit(r"\bno one having\b", '"although nobody"', "with no one having asked", "although nobody asked"),
    Habit(r"^All else\b", '"The rest"', "All else is theirs", "The rest is theirs"),
    Habit(
        r"\bdistracts? nobody\b", '"to keep ... uncluttered"', "There they distract nobody.", "to keep it uncluttered"
    ),
    Habit(r"\bfrom wherever\b", "say from where, or leave it out", "maps, from wherever?", "already have maps?"),
    Habit(r"\bmakes no claim\b", '"does not state"', "it makes no claim where it is", "it does not state its address"),
    Habit(r"\bcannot be is\b", '"invalid"', "A setting that cannot be is told", "An invalid setting is reported"),
]


def prose(text):
    """The sentences of a MyST page on their own lines: no header, code, options of directives, or names in backticks."""
    kept, fence = [], ""
    for place, line in enumerate(text.splitlines()):
        opens = re.match(r"\s*(`{3,}|~{3,}|:{3,})(\{[\w-]+\})?(.*)", line)
        if fence:
            fence = "" if line.strip() == fence else fence
            line = ""
        elif place == 0 and line == "---":
            fence, line = line, ""
        elif opens:
            reads = opens[2] in PROSE or opens[1][0] == ":"
            fence = "" if reads or not (opens[2] or opens[3]) else opens[1]
            line = opens[3] if reads else ""
        kept.append("" if re.match(r":[\w-]+:", line) else re.sub(r"`[^`]*`|\$[^$]*\$", "x", line))
    return "\n".join(kept)


def sentences(text):
    """(line, sentence) for each sentence; a table's cells and a list's points are sentences, too."""
    line = 1
    for place, piece in enumerate(re.split(BREAK, text)):
        sentence = " ".join(piece.split())
        if sentence and place % 2 == 0:  # the others are the breaks
            yield line + piece[: len(piece) - len(piece.lstrip())].count("\n"), sentence
        line += piece.count("\n")


def habits(text):
    """(line, what to write instead, the sentence) for each of our habits in a text."""
    for line, sentence in sentences(text):
        for habit in HABITS:
            if re.search(habit.pattern, sentence):
                yield line, habit.instead, sentence


def general(text):
    """(line, message, "") for each of proselint's checks that are on."""
    checks = dict.fromkeys(OFF, False) | {name: on for name, on in DEFAULT["checks"].items() if name not in OFF}
    for found in LintFile("page", text).lint({"max_errors": 1000, "checks": checks}):
        yield found.pos[0], found.check_result.message, ""


def main(paths):
    CheckRegistry().register_many(GENERAL)
    wrong = 0
    for path in map(Path, paths):
        text = prose(path.read_text(encoding="utf-8"))
        for line, message, sentence in sorted({*habits(text), *general(text)}):
            print(f"{path}:{line}: {message}" + f"   {sentence}" * bool(sentence))
            wrong += 1
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
