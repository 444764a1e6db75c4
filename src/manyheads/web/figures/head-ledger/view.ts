// What <head-ledger> and a notebook's HeadLedger show: the parts of one logit, and the words that a head's part came from.

import { answerPlace, extremesOf, ofWords, type Part, partsOfAnswer, withoutHead } from "../../math/answer-parts.ts";
import type { HeadLedger } from "../../math/ledger.ts";
import { colourOf } from "../../math/maps.ts";
import { rowOf, written } from "../../math/steps.ts";
import { isolated, percent, readable } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { chooser, field, fillOptions, sentenceBox, StatusLine } from "../../views/controls.ts";
import { fill, h, rowsOf, setText, setToken, setValue, targetOf } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { headOf, isOn, reduce, startWith, type Action, type LedgerState, type State } from "./state.ts";

export interface LedgerOptions {
  change: (state: LedgerState, names: string[]) => void; // the reader changed the named parts
  painted?: (ledger: HeadLedger) => void;
  types?: boolean; // whether the sentence can be another one
}

const NOTHING = "Type a sentence: without a word there is nothing to conclude from.";

export class HeadLedgerView {
  whole: State;
  #options: LedgerOptions;
  #sentence = sentenceBox("Sentence", "Type a sentence", (sentence) => this.#choose({ type: "choose", parts: { sentence } }, "sentence"));
  #answer = chooser("Answer", (answer) => this.#choose({ type: "choose", parts: { answer } }, "answer"));
  #head = chooser("Head", (head) => this.#choose({ type: "choose", parts: { head: Number(head) } }, "head"));
  #sum = h("p", { class: "hl-sum" });
  #parts = h("tbody");
  #words = h("tbody");
  #title = h("caption");
  #tables: HTMLElement;
  #status = new StatusLine();
  #announcer = new Announcer();

  constructor(root: HTMLElement, state: Partial<LedgerState>, options: LedgerOptions) {
    this.#options = options;
    this.whole = startWith(state);
    const heading = (columns: Record<string, number>) =>
      h("thead", {}, h("tr", {}, ...Object.entries(columns).map(([name, colspan]) => h("th", { scope: "col", colspan }, name))));
    const columns = (...kinds: string[]) => h("colgroup", {}, ...kinds.map((kind) => h("col", { class: `hl-of-${kind}` })));
    this.#tables = h("div", { class: "hl-tables" },
      h("table", { class: "hl-parts" }, h("caption", {}, "What each part adds to the logit"),
        columns("name", "bar", "number", "bar", "number"), heading({ part: 1, adds: 2, "its absence": 2 }), this.#parts),
      h("table", { class: "hl-words" }, this.#title, columns("word", "looks", "number", "says", "bar", "number"), heading({ word: 1, looks: 2, "says, if it looks": 1, adds: 2 }), this.#words));
    root.replaceChildren(...(options.types === false ? [] : [this.#sentence]),
      h("div", { class: "hm-tools" }, field(this.#answer), field(this.#head)), this.#sum, this.#tables, this.#status.node, this.#announcer.node);
    setValue(this.#sentence, this.state.sentence);
  }

  get state() {
    return this.whole.chosen;
  }

  get ledger() {
    return this.whole.ledger;
  }

  /** Takes over parts of the state that changed elsewhere. */
  update(parts: Partial<LedgerState>) {
    this.#do({ type: "choose", parts });
  }

  show(ledger: HeadLedger) {
    this.markOld(false);
    this.#do({ type: "show", ledger });
    this.#options.painted?.(ledger);
  }

  /** Greys what doesn't answer to what was chosen. */
  markOld(old: boolean) {
    this.#tables.classList.toggle("hm-stale", old);
  }

  /** Says how things stand; `act`, if given, is what a button after the text does. */
  setStatus(text: string, act: (() => void) | null = null, name?: string) {
    const empty = this.ledger && !this.ledger.answered ? [NOTHING] : [];
    this.#status.tell([text, ...empty, ...(this.ledger?.notes ?? [])].join(" "), act, name);
  }

  #do(action: Action) {
    this.whole = reduce(this.whole, action);
    setValue(this.#sentence, this.state.sentence);
    if (this.ledger) this.#draw(this.ledger);
  }

  #choose(action: Action, name: keyof LedgerState) {
    this.#announcer.changed();
    this.#do(action);
    this.#options.change(this.state, [name]);
  }

  // --- drawing

  #draw(ledger: HeadLedger) {
    this.#tables.hidden = this.#sum.hidden = !ledger.answered;
    if (!ledger.answered) return;
    const label = answerPlace(ledger, this.state.answer);
    const { parts, rest, logit } = partsOfAnswer(ledger, label, this.whole.rows);
    const names = ledger.labels.map((pair) => pair.join(": "));
    fillOptions(this.#answer, names, names, names[label]);
    const [fact, name] = ledger.labels[label];
    const chosen = headOf(this.whole);
    const heads = [...ledger.headNames.keys()].filter((head) => head === chosen || this.whole.rows.includes(head));
    fillOptions(this.#head, heads.map((head) => ledger.headNames[head]), heads, chosen);
    const byHeads = rowOf(ledger.parts, label).subarray(0, ledger.headNames.length).reduce((sum, value) => sum + value, 0);
    const other = ledger.others.length > 1 ? "all else" : `the ${ledger.others[0]}`;
    const quoted = (text: string) => `“${text.trim() || text}”`;
    const best = answerPlace(ledger, fact);
    const answers = best === label ? "." : `; ${quoted(ledger.labels[best][1])} has more.`;
    setText(this.#sum, `The heads write ${signed(byHeads)} for ${quoted(name)}, ${other} ${signed(logit - byHeads)}: its logit is ${written(logit, 2)}${answers}`);
    const scale = scaleOf(this.whole, label);
    this.#drawParts(ledger, label, scale);
    this.#drawWords(ledger, label, chosen, scale);
    this.#announcer.drawn(() => `${fact}: ${name}. ${parts.map((part) => `${part.name} adds ${signed(part.value)}`).join(", ")}${rest.count ? `, ${nameOf(rest)} ${signed(rest.value)}` : ""}.`);
  }

  #drawParts(ledger: HeadLedger, label: number, scale: Scale) {
    const { parts, rest, logit } = partsOfAnswer(ledger, label, this.whole.rows);
    const total: Part[] = [...(rest.count ? [{ name: nameOf(rest), head: null, value: rest.value }] : []), { name: "logit", head: null, value: logit }];
    const all = [...parts, ...total];
    const absences = all.map(({ head }) => (head === null || !isOn(this.whole, head) ? NaN : withoutHead(ledger, label, head)));
    const rows = fill(this.#parts, all.length, () => h("tr", {},
      h("th", { scope: "row" }, headSwitch((event) => this.#choose({ type: "switch", head: Number(targetOf(event).dataset.head) }, "off")), h("span")),
      h("td", { class: "hl-bar" }, h("i")), h("td", { class: "hl-number" }), h("td", { class: "hl-bar" }, h("i")), h("td", { class: "hl-number" })));
    all.forEach(({ name, head, value }, at) => {
      const row = rows[at] as HTMLTableRowElement;
      const [button, span] = row.cells[0].children as unknown as HTMLButtonElement[];
      [button.hidden, span.hidden] = [head === null, head !== null];
      setText(span, head === null ? name : "");
      button.dataset.head = String(head);
      drawSwitch(button, head === null ? "" : name, head === null || isOn(this.whole, head), colourOf(name));
      row.classList.toggle("hl-total", at === all.length - 1);
      row.style.setProperty("--head", head === null ? "currentcolor" : colourOf(name));
      setBar(row.cells[1], value, scale);
      setText(row.cells[2], signed(value));
      row.cells[3].classList.toggle("hl-bar", !isNaN(absences[at]));
      setBar(row.cells[3], absences[at] || 0, scale);
      setText(row.cells[4], isNaN(absences[at]) ? "" : signed(absences[at]));
    });
  }

  #drawWords(ledger: HeadLedger, label: number, head: number, scale: Scale) {
    const on = isOn(this.whole, head);
    setText(this.#title, `Where the head “${ledger.headNames[head]}” looks, ${on ? "and what it then writes" : "though it’s off and writes nothing"}`);
    const words = ofWords(ledger, label, head);
    const rows = fill(this.#words, words.length, () => h("tr", {},
      h("th", { scope: "row" }, h("span")), h("td", { class: "hl-bar" }, h("i")), h("td", { class: "hl-number" }),
      h("td", { class: "hl-says" }), h("td", { class: "hl-bar" }, h("i")), h("td", { class: "hl-number" })));
    words.forEach(({ weight, adds }, key) => {
      const row = rowsOf(this.#words)[key];
      row.style.setProperty("--head", colourOf(ledger.headNames[head]));
      setToken(row.cells[0].firstElementChild as HTMLElement, ledger.tokens[key]);
      setBar(row.cells[1], weight, { least: 0, most: 1 });
      setText(row.cells[2], percent(weight));
      const [most, least] = (on && extremesOf(ledger, head, key)) || [];
      setText(row.cells[3], most === undefined ? "" : `${isolated(readable(most))}, not ${isolated(readable(least))}`);
      setBar(row.cells[4], adds, scale);
      setText(row.cells[5], signed(adds));
      rows[key].ariaLabel = `${readable(ledger.tokens[key])}: weight ${percent(weight)}, adds ${signed(adds)}`;
    });
  }
}

const nameOf = ({ count }: { count: number }) => `${count} other parts`;

const signed = (value: number) => `${value > 0 ? "+" : ""}${written(value, 2)}`;

interface Scale {
  least: number;
  most: number;
}

/** The scale of both tables: from the smallest to the largest of their numbers, and 0. */
function scaleOf(state: State, label: number): Scale {
  const ledger = state.ledger as HeadLedger;
  const { parts, rest, logit } = partsOfAnswer(ledger, label, state.rows);
  const absences = parts.flatMap(({ head }) => (head === null ? [] : withoutHead(ledger, label, head) || 0)); // not all were computed
  const values = [0, rest.value, logit, ...parts.map(({ value }) => value), ...absences, ...ofWords(ledger, label, headOf(state)).map(({ adds }) => adds)];
  return { least: Math.min(...values), most: Math.max(...values) };
}

/** A bar from 0 to the value. */
function setBar(cell: HTMLElement, value: number, { least, most }: Scale) {
  const place = (number: number) => (number - least) / (most - least || 1);
  const bar = cell.firstElementChild as HTMLElement;
  cell.style.setProperty("--zero", place(0).toFixed(4));
  bar.style.setProperty("--from", Math.min(place(0), place(value)).toFixed(4));
  bar.style.setProperty("--length", Math.abs(place(value) - place(0)).toFixed(4));
  bar.classList.toggle("hl-minus", value < 0);
}
