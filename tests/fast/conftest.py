"""Models that no test changes, loaded once by each worker; and which worker runs what."""

from pathlib import Path

import pytest

from manyheads import load_decoder, load_drawing, load_encoder, load_focus_model, load_induction, load_translator

ROOM = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before xdist looks for groups
def pytest_collection_modifyitems(items):
    """A file's tests go to one worker, which makes once what they share."""
    for item in items:
        if item.path.is_relative_to(ROOM) and not any(item.iter_markers("xdist_group")):
            item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(ROOM))))


@pytest.fixture(scope="session")
def decoder():
    """Half a gigabyte: tests that need it are of the group `decoder`, which one worker runs."""
    return load_decoder()


@pytest.fixture(scope="session")
def drawing():
    return load_drawing()


@pytest.fixture(scope="session")
def encoder():
    return load_encoder()


@pytest.fixture(scope="session")
def focus():
    return load_focus_model()


@pytest.fixture(scope="session")
def induction():
    return load_induction()


@pytest.fixture(scope="session")
def translator():
    return load_translator()
