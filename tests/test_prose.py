"""The linter of the book's English finds what it is for, and nothing in code."""

import pytest
from prose import HABITS, habits, main, prose


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.pattern)
def test_a_habit_is_found_and_its_cure_is_not(habit):
    assert [instead for _, instead, _ in habits(habit.wrong)] == [habit.instead]
    assert not list(habits(habit.right))


def test_a_sentence_is_found_where_it_starts():
    text = "# Title\n\nA long line\nthat goes on. Length is\ndearer.\n\n| a | Length is dearer. |\n\n1. Length is dearer.\n"
    assert [line for line, *_ in habits(text)] == [4, 7, 9]


def test_only_prose_is_read():
    page = """---
description: unseen
---
# Unseen `unseen`

```{code-cell} python
:tags: [unseen]

unseen = 1
```

```{admonition} 1. Unseen
:class: unseen
Unseen.
```

:::{dropdown} Solution
~~~python
unseen
~~~
Unseen.
:::

:::{note}
Unseen.
:::
"""
    lines = page.splitlines()
    assert [lines[line - 1].strip() for line, *_ in habits(prose(page))] == [
        "# Unseen `unseen`",
        "```{admonition} 1. Unseen",
        "Unseen.",
        "Unseen.",
        "Unseen.",
    ]


def test_the_linter_says_where_and_fails(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("Fine.\n\nLength is dearer, says my better half.\n")
    assert main([page])
    said = capsys.readouterr().out
    assert f"{page}:3: " in said
    assert "costs more" in said
    assert "cliché" in said, "proselint's word on it, too"
    page.write_text("Length costs more.\n")
    assert not main([page])
