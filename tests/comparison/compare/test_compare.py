"""compare: its numbers against SciPy and statsmodels, what cannot change them, and the table."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits, assert_same_numbers
from helpers.score_tables import (
    BAYESIAN,
    OF_ALL,
    OF_ANY_VALUES,
    RESAMPLED,
    SIMULTANEOUS,
    random_table,
    score_table,
    small,
)
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle
from statsmodels.stats.multitest import multipletests

import rankscope as rs
from rankscope.comparison.compare import pair_tests as tested
from rankscope.errors import ParameterError, UnknownName
from rankscope.stats import CORRECTIONS

ONE_PAIR_AT_A_TIME = [test for test in OF_ANY_VALUES if test not in (*OF_ALL, *BAYESIAN)]
TABLE = random_table(5, 30, seed=4)
PAIRS = list(combinations(range(5), 2))
VALUES = TABLE.matrix("AP")
DIFFERENCES = np.array([VALUES[i] - VALUES[j] for i, j in PAIRS])


def flips(difference: Any, alternative: str) -> Any:
    return oracle.permutation_test(
        (difference, np.zeros_like(difference)),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        alternative=alternative,
        n_resamples=20_000,
        rng=1,
    )


PEERS = {
    "t": lambda d, side: oracle.ttest_1samp(d, 0, alternative=side),
    "permutation": flips,
    "wilcoxon": lambda d, side: oracle.wilcoxon(d, alternative=side),
    "sign": lambda d, side: oracle.binomtest(int((d > 0).sum()), int((d != 0).sum()), alternative=side),
}


# Values


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("test", PEERS)
def test_p_values_agree_with_scipy_pair_by_pair(test, alternative):
    found = rs.compare(TABLE, test=test, alternative=alternative, n_resamples=20_000, rng=1)["AP"]
    within = 4 * np.sqrt(0.25 / 20_000) * 2**0.5 if test == "permutation" else 1e-12
    for i, difference in enumerate(DIFFERENCES):
        assert found.pvalue[i] == pytest.approx(PEERS[test](difference, alternative).pvalue, abs=within)
    assert found.first.tolist() == [i for i, _ in PAIRS]
    assert found.second.tolist() == [j for _, j in PAIRS]


def test_all_sign_flips_of_few_queries_agree_with_scipy_to_the_last_case():
    few = random_table(3, 10, seed=2)
    found = rs.compare(few, test="permutation")["AP"]
    x = few.matrix("AP")
    for i, (a, b) in enumerate(combinations(range(3), 2)):
        assert found.pvalue[i] == pytest.approx(flips(x[a] - x[b], "two-sided").pvalue, rel=1e-12)


def test_t_and_its_statistic_are_those_of_ttest_rel():
    found = rs.compare(TABLE)["AP"]
    for i, (a, b) in enumerate(PAIRS):
        expected = oracle.ttest_rel(VALUES[a], VALUES[b])
        assert (found.statistic[i], found.pvalue[i]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
        ends = expected.confidence_interval()
        assert (found.low[i], found.high[i]) == pytest.approx((ends.low, ends.high), rel=1e-9)


def interval_for(test: str) -> dict[str, str]:
    """A bootstrap interval, where the test has not one of its own."""
    return {} if test in SIMULTANEOUS else {"interval": "bca"}


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_bootstrap_intervals_agree_with_scipy_up_to_monte_carlo_error(method):
    found = rs.compare(TABLE, interval=method, n_resamples=20_000, rng=1)["AP"]
    for i, difference in enumerate(DIFFERENCES[:3]):
        ends = oracle.bootstrap((difference,), np.mean, method=method, n_resamples=20_000, rng=2).confidence_interval
        near = 0.1 * difference.std() / np.sqrt(difference.size)
        assert (found.low[i], found.high[i]) == pytest.approx((ends.low, ends.high), abs=near)


def test_the_bootstrap_test_is_close_to_t_on_data_without_skewness():
    found, near = rs.compare(TABLE, test="bootstrap", rng=1)["AP"], rs.compare(TABLE)["AP"]
    np.testing.assert_allclose(found.pvalue, near.pvalue, atol=0.03)
    np.testing.assert_allclose(found.statistic, near.statistic)


PEER_CORRECTIONS = {"holm": "holm", "bonferroni": "bonferroni", "hochberg": "simes-hochberg", "bh": "fdr_bh"}
PEER_CORRECTIONS |= {"hommel": "hommel", "by": "fdr_by"}


@pytest.mark.parametrize("family", ["pairs", "all"])
@pytest.mark.parametrize("correction", PEER_CORRECTIONS)
def test_corrections_agree_with_statsmodels_on_the_family_that_is_named(correction, family):
    table = random_table(5, 30, ("AP", "nDCG@10", "RR"), seed=9)
    found = rs.compare(table, correction=correction, family=family)
    families = [found.comparisons] if family == "all" else [[part] for part in found.comparisons]
    for parts in families:
        p = np.concatenate([part.pvalue for part in parts])
        expected = multipletests(p, method=PEER_CORRECTIONS[correction])[1]
        np.testing.assert_allclose(np.concatenate([part.pvalue_corrected for part in parts]), expected, rtol=1e-12)


def test_where_no_measure_is_named_all_are_one_family_and_the_result_says_so():
    table = random_table(3, 30, ("AP", "RR"), seed=9)
    default, named = rs.compare(table), rs.compare(table, ["AP", "RR"])
    for found, family in ((default, "all"), (named, "pairs")):
        assert found.settings.family == family
        expected = rs.compare(table, ["AP", "RR"], family=family)
        for part, as_expected in zip(found.comparisons, expected.comparisons, strict=True):
            assert part.pvalue_corrected.tolist() == as_expected.pvalue_corrected.tolist()
    # Holm of 6 and of 3 tests: the least p-value times as many.
    p = np.concatenate([part.pvalue for part in default.comparisons])
    assert min(part.pvalue_corrected.min() for part in default.comparisons) == pytest.approx(6 * p.min())
    assert named["AP"].pvalue_corrected.min() == pytest.approx(3 * named["AP"].pvalue.min())
    assert mentions(default.notes, "corrected", "all 2 measures together")
    assert mentions(named.notes, "each of the 2 measures", "itself", "5 %", "the family all")
    assert rs.compare(table, family="pairs").settings.family == "pairs"
    assert not mentions(rs.compare(table, "AP").notes, "measures")
    for options in ({"test": "tukey"}, {"test": "bayes-t"}, {"correction": "none"}):
        notes = rs.compare(table, **options).notes
        assert mentions(notes, "each of the 2 measures", "itself")
        assert not mentions(notes, "the family all")


@pytest.mark.parametrize("interval", ["t", "bca", "percentile", "tango"])
def test_a_one_sided_test_has_a_one_sided_bound(interval):
    """The end of a two-sided interval of the level 1 - 2 alpha, and nothing beyond it on the other side."""
    table = TABLE
    if interval == "tango":
        table = score_table((np.random.default_rng(4).random((3, 40)) < [[0.9], [0.7], [0.4]]).astype(float))
    options: dict[str, Any] = {"interval": interval, "rng": 1, "n_resamples": 500}
    both = rs.compare(table, alpha=0.1, **options)["AP"]
    for alternative, bound, other, infinite in (("greater", "low", "high", np.inf), ("less", "high", "low", -np.inf)):
        result = rs.compare(table, alternative=alternative, **options)
        assert getattr(result["AP"], bound).tolist() == getattr(both, bound).tolist()
        assert (getattr(result["AP"], other) == infinite).all()
        frame = result.frame()
        assert frame[other].null_count() == len(frame)
        assert frame[bound].to_list() == getattr(both, bound).tolist()
        cells = [str(row) for section in result.sections() if section.table is not None for row in section.table.rows]
        word = "at least" if alternative == "greater" else "at most"
        assert any(word in row for row in cells)
    if interval == "t":  # the bound excludes 0 where p is at most the level
        assert ((both.low > 0) == (rs.compare(table, alternative="greater")["AP"].pvalue < 0.05)).all()


def test_tukeys_test_is_the_studentised_range_over_the_error_of_two_ways():
    m, n = VALUES.shape
    left = VALUES - VALUES.mean(axis=1, keepdims=True) - VALUES.mean(axis=0) + VALUES.mean()
    error = (left**2).sum() / ((m - 1) * (n - 1))
    found = rs.compare(TABLE, test="tukey")["AP"]
    for i, difference in enumerate(DIFFERENCES.mean(axis=1)):
        q = abs(difference) / np.sqrt(error / n)
        assert found.pvalue_corrected[i] == pytest.approx(
            oracle.studentized_range.sf(q, m, (m - 1) * (n - 1)), abs=1e-7
        )
    assert np.isnan(found.pvalue).all()
    wide = oracle.studentized_range.ppf(0.95, m, (m - 1) * (n - 1)) * np.sqrt(error / n)
    np.testing.assert_allclose(found.high - found.difference, wide, rtol=1e-6)


def test_nemenyis_test_is_the_studentised_range_of_mean_ranks():
    m, n = VALUES.shape
    ranks = oracle.rankdata(-VALUES, axis=0).mean(axis=1)
    found = rs.compare(TABLE, test="nemenyi")["AP"]
    for i, (a, b) in enumerate(PAIRS):
        q = abs(ranks[a] - ranks[b]) / np.sqrt(m * (m + 1) / (12 * n))
        assert found.pvalue_corrected[i] == pytest.approx(oracle.studentized_range.sf(q, m, 1e9), abs=1e-6)
    assert_same_numbers(found.low[0], rs.compare(TABLE)["AP"].low[0])  # its own intervals are of ranks


def test_effect_sizes_and_counts_are_what_they_are_called():
    found = rs.compare(TABLE, rope=0.05)["AP"]
    np.testing.assert_allclose(found.effect_size, DIFFERENCES.mean(axis=1) / DIFFERENCES.std(axis=1, ddof=1))
    effects = found.test_results.effects
    assert effects.wins.tolist() == (DIFFERENCES > 0.05).sum(axis=1).tolist()
    assert effects.losses.tolist() == (DIFFERENCES < -0.05).sum(axis=1).tolist()
    assert (effects.wins + effects.ties + effects.losses == 30).all()


def test_the_bayesian_t_test_is_a_shifted_t():
    found = rs.compare(TABLE, test="bayes-t", rope=0.02)
    part = found["AP"]
    for i, d in enumerate(DIFFERENCES):
        posterior = oracle.t(29, d.mean(), d.std(ddof=1) / np.sqrt(30))
        expected = posterior.cdf(-0.02), posterior.cdf(0.02) - posterior.cdf(-0.02), posterior.sf(0.02)
        assert part.test_results.posterior[:, i] == pytest.approx(expected, abs=1e-12)
    assert np.isnan(part.pvalue).all()
    assert np.isnan(part.pvalue_corrected).all()
    expected = np.where(
        part.test_results.posterior[2] >= 0.95, 1, np.where(part.test_results.posterior[0] >= 0.95, -1, 0)
    )
    assert part.decisions.tolist() == expected.tolist()
    assert part.clusters is None


# What cannot change the numbers


@st.composite
def tables(draw):
    m, n = draw(st.integers(2, 4)), draw(st.integers(2, 8))
    return np.array(draw(st.lists(st.integers(0, 10), min_size=m * n, max_size=m * n))).reshape(m, n) / 10


@pytest.mark.parametrize("test", [t for t in OF_ANY_VALUES if t != "bayes-signed-rank"])
@examples(25, quick=5)
@given(x=tables())
def test_swapping_two_systems_mirrors_all_that_is_said_of_them(test, x):
    options = {"test": test, "n_resamples": 99, "rng": 3}
    one, other = (
        rs.compare(score_table(x[:2]), **options)["AP"],
        rs.compare(score_table(x[1::-1]), **options)["AP"],
    )
    assert one.difference == pytest.approx(-other.difference)
    np.testing.assert_allclose([one.low, one.high], [-other.high, -other.low], atol=1e-9)
    np.testing.assert_allclose(one.effect_size, -other.effect_size)
    effects, mirrored = one.test_results.effects, other.test_results.effects
    assert (effects.wins, effects.ties, effects.losses) == (mirrored.losses, mirrored.ties, mirrored.wins)
    np.testing.assert_allclose(one.pvalue, other.pvalue)
    np.testing.assert_allclose(one.decisions, -other.decisions)
    if one.test_results.posterior is not None:
        np.testing.assert_allclose(one.test_results.posterior, other.test_results.posterior[::-1], atol=1e-12)


@pytest.mark.parametrize("test", [t for t in OF_ANY_VALUES if t not in ("bayes-signed-rank", "randomised-tukey")])
@examples(25, quick=5)
@given(x=tables(), seed=st.integers(0, 99))
def test_the_order_of_the_systems_changes_nothing_but_rows(test, x, seed):
    order = np.random.default_rng(seed).permutation(len(x))
    table, again = score_table(x), score_table(x[order], systems=tuple("abcd"[s] for s in order))
    found = [by_names(rs.compare(t, test=test, n_resamples=99, rng=3)) for t in (table, again)]
    assert found[0].keys() == found[1].keys()
    for names, row in found[0].items():
        np.testing.assert_allclose(row, found[1][names], atol=1e-8)


def by_names(result: Any) -> dict[tuple[str, str], list[float]]:
    """p-values and findings, the systems of each pair in the order of their names."""
    part, rows = result.comparisons[0], {}
    for i, (a, b) in enumerate(zip(part.first, part.second, strict=True)):
        names = part.systems[a], part.systems[b]
        sign = 1 if names[0] < names[1] else -1
        rows[min(names), max(names)] = [
            sign * part.difference[i],
            sign * part.decisions[i],
            part.pvalue[i],
            part.pvalue_corrected[i],
        ]
    return rows


@examples(25)
@given(x=tables(), test=st.sampled_from(ONE_PAIR_AT_A_TIME), correction=st.sampled_from(list(CORRECTIONS)))
def test_corrected_p_values_are_never_smaller_and_say_what_was_found(x, test, correction):
    part = rs.compare(score_table(x), test=test, correction=correction, alpha=0.3, n_resamples=99, rng=3)["AP"]
    there = ~np.isnan(part.pvalue)
    assert (part.pvalue_corrected[there] >= part.pvalue[there] - 1e-15).all()
    assert not part.decisions[~there].any()
    assert ((part.decisions == 0) | (part.pvalue_corrected <= 0.3)).all()
    assert ((part.decisions == 0) | (part.decisions == np.sign(part.difference))).all()
    if test in ("t", "permutation", "bootstrap"):
        assert ((part.decisions != 0) == (part.pvalue_corrected <= 0.3)).all()


def numbers(result: Any) -> list[list[float]]:
    return [[x for x in row if isinstance(x, float)] for row in result.records()]


@pytest.mark.parametrize("test", RESAMPLED)
def test_one_seed_gives_one_result_as_does_a_generator_in_one_state(test):
    def run(rng: Any) -> Any:
        return numbers(rs.compare(TABLE, test=test, n_resamples=500, rng=rng, **interval_for(test)))

    assert_same_bits(run(7), run(7))
    assert_same_bits(run(np.random.default_rng(7)), run(np.random.default_rng(7)))
    state = np.random.default_rng(7)
    first, second = run(state), run(state)
    assert not np.array_equal(first, second, equal_nan=True)
    assert not np.array_equal(run(7), run(8), equal_nan=True)


@pytest.mark.parametrize("test", OF_ANY_VALUES)
def test_pairs_in_parts_give_the_same_bits(test, monkeypatch):
    options = {"test": test, "n_resamples": 300, "rng": 5, **interval_for(test)}
    told: list[int] = []
    whole = rs.compare(TABLE, progress=told.append, **options)
    assert told == [10]
    monkeypatch.setattr(tested, "AT_ONCE", 100)
    parts = rs.compare(TABLE, progress=told.append, **options)
    assert told[1:] == [3, 3, 3, 1]
    a, b = (np.array(numbers(r)) for r in (whole, parts))
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)
    if test != "bootstrap":  # whose matrix product may round otherwise by its shape
        assert_same_bits(a[:, 5:], b[:, 5:])  # statistic, p, effect
    assert whole.notes == parts.notes


# A baseline, families, measures


def test_against_a_baseline_the_numbers_are_those_of_all_pairs_but_for_the_family():
    every, found = by_names(rs.compare(TABLE)), rs.compare(TABLE, baseline="c")
    part = found["AP"]
    assert [part.systems[s] for s in part.first] == ["a", "b", "d", "e"]
    assert {part.systems[s] for s in part.second} == {"c"}
    for names, row in by_names(found).items():
        assert row[0] == pytest.approx(every[names][0])
        assert row[2] == pytest.approx(every[names][2])
    np.testing.assert_allclose(part.pvalue_corrected, multipletests(part.pvalue, method="holm")[1])
    assert part.clusters is None


def test_measures_may_be_named_as_they_were_asked_for_and_are_compared_once_each():
    scores = rs.evaluate(*small(), ["map", "RR"])
    found = rs.compare(scores, ["map", "AP", "RR"])
    assert found.measure_names == ("AP", "RR")
    assert found["map"] is found["AP"]
    with pytest.raises(UnknownName, match="'P@5'"):
        found["P@5"]
    with pytest.raises(UnknownName, match="'P@5'"):
        rs.compare(scores, "P@5")
    with pytest.raises(ParameterError, match="no measures given"):
        rs.compare(scores, [])


def test_lower_is_better_where_the_measure_says_so():
    x = np.array([[1.0, 2, 3, 4, 3, 2], [3, 5, 4, 9, 8, 3], [6, 5, 9, 9, 9, 7]])
    part = rs.compare(score_table(x, "MeanRank"))["MeanRank"]
    assert part.difference.tolist() == pytest.approx(((x[[0, 0, 1]] - x[[1, 2, 2]]).mean(axis=1)).tolist())
    assert part.test_results.effects.wins.tolist() == (x[[0, 0, 1]] < x[[1, 2, 2]]).sum(axis=1).tolist()
    assert part.test_results.effects.superiority[0] == 1.0
    assert part.order.tolist() == [0, 1, 2]
    assert part.decisions[1] == 1
    assert "MeanRank: lower is better" in part.notes
    bayes = rs.compare(score_table(x, "MeanRank"), test="bayes-t")["MeanRank"]
    assert bayes.test_results.posterior[2, 1] > 0.99
    assert bayes.decisions[1] == 1
    for test in ("wilcoxon", "sign", "nemenyi", "tukey"):
        options = {} if test in OF_ALL else {"correction": "none"}
        assert rs.compare(score_table(x, "MeanRank"), test=test, alpha=0.3, **options)["MeanRank"].decisions[1] == 1


def test_ranks_of_entities_are_compared_with_lower_as_better():
    table = rs.EntityRanks(ranks=[[5, 20], [9, 40]], systems=["near", "far"], entity_ids=["x", "y"], total_ranks=50)
    result = rs.compare(rs.evaluate(table, measures=["MeanRank"]))
    assert result["MeanRank"].order.tolist() == [0, 1]
    assert mentions(result.notes, "one query")


def test_a_geometric_mean_is_compared_by_logarithms():
    x = np.array([[0.1, 0.4, 0.2, 0.0], [0.2, 0.3, 0.9, 0.5]])
    part = rs.compare(score_table(x, "GMAP"))["GMAP"]
    logs = np.log(np.maximum(x, 0.00001))
    assert part.difference[0] == pytest.approx((logs[0] - logs[1]).mean())
    assert part.means.tolist() == pytest.approx(logs.mean(axis=1).tolist())
    assert mentions(part.notes, "logarithms")


def test_queries_without_a_value_for_every_system_are_left_out_and_counted():
    x = np.array([[0.1, np.nan, 0.3, 0.5, 0.2], [0.2, 0.3, 0.2, np.nan, 0.3], [0.2, 0.3, 0.2, 0.1, 0.1]])
    part = rs.compare(score_table(x))["AP"]
    assert part.n == 3
    assert part.measure_values.queries.tolist() == [0, 2, 4]
    assert mentions(part.notes, "AP", 2, 5)
    assert_same_numbers(part.means, x[:, [0, 2, 4]].mean(axis=1))


def test_queries_that_evaluate_left_out_are_left_out_for_all():
    qrels, runs = small()
    qrels["none"] = {"d": 0}
    dropped = rs.compare(rs.evaluate(qrels, runs, "RR", missing="drop", no_relevant="drop"))["RR"]
    assert dropped.n == 5
    kept = rs.compare(rs.evaluate(qrels, runs, "RR"))["RR"]
    assert kept.n == 7
    assert mentions(dropped.notes, "RR", 2, 7)


# The table


COLUMNS = (
    *("measure", "system_a", "system_b", "mean_a", "mean_b", "difference", "low", "high", "statistic", "pvalue"),
    *("pvalue_corrected", "effect_size", "wins", "ties", "losses", "n"),
)


@pytest.mark.parametrize("test", OF_ANY_VALUES)
def test_the_tidy_table_has_the_columns_that_are_part_of_the_surface(test):
    frame = rs.compare(TABLE, test=test, n_resamples=50, rng=1).frame()
    more = ("worse", "equal", "better") if test in BAYESIAN else ()
    assert tuple(frame.columns) == COLUMNS + more
    assert len(frame) == 10
    assert set(frame.select(pl.col(pl.Float64)).columns) >= {"difference", "low", "high"}
    if test in BAYESIAN:
        assert frame["pvalue"].null_count() == 10
        assert (frame["worse"] + frame["equal"] + frame["better"]).to_list() == pytest.approx([1.0] * 10)
    row = frame.row(0, named=True)
    assert (row["measure"], row["system_a"], row["system_b"], row["n"]) == ("AP", "a", "b", 30)
    assert row["mean_a"] - row["mean_b"] == pytest.approx(row["difference"])


def test_the_signature_names_every_setting_that_changes_a_number():
    options: dict[str, Any] = {"test": "permutation", "n_resamples": 200, "interval": "bca", "rng": 7, "alpha": 0.1}
    said = rs.compare(TABLE, **options, rope=0.01, alternative="greater", baseline="c").signature()
    assert said.split(" | ")[:-1] == [
        *("AP", "queries:30", "test:permutation,200", "correction:holm", "family:4 pairs"),
        *("alternative:greater", "rope:0.01", "alpha:0.1", "interval:bca", "rng:7"),
    ]
    plain = rs.compare(TABLE, rng=7).signature()
    assert "rng" not in plain
    assert plain.split(" | ")[-6:-1] == ["test:t", "correction:holm", "family:10 pairs", "alpha:0.05", "interval:t"]
    assert "correction" not in rs.compare(TABLE, test="tukey").signature()
    two = random_table(2, 20, ("AP", "RR"))
    assert "family:2 pairs and measures" in rs.compare(two).signature()
    assert "family:1 pair |" in rs.compare(two, ["AP", "RR"]).signature()


def test_str_is_the_text_and_repr_is_short():
    result = rs.compare(TABLE)
    assert str(result).startswith("AP on 30 queries\n\n")
    assert mentions(str(result).rstrip().splitlines()[-1], "AP", 5, "ANOVA", "F = ")
    assert mentions(repr(result), "Comparison(", "5 systems", "10 pairs", "AP")
