"""Training of the translator, from generated sentences and their translations; and what a note claims of its heads.

A claim is tried at its places: French words that would have another form, or another place, if the translator missed
what the claim is about. The form that would be wrong is the word's rival. Two things are measured there, while the
French words before are the right ones: how much of a head's attention is on the English word in question, and how
often the right word is likelier than its rival.
"""

from dataclasses import dataclass
from functools import lru_cache, partial

import torch
from torch.nn import functional as F

from manyheads.models.files import key_of
from manyheads.models.keeping import file_name
from manyheads.models.training import check_variant, fit, reproducible
from manyheads.models.translator.head_model import HEADS, Translator
from manyheads.models.translator.network import END, MARKS, START, TranslatorConfig, padded
from manyheads.models.translator.sentences import MAX_WORDS
from manyheads_recipes import SHORT
from manyheads_recipes.translator.data import HELD_OUT_EVERY, HELD_OUT_STRUCTURES, generate
from manyheads_recipes.translator.grammar import grammar
from manyheads_recipes.translator.words import words_data

# The version of the recipe. Raise it when code changes what is learnt: the network, the loss, the optimizer, how words
# become sentences. Words and the config need no raise: they are in the recipe's key.
RECIPE = 3
KEPT_JOBS = ("taught", "heads-1")


@lru_cache
def recipe_key(config=TranslatorConfig()):
    """The key of what is learnt from: the recipe's version, the config and the words.

    >>> recipe_key() == recipe_key(TranslatorConfig(steps=1))
    False
    """
    limits = MAX_WORDS, HELD_OUT_EVERY, HELD_OUT_STRUCTURES
    return key_of(recipe=RECIPE, config=config, words=words_data(), heads=HEADS, limits=limits)


def train_translator(
    variant="taught", *, config=TranslatorConfig(), steps=None, seed=0, num_sentences=None, progress=True
):
    """Train a translator from nothing, the same one for the same seed.

    >>> translator = train_translator(steps=2, num_sentences=200, progress=False)
    >>> translator.num_heads
    4

    `variant` is `"taught"` (each cross-attending head of the last layer is shown where to look), `"untaught"` or
    `"heads-N"` (untaught, with N heads of the same width together). `steps` and `num_sentences` make it shorter than
    `config` says. It runs on one thread: the numbers are then the same however many processors there are, and
    variants can be trained side by side.
    """
    check_variant(variant)
    steps = config.steps if steps is None else steps
    with reproducible(seed):
        english, french, data = _training_data(num_sentences or config.num_sentences, seed)
        translator = Translator(variant, english, french, *grammar(), config)
        options = {"lr": config.learning_rate, "weight_decay": config.weight_decay, "betas": (0.9, 0.98), "fused": True}
        fit(
            torch.optim.AdamW(translator.parameters(), **options),
            partial(_loss, translator),
            data,
            (data[0] > 0).sum(1),
            steps=steps,
            batch=config.batch,
            warmup=0.05,
            start=0.005,
            clip=1.0,
            label=f"to French, {variant}",
            progress=progress,
        )
    return translator.eval()


def train_kept(folder, job, *, seed=0, steps=None, progress=True):
    """Train one of the translators that are kept, into a folder, as float16; gives its metrics.

    Metrics are of held-out sentences: the share whose French is exact, and how often the right word beats its rival.
    """
    path = folder / file_name("translator", job)
    train_translator(job, seed=seed, steps=steps, progress=progress).save(path, torch.float16)
    translator, held_out = Translator.load(path), held_out_sentences()
    beaten = {f"right, {claim}": share for claim, share in right(translator, trial(translator, held_out)).items()}
    return {job: {"exact": exact(translator, held_out)} | beaten | {SHORT: loss_after(40, job)}}


def loss_after(steps, job):
    """The loss on what was shown after a short training on few sentences: how the recipe learns."""
    translator = train_translator(job, steps=steps, num_sentences=500, progress=False)
    with torch.no_grad():
        return _loss(translator, *_training_data(500, 0)[2]).item()


@lru_cache(maxsize=1)
def _training_data(num_sentences, seed):
    generated = generate(num_sentences, seed)
    english, french = vocabularies(generated)
    return english, french, encode(generated, english, french)


def _loss(translator, sources, targets, looks):
    """Cross-entropy of each next word and, where heads are taught, of each head's attention in the last layer."""
    sources = sources[:, : int((sources > 0).sum(1).max())]
    targets = targets[:, : int((targets > 0).sum(1).max())]
    read, following = targets[:, :-1], targets[:, 1:]
    is_word = following > 0  # [b, q]
    mask = (sources > 0)[:, None, None]
    memory, _ = translator.network.encode(sources, mask)
    logits, _, cross = translator.network.decode(read, memory, mask)
    loss = F.cross_entropy(logits[is_word], following[is_word])
    if translator.variant == "taught":
        weights = cross[-1].transpose(1, 2)[is_word]  # [word, h, k]
        shown = weights.gather(-1, looks[:, : following.shape[1]][is_word][..., None])
        loss = loss - translator.config.looking * shown.clamp_min(1e-9).log().sum(1).mean()
    return loss


def vocabularies(sentences):
    """The English words of the grammar and the French words of sentences, each in order, after the marks.

    >>> from manyheads_recipes.translator.data import generate
    >>> english, french = vocabularies(generate(100))
    >>> english[:3], "is" in english, "est" in french
    (['<pad>', '<s>', '</s>'], True, True)
    """
    french = {word for sentence in sentences for word in sentence.french}
    return [*MARKS, *sorted(grammar()[0])], [*MARKS, *sorted(french)]


def encode(sentences, english, french):
    """Sentences as padded tensors: English [b, k] with its end, French [b, q] with both ends, looks [b, q - 1, h].

    >>> from manyheads_recipes.translator.data import generate
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


# The note's three claims and, beside them, agreement with the noun, by the label of the word in question.
CLAIMS = {
    "subject": "subject with verb",
    "antecedent": "pronoun with its noun",
    "word": "where the orders differ",
    "noun": "article or adjective with its noun",
}


@dataclass(frozen=True)
class Trial:
    """Sentences as tensors, and the places of each claim in them."""

    sources: torch.Tensor  # [b, k]
    targets: torch.Tensor  # [b, q + 1]
    places: dict  # claim -> rows, queries, keys, the right words and their rivals, each [n]


@lru_cache(maxsize=1)
def held_out_sentences(count=600):
    """Sentences of which each holds something that training never said.

    >>> from manyheads_recipes.translator.data import is_held_out
    >>> all(any(map(is_held_out, sentence.combinations)) for sentence in held_out_sentences())
    True
    """
    return generate(count, seed=77, held_out=True)


def trial(translator, sentences):
    """The claims' places in some sentences, but for those with a French form that training never said."""
    sentences = [sentence for sentence in sentences if {*sentence.french} <= {*translator.french}]
    sources, targets, _ = encode(sentences, translator.english, translator.french)
    number = {word: place for place, word in enumerate(translator.french)}
    places = {claim: [] for claim in CLAIMS}
    for row, sentence in enumerate(sentences):
        for query, rivals in enumerate(sentence.rivals):
            for claim, wrong in rivals.items():
                if wrong in number:
                    key = sentence.looks[query][HEADS.index(claim)]
                    places[claim].append((row, query, key, number[sentence.french[query]], number[wrong]))
    return Trial(sources, targets, {claim: torch.tensor(found).T for claim, found in places.items()})


@torch.no_grad()
def _computed(translator, tried, off):
    mask = (tried.sources > 0)[:, None, None]
    memory, _ = translator.network.encode(tried.sources, mask, off)
    logits, _, cross = translator.network.decode(tried.targets[:, :-1], memory, mask, off)
    return logits, torch.stack(cross, dim=1)  # [b, q, word], [b, layer, h, q, k]


def looked(translator, tried):
    """How much of each head's attention is on the word in question, on average: claim -> [layer, h].

    >>> from manyheads import load_translator
    >>> translator = load_translator()
    >>> looked(translator, trial(translator, held_out_sentences()))["subject"].shape
    torch.Size([2, 4])
    """
    _, weights = _computed(translator, tried, None)
    shares = {}
    for claim, (rows, queries, keys, *_) in tried.places.items():
        shares[claim] = weights[rows, :, :, queries, keys].mean(0)  # [layer, h]
    return shares


def right(translator, tried, head=None):
    """How often the right word beats its rival, with all heads or with one of the last layer's cross-attention off.

    >>> from manyheads import load_translator
    >>> translator = load_translator()
    >>> 0.9 < right(translator, trial(translator, held_out_sentences()))["subject"] <= 1
    True
    """
    off = None
    if head is not None:
        cross = torch.ones(translator.config.layers, translator.num_heads, dtype=torch.bool)
        cross[-1, head] = False
        off = {"cross": cross}
    logits, _ = _computed(translator, tried, off)
    shares = {}
    for claim, (rows, queries, _, words, wrong) in tried.places.items():
        wins = logits[rows, queries, words] > logits[rows, queries, wrong]
        shares[claim] = wins.float().mean().item()
    return shares


def exact(translator, sentences, off=None):
    """The share of sentences whose French is exactly the right one.

    >>> from manyheads import load_translator
    >>> exact(load_translator(), held_out_sentences()[:50]) > 0.9
    True
    """
    found = translator.batch([list(sentence.english) for sentence in sentences], off)
    return sum(tuple(words) == sentence.french for words, sentence in zip(found, sentences)) / len(sentences)
