// What the pages of the book need before any figure.

import { openTermCards } from "./term-cards.ts";

document.getElementById("arriving")?.remove(); // this script is deferred: all has come (arriving.css)

// Somebody types into a figure. A class, since for `:root:has(...)` a browser looks at the whole page anew at every change.

for (const [event, types] of [
  ["focusin", true],
  ["focusout", false],
] as const)
  addEventListener(
    event,
    ({ target }) =>
      (target as Element).matches(".hm-sentence") && document.documentElement.classList.toggle("typing", types),
  );

// Paper is white: a page that is dark prints as a light one.

{
  const { dataset } = document.documentElement;
  let onScreen = dataset.theme;
  addEventListener("beforeprint", () => {
    onScreen = dataset.theme;
    dataset.theme = "light";
  });
  addEventListener("afterprint", () => (dataset.theme = onScreen));
}

openTermCards(document.body);
