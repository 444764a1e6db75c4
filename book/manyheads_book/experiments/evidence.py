"""How numbers from several seeds become a verdict. Two rules, the same for every claim."""

import numpy as np

VERDICTS = ("holds", "in part", "mixed", "not shown", "the opposite")
FAVOURABLE = VERDICTS[:3]  # those with a true statement
HALVES = slice(0, None, 2), slice(1, None, 2)  # of the seeds


def clearly(differences):
    """1 if the mean is clearly above 0, -1 if it is clearly below, else 0: by more than twice its standard error.

    >>> clearly([0.9, 1.1, 1.0]), clearly([-2.0, 1.0, 2.0]), clearly([-1.0, -1.0])
    (1, 0, -1)

    Give one difference per seed; of an array, they are the last axis. Raises `ValueError` for fewer than two: one run
    has no spread.
    """
    low, high = interval(differences)
    found = np.where(low > 0, 1, np.where(high < 0, -1, 0))
    return found if found.ndim else int(found)


def interval(differences):
    """The mean less twice its standard error, and more: about 95 of 100 such intervals hold the true difference.

    >>> [float(end) for end in interval([1.0, 3.0])]
    [0.0, 4.0]
    """
    differences = np.asarray(differences, float)
    count = differences.shape[-1]
    if count < 2:
        raise ValueError(f"a spread needs at least two seeds, got {count}")
    mean, error = differences.mean(-1), differences.std(-1, ddof=1) / np.sqrt(count)
    return mean - 2 * error, mean + 2 * error


def verdict(statements):
    """What the statements for a claim come to; each is true, false, or -1 where the contrary is clearly true.

    >>> verdict({"faster": True, "better": True}), verdict({"faster": True, "better": False})
    ('holds', 'in part')
    >>> verdict({"faster": True, "better": -1}), verdict({"faster": False, "better": -1}), verdict({"faster": False})
    ('mixed', 'the opposite', 'not shown')
    """
    found = list(statements.values())
    if min(found) > 0:
        return "holds"
    if max(found) > 0:
        return "mixed" if min(found) < 0 else "in part"
    return "the opposite" if min(found) < 0 else "not shown"


def by_chance(statements, seeds, trials=20_000):
    """How often a claim has a true statement though nothing has an effect: by all seeds, and with either half agreeing.

    >>> for_all, for_halves = by_chance(statements=4, seeds=10)
    >>> round(for_all, 2), round(for_halves, 2)
    (0.14, 0.02)

    Each statement's differences are drawn from a normal distribution around 0, and the verdict is found as usual.
    """
    drawn = np.random.default_rng(0).normal(size=(trials, statements, seeds))
    parts = (clearly(drawn[..., part]) for part in (slice(None), *HALVES))
    by_all, *by_halves = ([verdict(dict(enumerate(row))) for row in part] for part in parts)
    favourable = np.isin(by_all, FAVOURABLE)
    steady = np.equal(by_all, by_halves).all(0)
    return float(favourable.mean()), float((favourable & steady).mean())


def across(runs, *names):
    """One number of each run, found by its names.

    >>> across([{"8": {"loss": 1.5}}, {"8": {"loss": 1.0}}], 8, "loss")
    [1.5, 1.0]
    """
    found = []
    for run in runs:
        for name in names:
            run = run[str(name)]
        found.append(run)
    return found


def differences(runs, one, other):
    """A number less another, in each run; each is given by its names.

    >>> differences([{"1": {"loss": 1.5}, "8": {"loss": 1.0}}], (1, "loss"), (8, "loss"))
    [0.5]
    """
    return [a - b for a, b in zip(across(runs, *one), across(runs, *other))]
