"""What the translator is trained on: English sentences with their French, made at once; some are kept for the test."""

import random
import zlib
from dataclasses import dataclass
from itertools import pairwise

from manyheads.models.translator.head_model import HEADS, LONGEST
from manyheads.models.translator.sentences import MAX_WORDS
from manyheads_recipes.translator.grammar import TENSES, predicate, verb_group
from manyheads_recipes.translator.words import VOWELS, English, French, Mentions, both, pronoun, small_words, verbs

HELD_OUT_EVERY = 12  # of so many pairs of words, one is never said in training
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
SWALLOWED = (("de", "des"), ("de", "de"), ("de", "d'"))  # "de" and the article of "some"
HELD_OUT_STRUCTURES = ("a pronoun in a negated future", "a predicate after a clause about an object")
BEINGS = ("person", "animal")
OBJECTS = ("person", "animal", "food", "drink", "thing", "text")
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

    >>> is_held_out(("structure", "a pronoun in a negated future"))
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
        maker = Maker(rng)
        sentence = finished(*maker.sentence(), maker.combinations)
        short = len(sentence.english) <= MAX_WORDS and len(sentence.french) <= LONGEST
        if short and any(map(is_held_out, sentence.combinations)) == held_out:
            found.append(sentence)
    return found


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


class Maker(Mentions):
    """Makes one sentence."""

    asking = False  # whether it is a question

    def sentence(self):
        """A clause, two that a conjunction or a verb of saying joins, or a question: English and French words."""
        shape = self.rng.choices(("one", "two", "saying", "question", "choice"), (4, 5, 2, 2, 0.7))[0]
        if shape == "one":
            return self.clause(self.first_subject())
        if shape == "question":
            return self.question()
        if shape == "choice":
            return self.choice()
        if shape == "two":
            word, spoken = self.rng.choice(list(small_words("conjunction").items()))
            first = self.clause(self.first_subject())
        else:
            word, spoken = "that", ["que"]
            subject = self.phrase(BEINGS) if self.rng.random() < 0.6 else self.person()
            adverb = self.rng.choice((None, None, *small_words("adverb")))  # else: subjunctive
            first = followed(subject.words, self.conjugated(subject, self.verb("a clause"), adverb=adverb))
        return followed(first, linked(word, spoken, self.clause(self.later_subject())))

    # --- questions

    def question(self):
        """Whether something is so: "do you like tea"."""
        self.asking = True
        subject = self.question_subject()
        english, french = self.action(subject)
        opened = [French("est-ce", english[0]), French("que", english[0]), *subject.french]
        return [english[0], *subject.english, *english[1:]], [*opened, *french, French("?", None)]

    def choice(self):
        """What somebody sees or prefers, perhaps of two things: "which do you like better, coffee or tea"."""
        self.asking = True
        subject = self.question_subject()
        first = English(self.rng.choice(list(small_words("question"))))
        verb = self.verb(*OBJECTS, such=lambda verb: not verb.after)
        if self.rng.random() < 0.5:
            verb = self.verb(*OBJECTS, such=lambda verb: verb.general)
        better = self.better(verb, 0.7)
        (helper, *rest), said = self.conjugated(subject, verb, adverb=None, better=better)
        english = [first, helper, *subject.english, *rest, *([better] if better else [])]
        french = [French("que", first), French("est-ce", helper), French("que", helper), *subject.french, *said]
        if first.text == "which" or self.rng.random() < 0.2:
            offered = self.two(verb, "or")
            english += offered.english
            french += [French(",", offered.english[0]), *offered.french]
        return english, [*french, French("?", None)]

    def question_subject(self):
        """Mostly you; a noun phrase alone, or a pronoun."""
        kind = self.rng.choices(("you", "phrase", "pronoun"), (4, 4, 3))[0]
        if kind == "you":
            return pronoun("subject", "you")
        return self.joined_subject() if kind == "phrase" else self.first_pronoun()

    # --- who and what

    def first_subject(self):
        if self.rng.random() < 0.3:
            return self.first_pronoun()
        return self.joined_subject() if self.rng.random() < 0.45 else self.extended(self.subject_phrase())

    def subject_phrase(self):
        return self.phrase(BEINGS if self.rng.random() < 0.75 else OBJECTS, bare="the")

    def joined_subject(self):
        """A noun phrase, or two joined by `and`: a plural that `they` can stand for."""
        subject = self.subject_phrase()
        if self.rng.random() > 0.2:
            return subject
        kinds = BEINGS if subject.noun.kind in BEINGS else (subject.noun.kind,)
        subject = both(subject, "and", self.phrase(kinds, 0.2, bare="the"), *small_words("choice")["and"])
        self.mentioned.append(subject)
        return subject

    def later_subject(self):
        known = self.known()
        if known and self.rng.random() < 0.6:
            return self.again("subject", known)
        return self.first_subject()

    def extended(self, phrase):
        """Puts after a noun phrase whose it is, where it is, or a clause about it: its verb is then far away."""
        kind = self.rng.choice(("of", "where", "who", "whom", "whom"))
        if kind == "of":
            more = linked("of", ["de"], self.phrase(("person",), 0.2).words)
        elif kind == "where":
            more = self.where()
        elif kind == "whom" and phrase.noun.kind in OBJECTS:
            more = self.about_object(phrase)
        elif phrase.noun.kind in BEINGS:
            more = self.about_subject(phrase)
        else:
            return phrase
        phrase.english, phrase.french = followed(phrase.words, more)
        return phrase

    def about_object(self, phrase):
        verb = self.verb(phrase.noun.kind)
        subject = self.phrase(BEINGS, 0.2) if self.rng.random() < 0.7 else self.person()
        phrase.relative = True
        self.combinations.add(("verb and object", verb.english[0], phrase.noun.english[0]))
        return linked("that", ["que"], followed(subject.words, self.conjugated(subject, verb, after=phrase)))

    def about_subject(self, phrase):
        word = "who" if phrase.noun.kind == "person" else "that"
        return linked(word, ["qui"], self.action(phrase, simple=True))

    def where(self):
        word, spoken = self.rng.choice(list(small_words("preposition").items()))
        return linked(word, spoken, self.phrase(("person",) if word == "with" else ("place",), 0.2).words)

    # --- what happens

    def verb(self, *takes, such=lambda _: True):
        return self.rng.choice([verb for verb in verbs() if verb.takes.intersection(takes) and such(verb)])

    def clause(self, subject):
        """A subject and what is said of it."""
        group = self.action(subject)  # may make "ce" of its "il"
        return followed(subject.words, group)

    def tense(self, subject, verb):
        """Any; but "they read" is the present, since only "he read" shows the past."""
        same = verb.english[0] == verb.english[2] and not self.asking
        shown = subject.person == 3 and not subject.plural
        return self.rng.choice([tense for tense in TENSES if tense != "past" or shown or not same])

    def conjugated(self, subject, verb, clitic=None, after=None, adverb=ANY, better=None):
        """The verb group, in some tense, with some adverb or negation."""
        adverb = self.adverb() if adverb is ANY else adverb
        tense = self.tense(subject, verb)
        if subject.noun and not subject.antecedent:
            self.combinations.add(("subject and verb", subject.noun.english[0], verb.english[0]))
        if clitic and tense == "future" and adverb in small_words("negation"):
            self.combinations.add(("structure", HELD_OUT_STRUCTURES[0]))
        return verb_group(subject, verb, tense, adverb, clitic, after, better, self.asking)

    def adverb(self):
        kind = self.rng.choices((None, "negation", "adverb"), (6, 0 if self.asking else 3, 1))[0]
        return kind and self.rng.choice(list(small_words(kind)))

    def better(self, verb, share):
        liked = verb.english[0] == "like" and self.rng.random() < share
        return English(self.rng.choice(list(small_words("comparison")))) if liked else None

    def action(self, subject, simple=False):
        """All that follows a subject; a `simple` one has no receiver."""
        known = self.known(subject)
        is_being = subject.noun is None or subject.noun.kind in BEINGS
        weights = {
            "predicate": 2 if is_being else 1,
            "object": is_being * 5,
            "pronoun": is_being * (1 if simple else 3 if known else 1.5),
            "alone": is_being * 1.5,
            "moving": is_being,
            "giving": is_being * (not simple) * 1.2,
        }
        kind = self.rng.choices(list(weights), list(weights.values()))[0]
        if kind == "predicate":
            if subject.relative:
                self.combinations.add(("structure", HELD_OUT_STRUCTURES[1]))
            return predicate(self.rng, subject, self.rng.choice(TENSES), self.adverb())
        if kind == "object":
            return self.with_object(subject, more=not simple)
        if kind == "pronoun":
            return self.with_pronoun(subject, known)
        if kind == "giving":
            return self.giving(subject)
        aux = "avoir" if kind == "alone" else "être"
        group = self.conjugated(subject, self.verb("nothing", such=lambda verb: verb.auxiliary == aux))
        return followed(group, self.where()) if self.rng.random() < 0.3 else group

    def with_object(self, subject, more):
        verb = self.verb(*OBJECTS)
        better = self.better(verb, 0.2)
        adverb = None if better else self.adverb()
        group = self.conjugated(subject, verb, adverb=adverb, better=better)
        neither = adverb in small_words("negation") and not verb.general  # French says "ni l'un ni l'autre"
        if not neither and self.rng.random() < 0.15:
            made = self.two(verb, self.rng.choice(list(small_words("choice"))), adverb)
        else:
            made = self.thing(verb, adverb)
            if more and not self.asking and self.rng.random() < 0.15:
                made = self.extended(made)
        return followed(group, ([*made.english, *([better] if better else [])], made.french))

    def thing(self, verb, adverb=None, kinds=OBJECTS, described=0.4):
        """What a verb has for its object."""
        taken = [kind for kind in kinds if kind in verb.takes]
        made = self.phrase(taken, described, bare="the" if verb.general else "some")
        self.combinations.add(("verb and object", verb.english[0], made.noun.english[0]))
        if adverb in small_words("negation"):
            made.deny()
        return made

    def two(self, verb, link, adverb=None):
        """Two objects, of one kind, joined by `and` or `or`."""
        first = self.thing(verb, adverb, described=0.2)
        second = self.thing(verb, adverb, (first.noun.kind,), described=0.2)
        made = both(first, link, second, *small_words("choice")[link])
        if made.plural:
            self.mentioned.append(made)
        return made

    def with_pronoun(self, subject, known):
        usable = [only for only in known if only[0].noun.kind in OBJECTS and subject.antecedent is not only[0].head]
        if usable and self.rng.random() < 0.7:
            clitic = self.again("object", usable)
            verb = self.verb(clitic.noun.kind)
        else:
            clitic = self.free_pronoun("object", subject)
            things = ("animal", "food", "drink", "thing", "text")
            kinds = things if clitic.head.text == "it" else OBJECTS if clitic.head.text == "them" else ("person",)
            verb = self.verb(self.rng.choice(kinds))
        better = self.better(verb, 0.2)
        english, french = self.conjugated(subject, verb, clitic=clitic, adverb=None if better else ANY, better=better)
        return [*english, *([better] if better else [])], french

    def giving(self, subject):
        """Who gives what to whom: "the knife to the girl", "the girl the knife", "them the knife", "it to the girl"."""
        verb, adverb, link = self.verb("to somebody"), self.adverb(), English("to")
        kind = self.rng.choices(("to somebody", "somebody", "pronoun", "to pronoun"), (3, 2, 3, 1))[0]
        somebody, to = kind.endswith("somebody"), kind.startswith("to")
        taker = self.phrase(BEINGS, 0.2) if somebody else self.free_pronoun("receiver", subject)
        clitic = None if somebody else taker
        group = self.conjugated(subject, verb, adverb=adverb, clitic=clitic)
        gift = self.phrase(("thing", "food", "text", "drink"), bare="some")
        if adverb in small_words("negation"):
            gift.deny()
        english = [*gift.english, link, *taker.english] if to else [*taker.english, *gift.english]
        receiver = [French("à", link if to else taker.english[0]), *taker.french] if somebody else []
        return followed(group, (english, [*gift.french, *receiver]))


def followed(first, second):
    return [*first[0], *second[0]], [*first[1], *second[1]]


def linked(word, spoken, group):
    """What a word and its French begin: "of the girl" and "de la fille"."""
    link = English(word)
    return followed(([link], [French(text, link) for text in spoken]), group)
