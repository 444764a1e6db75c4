"""A training in the page leaves the page to its reader."""

import pytest
from figures import open_figure
from live_maps import eventually, ready

FRAMES = """(seconds) => new Promise((done) => {
  const start = performance.now();
  let frames = 0;
  const next = () => (frames++, performance.now() - start < 1000 * seconds ? requestAnimationFrame(next) : done(frames / seconds));
  requestAnimationFrame(next);
})"""


@pytest.mark.parametrize("width", [1400, 360])
def test_the_page_keeps_fifty_frames_a_second_while_it_trains(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    figure = open_figure(page, site, "head-birth")
    ready(figure)
    idle = page.evaluate(FRAMES, 2)
    figure.evaluate("(el) => el.train()")
    eventually(lambda: figure.evaluate("(el) => el.training.step"), lambda step: step > 3)
    eventually(lambda: page.evaluate(FRAMES, 4), lambda training: training >= min(50, 0.85 * idle))
    eventually(lambda: figure.evaluate("(el) => el.training.step"), lambda step: step > 5)
