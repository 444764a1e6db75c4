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

from manyheads.figures.settings import read_settings

GUESS = re.compile(r"^`{3}\{guess\}.*\n((?::.*\n)+)`{3}$", re.MULTILINE)
WRITTEN = re.compile(r"(?P<phrase>.+?)\s*<(?P<figure>[\w-]+)\s*;(?P<settings>[^<>]+)>", re.DOTALL)


def read_phrase(text):
    """The phrase, the name of its figure, and what it sets there; `ValueError` for what isn't written so.

    >>> read_phrase("Let *it* ask <map; query: 4; view: matrix>")
    ('Let *it* ask', 'map', {'query': '4', 'view': 'matrix'})
    """
    found = WRITTEN.fullmatch(text.strip())
    try:
        return found["phrase"], found["figure"], read_settings(found["settings"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"try is written {{try}}`phrase <figure; name: value; name: value>`, got {text!r}") from error


def phrases_of(path, figures):
    """What phrases and guesses of a page's source set in a figure, which may have several names: [{name: value}]."""
    source = path.read_text(encoding="utf-8")
    phrases = [read_phrase(written)[1:] for written in re.findall(r"\{try\}`([^`]+)`", source)]
    guesses = [(options["for"], read_settings(options["sets"])) for options in guesses_in(source) if "sets" in options]
    return [settings for figure, settings in phrases + guesses if figure in figures]


def guesses_in(source):
    """The options of the guesses in a page's source: [{name: value}, ...]."""
    return [dict(re.findall(r"^:([\w-]+): *(.*)$", options, re.MULTILINE)) for options in GUESS.findall(source)]


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
