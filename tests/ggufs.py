"""Small random language models of each architecture, written as GGUF files as llama.cpp's converter writes them."""

import json
from functools import cache

import numpy as np
import torch
import transformers
from gguf import (
    GGML_QUANT_SIZES,
    MODEL_ARCH,
    MODEL_ARCH_NAMES,
    GGMLQuantizationType,
    GGUFReader,
    GGUFWriter,
    RopeScalingType,
    TokenType,
    get_tensor_name_map,
    quants,
)
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

CONFIGS = {"llama": "LlamaConfig", "qwen2": "Qwen2Config", "qwen3": "Qwen3Config", "smollm3": "SmolLM3Config"}
CONFIGS |= {"phi3": "Phi3Config", "gpt2": "GPT2Config", "olmo2": "Olmo2Config", "granite": "GraniteConfig"}
CONFIGS |= {"gemma": "GemmaConfig", "gemma2": "Gemma2Config", "gemma3": "Gemma3TextConfig"}
ARCHITECTURES = tuple(CONFIGS)
PRE_TOKENIZERS = {"llama": "llama-bpe", "qwen2": "qwen2", "qwen3": "qwen2", "smollm3": "llama-bpe"}
PERMUTED = ("llama", "smollm3", "granite")  # the converter puts the two columns that turn together side by side
STRAIGHT = ("phi3", "gpt2")  # whose positions aren't stretched
LAYERS = {"smollm3": 5, "gemma3": 7}  # of which the fourth isn't turned, and the sixth isn't local
WIDE = {"gemma2": 46, "gemma3": 62}  # layers of models whose queries are divided by another root
ODD = {  # what models of these architectures have besides, and other models don't
    "granite": {"embedding_multiplier": 3.0, "residual_multiplier": 0.4, "logits_scaling": 2.5}
    | {"attention_multiplier": 0.3},
    "gemma2": {"attn_logit_softcapping": 8.0, "final_logit_softcapping": 2.0},
}
SCALES_AND_CAPS = {  # what llama.cpp calls them
    "embedding_multiplier": "embedding_scale",
    "residual_multiplier": "residual_scale",
    "logits_scaling": "logit_scale",
    "attention_multiplier": "attention.scale",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
}
MIXES = {  # kinds of the tensors whose names begin so, and of all others
    "Q4_K_M": {"attn_v": "Q6_K", "ffn_down": "Q6_K", "token_embd": "Q6_K", "output.": "Q6_K", "": "Q4_K"},
    "Q5_K_M": {"attn_v": "Q6_K", "ffn_down": "Q6_K", "token_embd": "Q6_K", "output.": "Q6_K", "": "Q5_K"},
}
SHAPES = {  # of models that many have, for `write_shape`
    "Qwen2.5-0.5B": {"architecture": "qwen2", "layers": 24, "heads": 14, "kv_heads": 2, "width": 896, "hidden": 4864}
    | {"tokens": 151_936, "rope_base": 1e6, "epsilon": 1e-6},
    "Llama-3.2-1B": {"architecture": "llama", "layers": 16, "heads": 32, "kv_heads": 8, "width": 2048, "hidden": 8192}
    | {"tokens": 128_256, "rope_base": 5e5},
}
END = "<|endoftext|>"
LEAST = ("Q4_1", "Q5_1", "Q2_K", "Q4_K", "Q5_K")  # kinds whose blocks have least values
NO_NUMBER, INFINITE = float("nan"), float("inf")
# Weights that are no numbers: in which tensor, what stands there, and whether as the least value of a block.
SPOILT = [("blk.1.ffn_down.weight", NO_NUMBER, False), ("blk.0.attn_norm.weight", INFINITE, False)]
SPOILT += [("token_embd.weight", INFINITE, False), ("blk.1.attn_k.weight", NO_NUMBER, True)]
# What is said of a file, by what makes it so: page and Python say the same.
REFUSED = {
    "its architecture is “gemma3n”; those that are read here are llama, qwen2, qwen3, smollm3, phi3, gpt2, olmo2,": {
        "facts": {"general.architecture": "gemma3n"}
    },
    "its architecture is “mamba”": {"facts": {"general.architecture": "mamba"}, "kind": "TQ1_0"},
    "it has weights of a kind that isn’t read here (TQ1_0). A file in Q4_K_M, Q8_0 or F16 would do.": {"kind": "TQ1_0"},
    "it’s an adapter (LoRA)": {"facts": {"general.type": "adapter", "general.architecture": "gemma3n"}},
    "it’s an adapter (LoRA), which": {"tensors": {"blk.0.attn_q.weight.lora_a": np.ones((2, 96))}},
    "it’s an adapter (LoRA), which changes": {"facts": {"general.architecture": "controlvector"}},
    "it’s a projector (mmproj)": {"facts": {"general.type": "mmproj"}, "kind": "TQ1_0"},
    "it’s a projector (mmproj), which": {"facts": {"general.architecture": "clip"}},
    "it’s an importance matrix": {"tensors": {"blk.0.attn_q.weight.in_sum2": np.ones(96)}},
    "its model is in 3 parts, of which these are missing: ": {"facts": {"split.count": 3}},
    "its model is in 3 parts": {"facts": {"split.count": 3, "general.architecture": None}},
    "it doesn’t say of which architecture": {"facts": {"general.architecture": None}},
    "it should give a whole number from 1 on as block_count, but gives nothing.": {
        "facts": {"llama.block_count": None}
    },
    "it should give a whole number from 1 on as block_count, but gives 0.": {"facts": {"llama.block_count": 0}},
    "it should give a whole number from 1 on as block_count, but gives 2147483648.": {
        "facts": {"llama.block_count": 2**31}
    },
    "it should give a whole number from 1 on as attention.head_count, but gives": {
        "facts": {"llama.attention.head_count": True}
    },
    "it should give a whole number from 0 on as attention.sliding_window, but gives wide.": {
        "facts": {"llama.attention.sliding_window": "wide"}
    },
    "it should give a number above 0 as rope.freq_base, but gives fast.": {"facts": {"llama.rope.freq_base": "fast"}},
    "it should give a number above 0 as rope.freq_base": {"facts": {"llama.rope.freq_base": NO_NUMBER}},
    "it should give a number above 0 as attention.layer_norm_rms_epsilon": {
        "facts": {"llama.attention.layer_norm_rms_epsilon": INFINITE}
    },
    "it lacks the tensor blk.2.attn_norm.weight.": {"facts": {"llama.block_count": 3}},
    "it lacks the tensor blk.16777215.attn_norm.weight.": {"facts": {"llama.block_count": 2**24}},
    "its blk.0.attn_output.weight is [96, 96], where its facts call for [96, 402653184].": {
        "facts": {"llama.attention.head_count": 2**24, "llama.attention.key_length": 24}
    },
    "its blk.0.attn_k.weight is [48, 96], where its facts call for [96, 96].": {
        "facts": {"llama.attention.head_count_kv": 4}
    },
    "its rope_freqs.weight is [7], where its facts call for [12].": {"tensors": {"rope_freqs.weight": np.ones(7)}},
    "its 4 heads of 24 columns can’t share 3 keys and values.": {"facts": {"llama.attention.head_count_kv": 3}},
    "its heads have 24 columns, but its rope.dimension_count is 12; equal ones alone are read here.": {
        "facts": {"llama.rope.dimension_count": 12}
    },
    "its heads have 24 columns, but its attention.value_length is 32; equal ones alone are read here.": {
        "facts": {"llama.attention.value_length": 32}
    },
    "its positions are stretched by yarn, which isn’t computed here.": {"facts": {"llama.rope.scaling.type": "yarn"}},
    "its layers choose among 8 experts, which isn’t computed here.": {"facts": {"llama.expert_count": 8}},
    "its tokens look ahead, so it writes nothing.": {"facts": {"llama.attention.causal": False}},
    "it has tensors that aren’t read here: blk.0.attn_q_norm.weight, strange.weight.": {
        "tensors": {"blk.0.attn_q_norm.weight": np.ones(24), "strange.weight": np.ones(3)}
    },
    "it has tensors that aren’t read here: blk.0.attn_output.bias.": {
        "tensors": {"blk.0.attn_output.bias": np.ones(96)}
    },
    "it has tensors that aren’t read here: blk.0.ffn_gate_inp.weight.": {
        "tensors": {"blk.0.ffn_gate_inp.weight": np.ones((2, 96))}
    },
    "it has tensors that aren’t read here: rope_factors_long.weight.": {
        "tensors": {"rope_factors_long.weight": np.ones(12)}
    },
    "its layers look through windows of 4096 tokens, as OLMo 3’s do, which isn’t computed here.": {
        "architecture": "olmo2",
        "facts": {"olmo2.attention.sliding_window": 4096},
    },
    "it doesn’t turn queries and keys by their positions, which isn’t computed here.": {
        "architecture": "granite",
        "facts": {"granite.rope.scaling.finetuned": False},
    },
    "it should give a number above 0 as embedding_scale, but gives 0": {
        "architecture": "granite",
        "facts": {"granite.embedding_scale": 0.0},
    },
    "other layers than every 6th turn queries and keys differently, which isn’t computed here.": {
        "architecture": "gemma3",
        "facts": {"gemma3.attention.sliding_window_pattern": 4},
    },
    "it should give a whole number from 1 on as attention.head_count_kv, but gives": {
        "architecture": "gemma3",
        "facts": {"gemma3.attention.head_count_kv": [1, 2, 1, 2, 1, 2, 1]},
    },
    "its position_embd.weight is [256, 96], where its facts call for [512, 96].": {
        "architecture": "gpt2",
        "facts": {"gpt2.context_length": 512},
    },
    "its rope_freqs.weight has weights that aren’t finite numbers": {
        "tensors": {"rope_freqs.weight": np.full(12, NO_NUMBER)}
    },
}
SCALES = {"Q4_K": [(0, 1.0), (2, 7.5)], "Q5_K": [(0, 1.0), (2, 15.5)], "Q6_K": [(208, 1.0)]}  # where, times which step
SCALES |= {"Q2_K": [(80, 1.0), (82, 1.5)], "Q3_K": [(108, 1.0)]}
PACKED = ("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "Q8_K", "IQ4_NL", "IQ4_XS")  # which `gguf` only unpacks
TEXT = """The opposite of hot is cold. The capital of Italy is Rome, and the capital of France is Paris. She said that they'd
read the other letters that the others had written; he didn't. Once upon a time there was a cup of tea. 1234 + 567 = ?
"""


def write_gguf(
    path,
    architecture,
    kind,
    *,
    seed=0,
    layers=None,
    width=None,
    heads=4,
    kv_heads=2,
    head_dim=None,
    hidden=None,
    context=256,
    rope_base=10_000.0,
    epsilon=1e-5,
    scaling=None,
    tied=True,
    tokens=None,
    pre=None,
    facts=None,
    tensors=None,
    large=False,
    each=0,
):
    """Write a random model and give transformers' model (float32, eval, eager) with exactly the weights of the file.

    `kind` is a key of `shared/gguf.json`'s blocks, the name of one of `MIXES`, or such a mix: {beginning of a tensor's
    name without its layer: kind}, of which the first that fits counts. Norms, biases and factors are always F32. Rows
    must be whole blocks: `width`, `hidden` and heads * head_dim multiples of 32, of 256 for the kinds of large blocks. And
    transformers has it that `width` is a multiple of `heads`, wherever `head_dim` isn't the one by the other.

    `scaling` slows the rotation: {"rope_type": "linear", "factor": 4.0}, or Llama 3's, {"rope_type": "llama3",
    "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}. `tokens`
    are rows of the embedding, where there shall be more than the tokenizer knows. `facts` come beside the usual ones or
    in their place (None leaves one out), and `tensors` {name: float32 array} beside the others. A `large` one is written
    to see how long it takes: its vocabulary is as long as its embedding, and the model that it gives has no weights.
    With `each`, so many tensors are in a file, and the model is in several beside `path`, called as llama.cpp calls them.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = write_gguf(pathlib.Path(folder) / "model.gguf", "qwen3", "Q8_0", heads=4, kv_heads=2, head_dim=24)
    >>> type(model).__name__, model.config.num_hidden_layers
    ('Qwen3ForCausalLM', 2)
    """
    mix = MIXES.get(kind, {"": kind}) if isinstance(kind, str) else kind
    whole = max(32, *(GGML_QUANT_SIZES[GGMLQuantizationType[each]][0] for each in mix.values()))
    layers = layers or LAYERS.get(architecture, 2)
    width, hidden = width or max(whole, 96), hidden or max(whole * 2, 160)
    head_dim = head_dim or width // heads
    if architecture == "gpt2":
        width, kv_heads = heads * head_dim, heads
    rope = {"rope_theta": rope_base, "rope_type": "default"} | (scaling or {})
    if architecture == "gemma3":
        local = {"rope_theta": rope_base, "rope_type": "default"}
        rope = {"sliding_attention": local, "full_attention": rope | {"rope_theta": 7 * rope_base}}
    more = dict(ODD.get(architecture, {}))
    if architecture in WIDE:
        more["query_pre_attn_scalar"] = width // heads if WIDE[architecture] == layers else head_dim
    tied = tied or architecture in ("gemma", "gemma2")  # of which files have no other output
    tokenizer = large_tokenizer(tokens) if large else small_tokenizer()
    config = getattr(transformers, CONFIGS[architecture])(
        vocab_size=tokens or tokenizer.get_vocab_size(),
        hidden_size=width,
        intermediate_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        head_dim=head_dim,
        max_position_embeddings=context,
        rms_norm_eps=epsilon,
        rope_parameters=rope,
        tie_word_embeddings=tied,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=None,
        **more,
    )
    if architecture == "gpt2":
        config.n_inner, config.layer_norm_epsilon = hidden, epsilon
    with torch.device("meta" if large else "cpu"):
        model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
    writer = GGUFWriter(path, architecture, split_max_tensors=each)
    written = _facts(architecture, config, head_dim) | _tokenizer_facts(architecture, config, tokenizer, pre)
    _add_facts(writer, written | (facts or {}))
    if (scaling or {}).get("rope_type") == "llama3":
        base, name = (7 * rope_base, "full_attention_inv_freq") if architecture == "gemma3" else (rope_base, "inv_freq")
        straight = base ** (-torch.arange(0, head_dim, 2) / head_dim)
        speeds = getattr(model.model.rotary_emb, name, straight)  # which no layer of five has
        writer.add_tensor("rope_freqs.weight", (straight / speeds).numpy())
    for name, array in (tensors or {}).items():
        writer.add_tensor(name, np.asarray(array, np.float32))
    _fill(model, writer, architecture, mix, np.random.default_rng(seed))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return model.requires_grad_(False)


def write_folder(folder, model, **options):
    """Save a model and its tokenizer as transformers does; `options` are those of `save_pretrained`."""
    model.save_pretrained(folder, **options)
    transformers.PreTrainedTokenizerFast(tokenizer_object=small_tokenizer()).save_pretrained(folder)


def changed_json(path, change):
    """Write a file of JSON anew, after a function has changed what stands in it."""
    found = json.loads(path.read_text(encoding="utf-8"))
    change(found)
    path.write_text(json.dumps(found), encoding="utf-8")


def _config(**values):
    return lambda folder: changed_json(folder / "config.json", lambda found: found.update(values))


def _tokenizer(change):
    return lambda folder: changed_json(folder / "tokenizer.json", change)


def _cut_short(name, length):
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:length])


def _only(*names):
    return lambda folder: [path.unlink() for path in folder.iterdir() if path.name not in names]


# What is said of a folder, by what was done to it: page and Python say the same.
REFUSED_FOLDERS = {
    "it lacks config.json. The folder of a model": _only("tokenizer.json"),
    "it lacks config.json.": _only(),
    "it lacks tokenizer.json.": _only("config.json", "model.safetensors"),
    "it lacks model.safetensors.": _only("config.json", "tokenizer.json"),
    "it’s an adapter (LoRA)": lambda folder: (folder / "config.json").rename(folder / "adapter_config.json"),
    "its config.json is damaged.": _cut_short("config.json", 99),
    "its tokenizer.json is damaged.": _cut_short("tokenizer.json", 999),
    "its tokenizer.json is damaged": _tokenizer(lambda found: found.pop("model")),
    "its model.safetensors is damaged.": _cut_short("model.safetensors", 5),
    "its model.safetensors is damaged. Download": _cut_short("model.safetensors", 99),
    "its model.safetensors is damaged. Download it again": _cut_short("model.safetensors", 20_000),
    "its architecture is “olmo”; those that are read here are llama, mistral,": _config(model_type="olmo"),
    "its feed-forward layers compute gelu, and silu alone is computed here.": _config(hidden_act="gelu"),
    "its positions are stretched by yarn": _config(rope_parameters={"rope_type": "yarn", "factor": 4.0}),
    "it turns 0.5 of the columns of each head": _config(partial_rotary_factor=0.5),
    "it should give a whole number from 1 on as block_count, but gives many.": _config(num_hidden_layers="many"),
    "it lacks the tensor lm_head.weight.": _config(tie_word_embeddings=False),
    "its tokenizer is of the kind “Unigram”": _tokenizer(lambda found: found["model"].update(type="Unigram")),
    "its tokenizer.json cuts texts": _tokenizer(lambda found: found["pre_tokenizer"].update(add_prefix_space=True)),
    "its tokenizer.json cuts texts, or": _tokenizer(lambda found: found.update(normalizer={"type": "Lowercase"})),
    "its tokenizer is damaged: it has no list of tokens": _tokenizer(
        lambda found: found["model"]["vocab"].update(tea=0)
    ),
}


LOCAL = {"rope_type": "linear", "factor": 2.0, "rope_theta": 10_000.0}
ODD_FOLDERS = {  # and of models of other architectures
    "other layers than every 6th turn queries": ("gemma3", _config(layer_types=["full_attention"] * 7)),
    "its positions are stretched by linear": ("gemma3", _config(rope_parameters={"sliding_attention": LOCAL})),
    "its tokens look ahead, so it writes nothing.": ("gemma3", _config(use_bidirectional_attention=True)),
    "its feed-forward layers compute gelu, and gelu_pytorch_tanh alone": ("gemma2", _config(hidden_activation="gelu")),
    "its scores are divided otherwise": ("gpt2", _config(scale_attn_by_inverse_layer_idx=True)),
}
REFUSED_FOLDERS = {sentence: ("llama", change) for sentence, change in REFUSED_FOLDERS.items()} | ODD_FOLDERS


def write_older(folder, architecture):
    """Rewrite a folder as those of the first years are."""
    if architecture == "gemma3":
        rope = json.loads((folder / "config.json").read_text(encoding="utf-8"))["rope_parameters"]
        bases = {"rope_theta": rope["full_attention"]["rope_theta"], "rope_parameters": None, "layer_types": None}
        bases |= {"rope_local_base_freq": rope["sliding_attention"]["rope_theta"], "sliding_window_pattern": 6}
        _config(**bases, rope_scaling={"rope_type": "linear", "factor": 3.0})(folder)
    if architecture == "gpt2":
        path = folder / "model.safetensors"
        tensors = {name.removeprefix("transformer."): tensor for name, tensor in load_file(path).items()}
        save_file(tensors | {"h.0.attn.bias": np.tri(4, dtype=np.float32)[None, None]}, path)
        _config(n_inner=None, activation_function="gelu_new")(folder)


def write_shape(folder, name):
    """Write a random model of the shape of one of `SHAPES`, with the kinds of blocks that Q4_K_M has there; give its path.

    Rows of 896 aren't whole blocks of 256: such tensors have other kinds then.
    """
    shape = SHAPES[name]
    layers = shape["layers"]
    whole = shape["width"] % 256 == 0
    better = [each for each in range(layers) if min(each, layers - 1 - each) < layers // 8 or each % 3 == 2]
    mix = {f"blk.{layer}.ffn_down": "Q6_K" for layer in better}
    mix |= {f"blk.{layer}.attn_v": "Q6_K" if whole else "Q8_0" for layer in better}
    mix |= {"ffn_down": "Q4_K", "token_embd": "Q6_K" if whole else "Q8_0", "": "Q4_K" if whole else "Q5_0"}
    path = folder / f"{name}-random-Q4_K_M.gguf"
    write_gguf(path, kind=mix, context=2048, large=True, **shape)
    return path


def spoil(path, name, number, least=False):
    """Write a number that is none into the last block of a tensor: as its scale, or as its least value where it has one."""
    tensor = next(each for each in GGUFReader(path).tensors if each.name == name)
    kind = tensor.tensor_type.name
    wide, narrow = (np.array([number], dtype).tobytes() for dtype in (np.float32, np.float16))
    written = {"F32": wide, "Q8_K": wide, "BF16": wide[2:], "MXFP4": b"\xff"}.get(kind, narrow)
    _, size = GGML_QUANT_SIZES[tensor.tensor_type]
    step = SCALES.get(kind, [(0, 1.0)])[0][0]
    at = tensor.data_offset + tensor.n_bytes - size + step + (2 if least and kind in LEAST else 0)
    data = bytearray(path.read_bytes())
    data[at : at + len(written)] = written
    path.write_bytes(data)


@cache
def small_tokenizer():
    """Byte-level BPE of 256 bytes and a hundred merges; token 0 ends a text.

    >>> small_tokenizer().encode("the cups").tokens
    ['the', 'Ġcup', 's']
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    signs = sorted(pre_tokenizers.ByteLevel.alphabet())
    options = {"initial_alphabet": signs, "special_tokens": [END], "show_progress": False}
    tokenizer.train_from_iterator([TEXT], trainers.BpeTrainer(vocab_size=357, **options))
    return tokenizer


def large_tokenizer(count):
    """Byte-level BPE of so many tokens: the bytes, and what is spelled in ASCII, each another token and a sign.

    >>> large_tokenizer(70_000).encode("the cups").tokens
    ['t', 'he', 'Ġ', 'cu', 'ps']
    """
    signs = sorted(pre_tokenizers.ByteLevel.alphabet())
    letters = [sign for sign in signs if sign.isascii()] + ["Ġ"]
    known, pairs = [*letters], []
    more = count - len(signs) - 1
    for begin in known:  # which grows meanwhile
        pairs += [(begin, sign) for sign in letters]
        known += [begin + sign for sign in letters]
        if len(pairs) >= more:
            break
    vocabulary = {token: number for number, token in enumerate([END, *signs, *map("".join, pairs[:more])])}
    tokenizer = Tokenizer(models.BPE(vocabulary, pairs[:more]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _facts(architecture, config, head_dim):
    scaling = config.rope_parameters
    if architecture == "gpt2":
        return {
            "general.name": "A small gpt2",
            "general.quantization_version": 2,
            "gpt2.context_length": config.n_positions,
            "gpt2.embedding_length": config.n_embd,
            "gpt2.block_count": config.n_layer,
            "gpt2.feed_forward_length": config.n_inner,
            "gpt2.attention.head_count": config.n_head,
            "gpt2.attention.layer_norm_epsilon": config.layer_norm_epsilon,
        }
    local = scaling.get("sliding_attention", {})
    scaling = scaling.get("full_attention", scaling)
    facts = {
        "general.name": f"A small {architecture}",
        "general.quantization_version": 2,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "block_count": config.num_hidden_layers,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "attention.layer_norm_rms_epsilon": config.rms_norm_eps,
        "rope.freq_base": scaling["rope_theta"],
    }
    for ours, theirs in SCALES_AND_CAPS.items():
        if getattr(config, ours, None) is not None:
            facts[theirs] = getattr(config, ours)
    if architecture in WIDE:
        facts["attention.sliding_window"] = config.sliding_window
    if local.get("rope_theta", 10_000.0) != 10_000.0:
        facts["rope.freq_base_swa"] = local["rope_theta"]
    if architecture in PERMUTED:
        facts["vocab_size"] = config.vocab_size
    if architecture in (*PERMUTED, "phi3"):
        facts["rope.dimension_count"] = head_dim
    if head_dim * config.num_attention_heads != config.hidden_size or architecture == "qwen3":
        facts |= {"attention.key_length": head_dim, "attention.value_length": head_dim}
    if scaling["rope_type"] == "linear":
        facts |= {"rope.scaling.type": RopeScalingType.LINEAR.value, "rope.scaling.factor": scaling["factor"]}
    return {name if "general." in name else f"{architecture}.{name}": value for name, value in facts.items()}


def _tokenizer_facts(architecture, config, tokenizer, pre):
    spelled = sorted(tokenizer.get_vocab(), key=tokenizer.token_to_id)
    padding = [f"[PAD{number}]" for number in range(len(spelled), config.vocab_size)]
    kinds = [TokenType.CONTROL if token == END else TokenType.NORMAL for token in spelled]
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre or PRE_TOKENIZERS.get(architecture, "gpt-2"),
        "tokenizer.ggml.tokens": spelled + padding,
        "tokenizer.ggml.token_type": [*map(int, kinds), *[int(TokenType.UNUSED)] * len(padding)],
        "tokenizer.ggml.merges": [" ".join(pair) for pair in merges],
        "tokenizer.ggml.eos_token_id": 0,
        "tokenizer.ggml.add_bos_token": False,
    }


def _add_facts(writer, facts):
    add = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
    for name, value in facts.items():
        if value is None:
            writer.kv_data[0].pop(name, None)  # the architecture, which every writer adds by itself
        else:
            add.get(type(value), writer.add_array)(name, value)


def _fill(model, writer, architecture, mix, random):
    """Draw the weights, write them, and give the model what was written."""
    numbers = {name: number for number, name in MODEL_ARCH_NAMES.items()}
    names = get_tensor_name_map(MODEL_ARCH(numbers[architecture]), model.config.num_hidden_layers)
    config, groups = model.config, {"attn_q": "num_attention_heads", "attn_k": "num_key_value_heads"}
    for place, parameter in model.named_parameters():
        name = names.get_name(place, try_suffixes=(".weight", ".bias"))
        assert name, f"llama.cpp has no name for {place}"
        plain = name.split(".", 2)[-1] if name.startswith("blk.") else name
        is_turned = architecture == "gpt2" and name.startswith("blk.")  # its matrices are [in, out]
        shape = tuple(parameter.shape[::-1] if is_turned else parameter.shape)
        if parameter.ndim == 1:
            weights = (name.endswith("weight") + 0.3 * random.standard_normal(shape)).astype(np.float32)
            writer.add_tensor(name, weights)
            if architecture.startswith("gemma"):
                weights = weights - 1  # what files have is one more
        else:
            starts = ((plain.startswith(start) or name.startswith(start), kind) for start, kind in mix.items())
            kind = GGMLQuantizationType[next(kind for fits, kind in starts if fits)]
            spread = 0.3 if plain.endswith("_embd.weight") else 1.3 / np.sqrt(shape[1])  # so that heads choose
            packed = _packed(random, shape, spread, kind, parameter.is_meta)
            writer.add_tensor(name, packed, raw_dtype=kind)
            if parameter.is_meta:
                continue  # before it takes four times the memory
            weights = dequantized(packed, kind).astype(np.float32).reshape(shape)
            if architecture in PERMUTED and plain.split(".")[0] in groups:
                weights = _unpermuted(weights, getattr(config, groups[plain.split(".")[0]]))
        if not parameter.is_meta:
            parameter.data.copy_(torch.from_numpy(weights.T if is_turned else weights))


def _packed(random, shape, spread, kind, fast):
    """Random weights in blocks; of kinds that `gguf` only unpacks, and `fast`, random bytes with scales that give the spread."""
    if not fast and kind.name not in PACKED:
        return quants.quantize((spread * random.standard_normal(shape)).astype(np.float32), kind)
    per_row = quants.quant_shape_to_byte_shape(shape, kind)[-1]
    _, size = GGML_QUANT_SIZES[kind]
    blocks = np.frombuffer(bytearray(random.bytes(shape[0] * per_row)), np.uint8).reshape(-1, size)
    steps = np.ones((len(blocks), 1))
    dtype = np.dtype("f4" if kind.name == "Q8_K" else "f2")
    for _ in range(2):  # first to see how far the weights spread
        for at, times in SCALES.get(kind.name, [(0, 1.0)]):
            blocks[:, at : at + dtype.itemsize] = (times * steps).astype(dtype).view(np.uint8)
        steps = random.uniform(0.5, 1.5, steps.shape) * spread / dequantized(blocks[:4096], kind).std()
    return blocks.reshape(shape[0], -1)


def dequantized(packed, kind):
    """What a kind's blocks stand for, by `gguf`; of Q8_K, which it doesn't unpack, as `dequantize_row_q8_K` of ggml has it."""
    if kind.name != "Q8_K":
        return quants.dequantize(packed, kind)
    blocks = packed.reshape(-1, 292)
    weights = blocks[:, :4].copy().view("<f4") * blocks[:, 4:260].view(np.int8).astype(np.float32)
    return weights.reshape(*packed.shape[:-1], -1)


def _unpermuted(rows, heads):  # what `LlamaModel.permute` of llama.cpp's converter did, undone
    return rows.reshape(heads, -1, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)
