"""Margins: numbers, percentages of the baseline's mean, and one for each measure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.gate_tables import made
from helpers.messages import mentions

import rankscope as rs
from rankscope import Scores, gate
from rankscope.comparison.gate import measures_and_margins
from rankscope.errors import ParameterError, UnknownName

QRELS = {f"q{i}": {"a": 1, "b": 2} for i in range(30)}


def scores(name: str, step: int) -> Scores:
    run = {q: {"a": 3.0, "b": 2.0, "c": 2.5 + (i % step == 0), "d": 0.5} for i, q in enumerate(QRELS)}
    return rs.evaluate(QRELS, rs.Run(run, name=name), ["nDCG@10", "RR", "P@2"])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nDCG@10:0.01", ("nDCG@10", 0.01, False)),
        ("R@100:2%", ("R@100", 0.02, True)),
        ("AP:.5%", ("AP", 0.005, True)),
        ("nDCG(gain='exp')@20:1e-3", ("nDCG(gain='exp')@20", 0.001, False)),
        ("AP:0", ("AP", 0.0, False)),
    ],
)
def test_the_margin_of_a_measure_follows_a_colon(name: str, expected: tuple[str, float, bool]) -> None:
    names, margins = measures_and_margins([name, "RR"], None)
    assert names == [expected[0], "RR"]
    assert isinstance(margins, dict)
    margin = margins[expected[0]]
    assert (margin.value, margin.is_relative) == (pytest.approx(expected[1]), expected[2])


@pytest.mark.parametrize("name", ["AP:-0.1", "AP:1%%", "AP:0.1x", "AP:5 per cent"])
def test_a_margin_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=r"the margin of AP is .*at least 0"):
        measures_and_margins([name], None)


def test_names_with_a_colon_stay_names() -> None:
    assert measures_and_margins(["sts:en", "AP"], None) == (["sts:en", "AP"], None)


def test_a_percentage_is_of_the_mean_of_the_baseline() -> None:
    new, old = made(np.linspace(0.38, 0.42, 60)), made(np.full(60, 0.4), system="old")
    found = gate(new, old, margin="5%")
    assert found["AP"].margin_value == pytest.approx(0.05 * 0.4)
    assert mentions(found.notes, "AP", "the margin is 5%", "old", 0.02)
    same = gate(new, old, margin=0.02)
    pvalue = same["AP"].decision.pvalue_noninferior
    assert found["AP"].decision.pvalue_noninferior == pytest.approx(pvalue, rel=1e-9)
    assert "margin:5%" in found.signature()


def test_a_percentage_of_a_geometric_mean_is_a_ratio() -> None:
    """2 % less is a difference of log(.98) in logarithms."""
    new, old = made(np.linspace(0.38, 0.42, 60), "GMAP"), made(np.full(60, 0.4), "GMAP", "old")
    assert gate(new, old, margin="2%")["GMAP"].margin_value == pytest.approx(-np.log(0.98))


def test_each_measure_has_its_own_margin() -> None:
    new, old = scores("new", 3), scores("old", 4)
    found = gate(new, old, margin={"nDCG@10": 0.3, "P@2": "40%", "": 0.5})
    margins = {part.measure: part.margin_value for part in found.measure_gates}
    assert margins == {"nDCG@10": 0.3, "RR": 0.5, "P@2": pytest.approx(0.4 * old.summary("P@2")[0])}
    assert {row[0]: row[3] for row in found.records()} == margins
    table = found.sections()[0].table
    assert table is not None
    assert "margin" in table.columns
    assert "margin:nDCG@10=0.3,P@2=40%,others=0.5" in found.signature()


@pytest.mark.parametrize(
    ("margin", "error", "words"),
    [
        ({"nDCG@10": 0.1}, ParameterError, ("no margin of RR", "--margin")),
        ({"nDCG": 0.1, "": 0.1}, UnknownName, ("nDCG",)),
        ({"nDCG@10": -1, "": 0.1}, ParameterError, ("nDCG@10", "-1")),
        ("100%", ParameterError, ("100% of the baseline's mean", "less than 100%")),
        (1.0, ParameterError, ("every system would pass",)),
    ],
)
def test_wrong_margins_are_refused(margin: Any, error: type[Exception], words: tuple[str, ...]) -> None:
    with pytest.raises(error) as refusal:
        gate(scores("new", 3), scores("old", 4), margin=margin)
    assert mentions(str(refusal.value), *words)
