// The layers of a map that a kernel sends only once something needs them.

import type { AttentionMap } from "../../math/attention-map.ts";
import type { MapState } from "../../math/map-state.ts";
import { layersOf } from "../../math/maps.ts";
import { missingLayers } from "../../math/shown.ts";

export type RequestLayers = (layers: number[], map: AttentionMap) => void;

export class MapLayers {
  /** Layers that the chosen view needs and that are still to come. */
  missing: number[] = [];
  #requested = new Set<number>();
  #request: RequestLayers | null;

  /** Without `request`, the layers that a map brings are all that it will have. */
  constructor(request: RequestLayers | null) {
    this.#request = request;
  }

  get waiting() {
    return this.missing.length > 0;
  }

  /** Starts anew with other maps. */
  take(maps: (AttentionMap | null)[]) {
    this.#requested.clear();
    if (!this.#request) for (const map of maps) if (map?.present) map.final = true;
  }

  /** Requests what the state needs, each layer once. */
  require(map: AttentionMap, state: MapState) {
    this.missing = missingLayers(map, state);
    const fresh = this.missing.filter((layer) => !this.#requested.has(layer));
    if (fresh.length) this.#request?.(fresh, map);
    for (const layer of fresh) this.#requested.add(layer);
  }

  /** Requests every layer that isn't here yet. */
  requestAll(map: AttentionMap) {
    const present = layersOf(map);
    this.#request?.([...Array(map.shape[0]).keys()].filter((layer) => !present.includes(layer)), map);
  }
}
