"""Tests and intervals of values all but 0 or immense: what they are of the same values near 1, or refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rankscope as rs
from rankscope import stats
from rankscope.comparison.gate.decision import Criterion, decide
from rankscope.stats.inputs import scale_table

RNG = np.random.default_rng(5)
SCORES = RNG.integers(1, 1000, (4, 12)) / 1024.0
ONE = SCORES[0] - SCORES[1]
ROWS = np.stack([ONE, SCORES[0] - SCORES[2], np.zeros(12), np.full(12, 0.25)])

#: What each says without a unit; and what it says in the unit of the values.
PAIRED: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "t": (stats.t_test, ()),
    "wilcoxon": (stats.wilcoxon_test, ()),
    "sign": (stats.sign_test, ()),
    "randomisation": (lambda x: stats.randomisation_test(x, n_resamples=99, rng=1), ("statistic",)),
    "bootstrap": (lambda x: stats.bootstrap_test(x, n_resamples=99, rng=1), ()),
    "effects": (stats.effect_sizes, ("mean",)),
    "t interval": (stats.t_interval, ("mean", "low", "high")),
    "bca interval": (lambda x: stats.bootstrap_interval(x, n_resamples=99, rng=1), ("mean", "low", "high")),
    "percentiles": (
        lambda x: stats.bootstrap_interval(x, method="percentile", n_resamples=99, rng=1),
        ("mean", "low", "high"),
    ),
    "bayes t": (stats.bayes_t_test, ()),
    "bayes signed rank": (lambda x: stats.bayes_signed_rank_test(x, n_resamples=99, rng=1), ()),
}
TOGETHER: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "anova": (stats.two_way_anova, ("sigma",)),
    "tukey": (stats.tukey_hsd, ("difference", "low", "high", "critical_difference")),
    "randomised tukey": (
        lambda x: stats.randomised_tukey_hsd(x, n_resamples=99, rng=1),
        ("difference", "statistic", "low", "high", "critical_difference"),
    ),
    "friedman": (stats.friedman_test, ()),
    "z": (stats.standardise_scores, ()),
    "pearson": (lambda x: stats.correlation_test(x[0], x[1], statistic="pearson"), ()),
    "kendall": (lambda x: stats.correlation_test(x[0], x[1]), ()),
}
#: Powers of 2, which change no digit: 1e-301, 1e-150, 1e150, 1e298.
POWERS = (-1000, -500, 500, 990)
#: Sums of squares, whose unit is the square of that of the values.
SQUARES = ("ss_", "ms_")


def numbers(found: Any) -> dict[str, np.ndarray]:
    names = found._fields if hasattr(found, "_fields") else [field.name for field in fields(found)]
    arrays = {name: np.asarray(getattr(found, name)) for name in names if not name.startswith(SQUARES)}
    return {name: array for name, array in arrays.items() if array.dtype.kind in "fiub"}


def check_same(call: Callable[[Any], Any], values: np.ndarray, units: tuple[str, ...], power: int) -> None:
    """What is found of values times a power of two is what is found of the values, in that unit."""
    near, far = numbers(call(values)), numbers(call(np.ldexp(values, power)))
    for name, expected in near.items():
        scaled = np.ldexp(expected.astype(np.float64), power) if name in units else expected
        np.testing.assert_allclose(far[name], scaled, rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("name", PAIRED)
def test_a_test_of_differences_knows_no_unit(name: str, power: int) -> None:
    call, units = PAIRED[name]
    check_same(call, ROWS, units, power)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("name", TOGETHER)
def test_a_test_of_scores_knows_no_unit(name: str, power: int) -> None:
    call, units = TOGETHER[name]
    check_same(call, SCORES, units, power)


def test_pairs_at_both_ends_stand_side_by_side() -> None:
    """A pair of subnormal differences is told from one of immense ones in one call."""
    whole = np.round(ONE * 1024)
    far = np.stack([np.ldexp(whole, -1074), whole, np.ldexp(whole, 900)])
    found = stats.t_test(far)
    np.testing.assert_allclose(found.statistic, stats.t_test(whole).statistic, rtol=1e-12)
    assert found.notes == ()


def exact_t(differences: np.ndarray) -> float:
    """The square of t is a fraction."""
    values = [Fraction(float(x)) for x in differences]
    mean = sum(values, Fraction(0)) / len(values)
    spread = sum(((x - mean) ** 2 for x in values), Fraction(0)) / (len(values) - 1)
    square = mean**2 * len(values) / spread
    return float(square) ** 0.5 * (1 if mean > 0 else -1)


@pytest.mark.parametrize("unit", [1.0, 1e-170, 1e170, 1e-300, 1e290])
def test_t_is_that_of_fractions(unit: float) -> None:
    given = ONE * unit
    assert float(stats.t_test(given).statistic) == pytest.approx(exact_t(given), rel=1e-12)


def test_a_usual_table_stays_as_it_is_in_memory_too() -> None:
    """The last digits of sums depend on that order, so a copy in another one would change them."""
    for table in (SCORES, np.asfortranarray(SCORES), np.ldexp(SCORES, -240)):
        assert scale_table(table)[0] is table
    near, power = scale_table(np.ldexp(SCORES, 900))
    assert np.array_equal(np.ldexp(near, power - 900), SCORES)


@pytest.mark.parametrize("power", [-1000, 0, 900])
@pytest.mark.parametrize(("margin", "verdict"), [(0.0, "worse"), (0.08, "pass"), (1e300, "pass")])
def test_a_gate_knows_no_unit(power: int, margin: float, verdict: str) -> None:
    differences = np.ldexp(np.array([-0.1, 0.0, -0.05, -0.02, -0.09, -0.01, -0.08, -0.03]), power)
    asked = Criterion(margin=np.ldexp(margin, power) if margin < 1 else margin)
    found = decide(differences, asked)
    assert found.verdict == verdict
    assert found.low < found.mean < found.high
    assert np.ldexp(found.mean, -power) == pytest.approx(-0.0475)
    endless = decide(differences, replace(asked, level=1e-300))
    assert (endless.low, endless.high) == (-np.inf, np.inf) or abs(endless.low) > 1e20 * abs(found.low)


@pytest.mark.parametrize("power", [-1060, -700, 0, 700])
def test_a_region_of_practical_equality_has_the_unit_of_the_values(power: int) -> None:
    values = np.array([3.0, -1.0, 2.0, 7.0, 4.0])
    near, far = stats.bayes_t_test(values, rope=1.0), stats.bayes_t_test(np.ldexp(values, power), rope=2.0**power)
    assert float(near.worse) == pytest.approx(float(far.worse), rel=1e-12)
    assert float(near.better) == pytest.approx(float(far.better), rel=1e-12)
    assert float(stats.bayes_t_test(np.ldexp(values, power), rope=1e300).equal) == pytest.approx(1.0)


ALL = [
    *(lambda x, call=call: call(x[:1] - x[1:]) for call, _ in PAIRED.values()),
    *(call for call, _ in TOGETHER.values()),
]


@pytest.mark.parametrize("place", range(len(ALL)), ids=[*PAIRED, *TOGETHER])
def test_beyond_sums_of_numbers_nothing_warns_and_all_is_refused(place: int) -> None:
    huge = np.where(np.arange(12) % 2, 1.0, -1.0) * SCORES * 1.7e308
    for values in (np.full((3, 4), 0.3), np.zeros((3, 4)), SCORES[:2, :2], SCORES * 1e299 * 9.9, huge / 2):
        beyond = np.abs(values).max() > 1e300
        told = ""
        try:
            ALL[place](values)
        except rs.ParameterError as error:
            told = str(error)
        ranks = place >= len(PAIRED) + list(TOGETHER).index("friedman")  # no sums are made of these values
        assert ("beyond 1e+300" in told) == beyond or (ranks and not told), told


def test_a_comparison_of_exponential_gains_up_to_900() -> None:
    """Differences near 1e270, whose squares are no numbers: t is that of fractions."""
    queries = [f"q{i}" for i in range(8)]
    qrels = {q: {"a": 900 - i, "b": 890 + i, "c": 3} for i, q in enumerate(queries)}
    runs = [
        rs.Run({q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in queries}, name="one"),
        rs.Run({q: {"a": 1.0, "b": 2.0, "c": 3.0 * (i % 2)} for i, q in enumerate(queries)}, name="two"),
    ]
    scores = rs.evaluate(qrels, runs, ["DCG(gain='exp')"])
    found = rs.compare(scores).comparisons[0]
    values = scores.values[:, 0]
    assert float(found.statistic[0]) == pytest.approx(exact_t(values[0] - values[1]), rel=1e-12)
    assert np.isfinite([found.low[0], found.high[0], found.effect_size[0]]).all()
    assert "DCG" in str(rs.compare(scores))
