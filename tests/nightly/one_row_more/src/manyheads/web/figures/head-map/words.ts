// Words: who asks, and what the first head looks at most.

import type { ShownMap } from "../../math/map-state.ts";
import { queryWeights } from "../../math/maps.ts";
import { h } from "../../views/dom.ts";
import type { MapHost, MapPart } from "./map-part.ts";
import { queryOf } from "./state.ts";

export class WordsView implements MapPart {
  #host: MapHost;
  #node = h("p", { class: "hm-words" });

  constructor(stage: HTMLElement, host: MapHost) {
    this.#host = host;
    stage.append(this.#node);
  }

  draw(map: ShownMap) {
    const { state } = this.#host;
    const query = queryOf(state);
    const weights = [...queryWeights(map, state.chosen.layer, 0, query)];
    const most = map.keyTokens[weights.indexOf(Math.max(...weights))];
    this.#node.textContent = `${map.queryTokens[query]} looks at ${most}`;
  }
}
