"""Labelled English, made with the words, phrases and templates that `grammar.py` reads.

A word may carry several labels or none; each head of the focus model is taught to look at one label:

    T sentence type   closing ? ! .; question words; the auxiliary that opens a question or follows its question word;
                      please, let's, don't and the bare verb of a command; the `what a` / `how` of an exclamation
    O object          the participants: nouns, names, pronouns (not the `it` of "it rains")
    R relation        main verbs, be as a main verb, prepositions, conjunctions; two things joined by and, or, than
    S sentiment       words that feel or judge; `not` where it turns a judgement round

Four facts go with each sentence: its type; what it is mainly about; whether it tells of an action, a state, a feeling
or a choice; whether its judging words judge well or badly.
"""

import random
import re
from dataclasses import dataclass
from functools import cache

from manyheads.models.focus.grammar import (
    CLASSES,
    COUNTABLE,
    Word,
    compiled,
    lexicon,
    literal,
    phrases,
    pronoun_means,
    templates,
)

FACTS = {
    "sentence type": ("statement", "yes/no question", "choice question", "open question", "command", "exclamation"),
    "object": ("person", "animal", "food or drink", "place", "thing", "idea"),
    "relation": ("action", "state", "feeling", "choice or comparison"),
    "sentiment": ("negative", "neutral", "positive"),
}
HEADS = dict(zip("TORS", FACTS))  # label -> name of the head that looks for it, and of the fact it finds


@dataclass(frozen=True)
class Sentence:
    """Words, the labels of each (a string such as `"OR"`, or `""`), and four facts.

    >>> Sentence(("Ada", "drove", "home", "."), ("O", "R", "O", "T"), {"relation": "action"}).text
    'Ada drove home.'
    """

    words: tuple[str, ...]
    labels: tuple[str, ...]
    facts: dict[str, str]

    @property
    def text(self):
        return re.sub(r" (?=[,.?!]|'(?:s|m|re|ve|d|ll)\b)", "", " ".join(self.words))


def generate_sentences(count, seed=0):
    """Make `count` labelled sentences, the same ones for the same seed.

    >>> sentence = generate_sentences(2, seed=5)[1]
    >>> sentence.text, sentence.facts["relation"]
    ("Anthony's mayor seldom loves the pizza.", 'feeling')
    """
    return list(_generate(count, random.Random(seed)))


# --- Making sentences -----------------------------------------------------------------------------------------------

# How often each sentence type is made, and what closes it.
SHARES = {
    "statement": 0.40,
    "yes/no question": 0.14,
    "choice question": 0.10,
    "open question": 0.16,
    "command": 0.11,
    "exclamation": 0.09,
}
CLOSINGS = {
    "statement": ["."] * 18 + [""] * 3 + ["..."],
    "yes/no question": ["?"] * 14 + [""],
    "choice question": ["?"] * 14 + [""],
    "open question": ["?"] * 14 + [""],
    "command": ["."] * 10 + ["!"] * 4 + [""],
    "exclamation": ["!"] * 14 + ["!!", ""],
}
OPENINGS = ["Yes ,", "No ,", "Well ,", "Oh ,", "And/R", "But/R", "So", "Hey ,", "By the way ,", "Perhaps", "Maybe"]


def _generate(count, rng):
    by_type = {kind: [] for kind in SHARES}
    for kind, relation, text in templates():
        by_type[kind].append((relation, text))
    kinds, shares = zip(*SHARES.items())
    made = 0
    while made < count:
        kind = rng.choices(kinds, shares)[0]
        relation, text = rng.choice(by_type[kind])
        classes = {letter: _class_for(letter, text, rng) for letter in "XY"}
        spoken = speak(text, classes, rng)
        sentiment = _sentiment(spoken)
        if sentiment is None or len(spoken) > 24:
            continue
        yield _finish(spoken, kind, relation, sentiment, rng)
        made += 1


def _class_for(letter, text, rng):
    """A class for every X of a template: a countable one where it asks for a plural or for `a ... <n.X>`."""
    countable = f"<{letter}s>" in text or f"s.{letter}>" in text or f"<n.{letter}>" in text
    return rng.choice(COUNTABLE if countable else CLASSES)


def speak(text, classes, rng):
    """Say a template: a list of words, chosen with `rng`; `classes` says what X and Y stand for.

    >>> [word.text for word in speak("What/T a/T {red | blue} <n.X>", {"X": "bird"}, random.Random(0))]
    Traceback (most recent call last):
    ValueError: no such word list, phrase or class: <n.bird>
    """
    return _expand(compiled(text), classes, rng)


def _expand(node, classes, rng):
    if node[0] == "word":
        return [node[1]]
    kind, content, suffix, main = node
    if kind == "any":
        spoken = [word for part in rng.choice(content) for word in _expand(part, classes, rng)]
    else:
        spoken = _refer(content, classes, rng)
    only_nouns = suffix == "R" and any("O" in word.labels for word in spoken)
    return [
        _labelled(word, "" if only_nouns and "O" not in word.labels else suffix, main) if suffix or main else word
        for word in spoken
    ]


def _labelled(word, suffix, main):
    """The word with the labels and the star of the braces or the brackets that it stands in."""
    labels = word.labels + "".join(label for label in HEADS if label in suffix and label not in word.labels)
    polarity = word.polarity or suffix[-1:].strip("".join(HEADS))
    means = word.means or pronoun_means(word.text, labels)
    return Word(word.text, labels, polarity, means, word.main or main)


def _refer(name, classes, rng):
    head, _, rest = name.partition(".")
    kind, *form = rest.split(".")
    if head in ("X", "Y", "Xs", "Ys"):
        head = classes[head[0]] + head[1:]
        name = head
    if kind in classes:
        name = ".".join([head, classes[kind], *form])
    if name in lexicon():
        return [rng.choice(lexicon()[name])]
    text = phrases().get(name) or _noun_phrase(name)
    return speak(text, classes, rng)


@cache
def _noun_phrase(name):
    kind = name if name in CLASSES else name.removesuffix("s")
    if kind not in CLASSES:
        raise ValueError(f"no such word list, phrase or class: <{name}>")
    if name != kind:
        return f"<some> <which> <ns.{kind}> | <some> <ns.{kind}>"
    if kind not in COUNTABLE:
        return f"<any> <which> <n.{kind}> | <any> <n.{kind}>"
    named = f"| <name.{kind}>" * 3 if f"name.{kind}" in lexicon() else ""
    return f"<the> <which> <n.{kind}> | <the> <n.{kind}> | <the> <which> <n.{kind}> {named}"


_TURNED = {"+": "-", "-": "+"}


def _sentiment(spoken):
    """What the judging words say together: those after `but` decide; None where they disagree."""
    buts = [i for i, word in enumerate(spoken) if word.text.lower() == "but"]
    for part in (spoken[buts[-1] :] if buts else (), spoken):
        signs, turned = set(), False
        for word in part:
            if word.polarity == "~":
                turned = True
            elif word.polarity == "^":
                signs = {_TURNED[sign] for sign in signs}
            elif word.polarity:
                signs.add(_TURNED[word.polarity] if turned else word.polarity)
                turned = False
        if signs:
            return None if len(signs) > 1 else {"+": "positive", "-": "negative"}[signs.pop()]
    return "neutral"


def _finish(spoken, kind, relation, sentiment, rng):
    """Open and close the sentence, mind `an`, and write down its facts."""
    mains = [word.means for word in spoken if word.main and word.means]
    closing = rng.choice(CLOSINGS[kind])
    if not closing and kind != "statement" and not any("T" in word.labels for word in spoken):
        closing = CLOSINGS[kind][0]  # "You like tea?" is no question without its mark
    if rng.random() < 0.05 and kind != "choice question":
        spoken = [literal(token) for token in rng.choice(OPENINGS).split()] + spoken
    if closing:
        spoken = [*spoken, Word(closing, "T")]
    texts = [word.text for word in spoken]
    for i, text in enumerate(texts[:-1]):
        if text.lower() == "a" and texts[i + 1][0].lower() in "aeiou":
            texts[i] = text + "n"
    texts[0] = texts[0][0].upper() + texts[0][1:]
    labels = tuple("".join(label for label in HEADS if label in word.labels) for word in spoken)
    somebody = kind == "command" or any("O" in word for word in labels)
    about = mains[0] if mains else "person" if somebody else "idea"
    facts = dict(zip(FACTS, (kind, about, relation, sentiment)))
    return Sentence(tuple(texts), labels, facts)
