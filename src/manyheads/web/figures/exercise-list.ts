// <exercise-list>: all exercises of the book in tables; the script marks those whose fields were answered rightly in this
// browser, and lets the reader erase that.

import { mayDefine } from "../doors/page-element.js";
import { eraseProgress, readProgress } from "../doors/progress.js";
import { h } from "../views/dom.js";

function defineExerciseList() {
  class ExerciseListElement extends HTMLElement {
    #told = h("p", { class: "el-progress", role: "status", "aria-live": "polite" });

    connectedCallback() {
      if (this.#told.isConnected) return;
      const erase = h("button", { type: "button" }, "Erase my answers");
      erase.addEventListener("click", () => {
        eraseProgress();
        this.#mark();
      });
      this.querySelector(".el-tools")?.remove(); // room for these
      this.prepend(h("div", { class: "el-tools" }, this.#told, erase));
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
      this.#told.textContent = answered
        ? `In this browser you have answered ${right} of them rightly, of ${answered} that you tried in fields.`
        : "You have answered none of them in fields yet, or your answers were erased.";
    }
  }

  customElements.define("exercise-list", ExerciseListElement);
}

if (mayDefine("exercise-list")) defineExerciseList();
