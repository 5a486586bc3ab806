"""What a unit of work finds, and how units become an outcome: against plain loops and SciPy."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.study_data import made, normal_values, ranks_table
from scipy import stats

import rankscope as rs
from rankscope.kernels.resample import count_draws
from rankscope.stability.conditions import Condition
from rankscope.stability.discriminative_power import significance_levels
from rankscope.stability.outcome import (
    complete_groups,
    correlations,
    displayed_means,
    measure_unit,
    outcome_of,
    percent_below,
    percentiles_of_rates,
    sample_widths,
    units_of,
)
from rankscope.stability.sampling import Queries, stream
from rankscope.stability.settings import StudySettings

ASKED = StudySettings(alpha=(0.05, 0.2), fuzz=(0.05, 0.2), iterations=12, n_resamples=60, seed=4)


def material_of(values, *measures):
    scores = made(values, measures)
    signs = np.array([scores.sign(name) for name in scores.measure_names], float)
    return Queries(scores, scores.measures, signs)


@pytest.fixture(scope="module")
def found():
    """A sample with systems left out, its parts and the outcome."""
    material = material_of(normal_values(np.random.default_rng(1), [0.3, 0.4, 0.45, 0.6], 20, measures=2), "AP", "RR")
    condition = Condition(2, 3, 20)
    sample = material.sample(condition, ASKED.iterations, ASKED.seed)
    widths = sample_widths(sample, material)
    parts = [measure_unit(unit) for unit in units_of(sample, widths, condition, ASKED)]
    return material, condition, sample, parts, outcome_of(sample, widths, parts, material, condition, ASKED)


def test_units_hold_all_iterations_once(found):
    _, condition, sample, _, _ = found
    units = list(units_of(sample, np.array([0.01, 0.01]), condition, ASKED))
    assert [unit.start for unit in units] == [0, 5, 10]
    np.testing.assert_array_equal(np.concatenate([unit.values for unit in units], axis=1), sample.values)


def test_tests_of_each_pair_are_those_of_its_differences(found):
    _, condition, sample, parts, outcome = found
    p = np.concatenate([part.t for part in parts])
    asl = np.concatenate([part.asl for part in parts])
    below = 0
    for i in range(ASKED.iterations):
        counts = count_draws(stream(ASKED.seed, condition, i, 1), ASKED.n_resamples, 10)
        for m in range(2):
            values = sample.values[m, i]
            for k, (a, b) in enumerate(combinations(range(3), 2)):
                assert p[i, m, k] == pytest.approx(stats.ttest_rel(values[a], values[b]).pvalue)
                below += m == 0 and p[i, m, k] <= 0.05
                level, _ = significance_levels((values[a] - values[b])[None], counts, ASKED.alpha)
                assert asl[i, m, k] == pytest.approx(level[0])
    assert outcome.t_rate[0, 0] == pytest.approx(100 * below / (12 * 3))
    for k, level in enumerate(ASKED.alpha):
        rates = (100 * (asl <= level).mean(axis=2))[:, 1]
        assert outcome.asl_rate[1, k] == pytest.approx(rates.mean())
        assert (outcome.asl_low[1, k], outcome.asl_high[1, k]) == pytest.approx(
            tuple(np.percentile(rates, [2.5, 97.5]))
        )


def test_the_difference_needed_is_the_mean_over_draws_of_the_most_of_all_pairs(found):
    _, condition, sample, _, outcome = found
    most = []
    for i in range(ASKED.iterations):
        counts = count_draws(stream(ASKED.seed, condition, i, 1), ASKED.n_resamples, 10)
        rows = [sample.values[1, i, a] - sample.values[1, i, b] for a, b in combinations(range(3), 2)]
        most.append(max(significance_levels(row[None], counts, (0.2,))[1][0, 0] for row in rows))
    assert outcome.est_diff[1, 1] == pytest.approx(np.mean(most))


def test_pairs_and_systems_find_their_places_where_not_all_are_drawn(found):
    _, _, sample, parts, outcome = found
    asl = np.concatenate([part.asl for part in parts])
    for k, pair in enumerate(combinations(range(4), 2)):
        values = [
            asl[i, 0, j]
            for i, row in enumerate(sample.systems.tolist())
            for j, drawn in enumerate(combinations(row, 2))
            if drawn == pair
        ]
        assert outcome.asl[0, k] == pytest.approx(np.mean(values) if values else math.nan, nan_ok=True)
    for s in range(4):
        there = [(i, row.index(s)) for i, row in enumerate(sample.systems.tolist()) if s in row]
        assert outcome.means[1, s] == pytest.approx(np.mean([sample.values[1, i, k].mean() for i, k in there]))


def test_swaps_of_bootstrap_sets_are_counted_set_by_set(found):
    _, condition, sample, _, outcome = found
    seen = turned = 0
    for i in range(ASKED.iterations):
        rng = stream(ASKED.seed, condition, i, 1)
        one, other = (count_draws(rng, ASKED.n_resamples, 10) for _ in range(2))
        for a, b in combinations(range(3), 2):
            difference = sample.values[0, i, a] - sample.values[0, i, b]
            for first, second in zip(one @ difference / 10, other @ difference / 10, strict=True):
                seen += 0.05 <= abs(first) < 0.06
                turned += 0.05 <= abs(first) < 0.06 and first * second < 0
    assert outcome.swapped[0, :, 0, 5].tolist() == [seen, turned]
    assert seen > 10
    assert outcome.swapped[0, 0].sum(axis=1).tolist() == [12 * 3 * 60] * 2
    assert outcome.swapped[1, 0].sum(axis=1).tolist() == [12 * 3] * 2  # disjoint sets: one difference a pair and draw


def test_correlations_are_those_of_scipy_between_systems_and_between_queries():
    values = np.random.default_rng(1).integers(0, 4, (2, 4, 7)).astype(float)
    values[1, 0] = 2.0  # a system whose values are all one has no correlation
    found = correlations(values)
    for m in range(2):
        rows = [row for row in values[m] if np.ptp(row)]
        rho = [stats.spearmanr(a, b).statistic for a, b in combinations(rows, 2)]
        assert found[0, m] == pytest.approx(np.mean(rho))
        assert found[1, m] == pytest.approx(np.std(rho))
        columns = [column for column in values[m].T if np.ptp(column)]
        assert found[2, m] == pytest.approx(
            np.mean([stats.spearmanr(a, b).statistic for a, b in combinations(columns, 2)])
        )
    assert np.isnan(correlations(np.ones((1, 3, 4)))).all()


def test_queries_without_a_value_are_left_out_of_the_measures_that_lack_it():
    values = np.random.default_rng(1).random((4, 3, 6))
    values[1, 2, 4] = values[3, 0, 4] = values[2, 1, :] = np.nan
    seen = {}
    for which, part, _ in complete_groups(values, None):
        assert not np.isnan(part).any()
        seen.update(zip(which.tolist(), part, strict=True))
    np.testing.assert_array_equal(seen[0], values[0])
    np.testing.assert_array_equal(seen[1], np.delete(values[1], 4, axis=1))
    np.testing.assert_array_equal(seen[3], np.delete(values[3], 4, axis=1))
    assert seen[2].shape == (3, 0)


def test_a_measure_with_holes_changes_nothing_of_the_others():
    values = normal_values(np.random.default_rng(2), [0.3, 0.5, 0.6], 20, measures=2)
    holes = values.copy()
    holes[1, 1, [2, 5, 6]] = np.nan
    whole, some = (
        rs.stability.study(made(v, ["AP", "RR"]), iterations=6, n_resamples=40, rng=1) for v in (values, holes)
    )
    for one, other in zip(whole.records(), some.records(), strict=True):
        assert (repr(one) == repr(other)) == (one.measure == "AP")


def test_what_nothing_could_be_tested_on_has_no_rate():
    values = normal_values(np.random.default_rng(2), [0.3, 0.5, 0.6], 12, measures=3)
    values[:, 1] = np.nan
    values[0, 2, 1:] = np.nan  # one query at most
    outcome = rs.stability.study(made(values, ["AP", "RR", "Rprec"]), iterations=6, n_resamples=40, rng=1).outcomes[0]
    for table in (outcome.asl_rate, outcome.asl_low, outcome.asl_high, outcome.t_rate, outcome.est_diff):
        assert np.isnan(table[1:]).all()
        assert not np.isnan(table[0, 1:]).any()
    assert np.isnan(outcome.asl_rate[0, 0])  # of 40 resamples no p is below 1/41
    assert not np.isnan(outcome.t_rate[0, 0])


def test_a_pair_of_a_constant_difference_has_no_level_and_hides_no_other_pair():
    values = normal_values(np.random.default_rng(2), [0.3, 0.5], 12)
    both = np.concatenate([values, values[:1] + 0.25])
    found = rs.stability.study(made(both), iterations=6, n_resamples=40, rng=1)
    outcome = found.outcomes[0]
    assert np.isnan(outcome.asl[0, 1])  # the pair (0, 2)
    assert not np.isnan(outcome.asl[0, [0, 2]]).any()
    assert (outcome.est_diff[0, 1:] > 0).all()
    alone = rs.stability.study(made(values), iterations=6, n_resamples=40, rng=1)
    assert (outcome.est_diff[0, 1:] > 0.5 * alone.outcomes[0].est_diff[0, 1:]).all()


def test_rates_are_percentages_of_pairs_at_most_at_the_level():
    p = np.array([[[0.05, 0.2, np.nan, 0.01]]])
    assert percent_below(p, (0.05, 0.01, 0.3)).tolist() == [[[50, 25, 75]]]
    assert percent_below(p, (0.05, 0.01, 0.3), strictly=True).tolist() == [[[25, 0, 75]]]
    rates = np.array([[[0.0], [np.nan]], [[50.0], [np.nan]], [[np.nan], [np.nan]]])
    assert percentiles_of_rates(rates)[:, 0, 0].tolist() == pytest.approx([1.25, 48.75])
    assert np.isnan(percentiles_of_rates(rates)[:, 1]).all()


def test_of_a_geometric_mean_systems_tie_by_the_mean_and_bins_are_of_logarithms():
    """GMAP of .010 and .011 are 10 % apart; their logarithms -4.6 and -4.5 by 2 %, which would be a tie."""
    values = np.full((2, 1, 8), 0.010)
    values[1] = 0.011
    values += np.linspace(0, 1e-5, 8)
    study = rs.stability.study(made(values, ["GMAP"]), iterations=4, n_resamples=40, rng=1)
    assert study.outcomes[0].tie[0, 0] == 0
    of_logarithms, of_levels = study.notes
    assert mentions(of_logarithms, "GMAP", "logarithms")
    assert mentions(of_levels, 0.01, 4)
    material = material_of(values, "GMAP")
    sample = material.sample(Condition(2, 2, 8), 3, 1)
    assert sample_widths(sample, material)[0] == pytest.approx(math.log(1.1) / 100, rel=0.05)
    np.testing.assert_allclose(displayed_means(np.log([[[0.2, 0.3]]]), material), [[[0.2, 0.3]]])


def test_the_correlation_of_the_reference_tool_is_of_all_ranks_without_the_first_system():
    table = ranks_table(1, systems=4)
    study = rs.stability.study(
        table, measures=["MeanRank", "P@10"], preset="dunaiski", iterations=3, n_resamples=20, rng=1
    )
    rho = [stats.spearmanr(a, b).statistic for a, b in combinations(table.ranks[1:], 2)]
    for row in study.records():
        assert (row.correlation, row.correlation_sd) == pytest.approx((np.mean(rho), np.std(rho)))
