"""Times that chapters show. They differ at each measurement, so a book is built with those that were measured once."""

import json
from pathlib import Path

from manyheads.experiments.kept import rounded
from manyheads.maps.element import is_building
from manyheads.whole_files import written_whole

TIMES = Path(__file__).parent / "data" / "times.json"


def measured_once(name, measure):
    """What `measure()` gives, JSON values: measured now, but while a book is built, when it is measured once and kept.

    >>> measured_once("a second", lambda: {"ms": 1000.001})
    {'ms': 1000.0}

    Delete a line of `data/times.json`, and the next build measures it anew.
    """
    if not is_building():
        return rounded(measure())
    times = json.loads(TIMES.read_text(encoding="utf-8"))
    if name not in times:
        times[name] = rounded(measure())
        lines = [f"{json.dumps(each)}: {json.dumps(found)}" for each, found in sorted(times.items())]
        with written_whole(TIMES) as beside:
            beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return times[name]
