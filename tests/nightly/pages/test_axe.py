"""What axe finds, where the focus is seen, what fits: on a few pages here, on all by `make audit`."""

import pytest
from axe import violations
from conftest import HTML

PAGES = [*sorted(f"book/{path.stem}" for path in HTML.glob("book/*.html")), "genindex", "search"]


@pytest.mark.parametrize(
    ("path", "theme", "width"),
    [
        ("book/index", "light", 360),
        ("book/formula", "dark", 1400),
        ("book/code", "light", 360),
        ("book/references", "light", 768),
        ("book/api", "dark", 360),
        ("embed", "light", 360),
        ("genindex", "dark", 1400),
    ],
)
def test_axe_finds_nothing(page, site, path, theme, width):
    page.goto(f"{site}/{path}.html")
    assert violations(page, theme, width) == []


@pytest.mark.parametrize("path", ["book/formula", "book/real-heads"])
def test_what_scrolls_is_a_stop_before_any_script_comes(still, site, path):
    still.set_viewport_size({"width": 360, "height": 900})
    still.goto(f"{site}/{path}.html")
    boxes = still.locator(".hm-scroll")
    scrolling = boxes.evaluate_all(
        "(all) => all.filter((box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight)"
        ".map((box) => box.tabIndex)"
    )
    assert scrolling
    assert set(scrolling) == {0}


@pytest.mark.parametrize("path", ["book/index", "book/formula"])
def test_the_focus_is_seen_wherever_it_is(page, site, path):
    page.goto(f"{site}/{path}.html")
    page.wait_for_load_state("networkidle")
    unseen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        unseen += page.evaluate("""() => {
            const node = document.activeElement;
            if (node === document.body) return [];
            const drawn = (at) => at && getComputedStyle(at).outlineStyle !== "none" && parseFloat(getComputedStyle(at).outlineWidth) >= 2;
            const around = [node, node.closest("label"), node.closest(".sd-card")];
            return around.some(drawn) ? [] : [node.outerHTML.slice(0, 120)] }""")
    assert unseen == []


@pytest.mark.parametrize("path", PAGES)
def test_no_page_scrolls_sideways_at_four_times_the_size(page, site, path):
    page.set_viewport_size({"width": 320, "height": 256})  # 1280 x 1024 at 400 %, and the smallest phone's width
    page.goto(f"{site}/{path}.html")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
