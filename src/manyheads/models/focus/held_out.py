"""Sentences for scoring the focus model, labelled by hand, of words that the generator never says: `data/held_out.txt`.

The labels follow the table in `data.py`. No noun, verb, adjective or name in them is in the generator's
vocabulary, in any of its forms; a test holds that.
"""

from manyheads.models.focus.data import parse
from manyheads.models.focus.grammar import DATA
from manyheads.models.sections import read_sections


def held_out_sentences(judged="whole"):
    """The hand-labelled sentences whose judging words are `"whole"` tokens, come in `"pieces"`, or `"all"` of them.

    >>> len(held_out_sentences()), held_out_sentences()[0].text
    (100, 'The helpless plumber was under the sink.')
    """
    lists = read_sections(DATA / "held_out.txt")
    lists = {**lists, "all": [line for lines in lists.values() for line in lines]}
    if judged not in lists:
        raise ValueError(f"judged must be one of {', '.join(lists)}, got {judged!r}")
    return [parse(line) for line in lists[judged]]
