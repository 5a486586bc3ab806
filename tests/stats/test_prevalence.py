"""Prevalence corrected for the errors of a judge."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.simulated_rates import show

from rankscope.errors import ParameterError
from rankscope.stats import rogan_gladen

Z = 1.959963984540054


def plain_interval(x: int, n: int, tp: int, fn: int, tn: int, fp: int) -> tuple[float, float]:
    """Lang and Reiczigel (2014), step by step."""
    share, n_share = (x + Z**2 / 2) / (n + Z**2), n + Z**2
    se, n_se = (tp + 1) / (tp + fn + 2), tp + fn + 2
    sp, n_sp = (tn + 1) / (tn + fp + 2), tn + fp + 2
    prevalence = (share + sp - 1) / (se + sp - 1)
    move = 2 * Z**2 * (prevalence * se * (1 - se) / n_se - (1 - prevalence) * sp * (1 - sp) / n_sp)
    variance = share * (1 - share) / n_share
    variance += prevalence**2 * se * (1 - se) / n_se + (1 - prevalence) ** 2 * sp * (1 - sp) / n_sp
    half = Z * math.sqrt(variance) / (se + sp - 1)
    return max(0.0, prevalence + move - half), min(1.0, prevalence + move + half)


@pytest.mark.parametrize("counts", [(40, 100, 90, 10, 80, 20), (3, 60, 28, 2, 45, 5), (59, 60, 28, 2, 45, 5)])
def test_the_share_is_that_of_rogan_and_gladen_with_the_interval_of_lang_and_reiczigel(counts: tuple[int, ...]) -> None:
    x, n, tp, fn, tn, fp = counts
    found = rogan_gladen(x, n, true_positives=tp, false_negatives=fn, true_negatives=tn, false_positives=fp)
    expected = (x / n + tn / (tn + fp) - 1) / (tp / (tp + fn) + tn / (tn + fp) - 1)
    assert float(found.value) == pytest.approx(min(1.0, max(0.0, expected)))
    assert (float(found.low), float(found.high)) == pytest.approx(plain_interval(*counts))


def test_a_perfect_judge_is_not_corrected() -> None:
    found = rogan_gladen(30, 100, true_positives=50, false_negatives=0, true_negatives=50, false_positives=0)
    assert float(found.value) == pytest.approx(0.3)
    assert float(found.apparent) == pytest.approx(0.3)


def test_a_judge_no_better_than_chance_and_no_items_have_no_share() -> None:
    useless = rogan_gladen(
        [30, 0], [100, 0], true_positives=[5, 9], false_negatives=[5, 1], true_negatives=[5, 9], false_positives=[5, 1]
    )
    assert np.isnan([useless.value, useless.low, useless.high]).all()


def test_wrong_counts_are_refused() -> None:
    rates = {"true_positives": 9, "false_negatives": 1, "true_negatives": 9, "false_positives": 1}
    with pytest.raises(ParameterError, match="below 0"):
        rogan_gladen(3, 10, **{**rates, "false_positives": -1})
    with pytest.raises(ParameterError, match="more positives"):
        rogan_gladen(11, 10, **rates)


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [0.02, 0.1, 0.5, 0.95])
@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.95, 0.7), (0.8, 0.8), (0.99, 0.99)])
@pytest.mark.parametrize(("n", "n_known"), [(50, 20), (500, 50), (1000, 300)])
def test_intervals_hold_the_true_share(
    prevalence: float, sensitivity: float, specificity: float, n: int, n_known: int
) -> None:
    rng, repeats = np.random.default_rng(1), 20_000
    x = rng.binomial(n, prevalence * sensitivity + (1 - prevalence) * (1 - specificity), repeats)
    tp, tn = (rng.binomial(n_known, share, repeats) for share in (sensitivity, specificity))
    found = rogan_gladen(
        x,
        np.full(repeats, n),
        true_positives=tp,
        false_negatives=n_known - tp,
        true_negatives=tn,
        false_positives=n_known - tn,
    )
    coverage = float(((found.low <= prevalence) & (found.high >= prevalence)).mean())
    show(f"prevalence {prevalence}, rates {sensitivity} and {specificity}, n {n}, {n_known}", coverage)
    assert coverage > 0.94
