"""Links to a term of the glossary carry its entry's first sentence, for the card that `web/doors/term-cards.ts` opens.

In a notebook, and where no script runs, they are links like others.
"""

import re
from html import escape

from docutils import nodes
from sphinx import addnodes

LINK = re.compile(r'<a class="reference internal" href="[^"]*#(?P<id>[^"#]+)"(?=><span class="xref std std-term)')
SENTENCE = re.compile(r".+?[.!?](?=\s|$)", re.DOTALL)


def terms_of(doctree):
    """The terms of a page's glossaries with the first sentences of their entries: {id: (term, sentence)}.

    An entry that doesn't begin with a sentence is left out.
    """
    found = {}
    for glossary in doctree.findall(addnodes.glossary):
        for entry in glossary.findall(nodes.definition_list_item):
            sentence = SENTENCE.match(entry[-1].astext())
            terms = [term for term in entry if isinstance(term, nodes.term)]
            if sentence:
                says = " ".join(sentence[0].split())
                found |= {id: (term.astext(), says) for term in terms for id in term["ids"]}
    return found


def with_cards(html, terms):
    """The HTML of a page whose links to terms carry what their cards say.

    >>> link = '<a class="reference internal" href="#term-key"><span class="xref std std-term">keys</span></a>'
    >>> with_cards(link, {"term-key": ("key", "What is found.")}).partition("><")[0]
    '<a class="reference internal" href="#term-key" data-term="key" data-says="What is found."'
    """

    def carrying(link):
        if link["id"] not in terms:
            return link[0]
        term, says = map(escape, terms[link["id"]])
        return f'{link[0]} data-term="{term}" data-says="{says}"'

    return LINK.sub(carrying, html)


def read_terms(app, env):
    """Reads the glossaries; where an entry has changed, all pages are written again."""
    pages = {page for (kind, _), (page, _) in env.domains["std"].objects.items() if kind == "term"}
    terms = {}
    for page in sorted(pages):
        terms |= terms_of(env.get_doctree(page))
    changed = terms != getattr(env, "manyheads_terms", {})
    env.manyheads_terms = terms
    return sorted(env.found_docs) if changed else []


def bake_cards(app, pagename, templatename, context, doctree):
    if "body" in context:
        context["body"] = with_cards(context["body"], app.env.manyheads_terms)


def setup(app):
    app.connect("env-updated", read_terms)
    app.connect("html-page-context", bake_cards)
