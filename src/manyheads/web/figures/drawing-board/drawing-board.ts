// <drawing-board>: paper to draw on, and a live map of what each head of the drawing model makes of it. The drawing and the heads that
// are off are the map's: the board holds the stroke under the pen, and what undoes what was drawn here.

import { ready as READY } from "../../../shared/drawing.json";
import { define, dressPage, Figure, mapReady, takeEarly, whenTouched, type LiveMap } from "../../doors/page-element.ts";
import { setFigure } from "../../doors/phrases.ts";
import { keepAnswers, readProgress } from "../../doors/progress.ts";
import { WRITTEN } from "../../doors/state.ts";
import type { AttentionMap, HeadMask } from "../../math/attention-map.ts";
import { likeliest } from "../../math/maps.ts";
import { readDrawing, writeStrokes, type Stroke } from "../../math/strokes.ts";
import type { DrawingMap } from "../../models/drawing.ts";
import { announce, h, nextId } from "../../views/dom.ts";
import { makeBoard, type Board } from "./board.ts";
import type { Head } from "./guess.ts";
import { lookAt, sentenceOf, type Answer } from "./look.ts";
import { COLUMNS } from "./paper.ts";
import {
  currentOf,
  isPicking,
  marksOn,
  reduce,
  startWith,
  strokesOf,
  taskOf,
  type Action,
  type Answered,
  type State,
} from "./state.ts";

const INSIDE = 37; // the patch that asks at first: near the middle, inside of what one draws
const INVITATION = "Draw a ring, and leave a gap at first.";
const EMPTY = "The paper is empty."; // where something else is to be drawn
const LATER = "Your drawing will be answered once the model has loaded.";

class DrawingBoardElement extends Figure {
  static observedAttributes = WRITTEN; // of the map
  protected override drawsLate = true;
  #baked: Uint8Array | null = null; // the answer to the drawing that the page brought
  #board: Board | null = null;
  #state: State | null = null;

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
    this.#follow();
  }

  /** What the model says of it; null as long as it hasn't. */
  get answer(): Answer | null {
    this.drawNow();
    return (this.#state && currentOf(this.#state)?.answer) ?? null;
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
    const [guess, goal] = ["guess", "goal"].map((name) => this.getAttribute(name));
    const state = startWith({ guess, goal }, readProgress()[this.#exercise]?.right === true);
    this.#state = state;
    const withPen = (points: Stroke) => writeStrokes([...strokesOf(this.#state!.before ?? ""), points]);
    this.#board = makeBoard(nextId("drawing-board"), {
      picks: () => isPicking(this.#state!),
      pick: (patch) => this.#dispatch({ type: "pick", patch }),
      consider: (patch) => this.#consider(patch),
      begin: () => this.#dispatch({ type: "begin" }),
      show: (points) => this.#board?.drawPen(points),
      draw: (points) => this.#write(withPen(points)),
      end: (points) => this.#end(withPen(points)),
      cancel: () => this.#end(this.#state!.before ?? ""),
      undo: () => this.#put({ type: "undo" }),
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
      this.#dispatch({ type: "point", query: (event as CustomEvent<number | null>).detail });
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
    this.#follow();
  }

  override lend(settings: Record<string, string>) {
    this.drawNow();
    const named = Object.entries(settings).map(([name, value]) => [name, drawingOf(value)]);
    setFigure(this.map, Object.fromEntries(named) as Record<string, string>);
    this.#follow();
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
    if (!currentOf(this.#state!)) this.#follow(); // else the map has said that it's drawn
  }

  /** Puts on the paper what comes of an action. */
  #put(action: Action, ready = false) {
    const before = this.#text;
    this.#state = reduce(this.#state!, action);
    const { text } = this.#state;
    if (text !== before || ready || action.type === "change") this.#write(text, ready);
  }

  /** Puts another drawing on the paper, which can be undone. */
  #change(text: string, ready = false) {
    if (text !== this.#text || ready) this.#put({ type: "change", text, when: performance.now() }, ready);
  }

  #end(text: string) {
    this.#board?.drawPen([]);
    this.#put({ type: "change", text, when: performance.now() });
  }

  #consider(patch: number) {
    this.#board?.tellPatch(patch);
    this.#dispatch({ type: "consider", patch });
  }

  // --- what it shows

  #dispatch(action: Action) {
    if (!this.#state) return;
    const before = this.#state;
    this.#state = reduce(before, action);
    const { head, guess, done, text } = this.#state;
    if (head && guess?.verdict && !before.guess?.verdict) this.#sightOf(head)?.classList.add("hm-lit");
    if (done && !before.done) {
      if (this.#exercise) keepAnswers(this.#exercise, { typed: [text], right: true });
      announce(this, "answer", { exercise: this.getAttribute("exercise"), right: true });
    }
    this.#draw(this.#state);
  }

  /** Takes over what is in the map. */
  #follow() {
    if (!this.#state) return;
    const map = this.attention as DrawingMap | null;
    const { answered: last } = this.#state;
    const answered = map && map !== last?.map ? (this.#answeredBy(map) ?? last) : last;
    const parts = { text: this.#text, off: this.#off, query: this.map.query, answered };
    this.#dispatch({ type: "follow", parts });
  }

  /** An answer: a map that the page brought is that of the drawing it brought. */
  #answeredBy(map: DrawingMap): Answered | null {
    const { computedBy } = this.map;
    const text = computedBy ? this.#text : (this.map.getAttribute("sentence") ?? "");
    const filled = computedBy ? Uint8Array.from(map.filled, (chance) => Number(chance > 0.5)) : this.#baked;
    if (!filled) return null;
    const answer = { places: parseInt(likeliest(Object.values(map.predictions)[0])[0]), filled };
    const look = lookAt(map.picture.ink ?? readDrawing(text), answer);
    return { text, map, answer, look, isWhole: computedBy ? !this.#off : !this.map.hasAttribute("off") };
  }

  get #exercise() {
    return this.getAttribute("exercise") ?? "";
  }

  /** How many heads are off. */
  get #off() {
    return (this.headMask ?? []).flat().filter((on) => !on).length;
  }

  /** The patch that asks; null where another place does. */
  #asks({ pointed }: State) {
    const { query, attention } = this.map;
    const patch = (pointed ?? query ?? INSIDE) - (attention?.picture?.queryStart ?? 1);
    return patch >= 0 && patch < COLUMNS ** 2 ? patch : null;
  }

  /** The picture of a head in the map. */
  #sightOf({ layer, head }: Head): Element | undefined {
    return this.map.querySelectorAll(".hm-sight-row")[layer]?.querySelectorAll(".hm-sight")[head];
  }

  #draw(state: State) {
    const { text, off } = state;
    const current = currentOf(state);
    const strokes = strokesOf(text);
    const invitation = state.goal ? EMPTY : INVITATION;
    const picks = isPicking(state);
    this.classList.toggle("db-guessing", picks);
    this.#board?.draw({
      ...{ strokes, ink: text && !strokes.length ? inkOf(text) : null, picks },
      ...{ filled: current?.look.painted ?? null, wrong: current?.look.wrong ?? null },
      ...{ asks: this.#asks(state), ...marksOn(state), ...taskOf(state) },
      says: !text ? invitation : current ? sentenceOf(current.look, current.answer, off) : LATER,
      ...{ undoable: state.history.past.length > 0 || strokes.length > 0, empty: !text },
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

define("drawing-board", DrawingBoardElement);
