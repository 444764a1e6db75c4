"""How our models are written and read: safetensors with a header of JSON values."""

import json
from dataclasses import fields

from manyheads.models.files import read_tensors, write_tensors
from manyheads.whole_files import read_whole


def write_model(path, module, header):
    """Write a module's weights as float32, and a header {name: JSON value}."""
    write_tensors(path, {name: tensor.float() for name, tensor in module.state_dict().items()}, header_text(header))


def header_text(header):
    """A header {name: JSON value} as safetensors takes it.

    >>> header_text({"heads": 4})
    {'heads': '4'}
    """
    return {name: json.dumps(value, ensure_ascii=False) for name, value in header.items()}


def read_model(path, kind, needed, config_class):
    """The header of a model of this kind, its config, and its tensors by name.

    Raises `ValueError` where the header lacks what is needed or has another version's config.
    """
    with read_whole(path):
        tensors, header = read_tensors(path)
        header = {name: json.loads(value) for name, value in header.items()}
    if missing := {"config", *needed} - set(header):
        raise ValueError(f"{path} is not a {kind}: its header lacks {', '.join(sorted(missing))}")
    if differing := set(header["config"]) ^ {field.name for field in fields(config_class)}:
        raise ValueError(f"{path} was made by another version of manyheads: its config differs in {sorted(differing)}")
    return header, config_class(**header["config"]), tensors


def fill(module, tensors, path):
    """Give a module its tensors; raises `ValueError` where one is missing, extra or of another shape."""
    expected = {name: list(tensor.shape) for name, tensor in module.state_dict().items()}
    found = {name: list(tensor.shape) for name, tensor in tensors.items()}
    if expected != found:
        wrong = {name: found.get(name) for name in expected if expected[name] != found.get(name)}
        raise ValueError(f"{path} should have {len(expected)} tensors, has {len(found)}; these differ: {wrong}")
    module.load_state_dict(tensors)
