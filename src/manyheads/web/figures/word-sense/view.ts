// What <word-sense> shows: the sentence, whose words can be masked; the scale after each layer, and between two of them the arrows that
// lead from one to the next; the heads that matter most, each with its switch.

import { isAmong, wholeLayers, withOff } from "../../math/heads-off.ts";
import { colourOf } from "../../math/maps.ts";
import { scoreOf, shareOf } from "../../math/senses.ts";
import { capital, percent } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import {
  chooser,
  field,
  fillOptions,
  grow,
  OFFER,
  sentenceBox,
  setTyped,
  StatusLine,
  type Told,
} from "../../views/controls.ts";
import { fill, h, rowsOf, setChildren, setProps, setText } from "../../views/dom.ts";
import { HeadGroups } from "./head-groups.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import { wantsStillness } from "../../views/timeline.ts";
import { Chain } from "./chain.ts";
import { isBehind, lifted, reduce, shownLayer, startWith, type Action, type Lendable, type State } from "./state.ts";
import {
  changedText,
  headText,
  layerName,
  leaning,
  movedTo,
  scoreWithout,
  senseText,
  strongest,
  takenText,
  wordsIn,
  type SentenceWord,
} from "./text.ts";
import { Words } from "./words.ts";

const LAYERS = wholeLayers(6, 12); // of the encoder
const COUNTS = [1, 2, 4, 8, 16]; // of the heads that matter most, so many can be turned off
const LISTED = Math.max(...COUNTS); // in the table: each of them has its switch
const REACHES = [6, 8, 10, 14, 20, 40]; // of the scale, in log-odds: the first that all fit into
const SEEN = 0.25; // log-odds that a dot moves and leaves a trail

export class WordSenseView {
  state: State;
  #host: { compute(): void; rank(): void };
  #single: boolean; // one layer is shown, and no tools
  #box = sentenceBox("Sentence", "Type a sentence", (sentence) => this.dispatch({ type: "type", sentence }));
  #choice = chooser("Word", (word) => this.dispatch({ type: "word", word }));
  #groups = new HeadGroups((off) => this.dispatch({ type: "off", off }));
  #rank = h(
    "button",
    { type: "button", onclick: () => (this.#announcer.changed(), this.#host.rank()) },
    "Rank the heads",
  );
  #tools = h("div", { class: "hm-tools" });
  #words = new Words(
    (places) => this.dispatch({ type: "mask", places }),
    (word) => this.#point(word, null),
  );
  #note = h("p", { class: "ws-note" });
  #ends = h(
    "p",
    { class: "ws-ends", "aria-hidden": "true" },
    h("b"),
    ...["98 %", "50 : 50", "98 %"].map((text) => h("small", {}, text)),
    h("b"),
  );
  #chain = new Chain({
    toggle: (head) => this.#toggle(head),
    point: (head) => this.#point(null, head),
    redraw: () => this.#draw(),
  });
  #layers: HTMLTableRowElement[] = []; // of the scale, the embeddings first
  #rows = h("tbody");
  #scales = h("table", { class: "ws-scales", "aria-label": "The sense after each layer" }, this.#rows);
  #switches = h("div", { class: "hm-heads ws-switches", role: "group" });
  #heads = h("tbody");
  #table = h(
    "table",
    { class: "ws-heads", "aria-label": "Heads by what their absence does" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ...["head", "without it", "moved, in log-odds", "looks most at"].map((text) => h("th", { scope: "col" }, text)),
      ),
    ),
    this.#heads,
  );
  #status = new StatusLine();
  #announcer = new Announcer();
  #root: HTMLElement;
  #pointed: { word: SentenceWord | null; head: number | null } = { word: null, head: null };

  constructor(root: HTMLElement, parts: Partial<State>, host: { compute(): void; rank(): void }) {
    this.#root = root;
    this.#status.node.classList.add(OFFER);
    this.#host = host;
    this.state = startWith(parts);
    this.#single = this.state.layer !== null;
    root.classList.toggle("ws-single", this.#single);
    this.#tools.append(field(this.#choice), ...(this.#single ? [] : [field(this.#groups.node), this.#rank]));
    const key = h(
      "p",
      { class: "ws-key" },
      "An arrow is what one head writes, in log-odds: 0.7 more doubles the odds. Press a word to mask it, an arrow or a head to turn it off.",
    );
    root.replaceChildren(
      this.#box,
      this.#status.node,
      this.#tools,
      this.#words.node,
      this.#note,
      this.#ends,
      this.#scales,
      this.#switches,
      key,
      this.#table,
      this.#announcer.node,
    );
    this.#drawControls();
    this.#draw();
  }

  /** Changes the state, and does what then has to be done. */
  dispatch(action: Action) {
    const { state, needs } = reduce(this.state, action);
    this.state = state;
    if (needs === "compute") this.#announcer.changed();
    this.#drawControls();
    this.#draw();
    if (needs === "compute") return this.#host.compute();
    if (state.sense && state.found) this.#announcer.drawn(() => this.#summary());
  }

  /** Takes over another sentence, word or layer, words that are masked or heads that are off. */
  update({ layer, wanted, off, ...parts }: Partial<State>) {
    if (Object.keys(parts).length) this.dispatch({ type: "take", parts });
    if (layer !== undefined) this.dispatch({ type: "layer", layer });
    if (wanted) this.dispatch({ type: "want", words: wanted });
    if (off) this.dispatch({ type: "off", off });
  }

  /** Takes over what a guess, a phrase or a link sets; the sentence comes before its heads are off, for what is known of it has all on. */
  lend({ off, ...parts }: Lendable) {
    if (Object.keys(parts).length) this.dispatch({ type: "lend", parts });
    if (off) this.dispatch({ type: "lend", parts: { off } });
  }

  setStatus(...[text, ...rest]: Told) {
    this.#status.tell(text, ...rest);
  }

  /** What is shown answers to another sentence. */
  markOld(old: boolean) {
    this.#root.classList.toggle("ws-old", old);
  }

  /** Draws to where words are, once they have moved. */
  layOut() {
    this.#words.layOut();
  }

  // --- what a reader does

  #toggle(head: number) {
    this.dispatch({ type: "toggle", place: [shownLayer(this.state), head] });
  }

  #point(word: SentenceWord | null, head: number | null) {
    if (this.#pointed.word === word && this.#pointed.head === head) return;
    this.#pointed = { word, head };
    this.#draw();
  }

  // --- drawing

  #drawControls() {
    const { sentence, word, words, found, ranking, off } = this.state;
    setTyped(this.#box, sentence);
    grow(this.#box);
    fillOptions(this.#choice, words, words, word);
    setProps(this.#tools, { hidden: this.#single && words.length < 2 });
    const most = COUNTS.map((count) => [
      count === 1 ? "the one that matters most here" : `the ${count} that matter most here`,
      ranking.slice(0, count).map(({ place }) => place),
    ]);
    this.#groups.draw({ ...LAYERS, ...(ranking.length && Object.fromEntries(most)) }, off);
    setProps(this.#rank, { disabled: !found });
    this.#root.classList.toggle("ws-old", found === false);
    this.#drawHeads();
  }

  #draw() {
    const { sense, pushes, masked } = this.state;
    if (!sense) return;
    const layer = shownLayer(this.state);
    const shown = pushes?.layers[layer] ?? null;
    const out = [...lifted(this.state), ...(this.#chain.pulled === null ? [] : [this.#chain.pulled])];
    const scores = sense.shares.map(scoreOf);
    if (shown) scores[layer + 1] = scoreWithout(shown, out);
    this.#drawScales(scores, layer);
    const words = pushes && shown ? wordsIn(pushes) : [];
    this.#words.draw(shown && { words, masked, shown, head: this.#pointed.head });
    setProps(this.#chain.node, { hidden: !shown });
    setProps(this.#switches, { hidden: !shown });
    setProps(this.#note, { hidden: !shown });
    if (!shown) return;
    this.#chain.draw({ word: sense.word, shown, out, lit: this.#pointed.head });
    this.#drawSwitches(layer, shown.pushes.length);
    setText(this.#note, this.#noteOn(words, out));
  }

  #drawScales(scores: number[], shown: number) {
    const { senses, layer: deciding } = this.state.sense!;
    [0, 4].forEach((at, end) => setText(this.#ends.children[at], senses[end]));
    const listed = this.#single ? [shown, shown + 1] : [...scores.keys()];
    this.#layers = listed.map((layer, at) => this.#layers[at] ?? this.#layerRow(at));
    const [first, last] = [
      this.#layers.slice(0, listed.indexOf(shown + 1)),
      this.#layers.slice(listed.indexOf(shown + 1)),
    ];
    const rows = [...first, this.#chain.node, ...last];
    if (this.#rows.children[first.length] !== this.#chain.node) this.#chain.node.remove(); // so that no row moves, nor loses the focus
    setChildren(this.#rows, rows);
    const reach =
      REACHES.find((one) => [...scores, ...this.#extent()].every((score) => Math.abs(score) < one - 0.3)) ??
      REACHES.at(-1)!;
    this.#scales.style.setProperty("--unit", (1 / reach).toFixed(4));
    this.#ends.style.setProperty("--unit", (1 / reach).toFixed(4));
    listed.forEach((layer, at) => {
      const row = this.#layers[at];
      const text = leaning(senses, shareOf(scores[layer]));
      row.classList.toggle("ws-deciding", !this.#single && layer === deciding);
      row.classList.toggle("ws-open", layer === shown + 1);
      const name = this.#single && at === 0 && layer === 0 ? "before" : layerName(layer);
      setText(row.cells[0].firstElementChild ?? row.cells[0], name);
      if (row.cells[0].firstElementChild)
        setProps(row.cells[0].firstElementChild, { ariaPressed: String(layer === shown + 1) });
      const scale = row.cells[1].firstElementChild as HTMLElement;
      const share = shareOf(scores[layer]).toFixed(4);
      moveDot(scale, Math.max(-reach, Math.min(reach, scores[layer])));
      for (const [attribute, value] of Object.entries({
        "aria-label": layerName(layer),
        "aria-valuenow": share,
        "aria-valuetext": text,
      }))
        scale.setAttribute(attribute, value);
      setText(row.cells[2], text);
    });
  }

  /** How far the arrows reach. */
  #extent() {
    const { pushes } = this.state;
    const shown = pushes?.layers[shownLayer(this.state)];
    if (!shown) return [];
    const heads = shown.pushes.map((row) => row.reduce((sum, push) => sum + push, 0));
    return heads.reduce((ends, push) => [...ends, ends[ends.length - 1] + push], [shown.rest]);
  }

  #layerRow(layer: number) {
    const pick = h("button", {
      type: "button",
      class: "ws-pick",
      onclick: () => this.dispatch({ type: "layer", layer }),
    });
    return h(
      "tr",
      { class: "ws-layer" },
      h("th", { scope: "row" }, ...(this.#single || layer === 0 ? [] : [pick])),
      h(
        "td",
        {},
        h("span", { class: "ws-scale", role: "meter", "aria-valuemin": 0, "aria-valuemax": 1 }, h("em"), h("i")),
      ),
      h("td"),
    );
  }

  #drawSwitches(layer: number, count: number) {
    setProps(this.#switches, { ariaLabel: `Heads of layer ${layer + 1}` });
    const nodes = fill(this.#switches, count, (head) => {
      const node = headSwitch(() => this.#toggle(head));
      for (const name of ["pointerenter", "focus"]) node.addEventListener(name, () => this.#point(null, head));
      for (const name of ["pointerleave", "blur"]) node.addEventListener(name, () => this.#point(null, null));
      return node;
    });
    [...nodes].forEach((one, head) => {
      const node = one as HTMLElement;
      drawSwitch(node, `head ${head + 1}`, !isAmong(this.state.off, [layer, head]), colourOf());
      Object.assign(node.dataset, { layer, head });
    });
  }

  /** What the reader points at, what came of the last change, or which word pushes most. */
  #noteOn(words: SentenceWord[], out: number[]) {
    const { sense, pushes, masked, off, alone } = this.state;
    const layer = shownLayer(this.state);
    const shown = pushes!.layers[layer]!;
    const { word, head } = this.#pointed;
    const isHidden = (one: SentenceWord) => masked.includes(one.places[0]);
    if (word && word.kind !== "asker" && !isHidden(word)) return takenText(sense!, layer, shown, word, null);
    const own = off.filter(([of]) => of === layer).map(([, of]) => of);
    if (head !== null && !own.includes(head) && !out.includes(head)) {
      const most = strongest(shown, words, head);
      return `${headText(sense!, shown, head)}${most ? ` ${takenText(sense!, layer, shown, most, head)}` : ""}`;
    }
    const names = words.filter(isHidden).map(({ text }) => text);
    const pulled = this.#chain.pulled === null ? own : [...own, this.#chain.pulled];
    if (names.length || pulled.length || isBehind(this.state))
      return changedText(sense!, layer, shown, {
        masked: names,
        isBehind: isBehind(this.state),
        off: pulled,
        pending: out,
        alone,
      });
    const most = strongest(shown, words, null);
    const others = off.length ? [`${capital(withOff(off.length))}.`] : []; // of other layers
    return [...(most ? [takenText(sense!, layer, shown, most, null)] : []), ...others].join(" ");
  }

  #summary() {
    const { sense, off, masked } = this.state;
    return masked.length || off.length
      ? `${senseText(sense!, off.length)} ${this.#note.textContent}`
      : senseText(sense!, off.length);
  }

  #drawHeads() {
    const { sense, off } = this.state;
    const ranking = sense ? this.state.ranking.slice(0, LISTED) : [];
    setProps(this.#table, { hidden: !ranking.length });
    fill(this.#heads, ranking.length, (at) =>
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          headSwitch(() => this.dispatch({ type: "toggle", place: this.state.ranking[at].place })),
        ),
        h("td"),
        h("td"),
        h("td"),
      ),
    );
    ranking.forEach(({ place, share, moved, looks }, at) => {
      const [name, ...cells] = rowsOf(this.#heads)[at].cells;
      drawSwitch(
        name.firstElementChild as HTMLElement,
        `layer ${place[0] + 1}, head ${place[1] + 1}`,
        !isAmong(off, place),
        colourOf(),
      );
      const texts = [
        leaning(sense!.senses, share),
        movedTo(sense!.senses, moved),
        looks ? `${looks.word} ${percent(looks.share)}` : "nothing else",
      ];
      texts.forEach((text, column) => setText(cells[column], text));
    });
  }
}

/** Moves the dot of a scale; it leaves a trail that fades. */
function moveDot(scale: HTMLElement, score: number) {
  const old = Number(scale.style.getPropertyValue("--score") || Number.NaN);
  scale.style.setProperty("--score", score.toFixed(3));
  const [trail] = scale.children;
  if (!(Math.abs(score - old) > SEEN) || wantsStillness() || !trail.animate) return;
  trail.classList.toggle("ws-back", score < old);
  (trail as HTMLElement).style.setProperty("--low", Math.min(old, score).toFixed(3));
  (trail as HTMLElement).style.setProperty("--size", Math.abs(score - old).toFixed(3));
  trail.animate([{ opacity: 0.75 }, { opacity: 0 }], { duration: 1400, easing: "ease-out" });
}
