"""What a model is called with, made of a text, of several, or of a picture, by its tokenizer or its processor.

Some sources bring these: a pipeline of transformers has a model and what reads for it, a SentenceTransformer its
tokenizer.
"""

from dataclasses import dataclass, replace
from typing import Any

from manyheads.reading.calling import brought_by, takes_dict, takes_ids, takes_text
from manyheads.reading.patches import NORMALISED, image_of, image_token_of, pictures_in
from manyheads.reading.sources import is_module, modules_among
from manyheads.reading.tokens_from import TEXT_ALONE, chosen_text, is_tokenizer, of_processor

ALONE = "Text {number} of {count} is read alone, as {why}: batch=0 to batch={last} choose it."
NO_PADDING = "the tokenizer has no padding token"
ONE_PICTURE = "a picture goes with one text"
CUT = "The first {most} tokens of {count} are read, as the model reads no more."
IN_TEMPLATE = "The text stands in the model's chat template, after the picture."
NO_PLACE = "the text has no place for the picture: write {token!r} where it stands"
NO_TOKENIZER = "a text needs the model's tokenizer, got {}"
NO_PROCESSOR = "a picture needs the model's processor, as tokenizer=, got {}"
NO_TEXT = "a {} reads a text beside a picture: HeadMap.of(model, text, image=picture, tokenizer=processor)"
NOT_RAW = "these pixels are normalised: give them as inputs=, and the picture as image="


@dataclass(frozen=True)
class Asked:
    """What `HeadMap.of` is asked for: the source, or the module in it, its tokens, and what it's called with."""

    source: Any
    tokens: Any = None
    inputs: Any = None
    tokenizer: Any = None
    batch: int = 0
    notes: tuple = ()


@dataclass(frozen=True)
class Readers:
    """What a pipeline reads with, where it has no processor of texts and images."""

    tokenizer: Any = None
    image_processor: Any = None


def asked(source, tokens=None, inputs=None, tokenizer=None, image=None, batch=0):
    """What is asked for, with a module's inputs made of texts or of an image where there are none; all else as it is.

    >>> import numpy as np
    >>> asked(np.ones((2, 2)), ["hot", "tea"]).tokens
    ['hot', 'tea']

    A module without inputs has to read something: there, strings are texts, and elsewhere tokens.

    Raises `TypeError` or `ValueError` where they can't be read, with what to do.
    """
    source, brought = taken_apart(source)
    given = Asked(source, tokens, inputs, brought if tokenizer is None else tokenizer, batch)
    if type(inputs) in (tuple, list) and len(inputs) == 1 and takes_dict(source, inputs[0]):
        return replace(given, inputs=inputs[0])
    if inputs is not None or not modules_among(source):
        return given
    if hasattr(tokens, "input_ids"):
        return replace(given, inputs=_as_tensors(tokens))
    if given.tokenizer is None and isinstance(tokens, str):
        raise TypeError(TEXT_ALONE.format(name="tokens", text=tokens))
    if given.tokenizer is None:
        return given
    if are_texts(tokens):
        return _read(given, [tokens] if isinstance(tokens, str) else tokens, image)
    if tokens is None and image is not None:
        return replace(given, inputs=_pixels(given, image))
    return given


def taken_apart(source):
    """The module in a source, and what it brings to read with: a tokenizer, a processor, or None.

    >>> taken_apart("tea")
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


def _read(given, texts, image=None):
    """What is asked for, with its texts read."""
    given, texts = _together(given, list(texts), image)
    if image is not None:
        inputs, notes = _text_and_picture(given, texts[0], image)
        return replace(given, tokens=None, inputs=inputs, notes=given.notes + notes)
    tokenizer = of_processor(given.tokenizer)
    if not callable(tokenizer) or _reads_images(tokenizer):
        raise TypeError(NO_TOKENIZER.format(_kind(given.tokenizer)))
    if not is_tokenizer(tokenizer):  # as of open_clip: it gives the ids alone
        ids = tokenizer(texts)
        by_name = takes_text(given.source)  # where an image may stand first
        return replace(given, tokens=None, inputs={"text": ids} if by_name else ids)
    encoded, notes = _encoded(given, tokenizer, texts)
    inputs = encoded["input_ids"] if takes_ids(given.source) else encoded
    return replace(given, tokens=encoded, inputs=inputs, notes=given.notes + notes)


def _together(given, texts, image=None):
    """What is asked for, and its texts: one alone, with a note, where they can't be read together."""
    tokenizer, place = of_processor(given.tokenizer), chosen_text(given.batch, len(texts))
    pads = not is_tokenizer(tokenizer) or getattr(tokenizer, "pad_token", None) is not None
    if len(texts) == 1 or (pads and image is None):
        return given, texts
    why = NO_PADDING if image is None else ONE_PICTURE
    note = ALONE.format(number=place + 1, count=len(texts), why=why, last=len(texts) - 1)
    return replace(given, batch=0, notes=(note,)), [texts[place]]


def _encoded(given, tokenizer, texts):
    """What a tokenizer makes of texts, as many tokens as the model reads that brought it, and a note on more."""
    encode = {"return_tensors": "pt", "padding": len(texts) > 1}
    most = getattr(given.source, "max_seq_length", None)
    if brought_by(given.source) is None or not isinstance(most, int):
        return tokenizer(texts, **encode), ()
    count = len(tokenizer(texts[given.batch], verbose=False)["input_ids"])
    notes = (CUT.format(most=most, count=count),) if count > most else ()
    return tokenizer(texts, truncation=True, max_length=most, **encode), notes


def _text_and_picture(given, text, image):
    """What a processor makes of a text and a picture, and notes."""
    reader, picture = given.tokenizer, _picture(image)
    images = _reader_of_images(reader)
    if not callable(reader):  # as of a pipeline
        return {**of_processor(reader)(text, return_tensors="pt"), **images(images=picture, return_tensors="pt")}, ()
    config = getattr(given.source, "config", None)
    try:
        inputs, refusal = reader(text=[text], images=[picture], return_tensors="pt"), None
        if image_token_of(config) is None or pictures_in(inputs["input_ids"][0], config):
            return inputs, ()
    except ValueError as error:
        refusal = error
    if getattr(reader, "chat_template", None) is None:
        raise refusal or ValueError(NO_PLACE.format(token=getattr(reader, "image_token", "<image>")))
    message = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": text}]}
    prompt = reader.apply_chat_template([message], add_generation_prompt=True, tokenize=False)
    return reader(text=[prompt], images=[picture], return_tensors="pt"), (IN_TEMPLATE,)


def _pixels(given, image):
    """What a processor makes of a picture that's read alone."""
    read = _reader_of_images(given.tokenizer)
    if getattr(given.source, "main_input_name", None) == "input_ids":
        raise ValueError(NO_TEXT.format(type(given.source).__name__))
    return read(images=_picture(image), return_tensors="pt")


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


def _picture(image):
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
