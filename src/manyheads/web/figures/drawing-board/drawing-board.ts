// <drawing-board>: paper to draw on, and a live map of what each head of the drawing model makes of it. The drawing and the heads that
// are off are the map's: the board holds the stroke under the pen, and what undoes what was drawn here.

import { ready as READY } from "../../../shared/drawing.json";
import { define, dressPage, Figure, mapReady, takeEarly, type LiveMap } from "../../doors/page-element.ts";
import { WRITTEN } from "../../doors/state.ts";
import { keepAnswers, readProgress } from "../../doors/progress.ts";
import type { AttentionMap, HeadMask } from "../../math/attention-map.ts";
import { likeliest } from "../../math/maps.ts";
import { readDrawing, readStrokes, writeStrokes, type Stroke } from "../../math/strokes.ts";
import type { DrawingMap } from "../../models/drawing.ts";
import { announce, h, nextId } from "../../views/dom.ts";
import { Board } from "./board.ts";
import { doneWith, GOALS, progressOf } from "./goals.ts";
import { fareIn, headIn, questionOf, verdictOn, type Head } from "./guess.ts";
import { lookAt, sentenceOf, type Answer, type Look } from "./look.ts";
import { COLUMNS } from "./paper.ts";

const INSIDE = 37; // the patch that asks at first: near the middle, inside of what one draws
const MOST_STEPS = 200; // to undo
const INVITATION = "Draw a ring, and leave a gap at first.";
const LATER = "Your drawing will be answered once the model has loaded.";

/** Dots of the paper, row by row: 1 for each that is filled. */
type Filled = Uint8Array;

/** What a reader guessed, of which drawing, and what became of it once the model has answered. */
interface Guess {
  patch: number;
  text: string;
  most: number | null; // the patch that the head looks at most
  verdict: string;
}

/** A drawing, and what the model makes of it. */
interface Answered {
  text: string;
  map: DrawingMap;
  answer: Answer;
  look: Look;
}

class DrawingBoardElement extends Figure {
  static observedAttributes = WRITTEN; // of the map
  protected override drawsLate = true;
  #baked: Filled | null = null; // the answer to the drawing that the page brought
  #board: Board | null = null;
  #below: Stroke[] = []; // the one under the pen
  #before = ""; // what was on the paper when the pen came down
  #past: string[] = [];
  #answered: Answered | null = null;
  #whole: { text: string; filled: number } | null = null; // the last drawing that all heads answered
  #pointed: number | null = null; // the query that somebody points at in the map
  #guess: Guess | null = null;
  #considered: number | null = null; // for a guess
  #progress = ""; // towards the goal
  #done = false; // the goal was reached

  /** The map inside. */
  get map() {
    return this.querySelector("head-map") as LiveMap;
  }

  /** Fulfilled once the map inside computes for itself. */
  get ready() {
    return mapReady(this.map);
  }

  /** The drawing: [[[x, y], ...], ...] from 0 to 1; empty where it came as dots. */
  get strokes(): Stroke[] {
    return strokesOf(this.#text);
  }

  set strokes(strokes: Stroke[]) {
    this.map.sentence = writeStrokes(strokes);
    this.#draw();
  }

  /** What the model says of it; null as long as it hasn't. */
  get answer(): Answer | null {
    this.drawNow();
    return this.#current?.answer ?? null;
  }

  get attention(): AttentionMap | null {
    return this.map?.attention ?? null;
  }

  get headMask(): HeadMask {
    return this.map?.headMask ?? null;
  }

  set headMask(headMask: HeadMask) {
    this.map.headMask = headMask;
  }

  // --- its life

  protected draw(baked: { filled: string } | null) {
    this.#baked = baked && Uint8Array.from(baked.filled, Number);
    dressPage("head-map.css", "drawing-board.css");
    const map = this.map ?? this.#makeMap();
    const picks = () => this.#picks;
    this.#board = new Board(nextId("drawing-board"), {
      get picks() {
        return picks();
      },
      ...{ pick: (patch) => this.#pick(patch), consider: (patch) => this.#consider(patch) },
      begin: () => this.#begin(),
      show: (points) => this.#board?.paper.drawPen(points),
      draw: (points) => this.#write(writeStrokes([...this.#below, points])),
      end: (points) => this.#end(writeStrokes([...this.#below, points])),
      cancel: () => this.#end(this.#before),
      undo: () => this.#undo(),
      clear: () => this.#change(""),
      start: (text) => this.#change(text),
      moved: (at, down) => this.#board?.movePen(at, down),
    });
    for (const child of [...this.children]) if (child !== map) child.remove(); // what the build drew
    this.prepend(this.#board.node);
    if (map.parentNode !== this) this.append(map);
    map.setAttribute("shared-as", this.localName);
    map.addEventListener("attention", () => this.#follow());
    map.addEventListener("ask", (event) => {
      this.#pointed = (event as CustomEvent<number | null>).detail;
      this.#draw();
    });
    const goal = this.#goal;
    this.#done = goal !== undefined && readProgress()[this.#exercise]?.right === true;
    if (goal && this.#done) this.#progress = doneWith(goal);
    takeEarly<DrawingBoardElement>(this, "strokes", "headMask");
    this.#follow(); // the map may have drawn by now
  }

  protected override listen(leaves: AbortSignal) {
    leaves.addEventListener("abort", () => this.#board?.pen.lift());
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null) {
    if (!this.#board || value === null) return;
    this.map.setAttribute(name, value);
    this.#draw();
  }

  #makeMap() {
    const given = WRITTEN.filter((name) => this.hasAttribute(name)).map((name) => [name, this.getAttribute(name)]);
    const start = { model: "drawing", view: "picture", scale: "relative", query: INSIDE, sentence: READY["open ring"] };
    if (!customElements.get("head-map"))
      document.head.append(h("script", { type: "module", src: new URL("./head-map.js", import.meta.url).href }));
    return h("head-map", { ...start, ...Object.fromEntries(given) });
  }

  // --- what its reader does

  get #text() {
    return this.map?.sentence ?? this.map?.getAttribute("sentence") ?? ""; // its script may come later
  }

  #write(text: string) {
    if (this.map.type) this.map.type(text);
    else this.map.sentence = text;
    this.#draw();
  }

  /** Puts another drawing on the paper, which can be undone. */
  #change(text: string) {
    const before = this.#text;
    if (text === before) return;
    this.#past = [...this.#past, before].slice(-MOST_STEPS);
    this.#write(text);
  }

  #begin() {
    this.#before = this.#text;
    this.#below = this.strokes;
  }

  #end(text: string) {
    this.#past = text === this.#before ? this.#past : [...this.#past, this.#before].slice(-MOST_STEPS);
    this.#board?.paper.drawPen([]);
    this.#write(text);
  }

  /** Takes the last change back or, of a drawing that came from elsewhere, its last stroke. */
  #undo() {
    const { strokes } = this;
    const before = this.#past.pop() ?? (strokes.length ? writeStrokes(strokes.slice(0, -1)) : null);
    if (before !== null) this.#write(before);
  }

  /** Takes the guess of a patch. */
  #pick(patch: number) {
    this.#guess = { patch, text: this.#text, most: null, verdict: "" };
    this.#considered = null;
    this.#draw();
  }

  #consider(patch: number | null) {
    this.#considered = patch;
    this.#draw();
  }

  // --- what it shows

  /** What the model makes of the drawing that is on the paper. */
  get #current() {
    return this.#answered?.text === this.#text ? this.#answered : null;
  }

  #follow() {
    const map = this.attention as DrawingMap | null;
    if (map && map !== this.#answered?.map) this.#take(map);
    this.#draw();
  }

  /** Takes an answer: a map that the page brought is that of the drawing it brought. */
  #take(map: DrawingMap) {
    const { computedBy } = this.map;
    const text = computedBy ? this.#text : (this.map.getAttribute("sentence") ?? "");
    const filled = computedBy ? Uint8Array.from(map.filled, (chance) => Number(chance > 0.5)) : this.#baked;
    if (!filled) return;
    const answer = { places: parseInt(likeliest(Object.values(map.predictions)[0])[0]), filled };
    const look = lookAt(map.picture.ink ?? readDrawing(text), answer);
    this.#answered = { text, map, answer, look };
    if (!this.#off) this.#whole = { text, filled: look.filled };
  }

  /** How many heads are off. */
  get #off() {
    return (this.headMask ?? []).flat().filter((on) => !on).length;
  }

  /** Whether the paper waits for a guess. */
  get #picks() {
    return this.#guess === null && headIn(this.getAttribute("guess")) !== null;
  }

  /** The patch that asks; null where another place does. */
  get #asks() {
    const { query, attention } = this.map;
    const patch = (this.#pointed ?? query ?? INSIDE) - (attention?.picture?.queryStart ?? 1);
    return patch >= 0 && patch < COLUMNS ** 2 ? patch : null;
  }

  /** Says how a guess fared, and how far the reader has come with the goal; that isn't told while the pen is down. */
  #judge({ map, look }: Answered, strokes: number) {
    const { query } = this.map;
    const head = headIn(this.getAttribute("guess"));
    if (head && this.#guess && !this.#guess.verdict) {
      const fare = fareIn(map, head, query, this.#guess.patch);
      this.#guess = { ...this.#guess, most: fare.most, verdict: verdictOn(fare, head, COLUMNS) };
      this.#sightOf(head)?.classList.add("hm-lit");
    }
    const goal = this.#goal;
    if (!goal || this.#done) return;
    const whole = this.#whole?.text === this.#text ? this.#whole.filled : null;
    const { done, says } = progressOf(goal, { strokes, look, off: this.#off, whole });
    this.#progress = says;
    this.#done = done;
    if (!done || !this.#exercise) return;
    keepAnswers(this.#exercise, { typed: [this.#text], right: true });
    announce(this, "answer", { exercise: this.#exercise, right: true });
  }

  /** The picture of a head in the map. */
  #sightOf({ layer, head }: Head) {
    return this.map.querySelectorAll(".hm-sight-row")[layer]?.querySelectorAll(".hm-sight")[head];
  }

  get #goal(): (typeof GOALS)[string] | undefined {
    return GOALS[this.getAttribute("goal") ?? ""];
  }

  /** The label of the exercise that the goal is. */
  get #exercise() {
    return this.getAttribute("exercise") ?? "";
  }

  /** What the reader is to do, and how far they've come. */
  get #task() {
    const head = headIn(this.getAttribute("guess"));
    if (head) return { task: this.#guess ? "" : questionOf(head), progress: this.#guess?.verdict ?? "", done: false };
    return { task: this.#goal?.task ?? "", progress: this.#progress, done: this.#done };
  }

  #draw() {
    const current = this.#current;
    const text = this.#text;
    const strokes = strokesOf(text);
    this.classList.toggle("db-guessing", this.#picks);
    if (current && !this.#board?.pen.isDown) this.#judge(current, strokes.length);
    const guess = this.#guess?.text === text ? this.#guess : null; // it's told of the drawing that it was made on
    this.#board?.draw({
      ...{ strokes, ink: text && !strokes.length ? inkOf(text) : null },
      ...{ filled: current?.answer.filled ?? null, wrong: current?.look.wrong ?? null },
      ...{ asks: this.#asks, guess: guess?.patch ?? this.#considered, most: guess?.most ?? null, picks: this.#picks },
      ...this.#task,
      says: !text ? INVITATION : current ? sentenceOf(current.look, current.answer) : LATER,
      ...{ undoable: this.#past.length > 0 || strokes.length > 0, empty: !text },
    });
  }
}

/** The ink of a text that holds no strokes; null where it holds none either. */
function inkOf(text: string) {
  try {
    return readDrawing(text);
  } catch {
    return null; // the map says so
  }
}

/** The strokes of a text; none where it holds none. */
function strokesOf(text: string): Stroke[] {
  try {
    return readStrokes(text);
  } catch {
    return [];
  }
}

define("drawing-board", DrawingBoardElement);
