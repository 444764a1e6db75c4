"""Looks up the forms of the nouns and verbs in the word lists: `python -m manyheads.models.focus.inflection`.

They are lemminflect's, kept in `data/forms.txt`, so that neither training nor loading needs it; `data/own_forms.txt`
has those that we prefer.
"""

from lemminflect import getInflection

from manyheads.models.focus.grammar import COUNTABLE, DATA, word_lists
from manyheads.models.sections import read_sections


def forms_file():
    """What `data/forms.txt` should hold.

    >>> "wolf wolves" in forms_file().splitlines()
    True
    """
    nouns = {noun for name, (nouns, *_) in word_lists("nouns.txt").items() for noun in nouns if name[2:] in COUNTABLE}
    verbs = {verb for verbs, *_ in word_lists("verbs.txt").values() for verb in verbs}
    lines = ["# Made by inflection.py from the word lists: change those, or own_forms.txt, and run it again."]
    for kind, words, tags in (("plurals", nouns, ["NNS"]), ("verbs", verbs, ["VBZ", "VBD", "VBN", "VBG"])):
        own = {line.split()[0]: line for line in read_sections(DATA / "own_forms.txt")[kind]}
        lines += ["", f"[{kind}]"]
        for word in sorted(words):
            lines.append(own.get(word) or " ".join([word, *(getInflection(word, tag)[0] for tag in tags)]))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (DATA / "forms.txt").write_text(forms_file(), encoding="utf-8")
