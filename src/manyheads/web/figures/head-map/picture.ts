// Picture: what the model looked at, once per head, and over it the weights that the asking place gives to its patches. Above
// it stand the other places: special tokens or, in a vision-language model, words. Of few heads, all layers are there at once.

import type { ShownMap } from "../../math/map-state.ts";
import { headName, headTitle, layerName, queryName } from "../../math/maps.ts";
import { isSpecial } from "../../math/text.ts";
import { fill, h, setText } from "../../views/dom.ts";
import { makeAskingWords } from "./asking-words.ts";
import { figuresOf } from "./head-figure.ts";
import type { MapHost, MapPart, PlaceName } from "./map-part.ts";
import { scrollToFocus } from "./matrix.ts";
import { askersByKey, drawnLayers, FEW_PLACES, meanOfLayer, otherKeys, patchKeys } from "./patches.ts";
import { CellTable } from "./patch-table.ts";
import { Sight } from "./sight.ts";
import { restOf } from "./state.ts";
import { styleOfHead } from "./switches.ts";

const MOST_CELLS = 4096; // so many, all heads together, are tables; more are bitmaps, which follow the pointer faster

export class PictureView implements MapPart {
  placesToggles = true;
  host: MapHost;
  placeName: PlaceName;
  rows: SightRow[] = []; // a layer each
  asking: ReturnType<typeof makeAskingWords>;
  words: CellTable; // of one head, or of the mean of those that are on
  wordsName = h("span", { class: "hm-head" });
  wordsRow: HTMLElement;
  box = h("div", { class: "hm-sights", onfocusin: scrollToFocus });

  constructor(stage: HTMLElement, host: MapHost, placeName: PlaceName) {
    this.host = host;
    this.placeName = placeName;
    this.asking = makeAskingWords(host);
    this.words = new CellTable(host);
    this.wordsRow = h("div", { class: "hm-words" }, this.wordsName, this.words.node);
    stage.append(this.asking.node, this.wordsRow, this.box);
  }

  draw(map: ShownMap) {
    const { host, box, rows } = this;
    const { chosen, readsText } = host.state;
    const {
      picture,
      shape: [, heads],
    } = map;
    if (!picture) return;
    const layers = drawnLayers(map, chosen);
    const [patches, others, askers] = [patchKeys(map), otherKeys(map), askersByKey(map, map.askers)];
    const few = others.length <= FEW_PLACES;
    const looks = {
      photo: picture.src ? `url("${picture.src}")` : "none",
      shape: `${picture.width} / ${picture.height}`,
    };
    for (const [name, value] of Object.entries({ ...looks, heads })) box.style.setProperty(`--${name}`, String(value));
    box.classList.toggle("hm-inked", Boolean(picture.ink) || !readsText);
    box.classList.toggle("hm-layers", layers.length > 1);
    this.asking.draw(map, askers);
    this.wordsRow.hidden = few;
    if (!few) this.#drawWords(map, others, askers);
    rows.length = Math.min(rows.length, layers.length);
    while (rows.length < layers.length) rows.push(new SightRow());
    fill(box, rows.length, (at) => rows[at].node);
    const tables = patches.length * heads * layers.length <= MOST_CELLS;
    layers.forEach((layer, at) => {
      const row = rows[at];
      row.call(layers.length > 1 ? layerName(map, layer) : "");
      figuresOf(row.sights, row.node, heads, () => new Sight(host)).forEach((sight, head) => {
        const large = chosen.layer === layer && chosen.head === head;
        const name = layers.length > 1 ? headTitle(map, layer, head) : headName(map, layer, head);
        this.placeName(sight.title, layer, head);
        sight.draw({ map, layer, head, name, patches, scale: patches, askers }, few ? others : [], {
          large,
          table: tables || (large && patches.length <= MOST_CELLS),
        });
      });
    });
  }

  /** One row of words, for the head that is large, or for all that are on. */
  #drawWords(map: ShownMap, others: number[], askers: (number | null)[]) {
    const { wordsRow, words } = this;
    const { state } = this.host;
    const { layer, head: chosen, headMask } = state.chosen;
    const [shown, head] =
      chosen === null && map.shape[1] > 1 ? [meanOfLayer(map, layer, headMask), 0] : [map, chosen ?? 0];
    const name = headName(shown, layer, head);
    setText(this.wordsName, name);
    wordsRow.style.setProperty("--head", styleOfHead(state, shown, layer, head).colour);
    const scale = others.filter((key) => !isSpecial(map.keyTokens[key])); // they rest on special tokens
    words.draw(
      { map: shown, layer, head, name, patches: [], scale, askers },
      others,
      0,
      `${name}: what ${queryName(map, restOf(state))} looks at beside the picture`,
    );
  }

  /** Another place asks. */
  ask() {
    this.asking.mark();
    if (!this.wordsRow.hidden) this.words.ask();
    for (const { sights } of this.rows) for (const sight of sights) sight.ask();
  }
}

/** The heads of a layer. */
class SightRow {
  sights: Sight[] = [];
  #name = h("span", { class: "hm-layer" });
  node = h("div", { class: "hm-sight-row", role: "group" }, this.#name);

  /** Names it; one that is alone has no name. */
  call(name: string) {
    setText(this.#name, name);
    this.#name.hidden = !name;
    this.node.ariaLabel = name || null;
  }
}
