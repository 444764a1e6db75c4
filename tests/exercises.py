"""The exercises of the book, read from the chapters' text."""

import re
from dataclasses import dataclass

from conftest import ROOT

from manyheads.sphinxext.fields import read_fields

SHOWN = re.compile(r"^`````text\n.*?^`````$", re.M | re.S)  # how to write one
CHAPTERS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "book").glob("*.md"))}
EXERCISE = re.compile(r"^(`{3,})\{exercise\} (.*?)\n(.*?)^\1$", re.M | re.S)
SOLUTION = re.compile(r"^(:{3,})\{solution\} (.*?)\n(.*?)^\1$", re.M | re.S)
FIELDS = re.compile(r"^```\{field-exercise\}\n((?::.*?\n)*)\n?(.*?)^```$", re.M | re.S)
CODE = re.compile(r"^~~~python\n(.*?)^~~~$", re.M | re.S)


@dataclass(frozen=True)
class Exercise:
    chapter: str
    title: str
    label: str
    kind: str
    fields: list
    solution: str  # as it stands; "" where there is none
    options: dict  # of its fields: map, sentence

    @property
    def code(self):
        return CODE.findall(self.solution)


def exercises_of(chapter, text):
    text = SHOWN.sub("", text)
    solutions = {label: body for _, label, body in SOLUTION.findall(text)}
    for _, title, body in EXERCISE.findall(text):
        told = dict(re.findall(r"^:([\w-]+): (.*)$", body, re.M))
        fields = FIELDS.search(body)
        options = dict(re.findall(r"^:([\w-]+): (.*)$", fields[1], re.M)) if fields else {}
        read = read_fields(fields[2]) if fields else []
        yield Exercise(chapter, title, told["label"], told["kind"], read, solutions.get(told["label"], ""), options)


EXERCISES = [found for chapter, text in CHAPTERS.items() for found in exercises_of(chapter, text)]
