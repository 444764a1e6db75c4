"""Equations as MathML: every browser draws it without a script, and screen readers read it.

Temml makes it of TeX while the book is built. Its font is STIX Two Math, of which the pages get what equations need.
"""

import atexit
import json
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from docutils.nodes import SkipNode
from fontTools import subset
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number

from manyheads.sphinxext.node import node
from manyheads.widgets.web_files import WEB

PACKAGES = WEB / "node_modules"
STYLE = PACKAGES / "temml" / "dist" / "Temml-STIX2.css"
FONT = PACKAGES / "@fontsource" / "stix-two-math" / "files" / "stix-two-math-latin-400-normal.woff"
FONT_OF_STYLE = "STIXTwoMath.woff2"  # as the stylesheet calls it
# Letters, digits and accents; dots, bars, primes; Planck's h; arrows, operators, parts of brackets; bold and italic.
CHARACTERS = (
    *(
        "U+0020-007E",
        "U+00A0",
        "U+00B1",
        "U+00B7",
        "U+00D7",
        "U+0300-0303",
        "U+0391-03C9",
        "U+2016",
        "U+2026",
        "U+2032-2033",
    ),
    *("U+210E", "U+2190-2193", "U+2200-22FF", "U+239B-23AD", "U+27E8-27E9", "U+1D400-1D467", "U+1D6FC-1D71B"),
)
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
    """Puts style and font on a page with equations, or a figure that writes some; lets no line begin with a comma."""
    body = context.get("body") or ""
    if "<math" in body or "<attention-flow" in body:
        app.add_css_file(f"equations/{STYLE.name}")
        font = context["pathto"](f"_static/equations/{FONT_OF_STYLE}", resource=True)
        # With the styles, not after them: in another font equations take other room, and what is below them would jump.
        preload = f'<link rel="preload" href="{font}" as="font" type="font/woff2" crossorigin>\n'
        context["metatags"] = context.get("metatags", "") + preload
        context["body"] = BEFORE_PUNCTUATION.sub(r'<span class="unbroken">\g<0></span>', body)


def copy_files(site):
    """Puts stylesheet and font into a built site."""
    folder = Path(site) / "_static" / "equations"
    folder.mkdir(exist_ok=True)
    shutil.copyfile(STYLE, folder / STYLE.name)
    options = [f"--unicodes={','.join(CHARACTERS)}", "--layout-features=*", "--flavor=woff2"]
    options.append(f"--output-file={folder / FONT_OF_STYLE}")
    subset.main([str(FONT), *options])


def setup(app):
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.connect("html-page-context", finish_page)
