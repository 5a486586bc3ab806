"""Comparisons by group of queries: the pairs in each group, and whether their differences vary with the group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope.comparison.common_queries import MeasureValues, split_by_group
from rankscope.comparison.compare.pair_tests import (
    PairTestJob,
    PairTestResults,
    decide_pairs,
    pair_slices,
    run_tests,
    withhold,
)
from rankscope.comparison.compare.result import Interaction, MeasureComparison
from rankscope.comparison.compare.significance_tests import ComparisonSettings
from rankscope.data.queries import Queries
from rankscope.data.text import join_names
from rankscope.errors import InputError
from rankscope.stats.group_means import GroupMeansTest, group_means_test
from rankscope.stats.multiple_comparisons import adjust_pvalues
from rankscope.typing import Floats, Ints

__all__ = [
    "compare_groups",
]


#: At most so many comparisons of a pair in a group, as many as there are pairs of 3,000 systems.
MAX_COMPARISONS = 4_500_000


def compare_groups(
    comparisons: Sequence[MeasureComparison], queries: Queries, settings: ComparisonSettings, workers: int | None = None
) -> list[MeasureComparison]:
    """The comparisons with those on the queries of each group, if there are several groups.

    Parameters
    ----------
    comparisons
        The comparison on all queries by each measure.
    queries
        The queries, with their groups.
    settings
        How systems are compared.
    workers
        Processes that share the tests.

    Raises
    ------
    InputError
        There are too many pairs and groups.
    """
    if queries.group is None:
        return list(comparisons)
    if len(queries.groups) == 1:
        note = f"all queries are in one group ({queries.groups[0]}): there are no groups to compare"
        return [replace(comparison, notes=(*comparison.notes, note)) for comparison in comparisons]
    n_pairs = comparisons[0].first.size
    if n_pairs * len(queries.groups) > MAX_COMPARISONS:
        raise InputError(
            f"{n_pairs:,} pairs in {len(queries.groups):,} groups, expected at most {MAX_COMPARISONS:,} in all; name a "
            "baseline, compare fewer systems, or make fewer groups"
        )
    values_by_group = [split_by_group(comparison.measure_values, queries) for comparison in comparisons]
    results = [
        {name: run_group_tests(values, comparison, settings, workers) for name, values in groups.items()}
        for comparison, groups in zip(comparisons, values_by_group, strict=True)
    ]
    corrected = correct_groups(results, settings)
    interactions = find_interactions(comparisons, queries, settings)
    return [
        with_groups(comparison, values, own, pvalues, interaction, settings)
        for comparison, values, own, pvalues, interaction in zip(
            comparisons, values_by_group, results, corrected, interactions, strict=True
        )
    ]


def run_group_tests(
    values: MeasureValues, comparison: MeasureComparison, settings: ComparisonSettings, workers: int | None
) -> PairTestResults:
    """The results of all pairs on the queries of a group; without tests and intervals if it is one query or cluster."""
    first, second = comparison.first, comparison.second
    if not settings.method.has_intervals:  # all groups have the same kind
        settings = replace(settings, interval=settings.interval_of(comparison.measure_values))
    if values.n_clusters > 1:
        return withhold(run_tests(PairTestJob([values], first, second, settings), workers)[0], comparison.withheld)
    # Such a test takes a single query, and its difference is all that is of use.
    single = replace(settings, test="t", interval="t", correction="none", alternative="two-sided")
    result = withhold(run_tests(PairTestJob([values], first, second, single), 1)[0], np.ones(first.size, np.bool_))
    missing = np.full(first.size, np.nan)
    return replace(
        result,
        pvalue_corrected=missing if settings.tests_all_systems else None,
        posterior=np.full((3, first.size), np.nan) if settings.is_bayesian else None,
        notes=(),
    )


def correct_groups(
    results: Sequence[Mapping[str, PairTestResults]], settings: ComparisonSettings
) -> list[dict[str, Floats]]:
    """The p-values of each measure and group, corrected for the pairs and groups (and measures) of their family.

    A test of all systems at once corrects for the pairs of a group, and Bonferroni's correction for the groups.
    """
    if settings.tests_all_systems:
        return [
            {
                name: np.minimum(len(groups) * own.pvalue_corrected, 1.0)
                for name, own in groups.items()
                if own.pvalue_corrected is not None
            }
            for groups in results
        ]
    pvalues = [np.array([own.pvalue for own in groups.values()]) for groups in results]
    return [
        dict(zip(groups, corrected, strict=True))
        for groups, corrected in zip(results, correct_families(pvalues, settings), strict=True)
    ]


def correct_families(pvalues: Sequence[Floats], settings: ComparisonSettings) -> list[Floats]:
    """The p-values of each measure, corrected together with those of the others if the family is all."""
    if settings.family != "all":
        return [adjust_pvalues(own, method=settings.correction).pvalue for own in pvalues]
    together = np.concatenate([own.ravel() for own in pvalues])
    ends = np.cumsum([own.size for own in pvalues])[:-1]
    parts = np.split(adjust_pvalues(together, method=settings.correction).pvalue, ends)
    return [part.reshape(own.shape) for part, own in zip(parts, pvalues, strict=True)]


def find_interactions(
    comparisons: Sequence[MeasureComparison], queries: Queries, settings: ComparisonSettings
) -> list[Interaction | None]:
    """Whether the differences of each pair vary with the group, by each measure; None for Bayesian tests."""
    if settings.is_bayesian:
        return [None] * len(comparisons)
    tests = [
        interaction_test(comparison, queries.group_codes[comparison.measure_values.queries])
        for comparison in comparisons
    ]
    if settings.tests_all_systems:  # which has no correction of its own for these
        settings = ComparisonSettings()
    corrected = correct_families([test.pvalue for test in tests], settings)
    return [Interaction(test=test, pvalue_corrected=pvalues) for test, pvalues in zip(tests, corrected, strict=True)]


def interaction_test(comparison: MeasureComparison, groups: Ints) -> GroupMeansTest:
    """The test of each pair, of whom queries without a group are no part. groups: (n) the group of each query."""
    has_group = groups >= 0
    values = comparison.measure_values.select(has_group)
    tests = [
        group_means_test(
            values.differences(comparison.first[pairs], comparison.second[pairs]), groups[has_group], **values.sample
        )
        for pairs in pair_slices(comparison.first.size, values.n)
    ]
    fields: dict[str, Any] = {
        name: np.where(comparison.withheld, np.nan, np.concatenate([getattr(test, name) for test in tests]))
        for name in ("statistic", "pvalue", "df_error")
    }
    return replace(tests[0], **fields)


def with_groups(
    comparison: MeasureComparison,
    values: Mapping[str, MeasureValues],
    results: Mapping[str, PairTestResults],
    corrected: Mapping[str, Floats],
    interaction: Interaction | None,
    settings: ComparisonSettings,
) -> MeasureComparison:
    """The comparison with those of groups, and notes on them."""
    groups = {
        name: replace(
            comparison,
            measure_values=values[name],
            means=values[name].means,
            test_results=results[name],
            pvalue_corrected=corrected[name],
            decisions=decide_pairs(results[name], corrected[name], comparison.measure_values.sign, settings),
            notes=(),
        )
        for name in values
    }
    grouped = replace(comparison, groups=groups, interaction=interaction)
    return replace(
        grouped, notes=(*comparison.notes, *(f"{comparison.measure}: {note}" for note in group_notes(grouped)))
    )


def group_notes(comparison: MeasureComparison) -> list[str]:
    """Groups that are too small for a test, and how many pairs have another sign in one of the others."""
    notes = []
    single = [name for name, part in comparison.groups.items() if part.measure_values.n_clusters < 2]
    if single:
        unit = "query" if comparison.measure_values.clusters is None else "cluster"
        notes.append(f"one {unit} only in {join_names(single)}: its difference has no test and no interval")
    turns = [turned for name, turned in comparison.turns.items() if name not in single]
    n_turned = np.array(turns).reshape(len(turns), comparison.first.size).sum(axis=0)
    if n_turned.size > 1 and n_turned.any():  # of a single pair, the section on groups says it
        note = f"{(n_turned > 0).sum():,} of {n_turned.size:,} pairs have another sign in a group than on all queries"
        n_paradoxes = int((n_turned > len(turns) / 2).sum())
        notes.append(f"{note}, {n_paradoxes:,} in most groups (Simpson's paradox)" if n_paradoxes else note)
    return notes
