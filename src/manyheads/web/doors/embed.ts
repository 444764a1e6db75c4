// embed.html: one live map for a frame in somebody else's page. The address says what it shows: `?model=focus&sentence=...`,
// or the same behind "#", where no server sees it.

import type { AttentionMap } from "../math/attention-map.ts";
import { h } from "../views/dom.ts";
import { readsText } from "../math/families.ts";
import { maskOf } from "../math/heads-off.ts";
import { EXAMPLE, FLAGS } from "../math/names.ts";
import { valuesOf } from "../math/options.ts";
import { ALONE, HEIGHT } from "./sharing.ts";
import { readPart, WRITTEN, type StateParts } from "./state.ts";

const NAMES = ["figure", "model", "models", "theme", ...WRITTEN];
const THEMES = ["light", "dark"];
const FORMER = ["sinks", "top", "find"]; // settings that addresses of yesterday have

/** What is wrong with a parameter, as a sentence; null where nothing is. */
export function complaint(name: string, text: string) {
  if (FORMER.includes(name)) return null;
  if (!NAMES.includes(name)) return `There is no setting called “${name}”; there are ${NAMES.join(", ")}.`;
  const known = name === "theme" ? THEMES : name === "figure" ? Object.keys(FIGURES) : valuesOf(name);
  const part = readPart(name, text);
  if (known)
    return known.includes(text) || name in part
      ? null
      : `“${name}” can be ${known.join(", ")}; “${text}” is none of them.`;
  if (name.startsWith("model")) return text.trim() ? null : `“${name}” names no model.`;
  if (name === "off")
    return /^(\s*\b\d{1,3}\.\d{1,3}\b)+\s*$/.test(text)
      ? null
      : `“off” names heads as layer.head, like 0.3; “${text}” names none.`;
  return Object.keys(part).length === 0 ? `“${name}” must be a whole number from 0 on; “${text}” is none.` : null;
}

/** What of the parameters is wrong for the map that came, which lacks such a layer, head or token: sentences. */
export function misfits(settings: Record<string, string>, [layers, heads, queries, keys]: number[]) {
  const {
    off = [],
    first = 0,
    last,
    query,
    ...rest
  }: StateParts = Object.assign({}, ...WRITTEN.map((name) => readPart(name, settings[name] ?? null)));
  const counts = { layer: layers, head: heads, query: queries, first: keys };
  const sentences = Object.entries(counts).flatMap(([name, count]) => {
    const number = { ...rest, first, query: typeof query === "object" ? query[1] : query }[name as keyof typeof counts];
    return typeof number === "number" && number >= count
      ? [`“${name}” can be ${count === 1 ? "0 alone" : `0 to ${count - 1}`} in this map; “${number}” cannot.`]
      : [];
  });
  if (last != null && first > last && first < keys)
    sentences.push(`“first” must not come after “last”; ${first} comes after ${last}.`);
  const lacking = off.filter((place) => !maskOf([place], layers, heads)).map((place) => place.join("."));
  return lacking.length ? [...sentences, `“off” names heads that this map lacks: ${lacking.join(", ")}.`] : sentences;
}

/** Other figures that can stand alone here: their settings, and their model unless another is named. */
const FIGURES: Record<string, { names: string[]; model: string }> = {
  "attention-flow": {
    names: ["model", "sentence", "layer", "head", "query", "answer", "station", "cell", ...FLAGS],
    model: "focus",
  },
  "drawing-board": { names: ["model", ...WRITTEN], model: "drawing" },
};

/** What a figure shows that is told no more: of a model that reads drawings, empty paper. */
const startingWith = (model: string) => ({ model, sentence: readsText(model) ? EXAMPLE : "" });

/** A figure that is no map, with the settings it knows. */
function startFigure(name: string, settings: Map<string, string>) {
  const { names, model } = FIGURES[name];
  const theme = settings.get("theme") ?? "";
  if (THEMES.includes(theme)) document.documentElement.dataset.theme = theme;
  const known = Object.fromEntries([...settings].filter(([setting]) => names.includes(setting)));
  document.body.replaceChildren(
    h(
      "main",
      { class: "alone" },
      h("h1", { class: "unseen" }, ALONE[name].title),
      h(name as "div", { ...startingWith(known.model ?? model), ...known }),
    ),
  );
  document.head.append(h("script", { type: "module", src: new URL(`${name}.js`, import.meta.url).href }));
}

function start() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const settings = new Map([...new URLSearchParams(location.search), ...(hash.has("map") ? [] : hash)]); // else a shared link's
  const figure = settings.get("figure") ?? "";
  if (Object.hasOwn(FIGURES, figure)) return startFigure(figure, settings);
  const complaints = [...settings].map(([name, text]) => complaint(name, text)).filter((sentence) => sentence !== null);
  const { theme, ...attributes } = Object.fromEntries(
    [...settings].filter(([name, text]) => complaint(name, text) === null),
  );
  if (theme) document.documentElement.dataset.theme = theme;
  const { model, ...text } = startingWith(attributes.model ?? "focus");
  const map = h("head-map", { ...text, ...(settings.has("models") ? {} : { model }), ...attributes });
  const title = h("h1", { class: "unseen" }, ALONE["head-map"].title);
  const alert = (sentence: string) => h("p", { role: "alert" }, sentence);
  document.body.replaceChildren(h("main", { class: "alone" }, title, ...complaints.map(alert), map));
  const check = ({ detail: { shape } }: CustomEvent<AttentionMap>) =>
    map.before(...misfits(attributes, shape).map(alert));
  map.addEventListener("attention", check as EventListener, { once: true });
}

/** Sends the page around it the map's height, whenever that changes, so that the frame can be as high. */
function sendHeight() {
  const send = () => parent.postMessage({ [HEIGHT]: Math.ceil(document.body.getBoundingClientRect().height) }, "*");
  new ResizeObserver(send).observe(document.body);
}

if (globalThis.document) {
  start();
  if (parent !== globalThis.self) sendHeight();
}
