// <attention-flow>: the journey of one asking word, from its vector to the model's answer, and every number on it open to its
// arithmetic. One renderer with two doors, as head-map.ts: the default export is for kernels (Python computes), the custom element
// for pages.

import { copyMenu } from "../../doors/copy-menu.ts";
import { openDoor } from "../../doors/kernel-door.ts";
import type { KernelModel } from "../../doors/kernel-model.ts";
import { define, dressPage, mapById, takeEarly, type LiveMap } from "../../doors/page-element.ts";
import { loadFormula, READY } from "../../doors/page-models.ts";
import { SentenceFigure } from "../../doors/sentence-figure.ts";
import { frameFor, linkTo, pairsOf, tagFor } from "../../doors/sharing.ts";
import { partsOf, readPlain } from "../../doors/state.ts";
import type { Job } from "../../doors/task.ts";
import { turns } from "../../doors/turns.ts";
import { STATIONS } from "./stations.ts";
import type { HeadMask } from "../../math/attention-map.ts";
import { maskOf, offIn, toggledIn } from "../../math/heads-off.ts";
import { hostHere } from "../../math/host.ts";
import { FLAGS } from "../../math/names.ts";
import type { Flow, FlowState } from "../../math/steps.ts";
import { decodeSteps } from "../../math/wire.ts";
import { announce, h } from "../../views/dom.ts";
import { AttentionFlowView } from "./view.ts";

// -------------------------------------------------------------------------------- the first door: kernels

const NUMBERS = ["layer", "head", "query"];

/** The part of the state that an attribute's value stands for. */
const readWritten = (name: string, text: string | null): Record<string, any> =>
  FLAGS.includes(name) ? { [name]: text !== null && text !== "off" } : readPlain(name, text, NUMBERS);

/** Which trait of Python's `AttentionFlow` holds which part of the state. */
export const TRAITS = {
  sentence: "sentence",
  layer: "layer",
  head: "head",
  query: "query",
  answer: "answer",
  station: "station",
  cell: "cell",
  causal: "causal",
  padding: "padding",
  unscaled: "unscaled",
};

function render({ model, el }: { model: KernelModel; el: HTMLElement }) {
  const root = el.appendChild(h("div", { class: "head-map attention-flow" }));
  return openDoor(model, root, TRAITS, ["_flow"], {
    kind: "attention-flow",
    make: (state, change): AttentionFlowView => {
      const view: AttentionFlowView = new AttentionFlowView(root, state, {
        change,
        painted: (flow) => announce(root, "steps", flow),
        arrived: () => change(view.state, ["station"]),
      });
      return view;
    },
    show: (view: AttentionFlowView) =>
      view.show(decodeSteps({ ...model.get("_flow"), parameters: model.get("_parameters") }) as Flow), // what is learned comes apart, once
    lend: (view, settings) => (view.lend(partsOf(settings, readWritten)), view.state),
  });
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const PARTS = ["sentence", "layer", "head", "query", "answer", ...FLAGS, "station", "cell"]; // of the state, each an attribute
const COMPUTED = ["sentence", "layer", "head", "answer", ...FLAGS]; // those that the numbers depend on
const FIGURE = "attention-flow";
const RESTS = 400; // milliseconds that a word is pointed at until it counts as asked

type FlowModel = ((state: FlowState, options: { signal: AbortSignal; headMask: HeadMask }) => Flow | Promise<Flow>) & {
  broken?: boolean;
};

/**
 * `for` lets it follow a <head-map>: its sentence, the word that was asked last in it, and, where both have the same model, the
 * head that is enlarged in it and those that are off. It is the id of the map, or, where it says nothing, the nearest map above. A page
 * may set `sentence`, `layer`, `head`, `query` and `station` as well, as attributes or as properties.
 *
 * `answer` begins the journey one layer below: it's the fact that the model answers in the end, "sentiment". The word that its head
 * looks at most asks, in the head `head` of layer 1, and then goes on to the answer. That head has a switch then, and of the map that
 * it follows, only the sentence and the heads that are off are taken over.
 */
class AttentionFlowElement extends SentenceFigure<AttentionFlowView> {
  static observedAttributes = ["model", ...PARTS];
  protected parts = PARTS;
  protected computed = COMPUTED;
  protected numbers = NUMBERS;
  #asked = -1; // the query of the followed map as it was last seen
  #large = ""; // and the head that was enlarged in it
  #off = "null"; // and its heads that were off
  #pointed: number | null = null; // a word of it that was pointed at for long enough, until it's taken over
  #rests = 0;
  #mask: HeadMask = null; // the heads that are off where it follows no map of its model

  #job: Job<FlowModel, Flow> = {
    failure: "The journey could not be computed",
    compute: ([flowOf], signal) =>
      flowOf({ ...(this.view as AttentionFlowView).state }, { signal, headMask: this.headMask }),
    show: (flow) => {
      this.view?.show(flow);
      this.tell(READY);
    },
  };
  /** The same of what the followed map shows by then. */
  #afterMap: Job<FlowModel, Flow> = {
    ...this.#job,
    compute: (models, signal) => {
      this.view?.take(this.#takeNews());
      return this.#job.compute(models, signal);
    },
  };
  protected task = this.makeTask<FlowModel>({
    load: (...loading) => loadFormula(({ flowOf }) => flowOf, ...loading),
    waits: (model) => (this.#isOther ? `To see this head, the ${model} has to load.` : null),
    job: this.#job,
  });

  /** The names of the stations, in their order. */
  get stations() {
    return STATIONS.map(({ name }) => name);
  }

  get station() {
    return this.view?.state.station ?? this.getAttribute("station") ?? STATIONS[0].name;
  }

  set station(name: string) {
    this.setAttribute("station", name);
  }

  get layer() {
    return this.view?.state.layer ?? Number(this.getAttribute("layer"));
  }

  set layer(layer: number) {
    this.setAttribute("layer", String(layer));
  }

  get head() {
    return this.view?.state.head ?? Number(this.getAttribute("head"));
  }

  set head(head: number) {
    this.setAttribute("head", String(head));
  }

  get query() {
    return this.view?.state.query ?? Number(this.getAttribute("query"));
  }

  set query(query: number) {
    this.setAttribute("query", String(query));
  }

  /** [layer][head], false for each head that is off; null for all on. That of the map that it follows, where both have the same model. */
  get headMask() {
    const map = this.#leader;
    return map ? map.headMask : this.#mask;
  }

  set headMask(mask: HeadMask) {
    const map = this.#followed;
    if (map && this.#hasModelOf(map)) map.headMask = mask;
    else {
      this.#mask = mask;
      if (this.view) this.task.run();
    }
  }

  /**
   * All matrices on the way: {tokens, head, X, Q, K, V, scores, masked, weights, context, concat, output, ...}, those from Q to
   * context of the chosen head, `scores` already divided by the root; and `maps`, what all heads look at.
   */
  get steps() {
    return this.view?.flow ?? null;
  }

  /** Stands at a moment: stations count from 0, and 2.5 is between two. */
  seek(at: number) {
    this.view?.seek(at);
  }

  /** Whether another head was chosen than the one whose numbers are here. */
  get #isOther() {
    const { state, flow } = this.view ?? {};
    return Boolean(state && flow?.layers) && (state!.layer !== flow!.layer || state!.head !== flow!.head);
  }

  protected draw(baked: any) {
    dressPage("head-map.css", "attention-flow.css");
    const folder = new URL("../", import.meta.url); // its attention-flow.js leads to that of each version
    const pairs = () => {
      const { causal, padding, unscaled, cell, answer, ...state } = (this.view as AttentionFlowView).state;
      const on = Object.entries({ causal, padding, unscaled }).flatMap(([name, is]) => (is ? [[name, "on"]] : []));
      const given = { ...(answer && { answer }), ...(cell && { cell }) };
      return [...pairsOf({ model: this.getAttribute("model") ?? "", ...state }), ...on, ...pairsOf(given)];
    };
    const menu = hostHere()
      ? undefined
      : copyMenu({
          link: () => linkTo(location.href, [["figure", FIGURE], ...pairs()]),
          tag: () => tagFor(folder, FIGURE, pairs()),
          frame: () => frameFor(folder, FIGURE, pairs()),
        });
    this.view = new AttentionFlowView(this, this.written, {
      menu,
      change: (_, names) => names.some((name) => COMPUTED.includes(name)) && this.task.run(),
      painted: (flow) => announce(this, "steps", flow),
      arrived: (station) => announce(this, "station", station),
      turn: (...place) => this.#turn(place),
    });
    if (baked) this.view.show(decodeSteps(baked) as Flow);
    this.standBy(Boolean(baked), "station");
    takeEarly<AttentionFlowElement>(this, "layer", "head", "query", "headMask");
  }

  protected override listen(leaves: AbortSignal) {
    super.listen(leaves);
    this.followLinks(leaves);
    const map = this.#followed;
    if (!map) return;
    if (this.#asked < 0) this.#asked = Number(map.getAttribute("query")); // what it asked first is shown already
    const follow = () => this.#follow(leaves);
    map.addEventListener("attention", follow, { signal: leaves });
    map.addEventListener(
      "ask",
      ({ detail }: CustomEventInit<number | null>) => {
        clearTimeout(this.#rests);
        if (detail != null) this.#rests = window.setTimeout(() => ((this.#pointed = detail), follow()), RESTS);
      },
      { signal: leaves },
    );
    if (map.computedBy) follow(); // it went on while the journey stood as the build drew it
  }

  protected override readPart(name: string, text: string | null) {
    return readWritten(name, text);
  }

  override lend(settings: Record<string, string>) {
    if ("sentence" in settings) this.#mask = null;
    super.lend(settings);
  }

  /** The map that it follows; null where it follows none. */
  get #followed(): LiveMap | null {
    const id = this.getAttribute("for");
    if (id !== "") return mapById(id, this);
    return (
      [...document.querySelectorAll<LiveMap>("head-map")].findLast(
        (map) => map.compareDocumentPosition(this) & Node.DOCUMENT_POSITION_FOLLOWING,
      ) ?? null
    );
  }

  /** The same, where it computes with the same model; its heads are then on or off here as well. */
  get #leader(): LiveMap | null {
    const map = this.#followed;
    return map?.computedBy && map.computedBy === this.getAttribute("model") ? map : null;
  }

  /** Whether a map computes with the same model, or will. */
  #hasModelOf(map: LiveMap) {
    return map.model === this.getAttribute("model");
  }

  /** Turns a head off, or on again. */
  #turn([layer, head]: number[]) {
    const flow = this.steps!;
    const map = this.#followed;
    if (!map || !this.#hasModelOf(map)) this.view?.changed(); // else the map says it
    this.headMask = maskOf(toggledIn(offIn(this.headMask), [layer, head]), layer + 2, flow.headNames.length);
  }

  /** What the map shows otherwise than when it was last seen: its sentence, the head that is large, another word that asks. */
  get #news(): Partial<FlowState> {
    const map = this.#followed;
    if (!map) return {};
    const { enlarged } = map;
    if (this.getAttribute("answer")) return map.sentence === this.sentence ? {} : { sentence: map.sentence };
    const isOther = enlarged && headOf(enlarged) !== this.#large && map.computedBy === this.getAttribute("model");
    const query = this.#pointed ?? (map.query === this.#asked ? null : map.query);
    return {
      ...(map.sentence !== this.sentence && { sentence: map.sentence }),
      ...(isOther && enlarged),
      ...(query !== null && { query }),
    };
  }

  /** The same, which is then seen. */
  #takeNews() {
    const news = this.#news;
    if ("head" in news) this.#large = headOf(this.#followed!.enlarged!);
    this.#asked = this.#followed?.query ?? this.#asked;
    this.#off = String(this.headMask);
    this.#pointed = null;
    return news;
  }

  /** Takes over what the map shows, when the journey's turn comes. */
  #follow(leaves: AbortSignal) {
    const news = this.#news;
    const isComputed = Object.keys(news).some((name) => COMPUTED.includes(name)) || String(this.headMask) !== this.#off;
    if (isComputed) this.task.run(this.#afterMap, { follows: true });
    else if ("query" in news)
      turns()
        .after(this, leaves, () => this.view?.update(this.#takeNews()))
        .catch(() => {}); // it left
  }
}

/** A head, to be told from others. */
const headOf = ({ layer, head }: { layer: number; head: number }) => `${layer} ${head}`;

define(FIGURE, AttentionFlowElement);
