"""Where the book's repository is, and what its releases hold."""

import os
import re
import subprocess
from importlib import metadata
from pathlib import Path

REPOSITORY = "MANYHEADS_REPOSITORY"
PACKAGE = Path(__file__).parent


def web_address(remote):
    """The address in a browser of a repository, from what git calls its remote; "" for one that is on no web host.

    >>> web_address("git@github.com:somebody/many-heads.git")
    'https://github.com/somebody/many-heads'
    >>> web_address("/srv/many-heads")
    ''
    """
    found = re.fullmatch(r"(?:https?://|ssh://)?(?:[^@/]+@)?([\w.-]+\.\w+)[:/](.+?)(?:\.git)?/?", remote.strip())
    return f"https://{found[1]}/{found[2]}" if found else ""


def repository_address(folder):
    """The address of the repository that holds a folder: the environment's, else the git remote's, else ""."""
    if REPOSITORY in os.environ:
        return web_address(os.environ[REPOSITORY])
    command = ["git", "-C", str(folder), "remote", "get-url", "origin"]
    try:
        return web_address(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    except FileNotFoundError:  # no git
        return ""


def clone_of(package):
    """The top of the clone that a package is run from, or None where it's installed.

    >>> clone_of(Path("/usr/lib/python3/site-packages/manyheads"))
    """
    clone = package.parent.parent
    return clone if package.parent.name == "src" and (clone / "pyproject.toml").is_file() else None


def own_repository():
    """The address of this package's repository: what the installed wheel says of itself, else its clone's, else ""."""
    clone = clone_of(PACKAGE)
    if clone:
        return repository_address(clone)
    urls = (url.split(", ", 1) for url in metadata.metadata("manyheads").get_all("Project-URL") or [])
    return dict(urls).get("Repository", "")


def release_addresses(name, repository, version):
    """Where a file of a release may be, the release of this version first, then the newest: GitHub's alone are known.

    >>> release_addresses("tea.txt", "https://github.com/somebody/many-heads", "0.2.0")[0]
    'https://github.com/somebody/many-heads/releases/download/v0.2.0/tea.txt'
    >>> release_addresses("tea.txt", "https://github.com/somebody/many-heads", "0.3.0.dev0")
    ['https://github.com/somebody/many-heads/releases/latest/download/tea.txt']
    >>> release_addresses("tea.txt", "", "0.2.0")
    []
    """
    if not repository.startswith("https://github.com/"):
        return []
    own = [f"download/v{version}"] if re.fullmatch(r"[\d.]+", version) else []
    return [f"{repository}/releases/{place}/{name}" for place in (*own, "latest/download")]
