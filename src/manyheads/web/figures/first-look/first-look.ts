// <first-look>: a sentence on a stage, with the word that a head of layer 1 finds in it, that head's switch, and the answer. From the
// stage doors lead into the arc, to its numbers, and to the map of all heads, and back. Once, to who has never been here, the sentence
// types itself, as soon as the model is here; any key or touch ends that.

import { define, Figure, mapReady, type LiveMap } from "../../doors/page-element.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { offIn } from "../../math/heads-off.ts";
import { wantsStillness } from "../../views/timeline.ts";
import { h, setProps, setText } from "../../views/dom.ts";
import { Stage } from "./stage.ts";
import { keystrokes, wait } from "./typing.ts";

const SEEN = "manyheads-first-look"; // in this browser, once the sentence has typed itself
const [IN_TIME, THEN] = [8000, 700]; // milliseconds: for the model to come; until the switch invites
const READERS = ["pointerdown", "keydown", "input", "focusin"]; // what a reader does ends the typing

/** Fulfilled once the page has been painted; at once, where a browser doesn't tell. */
const painted = () =>
  new Promise<void>((done) => {
    if (!globalThis.PerformanceObserver?.supportedEntryTypes.includes("paint")) return done();
    new PerformanceObserver((_, observer) => (observer.disconnect(), done())).observe({
      type: "paint",
      buffered: true,
    });
  });

/** What stands below the sentence, and the button that leads there from the stage. */
const DOORS = { numbers: "Show me the numbers", heads: "All four heads" };
const BACK = "Back to the picture";
type Face = "stage" | keyof typeof DOORS;

/** What each of them shows. */
const FACES = { numbers: "attention-flow", heads: ".hm-body" };
const ZOOM = { duration: 500, easing: "cubic-bezier(.2, .7, .2, 1)" };
const FAR = 0.3; // how large they begin, above them the arc that they come out of

class FirstLookElement extends Figure {
  #stage: Stage | null = null;
  #doors = {} as Record<keyof typeof DOORS, HTMLButtonElement>;
  #placed = new ResizeObserver(() => this.#stage?.place());

  /** The map inside. */
  get map() {
    return this.querySelector("head-map") as LiveMap;
  }

  /** Fulfilled once the map inside computes for itself. */
  get ready() {
    return mapReady(this.map);
  }

  get #head() {
    return Number(this.getAttribute("head")) || 0;
  }

  get #side() {
    return (this.dataset.face ?? "stage") as Face;
  }

  protected draw() {
    const { map } = this;
    const answer = this.getAttribute("answer") ?? "";
    const names = Object.keys(DOORS) as (keyof typeof DOORS)[];
    for (const name of names)
      this.#doors[name] = h("button", { type: "button", class: "fl-door", onclick: () => this.#enter(name) });
    this.#stage = new Stage(this.#head, answer, () => this.#press(), Object.values(this.#doors));
    this.querySelector(".fl-stage")?.remove(); // that the build drew
    map.after(this.#stage.node);
    this.#show("stage");
    map.addEventListener("attention", () => this.#follow());
    this.#follow(); // it may have drawn by now
  }

  protected override listen(leaves: AbortSignal) {
    const stage = this.#stage as Stage;
    this.#placed.observe(this);
    this.#placed.observe(stage.node);
    leaves.addEventListener("abort", () => this.#placed.disconnect());
    const { map } = this;
    const strokes = keystrokes(map.getAttribute("sentence") ?? "", this.getAttribute("first") ?? "");
    if (wantsStillness() || wasSeen() || !strokes.length || location.hash) return;
    const stops = new AbortController();
    const stop = () => stops.abort();
    leaves.addEventListener("abort", stop);
    for (const name of READERS) addEventListener(name, stop, { capture: true, signal: stops.signal });
    const begin = async () => {
      await painted(); // what is read comes before the model
      if (await this.#modelCame(stops.signal)) await this.#type(stage, strokes, stops, leaves);
      stop();
    };
    if (document.readyState === "complete") begin();
    else addEventListener("load", begin, { once: true, signal: stops.signal });
  }

  /** Goes through a door, or back. */
  #enter(door: keyof typeof DOORS) {
    const to = this.#side === door ? "stage" : door;
    this.#show(to);
    this.#stage?.place();
    if (wantsStillness()) return;
    if (to === "stage") return this.#stage?.light();
    const grows = { transform: `scale(${FAR})`, transformOrigin: "top", opacity: 0 };
    this.querySelector(FACES[to])?.animate?.([grows, { transformOrigin: "top" }], ZOOM);
  }

  /** Shows one of what can stand below the sentence. */
  #show(face: Face) {
    this.dataset.face = face;
    for (const name of Object.keys(DOORS) as (keyof typeof DOORS)[]) {
      setText(this.#doors[name], face === name ? BACK : DOORS[name]);
      setProps(this.#doors[name], { ariaExpanded: String(face === name) });
    }
  }

  /** Loads the model; whether it came in time, and the reader does nothing else. */
  async #modelCame(stops: AbortSignal) {
    if (stops.aborted || (navigator as { connection?: { saveData?: boolean } }).connection?.saveData) return false;
    const came = await Promise.race([this.ready.then(() => true), wait(IN_TIME, stops).then(() => false)]);
    const { top, bottom } = this.getBoundingClientRect();
    return (
      came &&
      !stops.aborted &&
      !document.hidden &&
      top < innerHeight / 2 &&
      bottom > 0 &&
      this.map.sentence === this.map.getAttribute("sentence")
    );
  }

  async #type(stage: Stage, strokes: [string, number][], { signal }: AbortController, leaves: AbortSignal) {
    keepSeen();
    const { map } = this;
    const [sentence] = strokes.at(-1)!;
    let typed = map.sentence;
    const complete = () => map.sentence === typed && !map.contains(document.activeElement) && (map.sentence = sentence);
    signal.addEventListener("abort", complete); // half a sentence is nobody's, unless the reader goes on with it
    for (const [text, pause] of strokes) {
      if (!(await wait(pause, signal)) || map.sentence !== typed) return;
      map.sentence = typed = text;
    }
    stage.light();
    if (await wait(THEN, signal)) stage.invite(leaves);
  }

  /** Whether the head is on. */
  get #isOn() {
    return this.map.headMask?.[0]?.[this.#head] ?? true;
  }

  /** Turns the head off, or on again. */
  #press() {
    const { map } = this;
    const stage = this.#stage as Stage;
    stage.node.classList.add("fl-waits", "fl-turns"); // until the map answers; and what follows, follows one after the other
    const [layers, heads] = map.attention!.shape;
    const mask = map.headMask ?? Array.from({ length: layers }, () => Array<boolean>(heads).fill(true));
    const turned = mask.map((row, layer) => row.map((on, head) => (layer === 0 && head === this.#head ? !on : on)));
    map.headMask = turned.flat().every(Boolean) ? null : turned;
  }

  #follow() {
    const { map } = this;
    const attention: AttentionMap | null = map.attention;
    const stage = this.#stage as Stage;
    if (!attention) return; // nothing is drawn yet
    const isEmpty = !attention.predictions[stage.answer];
    stage.node.classList.toggle("fl-empty", isEmpty);
    if (isEmpty) return;
    const named = attention.namedLayer ?? 0;
    const answers = map.headMask?.[named]?.[attention.headNames.indexOf(stage.answer)] ?? true;
    const off = offIn(map.headMask).length;
    const swung = stage.draw({ map: attention, sentence: map.sentence, on: this.#isOn, answers, off });
    if (swung && !wantsStillness()) stage.swing();
  }
}

// A browser may refuse to keep anything; then the sentence types itself again.

function wasSeen() {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return false;
  }
}

function keepSeen() {
  try {
    localStorage.setItem(SEEN, "1");
  } catch {
    // it is seen again
  }
}

define("first-look", FirstLookElement);
