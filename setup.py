"""Setuptools builds no scripts: without those of the figures, nothing is built but what is installed for editing."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithScripts(build_py):
    def run(self):
        if not self.editable_mode and not Path("src/manyheads/web/dist/head-map.js").is_file():
            raise SystemExit(
                "The scripts of the figures aren't built: install manyheads from a package index or by its wheel on "
                "the book's site, or clone the repository, run `make wheel` there, and install the wheel in dist/."
            )
        super().run()


setup(cmdclass={"build_py": BuildWithScripts})
