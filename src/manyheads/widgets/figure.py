"""What the live figures of a notebook share."""

import os
from typing import Any

import anywidget
import traitlets
from IPython import get_ipython

from manyheads.drawing.element import is_building
from manyheads.shared.arguments import refuse_unknown

WIDGET = "application/vnd.jupyter.widget-view+json"


class Figure(anywidget.AnyWidget):
    """A widget whose arguments are refused by name, and which says in its status line what went wrong in Python.

    A figure has `_compute()`, which takes in what its traits ask for; `_element()`, itself as an element of the book's
    pages; and `_plain()`, a picture of itself that needs no script. From the traits that `_asks` names, Python
    computes: the page numbers each change of them in `_asked`, and waits until that is the number in `_answered`.
    """

    id: str = traitlets.Unicode().tag(sync=True)  # what phrases of the text around it call it
    _status = traitlets.Unicode("Ready: Python computes as you type.").tag(sync=True)
    _asks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    _asked = traitlets.Int(0).tag(sync=True)
    _answered = traitlets.Int(0).tag(sync=True)
    _kept_as = traitlets.Unicode().tag(sync=True)  # in a notebook that is saved

    def __init__(self, **traits: Any) -> None:
        refuse_unknown(traits, self.trait_names(), type(self).__name__)
        try:
            super().__init__(**traits)
        except traitlets.TraitError as error:
            raise ValueError(str(error)) from error
        self._ready = self._status
        self._kept_as = self.model_id

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"  # no address in memory: two builds of a book are the same

    def set_state(self, sync_data):
        """Takes in what the page sends, and says so once that is done: a kernel that is busy or gone doesn't."""
        try:
            super().set_state(sync_data)
        finally:
            self._answered = self._asked

    def _recompute(self, change):
        """Computes anew; where Python raises, says so, shows what it showed, and raises: a notebook logs where."""
        try:
            self._compute()
        except Exception as error:
            self._refused(change)
            self._status = f"The map could not be computed: {reason(error)} What you see stays."
            raise
        self._status = self._ready

    def _refused(self, change):
        """What a figure does with a change of which nothing could be computed."""

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        data = {**data, "text/html": self._element() if is_building() else self._plain()}
        if nobody_answers():
            del data[WIDGET]
        return data, metadata


def nobody_answers():
    """Whether no reader sits where the cell runs: nbconvert, papermill, a book's build.

    They keep a widget's state, and nbconvert then shows the widget, by a CDN's scripts, and not the HTML beside it. All
    are nbclient, which lets nobody type an answer. So is Voila, but it has readers.
    """
    kernel = getattr(get_ipython(), "kernel", None)
    request = kernel.get_parent().get("content", {}) if kernel else {}
    voila = os.environ.get("SERVER_SOFTWARE", "").startswith("voila") or "VOILA_PREHEAT" in os.environ
    return request.get("allow_stdin") is False and not voila


def reason(error):
    """What an error says, as a sentence; one that speaks to programmers with its name.

    >>> reason(ValueError("head must be from 0 to 3, got 7")), reason(KeyError("tea"))
    ('head must be from 0 to 3, got 7.', "KeyError: 'tea'.")
    """
    text = str(error).strip()
    named = text if text and isinstance(error, ValueError) else f"{type(error).__name__}: {text}"
    return named.rstrip(".") + "."
