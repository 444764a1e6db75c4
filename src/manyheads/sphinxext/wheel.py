"""Stages what pip builds a wheel from: the sources and a description whose links work anywhere.

`python -m manyheads.sphinxext.wheel FOLDER` is the first half of `make wheel`. Links lead to the site that
`MANYHEADS_URL` names and to the repository; where neither is known, their words stay.
"""

import re
import shutil
import sys
from pathlib import Path

from manyheads.sphinxext.notebooks import repository_address
from manyheads.sphinxext.publishing import address

ROOT = Path(__file__).parents[3]


def stage(folder):
    """Copy what a wheel is built from into a folder that must not exist yet."""
    ignored = shutil.ignore_patterns("node_modules", "__pycache__", "*.egg-info")
    for package in ("src/manyheads", "book/manyheads_book"):
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    shutil.copy(ROOT / "LICENSE", folder)
    site, repository = address(), repository_address(ROOT)
    (folder / "README.md").write_text(absolute_links((ROOT / "README.md").read_text(), site, repository))
    (folder / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text() + project_urls(site, repository))


def absolute_links(text, site, repository):
    """Markdown whose links and pictures are found from elsewhere, too; what can't be found is left out.

    >>> absolute_links("![Heads](book/images/a.png)", None, "https://github.com/somebody/many-heads")
    '![Heads](https://github.com/somebody/many-heads/raw/main/book/images/a.png)'
    >>> absolute_links("[install](book/code.md#install), [licence](LICENSE)", "https://example.org/", "")
    '[install](https://example.org/book/code.html#install), licence'
    """

    def absolute(found):
        picture, words, path = found.groups()
        if re.match(r"\w+:", path):
            return found[0]
        if site and path.startswith("book/") and not picture:
            return f"[{words}]({site}{path.replace('.md', '.html')})"
        if repository:
            return f"{picture}[{words}]({repository}/{'raw' if picture else 'blob'}/main/{path})"
        return "" if picture else words

    return re.sub(r"(!?)\[([^]]*)\]\(([^)]*)\)", absolute, text)


def project_urls(site, repository):
    """The table of pyproject.toml that leads from a package index to the project.

    >>> print(project_urls("https://example.org/", ""))
    <BLANKLINE>
    [project.urls]
    Documentation = "https://example.org/book/index.html"
    <BLANKLINE>
    """
    urls = {"Documentation": f"{site}book/index.html"} if site else {}
    if repository:
        changelog = f"{repository}/blob/main/CHANGELOG.md"
        urls |= {"Repository": repository, "Issues": f"{repository}/issues", "Changelog": changelog}
    return "\n[project.urls]\n" + "".join(f'{name} = "{url}"\n' for name, url in urls.items())


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
