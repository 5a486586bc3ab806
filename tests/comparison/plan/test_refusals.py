"""What cannot be planned: in a sentence where data say nothing, in an error where it was asked for wrongly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.planning_tables import METHODS, pair, rows, scores_of

from rankscope import compare, plan
from rankscope.comparison.plan import PlanSettings
from rankscope.errors import InputError, ParameterError


def nothing(found, *said):
    """No number at all."""
    section = found.sections()[0]
    assert len(found.sections()) == 1
    assert mentions(section.sentence, *said)
    named = found.plans[0].is_named
    assert [r[1] for r in found.records()] == (METHODS if named else METHODS[:1])
    assert math.isnan(rows(found, found.plans[0].measure)["t detectable"][0])
    assert all(math.isnan(r[3]) for r in found.records())
    assert [r[4] for r in found.records()].count(None) == (4 if named else 0)
    assert found.frame().height == (6 if named else 1)
    assert "nan" not in str(found)


def test_one_query_says_nothing_of_spread():
    nothing(plan(scores_of([[0.1], [0.4]]), difference=0.1), "one query", "cannot be estimated")


def test_identical_systems_say_nothing():
    nothing(plan(scores_of([[0.1, 0.4, 0.3]] * 2)), "a and b", "same AP", "cannot be estimated")
    nothing(plan(scores_of([[0.1, 0.4, 0.3]] * 3), difference=0.1), 3, "same AP", "cannot be estimated")


def test_constant_differences_say_nothing():
    x = np.array([[0.1, 0.4, 0.3], [0.2, 0.5, 0.4]])  # .1 everywhere, but for rounding
    nothing(plan(scores_of(x)), "difference in AP", "same", "(a and b)")
    nothing(plan(scores_of([*x, x[1] + 0.2]), difference=0.1, baseline="a"), "same on every query")
    nothing(plan(scores_of([*x, x[1] + 0.2]), difference=0.1), "same on every query")


def test_equal_means_are_planned_as_others():
    x = [[0.1, 0.4, 0.3], [0.4, 0.3, 0.1]]
    # differences of -.3, .1, .2 have a standard deviation of .2646, and three queries detect 3.264 times as much
    assert rows(plan(scores_of(x)))["t detectable"][0] == pytest.approx(0.8636, rel=1e-3)
    assert rows(plan(scores_of(x, ("GMAP",)), "GMAP"), "GMAP")["t detectable"][0] == pytest.approx(4.136, rel=1e-3)
    assert rows(plan(scores_of(x), difference=0.1))["t"][2] > 2


def test_two_queries_are_enough_for_a_number_and_said_to_be_few():
    found = plan(scores_of([[0.1, 0.4], [0.2, 0.3]]), difference=0.1)
    assert rows(found)["t"][2] > 2
    assert mentions(found.sections()[0].notes[1], 2, "few")


def test_more_queries_than_can_be_had_are_called_that():
    found = plan(pair(0.3), difference=1e-6)
    assert mentions(found.sections()[0].sentence, "more than 100,000,000", 50)
    assert rows(found)["t"][2] is None
    assert found.sections()[0].table.rows[1][-1] == "more than 100,000,000"
    assert found.sections()[1].figure.data["n_needed"] is None
    assert not any("between" in note and "confidence" in note for note in found.sections()[0].notes)


def test_no_common_query_is_an_error():
    with pytest.raises(InputError, match=r"AP .* a, b"):
        plan(scores_of([[0.1, np.nan], [np.nan, 0.4]]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": 0}, "difference is 0, .* 0"),
        ({"difference": -0.1}, r"difference is -0\.1, .* 0"),
        ({"difference": 5}, "difference is 5, .*AP .*0 and 1"),
        ({"width": 0.0}, r"width is 0\.0, .* 0"),
        ({"power": 80}, "power is 80, .*0 and 1"),
        ({"alpha": 0}, r"alpha is 0, .* 0\.5"),
        ({"alpha": 0.2, "power": 0.2}, r"power is 0\.2, .*level 0\.2"),
        ({"alternative": "up"}, "alternative is 'up'"),
        ({"n_queries": 1}, "n_queries is 1, .* 2"),
        ({"assurance": 80}, "assurance is 80, .*0 and 1"),
        ({"baseline": "z"}, "'z'.* a, b"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        plan(pair(0.2), **options)
    if not {"baseline"} & options.keys() and options != {"difference": 5}:
        with pytest.raises(ParameterError, match=message):
            PlanSettings(**options)


def test_one_system_is_refused():
    with pytest.raises(ParameterError, match=r"1 system \(a\), .* 2 "):
        plan(scores_of([[0.1, 0.4]]))


def test_what_are_no_scores_and_no_baseline_is_refused_as_compare_refuses_it():
    for scores, options in ((5, {}), (None, {}), (pair(0.2), {"baseline": 5}), (pair(0.2), {"measures": 5})):
        with pytest.raises(ParameterError) as ours:
            plan(scores, **options)
        with pytest.raises(type(ours.value)) as theirs:
            compare(scores, **options)
        assert str(ours.value) == str(theirs.value)


def test_a_measure_without_direction_is_refused_as_compare_refuses_it():
    scores = scores_of([[2.0, 3.0, 4.0], [4.0, 3.0, 1.0]], ("NumRel",))
    for call in (plan, compare):
        with pytest.raises(ParameterError, match=r"NumRel .*higher nor lower"):
            call(scores)
