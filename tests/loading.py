"""What a figure says while its model doesn't come, and how a reader asks again."""

import re

from playwright.sync_api import expect

READY = "Ready: computed in your browser"
NETWORK = "did not arrive. Check the network, then try again or reload the page."
DAMAGED = "arrived damaged. Try again; if that does not help, reload the page."
HALF_A_MINUTE = 31_000
# What no reader should meet: words of engines, addresses, names of files.
OTHERS = re.compile(r"https?:|JSON|token '|fetch|module|undefined|Error|ERR|null|backend|\.js|\.gz|wasm\b")


def failed(figure, said):
    """Waits until a figure says what is wrong, in nobody else's words, and offers another try."""
    status = figure.get_by_role("status").first
    expect(figure.get_by_role("button", name="Try again")).to_be_visible()
    expect(status).to_contain_text(said)
    expect(status).not_to_contain_text(OTHERS)


def ask_again(figure):
    figure.get_by_role("button", name="Try again").click()


def try_again(figure):
    """Asks for the model once more, and waits until the figure works."""
    ask_again(figure)
    expect(figure.get_by_text(READY).first).to_be_visible()
    expect(figure.get_by_role("button", name="Try again")).to_have_count(0)
