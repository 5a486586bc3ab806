"""What tests and intervals with clusters promise, in designs whose truth is known: each row is an experiment."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.clustered_queries import DESIGNS, UNEQUAL, clustered_values, codes_of
from helpers.simulated_rates import show

from rankscope.stats import (
    bootstrap_interval,
    bootstrap_test,
    intraclass_correlation,
    randomisation_test,
    t_interval,
    t_test,
)

pytestmark = pytest.mark.slow

#: Experiments of a design, a block of which shares its signs and resamples.
RUNS, BLOCK = 20_000, 500
#: The standard error of a rate of 5 % in so many experiments.
ERROR = np.sqrt(0.05 * 0.95 / RUNS)
ALL = DESIGNS | {"unequal": UNEQUAL}
TRUTH = 0.3


def false_claims(test, sizes, correlation, **options):
    """How often a test finds a difference that is not there."""
    rng = np.random.default_rng(1)
    codes = codes_of(sizes)
    n = 0
    for seed in range(RUNS // BLOCK):
        d = clustered_values(rng, codes, correlation, BLOCK)
        drawn = {} if test is t_test else {"n_resamples": 999, "rng": seed}
        clusters = codes if options.get("clustered", True) else None
        n += int((test(d, clusters=clusters, **drawn).pvalue <= 0.05).sum())
    return n / RUNS


@pytest.mark.parametrize("correlation", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("design", DESIGNS)
def test_t_and_sign_flips_keep_their_level(design, correlation):
    rates = {test.__name__: false_claims(test, DESIGNS[design], correlation) for test in (t_test, randomisation_test)}
    show("type I", f"{rates}, standard error {ERROR:.4f}")
    # Blocks share their signs, which makes experiments a little dependent: three errors and a half of one more.
    assert abs(rates["t_test"] - 0.05) <= 3.5 * ERROR, rates
    # 2^8 vectors of signs: p is a multiple of 1/128, and at most .05 in 6 of 128 cases.
    level = 6 / 128 if design == "8 of 6" else 0.05
    assert abs(rates["randomisation_test"] - level) <= 5 * ERROR, rates
    assert all(0.04 <= rate <= 0.06 for rate in rates.values()), rates


def test_unequal_clusters_keep_their_level():
    """One of 30 queries and 19 of 1 to 5, correlation .3: 36 of 100 by query, 11 by the usual robust error (CR1)."""
    rates = {test.__name__: false_claims(test, UNEQUAL, 0.3) for test in (t_test, randomisation_test)}
    show("type I", f"{rates}, standard error {ERROR:.4f}")
    assert 0.04 - 3 * ERROR <= rates["t_test"] <= 0.06, rates
    assert 0.04 <= rates["randomisation_test"] <= 0.06, rates
    assert false_claims(t_test, UNEQUAL, 0.3, clustered=False) > 0.3


def test_by_query_the_t_test_errs_as_often_as_the_design_effect_says():
    """20 clusters of 5, correlation .5: 26 of 100. The t of independent queries is too large by sqrt(1 + 4 x .5)."""
    rate = false_claims(t_test, DESIGNS["20 of 5"], 0.5, clustered=False)
    show("type I", f"{rate:.4f}, standard error {np.sqrt(rate * (1 - rate) / RUNS):.4f}")
    assert rate == pytest.approx(0.266, abs=0.012)


def test_the_bootstrap_keeps_its_level_with_many_clusters():
    for design in ("50 of 2", "25 of 4"):
        rate = false_claims(bootstrap_test, DESIGNS[design], 0.3)
        assert 0.04 <= rate <= 0.06, (design, rate)


@pytest.mark.parametrize("correlation", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("design", ALL)
def test_intervals_cover_the_truth(design, correlation):
    codes = codes_of(ALL[design])
    values = TRUTH + clustered_values(np.random.default_rng(2), codes, correlation, RUNS)
    found = t_interval(values, clusters=codes)
    covered = float(((found.low <= TRUTH) & (found.high >= TRUTH)).mean())
    show("coverage", f"{covered:.4f}, standard error {ERROR:.4f}")
    # Unequal clusters have the quantile of fewer degrees of freedom: up to two of 100 more.
    assert 0.95 - 3.5 * ERROR <= covered <= 0.95 + 3.5 * ERROR + 0.015 * (design == "unequal"), covered
    assert 0.94 <= covered <= 0.96 + 0.005 * (design == "unequal"), covered


def test_bca_intervals_over_many_clusters_cover_the_truth():
    codes = codes_of([4] * 60)
    held = n = 0
    rng = np.random.default_rng(3)
    for seed in range(20):
        values = TRUTH + clustered_values(rng, codes, 0.3, 100)
        found = bootstrap_interval(values, n_resamples=999, rng=seed, clusters=codes)
        held, n = held + int(((found.low <= TRUTH) & (found.high >= TRUTH)).sum()), n + 100
    assert held / n == pytest.approx(0.945, abs=3.5 * np.sqrt(0.95 * 0.05 / n))


def test_weights_that_go_with_the_spread_of_differences_keep_the_level():
    """Frequent queries vary half as much: with weights the level is kept, whether or not queries have clusters."""
    rng = np.random.default_rng(4)
    weights = rng.integers(1, 10, 100).astype(float)
    spread = np.where(weights > 5, 0.5, 1.0)
    rates = []
    for codes in (np.arange(100), codes_of(DESIGNS["20 of 5"])):
        d = spread * clustered_values(rng, codes, 0.3 if codes.max() < 99 else 0.0, RUNS)
        clusters = codes if codes.max() < 99 else None
        rates.append(float((t_test(d, clusters=clusters, weights=weights).pvalue <= 0.05).mean()))
    show("type I", f"{rates}, standard error {ERROR:.4f}")
    assert all(0.04 <= rate <= 0.06 for rate in rates), rates


def test_the_correlation_within_clusters_is_estimated_without_bias():
    for sizes in (DESIGNS["20 of 5"], UNEQUAL):
        codes = codes_of(sizes)
        for correlation in (0.0, 0.3, 0.5):
            found = intraclass_correlation(clustered_values(np.random.default_rng(5), codes, correlation, 5000), codes)
            # The ratio of two unbiased mean squares: nearly so, the less the fewer clusters.
            assert float(found.mean()) == pytest.approx(correlation, abs=0.03)
