// Says so where a page's own scripts never come: a file opened from a disk, a browser that cannot read them, a network
// that does not bring them. A classic script in plain old JavaScript, since it must run where theirs do not.

(function () {
  "use strict";
  const LONGEST = 20000; // milliseconds that their scripts may take
  const script = document.currentScript;
  const FIGURES = script && script.getAttribute("data-figures"); // those of the page, as a selector
  const FILE = "This page was opened as a file, so its figures stand still. They come to life where a web server sends the page.";
  const ELSE = "This part of the page stands still: its script did not arrive, or this browser is too old for it. Reload the page, or use a newer browser.";
  const FORMULAS = "The formulas of this page stand as they were typed: the script that draws them did not arrive. Reload the page.";

  const formulas = newLine();

  function newLine() {
    const line = document.createElement("p");
    line.className = "hm-status hm-still";
    return line;
  }

  /** The line that says how a figure is; one that has none is lent one until its script comes after all. */
  function lineOf(/** @type {HTMLElement} */ figure) {
    /** @type {HTMLElement | null} */
    const own = figure.matches(".hm-status") ? figure : figure.querySelector(":scope > .hm-status");
    if (own) {
      own.dataset.said = own.dataset.said || own.textContent || ""; // what it says again if the script comes after all
      return own;
    }
    const line = figure.insertBefore(newLine(), figure.firstChild);
    if (window.customElements) customElements.whenDefined(figure.localName).then(function () { line.remove(); });
    return line;
  }

  function tellOfFigures() {
    if (!FIGURES) return;
    /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(FIGURES)).forEach(function (figure) {
      if (!window.customElements || !customElements.get(figure.localName))
        lineOf(figure).textContent = location.protocol === "file:" ? FILE : ELSE;
    });
  }

  function tellOfFormulas() {
    const drawing = document.querySelector('script[src*="/mathjax/"]');
    const title = document.querySelector("article h1");
    if (!drawing || !title || formulas.parentNode || (/** @type {any} */ (window).MathJax || {}).startup) return;
    formulas.textContent = FORMULAS;
    title.insertAdjacentElement("afterend", formulas);
    drawing.addEventListener("load", function () { formulas.remove(); });
  }

  function tell() {
    tellOfFigures();
    tellOfFormulas();
  }

  if (document.readyState === "complete") tell();
  else addEventListener("load", tell);
  setTimeout(tell, LONGEST);
})();
