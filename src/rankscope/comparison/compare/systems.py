"""compare: which system is better, and how sure that is, with notes of a statistician on data and test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import MeasureValues, check_systems, match_queries, select_measures
from rankscope.comparison.compare.pair_tests import PairTestJob, PairTestResults, pair_slices, run_tests
from rankscope.comparison.compare.result import Comparison, MeasureComparison
from rankscope.comparison.compare.significance_tests import INTERVALS, TESTS, ComparisonSettings
from rankscope.data.scores import Scores
from rankscope.data.text import format_p_value, pluralise_queries
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.ties import at_most
from rankscope.stats.anova import all_pairs, two_way_anova
from rankscope.stats.friedman import friedman_test
from rankscope.stats.inputs import check_alternative, check_count, check_level, check_positive, levelled, seed_of
from rankscope.stats.multiple_comparisons import CORRECTIONS, adjust_pvalues
from rankscope.typing import Bools, Floats

__all__ = [
    "FAMILIES",
    "check_settings",
    "compare",
    "notes_on_measure",
]


#: Of fewer queries, a note.
FEW = 25
#: From this share of ties on, a note.
MANY_TIES = 0.5
#: How many queries a t-test needs where differences are skewed: this times the square of their skewness (Cochran,
#: 1977, section 2.15, of means and their intervals).
COCHRAN = 25


def notes_on_measure(
    part: MeasureComparison, settings: ComparisonSettings, shown: Bools, family: int
) -> tuple[str, ...]:
    """Notes on one measure: few queries, ties, equal or constant differences, skewness, and on the test.

    shown: (pairs) where the test speaks for a difference. family: how many tests are corrected together.
    """
    notes = [*on_queries(part), *on_data(part), *on_test(part, settings), *on_chances(part, settings, family)]
    notes += [*on_direction(part, settings, shown), *omnibus_notes(part, settings)]
    return tuple(f"{part.measure}: {note}" for note in notes)


def on_queries(part: MeasureComparison) -> list[str]:
    if part.n == 1:
        return ["one query says nothing of how much queries vary: no test and no interval can be trusted"]
    if part.n < FEW:
        return [f"{part.n} queries are few: only large differences can be shown, and intervals are rough"]
    return []


def on_data(part: MeasureComparison) -> list[str]:
    notes = []
    if part.equal.any():
        so = "p is 1 and " if part.tested.posterior is None else ""
        notes.append(name_pairs(part, part.equal, f"the same values on every query: {so}nothing differs"))
    constant = part.tested.effects.degenerate & ~part.equal & (part.n > 1)
    if constant.any():
        notes.append(
            name_pairs(part, constant, "the same difference on every query: how it varies is not known, so that tests "
                  "which need a variance (t, bootstrap, bayes-t) say nothing; permutation and sign do")
        )  # fmt: skip
    tied = (part.tested.effects.ties > MANY_TIES * part.n) & ~part.equal
    if tied.any():
        notes.append(name_pairs(part, tied, "ties on more than half of the queries: the rest decides alone"))
    return notes


def on_test(part: MeasureComparison, settings: ComparisonSettings) -> list[str]:
    notes = []
    if settings.method.normal and part.n > 1:
        skewed = COCHRAN * skewness(part) ** 2 > part.n
        if skewed.any():
            notes.append(
                name_pairs(
                    part, skewed, f"differences too skewed for t on {part.n} queries; check with test permutation"
                )
            )
    if settings.method.about in ("ranks", "signs"):
        notes.append(
            f"the test {settings.test} asks about medians, not means; studies disagree whether it finds too much on "
            "many queries (Parapar et al. 2020; Urbano et al. 2019), so that t or permutation is the safer choice"
        )
    return notes


def on_chances(part: MeasureComparison, settings: ComparisonSettings, family: int) -> list[str]:
    """How exact p is, and whether it could be small enough at all."""
    notes = []
    family = 1 if settings.of_all or settings.correction not in ("holm", "bonferroni") else family
    tests = "a pair" if family == 1 else f"any of {family:,} pairs"
    drawn = settings.method.resampled and bool(np.nan_to_num(part.tested.error).any())
    if drawn:
        what = "probabilities are" if settings.bayesian else "p is"
        notes.append(f"{what} from {settings.n_resamples:,} resamples, with a standard error of up to "
                     f"{np.nanmax(part.tested.error):.4f}")  # fmt: skip
        if not settings.bayesian and family / (settings.n_resamples + 1) > settings.level:
            notes.append(
                f"{settings.n_resamples:,} resamples cannot show {tests} to differ at level {settings.level:g}; ask "
                f"for {int(np.ceil(family / settings.level)):,} or more"
            )
    elif settings.method.counted and part.n < 60:
        least = (2.0 if settings.alternative == "two-sided" else 1.0) / 2.0**part.n
        if least * family > settings.level:
            notes.append(
                f"the test {settings.test} cannot show {tests} to differ on {pluralise_queries(part.n)}: its least p "
                f"is {least:.4g}, and the level {settings.level:g}"
            )
    return notes


def on_direction(part: MeasureComparison, settings: ComparisonSettings, shown: Bools) -> list[str]:
    """Where ranks or signs say one thing and means another; and that a one-sided test looks one way only."""
    notes = []
    apart = shown & (part.found == 0)
    if apart.any():
        which = name_pairs(part, apart, f"means in one order and the test {settings.test} in the other")
        notes.append(f"{which}: of neither is it said that it is better")
    if settings.alternative != "two-sided" and part.first.size > 1:
        first = "of each pair, that the first in the order given" if len(set(part.second.tolist())) > 1 else "that each"
        against = "" if len(set(part.second.tolist())) > 1 else f" than those of {part.systems[part.second[0]]}"
        word = "higher" if settings.alternative == "greater" else "lower"
        notes.append(f"only one thing was tested: {first} has {word} values{against}; the other side cannot be shown")
    return notes


def omnibus_notes(part: MeasureComparison, settings: ComparisonSettings) -> list[str]:
    """All systems at once, where all pairs were compared."""
    m = len(part.systems)
    if m < 3 or part.n < 2 or part.first.size != m * (m - 1) // 2:
        return []
    if settings.method.about == "mean ranks":
        found = friedman_test(part.matched.values)
        return [f"Friedman's test of all {m} systems at once: chi-square {found.statistic:.2f} with {m - 1} degrees of "
                f"freedom, p {format_p_value(found.pvalue)}"]  # fmt: skip
    table = two_way_anova(part.matched.values)
    if np.isnan(table.pvalue):
        return []
    return [f"all {m} systems at once (two-way ANOVA): F = {table.statistic:.2f} with {table.df_systems} and "
            f"{table.df_error} degrees of freedom, p {format_p_value(table.pvalue)}"]  # fmt: skip


def skewness(part: MeasureComparison) -> Floats:
    """(pairs) of the differences, 0 where they do not vary."""
    found = np.zeros(part.first.size)
    for here in pair_slices(part.first.size, part.n):
        d, _ = levelled(part.matched.differences(part.first[here], part.second[here]))
        d = d - d.mean(axis=1, keepdims=True)
        spread = (d * d).mean(axis=1)
        steady = part.tested.degenerate[here] | part.equal[here] | (spread == 0)
        found[here] = np.where(steady, 0.0, (d**3).mean(axis=1) / np.where(steady, 1.0, spread) ** 1.5)
    return found


def name_pairs(part: MeasureComparison, which: Bools, what: str) -> str:
    """The pair by name where it is one of few, else how many."""
    found = np.flatnonzero(which).tolist()
    if len(found) > 2:
        return f"{len(found)} of {which.size} pairs have {what}"
    names = [f"{part.systems[part.first[i]]} and {part.systems[part.second[i]]}" for i in found]
    return f"{' and '.join(names) if len(names) == 1 else '; '.join(names)} have {what}"


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
