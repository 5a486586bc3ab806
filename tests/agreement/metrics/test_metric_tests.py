"""Tests between metrics: p-values against loops over the resamples, what is refused, and what is noted."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope.agreement.metrics import ALTERNATIVES, TESTS, compare_matrices
from rankscope.agreement.metrics.metric_tests import check_has_test
from rankscope.agreement.statistics import STATISTICS, metric_values
from rankscope.errors import ParameterError
from rankscope.stats import williams_test

NAN = np.nan


def metrics_of(seed=1, shape=(6, 40), noise=(1.0, 2.0, 2.0)):
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=shape)
    return gold, np.stack([gold + scale * rng.normal(size=shape) for scale in noise])


def has(test, statistic, grouping):
    try:
        check_has_test(test, STATISTICS[statistic], grouping)
    except ParameterError:
        return False
    return True


#: Of the conventions, one that keeps its pairs and one that does not; others differ in their coefficients only.
NAMES = [name for name, statistic in STATISTICS.items() if statistic.convention is None]
NAMES += ["acc_eq", "wmt13", "wmt14"]
ALL = [
    (test, statistic, grouping)
    for test in TESTS
    for statistic in NAMES
    for grouping in STATISTICS[statistic].groupings
    if has(test, statistic, grouping)
]


@pytest.mark.parametrize(("test", "statistic", "grouping"), ALL)
def test_p_values_have_their_range_and_the_same_seed_gives_the_same(test, statistic, grouping):
    gold, metrics = metrics_of(shape=(5, 12))
    metrics[0, 1, 3] = gold[2, 5] = NAN
    options = {"test": test, "statistic": statistic, "grouping": grouping, "n_resamples": 19, "soft_resamples": 19}
    for alternative in ALTERNATIVES:
        found, again = (compare_matrices(gold, metrics, alternative=alternative, rng=7, **options) for _ in range(2))
        assert_same_bits(found.pvalue, again.pvalue)
        assert np.isnan(np.diag(found.pvalue)).all()
        off = found.pvalue[~np.eye(3, dtype=bool)]
        assert (off > 0).all()
        assert (off <= 1).all()
        if alternative == "two-sided":
            np.testing.assert_allclose(found.pvalue, found.pvalue.T)
        values = metric_values(gold, metrics, statistic=statistic, grouping=grouping, n_resamples=19, rng=7)
        np.testing.assert_allclose(found.value, values.value)


@pytest.mark.parametrize(("test", "statistic", "grouping"), ALL)
def test_a_metric_and_its_copy_are_not_told_apart(test, statistic, grouping):
    gold, metrics = metrics_of(shape=(5, 10))
    options = {"test": test, "statistic": statistic, "grouping": grouping, "n_resamples": 19, "soft_resamples": 9}
    found = compare_matrices(gold, metrics[[0, 0]], rng=1, **options)
    assert found.pvalue[0, 1] == found.pvalue[1, 0] == 1.0


def test_perm_both_counts_the_resamples_at_least_as_far():
    # One system and two segments: each of 4 swaps is as likely. Metric A orders them as people do, B the other way.
    gold, one, other = np.array([[1.0, 2.0]]), np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])
    options = {"statistic": "kendall_b", "grouping": "none", "n_resamples": 4000, "rng": 1}
    found = compare_matrices(gold, [one, other], **options)
    # z-scores -1, 1 and 1, -1: no swap gives 1 - (-1) = 2; both swapped -2; one swapped ties, and no tau: as far.
    assert found.difference[0, 1] == 2.0
    assert found.pvalue[0, 1] == pytest.approx(3 / 4, abs=4 * np.sqrt(3 / 16 / 4000))


def test_perm_both_is_a_loop_over_swapped_standardised_matrices():
    from rankscope.kernels.resample import draw
    from rankscope.kernels.swaps import swap_bits

    gold, metrics = metrics_of(shape=(4, 9), noise=(1.0, 1.2))
    found = compare_matrices(gold, metrics, statistic="spearman", grouping="none", n_resamples=60, rng=3)
    rng = np.random.default_rng(3)
    draw(rng, 1000)  # those of the soft pairwise accuracy come first
    scaled = [(metric - metric.mean()) / metric.std() for metric in metrics]
    far = 0
    for bits in np.concatenate(list(swap_bits(draw(rng, 60), gold.shape, "cells"))):
        swapped = bits.T == 1
        pair = [np.where(swapped, scaled[1], scaled[0]), np.where(swapped, scaled[0], scaled[1])]
        value = metric_values(gold, pair, statistic="spearman", grouping="none").value
        far += value[0] - value[1] >= found.difference[0, 1] - 1e-10
    assert found.pvalue[0, 1] == (1 + far) / 61


def test_a_bootstrap_counts_the_samples_in_which_the_first_is_not_better():
    # All segments are alike: every sample of segments is the same, and so is the difference.
    gold = np.repeat([[1.0], [2.0], [3.0]], 5, axis=1)
    close, far = gold, gold[[1, 0, 2]]
    found = compare_matrices(gold, [close, far], test="bootstrap", n_resamples=99, rng=1)
    assert found.pvalue[0, 1] == 1 / 100
    assert found.pvalue[1, 0] == 1.0
    both = compare_matrices(gold, [close, far], test="bootstrap", alternative="two-sided", n_resamples=99, rng=1)
    assert both.pvalue[0, 1] == 2 / 100


def test_pair_swaps_of_pairs_that_tell_metrics_apart_are_a_sign_test():
    # Three systems, one segment: A is right on all three pairs, B on none; all three signs stay in 1 of 8 swaps.
    gold = np.array([[1.0], [2.0], [3.0]])
    options = {"test": "pair_swaps", "statistic": "acc_eq", "epsilon": 0.0, "n_resamples": 4000, "rng": 1}
    found = compare_matrices(gold, [gold, -gold], **options)
    assert found.pvalue[0, 1] == pytest.approx(1 / 8, abs=4 * np.sqrt(7 / 64 / 4000))


def test_williams_is_that_of_the_three_correlations():
    gold, metrics = metrics_of(shape=(8, 30))
    found = compare_matrices(gold, metrics, test="williams", grouping="means", alternative="two-sided")
    r = np.corrcoef([gold.mean(axis=1), *metrics.mean(axis=2)])
    for i, j in product(range(3), range(3)):
        if i != j:
            expected = williams_test(r[0, i + 1], r[0, j + 1], r[i + 1, j + 1], n=8).pvalue
            assert found.pvalue[i, j] == pytest.approx(float(expected))
    assert found.n_resamples == 0


def test_all_pairs_of_many_metrics_are_those_of_two_at_a_time():
    gold, metrics = metrics_of()
    for test in ("perm_both", "boot_both", "bootstrap"):
        found = compare_matrices(gold, metrics, test=test, n_resamples=50, rng=2)
        alone = compare_matrices(gold, metrics[[0, 2]], test=test, n_resamples=50, rng=2)
        assert_same_bits(found.pvalue[0, 2], alone.pvalue[0, 1])


def test_what_is_left_out_and_what_to_know_is_noted():
    gold, metrics = metrics_of(shape=(5, 10))
    metrics[1, 0, :3] = NAN
    metrics[2] = 1.0
    found = compare_matrices(gold, metrics, n_resamples=9, rng=1)
    assert found.lost == 3
    assert mentions(found.notes[0], 3, "translations")
    assert mentions(found.notes[1], 1, 3, "metrics")
    assert np.isnan(found.pvalue[2]).all()
    kept = compare_matrices(gold, metrics[:2], statistic="acc_eq", recalibrate=False, n_resamples=9, rng=1)
    assert "too small" in kept.notes[-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "t"}, "test is 't'"),
        ({"swap": "rows"}, "swap is 'rows'"),
        ({"alternative": "less"}, "alternative is 'less'"),
        ({"test": "williams"}, "Williams' test .*correlation"),
        ({"test": "williams", "grouping": "means"}, "4 systems .*3"),
        ({"test": "pair_swaps"}, "not a mean"),
        ({"test": "pair_swaps", "statistic": "wmt13"}, "wmt13 skips pairs"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"rng": "seed"}, "rng"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    gold, metrics = metrics_of(shape=(3, 8))
    with pytest.raises(ParameterError, match=message):
        compare_matrices(gold, metrics, **options)


def test_one_metric_alone_is_refused():
    gold, metrics = metrics_of()
    with pytest.raises(ParameterError, match="two or more"):
        compare_matrices(gold, metrics[0])


# What the tests promise, in simulation

#: Test, statistic, grouping, swap, and how high the share of rejections at level .05 may be for equally good metrics.
LEVELS = [
    ("perm_both", "pearson", "segment", "cells", 0.07),
    ("perm_both", "acc_eq", "segment", "cells", 0.07),
    ("perm_both", "kendall_b", "none", "cells", 0.07),
    ("perm_both", "pearson", "means", "cells", 0.07),
    ("perm_both", "pearson", "means", "systems", 0.07),
    ("perm_both", "pearson", "segment", "segments", 0.07),
    ("williams", "pearson", "none", "cells", 0.07),
    ("bootstrap", "pearson", "segment", "cells", 0.09),
    ("boot_both", "pearson", "segment", "cells", 0.07),
]


@pytest.mark.slow
@pytest.mark.parametrize(("test", "statistic", "grouping", "swap", "most"), LEVELS)
def test_equally_good_metrics_are_told_apart_as_often_as_the_level_says(test, statistic, grouping, swap, most):
    rng = np.random.default_rng(1)
    rejected, runs = 0, 1000
    for _ in range(runs):
        gold = rng.normal(size=(6, 30))
        shared = rng.normal(size=(6, 30))
        pair = gold + shared + rng.normal(size=(2, 6, 30))
        if statistic == "acc_eq":
            gold = gold.round()
        options = {"test": test, "statistic": statistic, "grouping": grouping, "swap": swap}
        found = compare_matrices(gold, pair, n_resamples=99, rng=rng, **options)
        rejected += found.pvalue[0, 1] <= 0.05
    assert rejected / runs <= most  # three standard errors above .05 are .07
    if test != "boot_both":  # which widens, as systems and segments both vary
        assert rejected / runs >= 0.03


@pytest.mark.slow
def test_metrics_that_lean_to_systems_are_told_apart_as_often_as_the_level_says():
    rng = np.random.default_rng(12)
    rejected = {"usual": 0, "cells": 0}
    runs = 600
    for _ in range(runs):
        good = rng.normal(size=(10, 60)) + 0.5 * rng.normal(size=(10, 1))
        gold = np.rint(2 * (good + 0.5 * rng.normal(size=good.shape)))
        # each metric likes some systems more than they deserve, in all of their translations
        pair = good + rng.normal(size=(2, 10, 60)) + 0.3 * rng.normal(size=(2, 10, 1))
        for name, swap in (("usual", None), ("cells", "cells")):
            how = {"grouping": "means", "alternative": "two-sided", "n_resamples": 99, "swap": swap, "rng": rng}
            rejected[name] += compare_matrices(gold, pair, **how).pvalue[0, 1] <= 0.05
    assert rejected["usual"] / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    assert rejected["cells"] / runs > 0.2  # why cells are not what is swapped of means


def test_systems_swap_as_one_where_means_are_compared_and_cells_come_with_a_note():
    gold, metrics = metrics_of(shape=(7, 12))
    usual, cells = (
        compare_matrices(gold, metrics, grouping="means", swap=s, n_resamples=9, rng=1) for s in (None, "cells")
    )
    assert (usual.swap, cells.swap) == ("systems", "cells")
    assert compare_matrices(gold, metrics, n_resamples=9, rng=1).swap == "cells"
    assert not usual.notes
    assert mentions(cells.notes[0], "these systems only")
    drawn = compare_matrices(gold, metrics, grouping="means", test="bootstrap", n_resamples=9, rng=1)
    assert "these systems only" in drawn.notes[0]
    few = compare_matrices(gold[:4], metrics[:, :4], grouping="means", alternative="two-sided", n_resamples=9, rng=1)
    assert mentions(few.notes[0], 4, 16, 0.12)  # 2 / 16


@pytest.mark.slow
@pytest.mark.parametrize(("test", "statistic", "grouping"), [case[:3] for case in LEVELS if case[2] != "means"])
def test_a_clear_difference_is_found(test, statistic, grouping):
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(50):
        gold = rng.normal(size=(6, 60))
        pair = gold + np.array([0.7, 1.4])[:, None, None] * rng.normal(size=(2, 6, 60))
        gold = gold.round() if statistic == "acc_eq" else gold
        options = {"test": test, "statistic": statistic, "grouping": grouping, "n_resamples": 99, "rng": rng}
        found += compare_matrices(gold, pair, **options).pvalue[0, 1] <= 0.05
    assert found >= 45
