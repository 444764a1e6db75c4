// The state of a map: its parts, what each may be, and how it is written, in attributes and in links. No DOM.

import type { HeadMask } from "../math/attention-map.ts";
import type { MapState } from "../math/map-state.ts";
import { CHOICES, FORMER_NAMES, VIEWS } from "../math/names.ts";
import { escaped } from "../math/text.ts";

/** What the parts that are words may be; the first is where they start. */
export const OPTIONS: Record<string, string[]> = { view: VIEWS, ...CHOICES };

/** A map's state before anybody chose anything. */
export const START: MapState = {
  sentence: "",
  compare: null,
  view: VIEWS[0],
  layer: 0,
  head: null,
  query: 0,
  headMask: null,
  model: 0,
  weigh: CHOICES.weigh[0],
  special: CHOICES.special[0],
  heads: CHOICES.heads[0],
  layers: CHOICES.layers[0],
  pieces: CHOICES.pieces[0],
  sinks: CHOICES.sinks[0],
  scale: CHOICES.scale[0],
  top: null,
  first: 0,
  last: null,
  find: "",
};

const TEXTS = ["sentence", "compare", "find"];
const NUMBERS = ["layer", "head", "query", "first", "last", "top"]; // places are counted from 0, as everywhere
/** The parts of a state that attributes and links name; `off` lists the heads that are off: "0.3 5.11", layer.head. */
export const WRITTEN = [...TEXTS, ...Object.keys(OPTIONS), ...NUMBERS, "off"];

/** Parts of a state, with the heads that are off as [layer, head]. */
export type StateParts = Partial<MapState> & { off?: number[][] };

/** The part of the state that a written value stands for: nothing, where it is none of what may be. */
export function readPart(name: string, text: string | null): StateParts {
  if (name === "compare") return { compare: text };
  if (text === null) return {};
  if (name === "sentence" || name === "find") return { [name]: text };
  if (name === "off") return { off: [...text.matchAll(/\b(\d{1,3})\.(\d{1,3})\b/g)].map(([, ...place]) => place.map(Number)) };
  if (NUMBERS.includes(name)) return /^\d{1,6}$/.test(text) && !(name === "top" && Number(text) === 0) ? { [name]: Number(text) } : {};
  const known = Object.hasOwn(FORMER_NAMES, text) ? (FORMER_NAMES as Record<string, string>)[text] : text;
  return OPTIONS[name].includes(known) ? { [name]: known } : {};
}

/** A state as [name, value] pairs for a link or a tag, without what is as at the start; `model` is its name. */
export function writeState(state: MapState, model: string) {
  const pairs = model ? [["model", model]] : [];
  for (const name of WRITTEN.slice(0, -1) as (keyof MapState)[])
    if (state[name] !== START[name]) pairs.push([name, String(state[name])]);
  const off = offOf(state.headMask);
  if (off) pairs.push(["off", off]);
  return pairs;
}

/** The heads that are off, as attributes name them: "0.3 5.11". */
export const offOf = (headMask: HeadMask) =>
  (headMask ?? []).flatMap((row, layer) => row.flatMap((on, head) => (on ? [] : [`${layer}.${head}`]))).join(" ");

/** The mask that turns off those of the named heads that a model has; null where it has none of them. */
export function maskOf(off: number[][], layers: number, heads: number) {
  const mask = Array.from({ length: layers }, () => Array(heads).fill(true));
  for (const [layer, head] of off) if (layer < layers && head < heads) mask[layer][head] = false;
  return mask.flat().every(Boolean) ? null : mask;
}

/**
 * The address of a page with the state of one of its maps, which `place` names: an id, or how many-th it is. The state
 * stands behind the "#", which no browser sends to a server.
 */
export function linkTo(address: string, place: string, pairs: string[][]) {
  const url = new URL(address);
  url.hash = String(new URLSearchParams([["map", place], ...pairs]));
  return url.href;
}

/** What a page's "#..." sets of the map that is called one of `places`; null where it sets nothing. */
export function linkedState(hash: string, places: string[]): { model: string | null, state: MapState & { off: number[][] } } | null {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const place = params.get("map");
  if (!place || !places.includes(place)) return null;
  const parts = WRITTEN.map((name) => readPart(name, params.get(name)));
  return { model: params.get("model"), state: Object.assign({ ...START, off: [] }, ...parts) };
}

/** A text for HTML that may be read in any encoding: pages forget to name theirs. */
const inAscii = (text: string) => text.replace(/[^\0-\x7f]/gu, (sign) => `&#${sign.codePointAt(0)};`);

/** What shows the map on any page; `folder` is where the scripts lie. */
export function tagFor(folder: URL | string, pairs: string[][]) {
  const attributes = pairs.map(([name, value]) => ` ${name}="${inAscii(escaped(value))}"`).join("");
  return `<script type="module" src="${escaped(new URL("head-map.js", folder).href)}"></script>\n<head-map${attributes}></head-map>`;
}

/** What `embed.html` calls its height in pixels when it sends it to the page around it. */
export const HEIGHT = "manyHeadsHeight";
const FIT = `<script>addEventListener("message", ({ source, data }) => document.querySelectorAll("iframe").forEach((frame) =>
  frame.contentWindow === source && data?.${HEIGHT} && (frame.style.height = data.${HEIGHT} + "px")))</script>`;

/** The same as a page within a page, for where the tag's scripts are not allowed; its own makes it as high as the map. */
export function frameFor(folder: URL | string, pairs: string[][]) {
  const url = new URL("../../embed.html", folder);
  url.search = String(new URLSearchParams(pairs));
  return `<iframe src="${escaped(url.href)}" title="What each head looks at" allow="clipboard-write" loading="lazy" style="width: 100%; height: 32rem; border: 0"></iframe>\n${FIT}`;
}
