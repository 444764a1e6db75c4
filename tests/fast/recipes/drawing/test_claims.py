"""What *Is it shut?* says of two heads, on things that no training saw, and the drawings on which it doesn't hold."""

import pytest

from manyheads.models.drawing import inked, shut_in
from manyheads.models.keeping import manifest
from manyheads_book.experiments import results, runs_of
from manyheads_recipes.drawing import measures
from manyheads_recipes.drawing.drawn import second
from manyheads_recipes.drawing.openings import KINDS, openings
from manyheads_recipes.drawing.swapping import filled_swapped


@pytest.fixture(scope="module", params=KINDS)
def things(request):
    """200 rings, 200 cups, 200 houses, each open and closed."""
    return openings(request.param, measures.COUNT, measures.TESTING)


def filled(model, ink, inside, off=None, hidden=None):
    """The share of the inside that is filled without a head, or with places hidden from the gap head alone."""
    mask = None if off is None else measures.without(model.network, off)
    masks = None if hidden is None else measures.hidden(model.network, model.gap_head, hidden)
    return measures.filled(model.network, ink, inside, mask, masks)


def test_what_is_open_stays_empty_and_what_is_closed_is_filled(drawing, things):
    assert filled(drawing, things.opened, things.inside) < 0.05
    assert filled(drawing, things.closed, things.inside) > 0.95


def test_without_the_gap_head_open_things_fill_and_closed_ones_stay_as_they_are(drawing, things):
    assert filled(drawing, things.opened, things.inside, drawing.gap_head) > 0.4
    assert filled(drawing, things.closed, things.inside, drawing.gap_head) > 0.9


def test_without_the_carrier_hardly_anything_is_filled(drawing, things):
    assert filled(drawing, things.opened, things.inside, drawing.carrier) < 0.05
    assert filled(drawing, things.closed, things.inside, drawing.carrier) < 0.25


def test_hiding_the_gap_from_the_gap_head_does_far_less_than_turning_it_off(drawing, things):
    off = filled(drawing, things.opened, things.inside, drawing.gap_head)
    at_gap, elsewhere = (
        filled(drawing, things.opened, things.inside, hidden=places) for places in (things.at_gap, things.elsewhere)
    )
    assert elsewhere < 0.03
    assert elsewhere <= at_gap < 0.6 * off


def test_layer_1_tells_the_gap_head_of_gaps_that_it_cannot_see(drawing):
    rings = openings("ring", measures.COUNT, measures.TESTING)
    untold, told = (filled_swapped(drawing.network, rings, drawing.gap_head, swap) for swap in (False, True))
    assert told > 1.5 * untold


def test_its_roles_are_what_is_measured(drawing):
    rings = measures.rings_to_choose_by()
    assert drawing.gap_head == measures.gap_head(drawing.network, rings)
    assert drawing.carrier == measures.carrier(drawing.network, rings)


def test_the_kept_seed_is_the_one_that_the_measure_chooses():
    seeds = results.result_of("drawing_seeds")["seeds"]
    division = {seed: run["division"] for seed, run in zip(seeds, runs_of("drawing_seeds"))}
    assert manifest()["drawing.safetensors"]["seed"] == max(division, key=division.get)


HOLDS = {  # of a reader's second drawing: does it fill when it's open, without the gap head? empty when shut, without the carrier?
    "one of two rings": (True, False),
    "two rings": (True, False),
    "ring around a ring": (True, False),
    "two gaps": (False, True),
    "corridor": (False, True),
    "heart": (False, False),
}


@pytest.mark.parametrize("name", HOLDS)
def test_a_second_drawing_shows_where_it_breaks(drawing, name):
    opened, closed = map(inked, second()[name])
    places, whole = shut_in(opened), shut_in(closed)
    added = (whole > 0) & (places == 0) & (opened == 0)
    for ink, inside, share in ((opened, added, 0), (closed, whole > 0, 1)):
        assert filled(drawing, ink[None], inside[None]) == pytest.approx(share, abs=0.1), "all heads on: it's right"
    fills = filled(drawing, opened[None], added[None], drawing.gap_head) > 0.5
    stays = filled(drawing, closed[None], whole[None] > 0, drawing.carrier) < 0.1
    assert (fills, stays) == HOLDS[name]
