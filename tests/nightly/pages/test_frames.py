"""Frames: the book's figures in pages of others, and BertViz in the book and in a notebook, without any other host."""

import re
import shutil

import numpy as np
import pytest
from live_maps import ready
from playwright.sync_api import expect
from served import HTML, ROOT, Shared, serve

from manyheads.maps import AttentionMap
from manyheads_book.bertviz_frames import VIEWS, bertviz_view

AUTHORS = (ROOT / "book" / "authors.md").read_text(encoding="utf-8")
FITS = """() => {
    const frame = document.querySelector("iframe"), inside = frame.contentDocument;
    const { bottom } = inside.querySelector("head-map").getBoundingClientRect();
    return frame.offsetHeight === Math.ceil(bottom) && inside.documentElement.scrollHeight <= frame.offsetHeight;
}"""


@pytest.fixture
def framed(page, hosts):
    """A page of nobody's with a sandboxed frame that shows the encoder; gives what is in the frame."""

    def framed(address):
        hosts.append(address)
        source = f"{address}/embed.html?model=encoder&sentence=Tea%3F"
        page.set_content(f'<iframe sandbox="allow-scripts" src="{source}" height="900"></iframe>')
        return page.frame_locator("iframe")

    return framed


@pytest.mark.usefixtures("faulty")
def test_the_encoder_works_in_a_sandboxed_frame_which_can_keep_nothing(framed):
    with serve(HTML, Shared) as address:
        frame = framed(address)
        frame.get_by_role("button", name="Load the encoder").click()
        expect(frame.get_by_role("status").first).to_contain_text("Ready: computed in your browser")


@pytest.mark.usefixtures("faulty")
def test_a_sandboxed_frame_that_gets_no_scripts_says_so(framed, site):
    expect(framed(site).locator("body")).to_contain_text("If it doesn't come, reload the page.")


def test_the_encoder_works_on_a_page_of_another_origin(page, hosts, tmp_path):
    with serve(HTML, Shared) as site, serve(tmp_path) as address:
        hosts += [site, address]
        script = f'<script type="module" src="{site}/_static/manyheads/head-map.js"></script>'
        tag = f'{script}<head-map model="encoder" sentence="The bank." off="5.11"></head-map>'
        (tmp_path / "page.html").write_text(f"<!DOCTYPE html><meta charset=utf-8><link rel=icon href=data:,>{tag}")
        page.goto(f"{address}/page.html")
        ready(page.locator("head-map"))
        expect(page.locator("head-map td", has_text="bank").first).to_be_visible()


def test_the_frame_of_the_authors_page_is_as_high_as_what_it_shows(page, hosts, tmp_path):
    """The lines of the page as they stand there; on our own origin, so that the test can measure inside."""
    (lines,) = re.findall(r"^```html\n(<iframe.*?)^```$", AUTHORS, re.DOTALL | re.MULTILINE)
    shutil.copytree(HTML / "_static", tmp_path / "_static", symlinks=True)
    shutil.copy(HTML / "embed.html", tmp_path)
    slide = f"<!DOCTYPE html><title>Slide</title><link rel=icon href=data:,>{lines.replace('https://your-site/', '')}"
    (tmp_path / "slide.html").write_text(slide)
    with serve(tmp_path) as address:
        hosts.append(address)
        for width in (360, 1400):
            page.set_viewport_size({"width": width, "height": 700})
            page.goto(f"{address}/slide.html")
            head_map = page.frame_locator("iframe").locator("head-map")
            expect(head_map.locator("[data-prediction=sentiment]")).to_be_visible()
            page.wait_for_function(FITS)
            head_map.get_by_role("radio", name="Matrix").check(force=True)
            head_map.get_by_role("button", name="Enlarge ").first.click()
            expect(head_map.locator(".hm-large")).to_have_count(1)
            page.wait_for_function(FITS)


def test_bertviz_brings_its_scripts_along_in_a_notebook(page, hosts, monkeypatch):
    monkeypatch.delenv("MANYHEADS_SITE_SCRIPTS", raising=False)
    hosts[:] = ["data:"]
    tokens = ["[CLS]", "</script><b id=evil>", "tea"]
    head_map = AttentionMap(tokens, tokens, np.full((2, 3, 3, 3), 1 / 3))
    page.set_content("".join(bertviz_view(view, head_map).data for view in VIEWS))
    for frame in page.locator("iframe").all():
        expect(frame.content_frame.locator("svg line").first).to_be_attached()
        expect(frame.content_frame.locator("#evil")).to_have_count(0)
