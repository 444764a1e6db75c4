"""What `<head-birth>` shows before a reader trains."""

from manyheads.maps.wire import map_json
from manyheads.models.induction.head_model import load_induction
from manyheads.models.keeping import kept_variants


def head_birth_data(text):
    """What `<head-birth>` shows of a text before training, and what was measured in training.

    >>> data = head_birth_data("tea tea")
    >>> list(data), data["steps"][:2], data["history"][0]["step"]
    (['map', 'guesses', 'steps', 'heads', 'history'], [0, 100], 0)
    """
    checkpoints = [variant for variant in kept_variants("induction") if variant]
    first, trained = load_induction(checkpoints[0]), load_induction()
    heads = {"previous": trained.previous_head, "induction": trained.induction_head}
    history = []
    for point in trained.history:
        scores = {name: point[name][layer][head] for name, (layer, head) in heads.items()}
        measured = {"second": point["second"], "right": point["right"], **scores}
        history.append({"step": point["step"], **{name: round(value, 4) for name, value in measured.items()}})
    return {
        "map": map_json(first(text)),
        "guesses": first.guesses(text).characters,
        "steps": [*(int(name.removeprefix("step-")) for name in checkpoints), trained.config.steps],
        "heads": heads,
        "history": history,
    }
