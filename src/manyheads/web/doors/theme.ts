// What the pages of the book need before any figure.

document.getElementById("arriving")?.remove(); // this script is deferred: all has come (arriving.css)

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
