// The heads of <next-word>, a column for each layer: the brighter a square, the more its head looks at other tokens than the first. One
// that's pressed shows in the text where it looks; pressed again, no longer. A pointer may be drawn over them, and arrow keys walk.

import { isAmong } from "../../math/heads-off.ts";
import { queryWeights } from "../../math/maps.ts";
import { arrow, fill, h, targetOf } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import type { Action, Look, State } from "./state.ts";

const UNKNOWN = 0; // how bright a head is before the model is here
/** A square remembers what it shows: of a key, only those that change are touched. */
type Square = HTMLButtonElement & { shown?: string };

export function headSquares(host: Host<State, Action>, look: (parts: Look) => void) {
  const isChosen = (at: Place) => at.layer === host.state.layer && at.head === host.state.head;

  function press(event: Event) {
    const at = placeOf(targetOf(event));
    if (at) look({ ...at, looks: !(host.state.looks && isChosen(at)) });
  }

  function drag({ buttons, clientX, clientY }: PointerEvent) {
    const at = buttons ? placeOf(document.elementFromPoint(clientX, clientY)) : null;
    if (at && !isChosen(at)) look({ ...at, looks: true });
  }

  function walk(event: KeyboardEvent) {
    const step = arrow(event.key);
    if (!step) return;
    event.preventDefault();
    look({ layer: host.state.layer + step[1], head: host.state.head + step[0], looks: true });
    node.querySelector<HTMLElement>(".nw-chosen")?.focus();
  }

  const halves = [0, 1].map(() => h("div")); // of the layers: one below the other on a phone
  const node = h(
    "div",
    {
      class: "nw-heads",
      role: "group",
      onpointerdown: (event: PointerEvent) => event.button === 0 && press(event),
      onpointermove: drag,
      onclick: (event: MouseEvent) => event.detail === 0 && press(event), // by a key
      onkeydown: walk,
    },
    ...halves,
  );

  function draw({ size: [layers, heads], off, layer, head, looks, answer }: State) {
    const map = answer?.now.map;
    const wide = Math.ceil(layers / 2);
    node.ariaLabel = `${layers * heads} heads, a column for each layer`;
    node.style.setProperty("--half", String(wide));
    halves.forEach((half, at) => {
      const across = at ? layers - wide : wide;
      const squares = fill<Square>(half, across * heads, () => h("button", { type: "button" }));
      for (let place = 0; place < squares.length; place++) {
        const [square, of] = [squares[place], [at * wide + (place % across), Math.floor(place / across)]];
        const chosen = of[0] === layer && of[1] === head;
        const name = `layer ${of[0] + 1}, head ${of[1] + 1}`;
        const share = (map ? 1 - queryWeights(map, of[0], of[1], map.queryTokens.length - 1)[0] : UNKNOWN).toFixed(2);
        const isOff = isAmong(off, of);
        const shown = String([name, share, isOff, chosen, chosen && looks]);
        if (square.shown === shown) continue;
        square.shown = shown;
        Object.assign(square.dataset, { layer: String(of[0]), head: String(of[1]) });
        square.title = name;
        square.ariaLabel = `Where ${name} looks`;
        square.ariaPressed = String(chosen && looks);
        square.tabIndex = chosen ? 0 : -1;
        square.style.setProperty("--share", share);
        square.classList.toggle("nw-is-off", isOff);
        square.classList.toggle("nw-chosen", chosen);
      }
    });
  }

  return { node, draw };
}

interface Place {
  layer: number;
  head: number;
}

function placeOf(node: Element | null): Place | null {
  const { layer, head } = (node as HTMLElement | null)?.dataset ?? {};
  return layer === undefined ? null : { layer: Number(layer), head: Number(head) };
}
