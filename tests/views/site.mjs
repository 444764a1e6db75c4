// Where scripts lie: on a site all in one folder, here each where it was written. Those of the families of models are tests' own.
import { readFileSync } from "node:fs";

const WEB = new URL("../../src/manyheads/web/", import.meta.url);
const table = readFileSync(new URL("../shared/models.json", WEB));
const FAMILIES = Object.values(JSON.parse(table)).map(({ module }) => module);

export function resolve(specifier, context, next) {
  const [, name] = /\/web\/(?:doors|models)\/([\w-]+)\.js(?:\?.*)?$/.exec(specifier) ?? [];
  if (name === "models") return { url: new URL("models.mjs", import.meta.url).href, shortCircuit: true };
  if (FAMILIES.includes(name)) return { url: new URL(`family.mjs?${name}`, import.meta.url).href, shortCircuit: true };
  const [, figure] = /\/web\/figures\/[\w-]+\/([\w-]+)\.js(?:\?.*)?$/.exec(specifier) ?? [];
  if (figure) return next(new URL(`figures/${figure}/${figure}.ts`, WEB).href, context);
  return next(name ? new URL(`models/${name}.ts`, WEB).href : specifier, context);
}
