// Why a head looks from one token at another: the largest parts of their score, one below the other, each bar beginning where the one
// above ends, so that the last ends at the score. It's asked of the map's own model, and only while somebody has it open.

import type { AttentionMap } from "../math/attention-map.ts";
import { topPairs, writerOfKey, type AttentionEdge, type ScoreParts } from "../math/score-parts.ts";
import { amount, visible } from "../math/text.ts";
import { fill, h, rowsOf, setText } from "./dom.ts";

const SHOWN = 5; // pairs by name
const WAITS = "The model has to load first."; // what was computed ahead can't tell

export class WhyThere {
  #lead = h("p", { class: "wt-lead" }, WAITS);
  #heads = [h("th", { scope: "col" }), h("th", { scope: "col" })];
  #body = h("tbody");
  #table = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, ...this.#heads, h("th", { scope: "col" }, "add to the score"), h("td"))),
    this.#body,
  );
  #shown: { map: AttentionMap; edge: AttentionEdge; colours: Record<string, string> } | null = null;
  node = h("details", { class: "why-there", ontoggle: () => this.#draw() }, h("summary", {}, "Why there?"), this.#lead);

  /** Another edge of a map is asked about; `colours` are those of heads that have one, by name, such as "layer 1, head 2". */
  ask(map: AttentionMap, edge: AttentionEdge, colours: Record<string, string> = {}) {
    if (map === this.#shown?.map && String(Object.values(edge)) === String(Object.values(this.#shown.edge))) return;
    this.#shown = { map, edge, colours };
    this.node.hidden = false;
    this.#draw();
  }

  /** Another map is shown: the same edge is asked about if the text is the same, and else none, and nothing is shown. */
  follow(map: AttentionMap) {
    if (map === this.#shown?.map) return;
    const isSame = map.scoreParts && this.#shown?.map.queryTokens.join("\n") === map.queryTokens.join("\n");
    if (isSame) return this.ask(map, this.#shown!.edge);
    this.#shown = null;
    this.node.hidden = true;
  }

  /** Opens it, as its reader does. */
  open() {
    this.node.open = true; // which draws, by the event
  }

  async #draw() {
    const asked = this.#shown;
    if (!asked || !this.node.open) return;
    const found = asked.map.scoreParts?.(asked.edge); // a model in the page answers at once, one in a worker later
    if (!found) return this.#wait();
    if (!(found instanceof Promise)) return this.#show(found);
    const answer = await found.catch(() => null); // the figure itself says what went wrong
    if (this.#shown === asked && answer) this.#show(answer);
  }

  #wait() {
    setText(this.#lead, WAITS);
    this.#table.remove();
  }

  #show(found: ScoreParts) {
    const {
      map,
      edge: { layer, head, query, key },
      colours,
    } = this.#shown!;
    const [asks, answers] = [map.queryTokens[query], map.keyTokens[key]].map((token) => `“${visible(token)}”`);
    const { top, others, rest, score } = topPairs(found, SHOWN);
    const { part, value } = writerOfKey(found);
    setText(
      this.#lead,
      `In layer ${layer + 1}, ${map.headNames[head]}, the score of ${asks} with ${answers} is ${amount(score, true)}. ` +
        `In the key, ${wrote(part)} counts most: ${amount(value, true)}.`,
    );
    [`Query ${asks}`, `Key ${answers}`].forEach((text, side) => setText(this.#heads[side], text));
    const rows = top.map(({ query: one, key: other, value: adds }) => ({ names: [one, other], adds }));
    const left = [others && `${others.toLocaleString("en")} other pairs`, found.score !== undefined && "rounding"]
      .filter(Boolean)
      .join(" and ");
    if (left) rows.push({ names: [left], adds: rest });
    this.#drawBars([...rows, { names: ["Score"], adds: score }], colours);
    [...rowsOf(this.#body)].forEach((row, at) => {
      row.className = at === rows.length ? "wt-score" : at === top.length ? "wt-rest" : "";
    });
    this.node.append(this.#table);
  }

  /** A row each, with a bar that begins where the one before ends; the last is their sum. */
  #drawBars(rows: { names: string[]; adds: number }[], colours: Record<string, string>) {
    const ends = rows.slice(0, -1).reduce((sums, { adds }) => [...sums, sums[sums.length - 1] + adds], [0]);
    const [low, high] = [Math.min(...ends), Math.max(...ends, Math.min(...ends) + 1e-6)];
    const share = (length: number) => (length / (high - low)).toFixed(4);
    const items = fill(this.#body, rows.length, makeBarRow);
    rows.forEach(({ names, adds }, at) => {
      const [one, other, bar, number] = items[at].cells;
      const from = at === rows.length - 1 ? 0 : ends[at];
      setText(one, names[0]);
      setText(other, names[1] ?? "");
      one.colSpan = names.length === 1 ? 2 : 1;
      other.hidden = names.length === 1;
      [one, other].forEach((cell, side) => cell.style.setProperty("--head", colours[names[side]] ?? "transparent"));
      const mark = bar.firstElementChild as HTMLElement;
      mark.classList.toggle("wt-minus", adds < 0);
      mark.style.setProperty("--from", share(Math.min(from, from + adds) - low));
      mark.style.setProperty("--length", share(Math.abs(adds)));
      mark.style.setProperty("--head", colours[names[1]] ?? "var(--hm-accent)");
      bar.style.setProperty("--zero", share(-low));
      setText(number, amount(adds, true));
    });
  }
}

const makeBarRow = () =>
  h(
    "tr",
    {},
    h("th", { scope: "row" }),
    h("td"),
    h("td", { class: "wt-bar" }, h("i")),
    h("td", { class: "wt-number" }),
  );

/** Who a part of a vector comes from, in a sentence. */
function wrote(part: string) {
  if (part === "embedding" || part === "position") return `its ${part}`;
  return part === "biases" ? "what the biases add" : `what ${part} wrote`;
}
