"""What can be seen of a figure: the contrast of its words and bars, measured on a picture of what the browser drew."""

import io
import re
from math import ceil

import numpy as np
from colours import contrast, mixed
from PIL import Image

# Letters are taken away while the picture is made, so that it shows their ground. A style sheet that is made here needs no leave of
# the page's policy.
HIDE = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`* { -webkit-text-fill-color: transparent !important; text-decoration-color: transparent !important;
    caret-color: transparent !important; transition: none !important; animation: none !important }
    svg text { fill-opacity: 0 !important; stroke-opacity: 0 !important }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""
SHOW = "() => { document.adoptedStyleSheets = [...document.adoptedStyleSheets].slice(0, -1) }"
# Each word that's seen: its text, box, colour, opacity and whether it's large, as WCAG has it. What can't be pressed now needs no contrast.
WORDS = """(figure) => {
  const root = figure.getBoundingClientRect();
  const found = [];
  const walker = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const el = node.parentElement;
    if (!node.data.trim() || el.closest("script, style, option, title, textarea, .hm-unseen, :disabled, [aria-disabled=true]")) continue;
    if (!el.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(el);
    let opacity = 1;
    for (let at = el; at && at !== figure.parentElement; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    const isSvg = el instanceof SVGElement;
    const size = parseFloat(style.fontSize);
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      if (box.width < 3 || box.height < 5) continue;
      const top = document.elementFromPoint(x, y);
      if (!top || !(isSvg || el.contains(top) || top.contains(el))) continue; // under something else, or cut off
      found.push({ what: node.data.trim().slice(0, 40), box: [box.left - root.left, box.top - root.top, box.width, box.height],
        colour: isSvg ? style.fill : style.color, opacity: opacity * (isSvg ? Number(style.fillOpacity) : 1),
        large: size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) });
    }
  }
  return found;
}"""
BARS = """(figure, selector) => {
  const root = figure.getBoundingClientRect();
  return [...figure.querySelectorAll(selector)].filter((node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .map((node) => [node.getAttribute("class") ?? node.localName, node.getBoundingClientRect()])
    .filter(([, { width, height }]) => width >= 3 && height >= 3)
    .map(([what, box]) => ({ what, box: [box.left - root.left, box.top - root.top, box.width, box.height] }));
}"""
GOING = 0.5  # how opaque a word of a film is at least that hasn't gone
GROUNDS = 0.2  # the least part of a word's box that a colour has to fill for the word to stand on it


def faint(figure, bars=None):
    """The words and bars of a figure that can't be seen well: [(what, contrast), ...]."""
    page = figure.page
    words = [word for word in figure.evaluate(WORDS) if word["opacity"] >= GOING]
    drawn = figure.evaluate(BARS, bars) if bars else []
    page.evaluate(HIDE)
    pixels = np.asarray(Image.open(io.BytesIO(figure.screenshot())).convert("RGB"))
    page.evaluate(SHOW)
    found = [(word["what"], _of_word(pixels, word), 3 if word["large"] else 4.5) for word in words]
    found += [(bar["what"], _of_bar(pixels, bar["box"]), 3) for bar in drawn]
    assert words, "a figure without words"
    assert drawn or not bars, f"no bars, {bars}"
    return sorted({(what, round(seen, 2)) for what, seen, least in found if seen < least})


def _of_word(pixels, word):
    """The least contrast of a word with what it stands on."""
    left, top, width, height = (round(side) for side in word["box"])
    box = pixels[max(top, 0) : top + height, max(left, 0) : left + width].reshape(-1, 3)
    if not len(box):
        return 21
    colour, alpha = _parsed(word["colour"])
    grounds, counts = np.unique(box // 4 * 4 + 2, axis=0, return_counts=True)
    wide = grounds[counts >= GROUNDS * len(box)]
    grounds = wide if len(wide) else [np.median(box, axis=0)]
    return min(contrast(mixed(alpha * word["opacity"], colour, ground), ground) for ground in grounds)


def _of_bar(pixels, box):
    """The contrast of a bar with the side that it is seen best from: others may touch it."""
    left, top, width, height = box
    down, across = top + height / 2, left + width / 2
    beside = [(down, left - 3), (down, left + width + 3), (top - 3, across), (top + height + 3, across)]
    rows, columns = pixels.shape[:2]
    inside = pixels[round(down - 1) : round(down + 1), ceil(left) : int(left + width)].reshape(
        -1, 3
    )  # an arrow is thin
    colours, counts = np.unique(inside, axis=0, return_counts=True)
    places = [(round(y), round(x)) for y, x in beside if 0 <= round(y) < rows and 0 <= round(x) < columns]
    return max(contrast(colours[counts.argmax()], pixels[place]) for place in places)


def _parsed(colour):
    """rgb(), rgba() or color(srgb ...) as parts from 0 to 255, and its opacity."""
    numbers = [float(number) for number in re.findall(r"-?[\d.]+(?:e-?\d+)?", colour)]
    scale = 255 if colour.startswith("color(") else 1
    return np.array(numbers[:3]) * scale, (numbers[3] if len(numbers) > 3 else 1)
