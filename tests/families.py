"""`make families`: HeadMap.of on every family of models that transformers can build small, with random weights.

Prints how each came out, and fails where one is answered by anything but a map or a sentence of ours.
"""

import sys
import time
import warnings
from collections import Counter

import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_MAPPING

from manyheads.widgets import HeadMap

BUDGET = 600  # seconds for all
LARGEST = 60e6  # parameters; what can't be made smaller is left out
TOKENS = 7
SMALL = {
    **dict.fromkeys(
        ("hidden_size", "d_model", "n_embd", "dim", "embed_dim", "embedding_size", "word_embed_proj_dim"), 32
    ),
    **dict.fromkeys(
        ("intermediate_size", "d_ff", "n_inner", "hidden_dim", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim"), 64
    ),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers"), 2),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"), 4),
    **dict.fromkeys(("decoder_attention_heads", "num_decoder_layers_heads"), 4),
    **dict.fromkeys(("num_key_value_heads", "num_local_experts", "num_experts", "n_routed_experts"), 2),
    **dict.fromkeys(("num_experts_per_tok", "moe_topk"), 1),
    **dict.fromkeys(("head_dim", "d_kv"), 8),
    "num_decoder_layers": 2,
    "vocab_size": 64,
    "moe_intermediate_size": 32,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 0,
    "use_mamba_kernels": False,
}


def small(kind):
    """A configuration of a family, made small where its fields allow it."""
    fields = kind().to_dict()
    known = {name: value for name, value in SMALL.items() if name in fields}
    kinds = fields.get("layer_types")
    if isinstance(kinds, list) and kinds:
        known["layer_types"] = [kinds[0], kinds[-1]]
    return kind(**known)


def inputs_of(model):
    """What a model reads, by the names that its forward pass has; None where that is no text and no image."""
    ids = torch.arange(3, 3 + TOKENS)[None]
    name = model.main_input_name
    if name == "input_ids":
        both = {"decoder_input_ids": ids} if model.config.is_encoder_decoder else {}
        return {"input_ids": ids, **both}
    if name == "pixel_values":
        size = getattr(model.config, "image_size", 32)
        height, width = size if isinstance(size, (list, tuple)) else (size, size)
        return {"pixel_values": torch.randn(1, getattr(model.config, "num_channels", 3), height, width)}
    return None


def tried(name):
    """How a family came out: ("map" or "refused" or "not built" or "RAW", what is said of it)."""
    try:
        config = small(CONFIG_MAPPING[name])
        kind = MODEL_MAPPING[type(config)]
        kind = kind[0] if isinstance(kind, tuple) else kind
        with torch.device("meta"):
            size = sum(part.numel() for part in kind(config).parameters())
        if size > LARGEST:
            return "not built", f"{size / 1e6:.0f} million parameters at the least"
        torch.manual_seed(0)
        model = kind(config).eval()
        inputs = inputs_of(model)
        if inputs is None:
            return "not built", f"it reads {model.main_input_name}"
        with torch.no_grad():
            model(**inputs)
    except Exception as error:
        return "not built", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    try:
        shown = HeadMap.of(model, inputs=inputs)
    except (ValueError, TypeError) as error:
        ours = "manyheads" in error.__traceback__.tb_frame.f_code.co_filename or _raised_by_us(error)
        return ("refused" if ours else "RAW"), str(error)
    except Exception as error:
        return "RAW", f"{type(error).__name__}: {error}"
    return "map", ", ".join(f"{part or 'one'} {attention.attention.shape}" for part, attention in [("", shown)])


def _raised_by_us(error):
    last = error.__traceback__
    while last.tb_next:
        last = last.tb_next
    return "/manyheads/" in last.tb_frame.f_code.co_filename


def main():
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    start, results = time.monotonic(), {}
    names = [name for name in CONFIG_MAPPING if CONFIG_MAPPING[name] in MODEL_MAPPING]
    for name in names:
        if time.monotonic() - start > BUDGET:
            break
        results[name] = tried(name)
        print(f"{name:32} {results[name][0]:10} {results[name][1][:140]}", flush=True)
    counts = Counter(result for result, _ in results.values())
    print(f"{len(results)} of {len(names)} families in {time.monotonic() - start:.0f} s: {dict(counts)}")
    return counts["RAW"]


if __name__ == "__main__":
    sys.exit(main())
