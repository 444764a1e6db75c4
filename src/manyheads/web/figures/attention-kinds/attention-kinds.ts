// <attention-kinds kind="latent" sentence="...">: layer 1 of the focus model with the kind of attention that its reader chooses, and
// what a cache then keeps of the sentence. The map inside is a <head-map> with a model for each kind. No DOM while the module loads.

import { define, Figure, headsOff, mapReady, type LiveMap } from "../../doors/page-element.ts";
import { setFigure } from "../../doors/phrases.ts";
import { Task } from "../../doors/task.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { bytesOf, type Cache } from "../../math/caches.ts";
import { ATTENTION_KINDS } from "../../math/kinds.ts";
import { attentionMoved, likeliest, perMille, queryWeights } from "../../math/maps.ts";
import { percent } from "../../math/text.ts";
import { Announcer } from "../../views/announcer.ts";
import { StatusLine } from "../../views/controls.ts";
import { h, nextId, setProps, setText } from "../../views/dom.ts";

const PLAIN = "multi-head"; // what the others are compared with
const PLAINLY = "This is plain attention, with which the others are compared.";
const LEAST = 16; // words, whose cache a bar has room for
const FAILURE = "What the kind changes could not be computed";

const modelOf = (kind: string) => `focus/${kind}`;
const written = (bytes: number) => `${bytes.toLocaleString("en")} bytes`;

/** What of a map lies elsewhere than in the plain one, and what is concluded otherwise, in words. */
export function changesOf(plain: AttentionMap, map: AttentionMap) {
  const [, heads, queries, keys] = map.shape;
  const same = Array.from({ length: keys }, (_, key) => [key, key] as [number, number]);
  let moved = 0;
  for (let head = 0; head < heads; head++)
    for (let query = 0; query < queries; query++) {
      const [before, after] = [plain, map].map((each) => queryWeights(each, 0, head, query));
      moved += attentionMoved(before, after, same) / (heads * queries);
    }
  const answers = Object.entries(plain.predictions).flatMap(([fact, labels]) => {
    const [[before], [after]] = [likeliest(labels), likeliest(map.predictions[fact])];
    return before === after ? [] : [`${fact} turns from ${before} to ${after}`];
  });
  const elsewhere = `Compared with ${PLAIN}, ${percent(perMille(moved))} of the attention lies elsewhere`;
  return `${elsewhere}, and ${answers.length ? answers.join(", ") : "no answer changes"}.`;
}

class AttentionKindsElement extends Figure {
  static observedAttributes = ["kind", "sentence", "query"];
  protected override drawsLate = true;
  #caches: Record<string, Cache> = {};
  #rows: Row[] = [];
  #says = h("p", { class: "ak-says" });
  #changes = h("p", { class: "ak-changes" });
  #status = new StatusLine();
  #announcer = new Announcer();
  protected override task = new Task(this, {
    models: () => [modelOf(PLAIN)],
    tell: (...told) => this.#status.tell(...told),
    notLoaded: FAILURE,
    progress: () => {}, // the map inside says so
    job: {
      failure: FAILURE,
      compute: ([model]) => model.attend(this.map.sentence, headsOff(this.map, model)),
      show: (plain) => this.#compare(plain),
    },
  });

  /** Fulfilled once the map inside computes for itself. */
  get ready() {
    return mapReady(this.map);
  }

  /** The map inside. */
  get map() {
    return this.querySelector("head-map") as LiveMap;
  }

  /** The kind that its reader chose. */
  get kind() {
    return (this.map.model || modelOf(PLAIN)).replace("focus/", ""); // its script may come later
  }

  set kind(kind: string) {
    this.setAttribute("kind", kind);
  }

  attributeChangedCallback(name: string, _: string | null, text: string | null) {
    this.drawNow();
    if (!this.#rows.length || text === null) return;
    this.#announcer.changed();
    if (name === "kind") this.#choose(text);
    else if (name === "query") this.map.query = Number(text);
    else this.map.sentence = text;
  }

  override lend({ kind, ...settings }: Record<string, string>) {
    this.drawNow();
    this.#announcer.changed();
    if (kind) setText(this.#changes, ""); // of the kind before
    setFigure(this.map, kind ? { ...settings, model: modelOf(kind) } : settings);
  }

  protected draw(baked: Record<string, Cache>) {
    const { map } = this;
    this.#caches = baked;
    const group = nextId("attention-kinds");
    const choose = (kind: string) => (this.#announcer.changed(), this.#choose(kind));
    this.#rows = Object.keys(baked).map((kind) => new Row(kind, group, choose));
    const kinds = h(
      "div",
      { role: "radiogroup", "aria-label": "Kind of attention" },
      ...this.#rows.map(({ node }) => node),
    );
    for (const child of [...this.children]) if (child !== map) child.remove(); // what stood here without scripts
    this.prepend(this.#says, kinds, this.#changes, this.#status.node, this.#announcer.node);
    map.addEventListener("attention", () => this.#follow());
    if (customElements.get("head-map")) this.#follow();
    else void customElements.whenDefined("head-map").then(() => this.#follow());
  }

  #choose(kind: string) {
    setText(this.#changes, ""); // of the kind before
    this.map.model = modelOf(kind);
    this.#mark();
  }

  #mark() {
    for (const row of this.#rows) row.input.checked = row.kind === this.kind;
  }

  /** Draws what the caches keep of the text of the map, and compares that once it is the chosen kind's. */
  #follow() {
    this.#mark();
    const { attention } = this.map;
    const tokens = attention?.keyTokens.length ?? 0;
    const bytes = (kind: string) => bytesOf(this.#caches[kind], tokens);
    const room = Math.max(bytesOf(this.#caches[PLAIN], LEAST), ...this.#rows.map(({ kind }) => bytes(kind)));
    for (const row of this.#rows) row.draw(bytes(row.kind), this.#caches[row.kind], tokens, room);
    setText(this.#says, `What a cache keeps of these ${tokens} tokens, in layer 1, with 16 bits a number:`);
    const isThere = this.map.computedBy === modelOf(this.kind) && this.kind !== PLAIN;
    if (isThere) this.task.run(undefined, { follows: true });
    else this.#tell(this.kind === PLAIN ? PLAINLY : "");
  }

  #compare(plain: AttentionMap) {
    const { attention, computedBy } = this.map;
    if (!attention || computedBy === modelOf(PLAIN) || String(attention.keyTokens) !== String(plain.keyTokens)) return;
    this.#status.tell("");
    this.#tell(changesOf(plain, attention));
  }

  #tell(changes: string) {
    setText(this.#changes, changes);
    const row = this.#rows.find(({ kind }) => kind === this.kind);
    this.#announcer.drawn(() => [`${row?.text}.`, changes].join(" "));
  }
}

/** A kind to choose, and a bar of what it keeps: a brick for each token that is kept, or one of no token. */
class Row {
  readonly kind: string;
  readonly input: HTMLInputElement;
  readonly node: HTMLElement;
  #bar = h("i");
  #bytes = h("span", { class: "ak-bytes" });

  constructor(kind: string, group: string, choose: (kind: string) => void) {
    this.kind = kind;
    this.input = h("input", { type: "radio", name: group, value: kind, onchange: () => choose(kind) });
    const { says } = ATTENTION_KINDS[kind];
    const name = h("span", { class: "ak-name" }, h("b", {}, this.#name), " ", h("span", {}, says));
    const bar = h("span", { class: "ak-bar", "aria-hidden": "true" }, this.#bar);
    this.node = h("label", { class: "ak-kind" }, this.input, name, bar, this.#bytes);
  }

  get #name() {
    return ATTENTION_KINDS[this.kind].name ?? this.kind;
  }

  get text() {
    return `${this.#name}: ${this.#bytes.textContent}`;
  }

  draw(bytes: number, { each, most }: Cache, tokens: number, room: number) {
    const bricks = each ? Math.min(tokens, most ?? tokens) : 1;
    this.#bar.style.setProperty("--long", (bytes / room).toFixed(4));
    this.#bar.style.setProperty("--bricks", String(bricks));
    setText(this.#bytes, written(bytes));
    setProps(this.input, { ariaLabel: `${this.#name}, ${ATTENTION_KINDS[this.kind].says}: ${written(bytes)}` });
  }
}

define("attention-kinds", AttentionKindsElement);
