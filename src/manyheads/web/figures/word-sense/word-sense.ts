// <word-sense sentence="..." word="bank" layer="1">: in which sense the encoder reads an ambiguous word, layer by layer, live; what each
// of a layer's heads takes from each word, once its reader opens the arrows, or with `arrows`; which heads decide. With a `layer`, that one
// alone is shown, and no tools. `masked="fish some"` masks words, `off="0.4"` turns heads off, as layer.head from 0; `head="5"` points at one. The encoder and the axes between the senses come when the reader asks;
// until then, what one masked word comes to may be baked in, and other sentences that phrases of the page set. No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { loadWithProgress, modelsScript, READY, type ShowLoading } from "../../doors/page-models.ts";
import { readPart, readPlain } from "../../doors/state.ts";
import { answeredLater } from "../../doors/task.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { maskOf } from "../../math/heads-off.ts";
import { rankedHeads, SenseAxes, shareOf, wordPlaces } from "../../math/senses.ts";
import type { HeadModel } from "../../models/head-model.ts";
import type { Host } from "../../views/host.ts";
import {
  args,
  isOther,
  isPending,
  isRanking,
  reduce,
  senseOf,
  startWith,
  type Action,
  type State,
  type Stored,
} from "./state.ts";
import { looksAt, unknownWord, type RankedHead } from "./text.ts";
import { summary, view } from "./view.ts";

/** The encoder, and the axes between the senses. */
interface SenseModel {
  encoder: HeadModel;
  axes: SenseAxes;
  readonly broken?: boolean;
}

interface Answer {
  action: Action;
  status: string;
}

async function loadSenseModel(name: string, show: ShowLoading): Promise<SenseModel> {
  const { loadSenses } = await modelsScript();
  const axes = new SenseAxes(await loadSenses());
  const encoder = await loadWithProgress(name, show);
  return {
    encoder,
    axes,
    get broken() {
      return encoder.broken;
    },
  };
}

function start(
  element: HTMLElement,
  baked: (Stored & { others?: Record<string, Stored> }) | null,
  written: any,
): State {
  const { wanted, off, ...parts } = written;
  const { sentence: example = "" } = parts;
  const stored = new Map(baked ? [[example, baked], ...Object.entries(baked.others ?? {})] : []);
  const drawn = baked && { sense: senseOf(baked), pushes: baked.pushes ?? null, word: baked.word, words: [baked.word] };
  const state = startWith({ ...parts, ...drawn, example, stored });
  const first = { ...state, of: baked && args(state) };
  return reduce(first, { type: "take", parts: { wanted, off } });
}

/** In which sense the word is read, and where the reader asked for it, which heads decide. */
async function compute(
  [{ encoder, axes }]: SenseModel[],
  host: Host<State, Action>,
  signal: AbortSignal,
): Promise<Answer> {
  const { sentence, followed, masked, off } = args(host.state);
  const ranks = isRanking(host.state);
  const known = axes.known(followed);
  const attend = async (heads: number[][], follow = axes.followed(known)) =>
    encoder.attend(sentence, maskOf(heads, encoder.numLayers, encoder.numHeads), {
      signal,
      states: true,
      masked,
      follow,
    });
  const map = await attend(off);
  const present = axes.among(map.queryTokens);
  const word = present.find((one) => one === known) ?? present[0];
  if (!word) return { action: { type: "lose" }, status: unknownWord(axes.words.map((one) => one.word)) };
  const scoresIn = (of: AttentionMap) => axes.scores(of, word) as number[];
  const sense = { word: word.word, senses: word.senses, shares: scoresIn(map).map(shareOf), layer: axes.layer };
  const reading = { sense, pushes: axes.pushes(map, word), words: present.map((one) => one.word) };
  const status = [READY, ...(map.notes ?? [])].join(" ");
  if (!ranks) return { action: { type: "show", ...reading }, status };
  const score = scoresIn(map)[axes.layer];
  const without: number[][] = []; // the score, by layer and head
  for (let layer = 0; layer < encoder.numLayers; layer++) {
    if (!signal.aborted) host.setStatus(`Turning off the heads of layer ${layer + 1}, one by one.`);
    without.push([]);
    for (let head = 0; head < encoder.numHeads; head++)
      without[layer].push(scoresIn(await attend([[layer, head]], []))[axes.layer]);
  }
  const places = wordPlaces(map.queryTokens, word.tokens);
  const ranking: RankedHead[] = rankedHeads(score, without).map(({ place, moved }) => ({
    place,
    moved,
    share: shareOf(score + moved),
    looks: looksAt(map, place, places),
  }));
  return { action: { type: "show", ...reading, ranking }, status };
}

defineFigure<State, Action, SenseModel, Answer>("word-sense", {
  start,
  reduce,
  view,
  summary,
  args,
  events: ({ sense }) => ({ sense }),
  attributes: ["sentence", "word", "layer", "arrows", "head", "masked", "off"],
  read(name, text) {
    if (name === "off") return readPart(name, text);
    if (name === "arrows") return { arrows: text !== null };
    if (name === "head") return text === null ? {} : { pointed: { word: null, head: Number(text) - 1 } };
    if (name === "masked" && text !== null) return { wanted: text.toLowerCase().split(/\s+/).filter(Boolean) };
    return readPlain(name, text, ["layer"]);
  },
  properties: {
    sentence: ({ sentence }) => sentence,
    sense: ({ sense }) => sense, // what is on the scale: { word, senses, shares: of the second sense after each layer, layer: the one that decides }
  },
  methods: {
    begin: ({ act }, sentence: string) => act({ type: "begin", sentence }), // with an example: all heads are on
  },
  styles: ["word-sense.css"],
  late: true,
  work: {
    models: () => ["encoder"],
    load: loadSenseModel,
    failure: (state) => (isRanking(state) ? "The heads could not be ranked" : "The sense could not be computed"),
    compute,
    answer: ({ action }) => action,
    tells: (host, { status }) => status,
    waits(state, model) {
      if (isOther(state)) return answeredLater(model);
      return state.stored.has(state.sentence) && isPending(state) ? answeredLater(model, "This") : null;
    },
  },
});
