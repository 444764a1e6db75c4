// The search page: Sphinx takes its excerpts from the pages' text; here that is what a reader reads, without controls.

declare const Search: { htmlToText(html: string, anchor: string): string }; // Sphinx's

const NOT_READ = "#jb-print-docs-body, .bd-header-article, details, button, select, textarea, .hm-controls";

const wholeText = Search.htmlToText;
Search.htmlToText = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  page.querySelectorAll(NOT_READ).forEach((element) => element.remove());
  page.querySelectorAll("p, dt, dd, li, th, td, h1, h2, h3").forEach((element) => element.append(" "));
  return wholeText(page.documentElement.outerHTML, anchor);
};

export {};
