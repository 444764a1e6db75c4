// <first-look>: a live map, and below it the head of the layer before that finds another word for the one that is judged, behind one
// switch. Once, to who has never been here, the sentence types itself, as soon as the model is here; any key or touch ends that.

import { define, Figure, mapReady, type LiveMap } from "../../doors/page-element.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { wantsStillness } from "../../views/timeline.ts";
import { LayerBelow } from "./layer-below.ts";
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

class FirstLookElement extends Figure {
  #look: LayerBelow | null = null;
  #placed = new ResizeObserver(() => this.#look?.place());

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

  protected draw() {
    const { map } = this;
    this.#look = new LayerBelow(this.#head, this.getAttribute("answer") ?? "", () => this.#press());
    map.addEventListener("attention", () => this.#follow());
    this.#follow(); // it may have drawn by now
  }

  protected override listen(leaves: AbortSignal) {
    const look = this.#look as LayerBelow;
    this.#placed.observe(this);
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
      if (await this.#modelCame(stops.signal)) await this.#type(look, strokes, stops, leaves);
      stop();
    };
    if (document.readyState === "complete") begin();
    else addEventListener("load", begin, { once: true, signal: stops.signal });
  }

  /** Loads the model; whether it came in time, and the reader does nothing else. */
  async #modelCame(stops: AbortSignal) {
    if (stops.aborted || (navigator as { connection?: { saveData?: boolean } }).connection?.saveData) return false;
    const came = await Promise.race([this.ready.then(() => true), wait(IN_TIME, stops).then(() => false)]);
    const { top, bottom } = this.map.getBoundingClientRect();
    return (
      came &&
      !stops.aborted &&
      !document.hidden &&
      top < innerHeight / 2 &&
      bottom > 0 &&
      this.map.sentence === this.map.getAttribute("sentence")
    );
  }

  async #type(look: LayerBelow, strokes: [string, number][], { signal }: AbortController, leaves: AbortSignal) {
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
    look.light(map.querySelectorAll(".hm-paint tr"));
    look.swing(this.#answer);
    if (await wait(THEN, signal)) look.invite(leaves);
  }

  /** What the map concludes of what is asked here. */
  get #answer() {
    return this.querySelector(`[data-prediction="${this.getAttribute("answer")}"]`);
  }

  /** Whether the head is on. */
  get #isOn() {
    return this.map.headMask?.[0]?.[this.#head] ?? true;
  }

  /** Turns the head off, or on again. */
  #press() {
    const { map } = this;
    this.#look?.node.classList.add("fl-waits"); // until the map answers
    const [layers, heads] = map.attention!.shape;
    const mask = map.headMask ?? Array.from({ length: layers }, () => Array<boolean>(heads).fill(true));
    const turned = mask.map((row, layer) => row.map((on, head) => (layer === 0 && head === this.#head ? !on : on)));
    map.headMask = turned.flat().every(Boolean) ? null : turned;
  }

  #follow() {
    const { map } = this;
    const attention: AttentionMap | null = map.attention;
    const look = this.#look as LayerBelow;
    if (!attention) return; // nothing is drawn yet
    const isEmpty = !attention.predictions[look.answer];
    look.node.classList.toggle("hm-stale", isEmpty);
    if (isEmpty) return;
    const swung = look.draw(attention, this.#isOn);
    if (look.node.parentElement !== this) look.putAfter(map);
    if (swung && !wantsStillness()) look.swing(this.#answer);
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
