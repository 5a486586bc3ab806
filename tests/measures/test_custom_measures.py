"""Measures of the user's own, made from functions at run time."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log

import numpy as np
import pytest
from helpers.same import assert_same_numbers
from helpers.strategies import as_lists

import rankscope as rs
from rankscope import Hits
from rankscope.measures import MEASURES
from rankscope.typing import Floats

pytestmark = pytest.mark.usefixtures("own_measures")

CASE = as_lists([0, 1, 1])


def share(hits: Hits, *, cutoff: int = 3, weight: float = 1.0) -> Floats:
    """Weighted share of relevant documents."""
    return weight * hits.sum(hits.relevant() & (hits.rank <= cutoff)) / cutoff


def test_a_function_becomes_a_measure_that_works_by_name_everywhere() -> None:
    made = rs.define_measure("Share", source="us")(share)
    assert rs.parse_measure("Share@2") == made(cutoff=2)
    assert rs.parse_measure("share(weight=0.5)") == made(weight=0.5)  # in other letters as well
    scores = rs.evaluate(*CASE, ["Share", "Share@2", "Share(weight=0.5)@2", "P@2"])
    assert_same_numbers(scores.values[0, :, 0].tolist(), [2 / 3, 1 / 2, 0.5 * 1 / 2, 1 / 2])
    assert scores.measure_names == ("Share@3", "Share@2", "Share(weight=0.5)@2", "P@2")
    assert rs.Evaluator(CASE.qrels, "Share@2")(CASE.run).overall("Share@2") == 1 / 2


@pytest.mark.parametrize("name", ["Map_Cut_1st", "Set_F_1", "Recall_3"])
def test_a_name_that_begins_as_one_of_trec_eval_in_other_letters_takes_parameters(name: str) -> None:
    made = rs.define_measure(name)(share)
    assert rs.parse_measure(f"{name}(weight=0.5)@2") == made(weight=0.5, cutoff=2)


def test_it_reads_back_from_its_name_and_tells_what_it_is() -> None:
    made = rs.define_measure("Share", range=(0, 7), higher_is_better=False, source="us")(share)
    for measure in (made(), made(cutoff=5), made(weight=2.0, cutoff=1)):
        assert rs.parse_measure(str(measure)) == measure
    assert (made.range, made.higher_is_better, made.summary, made.source) == ((0, 7), False, "mean", "us")
    assert made.__doc__ == share.__doc__
    assert "weight:1.0" in rs.evaluate(*CASE, "Share").signature()


def test_a_sum_is_summed() -> None:
    rs.define_measure("Twos", summary="sum")(lambda hits: np.full(len(hits), 2.0))
    qrels = {"a": {"d": 1}, "b": {"d": 1}, "c": {"d": 1}}
    assert rs.evaluate(qrels, {"a": {"d": 1.0}}, "Twos").overall("Twos") == 2 + 2 + 2


def test_a_geometric_mean_is_one_or_is_refused() -> None:
    """Never an arithmetic mean under another name."""
    try:
        rs.define_measure("Geo", summary="geometric")(lambda hits: np.array([0.25, 1.0]))
        scores = rs.evaluate({"a": {"d": 1}, "b": {"d": 1}}, {"a": {"d": 1.0}}, "Geo")
    except rs.ParameterError:
        return
    assert scores.overall("Geo") == pytest.approx(exp((log(0.25) + log(1.0)) / 2))


def test_a_measure_without_a_summary_has_none_or_is_refused() -> None:
    try:
        rs.define_measure("Each", summary="none")(lambda hits: np.array([0.25, 1.0]))
        scores = rs.evaluate({"a": {"d": 1}, "b": {"d": 1}}, {"a": {"d": 1.0}}, "Each")
    except rs.ParameterError:
        return
    assert np.isnan(scores.overall("Each"))


def test_an_unknown_summary_is_refused() -> None:
    with pytest.raises(rs.ParameterError, match="median"):
        rs.define_measure("Median", summary="median")(share)


@pytest.mark.parametrize("name", ["AP", "nDCG"])
def test_a_name_that_is_taken_is_refused(name: str) -> None:
    with pytest.raises(rs.ParameterError, match=f"there is a measure {name} already"):
        rs.define_measure(name)(share)
    assert MEASURES[name] is type(rs.parse_measure(name))


@pytest.mark.parametrize("name", ["map", "ndcg", "MRR", "recip_rank", "P_5", "ndcg_cut_10"])
def test_a_name_that_means_another_measure_already_is_refused(name: str) -> None:
    """Else the new measure would be defined and the old one computed."""
    with pytest.raises(rs.ParameterError):
        rs.define_measure(name)(share)


@pytest.mark.parametrize("name", ["", "My measure", "a@b", "1st", "AP(rel=2)"])
def test_a_name_that_is_no_word_is_refused(name: str) -> None:
    with pytest.raises(rs.ParameterError, match=r"one word .*_"):
        rs.define_measure(name)(share)


@pytest.mark.parametrize(
    "function",
    [lambda: 1, lambda hits, cutoff: 1, lambda hits, *more: 1, lambda hits, **more: 1],
    ids=["none", "positional", "args", "kwargs"],
)
def test_a_function_of_another_form_is_refused(function: Callable[..., Floats]) -> None:
    with pytest.raises(rs.ParameterError, match=r"expected a function \(hits, \*, parameter=default, \.\.\.\)"):
        rs.define_measure("Odd")(function)
    assert "Odd" not in MEASURES


@pytest.mark.parametrize("values", [0.5, [], [[0.5]], [0.5, 0.5]], ids=str)
def test_values_that_are_not_one_a_query_are_refused(values: object) -> None:
    rs.define_measure("Odd")(lambda hits: values)
    with pytest.raises(rs.ParameterError, match=r"expected one a query: \(1,\)"):
        rs.evaluate(*CASE, "Odd")


def test_a_parameter_without_a_default_must_be_given() -> None:
    def within(hits: Hits, *, cutoff: int) -> Floats:
        return hits.sum(hits.rank <= cutoff)

    rs.define_measure("Within")(within)
    assert rs.evaluate(*CASE, "Within@2").overall("Within@2") == 2
    with pytest.raises(rs.ParameterError, match="Within needs a cutoff"):
        rs.parse_measure("Within")
