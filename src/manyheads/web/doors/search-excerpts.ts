// The search page: Sphinx takes its excerpts from the pages' text; here they become plain words.
import { plainFormula } from "../math/text.ts";
import { h } from "../views/dom.ts";

declare const Search: { // Sphinx's
  htmlToText(html: string, anchor: string): string;
  makeSearchSummary(html: string, words: Set<string>, anchor: string): HTMLElement | null;
};

const NOT_READ = "#jb-print-docs-body, .bd-header-article, details, button, select, textarea, .hm-controls, .headerlink";

const [BEFORE, LONGEST] = [120, 240]; // characters before the word, and in all

const wholeText = Search.htmlToText;
Search.htmlToText = (html: string, anchor: string) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  page.querySelectorAll(NOT_READ).forEach((element) => element.remove());
  page.querySelectorAll("p, dt, dd, li, th, td, h1, h2, h3").forEach((element) => element.append(" "));
  page.querySelectorAll(".math").forEach((formula) => formula.replaceChildren(plainFormula(formula.textContent)));
  return wholeText(page.documentElement.outerHTML, anchor);
};

/** Some words of a page around the last of those that were sought, or its first words. */
Search.makeSearchSummary = (html, words, anchor) => {
  const text = Search.htmlToText(html, anchor).replace(/\s+/g, " ").trim();
  if (!text) return null;
  const found = [...words].map((word) => text.toLowerCase().indexOf(word.toLowerCase()));
  const start = text.lastIndexOf(" ", Math.max(...found, BEFORE) - BEFORE) + 1;
  const end = start + LONGEST < text.length ? text.lastIndexOf(" ", start + LONGEST) : text.length;
  return h("p", { class: "context" }, start ? "… " : "", text.slice(start, end), end < text.length ? " …" : "");
};
