// Where a map is drawn: the chosen view and, around it, what its colours mean and what the model concludes.

import type { ShownMap, ViewName } from "../../math/map-state.ts";
import { headNamesOf } from "../../math/maps.ts";
import { askerOfWord, Asking, WordTip } from "./asking.ts";
import { chooser, field, fillOptions } from "../../views/controls.ts";
import { arrow, focusOn, h, setProps, targetOf } from "../../views/dom.ts";
import { GridView } from "./grid.ts";
import { makeLegend } from "./legend.ts";
import { LinesView } from "./lines.ts";
import type { MapHost, MapPart, PlaceName } from "./map-part.ts";
import { MatrixView } from "./matrix.ts";
import { PaintView } from "./paint.ts";
import { PictureView } from "./picture.ts";
import { makePredictions } from "./predictions.ts";
import { makeSources } from "./sources.ts";
import { Translation } from "./translation.ts";
import { stretch } from "../../views/travel.ts";
import { listenForSpans } from "./spans.ts";
import { askingOf, drawnOf, missingOf, type State } from "./state.ts";
import type { makeSwitches } from "./switches.ts";

const VIEWS: Record<ViewName, new (stage: HTMLElement, host: MapHost, placeName: PlaceName) => MapPart> = {
  paint: PaintView,
  matrix: MatrixView,
  grid: GridView,
  lines: LinesView,
  picture: PictureView,
};

export function makeStage(id: string, host: MapHost, switches: ReturnType<typeof makeSwitches>) {
  const stage = h("div", { class: "hm-stage hm-live", onkeydown: moveFocus });
  const tip = new WordTip(`${id}-tip`);
  const asking = new Asking(stage, host, tip);
  const translation = new Translation(host);
  const predictions = makePredictions(light);
  const legend = makeLegend();
  const sources = makeSources(host);
  const heads = chooser("Head", (value) =>
    host.act({ type: "choose", parts: { head: value === "all" ? null : Number(value) } }),
  ); // whose lines are shown
  const key = h("div", { class: "hm-key" }, field(heads), legend.node);
  const room = h("div", { class: "hm-room" }, switches.bar, stage, key);
  const body = h("div", { class: "hm-body" }, room, sources.node, predictions.node, tip.node);
  let view: { name: ViewName; part: MapPart; holds: string } | null = null;
  listenForSpans(stage, host, (node) => view?.part.askerAt?.(node) ?? askerOfWord(node));

  /** Follows what is told of the map on screen, and not drawn anew: whether it's that of what was typed, and whether layers are to come. */
  function update(state: State) {
    for (const node of [translation.node, stage, sources.node, predictions.node])
      node.classList.toggle("hm-stale", state.stale);
    const busy = missingOf(state).length > 0;
    setProps(stage, { inert: busy, ariaBusy: String(busy) });
    sources.tell(state);
    if (state.map) switches.draw(state, state.map, Boolean(view?.part.placesToggles));
  }

  /** Paints. What stands around the view comes first: it can move words, and the view measures where they are. */
  function draw(state: State) {
    const { chosen } = state;
    const map = state.map!;
    const { map: shown, compared } = state.shown!;
    const drawn = drawnOf(state)!;
    const height = heightBefore(chosen.view, shown);
    const { part } = open(chosen.view, shown);
    switches.draw(state, map, Boolean(part.placesToggles));
    stage.classList.toggle("hm-dim", chosen.special === "dim");
    stage.classList.toggle("hm-pinned", state.pinned);
    body.classList.toggle("hm-signed", drawn.kind === "signed");
    room.style.setProperty("--keys", String(drawn.keyTokens.length));
    const names = headNamesOf(map, chosen.layer);
    fillOptions(heads, ["all", ...names], ["all", ...map.headNames.keys()], chosen.head ?? "all");
    heads.parentElement!.hidden = chosen.view !== "lines" || shown.mixed;
    legend.draw(drawn, chosen);
    translation.draw(map, shown, askingOf(state));
    predictions.draw(state);
    sources.draw(state);
    part.draw(shown, compared);
    stretch(stage, height);
    asking.refresh();
    makeReachable();
  }

  /** How high the stage is before another view, or other heads, take it; 0 where it keeps what it holds, which the reader may be typing. */
  const heightBefore = (name: ViewName, shown: ShownMap) =>
    view && view.holds !== heldIn(name, shown) ? stage.offsetHeight : 0;

  /** Makes the chosen view, unless it's on display. */
  function open(name: ViewName, shown: ShownMap) {
    const holds = heldIn(name, shown);
    if (view?.name === name) return (view = { ...view, holds });
    leave();
    stage.replaceChildren();
    return (view = { name, part: new VIEWS[name](stage, host, switches.placeName), holds });
  }

  /** Another token asks. */
  function ask() {
    translation.ask();
    sources.ask();
    view?.part.ask?.();
  }

  /** Highlights what shows a head; null for none. */
  function light(head: number | null) {
    for (const node of stage.querySelectorAll<HTMLElement>("[data-head]"))
      node.classList.toggle("hm-lit", head !== null && Number(node.dataset.head) === head);
  }

  /** Each table is one tab stop. */
  function makeReachable() {
    for (const table of stage.querySelectorAll("table"))
      if (!table.querySelector('td[tabindex="0"]'))
        table.querySelector("td[data-weight]")?.setAttribute("tabindex", "0");
  }

  const leave = () => view?.part.leave?.();

  return { nodes: [translation.node, body], update, draw, ask, leave };
}

const heldIn = (name: ViewName, { shape: [layers, heads] }: ShownMap) => `${name} ${layers} ${heads}`;

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
