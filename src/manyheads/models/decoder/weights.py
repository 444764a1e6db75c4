"""The weights of a decoder, as its file has them and as its modules want them.

The book's own file is SmolLM2-135M-Instruct (Allal et al. 2025, arXiv:2502.02737; Apache-2.0) in llama.cpp's format
GGUF; `manyheads.models.pretrained` says where it comes from. Readers bring others.
"""

import math
import re

import numpy as np

from manyheads.models.decoder.gguf import GGUF, MOST, fault, listed, read_gguf
from manyheads.models.pretrained import DECODER_FILE, pretrained_file

# What our modules call their matrices, and what llama.cpp does.
MATRICES = {
    "attention.query": "attn_q",
    "attention.key": "attn_k",
    "attention.value": "attn_v",
    "attention.output": "attn_output",
    "mlp.gate": "ffn_gate",
    "mlp.up": "ffn_up",
    "mlp.down": "ffn_down",
}
NORMS = {"attention_norm": "attn_norm", "mlp_norm": "ffn_norm", "norm": "output_norm"}
NORMS |= {"attention.output.norm": "post_attention_norm", "mlp.down.norm": "post_ffw_norm"}
HEAD_NORMS = {"attention.query_norm": "attn_q_norm", "attention.key_norm": "attn_k_norm"}
TABLES = {"embedding": "token_embd", "position": "position_embd", "output": "output"}
MODULES = {theirs: [ours] for ours, theirs in (MATRICES | NORMS | HEAD_NORMS | TABLES).items()}
# Some files have several matrices in one, below each other.
FUSED = {"attn_qkv": ["attention.query", "attention.key", "attention.value"], "ffn_up": ["mlp.gate", "mlp.up"]}
FIRST_NORM = {"before": "attn_norm", "both": "attn_norm", "after": "post_attention_norm"}  # of a layer
SCALES = ("embeddingScale", "residualScale", "logitScale", "attentionScale")
FACTORS = "rope_freqs.weight"  # by which the rotation of each pair of columns is slower


def open_weights(folder=None):
    """The book's own decoder's weights: of a folder that holds the file, else from where `pretrained_file` finds it.

    >>> open_weights().num_layers
    30

    Raises `FileNotFoundError` where no place has the file.
    """
    return Weights(*read_gguf(gguf_file(folder)), name="SmolLM2-135M-Instruct")


def gguf_file(folder=None):
    """The path of the book's own file."""
    return pretrained_file(DECODER_FILE, folder)


class Weights:
    """What a GGUF file holds: facts and tensors.

    Raises `ValueError` for a model that our modules don't compute, in half a sentence that says what "it" has.
    """

    def __init__(self, metadata, tensors, name):
        self.metadata, self._tensors = metadata, tensors
        self.architecture = metadata["general.architecture"]
        self._known = GGUF["usual"] | GGUF["architectures"][self.architecture]
        names = ("numLayers", "numHeads", "numKvHeads", "headDim", "width", "mlpWidth", "normEpsilon", "rotaryBase")
        self._facts = {"name": name} | {each: self._value(each) for each in names}
        self.num_layers, width, heads = (self._facts[each] for each in ("numLayers", "width", "numHeads"))
        self._expect(f"blk.{self.num_layers - 1}.{FIRST_NORM[self._known['norms']]}.weight", 1, width)
        self._expect("blk.0.attn_output.weight", width, heads * self._facts["headDim"])
        self._facts |= {
            **{name: self._known[name] for name in ("activation", "every", "norms")},
            "vocabularySize": self._held("token_embd.weight").shape[0],
            "normEpsilon": round(self._facts["normEpsilon"], 9),  # 1e-5, as float32
            "headNames": [f"head {head + 1}" for head in range(heads)],
        }
        self._refuse_others()
        self._slow_down()

    def _fact(self, name):
        return self.metadata.get(f"{self.architecture}.{name}")

    def _value(self, name):
        """A number of the table `facts`; where the file is silent the row's own, another one, or one by another."""
        row = GGUF["facts"][name]
        value, otherwise = self._fact(row["fact"]), self._known["otherwise"].get(name, row.get("otherwise"))
        if value is None and isinstance(otherwise, list):
            number, *by = map(self._value, otherwise)
            return number // math.prod(by) if by else number
        value = otherwise if value is None else value
        least, shown = row.get("least", 1), "nothing" if value is None else str(value)[:40]
        if row.get("fraction"):
            if type(value) not in (int, float) or not (0 < value < math.inf or value == row.get("least")):
                raise ValueError(fault("fraction", fact=row["fact"], value=shown))
        elif type(value) is not int or not least <= value <= MOST:
            raise ValueError(fault("count", fact=row["fact"], value=shown, least=least))
        return value

    def _held(self, name):
        if name not in self._tensors:
            raise ValueError(fault("lacks", name=name))
        return self._tensors[name]

    def _expect(self, name, *shape):
        """Refuse a file whose tensor isn't as large as its facts say; before anything is as large as these."""
        if self._held(name).shape != shape:
            found, wanted = map(_sizes, (self._held(name).shape, shape))
            raise ValueError(fault("shape", name=name, found=found, wanted=wanted))

    def _refuse_others(self):
        """Refuse facts under which a model computes something else."""
        if self._facts["numHeads"] % self._facts["numKvHeads"] or self._facts["headDim"] % 2:
            raise ValueError(fault("groups", **self._facts))
        for row in GGUF["ruledOut"]:
            value, allowed = self._fact(row["fact"]), [self._facts.get(each, each) for each in row["unless"]]
            is_meant = row.get("architecture", self.architecture) == self.architecture
            if is_meant and value is not None and value not in allowed:
                raise ValueError(fault(row["fault"], **self._facts, fact=row["fact"], value=str(value)[:40]))

    def _slow_down(self):
        """Put the speeds of the rotation in the place of its base, where the file slows them."""
        factors, slower, half = self._tensors.get(FACTORS), 1, self._facts["headDim"] // 2
        if self._fact("rope.scaling.type") != "none":
            slower = self._value("stretch")
        if factors is None and slower == 1:
            return
        if factors is not None:
            self._expect(FACTORS, 1, half)
            slower = slower * self._unpacked(FACTORS)[0]
        self._facts["rotaryBase"] = tuple((self._facts["rotaryBase"] ** (-np.arange(half) / half) / slower).tolist())

    def facts(self):
        """What the model is made of, under the names that pages use."""
        return self._facts

    def max_tokens(self):
        """How many tokens of a text are read, so that a map of all heads stays small; the model may read more."""
        most = GGUF["mostTokens"]
        square = GGUF["mostWeights"] // (self._facts["numLayers"] * self._facts["numHeads"])
        return min(most, math.isqrt(square), *filter(None, map(self._value, ("context", "window"))))

    def sizes(self):
        """What a `LanguageModel` is made by."""
        facts, known = self._facts, self._known
        bases = {"": None, "rotaryBase": facts["rotaryBase"], "localBase": self._value("localBase")}
        ends = [known["turns"][-1 if (layer + 1) % known["every"] == 0 else 0] for layer in range(self.num_layers)]
        return {
            "tokens": facts["vocabularySize"],
            "layers": facts["numLayers"],
            "width": facts["width"],
            "heads": facts["numHeads"],
            "kv_heads": facts["numKvHeads"],
            "head_dim": facts["headDim"],
            "hidden": facts["mlpWidth"],
            "rotary_base": [bases[name] for name in ends],
            "positions": self._value("context") if known["positions"] else 0,
            "epsilon": facts["normEpsilon"],
            "biased": known["biased"] or "blk.0.attn_q.bias" in self._tensors,
            "tied": "output.weight" not in self._tensors,
            "cap": self._value("scoreCap") or None,
            "logit_cap": self._value("logitCap") or None,
        } | {name: known[name] for name in ("norms", "norm", "normed", "activation", "gated")}

    def _fold(self, tensors):
        """Put what is scaled in a model into its weights."""
        facts, (embeds, residuals, logits, scale) = self._facts, map(self._value, SCALES)
        if self._known["spreads"]:
            embeds = facts["width"] ** 0.5
        if self.num_layers == self._known["wide"]:
            scale = scale or (facts["numHeads"] / facts["width"]) ** 0.5
        queries = r"attention\.query_norm\." if self._known["normed"] else r"attention\.query\."
        tied = "output.weight" not in self._tensors
        by = {
            r"^embedding\.": embeds,
            r"^norm\.": 1 / logits / (embeds if tied else 1),
            r"(attention\.output|mlp\.down)\.(weight|bias)": residuals,
            queries: scale * facts["headDim"] ** 0.5 if scale else 1,
        }
        for name in tensors:
            for pattern, factor in by.items():
                if factor != 1 and re.search(pattern, name):
                    tensors[name] = tensors[name] * np.float32(factor)
        return tensors

    def tensors(self, shapes):
        """All weights as float32, under the names of our modules, whose `shapes` are given: {name: array}.

        Raises `ValueError` for a file that lacks a tensor or has others: its model computes otherwise.
        """
        places = {name: self._modules(name) for name in self._tensors if name != FACTORS}
        if unread := [name for name, modules in places.items() if not {*modules} <= {*shapes}]:
            raise ValueError(fault("unread", names=listed(unread)))
        ours = [module for modules in places.values() for module in modules]
        if missing := [name for name in shapes if name not in ours]:
            raise ValueError(fault("lacks", name=_in_files(missing[0])))
        for name, modules in places.items():
            rows, *columns = sum(shapes[each][0] for each in modules), *shapes[modules[0]][1:]
            self._expect(name, *((rows, *columns) if columns else (1, rows)))
        found = {}
        for name, modules in places.items():
            ends = np.cumsum([math.prod(shapes[module]) for module in modules])
            parts = np.split(self._unpacked(name).reshape(-1), ends[:-1])
            found |= {each: self._own_order(each, part.reshape(shapes[each])) for each, part in zip(modules, parts)}
        return self._fold(found)

    def _unpacked(self, name):
        with np.errstate(invalid="ignore", over="ignore"):
            weights = self._held(name).unpacked()
        if not np.isfinite([weights.min(), weights.max()]).all():  # one that isn't finite is either, or both
            raise ValueError(fault("infinite", name=name))
        return weights

    def _modules(self, name):
        """What our modules call a tensor of the file, or the tensors that it's made of."""
        place = re.fullmatch(r"(?:blk\.(\d+)\.)?(\w+)\.(\w+)", name)
        if place is None:
            return [name]
        layer, matrix, part = place.groups()
        is_fused = matrix in FUSED and f"blk.{layer}.ffn_gate.weight" not in self._tensors
        is_fused = is_fused and (self._known["gated"] or matrix != "ffn_up")
        before = "" if layer is None else f"layers.{layer}."
        return [f"{before}{module}.{part}" for module in (FUSED if is_fused else MODULES).get(matrix, [matrix])]

    def _own_order(self, module, rows):
        pairs = self._fact("rope.pairs") or self._known["pairs"]
        if pairs == "neighbours" and re.search(r"attention\.(query|key)\.", module):
            return halves_apart(rows, len(rows) // self._facts["headDim"])
        return rows


def _in_files(module):
    """What a file calls a tensor of our modules."""
    layer, module, part = re.fullmatch(r"(?:layers\.(\d+)\.)?(.+)\.(\w+)", module).groups()
    name = next(theirs for theirs, ours in MODULES.items() if ours == [module])
    return f"{name}.{part}" if layer is None else f"blk.{layer}.{name}.{part}"


def _sizes(shape):  # of which a vector has one
    rows, columns = shape
    return str(columns) if rows == 1 else f"{rows}, {columns}"


def halves_apart(rows, heads):  # [heads * d, ...] -> the same shape
    """Put a head's rows 0, 2, 4, ... before its rows 1, 3, 5, ...

    >>> halves_apart(np.arange(8), heads=2).tolist()
    [0, 2, 1, 3, 4, 6, 5, 7]
    """
    pairs = rows.reshape(heads, -1, 2, *rows.shape[1:])  # [h, d / 2, 2, ...]
    return pairs.swapaxes(1, 2).reshape(rows.shape)
