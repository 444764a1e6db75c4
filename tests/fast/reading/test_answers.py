"""What generate wrote: several answers, to several texts, by beams that were other rows of the batch at each step."""

import pytest
import torch
import transformers
from close import assert_close
from libraries import LLAMA, T5, made, padding, tokenizer

from manyheads.widgets import HeadMap

TEXTS = torch.tensor([[3, 4, 5, 1], [6, 7, 8, 1]])
WAYS = {
    "two beams": {"num_beams": 2},
    "two of four beams": {"num_beams": 4, "num_return_sequences": 2},
    "two samples": {"do_sample": True, "num_return_sequences": 2},
}


def generated(model, inputs, **options):
    torch.manual_seed(0)
    options = {"max_new_tokens": 5, "output_attentions": True, "return_dict_in_generate": True, **options}
    return model.generate(inputs, **options)


def whole(model, answer, text=None):
    """What a model looks at that reads an answer once more: [layer, head, query, key] of each of its parts."""
    inputs = {"input_ids": answer} if text is None else {"input_ids": text, "decoder_input_ids": answer}
    with torch.no_grad():
        output = model(**inputs, output_attentions=True)
    names = {"decoder": "attentions"} if text is None else {}
    names = names or {name: f"{name}_attentions" for name in ("encoder", "decoder", "cross")}
    return {name: torch.cat(output[field]) for name, field in names.items()}


@pytest.mark.parametrize("way", WAYS)
def test_each_answer_of_a_decoder_looks_as_if_it_had_been_alone(way):
    model = made("LlamaForCausalLM", LLAMA, "eager")
    written = generated(model, TEXTS[:, :3], **WAYS[way])
    for number, answer in enumerate(written.sequences):
        shown = HeadMap.of(written, batch=number).attention
        wanted = whole(model, answer[None, :-1])["decoder"]
        assert_close(shown.weights, wanted[:, :, : shown.shape[2], : shown.shape[3]])
        assert f"Text {number + 1} of a batch of {len(written.sequences)} is shown" in shown.notes[0]
    with pytest.raises(ValueError, match=f"batch must be from 0 to {number} for these {number + 1} texts"):
        HeadMap.of(written, batch=number + 1)


@pytest.mark.parametrize("way", WAYS)
def test_each_answer_of_an_encoder_and_a_decoder_looks_at_its_own_text(way):
    model = made("T5ForConditionalGeneration", T5, "eager")
    written = generated(model, TEXTS, **WAYS[way])
    read = {"input_ids": TEXTS, "attention_mask": torch.ones_like(TEXTS)}
    for number, answer in enumerate(written.sequences):
        text = TEXTS[number * len(TEXTS) // len(written.sequences)]
        wanted = whole(model, answer[None, :-1], text[None])
        for part, weights in wanted.items():
            tokens = transformers.BatchEncoding(read)
            shown = HeadMap.of(written, tokens, batch=number, part=part, tokenizer=tokenizer(marks=False)).attention
            queries, keys = shown.shape[2:]
            assert_close(shown.weights, weights[:, :, :queries, :keys])
            if part != "decoder":
                assert shown.key_tokens == tokenizer(marks=False).convert_ids_to_tokens(text)


def test_an_answer_that_ended_before_others_has_no_tokens_after_its_end():
    model = made("LlamaForCausalLM", LLAMA, "eager")
    with torch.no_grad():
        model.lm_head.weight[LLAMA.eos_token_id] *= 3
    written = generated(model, TEXTS[:, :3], num_beams=3)
    lengths = (written.beam_indices >= 0).sum(1)
    assert lengths[0] < lengths[1]
    for number, length in enumerate(lengths.tolist()):
        shown = HeadMap.of(written, batch=number, tokenizer=tokenizer(marks=False)).attention
        wanted = whole(model, written.sequences[number][None, : 2 + length])["decoder"]
        assert len(shown.query_tokens) == 2 + length
        assert_close(shown.weights, wanted)


def test_the_mask_of_a_text_is_that_of_each_of_its_answers():
    model = made("LlamaForCausalLM", LLAMA, "eager")
    read = padding(padding_side="left")(["the cat sat on the mat", "the soup"], padding=True, return_tensors="pt")
    written = generated(
        model, read["input_ids"], attention_mask=read["attention_mask"], do_sample=True, num_return_sequences=2
    )
    counts = [HeadMap.of(written, attention_mask=read["attention_mask"], batch=n).attention.shape[3] for n in range(4)]
    prompts = read["attention_mask"].sum(1).tolist()
    assert counts == [prompts[0] + 4] * 2 + [prompts[1] + 4] * 2


def test_beams_whose_attentions_are_lost_are_refused_with_a_line_that_is_right():
    sizes = {
        "d_model": 32,
        "vocab_size": 100,
        "num_mel_bins": 8,
        "max_source_positions": 20,
        "max_target_positions": 30,
    }
    layers = {f"{part}_{what}": 2 for part in ("encoder", "decoder") for what in ("layers", "attention_heads")}
    marks = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 3}
    config = transformers.WhisperConfig(**sizes, **layers, **marks, encoder_ffn_dim=32, decoder_ffn_dim=32)
    model = made("WhisperForConditionalGeneration", config, "eager")
    model.generation_config.suppress_tokens = model.generation_config.begin_suppress_tokens = None
    sound = torch.randn(1, 8, 40, generator=torch.Generator().manual_seed(0))
    written = generated(model, sound, num_beams=3)
    assert written.beam_indices.max() > 0
    with pytest.raises(ValueError, match=r"what answer 0 looked at is lost: its beams were rows 0, .* keeps 1 of them"):
        HeadMap.of(written)
    inputs = {"input_features": sound}
    shown = HeadMap.of(model, inputs=dict(inputs, decoder_input_ids=written.sequences), part="cross").attention
    with torch.no_grad():
        wanted = model(**inputs, decoder_input_ids=written.sequences, output_attentions=True).cross_attentions
    assert_close(shown.weights, torch.cat(wanted))
