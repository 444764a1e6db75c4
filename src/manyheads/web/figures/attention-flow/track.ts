// The stations as a track: one slider. A finger drags the film along it, a press on a place travels there, and keys, or what listens
// for a reader, go from station to station.

import { h, setProps } from "../../views/dom.ts";
import { STATIONS } from "./stations.ts";

const STILL = 4; // pixels: who moves less presses, and doesn't drag
const FORTH = ["ArrowRight", "ArrowUp", "PageUp"];
const BACK = ["ArrowLeft", "ArrowDown", "PageDown"];

interface TrackOptions {
  go: (station: number) => void; // travel there
  walk: (by: number) => void; // travel so many stations on from the one it heads for
  seek: (at: number) => void; // be there, between stations as well
}

export class Track {
  #options: TrackOptions;
  #held: { x: number; drags: boolean } | null = null; // by a finger
  #at = 0; // where the film is
  #station = 0; // whose caption stands
  #shown = ""; // of #at, as the style has it
  #range: HTMLInputElement;
  #names = STATIONS.map(({ label }, station) =>
    h("span", { onclick: () => this.#options.go(station) }, h("b", {}, String(station + 1)), " ", h("i", {}, label)),
  );
  node: HTMLElement;

  constructor(options: TrackOptions) {
    this.#options = options;
    this.#range = h("input", {
      type: "range",
      class: "af-range",
      "aria-label": "Stations",
      min: 0,
      max: STATIONS.length - 1,
      step: "any",
      value: 0,
      onpointerdown: ({ clientX: x }: PointerEvent) => (this.#held = { x, drags: false }),
      onpointermove: ({ clientX }: PointerEvent) => {
        if (this.#held && Math.abs(clientX - this.#held.x) > STILL) this.#held.drags = true;
      },
      onpointerup: () => this.#release(this.#value),
      onpointercancel: () => this.#release(this.#at), // the page scrolls
      oninput: () => this.#input(),
      onkeydown: (event: KeyboardEvent) => this.#key(event),
    });
    this.node = h(
      "div",
      { class: "af-track" },
      this.#range,
      h("div", { class: "af-names", "aria-hidden": "true" }, ...this.#names), // the slider says them
    );
  }

  /** Shows where the film is, on its way to `station`, the last of which is `last`. */
  draw(at: number, station: number, last: number) {
    this.#at = at;
    this.#station = station;
    setProps(this.#range, { max: String(last), ariaValueText: this.#text(last) });
    if (!this.#held?.drags) setProps(this.#range, { value: String(at) });
    const shown = at.toFixed(2);
    if (shown !== this.#shown) this.node.style.setProperty("--at", shown);
    this.#shown = shown;
    this.node.style.setProperty("--stations", String(last + 1));
    this.#names.forEach((name, place) => {
      setProps(name, { hidden: place > last });
      name.classList.toggle("af-here", place === station);
      name.classList.toggle("af-passed", place <= at);
    });
  }

  get #value() {
    return Number(this.#range.value);
  }

  #text(last: number) {
    return `${this.#station + 1} ${STATIONS[this.#station].label}, of ${last + 1}`;
  }

  #release(at: number) {
    if (!this.#held) return;
    this.#held = null;
    this.#options.go(Math.round(at));
  }

  #input() {
    if (this.#held?.drags) this.#options.seek(this.#value);
    else if (!this.#held) this.#options.walk(Math.sign(this.#value - this.#at)); // by what listens for a reader
  }

  #key(event: KeyboardEvent) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { go, walk } = this.#options;
    if (event.key === "Home") go(0);
    else if (event.key === "End") go(Number(this.#range.max));
    else if (FORTH.includes(event.key)) walk(1);
    else if (BACK.includes(event.key)) walk(-1);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the figure knows some of them as well
  }
}
