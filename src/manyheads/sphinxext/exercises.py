"""Exercises, by sphinx-exercise: each with its kind and what it practises, its solution folded, all listed on one page.

`{exercise}` takes `:label:`, `:kind:` and `:practises:`; `{solution} label` is closed until a reader opens it;
`{field-exercise}` inside an exercise is answered on the page, `{check}` in the notebook; `{exercise-list}` lists them
all.
"""

from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx_design.shared import create_component
from sphinx_exercise.directive import ExerciseDirective
from sphinx_exercise.nodes import solution_node

from manyheads.sphinxext.fields import fields_html, read_fields

KINDS = {
    "shape": "predict the shape",
    "word": "predict the word, then look",
    "bug": "find the bug",
    "query": "change the query",
    "hand": "by hand",
    "cell": "write it in a cell",
    "live": "try it on a live figure",
    "think": "think it through",
}
OPEN = "manyheads_exercise"  # in the build's memory: the label of the exercise that is being read
CHECKED = "manyheads_checked"  # and those that the page itself checks
CELLS = "manyheads_cells"  # and the code that its notebook has for it


class Exercise(ExerciseDirective):
    """`{exercise} title` with `:label:`, `:kind:` (one of `KINDS`) and `:practises:`."""

    required_arguments = 1
    optional_arguments = 0
    option_spec: ClassVar = {
        **ExerciseDirective.option_spec,
        "kind": lambda kind: directives.choice(kind, tuple(KINDS)),
        "practises": directives.unchanged_required,
    }

    def run(self):
        if missing := {"label", "kind", "practises"} - {*self.options}:
            raise self.error(f"exercise: it needs {', '.join(sorted(missing))}")
        label = self.options["label"]
        self.env.temp_data.update({OPEN: label, CELLS: []})
        found = super().run()
        del self.env.temp_data[OPEN]
        checked = label in self.env.temp_data.get(CHECKED, ())
        for node in found:
            node["classes"].append("note")
            details = {name: self.options[name] for name in ("kind", "practises")} | {"checked": checked}
            details |= {"title": self.arguments[0], "cells": self.env.temp_data[CELLS]}
            self.env.sphinx_exercise_registry[label] |= details
        return found


class FieldExercise(SphinxDirective):
    """`{field-exercise}` in an exercise: fields that the page checks; the live `:map:` then shows the `:sentence:`."""

    has_content = True
    option_spec: ClassVar = {"map": directives.unchanged_required, "sentence": directives.unchanged_required}

    def run(self):
        if OPEN not in self.env.temp_data:
            raise self.error("field-exercise: it stands in an exercise")
        is_checked(self.env)
        try:
            fields = read_fields("\n".join(self.content))
        except ValueError as error:
            raise self.error(f"field-exercise: {error}") from error
        return [nodes.raw("", fields_html(self.env.temp_data[OPEN], fields, **self.options), format="html")]


class Check(SphinxDirective):
    """`{check}` in an exercise: what a reader begins with in the notebook, and its check. A page shows nothing."""

    has_content = True

    def run(self):
        if OPEN not in self.env.temp_data:
            raise self.error("check: it stands in an exercise")
        self.env.temp_data[CELLS].append("\n".join(self.content))
        return []


def is_checked(env):
    """Notes that the page checks the exercise that is being read."""
    env.temp_data.setdefault(CHECKED, set()).add(env.temp_data[OPEN])


class exercise_list(nodes.General, nodes.Element):
    """Where all exercises are to be listed."""


class ExerciseList(SphinxDirective):
    """`{exercise-list}`: all exercises of the book, page by page."""

    def run(self):
        return [exercise_list()]


class ListExercises(SphinxPostTransform):
    """Fills the lists, once all pages are read."""

    default_priority = 4  # before references are resolved

    def run(self, **kwargs):
        for node in list(self.document.findall(exercise_list)):
            inside = [part for page in pages(self.env) for part in self.list_page(page)]
            begin, end = (nodes.raw("", text, format="html") for text in ("<exercise-list>", "</exercise-list>"))
            node.replace_self([begin, *inside, end])

    def list_page(self, page):
        """A page's title and its exercises."""
        own = exercises(self.env, page)
        if not own:
            return []
        title = nodes.rubric("", self.env.titles[page].astext(), classes=["exercise-page"])
        items = (self.item(page, label, details) for label, details in own.items())
        return [title, nodes.bullet_list("", *items, classes=["exercise-items"])]

    def item(self, page, label, details):
        """An exercise: a link to it and what it is about. The page's script ticks those that a page checks."""
        number = ".".join(map(str, self.env.toc_fignumbers.get(page, {}).get("exercise", {}).get(label, ())))
        link = addnodes.pending_xref(
            "",
            nodes.inline("", f"{number} {details['title']}".strip()),
            refdomain="std",
            reftype="ref",
            reftarget=label,
            refexplicit=True,
            refdoc=self.env.docname,
            refwarn=True,
        )
        about = nodes.paragraph("", about_exercise(details), classes=["exercise-about"])
        checked = ["exercise-checked"] if details["checked"] else []
        return nodes.list_item("", nodes.paragraph("", "", link), about, classes=checked)


def about_exercise(details):
    """What an exercise practises, and its kind.

    >>> about_exercise({"practises": "joining the heads", "kind": "shape"})
    'joining the heads · predict the shape'
    """
    return f"{details['practises']} · {KINDS[details['kind']]}"


def exercises(env, page):
    """The exercises of a page in its order: {label: {kind, practises, title, cells, ...}}."""
    registry = getattr(env, "sphinx_exercise_registry", {})
    return {label: details for label, details in registry.items() if details["docname"] == page and "kind" in details}


def pages(env):
    """All pages, in the order of the book's contents."""
    waiting, found = [env.config.root_doc], []
    while waiting:
        page = waiting.pop(0)
        if page not in found:
            found.append(page)
            waiting = [*env.toctree_includes.get(page, []), *waiting]
    return found


class FoldSolutions(SphinxPostTransform):
    """Makes a solution a fold that opens without a script, and takes ids out that each exercise has alike."""

    default_priority = 30  # sphinx-exercise gives it its title at 21
    formats = ("html",)

    def run(self, **kwargs):
        for section in list(self.document.findall(nodes.section)):
            if section["ids"] in (["exercise-content"], ["solution-content"]):
                section["ids"] = []  # else its first child would take it over
                section.replace_self(section.children)
        for solution in list(self.document.findall(solution_node)):
            fold = create_component(
                "dropdown",
                classes=[],
                opened=False,
                type="dropdown",
                has_title=True,
                icon=None,
                chevron=None,
                container_classes=["sd-mb-3", "solution"],
                title_classes=[],
                body_classes=[],
            )
            fold += [nodes.rubric("", "Solution"), *solution.children[1:]]
            solution.replace_self(fold)


def list_again(app, env):
    """The pages to be written again because other pages' exercises may have changed."""
    return [page for page in env.found_docs if next(env.get_doctree(page).findall(exercise_list), None)]


def drop_stylesheet(app, pagename, templatename, context, doctree):
    """Takes sphinx-exercise's stylesheet off the pages: an exercise looks like any other note here."""
    context["css_files"] = [sheet for sheet in context["css_files"] if Path(str(sheet.filename)).name != "exercise.css"]


def setup(app):
    app.setup_extension("sphinx_design")
    app.setup_extension("sphinx_exercise")
    app.add_directive("exercise", Exercise, override=True)
    app.add_directive("check", Check)
    app.add_node(exercise_list)
    app.add_post_transform(ListExercises)
    app.add_post_transform(FoldSolutions)
    app.connect("env-updated", list_again)
    app.connect("html-page-context", drop_stylesheet)
