"""The package's own code on a page; the page's notebook has it in a cell, to edit and to run."""

import ast
import inspect
import re
import textwrap

from IPython.display import Markdown, display

CODE = "code"  # in an output's metadata: what the notebook's cell is, as sphinxext/notebooks.py reads it
WIDE = 92  # characters that fit a line of the page


def show(*objects, whole=False):
    """Shows functions, methods or classes as they stand in the package, without docstrings and, unless `whole`, checks.

    In the notebook of a page, its cell is this code. A method comes with its class there, so that what's edited counts.
    """
    page = "\n\n".join(_fitted(listing(thing, whole)) for thing in objects)
    ast.parse(page)  # it is still Python
    defined = dict.fromkeys(map(_class_of, objects))
    cell = "\n\n\n".join(listing(thing, whole or inspect.isclass(thing)) for thing in defined)
    display(Markdown(f"~~~python\n{page}\n~~~"), metadata={CODE: cell})


def listing(thing, whole=False):
    """The code of a function, method or class.

    >>> from manyheads.attention import join_heads
    >>> print(listing(join_heads))
    def join_heads(x):  # [..., h, t, d] -> [..., t, h * d]
        parts = x.transpose(-3, -2)  # [..., t, h, d]
        return parts.flatten(start_dim=-2)  # [..., t, h * d]
    """
    source = textwrap.dedent(inspect.getsource(thing))
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if _is_docstring(node) or (_is_check(node) and not whole):
            lines[node.lineno - 1 : node.end_lineno] = [None] * (node.end_lineno - node.lineno + 1)
    return "\n".join(line for line in lines if line is not None)


def _class_of(thing):
    """The class of a method; else the thing itself."""
    return getattr(inspect.getmodule(thing), thing.__qualname__.partition(".")[0])


def _is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_check(node):
    if isinstance(node, ast.If):
        return isinstance(node.body[-1], ast.Raise)
    return isinstance(node, (ast.Expr, ast.Assign)) and re.match(r"check_|.*map\(np.asarray", ast.unparse(node))


def _fitted(code):
    """Code of which each line fits the page: a comment that doesn't stands above."""
    return "\n".join(part for line in code.splitlines() for part in _parts(line))


def _parts(line):
    if len(line) <= WIDE:
        return [line]
    code, _, comment = line.partition("  # ")
    indent = " " * (len(line) - len(line.lstrip()))
    above = [f"{indent}# {comment}"] if comment else []
    return above + textwrap.wrap(code, WIDE, subsequent_indent=indent + 8 * " ", break_long_words=False)
