// Two models beside each other: which words they'd write next, and which of their heads moved most.

import texts from "../../../shared/texts.json" with { type: "json" };
import { download } from "../../doors/download.ts";
import { modelLabel } from "../../math/families.ts";
import { percent, visible } from "../../math/text.ts";
import { StatusLine } from "../../views/controls.ts";
import { fill, h, setText } from "../../views/dom.ts";
import { counted, movedCsv, movers, type State } from "./state.ts";

/** What both read, wherever they're compared. */
export const TEXTS = Object.values(texts).flat();
const WORDS = 5; // that either may write next
const HEADS = 8;
const NEXT = "next word";

/** The likeliest word. */
const firstOf = (shares = {}) => Object.entries<number>(shares).sort(([, a], [, b]) => b - a)[0]?.[0];

interface Acts {
  state(): State;
  measure(): void; // on our texts
  stop(): void;
  show(place: { layer: number; head: number }): void; // a head, in the map
}

/** A table, whose head and rows are filled with texts; `first` makes what each row begins with. */
function makeTable(caption: string, kind: string, first: (at: number) => HTMLElement = () => h("th")) {
  const [titles, body] = [h("tr"), h("tbody")];
  const node = h("table", { class: kind }, h("caption", {}, caption), h("thead", {}, titles), body);
  const cells = (row: Element, written: string[], make: (at: number) => HTMLElement) => {
    const found = fill(row, written.length, make);
    written.forEach((text, at) => setText(found[at].firstElementChild ?? found[at], text));
  };
  const draw = (names: string[], rows: string[][]) => {
    cells(titles, names, () => h("th"));
    const found = fill(body, rows.length, () => h("tr"));
    rows.forEach((row, at) => cells(found[at], row, (column) => (column ? h("td") : first(at))));
  };
  return { node, draw };
}

export function makeBeside({ state: now, measure, stop, show }: Acts) {
  const showHead = (at: number) => h("th", {}, h("button", { type: "button", onclick: () => show(movers(now())[at]) }));
  const save = () => {
    const name = now()
      .held.map(({ model }) => modelLabel(model.name))
      .join("-");
    download(new Blob([movedCsv(now())], { type: "text/csv" }), `${name}-moved.csv`);
  };
  const words = makeTable("Next word", "om-words");
  const heads = makeTable("Heads that moved most: attention given elsewhere, on average", "om-heads", showHead);
  const note = h(
    "p",
    { class: "om-note" },
    "The two cut your text into other tokens, so no row of one has its like in the other.",
  );
  const status = new StatusLine();
  const saves = h("button", { type: "button", class: "om-save", onclick: save }, "Save all heads as CSV");
  const tables = h("div", { class: "om-tables" }, words.node, heads.node);
  const node = h("div", { class: "om-beside" }, note, tables, status.node, saves);

  function drawWords({ here, held }: State) {
    const [first, second] = here?.predictions.map((each) => each[NEXT] ?? {}) ?? [{}, {}];
    const most = Object.keys({ ...first, ...second });
    most.sort((a, b) => Math.max(second[b] ?? 0, first[b] ?? 0) - Math.max(second[a] ?? 0, first[a] ?? 0));
    const shareIn = (shares: Record<string, number>, word: string) => {
      const least = Math.min(...Object.values(shares)); // of those that are told
      return word in shares ? percent(shares[word]) : least < 1 ? `< ${percent(least)}` : "";
    };
    words.node.hidden = !most.length;
    words.draw(
      ["", ...held.map(({ model }) => modelLabel(model.name))],
      most
        .slice(0, WORDS)
        .map((word) => [word.trim() ? word : visible(word), shareIn(first, word), shareIn(second, word)]),
    );
  }

  function drawHeads(state: State) {
    const moved = movers(state);
    const shares = (row: Partial<(typeof moved)[0]>) =>
      [row.here, row.ours].map((share) => (share === undefined ? "" : percent(share)));
    heads.node.hidden = saves.hidden = !moved.length;
    heads.draw(
      ["Head", "your text", moved[0]?.ours === undefined ? "" : "our texts"],
      moved.slice(0, HEADS).map((row) => [`layer ${row.layer + 1}, head ${row.head + 1}`, ...shares(row)]),
    );
    note.hidden = state.here?.heads.length !== 0;
  }

  function drawStatus(state: State) {
    const { measuring } = state;
    if (!measuring) return status.tell("", measure, `Measure on ${TEXTS.length} texts of ours`);
    const { found, total } = measuring;
    if (found.length < total)
      return status.tell(`${found.length} of ${total} texts.`, stop, "Cancel", found.length / total);
    const alike = counted(state);
    const same = alike.filter(({ predictions: [a, b] }) => firstOf(a[NEXT]) === firstOf(b[NEXT])).length;
    const other = total - alike.length;
    const left = other ? ` ${other} are left out, since the two cut them into other tokens.` : "";
    status.tell(`On ${alike.length} of our texts, the likeliest next word was the same ${same} times.${left}`);
  }

  function draw(state: State) {
    node.hidden = state.held.length < 2;
    if (node.hidden) return;
    drawWords(state);
    drawHeads(state);
    drawStatus(state);
  }

  return { node, draw };
}
