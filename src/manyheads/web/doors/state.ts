// How the state of a map is written, in attributes and in links. No DOM.

import { offOf } from "../math/heads-off.ts";
import type { MapState } from "../math/map-state.ts";
import { OPTION_NAMES, OPTIONS, readOption, START } from "../math/options.ts";
import { escaped } from "../math/text.ts";

/** The parts of a state that attributes and links name; `off` lists the heads that are off: "0.3 5.11", layer.head. */
export const WRITTEN: string[] = [...OPTION_NAMES, "off"];

/** Parts of a state, with the heads that are off as [layer, head]; of a link, the file that it was made with and that isn't open. */
export type StateParts = Partial<MapState> & { off?: number[][]; madeWith?: string };

/** The part of the state that a written value stands for: nothing, where it is none of what may be. */
export function readPart(name: string, text: string | null): StateParts {
  if (name === "off")
    return text === null
      ? {}
      : { off: [...text.matchAll(/\b(\d{1,3})\.(\d{1,3})\b/g)].map(([, ...place]) => place.map(Number)) };
  const option = OPTION_NAMES.find((each) => each === name);
  if (!option) return {};
  const { kind, start } = OPTIONS[option];
  if (text === null) return kind === "text" && start === null ? { [option]: null } : {};
  const value = readOption(option, text);
  return value === undefined ? {} : { [option]: value };
}

/** A state as [name, value] pairs for a link or a tag, without what is as at the start: `layer` there; `model` is its name. */
export function writeState(state: MapState, model: string, layer = 0) {
  const pairs = model ? [["model", model]] : [];
  const start = { ...START, layer };
  for (const name of OPTION_NAMES)
    if ((state[name] ?? start[name]) !== start[name]) pairs.push([name, String(state[name])]);
  const off = offOf(state.headMask);
  if (off) pairs.push(["off", off]);
  return pairs;
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
export function linkedState(
  hash: string,
  places: string[],
): { model: string | null; state: MapState & { off: number[][] } } | null {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const place = params.get("map");
  if (!place || !places.includes(place)) return null;
  const parts = WRITTEN.map((name) => readPart(name, params.get(name)));
  return { model: params.get("model"), state: Object.assign({ ...START, off: [] }, ...parts) };
}

/** A text for HTML that may be read in any encoding: pages forget to name theirs. */
const inAscii = (text: string) => text.replace(/[^\0-\x7f]/gu, (sign) => `&#${sign.codePointAt(0)};`);

/** What shows the map on any page, as a <head-map> or in another figure; `folder` is where the scripts lie. */
export function tagFor(folder: URL | string, pairs: string[][], figure = "head-map") {
  const attributes = pairs.map(([name, value]) => ` ${name}="${inAscii(escaped(value))}"`).join("");
  return `<script type="module" src="${escaped(new URL(`${figure}.js`, folder).href)}"></script>\n<${figure}${attributes}></${figure}>`;
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
