"""Arguments of functions that take many by their names."""

import difflib


def refuse_unknown(arguments, known, of, elsewhere=None):
    """Refuse an argument that is not known, and name the nearest that is, or whose it is: {other: its names}.

    >>> refuse_unknown({"veiw": "grid"}, ["view", "layer"], "HeadMap")
    Traceback (most recent call last):
    TypeError: HeadMap has no argument 'veiw'; did you mean 'view'?
    """
    public = [name for name in sorted(known) if not name.startswith("_")]
    for name in set(arguments) - set(known):
        others = [other for other, names in (elsewhere or {}).items() if name in names]
        nearest = difflib.get_close_matches(name, public, n=1)
        hint = ""
        if others:
            hint = f"; {others[0]} has it"
        elif nearest:
            hint = f"; did you mean {nearest[0]!r}?"
        raise TypeError(f"{of} has no argument {name!r}{hint}")
