/** Paper is white: a page that is dark prints as a light one. */
const root = document.documentElement;

addEventListener("beforeprint", () => {
  root.dataset.themeOnScreen = root.dataset.theme ?? "";
  root.dataset.theme = "light";
});

addEventListener("afterprint", () => {
  const { themeOnScreen } = root.dataset;
  if (themeOnScreen) root.dataset.theme = themeOnScreen;
  else delete root.dataset.theme;
  delete root.dataset.themeOnScreen;
});

// A sheet cannot wait: what would be fetched when somebody comes to it is fetched at the first sign of a reader.
for (const sign of ["pointermove", "touchstart", "scroll", "keydown"])
  addEventListener(sign, () => {
    for (const frame of document.querySelectorAll<HTMLIFrameElement>("iframe[loading=lazy]")) frame.loading = "eager";
  }, { once: true, passive: true });
