"""The picture in the README: `make picture` takes it from the built landing page."""

import sys

from served import HTML, chromium, serve


def main(path):
    with serve(HTML) as site, chromium() as browser:
        page = browser.new_page(viewport={"width": 1100, "height": 800}, reduced_motion="reduce")
        page.goto(f"{site}/book/index.html")
        look = page.locator("first-look")
        look.evaluate("async (el) => { await el.ready }")
        look.screenshot(path=path)


if __name__ == "__main__":
    main(sys.argv[1])
