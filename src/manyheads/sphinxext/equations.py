"""Equations as MathML: every browser draws it without a script, and screen readers read it.

Temml makes it of TeX while the book is built. Its font is STIX Two Math, of which the pages get what equations need.
"""

import atexit
import json
import os
import re
import shutil
import string
import subprocess
import unicodedata
from functools import cache
from html import unescape
from pathlib import Path

from docutils.nodes import SkipNode
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number

from manyheads.sphinxext.fonts import keep_characters
from manyheads.sphinxext.node import node
from manyheads.widgets.web_files import WEB

PACKAGES = WEB / "node_modules"
STYLE = PACKAGES / "temml" / "dist" / "Temml-STIX2.css"
FONT = PACKAGES / "@fontsource" / "stix-two-math" / "files" / "stix-two-math-latin-400-normal.woff"
FONT_OF_STYLE = "STIXTwoMath.woff2"  # as the stylesheet calls it
EQUATION = re.compile(r"<math\b.*?</math>", re.DOTALL)
ESCAPED = re.compile(r"\\u(?:\{(\w+)\}|(\w{4}))")  # a character in a script
BEFORE_PUNCTUATION = re.compile(r'<span class="math notranslate"[^>]*><math(?:(?!</math>).)*</math></span>[.,:;!?)’”]+')
TYPESETTER = """
import { createInterface } from "node:readline";
import temml from "temml";
for await (const line of createInterface({ input: process.stdin })) {
  const { tex, displayMode } = JSON.parse(line);
  const wrap = displayMode ? "=" : "tex"; // where a line that is too long may break
  let answer;
  try {
    answer = { mathml: temml.renderToString(tex, { displayMode, wrap, throwOnError: true }) };
  } catch (error) {
    answer = { fault: error.message };
  }
  console.log(JSON.stringify(answer));
}
"""


@cache
def typesetter(_process):
    """A process that answers each line of TeX with a line of MathML, for as long as this one lives."""
    if not STYLE.is_file():
        raise ExtensionError(f"Equations need {STYLE}: run `npm ci` in {WEB}, as `make book` does")
    command = [node(), "--input-type=module", "--eval", TYPESETTER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=WEB, text=True, encoding="utf-8", **pipes)
    atexit.register(process.communicate)  # closes the pipes, and it ends
    return process


@cache
def mathml(tex, display=False):
    """The MathML of some TeX, as HTML; a formula within a line, or one on lines of its own.

    >>> mathml("d_k")
    '<math><msub><mi>d</mi><mi>k</mi></msub></math>'

    Raises ExtensionError where it is no TeX that Temml knows.
    """
    process = typesetter(os.getpid())
    print(json.dumps({"tex": tex, "displayMode": display}), file=process.stdin, flush=True)
    answer = json.loads(process.stdout.readline())
    if "fault" in answer:
        raise ExtensionError(f"This is no equation: {tex}\n{answer['fault']}")
    return answer["mathml"]


def visit_math(translator, node):
    """Writes a formula within a line."""
    tex = node.astext()
    translator.body.append(translator.starttag(node, "span", "", CLASS="math notranslate", **{"data-tex": tex}))
    translator.body.append(f"{mathml(tex)}</span>")
    raise SkipNode


def visit_math_block(translator, node):
    """Writes a formula on lines of its own, with its number."""
    tex = node.astext()
    translator.body.append(translator.starttag(node, "div", CLASS="math notranslate", **{"data-tex": tex}))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(f"{mathml(tex, display=True)}</div>\n")
    raise SkipNode


def finish_page(app, pagename, templatename, context, doctree):
    """Fetches the font on a page with equations, or a figure that writes some; lets no line begin with a comma."""
    body = context.get("body") or ""
    if "<math" in body or "<attention-flow" in body:
        font = context["pathto"](f"_static/equations/{FONT_OF_STYLE}", resource=True)
        # With the styles, not after them: in another font equations take other room, and what is below them would jump.
        preload = f'<link rel="preload" href="{font}" as="font" type="font/woff2" crossorigin>\n'
        context["metatags"] = context.get("metatags", "") + preload
        context["body"] = BEFORE_PUNCTUATION.sub(r'<span class="unbroken">\g<0></span>', body)


def characters(pages, scripts):
    """What the equations of pages and those that scripts write are made of.

    >>> characters(["<math><mi>&pi;</mi></math>"], [r"'\\u2211'"]) >= {"d", "𝑑", "π", "𝜋", "∑"}
    True
    """
    equations = (equation for page in pages for equation in EQUATION.findall(page))
    written = {character for equation in equations for character in unescape(re.sub("<[^>]*>", "", equation))}
    written |= {chr(int(long or short, 16)) for script in scripts for long, short in ESCAPED.findall(script)}
    return {printed for character in {*string.printable, *written} for printed in (character, italic(character))}


def italic(character):
    """What a browser prints for a letter that stands alone in an equation; the same character where it's no letter.

    >>> italic("d"), italic("h"), italic("+")
    ('𝑑', 'ℎ', '+')
    """
    if character == "h":  # Planck's constant had it first
        return "ℎ"
    name = unicodedata.name(character, "")
    try:
        return unicodedata.lookup("MATHEMATICAL ITALIC " + re.sub("LATIN |GREEK |LETTER ", "", name))
    except KeyError:
        return character


def copy_files(site, scripts, pages):
    """Puts stylesheet and font into a built site, for its pages' texts and the scripts in a folder below `_static`."""
    static = Path(site) / "_static"
    folder = static / "equations"
    folder.mkdir(exist_ok=True)
    shutil.copyfile(STYLE, folder / STYLE.name)
    used = characters(pages, (script.read_text(encoding="utf-8") for script in (static / scripts).glob("*.js")))
    keep_characters(FONT, folder / FONT_OF_STYLE, used)


def setup(app):
    app.add_css_file(f"equations/{STYLE.name}")
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.connect("html-page-context", finish_page)
