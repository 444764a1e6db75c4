// <exercise-list>: all exercises of the book in tables; the script marks those whose fields were answered rightly in this
// browser, and lets the reader erase that.

import { define, Figure } from "../../doors/page-element.ts";
import { eraseProgress, readProgress } from "../../doors/progress.ts";
import { h } from "../../views/dom.ts";

class ExerciseListElement extends Figure {
  #status = h("p", { class: "el-progress", role: "status", "aria-live": "polite" });

  protected draw() {
    const erase = h("button", { type: "button", onclick: () => this.#erase() }, "Erase my answers");
    this.querySelector(".el-tools")?.remove(); // room for these
    this.prepend(h("div", { class: "el-tools" }, this.#status, erase));
    this.#mark();
  }

  #erase() {
    eraseProgress();
    this.#mark();
  }

  #mark() {
    const progress = readProgress();
    const answered = Object.values(progress).length;
    let right = 0;
    for (const link of this.querySelectorAll("td a")) {
      const done = progress[link.getAttribute("href")?.split("#")[1] ?? ""]?.right === true;
      right += Number(done);
      link.parentElement?.querySelector(".el-done")?.remove();
      if (done) link.after(h("span", { class: "el-done" }, " ✓ answered"));
    }
    this.#status.textContent = answered
      ? `In this browser you have answered ${right} of them rightly, of ${answered} that you tried in fields.`
      : "You have answered none of them in fields yet, or your answers were erased.";
  }
}

define("exercise-list", ExerciseListElement);
