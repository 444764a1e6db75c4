// The patches of a picture among the places of a map.

import type { HeadStyle, MapState, ShownMap } from "../../math/map-state.ts";
import type { HeadMask, PatchPicture } from "../../math/attention-map.ts";
import { averageHeads, fullWeight, isOfParts, layersOf } from "../../math/maps.ts";
import { areFewHeads } from "../../math/shown.ts";

/** Beside the patches: so many places stand over each head's picture; more stand once, over all. */
export const FEW_PLACES = 8;

/** For each patch, row after row, its place among the keys that are shown; null where it isn't one of them. */
export function patchKeys({ picture, keys, shape }: ShownMap): (number | null)[] {
  return picture ? placesIn(keys, shape[3], picture.keyStart, picture) : [];
}

/** The places of all other keys that are shown: special tokens, and words of a text beside the picture. */
export function otherKeys(map: ShownMap) {
  const patches = new Set(patchKeys(map));
  return [...map.keyTokens.keys()].filter((key) => !patches.has(key));
}

/**
 * The layers whose heads stand in the view: of few heads as pictures all, where all have come, no words stand once over those of a
 * layer, and the legend holds for all; else the chosen one.
 */
export function drawnLayers(map: ShownMap, { view, layer }: Pick<MapState, "view" | "layer">) {
  const layers = layersOf(map);
  const all = layers.length === map.shape[0] && areFewHeads(map) && isOfParts(map);
  return view === "picture" && all && otherKeys(map).length <= FEW_PLACES ? layers : [layer];
}

/** For each key that is shown, its place among those that ask; `askers` are those of keys that aren't patches, null for none. */
export function askersByKey(map: ShownMap, askers: (number | null)[] | null) {
  const all = askers ? [...askers] : map.keyTokens.map((): number | null => null);
  const { picture } = map;
  if (!picture || picture.queryStart === null) return all;
  const asking = placesIn(map.queries, map.shape[2], picture.queryStart, picture);
  patchKeys(map).forEach((key, patch) => key !== null && (all[key] = asking[patch]));
  return all;
}

/** Where the patches from `start` on of the computed map are now; `shown` are the places that are shown, all where none are given. */
function placesIn(shown: number[] | undefined, count: number, start: number, picture: PatchPicture) {
  const at = new Map((shown ?? [...Array(count).keys()]).map((place, index) => [place, index]));
  const after = picture.places ?? [...Array(picture.rows * picture.columns).keys()];
  return after.map((place) => (place === null ? null : (at.get(start + place) ?? null)));
}

/** The weight that has the full colour on a picture: on the relative scale, the largest of these keys, its patches. */
export function fullOnPicture(
  map: ShownMap,
  layer: number,
  weights: ArrayLike<number>,
  style: HeadStyle,
  keys: (number | null)[],
) {
  if (style.scale !== "relative") return fullWeight(map, layer, weights, style);
  return keys.reduce<number>((most, key) => (key === null ? most : Math.max(most, Math.abs(weights[key]))), 0);
}

/** The sum of the weights of all patches. */
export const sumOnPicture = (weights: ArrayLike<number>, patches: (number | null)[]) =>
  patches.reduce<number>((sum, key) => sum + (key === null ? 0 : weights[key]), 0);

/** The mean of the heads that are on, of one layer alone: the others are empty. */
export const meanOfLayer = (map: ShownMap, layer: number, headMask: HeadMask): ShownMap => ({
  ...map,
  ...averageHeads({ ...map, present: [layer] }, headMask),
  mixed: true,
});
