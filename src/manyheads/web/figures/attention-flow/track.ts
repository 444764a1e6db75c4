// The stations as a track: one slider. A finger drags the film along it, a press on a place travels there, and keys, or what listens
// for a reader, go from station to station.

import { h, setProps, whenOther } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { headingOf } from "../../views/timeline.ts";
import { lastOf, placeOf, type Action, type State } from "./state.ts";
import { STATIONS } from "./stations.ts";

const STILL = 4; // pixels: who moves less presses, and doesn't drag
/** How many stations a key walks. */
export const WALKS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
const STEPS: Record<string, number> = { ...WALKS, ArrowUp: 1, PageUp: 1, ArrowDown: -1, PageDown: -1 };

/** `go(station)` travels there. */
export function makeTrack(host: Host<State, Action>, go: (station: number) => void) {
  let held: { x: number; drags: boolean } | null = null; // by a finger
  const walk = (by: number) => go(headingOf(host.state) + by);

  function release(at: number) {
    if (!held) return;
    held = null;
    go(Math.round(at));
  }

  function input() {
    const at = Number(range.value);
    if (held?.drags) host.dispatch({ type: "jump", at });
    else if (!held) walk(Math.sign(at - host.state.at)); // by what listens for a reader
  }

  function press(event: KeyboardEvent) {
    const { altKey, ctrlKey, metaKey, key } = event;
    if (altKey || ctrlKey || metaKey || !(key in STEPS)) return;
    walk(STEPS[key]);
    event.preventDefault();
    event.stopPropagation(); // the figure knows some of them as well
  }

  const names = STATIONS.map(({ label }, station) =>
    h("span", { onclick: () => go(station) }, h("b", {}, String(station + 1)), " ", h("i", {}, label)),
  );
  const range = h("input", {
    type: "range",
    class: "af-range",
    "aria-label": "Stations",
    min: 0,
    max: STATIONS.length - 1,
    step: "any",
    value: 0,
    onpointerdown: ({ clientX: x }: PointerEvent) => (held = { x, drags: false }),
    onpointermove: ({ clientX }: PointerEvent) => {
      if (held && Math.abs(clientX - held.x) > STILL) held.drags = true;
    },
    onpointerup: () => release(Number(range.value)),
    onpointercancel: () => release(host.state.at), // the page scrolls
    oninput: input,
    onkeydown: press,
  });
  const node = h(
    "div",
    { class: "af-track" },
    range,
    h("div", { class: "af-names", "aria-hidden": "true" }, ...names), // the slider says them
  );
  const mark = whenOther((at: string) => node.style.setProperty("--at", at));

  /** Shows where the film is, on its way to a station. */
  function draw(state: State) {
    const { at } = state;
    const [here, last] = [placeOf(state), lastOf(state)];
    setProps(range, { max: String(last), ariaValueText: `${here + 1} ${STATIONS[here].label}, of ${last + 1}` });
    if (!held?.drags) setProps(range, { value: String(at) });
    mark(at.toFixed(2));
    node.style.setProperty("--stations", String(last + 1));
    names.forEach((name, place) => {
      setProps(name, { hidden: place > last });
      name.classList.toggle("af-here", place === here);
      name.classList.toggle("af-passed", place <= at);
    });
  }

  return { node, draw };
}
