// The beams of one head: each word's comes in as thick as its weight, and leaves as thick as what it then writes.

import { fill, h, setStyle } from "../../views/dom.ts";

const ATTENTION = 1.3; // rows that all of the attention is thick
const [IN, OUT] = [41, 46]; // percent across where the head begins and ends
const STEPS = 10; // of a curve

/** A word's weight and, in parts of the scale, what it adds. */
export interface Beam {
  weight: number;
  adds: number;
}

export class Beams {
  #in = h("div");
  #out = h("div");
  #head = h("i", { class: "hl-node" });
  readonly node = h("div", { class: "hl-beams", "aria-hidden": "true" }, this.#in, this.#head, this.#out);

  draw(beams: Beam[], on: boolean) {
    const rows = beams.length;
    const attention = Math.min(ATTENTION, 0.9 * rows);
    const middle = (row: number, thick: number) => Math.min(Math.max(row + 0.5, thick / 2), rows - thick / 2);
    const [weights, amounts] = [beams.map(({ weight }) => weight * attention), beams.map(({ adds }) => Math.abs(adds))];
    const [comes, goes] = [weights, amounts].map((thick) => stacked(thick, rows / 2));
    const tops = comes.map((at, row) => at - weights[row] / 2);
    const [top, bottom] = [Math.min(...tops), Math.max(...comes.map((at, row) => at + weights[row] / 2))];
    this.node.classList.toggle("hl-is-off", !on);
    this.#head.style.setProperty("--top", percent(top / rows));
    this.#head.style.setProperty("--height", percent((bottom - top) / rows));
    const [ins, outs] = [this.#in, this.#out].map((part) => fill(part, rows, () => h("i")));
    beams.forEach(({ adds }, row) => {
      const [weight, amount] = [weights[row], amounts[row]];
      setStyle(ins[row], "--beam", shape(rows, [0, middle(row, weight), weight], [IN, comes[row], weight]));
      setStyle(outs[row], "--beam", shape(rows, [OUT, goes[row], amount], [100, middle(row, amount), amount]));
      setStyle(outs[row], "--start", shape(rows, [OUT, goes[row], amount], [OUT, goes[row], amount]));
      outs[row].classList.toggle("hl-minus", adds < 0);
    });
  }
}

/** The middles of parts that lie one below the other, all together about `centre`. */
function stacked(thick: number[], centre: number) {
  let at = centre - thick.reduce((sum, each) => sum + each, 0) / 2;
  return thick.map((each) => (at += each) - each / 2);
}

const percent = (share: number) => `${(100 * share).toFixed(2)}%`;

/** A beam from end to end as a polygon of CSS, which always has as many corners, so that one becomes another; ends are [x in percent, y, thickness in rows]. */
function shape(rows: number, from: number[], to: number[]) {
  const sides: string[][] = [[], []];
  for (let step = 0; step <= STEPS; step++) {
    const along = step / STEPS;
    const bend = along * along * (3 - 2 * along);
    const [x, y, half] = [0, 1, 2].map((part) => from[part] + (to[part] - from[part]) * (part ? bend : along));
    sides[0].push(`${x.toFixed(1)}% ${percent((y - half / 2) / rows)}`);
    sides[1].unshift(`${x.toFixed(1)}% ${percent((y + half / 2) / rows)}`);
  }
  return `polygon(${sides.flat().join(", ")})`;
}
