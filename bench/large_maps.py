"""What a notebook's page gets of a map of 144 heads, and when JupyterLab shows it; BertViz beside it.

    python bench/large_maps.py

Goals at 512 tokens: 12 MB at most, the first picture within 3 s. Bytes are counted on the websocket: the widget's
messages and the static HTML beside them. Seconds are from running the cell to the first weight on the page.
"""

import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import jupytext
import torch

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from lab_server import PATIENCE, jupyter_lab, open_notebook
from served import chromium

SIZES = (32, 128, 512)
CELLS = """```{{code-cell}}
import numpy as np
from manyheads import HeadMap
weights = np.random.default_rng(0).random((12, 12, {size}, {size}), dtype=np.float32)
weights /= weights.sum(-1, keepdims=True)
tokens = [f"w{{place}}" for place in range({size})]
print("imported")
```

```{{code-cell}}
HeadMap.of(weights, tokens)
```
"""
KERNEL = "---\nkernelspec:\n  display_name: Python 3\n  language: python\n  name: python3\n---\n\n"


def main():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its own use of deprecated names
        from bertviz import head_view
    with TemporaryDirectory() as folder, TemporaryDirectory() as runtime, chromium() as browser:
        for size in SIZES:
            text = KERNEL + CELLS.format(size=size)
            jupytext.write(jupytext.reads(text, fmt="md:myst"), Path(folder) / f"{size}.ipynb")
        with jupyter_lab(Path(folder), Path(runtime)) as lab:
            for size in SIZES:
                seconds, received = shown(browser.new_context(), lab, f"{size}.ipynb")
                told = f"{size} tokens: {received / 1e6:.2f} MB to the page, first picture after {seconds:.2f} s"
                if size <= 128:  # beyond, BertViz takes gigabytes
                    layers = [torch.full((1, 12, size, size), 1 / size)] * 12
                    html = head_view(layers, [f"w{place}" for place in range(size)], html_action="return").data
                    told += f"; BertViz {len(html.encode()) / 1e6:.2f} MB"
                print(told + (" (goal 12 MB, 3 s)" if size == 512 else ""), flush=True)


def shown(context, lab, notebook):
    """How long the second cell takes to its first weight, and how many bytes came to the page since."""
    page, _ = open_notebook(context, f"{lab.address}/lab/tree/{notebook}?reset")
    page.set_default_timeout(1000 * PATIENCE)
    page.locator(".jp-CodeCell").first.click()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("imported", exact=True).wait_for()
    received = []
    devtools = page.context.new_cdp_session(page)
    devtools.on("Network.webSocketFrameReceived", lambda event: received.append(size_of(event["response"])))
    devtools.send("Network.enable")
    start = time.perf_counter()
    page.keyboard.press("Shift+Enter")
    page.locator(".jp-OutputArea .head-map td[data-weight]").first.wait_for()
    seconds = time.perf_counter() - start
    context.close()
    lab.shut_down(notebook)
    return seconds, sum(received)


def size_of(frame):
    """The bytes of a frame; of a binary one, the browser tells base64."""
    return len(frame["payloadData"]) * (3 / 4 if frame["opcode"] == 2 else 1)


if __name__ == "__main__":
    main()
