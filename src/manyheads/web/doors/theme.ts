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
