"""Noun phrases and pronouns, in English and French at once.

Every French word knows the English word that it translates and, where its form depends on another word, that word: the
noun of an article or an adjective, the subject of a verb, the noun that a pronoun stands for. Where another form would
be wrong for one of these reasons alone, it is kept as the word's rival.
"""

from dataclasses import dataclass, field

from manyheads.models.translator.words import adjectives, determiners, nouns, small_words

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
    def agrees(self):
        """What a word that agrees with it depends on, by name."""
        return {"antecedent": self.antecedent} if self.antecedent else {}


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
    plural, person = english in PLURAL_PRONOUNS, PRONOUN_PERSONS.get(english, 3)
    made = Phrase([word], [french], word, gender, plural, person, antecedent=antecedent)
    made.receives, made.assumed = role == "receiver", assumed
    return made


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
    quality.noun, quality.subject = head, None
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


def denied(french):
    """What follows a negated verb: its indefinite or partitive article becomes `de`."""
    article, *rest = french
    partitive = article.text == "de" and rest[0].text == "la"
    if not partitive and article.text not in ("un", "une", "des", "du"):
        return french
    return [French("de", article.word, noun=article.noun), *rest[partitive:]]


def with_adjective(adjective, head, agreement, name="noun"):
    """The adjective in the form that the agreement asks for; `name` says what the head is to it."""
    gender, plural = agreement
    form = adjective.forms[agreement]
    before_vowel = adjective.before_vowel if agreement == ("m", False) else ""
    wrong = rival(name, form, adjective.forms[other(gender), plural])
    return French(form, English(adjective.english), rivals=wrong, before_vowel=before_vowel, **{name: head})
