// What figures share that lean on a <head-map>: which it is, and what they see of it.

import { firstOf, readQuery } from "../math/query.ts";
import type { HeadModel } from "../models/head-model.ts";
import type { Host } from "../views/host.ts";
import { headsOff, mapReady, type LiveMap } from "./page-element.ts";

/** What such a figure sees of a map. */
export type SeenMap = Pick<LiveMap, "attention" | "computedBy" | "headMask" | "model" | "models" | "sentence"> & {
  query: number; // of several that ask as one, the first
};

/** What a map shows now; its script may come later. */
export function seenOf(map: Element & Partial<LiveMap>): SeenMap {
  const { attention = null, computedBy = "", headMask = null, model = "", models = [] } = map;
  const { query = readQuery(map.getAttribute("query") ?? "") ?? 0, sentence = map.getAttribute("sentence") ?? "" } =
    map;
  return { attention, computedBy, headMask, model, models, query: firstOf(query), sentence };
}

/** The map in a figure. */
export const mapIn = (figure: Element) => figure.querySelector("head-map") as LiveMap;

/** What a page reads of a figure with a map in it; it's ready once that computes for itself. */
export const MAP_INSIDE = {
  map: (_: unknown, { root }: Host<any, any>) => mapIn(root),
  ready: (_: unknown, { root }: Host<any, any>) => mapReady(mapIn(root)),
};

/** Follows the map in a figure; what it gives does so at once. */
export function followMap(host: Host<any, any>, leaves: AbortSignal) {
  const map = mapIn(host.root);
  const follow = () => host.follow({ type: "follow", map: seenOf(map) });
  map.addEventListener("attention", follow, { signal: leaves });
  return follow;
}

/** What a model makes of a map's sentence, or of another, with the heads off that are off there. */
export const attendAs = (map: LiveMap, model: HeadModel, sentence = map.sentence) =>
  model.attend(sentence, headsOff(map, model));
