"""compare: which system is better, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.comparison import Comparison, MeasureComparison
from rankscope.comparison.findings import notes_on_measure
from rankscope.comparison.matched import MeasureValues, check_systems, match_queries, select_measures
from rankscope.comparison.methods import INTERVALS, TESTS, ComparisonSettings, seed_of
from rankscope.comparison.tested import PairTestJob, PairTestResults, run_tests
from rankscope.data.scores import Scores
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.ties import at_most
from rankscope.stats.corrections import CORRECTIONS, adjust_pvalues
from rankscope.stats.inputs import check_alternative, check_count, check_level, check_positive
from rankscope.stats.tukey import all_pairs
from rankscope.typing import Bools, Floats

__all__ = ["FAMILIES", "check_settings", "compare"]

#: What is corrected together.
FAMILIES = {"pairs": "all pairs of one measure", "all": "all pairs of all measures"}
#: Systems of which all pairs are compared: some 300 bytes a pair are then held.
MOST_COMPARED = 3_000


def compare(
    scores: Scores,
    measures: object = None,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
    family: str = "pairs",
    alternative: str = "two-sided",
    level: float = 0.05,
    interval: str = "t",
    rope: float = 0.0,
    n_resamples: int = 10_000,
    rng: Any = None,
    workers: int | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Comparison:
    """Compare systems by the values that they have on the same queries.

    scores: of at least two systems. measures: one, a list, or None for all of the scores. baseline: the system that all
    others are compared with; None compares all pairs. test: one of `TESTS`, "t" by default. correction: of p-values for
    their number: "holm" (default), "bonferroni", "hochberg", "bh", "none"; tests of all systems at once ("tukey",
    "randomised-tukey", "nemenyi") correct by themselves. family: what is corrected together, the pairs of one measure
    ("pairs") or those of "all" measures. alternative: "two-sided", or that A's values are "greater" or "less" than B's.
    level: of significance, in (0, 1); intervals hold the true difference in 1 - level of cases. interval: "t", "bca" or
    "percentile". rope: a difference of at most this much on a query is a tie, and in Bayesian tests the mean difference
    is then practically none; at least 0. n_resamples, rng: of tests and intervals by resampling; all pairs and measures
    get the same resamples. workers: processes; None: all cores where that pays and processes can be forked. The result
    is the same. progress: called with the number of pairs just tested.

    Only queries that have a value for every system are used, and a note says how many were left out. Equal systems:
    p = 1. Constant differences: no p from t and bootstrap, flagged in a note. Raises ParameterError for arguments out
    of range and for fewer than two systems, UnknownName for a system, a measure or a test that is not there, InputError
    where no query has values for all, and for all pairs of more than 3,000 systems.

    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(5)}
    >>> good = rs.Run({f"q{i}": {"d1": 2.0, f"x{i}": 1.0} for i in range(5)}, name="good")
    >>> poor = rs.Run({f"q{i}": {"d1": 1.0, "x1": 2.0 * (i > 0)} for i in range(5)}, name="poor")
    >>> found = compare(rs.evaluate(qrels, [good, poor], "RR"), test="permutation")
    >>> found["RR"].difference.tolist(), found["RR"].pvalue.tolist()  # 4 of 5 queries won: 2 / 2^4
    ([0.4], [0.125])
    """
    settings = ComparisonSettings(
        test=test,
        correction=correction,
        family=family,
        alternative=alternative,
        level=level,
        interval=interval,
        rope=rope,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    check_settings(settings, baseline)
    check_systems(scores, baseline)
    first, second = compared_pairs(scores, baseline)
    matched = [match_queries(scores, name) for name in select_measures(scores, measures)]
    parts = list(zip(matched, run_tests(PairTestJob(matched, first, second, settings), workers, progress), strict=True))
    corrected = correct_pvalues([tested for _, tested in parts], settings)
    results = [
        measure_comparison(one, tested, pvalues, first, second, settings, len(parts))
        for (one, tested), pvalues in zip(parts, corrected, strict=True)
    ]
    return Comparison(
        scores=scores,
        baseline=baseline,
        parts=tuple(results),
        settings=settings,
        notes=tuple(dict.fromkeys((*scores.notes, *(note for part in results for note in part.notes)))),
    )


def check_settings(settings: ComparisonSettings, baseline: str | None) -> None:
    """Raise for what cannot be asked for, before anything is computed."""
    for kind, value, known in (
        ("test", settings.test, TESTS),
        ("correction", settings.correction, CORRECTIONS),
        ("family", settings.family, FAMILIES),
        ("interval", settings.interval, INTERVALS),
    ):
        if value not in tuple(known):  # may be of any type, lists too
            raise UnknownName(kind, str(value), known)
    check_level(settings.level)
    check_alternative(settings.alternative)
    check_positive("rope", settings.rope, zero=True)
    check_count("n_resamples", settings.n_resamples)
    if settings.of_all and baseline is not None:
        raise ParameterError(f"test {settings.test!r} compares all pairs; leave the baseline out, or choose test 't'")
    refuse_unused(settings)


def refuse_unused(settings: ComparisonSettings) -> None:
    """Raise for what a test settles by itself, or has not."""
    asked = {}
    if settings.of_all or settings.bayesian:
        asked = {"alternative": "two-sided", "correction": "holm", "family": "pairs"}
    if settings.method.simultaneous:
        asked["interval"] = "t"  # stands for: nothing was asked for
    for name, default in asked.items():
        value = getattr(settings, name)
        if value != default:
            raise ParameterError(f"test {settings.test!r} has no {name} {value!r}; leave it out")


def compared_pairs(scores: Scores, baseline: str | None) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Both sides of each pair: the others against the baseline, or all i < j."""
    m = len(scores.systems)
    if baseline is None:
        if m > MOST_COMPARED:
            raise InputError(
                f"{m:,} systems, and all pairs of at most {MOST_COMPARED:,} are compared; name a baseline, with which "
                "each of them is compared, or compare fewer"
            )
        return all_pairs(m)
    b = scores.systems.index(baseline)
    others = np.delete(np.arange(m), b)
    return others, np.full(m - 1, b)


def correct_pvalues(tested: list[PairTestResults], settings: ComparisonSettings) -> list[Floats]:
    """The p-values of each measure, corrected for the number of tests in their family."""
    if settings.of_all:
        return [one.corrected for one in tested if one.corrected is not None]
    if settings.family == "pairs":
        return [adjust_pvalues(one.pvalue, method=settings.correction).pvalue for one in tested]
    together = np.concatenate([one.pvalue for one in tested])
    edges = np.cumsum([one.pvalue.size for one in tested])[:-1]
    return np.split(adjust_pvalues(together, method=settings.correction).pvalue, edges)


def measure_comparison(
    matched: MeasureValues,
    tested: PairTestResults,
    corrected: Floats,
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    settings: ComparisonSettings,
    measures: int = 1,
) -> MeasureComparison:
    """What was found by one measure; measures: how many were compared."""
    shown = significant_pairs(tested, corrected, settings)
    ahead = tested.direction == np.sign(tested.difference)
    found = np.where(shown & ahead, tested.direction * matched.sign, 0)
    part = MeasureComparison(
        matched=matched,
        means=matched.values.mean(axis=1),
        first=first,
        second=second,
        tested=tested,
        pvalue_corrected=corrected,
        found=found.astype(np.int64),
        level=settings.level,
        notes=(),
    )
    family = first.size * (measures if settings.family == "all" else 1)
    return replace(part, notes=(*matched.notes, *notes_on_measure(part, settings, shown, family)))


def significant_pairs(tested: PairTestResults, corrected: Floats, settings: ComparisonSettings) -> Bools:
    """(pairs) where the test speaks for a difference, in the direction asked for."""
    if tested.posterior is not None:
        return np.asarray(at_most(1 - settings.level, tested.posterior[[0, 2]].max(axis=0)), np.bool_)
    side = {"two-sided": 0, "greater": 1, "less": -1}[settings.alternative]
    return np.asarray(at_most(corrected, settings.level) & ((tested.direction == side) | (side == 0)), np.bool_)
