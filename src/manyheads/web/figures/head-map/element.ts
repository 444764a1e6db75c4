// <head-map>: what every head looks at, live in a page.

import { defineFigure } from "../../doors/define-figure.ts";
import { openFile } from "../../doors/open-file.ts";
import type { LiveMap } from "../../doors/page-element.ts";
import { readyWith } from "../../doors/page-models.ts";
import { answeredLater, together, type Refusal } from "../../doors/task.ts";
import { makePressable } from "../../doors/worth-trying.ts";
import type { AttentionMap, HeadMask } from "../../math/attention-map.ts";
import { readsText } from "../../math/families.ts";
import { offOf } from "../../math/heads-off.ts";
import type { MapState } from "../../math/map-state.ts";
import { namesWith } from "../../math/options.ts";
import { withWord } from "../../math/text.ts";
import { decodeMap } from "../../math/wire.ts";
import type { HeadModel } from "../../models/head-model.ts";
import { unfold } from "../../views/dom.ts";
import { ATTRIBUTES, copiesOf, modelsGiven, linkedOf, modelsOf, placesOf, readAttribute } from "./attributes.ts";
import { readLent, writtenOf } from "./attributes.ts";
import { startOn, type Action, type State } from "./state.ts";
import { askWithout, FIGURE, view, type MapFigure } from "./view.ts";

/** A map, and the one it is compared with: of another sentence, or of another model. */
type Maps = [AttentionMap, AttentionMap | null];

/** The name of the model that is chosen. */
const modelOf = ({ models, chosen }: State) => models[chosen.model] ?? "";

/** What stays on screen where a text can't be read. */
const stays = (state: State) =>
  `What you see is the last ${readsText(modelOf(state)) ? "sentence" : "drawing"} that could be read.`;

const choose = ({ act }: MapFigure, parts: Partial<MapState>) => act({ type: "choose", parts });

/** What the page says of a map that its build has drawn, and by its address. */
function drawn(host: MapFigure, baked: any) {
  const { root, state } = host;
  if (baked) {
    const compared = baked.compared ? decodeMap(baked.compared) : null;
    host.dispatch({ type: "show", map: decodeMap(baked), compared });
  }
  if (state.computes)
    host.update(writtenOf(root)); // the map to come may have more layers, heads and tokens than the one that's baked in
  else host.setStatus(baked?.status ?? "");
  followLink(host);
  if (state.computes) makePressable();
}

/** Takes over what the page's address says of a map, and brings it before the reader. */
function followLink(host: MapFigure) {
  const linked = linkedOf(host.root, host.state.places);
  if (!linked) return;
  bring(host.root);
  host.lend(linked);
}

function bring(map: Element) {
  unfold(map);
  requestAnimationFrame(() => map.scrollIntoView({ block: "nearest" }));
}

/**
 * Reads a GGUF file of the reader's, or several files that are one, as the map's model; fulfilled once it reads the sentence with it. What could not be done is told,
 * and rejected, and what was shown stays.
 */
async function open(host: MapFigure, file: File | File[]) {
  const { name } = await openFile(file, { tell: (...message) => host.setStatus(...message) });
  host.root.removeAttribute("models");
  host.root.setAttribute("model", name);
  await (host.root as LiveMap).settled;
}

function compute([model, beside]: HeadModel[], host: MapFigure, signal: AbortSignal) {
  if (model !== host.state.model || host.state.off) {
    const { numLayers, numHeads, vocabulary } = model;
    host.dispatch({ type: "model", model, numLayers, numHeads, vocabulary });
  }
  signal.throwIfAborted(); // it lacks heads that were to be off, so that another map was asked for
  const { sentence, compare, headMask, weigh } = host.state.chosen;
  const attend = (by: HeadModel, text: string) => by.attend(text, headMask, { signal, norms: weigh === "written" });
  const first = attend(model, sentence);
  const second = beside ? attend(beside, sentence) : compare === null ? null : attend(model, compare);
  return together<AttentionMap | null>([first, second]) as Maps | Promise<Maps>;
}

/** Says why a sentence gets no map, unless its last word is still being typed; offers the likeliest of the words that an unknown one may be. */
function refuse(host: MapFigure, { message, word, near }: Refusal) {
  const { state } = host;
  const { sentence } = state.chosen;
  if (word && sentence.toLowerCase().endsWith(word) && state.words.some((known) => known.startsWith(word)))
    return host.setStatus(stays(state));
  const mended = word && near.length ? withWord(sentence, word, near[0]) : null;
  const act = mended === null ? null : () => choose(host, { sentence: mended });
  host.dispatch({ type: "refuse" });
  host.setStatus(`${message} ${stays(state)}`, act, `Use “${near[0]}”`);
}

defineFigure<State, Action, HeadModel, Maps>("head-map", {
  ...FIGURE,
  start: (element) => startOn(writtenOf(element), modelsGiven(element), placesOf(element)),
  view: (host) =>
    view(host, {
      examples: host.root.getAttribute("examples") ?? "",
      tools: host.root.getAttribute("tools") !== "none",
      copies: (now) => copiesOf(host.root, host.state.places[0], now),
    }),
  attributes: ATTRIBUTES,
  read: readAttribute,
  properties: {
    attention: ({ map }) => map, // on display: {queryTokens, keyTokens, shape, weights, headNames, predictions}
    compared: ({ compared }) => compared, // the map that it is compared with
    computedBy: (state) => state.computedBy, // the name of a model; "" where the page brought it
    sentence: ({ chosen }) => chosen.sentence,
    off: ({ chosen }) => offOf(chosen.headMask), // the heads that are, as the attribute names them: "0.3 5.11"
    models: (state) => state.models, // their names
    model: modelOf,
    headMask: ({ chosen }) => chosen.headMask, // [layer][head] -> whether it is on; null where all are
    enlarged: ({ chosen: { layer, head } }) => (head === null ? null : { layer, head }), // the head that is shown alone, or large
    query: ({ chosen }) => chosen.query, // the token that asks, by its place in the map; in the map to come, where one is computed
  },
  sets: {
    off: ({ root }, heads: string) => root.setAttribute("off", heads),
    model(host, name: string) {
      const model = host.state.models.indexOf(name);
      if (model < 0) host.root.setAttribute("model", name);
      else if (name !== modelOf(host.state)) choose(host, { model });
    },
    headMask: (host, headMask: HeadMask) => choose(host, { headMask }),
    query(host, query: number) {
      choose(host, { query });
      if (host.state.computes) host.update({ query });
    },
  },
  asBuilt: { computedBy: () => "", models: modelsOf, sentence: (element) => element.getAttribute("sentence") ?? "" },
  methods: {
    type: (host, sentence: string) => choose(host, { sentence }), // as its reader does
    begin: ({ act }, sentence: string) => act({ type: "begin", sentence }), // with an example: all heads are on
    lend: (host, settings) => host.lend(readLent(settings, host.state.models)),
    open,
    focus: ({ root }, options) => root.querySelector<HTMLElement>("input, textarea")?.focus(options), // what a reader sets it by first
  },
  late: true,
  styles: [],
  drawn,
  listen: (host, leaves) => addEventListener("hashchange", () => followLink(host), { signal: leaves }),
  effect: (host) => (_, before) => {
    askWithout(host);
    if (before.madeWith && !host.state.madeWith) bring(host.root); // the file that a link was made with is open
  },
  work: {
    models: ({ state }) => [modelOf(state), state.computes ? state.beside : ""].filter(Boolean),
    asks: [...namesWith("computed"), "off"],
    failure: "The map could not be computed",
    compute,
    answer: ([map, compared], { state }) => ({ type: "show", map, compared, computedBy: modelOf(state) }),
    tells: ({ state }) => readyWith(state.model),
    waits: ({ chosen, example }, model) => (chosen.sentence === example ? null : answeredLater(model)),
    refuse,
  },
});

declare global {
  interface HTMLElementTagNameMap {
    "head-map": LiveMap;
  }
}
