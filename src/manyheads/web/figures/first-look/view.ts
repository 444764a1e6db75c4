// What <first-look> shows: the sentence in the middle of a stage; below it an arc to the word that a head of layer 1 finds, with the
// switch of that head; above it the way to the answer, on a dial; and doors that lead to what else can stand below the sentence.

import { mapIn } from "../../doors/leaning.ts";
import { whenSeen } from "../../doors/page-element.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { withOff } from "../../math/heads-off.ts";
import { colourOf, headName, likeliest } from "../../math/maps.ts";
import { DEPTH } from "../../math/names.ts";
import { percent } from "../../math/text.ts";
import { fill, h, s, setProps, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { wantsStillness } from "../../views/timeline.ts";
import { finding, foundBelow, lean, rangesOf, type Found } from "./found.ts";
import { DOORS, shownOf, type Action, type Door, type State } from "./state.ts";

const FIRST = 0; // layer
const [LOW, SLOPE, HIGH] = [18, 0.16, 58]; // pixels that the arc hangs: at least, for each pixel of its width, at most
const [THIN, THICK] = [1, 5]; // pixels of an arc: at no weight, and what a weight of 1 adds
const QUARTER = 90; // degrees that the needle swings to either side
const PULSE = { duration: 1400, easing: "ease-out" };
const FLASH = [{ backgroundColor: "var(--hm-flash)" }, { backgroundColor: "transparent" }]; // the answer is another one now
const BACK = "Back to the picture";
/** What each door shows. */
const FACES: Record<Door, string> = { numbers: "attention-flow", heads: ".hm-body" };
const ZOOM = { duration: 500, easing: "cubic-bezier(.2, .7, .2, 1)" };
const FAR = 0.3; // how large they begin, above them the arc that they come out of

export function view({ root, act, state: { head, answer } }: Host<State, Action>) {
  const label = h("b");
  const share = h("span");
  const verdict = h("p", { class: "fl-verdict fl-middle" }, h("span", {}, answer), label, share);
  const needle = s("path", { d: "M0 0V-50", class: "fl-needle" });
  const dial = s("svg", { viewBox: "-66 -60 132 66", "aria-hidden": "true" });
  dial.append(s("path", { d: "M-58 0A58 58 0 0 1 58 0" }), needle, s("circle", { r: 5 }));
  const ends = [h("span"), h("span")];
  const off = h("small"); // how many heads are off
  const marks = h("div", { class: "fl-marks fl-middle" });
  const toggle = h("button", { type: "button", class: "fl-switch", onclick: () => act({ type: "press" }) });
  const says = h("p", { class: "fl-says fl-middle" });
  const doors = (Object.keys(DOORS) as Door[]).map((door) => makeDoor(door, () => act({ type: "enter", door })));
  const arcs = s("svg", { class: "fl-arcs", "aria-hidden": "true" });
  const [down, up] = ["fl-down", "fl-up"].map((name) => s("path", { class: name, pathLength: 1 }));
  arcs.append(down, up);
  const scale = h("div", { class: "fl-scale" }, ends[0], h("div", { class: "fl-dial" }, dial), ends[1], off);
  const ways = h("div", { class: "fl-doors" }, ...doors.map(({ node }) => node));
  const stage = h(
    "section",
    { class: "fl-stage", "aria-label": "One arc" },
    h("div", { class: "fl-answer" }, verdict, scale),
    h("div", { class: "fl-ground", "aria-hidden": "true" }, marks),
    h("div", { class: "fl-below" }, h("div", { class: "fl-act" }, toggle), says, ways),
    arcs,
  );

  function draw(state: State, before: State | null) {
    root.dataset.face = state.face;
    for (const door of doors) door.draw(state);
    if (before && before.face !== state.face && !wantsStillness()) reveal(root, state.face);
    const shown = shownOf(state);
    const mark = (name: string, isSo: boolean) => stage.classList.toggle(name, isSo);
    mark("fl-waits", state.waits);
    mark("fl-turns", state.turns);
    mark("fl-empty", state.map !== null && !shown);
    if (!shown) return;
    const { map, on } = shown;
    const below = foundBelow(map, head, answer);
    stage.style.setProperty("--head", colourOf(headName(map, FIRST, head)));
    stage.style.setProperty("--answer", colourOf(answer));
    mark("fl-off", !on);
    mark("fl-mute", !shown.answers);
    mark("fl-finds", below.found !== null);
    setText(says, finding(map, below, answer, on, shown.sentence));
    setText(toggle, on ? "Turn this head off" : "Turn it on again");
    drawMarks(marks, map, shown.sentence, below);
    const { asker, found, answers, weights } = below;
    down.style.strokeWidth = String(THIN + THICK * (found === null ? 0 : weights[found]));
    up.style.strokeWidth = String(THIN + THICK * (asker === null ? 0 : answers[asker]));
    placeArcs(stage);
    setText(off, withOff(shown.off));
    drawAnswer(map.predictions[answer]);
  }

  function drawAnswer(labels: Record<string, number>) {
    const [likely, most] = likeliest(labels);
    const names = Object.keys(labels);
    [names[0], names.at(-1)!].forEach((name, end) => {
      setText(ends[end], name);
      ends[end].classList.toggle("fl-likeliest", name === likely);
    });
    needle.style.transform = `rotate(${(QUARTER * lean(labels)).toFixed(1)}deg)`;
    const isOther = label.textContent !== "" && label.textContent !== likely;
    setText(label, likely);
    setText(share, percent(most));
    if (isOther && !wantsStillness()) verdict.animate?.(FLASH, PULSE);
  }

  return { nodes: [mapIn(root), stage, ...root.querySelectorAll("attention-flow")], draw };
}

/** A button to what can stand below the sentence, and back. */
function makeDoor(door: Door, enter: () => void) {
  const node = h("button", { type: "button", class: "fl-door", onclick: enter });
  const draw = ({ face }: State) => {
    setText(node, face === door ? BACK : DOORS[door]);
    setProps(node, { ariaExpanded: String(face === door) });
  };
  return { node, draw };
}

/** Lays a ground under each word of the sentence that is looked at. */
function drawMarks(marks: HTMLElement, { keyTokens }: AttentionMap, sentence: string, below: Found) {
  const { answers, asker, weights, found } = below;
  const parts: { text: string; token: number | null }[] = [];
  let at = 0;
  rangesOf(sentence, keyTokens).forEach((range, token) => {
    if (!range) return;
    parts.push({ text: sentence.slice(at, range[0]), token: null }, { text: sentence.slice(...range), token });
    at = range[1];
  });
  parts.push({ text: `${sentence.slice(at)}\u200b`, token: null }); // a line that ends in a break has its height
  const spans = fill(marks, parts.length, () => h("span"));
  parts.forEach(({ text, token }, place) => {
    const span = spans[place];
    setText(span, text);
    span.className = token === null ? "" : token === found ? "fl-found" : token === asker ? "fl-asker" : "fl-word";
    span.style.setProperty("--answered", token === null ? "0" : (DEPTH * answers[token]).toFixed(3));
    span.style.setProperty("--weight", found === null ? "0" : (DEPTH * weights[found]).toFixed(3));
  });
  marks.style.setProperty("--found", (found === null ? 0 : DEPTH * weights[found]).toFixed(3));
}

/** Draws the arcs between the words where they are now. */
export function placeArcs(stage: HTMLElement) {
  const part = (name: string) => stage.querySelector<HTMLElement>(`.${name}`);
  const [from, to, dial] = ["fl-found", "fl-asker", "fl-dial"].map((name) => boxIn(stage, part(name)));
  setPath(part("fl-down")!, from && to ? hanging(from, to) : "");
  setPath(part("fl-up")!, to && dial ? rising(to, dial) : "");
  const act = part("fl-act")!;
  const middle = stage.offsetWidth / 2;
  const room = Math.max(0, middle - act.offsetWidth / 2);
  const shift = from && to ? (from.x + to.x) / 2 - middle : 0;
  act.style.setProperty("--shift", `${Math.min(room, Math.max(-room, shift)).toFixed(0)}px`);
}

/** Shows what is found: its arc grows. */
export function light(look: HTMLElement) {
  for (const path of look.querySelectorAll(".fl-arcs path"))
    path.animate?.([{ strokeDashoffset: 1 }, { strokeDashoffset: 0 }], PULSE);
}

/** Shows what a door has led to, or the stage again. */
function reveal(look: HTMLElement, face: State["face"]) {
  if (face === "stage") return light(look);
  const grows = { transform: `scale(${FAR})`, transformOrigin: "top", opacity: 0 };
  look.querySelector(FACES[face])?.animate?.([grows, { transformOrigin: "top" }], ZOOM);
}

/** Invites to press the switch, once it's seen. */
export function invite(look: HTMLElement, ends: AbortSignal) {
  const toggle = look.querySelector(".fl-switch")!;
  const rings = [{ boxShadow: "0 0 0 0 var(--hm-ink)" }, { boxShadow: "0 0 0 12px transparent" }];
  whenSeen(toggle, ends, () => toggle.animate?.(rings, { ...PULSE, iterations: 3 }));
}

interface Box {
  x: number;
  top: number;
  bottom: number;
}

/** Where a part of the stage is seen in it; null where it isn't laid out. */
function boxIn(stage: HTMLElement, node: HTMLElement | null): Box | null {
  if (!node?.offsetWidth) return null;
  const [{ left, top }, box] = [stage, node].map((each) => each.getBoundingClientRect());
  return { x: (box.left + box.right) / 2 - left, top: box.top - top, bottom: box.bottom - top };
}

const setPath = (path: Element, d: string) => path.getAttribute("d") !== d && path.setAttribute("d", d);

/** From one word to another: below both where they stand on one line, else from the upper one down to the lower. */
function hanging(from: Box, to: Box) {
  if (Math.abs(from.bottom - to.bottom) > 2) {
    const [start, end] = from.top < to.top ? [from.bottom, to.top] : [from.top, to.bottom];
    return `M${from.x} ${start}C${from.x} ${(start + end) / 2} ${to.x} ${(start + end) / 2} ${to.x} ${end}`;
  }
  const depth = Math.min(HIGH, LOW + SLOPE * Math.abs(to.x - from.x)) * (4 / 3); // the curve reaches three quarters of it
  const start = from.bottom + 1;
  return `M${from.x} ${start}C${from.x} ${start + depth} ${to.x} ${start + depth} ${to.x} ${start}`;
}

/** From a word up to the pivot of the dial. */
function rising(word: Box, dial: Box) {
  const [start, end] = [word.top - 1, dial.bottom - 2];
  const middle = (start + end) / 2;
  return `M${word.x} ${start}C${word.x} ${middle} ${dial.x} ${middle} ${dial.x} ${end}`;
}
