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
    return {word: letter[kind] for kind, words in kinds.items() for word in words}, _pattern(letter)


def _pattern(letter):
    def any_of(*parts):
        return f"(?:{'|'.join(parts)})"

    def said(*takings, third, negated=True):
        """Verbs that take one of these, with their helpers, for he and she or for the rest."""
        before = f"[{letter['never']}{letter['adverb']}]?" if negated else f"{letter['adverb']}?"
        adverb = f"(?:{letter['not']}|{before})" if negated else before
        forms = []
        for kind in letter:
            taking, _, form = kind.partition(", ")
            if taking not in takings or not form.endswith("base"):
                continue
            base, third_form, past = (letter[kind.removesuffix("base") + form] for form in FORMS)
            after = letter.get(kind.split(", ")[1], "")
            present = third_form if third else base
            forms.append(f"{letter['will']}{adverb}{base}{after}")
            forms.append(f"{before}[{present}{past}]{after}")
            if negated:
                forms.append(f"[{letter['does' if third else 'do']}{letter['did']}]{letter['not']}{base}{after}")
        return any_of(*forms)

    def is_so(third):
        now = letter["is"] + letter["was"] if third else letter["are"] + letter["were"]
        adverb = f"[{letter['not']}{letter['never']}{letter['adverb']}]?"
        return any_of(f"[{now}]{adverb}", f"{letter['will']}{adverb}{letter['be']}") + letter["quality"]

    one = f"[{letter['one article']}{letter['any article']}]{letter['quality']}?{letter['one']}"
    many = f"[{letter['many article']}{letter['any article']}]{letter['quality']}?{letter['many']}"
    thing = any_of(one, many)
    him = f"[{letter['him']}{letter['it']}{letter['them']}]"
    where = letter["preposition"] + thing
    alone = any_of(where, "")

    def follows(third, whole=thing, simple=False):
        """What follows a subject; a `simple` one has no pronoun and no second object."""
        parts = [is_so(third), said("object", third=third) + whole, said("alone", "moving", third=third) + alone]
        if not simple:
            parts.append(said("object", third=third) + him)
            parts.append(said("giving", third=third) + thing + letter["to"] + thing)
        return any_of(*parts)

    speaker = letter["speaker"]
    gap = any_of(  # that somebody sees
        any_of(one, letter["he"]) + said("object", third=True), any_of(many, speaker) + said("object", third=False)
    )
    near = any_of(letter["of"] + thing, where, letter["that"] + gap)
    who = f"[{letter['who']}{letter['that']}]"
    more_one = one + any_of(near, who + follows(True, simple=True), "")
    more_many = many + any_of(near, who + follows(False, simple=True), "")
    more = any_of(more_one, more_many)
    speaking = any_of(
        said("object", third=False) + any_of(more, him),
        said("alone", third=False) + alone,
        said("giving", third=False) + thing + letter["to"] + thing,
    )

    def clause(he, they):
        return any_of(
            any_of(more_one, he) + follows(True, more),
            (any_of(more_many, they) if they else more_many) + follows(False, more),
            speaker + speaking,
        )

    first = clause(letter["he"], "")
    second = clause(f"[{letter['he']}{letter['it']}]", letter["they"])
    telling = any_of(
        any_of(one, letter["he"]) + said("saying", third=True, negated=False),
        any_of(many, speaker) + said("saying", third=False, negated=False),
    )
    nobody = f"(?![^{letter['one']}{letter['many']}]*[{letter['it']}{letter['they']}{letter['them']}])"  # to stand for
    return nobody + any_of(first + any_of(letter["conjunction"] + second, ""), telling + letter["that"] + second)
