// What the theme's pages need beside the theme: its buttons, whose `onclick` the pages' policy does not allow; and code that was
// folded away is measured once it is open, so that what scrolls can be reached by the keyboard.

{
  /** @type {Record<string, () => void>} */
  const calls = {
    "window.print": () => print(),
    toggleFullScreen: () => /** @type {any} */ (globalThis).toggleFullScreen(), // the theme's
  };
  document.addEventListener("click", ({ target }) => {
    const button = /** @type {Element} */ (target).closest("[data-call]");
    calls[button?.getAttribute("data-call") ?? ""]?.();
  });
  document.addEventListener("toggle", () => dispatchEvent(new Event("resize")), true); // when the theme measures
}
