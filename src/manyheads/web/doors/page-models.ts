// How a figure on a page comes to the models: on the site, the scripts that compute lie in the folder of the figures.

import { isFile, readsText } from "../math/families.ts";
import { importScript, reasonOf } from "../math/faults.ts";
import type { FocusModel } from "../models/focus.ts";
import type { DecoderModel, HeadModel } from "../models/head-model.ts";

/** The module that loads models, the same for all figures of a page. */
export const modelsScript = (): Promise<typeof import("../models/models.ts")> =>
  importScript("./models.js", import.meta.url);

/** The module that makes a formula's steps of a model. */
export const formulaScript = (): Promise<typeof import("../models/formula-model.ts")> =>
  importScript("./formula-model.js", import.meta.url);

/** The module that trains a model in the page. */
export const trainingScript = (): Promise<typeof import("../models/training.ts")> =>
  importScript("./training.js", import.meta.url);

/** What a function of that module makes of a model, which computes for a figure. */
export async function loadFormula<Made>(
  of: (script: Awaited<ReturnType<typeof formulaScript>>) => (model: FocusModel) => Made,
  name: string,
  show: ShowLoading,
) {
  const [script, model] = await Promise.all([formulaScript(), loadWithProgress(name, show)]);
  return of(script)(model as FocusModel);
}

/** Shows how much of a model is here: as a text, and as a number from 0 to 1. */
export type ShowLoading = (text: string, loaded?: number) => void;

/** A model; its progress is shown. */
export async function loadWithProgress(name: string, show: ShowLoading) {
  const { loadModel } = await modelsScript();
  return loadModel(name, (done, total) =>
    show(`Loading the model: ${megabytes(done)} of ${megabytes(total)} MB.`, done / total),
  );
}

export const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

export const EXAMPLE_SHOWN = "This is a computed example. The model loads when you point at it or touch it.";
export const OFFERED = "This is a computed example.";
export const LOADING = "Loading the model.";
export const READY = "Ready: computed in your browser as you type.";
const READY_TO_DRAW = "Ready: computed in your browser.";

/** The same of a model; how long a word takes is said of the reader's own, once that's known. */
export function readyWith(model: HeadModel | null) {
  const { name = "", secondsPerWord = 0 } = (model ?? {}) as Partial<DecoderModel>;
  if (!readsText(name)) return READY_TO_DRAW;
  return isFile(name) && secondsPerWord ? `${READY.slice(0, -1)}; a word takes ${inSeconds(secondsPerWord)}.` : READY;
}

const inSeconds = (seconds: number) => `${seconds < 0.1 ? "less than 0.1" : seconds.toFixed(seconds < 10 ? 1 : 0)} s`;

/** What a reader reads where something could not be done. */
export const failedTo = (what: string, error: unknown) => `${what}: ${reasonOf(error)} What you see stays.`;
