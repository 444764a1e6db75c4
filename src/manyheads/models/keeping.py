"""Our models' weights: how they are written and read, and those that the package keeps.

`kept/` holds what we trained, as float16, and `manifest.json`, which says for each file its SHA-256, the recipe that it
was trained by (its version, and a key of the config and data that went into it), the command, the seed, and the
metrics that it reached. `make train` writes both; nothing else trains them.
"""

import hashlib
import json
from dataclasses import fields
from functools import lru_cache
from pathlib import Path

from manyheads.models.files import read_tensors, write_tensors
from manyheads.whole_files import read_whole, remedy_by_installing

KEPT = Path(__file__).parent / "kept"
MANIFEST = KEPT / "manifest.json"


@lru_cache
def manifest():
    """What is kept, by the names of the files.

    >>> entry = manifest()["focus-taught.safetensors"]
    >>> [entry[name] for name in ("model", "variant", "seed", "command")]
    ['focus', 'taught', 0, 'make train MODEL=focus']
    """
    return json.loads(MANIFEST.read_text(encoding="utf-8"))


def kept_variants(model):
    """The variants of a model that are kept; `""` is the model itself.

    >>> kept_variants("translator")
    ['taught', 'heads-1']
    """
    return [entry["variant"] for entry in manifest().values() if entry["model"] == model]


def file_name(model, variant):
    """The name of the file that holds a variant of a model, here and on pages.

    >>> file_name("focus", "heads-8"), file_name("induction", "")
    ('focus-heads-8.safetensors', 'induction.safetensors')
    """
    return "-".join(filter(None, (model, variant))) + ".safetensors"


def kept_file(model, variant=""):
    """The path of a kept file, after a look at its SHA-256.

    >>> kept_file("induction", "step-190").name
    'induction-step-190.safetensors'

    Raises `ValueError` for a variant that isn't kept, and for a file that isn't the manifest's.
    """
    variants = kept_variants(model)
    if variant not in variants:
        raise ValueError(f"no such variant: {variant!r}; there are {', '.join(filter(None, variants))}")
    path = KEPT / file_name(model, variant)
    if not path.is_file():
        raise ValueError(f"{path} is missing: {remedy_by_installing(path)}")
    if sha256(path) != manifest()[path.name]["sha256"]:
        wrong = "is damaged or of another version, for its SHA-256 isn't the manifest's"
        raise ValueError(f"{path} {wrong}: {remedy_by_installing(path)}")
    return path


def kept_files(model):
    """The paths of all that is kept of a model."""
    return [kept_file(model, variant) for variant in kept_variants(model)]


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def write_model(path, module, header, dtype):
    """Write a module's weights, and a header {name: JSON value}."""
    tensors = {name: tensor.to(dtype) for name, tensor in module.state_dict().items()}
    write_tensors(path, tensors, {name: json.dumps(value, ensure_ascii=False) for name, value in header.items()})


def read_model(path, kind, needed, config_class):
    """The header of a model of this kind, its config, and its tensors by name, as float32.

    Raises `ValueError` where the header lacks what is needed or has another version's config, and for another kind of
    file.
    """
    refuse_other_files(path)
    with read_whole(path, "take another copy of it"):
        tensors, header = read_tensors(path)
        header = {name: json.loads(value) for name, value in header.items()}
    if missing := {"config", *needed} - set(header):
        raise ValueError(f"{path} is not a {kind}: its header lacks {', '.join(sorted(missing))}")
    if differing := set(header["config"]) ^ {field.name for field in fields(config_class)}:
        raise ValueError(f"{path} was made by another version of manyheads: its config differs in {sorted(differing)}")
    return header, config_class(**header["config"]), {name: tensor.float() for name, tensor in tensors.items()}


def refuse_other_files(path):
    """Refuse a file that holds no safetensors, such as what `torch.save` writes, and say what makes one.

    >>> refuse_other_files(__file__)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: ...keeping.py isn't a safetensors file: load it with what wrote it, and write it by ...
    """
    path = Path(path).expanduser()
    if path.suffix == ".safetensors" or not path.is_file():
        return
    with path.open("rb") as file:
        start = file.read(9)  # the header's length, and its first brace
    if start[8:] != b"{":
        raise ValueError(
            f"{path} isn't a safetensors file: load it with what wrote it, and write it by the model's save(path)"
        )


def fill(module, tensors, path):
    """Give a module its tensors; raises `ValueError` where one is missing, extra or of another shape."""
    expected = {name: list(tensor.shape) for name, tensor in module.state_dict().items()}
    found = {name: list(tensor.shape) for name, tensor in tensors.items()}
    if expected != found:
        wrong = {name: found.get(name) for name in expected if expected[name] != found.get(name)}
        raise ValueError(f"{path} should have {len(expected)} tensors, has {len(found)}; these differ: {wrong}")
    module.load_state_dict(tensors)
