// models.ts as a page has it: another one for each page, so that none keeps what the page before has loaded. A file is opened by the
// test's family `file`: {openModel(file, opening)}.

const onPage =
  (name) =>
  async (...wanted) =>
    (await (globalThis.modelsOfPage ?? globalThis.newModels()))[name](...wanted);
export const [missingBytes, pauseLoading, whenLoaded] = ["missingBytes", "pauseLoading", "whenLoaded"].map(onPage);
export const loadSenses = async () => globalThis.families.senses.load();

export async function openModel(file, opening) {
  const model = await globalThis.families.file.openModel(file, opening);
  (globalThis.families.file.opened ??= {})[model.name] = model;
  return model;
}

export const loadModel = async (name, progress) =>
  globalThis.families.file?.opened?.[name] ?? onPage("loadModel")(name, progress);
