// Where a map is drawn: the chosen view and, around it, what its colours mean and what the model concludes.

import type { AttentionMap } from "../../math/attention-map.ts";
import type { ShownMap } from "../../math/map-state.ts";
import { Asking, WordTip } from "../../views/asking.ts";
import { arrow, focusOn, h, targetOf } from "../../views/dom.ts";
import { GridView } from "../../views/grid.ts";
import { Legend } from "../../views/legend.ts";
import { LinesView } from "../../views/lines.ts";
import type { MapHost, MapPart } from "../../views/map-part.ts";
import { MatrixView } from "../../views/matrix.ts";
import { PaintView } from "../../views/paint.ts";
import { PictureView } from "../../views/picture.ts";
import { PredictionsView } from "../../views/predictions.ts";
import { TranslationLine } from "../../views/translation.ts";
import { isFound } from "./more.ts";
import { isLarge } from "./height.ts";
import type { FirstSteps } from "./start.ts";
import type { MapHeads } from "./switches.ts";

const VIEWS: Record<string, new (stage: HTMLElement, host: MapHost) => MapPart> =
  { paint: PaintView, matrix: MatrixView, grid: GridView, lines: LinesView, picture: PictureView };

interface StageHost extends MapHost {
  id: string;
  drawn: ShownMap;
}

export class MapStage {
  readonly nodes: HTMLElement[];
  readonly room: HTMLElement; // as high in one view as in another
  #host: StageHost;
  #heads: MapHeads;
  #stage = h("div", { class: "hm-stage hm-live", onkeydown: moveFocus });
  #body: HTMLElement;
  #view: MapPart | null = null;
  #viewName = "";
  #asking: Asking;
  #legend = new Legend();
  #translation: TranslationLine;
  #predictions: PredictionsView;

  /** `choosers` stand beside the legend, `guide` around what the model concludes. */
  constructor(host: StageHost, heads: MapHeads, choosers: HTMLElement[], guide: FirstSteps | null) {
    this.#host = host;
    this.#heads = heads;
    const tip = new WordTip(`${host.id}-tip`);
    this.#asking = new Asking(this.#stage, host, tip);
    this.#translation = new TranslationLine((query) => host.set({ query }), (query) => this.#pointAt(query));
    this.#predictions = new PredictionsView((head) => heads.highlight(head, this.#stage));
    const key = h("div", { class: "hm-key" }, ...choosers, this.#legend.node);
    const [caption, steps] = guide ? [[guide.caption], [guide.node]] : [[], []];
    this.room = h("div", { class: "hm-room" }, heads.bar, this.#stage, key);
    this.#body = h("div", { class: "hm-body" }, this.room, ...caption, this.#predictions.node, ...steps, tip.node);
    this.nodes = [this.#translation.node, this.#body];
  }

  /** Greys the map while it isn't that of what the reader typed. */
  set stale(stale: boolean) {
    for (const node of [this.#translation.node, this.#stage]) node.classList.toggle("hm-stale", stale);
  }

  /** Takes no input while layers of the map are still to come. */
  set busy(busy: boolean) {
    this.#stage.inert = busy;
    this.#stage.ariaBusy = String(busy);
  }

  /** Makes the chosen view, unless it is the one on display. */
  open(name: string) {
    if (this.#view && this.#viewName === name) return;
    this.leave();
    this.#stage.replaceChildren();
    this.#view = new (VIEWS[name] ?? PaintView)(this.#stage, this.#host);
    this.#viewName = name;
  }

  leave() {
    this.#view?.leave?.();
  }

  drawToggles(map: AttentionMap) {
    this.#heads.draw(map, Boolean(this.#view?.placesToggles));
  }

  /** What stands around the view. It can move words, so it is drawn before the view, which measures where they are. */
  drawSurroundings(map: AttentionMap, compared: AttentionMap | null) {
    const { dim, drawn, pinned, state } = this.#host;
    this.#stage.classList.toggle("hm-dim", dim);
    this.#stage.classList.toggle("hm-pinned", pinned);
    this.#body.classList.toggle("hm-signed", drawn.kind === "signed");
    this.room.classList.toggle("hm-free", isLarge(state));
    this.room.style.setProperty("--keys", String(drawn.keyTokens.length));
    this.#legend.draw(drawn, state);
    this.#translation.draw(map, state.query);
    this.#predictions.draw(map, compared, state, (head) => this.#heads.isOn(state.layer, head));
  }

  drawView(map: ShownMap, compared: ShownMap | null) {
    this.#view?.draw(map, compared);
    this.#markFound();
    this.#asking.refresh();
    this.#makeReachable();
  }

  /** Another token asks. */
  ask() {
    this.#view?.ask?.();
  }

  /** Marks the tokens that the reader searches. */
  #markFound() {
    for (const node of this.#stage.querySelectorAll(".hm-paint td, .hm-matrix th, .hm-lines li button, .hm-places td"))
      node.classList.toggle("hm-found", isFound(node.textContent ?? "", this.#host.state.find));
  }

  /** Each table is one tab stop. */
  #makeReachable() {
    for (const table of this.#stage.querySelectorAll("table"))
      if (!table.querySelector('td[tabindex="0"]')) table.querySelector("td[data-weight]")?.setAttribute("tabindex", "0");
  }

  /** Somebody points at a word of the translation, by its query in the computed map. */
  #pointAt(query: number | null) {
    this.#host.point(query === null ? null : this.#host.shown.map.queries.indexOf(query));
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
