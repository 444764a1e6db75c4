// What a reader sets a map by: the sentences, the view, who asks, what is shown; and the menu of what can leave the page.

import { shareMenu } from "../doors/share-menu.js";
import { layersOf } from "../math/maps.js";
import { VIEWS } from "../math/names.js";
import { modelLabel, readable } from "../math/text.js";
import { chooser, field, fillOptions, grow, sentenceBox } from "../views/controls.js";
import { h, setText, setValue, targetOf } from "../views/dom.js";
import { Player } from "../views/player.js";
import { MoreControls } from "./head-map-more.js";
import { examplesRow, FirstSteps, UndoButtons } from "./head-map-start.js";
import { WordSuggestions } from "../views/suggestions.js";

const PAUSE = 1400; // milliseconds for each model, when all are played

export class MapControls {
  /**
   * @param {import("./head-map-view.js").HeadMapView} host
   * @param {{ models: string[], computes: boolean, copies: Record<string, () => string>, examples: string, guide: boolean }} options
   */
  constructor(host, { models, computes, copies, examples, guide }) {
    this.models = models;
    this.sentence = sentenceBox("Sentence", "Type a sentence", (sentence) => host.set({ sentence }));
    this.suggestions = new WordSuggestions(this.sentence);
    this.compare = sentenceBox("Compare with", "Type a second sentence", (compare) => host.set({ compare }));
    this.compareRow = h("div", { class: "hm-ask" }, this.compare);
    this.comparer = h("button", { type: "button", class: "hm-comparer", "aria-expanded": "false",
      onclick: () => host.set({ compare: host.state.compare === null ? host.state.sentence : null }) });

    this.views = VIEWS.map((view) =>
      h("input", { type: "radio", name: `${host.id}-view`, value: view, onchange: () => host.set({ view }) }));
    this.query = chooser("Asked by", (value) => host.set({ query: Number(value) }));
    this.layer = chooser("Layer", (value) => host.set({ layer: Number(value) }));
    this.head = chooser("Head", (value) => host.set({ head: value === "all" ? null : Number(value) }));
    this.model = h("input", { type: "range", min: 0, max: Math.max(models.length - 1, 0), "aria-label": "Model",
      oninput: (/** @type {Event} */ event) => host.set({ model: Number(/** @type {HTMLInputElement} */ (targetOf(event)).value) }) });
    this.modelName = h("span", { class: "hm-model-name" });
    this.layerField = field(this.layer);
    this.headField = field(this.head);
    this.more = new MoreControls(host);
    this.share = shareMenu(host, copies);
    this.asked = field(this.query);
    const tools = h("div", { class: "hm-tools" },
      h("fieldset", { class: "hm-views", "aria-label": "View" },
        ...this.views.map((radio) => h("label", {}, radio, h("span", {}, capital(radio.value))))),
      this.layerField, this.headField, ...(computes ? [this.comparer] : []), this.share, this.more.node);
    this.player = new Player("▶ Play", PAUSE, () => {
      const next = (host.state.model + 1) % models.length;
      host.set({ model: next });
      return next < models.length - 1;
    });
    if (models.length > 1) tools.append(h("div", { class: "hm-field hm-model" }, h("label", {}, "Model ", this.model, this.modelName), this.player.node));
    this.undo = new UndoButtons(host);
    this.guide = guide ? new FirstSteps() : null;
    const box = h("div", { class: "hm-ask" }, this.sentence, this.suggestions.node, ...this.undo.nodes);
    const start = examples.trim() ? [examplesRow(host, examples)] : [];
    if (!computes) tools.append(...this.undo.nodes);
    this.nodes = computes ? [...start, box, this.compareRow, tools] : [tools];
  }

  /** Says what the state is. */
  update(/** @type {MapState} */ state) {
    const { sentence, compare, view, model } = state;
    for (const [box, text] of /** @type {const} */ ([[this.sentence, sentence], [this.compare, compare ?? ""]])) {
      if (box.value === text) continue;
      box.value = text;
      grow(box);
    }
    this.compareRow.hidden = compare === null;
    this.comparer.ariaExpanded = String(compare !== null);
    setText(this.comparer, compare === null ? "Compare" : "Stop comparing");
    for (const radio of this.views) radio.checked = radio.value === view;
    this.more.update(state);
    setValue(this.model, String(model));
    setText(this.modelName, modelLabel(this.models[model] ?? ""));
  }

  /** Says who asks at the moment, by its place in the computed map. */
  tellAsked(/** @type {number} */ query) {
    setValue(this.query, String(query));
  }

  /**
   * Offers what a map has to choose from.
   * @param {AttentionMap} map
   * @param {ShownMap} shown
   * @param {MapState} state
   * @param {number} asked
   */
  offer(map, shown, state, asked) {
    const [layers] = map.shape;
    const layerNumbers = Array.from({ length: layers }, (_, layer) => String(layer + 1));
    fillOptions(this.query, shown.queryTokens.map(readable), shown.queries, shown.queries[asked]);
    fillOptions(this.layer, layerNumbers, [...Array(layers).keys()], state.layer);
    fillOptions(this.head, ["all", ...map.headNames], ["all", ...map.headNames.keys()], state.head ?? "all");
    const there = layersOf(map);
    for (const option of this.layer.options) option.disabled = Boolean(map.final) && !there.includes(Number(option.value));
    this.layerField.hidden = layers === 1;
    this.headField.hidden = state.view !== "lines" || shown.mixed;
    this.more.offer(map, shown, state);
  }
}

const capital = (/** @type {string} */ word) => word[0].toUpperCase() + word.slice(1);
