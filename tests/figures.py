"""Every figure of the registry, and the chapter in which its tests meet it."""

IN_CHAPTER = {
    "index": ["first-look"],
    "coffee-or-tea": ["head-map"],
    "formula": [
        "attention-flow",
        "slice-or-project",
        "softmax-scale",
        "field-exercise",
        "rotary-positions",
        "word-shuffle",
    ],
    "whole-machine": ["whole-model"],
    "order-and-cost": ["attention-kinds", "growing-cache"],
    "what-a-head-writes": ["head-ledger"],
    "intuition": ["word-sense", "word-points", "figure-guess", "blend-triangle"],
    "museum": ["museum-piece"],
    "real-heads": ["head-cards"],
    "induction": ["head-birth", "one-step"],
    "decoder": ["next-word"],
    "is-it-shut": ["drawing-board"],
    "claims": ["result-slider"],
    "exercises": ["exercise-list"],
    "open-your-model": ["open-model"],
}
CHAPTER_OF = {name: chapter for chapter, names in IN_CHAPTER.items() for name in names}


def open_figure(page, site, name):
    """Opens the chapter of a figure and gives the figure, in view."""
    page.goto(f"{site}/book/{CHAPTER_OF[name]}.html")
    return unfold(page.locator(name).first)


def unfold(figure):
    """Opens the drawers that a figure lies in, and gives it, in view."""
    figure.evaluate(
        "(el) => { for (let fold = el; (fold = fold.parentElement?.closest('details')); ) fold.open = true }"
    )
    figure.scroll_into_view_if_needed()
    return figure
