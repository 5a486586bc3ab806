"""Comparisons by group of queries: the pairs in each group, and whether their differences vary with the group."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.messages import Messages, mentions
from helpers.same import assert_same_bits, assert_same_numbers
from helpers.score_tables import BAYESIAN, OF_ALL, OF_ANY_VALUES, random_table, score_table, text_of
from scipy import stats as oracle
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.oneway import anova_oneway

import rankscope as rs
from rankscope import Scores
from rankscope.comparison.compare import TESTS, MeasureComparison, paper_table
from rankscope.comparison.compare.groups import MAX_COMPARISONS
from rankscope.errors import InputError
from rankscope.stats import group_means_test, t_test

SENTENCES = Messages("groups")
GROUPS = np.array(["head"] * 18 + ["body"] * 14 + ["tail"] * 8)
CLUSTERS = np.repeat(np.arange(20), 2)


def grouped(scores: Scores, groups: Any = GROUPS, **columns: Any) -> Scores:
    """The scores with groups, and clusters and weights as named."""
    table = {"query": list(scores.query_ids), "group": list(groups), **{name: list(x) for name, x in columns.items()}}
    return scores.with_queries(table)


def table(systems: int = 3, measures: Any = "AP", seed: int = 1) -> Scores:
    return random_table(systems, GROUPS.size, measures, seed=seed)


def pair(differences: Any, groups: Any, **columns: Any) -> MeasureComparison:
    """Two systems with these differences."""
    values = np.asarray(differences, float)
    return rs.compare(grouped(score_table([0.5 + values, np.full(values.size, 0.5)]), groups, **columns))["AP"]


# The numbers of a group are those of its queries alone


@pytest.mark.parametrize("test", OF_ANY_VALUES)
def test_a_group_is_compared_as_its_queries_alone(test: str) -> None:
    options: dict[str, Any] = {"test": test, "n_resamples": 500, "rng": 3}
    scores = table()
    found = rs.compare(grouped(scores), **options)["AP"]
    assert list(found.groups) == ["head", "body", "tail"]
    for name, part in found.groups.items():
        chosen = name == GROUPS
        alone = rs.compare(score_table(scores.matrix("AP")[:, chosen]), **options)["AP"]
        for field in ("means", "difference", "low", "high", "statistic", "effect_size"):
            assert_same_numbers(getattr(part, field), getattr(alone, field))
        if test in BAYESIAN:
            assert_same_numbers(part.test_results.posterior, alone.test_results.posterior)
        elif test not in OF_ALL:
            assert_same_numbers(part.pvalue, alone.pvalue)
        assert part.n == chosen.sum()


@pytest.mark.parametrize("test", OF_ANY_VALUES)
def test_on_all_queries_groups_change_nothing(test: str) -> None:
    options: dict[str, Any] = {"test": test, "n_resamples": 500, "rng": 3}
    scores = table()
    found, plain = (rs.compare(x, **options)["AP"] for x in (grouped(scores), scores))
    assert_same_bits(found.test_results, plain.test_results)
    assert_same_bits((found.pvalue_corrected, found.decisions), (plain.pvalue_corrected, plain.decisions))
    assert set(plain.notes) <= set(found.notes)


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
def test_clusters_and_weights_are_those_of_the_queries_of_the_group(test: str) -> None:
    options: dict[str, Any] = {"test": test, "n_resamples": 500, "rng": 3}
    weights = np.random.default_rng(1).uniform(1, 5, GROUPS.size)
    scores = table(2)
    found = rs.compare(grouped(scores, cluster=CLUSTERS, weight=weights), **options)["AP"]
    for name, part in found.groups.items():
        chosen = name == GROUPS
        alone = score_table(scores.matrix("AP")[:, chosen]).with_queries(
            {
                "query": [f"q{i}" for i in range(chosen.sum())],
                "cluster": [*CLUSTERS[chosen]],
                "weight": [*weights[chosen]],
            }
        )
        expected = rs.compare(alone, **options)["AP"]
        for field in ("means", "difference", "low", "high", "pvalue"):
            assert_same_numbers(getattr(part, field), getattr(expected, field))


# Corrections


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "hochberg", "bh", "none"])
@pytest.mark.parametrize("family", ["pairs", "all"])
def test_p_values_are_corrected_for_groups_and_pairs_together(correction: str, family: str) -> None:
    found = rs.compare(grouped(table(3, ["AP", "RR"])), correction=correction, family=family)
    names = {"holm": "holm", "bonferroni": "bonferroni", "hochberg": "simes-hochberg", "bh": "fdr_bh"}
    families = [found.comparisons] if family == "all" else [[part] for part in found.comparisons]
    for comparisons in families:
        parts = [part for comparison in comparisons for part in comparison.groups.values()]
        pvalues = np.concatenate([part.pvalue for part in parts])
        assert pvalues.size == 9 * len(comparisons)
        expected = pvalues if correction == "none" else multipletests(pvalues, method=names[correction])[1]
        np.testing.assert_allclose(np.concatenate([part.pvalue_corrected for part in parts]), expected, rtol=1e-12)
        raw = np.concatenate([c.interaction.test.pvalue for c in comparisons if c.interaction is not None])
        own = np.concatenate([c.interaction.pvalue_corrected for c in comparisons if c.interaction is not None])
        expected = raw if correction == "none" else multipletests(raw, method=names[correction])[1]
        np.testing.assert_allclose(own, expected, rtol=1e-12)


@pytest.mark.parametrize("test", OF_ALL)
def test_a_test_of_all_systems_is_corrected_for_the_groups_by_bonferroni(test: str) -> None:
    scores = table(4)
    options: dict[str, Any] = {"test": test, "n_resamples": 500, "rng": 3}
    found = rs.compare(grouped(scores), **options)["AP"]
    for name, part in found.groups.items():
        alone = rs.compare(score_table(scores.matrix("AP")[:, name == GROUPS]), **options)["AP"]
        assert_same_numbers(part.pvalue_corrected, np.minimum(3 * alone.pvalue_corrected, 1))


def test_a_group_decides_by_its_corrected_p() -> None:
    """p of .02 in each of two groups: neither is significant for both together."""
    for scale, decided in ((0.9, 0), (1.2, 1)):
        d = np.tile(np.array([0.3, -0.1, 0.2, 0.1, 0.0, 0.25, -0.05, 0.15]) * scale + 0.02 * (scale - 1), 2)
        found = pair(d, ["a"] * 8 + ["b"] * 8)
        part = found.groups["a"]
        assert part.pvalue_corrected == pytest.approx(2 * part.pvalue)
        assert (part.decisions[0] == 1) == (part.pvalue_corrected[0] <= 0.05), decided


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_tests_are_one_sided_in_groups(alternative: str) -> None:
    scores = grouped(table(2))
    found = rs.compare(scores, alternative=alternative)["AP"]
    for name, part in found.groups.items():
        d = scores.matrix("AP")[0, name == GROUPS] - scores.matrix("AP")[1, name == GROUPS]
        assert_same_numbers(part.pvalue, oracle.ttest_1samp([d], 0, axis=1, alternative=alternative).pvalue)


# Does the difference vary with the group


def test_the_interaction_is_welchs_test_of_the_differences() -> None:
    scores = grouped(table())
    found = rs.compare(scores)["AP"]
    assert found.interaction is not None
    for i, (a, b) in enumerate(itertools.combinations(range(3), 2)):
        d = scores.matrix("AP")[a] - scores.matrix("AP")[b]
        expected = anova_oneway(d, GROUPS, use_var="unequal", welch_correction=True)
        assert found.interaction.test.pvalue[i] == pytest.approx(expected.pvalue)
    assert found.interaction.test.test == "welch"


@pytest.mark.parametrize("clusters", [CLUSTERS, np.arange(GROUPS.size) % 10])
def test_with_clusters_it_is_that_of_clusters(clusters: Any) -> None:
    scores = grouped(table(2), cluster=clusters)
    found = rs.compare(scores)["AP"]
    d = scores.matrix("AP")[0] - scores.matrix("AP")[1]
    expected = group_means_test(d, GROUPS, clusters=clusters)
    assert found.interaction is not None
    assert found.interaction.test.test == expected.test == ("welch" if clusters is CLUSTERS else "hotelling")
    assert_same_numbers(found.interaction.test.pvalue[0], expected.pvalue)


@pytest.mark.parametrize("test", BAYESIAN)
def test_a_bayesian_test_has_none(test: str) -> None:
    found = rs.compare(grouped(table()), test=test, n_resamples=200, rng=1)
    assert found["AP"].interaction is None
    assert "pvalue_interaction" not in found.columns
    assert np.isfinite(found["AP"].groups["tail"].test_results.posterior).all()


# Small and missing groups


@pytest.mark.parametrize(
    ("test", "clustered"),
    [
        *((test, False) for test in OF_ANY_VALUES),
        *((test, True) for test, method in TESTS.items() if method.takes_clusters),
    ],
)
def test_a_group_of_one_query_or_cluster_has_a_difference_and_no_test(test: str, clustered: bool) -> None:
    groups = ["a"] * 9 + ["b"] * 8 + ["lonely"] * (2 if clustered else 1)
    scores = random_table(3, len(groups))
    columns = {"cluster": [*range(17), 17, 17]} if clustered else {}
    result = rs.compare(grouped(scores, groups, **columns), test=test, n_resamples=200, rng=1)
    part = result["AP"].groups["lonely"]
    expected = scores.matrix("AP")[:, 17:].mean(axis=1)
    assert_same_numbers(part.difference, expected[part.first] - expected[part.second])
    assert np.isnan([part.low, part.high, part.pvalue, part.pvalue_corrected]).all()
    assert not part.decisions.any()
    assert mentions(result.notes, "AP", "one cluster" if clustered else "one query", "lonely")
    assert len(result.frame()) == 3 * 4
    assert str(result)


def test_groups_of_one_query_do_not_count_as_turned() -> None:
    values = [[5.0, 5, 5, 5, 1, 1], [1.0, 1, 1, 1, 2, 9], [3, 3, 3, 3, 9, 0.5]]
    turned = "pairs have another sign in a group"
    alone = rs.compare(grouped(score_table(values), ["x", "x", "y", "y", "alone", "lonely"]))
    together = rs.compare(grouped(score_table(values), ["x", "x", "y", "y", "z", "z"]))
    assert not any(turned in note for note in alone.notes)
    assert mentions(together.notes, f"3 of 3 {turned}")


def test_years_are_groups_in_their_order() -> None:
    frame = {"query": ["a", "b", "c", "d"], "year": [2010.0, 1999.0, 2010.0, 999.0], "A": [1.0, 2.0, 3.0, 4.5]}
    scores = rs.Scores.of(pl.DataFrame(frame), systems="A")
    assert scores.with_queries(group="year").queries.groups == ("999", "1999", "2010")
    assert grouped(score_table([[1.0, 2, 3]]), ["10", "b", "9"]).queries.groups == ("10", "b", "9")


def test_queries_of_one_group_are_no_groups() -> None:
    result = rs.compare(grouped(table(), ["same"] * GROUPS.size))
    assert not result["AP"].groups
    assert result.frame().equals(rs.compare(table()).frame())
    assert mentions(result.notes, "all queries are in one group", "same")


def test_queries_without_a_value_of_every_system_are_in_no_group() -> None:
    values = table(2).matrix("AP").copy()
    values[0, GROUPS == "tail"] = np.nan
    values[1, 0] = np.nan
    found = rs.compare(grouped(score_table(values)))["AP"]
    assert {name: part.n for name, part in found.groups.items()} == {"head": 17, "body": 14}


def test_queries_without_a_group_are_a_group() -> None:
    scores = table(2).with_queries({"query": [f"q{i}" for i in range(30)], "group": [*GROUPS[:30]]})
    assert {name: part.n for name, part in rs.compare(scores)["AP"].groups.items()} == {
        "head": 18,
        "body": 12,
        "(none)": 10,
    }


def test_more_pairs_in_groups_than_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_COMPARISONS >= 1_000_000
    monkeypatch.setattr("rankscope.comparison.compare.groups.MAX_COMPARISONS", 8)
    with pytest.raises(InputError) as raised:
        rs.compare(grouped(table()))
    assert mentions(raised.value, 3, 8, "pairs", "groups", "baseline")


def test_unjudged_systems_have_no_verdict_in_any_group() -> None:
    scores = replace(grouped(table()), unjudged_systems=("b",))
    found = rs.compare(scores)
    part = found["AP"].groups["head"]
    withheld = [
        bool({"b"} & {found.scores.systems[i] for i in pair}) for pair in zip(part.first, part.second, strict=True)
    ]
    assert np.isnan(part.pvalue).tolist() == withheld
    assert found["AP"].interaction is not None
    assert np.isnan(found["AP"].interaction.test.pvalue).tolist() == withheld


# The sign


def test_a_sign_that_turns_is_said() -> None:
    noise = np.tile([0.05, -0.05, 0.02, -0.02], 3)
    found = pair(np.repeat([0.2, -0.1, 0.1], 4) + noise, np.repeat(["x", "y", "z"], 4))
    assert {name: turns.tolist() for name, turns in found.turns.items()} == {"x": [False], "y": [True], "z": [False]}


def test_most_groups_against_the_whole_are_simpsons_paradox() -> None:
    """One large group decides for the first system, and the two small ones are against it."""
    d = np.concatenate([np.full(20, 0.2), np.full(4, -0.1), np.full(4, -0.2)]) + np.tile([0.01, -0.01], 14)
    scores = grouped(score_table([0.5 + d, np.full(28, 0.5)]), ["big"] * 20 + ["x"] * 4 + ["y"] * 4)
    section = by_group(rs.compare(scores))
    assert mentions(section.sentence, "Simpson's paradox", "x and y", "2 of 3 groups")
    SENTENCES.check("two of three groups say the opposite", section.sentence)


def test_of_many_pairs_those_whose_sign_turns_are_counted() -> None:
    result = rs.compare(grouped(random_table(5, GROUPS.size, seed=3, spread=0.005)))
    turned = np.array([*result["AP"].turns.values()])
    n_turned, n_paradoxes = turned.any(axis=0).sum(), (turned.sum(axis=0) > 1).sum()
    assert 0 < n_paradoxes < n_turned
    assert mentions(result.notes, f"{n_turned} of 10 pairs", f"{n_paradoxes} in most groups", "Simpson")


def test_equal_means_turn_nothing() -> None:
    assert not pair([0.1, -0.1, 0.1, -0.1], ["a", "b", "a", "b"]).turns["b"].any()


# What is shown


def by_group(result: rs.Comparison) -> Any:
    (section,) = [section for section in result.sections() if section.title.endswith("by group")]
    return section


def test_of_two_systems_the_table_has_a_row_for_each_group_and_the_means() -> None:
    result = rs.compare(grouped(table(2), cluster=CLUSTERS))
    section = by_group(result)
    names = [result["AP"].systems[i] for i in result["AP"].order]
    assert section.table.columns[:5] == ("group", "queries", "clusters", *names)
    assert [row[0] for row in section.table.rows] == ["head", "body", "tail", "all"]
    assert [row[1] for row in section.table.rows] == ["18", "14", "8", "40"]
    assert section.figure.name == "group_differences"
    assert section.figure.data["groups"] == ("head", "body", "tail")
    assert section.figure.data["differences"][-1] == pytest.approx(abs(result["AP"].difference[0]))
    assert mentions(section.notes, "p corrected", "3 groups")


def test_of_some_systems_all_pairs_are_shown_and_of_many_the_leading_one() -> None:
    section = by_group(rs.compare(grouped(table(4))))
    assert len(section.table.rows) == 6 * 4
    assert "p varies" in section.table.columns
    result = rs.compare(grouped(table(8)))
    section = by_group(result)
    assert len(section.table.rows) == 4
    assert mentions(section.notes, "tidy table")
    best, second = (result["AP"].systems[i] for i in result["AP"].order[:2])
    assert (section.figure.data["system_a"], section.figure.data["system_b"]) == (best, second)
    assert len(result.frame()) == 28 * 4


def test_of_many_groups_the_largest_are_shown() -> None:
    groups = np.repeat([f"g{i:02d}" for i in range(60)], [3] * 10 + [2] * 50)
    result = rs.compare(grouped(random_table(2, groups.size), groups))
    section = by_group(result)
    assert [row[0] for row in section.table.rows][:10] == [f"g{i:02d}" for i in range(10)]
    assert len(section.table.rows) == 45
    assert mentions(section.notes, 44, 60)
    assert len(result.frame()) == 61


def test_against_a_baseline_it_is_the_second_of_each_pair() -> None:
    result = rs.compare(grouped(table(3)), baseline="b")
    section = by_group(result)
    assert [row[:2] for row in section.table.rows[::4]] == [("a", "b"), ("c", "b")]
    assert section.figure.data["system_b"] == "b"


@pytest.mark.parametrize("lower", [False, True])
def test_where_lower_is_better_the_better_system_is_first(lower: bool) -> None:
    scores = score_table(
        np.array([[0.1] * 4 + [0.3] * 2, [0.2] * 6]) + np.tile([0.0, 0.01], 3), "MeanRank" if lower else "AP"
    )
    result = rs.compare(grouped(scores, ["x"] * 4 + ["y"] * 2))
    section = by_group(result)
    ahead = "a" if lower else "b"
    assert section.figure.data["system_a"] == ahead
    assert mentions(section.sentence, f"In y, {'b' if lower else 'a'} is ahead", f"though {ahead} is ahead on all")


def test_sentences() -> None:
    noise = np.tile([0.05, -0.05, 0.02, -0.02], 5)
    groups = np.repeat(["head", "tail"], 10)

    def sentence(shift: float, **options: Any) -> str:
        d = np.repeat([0.2, shift], 10) + noise
        result = rs.compare(grouped(score_table([0.5 + d, np.full(20, 0.5)]), groups), rng=1, **options)
        return str(by_group(result).sentence)

    SENTENCES.check("the difference varies and turns", sentence(-0.1))
    SENTENCES.check("the difference varies", sentence(0.05))
    SENTENCES.check("the difference is not shown to vary", sentence(0.19))
    SENTENCES.check("of a Bayesian test", sentence(-0.1, test="bayes-t"))
    three = by_group(rs.compare(grouped(table())))
    SENTENCES.check("of three systems", "\n".join([three.sentence, *three.notes]))


def test_the_tidy_table_has_a_row_a_group_only_where_there_are_groups() -> None:
    plain, found = rs.compare(table()), rs.compare(grouped(table()))
    assert found.columns == (
        *("measure", "system_a", "system_b", "group", *plain.columns[3:]),
        *("pvalue_interaction", "pvalue_interaction_corrected"),
    )
    frame = found.frame()
    assert frame["group"].to_list() == ["head", "body", "tail", "all"] * 3
    whole = frame.filter(frame["group"] == "all")
    assert whole.select(plain.columns).equals(plain.frame())
    assert whole["pvalue_interaction"].null_count() == 0
    assert frame.filter(frame["group"] != "all")["pvalue_interaction"].null_count() == 9
    assert frame["n"].to_list() == [18, 14, 8, 40] * 3


def test_the_table_of_a_paper_and_the_overview_stay_as_they_are() -> None:
    scores = table(3, ["AP", "RR"])
    plain, found = (paper_table(rs.compare(x)) for x in (scores, grouped(scores)))
    assert found.sections() == plain.sections()
    titles = [section.title for section in rs.compare(grouped(scores)).sections()]
    assert titles[0] == "3 systems by 2 measures"
    assert {"AP by group", "RR by group"} < set(titles)


def test_groups_are_in_the_signature() -> None:
    assert "groups:3" in rs.compare(grouped(table())).signature().split(" | ")


def test_workers_and_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, options = grouped(table(6), cluster=CLUSTERS), {"test": "permutation", "n_resamples": 300, "rng": 5}
    found = rs.compare(scores, **options)  # type: ignore[arg-type]
    monkeypatch.setattr("rankscope.comparison.compare.pair_tests.AT_ONCE", 100)
    again = rs.compare(scores, **options)  # type: ignore[arg-type]
    assert_same_numbers(again.frame().rows(), found.frame().rows())
    assert text_of(again) == text_of(found)


def test_a_comparison_of_standardised_scores_has_groups() -> None:
    scores = grouped(table(3))
    from rankscope.comparison.standardisation import standardise

    found = rs.compare(standardise(scores, method="z"))["AP"]
    assert list(found.groups) == ["head", "body", "tail"]


# What the level promises


@pytest.mark.slow
@pytest.mark.parametrize("clustered", [False, True])
def test_of_equal_systems_any_group_claims_a_difference_no_more_often_than_the_level_says(clustered: bool) -> None:
    """Three groups and three pairs of equal systems: the probability of a single wrong claim is what is corrected."""
    rng, runs, wrong = np.random.default_rng(8), 400, 0
    for _ in range(runs):
        values = rng.normal(size=(3, GROUPS.size)) + (rng.normal(size=(3, 20))[:, CLUSTERS] if clustered else 0.0)
        scores = grouped(score_table(values), **({"cluster": CLUSTERS} if clustered else {}))
        wrong += any(part.decisions.any() for part in rs.compare(scores)["AP"].groups.values())
    assert wrong / runs <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / runs)


def test_the_t_of_a_group_is_the_t_test() -> None:
    d = np.array([0.1, 0.3, -0.1, 0.2, 0.15, 0.4, -0.2, 0.1])
    found = pair(d, ["a"] * 4 + ["b"] * 4)
    assert found.groups["b"].pvalue[0] == pytest.approx(float(t_test(d[4:]).pvalue))
