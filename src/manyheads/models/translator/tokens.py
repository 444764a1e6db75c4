"""From words to numbers."""

import torch

from manyheads.models.translator.grammar import grammar

PAD, START, END = "<pad>", "<s>", "</s>"
MARKS = (PAD, START, END)


def vocabularies(sentences):
    """The English words of the grammar and the French words of sentences, each in order, after the marks.

    >>> from manyheads.models.translator.sentences import generate
    >>> english, french = vocabularies(generate(100))
    >>> english[:3], "is" in english, "est" in french
    (['<pad>', '<s>', '</s>'], True, True)
    """
    french = {word for sentence in sentences for word in sentence.french}
    return [*MARKS, *sorted(grammar()[0])], [*MARKS, *sorted(french)]


def padded(rows, filler=0):  # lists of numbers -> [b, t]
    """Lists of different lengths as one tensor.

    >>> padded([[1, 2], [3]]).tolist()
    [[1, 2], [3, 0]]
    """
    rows = [torch.as_tensor(row) for row in rows]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=filler)


def encode(sentences, english, french):
    """Sentences as padded tensors: English [b, k] with its end, French [b, q] with both ends, looks [b, q - 1, h].

    >>> from manyheads.models.translator.sentences import generate
    >>> sentences = generate(3)
    >>> sources, targets, looks = encode(sentences, *vocabularies(sentences))
    >>> targets.shape[1] - 1 == looks.shape[1]
    True
    """
    from_english = {word: number for number, word in enumerate(english)}
    from_french = {word: number for number, word in enumerate(french)}
    start, end = MARKS.index(START), MARKS.index(END)
    sources = padded([[*(from_english[word] for word in s.english), end] for s in sentences])
    targets = padded([[start, *(from_french[word] for word in s.french), end] for s in sentences])
    return sources, targets, padded([s.looks for s in sentences])
