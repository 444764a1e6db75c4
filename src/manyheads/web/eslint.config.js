// `npm run lint`: the recommended rules and a few more, and which room may import which.

import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import globals from "globals";
import ts from "typescript-eslint";

/** Forbids a room to import from the rooms above it, and from others but types, of which nothing reaches a page. */
const room = (name, above, typesOnly = []) => {
  const inside = (rooms) => rooms.map((other) => `**/../${other}/**`);
  const patterns = [{ group: inside(above) }, { group: inside(typesOnly), allowTypeImports: true }];
  return {
    files: [`${name}/**/*.ts`],
    rules: {
      "@typescript-eslint/no-restricted-imports": ["error", { patterns: patterns.filter(({ group }) => group[0]) }],
    },
  };
};

export default defineConfig(
  globalIgnores(["dist/", "kernel/"]),
  js.configs.recommended,
  ts.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }], // == null is null or undefined
      "no-control-regex": "off", // texts hold control characters, and ours say which
      "no-misleading-character-class": ["error", { allowEscape: true }], // an escaped mark is meant alone
      "no-shadow": "off", // the next knows types
      "@typescript-eslint/no-shadow": "error",
      "@typescript-eslint/no-explicit-any": "off", // for what Python or a file has written
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  { files: ["math/*.ts"], rules: { "no-restricted-globals": ["error", "document", "window", "HTMLElement"] } }, // no page
  { files: ["*.js", "*.mjs"], languageOptions: { globals: globals.node } },
  room("math", ["models", "views", "doors", "figures"]),
  room("models", ["views", "doors", "figures"]),
  room("views", ["models", "doors", "figures"]),
  room("doors", ["figures"], ["models"]), // which lie beside them on the site, and are fetched when they are wanted
  room("figures", [], ["models"]),
);
