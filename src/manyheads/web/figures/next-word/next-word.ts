// <next-word text="...">: what a language model would write next, as bars that its reader presses, reshapes and cuts heads from.
// `layer` and `head` choose whose weights are shown, `off` names heads that are off, `masked` is "first" where no token may look at the
// first one, `temperature` shapes the bars, `model` is another model than the page's. One renderer with two doors, as head-map.ts: the
// default export is for kernels (Python computes), the custom element for pages, where the model comes when the reader asks.

import { defineFigure } from "../../doors/define-figure.ts";
import { openDoor } from "../../doors/kernel-door.ts";
import type { KernelModel } from "../../doors/kernel-model.ts";
import { readyWith } from "../../doors/page-models.ts";
import { partsOf } from "../../doors/state.ts";
import { answeredLater } from "../../doors/task.ts";
import type { HeadMask } from "../../math/attention-map.ts";
import { forgotten, maskOf, offOf } from "../../math/heads-off.ts";
import { decodeMap, decodeMatrices } from "../../math/wire.ts";
import type { DecoderModel } from "../../models/head-model.ts";
import { announce, h } from "../../views/dom.ts";
import { Host } from "../../views/host.ts";
import {
  args,
  isWaiting,
  isWhole,
  maskIn,
  reduce,
  startFrom,
  storedFor,
  type Action,
  type Answer,
  type State,
  type Vocabulary,
  type Written,
} from "./state.ts";
import { summary, view } from "./view.ts";

const FIGURE = {
  reduce,
  view,
  summary: (state: State) => (isWaiting(state) ? null : summary(state)),
  events: ({ shown }: State) => ({ next: shown?.next ?? null }),
  args,
  message: ({ message }: State) => message,
};

/** The part of the state that an attribute's value stands for. */
function read(name: string, text: string | null): Written {
  if (name === "text") return { text: text ?? "" };
  if (name === "masked") return { masked: text === "first" };
  if (name === "off") return { off: text ?? "" };
  if (name === "temperature") return { temperature: Number(text ?? 1) };
  return text !== null && ["layer", "head"].includes(name) ? { [name]: Number(text), looks: true } : {};
}

// -------------------------------------------------------------------------------- the first door: kernels

/** Which trait of Python's `NextWord` holds which part of the state. */
export const TRAITS = { text: "text", off: "off", masked: "masks_first", tail: "_tail" };

function render({ model, el }: { model: KernelModel; el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map next-word" }));
  const words: string[] = model.get("_words");
  const { endTokens, ...example } = model.get("_example");
  const vocabulary = { endTokens, wordOf: (id: number) => words[id] };
  let host!: Host<State, Action>;
  const close = openDoor(model, root, TRAITS, ["_answer"], {
    kind: "next-word",
    make: (parts, change) =>
      (host = new Host(root, startFrom(example, parts), FIGURE, { ask: () => change(host.state) })),
    show: () => host.dispatch({ type: "answer", answer: decodeAnswer(model.get("_answer"), vocabulary) }),
    lend: (_, settings) => (host.lend(partsOf(settings, read)), host.state),
  });
  return () => (host.dispatch({ type: "stop" }), close());
}

function decodeAnswer({ tail, logits, map }: any, vocabulary: Vocabulary): Answer {
  const { now, whole } = decodeMatrices(logits);
  return { tail, now: { ids: [], logits: now.values, map: decodeMap(map) }, whole: whole?.values ?? null, vocabulary };
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const MODEL = "decoder";

/** What the model as it is makes of the text, where that's known by now: no head is off in it, and nothing masked. */
function wholeIn({ text, tail, answer, shown }: State, decoder: DecoderModel) {
  const isSame = answer?.vocabulary === decoder && shown?.text === text && String(answer.tail) === String(tail);
  return isSame ? (answer.whole ?? answer.now.logits) : null;
}

async function compute([decoder]: DecoderModel[], { state }: Host<State, Action>, signal: AbortSignal) {
  const { text, tail, off, masked } = state;
  const next = (headMask: HeadMask, places: number[]) =>
    decoder.next({ text, tail }, headMask, { signal, masked: places });
  const whole = isWhole(state) ? null : (wholeIn(state, decoder) ?? (await next(null, [])).logits);
  const now = await next(maskOf(off, decoder.numLayers, decoder.numHeads), masked ? [0] : []);
  return { tail, now, whole, vocabulary: decoder };
}

/** What is said while the reader's text waits for a model; null where it doesn't. */
function waits(state: State, model: string) {
  if (!isWaiting(state)) return null;
  const { text, temperature } = state.example;
  const isExample = state.text === text && isWhole(state) && state.choice.temperature === temperature;
  if (isExample && !state.left) return null;
  return storedFor(state) ? "To write on, the model has to load." : answeredLater(model);
}

defineFigure<State, Action, DecoderModel, Answer>("next-word", {
  ...FIGURE,
  start: (_, baked, written) => startFrom(baked ?? {}, written),
  attributes: ["text", "off", "layer", "head", "masked", "temperature"],
  read,
  properties: {
    model: (_, { root }) => root.getAttribute("model") ?? MODEL,
    text: ({ text }) => text,
    shown: ({ shown }) => shown, // what is on the screen: { text, off, next }
    next: ({ shown }) => shown?.next ?? null, // the likeliest next words as the reader shapes them: [{ word, probability, logit }]
    attention: ({ answer }) => answer?.now.map ?? null, // of the text, as that of <head-map>
    headMask: maskIn, // [layer][head] -> whether it is on; null where all are
  },
  sets: { headMask: ({ root }, headMask) => root.setAttribute("off", offOf(headMask)) },
  methods: { write: (host) => host.dispatch({ type: "write", bar: null }) }, // a word, as its reader does
  styles: ["next-word.css"],
  late: true,
  linked: "next-word",
  listen: (host, leaves) => leaves.addEventListener("abort", () => host.dispatch({ type: "stop" })),
  work: {
    model: MODEL,
    failure: "The next word could not be computed",
    compute,
    answer: (answer) => ({ type: "answer", answer }),
    tells({ state: { answer, forgot } }) {
      const notes = [...(forgot ? [forgotten()] : []), ...(answer!.now.map.notes ?? [])];
      return [readyWith(answer!.vocabulary as DecoderModel), ...notes].join(" ");
    },
    shown: ({ root, state }) => announce(root, "attention", state.answer!.now.map),
    waits,
    loses: { type: "lose" },
  },
});
