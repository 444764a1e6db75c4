// The models that have a name, such as "focus/heads-8": models/registry.py explains the table, and Python reads it as well.

import families from "../../shared/models.json" with { type: "json" };

interface Family {
  label: string;
  reads?: string; // "drawing"; text, unless said
  plain: string;
  variants: string;
  module: string;
  onRequest: boolean;
}

const FAMILIES: Record<string, Family> = families;

/** The family and the variant of a named model; undefined where no family has such a name. */
export function familyOf(name: string) {
  const [family, ...rest] = name.split("/");
  const variant = rest.join("/");
  if (!Object.hasOwn(FAMILIES, family)) return undefined;
  const row = FAMILIES[family];
  return !variant || new RegExp(`^(?:${row.variants})$`).test(variant) ? { ...row, variant } : undefined;
}

/** Whether a model reads text, and no drawings. */
export const readsText = (name: string) => familyOf(name)?.reads !== "drawing";

/** Whether a model is one of language, to which a line's end is a token of the text. */
export const keepsLines = (name: string) => isFile(name) || familyOf(name)?.module === "decoder";

const FILE = "file/";

/** Whether a model is a file that the reader opened: "file/" and the file's name. */
export const isFile = (name: string) => name.startsWith(FILE);

/** What the page calls the model of a file, of a file's parts, or of a folder; attributes name several with spaces between them. */
export function nameOfFiles(files: File[]) {
  const { name, webkitRelativePath = "" } = files.find((file) => /\.safetensors$/i.test(file.name)) ??
    files[0] ?? { name: "" };
  const [folder, ...inside] = webkitRelativePath.split("/");
  const own = inside.length ? folder : name.replace(/(-\d{5}-of-\d{5})?\.(gguf|safetensors)$/i, "");
  return FILE + own.replace(/\s+/g, "-");
}

/** Whether a model is so large that a page fetches it only when its reader asks. */
export const isOnRequest = (name: string) => familyOf(name)?.onRequest ?? false;

/** What an offer to load a model calls it. */
export const familyLabel = (name: string) => familyOf(name)?.label ?? name;

/** How a slider names a model: "focus" is the taught one, "focus/step-40" reads "step 40", "focus/heads-8" "8 heads". */
export function modelLabel(name: string) {
  if (isFile(name)) return name.slice(FILE.length);
  const family = familyOf(name);
  const count = headsIn(name);
  if (count) return `${count} ${count === 1 ? "head" : "heads"}`;
  return family ? family.variant.replace("-", " ") || family.plain || family.label : name;
}

/** What a reader reads whose link shows a file of somebody else's. */
export const madeWith = (name: string) => `This link was made with ${modelLabel(name)}: open that file to see it.`;

/** The most heads that any of these models has whose name has the number; 0 where none has, or there is one model. */
export const mostHeads = (names: string[]) => (names.length > 1 ? Math.max(0, ...names.map(headsIn)) : 0);

/** 8 of "focus/heads-8"; 0 of names without a number of heads. */
const headsIn = (name: string) => Number(/\bheads-(\d+)$/.exec(name)?.[1] ?? 0);
