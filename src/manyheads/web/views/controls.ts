// What a reader sets a figure by: a box to type into, lists to choose from, the line that says how things stand.

import { fill, h, setText, setValue, targetOf } from "./dom.ts";

const valueOf = (event: Event) => (targetOf(event) as HTMLInputElement).value;

/** A box for a sentence, which breaks into lines and grows; `typed(text)` is called at every keystroke. A text may have `lines` of its own. */
export function sentenceBox(label: string, placeholder: string, typed: (text: string) => void, lines = false) {
  const box = h("textarea", { rows: 1, dir: "auto", class: "hm-sentence", "aria-label": label, placeholder, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    onkeydown: (event: KeyboardEvent) => event.key === "Enter" && !lines && !event.isComposing && event.preventDefault(),
    oninput: () => {
      if (!lines && /[\r\n]/.test(box.value)) box.value = box.value.replace(/\s*[\r\n]+\s*/g, " "); // pasted: a sentence is one line
      grow(box);
      typed(box.value);
    } });
  return box;
}

/**
 * A box of one line; `entered(text)` is called when its reader leaves it or presses Enter, and perhaps twice: in a cell of
 * JupyterLab, Enter changes no box.
 */
export function lineBox(label: string, props: Record<string, any>, entered: (text: string) => void) {
  const tell = () => entered(box.value);
  const box = h("input", { "aria-label": label, ...props, onchange: tell, onkeydown: ({ key }: KeyboardEvent) => key === "Enter" && tell() });
  return box;
}

/** As high as its text, in browsers that do not see to it. */
export function grow(box: HTMLTextAreaElement) {
  if (CSS.supports("field-sizing", "content") || !box.scrollHeight) return; // or it isn't laid out
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight + 2}px`;
}

/** A list; `chosen(value)` is called when the reader chose from it. */
export const chooser = (label: string, chosen: (value: string) => void) =>
  h("select", { "aria-label": label, onchange: (event: Event) => chosen(valueOf(event)) });

/** A control with its label before it. */
export const field = (control: HTMLElement) =>
  h("label", { class: "hm-field" }, `${control.getAttribute("aria-label")} `, control);

/** Gives a list its options. */
export function fillOptions(select: HTMLSelectElement, names: string[], values: (string | number)[], chosen: string | number) {
  const options = fill(select, names.length, () => h("option"));
  names.forEach((name, index) => {
    setText(options[index], name);
    setValue(options[index], String(values[index]));
  });
  setValue(select, String(chosen));
}

/** Escape closes what is unfolded, and its name gets the focus. */
export function closeOnEscape(event: KeyboardEvent) {
  if (event.key !== "Escape") return;
  const menu = event.currentTarget as HTMLDetailsElement;
  menu.open = false;
  menu.querySelector("summary")?.focus();
}

/** The line that says how things stand. */
export class StatusLine {
  #text = document.createTextNode("");
  node = h("p", { role: "status", class: "hm-status", tabindex: -1 }, this.#text);
  #button: HTMLButtonElement | null = null;

  /** Shows a text; `act` is what a button after it does, which keeps the focus over repaints, and leaves it to the line. */
  tell(text: string, act: (() => void) | null = null, name = "Try again") {
    if (this.#button?.textContent !== (act ? name : undefined)) {
      if (this.#button?.matches(":focus")) this.node.focus({ preventScroll: true });
      this.#button?.remove();
      this.#button = act && h("button", { type: "button" }, name);
      if (this.#button) this.node.append(this.#button);
    }
    if (this.#button) this.#button.onclick = act;
    setText(this.#text, act ? `${text} ` : text);
  }
}
