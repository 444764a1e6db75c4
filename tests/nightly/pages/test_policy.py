"""The pages' Content-Security-Policy: on every page, kept by every page, and it stops what is not ours."""

import re

import pytest
from conftest import HTML
from live_maps import open_map, settled

from manyheads.sphinxext.policy import SOURCES

REDIRECT = HTML / "index.html"  # holds nothing but the address of the first chapter
PAGES = [path for path in HTML.rglob("*.html") if "_static" not in path.parts and path != REDIRECT]
BROKEN = "() => { globalThis.broken = []; addEventListener('securitypolicyviolation', ({ blockedURI, violatedDirective }) => broken.push(`${violatedDirective} ${blockedURI}`)) }"


def test_every_page_has_a_policy_before_its_first_script():
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        sources = dict(part.split(" ", 1) for part in policy.split("; "))
        assert set(sources) == set(SOURCES)
        assert re.fullmatch(r"'self' 'wasm-unsafe-eval'( 'sha256-[\w+/]{43}=')*", sources["script-src"])
        assert text.index(policy) < f"{text}<script".index("<script")  # the page of what is lost has none


@pytest.mark.parametrize("path", ["book/index", "book/real-heads", "book/formula", "embed", "genindex", "search"])
def test_a_page_keeps_its_policy(context, site, path):
    page = context.new_page()
    page.add_init_script(f"({BROKEN})()")
    page.goto(f"{site}/{path}.html")
    settled(page)
    assert page.evaluate("broken") == []


def test_a_script_that_is_not_ours_does_not_run(page, site, faults):
    page.goto(f"{site}/book/index.html")
    page.evaluate("""() => {
        globalThis.ran = [];
        for (const html of ["<img src=x onerror='ran.push(1)'>", "<iframe srcdoc='<script>parent.ran.push(2)</script>'></iframe>"])
          document.body.insertAdjacentHTML("beforeend", html);
        const script = document.createElement("script");
        script.textContent = "ran.push(3)";
        document.body.append(script);
    }""")
    page.wait_for_load_state("networkidle")
    page.locator("iframe").last.evaluate(
        "(frame) => frame.contentDocument.readyState === 'complete' || new Promise((done) => frame.onload = done)"
    )
    assert page.evaluate("ran") == []
    refused = page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', ({ message }) => message)")
    assert refused == "Failed to fetch"
    assert any("Content Security Policy" in fault for fault in faults)
    faults.clear()


def test_the_themes_buttons_still_work(page, site):
    page.goto(f"{site}/book/index.html")
    page.evaluate("globalThis.print = () => { globalThis.printed = true }")
    page.locator('[data-call="window.print"]').dispatch_event("click")
    assert page.evaluate("printed") is True
    page.evaluate("document.documentElement.requestFullscreen = () => { globalThis.full = true }")
    page.locator('[data-call="toggleFullScreen"]').first.dispatch_event("click")
    assert page.evaluate("full") is True
    open_map(page, site)
