"""The result: its table, its sections and figures, and every format."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.study_data import collection, made, normal_values, ranks_table

import rankscope as rs
from rankscope.reporting.tables import RESULT_FORMATS, render_result
from rankscope.stability.result import STARS, decision_rate, lowest_level_reached, marks_of

#: DESIGN, section 4.
COLUMNS = (
    *("measure", "cutoff", "fuzz", "level", "splits", "systems", "entities"),
    *("error_rate", "error_rate_sd", "tie_rate", "tie_rate_sd", "t_rate", "used_rate", "asl_rate", "est_diff"),
    *("swap_diff_min", "swap_diff_max", "correlation", "correlation_sd", "decisions"),
)
QUICK = {"iterations": 6, "n_resamples": 40, "rng": 3}


@pytest.fixture(scope="module")
def found():
    ranges = {"splits": [4, 6], "systems": [2, 3], "entities": [30, 60], "alpha": [0.05, 0.1], "fuzz": [0.0, 0.1]}
    return rs.stability.study(ranks_table(1), measures=["P", "AP"], cutoffs=[5, 10], **ranges, **QUICK)


def titles(study):
    return [section.title for section in study.sections()]


def test_the_columns_are_those_of_the_design(found):
    assert found.columns == COLUMNS
    assert tuple(found.frame().columns) == COLUMNS


def test_there_is_a_row_for_each_combination(found):
    keys = [tuple(row)[:7] for row in found.records()]
    expected = {
        (name, cutoff, f, level, a, s, e)
        for name, cutoff in (("P@5", 5), ("P@10", 10), ("AP@5", 5), ("AP@10", 10))
        for f in (0.0, 0.1) for level in (0.05, 0.1) for a in (4, 6) for s in (2, 3) for e in (30, 60)
    }  # fmt: skip
    assert set(keys) == expected
    assert len(keys) == len(expected)


@pytest.mark.parametrize("form", RESULT_FORMATS)
def test_every_format_can_be_had(found, form):
    text = render_result(found, form)
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert tuple(rows[0]) == COLUMNS
        assert [row["error_rate"] for row in rows] == [repr(row.error_rate) for row in found.records()]
    elif form == "json":
        rows = json.loads(text)
        assert tuple(rows[0]) == COLUMNS
        assert len(rows) == len(list(found.records()))
        assert all(
            value is None or not isinstance(value, float) or math.isfinite(value)
            for row in rows
            for value in row.values()
        )
    else:
        assert "P@10" in text


def test_the_answer_comes_first_and_ranges_have_their_curves(found):
    assert mentions(titles(found)[0], "measures", "Stability")
    expected = [f"{what} by {by}" for by in ("number of splits", "number of entities", "number of systems", "cutoff")
                for what in ("Error rate", "Tie rate", "Pairs distinguished")]  # fmt: skip
    assert [title for title in titles(found) if " by " in title and "better" not in title] == expected


def test_ranges_of_queries_have_theirs():
    values = normal_values(np.random.default_rng(1), [0.3, 0.4, 0.6], 40)
    found = rs.stability.study(made(values), set_size=[5, 10, 20], **QUICK)
    curve = next(section for section in found.sections() if mentions(section.title, "Error rate", "queries"))
    assert curve.figure.data["x"] == [5, 10, 20]
    np.testing.assert_allclose(curve.figure.data["values"], [[o.error[0, 0] for o in found.outcomes]])


@pytest.mark.parametrize(
    ("parts", "said", "n"),
    [
        (("actual",), ("Values", "60 entities"), 1),
        (("significance",), ("better", "P@5", "4 splits", "3 systems", "30 entities"), None),
        (("eval",), ("measures", "Stability"), None),
    ],
)
def test_parts_can_be_shown_alone(found, parts, said, n):
    shown = titles(replace(found, parts=parts))
    assert mentions(shown[0], *said)
    assert n is None or len(shown) == n
    assert not {*shown} & {
        title
        for other in {"eval", "actual", "significance"} - {*parts}
        for title in titles(replace(found, parts=(other,)))
    }


def test_a_matrix_marks_the_better_system_by_the_first_level_that_it_passes():
    values = np.array([0.1, 0.5, 0.35, np.nan])
    needed = np.array([0.3, 0.2, 0.1])
    assert marks_of(values, needed) == [
        ["--", " ", " ", " "],
        ["***", "--", "*", " "],
        ["**", " ", "--", " "],
        [" ", " ", " ", "--"],
    ]
    assert marks_of(values[:2], np.array([np.nan, 0.0, np.inf]))[1] == [" ", "--"]  # nothing known, nothing marked
    many = marks_of(np.array([0.0, 1.0]), np.array([2.0] * 20 + [0.5]))
    assert many[1][0] == STARS[-1]


def test_decisions_count_pairs_that_differ_by_more_than_is_needed():
    values = np.array([[0.1, 0.2, 0.5]])
    needed = np.array([[0.05, 0.1, 0.35, 0.4, np.nan, 0.0]])
    # Differences .1, .4 and .3; of .1 rounding makes a little more or less.
    assert decision_rate(values, needed)[0, [0, 2, 4, 5]].tolist() == pytest.approx(
        [100, 100 / 3, math.nan, 0], nan_ok=True
    )


def test_where_no_set_ever_turns_two_systems_round_any_difference_will_do():
    """A copy of a system differs from it by nothing, on every set: that hides no other difference."""
    one, other = normal_values(np.random.default_rng(1), [0.2, 0.8], 30)
    found = rs.stability.study(made([one, one, other], names="abc"), swap=True, alpha=0.05, **QUICK)
    outcome = found.outcomes[0]
    assert found.needed(outcome).tolist() == [[0.0]]
    assert found.decisions(outcome).tolist() == [[pytest.approx(200 / 3)]]
    assert found.marks(outcome, 0) == [["--", " ", " "], [" ", "--", " "], ["***", "***", "--"]]
    noisy = np.array([[0.1 + 0.2, 0.3, 0.9]])
    assert decision_rate(noisy, np.zeros((1, 1)), zero_decides=True)[0, 0] == pytest.approx(200 / 3)
    assert lowest_level_reached(noisy[0][:, None] - noisy[0], np.zeros(1), (0.05,), zero_decides=True)[0].tolist() == [
        1,
        1,
        0.05,
    ]
    assert decision_rate(noisy, np.array([[np.nan, -np.inf]]), zero_decides=True)[0].tolist() == pytest.approx(
        [np.nan, 0], nan_ok=True
    )


def test_the_marks_of_a_study_are_on_the_side_of_the_better_system():
    values = normal_values(np.random.default_rng(1), [0.2, 0.8], 30)
    for measure, better in (("AP", 1), ("MinRank", 0)):
        found = rs.stability.study(made(values, [measure]), **QUICK)
        marks = found.marks(found.outcomes[0], 0)
        assert (marks[better][1 - better], marks[1 - better][better]) == (
            "***" if QUICK["n_resamples"] > 99 else "**",
            " ",
        )


def test_it_is_frozen_and_shows_itself_in_one_line(found):
    with pytest.raises(FrozenInstanceError):
        found.swap = True
    assert mentions(repr(found), "StabilityStudy(4 measures, 8 conditions")
    assert str(found).startswith(f"{titles(found)[0]}\n")


def test_its_signature_holds_all_that_changes_the_numbers(found):
    parts = found.signature().split(" | ")
    assert parts[0].startswith("P@5[rel:1] P@10[rel:1] ")
    ranges = ["alpha:0.05,0.1", "fuzz:0,0.1", "splits:4,6", "systems:2,3", "entities:30,60"]
    assert {*ranges, "iterations:6", "resamples:40", "decided:bootstrap", "rng:3"} <= {*parts}
    assert parts[-1] == f"rankscope {rs.__version__}"
    other = rs.stability.study(*collection(), ["AP"], swap=True, swap_sets="disjoint", **QUICK)
    assert "decided:swap,disjoint" in other.signature()
    assert "queries:12" in other.signature()


def test_measures_without_any_value_are_shown_as_such():
    values = normal_values(np.random.default_rng(1), [0.3, 0.4, 0.6], 12, measures=2)
    for which in (1, slice(0, 2)):
        holes = values.copy()
        holes[:, which] = np.nan
        found = rs.stability.study(made(holes, ["AP", "RR"]), **QUICK)
        assert re.search(r"\bnan\b", str(found)) is None
        for form in RESULT_FORMATS:
            render_result(found, form)


def test_it_is_reached_without_being_imported():
    assert callable(rs.stability.study)
    assert not hasattr(rs.stability, "nonsense")
