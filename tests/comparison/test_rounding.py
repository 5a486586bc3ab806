"""Who is ahead, apart or worse hangs on no last bit: systems and queries in another order, values of another scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.score_tables import BAYESIAN, OF_ALL, OF_ANY_VALUES, RESAMPLED, score_table

import rankscope as rs
from rankscope.comparison.gate.decision import PASS, Criterion, decide
from rankscope.stats import find_clusters, friedman_test, wilcoxon_test

FACTORS = (0.1, 3.0, 1 / 7, 1e5 / 3)
#: Those that draw nothing, or the same whatever the order of the queries.
FIXED = [test for test in OF_ANY_VALUES if test not in (*RESAMPLED, *BAYESIAN)]


def tied_systems(seed: int, m: int = 6, n: int = 23) -> np.ndarray:
    """(systems, queries) in tenths; the last ones have the values of the first on other queries, so the same mean."""
    rng = np.random.default_rng(seed)
    table = np.round(rng.integers(0, 11, (m, n)) * 0.1, 1)
    table[-1], table[-2] = rng.permutation(table[0]), rng.permutation(table[0])
    return table


def said(values: np.ndarray, names: tuple[str, ...], **options: Any) -> dict[str, Any]:
    """What compare says of systems by their names: ranks of the means, places left, who beats whom, letters."""
    part = rs.compare(score_table(values, systems=names), rng=1, n_resamples=500, **options).comparisons[0]
    means = {part.systems[s]: part.means[s] for s in part.order.tolist()}
    groups: list[set[str]] = []
    for i, name in enumerate(means):
        before = list(means)[i - 1]
        if i and abs(means[name] - means[before]) < 1e-9 * abs(part.means).max():
            groups[-1].add(name)
        else:
            groups.append({name})
    found: dict[str, Any] = {"order": groups, "beats": set()}
    for i, j, which in zip(part.first.tolist(), part.second.tolist(), part.decisions.tolist(), strict=True):
        if which:
            found["beats"].add((part.systems[i], part.systems[j])[:: int(which)])
    effects = part.test_results.effects
    counts = zip(part.first.tolist(), part.second.tolist(), effects.wins.tolist(), effects.losses.tolist(), strict=True)
    found["counts"] = {frozenset(((part.systems[i], won), (part.systems[j], lost))) for i, j, won, lost in counts}
    found["p"] = {
        frozenset((part.systems[i], part.systems[j])): p
        for i, j, p in zip(part.first.tolist(), part.second.tolist(), part.pvalue_corrected.tolist(), strict=True)
    }
    if part.clusters is not None:
        low, high = part.clusters.rank_low, part.clusters.rank_high
        found["ranks"] = {name: (int(low[i]), int(high[i])) for i, name in enumerate(part.systems)}
    return found


@pytest.mark.parametrize("test", FIXED)
@pytest.mark.parametrize("seed", range(4))
def test_order_and_scale_change_nothing_that_compare_decides(test: str, seed: int) -> None:
    values = tied_systems(seed)
    names = tuple("ABCDEF")
    expected = said(values, names, test=test)
    pvalues = expected.pop("p")
    rng = np.random.default_rng(seed)
    for factor in FACTORS:
        order, queries = rng.permutation(6), rng.permutation(values.shape[1])
        drawn = test in ("permutation", "tukey-randomised")  # the same only for the same queries
        other = factor * (values[order] if drawn else values[order][:, queries])
        found = said(other, tuple(names[i] for i in order), test=test)
        assert found.pop("p") == pytest.approx(pvalues, rel=1e-9, abs=1e-9, nan_ok=True)
        assert found == expected


@pytest.mark.parametrize("test", [test for test in RESAMPLED if test not in OF_ALL])
def test_scale_changes_no_p_value_that_is_counted(test: str) -> None:
    values = tied_systems(5)
    one = rs.compare(score_table(values), test=test, rng=3, n_resamples=500).comparisons[0]
    for factor in FACTORS:
        other = rs.compare(score_table(factor * values), test=test, rng=3, n_resamples=500).comparisons[0]
        assert np.array_equal(other.pvalue, one.pvalue, equal_nan=True)
        assert other.order.tolist() == one.order.tolist()


def test_values_that_only_rounding_parts_are_no_wins() -> None:
    values = np.array([[0.1 + 0.2, 0.7, 0.5], [0.3, 0.1 * 7, 0.5]])
    part = rs.compare(score_table(values)).comparisons[0]
    assert (part.test_results.effects.wins.tolist(), part.test_results.effects.ties.tolist()) == ([0], [3])
    assert part.equal.tolist() == [True]
    assert part.difference.tolist() == [0.0]


def test_p_values_at_the_level_are_significant_however_they_are_rounded() -> None:
    """Five tests of .01 are .05 together, by .01 * 5 as by .1 / 2."""
    for p in (0.05, np.nextafter(0.05, 1), np.nextafter(0.05, 0)):
        assert find_clusters([0.5, 0.3], [p]).groups == ((0,), (1,))
    assert find_clusters([0.5, 0.3], [0.0500001]).groups == ((0, 1),)


def test_equal_means_have_one_rank_in_clusters() -> None:
    for first, second in ((0.1 + 0.2, 0.3), (0.3, 0.1 + 0.2)):
        found = find_clusters([first, second, 0.1], [0.01, 0.01, 0.01])
        assert found.order == (0, 1, 2)
        assert found.rank_low.tolist() == [1, 1, 3]


@pytest.mark.parametrize("factor", FACTORS)
def test_ranks_of_sizes_and_of_systems_are_those_of_decimals(factor: float) -> None:
    whole = np.array([3, -3, 1, 2, -1, 4, 0, 2, -5, 7])
    expected = wilcoxon_test(whole.astype(np.float64))
    for base in (0.0, 0.1, 0.7):
        other = wilcoxon_test(factor * ((base + 0.1 * whole) - base))  # 0 is 0, and 1 and -1 are of one size
        assert other.statistic == expected.statistic
        assert other.pvalue == expected.pvalue
    table = np.random.default_rng(1).integers(0, 5, (4, 12))
    ranks = friedman_test(table.astype(np.float64)).mean_ranks.tolist()
    assert friedman_test(factor * (0.1 * table + 0.2 - 0.1)).mean_ranks.tolist() == ranks


@pytest.mark.parametrize("differences", [[-0.3 + 0.2] * 7, [0.7 - 0.8] * 7, [-0.1] * 7])
def test_a_constant_loss_of_the_margin_passes(differences: list[float]) -> None:
    for factor in FACTORS:
        criterion = Criterion(margin=factor * 0.1)
        assert decide(factor * np.array(differences), criterion).verdict == PASS


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
def test_the_scale_of_values_decides_no_gate(test: str) -> None:
    rng = np.random.default_rng(8)
    for _ in range(10):
        differences = np.round(0.1 * rng.integers(-4, 6, 12), 1)
        seen = []
        for factor in (1.0, *FACTORS):
            criterion = Criterion(margin=factor * 0.1, test=test, n_resamples=200, seed=1)
            found = decide(factor * differences, criterion)
            seen.append((found.verdict, round(found.pvalue_noninferior, 9), round(found.pvalue_worse, 9)))
        assert len(set(seen)) == 1
