"""What comparisons promise in numbers, on differences of every shape: each row of a table is an experiment.

`docs/promises.md` has the numbers that these tests write (`pytest -rP`).
"""

from __future__ import annotations

import numpy as np
import pytest
from helpers.score_tables import score_table
from helpers.shapes import EASY, SHAPES, equal_differences
from helpers.simulated_rates import show
from scipy import stats

import rankscope as rs
from rankscope.comparison.compare.systems import UNLIKE, are_too_skewed, unseen_share
from rankscope.stats import (
    adjust_pvalues,
    bootstrap_interval,
    bootstrap_test,
    effect_sizes,
    randomisation_test,
    sign_test,
    t_interval,
    t_test,
    tukey_hsd,
    two_way_anova,
)
from rankscope.stats.confusion import share_interval

pytestmark = pytest.mark.slow

RUNS = 10_000
FEW, MANY = (8, 12), (25, 50, 200)


def error(level, runs=RUNS):
    """Three and a half standard errors of a rate."""
    return 3.5 * np.sqrt(level * (1 - level) / runs)


def claims(test, d, **options):
    return np.asarray(test(d, **options).pvalue <= 0.05)


def is_noted(d):
    """(rows) whether a note says that differences are too skewed."""
    centred = d - d.mean(axis=1, keepdims=True)
    variance = (centred**2).mean(axis=1)
    varies = variance > 1e-20
    skews = np.where(varies, (centred**3).mean(axis=1) / np.where(varies, variance, 1.0) ** 1.5, 0.0)
    return are_too_skewed(skews, d.shape[1])


def holds(interval, truth=0.0):
    return (interval.low <= truth) & (interval.high >= truth)


# Of two equal systems, at most about 5 of 100 tests claim a difference; 95 of 100 intervals hold the true one


@pytest.mark.parametrize("n", [*FEW, *MANY])
@pytest.mark.parametrize("shape", EASY)
def test_t_keeps_its_level_with_few_queries_ties_zeros_and_unequal_spreads(shape, n):
    d = equal_differences(shape, RUNS, n)
    rates = {side: float(claims(t_test, d, alternative=side).mean()) for side in ("two-sided", "greater", "less")}
    held = float(holds(t_interval(d)).mean())
    show(f"t, {shape}, {n} queries", f"{rates}, interval {held:.4f}")
    assert max(rates.values()) <= 0.05 + error(0.05)
    assert held >= 0.95 - error(0.05)


@pytest.mark.parametrize("n", MANY)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_t_claims_without_a_note_keeps_the_level(shape, n):
    """Skewed differences make up to 12 of 100 false claims; all but 5 have the note that names the bootstrap."""
    d = equal_differences(shape, RUNS, n)
    wrong, noted = claims(t_test, d), is_noted(d)
    show(f"t, {shape}, {n} queries", f"{wrong.mean():.4f}, of these without a note {(wrong & ~noted).mean():.4f}")
    assert (wrong & ~noted).mean() <= 0.05 + error(0.05)


@pytest.mark.parametrize("n", [*FEW, *MANY])
def test_normal_differences_are_seldom_called_skewed(n):
    assert is_noted(equal_differences("normal", RUNS, n)).mean() <= 0.05


@pytest.mark.parametrize("n", [*FEW, 25, 50])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_bootstrap_that_the_note_names_errs_less_than_t(shape, n):
    runs = 3000
    d = equal_differences(shape, runs, n)
    rate, of_t = float(claims(bootstrap_test, d, n_resamples=499, rng=1).mean()), float(claims(t_test, d).mean())
    show(f"bootstrap, {shape}, {n} queries", f"{rate:.4f}, t {of_t:.4f}")
    assert rate <= max(0.05 + error(0.05, runs), of_t - 0.005)
    assert rate <= 0.12


@pytest.mark.parametrize("n", [*FEW, 25, 50])
@pytest.mark.parametrize("shape", EASY)
def test_sign_flips_keep_their_level_where_differences_are_symmetric(shape, n):
    runs = 3000
    assert claims(randomisation_test, equal_differences(shape, runs, n), n_resamples=499, rng=1).mean() <= (
        0.055 + error(0.05, runs)
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [8, 16, 24])
def test_few_queries_make_bootstrap_intervals_as_narrow_as_their_note_says(shape, n):
    held = coverage_of_bca(shape, n)
    show(f"bca, {shape}, {n} queries", f"{held:.4f}")
    assert held >= 0.80 - error(0.2, 1500)


@pytest.mark.parametrize("shape", ["ties", "zeros"])
@pytest.mark.parametrize("n", [25, 50, 100])
def test_ties_make_bootstrap_intervals_as_narrow_as_their_note_says(shape, n):
    held = coverage_of_bca(shape, n)
    show(f"bca, {shape}, {n} queries", f"{held:.4f}")
    assert 0.75 - error(0.25, 1500) <= held <= 0.95


def coverage_of_bca(shape, n):
    """How often BCa intervals hold 0, of samples that vary."""
    d = equal_differences(shape, 1500, n, seed=1)
    d = d[np.ptp(d, axis=1) > 0]
    return float(holds(bootstrap_interval(d, n_resamples=499, rng=1)).mean())


@pytest.mark.parametrize("shape", ["normal", "ties", "heteroscedastic"])
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_the_bound_of_a_one_sided_test_holds_the_truth(shape, alternative):
    """By `compare`: 1,000 systems, each with its own differences from a baseline of zeros."""
    d = equal_differences(shape, 1000, 25, seed=2)
    scores = score_table(np.vstack([np.zeros(25), d]))
    part = rs.compare(scores, baseline=scores.systems[0], alternative=alternative, correction="none")["AP"]
    held = ((part.low <= 0) & (part.high >= 0)).mean()
    assert held >= 0.95 - error(0.05, 1000)
    assert np.isinf(part.high if alternative == "greater" else part.low).all()
    assert ((part.low > 0) | (part.high < 0)).tolist() == (part.pvalue < 0.05).tolist()


def test_a_large_difference_that_is_missed_is_why_samples_must_not_miss_any():
    """+.02 with noise, and -1 on 2 of 100 queries: of 50, 36 of 100 samples miss all. Those that do not err seldom."""
    rng = np.random.default_rng(3)
    lost = rng.random((RUNS, 50)) < 0.02
    d = np.where(lost, -0.98, 0.02) + 0.02 * rng.normal(size=lost.shape)
    wrong, missed = claims(t_test, d), ~lost.any(axis=1)
    show("rare losses with noise", f"all {wrong.mean():.4f}, where one is seen {wrong[~missed].mean():.4f}")
    assert missed.mean() == pytest.approx(0.98**50, abs=0.02)
    assert wrong[missed].all()
    assert wrong[~missed].mean() <= 0.05


@pytest.mark.parametrize("n", [10, 50, 200])
def test_what_no_query_shows_is_missed_in_5_of_100_cases(n):
    """ "Up to x % of queries like these may differ otherwise (95 % confidence)"."""
    share = unseen_share(n)
    missed = np.random.default_rng(n).binomial(n, share, RUNS) == 0
    assert missed.mean() == pytest.approx(0.05, abs=error(0.05))


# Outcomes 0 and 1


@pytest.mark.parametrize("n", [20, 50, 200])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_mcnemars_test_keeps_its_level(n, share):
    """Exactly: each number of queries that only one has right, and how they are split."""
    differing = np.arange(n + 1)
    rate = 0.0
    for m, weight in zip(differing, stats.binom.pmf(differing, n, share), strict=True):
        won = np.arange(m + 1)
        p = sign_test(np.where(np.arange(n) < won[:, None], 1.0, np.where(np.arange(n) < m, -1.0, 0.0))).pvalue
        rate += weight * stats.binom.pmf(won, m, 0.5)[p <= 0.05].sum()
    assert rate <= 0.05


@pytest.mark.parametrize("n", [20, 50, 200])
def test_wilsons_interval_holds_a_share_in_about_95_of_100_cases(n):
    """Exactly, for shares from .02 to .98: at least 91 each, 95 on average."""
    counts = np.arange(n + 1)
    low, high = share_interval(counts, n)
    shares = np.linspace(0.02, 0.98, 97)[:, None]
    held = (stats.binom.pmf(counts, n, shares) * ((low <= shares) & (high >= shares))).sum(axis=1)
    show(f"Wilson, {n} queries", f"least {held.min():.4f}, mean {held.mean():.4f}")
    assert held.min() >= 0.91
    assert held.mean() == pytest.approx(0.95, abs=0.008)


@pytest.mark.parametrize("n", [10, 25, 50])
@pytest.mark.parametrize("d", [0.0, 0.3, 1.0])
def test_intervals_of_effect_sizes_hold_the_true_one_if_differences_are_normal(n, d):
    found = effect_sizes(np.random.default_rng(n).normal(d, 1, (RUNS, n)))
    assert holds(found, d).mean() == pytest.approx(0.95, abs=error(0.05))
    assert found.hedges_g.mean() == pytest.approx(d, abs=0.02)


# Many tests


def equal_systems(rng, shape, n_systems, n):
    """(systems, queries) of systems that are equal but for noise of a shape."""
    draw = SHAPES[shape]
    return rng.normal(size=n) + draw(rng, (n_systems, n))


@pytest.mark.parametrize("correction", ["holm", "hochberg", "hommel", "bonferroni", "by", "bh"])
@pytest.mark.parametrize("shape", ["normal", "zeros", "heteroscedastic"])
def test_corrections_keep_the_level_of_any_claim_among_equal_systems(correction, shape):
    """15 pairs of 6 systems. Where all are equal, a share of false claims (bh, by) is that of any claim, too."""
    rng, runs = np.random.default_rng(4), 800
    first, second = np.triu_indices(6, 1)
    x = np.stack([equal_systems(rng, shape, 6, 25) for _ in range(runs)])
    p = t_test((x[:, first] - x[:, second]).reshape(-1, 25)).pvalue.reshape(runs, -1)
    wrong = np.mean([(adjust_pvalues(row, method=correction).pvalue <= 0.05).any() for row in p])
    show(f"{correction}, {shape}", f"{wrong:.4f}")
    assert wrong <= 0.05 + error(0.05, runs)


def near_twins(rng, n):
    """Five systems with a correlation of .95 and one apart, all equal in the mean."""
    twins = np.sqrt(0.95) * rng.normal(size=n) + np.sqrt(0.05) * rng.normal(size=(5, n))
    return np.vstack([twins, rng.normal(size=n)])


@pytest.mark.parametrize("n", [20, 50])
def test_near_twins_are_told_apart_by_holm_and_the_corrected_f_as_often_as_they_say_and_tukey_has_its_note(n):
    rng, runs = np.random.default_rng(n), 1000
    first, second = np.triu_indices(6, 1)
    tables = [near_twins(rng, n) for _ in range(runs)]
    p = t_test(np.concatenate([x[first] - x[second] for x in tables])).pvalue.reshape(runs, -1)
    anovas = [two_way_anova(x) for x in tables]
    holm = np.mean([(adjust_pvalues(row).pvalue <= 0.05).any() for row in p])
    plain, corrected = (
        np.mean([getattr(anova, name) <= 0.05 for anova in anovas]) for name in ("pvalue", "pvalue_corrected")
    )
    tukey = np.mean([(tukey_hsd(x).pvalue <= 0.05).any() for x in tables[:80]])  # its p takes a tenth of a second
    noted = np.mean([anova.epsilon_unbiased < UNLIKE for anova in anovas])
    show(f"near twins, {n} queries", f"F {plain:.3f}, corrected {corrected:.3f}, Tukey {tukey:.3f}, Holm {holm:.3f}")
    assert max(holm, corrected) <= 0.05 + error(0.05, runs)
    assert plain > 0.08
    assert tukey > 0.05
    assert noted >= 0.99
    spherical = [rng.normal(size=(6, n)) + rng.normal(size=n) for _ in range(400)]
    assert np.mean([two_way_anova(x).epsilon_unbiased < UNLIKE for x in spherical]) <= 0.05


@pytest.mark.parametrize("n_systems", [2, 6])
def test_five_measures_are_one_family_where_none_is_named(n_systems):
    """Equal systems, five measures whose values correlate: any claim by any of them, corrected together and each."""
    rng, runs = np.random.default_rng(n_systems), 1000
    first, second = np.triu_indices(n_systems, 1)
    x = rng.normal(size=(runs, 1, n_systems, 25)) + 0.8 * rng.normal(size=(runs, 5, n_systems, 25))
    p = t_test((x[:, :, first] - x[:, :, second]).reshape(-1, 25)).pvalue.reshape(runs, 5, -1)
    together = np.mean([(adjust_pvalues(table).pvalue <= 0.05).any() for table in p])
    each = np.mean([any((adjust_pvalues(row).pvalue <= 0.05).any() for row in table) for table in p])
    show(f"five measures, {n_systems} systems", f"one family {together:.4f}, each for itself {each:.4f}")
    assert together <= 0.05 + error(0.05, runs)
    assert each > 0.08
    values = np.clip(0.5 + 0.1 * x[0], 0, 1).transpose(1, 0, 2)  # and this is what a comparison does
    result = rs.compare(score_table(values, ("AP", "RR", "P@10", "R@10", "nDCG@10")))
    by_pair = [comparison.pvalue for comparison in result.comparisons]
    corrected = [comparison.pvalue_corrected for comparison in result.comparisons]
    np.testing.assert_allclose(corrected, adjust_pvalues(by_pair).pvalue)


def test_possible_ranks_hold_the_true_ones_of_all_systems_at_once():
    """Two systems equal at the top, two in the middle, two below: all six true ranges in 95 of 100 comparisons."""
    rng, runs = np.random.default_rng(6), 300
    means = np.array([0.6, 0.6, 0.5, 0.5, 0.4, 0.4])
    n_better, n_worse = np.array([0, 0, 2, 2, 4, 4]), np.array([4, 4, 2, 2, 0, 0])
    held, widths = 0, []
    for _ in range(runs):
        x = means[:, None] + 0.1 * rng.normal(size=30) + 0.12 * rng.normal(size=(6, 30))
        beats = rs.compare(score_table(x))["AP"].beats
        low, high = 1 + beats.sum(axis=0), 6 - beats.sum(axis=1)
        held += bool(((low <= 1 + n_better) & (high >= 6 - n_worse)).all())
        widths.append((high - low).mean())
    show("possible ranks", f"{held / runs:.4f}, mean width {np.mean(widths):.2f}")
    assert held / runs >= 0.95 - error(0.05, runs)
    assert np.mean(widths) < 3
