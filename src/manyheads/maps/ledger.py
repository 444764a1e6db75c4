"""The answers of a ledger, which are pairs of a fact and a label: which one is meant."""


def answer_of(ledger, answer=""):
    """The place of an answer among the labels: "fact: label", a fact for its likeliest label, or nothing for the first.

    >>> import numpy as np
    >>> labels = [("colour", "red"), ("colour", "blue"), ("size", "big")]
    >>> answer_of({"labels": labels, "parts": np.array([[0.5], [2], [9]])}, "colour")  # the last part is the logit
    1

    Raises `ValueError` for an answer that isn't among them.
    """
    names, logits = [": ".join(label) for label in ledger["labels"]], ledger["parts"][:, -1]
    if answer in names:
        return names.index(answer)
    facts = [fact for fact, _ in ledger["labels"]]
    fact = answer or facts[0]
    if fact not in facts:
        raise ValueError(f"no answer is called {answer!r}; there are {', '.join(map(repr, names))}")
    return max((place for place, name in enumerate(facts) if name == fact), key=lambda place: logits[place])
