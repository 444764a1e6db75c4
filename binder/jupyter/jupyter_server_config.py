"""A figure is saved as HTML, which shows without a kernel.

JupyterLab restores no widget where no kernel runs, and one that it restores beside another kernel answers nobody. The
package is not imported here: the server needs no torch.
"""

import warnings

WIDGET = "application/vnd.jupyter.widget-view+json"


def keep_maps(model, **_):
    if model["type"] == "notebook" and model.get("content"):
        for cell in model["content"]["cells"]:
            for output in cell.get("outputs", []):
                if "text/html" in output.get("data", {}):
                    output["data"].pop(WIDGET, None)


warnings.filterwarnings("ignore", "Overriding existing pre_save_hook")  # Jupyter says so of the first one too
c.ContentsManager.pre_save_hook = keep_maps  # noqa: F821, Jupyter gives `c`
