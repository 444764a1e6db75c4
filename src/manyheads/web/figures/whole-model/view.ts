// What a <whole-model> shows: its tokens below, above them a row for each part, and the answer on top.

import {
  answerIn,
  ALL_HEADS,
  ATTENTION,
  FEED_FORWARD,
  FOLDED,
  MIXING,
  partMaskOf,
  placeOf,
  rivalsIn,
  soFar,
  type Inside,
  type Machine,
  type Neurons,
} from "../../math/machine.ts";
import type { HeadMask } from "../../math/attention-map.ts";
import type { Matrix } from "../../math/attention.ts";
import { importScript, reasonOf } from "../../math/faults.ts";
import { colourOf } from "../../math/maps.ts";
import { OFF_COLOUR } from "../../math/names.ts";
import { rowOf } from "../../math/steps.ts";
import { inQuotes, isolated, percent, readable, visible } from "../../math/text.ts";
import { chooser, field, fillOptions, sentenceBox, setTyped } from "../../views/controls.ts";
import {
  arrow,
  fill,
  focusOn,
  h,
  s,
  setChildren,
  setIdle,
  setProps,
  setStyle,
  setText,
  setToken,
  targetOf,
  whenOther,
} from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import type { Host } from "../../views/host.ts";
import { drawHead, makeBitmap, paintBitmap } from "../../views/pixels.ts";
import { insideIn, isOld, isOn, layersOf, type Action, type State } from "./state.ts";

const CROWDS = { "wm-many": 14, "wm-crowd": 20, "wm-throng": 64 }; // tokens up to which their names lie, have room on a phone, have any room
const MOST = 3; // answers that are named
const SMALL = 64; // pixels to a side of a head's map

export function view({ act, root, state: first }: Host<State, Action>) {
  const choose = (parts: Partial<State["chosen"]>) => act({ type: "choose", parts });
  const sentence = sentenceBox("Sentence", "Type a sentence", (text) => choose({ sentence: text }));
  const question = chooser("Answer", (answer) => choose({ answer }));
  const asks = field(question);
  const restores = h(
    "button",
    { type: "button", class: "wm-restore", onclick: () => choose({ off: [] }) },
    "Turn all on",
  );
  const top = makeTop();
  const tokens = h("div", { class: "wm-tokens" });
  const below = h("div", { class: "wm-row wm-bottom" }, h("span"), h("span", { class: "wm-name" }, "tokens"), tokens);
  const stack = h("div", { class: "wm-stack", role: "toolbar", "aria-label": "Parts", onkeydown: move });
  const key = h("p", { class: "wm-key" });
  const journey = makeJourney(root, act);
  let floors: Floor[] = [];

  /** All parts are one stop of the Tab key: of thirty layers there are ninety. An arrow key moves from one to the next. */
  function move(event: KeyboardEvent) {
    const [step, button] = [arrow(event.key), targetOf(event).closest("button")];
    const lines = floors.toReversed().flatMap((floor) => floor.lines());
    const next = step && button && beside<HTMLElement>(lines, button, step);
    if (!next) return;
    event.preventDefault();
    focusOn(next, lines.flat().find(({ tabIndex }) => tabIndex === 0) ?? null);
  }

  /** A floor for each layer, and one for the embedding, of a model with other parts than before. */
  const build = whenOther((names: string) => {
    const parts = names.split("\n");
    const layers = [...new Set(parts.map((name) => placeOf(name)?.layer ?? -1))];
    floors = layers.map((layer) =>
      makeFloor(
        layer,
        parts.flatMap((name, part) => ((placeOf(name)?.layer ?? -1) === layer ? [{ name, part }] : [])),
        act,
        journey,
      ),
    );
    floors.at(-1)?.lines()[0]?.[0].setAttribute("tabindex", "0");
  });

  function draw(state: State) {
    const { machine, whole, chosen } = state;
    setTyped(sentence, chosen.sentence);
    stack.classList.toggle("hm-stale", state.stale);
    if (!machine || !whole) return;
    const drawn = drawnOf(state, machine, whole);
    const questions = [...new Set(machine.labels.map(([name]) => name))];
    asks.hidden = questions.length < 2;
    fillOptions(question, questions, questions, machine.labels[drawn.answer]?.[0]);
    setIdle(restores, !chosen.off.length);
    build(machine.parts.join("\n"));
    top.draw(drawn);
    for (const floor of floors) floor.draw(drawn);
    drawTokens(tokens, machine);
    setChildren(stack, [top.node, ...floors.map(({ node }) => node).toReversed(), below]);
    setText(key, keyOf(drawn));
  }

  return {
    nodes: [...(first.types ? [sentence] : []), h("div", { class: "hm-tools wm-tools" }, asks, restores), stack, key],
    draw,
  };
}

/** What is drawn of a state. */
interface Drawn {
  state: State;
  machine: Machine;
  answer: number; // its place among the labels; -1 where nothing is answered
  rivals: number[];
  among: number; // all answers
  before: string | undefined; // the answer with all parts on
  widest: number; // the most that a part adds to a token, of those shown and with all parts on
  standings: ReturnType<typeof soFar>;
}

function drawnOf(state: State, machine: Machine, whole: Machine): Drawn {
  const answer = answerIn(machine, state.chosen.answer);
  const rivals = answer < 0 ? [] : rivalsIn(machine.labels, machine.labels[answer][0]);
  const widest = Math.max(...[machine, whole].map(({ adds }) => mostOf(adds, firstOf(machine))));
  const [, before] = whole.labels[answerIn(whole, state.chosen.answer)] ?? [];
  const among = machine.among ?? rivals.length;
  return { state, machine, answer, rivals, among, before, widest: widest || 1, standings: soFar(machine, answer) };
}

/** The first token that the widths go by: in a model that reads on from the first, that one gets far more than all others. */
const firstOf = ({ places, tokens }: Machine) =>
  Number(places.length === 1 && places[0] === tokens.length - 1 && places[0] > 0);

/** The most that any part adds to a token from one on. */
const mostOf = ({ shape: [parts], values }: Matrix, first: number) =>
  Array.from({ length: parts }, (_, part) =>
    values.subarray((part * values.length) / parts + first, ((part + 1) * values.length) / parts),
  ).reduce((most, row) => row.reduce((one, other) => Math.max(one, other), most), 0);

/** How much a part adds to the tokens that the answer is read from, in the mean. */
const addsAt = ({ adds, places }: Machine, part: number) => meanAt(rowOf(adds, part), places);

/** A word, with signs for white space where it has nothing else. */
const wordText = (token: string) => isolated(readable(token).trim() ? readable(token) : visible(token));

const normText = (norm: number) => (norm < 99.95 ? norm.toFixed(1) : Math.round(norm).toLocaleString("en"));

/** The answer, those that come next, and what it was with all parts on. */
function makeTop() {
  const [answer, score, next, was] = [h("b"), h("span"), h("small"), h("small", { class: "wm-was" })];
  const size = h("small");
  const stands = h("span", { class: "wm-stands" });
  const node = h(
    "div",
    { class: "wm-row wm-top" },
    h("span"),
    h(
      "span",
      { class: "wm-name" },
      "answer",
      size,
      h("small", { class: "wm-columns" }, h("span", {}, "attention"), h("span", {}, "feed-forward")),
    ),
    h("p", { class: "wm-answer" }, answer, " ", score, next, was),
    stands,
  );
  return {
    node,
    draw({ machine, answer: place, rivals, among, before }: Drawn) {
      const { labels, scores, parameters } = machine;
      const last = rowOf(scores, scores.shape[0] - 1);
      const others = [...rivals].sort((one, other) => last[other] - last[one]).filter((label) => label !== place);
      const shareOf = (label: number) => `${isolated(readable(labels[label][1]))} ${scoreText(machine, last[label])}`;
      const [, label] = labels[place] ?? [];
      const then = others.slice(0, MOST - 1).map(shareOf);
      setText(answer, label === undefined ? "" : isolated(readable(label)));
      setText(score, label === undefined ? "" : scoreText(machine, last[place]));
      setText(next, label === undefined ? WORDLESS : `then ${then.join(", ")}`);
      next.hidden = label !== undefined && !then.length;
      setText(was, `with all parts on: ${isolated(readable(before ?? ""))}`);
      was.hidden = before === label;
      setText(size, parameters.at(-1) ? sizeText(parameters.at(-1)!) : "");
      setText(stands, label === undefined ? "" : `${inQuotes(label)} so far, among ${among.toLocaleString("en")}`);
    },
  };
}

const WORDLESS = "Without words, there’s no answer.";

const scoreText = ({ unit }: Machine, score: number) => (unit === "probability" ? percent(score) : score.toFixed(2));

type Floor = ReturnType<typeof makeFloor>;

/** What stands beside one of some lines: above, below, to its left or right. A layer's name stands in both of its lines. */
export function beside<One>(lines: One[][], from: One, [down, right]: number[]): One | undefined {
  const has = (line: One[]) => line.includes(from);
  const row = down > 0 ? lines.findLastIndex(has) : lines.findIndex(has);
  if (row < 0) return undefined;
  const line = lines[row + down] ?? [];
  return line[Math.min(lines[row].indexOf(from), line.length - 1) + right];
}

/** A layer's parts, the last on top, and its name, which opens it; or the embedding. */
function makeFloor(
  layer: number,
  named: { name: string; part: number }[],
  act: (action: Action) => void,
  journey: Journey,
) {
  const name = h(
    "button",
    {
      type: "button",
      class: "wm-layer",
      tabindex: -1,
      "aria-label": `layer ${layer + 1}`,
      onclick: () => act({ type: "open", layer }),
    },
    h("span", {}, "layer "),
    String(layer + 1),
  );
  const rows = named.map(({ name: full, part }) => makeRow(full, part, act)).toReversed();
  const inside = makeInside(layer, act, journey);
  const parts = [...(layer < 0 ? [] : [name]), ...rows.map((row) => row.node)];
  const label = layer < 0 ? "the embedding" : `parts of layer ${layer + 1}`;
  const node = h("div", { class: "wm-floor", role: "group", "aria-label": label });
  const boxes = rows.map((row) => row.box);
  return {
    node,
    /** Its buttons as they are seen, from the top line down. */
    lines() {
      if (layer < 0) return [];
      if (node.classList.contains("wm-folded")) return [[name, ...boxes.toReversed()]];
      return boxes.map((box) => [name, box]);
    },
    draw(drawn: Drawn) {
      const { state, machine } = drawn;
      const isOpen = state.chosen.layer === layer;
      setProps(name, { ariaExpanded: String(isOpen) });
      node.classList.toggle("wm-folded", layer >= 0 && !isOpen && layersOf(machine) > FOLDED);
      for (const row of rows) row.draw(drawn);
      const found = isOpen ? insideIn(state) : null;
      if (found) inside.draw(drawn, found);
      setChildren(node, [...parts, ...(found ? [inside.node] : [])]);
    },
  };
}

/** A part: its switch, what it adds to each token's string, and the answer so far. */
function makeRow(full: string, part: number, act: (action: Action) => void) {
  const place = placeOf(full);
  const kind = place?.part === ATTENTION ? ALL_HEADS : MIXING;
  const title = h("span", {}, place?.part ?? full);
  const numbers = h("small"); // which the stylesheet writes: the button is named by its label
  const box = place
    ? h(
        "button",
        {
          type: "button",
          class: "wm-box",
          tabindex: -1,
          "data-layer": place.layer, // so that a phrase lights it, as it does heads
          "data-head": place.part,
          onclick: () => act({ type: "press", layer: place.layer, part: kind }),
        },
        title,
        numbers,
      )
    : h("span", { class: "wm-box" }, title, numbers);
  const strings = makeStrings();
  const [ordinal, likeliest, mark] = [h("b"), h("small"), h("i")];
  const stands = h(
    "span",
    { class: "wm-stands" },
    ordinal,
    h("span", { class: "wm-track", "aria-hidden": "true" }, mark),
    likeliest,
  );
  const node = h("div", { class: "wm-row" }, box, strings.node, stands);
  return {
    node,
    box,
    draw(drawn: Drawn) {
      const { state, machine, among, standings } = drawn;
      const adds = normText(addsAt(machine, part));
      const on = !place || isOn(state, place.layer, kind);
      const parameters = machine.parameters[part];
      setAttribute(numbers, "data-adds", `+${adds}`);
      setAttribute(numbers, "data-size", sizeText(parameters));
      const facts = `${full}: adds ${adds}, ${parameters.toLocaleString("en")} parameters`;
      setProps(box, place ? { ariaLabel: facts, ariaPressed: String(on) } : { title: facts });
      node.classList.toggle("wm-off", !on);
      strings.draw(drawn, part, machine.replaces.includes(full));
      stands.hidden = !standings.length;
      if (stands.hidden) return;
      const { standing, best } = standings[part];
      const isRead = !Number.isNaN(standing); // else what stands here is of the text before
      stands.classList.toggle("hm-stale", !isRead);
      if (!isRead) return;
      setText(ordinal, ordinalOf(standing));
      setText(likeliest, standing === 1 ? "" : wordText(machine.labels[best][1]));
      setStyle(mark, "--behind", (Math.log(standing) / Math.log(Math.max(among, 2))).toFixed(3));
      node.classList.toggle("wm-first", standing === 1);
    },
  };
}

/** A string for each token, which swells where the part adds to it, as wide as the root of its norm; those that the answer is read from stand out. */
function makeStrings() {
  const paths = ["wm-string", "wm-bead", "wm-string wm-read", "wm-bead wm-read"].map((name) =>
    s("path", { class: name }),
  );
  const node = s("svg", { class: "wm-strings", preserveAspectRatio: "none", "aria-hidden": "true" }, ...paths);
  return {
    node,
    draw({ machine, widest }: Drawn, part: number, isNew: boolean) {
      const adds = rowOf(machine.adds, part);
      const drawings = ["", "", "", ""];
      adds.forEach((norm, token) => {
        const [at, half] = [token + 0.5, Math.min(1, Math.sqrt(norm / widest))];
        const read = machine.places.includes(token) ? 2 : 0;
        drawings[read] += `M${at} 0V${isNew ? 0.6 : 1}`; // one that takes the place of what was there begins anew
        const [left, right] = [at - half, at + half].map((x) => x.toFixed(3)); // a curve reaches half as far as its handle
        drawings[read + 1] += `M${at} .1Q${right} .5 ${at} .9Q${left} .5 ${at} .1Z`;
      });
      setAttribute(node, "viewBox", `0 0 ${adds.length} 1`);
      paths.forEach((path, at) => setAttribute(path, "d", drawings[at]));
    },
  };
}

const setAttribute = (node: Element, name: string, value: string) =>
  node.getAttribute(name) !== value && node.setAttribute(name, value);

function drawTokens(node: HTMLElement, { tokens, places }: Machine) {
  setStyle(node, "--tokens", String(tokens.length));
  for (const [name, most] of Object.entries(CROWDS)) node.classList.toggle(name, tokens.length > most);
  const spans = fill(node, tokens.length, () => h("span"));
  tokens.forEach((token, at) => {
    setToken(spans[at], token);
    spans[at].classList.toggle("wm-read", places.includes(at));
  });
}

/** The open layer: where each head looks and how much it adds, the journey of one, and the neurons that add most. */
function makeInside(layer: number, act: (action: Action) => void, journey: Journey) {
  const title = h(
    "p",
    {},
    `Inside layer ${layer + 1}: where each head looks (a row for each token), and how much it adds. Press a head’s name to turn it off, its map to follow it.`,
  );
  const list = h("ul");
  const node = h("div", { class: "wm-inside", role: "group", "aria-label": `Inside layer ${layer + 1}` });
  const neurons = makeNeurons();
  const follow = (head: number) => {
    act({ type: "follow", head });
    if (journey.node.isConnected) journey.node.scrollIntoView({ block: "nearest" });
  };
  const headOf = (event: Event) => Number((event.currentTarget as HTMLElement).dataset.head);
  const makeHead = (head: number) => {
    const at = { "data-layer": layer, "data-head": head };
    const button = headSwitch((event) => act({ type: "press", layer, part: headOf(event) }));
    Object.assign(button.dataset, { layer: String(layer), head: String(head) });
    const canvas = h("canvas", { "aria-hidden": "true" });
    const look = { type: "button", class: "wm-look", ...at, onclick: () => follow(head) };
    return h("li", {}, button, h("button", look, canvas), h("small"));
  };
  return {
    node,
    draw(drawn: Drawn, found: Inside) {
      const { state, machine } = drawn;
      const { adds, names } = found;
      const nameOf = (head: number) => names?.[head] ?? `head ${head + 1}`;
      const followed = state.chosen.head !== null && state.chosen.head < adds.shape[0] ? state.chosen.head : null;
      const items = fill(list, adds.shape[0], makeHead);
      [...items].forEach((item, head) => {
        const [button, look, size] = item.children as unknown as [HTMLButtonElement, HTMLButtonElement, HTMLElement];
        const name = nameOf(head);
        const on = isOn(state, layer, head);
        drawSwitch(button, name, on, colourOf(name));
        setProps(look, { ariaLabel: `follow ${name}`, ariaExpanded: String(head === followed) });
        drawMap(look.firstElementChild as HTMLCanvasElement, machine, found, head, on ? colourOf(name) : null);
        setText(size, `+${normText(meanAt(rowOf(adds, head), machine.places))}`);
      });
      if (followed !== null) journey.draw(drawn, found, followed, nameOf(followed));
      neurons.draw(drawn, found);
      setChildren(node, [title, list, ...(followed === null ? [] : [journey.node]), neurons.node]);
    },
  };
}

/** The neurons of an open layer's feed-forward part that add most, and what each raises. */
function makeNeurons() {
  const title = h("p");
  const list = h("ol", { class: "wm-neurons" });
  const makeLine = () => h("li", {}, h("span"), h("i", { "aria-hidden": "true" }), h("small"), h("span"));
  const node = h("div", {}, title, list);
  const raised = (of: string[][], question: string) => {
    const labels = of.filter(([name]) => name === question).map(([, label]) => inQuotes(wordText(label)));
    return labels.length ? `raises ${labels.join(", ")}` : "hardly moves any";
  };
  return {
    node,
    draw({ state, machine, answer }: Drawn, { layer, neurons }: Inside) {
      const has = machine.parts.some((name) => name === `layer ${layer + 1}, ${FEED_FORWARD}`);
      node.classList.toggle("hm-stale", has && !neurons); // until a language model has read its words so far
      if (has && !neurons) return;
      const strongest = neurons?.strongest ?? [];
      setText(title, neurons ? aboutNeurons(machine, neurons, isOn(state, layer, MIXING)) : NO_NEURONS);
      const lines = fill(list, strongest.length, makeLine);
      strongest.forEach(({ neuron, adds, raises }, at) => {
        const [name, bar, size, says] = lines[at].children;
        setText(name, `neuron ${neuron + 1}`);
        setStyle(bar, "--part", (adds / strongest[0].adds).toFixed(3));
        setText(size, `+${normText(adds)}`);
        setText(says, answer < 0 ? "" : raised(raises, machine.labels[answer][0]));
      });
    },
  };
}

const NO_NEURONS = "This layer has no feed-forward part, and so no neurons.";

function aboutNeurons({ places, tokens, replaces }: Machine, { count }: Neurons, on: boolean) {
  if (!on) return "The feed-forward part is off: its neurons add nothing.";
  const where =
    replaces.length || places.length > 1 ? "in the mean of all tokens" : `at ${inQuotes(tokens[places[0]])}`;
  const what = replaces.length ? "the answers" : "the answers so far";
  return `Of ${count.toLocaleString("en")} neurons in the feed-forward part, these add most ${where}. Beside each stands what it raises most of ${what}: without it, that would fall furthest.`;
}

type Journey = ReturnType<typeof makeJourney>;

/** The journey of a head of the open layer, an <attention-flow>: its script comes once somebody follows one. It stays where it is while it's closed. */
function makeJourney(figure: HTMLElement, act: (action: Action) => void) {
  const title = h("b");
  const back = h("button", { type: "button", class: "wm-restore", onclick: comeBack });
  const flow = h("attention-flow" as any, { small: true }) as unknown as HTMLElement & {
    head: number;
    headMask: HeadMask;
    ready: unknown;
  };
  const node = h("div", { class: "wm-journey", role: "group" }, h("p", {}, title, " ", back), flow);
  let [of, shown] = ["", -1];
  const fetchOnce = whenOther(() => {
    importScript("./attention-flow.js", import.meta.url).then(
      () => flow.ready, // which begins it, in view or not
      (error) => flow.replaceWith(`The journey could not be loaded: ${reasonOf(error)}`),
    );
  });
  flow.addEventListener("steps", () => flow.head !== shown && act({ type: "follow", head: flow.head })); // one that was pressed in it

  function comeBack() {
    const look = node.parentElement?.querySelector<HTMLElement>('.wm-look[aria-expanded="true"]');
    act({ type: "follow", head: shown });
    look?.focus({ preventScroll: true });
    look?.scrollIntoView({ block: "nearest" });
  }

  return {
    node,
    draw({ state, machine, answer }: Drawn, { layer, adds }: Inside, head: number, name: string) {
      setText(title, `Layer ${layer + 1}, ${name}: one word’s journey.`);
      setText(back, `Back to layer ${layer + 1}`);
      node.ariaLabel = `Journey through ${name}`;
      shown = head;
      if (isOld(state)) return;
      const { replaces, places, labels } = machine;
      const isBelow = replaces.length > 0 && layer < layersOf(machine) - 1; // then it goes on to the answer
      const place = [figure.getAttribute("model"), layer, head].join();
      const own = rowOf(adds, head);
      const asks = places.length === 1 ? places[0] : own.indexOf(Math.max(...own));
      const attributes = {
        model: figure.getAttribute("model"),
        sentence: state.chosen.sentence,
        layer: replaces.length ? null : layer,
        head,
        answer: isBelow ? labels[answer]?.[0] : replaces.length ? "" : null,
        query: isBelow || (place === of && places.length > 1) ? null : asks, // else the word that asks by itself, or that the reader chose
      };
      const isNew = place !== of; // then all are set anew: its reader may have pressed another head in it, or another word
      of = place;
      for (const [each, value] of Object.entries(attributes))
        if (value != null && (isNew || flow.getAttribute(each) !== String(value)))
          flow.setAttribute(each, String(value));
      flow.headMask = partMaskOf(state.chosen.off, layersOf(machine), machine.numHeads);
      fetchOnce();
    },
  };
}

const meanAt = (values: Float32Array, places: number[]) =>
  places.reduce((sum, place) => sum + values[place], 0) / places.length;

function drawMap(
  canvas: HTMLCanvasElement,
  { tokens }: Machine,
  { weights }: Inside,
  head: number,
  colour: string | null,
) {
  const map = {
    queryTokens: tokens,
    keyTokens: tokens,
    shape: [1, ...weights.shape],
    weights: weights.values,
    headNames: [],
    predictions: {},
  };
  const style = { colour: colour ?? OFF_COLOUR, off: !colour, dim: false, scale: "relative" as const };
  const box = { x: 0, y: 0, width: SMALL, height: SMALL };
  paintBitmap(
    canvas,
    makeBitmap(SMALL, SMALL, (pixels) => drawHead(pixels, SMALL, box, map, 0, head, style)),
  );
}

/** 1st, 2nd, 3rd, 11th, 1,012th. */
export function ordinalOf(number: number) {
  const ends = Math.floor(number / 10) % 10 === 1 ? 0 : number % 10;
  return `${number.toLocaleString("en")}${["th", "st", "nd", "rd"][ends] ?? "th"}`;
}

/** So many parameters, shortly: 42 k, 4.9 M. */
export function sizeText(count: number) {
  if (count >= 999_500) return `${(count / 1e6).toFixed(count < 9.95e6 ? 1 : 0)} M`;
  return count >= 1000 ? `${Math.round(count / 1000)} k` : String(count);
}

/** What the drawing means. */
function keyOf({ state, machine, widest }: Drawn) {
  const { places, tokens, parameters, replaces } = machine;
  const all = parameters.reduce((sum, count) => sum + count, 0);
  const cut = mostOf(machine.adds, 0);
  const leavesBiases = machine.parts.some((name, part) => {
    const place = placeOf(name);
    return place?.part === ATTENTION && !isOn(state, place.layer, ALL_HEADS) && addsAt(machine, part) > 0;
  });
  const says = [
    "A string for each token swells where a part adds to it: a vector four times as long makes it twice as wide.",
    `After the +, how long it is where the answer is read; then the part’s parameters, of ${sizeText(all)} in all.`,
    places.length > 1
      ? "The answer is read from the mean of all tokens."
      : `The answer is read from ${inQuotes(tokens[places[0]])}, whose string stands out.`,
    ...(cut > widest ? [`What ${inQuotes(tokens[0])} gets is cut off; it’s up to ${normText(cut)}.`] : []),
    ...replaces.map((name) => `What the heads of ${name.split(",")[0]} write isn’t added to it, but read alone.`),
    ...(leavesBiases ? ["Of an attention that’s off, its biases are left."] : []),
  ];
  return says.join(" ");
}

/** What a change came to: the answer, and what is off. */
export function summary(state: State) {
  const { machine, whole, chosen } = state;
  if (!machine || !whole) return "";
  const { answer, before } = drawnOf(state, machine, whole);
  if (answer < 0) return WORDLESS;
  const [question, label] = machine.labels[answer];
  const score = scoreText(machine, rowOf(machine.scores, machine.scores.shape[0] - 1)[answer]);
  const off = chosen.off.length ? `, with ${chosen.off.length} ${chosen.off.length === 1 ? "part" : "parts"} off` : "";
  const was = before === label ? "" : ` With all parts on: ${readable(before ?? "")}.`;
  return `${question}: ${readable(label)}, ${score}${off}.${was}`;
}
