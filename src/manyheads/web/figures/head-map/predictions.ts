// What the model concludes: the likeliest label of each prediction and, when heads are off, what it was with all on, or how many are off.

import type { AttentionMap, Predictions } from "../../math/attention-map.ts";
import { offIn, withOff } from "../../math/heads-off.ts";
import type { MapState } from "../../math/map-state.ts";
import { colourOf, likeliest } from "../../math/maps.ts";
import { isolated, percent } from "../../math/text.ts";
import { fill, h, setText, targetOf } from "../../views/dom.ts";

export class PredictionsView {
  node: HTMLElement;
  #allOn = { of: "", predictions: {} as Predictions }; // what was predicted with all heads on, and of what

  /** `light` lights a head, or none. */
  constructor(light: (head: number | null) => void) {
    const point = (event: Event) => {
      const item = targetOf(event).closest<HTMLElement>("[data-of]");
      light(item ? Number(item.dataset.of) : null);
    };
    this.node = h("dl", {
      class: "hm-predictions",
      "aria-label": "Predictions",
      onpointerover: point,
      onpointerleave: () => light(null),
    });
  }

  draw(map: AttentionMap, compared: AttentionMap | null, state: MapState, isOn: (head: number) => boolean) {
    const of = `${state.model} ${state.sentence}`;
    if (!state.headMask) this.#allOn = { of, predictions: map.predictions };
    const before = state.headMask && this.#allOn.of === of ? this.#allOn.predictions : {};
    const off = withOff(offIn(state.headMask).length);
    const names = Object.keys(map.predictions ?? {});
    this.node.hidden = names.length === 0;
    this.node.style.setProperty("--lines", compared ? "6" : "4");
    const items = fill(this.node, names.length, makeItem);
    names.forEach((name, index) => {
      const item = items[index];
      const [term, value] = item.children;
      drawSecond(item, name, compared?.predictions[name]);
      const [best, share, meter, earlier] = value.children;
      const [label, probability] = likeliest(map.predictions[name]);
      const head = map.headNames.indexOf(name);
      delete item.dataset.of;
      if (head >= 0) {
        item.style.setProperty("--head", colourOf(name));
        item.dataset.of = String(head);
        item.classList.toggle("hm-off", !isOn(head));
      }
      item.dataset.prediction = name;
      setText(term, name);
      setText(best, label);
      setText(share, percent(probability));
      Object.assign(meter, { value: probability, ariaLabel: `${name}: ${label}` });
      const was = before[name] && likeliest(before[name]);
      const changed = was && was[0] !== label ? `${isolated(was[0])} ` : "";
      setText(earlier, was ? `all heads on: ${changed}${percent(was[1])}` : off);
    });
  }
}

/** What is predicted of the second sentence. */
function drawSecond(item: Element, name: string, labels: Record<string, number> | undefined) {
  if (!labels) return item.children[2]?.remove();
  if (!item.children[2]) item.append(h("dd", { class: "hm-second" }, h("b"), h("span"), h("meter", { max: 1 })));
  const [best, share, meter] = item.children[2].children;
  const [label, probability] = likeliest(labels);
  setText(best, label);
  setText(share, percent(probability));
  Object.assign(meter, { value: probability, ariaLabel: `${name} of the second sentence: ${label}` });
}

const makeItem = () => h("div", {}, h("dt"), h("dd", {}, h("b"), h("span"), h("meter", { max: 1 }), h("small")));
