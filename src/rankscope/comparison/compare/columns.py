"""The columns of tables of systems and pairs: means with their marks, differences, intervals, p-values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rankscope.data.columns import Column, column, digits, interval, percent
from rankscope.data.text import format_number, format_p_cell, format_percent
from rankscope.kernels.rounding_ties import at_most
from rankscope.stats.intervals import jeffreys_interval, t_interval
from rankscope.typing import Floats, Indices

if TYPE_CHECKING:
    from rankscope.comparison.compare.result import Comparison, MeasureComparison

__all__ = [
    "STARS",
    "beaten_letters",
    "correction_notes",
    "interval_column",
    "interval_word",
    "is_corrected",
    "letter",
    "mean_intervals",
    "pair_columns",
    "stars",
    "turned",
]


#: Corrected p-values up to these get that many stars.
STARS = ((0.001, "***"), (0.01, "**"))


def letter(i: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    text = ""
    i += 1
    while i:
        i, remainder = divmod(i - 1, 26)
        text = chr(ord("a") + remainder) + text
    return text


def beaten_letters(positions: list[int], n_systems: int) -> str:
    """The letters of the systems at these positions.

    Three and more in a row are written as a-c; with more than 26 systems, which have two letters, commas separate them.
    """
    ranges: list[list[int]] = []
    for position in positions:
        if ranges and position == ranges[-1][-1] + 1:
            ranges[-1].append(position)
        else:
            ranges.append([position])
    texts = []
    for range_ in ranges:
        if len(range_) > 2:
            texts.append(f"{letter(range_[0])}-{letter(range_[-1])}")
        else:
            texts += map(letter, range_)
    return ("," if n_systems > 26 else "").join(texts)


def stars(p: float, alpha: float) -> str:
    """Stars for a corrected p-value; none above the level."""
    if not at_most(p, alpha):
        return ""
    return next((marks for bound, marks in STARS if at_most(p, min(bound, alpha))), "*")


def is_corrected(result: Comparison) -> bool:
    """Whether p-values were corrected, for a number above 1."""
    family = result.comparisons if result.settings.family == "all" else result.comparisons[:1]
    return result.settings.correction != "none" and sum(comparison.first.size for comparison in family) > 1


def correction_notes(result: Comparison, comparison: MeasureComparison) -> tuple[str, ...]:
    """That intervals are not corrected as p is, where the table has both."""
    if not is_corrected(result) or result.settings.tests_all_systems or result.settings.is_bayesian:
        return ()
    scope = f"{result.family_size:,} tests"
    ends = "bounds" if interval_word(comparison) == "bound" else "intervals"
    return (f"p corrected: for {scope}; {ends}: each for itself",)


def pair_columns(
    result: Comparison, comparison: MeasureComparison, pairs: Indices, signs: npt.NDArray[np.int64] | None = None
) -> list[Column]:
    """The numbers of these pairs. signs: (pairs) -1 to show a pair in the other order."""
    sign = np.ones(pairs.size, np.int64) if signs is None else signs
    effects, test_results = comparison.test_results.effects, comparison.test_results
    low, high = turned(comparison.low[pairs], comparison.high[pairs], sign)
    wins = np.where(sign > 0, effects.wins[pairs], effects.losses[pairs])
    losses = np.where(sign > 0, effects.losses[pairs], effects.wins[pairs])
    corrected = column("p corrected", comparison.pvalue_corrected[pairs], format_p_cell)
    if result.settings.tests_all_systems:
        tests = [corrected]
    elif test_results.posterior is not None:
        turned_posterior = np.where(sign > 0, test_results.posterior[:, pairs], test_results.posterior[::-1, pairs])
        titles = ("P(worse)", "P(equal)", "P(better)")
        tests = [column(title, p, digits(3)) for title, p in zip(titles, turned_posterior, strict=True)]
    else:
        tests = [column("p", comparison.pvalue[pairs], format_p_cell)]
        tests += [corrected] if is_corrected(result) else []
    return [
        column("difference", sign * comparison.difference[pairs], digits(signed=True)),
        interval_column(comparison, zip(low, high, strict=True)),
        *tests,
        column("effect d", sign * comparison.effect_size[pairs], digits(2, signed=True)),
        column("better on", wins / comparison.n, percent()),
        column(
            "wins/ties/losses",
            zip(wins.tolist(), effects.ties[pairs].tolist(), losses.tolist(), strict=True),
            lambda counts: "/".join(f"{int(count)}" for count in counts),
        ),
    ]


def interval_column(comparison: MeasureComparison, ends: Iterable[tuple[float, float]]) -> Column:
    """The intervals of differences; of a one-sided test the bounds."""
    title = f"{format_percent(1 - comparison.alpha)} {interval_word(comparison)}"
    return column(title, ends, interval() if interval_word(comparison) == "interval" else format_bound)


def interval_word(comparison: MeasureComparison) -> str:
    """What the ends of a difference are called: an interval, or of a one-sided test a bound."""
    return "bound" if np.isinf([comparison.low, comparison.high]).any() else "interval"


def format_bound(ends: tuple[float, float]) -> str:
    """Ends of which one is infinite, as "at least 0.0120"; a dash for NaN."""
    low, high = ends
    if np.isnan(low):
        return "-"
    return f"at most {format_number(high, 4)}" if np.isinf(low) else f"at least {format_number(low, 4)}"


def mean_intervals(result: Comparison, comparison: MeasureComparison) -> tuple[Floats, Floats]:
    """(systems) the ends of the confidence intervals of the means; NaN where nothing varies."""
    measure_values, confidence_level = comparison.measure_values, 1 - comparison.alpha
    interval = (
        jeffreys_interval(measure_values.values, confidence_level=confidence_level)
        if result.settings.interval_of(measure_values) == "tango"
        else t_interval(measure_values.values, confidence_level=confidence_level, **measure_values.sample)
    )
    low, high = (np.where(interval.degenerate, np.nan, bounds) for bounds in (interval.low, interval.high))
    return low, high


def turned(low: Floats, high: Floats, sign: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The ends of intervals of differences, those of pairs with the sign -1 in the other order."""
    return np.where(sign > 0, low, -high), np.where(sign > 0, high, -low)
