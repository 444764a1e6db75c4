// models.ts as a page has it: another one for each page, so that none keeps what the page before has loaded.

const onPage =
  (name) =>
  async (...wanted) =>
    (await (globalThis.modelsOfPage ?? globalThis.newModels()))[name](...wanted);
export const [loadModel, missingBytes, pauseLoading, whenLoaded] = [
  "loadModel",
  "missingBytes",
  "pauseLoading",
  "whenLoaded",
].map(onPage);
export const loadSenses = async () => globalThis.families.senses.load();
