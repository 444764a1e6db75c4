// A text, and below each character what a model had guessed in its place; one of the characters is chosen.

import { visible, type Guessed } from "../../math/repeats.ts";
import { arrow, fill, focusOn, h, setText, targetOf } from "../../views/dom.ts";

/** `choose(place)` is called for the character that the reader points at or goes to. */
export function guessStrip(choose: (place: number) => void) {
  const point = (event: Event) => {
    const cell = targetOf(event).closest("li");
    const place = cell ? [...node.children].indexOf(cell) : -1;
    if (place > 0) choose(place);
  };
  const press = (event: KeyboardEvent) => {
    const step = arrow(event.key)?.[1] ?? 0;
    const chosen = [...node.children].findIndex((cell) => (cell as HTMLElement).tabIndex === 0);
    const next = step ? node.children[chosen + step] : undefined;
    if (!next || chosen + step < 1) return;
    event.preventDefault();
    focusOn(next as HTMLElement, node.children[chosen]);
  };
  const node = h("ol", {
    class: "hb-strip",
    "aria-label": "The text, and what was guessed",
    onpointerover: point,
    onclick: point,
    onfocusin: point,
    onkeydown: press,
  });

  function draw(characters: string[], all: Guessed[]) {
    const cells = fill(node, characters.length, () => h("li", { tabindex: -1 }, h("b"), h("span")));
    characters.forEach((character, place) => {
      const cell = cells[place];
      const [actual, below] = cell.children;
      const one = place ? all[place - 1] : null;
      setText(actual, visible(character));
      setText(below, !one ? "" : one.guess === null ? "·" : visible(one.guess));
      cell.className = !one || one.guess === null ? "" : one.right ? "hb-right" : one.known ? "hb-wrong" : "hb-new";
      cell.ariaLabel = `${visible(character)}${one ? `, guessed ${one.guess === null ? "something else" : visible(one.guess)}: ${one.right ? "right" : one.known ? "wrong" : "new"}` : ""}`;
    });
  }

  /** Another character is explained. */
  function mark(place: number) {
    [...node.children].forEach((cell, at) => {
      cell.classList.toggle("hb-asked", at === place);
      cell.setAttribute("tabindex", at === place ? "0" : "-1");
    });
  }

  return { node, draw, mark };
}
