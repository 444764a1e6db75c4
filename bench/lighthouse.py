"""Lighthouse on the chapters as a phone gets them, beside a page of a stock Jupyter Book: the median of three runs.

    python bench/lighthouse.py [chapter ...]

Scripts and styles come gzipped, as a static host sends them. The stock page fetches MathJax from a third party; where
that is out of reach, its score is better than what readers get. Performance hangs on the machine: run it when idle.
"""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from served import CHROMIUM, HTML, Quiet, browser_path, serve

# No dependency of ours: one of its own asks for whatever is the latest, so a lock file that names it breaks in time.
LIGHTHOUSE = ["npx", "--yes", "lighthouse@12.8.2"]
RUNS = 3
HEAVY = ("formula", "real-heads")
FAST, HEAVY_FAST, PERFECT = 85, 80, 100
ZIPPED = (".html", ".css", ".js", ".mjs", ".json", ".svg")


class Gzipped(Quiet):
    """Sends text gzipped over connections that stay open, as GitHub Pages does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if path.suffix not in ZIPPED or not path.is_file():
            return super().do_GET()
        content = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def scores(address, folder):
    """What Lighthouse gives a page, from 0 to 100 in each category."""
    report = Path(folder) / "report.json"
    command = [*LIGHTHOUSE, address, "--quiet", "--output=json", f"--output-path={report}"]
    environment = os.environ | {"CHROME_PATH": browser_path() or ""}
    subprocess.run([*command, f"--chrome-flags={' '.join(CHROMIUM)}"], check=True, env=environment)
    categories = json.loads(report.read_text(encoding="utf-8"))["categories"]
    return {name: round(100 * category["score"]) for name, category in categories.items()}


def stock_book(folder):
    """The book that `jupyter-book create` makes, built; gives where its pages are."""
    command = Path(sys.executable).with_name("jupyter-book")
    subprocess.run([command, "create", folder / "stock"], check=True, capture_output=True)
    subprocess.run([command, "build", folder / "stock"], check=True, capture_output=True)
    return folder / "stock" / "_build" / "html"


def main(chapters):
    chapters = chapters or sorted(path.stem for path in HTML.glob("book/*.html"))
    low = []
    with TemporaryDirectory() as folder:
        stock = stock_book(Path(folder))
        with serve(HTML, Gzipped) as ours, serve(stock, Gzipped) as theirs:
            pages = {"a stock page": f"{theirs}/markdown-notebooks.html"}
            pages |= {chapter: f"{ours}/book/{chapter}.html" for chapter in chapters}
            for name, address in tqdm(pages.items(), unit="page"):
                runs = [scores(address, folder) for _ in range(RUNS)]
                found = {category: median(run[category] for run in runs) for category in runs[0]}
                tqdm.write(f"{name:16}" + "  ".join(f"{category} {score:3}" for category, score in found.items()))
                if name in chapters and not good(name, found):
                    low.append(name)
    print(f"below the goal: {', '.join(low) or 'none'}")
    return bool(low)


def good(chapter, found):
    """Whether a chapter is as fast as it should be, and perfect in all else."""
    fast = HEAVY_FAST if chapter in HEAVY else FAST
    return found["performance"] >= fast and all(found[name] == PERFECT for name in found if name != "performance")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
