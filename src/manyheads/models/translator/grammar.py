"""Which English sentences the translator has learnt to read: a pattern over the kinds of their words.

Every word has one letter for its kind, and a sentence is in the grammar where the pattern fits its letters. The page
tests the same pattern: letters and pattern travel in the header of the model's file.
"""

from functools import cache

from manyheads.models.translator.words import adjectives, determiners, nouns, small_words, verbs

FIRST_LETTER = 192  # À and what follows: letters that mean nothing in a pattern
FORMS = ("base", "third", "past")
ALONE = "it they them not never will do does did is are was were be that who of to for out".split()  # noqa: SIM905


def kinds_of_words():
    """Kind -> its words. A verb's kind is what follows it and its form.

    >>> kinds_of_words()["one"][:2], kinds_of_words()["object, for, base"]
    (['boy', 'girl'], ['look', 'wait'])
    """
    found = {
        "one": [noun.english[0] for noun in nouns()],
        "many": [noun.english[1] for noun in nouns()],
        "quality": [adjective.english for adjective in adjectives()],
        "preposition": [*small_words("preposition")],
        "conjunction": [*small_words("conjunction")],
        "adverb": [*small_words("adverb")],
        "speaker": ["I", "we"],
        "he": ["he", "she"],
        "him": ["him", "her"],
    }
    for article in determiners():
        numbers = {plural for _, plural in article.forms}
        name = "any article" if len(numbers) == 2 else "many article" if True in numbers else "one article"
        found.setdefault(name, []).append(article.english)
    found["one article"].append("an")
    for verb in verbs():
        for form, text in zip(FORMS, verb.english):
            found.setdefault(f"{takes(verb)}, {verb.after}, {form}", []).append(text)
    return found | {word: [word] for word in ALONE}


def takes(verb):
    """What can follow a verb, in one word."""
    for kind, name in (("to somebody", "giving"), ("a clause", "saying"), ("nothing", "alone")):
        if kind in verb.takes:
            return "moving" if verb.auxiliary == "être" else name
    return "object"


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
        self.one = self.phrase("one")
        self.many = self.phrase("many")
        self.thing = any_of(self.one, self.many)
        self.where = letter["preposition"] + self.thing
        self.perhaps_where = any_of(self.where, "")
        self.him = self.letters("him", "it", "them")
        self.more_one = self.more(self.one, third=True)
        self.more_many = self.more(self.many, third=False)

    def letters(self, *kinds):
        """One word, of any of these kinds."""
        return f"[{''.join(self.letter[kind] for kind in kinds)}]"

    def phrase(self, number):
        return f"{self.letters(f'{number} article', 'any article')}{self.letter['quality']}?{self.letter[number]}"

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
            if taking in takings and form.endswith("base"):
                base, third_form, past = (self.letter[kind.removesuffix("base") + form] for form in FORMS)
                after = self.letter.get(kind.split(", ")[1], "")
                yield base, (third_form if third else base) + past, after

    def is_so(self, third):
        """What a thing is: is red, will not be red."""
        now = self.letters("is", "was") if third else self.letters("are", "were")
        adverb = f"{self.letters('not', 'never', 'adverb')}?"
        being = any_of(f"{now}{adverb}", f"{self.letter['will']}{adverb}{self.letter['be']}")
        return being + self.letter["quality"]

    def gives(self, third):
        return self.verb_group("giving", third=third) + self.thing + self.letter["to"] + self.thing

    def follows(self, third, whole=None, simple=False):
        """What follows a subject; a `simple` one has no pronoun and no second object."""
        parts = [
            self.is_so(third),
            self.verb_group("object", third=third) + (whole or self.thing),
            self.verb_group("alone", "moving", third=third) + self.perhaps_where,
        ]
        if not simple:
            parts.append(self.verb_group("object", third=third) + self.him)
            parts.append(self.gives(third))
        return any_of(*parts)

    def more(self, phrase, third):
        """A noun phrase, and perhaps whose it is, where it is, or a clause about it."""
        that_somebody_sees = any_of(
            any_of(self.one, self.letter["he"]) + self.verb_group("object", third=True),
            any_of(self.many, self.letter["speaker"]) + self.verb_group("object", third=False),
        )
        near = any_of(self.letter["of"] + self.thing, self.where, self.letter["that"] + that_somebody_sees)
        who = self.letters("who", "that") + self.follows(third, simple=True)
        return phrase + any_of(near, who, "")

    def clause(self, he, many):
        """A clause whose subject is a noun phrase, a pronoun of `he` or `many`, or who speaks."""
        more = any_of(self.more_one, self.more_many)
        speaking = any_of(
            self.verb_group("object", third=False) + any_of(more, self.him),
            self.verb_group("alone", third=False) + self.perhaps_where,
            self.gives(third=False),
        )
        return any_of(
            any_of(self.more_one, he) + self.follows(True, more),
            many + self.follows(False, more),
            self.letter["speaker"] + speaking,
        )

    def sentence(self):
        letter = self.letter
        first = self.clause(letter["he"], self.more_many)
        second = self.clause(self.letters("he", "it"), any_of(self.more_many, letter["they"]))
        telling = any_of(
            any_of(self.one, letter["he"]) + self.verb_group("saying", third=True, negated=False),
            any_of(self.many, letter["speaker"]) + self.verb_group("saying", third=False, negated=False),
        )
        nouns, pronouns = letter["one"] + letter["many"], self.letters("it", "they", "them")
        pronoun_without_noun = f"(?![^{nouns}]*{pronouns})"
        joined = first + any_of(letter["conjunction"] + second, "")
        return pronoun_without_noun + any_of(joined, telling + letter["that"] + second)
