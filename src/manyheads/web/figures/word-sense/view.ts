// What <word-sense> shows: the sentence, whose words can be masked; the scale after each layer, and, once its reader opens them, between
// two of them the arrows that lead from one to the next; the heads that matter most, each with its switch.

import { isAmong, wholeLayers, withOff } from "../../math/heads-off.ts";
import { colourOf } from "../../math/maps.ts";
import { headPushes, scoreOf, shareOf, type LayerPushes } from "../../math/senses.ts";
import { capital, percent } from "../../math/text.ts";
import { chooser, field, fillOptions, grow, sentenceBox, setTyped } from "../../views/controls.ts";
import { fill, h, rowsOf, setChildren, setProps, setText } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import type { Host } from "../../views/host.ts";
import { wantsStillness } from "../../views/timeline.ts";
import { makeChain } from "./chain.ts";
import { headGroups } from "./head-groups.ts";
import { isBehind, isOther, isPending, lifted, shownLayer, type Action, type State } from "./state.ts";
import {
  changedText,
  headText,
  layerName,
  leaning,
  movedTo,
  pushedText,
  scoreWithout,
  senseText,
  strongest,
  takenText,
  wordsIn,
  type SentenceWord,
} from "./text.ts";
import { makeWords } from "./words.ts";

const LAYERS = wholeLayers(6, 12); // of the encoder
const COUNTS = [1, 2, 4, 8, 16]; // of the heads that matter most, so many can be turned off
const LISTED = Math.max(...COUNTS); // in the table: each of them has its switch
const REACHES = [6, 8, 10, 14, 20, 40]; // of the scale, in log-odds: the first that all fit into
const SEEN = 0.25; // log-odds that a dot moves and leaves a trail

export function view(host: Host<State, Action>) {
  const { act, root } = host;
  const { single } = host.state;
  const toggle = (head: number) => act({ type: "toggle", place: [shownLayer(host.state), head] });
  const point = (word: number | null, head: number | null) => {
    const { pointed } = host.state;
    if (pointed.word !== word || pointed.head !== head) host.dispatch({ type: "point", at: { word, head } });
  };
  const box = sentenceBox("Sentence", "Type a sentence", (sentence) => act({ type: "type", sentence }));
  const choice = chooser("Word", (word) => act({ type: "word", word }));
  const groups = headGroups(
    () => groupsOf(host.state),
    (off) => act({ type: "off", off }),
  );
  const rank = h("button", { type: "button", onclick: () => act({ type: "rank" }) }, "Rank the heads");
  const tools = h("div", { class: "hm-tools" }, field(choice), ...(single ? [] : [field(groups.node), rank]));
  const words = makeWords(
    (places) => act({ type: "mask", places }),
    (place) => point(place, null),
  );
  const note = h("p", { class: "ws-note" });
  const ends = h(
    "p",
    { class: "ws-ends", "aria-hidden": "true" },
    h("b"),
    ...["98 %", "50 : 50", "98 %"].map((text) => h("small", {}, text)),
    h("b"),
  );
  const chain = makeChain({
    toggle,
    point: (head) => point(null, head),
    pull: (head) => host.dispatch({ type: "pull", head }),
  });
  const scales = makeScales(single, chain.node, (layer) => act({ type: "layer", layer }));
  const switches = h("div", { class: "hm-heads ws-switches", role: "group" });
  const ranking = makeRanking((at) => act({ type: "toggle", place: host.state.ranking[at].place }));
  const opens: HTMLButtonElement = h("button", {
    type: "button",
    onclick: () => act({ type: "arrows", arrows: !host.state.arrows }),
  });
  const key = h("p", { class: "ws-key" });
  root.classList.toggle("ws-single", single);

  function draw(state: State) {
    const { sentence, word, words: known, found, off } = state;
    setTyped(box, sentence);
    grow(box);
    fillOptions(choice, known, known, word);
    setProps(tools, { hidden: single && known.length < 2 });
    groups.draw(off);
    setProps(rank, { disabled: !found });
    root.classList.toggle("ws-old", found === false || (state.stale && isOther(state)));
    ranking.draw(state);
    if (state.sense) drawSense(state);
  }

  function drawSense(state: State) {
    const layer = shownLayer(state);
    const shown = shownPushes(state);
    const out = outOf(state);
    const scores = state.sense!.shares.map(scoreOf);
    if (shown) scores[layer + 1] = scoreWithout(shown, out);
    const reach =
      REACHES.find((one) => [...scores, ...extentOf(shown)].every((score) => Math.abs(score) < one - 0.3)) ??
      REACHES.at(-1)!;
    [0, 4].forEach((at, end) => setText(ends.children[at], state.sense!.senses[end]));
    for (const node of [scales.node, ends]) node.style.setProperty("--unit", (1 / reach).toFixed(4));
    scales.draw(state, scores, reach);
    const { head } = state.pointed;
    words.draw(shown && { words: wordsIn(state.pushes!), masked: state.masked, shown, head });
    for (const node of [note, opens]) setProps(node, { hidden: !shown });
    for (const node of [chain.node, switches]) setProps(node, { hidden: !shown || !state.arrows });
    drawKey(state, shown !== null);
    if (!shown) return;
    chain.draw({ word: state.sense!.word, shown, out, lit: head });
    drawSwitches(state, layer, shown.pushes.length);
    setText(note, noteOn(state, shown));
  }

  function drawKey({ arrows, sense }: State, hasArrows: boolean) {
    root.classList.toggle("ws-closed", !arrows);
    setText(opens, arrows ? "Hide the heads" : "See each head’s part");
    setProps(opens, { ariaExpanded: String(arrows) });
    const arrow = `An arrow is what one head adds to “${sense!.word}”, the grey one is its own part. Press an arrow or a head to turn it off. The numbers are log-odds: 0.7 more doubles the odds.`;
    setText(key, arrows && hasArrows ? arrow : "Press a word, and no word can look at it: it’s masked.");
  }

  function drawSwitches({ off }: State, layer: number, count: number) {
    setProps(switches, { ariaLabel: `Heads of layer ${layer + 1}` });
    const nodes = fill(switches, count, (head) => {
      const node = headSwitch(() => toggle(head));
      for (const name of ["pointerenter", "focus"]) node.addEventListener(name, () => point(null, head));
      for (const name of ["pointerleave", "blur"]) node.addEventListener(name, () => point(null, null));
      return node;
    });
    [...nodes].forEach((node, head) => {
      drawSwitch(node, `head ${head + 1}`, !isAmong(off, [layer, head]), colourOf());
      Object.assign(node.dataset, { layer, head });
    });
  }

  const scale = [ends, scales.node];
  const heads = h("div", { class: "ws-parts" }, switches, opens, key);
  const nodes = single
    ? [words.node, ...scale, note, heads, box, tools]
    : [box, tools, words.node, note, ...scale, heads, ranking.node];
  return { nodes, draw };
}

/** What makes the shown layer, where that is known. */
const shownPushes = (state: State) => state.pushes?.layers[shownLayer(state)] ?? null;

/** The heads whose arrows are not in the sum: those that were turned off since, and the one that is pulled out. */
const outOf = (state: State) => [...lifted(state), ...(state.pulled === null ? [] : [state.pulled])];

/** The groups of heads that can be turned off: layers, and those that matter most. */
function groupsOf({ ranking }: State): Record<string, number[][]> {
  const most = COUNTS.map((count) => [
    count === 1 ? "the one that matters most here" : `the ${count} that matter most here`,
    ranking.slice(0, count).map(({ place }) => place),
  ]);
  return { none: [], ...LAYERS, ...(ranking.length && Object.fromEntries(most)) };
}

/** How far the arrows of a layer reach. */
const extentOf = (shown: LayerPushes | null) =>
  shown ? headPushes(shown).reduce((ends, push) => [...ends, ends[ends.length - 1] + push], [shown.rest]) : [];

/** What the reader points at, what came of the last change, or which word pushes most; in numbers once the arrows are open. */
function noteOn(state: State, shown: LayerPushes) {
  const { single, arrows, masked, off, alone, pulled, pointed } = state;
  const [sense, layer, out, words] = [state.sense!, shownLayer(state), outOf(state), wordsIn(state.pushes!)];
  const isHidden = (one: SentenceWord) => masked.includes(one.places[0]);
  const [where, after] =
    single && !arrows ? ["", ""] : [`In ${layerName(layer + 1)}, `, ` after ${layerName(layer + 1)}`];
  const pushOf = (one: SentenceWord) =>
    arrows ? takenText(sense, layer, shown, one, null) : pushedText(sense, where, shown, one);
  const word = words.find(({ places: [place] }) => place === pointed.word);
  if (word && word.kind !== "asker" && !isHidden(word)) return pushOf(word);
  const own = off.filter(([of]) => of === layer).map(([, of]) => of);
  const { head } = pointed;
  if (head !== null && !own.includes(head) && !out.includes(head)) {
    const most = strongest(shown, words, head);
    return `${headText(sense, shown, head)}${most ? ` ${takenText(sense, layer, shown, most, head)}` : ""}`;
  }
  const names = words.filter(isHidden).map(({ text }) => text);
  const pending = isBehind(state);
  const without = pulled === null ? own : [...own, pulled];
  if (names.length || without.length || pending)
    return changedText(sense, after, shown, { masked: names, isBehind: pending, off: without, pending: out, alone });
  const most = strongest(shown, words, null);
  const others = off.length ? [`${capital(withOff(off.length))}.`] : []; // of other layers
  return [...(most ? [pushOf(most)] : []), ...others].join(" ");
}

/** In which sense the word is read, and what came of what is masked or off; until that's known, what taking away arrows comes to. */
export function summary(state: State) {
  const { sense, found, off, masked } = state;
  const shown = shownPushes(state);
  if (!sense || !found || isPending(state)) return shown && outOf(state).length ? noteOn(state, shown) : null;
  const text = senseText(sense, off.length);
  return shown && (masked.length || off.length) ? `${text} ${noteOn(state, shown)}` : text;
}

/** The scale after each layer; the arrows of the one that is shown stand above its own. */
function makeScales(single: boolean, chain: HTMLElement, choose: (layer: number) => void) {
  const body = h("tbody");
  const node = h("table", { class: "ws-scales", "aria-label": "The sense after each layer" }, body);
  const rows: HTMLTableRowElement[] = []; // the embeddings first
  const makeRow = (layer: number) => {
    const pick = h("button", { type: "button", class: "ws-pick", onclick: () => choose(layer) });
    const meter = { class: "ws-scale", role: "meter", "aria-valuemin": 0, "aria-valuemax": 1 };
    return h(
      "tr",
      { class: "ws-layer" },
      h("th", { scope: "row" }, ...(single || layer === 0 ? [] : [pick])),
      h("td", {}, h("span", meter, h("em"), h("i"))),
      h("td"),
    );
  };

  function draw(state: State, scores: number[], reach: number) {
    const { word, senses, layer: deciding } = state.sense!;
    const { arrows } = state;
    const open = shownLayer(state) + 1;
    const listed = single ? [open - 1, open] : [...scores.keys()];
    while (rows.length < listed.length) rows.push(makeRow(rows.length));
    const above = listed.indexOf(open);
    if (body.children[above] !== chain) chain.remove(); // so that no row moves, nor loses the focus
    setChildren(body, [...rows.slice(0, above), chain, ...rows.slice(above, listed.length)]);
    listed.forEach((layer, at) => {
      const row = rows[at];
      const [heading, cell, verdict] = row.cells;
      const pick = heading.firstElementChild;
      const text = leaning(senses, shareOf(scores[layer]));
      row.classList.toggle("ws-deciding", !single && layer === deciding);
      row.classList.toggle("ws-open", layer === open);
      setProps(row, { hidden: single && !arrows && layer !== open });
      const first = arrows ? "before" : word;
      setText(pick ?? heading, single && (layer === 0 || !arrows) ? first : layerName(layer));
      if (pick) setProps(pick, { ariaPressed: String(layer === open) });
      const scale = cell.firstElementChild as HTMLElement;
      moveDot(scale, Math.max(-reach, Math.min(reach, scores[layer])));
      scale.setAttribute("aria-label", layerName(layer));
      scale.setAttribute("aria-valuenow", shareOf(scores[layer]).toFixed(4));
      scale.setAttribute("aria-valuetext", text);
      setText(verdict, text);
    });
  }

  return { node, draw };
}

/** The heads that matter most, each with its switch; `toggle(at)` is called with its place in the ranking. */
function makeRanking(toggle: (at: number) => void) {
  const body = h("tbody");
  const titles = ["head", "without it", "moved, in log-odds", "looks most at"].map((text) =>
    h("th", { scope: "col" }, text),
  );
  const props = { class: "ws-heads", "aria-label": "Heads by what their absence does" };
  const node = h("table", props, h("thead", {}, h("tr", {}, ...titles)), body);
  const makeRow = (at: number) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        headSwitch(() => toggle(at)),
      ),
      h("td"),
      h("td"),
      h("td"),
    );

  function draw({ sense, off, ...state }: State) {
    const ranking = sense ? state.ranking.slice(0, LISTED) : [];
    setProps(node, { hidden: !ranking.length });
    fill(body, ranking.length, makeRow);
    ranking.forEach(({ place, share, moved, looks }, at) => {
      const [name, ...cells] = rowsOf(body)[at].cells;
      const title = `layer ${place[0] + 1}, head ${place[1] + 1}`;
      drawSwitch(name.firstElementChild as HTMLElement, title, !isAmong(off, place), colourOf());
      const texts = [
        leaning(sense!.senses, share),
        movedTo(sense!.senses, moved),
        looks ? `${looks.word} ${percent(looks.share)}` : "nothing else",
      ];
      texts.forEach((text, column) => setText(cells[column], text));
    });
  }

  return { node, draw };
}

/** Moves the dot of a scale; it leaves a trail that fades. */
function moveDot(scale: HTMLElement, score: number) {
  const old = Number(scale.style.getPropertyValue("--score") || Number.NaN);
  scale.style.setProperty("--score", score.toFixed(3));
  const [trail] = scale.children;
  if (!(Math.abs(score - old) > SEEN) || wantsStillness() || !trail.animate) return;
  trail.classList.toggle("ws-back", score < old);
  (trail as HTMLElement).style.setProperty("--low", Math.min(old, score).toFixed(3));
  (trail as HTMLElement).style.setProperty("--size", Math.abs(score - old).toFixed(3));
  trail.animate([{ opacity: 0.75 }, { opacity: 0 }], { duration: 1400, easing: "ease-out" });
}
