// The pretrained encoder in the page: 72 heads that nobody taught. This side talks to a worker, so that typing never
// stutters; model-worker.ts fetches, checks and computes. The files are made by models/encoder/page_files.py.

import type { AttentionMap, HeadMask } from "../math/attention-map.ts";
import type { Matrix } from "../math/attention.ts";
import type { Machine } from "../math/machine.ts";
import type { Flow, FlowState } from "../math/steps.ts";
import { missingBytesOf } from "./file-store.ts";
import type { AttendOptions, MachineOptions } from "./head-model.ts";
import type { Loading } from "./models.ts";
import { startModel, WorkerModel, type LoadOptions, type Started } from "./worker-model.ts";

/** The encoder; `models.ts` calls this. */
export const load = (_variant: string, { progress, signal }: Loading) => Encoder.load({ progress, signal });

export const missingBytes = () => missingBytesOf("encoder");

export class Encoder extends WorkerModel {
  /** Fetches the model and starts it, as `startModel` says. */
  static async load(options: LoadOptions = {}) {
    const { worker, facts } = await startModel<Started>({ load: "encoder" }, options);
    return new Encoder(worker, facts);
  }

  /**
   * A promise of the map of a sentence; where `states` is true, with `states`, the words' vectors after each layer, the
   * embeddings first: [layer + 1, query, width]. `headMask[layer][head]` is false for a head that is off, null for all on; `masked`
   * holds the places of tokens that none may look at. Of the words to `follow`, the first that is there has its `pushes` in the map.
   *
   * The worker computes one request after the other. A caller that no longer wants one says so: the promise of an
   * aborted `signal` is rejected at once with its reason, by default an AbortError, and if its turn has not come it is
   * never computed. So the last keystroke wins where each aborts the one before:
   *
   *     controller?.abort();
   *     controller = new AbortController();
   *     const map = await encoder.attend(sentence, null, { signal: controller.signal });
   */
  attend(sentence: string, headMask: HeadMask = null, options: AttendOptions = {}) {
    const { signal, states = false, masked = [], follow = [] } = options;
    return this.request<AttentionMap & { states?: Matrix }>(
      { sentence: String(sentence), headMask, states, masked, follow },
      signal,
    );
  }

  /** A promise of what each part adds and the topic so far, with parts off; of a `layer`, also its heads. */
  machine(sentence: string, partMask: HeadMask = null, { layer = null, signal }: MachineOptions = {}) {
    return this.request<Machine>({ sentence: String(sentence), headMask: partMask, whole: { layer } }, signal);
  }

  /** A promise of the journey through one head of one layer, where heads of the layers below may be off. */
  flow(state: FlowState, { signal, headMask = null }: { signal?: AbortSignal; headMask?: HeadMask } = {}) {
    return this.request<Flow>({ sentence: state.sentence, flow: state, headMask }, signal);
  }
}
