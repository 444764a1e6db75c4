// How a figure on a page comes to the models: on the site, the scripts that compute lie in the folder of the figures.

import { importScript, reasonOf } from "../math/faults.js";

/**
 * The module that loads models, the same for all figures of a page.
 * @returns {Promise<typeof import("../models/models.js")>}
 */
export const modelsScript = () => importScript("./models.js", import.meta.url);

/**
 * The module that makes a formula's steps of a model.
 * @returns {Promise<typeof import("../models/formula-model.js")>}
 */
export const formulaScript = () => importScript("./formula-model.js", import.meta.url);

/**
 * A model, with its progress told.
 * @param {string} name
 * @param {(text: string) => void} say
 */
export async function loadTold(name, say) {
  const { loadModel } = await modelsScript();
  const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);
  return loadModel(name, (done, total) => say(`Loading the model: ${megabytes(done)} of ${megabytes(total)} MB.`));
}

export const EXAMPLE_SHOWN = "This is a computed example. The model loads when you point at it or touch it.";
export const LOADING = "Loading the model.";
export const READY = "Ready: computed in this page as you type.";

/**
 * What is said where something could not be done.
 * @param {string} what
 * @param {unknown} error
 */
export const failedTo = (what, error) => `${what}: ${reasonOf(error)} What you see stays.`;

/** What is said where a model did not come. */
export const notLoaded = (/** @type {unknown} */ error) => failedTo("The model could not be loaded", error);
