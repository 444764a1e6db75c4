"""What the marks in a token say: whether it is a piece of the text, and where words begin."""

import re

from manyheads.maps.names import PIECE_MARK, SPECIAL_TOKEN


def is_special(token):
    """Whether a token marks a place rather than a piece of the text, or stands for what no token spells.

    >>> [is_special(token) for token in ("[CLS]", "</s>", "<extra_id_0>", "<start_of_turn>", "tea")]
    [True, True, True, True, False]
    """
    return re.fullmatch(SPECIAL_TOKEN, token) is not None


def readable(token):
    """A token as people read it: the rest of a word without the marks before it.

    >>> readable("##able"), readable("##")
    ('able', '##')
    """
    return token.removeprefix(PIECE_MARK) or token
