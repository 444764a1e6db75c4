"""The words that the translator knows, and what they make: noun phrases and pronouns, in English and French at once.

Every French word knows the English word that it translates and, where its form depends on another word, that word: the
noun of an article or an adjective, the subject of a verb, the noun that a pronoun stands for. Where another form would
be wrong for one of these reasons alone, it is kept as the word's rival.
"""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from manyheads.models.sections import read_sections

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
def rows_of(name):
    """The rows below each header of a file of `data/`, each cut into words."""
    return {header: [line.split() for line in lines] for header, lines in read_sections(DATA / name).items()}


@cache
def nouns():
    """All nouns.

    >>> nouns()[0].french
    ('garçon', 'garçons')
    """
    found = []
    for header, rows in rows_of("nouns.txt").items():
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
    for header, rows in rows_of("adjectives.txt").items():
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
    for header, rows in rows_of("verbs.txt").items():
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
    for english, *forms in rows_of("other_words.txt")["determiner"]:
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
    return {english: french for english, *french in rows_of("other_words.txt")[section]}


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
    return {name: rows_of(name) for name in ("nouns.txt", "adjectives.txt", "verbs.txt", "other_words.txt")}


# --- noun phrases and pronouns

PLURAL_PRONOUNS = ("we", "us", "they", "them")
PRONOUN_PERSONS = {"I": 1, "me": 1, "we": 1, "us": 1, "you": 2}  # 3, where nothing stands here
ELIDED = {"le": "l'", "la": "l'", "je": "j'", "me": "m'", "ce": "c'", "ne": "n'", "que": "qu'", "de": "d'"}


@dataclass(eq=False)
class English:
    text: str


@dataclass(eq=False)
class French:
    text: str
    word: English | None  # that it translates
    noun: English | None = None  # that it agrees with
    subject: English | None = None
    antecedent: English | None = None
    rivals: dict = field(default_factory=dict)  # noun, subject, antecedent -> the form that would be wrong
    before_vowel: str = ""  # its form there, where it has one

    def __post_init__(self):
        self.before_vowel = self.before_vowel or ELIDED.get(self.text, "")


@dataclass(eq=False)
class Phrase:
    """A noun phrase or a pronoun in both languages."""

    english: list
    french: list
    head: English
    gender: str  # m, f
    plural: bool
    person: int = 3
    noun: object = None
    antecedent: English | None = None  # what a pronoun stands for; its own word, where that says the gender
    relative: bool = False  # a clause about it as an object follows
    parts: tuple = ()  # the two phrases that it joins
    receives: bool = False  # a pronoun for the receiver of a gift
    assumed: bool = False  # nothing says the gender: it is the masculine, as French has it then

    @property
    def words(self):
        return self.english, self.french

    def deny(self):
        """After a negated verb its indefinite or partitive article becomes `de`."""
        article, *rest = self.french
        partitive = article.text == "de" and rest[0].text == "la"
        if partitive or article.text in ("un", "une", "des", "du"):
            self.french = [French("de", article.word, noun=article.noun), *rest[partitive:]]


def other(gender):
    return "f" if gender == "m" else "m"


def rival(name, right, wrong):
    """The wrong form by the name of what it would be wrong for; none, where the forms do not differ."""
    return {name: wrong} if wrong not in ("", "-", right) else {}


def pronoun(role, english, stands_for=None):
    """A pronoun as the subject, the object or the receiver; it, they and them may stand for a noun phrase.

    >>> pronoun("object", "her").french[0].text, pronoun("receiver", "her").french[0].text
    ('la', 'lui')
    """
    word = English(english)
    forms = dict(zip("mf", small_words(f"{role} pronoun")[english]))
    assumed = not stands_for and "-" not in forms.values()
    gender = stands_for.gender if stands_for else "f" if forms["m"] == "-" else "m"
    antecedent = stands_for.head if stands_for else None if assumed else word
    wrong = rival("antecedent", forms[gender], forms[other(gender)]) if stands_for else {}
    french = French(forms[gender], word, antecedent=stands_for and antecedent, rivals=wrong)
    plural, person, noun = english in PLURAL_PRONOUNS, PRONOUN_PERSONS.get(english, 3), stands_for and stands_for.noun
    parts = {"antecedent": antecedent, "receives": role == "receiver", "assumed": assumed}
    return Phrase([word], [french], word, gender, plural, person, noun, **parts)


def noun_phrase(rng, kinds, combinations, described=0.4, bare=None):
    """An article, a noun and, for a share of them, an adjective; what it puts together is added to `combinations`.

    `bare` is the English word for the article that French has where English has none, as in "cats" or "black coffee".

    >>> import random
    >>> phrase = noun_phrase(random.Random(3), ("food",), set())
    >>> phrase.head is phrase.english[-1]
    True
    """
    noun = rng.choice([noun for noun in nouns() if noun.kind in kinds])
    plural = rng.random() < (0.1 if noun.mass else 0.4)
    head = English(noun.english[plural])
    agreement = noun.gender, plural
    named = French(noun.french[plural], head)
    adjective = None
    if rng.random() < described:
        adjective = rng.choice([adjective for adjective in adjectives() if noun.kind in adjective.kinds])
        combinations.add(("adjective and noun", adjective.english, noun.english[0]))
    fitting = [
        determiner
        for determiner in determiners()
        if agreement in determiner.forms and (determiner.english != "some" or plural or noun.mass)
    ]
    without = bare and (plural or noun.mass) and rng.random() < (0.6 if noun.mass else 0.3)
    english = [] if without else [English(rng.choice(fitting).english)]
    determiner = next(one for one in fitting if one.english == (bare if without else english[0].text))
    article = with_article(determiner, english[0] if english else head, head, agreement, adjective)
    if adjective is None:
        return Phrase([*english, head], [*article, named], head, *agreement, noun=noun)
    quality = with_adjective(adjective, head, agreement)
    french = [*article, quality, named] if adjective.before else [*article, named, quality]
    return Phrase([*english, quality.word, head], french, head, *agreement, noun=noun)


def with_article(determiner, word, head, agreement, adjective):
    """The French article that an English word asks for: one word, or "de la" for some of a thing."""
    gender, plural = agreement
    form, before_vowel = determiner.forms[agreement]
    if " " in form:
        return [French(part, word, noun=head) for part in form.split()]
    if form == "des" and adjective and adjective.before:
        return [French("de", word, noun=head)]
    wrong = rival("noun", form, determiner.forms[other(gender), plural][0])
    return [French(form, word, noun=head, rivals=wrong, before_vowel=before_vowel)]


def both(first, link, second, spoken):
    """Two noun phrases as one, joined by a word and its French; its head is `and`, which is what makes it plural."""
    word = English(link)
    gender = "f" if first.gender == second.gender == "f" else "m"
    english = [*first.english, word, *second.english]
    french = [*first.french, French(spoken, word), *second.french]
    return Phrase(english, french, word, gender, link == "and", noun=first.noun, parts=(first, second))


def with_adjective(adjective, head, agreement, name="noun"):
    """The adjective in the form that the agreement asks for; `name` says what the head is to it."""
    gender, plural = agreement
    form = adjective.forms[agreement]
    before_vowel = adjective.before_vowel if agreement == ("m", False) else ""
    wrong = rival(name, form, adjective.forms[other(gender), plural])
    return French(form, English(adjective.english), rivals=wrong, before_vowel=before_vowel, **{name: head})


SPEAKERS = ("I", "we", "you")
ITSELF = {"I": ("me", "us"), "we": ("me", "us"), "you": ("you",)}  # what a speaker does not do things to


class Mentions:
    """The noun phrases of one sentence so far; new ones and pronouns are drawn by `rng`."""

    def __init__(self, rng):
        self.rng = rng
        self.mentioned = []
        self.combinations = set()

    def phrase(self, kinds, described=0.4, bare=None):
        self.mentioned.append(noun_phrase(self.rng, kinds, self.combinations, described, bare))
        return self.mentioned[-1]

    def person(self):
        """Who speaks, is spoken to or is a he or a she."""
        return pronoun("subject", self.rng.choices((*SPEAKERS, "he", "she"), (3, 2, 3, 2, 2))[0])

    def first_pronoun(self):
        """A pronoun that needs no noun before it; where one was mentioned, `it` and `they` would stand for it."""
        one, many = self.candidates()
        free = [word for word, known in (("it", one), ("they", many)) if not known]
        return pronoun("subject", self.rng.choice(free)) if free and self.rng.random() < 0.3 else self.person()

    def candidates(self, subject=None):
        """What `it` could stand for, which is anything singular but persons, and what `they` could."""
        itself = (subject, *subject.parts) if subject else ()
        others = [phrase for phrase in self.mentioned if phrase not in itself]
        one = [phrase for phrase in others if not phrase.plural and phrase.noun.kind != "person"]
        return one, [phrase for phrase in others if phrase.plural]

    def known(self, subject=None):
        """The noun phrases that are the only one for their pronoun."""
        return [only for only in self.candidates(subject) if len(only) == 1]

    def again(self, role, known):
        [phrase] = self.rng.choice(known)
        return pronoun(role, ("they" if role == "subject" else "them") if phrase.plural else "it", phrase)

    def free_pronoun(self, role, subject):
        """An object or a receiver that needs no noun before it, other than the subject itself."""
        free = {"him", "her", "me", "us", "you"}.difference(ITSELF.get(subject.head.text, ()))
        one, many = self.candidates(subject)
        alone = [("it", one), ("them", many)] if role == "object" else [("them", ())]
        return pronoun(role, self.rng.choice([*sorted(free), *(word for word, known in alone if not known)]))
