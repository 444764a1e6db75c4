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
import { forgotten, withOff } from "../../math/heads-off.ts";
import { colourOf } from "../../math/maps.ts";
import { rowOf, formatNumber } from "../../math/steps.ts";
import { capital, inQuotes, isolated, percent, readable } from "../../math/text.ts";
import { chooser, field, fillOptions, sentenceBox, setTyped } from "../../views/controls.ts";
import { fill, h, setText, setToken, targetOf } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import type { Host } from "../../views/host.ts";
import { Beams } from "./beams.ts";
import { headOf, isAsked, isCovered, isOn, type Action, type LedgerState, type State } from "./state.ts";

const LITTLE = 0.01; // of the attention, or of a logit: it stands back
const NOTHING = "Type a sentence: without a word there is nothing to conclude from.";

/** Of one answer, what its parts add, and of the chosen head what it writes for each word. */
interface Drawn {
  state: State;
  ledger: HeadLedger;
  label: number;
  shown: Parts;
  range: Range;
  head: number;
  part: number; // what the head adds
  words: Words;
}

function drawnOf(state: State, ledger: HeadLedger): Drawn {
  const label = answerPlace(ledger, state.chosen.answer);
  const shown = partsOfAnswer(ledger, label, state.rows);
  const head = headOf(state);
  const part = shown.parts.find((each) => each.head === head)?.value ?? rowOf(ledger.parts, label)[head];
  return { state, ledger, label, shown, range: rangeOf(ledger), head, part, words: ofWords(ledger, label, head, part) };
}

export function view({ act, state: first }: Host<State, Action>) {
  const choose = (parts: Partial<LedgerState>) => act({ type: "choose", parts });
  const sentence = sentenceBox("Sentence", "Type a sentence", (text) => choose({ sentence: text }));
  const answer = chooser("Answer", (name) => choose({ answer: name, head: null })); // and the head that writes most for it
  const head = chooser("Head", (place) => choose({ head: Number(place) }));
  const sum = makeSum(() => guess(null));
  const words = makeWords((word) => guess(word));
  const parts = makeParts((place) => act({ type: "switch", head: place }));
  const key = h(
    "p",
    { class: "hl-key" },
    h("i"),
    "is 1 of the logit, as long in the bars and as thick in the beams, for all heads and answers of this sentence. What is hatched takes away.",
  );
  const tables = h("div", { class: "hl-tables" }, words.node, parts.node, key);

  function guess(word: number | null) {
    act({ type: "guess", word });
    sum.node.focus({ preventScroll: true }); // the word that was pressed is no button anymore
  }

  function draw(state: State) {
    const { ledger, rows } = state;
    setTyped(sentence, state.chosen.sentence);
    tables.classList.toggle("hm-stale", state.stale);
    if (!ledger) return;
    tables.hidden = sum.node.hidden = !ledger.answered;
    if (!ledger.answered) return;
    const drawn = drawnOf(state, ledger);
    const names = ledger.labels.map((pair) => pair.join(": "));
    fillOptions(answer, names, names, names[drawn.label]);
    const heads = [...ledger.headNames.keys()].filter((each) => each === drawn.head || rows.includes(each));
    const headNames = heads.map((each) => ledger.headNames[each]);
    fillOptions(head, headNames, heads, drawn.head);
    const { least, most, byHead } = drawn.range;
    tables.style.setProperty("--unit", (1 / (most - least)).toFixed(4));
    tables.style.setProperty("--thick", (1 / byHead).toFixed(4));
    tables.style.setProperty("--head", colourOf(ledger.headNames[drawn.head]));
    tables.style.setProperty("--rows", String(drawn.words.length));
    tables.classList.toggle("hl-covered", isCovered(state));
    for (const part of [parts, words, sum]) part.draw(drawn);
  }

  return {
    nodes: [
      ...(first.types ? [sentence] : []),
      h("div", { class: "hm-tools" }, field(answer), field(head)),
      sum.node,
      tables,
    ],
    draw,
  };
}

/** What a change came to: what each part adds, or what became of a guess. */
export function summary(state: State) {
  const { ledger } = state;
  if (!ledger?.answered) return "";
  const drawn = drawnOf(state, ledger);
  if (isAsked(state)) return isCovered(state) ? "" : verdictOn(drawn);
  const { parts, rest } = drawn.shown;
  const adds = parts.map((each) => `${each.name} adds ${signed(each.value)}`).join(", ");
  return `${ledger.labels[drawn.label].join(": ")}. ${adds}${rest.count ? `, ${nameOf(rest)} ${signed(rest.value)}` : ""}.`;
}

/** What is told after how things stand. */
export const notesOf = ({ ledger, forgot }: State) => [
  ...(forgot === "told" ? [forgotten()] : []),
  ...(ledger && !ledger.answered ? [NOTHING] : []),
  ...(ledger?.notes ?? []),
];

/** A line that asks for a guess, or says what came of it; else, what the heads write. */
function makeSum(show: () => void) {
  const [question, text] = [h("span", { class: "gs-question" }), h("span")];
  const shows = h("button", { type: "button", onclick: show }, "just show me");
  const way = h("span", { class: "gs-way" }, "Press it, or ", shows, ".");
  return {
    node: h("p", { class: "hl-sum", tabindex: -1 }, question, text, way),
    draw(drawn: Drawn) {
      const { state, ledger, label, head } = drawn;
      const [covered, asked] = [isCovered(state), isAsked(state)];
      way.hidden = !covered;
      const name = inQuotes(ledger.labels[label][1]);
      setText(
        question,
        asked ? `Which of these words makes the head ${inQuotes(ledger.headNames[head])} write for ${name}?` : "",
      );
      setText(text, covered ? "" : asked ? verdictOn(drawn) : sumOf(drawn));
    },
  };
}

/** What the heads write for an answer, and what all else does. */
function sumOf({ state, ledger, label, shown: { parts, rest, logit } }: Drawn) {
  const [fact, name] = ledger.labels[label];
  const ofHeads = parts.filter(({ head }) => head !== null).reduce((sum, { value }) => sum + value, 0);
  const small = rest.count ? restOfHeads(ledger, label, state.rows) : 0;
  const byHeads = Math.round(100 * (ofHeads + small)) / 100;
  const other = ledger.others.length > 1 ? "all else" : `the ${ledger.others[0]}`;
  const best = answerPlace(ledger, fact);
  const off = state.chosen.off.length;
  const answers = best === label ? "." : `; ${inQuotes(ledger.labels[best][1])} has more.`;
  return `${off ? `${capital(withOff(off))}, the` : "The"} heads write ${signed(byHeads)} for ${inQuotes(name)}, ${other} ${signed(logit - byHeads)}: its logit is ${formatNumber(logit, 2)}${answers}`;
}

/** Which word it is, and what became of the reader's guess. */
function verdictOn({ state: { guess }, ledger, words }: Drawn) {
  const word = (key: number) => inQuotes(ledger.tokens[key]);
  const best = words.reduce((most, { adds }, key) => (adds > words[most].adds ? key : most), 0);
  const adds = `${word(best)} writes ${signed(words[best].adds)}.`;
  if (guess === best) return `Right: ${adds}`;
  if (guess === null) return adds;
  return `No: ${word(guess)} gets ${percent(words[guess].weight)} of the attention, and writes ${signed(words[guess].adds)}. ${adds}`;
}

const columns = (...kinds: string[]) => h("colgroup", {}, ...kinds.map((kind) => h("col", { class: `hl-of-${kind}` })));

/** The parts of the logit, a row each, and their sum. */
function makeParts(toggle: (head: number) => void) {
  const body = h("tbody");
  const heading = Object.entries({ part: 1, adds: 2, "its absence": 2 }).map(([name, colspan]) =>
    h("th", { scope: "col", colspan }, name),
  );
  const makeRow = () =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        headSwitch((event) => toggle(Number(targetOf(event).dataset.head))),
        h("span"),
      ),
      h("td", { class: "hl-bar" }, h("i")),
      h("td", { class: "hl-number" }),
      h("td", { class: "hl-bar" }, h("i")),
      h("td", { class: "hl-number" }),
    );
  return {
    node: h(
      "table",
      { class: "hl-parts" },
      h("caption", {}, "What each part adds to the logit"),
      columns("name", "bar", "number", "bar", "number"),
      h("thead", {}, h("tr", {}, ...heading)),
      body,
    ),
    draw({ state, ledger, label, shown: { parts, rest, logit }, range }: Drawn) {
      const all: Part[] = [
        ...parts,
        ...(rest.count ? [{ name: nameOf(rest), head: null, value: rest.value }] : []),
        { name: "logit", head: null, value: logit },
      ];
      const rows = fill(body, all.length, makeRow);
      all.forEach(({ name, head, value }, at) => {
        const row = rows[at];
        const isHead = head !== null;
        const absence = isHead && isOn(state, head) ? withoutHead(ledger, label, head) : NaN;
        const [button, span] = row.cells[0].children as unknown as HTMLButtonElement[];
        [button.hidden, span.hidden] = [!isHead, isHead];
        setText(span, isHead ? "" : name);
        button.dataset.head = String(head);
        drawSwitch(button, isHead ? name : "", !isHead || isOn(state, head), colourOf(name));
        row.classList.toggle("hl-total", at === all.length - 1);
        row.style.setProperty("--head", isHead ? colourOf(name) : "currentcolor");
        setBar(row.cells[1], value, range);
        setText(row.cells[2], signed(value));
        row.cells[3].classList.toggle("hl-bar", !isNaN(absence));
        setBar(row.cells[3], absence || 0, range);
        setText(row.cells[4], isNaN(absence) ? "" : signed(absence));
      });
    },
  };
}

/** The words that a head looks at, a row each, and between the weights and what is written the beams. */
function makeWords(guess: (word: number) => void) {
  const [title, headName, body] = [h("caption"), h("span", { class: "hm-head" }), h("tbody")];
  const whole = h("td", { class: "hl-number" });
  const beams = new Beams();
  const table = h(
    "table",
    { class: "hl-words" },
    title,
    columns("word", "weight", "beam", "number", "says"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "word"),
        h("th", { scope: "col", class: "hl-number" }, "weight"),
        h("td", { class: "hl-middle" }, headName),
        h("th", { scope: "col", class: "hl-number" }, "adds"),
        h("th", { scope: "col" }, "says, if it looks"),
      ),
    ),
    body,
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row", colspan: 3 }, "together"), whole, h("td"))),
  );
  const makeRow = () =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }),
      h("td", { class: "hl-number" }),
      h("td"),
      h("td", { class: "hl-number" }),
      h("td", { class: "hl-says" }, h("span"), h("span", { class: "hl-not" })),
    );
  return {
    node: h("div", { class: "hl-flow" }, table, beams.node),
    draw({ state, ledger, head, part, words, range: { byHead } }: Drawn) {
      const [on, covered] = [isOn(state, head), isCovered(state)];
      const name = ledger.headNames[head];
      const writes = on ? "and what it then writes" : "though it’s off and writes nothing";
      setText(title, `Where the head “${name}” looks, ${writes}`);
      setText(headName, name);
      setText(whole, signed(part));
      beams.draw(
        words.map(({ weight, adds }) => ({ weight, adds: adds / byHead })),
        on,
      );
      const rows = fill(body, words.length, makeRow);
      words.forEach(({ weight, adds }, key) => {
        const { cells } = rows[key];
        if (cells[0].firstElementChild?.localName !== (covered ? "button" : "span"))
          cells[0].replaceChildren(covered ? h("button", { type: "button", onclick: () => guess(key) }) : h("span"));
        setToken(cells[0].firstElementChild!, ledger.tokens[key]);
        setText(cells[1], percent(weight));
        const [most, least] = (on && extremesOf(ledger, head, key)) || [];
        setText(cells[3], signed(adds));
        const [likely, unlikely] = cells[4].children;
        setText(likely, most === undefined ? "" : isolated(readable(most)));
        setText(unlikely, least === undefined ? "" : `, not ${isolated(readable(least))}`);
        cells[1].classList.toggle("hl-little", weight < LITTLE);
        cells[3].classList.toggle("hl-little", Math.abs(adds) < LITTLE);
        rows[key].ariaLabel =
          `${readable(ledger.tokens[key])}: weight ${percent(weight)}${covered ? "" : `, adds ${signed(adds)}`}`;
      });
    },
  };
}

type Parts = ReturnType<typeof partsOfAnswer>;
type Words = ReturnType<typeof ofWords>;
type Range = ReturnType<typeof rangeOf>;

const nameOf = ({ count }: { count: number }) => `${count} other parts`;

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
