"""A question above a figure, which then answers it.

~~~md
```{guess} Mask *boats*. Where does the dot go?
:answers: it stays | to the middle
:right: to the middle
:for: bank
:sets: masked: boats
```
~~~

`for` names the figure as `{try}` does, by its id or its kind, and `sets` is what a press sets there. With `covers`, the
figure right below is covered until then. What the page's code asserts of the answer, it says in a comment that quotes
it: `# guess: to the middle` (tests/fast/book/test_guesses.py).
"""

import re
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from manyheads.drawing.guess import guess_html
from manyheads.sphinxext.phrases import read_settings

BETWEEN = re.compile(r"\s*\|\s*")


class GuessDirective(SphinxDirective):
    """`{guess} question`."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        **dict.fromkeys(("answers", "right", "says", "for", "sets"), directives.unchanged_required),
        "covers": directives.flag,
    }

    def run(self):
        try:
            html = self.html(" ".join(self.arguments), dict(self.options))
        except (KeyError, ValueError) as error:
            raise self.error(f"guess: {error}") from error
        return [nodes.raw("", html, format="html")]

    def html(self, question, options):
        """The element; an error is one of the page."""
        if missing := {"answers", "right"} - {*options}:
            raise ValueError(f"it needs {', '.join(sorted(missing))}")
        return guess_html(
            question,
            BETWEEN.split(options["answers"]),
            options["right"],
            says=options.get("says", ""),
            figure=options.get("for"),
            sets=read_settings(options["sets"]) if "sets" in options else None,
            covers="covers" in options,
        )


def setup(app):
    app.add_directive("guess", GuessDirective)
