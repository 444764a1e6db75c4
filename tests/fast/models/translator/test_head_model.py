"""The trained translator: its French, its maps, its heads, and what it says to what it cannot read."""

import pytest

from manyheads import load_translator
from manyheads.models.translator import NotTranslated
from manyheads_recipes.translator.training import exact, held_out_sentences


def test_held_out_sentences_are_translated(translator):
    assert exact(translator, held_out_sentences()[::10]) >= 0.98


TRIED = {
    "I like coffee.": "J'aime le café.",
    "Do you like tea?": "Est-ce que vous aimez le thé\u00a0?",
    "Which do you prefer, coffee or tea?": "Qu'est-ce que vous préférez, le café ou le thé\u00a0?",
    "Which do you like better, coffee or tea?": "Qu'est-ce que vous aimez mieux, le café ou le thé\u00a0?",
    "They read it.": "Ils le lisent.",
    "It is good.": "C'est bon.",
    "I drink tea.": "Je bois du thé.",
    "You drink coffee.": "Vous buvez du café.",
    "I don't like cold soup.": "Je n'aime pas la soupe froide.",
    "I like coffee and tea.": "J'aime le café et le thé.",
    "The boy and the girl read a book.": "Le garçon et la fille lisent un livre.",
    "Does your brother want coffee or tea?": "Est-ce que votre frère veut du café ou du thé\u00a0?",
    "She does not give them the knife.": "Elle ne leur donne pas le couteau.",
    "He gave me a book.": "Il m'a donné un livre.",
    "I gave her some water.": "Je lui ai donné de l'eau.",
    "We watched them.": "Nous les avons regardés.",
    "He read the book.": "Il a lu le livre.",
    "I think that it is good.": "Je pense que c'est bon.",
    "The girls said that you like tea.": "Les filles ont dit que vous aimez le thé.",
    "The dog that we watched sleeps.": "Le chien que nous avons regardé dort.",
    "She reads the book because she likes it.": "Elle lit le livre parce qu'elle l'aime.",
    "Is the tea good?": "Est-ce que le thé est bon\u00a0?",
    "What do you see?": "Qu'est-ce que vous voyez\u00a0?",
    "I like tea better.": "J'aime mieux le thé.",
    "I love you.": "Je vous aime.",
}


def test_sentences_that_readers_try(translator):
    assert {english: translator.translate(english) for english in TRIED} == TRIED


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("", "Type an English sentence"),
        ("The girl sees the zebras.", "does not know “zebras”"),
        ("The girl sees the appel.", "Near ones that it knows: apple, apples, happy."),
        ("Girl the sees apple the.", "begins with “girl”"),
        ("The teacher loves her students.", "goes on with “students” after “the teacher loves her”"),  # "her" is whom
        ("They gave it to him.", "goes on with “to” after “they gave it”"),  # two pronouns
        ("My friend's sister sings.", "goes on with “sister” after “my friend is”"),
        ("The girls who see the cat eats.", "goes on with “eats” after “the girls who see the cat”"),
        ("He sleep.", "goes on with “sleep” after “he”"),
        ("The girl sees.", "ends after “the girl sees”"),
        ("the cat " * 30, "at most 14 words; this sentence has 60"),
    ],
)
def test_what_it_cannot_read_is_said_in_plain_words(translator, sentence, said):
    with pytest.raises(NotTranslated, match=said):
        translator(sentence)


def test_other_arguments_are_refused(translator):
    with pytest.raises(TypeError, match="a sentence is a string"):
        translator(3)
    with pytest.raises(ValueError, match="no such attention"):
        load_translator(attention="hydra")
    with pytest.raises(ValueError, match="heads-3"):
        load_translator("heads-3")
