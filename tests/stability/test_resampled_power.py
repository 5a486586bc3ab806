"""The discriminative power of measures in resamples of the queries: a plain loop, and what the verdict says of it."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.study_data import made
from scipy import stats

import rankscope as rs
from rankscope.stability.conditions import Condition
from rankscope.stability.resampled_power import MAX_PAIRS, RESAMPLES, leads_of, resampled_power
from rankscope.stability.sampling import stream
from rankscope.stability.view import verdict

CONDITION = Condition(2, 3, 30)
CLUSTERS = np.repeat(np.arange(10), [1, 2, 3, 4, 5, 5, 4, 3, 2, 1])


def by_loop(values, size, alpha, clusters):
    """The mean power of the pairs of one measure in each resample, as sums over drawn units. values: (systems, n)."""
    sums = np.stack([values[:, clusters == c].sum(axis=1) for c in range(clusters.max() + 1)], axis=1)
    weights = np.bincount(clusters)
    n = weights.size
    drawn = stream(5, CONDITION, 0, 4).integers(0, n, size=(RESAMPLES, n))
    critical = stats.t.ppf(1 - alpha / 2, size - 1)
    rates = []
    for units in drawn:
        powers = []
        for a in range(len(values)):
            for b in range(a + 1, len(values)):
                d, w = (sums[a] - sums[b])[units], weights[units]
                mean = d.sum() / w.sum()
                deviation = np.sqrt(((d - mean * w) ** 2).sum() / (n - 1)) * n / w.sum()
                t = abs(mean) / deviation * np.sqrt(size)
                powers.append(stats.norm.cdf(t - critical) + stats.norm.cdf(-t - critical))
        rates.append(100 * np.mean(powers))
    return rates


@pytest.mark.parametrize("clusters", [None, CLUSTERS], ids=["queries", "clusters"])
def test_power_is_that_of_each_resample(clusters):
    values = np.random.default_rng(1).normal(size=(3, 30)) + np.array([[0.0], [0.4], [0.9]])
    found = resampled_power(values[None], 8, (0.05, 0.01), 5, CONDITION, clusters)
    assert found.shape == (1, 2, RESAMPLES)
    for k, alpha in enumerate((0.05, 0.01)):
        expected = by_loop(values, 8, alpha, np.arange(30) if clusters is None else clusters)
        np.testing.assert_allclose(found[0, k], expected, rtol=1e-9)


def test_equal_systems_have_no_power_and_constant_differences_all():
    row = np.random.default_rng(1).random(12)
    found = resampled_power(np.array([[row, row], [row, row + 1]]), 6, (0.05,), 5, CONDITION)
    assert (found[0] == 0).all()
    assert (found[1] == 100).all()


def test_few_queries_have_none_and_many_pairs_are_sampled():
    assert np.isnan(resampled_power(np.zeros((1, 2, 9)), 1, (0.05,), 5, CONDITION)).all()
    assert np.isnan(resampled_power(np.full((1, 2, 9), np.nan), 4, (0.05,), 5, CONDITION)).all()
    values = np.random.default_rng(1).normal(size=(40, 20))  # 780 pairs
    assert MAX_PAIRS < 780
    assert np.isfinite(resampled_power(values[None], 10, (0.05,), 5, CONDITION)).all()


def test_level_measures_share_the_lead():
    rates = np.array([[50.0, 60.0, 10.0, 20.0], [50.01, 20.0, 10.0, 20.0], [0.0, 0.0, 10.0, 30.0]])
    np.testing.assert_allclose(leads_of(rates), [(0.5 + 1 + 1 / 3) / 4, (0.5 + 1 / 3) / 4, (1 / 3 + 1) / 4])


def test_the_verdict_says_what_other_queries_would_put_first():
    rng = np.random.default_rng(1)
    base = rng.normal(size=(3, 40)) + np.array([[0.0], [0.5], [1.0]])
    values = np.stack([base, base + 0.5 * rng.normal(size=(3, 40)), 5 * rng.normal(size=(3, 40))], axis=1)
    study = rs.stability.study(made(values, ["AP", "RR", "P@10"]), iterations=9, n_resamples=99, rng=3, error_tie=False)
    leads = leads_of(study.outcomes[0].resampled[:, 1])
    assert leads.sum() == pytest.approx(1)
    text = verdict(study)
    best, second = ("AP", "RR") if leads[0] > leads[1] else ("RR", "AP")
    assert mentions(text, f"{best} comes first in {100 * max(leads[:2]):.0f} %", "resamples of these queries")
    assert f"{second} in {100 * min(leads[:2]):.0f} %" in text
    assert "P@10 in" not in text
