"""Every exercise has a solution, with code where it's written in a cell; tests/solutions runs it."""

from exercises import EXERCISES


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
