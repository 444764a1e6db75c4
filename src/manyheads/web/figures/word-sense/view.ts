// What <word-sense> shows: the sentence, the scale after each layer, and the heads that matter most, each with its switch.

import { isAmong, wholeLayers } from "../../math/heads-off.ts";
import { colourOf } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { chooser, field, fillOptions, grow, sentenceBox, StatusLine } from "../../views/controls.ts";
import { fill, h, rowsOf, setProps, setText, setValue } from "../../views/dom.ts";
import { HeadGroups } from "../../views/head-groups.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { reduce, startWith, type Action, type State } from "./state.ts";
import { layerName, leaning, movedTo, senseText } from "./text.ts";

const LAYERS = wholeLayers(6, 12); // of the encoder
const COUNTS = [1, 2, 4, 8, 16]; // of the heads that matter most, so many can be turned off
const LISTED = Math.max(...COUNTS); // in the table: each of them has its switch

export class WordSenseView {
  state: State;
  #host: { compute(): void, rank(): void };
  #box = sentenceBox("Sentence", "Type a sentence", (sentence) => this.update({ sentence }));
  #words = chooser("Word", (word) => this.update({ word }));
  #groups = new HeadGroups((off) => this.dispatch({ type: "off", off }));
  #rank = h("button", { type: "button", onclick: () => (this.#announcer.changed(), this.#host.rank()) }, "Rank the heads");
  #ends = h("p", { class: "ws-ends", "aria-hidden": "true" }, h("b"), h("b"));
  #rows = h("tbody");
  #heads = h("tbody");
  #table = h("table", { class: "ws-heads", "aria-label": "Heads by what their absence does" },
    h("thead", {}, h("tr", {}, ...["head", "without it", "moved", "looks most at"].map((text) => h("th", { scope: "col" }, text)))), this.#heads);
  #status = new StatusLine();
  #announcer = new Announcer();
  #root: HTMLElement;

  constructor(root: HTMLElement, parts: Partial<State>, host: { compute(): void, rank(): void }) {
    this.#root = root;
    this.#host = host;
    this.state = startWith(parts);
    root.replaceChildren(this.#status.node, this.#box,
      h("div", { class: "hm-tools" }, field(this.#words), field(this.#groups.node), this.#rank),
      this.#ends, h("table", { class: "ws-scales", "aria-label": "The sense after each layer" }, this.#rows), this.#table, this.#announcer.node);
    this.#drawControls();
    this.#drawScales();
  }

  /** Changes the state, and does what then has to be done. */
  dispatch(action: Action) {
    const { state, needs } = reduce(this.state, action);
    this.state = state;
    if (needs === "compute") this.#announcer.changed();
    this.#drawControls();
    if (needs === "compute") return this.#host.compute();
    this.#drawScales();
    if (state.sense && state.found) this.#announcer.drawn(() => senseText(state.sense!, state.off.length));
  }

  /** Takes over another sentence or word. */
  update(parts: Partial<State>) {
    this.dispatch({ type: "take", parts });
  }

  setStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#status.tell(text, act, name);
  }

  // --- drawing

  #drawControls() {
    const { sentence, word, words, found, ranking, off } = this.state;
    setValue(this.#box, sentence);
    grow(this.#box);
    fillOptions(this.#words, words, words, word);
    const most = COUNTS.map((count) => [count === 1 ? "the one that matters most here" : `the ${count} that matter most here`, ranking.slice(0, count).map(({ place }) => place)]);
    this.#groups.draw({ ...LAYERS, ...(ranking.length && Object.fromEntries(most)) }, off);
    setProps(this.#rank, { disabled: !found });
    this.#root.classList.toggle("ws-old", found === false);
    this.#drawHeads();
  }

  #drawScales() {
    if (!this.state.sense) return;
    const { senses, shares, layer: deciding } = this.state.sense;
    senses.forEach((name, at) => setText(this.#ends.children[at], name));
    fill(this.#rows, shares.length, (layer) => h("tr", {}, h("th", { scope: "row" }, layerName(layer)),
      h("td", {}, h("span", { class: "ws-scale", role: "meter", "aria-valuemin": 0, "aria-valuemax": 1, "aria-label": layerName(layer) }, h("i"))),
      h("td")));
    shares.forEach((share, layer) => {
      const row = rowsOf(this.#rows)[layer];
      row.classList.toggle("ws-deciding", layer === deciding);
      const scale = row.cells[1].firstElementChild as HTMLElement;
      scale.style.setProperty("--share", share.toFixed(4));
      scale.setAttribute("aria-valuenow", share.toFixed(4));
      scale.setAttribute("aria-valuetext", leaning(senses, share));
      setText(row.cells[2], leaning(senses, share));
    });
  }

  #drawHeads() {
    const { sense, off } = this.state;
    const ranking = sense ? this.state.ranking.slice(0, LISTED) : [];
    setProps(this.#table, { hidden: !ranking.length });
    fill(this.#heads, ranking.length, (at) => h("tr", {},
      h("th", { scope: "row" }, headSwitch(() => this.dispatch({ type: "toggle", place: this.state.ranking[at].place }))), h("td"), h("td"), h("td")));
    ranking.forEach(({ place, share, moved, looks }, at) => {
      const [name, ...cells] = rowsOf(this.#heads)[at].cells;
      drawSwitch(name.firstElementChild as HTMLElement, `layer ${place[0] + 1}, head ${place[1] + 1}`, !isAmong(off, place), colourOf());
      const texts = [leaning(sense!.senses, share), movedTo(sense!.senses, moved), looks ? `${looks.word} ${percent(looks.share)}` : "nothing else"];
      texts.forEach((text, column) => setText(cells[column], text));
    });
  }
}
