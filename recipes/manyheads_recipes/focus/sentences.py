"""The sentences that the focus model is scored on, labelled by hand."""

from pathlib import Path

from manyheads.models.focus.data import FACTS, HEADS, Sentence
from manyheads.models.sections import read_sections

DATA = Path(__file__).parent / "data"


def parse(line):
    """Read a sentence labelled by hand: `type, object, relation, sentiment: Word/LABELS word ... ?/T`.

    >>> parse("statement, animal, state, positive: The otters/O are/R happy/S ./T").words
    ('The', 'otters', 'are', 'happy', '.')

    Raises `ValueError` for an unknown fact or label.
    """
    facts, _, text = line.partition(": ")
    facts = facts.split(", ")
    if len(facts) != len(FACTS):
        raise ValueError(f"a sentence begins with {', '.join(FACTS)} and a colon, not {line!r}")
    facts = dict(zip(FACTS, facts))
    pairs = [word.partition("/")[::2] for word in text.split()]
    for name, fact in facts.items():
        if fact not in FACTS[name]:
            raise ValueError(f"{fact!r} is no {name}; there are {FACTS[name]}, in {line!r}")
    if stray := {label for _, labels in pairs for label in labels} - set(HEADS):
        raise ValueError(f"labels are {', '.join(HEADS)}, not {sorted(stray)}, in {line!r}")
    return Sentence(tuple(word for word, _ in pairs), tuple(labels for _, labels in pairs), facts)


def readers_sentences():
    """Sentences as readers type them, labelled by hand before the model was trained, from `data/readers.txt`.

    >>> len(readers_sentences()), readers_sentences()[1].text
    (200, 'I like tea.')
    """
    return [parse(line) for lines in read_sections(DATA / "readers.txt").values() for line in lines]


def negation_sentences():
    """Sentences about negation by its kind and its place, from `data/negations.txt`: {header: sentences}.

    >>> found = negation_sentences()
    >>> sum(map(len, found.values())), found["nothing and nobody"][0].text
    (120, 'Nothing tastes good.')
    """
    return {header: [parse(line) for line in lines] for header, lines in read_sections(DATA / "negations.txt").items()}


def held_out_sentences(judged="whole"):
    """The hand-labelled sentences whose judging words are `"whole"` tokens, come in `"pieces"`, or `"all"` of them.

    They are for scoring: no noun, verb, adjective or name in them is in the generator's vocabulary, in any of its
    forms. They are kept in `data/held_out.txt`.

    >>> len(held_out_sentences()), held_out_sentences()[0].text
    (100, 'The helpless plumber was under the sink.')
    """
    lists = read_sections(DATA / "held_out.txt")
    lists = {**lists, "all": [line for lines in lists.values() for line in lines]}
    if judged not in lists:
        raise ValueError(f"judged must be one of {', '.join(lists)}, got {judged!r}")
    return [parse(line) for line in lists[judged]]
