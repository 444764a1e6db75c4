"""The words that the translator knows, read from `data/`: English beside all the French forms that sentences need."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
PERSONS = ((1, False), (1, True), (2, False), (3, False), (3, True))  # and whether many: je, nous, vous, il, ils
VOWELS = tuple("aeiouhâàéèêëîïôöûüœ")  # what elides; no French word of ours has an aspirated h


@dataclass(frozen=True)
class Noun:
    english: tuple[str, str]  # singular, plural
    french: tuple[str, str]
    gender: str  # m, f
    kind: str
    mass: bool  # said without an article, as in "I like coffee"


@dataclass(frozen=True)
class Adjective:
    english: str
    forms: dict  # (gender, plural) -> form
    before_vowel: str  # the masculine singular before a vowel
    kinds: frozenset  # of nouns
    before: bool  # whether it stands before its noun


@dataclass(frozen=True)
class Verb:
    english: tuple[str, str, str]  # see, sees, saw
    after: str  # the word that follows it, as "for" in "look for"
    infinitive: str
    present: dict  # (person, plural) -> form
    participle: str  # masculine singular
    stem: str  # of the future
    takes: frozenset  # kinds of nouns as objects, or "nothing", "to somebody", "a clause"
    auxiliary: str  # avoir, être
    general: bool  # what is liked without an article is all there is of it: "le café", not "du café"


@dataclass(frozen=True)
class Determiner:
    english: str
    forms: dict  # (gender, plural) -> (form, form before a vowel); one that lacks a number has none of it


@cache
def read_sections(name):
    """A file of `data/`: the lines below each header in square brackets, each cut into words.

    >>> read_sections("nouns.txt")["animal"][0]
    ['cat', 'cats', 'chat', 'chats', 'm']
    """
    sections = {}
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            rows = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            rows.append(line.split())
    return sections


@cache
def nouns():
    """All nouns.

    >>> nouns()[0].french
    ('garçon', 'garçons')
    """
    found = []
    for header, rows in read_sections("nouns.txt").items():
        kind, _, article = header.partition(", ")
        found += [Noun((row[0], row[1]), (row[2], row[3]), row[4], kind, bool(article)) for row in rows]
    return found


@cache
def adjectives():
    """All adjectives.

    >>> adjectives()[0].forms["f", True]
    'rouges'
    """
    found = []
    for header, rows in read_sections("adjectives.txt").items():
        kinds, place = header.split(", ")
        for english, ms, fs, mp, fp, *vowel in rows:
            forms = {("m", False): ms, ("f", False): fs, ("m", True): mp, ("f", True): fp}
            found.append(Adjective(english, forms, (*vowel, ms)[0], frozenset(kinds.split()), place == "before"))
    return found


@cache
def verbs():
    """All verbs.

    >>> verbs()[0].present[3, True]
    'voient'
    """
    found = []
    for header, rows in read_sections("verbs.txt").items():
        takes, _, note = header.partition(", ")
        kinds = frozenset([takes] if takes in ("nothing", "to somebody", "a clause") else takes.split())
        for row in rows:
            english, after = tuple(form.partition("+")[0] for form in row[:3]), row[0].partition("+")[2]
            infinitive, *present, participle, stem = row[4:]
            auxiliary, general = "être" if note == "with être" else "avoir", note == "in general"
            persons = dict(zip(PERSONS, present))
            found.append(Verb(english, after, infinitive, persons, participle, stem, kinds, auxiliary, general))
    return found


@cache
def determiners():
    """All articles and what stands in their place.

    >>> determiners()[0].forms["m", False]
    ('le', "l'")
    """
    found = []
    for english, *forms in read_sections("other_words.txt")["determiner"]:
        m, m_vowel, f, f_vowel, plural = (form.replace("_", " ") for form in forms)
        forms = {("m", False): (m, m_vowel), ("f", False): (f, f_vowel)}
        forms |= dict.fromkeys([("m", True), ("f", True)], (plural, plural))
        found.append(Determiner(english, {at: pair for at, pair in forms.items() if pair[0] != "-"}))
    return found


@cache
def small_words(section):
    """A section of the other words: English -> its French words.

    >>> small_words("preposition")["near"]
    ['près', 'de']
    """
    return {english: french for english, *french in read_sections("other_words.txt")[section]}


def agreed(participle, gender, plural):
    """A participle in the form of what it agrees with.

    >>> agreed("pris", "f", True), agreed("pris", "m", True)
    ('prises', 'pris')
    """
    form = participle + ("e" if gender == "f" else "")
    return form + ("s" if plural and not form.endswith("s") else "")


def words_data():
    """All of this as it was read: what a kept model's key is made of. A comment in a file is none of it.

    >>> list(words_data())
    ['nouns.txt', 'adjectives.txt', 'verbs.txt', 'other_words.txt']
    """
    return {name: read_sections(name) for name in ("nouns.txt", "adjectives.txt", "verbs.txt", "other_words.txt")}
