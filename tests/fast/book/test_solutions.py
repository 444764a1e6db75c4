"""Every exercise has a solution, with code where it's written in a cell; tests/solutions runs it."""

from exercises import EXERCISES, names_of


def test_every_exercise_has_a_solution():
    for exercise in EXERCISES:
        assert exercise.solution.strip(), f"{exercise.chapter}: {exercise.title}"
    assert len({exercise.label for exercise in EXERCISES}) == len(EXERCISES)


def test_what_is_written_in_a_cell_is_run():
    for exercise in EXERCISES:
        assert (
            exercise.code
            or exercise.kind not in ("cell", "hand", "query", "bug", "shape", "word")
            or (exercise.label == "does-not-fit")
        ), exercise.label
        assert exercise.code or not exercise.fields, "what its fields ask for is computed"


def test_what_is_written_in_a_cell_has_a_cell_and_a_check():
    for exercise in EXERCISES:
        assert bool(exercise.cells) == (exercise.kind == "cell"), exercise.label
        for cell in exercise.cells:
            assert names_of(cell) & names_of("\n".join(exercise.code)), "the solution answers by a name of the cell"
