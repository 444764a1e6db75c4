"""Builds what is installed elsewhere: `make wheel` runs `python tools/wheels.py dist`.

The package comes as a wheel and as an sdist; what only the book's chapters import, as wheels of the package's version.
Links lead to the site that `MANYHEADS_URL` names and to the repository; where neither is known, their words stay.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from manyheads.repository import repository_address
from manyheads.sphinxext.publishing import address

ROOT = Path(__file__).parents[1]
BESIDE = ("recipes", "book")
VERSION = re.compile(r'^version = "(.*)"', re.MULTILINE)
IGNORED = shutil.ignore_patterns("node_modules", "__pycache__", "*.egg-info")


def build(folder):
    """Builds all into a folder: `manyheads-*.whl` and `manyheads-*.tar.gz`, and two `manyheads_*.whl`."""
    with TemporaryDirectory() as name:
        staged = Path(name)
        stage_package(staged / "package")
        run_hook(staged / "package", "build_wheel", folder)
        run_hook(staged / "package", "build_sdist", folder)
        for project in BESIDE:
            stage_beside(staged / project)
            run_hook(staged / project, "build_wheel", folder)


def stage_package(folder):
    """Copies what the package is built from, with a description and addresses that are true anywhere."""
    shutil.copytree(ROOT / "src" / "manyheads", folder / "src" / "manyheads", ignore=IGNORED)
    for name in ("LICENSE", "setup.py"):
        shutil.copy(ROOT / name, folder)
    site, repository = address(), repository_address(ROOT)
    (folder / "README.md").write_text(absolute_links((ROOT / "README.md").read_text(), site, repository))
    (folder / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text() + project_urls(site, repository))


def stage_beside(folder):
    """Copies a project that goes with the package, and gives it the package's version."""
    project = ROOT / folder.name
    shutil.copytree(project / f"manyheads_{folder.name}", folder / f"manyheads_{folder.name}", ignore=IGNORED)
    version = VERSION.search((ROOT / "pyproject.toml").read_text())[0]
    (folder / "pyproject.toml").write_text(VERSION.sub(version, (project / "pyproject.toml").read_text()))


def run_hook(project, hook, folder):
    """Has the setuptools that is installed here build a staged project; it is quoted only where it fails."""
    code = f"import sys, setuptools.build_meta; setuptools.build_meta.{hook}(sys.argv[1])"
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", code, str(folder.resolve())]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{project.name} could not be built:\n{done.stdout}{done.stderr}")


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
    build(Path(sys.argv[1]))
