// The theme's buttons, whose `onclick` the pages' policy does not allow; and paper, which is white.

{
  const calls: Record<string, () => void> = {
    "window.print": () => print(),
    toggleFullScreen: () => (globalThis as any).toggleFullScreen(), // the theme's
  };
  document.addEventListener("click", ({ target }) => {
    const button = (target as Element).closest("[data-call]");
    calls[button?.getAttribute("data-call") ?? ""]?.();
  });

  const { dataset } = document.documentElement;
  let onScreen = dataset.theme;
  addEventListener("beforeprint", () => {
    onScreen = dataset.theme;
    dataset.theme = "light";
  });
  addEventListener("afterprint", () => (dataset.theme = onScreen));
}
