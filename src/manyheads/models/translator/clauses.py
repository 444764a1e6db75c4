"""Verbs with all that goes with them, in English and French at once."""

from manyheads.models.translator.phrases import English, French, other, rival, with_adjective
from manyheads.models.translator.words import adjectives, agreed, small_words

TENSES = ("present", "past", "future")
HAVE = {(1, False): "ai", (1, True): "avons", (3, False): "a", (3, True): "ont"}
BE = {(3, False): "est", (3, True): "sont"}
WAS = {(3, False): "était", (3, True): "étaient"}
WILL = {(1, False): "ai", (1, True): "ons", (3, False): "a", (3, True): "ont"}


def finite(forms, subject, word, stem=""):
    """The verb form that its subject asks for; its rival is the form of the other number."""
    right, wrong = (stem + forms[subject.person, plural] for plural in (subject.plural, not subject.plural))
    return French(right, word, subject=subject.head, rivals=rival("subject", right, wrong))


def participle(text, word, name, agrees_with):
    """A participle that agrees with a phrase, which is a `name` to it: the noun, the subject or the antecedent."""
    gender, plural = agrees_with.gender, agrees_with.plural
    right, wrong = agreed(text, gender, plural), agreed(text, other(gender), plural)
    rivals = rival("antecedent" if agrees_with.antecedent else name, right, wrong)
    depends = {name: agrees_with.head} | agrees_with.agrees
    return French(right, word, rivals=rivals, **depends)


def around(adverb, verb, rest):
    """A French verb between `ne` and `pas`, or with an adverb after it; `rest` stands between `ne` and the verb."""
    if adverb is None:
        return [*rest, verb]
    if adverb.text in small_words("negation"):
        return [French("ne", adverb), *rest, verb, French(small_words("negation")[adverb.text][0], adverb)]
    return [*rest, verb, French(small_words("adverb")[adverb.text][0], adverb)]


def verb_group(subject, verb, tense, adverb=None, clitic=None, after=None):
    """A verb with its helpers, adverb or negation, and object pronoun; `after` is what `que` stands for.

    Returns the English words and the French words, without the subject.
    """
    adverb = English(adverb) if adverb else None
    negated = bool(adverb) and adverb.text == "not"
    singular = subject.person == 3 and not subject.plural
    base, third, past = verb.english
    if tense == "future":
        helper, form = "will", base
    elif negated:
        helper, form = ("did" if tense == "past" else "does" if singular else "do"), base
    else:
        helper, form = "", (past if tense == "past" else third if singular else base)
    helping, main = English(helper), English(form)
    english = [*([helping] if helper else []), *([adverb] if adverb else []), main]
    if verb.after:
        english.append(English(verb.after))
    if clitic:
        english += clitic.english
    before = clitic.french if clitic else []
    if tense == "present":
        return english, around(adverb, finite(verb.present, subject, main), before)
    if tense == "future":
        return english, around(adverb, finite(WILL, subject, main, verb.stem), before)
    word = helping if helper else main
    if verb.auxiliary == "être":
        return english, [
            *around(adverb, finite(BE, subject, word), before),
            participle(verb.participle, main, "subject", subject),
        ]
    if clitic:
        done = participle(verb.participle, main, "antecedent", clitic)
        done.antecedent = clitic.antecedent
    elif after:
        done = participle(verb.participle, main, "noun", after)
    else:
        done = French(verb.participle, main)
    return english, [*around(adverb, finite(HAVE, subject, word), before), done]


def predicate(rng, subject, tense, adverb=None):
    """To be, and an adjective that agrees with the subject."""
    adverb = English(adverb) if adverb else None
    singular = not subject.plural
    forms = {"present": "is" if singular else "are", "past": "was" if singular else "were", "future": "be"}
    word = English(forms[tense])
    kind = subject.noun.kind if subject.noun else "person"
    adjective = rng.choice([adjective for adjective in adjectives() if kind in adjective.kinds])
    quality = with_adjective(adjective, subject.head, (subject.gender, subject.plural), "subject")
    quality.before_vowel = ""
    if subject.antecedent:
        quality.antecedent = subject.antecedent
        if wrong := quality.rivals.pop("subject", None):
            quality.rivals["antecedent"] = wrong
    added = [adverb] if adverb else []
    english = [English("will"), *added, word] if tense == "future" else [word, *added]
    forms, stem = {"present": (BE, ""), "past": (WAS, ""), "future": (WILL, "ser")}[tense]
    french = around(adverb, finite(forms, subject, word, stem), [])
    return [*english, quality.word], [*french, quality]
