"""Who and what a sentence has mentioned, and the pronouns that can stand for it or need nothing before them."""

from manyheads.models.translator.phrases import noun_phrase, pronoun

SPEAKERS = ("I", "we", "you")
ITSELF = {"I": ("me", "us"), "we": ("me", "us"), "you": ("you",)}  # what a speaker does not do things to


class Mentions:
    """The noun phrases of one sentence so far; new ones and pronouns are drawn by `rng`."""

    def __init__(self, rng):
        self.rng = rng
        self.mentioned = []
        self.combinations = set()

    def phrase(self, kinds, described=0.4, bare=None):
        made = noun_phrase(self.rng, kinds, self.combinations, described, bare)
        self.mentioned.append(made)
        return made

    def person(self):
        """Who speaks, is spoken to or is a he or a she."""
        return pronoun("subject", self.rng.choices((*SPEAKERS, "he", "she"), (3, 2, 3, 2, 2))[0])

    def first_pronoun(self):
        """A pronoun that needs no noun before it; where one was mentioned, `it` and `they` would stand for it."""
        one, many = self.candidates()
        free = [word for word, known in (("it", one), ("they", many)) if not known]
        return pronoun("subject", self.rng.choice(free)) if free and self.rng.random() < 0.3 else self.person()

    def candidates(self, subject=None):
        """What `it` could stand for, which is anything singular but persons, and what `they` could."""
        itself = (subject, *subject.parts) if subject else ()
        others = [phrase for phrase in self.mentioned if phrase not in itself]
        one = [phrase for phrase in others if not phrase.plural and phrase.noun.kind != "person"]
        return one, [phrase for phrase in others if phrase.plural]

    def known(self, subject=None):
        """The noun phrases that are the only one for their pronoun."""
        return [only for only in self.candidates(subject) if len(only) == 1]

    def again(self, role, known):
        [phrase] = self.rng.choice(known)
        english = ("they" if role == "subject" else "them") if phrase.plural else "it"
        made = pronoun(role, english, phrase)
        made.noun = phrase.noun
        return made

    def free_pronoun(self, role, subject):
        """An object or a receiver that needs no noun before it, other than the subject itself."""
        free = {"him", "her", "me", "us", "you"}.difference(ITSELF.get(subject.head.text, ()))
        one, many = self.candidates(subject)
        alone = [("it", one), ("them", many)] if role == "object" else [("them", ())]
        return pronoun(role, self.rng.choice([*sorted(free), *(word for word, known in alone if not known)]))
