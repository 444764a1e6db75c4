"""The prose of a built page as Markdown that Jupyter, Colab and VS Code show: no MyST is left in it.

Numbers, citations and references are resolved already: it is the page's own HTML that is turned into Markdown.
"""

import json
import re
from urllib.parse import quote as quote_url

from markdownify import ATX, MarkdownConverter

from manyheads.figures import FIGURES
from manyheads.shared.names import WORTH_TRYING

TRIED_IN = ("head-map", "word-sense")  # the figures that answer to sentences of a table


def prose(nodes, link=lambda address: address):
    """The Markdown of some elements of a page; `link(address)` is where a link of the page leads from a notebook.

    >>> from bs4 import BeautifulSoup
    >>> page = BeautifulSoup('<p>All <span class="math" data-tex="W_q"></span>, and <em>so</em> on.</p>', "html.parser")
    >>> prose(page.contents)
    'All $W_q$, and *so* on.'
    """
    converter = _Prose(link)
    return re.sub(r"\n{3,}", "\n\n", "".join(converter.process_element(node) for node in nodes)).strip()


def classes(element):
    return element.get("class", [])


def quote(text):
    """Markdown as a block quote: what a page frames."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def try_link(text, figure, settings):
    """A link that sets something in a figure, as doors/cell.ts answers it."""
    return f"[{text}](#try:{quote_url(figure)}:{quote_url(settings)})"


def is_worth_trying(words):
    """Whether some words are a sentence of a table, which a press puts into the map above: doors/worth-trying.ts."""
    row, table = words.find_parent("tr"), words.find_parent("table")
    if table is None or table.th.get_text(strip=True) not in WORTH_TRYING["columns"]:
        return False
    return words.find_parent("td") is row.td and len(words.get_text().split(" ")) >= WORTH_TRYING["words"]


def folded(title, text):
    """Markdown that stays closed below a title until a reader opens it."""
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


class _Prose(MarkdownConverter):
    """The elements that Sphinx and its themes write, beside those that the library knows."""

    class Options(MarkdownConverter.DefaultOptions):
        heading_style = ATX
        bullets = "-"
        autolinks = False

    def __init__(self, link):
        super().__init__()
        self.link = link

    def escape(self, text, parent_tags):
        return super().escape(text, parent_tags).replace("<", "&lt;").replace("$", "\\$")

    def convert_a(self, el, text, parent_tags):
        if {"headerlink", "sd-stretched-link"} & {*classes(el)}:
            return ""
        if "href" in el.attrs:
            el["href"] = self.link(el["href"])
        return super().convert_a(el, text, parent_tags) if el.get("href") else text

    def convert_span(self, el, text, parent_tags):
        if "hm-phrase" in classes(el):
            return try_link(text, el["data-figure"], el["data-set"])
        return f"${_formula(el)}$" if "math" in classes(el) else text

    def convert_em(self, el, text, parent_tags):
        words = super().convert_em(el, text, parent_tags)
        figure = el.find_previous(TRIED_IN) if is_worth_trying(el) else None
        if figure is None:
            return words
        return try_link(words, figure.get("id") or figure.name, json.dumps({"sentence": el.get_text()}))

    def convert_div(self, el, text, parent_tags):
        found = {*classes(el)}
        if "toctree-wrapper" in found:
            return ""
        if "math" in found:
            number = el.find("span", class_="eqno")
            tag = f" \\tag{{{number.get_text().strip('()#¶ ')}}}" if number else ""
            return f"\n\n$${_formula(el)}{tag}$$\n\n"
        if "admonition" in found:
            return f"\n\n{quote(text)}\n\n"
        if "sd-card-title" in found:
            link = el.find_parent(class_="sd-card").find("a", class_="sd-stretched-link")
            title = text.strip()
            return f"\n\n**[{title}]({self.link(link['href'])})**\n" if link else f"\n\n**{title}**\n"
        if "citation" in found:
            label, *rest = text.strip().splitlines()
            return f"\n\n**{label.strip()}** {' '.join(rest).strip()}\n\n"
        return super().convert_div(el, text, parent_tags)

    def convert_p(self, el, text, parent_tags):
        if "admonition-title" in classes(el):
            return f"\n\n**{text.strip()}**\n\n"
        return super().convert_p(el, text, parent_tags)

    def convert_details(self, el, text, parent_tags):
        return f"\n\n{folded(el.find('summary').get_text().strip(), text.strip())}\n\n"

    def convert_dt(self, el, text, parent_tags):
        term = " ".join(text.split())
        if "sig" in classes(el):
            for anchor in el.select(".headerlink, .viewcode-link"):
                anchor.decompose()
            return f"\n\n**`{' '.join(el.get_text().split())}`**\n\n"
        return f"\n\n#### {term}\n\n" if "glossary" in classes(el.parent) else f"\n\n**{term}**\n\n"

    def convert_dd(self, el, text, parent_tags):
        if el.find_parent("dl", class_="py"):
            return f"\n\n{quote(text)}\n\n"
        return f"\n\n{text.strip()}\n\n"

    def convert_td(self, el, text, parent_tags):
        return super().convert_td(el, re.sub(r"(?<!\\)\|", r"\\|", text), parent_tags)

    def convert_svg(self, el, text, parent_tags):
        return ""

    convert_summary = convert_svg  # `convert_details` has written it

    def convert_pre(self, el, text, parent_tags):
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        return f"\n\n{fence}{_language(el)}\n{text.strip(chr(10))}\n{fence}\n\n"

    def convert_live(self, el, text, parent_tags):
        return ""  # a cell shows it

    def get_conv_fn(self, tag_name):
        return self.convert_live if tag_name in FIGURES else super().get_conv_fn(tag_name)


def _formula(el):
    """The TeX of a formula, on one line, for it may stand in a quotation."""
    return " ".join(el["data-tex"].split())


def _language(pre):
    named = re.search(r"highlight-(\w+)", " ".join(classes(pre.parent.parent) if pre.parent.parent else []))
    return {"default": "python", "none": "", "ipython3": "python"}.get(named[1], named[1]) if named else ""
