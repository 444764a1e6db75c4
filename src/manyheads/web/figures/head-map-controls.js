// What a reader sets a map by: the sentences, the view, who asks, what is shown; and the menu of what can leave the page.

import { shareMenu } from "../doors/share-menu.js";
import { layersOf } from "../math/maps.js";
import { CHOICES, VIEWS } from "../math/names.js";
import { canRollOut } from "../math/shown.js";
import { modelLabel, readable } from "../math/text.js";
import { chooser, field, fillOptions, sentenceBox } from "../views/controls.js";
import { h, setText, setValue, targetOf } from "../views/dom.js";
import { MoreControls } from "./head-map-more.js";
import { WordSuggestions } from "../views/suggestions.js";

/** What is shown of a map depends on these. */
const LABELS = { special: "Special tokens", heads: "Heads", layers: "Layers" };
const CHOICE_NAMES = /** @type {(keyof typeof LABELS)[]} */ (Object.keys(LABELS));

export class MapControls {
  /**
   * @param {import("./head-map-view.js").HeadMapView} host
   * @param {{ models: string[], computes: boolean, copies: Record<string, () => string> }} options
   */
  constructor(host, { models, computes, copies }) {
    this.models = models;
    this.sentence = sentenceBox("Sentence", "Type a sentence", (sentence) => host.set({ sentence }));
    this.suggestions = new WordSuggestions(/** @type {HTMLInputElement} */ (this.sentence), `${host.id}-words`);
    this.compare = sentenceBox("Compare with", "Type a second sentence", (compare) => host.set({ compare }));
    this.compareRow = h("div", {}, this.compare);
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
    this.choices = CHOICE_NAMES.map((name) => {
      const select = chooser(LABELS[name], (value) => host.set({ [name]: value }));
      fillOptions(select, CHOICES[name], CHOICES[name], host.state[name]);
      return { name, select, label: field(select) };
    });

    this.layerField = field(this.layer);
    this.headField = field(this.head);
    const tools = h("div", { class: "hm-tools" },
      h("fieldset", { class: "hm-views", "aria-label": "View" },
        ...this.views.map((radio) => h("label", {}, radio, h("span", {}, capital(radio.value))))),
      field(this.query), this.layerField, this.headField);
    const more = h("div", { class: "hm-tools" }, ...this.choices.map(({ label }) => label));
    if (models.length > 1) tools.append(h("label", { class: "hm-field hm-model" }, "Model ", this.model, this.modelName));
    if (computes) (models.length > 1 ? more : tools).append(this.comparer); // each row on one line of a wide page
    this.more = new MoreControls(host);
    more.append(this.more.node, shareMenu(host, copies));
    this.nodes = computes ? [h("div", {}, this.sentence, this.suggestions.node), this.compareRow, tools, more] : [tools, more];
  }

  /** Says what the state is. */
  update(/** @type {MapState} */ state) {
    const { sentence, compare, view, model } = state;
    setValue(this.sentence, sentence);
    setValue(this.compare, compare ?? "");
    this.compareRow.hidden = compare === null;
    this.comparer.ariaExpanded = String(compare !== null);
    setText(this.comparer, compare === null ? "Compare" : "Stop comparing");
    for (const radio of this.views) radio.checked = radio.value === view;
    for (const { name, select } of this.choices) setValue(select, state[name]);
    this.more.update(state);
    setValue(this.model, String(model));
    setText(this.modelName, modelLabel(this.models[model] ?? ""));
  }

  /**
   * Offers what a map has to choose from.
   * @param {AttentionMap} map
   * @param {ShownMap} shown
   * @param {MapState} state
   * @param {number} asked
   */
  offer(map, shown, state, asked) {
    const [layers, heads] = map.shape;
    const layerNumbers = Array.from({ length: layers }, (_, layer) => String(layer + 1));
    fillOptions(this.query, shown.queryTokens.map(readable), shown.queries, shown.queries[asked]);
    fillOptions(this.layer, layerNumbers, [...Array(layers).keys()], state.layer);
    fillOptions(this.head, ["all", ...map.headNames], ["all", ...map.headNames.keys()], state.head ?? "all");
    const there = layersOf(map);
    for (const option of this.layer.options) option.disabled = Boolean(map.final) && !there.includes(Number(option.value));
    this.layerField.hidden = layers === 1;
    this.headField.hidden = state.view !== "lines" || shown.mixed;
    const useless = { special: false, heads: heads === 1 || (state.layers === "rollout" && layers > 1), layers: layers === 1 || !canRollOut(map) };
    for (const { name, label } of this.choices) label.hidden = useless[name];
    this.more.offer(map, shown, state);
  }
}

const capital = (/** @type {string} */ word) => word[0].toUpperCase() + word.slice(1);
