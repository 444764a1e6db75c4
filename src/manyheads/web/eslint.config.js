// `npm run lint`: the recommended rules and a few more, and which room may import which.

import js from "@eslint/js";
import globals from "globals";

/** What a room may not import, told as its own name and those of the rooms above it. */
const room = (name, ...above) => ({
  files: [`${name}/*.js`],
  rules: { "no-restricted-imports": ["error", { patterns: above.map((other) => `../${other}/*`) }] },
});

export default [
  js.configs.recommended,
  {
    languageOptions: { globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }], // == null is null or undefined
      "no-control-regex": "off", // texts hold control characters, and ours say which
      "no-misleading-character-class": ["error", { allowEscape: true }], // an escaped mark is meant alone
      "no-shadow": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  { files: ["math/*.js"], languageOptions: { globals: globals["shared-node-browser"] } }, // no page
  room("math", "models", "views", "doors", "figures"),
  room("models", "views", "doors", "figures"),
  room("views", "models", "doors", "figures"),
  room("doors", "models", "figures"),
  room("figures", "models"), // which lie beside them on the site, and are fetched when they are wanted
];
