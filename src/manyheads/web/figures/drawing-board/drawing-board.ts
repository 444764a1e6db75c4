// <drawing-board>: paper to draw on, and a live map of what each head of the drawing model makes of it. The drawing and the heads that
// are off are the map's: the board holds the stroke under the pen, and what undoes what was drawn here.

import { ready as READY } from "../../../shared/drawing.json";
import { define, dressPage, Figure, mapReady, takeEarly, whenTouched, type LiveMap } from "../../doors/page-element.ts";
import { setFigure } from "../../doors/phrases.ts";
import { WRITTEN } from "../../doors/state.ts";
import type { AttentionMap, HeadMask } from "../../math/attention-map.ts";
import { NEW, record, stepped, type History } from "../../math/history.ts";
import { likeliest } from "../../math/maps.ts";
import { readDrawing, readStrokes, writeStrokes, type Stroke } from "../../math/strokes.ts";
import type { DrawingMap } from "../../models/drawing.ts";
import { announce, h, nextId } from "../../views/dom.ts";
import { makeBoard, type Board } from "./board.ts";
import type { Head } from "./guess.ts";
import { lookAt, sentenceOf, type Answer, type Look } from "./look.ts";
import { COLUMNS } from "./paper.ts";
import { Tasks } from "./tasks.ts";

const INSIDE = 37; // the patch that asks at first: near the middle, inside of what one draws
const INVITATION = "Draw a ring, and leave a gap at first.";
const EMPTY = "The paper is empty."; // where something else is to be drawn
const LATER = "Your drawing will be answered once the model has loaded.";

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
  #baked: Uint8Array | null = null; // the answer to the drawing that the page brought
  #board: Board | null = null;
  #below: Stroke[] = []; // the one under the pen
  #before = ""; // what was on the paper when the pen came down
  #history: History<string> = NEW;
  #answered: Answered | null = null;
  #whole: { text: string; filled: number } | null = null; // the last drawing that all heads answered
  #pointed: number | null = null; // the query that somebody points at in the map
  #considered: number | null = null; // the patch that a guess may be
  #tasks: Tasks | null = null;

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
    const asked = ["guess", "goal", "exercise"].map((name) => [name, this.getAttribute(name)]);
    const tasks = (this.#tasks = new Tasks(Object.fromEntries(asked)));
    this.#board = makeBoard(nextId("drawing-board"), {
      get picks() {
        return tasks.picks;
      },
      ...{ pick: (patch) => this.#pick(patch), consider: (patch) => this.#consider(patch) },
      begin: () => this.#begin(),
      show: (points) => this.#board?.drawPen(points),
      draw: (points) => this.#write(writeStrokes([...this.#below, points])),
      end: (points) => this.#end(writeStrokes([...this.#below, points])),
      cancel: () => this.#end(this.#before),
      undo: () => this.#undo(),
      clear: () => this.#change(""),
      start: (text) => this.#change(text, true),
      moved: (at, down) => this.#board?.movePen(at, down),
    });
    for (const child of [...this.children]) if (child !== map) child.remove(); // what the build drew
    this.prepend(this.#board.node);
    if (map.parentNode !== this) this.append(map);
    whenTouched(this.#board.node, () => void this.ready); // who comes near draws in a moment
    map.setAttribute("shared-as", this.localName);
    map.addEventListener("attention", () => this.#follow());
    map.addEventListener("ask", (event) => {
      this.#pointed = (event as CustomEvent<number | null>).detail;
      this.#draw();
    });
    takeEarly<DrawingBoardElement>(this, "strokes", "headMask");
    this.#follow(); // the map may have drawn by now
  }

  protected override listen(leaves: AbortSignal) {
    leaves.addEventListener("abort", () => this.#board?.pen.lift());
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null) {
    this.drawNow();
    if (!this.#board || value === null) return;
    this.map.setAttribute(name, drawingOf(value));
    this.#draw();
  }

  override lend(settings: Record<string, string>) {
    this.drawNow();
    const named = Object.entries(settings).map(([name, value]) => [name, drawingOf(value)]);
    setFigure(this.map, Object.fromEntries(named) as Record<string, string>);
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

  /** Puts a drawing on the paper; one that stood `ready` begins something new, with all heads on. */
  #write(text: string, ready = false) {
    if (!this.map.type) this.map.sentence = text;
    else if (ready) this.map.begin(text);
    else this.map.type(text);
    if (!this.#current) this.#draw(); // else the map has said that it's drawn
  }

  /** Puts another drawing on the paper, which can be undone. */
  #change(text: string, ready = false) {
    const before = this.#text;
    if (text === before && !ready) return;
    this.#record(before, text);
    this.#write(text, ready);
  }

  #begin() {
    this.#before = this.#text;
    this.#below = this.strokes;
  }

  #end(text: string) {
    this.#record(this.#before, text);
    this.#board?.drawPen([]);
    this.#write(text);
  }

  #record(before: string, after: string) {
    if (after !== before) this.#history = record(this.#history, before, ["drawing"], performance.now());
  }

  /** Takes the last change back or, of a drawing that came from elsewhere, its last stroke. */
  #undo() {
    const { strokes } = this;
    const done = stepped(this.#history, this.#text, true);
    this.#history = done?.history ?? this.#history;
    const before = done?.found ?? (strokes.length ? writeStrokes(strokes.slice(0, -1)) : null);
    if (before !== null) this.#write(before);
  }

  /** Takes the guess of a patch. */
  #pick(patch: number) {
    this.#tasks?.pick(patch, this.#text);
    this.#consider(null);
  }

  #consider(patch: number | null) {
    this.#considered = patch;
    if (patch !== null) this.#board?.tellPatch(patch);
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
    const isWhole = computedBy ? !this.#off : !this.map.hasAttribute("off");
    if (isWhole) this.#whole = { text, filled: look.filled };
  }

  /** How many heads are off. */
  get #off() {
    return (this.headMask ?? []).flat().filter((on) => !on).length;
  }

  /** The patch that asks; null where another place does. */
  get #asks() {
    const { query, attention } = this.map;
    const patch = (this.#pointed ?? query ?? INSIDE) - (attention?.picture?.queryStart ?? 1);
    return patch >= 0 && patch < COLUMNS ** 2 ? patch : null;
  }

  /** Judges what the reader was asked to do; nothing is, while the pen is down. */
  #judge(tasks: Tasks, { text, map, look }: Answered) {
    if (tasks.head && tasks.judgeGuess(map, this.map.query)) this.#sightOf(tasks.head)?.classList.add("hm-lit");
    const whole = this.#whole?.text === text ? this.#whole.filled : null;
    if (tasks.judgeGoal(text, { strokes: this.strokes.length, look, off: this.#off, whole }))
      announce(this, "answer", { exercise: this.getAttribute("exercise"), right: true });
  }

  /** The picture of a head in the map. */
  #sightOf({ layer, head }: Head): Element | undefined {
    return this.map.querySelectorAll(".hm-sight-row")[layer]?.querySelectorAll(".hm-sight")[head];
  }

  #draw() {
    const board = this.#board;
    const tasks = this.#tasks;
    if (!board || !tasks) return;
    const current = this.#current;
    const text = this.#text;
    const strokes = strokesOf(text);
    const invitation = this.hasAttribute("goal") ? EMPTY : INVITATION;
    if (current && !board.pen.isDown) this.#judge(tasks, current);
    const { guess, most } = tasks.marksOn(text);
    this.classList.toggle("db-guessing", tasks.picks);
    board.draw({
      ...{ strokes, ink: text && !strokes.length ? inkOf(text) : null },
      ...{ filled: current?.look.painted ?? null, wrong: current?.look.wrong ?? null },
      ...{ asks: this.#asks, guess: guess ?? this.#considered, most, picks: tasks.picks },
      ...tasks.told,
      says: !text ? invitation : current ? sentenceOf(current.look, current.answer, this.#off) : LATER,
      ...{ undoable: this.#history.past.length > 0 || strokes.length > 0, empty: !text },
    });
  }
}

/** The drawing that stands ready by a name, else the one that is written. */
const drawingOf = (text: string) => (READY as Record<string, string>)[text] ?? text;

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
