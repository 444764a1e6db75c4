// Where a map is drawn: the chosen view and, around it, what its colours mean and what the model concludes.

import type { AttentionMap } from "../../math/attention-map.ts";
import type { ShownMap, ViewName } from "../../math/map-state.ts";
import { headNamesOf } from "../../math/maps.ts";
import { Asking, WordTip } from "./asking.ts";
import { chooser, field, fillOptions } from "../../views/controls.ts";
import { arrow, focusOn, h, setProps, targetOf } from "../../views/dom.ts";
import { GridView } from "./grid.ts";
import { Legend } from "./legend.ts";
import { LinesView } from "./lines.ts";
import type { MapHost, MapPart, PlaceName } from "./map-part.ts";
import { MatrixView } from "./matrix.ts";
import { PaintView } from "./paint.ts";
import { PictureView } from "./picture.ts";
import { PredictionsView } from "./predictions.ts";
import { Translation } from "./translation.ts";
import { stretch } from "../../views/travel.ts";
import { isOn, missingOf, type State } from "./state.ts";
import type { Switches } from "./switches.ts";

const VIEWS: Record<ViewName, new (stage: HTMLElement, host: MapHost, placeName: PlaceName) => MapPart> = {
  paint: PaintView,
  matrix: MatrixView,
  grid: GridView,
  lines: LinesView,
  picture: PictureView,
};

export class Stage {
  readonly nodes: HTMLElement[];
  #host: MapHost;
  #switches: Switches;
  #stage = h("div", { class: "hm-stage hm-live", onkeydown: moveFocus });
  #room: HTMLElement;
  #body: HTMLElement;
  #view: MapPart | null = null;
  #viewName: ViewName | null = null;
  #holds = "";
  #asking: Asking;
  #legend = new Legend();
  #head: HTMLSelectElement; // whose lines are shown
  #translation: Translation;
  #predictions: PredictionsView;

  constructor(id: string, host: MapHost, switches: Switches) {
    this.#host = host;
    this.#switches = switches;
    const tip = new WordTip(`${id}-tip`);
    this.#asking = new Asking(this.#stage, host, tip);
    this.#translation = new Translation(host);
    this.#predictions = new PredictionsView((head) => this.#light(head));
    this.#head = chooser("Head", (value) =>
      host.act({ type: "choose", parts: { head: value === "all" ? null : Number(value) } }),
    );
    const key = h("div", { class: "hm-key" }, field(this.#head), this.#legend.node);
    this.#room = h("div", { class: "hm-room" }, switches.bar, this.#stage, key);
    this.#body = h("div", { class: "hm-body" }, this.#room, this.#predictions.node, tip.node);
    this.nodes = [this.#translation.node, this.#body];
  }

  leave() {
    this.#view?.leave?.();
  }

  /** Follows what is told of the map on screen, and not drawn anew: whether it's that of what was typed, and whether layers are to come. */
  update(state: State) {
    for (const node of [this.#translation.node, this.#stage, this.#predictions.node])
      node.classList.toggle("hm-stale", state.stale);
    const busy = missingOf(state).length > 0;
    setProps(this.#stage, { inert: busy, ariaBusy: String(busy) });
    if (state.map) this.#switches.draw(state, state.map, Boolean(this.#view?.placesToggles));
  }

  /** Paints. What stands around the view comes first: it can move words, and the view measures where they are. */
  draw(
    state: State,
    map: AttentionMap,
    drawn: ShownMap,
    { map: shown, compared }: { map: ShownMap; compared: ShownMap | null },
  ) {
    const { chosen } = state;
    const height = this.#heightBefore(chosen.view, shown);
    this.#open(chosen.view);
    this.#switches.draw(state, map, Boolean(this.#view?.placesToggles));
    this.#stage.classList.toggle("hm-dim", chosen.special === "dim");
    this.#stage.classList.toggle("hm-pinned", state.pinned);
    this.#body.classList.toggle("hm-signed", drawn.kind === "signed");
    this.#room.style.setProperty("--keys", String(drawn.keyTokens.length));
    fillOptions(
      this.#head,
      ["all", ...headNamesOf(map, chosen.layer)],
      ["all", ...map.headNames.keys()],
      chosen.head ?? "all",
    );
    this.#head.parentElement!.hidden = chosen.view !== "lines" || shown.mixed;
    this.#legend.draw(drawn, chosen);
    this.#translation.draw(map, shown, chosen.query);
    this.#predictions.draw(map, state.compared, chosen, (head) => isOn(chosen, map.namedLayer ?? chosen.layer, head));
    this.#view?.draw(shown, compared);
    stretch(this.#stage, height);
    this.#asking.refresh();
    this.#makeReachable();
  }

  /** How high the stage is before another view, or other heads, take it; 0 where it keeps what it holds, which the reader may be typing. */
  #heightBefore(view: ViewName, { shape: [layers, heads] }: ShownMap) {
    const holds = `${view} ${layers} ${heads}`;
    const height = this.#holds && holds !== this.#holds ? this.#stage.offsetHeight : 0;
    this.#holds = holds;
    return height;
  }

  /** Another token asks. */
  ask() {
    this.#translation.ask();
    this.#view?.ask?.();
  }

  /** Makes the chosen view, unless it's on display. */
  #open(name: ViewName) {
    if (this.#viewName === name) return;
    this.leave();
    this.#stage.replaceChildren();
    this.#view = new VIEWS[name](this.#stage, this.#host, this.#switches.placeName);
    this.#viewName = name;
  }

  /** Highlights what shows a head; null for none. */
  #light(head: number | null) {
    for (const node of this.#stage.querySelectorAll<HTMLElement>("[data-head]"))
      node.classList.toggle("hm-lit", head !== null && Number(node.dataset.head) === head);
  }

  /** Each table is one tab stop. */
  #makeReachable() {
    for (const table of this.#stage.querySelectorAll("table"))
      if (!table.querySelector('td[tabindex="0"]'))
        table.querySelector("td[data-weight]")?.setAttribute("tabindex", "0");
  }
}

/** Arrow keys move between the cells of a table; from a row to a shorter one, to its last cell. */
function moveFocus(event: KeyboardEvent) {
  const step = arrow(event.key);
  const cell = targetOf(event).closest<HTMLTableCellElement>("td[data-weight]");
  const table = cell?.closest("table");
  if (!step || !cell || !table) return;
  const rows = [...table.querySelectorAll("tr")].filter((row) => row.querySelector("td"));
  const at = rows.findIndex((row) => row === cell.parentElement);
  const cells = rows[at + step[0]]?.cells;
  const across = table.dir === "rtl" ? -step[1] : step[1];
  const next = cells?.[step[0] ? Math.min(cell.cellIndex, cells.length - 1) : cell.cellIndex + across];
  if (next?.tagName !== "TD") return;
  event.preventDefault();
  focusOn(next, cell);
}
