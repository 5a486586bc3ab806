"""How far metrics agree with people hangs on no last bit: systems in another order, scores of another scale."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.agreement.metrics import cluster_ranks, compare_matrices
from rankscope.agreement.statistics import STATISTICS, metric_values, system_statistic
from rankscope.agreement.statistics import SYSTEM_STATISTICS as OF_SYSTEMS

FACTORS = (0.1, 3.0, 1 / 7, 1e5 / 3)


def tied_scores(seed: int, systems: int = 6, segments: int = 9) -> tuple[np.ndarray, np.ndarray]:
    """People and three metrics in tenths; the last system has the first one's scores on other segments."""
    rng = np.random.default_rng(seed)
    table = np.round(0.1 * rng.integers(0, 6, (4, systems, segments)), 1)
    for one in table:
        one[-1] = rng.permutation(one[0])
    return table[0], table[1:]


def ways() -> list[tuple[str, str]]:
    names = [name for name, statistic in STATISTICS.items() if statistic.convention is None]
    return [(name, grouping) for name in (*names, "acc_eq", "tau23") for grouping in STATISTICS[name].groupings]


@pytest.mark.parametrize(("statistic", "grouping"), ways())
def test_order_and_scale_change_no_value_of_a_metric(statistic: str, grouping: str) -> None:
    for seed in range(5):
        gold, metrics = tied_scores(seed)
        rng = np.random.default_rng(seed)
        expected = metric_values(gold, metrics, statistic=statistic, grouping=grouping, rng=1)
        for factor in FACTORS:
            order = rng.permutation(len(gold))
            columns = np.arange(gold.shape[1])
            if statistic == "soft_pairwise_accuracy":  # of p-values of the first system of a pair against the second,
                order = np.arange(len(gold))  # and of signs drawn for segments
            else:
                columns = rng.permutation(columns)
            other = metric_values(
                gold[order][:, columns] / factor,
                factor * metrics[:, order][:, :, columns],
                statistic=statistic,
                grouping=grouping,
                rng=1,
            )
            assert other.value == pytest.approx(expected.value, rel=1e-9, abs=1e-9, nan_ok=True)
            assert (other.n == expected.n).all()
            assert other.epsilon == pytest.approx(factor * expected.epsilon, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("statistic", [name for name in OF_SYSTEMS if name != "soft_pairwise_accuracy"])
def test_means_of_systems_summed_in_another_order_agree_as_much(statistic: str) -> None:
    rng = np.random.default_rng(3)
    gold, metrics = tied_scores(3, segments=31)
    expected = system_statistic(gold.mean(axis=1)[None], metrics[0].mean(axis=1)[None], statistic)
    for factor in FACTORS:
        for _ in range(5):
            sides = [(side[:, rng.permutation(31)] * factor).mean(axis=1)[None] for side in (gold, metrics[0])]
            assert system_statistic(*sides, statistic) == pytest.approx(expected, rel=1e-9)


def ways_of_tests() -> list[tuple[str, str, str]]:
    return [
        (test, statistic, grouping)
        for test in ("perm_both", "boot_both", "pair_swaps")
        for statistic, grouping in ways()
        if test != "pair_swaps" or STATISTICS[statistic].counts_fixed_pairs
    ]


@pytest.mark.parametrize(("test", "statistic", "grouping"), ways_of_tests())
def test_scale_changes_no_p_value_and_no_rank(test: str, statistic: str, grouping: str) -> None:
    gold, metrics = tied_scores(7)
    options = {"test": test, "statistic": statistic, "grouping": grouping, "n_resamples": 60, "rng": 1}
    expected = compare_matrices(gold, metrics, **options)
    for factor in FACTORS:
        other = compare_matrices(gold / factor, factor * metrics, **options)
        assert np.array_equal(other.pvalue, expected.pvalue, equal_nan=True)


def test_p_values_at_the_level_begin_a_new_rank_however_they_are_rounded() -> None:
    for p in (0.05, np.nextafter(0.05, 1)):
        table = np.array([[np.nan, p], [p, np.nan]])
        assert cluster_ranks([0, 1], table, 0.05).tolist() == [1, 2]
