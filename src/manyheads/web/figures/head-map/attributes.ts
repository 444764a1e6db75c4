// What a page says of a <head-map>: by its attributes and by the page's address; and the texts that put it onto other pages.

import { frameFor, linkTo, tagFor } from "../../doors/sharing.ts";
import { linkedState, partsOf, readPart, WRITTEN, writeState, type StateParts } from "../../doors/state.ts";
import { hostHere } from "../../math/host.ts";
import { isFile } from "../../math/families.ts";
import { START } from "../../math/options.ts";
import type { Given, State } from "./state.ts";

/** The attributes of a <head-map> that may change. */
const GIVEN = ["model", "models", "beside"];
export const ATTRIBUTES = [...GIVEN, ...WRITTEN];

/** The names in an attribute, with spaces between them. */
const namesIn = (text: string | null) => (text ?? "").split(/\s+/).filter(Boolean);

export const modelsOf = (element: Element) => namesIn(element.getAttribute("models") ?? element.getAttribute("model"));

/** The state that all attributes write. */
export const writtenOf = (element: Element): StateParts =>
  Object.assign({}, ...WRITTEN.map((name) => readPart(name, element.getAttribute(name))));

/** The state that a phrase or a guess sets of a map with such models. */
export function readLent(settings: Record<string, string>, models: string[]): StateParts {
  return partsOf<StateParts>(settings, (name, text) =>
    name === "model" ? { model: Math.max(models.indexOf(text), 0) } : readPart(name, text),
  );
}

/** What a link may call a map: its id, how many-th on the page it is. */
export const placesOf = (element: Element) => [
  ...(element.id ? [element.id] : []),
  String([...document.querySelectorAll<Element>("head-map")].indexOf(element) + 1),
];

/** The models that a page gives a map, and what it says of them. */
export function modelsGiven(element: Element): Given {
  const [models, name] = [modelsOf(element), element.getAttribute("model") ?? ""];
  const model = element.hasAttribute("models") ? models.indexOf(name) : -1;
  const behaviours = element.getAttribute("behaviours")?.split(" ") ?? null;
  const beside = element.getAttribute("beside") ?? "";
  return { models, model, beside, behaviours, linked: linkedOf(element, placesOf(element)) };
}

/** The part of the state that an attribute writes. */
export const readAttribute = (name: string, text: string | null, element: Element) =>
  GIVEN.includes(name) ? { given: modelsGiven(element) } : readPart(name, text);

/** What the page's address says of a map; null where it says nothing. */
export function linkedOf(element: Element, places: string[]): StateParts | null {
  const linked = linkedState(location.hash, places);
  if (!linked) return null;
  const { model: name, state } = linked;
  const model = modelsOf(element).indexOf(name ?? "");
  if (model >= 0 || !isFile(name ?? "")) return { ...state, model: Math.max(model, 0), madeWith: "" };
  return { ...state, layer: START.layer, head: null, off: [], model: 0, madeWith: name! }; // its heads are another model's
}

/** The texts that the menu can copy. */
export function copiesOf(element: Element, place: string, state: () => State): Record<string, () => string> {
  if (hostHere()) return {}; // a notebook has no address that others could open
  const pairs = () => {
    const { chosen, map } = state();
    return writeState(chosen, modelsOf(element)[chosen.model], map?.namedLayer);
  };
  /** What shows it elsewhere: a map, or the figure around it that the page names. */
  const figure = () => element.getAttribute("shared-as") ?? "head-map";
  const link = { link: () => linkTo(location.href, [["map", place], ...pairs()]) };
  if (!modelsOf(element).length || modelsOf(element).some(isFile)) return link; // no other page has a file of the reader's
  const folder = new URL("../", import.meta.url); // its head-map.js leads to that of each version
  return { ...link, tag: () => tagFor(folder, figure(), pairs()), frame: () => frameFor(folder, figure(), pairs()) };
}
