"""Looks up the forms of the nouns and verbs in the word lists: `python -m manyheads_recipes.focus.inflection`.

They are lemminflect's, kept in the model's `data/forms.txt`, so that training doesn't need it; `data/own_forms.txt`
here has those that we prefer.
"""

from pathlib import Path

from lemminflect import getInflection

from manyheads.models.focus.grammar import COUNTABLE, DATA, word_lists
from manyheads.models.sections import read_sections

OWN = Path(__file__).parent / "data" / "own_forms.txt"


def forms_file():
    """What `forms.txt` should hold.

    >>> "wolf wolves" in forms_file().splitlines()
    True
    """
    nouns = {noun for name, (nouns, *_) in word_lists("nouns.txt").items() for noun in nouns if name[2:] in COUNTABLE}
    verbs = {verb for verbs, *_ in word_lists("verbs.txt").values() for verb in verbs}
    lines = ["# Made by inflection.py from the word lists: change those, or own_forms.txt, and run it again."]
    for kind, words, tags in (("plurals", nouns, ["NNS"]), ("verbs", verbs, ["VBZ", "VBD", "VBN", "VBG"])):
        own = {line.split()[0]: line for line in read_sections(OWN)[kind]}
        lines += ["", f"[{kind}]"]
        for word in sorted(words):
            lines.append(own.get(word) or " ".join([word, *(getInflection(word, tag)[0] for tag in tags)]))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (DATA / "forms.txt").write_text(forms_file(), encoding="utf-8")
