// Says so where the figures' own scripts never come: a file opened from a disk, a browser that cannot read them, a network
// that does not bring them. A classic script in plain old JavaScript, since it must run where theirs do not.

(function () {
  "use strict";
  const LONGEST = 20000; // milliseconds that their scripts may take
  const FILE = "This page was opened as a file, so its figures stand still. They come to life where a web server sends the page.";
  const ELSE = "The figures stand still: their scripts did not arrive, or this browser is too old for them. Reload the page, or use a newer browser.";

  function tell() {
    document.querySelectorAll(".hm-status").forEach(function (line) {
      let figure = line.parentElement;
      while (figure && figure.localName.indexOf("-") < 0) figure = figure.parentElement;
      if (!figure || !window.customElements || !customElements.get(figure.localName))
        line.textContent = location.protocol === "file:" ? FILE : ELSE;
    });
  }

  if (document.readyState === "complete") tell();
  else addEventListener("load", tell);
  setTimeout(tell, LONGEST);
})();
