// What the model concludes: the likeliest label of each prediction and, when heads are off, what it was with all on, or how many are off.

import { offIn, withOff } from "../../math/heads-off.ts";
import { colourOf, likeliest } from "../../math/maps.ts";
import { isolated, percent } from "../../math/text.ts";
import { fill, h, setText, targetOf } from "../../views/dom.ts";
import { isOn, secondName, withAllOn, type State } from "./state.ts";

/** `light` lights a head, or none. */
export function makePredictions(light: (head: number | null) => void) {
  const point = (event: Event) => {
    const item = targetOf(event).closest<HTMLElement>("[data-of]");
    light(item ? Number(item.dataset.of) : null);
  };
  const node = h("dl", {
    class: "hm-predictions",
    "aria-label": "Predictions",
    onpointerover: point,
    onpointerleave: () => light(null),
  });

  function draw(state: State) {
    const { compared, chosen } = state;
    const map = state.map!;
    const before = withAllOn(state);
    const off = withOff(offIn(chosen.headMask).length);
    const names = Object.keys(map.predictions ?? {});
    node.hidden = names.length === 0;
    node.style.setProperty("--lines", compared ? "6" : "4");
    const items = fill(node, names.length, makeItem);
    names.forEach((name, index) => {
      const item = items[index];
      const [term, value] = item.children;
      drawSecond(item, `${name} of the ${secondName(state)}`, compared?.predictions[name]);
      const [best, share, meter, earlier] = value.children;
      const [label, probability] = likeliest(map.predictions[name]);
      const head = map.headNames.indexOf(name);
      delete item.dataset.of;
      if (head >= 0) {
        item.style.setProperty("--head", colourOf(name));
        item.dataset.of = String(head);
        item.classList.toggle("hm-off", !isOn(chosen, map.namedLayer ?? chosen.layer, head));
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

  return { node, draw };
}

/** What is predicted by the map that it is compared with. */
function drawSecond(item: Element, label: string, labels: Record<string, number> | undefined) {
  if (!labels) return item.children[2]?.remove();
  if (!item.children[2]) item.append(h("dd", { class: "hm-second" }, h("b"), h("span"), h("meter", { max: 1 })));
  const [best, share, meter] = item.children[2].children;
  const [first, probability] = likeliest(labels);
  setText(best, first);
  setText(share, percent(probability));
  Object.assign(meter, { value: probability, ariaLabel: `${label}: ${first}` });
}

const makeItem = () => h("div", {}, h("dt"), h("dd", {}, h("b"), h("span"), h("meter", { max: 1 }), h("small")));
