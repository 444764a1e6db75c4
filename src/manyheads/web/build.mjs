// `npm run build`: into dist/ every script that pages and notebooks load, each a file without imports, and the stylesheets.

import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const shared = async (name) => JSON.parse(await readFile(new URL(`../shared/${name}`, import.meta.url)));
const figures = Object.keys(await shared("figures.json")).map((name) => `figures/${name}/${name}.ts`);
const families = Object.values(await shared("models.json")).map(({ module }) => `models/${module}.ts`);
const modules = [
  ...figures,
  ...families,
  ...["models", "formula-model", "bugs", "model-worker", "training", "training-worker"].map(
    (name) => `models/${name}.ts`,
  ),
  "doors/embed.ts",
  "doors/notebook.ts",
  "doors/search-excerpts.ts",
];
const own = figures
  .map((path) => path.replace(".ts", ".css"))
  .filter((path) => existsSync(new URL(path, import.meta.url)));
const stylesheets = [...own, ...["plain", "theme", "arriving"].map((name) => `doors/${name}.css`)];
// What npm brings and pages fetch as it is.
const vendored = ["@huggingface/tokenizers/dist/tokenizers.min.mjs"];

/** Pages get of the families of models what the page's code reads, without what is for Python. */
const onlyForPages = {
  name: "only-for-pages",
  setup: ({ onLoad }) =>
    onLoad({ filter: /shared.models\.json$/ }, async () => {
      const rows = Object.entries(await shared("models.json")).map(
        ([family, { label, reads, plain, variants, module, onRequest }]) => [
          family,
          { label, reads, plain, variants, module, onRequest },
        ],
      );
      return { contents: JSON.stringify(Object.fromEntries(rows)), loader: "json" };
    }),
};

const web = fileURLToPath(new URL(".", import.meta.url));
const dist = `${web}dist`;
const COMMON = {
  absWorkingDir: web,
  outdir: "dist",
  entryNames: "[name]",
  bundle: true,
  minify: true,
  legalComments: "none",
  loader: { ".wasm": "binary" },
  plugins: [onlyForPages],
};

await rm(dist, { recursive: true, force: true });
await mkdir(dist);
await build({ ...COMMON, entryPoints: modules, format: "esm", target: "es2022" });
await build({ ...COMMON, entryPoints: ["doors/theme.ts"], format: "iife", target: "es2022" });
await build({ ...COMMON, entryPoints: stylesheets });
await build({
  ...COMMON,
  minify: false,
  entryPoints: ["prerender.mts"],
  format: "esm",
  platform: "node",
  packages: "external",
  outExtension: { ".js": ".mjs" },
});
await Promise.all(vendored.map((path) => copyFile(`${web}node_modules/${path}`, `${dist}/${basename(path)}`)));
