"""A figure is saved as HTML, as it stood, which shows without a kernel.

JupyterLab restores no widget where no kernel runs, and one that it restores beside another kernel answers nobody. In
the place of other widgets a sentence is saved. The package is not imported here: the server needs no torch.
"""

import os
import warnings

WIDGET = "application/vnd.jupyter.widget-view+json"
AWAY = "Run the cell: its controls come from Python."
PLACE = "manyheads"  # in the notebook's metadata: {id of a figure: its HTML}, as web/doors/saved-figure.js leaves it


def keep_figures(model, **_):
    if model["type"] != "notebook" or not model.get("content"):
        return
    stood = model["content"]["metadata"].pop(PLACE, {})
    for cell in model["content"]["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            view = data.pop(WIDGET, {})
            if "text/html" in data:
                data["text/html"] = stood.get(view.get("model_id"), data["text/html"])
            elif view:
                data["text/plain"] = AWAY


os.environ["MANYHEADS_KEEPS_FIGURES"] = "yes"  # the kernels inherit it
warnings.filterwarnings("ignore", "Overriding existing pre_save_hook")  # Jupyter says so of the first one too
c.ContentsManager.pre_save_hook = keep_figures  # noqa: F821, Jupyter gives `c`
