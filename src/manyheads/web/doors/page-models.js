// How a figure on a page comes to the models: on the site, the scripts that compute lie in the folder of the figures.

/** @returns {Promise<any>} */
const siteScript = (/** @type {string} */ name) =>
  import(new URL(`./${name}`, import.meta.url).href).catch(() => {
    throw new Error("a script did not arrive.");
  });

/**
 * The module that loads models, the same for all figures of a page.
 * @returns {Promise<typeof import("../models/models.js")>}
 */
export const modelsScript = () => siteScript("models.js");

/**
 * The module that makes a formula's steps of a model.
 * @returns {Promise<typeof import("../models/formula-model.js")>}
 */
export const formulaScript = () => siteScript("formula-model.js");

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

/** What is said where a model did not come. */
export const notLoaded = (/** @type {unknown} */ error) =>
  `The model could not be loaded: ${/** @type {Error} */ (error).message} What you see stays.`;
