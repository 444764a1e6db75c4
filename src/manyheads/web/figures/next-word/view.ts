// What <next-word> shows: the text with the next word as a ghost behind it, the likeliest words as bars, the heads, and in the text
// where one of them looks.

import type { AttentionMap } from "../../math/attention-map.ts";
import { isAmong } from "../../math/heads-off.ts";
import { queryWeights } from "../../math/maps.ts";
import { NEUTRAL_COLOUR } from "../../math/names.ts";
import { endsOf, firstOf, isAsking, spanned, type Query } from "../../math/query.ts";
import { directionOf, inQuotes, isUnfinished, joined, percent, visible } from "../../math/text.ts";
import { chooser, field, fillOptions, lineBox, OFFER, sentenceBox, setTyped } from "../../views/controls.ts";
import { fill, h, setIdle, setProps, setStyle, setText } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import type { Host } from "../../views/host.ts";
import { inSight } from "../../views/in-sight.ts";
import { makePanel } from "../../views/panel.ts";
import { playLabel } from "../../views/player.ts";
import { WhyThere } from "../../views/why-there.ts";
import { headSquares } from "./head-squares.ts";
import { conditionsOf, isWaiting, isWhole, type Action, type Look, type State } from "./state.ts";

const PACE = 140; // milliseconds between words that are written on, so that they can be read
const SEEN = 4; // bars at first: the likeliest word and three rivals
const STRONG = 0.4; // of attention, which is coloured most
const LONG = 20_000; // characters: a text of more is not written a second time at every keystroke, and its box is seen itself

type NextWordHost = Host<State, Action>;

export function view(host: NextWordHost) {
  const { act, statusNode } = host;
  const look = (parts: Look) => host.dispatch({ type: "look", parts });
  const page = makePage(host);
  const conditions = h("p", { class: "nw-conditions" });
  const bars = makeBars(host);
  const plays = h("button", { type: "button", class: "hm-play", onclick: () => act({ type: "play" }) });
  const writes = h("button", { type: "button", onclick: () => act({ type: "write", bar: null }) }, "Write a word");
  const back = h("button", { type: "button", onclick: () => act({ type: "back" }) }, "Undo");
  const [temperature, topP] = [
    slider("Temperature", 0, 2, 0.1, (number) => act({ type: "shape", parts: { temperature: number } })),
    slider("Top-p", 0.05, 1, 0.05, (number) => act({ type: "shape", parts: { topP: number } })),
  ];
  const topK = chooser("Top-k", (count) => act({ type: "shape", parts: { topK: Number(count) } }));
  fillOptions(topK, ["all", "1", "3", "10", "40"], [0, 1, 3, 10, 40], 0);
  const seed = lineBox("Seed", { type: "number", min: 0, step: 1, value: 1 }, (text) =>
    host.dispatch({ type: "seed", seed: Math.max(0, Math.floor(Number(text)) || 0) }),
  );
  const masks = check("Mask the first token", (masked) => act({ type: "set", parts: { masked } }));
  const hides = check("Hide the first token’s colour", (hidesFirst) => look({ hidesFirst }));
  const fields = h("div", { class: "hm-fields" }, field(topK), topP.node, field(seed), masks.node, hides.node);
  const tools = makePanel("Tools", [fields]);
  const heads = headSquares(host, look);
  const switches = makeSwitches(host);
  const off = h("span");
  const allOn = h(
    "button",
    { type: "button", onclick: () => act({ type: "set", parts: { off: [], masked: false } }) },
    "Put back",
  );
  const offs = h("p", { class: "nw-off" }, off, " ", allOn);
  const writeOn = makePace(() => host.dispatch({ type: "go on" }));
  statusNode.classList.add(OFFER);

  function draw(state: State) {
    setText(plays, playLabel(state.plays));
    setIdle(back, !state.earlier.length);
    const shaped = conditionsOf(state);
    setText(conditions, `Next word${shaped && `, ${shaped}`}`);
    temperature.draw(state.choice.temperature);
    topP.draw(state.choice.topP);
    setText(off, offText(state));
    offs.classList.toggle("nw-none", isWhole(state));
    masks.draw(state.masked);
    hides.draw(state.hidesFirst);
    for (const part of [page, bars, heads, switches]) part.draw(state);
    writeOn(state);
  }

  return {
    nodes: [
      page.node,
      h("div", { class: "nw-edge" }, statusNode, tools.button),
      tools.node,
      conditions,
      ...bars.nodes,
      h("div", { class: "hm-tools nw-writing" }, plays, writes, back, temperature.node),
      heads.node,
      page.looks,
      switches.node,
      page.whyThere,
      offs,
    ],
    draw,
  };
}

/** What a change came to. */
export function summary(state: State) {
  const words = state.bars.slice(0, 3).map(({ word, share }) => `${word.trim()}, ${percent(share)}`);
  const conditions = conditionsOf(state);
  return `Likeliest next: ${words.join("; ")}${conditions && `, ${conditions}`}.`;
}

/** Goes on writing, a word after the other. */
function makePace(goOn: () => void) {
  let rests = false; // between two words
  return ({ phase }: State) => {
    if (phase !== "writing" || rests) return;
    rests = true;
    inSight(PACE, () => {
      rests = false;
      goOn();
    });
  };
}

function slider(name: string, min: number, max: number, step: number, slid: (number: number) => void) {
  const text = h("span", { class: "nw-number" });
  const oninput = () => slid(Number(input.value));
  const input: HTMLInputElement = h("input", { type: "range", min, max, step, value: 1, "aria-label": name, oninput });
  return {
    node: h("label", { class: "hm-field" }, `${name} `, input, text),
    draw(number: number) {
      setText(text, String(number));
      if (Number(input.value) !== number) input.value = String(number);
    },
  };
}

function check(name: string, checked: (on: boolean) => void) {
  const box: HTMLInputElement = h("input", { type: "checkbox", onchange: () => checked(box.checked) });
  return { node: h("label", { class: "nw-check" }, box, name), draw: (on: boolean) => setProps(box, { checked: on }) };
}

/** Switches of the chosen head, of its layer, and of the heads that have a name. */
function makeSwitches(host: NextWordHost) {
  const groups: ((state: State) => [name: string, heads: number[][]])[] = [
    ({ layer, head }) => [`layer ${layer + 1}, head ${head + 1}`, [[layer, head]]],
    (state) => [`all of layer ${state.layer + 1}`, layerOf(state)],
    ...Object.entries(host.state.lists).map((list) => () => list),
  ];
  const buttons = groups.map((group) => headSwitch(() => host.act({ type: "toggle", heads: group(host.state)[1] })));
  return {
    node: h("div", { class: "hm-tools nw-switches" }, ...buttons),
    draw(state: State) {
      groups.forEach((group, at) => {
        const [name, heads] = group(state);
        const isOn = !heads.every((one) => isAmong(state.off, one));
        buttons[at].hidden = at > 1 && state.isFile;
        drawSwitch(buttons[at], name, isOn, NEUTRAL_COLOUR);
      });
    },
  };
}

/** The likeliest words, a bar each; the less likely are folded. */
function makeBars(host: NextWordHost) {
  const first = h("ol", { class: "nw-bars", "aria-label": "Likeliest next words" });
  const more = h("ol", { class: "nw-bars", start: SEEN + 1, "aria-label": "Less likely next words" });
  const makeBar = (at: number) => {
    const tries = (bar: number | null) => () => host.dispatch({ type: "try", bar });
    return h(
      "li",
      {},
      h("button", {
        type: "button",
        onclick: () => host.act({ type: "write", bar: at }),
        onpointerenter: tries(at),
        onpointerleave: tries(null),
        onfocus: tries(at),
        onblur: tries(null),
      }),
      h("span", { class: "nw-bar" }, h("i"), h("i")),
      h("span", { class: "nw-share" }),
    );
  };
  return {
    nodes: [first, h("details", { class: "nw-more" }, h("summary", {}, "Less likely words"), more)],
    draw({ bars, answer, phase }: State) {
      const begun = answer?.tail.map((id) => answer.vocabulary.wordOf(id)) ?? []; // the first bytes of a character
      const seen = Math.min(bars.length, SEEN);
      const items = [...fill(first, seen, makeBar), ...fill(more, bars.length - seen, (at) => makeBar(at + SEEN))];
      for (const list of [first, more]) list.classList.toggle("hm-stale", phase === "stale"); // they don't answer to the text above them
      bars.forEach(({ word, share, before }, at) => {
        const [button, bar, number] = items[at].children as unknown as HTMLElement[];
        const made = joined([...begun, word]);
        const label = begun.length && !isUnfinished(made) ? `${visible(word)} ${made.trim()}` : visible(word);
        setText(button, label.replace(/^\u2423(?!$)/, "")); // a word's space goes without saying
        setProps(button, { ariaLabel: `Write “${button.textContent}”, ${percent(share)}` });
        setStyle(bar, "--share", share.toFixed(4));
        setStyle(bar, "--before", (before ?? 0).toFixed(4));
        bar.classList.toggle("nw-compared", before !== null);
        setText(number, before === null ? percent(share) : `${percent(share)}, was ${percent(before)}`);
      });
    },
  };
}

/** The text, behind which its box lies, on request in the colour of what the chosen head looks at from the last token, or from words that are selected; and the next word. */
function makePage(host: NextWordHost) {
  const box = sentenceBox("Text so far", "Type the start of a text", (text) => host.act({ type: "type", text }), true);
  const select = () => {
    if (document.activeElement !== box || box.value !== host.state.text) return;
    const { selectionStart: from, selectionEnd: to } = box;
    const asks = from < to ? ([from, to] as const) : null;
    if (String(asks) !== String(host.state.asks)) host.dispatch({ type: "look", parts: { asks } });
  };
  box.addEventListener("focus", () => document.addEventListener("selectionchange", select));
  box.addEventListener("blur", () => document.removeEventListener("selectionchange", select)); // and what is selected goes on asking
  const coloured = h("span");
  const space = document.createTextNode(""); // before the next word, which may begin a line
  const ghost = h("button", {
    type: "button",
    class: "nw-ghost",
    tabindex: -1,
    "aria-hidden": "true",
    onclick: () => host.act({ type: "write", bar: host.state.tried ?? 0 }),
  });
  const words = h("p", { class: "nw-words" }, coloured, space, ghost);
  const node = h("div", { class: "nw-page" }, h("div", { class: "nw-sheet" }, box, words));
  const looks = h("p", { class: "nw-looks" });
  const whyThere = new WhyThere();
  whyThere.node.hidden = true;

  function drawBox({ text }: State) {
    if (box.value === text) return;
    setTyped(box, text);
    for (const part of [node, box]) part.scrollTop = part.scrollHeight; // where it was written
  }

  function drawGhost({ phase, bars, tried }: State) {
    const word = phase === "stale" || !bars.length ? "" : bars[tried ?? 0].word;
    const isWord = /^ ?[^\s\p{C}]/u.test(word);
    setText(space, isWord && word.startsWith(" ") ? " " : "\u200b"); // else a last line break would make no line
    setText(ghost, isWord ? word.trimStart() : visible(word));
    ghost.hidden = !word;
  }

  function drawPlain({ text, tail, answer }: State) {
    const end = tail.map((id) => answer?.vocabulary.wordOf(id) ?? "").join("");
    coloured.dir = "auto";
    if (coloured.firstElementChild) coloured.replaceChildren(); // words in colour
    setText(coloured, isLong(text) ? "" : text + end);
  }

  function drawColoured({ map, pieces, row, query, isChosen }: Seen, { hidesFirst }: State) {
    const most = Math.max(...row, 1e-9);
    coloured.dir = directionOf(map.keyTokens);
    if (!coloured.firstElementChild) coloured.replaceChildren();
    const parts = fill(coloured, pieces.length, () => h("span"));
    pieces.forEach(({ shown, token, from, to }, at) => {
      const share = row.subarray(from, to).reduce((sum, weight) => sum + weight, 0);
      const colour = share / (hidesFirst ? most : Math.max(most, STRONG));
      setText(parts[at], shown);
      setStyle(parts[at], "--share", token ? colour.toFixed(3) : "0");
      parts[at].classList.toggle("nw-asks", isChosen && to > from && isAsking(query, from));
      mark(parts[at], { role: token && "img", "aria-label": token && `${token.trim()}: ${percent(share)}` });
    });
  }

  return {
    node,
    looks,
    whyThere: whyThere.node,
    draw(state: State) {
      const seen = seenIn(state);
      drawBox(state);
      drawGhost(state);
      node.classList.toggle("nw-long", isLong(state.text));
      mark(words, {
        role: seen && "group",
        "aria-label": seen && "What the head looks at",
        "aria-hidden": !seen && "true",
      });
      if (seen) drawColoured(seen, state);
      else drawPlain(state);
      setText(looks, seen ? mostOf(seen, state) : unseen(state));
      if (!isWaiting(state)) whyThere.node.hidden = !seen?.map.scoreParts;
      if (!seen?.map.scoreParts) return;
      const isOne = typeof seen.query === "number"; // several have no one score, and leave its room
      setStyle(whyThere.node, "visibility", isOne ? "visible" : "hidden");
      if (!isOne) return;
      const { layer, head } = state;
      whyThere.ask(seen.map, { layer, head, query: firstOf(seen.query), key: bestOf(seen) });
    },
  };
}

const isLong = (text: string) => text.length > LONG;

/** What is seen of where the chosen head looks: the text in its tokens, who asks, and the weight of each. */
interface Seen {
  map: AttentionMap;
  pieces: Piece[];
  query: Query;
  isChosen: boolean; // else the last token asks
  row: Float32Array;
}

function seenIn({ text, answer, shown, layer, head, hidesFirst, looks, asks }: State): Seen | null {
  const map = looks && !isLong(text) && shown?.text === text ? answer?.now.map : undefined;
  const pieces = map && piecesOf(map.keyTokens, text);
  if (!pieces) return null;
  const chosen = asks && selectedOf(pieces, text, asks);
  const query = chosen ?? map.queryTokens.length - 1;
  const row = Float32Array.from(queryWeights(map, layer, head, query));
  if (hidesFirst) row[0] = 0;
  return { map, pieces, query, isChosen: chosen !== null, row };
}

/** The tokens of which some characters are selected, but for white space; null where there are none. */
function selectedOf(pieces: Piece[], text: string, [from, to]: readonly [number, number]): Query | null {
  const [first, end] = [to - text.slice(from, to).trimStart().length, from + text.slice(from, to).trimEnd().length];
  let at = 0;
  const ends = pieces.map(({ shown }) => (at += shown.length));
  const asking = pieces.filter(
    (piece, number) => piece.to > piece.from && ends[number] > first && ends[number] - piece.shown.length < end,
  );
  return first < end && asking.length ? spanned(asking[0].from, asking[asking.length - 1].to - 1) : null;
}

const bestOf = ({ row }: Seen) => row.indexOf(Math.max(...row));

/** Where the chosen head looks most, in words. */
function mostOf(seen: Seen, { layer, head, hidesFirst }: State) {
  const best = bestOf(seen);
  const [first, last] = endsOf(seen.query);
  const words = inQuotes(visible(joined(seen.map.queryTokens.slice(first, last + 1)).trim()));
  const asking = !seen.isChosen
    ? "the last token"
    : first === last
      ? words
      : `${words}, the mean of ${last + 1 - first} tokens`;
  return `From ${asking}, head ${head + 1} of layer ${layer + 1} looks most at “${visible(seen.map.keyTokens[best])}”, ${percent(seen.row[best])}${hidesFirst ? ", the first apart" : ""}.${seen.isChosen ? "" : " Select words of the text, and they ask instead."}`;
}

/** Why nothing is seen of it. */
function unseen({ looks, answer, text }: State) {
  if (looks)
    return isLong(text)
      ? `A text of more than ${LONG} characters takes on no colour.`
      : "The text takes on the colour of what a head looks at once the model has answered.";
  return answer
    ? "A square is a head, a column a layer. The brighter, the less it looks at the first token. Press one to see where."
    : "A square is a head, a column a layer. Where each of them looks is seen once the model has loaded.";
}

/** The heads of the chosen layer. */
const layerOf = ({ layer, size: [, heads] }: State) => Array.from({ length: heads }, (_, head) => [layer, head]);

/** Gives a node attributes, and takes those away that are empty. */
function mark(node: Element, attributes: Record<string, string | false | null | undefined>) {
  for (const [name, value] of Object.entries(attributes))
    if (!value) node.removeAttribute(name);
    else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** A part of the text, and which tokens it is; none of what the model doesn't read. */
interface Piece {
  shown: string;
  token: string;
  from: number;
  to: number;
}

/** A text in its tokens, those of one character together; null where it can't be told apart. */
function piecesOf(tokens: string[], text: string): Piece[] | null {
  const pieces: Piece[] = [];
  let from = 0;
  for (let to = 1; to <= tokens.length; to++) {
    const token = joined(tokens.slice(from, to));
    if (isUnfinished(token) && to < tokens.length) continue;
    pieces.push({ shown: token, token, from, to });
    from = to;
  }
  const last = pieces.at(-1);
  const read = pieces.map(({ shown }) => shown).join("");
  const whole = last && isUnfinished(last.shown) ? read.slice(0, -last.shown.length) : read; // bytes that are written already
  if (!text.endsWith(whole)) return null;
  const before = text.slice(0, text.length - whole.length); // more than the model reads
  return before ? [{ shown: before, token: "", from: 0, to: 0 }, ...pieces] : pieces;
}

/** What isn't as it is in the model, from 1. */
function offText({ off, masked }: State) {
  const names = off.map(([layer, head]) => `head ${head + 1} of layer ${layer + 1}`);
  const parts = [
    ...(off.length ? [`Off: ${off.length > 3 ? `${off.length} heads` : names.join(", ")}`] : []),
    ...(masked ? [off.length ? "the first token is masked" : "The first token is masked"] : []),
  ];
  return `${parts.join("; ")}.`;
}
