// `node cut-styles.mjs styles.css` makes one stylesheet of several, of which it leaves the rules that may match something. It reads
// {sheets, words, starts} as JSON: words that stand in pages or scripts, and how words begin that scripts put together.

import { readFile, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { PurgeCSS } from "purgecss";

const [outfile] = process.argv.slice(2);
const { sheets, words, starts } = JSON.parse(await text(process.stdin));
/** Fonts and pictures stay where they are. */
const beside = {
  name: "beside",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.(?:png|ttf|woff2)$/ }, ({ path, resolveDir }) => ({
      path: relative(dirname(outfile), resolve(resolveDir, path)),
      external: true,
    })),
};

await build({
  stdin: {
    contents: sheets.map((sheet) => `@import ${JSON.stringify(sheet)};`).join("\n"),
    loader: "css",
    resolveDir: ".",
  },
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  logLevel: "error",
  plugins: [beside],
  outfile,
});
const [{ css }] = await new PurgeCSS().purge({
  css: [{ raw: await readFile(outfile, "utf8") }],
  content: [{ raw: words.join(" "), extension: "txt" }],
  safelist: [/^:/, ...starts.map((start) => new RegExp(`^${start}`))], // states decide nothing, nor does a selector of them alone
});
await writeFile(outfile, css);
