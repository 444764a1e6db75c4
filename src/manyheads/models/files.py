"""Where what is derived from pretrained models lies, and how it is written and read."""

import hashlib
import json
import os
from pathlib import Path

from filelock import FileLock

from manyheads.repository import clone_of
from manyheads.whole_files import write_whole

PACKAGE = Path(__file__).parent.parent
MEASURED = PACKAGE / "models" / "measured"


def cache_folder():
    """The folder that keeps what was derived from the pretrained models.

    It is `$MANYHEADS_CACHE`; else `.cache` of the clone that the package is run from, where make keeps its own; else
    `~/.cache/manyheads`.

    >>> cache_folder().is_dir()
    True
    """
    folder = cache_place()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def cache_place():
    """Where that folder is, or would be."""
    return Path(os.environ.get("MANYHEADS_CACHE") or _default_cache(PACKAGE)).expanduser()


def _default_cache(package):
    clone = clone_of(package)
    return clone / ".cache" if clone else Path.home() / ".cache" / "manyheads"


def measured_file(folder, name):
    """The path of what was measured of a pretrained model, whose name holds a key of what that follows from.

    It lies in our folder, where we measured it; where something of it has changed since, in the cache.

    >>> measured_file(MEASURED, "senses-of-other-words.npz").parent == cache_folder()
    True
    """
    ours = folder / name
    return ours if ours.exists() else cache_folder() / name


def write_tensors(path, tensors, header):
    """Write a safetensors file, whole or not at all."""
    from safetensors.torch import save_file  # torch takes seconds to import, and most of what is read needs none

    with write_whole(path) as beside:
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, beside, header)


def read_tensors(path):
    """What `write_tensors` wrote: the tensors by name, and the header."""
    from safetensors import safe_open

    with safe_open(Path(path).expanduser(), "pt") as file:
        names = file.keys()
        return {name: file.get_tensor(name) for name in names}, file.metadata() or {}


def made_once(path, make):
    """The path, after calling `make()` if nothing is there; of several processes the first makes it, the rest wait.

    >>> made_once(cache_folder(), make=None) == cache_folder()  # it is there
    True
    """
    if not path.exists():
        with FileLock(path.with_suffix(".lock")):
            if not path.exists():
                make()
    return path


def write_page_file(path, packed, unpacked):
    """Write a file that pages fetch; gives what its list says of it."""
    path.write_bytes(packed)
    return listed(path.name, packed, unpacked)


def listed(name, packed, unpacked):
    """What a list says of a file that pages fetch, with the SHA-256 of what is unpacked."""
    sha256 = hashlib.sha256(unpacked).hexdigest()
    return {"name": name, "packed": len(packed), "bytes": len(unpacked), "sha256": sha256}


def key_of(**parts):
    """A key that changes with any of its parts: JSON values and dataclasses of them.

    >>> key_of(recipe=1) == key_of(recipe=1), key_of(recipe=1) == key_of(recipe=2)
    (True, False)
    """
    return hashlib.sha256(json.dumps(parts, default=vars).encode()).hexdigest()[:16]
