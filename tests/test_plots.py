"""The house style: colours that a colour-blind reader can tell apart, and the few shared plots."""

import itertools

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from minilib import optim, plots
from tools.pages import line_styles


def test_every_optimizer_of_the_book_has_a_look_of_its_own_which_the_page_on_notation_tells():
    assert set(plots.OPTIMIZERS) == {"Momentum", "Nesterov", *optim.METHODS} - {"LARS2020"}
    assert len(set(plots.OPTIMIZERS.values())) == len(plots.OPTIMIZERS)
    page = line_styles.PAGE.read_text(encoding="utf-8")
    assert "\n| Adagrad | pink, dashed |" in page
    assert line_styles.with_table(page) == page, "write it again: python tools/pages/line_styles.py"
    with pytest.raises(ValueError, match="got 'Adma'"):
        plots.style("Adma")


# Viénot, Brettel and Mollon (1999): what a person without long- or medium-wave cones sees, on linear RGB.
BLINDNESS = {
    "protanopia": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "deuteranopia": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
}


def test_different_colours_stay_different_for_colour_blind_readers():
    colours = [np.array(to_rgb(colour)) ** 2.2 for colour in {colour for colour, _ in plots.OPTIMIZERS.values()}]
    for matrix in BLINDNESS.values():
        assert min(np.linalg.norm(matrix @ (a - b)) for a, b in itertools.combinations(colours, 2)) > 0.05


def test_spread_draws_the_median_and_the_range_and_waterfall_writes_the_factor_of_every_link():
    _, ax = plt.subplots()
    plots.band(ax, [0, 1], [[1, 5], [2, 6], [9, 7]], color="black")
    assert ax.lines[0].get_ydata().tolist() == [2, 6]
    heights = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (1, 9)
    plt.close()
    _, ax = plt.subplots()
    plots.waterfall(ax, ["measured", "(1)", "bound"], [0.5, 1.0, 4.0])
    assert [t.get_text() for t in ax.texts] == ["0.5", "x 2", "x 4"]
    plt.close()
