"""Every parameter that has a bound: what stands at the bound is taken or refused, and the message names it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.messages import mentions

from rankscope.errors import ParameterError
from rankscope.measures import MEASURES

NAN, INF, HUGE = float("nan"), float("inf"), 10**18
PERSISTENCE = ("0 and 1",)
# measure, what else it needs, parameter, what is taken, what is refused, and what the message says was expected
BOUNDS: list[tuple[str, dict[str, Any], str, tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]] = [
    ("P", {}, "cutoff", (1, HUGE - 1, "mean"), (0, -1, HUGE, 1.0, True, "most", None), (1,)),
    ("AP", {}, "cutoff", (None, 1), (0, True), (1,)),
    ("AP", {}, "rel", (None, 1, 0.5, HUGE - 1), (0, -0.5, HUGE, NAN, True), ("above 0",)),
    ("AP", {"cutoff": 3}, "norm", ("R", "min", "found"), ("r", "", None), ("'R'", "'min'", "'found'")),
    ("AP", {}, "norm", ("R", "found"), ("min",), ("cutoff", "AP(norm='min')@10")),
    ("F", {"cutoff": 3}, "beta", (0, 0.0, 2.5), (-0.1, NAN, INF, HUGE, True, "1"), ("at least 0",)),
    ("Rprec", {}, "mult", (0.1, 3), (0, 0.0, -1, NAN, INF, False), ("above 0",)),
    ("ERR", {}, "gmax", (None, 1, 1.5, 1000), (0, 0.5, 1001, True, "query"), (1, 1000)),
    ("RBP", {}, "p", (0.001, 0.999), (0.0, 1.0, 1, -0.5, 1.5, NAN, "0.5"), PERSISTENCE),
    ("RBP", {}, "gmax", (None, "query", 1, 1.5, HUGE - 1), (0, HUGE, 0.5, True), (1, "'query'")),
    ("RBP", {"rel": 1}, "gmax", (None,), (1, "query"), ("no gmax", "rel")),
    ("RBPResidual", {}, "p", (0.001, 0.999), (0.0, 1.0, 1, 1.5, NAN), PERSISTENCE),
    ("Compat", {}, "p", (0.001, 0.999), (0.0, 1.0, 1, 1.5, NAN), PERSISTENCE),
    ("Compat", {}, "normalize", (True, False), (None, 1, "True"), ("True", "False")),
    ("nDCG", {}, "gain", ("linear", "exp"), ("cubic", None, 2), ("'linear'", "'exp'")),
    ("nDCG", {}, "discount", ("log2", "natural"), ("log3", None), ("'log2'", "'natural'", "'jk'")),
    ("nDCG", {"discount": "jk"}, "base", (1.5, 2, 10), (1, 0.5, NAN, INF, True), ("above 1",)),
    ("nDCG", {}, "base", (2,), (3,), ("discount='jk'",)),
    ("nDCG", {"cutoff": 3}, "short", ("filled", "zero"), ("none", None), ("'filled'", "'zero'")),
    ("nDCG", {}, "short", ("filled",), ("zero",), ("cutoff", "nDCG(short='zero')@10")),
    ("nDCG", {}, "ideal", ("judged", "listed"), ("best", None), ("'judged'", "'listed'")),
    ("nDCG", {"gains": {1: 1.0}}, "others", ("error", "gain"), ("zero", None), ("'error'", "'gain'")),
    ("nDCG", {}, "others", ("error",), ("gain",), ("gains",)),
    ("Q", {}, "beta", (0, 1.5), (-0.1, NAN, INF, True), ("at least 0",)),
    ("SetF", {}, "beta", (0, 1.5), (-0.1, NAN, INF, True), ("at least 0",)),
    ("IPrec", {}, "recall", (0.0, 0.5, 1.0), (-0.1, 1.1, NAN), ("0 to 1",)),
    ("APIntervals", {"step": 10}, "depth", (10, 10**6), (0, 10.0, True, 10**9), (1,)),
    ("APIntervals", {"step": 10}, "depth", (10,), (9,), ("step", 10)),
    ("APIntervals", {"step": 3}, "depth", (300_002,), (300_003,), ("100,000", 300002)),
    ("AUCIntervals", {}, "step", (1, 100), (0, 1.0, True), (1,)),
    ("Utility", {}, "a", (0, -1.5), (NAN, INF, "1"), ("number",)),
    ("INST", {}, "T", (0.25, 3), (0.2, 0, NAN, INF, True), (0.25,)),
    ("BPM", {"cutoff": 3}, "T", (0.5, 2), (0, -1, NAN, INF), ("above 0",)),
    ("SDCG", {"cutoff": 3}, "gmin", (0, 2, 0.5), (-1, NAN, True), ("0 or above",)),
    ("SDCG", {"cutoff": 3, "gmin": 2}, "gmax", (None, 3, 2.5), (2, 1, 1.5), ("above gmin", 2)),
    ("NRBP", {}, "beta", (0.001, 0.999), (0, 1, 0.0, 1.0, NAN), PERSISTENCE),
    ("alpha_nDCG", {"cutoff": 3}, "alpha", (0.0, 1.0), (-0.1, 1.1, NAN), ("0 to 1",)),
]


@pytest.mark.parametrize(("name", "others", "parameter", "taken", "refused", "expected"), BOUNDS)
def test_a_parameter_is_taken_up_to_its_bounds_and_refused_beyond(
    name: str, others: dict[str, Any], parameter: str, taken: Any, refused: Any, expected: tuple[Any, ...]
) -> None:
    measure = MEASURES[name]
    for value in taken:
        assert getattr(measure(**others, **{parameter: value}), parameter) == value
    for value in refused:
        said = f"{measure.name}: {parameter} is {value!r}, "
        with pytest.raises(ParameterError, match=f"^{re.escape(said)}") as caught:
            measure(**others, **{parameter: value})
        assert mentions(str(caught.value).removeprefix(said), *expected)
