// A text, and below each character what a model had guessed in its place; one of the characters is chosen.

import { visible, type Guessed } from "../../math/repeats.ts";
import { arrow, fill, focusOn, h, setText, targetOf } from "../../views/dom.ts";

export class GuessStrip {
  #chosen = 0;
  node: HTMLElement;

  /** `choose(place)` is called for the character that the reader points at or goes to. */
  constructor(choose: (place: number) => void) {
    const point = (event: Event) => {
      const place = this.#placeOf(event);
      if (place > 0) choose(place);
    };
    this.node = h("ol", {
      class: "hb-strip",
      "aria-label": "The text, and what was guessed",
      onpointerover: point,
      onclick: point,
      onfocusin: point,
      onkeydown: (event: KeyboardEvent) => this.#press(event),
    });
  }

  draw(characters: string[], all: Guessed[]) {
    const cells = fill(this.node, characters.length, () => h("li", { tabindex: -1 }, h("b"), h("span")));
    characters.forEach((character, place) => {
      const cell = cells[place] as HTMLElement;
      const [actual, below] = cell.children;
      const one = place ? all[place - 1] : null;
      setText(actual, visible(character));
      setText(below, !one ? "" : one.guess === null ? "·" : visible(one.guess));
      cell.className = !one || one.guess === null ? "" : one.right ? "hb-right" : one.known ? "hb-wrong" : "hb-new";
      cell.ariaLabel = `${visible(character)}${one ? `, guessed ${one.guess === null ? "something else" : visible(one.guess)}: ${one.right ? "right" : one.known ? "wrong" : "new"}` : ""}`;
    });
  }

  ask(place: number) {
    this.#chosen = place;
    [...this.node.children].forEach((cell, at) => {
      cell.classList.toggle("hb-asked", at === place);
      cell.setAttribute("tabindex", at === place ? "0" : "-1");
    });
  }

  #placeOf(event: Event) {
    const cell = targetOf(event).closest("li");
    return cell ? [...this.node.children].indexOf(cell) : -1;
  }

  #press(event: KeyboardEvent) {
    const step = arrow(event.key)?.[1];
    const next = step ? this.node.children[this.#chosen + step] : undefined;
    if (!next || this.#chosen + (step as number) < 1) return;
    event.preventDefault();
    focusOn(next as HTMLElement, this.node.children[this.#chosen]);
  }
}
