"""Where a cell's code is folded, what it shows comes first and the code below: wonder before code."""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform


class FiguresFirst(SphinxPostTransform):
    """Moves the folded code of every cell with the tag `hide-input` below its output."""

    default_priority = 200  # MyST-NB folds the code at 199
    formats = ("html",)

    def run(self, **kwargs):
        for cell in list(self.document.findall(nodes.container)):
            if cell.get("hide_mode") == "input":
                code, *shown = cell.children
                cell.children = [*shown, code]
