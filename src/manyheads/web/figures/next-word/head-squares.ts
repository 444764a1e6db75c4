// The heads of <next-word>, a column for each layer: the brighter a square, the more its head looks at other tokens than the first. One
// that's pressed shows in the text where it looks; pressed again, no longer. A pointer may be drawn over them, and arrow keys walk.

import { isAmong } from "../../math/heads-off.ts";
import { queryWeights } from "../../math/maps.ts";
import { arrow, fill, h, targetOf } from "../../views/dom.ts";
import type { State } from "./state.ts";

const UNKNOWN = 0; // how bright a head is before the model is here
/** A square remembers what it shows: of a key, only those that change are touched. */
type Square = HTMLButtonElement & { shown?: string };
type Look = Partial<Pick<State, "looks" | "layer" | "head">>;

export class HeadSquares {
  readonly node: HTMLElement;
  #look: (parts: Look) => void;
  #halves = [0, 1].map(() => h("div")); // of the layers: one below the other on a phone
  #state: State | null = null;

  constructor(look: (parts: Look) => void) {
    this.#look = look;
    this.node = h(
      "div",
      {
        class: "nw-heads",
        role: "group",
        onpointerdown: (event: PointerEvent) => event.button === 0 && this.#press(targetOf(event)),
        onpointermove: (event: PointerEvent) => event.buttons && this.#drag(event),
        onclick: (event: MouseEvent) => event.detail === 0 && this.#press(targetOf(event)), // by a key
        onkeydown: (event: KeyboardEvent) => this.#walk(event),
      },
      ...this.#halves,
    );
  }

  draw(state: State) {
    this.#state = state;
    const {
      size: [layers, heads],
      off,
      layer,
      head,
      looks,
      answer,
    } = state;
    const map = answer?.now.map;
    const wide = Math.ceil(layers / 2);
    this.node.ariaLabel = `${layers * heads} heads, a column for each layer`;
    this.node.style.setProperty("--half", String(wide));
    this.#halves.forEach((half, at) => {
      const across = at ? layers - wide : wide;
      const squares = fill<Square>(half, across * heads, () => h("button", { type: "button" }));
      for (let place = 0; place < squares.length; place++) {
        const [square, of] = [squares[place], [at * wide + (place % across), Math.floor(place / across)]];
        const isChosen = of[0] === layer && of[1] === head;
        const name = `layer ${of[0] + 1}, head ${of[1] + 1}`;
        const share = (map ? 1 - queryWeights(map, of[0], of[1], map.queryTokens.length - 1)[0] : UNKNOWN).toFixed(2);
        const isOff = isAmong(off, of);
        const shown = String([name, share, isOff, isChosen, isChosen && looks]);
        if (square.shown === shown) continue;
        square.shown = shown;
        Object.assign(square.dataset, { layer: String(of[0]), head: String(of[1]) });
        square.title = name;
        square.ariaLabel = `Where ${name} looks`;
        square.ariaPressed = String(isChosen && looks);
        square.tabIndex = isChosen ? 0 : -1;
        square.style.setProperty("--share", share);
        square.classList.toggle("nw-is-off", isOff);
        square.classList.toggle("nw-chosen", isChosen);
      }
    });
  }

  #press(square: HTMLElement) {
    const at = placeOf(square);
    if (!at || !this.#state) return;
    const { layer, head, looks } = this.#state;
    this.#look({ ...at, looks: !(looks && at.layer === layer && at.head === head) });
  }

  #drag(event: PointerEvent) {
    const at = placeOf(document.elementFromPoint(event.clientX, event.clientY));
    if (at && (at.layer !== this.#state?.layer || at.head !== this.#state?.head)) this.#look({ ...at, looks: true });
  }

  #walk(event: KeyboardEvent) {
    const step = arrow(event.key);
    if (!step || !this.#state) return;
    event.preventDefault();
    this.#look({ layer: this.#state.layer + step[1], head: this.#state.head + step[0], looks: true });
    this.node.querySelector<HTMLElement>(".nw-chosen")?.focus();
  }
}

function placeOf(node: Element | null) {
  const { layer, head } = (node as HTMLElement | null)?.dataset ?? {};
  return layer === undefined ? null : { layer: Number(layer), head: Number(head) };
}
