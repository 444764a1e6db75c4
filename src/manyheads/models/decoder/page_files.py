"""The decoder's GGUF file for a page, in pieces of a layer each, so that a page can show how far it is.

`decoder.json` lists the pieces in the order in which they make up the file:

    {"files": {"header": FILE, "embedding": FILE, "layer-0": FILE, "layer-1": FILE, "layer-10": FILE, ...}}

where FILE is {"name", "packed", "bytes", "sha256"}: the piece's name beside `decoder.json`, its size as sent and as
unpacked, and the SHA-256 of what is unpacked, as in `encoder.json`. The header, all that comes before the first tensor,
is packed by gzip; the others are sent as they are, and each begins with a tensor.
"""

import gzip
import json

from manyheads.models.decoder.gguf import read_gguf
from manyheads.models.decoder.weights import gguf_file
from manyheads.models.files import cache_folder, key_of, made_once, write_page_file
from manyheads.models.pretrained import DECODER_FILE, FILES
from manyheads.whole_files import write_whole

FIRST_OF_A_LAYER = ".attn_norm.weight"  # as the file has them

# The version of the files. Raise it when code changes what is in them.
RECIPE = 2


def decoder_page_files():
    """The paths of the files that pages fetch to run the decoder; made once, and kept under a key of all that goes in.

    >>> [path.name for path in decoder_page_files()][:3], len(decoder_page_files())
    (['decoder-embedding.bin', 'decoder-header.gz', 'decoder-layer-0.bin'], 33)
    >>> sum(path.stat().st_size for path in decoder_page_files()) <= 98_000_000
    True
    """
    folder = cache_folder() / f"decoder-{key_of(recipe=RECIPE, gguf=FILES[DECODER_FILE].sha256)}"
    folder.mkdir(exist_ok=True)
    made_once(folder / "decoder.json", lambda: _make(folder))  # written last
    return sorted(path for path in folder.iterdir() if path.suffix in (".gz", ".json", ".bin"))


def _make(folder):
    contents, (_, tensors) = gguf_file().read_bytes(), read_gguf(gguf_file())
    starts = {"header": 0, "embedding": tensors["token_embd.weight"].start}
    for name, tensor in tensors.items():
        if name.endswith(FIRST_OF_A_LAYER):
            starts[f"layer-{name.split('.')[1]}"] = tensor.start
    files = {}
    for (part, start), end in zip(starts.items(), [*list(starts.values())[1:], len(contents)]):
        piece = contents[start:end]
        if part == "header":
            files[part] = write_page_file(folder / "decoder-header.gz", gzip.compress(piece, 9, mtime=0), piece)
        else:
            files[part] = write_page_file(folder / f"decoder-{part}.bin", piece, piece)
    with write_whole(folder / "decoder.json") as beside:
        beside.write_text(json.dumps({"files": files}, indent=1), encoding="utf-8")
