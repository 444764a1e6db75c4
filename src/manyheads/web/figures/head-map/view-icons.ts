// The views of a map as icons: what is drawn of it, one of them at a time.

import type { MapState } from "../../math/map-state.ts";
import { valuesOf } from "../../math/options.ts";
import { capital } from "../../math/text.ts";
import { h, s, setText } from "../../views/dom.ts";
import type { MapHost } from "./map-part.ts";
import { headFor, type State } from "./state.ts";

type ViewName = MapState["view"];
const VIEWS = valuesOf("view") as ViewName[];

/** What a view shows, for who points at it, and how its icon is drawn, 16 by 16; what isn't filled is a line. A view without one stands there by its name. */
const ICONS: Partial<Record<string, { says: string; filled: string; drawn?: string }>> = {
  paint: {
    says: "the words, a row for each head",
    filled: "M1 2h4v3H1zM7 2h8v3H7zM1 6.5h7v3H1zM10 6.5h5v3h-5zM1 11h3v3H1zM6 11h6v3H6z",
  },
  matrix: {
    says: "a table for each head, a cell for each weight",
    filled: "M2 2h4v4H2zM6 6h4v4H6zM10 2h4v4h-4zM10 10h4v4h-4z",
    drawn: "M2 2h12v12H2zM6 2v12M10 2v12M2 6h12M2 10h12",
  },
  grid: {
    says: "all heads of all layers, small",
    filled:
      "M1 1h4v4H1zM6 1h4v4H6zM11 1h4v4h-4zM1 6h4v4H1zM6 6h4v4H6zM11 6h4v4h-4zM1 11h4v4H1zM6 11h4v4H6zM11 11h4v4h-4z",
  },
  lines: {
    says: "lines from word to word",
    filled: "M1 2h3v3H1zM1 6.5h3v3H1zM1 11h3v3H1zM12 2h3v3h-3zM12 6.5h3v3h-3zM12 11h3v3h-3z",
    drawn: "M4 3.5l8 4.5M4 8l8-4.5M4 12.5l8 0",
  },
  picture: {
    says: "what the model looked at",
    filled: "M2 13l4-6 3 4 2-2 3 4zM10.5 4.5h2v2h-2z",
    drawn: "M1.5 2.5h13v11h-13z",
  },
};

export function makeViewIcons(id: string, host: MapHost) {
  const name = h("span", { class: "hm-view-name", "aria-hidden": "true" }); // of the icon that's pointed at, else of the chosen one
  const showName = (view: string) => setText(name, capital(view));
  const radios = VIEWS.map((view) =>
    h("input", {
      type: "radio",
      name: `${id}-view`,
      value: view,
      "aria-label": capital(view),
      onchange: () => host.act({ type: "choose", parts: { view, head: headFor(view, host.state.chosen) } }),
    }),
  );
  const node = h(
    "fieldset",
    { class: "hm-views hm-icons", "aria-label": "View" },
    name,
    ...radios.map((radio) => {
      const called = capital(radio.value);
      const shown = ICONS[radio.value];
      return h(
        "label",
        {
          title: shown && `${called}: ${shown.says}`,
          onpointerenter: () => showName(radio.value),
          onpointerleave: () => showName(host.state.chosen.view),
        },
        radio,
        h("span", {}, shown ? drawn(shown) : called),
      );
    }),
  );

  function draw(state: State) {
    showName(state.chosen.view);
    for (const radio of radios) {
      radio.checked = radio.value === state.chosen.view;
      radio.parentElement!.hidden = radio.value === "picture" && !state.map?.picture;
    }
  }

  /** The icon of the chosen view. */
  const chosen = () => radios.find((radio) => radio.checked);

  return { node, chosen, draw };
}

function drawn(paths: { filled: string; drawn?: string }) {
  const kinds = (["filled", "drawn"] as const).map((kind) => s("path", { class: `hm-${kind}`, d: paths[kind] ?? "" }));
  return s("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, ...kinds);
}
