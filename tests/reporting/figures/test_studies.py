"""Figures of a study of stability: what each shows, and what it leaves out."""

import numpy as np
import pytest
from helpers.figure_data import PLAIN, SYSTEMS, rows_of, subtitle_of, texts
from helpers.messages import Messages, mentions
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope.data.section import Figure
from rankscope.errors import ParameterError
from rankscope.reporting import figures
from rankscope.reporting.figures.marks import label_places, line_passes_points, overlaps, sorted_levels, text_width
from rankscope.reporting.figures.studies import below_cut, domain, last_bin

pytest.importorskip("altair", reason="the extra `report` is not installed: pip install 'rankscope[report]'")
pytest.importorskip("vl_convert", reason="the extra `report` is not installed: pip install 'rankscope[report]'")

SENTENCES = Messages("study_figures")

NAN = np.nan


def made_of(name, style=None, **data):
    return figures.specification(Figure(name, data), style=style or figures.Style())


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("error_against_tie", {"error_rates": [1, 2, 101]}, r"\berror_rates\b.*\b0\b.*\b100\b"),
        ("error_against_tie", {"tie_rates": [1, 2]}, r"\btie_rates\b.* \(2,\).* \(3,\)"),
        ("error_against_tie", {"error_sds": [1, 2, -1]}, r"\berror_sds or tie_sds\b.*\bnegative\b"),
        ("asl_rates", {"alpha": [0.01, 1]}, "alpha is 1"),
        ("asl_rates", {"alpha": [0.05, 0.05]}, r"\balpha\b.*\btwice\b"),
        ("asl_rates", {"alpha": []}, "alpha is empty"),
        ("asl_rates", {"alpha": [0.01 * i for i in range(1, 8)]}, r"\balpha\b.*\b7\b.*\b6\b"),
        ("asl_rates", {"alpha": [0.05]}, r"\brates\b.* \(3, 2\).* \(3, 1\)"),
        ("condition_lines", {"x": []}, r"\bx\b.*\bno conditions\b"),
        ("condition_lines", {"x": "10,20"}, r"\bx\b.*\bno conditions\b"),
        ("condition_lines", {"x": [5, 10, 10, 20]}, r"\bx\b.*\btwice\b.*\bNaN\b"),
        ("condition_lines", {"x": ["a", "b", "b", "c"]}, "x has 'b' twice"),
        ("condition_lines", {"lows": [1, 2]}, "lows has shape"),
        ("swap_curve", {"rates": [1, 2]}, r"\brates\b.* \(2,\).* \(measures, bins\)"),
        ("swap_curve", {"edges": [0, 1]}, r"\bedges\b.* \(2,\).* \(20,\)"),
        ("swap_curve", {"ranges": [1, 1, 0]}, r"\branges\b.*\b0\b"),
        ("swap_curve", {"alpha": [5]}, "alpha is 5"),
        ("asl_curves", {"asls": [0.1, 0.2]}, r"\basls\b.* \(2,\).* \(measures, pairs\)"),
        ("asl_curves", {"asls": np.full((3, 4), 1.5)}, r"\basls\b.*\b0\b.*\b1\b"),
        ("asl_curves", {"cut": 0}, "cut is 0"),
        ("significance_matrix", {"alpha": [0.05, 2]}, "alpha is 2"),
    ],
)
def test_data_that_do_not_fit_are_refused(name, changed, message):
    with pytest.raises(ParameterError, match=message):
        figures.draw(Figure(name, {**PLAIN[name], **changed}))


@pytest.mark.parametrize(
    ("name", "empty"),
    [
        ("error_against_tie", ["error_rates"]),
        ("asl_rates", ["rates", "lows", "highs"]),
        ("condition_lines", ["values", "lows", "highs"]),
        ("swap_curve", ["rates"]),
        ("asl_curves", ["asls"]),
    ],
)
@pytest.mark.parametrize("style", [figures.Style(width=358), figures.Style(width=None, ground="page")])
def test_where_every_value_is_missing_an_empty_figure_is_drawn(name, empty, style):
    data = {**PLAIN[name], **{key: np.full(np.shape(PLAIN[name][key]), NAN) for key in empty}}
    assert "bm25" in " ".join(texts(figures.as_svg(Figure(name, data), style=style)))


# Error against tie


def test_a_measure_is_one_point_with_bars_of_one_standard_error():
    data = {"measures": ["AP", "RR", "P"], "error_rates": [10, 20, NAN], "tie_rates": [5, 7, 9]}
    made = made_of("error_against_tie", **data, error_sds=[2, NAN, 1], tie_sds=[0.5, 1, 1])
    ap, rr = (next(row for row in rows_of(made) if row["measure"] == name) for name in ("AP", "RR"))
    assert (ap["tie"], ap["error"]) == (5, 10)
    assert (ap["error_low"], ap["error_high"], ap["tie_low"], ap["tie_high"]) == (10 - 2, 10 + 2, 5 - 0.5, 5 + 0.5)
    assert rr["error_sd"] is None
    assert "P" not in {row["measure"] for row in rows_of(made)}
    assert subtitle_of(made).startswith("Lower left is better")
    assert "Bars: one standard error." in subtitle_of(made)
    assert mentions(subtitle_of(made), "missing: P.")
    assert mentions(made["description"], "2 measures", "AP 10.0 and 5.0", "RR 20.0 and 7.0")
    assert "Bars" not in subtitle_of(made_of("error_against_tie", **data))
    other = made_of("error_against_tie", **data, error_sds=[2, NAN, 1], bar="one standard deviation")
    assert "Bars: one standard deviation." in subtitle_of(other)


def test_an_axis_of_rates_begins_at_0_unless_points_would_then_stand_too_close():
    none = np.full(2, NAN)
    assert domain(np.array([5.0, 20.0]), none)[0] == 0
    low, high = domain(np.array([20.0, 22.0]), none)
    assert 19 < low < 20
    assert 22 < high < 23
    assert domain(np.array([0.0, 0.0]), none) == (0, 0.5)


@given(
    st.lists(st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95)), min_size=1, max_size=9, unique=True),
    st.integers(2, 16),
)
@examples(25)
def test_names_of_a_few_points_never_cover_each_other_nor_leave_the_plot(points, letters):
    at, size = np.array(points), (574, 340)
    width = text_width("n" * letters)
    middles = at * size + label_places(at, [width] * len(at), [size], np.zeros((0, 4)))
    half = np.array([width / 2, 7.5])
    boxes = np.concatenate([middles - half, middles + half], axis=1)
    assert np.triu(overlaps(boxes, boxes), 1).max() < 1e-6
    assert (boxes[:, :2] >= -1e-6).all()
    assert (boxes[:, 2:] <= np.array(size) + 1e-6).all()


def test_points_at_one_place_have_names_at_several_and_lines_that_tie_them():
    same = {"error_rates": [10.0] * 5, "tie_rates": [5.0] * 5}
    made = made_of("error_against_tie", measures=list("abcde"), **same, style=figures.Style(width=358))
    rows = {row["measure"]: row for row in rows_of(made)}
    assert len({(row["dx"], row["dy"]) for row in rows.values()}) == 5


def test_shared_pixels_of_boxes_and_points_near_a_line_are_those_of_the_definition():
    rng = np.random.default_rng(5)
    corners = rng.uniform(0, 20, (30, 2))
    boxes = np.concatenate([corners, corners + rng.uniform(0, 9, (30, 2))], axis=1)
    for i, (left, top, right, bottom) in enumerate(boxes):
        for j, (a, b, c, d) in enumerate(boxes):
            shared = max(0, min(right, c) - max(left, a)) * max(0, min(bottom, d) - max(top, b))
            assert overlaps(boxes, boxes)[i, j] == pytest.approx(shared)
    ends, points = np.array([[100.0, 0], [0, 0], [0, 100]]), np.array([[50.0, 6], [-60, 0]])
    assert line_passes_points(ends, points).tolist() == [True, False, False]


# Pairs told apart


def test_measures_are_sorted_by_the_pairs_told_apart_at_the_level_nearest_to_05():
    rates = [[10, 50], [20, 40], [NAN, NAN], [5, 60]]
    made = made_of("asl_rates", measures=["a", "b", "none", "c"], alpha=[0.001, 0.05], rates=rates)
    assert [row["measure"] for row in rows_of(made)] == ["c", "c", "a", "a", "b", "b"]
    assert made["layer"][0]["encoding"]["y"]["scale"]["domain"] == ["c", "a", "b", "none"]
    assert "sorted at level 0.05" in subtitle_of(made)
    assert "Line" not in subtitle_of(made)
    assert mentions(made["description"], "measure", "c 60.0%, a 50.0%", "b 40.0%")


def test_levels_in_any_order_keep_their_rates():
    made = made_of("asl_rates", measures=["a"], alpha=[0.05, 0.01], rates=[[80, 30]], lows=[[70, 20]], highs=[[90, 40]])
    found = {row["level"]: (row["low"], row["rate"], row["high"]) for row in rows_of(made)}
    assert found == {"0.05": (70, 80, 90), "0.01": (20, 30, 40)}
    assert sorted_levels([0.05, 0.01]) == [0.01, 0.05]


def test_one_level_needs_no_legend():
    made = made_of("asl_rates", measures=["a"], alpha=[0.05], rates=[[80]])
    assert made["layer"][-1]["encoding"]["color"]["legend"] is None
    assert "yOffset" not in made["layer"][-1]["encoding"]


# Ranges of conditions


def test_conditions_that_are_numbers_are_put_in_rising_order():
    data = {"x_title": "queries", "measures": ["AP"], "y_title": "tau"}
    made = made_of("condition_lines", x=[40, 10, 20], values=[[0.9, 0.5, NAN]], **data)
    assert [(row["x"], row["y"]) for row in rows_of(made)][:3] == [(10, 0.5), (20, None), (40, 0.9)]
    SENTENCES.check("description of lines by condition", made["description"])


def test_conditions_that_are_texts_stay_in_their_order():
    data = {"x_title": "cutoff", "measures": ["AP"], "y_title": "tau", "x": ["size", 10, "mean"]}
    made = made_of("condition_lines", values=[[0.1, 0.2, 0.3]], lows=[[0, 0, 0]], highs=[[1, 1, 1]], **data)
    assert [row["of"] for row in rows_of(made)][:3] == ["size", "10", "mean"]
    assert {"size", "10", "mean", "AP"} <= set(
        texts(figures.as_svg(Figure("condition_lines", {**data, "values": [[1, 2, 3]]})))
    )


@pytest.mark.parametrize(("x", "kind"), [([1, 10, 100], "log"), ([10, 20, 100], None), ([0, 10, 100], None)])
def test_a_range_over_magnitudes_is_drawn_logarithmically_and_says_so(x, kind):
    made = made_of("condition_lines", x=x, x_title="depth", measures=["AP"], values=[[1, 2, 3]], y_title="tau")
    encoding = made["layer"][0]["encoding"]["x"]
    assert encoding["scale"].get("type") == kind
    assert encoding["title"] == ("depth, logarithmic" if kind else "depth")


def test_bands_have_gaps_and_are_left_out_where_they_would_cover_each_other():
    data = {"x": [1, 2, 3], "x_title": "splits", "y_title": "error rate (%)"}
    values = np.ones((7, 3))
    names = [f"m{i}" for i in range(7)]
    two = made_of(
        "condition_lines",
        measures=names[:2],
        values=values[:2],
        lows=values[:2] - [[0, NAN, 0]],
        highs=values[:2] + 1,
        **data,
    )
    bands = [row for row in rows_of(two) if "low" in row]
    assert [(row["low"], row["high"]) for row in bands] == [(1, 2), (None, None), (1, 2)] * 2
    SENTENCES.check("bands", subtitle_of(two))
    seven = made_of("condition_lines", measures=names, values=values, lows=values, highs=values, **data)
    assert not any("low" in row for row in rows_of(seven))
    SENTENCES.check("bands that would cover each other", subtitle_of(seven))


@pytest.mark.parametrize("name", ["condition_lines", "asl_rates", "swap_curve", "asl_curves"])
def test_the_legend_is_there_beside_bands_intervals_and_levels(name):
    found = texts(figures.as_svg(Figure(name, PLAIN[name])))
    assert set(["0.01", "0.05"] if name == "asl_rates" else SYSTEMS) <= set(found)


# Swaps


def test_measures_of_one_scale_share_an_axis_of_differences():
    edges = [[0, 0.01, 0.02], [0, 0.01, 0.02]]
    made = made_of("swap_curve", measures=["AP", "RR"], edges=edges, rates=[[50, 10, NAN], [40, 20, 2]], ranges=[1, 1])
    rows = [row for row in rows_of(made) if row.get("name") == "AP"][:3]
    assert [(row["x"], row["y"]) for row in rows] == [(0, 50), (0.01, 10), (0.02, None)]
    assert "difference of two systems" in texts(figures.as_svg(Figure("swap_curve", dict(PLAIN["swap_curve"]))))
    assert mentions(made["description"], "smallest differences", "AP 50.0%", "RR 40.0%")


def test_measures_of_different_scales_are_drawn_in_percent_of_their_range():
    edges = [[0, 0.01, 0.02], [0, 3.7, 7.4]]  # a hundredth each of 1 and of 370
    data = {"measures": ["AP", "mean rank"], "edges": edges, "rates": [[50, 10, 1], [40, 20, 2]], "ranges": [1, 370]}
    rows = [row for row in rows_of(made_of("swap_curve", **data)) if row.get("name") == "mean rank"][:3]
    assert [(row["x"], row["of"]) for row in rows] == [(0, "0"), (1, "3.7"), (2, "7.4")]
    assert mentions(texts(figures.as_svg(Figure("swap_curve", data))), "percent", "range")


def test_bins_beyond_the_last_swap_are_cut_off_and_the_caption_says_so():
    assert last_bin(np.array([[50.0, 5, 0, 0, 0, NAN]])) == (3, True)
    assert last_bin(np.array([[50.0, 5, 0, NAN]])) == (3, False)
    assert last_bin(np.array([[50.0, 5, NAN, 1]])) == (4, False)
    assert last_bin(np.array([[0.0, 0, 0]])) == (2, True)
    assert last_bin(np.full((2, 4), NAN)) == (4, False)
    made = made_of("swap_curve", measures=["AP"], edges=range(6), rates=[[50, 5, 0, 0, 0, 0]])
    assert mentions(subtitle_of(made), "No larger difference")


def test_dashed_lines_are_at_the_levels_that_the_axis_holds():
    made = made_of("swap_curve", measures=["AP"], edges=[0, 1], rates=[[30, 5]], alpha=[0.05, 0.005])
    assert [row["level"] for row in rows_of(made) if "level" in row] == [0.5, 5]
    assert {"5%"} <= set(texts(figures.as_svg(Figure("swap_curve", PLAIN["swap_curve"]))))
    made = made_of("asl_curves", measures=["AP"], asls=[[0.1, 0.02]], alpha=[0.05, 0.2])
    assert [row["level"] for row in rows_of(made) if "level" in row] == [0.05]


# ASL curves


def test_significance_levels_fall_and_end_at_the_cut():
    asls = np.array([[0.01, 0.5, 0.15, 0.0], [NAN, 0.02, 0.01, 0.3]])
    found = below_cut(asls, 0.15)
    assert np.array_equal(found, [[NAN, 0.15, 0.01, 0.0], [NAN, NAN, 0.02, 0.01]], equal_nan=True)
    made = made_of("asl_curves", measures=["AP", "RR"], asls=asls)
    assert [(row["x"], row["y"]) for row in rows_of(made) if row["name"] == "RR"][:3] == [
        (2, None),
        (3, 0.02),
        (4, 0.01),
    ]
    SENTENCES.check("description of curves of significance levels", made["description"])


def test_the_line_of_a_measure_that_tells_more_apart_begins_further_left():
    rng = np.random.default_rng(2)
    asls = rng.random((2, 300)) ** np.array([[1], [5]])
    made = made_of("asl_curves", measures=["blunt", "sharp"], asls=asls)
    first = {
        name: min(row["x"] for row in rows_of(made) if row["name"] == name and row["y"] is not None)
        for name in ("blunt", "sharp")
    }
    assert first["sharp"] < first["blunt"]
    # The first pair drawn of each: as many are above the cut before it.
    assert first["sharp"] == (asls[1] > 0.15).sum() + 1


# Marks by level


def test_a_pair_is_marked_by_the_lowest_level_it_reaches():
    differences = np.array([[0, 0.3, 0.1], [-0.3, 0, -0.1], [-0.1, 0.1, 0]])
    reached = np.array([[1, 0.01, 1], [0.01, 1, 0.05], [1, 0.05, 1]])
    made = made_of(
        "significance_matrix", systems=list("abc"), differences=differences, pvalues=reached, alpha=[0.05, 0.01, 0.005]
    )
    found = {(row["row"], row["column"]): (row["mark"], row["reached"]) for row in made_rows(made)}
    assert found[("a", "b")] == ("higher", "0.01")
    assert found[("b", "a")] == ("lower", "0.01")
    assert found[("b", "c")] == ("lower", "0.05")
    assert found[("a", "c")] == (None, "none")
    size = made["layer"][1]["encoding"]["size"]["scale"]
    assert size["domain"] == ["0.005", "0.01", "0.05"]
    assert size["range"] == sorted(size["range"], reverse=True)
    assert mentions(subtitle_of(made), "2 of 3 pairs", "level 0.05 or lower")
    assert {"0.005", "0.01", "0.05"} <= set(
        texts(
            figures.as_svg(
                Figure(
                    "significance_matrix",
                    {
                        "systems": list("abc"),
                        "differences": differences,
                        "pvalues": reached,
                        "alpha": [0.05, 0.01, 0.005],
                    },
                )
            )
        )
    )


def made_rows(made):
    """Each cell once: those with a mark are in the data of the marks too."""
    return {(row["row"], row["column"]): row for row in rows_of(made)}.values()


def test_a_p_value_between_two_levels_reaches_the_higher_one():
    pvalues = np.array([[NAN, 0.02], [0.02, NAN]])
    made = made_of(
        "significance_matrix", systems=["a", "b"], differences=[[0, 1], [-1, 0]], pvalues=pvalues, alpha=[0.01, 0.05]
    )
    assert {row["reached"] for row in rows_of(made)} == {"0.05"}
