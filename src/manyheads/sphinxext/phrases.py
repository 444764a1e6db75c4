"""A phrase of the text that does in a figure what it says, and lights up what it speaks of.

    {try}`Turn the head off <next-word; text: The capital of Italy is; off: 23.4>`

After the phrase stands the figure, by its id or as the first of its kind on the page. Then comes what is set of it:
attributes of its element, with their values. `light: or | tea` names parts of the figure that light up, as screen
readers call them; heads that are set light up by themselves. The build's last step (`web/prerender.mts`) stops where
there is no such figure or attribute. Where no script runs, in notebooks and on paper, the phrase is text.
"""

import json
import re
from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxRole

WRITTEN = re.compile(r"(?P<phrase>.+?)\s*<(?P<figure>[\w-]+)\s*;(?P<settings>[^<>]+)>", re.DOTALL)


def read_phrase(text):
    """The phrase, the name of its figure, and what it sets there; `ValueError` for what isn't written so.

    >>> read_phrase("Let *it* ask <map; query: 4; view: matrix>")
    ('Let *it* ask', 'map', {'query': '4', 'view': 'matrix'})
    """
    found = WRITTEN.fullmatch(text.strip())
    pairs = [pair.partition(":") for pair in found["settings"].split(";")] if found else []
    if not pairs or not all(name.strip() and colon for name, colon, _ in pairs):
        raise ValueError(f"try is written {{try}}`phrase <figure; name: value; name: value>`, got {text!r}")
    settings = {name.strip(): re.sub(r"\s*\n\s*", " ", value.strip(" \n")) for name, _, value in pairs}
    return found["phrase"], found["figure"], settings


def phrases_of(path, figures):
    """What the phrases of a page's source set in a figure, which may have several names: [{attribute: value}, ...]."""
    phrases = map(read_phrase, re.findall(r"\{try\}`([^`]+)`", path.read_text(encoding="utf-8")))
    return [settings for _, figure, settings in phrases if figure in figures]


class TryRole(SphinxRole):
    """`{try}`: its phrase may hold inline markup."""

    def run(self):
        try:
            phrase, figure, settings = read_phrase(self.text)
        except ValueError as error:
            message = self.inliner.reporter.error(str(error), line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        words, messages = self.inliner.parse(phrase, self.lineno, None, self.inliner.parent)
        written = escape(json.dumps(settings, ensure_ascii=False))
        begin = f'<span class="hm-phrase" data-figure="{figure}" data-set="{written}">'
        return [nodes.raw("", begin, format="html"), *words, nodes.raw("", "</span>", format="html")], messages


def setup(app):
    """The role `try`."""
    app.add_role("try", TryRole())
