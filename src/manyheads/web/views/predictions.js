// What the model concludes: the likeliest label of each prediction and, when heads are off, what it was with all on.

import { colourOf, likeliest } from "../math/maps.js";
import { percent } from "../math/text.js";
import { fill, h, setText } from "./dom.js";

export class PredictionsView {
  node = h("dl", { class: "hm-predictions", "aria-label": "Predictions" });
  /** What was predicted with all heads on, and of what. */
  #allOn = { of: "", predictions: /** @type {Predictions} */ ({}) };

  /**
   * @param {AttentionMap} map
   * @param {MapState} state
   * @param {(head: number) => boolean} isOn
   */
  draw(map, state, isOn) {
    const of = `${state.model} ${state.sentence}`;
    if (!state.headMask) this.#allOn = { of, predictions: map.predictions };
    const before = state.headMask && this.#allOn.of === of ? this.#allOn.predictions : {};
    const names = Object.keys(map.predictions ?? {});
    this.node.hidden = names.length === 0;
    const items = fill(this.node, names.length, makeItem);
    names.forEach((name, index) => {
      const item = items[index];
      const [term, value] = item.children;
      const [best, share, meter, earlier] = value.children;
      const [label, probability] = likeliest(map.predictions[name]);
      const head = map.headNames.indexOf(name);
      if (head >= 0) {
        item.style.setProperty("--head", colourOf(head));
        item.classList.toggle("hm-off", !isOn(head));
      }
      item.dataset.prediction = name;
      setText(term, name);
      setText(best, label);
      setText(share, percent(probability));
      Object.assign(meter, { value: probability, ariaLabel: `${name}: ${label}` });
      const was = before[name] && likeliest(before[name]);
      setText(earlier, was ? `all heads on: ${was[0]} ${percent(was[1])}` : "");
    });
  }
}

const makeItem = () => h("div", {}, h("dt"), h("dd", {}, h("b"), h("span"), h("meter", { max: 1 }), h("small")));
