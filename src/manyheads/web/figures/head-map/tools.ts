// What stands behind the button "Tools": undo, the views, the layer, who asks, a second sentence, how much is shown, and what can
// leave the page.

import type { MapState } from "../../math/map-state.ts";
import { layerName, layersOf } from "../../math/maps.ts";
import { namesWith, OPTIONS, START, valuesOf, type Option, type OptionName } from "../../math/options.ts";
import { changesSomething } from "../../math/shown.ts";
import { capital, readable } from "../../math/text.ts";
import { chooser, field, fillOptions, lineBox } from "../../views/controls.ts";
import { h, setIdle, setProps, setText, setValue } from "../../views/dom.ts";
import { drawnLayers } from "./patches.ts";
import { headFor, queryOf, type Action, type State } from "./state.ts";

type Dispatch = (action: Action) => void;
const MENU = namesWith("label");
const VIEWS = valuesOf("view") as MapState["view"][];

/** A control of one option. */
interface Control {
  name: OptionName;
  node: HTMLElement;
  draw(state: State): void;
}

export class Tools {
  /** Opens them; it says how many of the options are not as at the start. */
  readonly button: HTMLButtonElement;
  readonly node: HTMLElement;
  #undo: HTMLElement;
  #redo: HTMLElement;
  #views: HTMLInputElement[];
  #layer: HTMLSelectElement;
  #query: HTMLSelectElement;
  #compare: HTMLElement;
  #menu: Control[];
  #state: State | null = null;

  /** `share` is the menu of what can leave the page; where its reader types no sentence, there is none to compare with another. */
  constructor(id: string, dispatch: Dispatch, { types, share }: { types: boolean; share: HTMLElement }) {
    const choose = (parts: Partial<MapState>) => dispatch({ type: "choose", parts });
    this.button = h("button", {
      type: "button",
      class: "hm-tooler",
      "aria-controls": `${id}-tools`,
      onclick: () => dispatch({ type: "tools", open: !this.#state?.open }),
    });
    this.#undo = stepButton("Undo", "\u21b6", () => dispatch({ type: "undo" }));
    this.#redo = stepButton("Redo", "\u21b7", () => dispatch({ type: "redo" }));
    this.#views = VIEWS.map((view) =>
      h("input", {
        type: "radio",
        name: `${id}-view`,
        value: view,
        onchange: () => this.#state && choose({ view, head: headFor(view, this.#state.chosen) }),
      }),
    );
    this.#layer = chooser("Layer", (value) => choose({ layer: Number(value) }));
    this.#query = chooser("Asked by", (value) => choose({ query: Number(value) }));
    this.#compare = h("button", {
      type: "button",
      class: "hm-comparer",
      onclick: () =>
        this.#state && choose({ compare: this.#state.chosen.compare === null ? this.#state.chosen.sentence : null }),
    });
    this.#menu = MENU.map((name) => control(name, choose));
    const views = h(
      "fieldset",
      { class: "hm-views", "aria-label": "View" },
      ...this.#views.map((radio) => h("label", {}, radio, h("span", {}, capital(radio.value)))),
    );
    this.node = h(
      "div",
      {
        class: "hm-panel",
        id: `${id}-tools`,
        role: "group",
        "aria-label": "Tools",
        onkeydown: (event: KeyboardEvent) => {
          if (event.key !== "Escape") return;
          dispatch({ type: "tools", open: false });
          this.button.focus();
        },
      },
      h(
        "div",
        { class: "hm-menu-row" },
        views,
        field(this.#layer),
        field(this.#query),
        ...(types ? [this.#compare] : []),
        h("span", {}, this.#undo, this.#redo),
      ),
      h("div", { class: "hm-menu-row" }, ...this.#menu.map(({ node }) => node)),
      share,
    );
  }

  /** The name of the chosen view, where the tools are open. */
  get view() {
    return this.#state?.open ? this.#views.find((radio) => radio.checked) : undefined;
  }

  draw(state: State) {
    this.#state = state;
    const { chosen, map, shown, history } = state;
    const used = MENU.filter((name) => chosen[name] !== START[name]).length;
    setText(this.button, used ? `Tools (${used} set)` : "Tools");
    setProps(this.button, { ariaExpanded: String(state.open) });
    setProps(this.node, { hidden: !state.open });
    if (!state.open) return;
    setIdle(this.#undo, history.past.length === 0);
    setIdle(this.#redo, history.future.length === 0);
    for (const radio of this.#views) {
      radio.checked = radio.value === chosen.view;
      radio.parentElement!.hidden = radio.value === "picture" && !map?.picture;
    }
    setText(this.#compare, chosen.compare === null ? "Compare" : "Stop comparing");
    if (!map || !shown) return;
    const layers = [...Array(map.shape[0]).keys()];
    fillOptions(
      this.#layer,
      layers.map((layer) => layerName(map, layer).replace(/^layer /, "")),
      layers,
      chosen.layer,
    );
    for (const option of this.#layer.options)
      option.disabled = Boolean(map.final) && !layersOf(map).includes(Number(option.value));
    this.#layer.parentElement!.hidden = layers.length === drawnLayers(shown.map, chosen).length; // it would change nothing
    fillOptions(this.#query, shown.map.queryTokens.map(readable), shown.map.queries, shown.map.queries[queryOf(state)]);
    for (const each of this.#menu) {
      each.draw(state);
      each.node.hidden =
        !changesSomething(map, chosen, each.name) &&
        chosen[each.name] === START[each.name] &&
        !each.node.matches(":focus-within");
    }
  }

  /** Shows who asks at present, by its position in the computed map. */
  ask(query: number) {
    setValue(this.#query, String(query));
  }
}

const stepButton = (name: string, sign: string, act: () => void) =>
  h("button", { type: "button", class: "hm-undo", "aria-label": name, title: name, onclick: act }, sign);

/** The control of an option: a list of its values; for a token of the map, a box for its number, counted from 1. */
function control(name: OptionName, choose: (parts: Partial<MapState>) => void): Control {
  const { label = name, kind, values = {}, start }: Option = OPTIONS[name];
  if (kind === "choice") {
    const select = chooser(label, (value) => choose({ [name]: value }));
    const called = Object.entries(values).map(([value, { name: other = value }]) => other);
    fillOptions(select, called, Object.keys(values), START[name] as string);
    return { name, node: field(select), draw: ({ chosen }) => setValue(select, String(chosen[name])) };
  }
  const box = lineBox(label, { type: "number", min: 1 }, (text) => {
    const place = Math.floor(Number(text)) - 1;
    choose({ [name]: place < 0 || (place >= Number(box.max) - 1 && start === null) ? start : place });
  });
  return {
    name,
    node: field(box),
    draw: ({ chosen, map }) => {
      const count = map?.shape[3] ?? 1;
      box.max = String(count);
      setValue(box, String(Math.min(Number(chosen[name] ?? count - 1) + 1, count)));
    },
  };
}
