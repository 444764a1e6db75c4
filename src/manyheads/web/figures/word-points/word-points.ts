// <word-points sentence="..." other="..." word="bank" layer="3">: the words of two sentences as points on a plane of the encoder's vectors,
// among landmarks, after each layer. With `switches`, heads of the layer and words can be taken away; `off="0.4"` turns heads off, as
// layer.head from 0, `masked="river"` masks words. The encoder comes when the reader asks; until then, what is baked in is shown. No DOM while the module
// loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { loadWithProgress, READY, type ShowLoading } from "../../doors/page-models.ts";
import { readPart, readPlain } from "../../doors/state.ts";
import { answeredLater } from "../../doors/task.ts";
import type { AttentionMap, HeadMask } from "../../math/attention-map.ts";
import type { Matrix } from "../../math/attention.ts";
import { maskOf } from "../../math/heads-off.ts";
import { placesOf, WordPlane, type WordPoint } from "../../math/points.ts";
import type { HeadModel } from "../../models/head-model.ts";
import type { Host } from "../../views/host.ts";
import { args, isOther, isPending, reduce, start, summary, type Action, type State } from "./state.ts";
import { view } from "./view.ts";

interface Answer {
  whole: WordPoint[];
  shown: WordPoint[];
  notes: string[];
}

interface Known {
  plane: WordPlane;
  readings: Map<string, Reading>; // those of the last answer: a key changes one of two sentences, a switch leaves them whole
}

interface Reading {
  map: AttentionMap & { states?: Matrix };
  points: WordPoint[];
}

const planes = new WeakMap<HeadModel, Known>(); // the landmarks are read once

/** The plane of an encoder: it reads each landmark alone. */
async function planeOf(encoder: HeadModel, { landmarks, directions }: State) {
  const known = planes.get(encoder);
  if (known) return known;
  const readings = await Promise.all(landmarks.map(({ text }) => encoder.attend(text, null, { states: true })));
  const made = { plane: new WordPlane(directions, readings, landmarks[0].near[0].length), readings: new Map() };
  planes.set(encoder, made);
  return made;
}

/** The words of both sentences, whole and without what is taken away. */
async function compute([encoder]: HeadModel[], { state }: Host<State, Action>, signal: AbortSignal) {
  const { sentence, other, off, masked } = state;
  const known = await planeOf(encoder, state);
  const mask = maskOf(off, encoder.numLayers, encoder.numHeads);
  const readings: Known["readings"] = new Map();

  async function read(text: string, without: HeadMask, unseen: number[], whole: Reading | null = null) {
    const name = JSON.stringify([text, without, unseen]);
    let found = known.readings.get(name);
    if (!found) {
      const map = await encoder.attend(text, without, { signal, states: true, masked: unseen });
      found = { map, points: known.plane.read(map, whole?.map) };
    }
    readings.set(name, found);
    return found;
  }

  async function answer(text: string): Promise<Answer> {
    if (!text.trim()) return { whole: [], shown: [], notes: [] };
    const whole = await read(text, null, []);
    const { queryTokens, notes = [] } = whole.map;
    const unseen = placesOf(queryTokens, masked);
    const left = mask || unseen.length ? await read(text, mask, unseen, whole) : whole;
    return { whole: whole.points, shown: left.points, notes };
  }

  const answers = [await answer(sentence), await answer(other)];
  known.readings = readings;
  return answers;
}

defineFigure<State, Action, HeadModel, Answer[]>("word-points", {
  start,
  reduce,
  view,
  summary,
  args,
  events: ({ shown }) => ({ step: shown }),
  attributes: ["sentence", "other", "word", "layer", "switches", "off", "masked"],
  read(name, text) {
    if (name === "off") return readPart(name, text);
    if (name === "switches") return { switches: text !== null };
    if (name === "masked" && text !== null) return { masked: text.toLowerCase().split(/\s+/).filter(Boolean) };
    return readPlain(name, text, ["layer"]);
  },
  properties: {
    sentence: ({ sentence }) => sentence,
    layer: ({ layer }) => layer,
    words: ({ shown }) => shown, // of both sentences: { text, places: [across, upwards] after each layer, near: the nearest landmarks after each }
  },
  styles: ["word-points.css"],
  late: true,
  work: {
    models: () => ["encoder"],
    load: (name: string, show: ShowLoading) => loadWithProgress(name, show),
    failure: "The points could not be computed",
    compute,
    answer: ([first, second]) => ({
      type: "show",
      shown: [first.shown, second.shown],
      whole: [first.whole, second.whole],
    }),
    tells: (_, answers) => [READY, ...answers.flatMap(({ notes }) => notes)].join(" "),
    waits: (state, model) => (isPending(state) ? answeredLater(model, isOther(state) ? undefined : "This") : null),
  },
});
