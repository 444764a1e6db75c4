"""Where a text is split into words and how much of it is read: the same in every model, and in its twin on the page."""

import re

from manyheads.shared.names import LONGEST_TOKEN, NOTES

# What Unicode calls white space, and the four separators of ASCII. The \s of JavaScript lacks these four and \x85, and
# takes in \ufeff, so `SPACE` in web/models/tokens is written out as this is.
SPACE = re.compile("[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def split_at_space(text):
    """The parts of a text between white space.

    >>> split_at_space(" hot\\x1ftea\\ufeff ")
    ['hot', 'tea\\ufeff']
    """
    return [part for part in SPACE.split(text) if part]


def within_reach(text, tokens, which="first"):
    """The first, or the last, characters of a text, which have all that so many tokens may be of, and notes.

    >>> within_reach("tea", 512), len(within_reach("tea " * 30_000, 512)[0])
    (('tea', ()), 81920)
    >>> within_reach("tea " * 30_000, 512, "last")[1]
    ('Only the last 81920 characters are read.',)
    """
    return only(text, LONGEST_TOKEN * tokens, which)


def only(text, count, which="first"):
    """So many characters of a text, the first or the last, and a note where it has more.

    >>> only("tea", 2)
    ('te', ('Only the first 2 characters are read.',))
    """
    if len(text) <= count:
        return text, ()
    return text[:count] if which == "first" else text[-count:], (NOTES["cut"].format(which=which, count=count),)
