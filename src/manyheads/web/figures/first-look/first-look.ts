// <first-look>: a sentence on a stage, with the word that a head of layer 1 finds in it, that head's switch, and the answer. From the
// stage doors lead into the arc, to its numbers, and to the map of all heads, and back. No DOM while the module loads.

import { defineFigure } from "../../doors/define-figure.ts";
import { followMap, MAP_INSIDE, mapIn, seenOf } from "../../doors/leaning.ts";
import { maskOf, offIn, toggledIn } from "../../math/heads-off.ts";
import { reduce, startWith, type Action, type State } from "./state.ts";
import { typeOnce } from "./typing.ts";
import { placeArcs, view } from "./view.ts";

defineFigure<State, Action>("first-look", {
  start: (element) =>
    startWith(Number(element.getAttribute("head")) || 0, element.getAttribute("answer") ?? "", seenOf(mapIn(element))),
  reduce,
  view,
  properties: MAP_INSIDE,
  listen(host, leaves) {
    const { root } = host;
    followMap(host, leaves);
    const stage = root.querySelector<HTMLElement>(".fl-stage")!;
    const placed = new ResizeObserver(() => placeArcs(stage));
    for (const each of [root, stage]) placed.observe(each);
    leaves.addEventListener("abort", () => placed.disconnect());
    typeOnce(root, leaves);
  },
  effect:
    ({ root, state: { head } }) =>
    ({ type }) => {
      if (type !== "press") return;
      const map = mapIn(root);
      const [layers, heads] = map.attention!.shape;
      map.headMask = maskOf(toggledIn(offIn(map.headMask), [0, head]), layers, heads);
    },
});
