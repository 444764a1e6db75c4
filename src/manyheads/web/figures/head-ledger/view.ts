// What <head-ledger> and a notebook's HeadLedger show: the parts of one logit, and the words that a head's part came from.

import {
  answerPlace,
  extremesOf,
  ofWords,
  type Part,
  partsOfAnswer,
  rangeOf,
  withoutHead,
} from "../../math/answer-parts.ts";
import type { HeadLedger } from "../../math/ledger.ts";
import { withOff } from "../../math/heads-off.ts";
import { colourOf } from "../../math/maps.ts";
import { rowOf, formatNumber } from "../../math/steps.ts";
import { capital, isolated, percent, readable } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { chooser, field, fillOptions, sentenceBox, setTyped, StatusLine, type Told } from "../../views/controls.ts";
import { fill, h, rowsOf, setText, setToken, targetOf } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { Beams } from "./beams.ts";
import {
  headOf,
  isAsked,
  isCovered,
  isOn,
  reduce,
  startWith,
  type Action,
  type LedgerState,
  type State,
} from "./state.ts";

export interface LedgerOptions {
  change: (state: LedgerState, names: string[]) => void; // the reader changed the named parts
  painted?: (ledger: HeadLedger) => void;
  types?: boolean; // whether the sentence can be another one
  asks?: boolean; // covers what words write until the reader has guessed
}

const LITTLE = 0.01; // of the attention, or of a logit: it stands back
const NOTHING = "Type a sentence: without a word there is nothing to conclude from.";

export class HeadLedgerView {
  whole: State;
  #options: LedgerOptions;
  #sentence = sentenceBox("Sentence", "Type a sentence", (sentence) => this.#choose({ sentence }));
  #answer = chooser("Answer", (answer) => this.#choose({ answer, head: null })); // and the head that writes most for it
  #head = chooser("Head", (head) => this.#choose({ head: Number(head) }));
  #question = h("span", { class: "gs-question" });
  #text = h("span");
  #show = h(
    "span",
    { class: "gs-way" },
    "Press it, or ",
    h("button", { type: "button", onclick: () => this.#guess(null) }, "just show me"),
    ".",
  );
  #sum = h("p", { class: "hl-sum", tabindex: -1 }, this.#question, this.#text, this.#show);
  #parts = h("tbody");
  #words = h("tbody");
  #title = h("caption");
  #headName = h("span", { class: "hm-head" });
  #whole = h("td", { class: "hl-number" });
  #beams = new Beams();
  #tables: HTMLElement;
  #status = new StatusLine();
  #announcer = new Announcer();

  constructor(root: HTMLElement, state: Partial<LedgerState>, options: LedgerOptions) {
    this.#options = options;
    this.whole = startWith(state, options.asks);
    const heading = (columns: Record<string, number>) =>
      h(
        "thead",
        {},
        h("tr", {}, ...Object.entries(columns).map(([name, colspan]) => h("th", { scope: "col", colspan }, name))),
      );
    const columns = (...kinds: string[]) =>
      h("colgroup", {}, ...kinds.map((kind) => h("col", { class: `hl-of-${kind}` })));
    const words = h(
      "table",
      { class: "hl-words" },
      this.#title,
      columns("word", "weight", "beam", "number", "says"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "word"),
          h("th", { scope: "col", class: "hl-number" }, "weight"),
          h("td", { class: "hl-middle" }, this.#headName),
          h("th", { scope: "col", class: "hl-number" }, "adds"),
          h("th", { scope: "col" }, "says, if it looks"),
        ),
      ),
      this.#words,
      h("tfoot", {}, h("tr", {}, h("th", { scope: "row", colspan: 3 }, "together"), this.#whole, h("td"))),
    );
    this.#tables = h(
      "div",
      { class: "hl-tables" },
      h("div", { class: "hl-flow" }, words, this.#beams.node),
      h(
        "table",
        { class: "hl-parts" },
        h("caption", {}, "What each part adds to the logit"),
        columns("name", "bar", "number", "bar", "number"),
        heading({ part: 1, adds: 2, "its absence": 2 }),
        this.#parts,
      ),
      h(
        "p",
        { class: "hl-key" },
        h("i"),
        "is 1 of the logit, as long in the bars and as thick in the beams, for all heads and answers of this sentence. What is hatched takes away.",
      ),
    );
    root.replaceChildren(
      ...(options.types === false ? [] : [this.#sentence]),
      h("div", { class: "hm-tools" }, field(this.#answer), field(this.#head)),
      this.#sum,
      this.#tables,
      this.#status.node,
      this.#announcer.node,
    );
    setTyped(this.#sentence, this.state.sentence);
  }

  get state() {
    return this.whole.chosen;
  }

  get ledger() {
    return this.whole.ledger;
  }

  /** Takes over parts of the state that changed elsewhere. */
  update(parts: Partial<LedgerState>) {
    this.#do({ type: "take", parts });
  }

  /** Takes over parts that a guess, a phrase or a link sets. */
  lend(parts: Partial<LedgerState>) {
    this.#do({ type: "lend", parts });
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
  setStatus(...[text, ...rest]: Told) {
    const empty = this.ledger && !this.ledger.answered ? [NOTHING] : [];
    this.#status.tell([text, ...empty, ...(this.ledger?.notes ?? [])].join(" "), ...rest);
  }

  #do(action: Action) {
    this.whole = reduce(this.whole, action);
    setTyped(this.#sentence, this.state.sentence);
    if (this.ledger) this.#draw(this.ledger);
  }

  #choose(parts: Partial<LedgerState>) {
    this.#act({ type: "choose", parts });
  }

  #act(action: Action) {
    const before = this.state;
    this.#announcer.changed();
    this.#do(action);
    const names = Object.keys(this.state) as (keyof LedgerState)[];
    this.#options.change(
      this.state,
      names.filter((name) => this.state[name] !== before[name]),
    );
  }

  #guess(word: number | null) {
    this.#announcer.changed();
    this.#do({ type: "guess", word });
    this.#sum.focus({ preventScroll: true }); // the word that was pressed is no button anymore
  }

  // --- drawing

  #draw(ledger: HeadLedger) {
    this.#tables.hidden = this.#sum.hidden = !ledger.answered;
    if (!ledger.answered) return;
    const label = answerPlace(ledger, this.state.answer);
    const shown = partsOfAnswer(ledger, label, this.whole.rows);
    const names = ledger.labels.map((pair) => pair.join(": "));
    fillOptions(this.#answer, names, names, names[label]);
    const [fact, name] = ledger.labels[label];
    const chosen = headOf(this.whole);
    const heads = [...ledger.headNames.keys()].filter((head) => head === chosen || this.whole.rows.includes(head));
    fillOptions(
      this.#head,
      heads.map((head) => ledger.headNames[head]),
      heads,
      chosen,
    );
    const range = rangeOf(ledger);
    const { style } = this.#tables;
    style.setProperty("--unit", (1 / (range.most - range.least)).toFixed(4));
    style.setProperty("--thick", (1 / range.byHead).toFixed(4));
    const { parts, rest } = shown;
    this.#drawParts(ledger, label, shown, range);
    const part = parts.find(({ head }) => head === chosen)?.value ?? rowOf(ledger.parts, label)[chosen];
    const words = ofWords(ledger, label, chosen, part);
    this.#drawWords(ledger, label, chosen, words, part);
    this.#drawSum(ledger, label, shown, words);
    this.#announcer.drawn(() =>
      !isAsked(this.whole)
        ? `${fact}: ${name}. ${parts.map((each) => `${each.name} adds ${signed(each.value)}`).join(", ")}${rest.count ? `, ${nameOf(rest)} ${signed(rest.value)}` : ""}.`
        : (this.#text.textContent ?? ""),
    );
  }

  /** Asks for a guess, or says what came of it; else, what the heads write. */
  #drawSum(ledger: HeadLedger, label: number, { parts, rest, logit }: Parts, words: Words) {
    const covered = isCovered(this.whole);
    this.#tables.classList.toggle("hl-covered", covered);
    this.#show.hidden = !covered;
    const [fact, name] = ledger.labels[label];
    const head = quoted(ledger.headNames[headOf(this.whole)]);
    const asks = isAsked(this.whole) ? `Which of these words makes the head ${head} write for ${quoted(name)}?` : "";
    setText(this.#question, asks);
    if (asks) return setText(this.#text, covered ? "" : this.#verdict(ledger, words));
    const isHeads = ({ head: own }: Part) => own !== null;
    const small = rest.count ? restOfHeads(ledger, label, this.whole.rows) : 0;
    const byHeads = Math.round(100 * (parts.filter(isHeads).reduce((sum, { value }) => sum + value, 0) + small)) / 100;
    const other = ledger.others.length > 1 ? "all else" : `the ${ledger.others[0]}`;
    const best = answerPlace(ledger, fact);
    const off = this.state.off.length;
    const answers = best === label ? "." : `; ${quoted(ledger.labels[best][1])} has more.`;
    setText(
      this.#text,
      `${off ? `${capital(withOff(off))}, the` : "The"} heads write ${signed(byHeads)} for ${quoted(name)}, ${other} ${signed(logit - byHeads)}: its logit is ${formatNumber(logit, 2)}${answers}`,
    );
  }

  /** Which word it is, and what became of the reader's guess. */
  #verdict(ledger: HeadLedger, words: Words) {
    const { guess } = this.whole;
    const word = (key: number) => quoted(readable(ledger.tokens[key]));
    const best = words.reduce((most, { adds }, key) => (adds > words[most].adds ? key : most), 0);
    const adds = `${word(best)} writes ${signed(words[best].adds)}.`;
    if (guess === best) return `Right: ${adds}`;
    if (guess === null) return adds;
    return `No: ${word(guess)} gets ${percent(words[guess].weight)} of the attention, and writes ${signed(words[guess].adds)}. ${adds}`;
  }

  #drawParts(ledger: HeadLedger, label: number, { parts, rest, logit }: Parts, range: Range) {
    const total: Part[] = [
      ...(rest.count ? [{ name: nameOf(rest), head: null, value: rest.value }] : []),
      { name: "logit", head: null, value: logit },
    ];
    const all = [...parts, ...total];
    const absences = all.map(({ head }) =>
      head === null || !isOn(this.whole, head) ? NaN : withoutHead(ledger, label, head),
    );
    const rows = fill(this.#parts, all.length, () =>
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          headSwitch((event) => this.#act({ type: "switch", head: Number(targetOf(event).dataset.head) })),
          h("span"),
        ),
        h("td", { class: "hl-bar" }, h("i")),
        h("td", { class: "hl-number" }),
        h("td", { class: "hl-bar" }, h("i")),
        h("td", { class: "hl-number" }),
      ),
    );
    all.forEach(({ name, head, value }, at) => {
      const row = rows[at] as HTMLTableRowElement;
      const [button, span] = row.cells[0].children as unknown as HTMLButtonElement[];
      [button.hidden, span.hidden] = [head === null, head !== null];
      setText(span, head === null ? name : "");
      button.dataset.head = String(head);
      drawSwitch(button, head === null ? "" : name, head === null || isOn(this.whole, head), colourOf(name));
      row.classList.toggle("hl-total", at === all.length - 1);
      row.style.setProperty("--head", head === null ? "currentcolor" : colourOf(name));
      setBar(row.cells[1], value, range);
      setText(row.cells[2], signed(value));
      row.cells[3].classList.toggle("hl-bar", !isNaN(absences[at]));
      setBar(row.cells[3], absences[at] || 0, range);
      setText(row.cells[4], isNaN(absences[at]) ? "" : signed(absences[at]));
    });
  }

  #drawWords(ledger: HeadLedger, label: number, head: number, words: Words, whole: number) {
    const on = isOn(this.whole, head);
    const name = ledger.headNames[head];
    setText(
      this.#title,
      `Where the head “${name}” looks, ${on ? "and what it then writes" : "though it’s off and writes nothing"}`,
    );
    setText(this.#headName, name);
    setText(this.#whole, signed(whole));
    this.#tables.style.setProperty("--head", colourOf(name));
    this.#tables.style.setProperty("--rows", String(words.length));
    this.#beams.draw(
      words.map(({ weight, adds }) => ({ weight, adds: adds / rangeOf(ledger).byHead })),
      on,
    );
    const rows = fill(this.#words, words.length, () =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }),
        h("td", { class: "hl-number" }),
        h("td"),
        h("td", { class: "hl-number" }),
        h("td", { class: "hl-says" }, h("span"), h("span", { class: "hl-not" })),
      ),
    );
    const covered = isCovered(this.whole);
    words.forEach(({ weight, adds }, key) => {
      const { cells } = rowsOf(this.#words)[key];
      if (cells[0].firstElementChild?.localName !== (covered ? "button" : "span"))
        cells[0].replaceChildren(
          covered ? h("button", { type: "button", onclick: () => this.#guess(key) }) : h("span"),
        );
      setToken(cells[0].firstElementChild!, ledger.tokens[key]);
      setText(cells[1], percent(weight));
      const [most, least] = (on && extremesOf(ledger, head, key)) || [];
      setText(cells[3], signed(adds));
      const [says, not] = cells[4].children;
      setText(says, most === undefined ? "" : isolated(readable(most)));
      setText(not, least === undefined ? "" : `, not ${isolated(readable(least))}`);
      cells[1].classList.toggle("hl-little", weight < LITTLE);
      cells[3].classList.toggle("hl-little", Math.abs(adds) < LITTLE);
      rows[key].ariaLabel =
        `${readable(ledger.tokens[key])}: weight ${percent(weight)}${covered ? "" : `, adds ${signed(adds)}`}`;
    });
  }
}

type Parts = ReturnType<typeof partsOfAnswer>;
type Words = ReturnType<typeof ofWords>;
type Range = ReturnType<typeof rangeOf>;

const nameOf = ({ count }: { count: number }) => `${count} other parts`;

const quoted = (text: string) => `“${text.trim() || text}”`;

const signed = (value: number) => `${value > 0 ? "+" : ""}${formatNumber(value, 2)}`;

/** What the heads without a row of their own add. */
const restOfHeads = ({ headNames, parts }: HeadLedger, label: number, rows: number[]) =>
  rowOf(parts, label)
    .subarray(0, headNames.length)
    .reduce((sum, value, head) => (rows.includes(head) ? sum : sum + value), 0);

/** A bar from 0 to the value. */
function setBar(cell: HTMLElement, value: number, { least, most }: Range) {
  const place = (number: number) => (number - least) / (most - least || 1);
  const bar = cell.firstElementChild as HTMLElement;
  cell.style.setProperty("--zero", place(0).toFixed(4));
  bar.style.setProperty("--from", Math.min(place(0), place(value)).toFixed(4));
  bar.style.setProperty("--length", Math.abs(place(value) - place(0)).toFixed(4));
  bar.classList.toggle("hl-minus", value < 0);
}
