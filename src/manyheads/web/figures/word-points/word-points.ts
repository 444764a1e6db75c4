// <word-points sentence="..." other="..." word="bank" layer="3">: the words of two sentences as points on a plane of the encoder's vectors,
// among landmarks, after each layer. The encoder comes when the reader asks; until then, what is baked in is shown. No DOM while the module
// loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { loadWithProgress, READY, type ShowLoading } from "../../doors/page-models.ts";
import { readPlain } from "../../doors/state.ts";
import { answeredLater } from "../../doors/task.ts";
import { WordPlane, type WordPoint } from "../../math/points.ts";
import type { HeadModel } from "../../models/head-model.ts";
import type { Host } from "../../views/host.ts";
import { args, isPending, reduce, start, summary, type Action, type State } from "./state.ts";
import { view } from "./view.ts";

interface Answer {
  shown: [WordPoint[], WordPoint[]];
  notes: string[];
}

const planes = new WeakMap<HeadModel, WordPlane>(); // the landmarks are read once

/** The plane of an encoder: it reads each landmark alone. */
async function planeOf(encoder: HeadModel, { landmarks, directions }: State) {
  const known = planes.get(encoder);
  if (known) return known;
  const readings = await Promise.all(landmarks.map(({ text }) => encoder.attend(text, null, { states: true })));
  const plane = new WordPlane(directions, readings, landmarks[0].near[0].length);
  planes.set(encoder, plane);
  return plane;
}

async function compute([encoder]: HeadModel[], host: Host<State, Action>, signal: AbortSignal): Promise<Answer> {
  const { sentence, other } = args(host.state);
  const plane = await planeOf(encoder, host.state);
  const notes: string[] = [];
  const read = async (text: string) => {
    if (!text.trim()) return [];
    const map = await encoder.attend(text, null, { signal, states: true });
    notes.push(...(map.notes ?? []));
    return plane.read(map);
  };
  return { shown: [await read(sentence), await read(other)], notes };
}

defineFigure<State, Action, HeadModel, Answer>("word-points", {
  start,
  reduce,
  view,
  summary,
  args,
  events: ({ shown }) => ({ step: shown }),
  attributes: ["sentence", "other", "word", "layer"],
  read: (name, text) => readPlain(name, text, ["layer"]),
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
    answer: ({ shown }) => ({ type: "show", shown }),
    tells: (_, { notes }) => [READY, ...notes].join(" "),
    waits: (state, model) => (isPending(state) ? answeredLater(model) : null),
  },
});
