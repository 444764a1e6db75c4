// The search page: Sphinx takes its excerpts from the pages' text; here they become plain words.
import { plainFormula } from "../math/text.ts";

declare const Search: { // Sphinx's
  htmlToText(html: string, anchor: string): string;
  makeSearchSummary(html: string, words: Set<string>, anchor: string): HTMLElement | null;
};

const NOT_READ = "#jb-print-docs-body, details, button, select, textarea, .hm-controls, .headerlink";

const wholeText = Search.htmlToText;
Search.htmlToText = (html: string, anchor: string) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  page.querySelectorAll(NOT_READ).forEach((element) => element.remove());
  page.querySelectorAll(".math").forEach((formula) => formula.replaceChildren(plainFormula(formula.textContent)));
  return wholeText(page.documentElement.outerHTML, anchor);
};

const makeSummary = Search.makeSearchSummary;
Search.makeSearchSummary = (html, words, anchor) => {
  const summary = makeSummary(html, words, anchor);
  if (summary) summary.textContent = (summary.textContent ?? "").replace(/^\.{3}\S*\s+/, "… ").replace(/\s+\S*\.{3}$/, " …");
  return summary;
};
