"""A line for each stage of a build, with the seconds that it took; also where Sphinx is asked to be quiet."""

from contextlib import contextmanager
from time import perf_counter


@contextmanager
def stage(what):
    """Says what is done, and after it how long it took: `Drawing the figures of 21 pages ... 14 s`."""
    print(f"{what} ... ", end="", flush=True)
    start = perf_counter()
    yield
    print(f"{perf_counter() - start:.0f} s", flush=True)


def setup(app):
    """Says how long Sphinx reads and writes: what lies between the events before and after."""
    open_stages = []

    def begin(what):
        open_stages.append(stage(what))
        open_stages[-1].__enter__()

    def end():
        if open_stages:
            open_stages.pop().__exit__(None, None, None)

    def begin_reading(app, env, docnames):
        if docnames:
            begin(f"Reading {len(docnames)} pages")

    def begin_writing(app, env):
        end()
        begin("Writing what has changed")

    app.connect("env-before-read-docs", begin_reading, priority=900)  # once the chapters are executed
    app.connect("env-updated", begin_writing)
    app.connect("build-finished", lambda app, error: end(), priority=100)
