"""What vision-language models write, beside the pictures that it's about: weights are eager's, and places the processor's.

Where a patch lies is found out by painting over it: with the attention of its tower switched off, one vector of the
text changes more than all others.
"""

import re
from itertools import pairwise

import numpy as np
import pytest
import torch
from close import assert_close
from vision_language import FAMILIES, family, inputs_about, picture

from manyheads.widgets import HeadMap

WRITING = {"output_attentions": True, "return_dict_in_generate": True, "max_new_tokens": 3, "do_sample": False}
NEAR = re.compile(r"(vision|visual).*(attn|attention)\.(out_proj|proj|projection_layer)$")
# One picture, one that's twice as wide as high, and two of unlike shapes.
SIZES = {"one": [(96, 96)], "wide": [(192, 96)], "two": [(64, 96), (192, 96)]}
CASES = [(name, sizes) for name in FAMILIES for sizes in SIZES]


def asked(name, pictures):
    crops = {"do_pan_and_scan": True, "pan_and_scan_min_crop_size": 8}
    return inputs_about(name, *pictures, **(crops if name == "gemma" else {}))


@pytest.mark.parametrize(("name", "sizes"), CASES)
def test_weights_are_those_of_the_model_before_and_after_it_wrote(name, sizes):
    (model, processor), pictures = family(name), [picture(*size, seed) for seed, size in enumerate(SIZES[sizes])]
    inputs = asked(name, pictures)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        written = model.generate(**inputs, **WRITING)
    prompt, *steps = [torch.stack(step)[:, 0].numpy() for step in written.attentions]
    count, random = inputs["input_ids"].shape[1], torch.get_rng_state()
    kept = {key: value.clone() for key, value in inputs.items()}
    reread = dict(inputs, input_ids=written.sequences)
    for source, read in ((written, inputs), (model, inputs), (model, reread)):
        shown = HeadMap.of(source, inputs=read, tokenizer=processor, image=pictures).attention
        assert_close(shown.weights[:, :, :count, :count], prompt)
        for number, step in enumerate(() if read is inputs and source is model else steps, start=count):
            assert_close(shown.weights[:, :, number, : number + 1], step[:, :, 0])
        assert shown.answer_start == (None if read is inputs and source is model else count)
    assert_lies_there(name, shown, pictures)
    assert all(torch.equal(kept[key], inputs[key]) for key in kept)
    assert torch.equal(random, torch.get_rng_state())


@pytest.mark.parametrize("name", ["idefics", "qwen2"])
def test_a_long_text_by_sentences_has_its_pictures_and_its_answer(name):
    (model, processor), pictures = family(name), [picture(64, 96), picture(192, 96, 1)]
    inputs = inputs_about(name, *pictures, text="what is this . " * 50)
    model.set_attn_implementation("eager")
    written = model.generate(**inputs, **WRITING)
    options = {"inputs": inputs, "tokenizer": processor, "image": pictures}
    whole = HeadMap.of(written, **options).attention
    short = HeadMap.of(written, **options, max_weights=whole.weights.size // 2).attention
    assert short.shape < whole.shape
    assert short.picture.places == whole.picture.places
    keys, all_keys = (
        [place for place, token in enumerate(one.key_tokens) if "patch" in token] for one in (short, whole)
    )
    assert (keys[0], all_keys[0]) == (short.picture.key_start, whole.picture.key_start)
    assert_close(short.weights[:, :, -1, keys], whole.weights[:, :, -1, all_keys])
    assert_close(
        short.weights[:, :, -1, short.answer_start :], whole.weights[:, :, -1, whole.answer_start :], part=1e-5
    )


def assert_lies_there(name, shown, pictures):
    """Whether each cell of what's shown has the token that changes most when the picture is painted over there."""
    before = vectors(name, pictures)
    table = np.array([-1 if place is None else place for place in shown.picture.after]).reshape(shown.picture.rows, -1)
    gaps = [-1, *np.flatnonzero((table < 0).all(0)), table.shape[1]]
    for left, right in pairwise(gaps):
        cells = table[: (table[:, left + 1] >= 0).sum(), left + 1 : right] + shown.picture.key_start
        called = shown.key_tokens[cells[0, 0]]
        number = int(called.split()[1].strip(",")) - 1 if called.startswith(" picture") else 0
        rows, columns = cells.shape
        for row, column in ((0, 0), (0, columns - 1), (rows - 1, 0), (rows // 2, columns // 2)):
            painted = list(pictures)
            painted[number] = paint(pictures[number], row, column, rows, columns, middle=name == "llava")
            moved = np.linalg.norm(vectors(name, painted) - before, axis=-1)
            assert cells[row, column] == cells.ravel()[moved[cells].argmax()], f"{called} {row}, {column}"


def paint(image, row, column, rows, columns, middle):
    """The picture with a part of it, of so many, painted over; of its middle where a model is given no more."""
    image = image.copy()
    side = min(image.size)
    wide, high = (side, side) if middle else image.size
    left, top = (image.width - wide) // 2 + wide * column // columns, (image.height - high) // 2 + high * row // rows
    box = (left, top, left + wide // columns, top + high // rows)
    image.paste(image.crop(box).point(lambda value: 0 if value > 127 else 255), box)
    return image


def vectors(name, pictures):
    """The vectors of a text's tokens as its first layer has them, where no patch has looked at another."""
    model, _ = family(name)
    found = []
    silent = [
        module.register_forward_hook(lambda *args: args[-1] * 0)
        for key, module in model.named_modules()
        if NEAR.search(key)
    ]
    first = next(
        module for key, module in model.named_modules() if re.search(r"(language|text)_model\.layers\.0$", key)
    )
    seen = first.register_forward_pre_hook(
        lambda _, args, named: found.append(named.get("hidden_states", args[0] if args else None)), with_kwargs=True
    )
    with torch.no_grad():
        model(**asked(name, pictures))
    for hook in (*silent, seen):
        hook.remove()
    assert len(silent) >= 2
    return found[0][0].numpy()
