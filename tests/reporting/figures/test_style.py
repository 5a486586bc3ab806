"""Everybody can read the figures: contrast, colours, grey print, sizes, many names and few."""

import json
import re

import numpy as np
import pytest
from helpers.figure_data import (
    NAMES,
    NAMING,
    PLAIN,
    drawn,
    example,
    subtitle_of,
    texts,
)
from helpers.messages import mentions

from rankscope.data.section import Figure
from rankscope.reporting import figures
from rankscope.reporting.figures.marks import DASHES, MAX_LINES, SHAPES
from rankscope.reporting.figures.style import (
    BLUE,
    DARK,
    DIVERGING,
    SEQUENTIAL,
    SERIES,
    VERMILLION,
    between,
    contrast,
    ink_on,
)

pytest.importorskip("altair", reason="the extra `report` is not installed: pip install 'rankscope[report]'")
pytest.importorskip("vl_convert", reason="the extra `report` is not installed: pip install 'rankscope[report]'")


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_text_stands_out_from_its_ground(ground):
    config = figures.theme(ground)
    for part, keys in {
        "axis": ["labelColor", "titleColor"],
        "legend": ["labelColor", "titleColor"],
        "title": ["color", "subtitleColor"],
        "text": ["color"],
    }.items():
        for key in keys:
            assert contrast(config[part][key], config["background"]) >= 7  # WCAG 2.2, level AAA


@pytest.mark.parametrize("ground", ["#FFFFFF", DARK])
def test_colours_stand_out_from_both_grounds(ground):
    assert min(contrast(colour, ground) for colour in (*SERIES, BLUE, VERMILLION)) >= 3  # WCAG 2.2, 1.4.11


@pytest.mark.parametrize("scale", [DIVERGING, SEQUENTIAL])
def test_text_in_cells_stands_out_from_every_colour_of_the_scale(scale):
    for place in np.linspace(0, 1, 101):
        colour = between(scale, place)
        assert contrast(ink_on(colour), colour) >= 4.5


def test_a_page_lends_its_own_colour_of_text():
    svg = figures.as_svg(Figure("leaderboard", PLAIN["leaderboard"]), style=figures.Style(ground="page"))
    assert 'fill="currentColor"' in svg
    assert "#1A1A1A" not in svg


def simulated(colour, matrix):
    """A colour as somebody sees it who lacks a cone, in linear RGB (Viénot, Brettel and Mollon 1999)."""
    linear = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]) ** 2.2
    return np.clip(np.array(matrix) @ linear, 0, 1) ** (1 / 2.2)


@pytest.mark.parametrize(
    "matrix",
    [
        [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],  # no red cones
        [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],  # no green cones
    ],
)
def test_better_and_worse_differ_for_the_colour_blind(matrix):
    assert np.abs(simulated(BLUE, matrix) - simulated(VERMILLION, matrix)).max() > 0.4


def test_no_two_lines_look_alike_in_grey_print():
    looks = {(tuple(DASHES[i % len(DASHES)]), SHAPES[i % len(SHAPES)]) for i in range(MAX_LINES)}
    assert len(looks) == MAX_LINES


# Sizes


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_as_wide_as_asked_for(name):
    for width, svg in (
        (640, drawn(name, "plain")),
        (358, figures.as_svg(Figure(name, PLAIN[name]), style=figures.Style(width=358))),
    ):
        assert float(re.search(r'width="([\d.]+)"', svg)[1]) == pytest.approx(width, abs=8)


SHOWN_OF_2000 = {
    "leaderboard": ("best", 50, "2,000", "systems"),
    "distribution": ("first", 50, "2,000", "systems"),
    "group_differences": ("first", 50, "2,000", "groups"),
    "significance_matrix": ("first", 40, "2,000", "systems"),
    "precision_recall": ("first", 16, "2,000", "systems"),
    "gain_curve": ("first", 16, "2,000", "systems"),
    "correlation_matrix": ("first", 40, "2,000", "measures"),
    "measure_lines": ("first", 16, "2,000", "measures"),
    "confusion_matrix": ("first", 40, "2,000", "labels"),
}


@pytest.mark.parametrize("name", NAMING)
def test_of_2000_names_the_first_are_shown_and_the_subtitle_says_so(name):
    made = figures.specification(example(name, [f"system {i}" for i in range(2000)], queries=2))
    assert mentions(subtitle_of(made), *SHOWN_OF_2000.get(name, ("2,000",)))
    assert len(json.dumps(made)) < 600_000


@pytest.mark.parametrize("name", NAMES)
def test_of_one_system_and_one_query_the_name_is_shown(name):
    found = example(name, ["only"], queries=1)
    svg = figures.as_svg(found)
    assert "only" in " ".join(texts(svg)) or "only" not in str(found.data)
    assert re.search(r"<path|<line|<text", svg)


@pytest.mark.parametrize(
    "name", ["leaderboard", "distribution", "precision_recall", "gain_curve", "correlation_matrix"]
)
def test_a_measure_without_values_is_drawn_empty(name):
    data = dict(PLAIN[name])
    for key in ("means", "low", "high", "values", "precision", "gain"):
        if key in data:
            data[key] = np.full_like(data[key], np.nan, dtype=float)
    assert "bm25" in " ".join(texts(figures.as_svg(Figure(name, data))))
