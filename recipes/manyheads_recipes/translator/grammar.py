"""Verbs with all that goes with them, in English and French at once; and which English sentences the translator reads.

The latter is a pattern: every word has one letter for its kind, and a sentence is in the grammar where the pattern fits
its letters. Both travel in the header of the model's file, and the translator reads by them, here and in the page.
"""

from functools import cache, partial

from manyheads_recipes.translator.words import (
    PERSONS,
    English,
    French,
    adjectives,
    agreed,
    determiners,
    nouns,
    other,
    rival,
    small_words,
    verbs,
    with_adjective,
)

TENSES = ("present", "past", "future")
THINGS = ("food", "drink", "thing", "text")
HAVE = dict(zip(PERSONS, ("ai", "avons", "avez", "a", "ont")))
BE = dict(zip(PERSONS, ("suis", "sommes", "êtes", "est", "sont")))
WAS = dict(zip(PERSONS, ("étais", "étions", "étiez", "était", "étaient")))
WILL = dict(zip(PERSONS, ("ai", "ons", "ez", "a", "ont")))


def finite(forms, subject, word, stem=""):
    """The verb form that its subject asks for; its rival is the form of the other number."""
    right = stem + forms[subject.person, subject.plural]
    wrong = "" if subject.person == 2 else stem + forms[subject.person, not subject.plural]
    return French(right, word, subject=subject.head, rivals=rival("subject", right, wrong))


def participle(text, word, name, agrees_with):
    """A participle that agrees with a phrase, which is a `name` to it: the noun, the subject or the antecedent."""
    gender, plural = agrees_with.gender, agrees_with.plural
    right, wrong = agreed(text, gender, plural), agreed(text, other(gender), plural)
    rivals = {} if agrees_with.assumed else rival("antecedent" if agrees_with.antecedent else name, right, wrong)
    return French(right, word, rivals=rivals, **{name: agrees_with.head, "antecedent": agrees_with.antecedent})


def around(adverb, verb, rest):
    """A French verb between `ne` and `pas`, or with an adverb after it; `rest` stands between `ne` and the verb.

    `pas` is what translates the negation; `ne` goes with the verb, whose first letter decides on `n'`.
    """
    if adverb is None:
        return [*rest, verb]
    if adverb.text in small_words("negation"):
        return [French("ne", verb.word), *rest, verb, French(small_words("negation")[adverb.text][0], adverb)]
    return [*rest, verb, French((small_words("adverb") | small_words("comparison"))[adverb.text][0], adverb)]


def verb_group(subject, verb, tense, adverb=None, clitic=None, after=None, better=None, question=False):
    """A verb with its helpers, adverb or negation, and object pronoun; `after` is what `que` stands for.

    Returns the English words and the French words, without the subject. The English of a receiver and of `better`
    stands elsewhere; a `question` begins with its helper.
    """
    adverb = English(adverb) if adverb else None
    negated = bool(adverb) and adverb.text == "not"
    singular = subject.person == 3 and not subject.plural
    base, third, past = verb.english
    if tense == "future":
        helper, form = "will", base
    elif negated or question:
        helper, form = ("did" if tense == "past" else "does" if singular else "do"), base
    else:
        helper, form = "", (past if tense == "past" else third if singular else base)
    helping, main = English(helper), English(form)
    english = [*([helping] if helper else []), *([adverb] if adverb else []), main]
    if verb.after:
        english.append(English(verb.after))
    if clitic and not clitic.receives:
        english += clitic.english
    before = clitic.french if clitic else []
    beside = adverb or better
    if tense == "present":
        return english, around(beside, finite(verb.present, subject, main), before)
    if tense == "future":
        return english, around(beside, finite(WILL, subject, main, verb.stem), before)
    word = helping if helper else main
    if verb.auxiliary == "être":
        return english, [
            *around(beside, finite(BE, subject, word), before),
            participle(verb.participle, main, "subject", subject),
        ]
    if clitic and not clitic.receives:
        done = participle(verb.participle, main, "antecedent", clitic)
    elif after:
        done = participle(verb.participle, main, "noun", after)
    else:
        done = French(verb.participle, main)
    return english, [*around(beside, finite(HAVE, subject, word), before), done]


def being(subject, tense):
    """The English form of "to be" that a subject asks for."""
    if tense == "future":
        return "be"
    if subject.plural or subject.person == 2:
        return "are" if tense == "present" else "were"
    if tense == "past":
        return "was"
    return "am" if subject.person == 1 else "is"


def predicate(rng, subject, tense, adverb=None):
    """To be, and an adjective that agrees with the subject. An `it` that stands for nothing becomes `ce`."""
    adverb = English(adverb) if adverb else None
    word = English(being(subject, tense))
    thing = subject.head.text == "it" and subject.assumed
    if thing:
        subject.french = [French("ce", subject.head)]
    kinds = (subject.noun.kind,) if subject.noun else THINGS if thing else ("person",)
    adjective = rng.choice([adjective for adjective in adjectives() if adjective.kinds.intersection(kinds)])
    quality = with_adjective(adjective, subject.head, (subject.gender, subject.plural), "subject")
    quality.before_vowel = ""
    if subject.assumed:
        quality.rivals = {}
    if subject.antecedent:
        quality.antecedent = subject.antecedent
        if wrong := quality.rivals.pop("subject", None):
            quality.rivals["antecedent"] = wrong
    added = [adverb] if adverb else []
    english = [English("will"), *added, word] if tense == "future" else [word, *added]
    forms, stem = {"present": (BE, ""), "past": (WAS, ""), "future": (WILL, "ser")}[tense]
    french = around(adverb, finite(forms, subject, word, stem), [])
    return [*english, quality.word], [*french, quality]


# --- what is read

FIRST_LETTER = 192  # À and what follows: letters that mean nothing in a pattern
FORMS = ("base", "third", "past")
ALONE = [
    *("I", "we", "you", "and", "or", "it", "they", "them", "not", "never", "will", "do", "does", "did"),
    *("am", "is", "are", "was", "were", "be", "that", "who", "of", "to", "for", "out"),
]


def kinds_of_words():
    """Kind -> its words. A verb's kind is what follows it and its form.

    >>> kinds_of_words()["one"][:2], kinds_of_words()["object, for, base"]
    (['boy', 'girl'], ['look', 'wait'])
    """
    found = {
        "one": [noun.english[0] for noun in nouns() if not noun.mass],
        "mass": [noun.english[0] for noun in nouns() if noun.mass],
        "many": [noun.english[1] for noun in nouns()],
        "quality": [adjective.english for adjective in adjectives()],
        "preposition": [*small_words("preposition")],
        "conjunction": [word for word in small_words("conjunction") if word not in small_words("choice")],
        "adverb": [*small_words("adverb")],
        "better": [*small_words("comparison")],
        "which": [*small_words("question")],
        "he": ["he", "she"],
        "him": ["him", "her"],
        "me": ["me", "us"],
    }
    for article in determiners():
        numbers = {plural for _, plural in article.forms}
        name = "any article" if len(numbers) == 2 else "many article" if True in numbers else "one article"
        found.setdefault("some" if article.english == "some" else name, []).append(article.english)
    found["one article"].append("an")
    for verb in verbs():
        for form, text in zip(FORMS, verb.english):
            if text not in found.get(kind_of(verb, "base"), ()):  # "read" is its own past
                found.setdefault(kind_of(verb, form), []).append(text)
    return found | {word: [word] for word in ALONE}


def kind_of(verb, form):
    """What follows a verb, and the form."""
    same = " past as base" if verb.english[0] == verb.english[2] else ""
    return f"{takes(verb)}{same}, {verb.after}, {form}"


def takes(verb):
    """What can follow a verb, in one word."""
    for kind, name in (("to somebody", "giving"), ("a clause", "saying"), ("nothing", "alone")):
        if kind in verb.takes:
            return "moving" if verb.auxiliary == "être" else name
    return "liking" if verb.english[0] == "like" else "object"


@cache
def grammar():
    """The letter of each word, and the pattern.

    >>> import re
    >>> letters, pattern = grammar()
    >>> for text in ("the girl sees the red apple and she eats it", "the girl see apple"):
    ...     print(bool(re.fullmatch(pattern, "".join(letters[word] for word in text.split()))))
    True
    False
    """
    kinds = kinds_of_words()
    letter = {kind: chr(FIRST_LETTER + number) for number, kind in enumerate(kinds)}
    return {word: letter[kind] for kind, words in kinds.items() for word in words}, Pattern(letter).sentence()


def any_of(*parts):
    return f"(?:{'|'.join(parts)})"


class Pattern:
    """The pattern's parts, from single phrases to the whole sentence; `letter` has the letter of each kind of word."""

    def __init__(self, letter):
        self.letter = letter
        quality = f"{letter['quality']}?"
        one_article, one_or_mass = self.letters("one article", "any article"), self.letters("one", "mass")
        self.one = any_of(f"{one_article}{quality}{one_or_mass}", f"{letter['some']}?{quality}{letter['mass']}")
        self.many = f"{self.letters('many article', 'any article', 'some')}?{quality}{letter['many']}"
        self.thing = any_of(self.one, self.many)
        self.both = self.thing + letter["and"] + self.thing
        self.two = self.thing + self.letters("and", "or") + self.thing
        self.where = letter["preposition"] + self.thing
        self.perhaps_where = any_of(self.where, "")
        self.him = self.letters("him", "me", "you", "it", "them")
        self.more_one = self.more(self.one, third=True)
        self.more_many = any_of(self.more(self.many, third=False), self.both)

    def letters(self, *kinds):
        """One word, of any of these kinds."""
        return f"[{''.join(self.letter[kind] for kind in kinds)}]"

    def verb_group(self, *takings, third, negated=True):
        """Verbs that take one of these, with their helpers, for he and she (`third`) or for the rest."""
        adverb = f"{self.letter['adverb']}?"
        before = f"{self.letters('never', 'adverb')}?" if negated else adverb
        within = f"(?:{self.letter['not']}|{before})" if negated else adverb
        forms = []
        for base, past_and_present, after in self.verbs(takings, third):
            forms.append(f"{self.letter['will']}{within}{base}{after}")
            forms.append(f"{before}[{past_and_present}]{after}")
            if negated:
                did = self.letters("does" if third else "do", "did")
                forms.append(f"{did}{self.letter['not']}{base}{after}")
        return any_of(*forms)

    def verbs(self, takings, third):
        """The letters of each kind of verb: its base, its present and past, and what comes after it."""
        for kind in self.letter:
            taking, _, form = kind.partition(", ")
            if taking.removesuffix(" past as base") in takings and form.endswith("base"):
                forms = (self.letter.get(kind.removesuffix("base") + form) for form in FORMS)
                base, third_form, past = (form or self.letter[kind] for form in forms)
                after = self.letter.get(kind.split(", ")[1], "")
                yield base, (third_form if third else base) + past, after

    def is_so(self, *forms):
        """What a thing is: is red, will not be red."""
        adverb = f"{self.letters('not', 'never', 'adverb')}?"
        being = any_of(f"{self.letters(*forms)}{adverb}", f"{self.letter['will']}{adverb}{self.letter['be']}")
        return being + self.letter["quality"]

    def gift_and_receiver(self):
        """What follows a verb of giving: a gift and who receives it, in both orders."""
        to = self.letter["to"]
        return any_of(self.thing + to + any_of(self.thing, self.him), any_of(self.thing, self.him) + self.thing)

    def follows(self, group, being, whole=None, simple=False):
        """What follows a subject; `group` makes its verbs, `being` is what it can be; a `simple` one gives nothing."""
        objects = any_of(whole or self.thing, self.him, self.two)
        parts = [
            being,
            group("object", "liking") + objects,
            group("liking") + objects + self.letter["better"],
            group("alone", "moving") + self.perhaps_where,
        ]
        return any_of(*parts) if simple else any_of(*parts, group("giving") + self.gift_and_receiver())

    def says(self, third, **options):
        """What follows a subject in a statement."""
        forms = ("is", "was") if third else ("are", "were")
        return self.follows(partial(self.verb_group, third=third), self.is_so(*forms), **options)

    def more(self, phrase, third):
        """A noun phrase, and perhaps whose it is, where it is, or a clause about it."""
        that_somebody_sees = any_of(
            any_of(self.one, self.letter["he"]) + self.verb_group("object", "liking", third=True),
            any_of(self.many, self.letters("I", "we", "you")) + self.verb_group("object", "liking", third=False),
        )
        near = any_of(self.letter["of"] + self.thing, self.where, self.letter["that"] + that_somebody_sees)
        who = self.letters("who", "that") + self.says(third, simple=True)
        return phrase + any_of(near, who, "")

    def clause(self):
        """A statement with its subject."""
        more = any_of(self.more_one, self.more_many)
        am = self.is_so("am", "was")
        return any_of(
            any_of(self.more_one, self.letters("he", "it")) + self.says(True, whole=more),
            any_of(self.more_many, self.letters("we", "you", "they")) + self.says(False, whole=more),
            self.letter["I"] + self.follows(partial(self.verb_group, third=False), am, whole=more),
        )

    def bases(self, *takings):
        """The bases of such verbs, after the helper and the subject of a question."""
        adverb = f"{self.letter['adverb']}?"
        return adverb + any_of(*(base + after for base, _, after in self.verbs(takings, third=False)))

    def helped(self):
        """The helper and the subject of a question."""
        third, rest = any_of(self.one, self.letters("he", "it")), self.letters("I", "we", "you", "they")
        will = self.letter["will"] + any_of(third, self.both, self.many, rest)
        return any_of(
            will, self.letters("does", "did") + third, self.letters("do", "did") + any_of(self.both, self.many, rest)
        )

    def question(self):
        """Whether something is so; or which of two things, and what, somebody sees or prefers."""
        letter, adverb = self.letter, f"{self.letter['adverb']}?"
        being = any_of(
            self.letters("is", "was") + any_of(self.one, self.letters("he", "it")),
            self.letters("are", "were") + any_of(self.both, self.many, self.letters("we", "you", "they")),
            self.letters("am", "was") + letter["I"],
        )
        will_be = letter["will"] + any_of(self.thing, self.both, self.letters("I", "we", "you", "he", "it", "they"))
        is_it_so = any_of(being + adverb, will_be + adverb + letter["be"]) + letter["quality"]
        does_it = self.helped() + self.follows(self.bases, "(?!)")
        taken = any_of(self.bases("object", "liking"), self.bases("liking") + letter["better"])
        which = letter["which"] + self.helped() + taken + any_of(self.thing + letter["or"] + self.thing, "")
        return any_of(is_it_so, does_it, which)

    def sentence(self):
        letter = self.letter
        clause = self.clause()
        telling = any_of(
            any_of(self.one, letter["he"]) + self.verb_group("saying", third=True, negated=False),
            any_of(self.many, self.letters("I", "we", "you")) + self.verb_group("saying", third=False, negated=False),
        )
        conjunction = self.letters("conjunction", "and")
        statement = any_of(telling + letter["that"], clause + conjunction, "") + clause
        return any_of(statement, self.question())
