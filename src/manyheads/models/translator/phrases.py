"""Noun phrases and pronouns, in English and French at once.

Every French word knows the English word that it translates and, where its form depends on another word, that word: the
noun of an article or an adjective, the subject of a verb, the noun that a pronoun stands for. Where another form would
be wrong for one of these reasons alone, it is kept as the word's rival.
"""

from dataclasses import dataclass, field

from manyheads.models.translator.words import adjectives, determiners, nouns, small_words

PLURAL_PRONOUNS = ("we", "they", "them")
ELIDED = {"le": "l'", "la": "l'", "je": "j'", "ne": "n'", "que": "qu'", "de": "d'"}


@dataclass(eq=False)
class English:
    text: str


@dataclass(eq=False)
class French:
    text: str
    word: English  # that it translates
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
    gender: str  # m, f; none for I and we
    plural: bool
    person: int = 3
    noun: object = None
    antecedent: English | None = None  # what a pronoun stands for; its own word, where that says the gender
    relative: bool = False  # a clause about it as an object follows

    @property
    def agrees(self):
        """What a word that agrees with it depends on, by name."""
        return {"antecedent": self.antecedent} if self.antecedent else {}


def other(gender):
    return "f" if gender == "m" else "m"


def rival(name, right, wrong):
    """The wrong form by the name of what it would be wrong for; none, where the forms do not differ."""
    return {name: wrong} if wrong not in ("", "-", right) else {}


def pronoun(role, english, stands_for=None):
    """I, we, he, she, him, her; or it, they, them, which stand for a noun phrase that was mentioned.

    >>> pronoun("object", "her").french[0].text
    'la'
    """
    word = English(english)
    if english in ("I", "we"):
        french = French("nous" if english == "we" else "je", word)
        return Phrase([word], [french], word, "", english == "we", person=1)
    forms = dict(zip("mf", small_words(f"{role} pronoun")[english]))
    gender = stands_for.gender if stands_for else "f" if forms["m"] == "-" else "m"
    antecedent = stands_for.head if stands_for else word
    wrong = rival("antecedent", forms[gender], forms[other(gender)])
    french = French(forms[gender], word, antecedent=stands_for and antecedent, rivals=wrong)
    return Phrase([word], [french], word, gender, english in PLURAL_PRONOUNS, antecedent=antecedent)


def noun_phrase(rng, kinds, combinations, described=0.4):
    """An article, a noun and, for a share of them, an adjective; what it puts together is added to `combinations`.

    >>> import random
    >>> phrase = noun_phrase(random.Random(3), ("food",), set())
    >>> phrase.head is phrase.english[-1]
    True
    """
    noun = rng.choice([noun for noun in nouns() if noun.kind in kinds])
    plural = rng.random() < 0.4
    head = English(noun.english[plural])
    agreement = noun.gender, plural
    named = French(noun.french[plural], head)
    adjective = None
    if rng.random() < described:
        adjective = rng.choice([adjective for adjective in adjectives() if noun.kind in adjective.kinds])
        combinations.add(("adjective and noun", adjective.english, noun.english[0]))
    determiner = rng.choice([determiner for determiner in determiners() if agreement in determiner.forms])
    article = with_article(determiner, head, agreement, adjective)
    if adjective is None:
        return Phrase([article.word, head], [article, named], head, *agreement, noun=noun)
    quality = with_adjective(adjective, head, agreement)
    quality.noun, quality.subject = head, None
    french = [article, quality, named] if adjective.before else [article, named, quality]
    return Phrase([article.word, quality.word, head], french, head, *agreement, noun=noun)


def with_article(determiner, head, agreement, adjective):
    gender, plural = agreement
    form, before_vowel = determiner.forms[agreement]
    if form == "des" and adjective and adjective.before:
        form, before_vowel = "de", "d'"
    wrong = rival("noun", form, determiner.forms[other(gender), plural][0])
    return French(
        form, English(determiner.english), noun=head, rivals=wrong if form != "de" else {}, before_vowel=before_vowel
    )


def with_adjective(adjective, head, agreement, name="noun"):
    """The adjective in the form that the agreement asks for; `name` says what the head is to it."""
    gender, plural = agreement
    form = adjective.forms[agreement]
    before_vowel = adjective.before_vowel if agreement == ("m", False) else ""
    wrong = rival(name, form, adjective.forms[other(gender), plural])
    return French(form, English(adjective.english), rivals=wrong, before_vowel=before_vowel, **{name: head})
