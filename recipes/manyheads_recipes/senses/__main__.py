"""Builds the sense axes unless they are there, and says how often each word's labelled sentences are right."""

from manyheads.models.senses import load_senses
from manyheads_recipes.senses.sentences import labelled_sentences

senses = load_senses()
for word in senses.words:
    sentences = [sentence for sentence in labelled_sentences() if sentence.word == word]
    shares = [senses.word_sense(sentence.text, word)[sentence.sense] for sentence in sentences]
    print(f"{word:10} {sum(share > 0.5 for share in shares)} of {len(shares)} labelled sentences right")
