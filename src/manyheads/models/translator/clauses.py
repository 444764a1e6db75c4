"""Verbs with all that goes with them, in English and French at once."""

from manyheads.models.translator.phrases import English, French, other, rival, with_adjective
from manyheads.models.translator.words import PERSONS, adjectives, agreed, small_words

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
    depends = {name: agrees_with.head} | agrees_with.agrees
    return French(right, word, rivals=rivals, **depends)


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
        done.antecedent = clitic.antecedent
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
