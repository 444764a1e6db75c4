// embed.html: one live map for a frame in somebody else's page. The address says what it shows: `?model=focus&sentence=...`,
// or the same behind "#", where no server sees it.

import { h } from "./dom.js";
import { OPTIONS, readPart, WRITTEN } from "./state.js";
import "./head-map.js";

const SENTENCE = "Which do you like better, coffee or tea?"; // where none is given
const NAMES = ["model", "models", "theme", ...WRITTEN];
const THEMES = ["light", "dark"];

/** What is wrong with a parameter, as a sentence; null where nothing is. */
export function complaint(name, text) {
  const known = name === "theme" ? THEMES : OPTIONS[name];
  if (!NAMES.includes(name)) return `There is no setting called “${name}”; there are ${NAMES.join(", ")}.`;
  if (known) return known.includes(text) ? null : `“${name}” can be ${known.join(", ")}; “${text}” is none of them.`;
  if (name.startsWith("model")) return text.trim() ? null : `“${name}” names no model.`;
  const said = Object.values(readPart(name, text))[0];
  if (name === "off") return said.length ? null : `“off” names heads as layer.head, like 0.3; “${text}” names none.`;
  return said === undefined ? `“${name}” must be a whole number from 0 on; “${text}” is none.` : null;
}

function start() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const said = new Map([...new URLSearchParams(location.search), ...(hash.has("map") ? [] : hash)]); // else a shared link's
  const wrong = [...said].map(([name, text]) => complaint(name, text)).filter(Boolean);
  const right = [...said].filter(([name, text]) => complaint(name, text) === null);
  const { theme, ...attributes } = { sentence: SENTENCE, ...(said.has("models") ? {} : { model: "focus" }), ...Object.fromEntries(right) };
  if (theme) document.documentElement.dataset.theme = theme;
  document.body.replaceChildren(...wrong.map((text) => h("p", { role: "alert" }, text)), h("head-map", attributes));
}

if (globalThis.document) start();
