// Two models beside each other: which words they'd write next, and which of their heads moved most.

import texts from "../../../shared/texts.json" with { type: "json" };
import { download } from "../../doors/download.ts";
import { modelLabel } from "../../math/families.ts";
import { percent, visible } from "../../math/text.ts";
import { StatusLine } from "../../views/controls.ts";
import { fill, h, rowsOf, setText } from "../../views/dom.ts";
import { counted, movedCsv, movers, type State } from "./state.ts";

/** What both read, wherever they're compared. */
export const TEXTS = Object.values(texts).flat();
const WORDS = 5; // that either may write next
const HEADS = 8;
const NEXT = "next word";

/** The likeliest word. */
const first = (shares = {}) => Object.entries<number>(shares).sort(([, a], [, b]) => b - a)[0]?.[0];

interface Acts {
  measure(): void; // on our texts
  stop(): void;
  show(place: { layer: number; head: number }): void; // a head, in the map
}

/** A table, whose head and rows are filled with texts. */
function makeTable(caption: string, kind: string) {
  const [head, body] = [h("thead", {}, h("tr")), h("tbody")];
  const node = h("table", { class: kind }, h("caption", {}, caption), head, body);
  const cells = (row: Element, written: string[]) => {
    const found = fill(row, written.length, (at) => (row.parentElement === head || !at ? h("th") : h("td")));
    written.forEach((text, at) => setText(found[at].querySelector("button") ?? found[at], text));
  };
  const draw = (titles: string[], written: string[][]) => {
    cells(head.firstElementChild!, titles);
    fill(body, written.length, () => h("tr"));
    written.forEach((row, at) => cells(rowsOf(body)[at], row));
  };
  return { node, body, draw };
}

export function makeBeside({ measure, stop, show }: Acts) {
  const words = makeTable("Next word", "om-words");
  const heads = makeTable("Heads that moved most: attention given elsewhere, on average", "om-heads");
  const status = new StatusLine();
  const note = h("p", { class: "om-note" });
  let drawn: ReturnType<typeof movers> = [];
  let latest: State | null = null;
  const save = () => {
    const name = latest!.held.map(({ model }) => modelLabel(model.name)).join("-");
    download(new Blob([movedCsv(latest!)], { type: "text/csv" }), `${name}-moved.csv`);
  };
  const saves = h("button", { type: "button", class: "om-save", onclick: save }, "Save all heads as CSV");
  const tables = h("div", { class: "om-tables" }, words.node, heads.node);
  const node = h("div", { class: "om-beside" }, note, tables, status.node, saves);

  function drawWords({ here, held }: State) {
    const [first, second] = here?.predictions.map((each) => each[NEXT] ?? {}) ?? [{}, {}];
    const most = Object.keys({ ...first, ...second })
      .sort((a, b) => Math.max(second[b] ?? 0, first[b] ?? 0) - Math.max(second[a] ?? 0, first[a] ?? 0))
      .slice(0, WORDS);
    const shareIn = (shares: Record<string, number>, word: string) => {
      const least = Math.min(...Object.values(shares)); // of those that are told
      return word in shares ? percent(shares[word]) : least < 1 ? `< ${percent(least)}` : "";
    };
    const named = held.map(({ model }) => modelLabel(model.name));
    words.node.hidden = !most.length;
    words.draw(
      ["", ...named],
      most.map((word) => [word.trim() ? word : visible(word), shareIn(first, word), shareIn(second, word)]),
    );
  }

  function drawHeads(state: State) {
    const hasOurs = drawn[0]?.ours !== undefined;
    const share = (value?: number) => (value === undefined ? "" : percent(value));
    heads.node.hidden = saves.hidden = !drawn.length;
    heads.draw(
      ["Head", "your text", ...(hasOurs ? ["our texts"] : [])],
      drawn.slice(0, HEADS).map((row) => ["", share(row.here), ...(hasOurs ? [share(row.ours)] : [])]),
    );
    [...rowsOf(heads.body)].forEach((row, at) => {
      const button = row.querySelector("button") ?? row.cells[0].appendChild(h("button", { type: "button" }));
      setText(button, `layer ${drawn[at].layer + 1}, head ${drawn[at].head + 1}`);
      button.onclick = () => show(drawn[at]);
    });
    const { here } = state;
    const isOther = here !== null && !here.heads.length;
    setText(
      note,
      isOther ? "The two cut your text into other tokens, so no row of one has its like in the other." : "",
    );
    note.hidden = !isOther;
  }

  function drawStatus(state: State) {
    const { measuring } = state;
    if (!measuring) return status.tell("", measure, `Measure on ${TEXTS.length} texts of ours`);
    const { found, total } = measuring;
    if (found.length < total)
      return status.tell(`${found.length} of ${total} texts.`, stop, "Cancel", found.length / total);
    const alike = counted(state);
    const same = alike.filter(({ predictions: [a, b] }) => first(a[NEXT]) === first(b[NEXT])).length;
    const other = total - alike.length;
    const left = other ? ` ${other} are left out, since the two cut them into other tokens.` : "";
    status.tell(`On ${alike.length} of our texts, the likeliest next word was the same ${same} times.${left}`);
  }

  function draw(state: State) {
    node.hidden = state.held.length < 2;
    if (node.hidden) return;
    latest = state;
    drawn = movers(state);
    drawWords(state);
    drawHeads(state);
    drawStatus(state);
  }

  return { node, draw };
}
