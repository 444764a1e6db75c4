// The search page: Sphinx takes its excerpts from the pages' text; here they become plain words.
import { plainFormula } from "../math/text.ts";

declare const Search: { htmlToText(html: string, anchor: string): string }; // Sphinx's

const NOT_READ = "#jb-print-docs-body, details, button, select, textarea, .hm-controls, .headerlink";

const wholeText = Search.htmlToText;
Search.htmlToText = (html: string, anchor: string) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  page.querySelectorAll(NOT_READ).forEach((element) => element.remove());
  page.querySelectorAll(".math").forEach((formula) => formula.replaceChildren(plainFormula(formula.textContent)));
  return wholeText(page.documentElement.outerHTML, anchor);
};
