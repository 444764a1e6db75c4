"""Every figure of the registry, and the chapter in which its tests meet it."""

from collections import defaultdict

CHAPTER_OF = {
    "head-map": "coffee-or-tea",
    "first-look": "index",
    "attention-flow": "formula",
    "slice-or-project": "formula",
    "softmax-scale": "formula",
    "field-exercise": "formula",
    "rotary-positions": "order-and-cost",
    "word-shuffle": "order-and-cost",
    "head-ledger": "what-a-head-writes",
    "blend-triangle": "intuition",
    "museum-piece": "museum",
    "head-cards": "real-heads",
    "word-sense": "ambiguity",
    "head-birth": "induction",
    "next-word": "decoder",
    "growing-cache": "decoder",
    "head-pruning": "claims",
    "result-slider": "claims",
    "exercise-list": "exercises",
}
IN_CHAPTER = defaultdict(list)
for name, chapter in CHAPTER_OF.items():
    IN_CHAPTER[chapter].append(name)


def open_figure(page, site, name):
    """Opens the chapter of a figure and gives the figure, in view."""
    page.goto(f"{site}/book/{CHAPTER_OF[name]}.html")
    figure = page.locator(name).first
    figure.evaluate(
        "(el) => { for (let fold = el; (fold = fold.parentElement?.closest('details')); ) fold.open = true }"
    )
    figure.scroll_into_view_if_needed()
    return figure
