// `npm run build`: into dist/ every script that pages and notebooks load, each a file without imports, and the stylesheets.

import { copyFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const FIGURES = [
  "head-map", "formula-steps", "softmax-scale", "museum-piece", "head-cards", "word-shuffle", "word-sense", "head-pruning",
  "field-exercise", "exercise-list",
].map((name) => `figures/${name}.ts`);
const MODELS = ["models", "formula-model", "bugs", "encoder", "encoder-worker", "translator"].map((name) => `models/${name}.ts`);
const MODULES = [...FIGURES, ...MODELS, "doors/embed.ts", "doors/paper.ts", "doors/search-excerpts.ts"];
const COPIED = ["node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs"];

const web = fileURLToPath(new URL(".", import.meta.url));
const dist = `${web}dist`;
const COMMON = { absWorkingDir: web, outdir: "dist", entryNames: "[name]", bundle: true, minify: true, legalComments: "none", charset: "utf8" };

await rm(dist, { recursive: true, force: true });
await mkdir(dist);
await build({ ...COMMON, entryPoints: MODULES, format: "esm", target: "es2022" });
// Classic scripts. The second runs where a browser is too old for all others: nothing in it may be newer than ES2015.
await build({ ...COMMON, entryPoints: ["doors/theme.ts"], format: "iife", target: "es2022" });
await build({ ...COMMON, entryPoints: ["doors/standing-still.ts"], format: "iife", target: "es2015" });
for (const room of ["figures", "doors"])
  for (const name of await readdir(web + room)) if (name.endsWith(".css")) COPIED.push(`${room}/${name}`);
await Promise.all(COPIED.map((path) => copyFile(web + path, `${dist}/${basename(path)}`)));

for (const name of (await readdir(dist)).filter((each) => each.endsWith(".js"))) {
  const bytes = await readFile(`${dist}/${name}`);
  console.log(`${name.padEnd(20)} ${String(bytes.length).padStart(7)} bytes, ${String(gzipSync(bytes, { level: 9 }).length).padStart(6)} gzipped`);
}
