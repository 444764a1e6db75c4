// What the theme's pages need beside the theme: its buttons, whose `onclick` the pages' policy does not allow; and what scrolls
// can be reached by the keyboard.

{
  const calls: Record<string, () => void> = {
    "window.print": () => print(),
    toggleFullScreen: () => (globalThis as any).toggleFullScreen(), // the theme's
  };
  document.addEventListener("click", ({ target }) => {
    const button = (target as Element).closest("[data-call]");
    calls[button?.getAttribute("data-call") ?? ""]?.();
  });

  // In place of the theme's own way, which light_theme.py takes out: it measures each block, folded code too, which has to be
  // laid out for that, and does so again after every change of the page.
  const scrolling = new ResizeObserver((entries) => {
    const blocks = entries.map(({ target }) => target as HTMLElement);
    const scrolls = (block: HTMLElement) => block.scrollWidth > block.clientWidth || block.scrollHeight > block.clientHeight;
    const changed = blocks.filter((block) => scrolls(block) !== (block.tabIndex === 0)); // all are read before one is written
    changed.forEach((block) => { block.tabIndex = block.tabIndex === 0 ? -1 : 0 });
  });
  document.querySelectorAll("pre, .cell_output > .output, .pst-scrollable-table-container").forEach((block) => scrolling.observe(block));
}
