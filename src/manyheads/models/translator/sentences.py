"""Whole English sentences with their French, for training and for the test; some combinations are kept for the test."""

import random
import zlib
from dataclasses import dataclass
from itertools import pairwise

from manyheads.models.translator.clauses import TENSES, predicate, verb_group
from manyheads.models.translator.phrases import English, French, noun_phrase, pronoun
from manyheads.models.translator.words import VOWELS, small_words, verbs

HEADS = ("word", "noun", "subject", "antecedent")
MAX_WORDS = 14  # of an English sentence
HELD_OUT_EVERY = 12  # of so many pairs of words, one is never said in training
HELD_OUT_STRUCTURES = ("a pronoun in a negated future", "a predicate after a clause about an object")
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
SWALLOWED = (("de", "des"), ("de", "de"), ("de", "d'"))  # "de" and the article of "some"
BEINGS = ("person", "animal")
OBJECTS = ("person", "animal", "food", "thing")
ANY = object()


@dataclass(frozen=True)
class Sentence:
    """A sentence and its translation, word by word.

    For each French word and the end, `looks` has the place of the English word that each of `HEADS` is to look at (the
    end, where there is none), and `rivals` the form that would be wrong, by the name of the head that tells it apart.

    >>> sentence = generate(1, seed=4)[0]
    >>> len(sentence.looks) == len(sentence.french) + 1
    True
    """

    english: tuple[str, ...]
    french: tuple[str, ...]
    looks: tuple[tuple[int, ...], ...]  # [q][h]
    rivals: tuple[dict, ...]  # [q]
    combinations: frozenset


def is_held_out(combination):
    """Whether training never says this: one of the held-out structures, or one pair of words of twelve.

    >>> is_held_out(("structure", HELD_OUT_STRUCTURES[0]))
    True
    """
    kind, *parts = combination
    return kind == "structure" or zlib.crc32(" ".join(parts).encode()) % HELD_OUT_EVERY == 0


def generate(count, seed=0, held_out=False):
    """Make `count` sentences, the same for the same seed; with none of the held-out combinations, or each with one.

    >>> sentence = generate(1, seed=1)[0]
    >>> any(map(is_held_out, sentence.combinations))
    False
    """
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        sentence = Maker(rng).sentence()
        if len(sentence.english) <= MAX_WORDS and any(map(is_held_out, sentence.combinations)) == held_out:
            found.append(sentence)
    return found


class Maker:
    """Makes one sentence."""

    def __init__(self, rng):
        self.rng = rng
        self.mentioned = []  # the noun phrases so far
        self.combinations = set()

    def sentence(self):
        """A clause, or two that a conjunction or a verb of saying joins."""
        shape = self.rng.choices(("one", "two", "saying"), (4, 5, 2))[0]
        if shape == "one":
            return finished(*self.clause(self.first_subject()), self.combinations)
        if shape == "two":
            word, spoken = self.rng.choice(list(small_words("conjunction").items()))
            first = self.clause(self.first_subject())
        else:
            word, spoken = "that", ["que"]
            subject = self.phrase(BEINGS) if self.rng.random() < 0.7 else self.first_pronoun()
            adverb = self.rng.choice((None, None, *small_words("adverb")))  # else: subjunctive
            first = self.with_subject(subject, self.verb("a clause"), adverb=adverb)
        link = English(word)
        second = self.clause(self.later_subject())
        english = [*first[0], link, *second[0]]
        french = [*first[1], *(French(text, link) for text in spoken), *second[1]]
        return finished(english, french, self.combinations)

    # --- who and what

    def phrase(self, kinds, described=0.4):
        made = noun_phrase(self.rng, kinds, self.combinations, described)
        self.mentioned.append(made)
        return made

    def first_pronoun(self):
        return pronoun("subject", self.rng.choices(("I", "we", "he", "she"), (3, 3, 2, 2))[0])

    def first_subject(self):
        if self.rng.random() < 0.2:
            return self.first_pronoun()
        subject = self.phrase(BEINGS if self.rng.random() < 0.75 else OBJECTS)
        if self.rng.random() < 0.55:
            self.extend(subject)
        return subject

    def later_subject(self):
        known = self.known()
        if known and self.rng.random() < 0.6:
            return self.again("subject", known)
        return self.first_subject()

    def known(self, subject=None):
        """What `it` and `they` can stand for: the only noun phrase of its number that is no single person."""
        others = [phrase for phrase in self.mentioned if phrase is not subject]
        one = [phrase for phrase in others if not phrase.plural and phrase.noun.kind != "person"]
        many = [phrase for phrase in others if phrase.plural]
        return [only for only in (one, many) if len(only) == 1]

    def again(self, role, known):
        [phrase] = self.rng.choice(known)
        english = ("they" if role == "subject" else "them") if phrase.plural else "it"
        made = pronoun(role, english, phrase)
        made.noun = phrase.noun
        return made

    def extend(self, phrase):
        """Puts after a noun phrase whose it is, where it is, or a clause about it: its verb is then far away."""
        kind = self.rng.choice(("of", "where", "who", "whom", "whom"))
        if kind == "of":
            owner = self.phrase(("person",), 0.2)
            word = English("of")
            english, french = [word, *owner.english], [French("de", word), *owner.french]
        elif kind == "where":
            english, french = self.where()
        elif kind == "whom" and phrase.noun.kind in OBJECTS:
            english, french = self.about_object(phrase)
        elif phrase.noun.kind in BEINGS:
            english, french = self.about_subject(phrase)
        else:
            return
        phrase.english = [*phrase.english, *english]
        phrase.french = [*phrase.french, *french]

    def about_object(self, phrase):
        link = English("that")
        verb = self.verb(phrase.noun.kind)
        subject = self.phrase(BEINGS, 0.2) if self.rng.random() < 0.8 else self.first_pronoun()
        phrase.relative = True
        self.combinations.add(("verb and object", verb.english[0], phrase.noun.english[0]))
        english, french = self.with_subject(subject, verb, after=phrase)
        return [link, *english], [French("que", link), *french]

    def about_subject(self, phrase):
        link = English("who" if phrase.noun.kind == "person" else "that")
        english, french = self.action(phrase, simple=True)
        return [link, *english], [French("qui", link), *french]

    def where(self):
        word, spoken = self.rng.choice(list(small_words("preposition").items()))
        place = self.phrase(("person",) if word == "with" else ("place",), 0.2)
        link = English(word)
        return [link, *place.english], [*(French(text, link) for text in spoken), *place.french]

    # --- what happens

    def verb(self, *takes):
        return self.rng.choice([verb for verb in verbs() if any(kind in verb.takes for kind in takes)])

    def clause(self, subject):
        """A subject and what is said of it."""
        english, french = self.action(subject)
        return [*subject.english, *english], [*subject.french, *french]

    def with_subject(self, subject, verb, **options):
        english, french = self.conjugated(subject, verb, **options)
        return [*subject.english, *english], [*subject.french, *french]

    def conjugated(self, subject, verb, clitic=None, after=None, adverb=ANY):
        """The verb group, in some tense, with some adverb or negation."""
        tense = self.rng.choice(TENSES)
        adverb = self.adverb() if adverb is ANY else adverb
        if subject.noun and not subject.antecedent:
            self.combinations.add(("subject and verb", subject.noun.english[0], verb.english[0]))
        if clitic and tense == "future" and adverb in small_words("negation"):
            self.combinations.add(("structure", HELD_OUT_STRUCTURES[0]))
        return verb_group(subject, verb, tense, adverb, clitic, after)

    def adverb(self):
        kind = self.rng.choices((None, "negation", "adverb"), (6, 3, 1))[0]
        return kind and self.rng.choice(list(small_words(kind)))

    def action(self, subject, simple=False):
        """All that follows a subject; a `simple` one has no second object and no pronoun."""
        known = self.known(subject)
        gendered = bool(subject.gender)
        is_being = subject.noun is None or subject.noun.kind in BEINGS
        weights = {
            "predicate": gendered * (2 if is_being else 1),
            "object": is_being * 4,
            "pronoun": is_being * (not simple) * (4 if known else 1),
            "alone": is_being * 1.5,
            "moving": is_being * gendered * 1,
            "giving": is_being * (not simple) * 1,
        }
        kind = self.rng.choices(list(weights), list(weights.values()))[0]
        if kind == "predicate":
            if subject.relative:
                self.combinations.add(("structure", HELD_OUT_STRUCTURES[1]))
            return predicate(self.rng, subject, self.rng.choice(TENSES), self.adverb())
        if kind == "object":
            verb, adverb = self.verb(*OBJECTS), self.adverb()
            return self.followed(
                self.conjugated(subject, verb, adverb=adverb), self.object_of(verb, adverb, more=not simple)
            )
        if kind == "pronoun":
            return self.with_pronoun(subject, known)
        if kind == "giving":
            verb, adverb = self.verb("to somebody"), self.adverb()
            gift = self.phrase(("thing", "food"))
            link, taker = English("to"), self.phrase(BEINGS, 0.2)
            french = [*denied(gift.french, adverb), French("à", link), *taker.french]
            return self.followed(
                self.conjugated(subject, verb, adverb=adverb), ([*gift.english, link, *taker.english], french)
            )
        aux = "avoir" if kind == "alone" else "être"
        verb = self.rng.choice([verb for verb in verbs() if "nothing" in verb.takes and verb.auxiliary == aux])
        group = self.conjugated(subject, verb)
        return self.followed(group, self.where()) if self.rng.random() < 0.3 else group

    def with_pronoun(self, subject, known):
        usable = [only for only in known if only[0].noun.kind in OBJECTS and subject.antecedent is not only[0].head]
        if usable:
            clitic = self.again("object", usable)
            verb = self.verb(clitic.noun.kind)
        else:
            clitic = pronoun("object", self.rng.choice(("him", "her")))
            verb = self.verb("person")
        return self.conjugated(subject, verb, clitic=clitic)

    def object_of(self, verb, adverb, more):
        made = self.phrase([kind for kind in OBJECTS if kind in verb.takes])
        self.combinations.add(("verb and object", verb.english[0], made.noun.english[0]))
        if more and self.rng.random() < 0.15:
            self.extend(made)
        return made.english, denied(made.french, adverb)

    @staticmethod
    def followed(first, second):
        return [*first[0], *second[0]], [*first[1], *second[1]]


def denied(french, adverb):
    """An object after a negated verb: its indefinite article becomes `de`."""
    article = french[0]
    if adverb in small_words("negation") and article.text in ("un", "une", "des"):
        article.text, article.before_vowel, article.rivals = "de", "d'", {}
    return french


def finished(english, french, combinations):
    """Minds `an`, elision and contraction, and writes down who looks at whom by place."""
    for word, following in pairwise(english):
        if word.text == "a" and following.text.startswith(tuple("aeiou")):
            word.text = "an"
    spelt = []
    for word in reversed(french):  # what comes after decides
        following = spelt[0] if spelt else None
        if following and word.before_vowel and following.text.startswith(VOWELS):
            word.text, word.rivals = word.before_vowel, {}
        pair = (word.text, following.text) if following and following.noun and word.noun is None else None
        if pair in SWALLOWED:
            after = spelt[1].text.startswith(VOWELS)
            spelt[0] = French("d'" if after else "de", word.word, noun=following.noun)
        elif pair in CONTRACTED:
            spelt[0] = French(CONTRACTED[pair], word.word, noun=following.noun)
        else:
            spelt.insert(0, word)
    place = {id(word): at for at, word in enumerate(english)}
    end = len(english)
    looks = [tuple(place.get(id(getattr(word, name)), end) for name in HEADS) for word in spelt]
    rivals = [dict(word.rivals) for word in spelt]
    for at, ((first, *_), (second, *_)) in enumerate(pairwise(looks)):
        if second < first:  # the French order departs from the English one: the next word would come first there
            rivals[at]["word"] = spelt[at + 1].text
    return Sentence(
        tuple(word.text for word in english),
        tuple(word.text for word in spelt),
        (*looks, (end,) * len(HEADS)),
        (*rivals, {}),
        frozenset(combinations),
    )
