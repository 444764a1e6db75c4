// Says so where a page's own scripts never come: a file opened from a disk, a browser that cannot read them, a network
// that does not bring them. A classic script, built for old browsers, since it must run where theirs do not.

declare const Search: { hasIndex(): boolean }; // Sphinx's, on the search page

(function () {
  "use strict";
  const LONGEST = 20000; // milliseconds that their scripts may take
  const script = document.currentScript;
  const FIGURES = script && script.getAttribute("data-figures"); // those of the page, as a selector
  const FILE = "This page was opened as a file, so its figures stand still. They come to life where a web server sends the page.";
  const ELSE = "This part of the page stands still: its script did not arrive, or this browser is too old for it. Reload the page, or use a newer browser.";
  const SEARCH = "The search gives no answer: a part of it did not arrive. Reload the page, or look through the chapters and the glossary.";

  /** Adds a line to a part of the page, until `refresh` comes again. */
  function addLine(part: Node, before: Node | null, text: string) {
    const line = document.createElement("p");
    line.className = "hm-status hm-still";
    line.textContent = text;
    part.insertBefore(line, before);
  }

  function markFigure(figure: HTMLElement) {
    if (window.customElements && customElements.get(figure.localName)) return;
    const text = location.protocol === "file:" ? FILE : ELSE;
    const own = figure.matches(".hm-status") ? figure : figure.querySelector<HTMLElement>(":scope > .hm-status");
    if (!own) return addLine(figure, figure.firstChild, text);
    own.textContent = text;
  }

  function markSearch() {
    const results = document.getElementById("search-results");
    if (results && results.parentNode && (typeof Search === "undefined" || !Search.hasIndex()))
      addLine(results.parentNode, results, SEARCH);
  }

  function refresh() {
    document.querySelectorAll(".hm-still").forEach(function (line) { line.remove(); });
    if (FIGURES) document.querySelectorAll<HTMLElement>(FIGURES).forEach(markFigure);
    markSearch();
  }

  if (document.readyState === "complete") refresh();
  else addEventListener("load", refresh);
  setTimeout(refresh, LONGEST);
})();

export {};
