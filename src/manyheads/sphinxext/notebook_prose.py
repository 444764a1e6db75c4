"""The prose of a built page as Markdown that Jupyter, Colab and VS Code show: no MyST is left in it.

Numbers, citations and references are resolved already: it is the page's own HTML that is turned into Markdown.
"""

import re

from markdownify import ATX, MarkdownConverter

from manyheads.sphinxext.figures import FIGURES

OWN_WORDS = ("field-exercise", "exercise-list", "figure-guess")  # which can be read without a script


def prose(nodes, link=lambda address: address):
    """The Markdown of some elements of a page; `link(address)` is where a link of the page leads from a notebook.

    `link("")` is where the page itself is, for a figure that is live there only.

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
        return f"${_formula(el)}$" if "math" in classes(el) else text

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
        if el.name in OWN_WORDS:
            return text
        does = "there is a live figure here"
        if "bug" in el.attrs:
            does = "a switch" if "switch" in el.attrs else "a switch puts a bug in"
        if "label" in el.attrs:
            does = f"{does}: *{el['label']}*"
        page = self.link("")
        where = f"On the [page]({page})" if page else "On the page of this chapter"
        return f"\n\n> {where}, {does}.\n\n"

    def get_conv_fn(self, tag_name):
        return self.convert_live if tag_name in FIGURES else super().get_conv_fn(tag_name)


def _formula(el):
    """The TeX of a formula, on one line, for it may stand in a quotation."""
    return " ".join(el["data-tex"].split())


def _language(pre):
    named = re.search(r"highlight-(\w+)", " ".join(classes(pre.parent.parent) if pre.parent.parent else []))
    return {"default": "python", "none": "", "ipython3": "python"}.get(named[1], named[1]) if named else ""
