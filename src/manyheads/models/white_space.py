"""Where a text is split into words: the same in every model, and in its twin on the page."""

import re

# What Unicode calls white space, and the four separators of ASCII. The \s of JavaScript lacks these four and \x85, and
# takes in \ufeff, so `SPACE` in web/models/tokens is written out as this is.
SPACE = re.compile("[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def split_at_space(text):
    """The parts of a text between white space.

    >>> split_at_space(" hot\\x1ftea\\ufeff ")
    ['hot', 'tea\\ufeff']
    """
    return [part for part in SPACE.split(text) if part]
