"""A map keeps no model alive: who compares a hundred checkpoints in a loop has one of them in memory."""

import gc
import weakref
from types import SimpleNamespace

import pytest
import torch
import transformers
from libraries import CAT, LLAMA, T5, SentenceEncoder, bert, made, padding
from torch import nn

from manyheads.widgets import HeadMap

IDS = torch.arange(3, 17)[None]
WORDS = torch.randn(1, 5, 12, generator=torch.Generator().manual_seed(0))


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(12, 12) for _ in range(4))

    def forward(self, x):
        return self.out((self.query(x) @ self.key(x).mT).softmax(-1) @ self.value(x))


def llama(kernel="sdpa"):
    return made("LlamaModel", LLAMA, kernel)


def layer():
    return nn.TransformerEncoderLayer(12, 2, 12, batch_first=True)


LONG = torch.randint(3, 50, (1, 300))
FEW = {"max_weights": 3000, "first": 3, "last": 9}
MODELS = {  # what makes one, and what it's read with
    "on sdpa": (llama, {"inputs": IDS}),
    "eager": (lambda: llama("eager"), {"inputs": IDS}),
    "encoder and decoder": (
        *(lambda: made("T5Model", T5), {"inputs": {"input_ids": IDS, "decoder_input_ids": IDS[:, :3]}}),
    ),
    "of PyTorch": (layer, {"inputs": WORDS}),
    "own code": (Own, {"inputs": WORDS}),
    "two by names": (lambda: {"before": llama(), "after": llama()}, {"inputs": IDS}),
    "a pipeline": (lambda: SimpleNamespace(model=bert(), tokenizer=padding()), {"tokens": CAT}),
    "what has a tokenizer": (SentenceEncoder, {"tokens": CAT}),
    "by sentences": (llama, {"inputs": LONG, "max_weights": 100_000}),
    "some tokens": (llama, {"inputs": LONG, **FEW}),
    "with predictions": (
        *(llama, {"inputs": IDS, "predictions": lambda output: {"next": {"tea": float(output[0].mean())}}}),
    ),
}


def modules_of(source):
    return [*source.values()] if isinstance(source, dict) else [getattr(source, "model", source)]


def made_and_let_go(make, options):
    source = make()
    held = [weakref.ref(module) for module in modules_of(source)]
    shown = HeadMap.of(source, **options)
    del source
    gc.collect()
    assert [one() for one in held] == [None] * len(held)
    return shown


@pytest.mark.parametrize(("make", "options"), MODELS.values(), ids=MODELS)
def test_a_map_keeps_no_model_alive(make, options):
    shown = made_and_let_go(make, options)
    before, trait, value, what = shown.attention, "query", 1, "no sentence can be opened"
    if not options.get("max_weights") or "first" in options:
        trait, value, what = "head_mask", [[False] * before.shape[1]] * before.shape[0], "no head can be turned off"
    with pytest.raises(
        ValueError, match=f"the model is gone, so {what}: a map doesn't keep its model alive, so keep it"
    ):
        setattr(shown, trait, value)
    assert shown.attention is before
    assert shown._status.endswith("keep it in a variable and make the map again. What you see stays.")


@pytest.mark.parametrize("make", [llama, layer, Own])
def test_nor_once_a_head_has_been_turned_off(make):
    model = make()
    held = weakref.ref(model)
    shown = HeadMap.of(model, inputs=IDS if make is llama else WORDS)
    shown.head_mask = [[False, *[True] * (shown.attention.shape[1] - 1)]] * shown.attention.shape[0]
    del model
    gc.collect()
    assert held() is None


def test_nor_by_gradients_that_lead_from_its_inputs():
    model = llama()
    held = weakref.ref(model.get_input_embeddings().weight)
    shown = HeadMap.of(model, inputs={"inputs_embeds": model.get_input_embeddings()(IDS)})
    del model
    gc.collect()
    assert held() is None
    assert shown.attention.shape[2:] == (14, 14)


def test_with_a_model_goes_what_it_was_called_with():
    model, cache = llama(), transformers.DynamicCache(config=LLAMA)
    held = weakref.ref(cache)
    shown = HeadMap.of(model, inputs={"input_ids": IDS, "past_key_values": cache})
    del cache
    gc.collect()
    assert held() is not None, "as long as heads can be turned off"
    del model
    gc.collect()
    assert held() is None
    assert shown.attention.shape[2:] == (14, 14)
