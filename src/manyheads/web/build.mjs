// `npm run build`: into dist/ the scripts that pages load, and the stylesheets. The figures' scripts share one, `shared.js`; the others, and
// those of widgets in dist/widgets/, are each a file without imports.

import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const shared = async (name) => JSON.parse(await readFile(new URL(`../shared/${name}`, import.meta.url)));
const kinds = await shared("figures.json");
const figures = Object.keys(kinds).map((name) => `figures/${name}/${name}.ts`);
const families = Object.values(await shared("models.json")).map(({ module }) => `models/${module}.ts`);
const pages = [...figures, "doors/embed.ts"];
const modules = [
  ...families,
  ...["models", "formula-model", "bugs", "model-worker", "training", "training-worker"].map(
    (name) => `models/${name}.ts`,
  ),
  "doors/search-excerpts.ts",
];
const widgets = [...figures.filter((path) => "widget" in kinds[basename(path, ".ts")]), "doors/notebook.ts"];
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

/** The scripts of pages: without the figures' doors for kernels, and with all that they share in each. */
const forPages = (common) => ({
  name: "for-pages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ kind, path }) => (kind === "entry-point" ? { path, namespace: "page" } : null));
    onLoad({ filter: /.*/, namespace: "page" }, ({ path }) => ({
      contents: [path, ...common].map((each) => `import "./${each}";`).join("\n"),
      resolveDir: web,
    }));
  },
});

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
const MODULES = { ...COMMON, format: "esm", target: "es2022" };

/** The modules that several of these need. With each of them in all, they are one file: left to itself, esbuild makes one of each set. */
async function sharedBy(entryPoints) {
  const { metafile } = await build({ ...MODULES, entryPoints, splitting: true, metafile: true, write: false });
  const chunks = Object.values(metafile.outputs).filter(({ entryPoint }) => !entryPoint);
  return chunks.flatMap(({ inputs }) => Object.keys(inputs)).filter((path) => path.endsWith(".ts"));
}

await rm(dist, { recursive: true, force: true });
await mkdir(dist);
await build({ ...MODULES, entryPoints: modules });
await build({ ...MODULES, entryPoints: widgets, outdir: "dist/widgets" });
await build({
  ...MODULES,
  entryPoints: pages,
  plugins: [onlyForPages, forPages(await sharedBy(pages))],
  splitting: true,
  chunkNames: "shared", // the one: where there were two, this would fail
});
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
