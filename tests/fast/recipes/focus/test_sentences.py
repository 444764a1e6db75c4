"""The held-out sentences are many, varied, and held out."""

from lemminflect import getAllInflections

from manyheads.models.focus.data import FACTS, generate_sentences
from manyheads.models.focus.grammar import vocabulary
from manyheads_recipes.focus.sentences import held_out_sentences, negation_sentences

# What may stand in the held-out sentences although the generator says it too: words that carry grammar, not content.
FUNCTION_WORDS = """
    a an the this that these those my your his her its our their whose one two some any many much most no
    i me you he him she it we us they them somebody someone anyone anybody everybody everyone nobody i'm it's
    who what which where when why how
    do does did don't be is are was were isn't aren't weren't has have haven't can could will would shall
    and or but because although while if since than that not please let's there
    about across around at before behind beside by for from in of on opposite over to under with
    like likes better best rather still far outside yesterday yet
"""


def test_held_out_sentences_are_many_and_varied():
    assert len(held_out_sentences()) >= 80
    assert held_out_sentences("all") == held_out_sentences() + held_out_sentences("pieces")
    for name, values in FACTS.items():
        assert {sentence.facts[name] for sentence in held_out_sentences()} == set(values)


def test_held_out_content_words_are_never_said_in_any_form():
    said = vocabulary()
    spoken = {word.lower() for sentence in held_out_sentences("all") for word in sentence.words if word[0].isalpha()}
    content = spoken - set(FUNCTION_WORDS.split())
    assert len(content) > 250
    for word in content:
        forms = {form for forms in getAllInflections(word).values() for form in forms}
        assert not {word, *forms} & said, word


def test_sentences_about_negation_are_never_generated_and_held_out_words_never_said():
    sentences = negation_sentences()
    generated = {sentence.text for sentence in generate_sentences(20_000)}
    assert not generated & {sentence.text for group in sentences.values() for sentence in group}
    assert not {"scarcely", "remotely", "barely", "honestly", "overly"} & vocabulary()
