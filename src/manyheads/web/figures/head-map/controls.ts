// What a reader sets a map by: the sentences, the view, who asks, what is shown; and the menu of what can leave the page.

import { shareMenu } from "../../doors/share-menu.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import type { MapState, ShownMap } from "../../math/map-state.ts";
import { layerName, layersOf } from "../../math/maps.ts";
import { VIEWS } from "../../math/names.ts";
import { modelLabel } from "../../math/families.ts";
import { capital, readable } from "../../math/text.ts";
import { chooser, field, fillOptions, sentenceBox, setTyped } from "../../views/controls.ts";
import { h, setText, setValue, targetOf } from "../../views/dom.ts";
import { Player } from "../../views/player.ts";
import { WordSuggestions } from "../../views/suggestions.ts";
import { MoreControls } from "./more.ts";
import { examplesRow, FirstSteps, UndoButtons } from "./start.ts";
import type { HeadMapOptions, HeadMapView } from "./view.ts";

const PAUSE = 1400; // milliseconds for each model, when all are played

type Options = Required<Pick<HeadMapOptions, "models" | "computes" | "copies" | "examples" | "guide">>;

export class MapControls {
  readonly nodes: HTMLElement[];
  readonly sentence: HTMLTextAreaElement;
  readonly suggestions: WordSuggestions;
  readonly compare: HTMLTextAreaElement;
  readonly compareRow: HTMLElement;
  readonly compareButton: HTMLButtonElement;
  readonly views: HTMLInputElement[];
  readonly query: HTMLSelectElement;
  readonly queryField: HTMLElement;
  readonly layer: HTMLSelectElement;
  readonly layerField: HTMLElement;
  readonly head: HTMLSelectElement;
  readonly headField: HTMLElement;
  readonly model: HTMLInputElement;
  readonly modelName = h("span", { class: "hm-model-name" });
  readonly more: MoreControls;
  readonly undo: UndoButtons;
  readonly guide: FirstSteps | null;
  #host: HeadMapView;
  #models: string[];

  constructor(host: HeadMapView, { models, computes, copies, examples, guide }: Options) {
    this.#host = host;
    this.#models = models;
    const undo = (back: boolean) => this.undo.go(back);
    this.sentence = sentenceBox("Sentence", "Type a sentence", (sentence) => host.set({ sentence }), false, undo);
    this.suggestions = new WordSuggestions(this.sentence);
    this.compare = sentenceBox("Compare with", "Type a second sentence", (compare) => host.set({ compare }), false, undo);
    this.compareRow = h("div", { class: "hm-ask" }, this.compare);
    this.compareButton = h("button", { type: "button", class: "hm-comparer", "aria-expanded": "false",
      onclick: () => host.set({ compare: host.state.compare === null ? host.state.sentence : null }) });
    this.views = VIEWS.map((view) =>
      h("input", { type: "radio", name: `${host.id}-view`, value: view, onchange: () => host.set({ view, head: headFor(view, host.state) }) }));
    this.query = chooser("Asked by", (value) => host.set({ query: Number(value) }));
    this.queryField = field(this.query);
    this.layer = chooser("Layer", (value) => host.set({ layer: Number(value) }));
    this.layerField = field(this.layer);
    this.head = chooser("Head", (value) => host.set({ head: value === "all" ? null : Number(value) }));
    this.headField = field(this.head);
    this.model = h("input", { type: "range", min: 0, max: Math.max(models.length - 1, 0), "aria-label": "Model",
      oninput: (event: Event) => host.set({ model: Number((targetOf(event) as HTMLInputElement).value) }) });
    this.more = new MoreControls(host);
    this.undo = new UndoButtons(host);
    this.guide = guide ? new FirstSteps(() => host.set({ view: "paint", compare: null })) : null;
    const start = examples.trim() ? [examplesRow(host, examples)] : [];
    const sentenceRow = h("div", { class: "hm-ask" }, this.sentence, this.suggestions.node, ...this.undo.nodes);
    const tools = this.#makeTools(computes, shareMenu(host, copies));
    this.nodes = computes ? [...start, sentenceRow, this.compareRow, tools] : [tools];
  }

  /** The row of controls above the map; without a sentence to type into, undo stands in it. */
  #makeTools(computes: boolean, share: HTMLElement) {
    const views = h("fieldset", { class: "hm-views", "aria-label": "View" },
      ...this.views.map((radio) => h("label", { hidden: radio.value === "picture" }, radio, h("span", {}, capital(radio.value)))));
    return h("div", { class: "hm-tools" }, views, this.layerField, ...(computes ? [this.compareButton] : []),
      share, this.more.node, ...(this.#models.length > 1 ? [this.#makeSlider()] : []), ...(computes ? [] : this.undo.nodes));
  }

  /** The models as a slider, and as a film. */
  #makeSlider() {
    const host = this.#host;
    const count = this.#models.length;
    const player = new Player("▶ Play", PAUSE, () => {
      const next = (host.state.model + 1) % count;
      host.set({ model: next });
      return next < count - 1;
    });
    return h("div", { class: "hm-field hm-model" }, h("label", {}, "Model ", this.model, this.modelName), player.node);
  }

  /** What has the focus where its holder is gone: the view's name, or where that isn't shown, the sentence. */
  get keeper(): HTMLElement | undefined {
    const view = this.views.find((radio) => radio.checked);
    return view?.getClientRects().length ? view : this.sentence;
  }

  /** Follows the state. */
  update(state: MapState) {
    const { sentence, compare, view, model } = state;
    setTyped(this.sentence, sentence);
    setTyped(this.compare, compare ?? "");
    this.compareRow.hidden = compare === null;
    this.compareButton.ariaExpanded = String(compare !== null);
    setText(this.compareButton, compare === null ? "Compare" : "Stop comparing");
    for (const radio of this.views) radio.checked = radio.value === view;
    this.more.update(state);
    setValue(this.model, String(model));
    setText(this.modelName, modelLabel(this.#models[model] ?? ""));
  }

  /** Shows who asks at present, by its position in the computed map. */
  showQuery(query: number) {
    setValue(this.query, String(query));
  }

  /** Offers what a map has to choose from; `rest` is the position of the asking token among those shown. */
  offer(map: AttentionMap, shown: ShownMap, state: MapState, rest: number) {
    const layers = [...Array(map.shape[0]).keys()];
    const present = layersOf(map);
    fillOptions(this.query, shown.queryTokens.map(readable), shown.queries, shown.queries[rest]);
    fillOptions(this.layer, layers.map((layer) => layerName(map, layer).replace(/^layer /, "")), layers, state.layer);
    fillOptions(this.head, ["all", ...map.headNames], ["all", ...map.headNames.keys()], state.head ?? "all");
    for (const option of this.layer.options) option.disabled = Boolean(map.final) && !present.includes(Number(option.value));
    this.layerField.hidden = layers.length === 1;
    for (const radio of this.views) {
      radio.checked = radio.value === state.view;
      if (radio.value === "picture") radio.parentElement!.hidden = !map.picture;
    }
    this.headField.hidden = state.view !== "lines" || shown.mixed;
    this.more.offer(map, shown, state);
  }
}

/** The chosen head as a view opens: Lines show one at first, the first that's on; the others all, or the one that was large. */
function headFor(view: string, { view: before, head, headMask, layer }: MapState) {
  if (view === "lines") return head ?? Math.max(headMask?.[layer].indexOf(true) ?? 0, 0);
  return before === "lines" ? null : head;
}
