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
