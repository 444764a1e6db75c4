"""Solutions that wait for their reader: *Run All* passes them by."""

FIRST_LINE = "# Solution"  # of a solution's cell, and all that Jupyter shows of it while it's folded
WAITS = "Run this cell once more: Run All leaves it to you."


def load_ipython_extension(ipython):
    """Let each cell that begins as a solution does say `WAITS` when it's first run, and run from then on.

    A cell is known by its text. Where this isn't loaded, a solution is a cell like any other.
    """
    seen = set()

    def wait(lines):
        text = "".join(lines).strip()
        waits = text.partition("\n")[0] == FIRST_LINE and text not in seen
        return [f"print({WAITS!r})\n"] if waits else lines

    ipython.input_transformers_cleanup.append(wait)
    ipython.events.register("post_run_cell", lambda result: seen.add(result.info.raw_cell.strip()))
