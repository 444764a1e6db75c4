// <exercise-list>: all exercises of the book; the script ticks those that were answered rightly in this browser, of those that a page
// checks, shows for each chapter and for the book how many these are, and lets the reader erase that.

import { defineFigure } from "../../doors/define-figure.ts";
import { eraseProgress, readProgress } from "../../doors/progress.ts";
import { h, setIdle, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { isRight, isTried, reduce, type Action, type State } from "./state.ts";

/** How much of something is done: a bar, and the same in numbers. */
function makeBar(props = {}) {
  const [bar, numbers] = [h("span", { class: "el-bar", "aria-hidden": "true" }, h("i")), h("span")];
  return {
    node: h("span", { class: "el-done", ...props }, bar, numbers),
    draw(done: number, all: number, text: string) {
      bar.style.setProperty("--done", (done / (all || 1)).toFixed(4));
      setText(numbers, text);
    },
  };
}

/** The exercises of each chapter that a page checks. */
const chaptersOf = (root: Element) =>
  [...root.querySelectorAll(".exercise-page")].map((title) => ({
    title,
    items: [...title.nextElementSibling!.querySelectorAll(".exercise-checked")],
  }));

const labelOf = (item: Element) => item.querySelector("a")?.getAttribute("href")?.split("#")[1] ?? "";

const read = (host: Host<State, Action>) => host.update({ progress: readProgress() });

function view(host: Host<State, Action>) {
  const { root } = host;
  for (const old of root.querySelectorAll(".el-tools, .el-done, .el-tick")) old.remove(); // what the build drew
  const whole = makeBar({ role: "status" });
  const erase = h("button", { type: "button", onclick: () => (eraseProgress(), read(host)) }, "Erase my answers");
  const chapters = chaptersOf(root).map(({ title, items }) => {
    const bar = makeBar();
    if (items.length) title.append(" ", bar.node);
    const ticks = items.map(() => h("span", { class: "el-tick", role: "img" }));
    items.forEach((item, at) => item.prepend(ticks[at]));
    return { bar, items, ticks };
  });

  function draw(state: State) {
    const count = (labels: string[], is: typeof isRight) => labels.filter((label) => is(state, label)).length;
    chapters.forEach(({ bar, items, ticks }, chapter) => {
      const labels = state.chapters[chapter];
      const right = count(labels, isRight);
      bar.draw(right, labels.length, `${right} of ${labels.length}`);
      labels.forEach((label, at) => {
        const done = isRight(state, label);
        items[at].classList.toggle("el-right", done);
        setText(ticks[at], done ? "✓" : "");
        ticks[at].ariaLabel = done ? "answered" : "open";
      });
    });
    const all = state.chapters.flat();
    const [right, tried] = [count(all, isRight), count(all, isTried)];
    const others = tried > right ? `, ${tried - right} tried` : "";
    whole.draw(right, all.length, `${right} of ${all.length} answered in this browser${others}`);
    setIdle(erase, tried === 0);
  }

  return { nodes: [h("div", { class: "el-tools" }, whole.node, erase), ...root.childNodes], draw };
}

defineFigure<State, Action>("exercise-list", {
  start: (root) => ({ chapters: chaptersOf(root).map(({ items }) => items.map(labelOf)), progress: readProgress() }),
  reduce,
  view,
  listen: (host, leaves) => document.addEventListener("answer", () => read(host), { signal: leaves }),
});
