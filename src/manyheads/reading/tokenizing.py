"""What a model is called with, made of a text, of several, or of a picture, by its tokenizer or its processor.

Some sources bring these: a pipeline of transformers has a model and what reads for it, a SentenceTransformer its
tokenizer.
"""

from dataclasses import dataclass, replace
from typing import Any

from manyheads.reading.patches import NORMALISED, image_of, image_token_of
from manyheads.reading.picture_sheet import images_in
from manyheads.reading.request import is_module
from manyheads.reading.signatures import brought_by, takes_dict, takes_ids, takes_text
from manyheads.reading.token_names import TEXT_ALONE, check_text, is_tokenizer, tokenizer_in

ALONE = "Text {number} of {count} is read alone, as {why}: batch=0 to batch={last} choose it."
NO_PADDING = "the tokenizer has no padding token"
ONE_PICTURE = "a picture goes with one text"
OF_NEW_TOKENS = {
    "attention_mask": 1,
    "mm_token_type_ids": 0,
    "token_type_ids": 0,
    "labels": -100,
}  # what inputs say of written words
WENT_ON = "{name} is shorter than the text: what comes after it is taken for text."
CUT = "The first {most} tokens of {count} are read, as the model reads no more."
IN_TEMPLATE = "The text stands in the model's chat template, after {pictures}."
NO_PLACE = "the text has no place for the picture: write {token!r} where it stands"
NO_TOKENIZER = "a text needs the model's tokenizer, got {}"
NO_PROCESSOR = "a picture needs the model's processor, as tokenizer=, got {}"
NO_TEXT = "a {} reads a text beside a picture: HeadMap.of(model, text, image=picture, tokenizer=processor)"
NOT_RAW = "these pixels are normalised: give them as inputs=, and the picture as image="


@dataclass(frozen=True)
class Readers:
    """What a pipeline reads with, where it has no processor of texts and images."""

    tokenizer: Any = None
    image_processor: Any = None


def make_inputs(request):
    """The request with a module's inputs made of texts or of an image where there are none; all else as it is.

    >>> import numpy as np
    >>> from manyheads.reading.request import Request
    >>> make_inputs(Request(np.ones((2, 2)), ["hot", "tea"])).tokens
    ['hot', 'tea']

    A module without inputs has to read something: there, strings are texts, and elsewhere tokens.

    Raises `TypeError` or `ValueError` where they can't be read, with what to do.
    """
    source, brought = take_apart(request.source)
    tokens, inputs = request.tokens, request.inputs
    request = replace(request, source=source, tokenizer=brought if request.tokenizer is None else request.tokenizer)
    if type(inputs) in (tuple, list) and len(inputs) == 1 and takes_dict(source, inputs[0]):
        request = replace(request, inputs=inputs[0])
    elif inputs is not None and request.modules:
        inputs, longer = fit_to_text(inputs, getattr(source, "config", None))
        notes = (*request.notes, *(WENT_ON.format(name=name) for name in longer))
        request = replace(request, inputs=inputs, notes=notes, prompt=min(longer.values(), default=None))
    elif inputs is not None or not request.modules:
        pass
    elif hasattr(tokens, "input_ids"):
        request = replace(request, inputs=_as_tensors(tokens))
    elif request.tokenizer is None:
        if isinstance(tokens, str):
            raise TypeError(TEXT_ALONE.format(name="tokens", text=tokens))
    elif are_texts(tokens):
        request = _read_texts(request, [tokens] if isinstance(tokens, str) else list(tokens))
    elif tokens is None and request.image is not None:
        request = replace(request, inputs=_read_picture(request))
    return request


def fit_to_text(inputs, config=None):  # -> inputs, the names of what was made longer and how long it was
    """Inputs whose text goes on, such as those of a prompt with what was written: what counts its tokens goes on, too.

    >>> import torch
    >>> inputs = {"input_ids": torch.ones(1, 3, dtype=int), "attention_mask": torch.ones(1, 2, dtype=int)}
    >>> fit_to_text(inputs)[0]["attention_mask"]
    tensor([[1, 1, 1]])

    A model would take what a mask lacks for padding, without a word. PaliGemma's tells by its kinds of tokens which are
    written: they look at nothing after them.
    """
    ids = inputs.get("input_ids") if hasattr(inputs, "get") else None
    if getattr(ids, "ndim", 0) != 2:
        return inputs, {}
    longer, lengths = {}, {}
    kinds = {"token_type_ids": 1} if getattr(config, "model_type", "") == "paligemma" else {}
    for name, of_new in (OF_NEW_TOKENS | kinds).items():
        value = inputs.get(name)
        if getattr(value, "ndim", 0) == 2 and value.shape[1] < ids.shape[1]:
            longer[name] = value.new_full(tuple(ids.shape), of_new)
            longer[name][:, : value.shape[1]], lengths[name] = value, value.shape[1]
    return ({**inputs, **longer} if longer else inputs), lengths


def take_apart(source):
    """The module in a source, and what it brings to read with: a tokenizer, a processor, or None.

    >>> take_apart("tea")
    ('tea', None)
    """
    if is_module(source):
        return source, brought_by(source)
    model = getattr(source, "model", None)
    readers = {name: getattr(source, name, None) for name in ("processor", "tokenizer", "image_processor")}
    if not is_module(model) or not any(readers.values()):
        return source, None
    return model, readers.pop("processor") or Readers(**readers)


def are_texts(tokens):
    """Whether something is a text, or a list of texts.

    >>> are_texts("hot tea"), are_texts(["hot tea", "cold tea"]), are_texts([5, 3])
    (True, True, False)
    """
    listed = isinstance(tokens, (list, tuple)) and len(tokens) > 0
    return isinstance(tokens, str) or (listed and all(isinstance(text, str) for text in tokens))


# --- Texts and pictures -------------------------------------------------------------------------------------------


def _read_texts(request, texts):
    """The request with inputs made of its texts."""
    request, texts = _keep_what_is_read_together(request, texts)
    if request.image is not None:
        inputs, notes = _read_text_and_picture(request, texts[0])
        return replace(request, tokens=None, inputs=inputs, notes=request.notes + notes)
    tokenizer = tokenizer_in(request.tokenizer)
    if not callable(tokenizer) or _reads_images(tokenizer):
        raise TypeError(NO_TOKENIZER.format(_kind(request.tokenizer)))
    if not is_tokenizer(tokenizer):  # as of open_clip: it gives the ids alone
        ids = tokenizer(texts)
        by_name = takes_text(request.source)  # where an image may stand first
        return replace(request, tokens=None, inputs={"text": ids} if by_name else ids)
    encoded, notes = _encode(request, tokenizer, texts)
    inputs = encoded["input_ids"] if takes_ids(request.source) else encoded
    return replace(request, tokens=encoded, inputs=inputs, notes=request.notes + notes)


def _keep_what_is_read_together(request, texts):
    """The request, and its texts: one alone, with a note, where they can't be read together."""
    tokenizer, place = tokenizer_in(request.tokenizer), check_text(request.batch, len(texts))
    pads = not is_tokenizer(tokenizer) or getattr(tokenizer, "pad_token", None) is not None
    if len(texts) == 1 or (pads and request.image is None):
        return request, texts
    why = NO_PADDING if request.image is None else ONE_PICTURE
    note = ALONE.format(number=place + 1, count=len(texts), why=why, last=len(texts) - 1)
    return replace(request, batch=0, notes=(*request.notes, note)), [texts[place]]


def _encode(request, tokenizer, texts):
    """What a tokenizer makes of texts, as many tokens as the model reads that brought it, and a note on more."""
    encode = {"return_tensors": "pt", "padding": len(texts) > 1}
    most = getattr(request.source, "max_seq_length", None)
    if brought_by(request.source) is None or not isinstance(most, int):
        return tokenizer(texts, **encode), ()
    count = len(tokenizer(texts[request.batch], verbose=False)["input_ids"])
    notes = (CUT.format(most=most, count=count),) if count > most else ()
    return tokenizer(texts, truncation=True, max_length=most, **encode), notes


def _read_text_and_picture(request, text):
    """What a processor makes of a text and a picture, and notes."""
    reader, pictures = request.tokenizer, [_open_picture(image) for image in images_in(request.image)]
    images, count = _reader_of_images(reader), len(pictures)
    if count > 1:
        pictures = [pictures]  # of one text
    if not callable(reader):  # as of a pipeline
        return {**tokenizer_in(reader)(text, return_tensors="pt"), **images(images=pictures, return_tensors="pt")}, ()
    config = getattr(request.source, "config", None)
    try:
        inputs, refusal = reader(text=[text], images=pictures, return_tensors="pt"), None
        token = image_token_of(config)
        if token is None or (inputs["input_ids"][0] == token).any():
            return inputs, ()
    except ValueError as error:
        refusal = error
    if getattr(reader, "chat_template", None) is None:
        raise refusal or ValueError(NO_PLACE.format(token=getattr(reader, "image_token", "<image>")))
    message = {"role": "user", "content": [*[{"type": "image"}] * count, {"type": "text", "text": text}]}
    prompt = reader.apply_chat_template([message], add_generation_prompt=True, tokenize=False)
    return reader(text=[prompt], images=pictures, return_tensors="pt"), (
        IN_TEMPLATE.format(pictures="the picture" if count == 1 else f"{count} pictures"),
    )


def _read_picture(request):
    """What a processor makes of a picture that's read alone."""
    read = _reader_of_images(request.tokenizer)
    if getattr(request.source, "main_input_name", None) == "input_ids":
        raise ValueError(NO_TEXT.format(type(request.source).__name__))
    return read(images=_open_picture(request.image), return_tensors="pt")


def _reader_of_images(reader):
    found = reader if _reads_images(reader) else getattr(reader, "image_processor", None)
    if found is None:
        raise TypeError(NO_PROCESSOR.format(_kind(reader)))
    return found


def _reads_images(reader):
    return (
        callable(reader)
        and not hasattr(reader, "tokenizer")
        and "pixel_values" in getattr(reader, "model_input_names", ())
    )


def _open_picture(image):
    """An image as processors read it."""
    picture, notes = image_of(image)
    if NORMALISED in notes:
        raise ValueError(NOT_RAW)
    return picture


def _as_tensors(encoded):
    """What a tokenizer returned, as a batch of tensors."""
    if hasattr(encoded["input_ids"], "ndim"):
        return encoded
    batched = isinstance(encoded["input_ids"][0], list)
    values = {name: value if batched else [value] for name, value in encoded.items()}
    return type(encoded)(values).convert_to_tensors("pt")


def _kind(reader):
    return "a pipeline without one" if isinstance(reader, Readers) else type(reader).__name__
