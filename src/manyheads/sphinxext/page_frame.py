"""What stands around a chapter: its description for those who list pages, and a footer with the way to its source."""

from html import escape
from pathlib import Path

BRANCH = "main"  # what publishing builds
LICENCES = "Licences: code MIT, text CC BY 4.0"
EDITED_AT = {"github.com": "{repository}/edit/{branch}/{path}", "gitlab.com": "{repository}/-/edit/{branch}/{path}"}
READ_AT = {"github.com": "{repository}/blob/{branch}/{path}", "gitlab.com": "{repository}/-/blob/{branch}/{path}"}


def repository_links(repository, source=""):
    """Where a page's source can be edited, the repository and the licence: {"Edit this page": address, ...}.

    >>> links = repository_links("https://github.com/somebody/many-heads", "book/code.md")
    >>> links["Edit this page"]
    'https://github.com/somebody/many-heads/edit/main/book/code.md'
    >>> repository_links("", "book/code.md")
    {}
    """
    if not repository:
        return {}
    host = repository.removeprefix("https://").partition("/")[0]
    links = {"Source": repository}
    if host in EDITED_AT:
        place = {"repository": repository, "branch": BRANCH}
        if source:
            links["Edit this page"] = EDITED_AT[host].format(**place, path=source)
        links[LICENCES] = READ_AT[host].format(**place, path="LICENSE")
    return links


def describe(app, pagename, templatename, context, doctree):
    """A page's own `description`, in its front matter, goes before what would be taken of its text."""
    meta = context.get("meta") or {}
    if "description" in meta:
        meta["og:description"] = meta["description"]
        context["metatags"] = (
            f'{context.get("metatags", "")}<meta name="description" content="{escape(meta["description"])}">\n'
        )


def add_links(app, pagename, templatename, context, doctree):
    source = Path(app.env.doc2path(pagename)).relative_to(app.srcdir).as_posix() if doctree else ""
    context["repository_links"] = repository_links(app.config.manyheads_repository, source)
    context["licences"] = LICENCES


def setup(app):
    app.connect("html-page-context", describe, priority=100)  # before the tags of previews are made
    app.connect("html-page-context", add_links)
