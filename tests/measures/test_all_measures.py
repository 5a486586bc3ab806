"""Properties of all measures: `measure_table` says what holds of which, and nothing may be missing from it.

The checks are in `helpers/measure_properties.py`; `test_properties.py` shows that each fails on a measure made to
break it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields

import pytest
from helpers import measure_properties as properties
from helpers.measure_checks import ALL, CHECKS
from helpers.measure_properties import (
    check_direction,
    check_ideal,
    check_name,
)
from helpers.measure_table import FORMS, TABLE
from helpers.properties import examples
from helpers.strategies import random_case
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@examples(40, quick=6)
@given(data=st.data())
def test_a_property_holds_for_all_measures_of_which_the_table_says_so(
    check: Callable[..., None], data: st.DataObject
) -> None:
    measures, strategy = CHECKS[check]
    check(measures, data.draw(strategy))


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@examples(500)
@given(data=st.data())
def test_a_property_holds_on_many_more_inputs(check: Callable[..., None], data: st.DataObject) -> None:
    measures, strategy = CHECKS[check]
    check(measures, data.draw(strategy))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_property_holds_on_longer_lists(check: Callable[..., None]) -> None:
    check(CHECKS[check][0], random_case(3, 25, scores=None))


def test_the_name_of_every_form_reads_back() -> None:
    check_name(FORMS)


@examples(800)
@given(data=st.data())
def test_the_name_of_any_measure_reads_back(data: st.DataObject) -> None:
    kind = ALL[data.draw(st.sampled_from(sorted(ALL)))]
    whole = st.integers(1, 10**6)
    values = {
        "cutoff": whole
        | (st.sampled_from(["mean", "median", "size", "recall=0.5"]) if kind.allows_query_cutoffs else st.nothing()),
        "rel": whole,
        "gmax": st.integers(1, 1000) | (st.just("query") if kind.name == "RBP" else st.nothing()),
        "p": st.floats(0, 1, exclude_min=True, exclude_max=True),
        "beta": st.floats(1e-300, 1, exclude_max=True)
        if kind.name.endswith("NRBP")
        else st.floats(0, 1e17) | st.integers(0, 9),
        "alpha": st.floats(0, 1) | st.sampled_from([0, 1]),
        "norm": st.sampled_from(["R", "min", "found"]),
        "others": st.sampled_from(["error", "gain"]),
        "discount": st.sampled_from(["log2", "natural", "jk"]),
        "base": st.floats(1, 1e17, exclude_min=True) | st.integers(2, 99),
        "ideal": st.sampled_from(["judged", "listed"]),
        "short": st.sampled_from(["filled", "zero"]),
        "gain": st.sampled_from(["linear", "exp"]),
        "gains": st.dictionaries(st.integers(-3, 99), st.floats(-1e17, 1e17) | st.integers(-9, 999), max_size=4),
        "recall": st.floats(0, 1) | st.sampled_from([0, 1, 1e-9, 5e-324]),
        "mult": st.floats(1e-9, 10),
        "rounding": st.sampled_from(["half_up", "plus_point_nine"]),
        "gmin": st.integers(0, 1000),
        "depth": st.integers(1, 10**6),
        "T": st.floats(0.25, 1e17) | st.integers(1, 9),
        "normalize": st.booleans(),
        "interpolated": st.booleans(),
        "scale": st.just("permille")
        if kind.name.startswith("Dunaiski")
        else st.sampled_from(["percentile", "permille"]),
        "step": st.integers(10, 1000),
        "average": st.sampled_from(["arithmetic", "geometric"]),
        "among": st.sampled_from(getattr(kind, "choices", ("all",))),
        **dict.fromkeys("abcd", st.floats(-1e17, 1e17) | st.integers(-9, 9)),
    }
    chosen = {}
    for f in fields(kind):
        if f.default is MISSING or data.draw(st.booleans()):
            chosen[f.name] = data.draw(values[f.name])
    if kind.name == "RBP" and {"rel", "gmax"} <= chosen.keys():
        del chosen["gmax"]  # one or the other
    if "gmin" in chosen and chosen["gmin"] >= (chosen.get("gmax") or 1001):
        del chosen["gmin"]  # above gmin
    if kind.name.endswith("Intervals"):
        chosen["depth"] = chosen.get("step", 100) * 7  # no less than the step
    if chosen.get("short") == "zero" or (kind.name == "DunaiskiAUC" and "cutoff" in chosen):
        chosen.pop("scale", None)
    if chosen.get("norm") == "min" or chosen.get("short") == "zero":
        chosen.setdefault("cutoff", 10)
    if "gains" not in chosen:
        chosen.pop("others", None)
    if chosen.get("discount") != "jk":
        chosen.pop("base", None)
    measure = kind(**chosen)
    check_name([measure])
    assert hash(rs.parse_measure(str(measure))) == hash(measure)


def test_every_check_is_made() -> None:
    checks = {check for name, check in vars(properties).items() if name.startswith("check_")}
    assert checks == {*CHECKS, check_name}


# --- the table is complete --------------------------------------------------------------------------------------------


def test_no_measure_is_missing_from_the_table() -> None:
    assert set(TABLE) == set(ALL), "add a row to TABLE of tests/helpers/measure_table.py"
    for name, row in TABLE.items():
        assert {rs.parse_measure(form).name for form in row.forms} == {name}


def test_every_parameter_of_every_measure_is_set_in_some_form() -> None:
    for name, kind in ALL.items():
        forms = [m for m in FORMS if m.name == name]
        for f in fields(kind):
            assert any(getattr(m, f.name) != f.default for m in forms), f"{name}: no form sets {f.name}"


def test_the_measures_of_which_the_design_says_so_never_fall_with_a_deeper_cutoff() -> None:
    assert {"AP", "RR", "RBP", "ERR", "DCG"} <= {name for name, row in TABLE.items() if row.deeper}


def test_no_measure_has_an_exception_that_it_does_not_need() -> None:
    """Some list shows it: of which the ideal does not give 1, or of which rising order of grade is better."""
    case = random_case(0, 160, scores=None)

    def holds(check: Callable[..., None], forms: Sequence[str]) -> bool:
        try:
            check([rs.parse_measure(form) for form in forms], case)
        except AssertionError:
            return False
        return True

    for name, row in TABLE.items():
        assert not row.no_ideal or (ALL[name].range == (0.0, 1.0) and not holds(check_ideal, row.forms)), name
        assert not any(holds(check_ideal, [form]) for form in row.shallow), name
        assert row.falling or not holds(check_direction, row.forms), name


def test_every_measure_says_what_a_user_asks() -> None:
    """And its docstring says it too, as test_house.py asks."""
    for name, kind in ALL.items():
        assert kind.name == name
        assert kind.__doc__
        assert kind.source
        assert kind.range[0] < kind.range[1]


def test_measures_are_frozen_and_take_keywords_only() -> None:
    for measure in FORMS:
        with pytest.raises(AttributeError):
            measure.cutoff = 3
        with pytest.raises(TypeError):
            type(measure)(3)
