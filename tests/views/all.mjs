// All files of tests in one process, so that the page and the figures are loaded once: `node --import tsx all.mjs FILE...`.
import { inspect } from "node:util";
import "./page.mjs";

for (const file of process.argv.slice(2))
  try {
    await import(file);
  } catch (error) {
    console.log(JSON.stringify({ file, name: "it loads", fault: inspect(error) }));
  }
process.on("exit", () => (process.exitCode = 0)); // what failed is told test by test
