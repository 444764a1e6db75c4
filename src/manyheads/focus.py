"""The focus model: four heads that look at any English sentence, each at one thing (`sentences.py` says at what).

Word vectors are those of MiniLM (Wang et al. 2020, arXiv:2002.10957), reduced by PCA, kept in 8 bits and never trained.
There is one `MultiHeadAttention`; `[CLS]` asks, and what its heads bring home predicts four facts. *Taught* means that
each head is also shown which words to look at (a divergence between its attention and the labels, as in Strubell et
al. 2018, arXiv:1804.08199) and that a head which is turned off takes the knowledge of its own fact with it.
*Untaught* heads learn from the four facts alone.
"""

import hashlib
import json
import math
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from filelock import FileLock
from safetensors import safe_open
from safetensors.torch import save
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional as F
from tqdm.auto import tqdm

from manyheads import attention, grammar, sentences, words
from manyheads.attention import MultiHeadAttention
from manyheads.files import SHA256, cache_folder, encoder_file
from manyheads.maps import AttentionMap
from manyheads.sentences import FACTS, HEADS, generate_sentences, open_words

MAX_WORDS, MAX_TOKENS = 64, 128
CLS, SEP = "[CLS]", "[SEP]"
WIDTH, WORD_STEP = 160, 0.9  # dimensions of a word vector, and the step of its 8-bit codes (its spread is about 1)
POSITIONS, ATTENTION_WIDTH = 32, 64
KIND_WIDTH, REACH, MIX_WIDTH = 64, 3, 128  # what is kept of a word for its neighbours, how far it is heard
STEPS, UNTAUGHT_STEPS, BATCH, LEARNING_RATE = 2000, 1000, 256, 3e-3
WORD_NOISE, BREAKING, LOOKING = 0.5, 0.1, 2.0  # the last: what looking rightly counts beside knowing the facts
CHECKPOINTS = (0, 30, 100, 300, 1000)
HEAD_COUNTS = (1, 2, 4, 8)
VARIANTS = (
    "taught",
    "untaught",
    *(f"heads-{count}" for count in HEAD_COUNTS),
    *(f"step-{step}" for step in CHECKPOINTS),
)
MADE_WITH = {"heads-4": "untaught", **{f"step-{step}": "taught" for step in CHECKPOINTS}}  # in one training


class FocusModel(nn.Module):
    """Four heads on one sentence: call it with a sentence and it gives the `AttentionMap`.

    >>> model = load_focus_model()
    >>> map = model("Which do you like better, coffee or tea?")
    >>> map.shape  # layers, heads, queries, keys
    (1, 4, 12, 12)
    >>> map.head_names
    ['sentence type', 'object', 'relation', 'sentiment']
    >>> max(map.predictions["sentence type"], key=map.predictions["sentence type"].get)
    'choice question'

    `head_mask` is one boolean per head, [h] or [layer, h]; False turns the head off. The first 64 words and 128 tokens
    are kept.
    Raises `TypeError` for a sentence that is no string, `ValueError` for a head mask of another length.
    """

    num_layers = 1

    def __init__(self, variant="taught", word_codes=None, word_scale=None):
        super().__init__()
        if word_codes is None:
            word_codes, word_scale = reduced_words()
        self.variant, self.kept = variant, False
        self.num_heads = int(variant.removeprefix("heads-")) if variant.startswith("heads-") else len(HEADS)
        self.register_buffer("word_codes", word_codes, persistent=False)  # int8 [vocabulary, d]
        self.register_buffer("word_scale", word_scale, persistent=False)  # [d]
        width = len(word_scale)
        self.position = nn.Parameter(torch.zeros(POSITIONS, width))  # the last is for all positions from there on
        self.kind = nn.Linear(width, KIND_WIDTH)
        self.near = nn.Linear((2 * REACH + 1) * KIND_WIDTH, MIX_WIDTH)
        self.mix = nn.Linear(MIX_WIDTH, width)
        self.before = nn.LayerNorm(width)
        self.attention = MultiHeadAttention(width, self.num_heads, attention_dim=ATTENTION_WIDTH)
        self.after = nn.LayerNorm(width)
        self.readouts = nn.ModuleDict({name: nn.Linear(width, len(labels)) for name, labels in FACTS.items()})

    @property
    def page_name(self):
        """What pages call this variant: `focus`, `focus/untaught`, `focus/heads-8`, ..."""
        return "focus" if self.variant == "taught" else f"focus/{self.variant}"

    @property
    def name(self):
        """`page_name`, unless the model was trained just now: that one no page has."""
        return self.page_name if self.kept else "trained just now"

    @property
    def head_names(self):
        """The four foci where heads were taught them, else `head 1`, `head 2`, ...: nobody told those where to look."""
        taught = self.variant == "taught" or self.variant.startswith("step-")
        return list(HEADS.values()) if taught else [f"head {head + 1}" for head in range(self.num_heads)]

    @torch.no_grad()
    def forward(self, sentence, head_mask=None):
        ids, notes = tokenize(sentence)
        if head_mask is not None:
            head_mask = torch.as_tensor(np.asarray(head_mask))
            if head_mask.shape not in ((self.num_heads,), (1, self.num_heads)):
                raise ValueError(f"head_mask must have shape [{self.num_heads}], got {list(head_mask.shape)}")
            if head_mask.dtype != torch.bool:
                raise TypeError(f"head_mask must be boolean, got {head_mask.dtype}")
            head_mask = head_mask.reshape(1, -1)  # [b, h]
        scores, weights = self.compute(self.word_vectors(torch.tensor([ids])), head_mask=head_mask)
        predictions = {
            name: dict(zip(FACTS[name], scores[name][0].softmax(-1).tolist())) for name in FACTS if len(ids) > 2
        }
        tokens = [tokenizer().id_to_token(token) for token in ids]
        return AttentionMap(tokens, tokens, weights.numpy(), self.head_names, predictions, notes)

    def word_vectors(self, ids):  # [b, t] -> [b, t, d]
        return self.word_codes[ids] * self.word_scale

    def compute(self, word_vectors, mask=None, head_mask=None, queries=None):
        # [b, t, d], [b, t], [b, h] -> {fact: [b, label]}, [b, h, q, k]
        """From word vectors to the scores of the labels and the attention weights; only the first `queries` ask.

        >>> model, (ids, mask, *_) = load_focus_model(), encode(generate_sentences(2, seed=5))
        >>> scores, weights = model.compute(model.word_vectors(ids), mask, queries=1)
        >>> scores["sentiment"].shape, weights.shape[:3]
        (torch.Size([2, 3]), torch.Size([2, 4, 1]))

        1. `x = word + position`; every position from the 32nd on has the same vector.
        2. `kind = relu(linear(x))`: what sort of word it is, in 64 numbers.
        3. `near = relu(linear(kinds of the words from three back to three ahead))`; beyond the ends there are zeros.
        4. `x = layer_norm(x + linear(near))`
        5. `output, weights = MultiHeadAttention(x)`
        6. `scores = readout(layer_norm(output of [CLS]))` for each fact; softmax makes them probabilities.

        Attention sees each word on its own; steps 2 to 4 let it know its neighbours, so that "like" can be the verb in
        "I like tea" and the preposition in "a voice like silk".
        """
        length = word_vectors.shape[1]
        inside = torch.ones(word_vectors.shape[:2], dtype=torch.bool) if mask is None else mask
        positions = torch.arange(length).clamp(max=POSITIONS - 1)
        x = (word_vectors + self.position[positions]) * inside[..., None]  # [b, t, d]
        kinds = F.relu(self.kind(x)) * inside[..., None]  # [b, t, kind]
        kinds = F.pad(kinds, (0, 0, REACH, REACH))  # [b, t + 6, kind]
        window = torch.cat([kinds[:, start : start + length] for start in range(2 * REACH + 1)], -1)  # [b, t, 7 kind]
        x = self.before(x + self.mix(F.relu(self.near(window))))  # [b, t, d]
        output, weights = self.attention(x[:, :queries], x, mask=inside[:, None, None], head_mask=head_mask)
        home = self.after(output[:, 0])  # [b, d]
        return {name: readout(home) for name, readout in self.readouts.items()}, weights

    def save(self, path):
        """Write the weights as float32 safetensors; the header says what they are. Words have their own file.

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     load_focus_model("untaught").save(f"{folder}/mine.safetensors")
        ...     FocusModel.load(f"{folder}/mine.safetensors").variant
        'untaught'
        """
        header = {
            "variant": self.variant,
            "name": self.page_name,
            "num_heads": self.num_heads,
            "head_names": self.head_names,
            "facts": FACTS,
            "reach": REACH,
            "max_words": MAX_WORDS,
            "max_tokens": MAX_TOKENS,
            "layer_norm_eps": self.before.eps,
        }
        _write(path, dict(self.state_dict()), {name: json.dumps(value) for name, value in header.items()})

    @classmethod
    def load(cls, path, words_path=None):
        """Read what `save` wrote; raises `ValueError` when a tensor is missing, extra or of another shape.

        >>> FocusModel.load(focus_file("taught")).head_names
        ['sentence type', 'object', 'relation', 'sentiment']
        """
        word_codes, word_scale = reduced_words() if words_path is None else _read_words(words_path)
        with safe_open(path, "pt") as file:
            header = {name: json.loads(value) for name, value in (file.metadata() or {}).items()}
            state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dictionary
        if "variant" not in header:
            raise ValueError(f"{path} is no focus model: its header has no variant")
        model = cls(header["variant"], word_codes, word_scale)
        expected = {name: list(tensor.shape) for name, tensor in model.state_dict().items()}
        found = {name: list(tensor.shape) for name, tensor in state.items()}
        if expected != found:
            wrong = {name: found.get(name) for name in expected if expected[name] != found.get(name)}
            raise ValueError(f"{path} should have {len(expected)} tensors, has {len(found)}; these differ: {wrong}")
        model.load_state_dict(state)
        model.kept = True
        return model.eval()


# --- From text to tokens --------------------------------------------------------------------------------------------


@lru_cache
def tokenizer():
    """MiniLM's tokenizer, which neither cuts nor pads here."""
    made = Tokenizer.from_file(str(encoder_file("tokenizer.json")))
    made.no_truncation()
    made.no_padding()
    return made


def tokenize(text):
    """The token ids of a text, [CLS] and [SEP] included, and notes about what was left out.

    >>> tokenize("tea " * 65)[1]
    ('Only the first 64 of 65 words are shown.',)
    """
    if not isinstance(text, str):
        raise TypeError(f"a sentence is a string, got {type(text).__name__}: {text!r}")
    given = text.encode("utf-8", "replace").decode().split()
    notes = []
    if len(given) > MAX_WORDS:
        notes.append(f"Only the first {MAX_WORDS} of {len(given)} words are shown.")
    ids = tokenizer().encode(" ".join(given[:MAX_WORDS])).ids
    if len(ids) > MAX_TOKENS:
        notes.append(f"Only the first {MAX_TOKENS - 2} of {len(ids) - 2} word pieces are shown.")
        ids = [*ids[: MAX_TOKENS - 1], ids[-1]]
    if len(ids) == 2:
        notes.append("Type a sentence to see what each head looks at.")
    return ids, tuple(notes)


@lru_cache(maxsize=100_000)
def pieces(word):
    """The token ids of one word or mark, without [CLS] and [SEP]."""
    return tuple(tokenizer().encode(word, add_special_tokens=False).ids)


def broken(word, rng):
    """The word in two pieces of BERT's vocabulary, at a random place, if it is a long word and there is one."""
    word = word.lower()
    cuts = range(2, len(word) - 1) if len(word) > 4 and word in open_words() else ()
    ways = [[tokenizer().token_to_id(piece) for piece in (word[:cut], "##" + word[cut:])] for cut in cuts]
    ways = [way for way in ways if None not in way]
    return rng.choice(ways) if ways else pieces(word)


def encode(labelled, breaking=0.0):
    """Sentences as padded tensors: ids [b, t], mask [b, t], labels [b, h, t], facts [b, 4].

    The labels of a word are shared out among its pieces; where a head has nothing to look at, the label is on `[CLS]`.
    `breaking` is the share of long words to break in two: the reader's rare words come in pieces, ours seldom do.

    >>> ids, mask, labels, facts = encode(generate_sentences(3))
    >>> labels.shape[:2], facts.shape
    (torch.Size([3, 4]), torch.Size([3, 4]))
    """
    rng = random.Random(0)
    spelt = [[broken(word, rng) if rng.random() < breaking else pieces(word) for word in s.words] for s in labelled]
    shape = len(labelled), max(sum(map(len, word_ids)) for word_ids in spelt) + 2
    ids, mask = np.zeros(shape, np.int64), np.zeros(shape, bool)
    labels = np.zeros((shape[0], len(HEADS), shape[1]), np.float32)
    cls, sep = map(tokenizer().token_to_id, (CLS, SEP))
    for row, (sentence, word_ids) in enumerate(zip(labelled, spelt)):
        flat = [cls, *(token for word in word_ids for token in word), sep]
        ids[row, : len(flat)], mask[row, : len(flat)] = flat, True
        at = 1
        for tokens, word_labels in zip(word_ids, sentence.labels):
            for label in word_labels:
                labels[row, list(HEADS).index(label), at : at + len(tokens)] = 1 / len(tokens)
            at += len(tokens)
    labels[..., 0] = labels.sum(-1) == 0
    labels /= labels.sum(-1, keepdims=True)
    facts = [[FACTS[name].index(sentence.facts[name]) for name in FACTS] for sentence in labelled]
    return tuple(map(torch.from_numpy, (ids, mask, labels, np.array(facts))))


# --- Words ----------------------------------------------------------------------------------------------------------


@lru_cache
def reduced_words():
    """MiniLM's word vectors in their first principal components: codes int8 [vocabulary, d], scale [d].

    The components are those of plain English words; what BERT's vocabulary holds unused is zero.

    >>> codes, scale = reduced_words()
    >>> codes.shape, codes.dtype
    (torch.Size([30522, 160]), torch.int8)
    """
    with safe_open(encoder_file("model.safetensors"), "pt") as file:
        vectors = file.get_tensor("embeddings.word_embeddings.weight").float()
    tokens = [tokenizer().id_to_token(index) for index in range(len(vectors))]
    plain = torch.tensor([token.isascii() and token.isalpha() for token in tokens])
    unused = torch.tensor([token.startswith("[unused") for token in tokens])
    vectors = vectors - vectors[plain].mean(0)
    _, components = torch.linalg.eigh(vectors[plain].T @ vectors[plain])  # ascending
    reduced = vectors @ components[:, -WIDTH:].flip(1)
    codes = (reduced / reduced[plain].std(0).mean() / WORD_STEP).round().clamp(-127, 127)
    codes[unused] = 0
    return codes.to(torch.int8), torch.full((WIDTH,), WORD_STEP)


def _read_words(path):
    with safe_open(path, "pt") as file:
        codes, scale = file.get_tensor("codes"), file.get_tensor("scale")
    if codes.ndim != 2 or codes.dtype != torch.int8 or codes.shape[1:] != scale.shape:
        raise ValueError(f"{path} should hold codes [vocabulary, d] and scale [d], holds {codes.shape}, {scale.shape}")
    return codes, scale


# --- Training ---------------------------------------------------------------------------------------------------------


def train_focus_model(
    variant="taught", *, steps=None, seconds=None, seed=0, num_sentences=50_000, checkpoint=None, progress=True
):
    """Train a focus model from nothing, the same one for the same seed.

    >>> model = train_focus_model(steps=2, num_sentences=100, progress=False)
    >>> model("Tea, please!").shape
    (1, 4, 6, 6)

    `variant` is `"taught"`, `"untaught"` or `"heads-N"` (untaught, with N heads of the same width together). `steps` or
    `seconds` make it shorter (how far it gets in some seconds depends on the machine). `checkpoint(step, model)` is
    called before the first step and after each. It runs on one thread: the numbers are then the same however many
    processors there are, and variants can be trained side by side.
    """
    if variant not in ("taught", "untaught") and not variant.startswith("heads-"):
        raise ValueError(f"can train 'taught', 'untaught' and 'heads-N', not {variant!r}")
    taught = variant == "taught"
    if steps is None:
        steps = STEPS if taught else UNTAUGHT_STEPS
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]), tqdm(total=steps, desc=variant, disable=not progress) as bar:
            torch.manual_seed(seed)
            model, data = FocusModel(variant), _training_data(num_sentences, seed)
            optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
            batches, began = _batches(data[1].sum(1)), time.monotonic()
            if checkpoint:
                checkpoint(0, model)
            for step in range(steps):
                done = max(step / steps, (time.monotonic() - began) / seconds if seconds else 0)
                if done >= 1:
                    break
                warm, cool = done / 0.2 + 0.01, (1 + math.cos(math.pi * done)) / 2
                optimizer.param_groups[0]["lr"] = LEARNING_RATE * min(warm, cool)
                batch = next(batches)
                loss = _loss(model, *(part[batch] for part in data), taught=taught)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                bar.update()
                if step % 20 == 0:
                    bar.set_postfix(loss=f"{loss.item():.2f}", refresh=False)
                if checkpoint:
                    checkpoint(step + 1, model)
    finally:
        torch.set_num_threads(threads)
    return model.eval()


@lru_cache(maxsize=1)
def _training_data(num_sentences, seed):
    return encode(generate_sentences(num_sentences, seed), BREAKING)


def _batches(lengths, together=16):
    """Random batches without end, of sentences about equally long, so that little of a batch is padding."""
    while True:
        drawn = torch.randint(len(lengths), (together * BATCH,))
        drawn = drawn[lengths[drawn].argsort()].view(together, BATCH)
        yield from drawn[torch.randperm(together)]


def _loss(model, ids, mask, labels, facts, taught):
    """Cross-entropy of the four facts and, when taught, the divergence of each head's attention from its labels."""
    longest = int(mask.sum(1).max())
    ids, mask, labels = ids[:, :longest], mask[:, :longest], labels[..., :longest]
    vectors = model.word_vectors(ids)
    vectors = vectors + WORD_NOISE * torch.randn_like(vectors)  # neighbours in meaning are to be treated alike
    # Half of the time one head is off: then nothing is to be known of its own fact, and all of the others.
    off = torch.randint(2 * model.num_heads, (len(ids), 1)) if taught else torch.full((len(ids), 1), -1)
    head_mask = torch.arange(model.num_heads) != off
    scores, weights = model.compute(vectors, mask, head_mask if taught else None, queries=1)
    loss = 0
    for fact, logits in enumerate(scores.values()):
        told = F.cross_entropy(logits, facts[:, fact], reduction="none")
        unknown = -logits.log_softmax(-1).mean(-1)
        loss = loss + torch.where(off[:, 0] == fact, unknown, told).mean()
    if taught:
        looked = F.kl_div(weights[:, :, 0].clamp_min(1e-9).log(), labels, reduction="none")  # [b, h, t]
        loss = loss + LOOKING * looked.sum((1, 2)).mean()
    return loss


def validation_loss(model, count=1000, seed=999):
    """Mean cross-entropy of the four facts in nats, summed, on generated sentences that no training saw.

    >>> guessing = sum(math.log(len(labels)) for labels in FACTS.values())
    >>> validation_loss(load_focus_model(), count=100) < guessing / 4
    True
    """
    ids, mask, _, facts = encode(generate_sentences(count, seed))
    with torch.no_grad():
        scores, _ = model.compute(model.word_vectors(ids), mask, queries=1)
    return sum(F.cross_entropy(logits, facts[:, fact]).item() for fact, logits in enumerate(scores.values()))


# --- Trained once, then kept ----------------------------------------------------------------------------------------


def focus_folder():
    """The folder of the trained variants; its name changes with all that decides how they turn out."""
    sources = [Path(module.__file__).read_bytes() for module in (words, grammar, sentences, attention)]
    sources += [Path(__file__).read_bytes(), torch.__version__.encode(), json.dumps(SHA256).encode()]
    return cache_folder() / f"focus-{hashlib.sha256(b'|'.join(sources)).hexdigest()[:16]}"


def load_focus_model(variant="taught", *, progress=True):
    """Load a trained variant, or train it now and keep it: taught, untaught, heads-1|2|4|8, step-0|30|100|300|1000.

    >>> load_focus_model("heads-8").num_heads
    8

    Raises `ValueError` for another variant.
    """
    return FocusModel.load(focus_file(variant, progress=progress))


def focus_file(variant="taught", *, progress=True):
    """The path of `focus-<variant>.safetensors`, or of `focus-words.safetensors`; it is made if missing."""
    if variant != "words" and variant not in VARIANTS:
        raise ValueError(f"no such variant: {variant!r}; there are {', '.join(VARIANTS)}")
    folder = focus_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"focus-{variant}.safetensors"
    job = MADE_WITH.get(variant, variant)
    if not path.exists():
        with FileLock(folder / f"{job}.lock"):  # whoever comes second waits and finds it made
            if not path.exists():
                _make(job, folder, progress)
    return path


def _make(job, folder, progress):
    def keep(model, variant):
        model.variant = variant
        model.save(folder / f"focus-{variant}.safetensors")

    def checkpoint(step, model):
        if step in CHECKPOINTS:
            keep(model, f"step-{step}")
            model.variant = job

    if job == "words":
        codes, scale = reduced_words()
        _write(folder / "focus-words.safetensors", {"codes": codes, "scale": scale}, {"encoder": json.dumps(SHA256)})
        return
    model = train_focus_model(job, checkpoint=checkpoint if job == "taught" else None, progress=progress)
    for variant in (*(variant for variant, other in MADE_WITH.items() if other == job and job != "taught"), job):
        keep(model, variant)


def focus_files(*, progress=True):
    """The paths of all files of the focus models, the words and every variant; those that are missing are made now.

    Each is trained by a process of its own, as many at a time as there are processors.
    """
    folder = focus_folder()
    wanted = ("words", *VARIANTS)
    jobs = {MADE_WITH.get(name, name): None for name in wanted if not (folder / f"focus-{name}.safetensors").exists()}
    make = f"import sys, manyheads.focus; manyheads.focus.focus_file(sys.argv[1], progress={progress})"
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: subprocess.run([sys.executable, "-c", make, job], check=True), jobs))
    return [focus_file(name, progress=progress) for name in wanted]


def _write(path, tensors, header):
    """Write beside, then rename: no reader ever sees half a file."""
    path = Path(path)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_bytes(save({name: tensor.contiguous() for name, tensor in tensors.items()}, header))
    beside.replace(path)
