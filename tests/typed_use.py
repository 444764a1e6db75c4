"""Somebody's code with types and all public names. `make lint` has mypy and pyright check it; a test runs most of it."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from IPython.display import HTML
from matplotlib.figure import Figure
from numpy.typing import NDArray
from torch import Tensor, nn
from typing_extensions import assert_type

import manyheads
from manyheads import (
    Answer,
    AttentionFlow,
    AttentionMap,
    Attribution,
    Decoder,
    DrawingModel,
    Encoder,
    FocusModel,
    Guesses,
    HeadLedger,
    HeadMap,
    InductionModel,
    Machine,
    MultiHeadAttention,
    Neurons,
    NextWord,
    NotTranslated,
    PageFigure,
    ScoreParts,
    SourceTable,
    Translator,
    attention,
    attribution,
    check,
    load_decoder,
    load_drawing,
    load_encoder,
    load_focus_model,
    load_induction,
    load_model,
    load_translator,
    multi_head_attention,
    score_parts,
    self_attention,
    train_focus_model,
    value_norms,
    without_parts,
    word_sense,
)

Array = NDArray[np.float64]
TOKENS = ["hot", "tea"]


def own_maps(folder: Path) -> None:
    """Maps of one's own model, as widgets and as numbers."""
    model, x = nn.MultiheadAttention(6, 2), torch.ones(2, 6)
    h = HeadMap.of(model, TOKENS, inputs=(x, x, x), layers=[0], predictions=lambda output: {"it": {"is": 1.0}})
    assert_type(h, HeadMap)
    assert_type(h.attention, AttentionMap)
    assert_type(h.attention.weights, NDArray[np.float32])
    assert_type(h.attention.query_tokens, list[str])
    assert_type(h.save(folder / "map.html"), Path)
    assert_type(h.to_csv(), str)
    assert_type(h.to_svg(folder / "map.svg", head=1), Path)
    assert_type(h.plot(layer=0), Figure)
    assert_type(h.head, int | None)
    h.head, h.view, h.head_mask = 1, "grid", [[True, False]]
    assert_type(h.query, int | tuple[int, int] | str)
    assert_type(h.first + 1, int)
    attention = AttentionMap.of(model, TOKENS, inputs=(x, x, x), max_weights=100, tokenizer=None)
    assert_type(attention, AttentionMap)
    assert_type(attention.shape, tuple[int, int, int, int])
    assert_type(attention.predictions, dict[str, dict[str, float]])
    for smaller in (
        attention.average([True, False]),
        attention.rollout(),
        attention.without_special(),
        attention.merge_pieces(),
    ):
        assert_type(smaller, AttentionMap)
    assert_type(attention.to_svg(), str)
    assert_type(attention.to_csv(folder / "map.csv"), Path)
    assert_type(attention.head_title(0, attention.opened()), str)
    assert_type(value_norms(model, (x, x, x)), NDArray[np.float32])
    mine = AttentionMap(TOKENS, TOKENS, [[[[0.25, 0.75], [0.5, 0.5]]]], value_norms=[[[1.0, 2.0]]], causal=False)
    assert_type(mine.value_weighted().weights, NDArray[np.float32])
    assert_type(HeadMap.from_attentions([mine.weights[0]], TOKENS, heads=[0]), HeadMap)
    assert_type(HeadMap.from_attentions([mine.weights[0]], TOKENS, html_action="return"), HTML)

    def model_of_mine(sentence: str, head_mask: Any = None) -> AttentionMap:
        return mine

    assert_type(HeadMap(model=model_of_mine).attention, AttentionMap)


def our_models() -> None:
    """The models that come with the package, and what they say."""
    focus, induction, drawing, translator = load_focus_model(), load_induction(), load_drawing(), load_translator()
    assert_type(focus, FocusModel)
    assert_type(focus("Hot tea.", head_mask=[True] * 4), AttentionMap)
    assert_type(HeadMap("Hot tea.", focus, layer=1).attention, AttentionMap)
    assert_type(load_model("focus/heads-8").num_heads, int)
    assert_type(induction, InductionModel)
    assert_type(induction.guesses("tea tea"), Guesses)
    assert_type(induction.guesses("tea tea").losses, NDArray[np.float32])
    parts = attribution(induction, "tea tea", unit="layer")
    assert_type(parts, Attribution)
    assert_type(parts.top(2), dict[str, float])
    table = AttentionMap(["tea"], ["tea"], [[[[1]]]], sources={"drink": [0]}).by_source((0, 0))
    assert_type(table, SourceTable)
    assert_type(table.top("drink"), dict[str, float])
    assert_type(table.to_csv(), str)
    why = score_parts(induction, "tea tea", *induction.induction_head, query=4, key=1)
    assert_type(why, ScoreParts)
    assert_type(why.top(1), dict[tuple[str, str], float])
    machine = focus.machine("Hot tea.", without_parts(focus, [(0, "feed-forward")]))
    assert_type(machine, Machine)
    assert_type(machine.standings("sentiment"), NDArray[np.int64])
    assert_type(focus.neurons("Hot tea.", layer=0), Neurons)
    assert_type(induction.lens("tea tea", count=2), list[dict[str, float]])
    assert_type(drawing, DrawingModel)
    assert_type(drawing.answer([[[0.2, 0.2], [0.8, 0.8]]]), Answer)
    assert_type(translator, Translator)
    try:
        assert_type(translator.translate("The cat sleeps."), str)
    except NotTranslated as error:
        assert_type(error.word, str | None)
    flow = AttentionFlow("Hot tea.", head=1)
    assert_type(flow.steps, dict[str, Any])
    ledger = HeadLedger("Hot tea.", off=[(1, 0)])
    assert_type(ledger.head, int | None)


def pretrained_models() -> None:
    """The models of others, which aren't loaded here."""
    decoder, encoder = load_decoder("model.gguf"), load_encoder()
    assert_type(decoder, Decoder)
    assert_type(decoder.write("Hot", words=2, seed=1), str)
    assert_type(decoder("Hot"), AttentionMap)
    assert_type(encoder, Encoder)
    assert_type(encoder.batch(["Hot tea.", ("Tea?", "Hot.")]), list[AttentionMap])
    assert_type(encoder.sentence_vector("Hot tea."), NDArray[np.float32])
    assert_type(word_sense("The bank of the river.", "bank"), dict[str, float])
    assert_type(train_focus_model(steps=2, checkpoint=lambda step, model: print(step, model.name)), FocusModel)
    assert_type(NextWord("Hot", decoder).next[0]["word"], Any)
    assert_type(PageFigure("drawing-board", "ring").value, dict[str, Any])
    HeadMap("Hot", models=["focus", decoder, encoder])


def the_subject() -> None:
    """The functions and modules of the book."""
    X, W = np.ones((5, 4)), np.ones((4, 4))
    output, weights = self_attention(X, W, W, W, mask=np.tri(5, dtype=bool))
    assert_type(output, NDArray[np.floating[Any]])
    assert weights.shape == (5, 5)
    assert_type(multi_head_attention(X, W, W, W, W, num_heads=2)[1], NDArray[np.floating[Any]])
    module = MultiHeadAttention(embed_dim=8, num_heads=2, num_kv_heads=1)
    x = torch.randn(3, 5, 8)
    assert_type(module(x, mask=attention.causal_mask(5)), tuple[Tensor, Tensor])
    assert_type(module(x, cache=())[2], tuple[Tensor, Tensor])
    assert_type(attention.contributions(module, x), Tensor)
    assert_type(attention.steps(module, x[0])["weights"], Tensor)
    assert_type(MultiHeadAttention(8, 2).to_torch(), nn.MultiheadAttention)


def mine(X: Array, *rest: object, mask: NDArray[np.bool_] | None = None) -> tuple[Array, Array]:
    return X, X


def my_padding(lengths: Tensor, longest: int) -> Tensor:
    return lengths


def checked() -> list[check.Report]:
    """A reader's own functions against the book's."""
    version: str = manyheads.__version__
    assert version
    reports = [check.multi_head_attention(mine), check.module(lambda width, heads: nn.Linear(width, heads))]
    reports += [check.causal_mask(torch.ones), check.padding_mask(my_padding)]
    for report in reports:
        if not report and report.slower is not None:
            print(report.hint, report.slower + 1, report.rung, report.place)
    return reports


def use(folder: Path) -> list[check.Report]:
    own_maps(folder)
    our_models()
    the_subject()
    return checked()
