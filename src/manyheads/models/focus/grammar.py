"""What training sentences are made of, read from `data/`: words and their forms, phrases, templates."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from manyheads.models.sections import read_sections

DATA = Path(__file__).parent / "data"
COUNTABLE = ("person", "animal", "dish", "place", "thing", "idea")
CLASSES = ("person", "animal", "dish", "drink", "place", "thing", "stuff", "idea", "notion")
# The object facts that words give which are not called after them.
MEANS = {"dish": "food or drink", "drink": "food or drink", "stuff": "thing", "chore": "thing"}
MEANS |= dict.fromkeys(("notion", "time", "joy", "woe"), "idea")


@dataclass(frozen=True)
class Word:
    text: str
    labels: str = ""
    polarity: str = ""  # + judges well, - judges badly, ~ turns the next judgement round, ^ the one before
    means: str = ""  # the object fact it gives
    main: bool = False  # marked by a star


def word_lists(file):
    """The word lists of a file: name -> words, labels, polarity; a header is written as words of templates are.

    >>> word_lists("verbs.txt")["hate"][1:]
    ('RS', '-')
    """
    found = {}
    for header, lines in read_sections(DATA / file).items():
        name, _, suffix = header.partition("/")
        labels = suffix.rstrip("+-")
        found[name] = (" ".join(lines).split(), labels, suffix.removeprefix(labels))
    return found


@cache
def forms(kind):
    """The forms of the nouns (`"plurals"`) or the verbs (`"verbs"`), by their first.

    >>> forms("plurals")["wolf"]
    ['wolf', 'wolves']
    >>> forms("verbs")["take"]
    ['take', 'takes', 'took', 'taken', 'taking']
    """
    return {line.split()[0]: line.split() for line in read_sections(DATA / "forms.txt")[kind]}


def inflected(kind, word):
    """The forms of a word; raises `ValueError` for one whose forms nobody has looked up yet."""
    if word not in forms(kind):
        raise ValueError(
            f"data/forms.txt has no {kind} of {word!r}: run `python -m manyheads_recipes.focus.inflection`, "
            "which needs `pip install lemminflect`"
        )
    return forms(kind)[word]


@cache
def lexicon():
    """Category -> its words: `n.person`, `ns.person` (plural), `v.thing`, `v.thing.past`, `adj`, `good`, ...

    >>> lexicon()["v.animal.past"][0]
    Word(text='bred', labels='R', polarity='', means='', main=False)
    """
    lists = {}

    def add(name, texts, labels, polarity):
        means = MEANS.get(name.split(".")[-1], name.split(".")[-1]) if "O" in labels else ""
        lists[name] = [Word(text, labels, polarity, means) for text in texts]

    for name, (nouns, *rest) in word_lists("nouns.txt").items():
        add(name, nouns, *rest)
        if (kind := name.removeprefix("n.")) in COUNTABLE:
            add(f"ns.{kind}", [inflected("plurals", noun)[1] for noun in nouns], *rest)
    for name, (verbs, *rest) in word_lists("verbs.txt").items():
        of_verbs = [inflected("verbs", verb) for verb in verbs]
        for form, texts in zip(("", ".s", ".past", ".part", ".ing"), zip(*of_verbs)):
            lists[name + form] = [Word(text, *rest) for text in texts]
    for form in ("", ".s", ".past", ".part", ".ing"):
        lists[f"v.stuff{form}"] = lists[f"v.thing{form}"]
    for name, words in word_lists("other_words.txt").items():
        add(name, *words)
    return lists


@cache
def open_words():
    """The words of the word lists in lower case: nouns, names, verbs, adjectives, adverbs."""
    return {word.text.lower() for entries in lexicon().values() for word in entries}


def vocabulary():
    """Every word that the generator can say, in lower case.

    >>> "coffee" in vocabulary(), len(vocabulary()) > 1500
    (True, True)
    """
    written = " ".join([*phrases().values(), *(template for *_, template in templates())])
    literals = re.sub(r"<[^>]*>[*/A-Z]*|[{}|]", " ", written).split()
    return open_words() | {literal.partition("/")[0].rstrip("*~^").lower() for literal in literals}


@cache
def phrases():
    """All phrases by their names.

    >>> phrases()["how"]
    '<adverb>'
    """
    return {name: " ".join(lines) for name, lines in read_sections(DATA / "phrases.txt").items()}


@cache
def templates():
    """All templates as (sentence type, relation, text).

    >>> len(templates()) > 60
    True
    """
    sections = read_sections(DATA / "templates.txt")
    return [(*header.split(", ")[:2], text) for header, texts in sections.items() for text in texts]


@cache
def compiled(text):
    """A template as nested tuples: ("word", Word), ("ref", name, labels, star), ("any", alternatives, labels, star).

    >>> compiled("Put/T <thing>*")[1][0][1]
    ('ref', 'thing', '', True)

    Raises `ValueError` for braces that do not match.
    """
    tokens = re.findall(r"\{|\}[*/A-Z+~^-]*|\||<[^>]*>[*/A-Z]*|[^\s{}|]+", text)
    alternatives, rest = _alternatives(tokens)
    if rest:
        raise ValueError(f"unbalanced braces in {text!r}")
    return ("any", alternatives, "", False)


def _alternatives(tokens):
    found = [[]]
    while tokens:
        token, tokens = tokens[0], tokens[1:]
        if token == "|":
            found.append([])
        elif token == "{":
            inner, tokens = _alternatives(tokens)
            suffix, tokens = tokens[0][1:], tokens[1:]
            found[-1].append(("any", inner, suffix.replace("*", "").strip("/"), "*" in suffix))
        elif token.startswith("}"):
            return found, [token, *tokens]
        elif token.startswith("<"):
            name, _, suffix = token[1:].partition(">")
            found[-1].append(("ref", name, suffix.replace("*", "").strip("/"), "*" in suffix))
        else:
            found[-1].append(("word", literal(token)))
    return found, tokens


def literal(token):
    """A word as it is written in a template.

    >>> literal("Not/S~")
    Word(text='Not', labels='S', polarity='~', means='', main=False)
    """
    text, _, suffix = token.partition("/")
    labels = suffix.strip("+-~^*")
    means = pronoun_means(text, labels)
    return Word(text.rstrip("~^*"), labels, token[-1] if token[-1] in "+-~^" else "", means, "*" in token)


def pronoun_means(text, labels):
    if "O" not in labels:
        return ""
    return "thing" if text.lower() in ("it", "this", "that", "these", "those", "them") else "person"
