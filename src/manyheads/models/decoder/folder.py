"""A folder of a model as transformers saves it, read as if it were a GGUF file of that model.

`folder` of `shared/gguf.json` says which facts and tensors are which: twin of web/models/folder.ts.
"""

import json
import math
import mmap
import re

import numpy as np

from manyheads.models.decoder.gguf import GGUF, NotRead, Tensor, fault, judge, opened
from manyheads.models.decoder.tokens import facts_of_tokenizer

TABLE, FLOATS = GGUF["folder"], ("F32", "F16", "BF16")
TENSOR = re.compile(r"(?:model\.|transformer\.)?(?:(?:layers|h)\.(\d+)\.)?(.+)\.(weight|bias)")
FOLLOWS = re.compile(r"rotary_emb\.inv_freq$|\.attn\.(masked_)?bias$")  # older files' tensors that others imply
LONGEST = 2**26  # bytes of a header


def read_folder(folder):
    """The facts and the tensors of a folder, as `read_gguf` gives those of a file."""
    return opened(folder, _facts_and_tensors)


def _facts_and_tensors(folder):
    if (folder / "adapter_config.json").exists() and not (folder / "config.json").exists():
        judge({"general.type": "adapter"}, [])
    own = _json(folder, "config.json")
    model = own.get("model_type")
    if not isinstance(model, str) or model not in TABLE["models"]:
        raise NotRead(fault("architecture", architecture=str(model)[:40], known=", ".join(TABLE["models"])))
    scaling = [own.get(name) or {} for name in ("rope_scaling", "rope_parameters")]
    if not all(isinstance(each, dict) for each in scaling):
        raise ValueError(fault("file", name="config.json"))
    config = TABLE["config"] | TABLE["models"][model] | own
    files = TABLE["models"][model].get("files", {})
    config |= {name: own[theirs] for theirs, name in files.get("names", {}).items() if own.get(theirs) is not None}
    for each in scaling:  # which older files call otherwise
        local, each = each.get("sliding_attention") or {}, each.get("full_attention") or each
        if not isinstance(local, dict) or not isinstance(each, dict):
            raise ValueError(fault("file", name="config.json"))
        if local.get("rope_type", "default") != "default":
            raise ValueError(fault("stretched", value=local["rope_type"]))
        config |= {"rope_local_base_freq": local["rope_theta"]} if "rope_theta" in local else {}
        config |= {"rope_type": each.get("type", "default")} | each if each else {}
    facts, factors = _facts(config, files)
    written = _json(folder, "tokenizer.json")
    ends = _json(folder, "generation_config.json", {}).get("eos_token_id") or config.get("eos_token_id")
    try:
        facts |= facts_of_tokenizer(written, ends if isinstance(ends, list) else [ends])
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(fault("file", name="tokenizer.json")) from error
    tensors = dict(_in_files(*named, files) for named in _tensors(folder))
    if config["tie_word_embeddings"]:
        tensors.pop("output.weight", None)
    elif "output.weight" not in tensors:
        raise ValueError(fault("lacks", name="lm_head.weight"))
    if factors is not None:
        tensors["rope_freqs.weight"] = Tensor("F32", factors.view(np.uint8)[None])
    return facts, tensors


def _json(folder, name, otherwise=None):
    if not (folder / name).exists():
        if otherwise is not None:
            return otherwise
        raise ValueError(fault("folder", name=name))
    try:
        found = json.loads((folder / name).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(fault("file", name=name)) from error
    if not isinstance(found, dict):
        raise ValueError(fault("file", name=name))
    return found


def _facts(config, files):
    """The facts of a GGUF file of the same model, and by what the rotation of each pair of columns is slowed."""
    architecture, factors = config["architecture"], None
    every = GGUF["architectures"][architecture].get("every")
    name, last = files.get("last", (None, None))
    kinds = config.get(name) if isinstance(config.get(name), list) else []
    if any((each == last) == ((layer + 1) % every > 0) for layer, each in enumerate(kinds)):
        raise ValueError(fault("unturned", every=every))
    width, scalar = config.get("hidden_size"), config.get("query_pre_attn_scalar")
    if architecture == "gpt2" and isinstance(width, int) and config.get("intermediate_size") is None:
        config["intermediate_size"] = 4 * width
    if isinstance(scalar, int | float) and scalar > 0:
        config["attention_multiplier"] = scalar**-0.5
    for cap in ("attn_logit_softcapping", "final_logit_softcapping"):
        config[cap] = config.get(cap) or 0
    config["hidden_act"] = TABLE["activations"].get(str(config["hidden_act"]), config["hidden_act"])
    if config["rope_type"] == "llama3":
        factors = _factors(config)
    if config["rope_type"] in ("default", "llama3"):
        config["rope_type"] = "none"
    rows = [row for row in (*GGUF["facts"].values(), *GGUF["ruledOut"]) if config.get(row.get("config")) is not None]
    facts = {f"{architecture}.{row['fact']}": config[row["config"]] for row in rows}
    return facts | {"general.architecture": architecture, f"{architecture}.rope.pairs": "halves"}, factors


def _factors(config):  # -> float32 [pair]
    """How much slower Llama 3 turns each pair of columns, as transformers' `_compute_llama3_parameters` has it."""
    names = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings", "rope_theta")
    values = [config.get(name) for name in (*names, "hidden_size", "num_attention_heads")]
    if not all(type(value) in (int, float) and 0 < value < math.inf for value in values):
        raise ValueError(fault("file", name="config.json"))
    factor, low, high, context, base, width, heads = values
    half = (config.get("head_dim") or width // heads) // 2
    turns = context * base ** (-np.arange(half) / half) / (2 * np.pi)  # within the text that it was first trained on
    smooth = np.clip((turns - low) / (high - low), 0, 1)
    return (1 / ((1 - smooth) / factor + smooth)).astype(np.float32)


def _in_files(name, tensor, files):
    """What a GGUF file calls a tensor, its own name, where it has none, and the tensor as it is there."""
    layer, names = None, TABLE["tensors"] | files.get("tensors", {})
    if place := TENSOR.fullmatch(name):
        layer, module, part = place.groups()
        if module in names:
            name = ("" if layer is None else f"blk.{layer}.") + f"{names[module]}.{part}"
    if name.endswith("norm.weight"):
        return name, Tensor("F32", (tensor.unpacked() + 1).view(np.uint8)) if files.get("raises") else tensor
    if files.get("transposed") and layer is not None and name.endswith(".weight"):
        turned = tensor.packed.reshape(len(tensor.packed), -1, GGUF["blocks"][tensor.kind]["bytes"]).swapaxes(0, 1)
        tensor = Tensor(tensor.kind, turned.reshape(len(turned), -1))
    return name, tensor


def _tensors(folder):  # yields (name, Tensor)
    index = _json(folder, "model.safetensors.index.json", {}).get("weight_map", {"": "model.safetensors"})
    names = {*index.values()} if isinstance(index, dict) else {None}
    if not all(isinstance(name, str) and re.fullmatch(r"[^/\\]+", name) for name in names):
        raise ValueError(fault("file", name="model.safetensors.index.json"))
    for name in sorted(names):
        if not (folder / name).exists():
            raise ValueError(fault("folder", name=name))
        yield from _of_safetensors(folder / name)


def _of_safetensors(path):
    """The tensors of a file: https://github.com/huggingface/safetensors#format."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, LONGEST):
            raise ValueError(fault("file", name=path.name))
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        header = json.loads(data[8 : 8 + length])
        header.pop("__metadata__", None)
        places = [(name, each["dtype"], each["shape"], *each["data_offsets"]) for name, each in header.items()]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(fault("file", name=path.name)) from error
    for name, kind, shape, start, end in places:
        if FOLLOWS.search(name):
            continue
        if kind not in FLOATS:
            raise NotRead(fault("kind", kind=str(kind)[:40]))
        numbers = [start, end, *shape]
        if not 1 <= len(shape) <= 2 or any(type(number) is not int or number < 0 for number in numbers) or 0 in shape:
            raise ValueError(fault("file", name=path.name))
        if end - start != math.prod(shape) * GGUF["blocks"][kind]["bytes"] or 8 + length + end > size:
            raise ValueError(fault("file", name=path.name))
        packed = np.frombuffer(data, np.uint8, end - start, 8 + length + start)
        yield name, Tensor(kind, packed.reshape(math.prod(shape[:-1]), -1))
