// <exercise-list>: all exercises of the book; the script ticks those that were answered rightly in this browser, of those that a page
// checks, shows for each chapter and for the book how many these are, and lets the reader erase that.

import { define, Figure } from "../../doors/page-element.ts";
import { eraseProgress, readProgress } from "../../doors/progress.ts";
import { h, setIdle, setText } from "../../views/dom.ts";

const CHECKED = ".exercise-checked";

/** How much of something is done: a bar, and the same in numbers. */
class Bar {
  #bar = h("span", { class: "el-bar", "aria-hidden": "true" }, h("i"));
  #text = h("span");
  readonly node = h("span", { class: "el-done" }, this.#bar, this.#text);

  show(done: number, all: number, text: string) {
    this.#bar.style.setProperty("--done", (done / (all || 1)).toFixed(4));
    setText(this.#text, text);
  }
}

class ExerciseListElement extends Figure {
  #whole = new Bar();
  #erase = h("button", { type: "button", onclick: () => this.#forget() }, "Erase my answers");
  #chapters: { bar: Bar; items: HTMLElement[] }[] = [];

  protected draw() {
    for (const old of this.querySelectorAll(".el-tools, .el-done, .el-tick")) old.remove(); // what the build drew
    this.#whole.node.setAttribute("role", "status");
    this.prepend(h("div", { class: "el-tools" }, this.#whole.node, this.#erase));
    this.#chapters = [...this.querySelectorAll(".exercise-page")].map((title) => {
      const list = title.nextElementSibling!;
      const items = [...list.querySelectorAll<HTMLElement>(CHECKED)];
      const bar = new Bar();
      if (items.length) title.append(" ", bar.node);
      return { bar, items };
    });
    for (const item of this.querySelectorAll(CHECKED)) item.prepend(h("span", { class: "el-tick" }));
    this.#mark();
  }

  #forget() {
    eraseProgress();
    this.#mark();
  }

  #mark() {
    const progress = readProgress();
    let [right, tried, all] = [0, 0, 0];
    for (const { bar, items } of this.#chapters) {
      let done = 0;
      for (const item of items) {
        const label = item.querySelector("a")?.getAttribute("href")?.split("#")[1] ?? "";
        const found = Object.hasOwn(progress, label) ? progress[label] : null;
        const isRight = found?.right === true;
        done += Number(isRight);
        tried += Number(found !== null);
        item.classList.toggle("el-right", isRight);
        const tick = item.querySelector<HTMLElement>(".el-tick")!;
        setText(tick, isRight ? "✓" : "");
        tick.ariaLabel = isRight ? "answered" : "open";
        tick.setAttribute("role", "img");
      }
      bar.show(done, items.length, `${done} of ${items.length}`);
      right += done;
      all += items.length;
    }
    const others = tried > right ? `, ${tried - right} tried` : "";
    this.#whole.show(right, all, `${right} of ${all} answered in this browser${others}`);
    setIdle(this.#erase, tried === 0);
  }
}

define("exercise-list", ExerciseListElement);
