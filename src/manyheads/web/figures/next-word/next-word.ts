// <next-word text="...">: what a language model would write next, as bars that its reader presses, reshapes and cuts heads from.
// `layer` and `head` choose whose weights are shown, `off` names heads that are off, `masked` is "first" where no token may look at the
// first one, `temperature` shapes the bars, `model` is another model than the page's. One renderer with two doors, as head-map.ts: the
// default export is for kernels (Python computes), the custom element for pages, where the model comes when the reader asks.

import { followLinks } from "../../doors/figure-link.ts";
import { openDoor } from "../../doors/kernel-door.ts";
import type { KernelModel } from "../../doors/kernel-model.ts";
import { define, dressPage, Figure, takeEarly, whenSeen } from "../../doors/page-element.ts";
import { OFFERED, readyWith } from "../../doors/page-models.ts";
import { partsOf } from "../../doors/state.ts";
import { answeredLater, Task } from "../../doors/task.ts";
import type { HeadMask } from "../../math/attention-map.ts";
import { isFile } from "../../math/families.ts";
import { FORGOT, offOf } from "../../math/heads-off.ts";
import { decodeMap, decodeMatrices } from "../../math/wire.ts";
import type { DecoderModel } from "../../models/head-model.ts";
import { announce, h } from "../../views/dom.ts";
import { isWaiting, isWhole, maskIn, storedFor, type Answer, type Lendable, type Vocabulary } from "./state.ts";
import { headsIn, NextWordView, type Example } from "./view.ts";

// -------------------------------------------------------------------------------- the first door: kernels

/** Which trait of Python's `NextWord` holds which part of the state. */
export const TRAITS = { text: "text", off: "off", masked: "masks_first", tail: "_tail" };

function render({ model, el }: { model: KernelModel; el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map next-word" }));
  const words: string[] = model.get("_words");
  const { endTokens, ...example } = model.get("_example");
  const vocabulary = { endTokens, wordOf: (id: number) => words[id] };
  let view: NextWordView | undefined;
  const close = openDoor(model, root, TRAITS, ["_answer"], {
    kind: "next-word",
    make: (state, change) =>
      (view = new NextWordView(
        root,
        state,
        { stored: [], ...example },
        {
          changed: (names) => change(view!.state, names),
          painted: () => announce(root, "next", view!.state.shown?.next),
        },
      )),
    show: () => view!.dispatch({ type: "answer", answer: decodeAnswer(model.get("_answer"), vocabulary) }),
    lend: (figure: NextWordView, settings) => (
      figure.dispatch({ type: "lend", parts: readLent(settings, example.lists) }),
      figure.state
    ),
  });
  return () => (view!.dispatch({ type: "stop" }), close());
}

function decodeAnswer({ tail, logits, map }: any, vocabulary: Vocabulary): Answer {
  const { now, whole } = decodeMatrices(logits);
  return { tail, now: { ids: [], logits: now.values, map: decodeMap(map) }, whole: whole?.values ?? null, vocabulary };
}

export default { render };

/** The part of the state that an attribute's value stands for; `lists` are heads by a name. */
function readPart(name: string, value: string | null, lists: Example["lists"]): Lendable {
  if (name === "text") return { text: value ?? "" };
  if (name === "masked") return { masked: value === "first" };
  if (name === "off") return { off: headsIn(value, lists) };
  if (name === "temperature") return { temperature: Number(value ?? 1) };
  return name === "layer" || name === "head" ? { [name]: Number(value), looks: true } : {};
}

/** What a phrase or a guess sets. */
const readLent = (settings: Record<string, string>, lists: Example["lists"]) =>
  partsOf(settings, (name, value) => readPart(name, value, lists));

// ----------------------------------------------------------------------------------- the second door: pages

const MODEL = "decoder"; // of which what is baked in says something
const NOTHING: Example = { stored: [], lists: {}, numLayers: 0, numHeads: 0 };

class NextWordElement extends Figure<NextWordView> {
  static observedAttributes = ["model", "text", "off", "layer", "head", "masked", "temperature"];
  protected override drawsLate = true;
  #whole: { draft: string; logits: Float32Array } | null = null; // with all heads on and nothing masked
  #example = { text: "", temperature: 1 }; // what is baked in
  #lists: Example["lists"] = {};
  #decoder: DecoderModel | null = null; // that computes
  #computedBy = MODEL; // its name
  #forgot = false; // the heads that were off: they are another model's

  protected override task = new Task<DecoderModel>(this, {
    models: () => [this.model],
    tell: (...told) => this.view?.setStatus(...told),
    waits: (model) => this.#waits(model),
    offered: (old) => this.view?.markOld(old),
    job: {
      failure: "The next word could not be computed",
      compute: ([decoder], signal) => this.#read(decoder, signal),
      show: (answer: Answer) => {
        const forgot = this.#forgot ? [FORGOT] : [];
        this.#forgot = false;
        this.view!.setStatus([readyWith(this.#decoder), ...forgot, ...(answer.now.map.notes ?? [])].join(" "));
        this.view!.dispatch({ type: "answer", answer });
        announce(this, "attention", this.attention);
      },
    },
  });

  /** Fulfilled once the figure computes for itself; asking for it starts the loading. */
  get ready() {
    this.drawNow();
    return this.task.ready;
  }

  /** What is on the screen: { text, off, next }. */
  get shown() {
    return this.view?.state.shown ?? null;
  }

  /** The likeliest next words as the reader shapes them: [{ word, probability, logit }]; null until they are computed. */
  get next() {
    return this.shown?.next ?? null;
  }

  /** The map of the text, as that of <head-map>; null until it is computed. */
  get attention() {
    return this.view?.state.answer?.now.map ?? null;
  }

  /** [layer][head] -> whether it is on; null where all are. */
  get headMask(): HeadMask {
    return this.view ? maskIn(this.view.state) : null;
  }

  set headMask(headMask: HeadMask) {
    this.setAttribute("off", offOf(headMask));
  }

  get model() {
    return this.getAttribute("model") ?? MODEL;
  }

  get text() {
    return this.view?.state.text ?? this.getAttribute("text") ?? "";
  }

  set text(text: string) {
    this.setAttribute("text", text);
  }

  /** Writes a word, as its reader does. */
  write() {
    this.view?.dispatch({ type: "write", bar: null });
  }

  /** What is said while the reader's text waits for a model; null where it doesn't. */
  #waits(model: string) {
    const state = this.view?.state;
    if (!state || !isWaiting(state)) return null;
    const { text, temperature } = this.#example;
    const isExample = state.text === text && isWhole(state) && state.choice.temperature === temperature;
    if (isExample && !state.left) return null;
    return storedFor(state) ? "To write on, the model has to load." : answeredLater(model);
  }

  protected draw(baked: Example | null) {
    dressPage("head-map.css", "next-word.css");
    this.#lists = (baked ?? NOTHING).lists;
    const { text = "", temperature = 1, ...parts } = this.#partsOf("text", "temperature", "off", "masked");
    this.#example = { text, temperature };
    this.view = new NextWordView(
      this,
      { ...parts, text, choice: { temperature, topK: 0, topP: 1 } },
      baked ?? NOTHING,
      { changed: () => this.task.run(), painted: () => announce(this, "next", this.next) },
    );
    this.view.dispatch({ type: "look", parts: { ...this.#partsOf("layer", "head"), looks: false } });
    this.view.setStatus(OFFERED);
    takeEarly<NextWordElement>(this, "text", "headMask");
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null) {
    if (!this.view) return;
    const parts = this.#readPart(name, value);
    const { temperature } = parts;
    if (name === "model") this.task.run();
    else if (name === "layer" || name === "head") this.view.dispatch({ type: "look", parts });
    else if (temperature !== undefined) this.view.dispatch({ type: "shape", parts: { temperature } });
    else this.view.dispatch({ type: "set", parts });
  }

  override lend(settings: Record<string, string>) {
    this.view?.dispatch({ type: "lend", parts: readLent(settings, this.#named) });
  }

  /** The lists of heads that have a name; a file of the reader's has none. */
  get #named() {
    return isFile(this.model) ? {} : this.#lists;
  }

  #readPart(name: string, value: string | null) {
    return readPart(name, value, this.#named);
  }

  /** What some of its attributes write, those that it has. */
  #partsOf(...names: string[]): Lendable {
    const own = names.filter((name) => this.hasAttribute(name));
    return Object.assign({}, ...own.map((name) => this.#readPart(name, this.getAttribute(name))));
  }

  protected override listen(leaves: AbortSignal) {
    whenSeen(this, leaves, () => this.task.wake()); // to offer the model
    followLinks(this, this.localName, NextWordElement.observedAttributes.slice(1), leaves); // no link brings a model
  }

  override disconnectedCallback() {
    this.view?.dispatch({ type: "stop" });
    super.disconnectedCallback();
  }

  #fitTo(decoder: DecoderModel) {
    const view = this.view!;
    const isReplaced = this.#decoder !== null && decoder !== this.#decoder && isFile(this.model); // by one of the same name
    const isOther = this.model !== this.#computedBy || isReplaced;
    if (isOther) this.#whole = null;
    this.#forgot ||= isOther && view.state.off.length > 0;
    this.#decoder = decoder;
    this.#computedBy = this.model;
    view.dispatch({ type: "model", size: [decoder.numLayers, decoder.numHeads], isFile: isFile(this.model), isOther });
  }

  async #read(decoder: DecoderModel, signal: AbortSignal): Promise<Answer> {
    this.#fitTo(decoder);
    const { text, tail, masked } = this.view!.state;
    const whole = isWhole(this.view!.state);
    const draft = JSON.stringify({ text, tail });
    if (!whole && this.#whole?.draft !== draft)
      this.#whole = { draft, logits: (await decoder.next({ text, tail }, null, { signal })).logits };
    const now = await decoder.next({ text, tail }, this.headMask, { signal, masked });
    if (whole) this.#whole = { draft, logits: now.logits };
    return { tail, now, whole: whole ? null : this.#whole!.logits, vocabulary: decoder };
  }
}

define("next-word", NextWordElement);
