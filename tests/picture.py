"""The picture in the README: `make picture` takes it from the built landing page."""

import shutil
import sys

from conftest import CHROMIUM, HTML, serve
from playwright.sync_api import sync_playwright


def main(path):
    with serve(HTML) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
        page = browser.new_page(viewport={"width": 1100, "height": 800}, reduced_motion="reduce")
        page.goto(f"{site}/book/index.html")
        map = page.locator("head-map").first
        map.evaluate("async (el) => { await el.ready }")
        map.screenshot(path=path)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
