"""compare on data that says little, the notes on it, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.score_tables import BAYESIAN, OF_ALL, OF_ANY_VALUES, random_table, score_table, small, text_of

import rankscope as rs
from rankscope.comparison.compare import comparison_sentence
from rankscope.comparison.summary import verdict
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.stats import two_way_anova

# Degenerate data


def notes_of(x: Any, **options: Any) -> tuple[str, ...]:
    return rs.compare(score_table(x), **options).notes


@pytest.mark.parametrize("test", OF_ANY_VALUES)
def test_two_equal_systems_have_p_1_and_it_is_said(test):
    x = np.tile([0.2, 0.5, 0.9, 0.4, 0.1, 0.7], (2, 1))
    result = rs.compare(score_table(x), test=test, rng=1, n_resamples=99)
    part = result["AP"]
    if test not in BAYESIAN:
        assert part.pvalue_corrected.tolist() == [1.0]
    assert (part.decisions.tolist(), part.difference.tolist()) == ([0], [0.0])
    p = () if test in BAYESIAN else ("p is 1",)
    assert mentions(result.notes, "AP", "a and b", "same values", *p)
    assert ("(p = 1)" in text_of(result)) == bool(p)
    assert "no difference" in text_of(result)
    assert "better than" not in text_of(result)


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_constant_differences_are_flagged_where_a_variance_is_needed(test):
    x = np.array([[0.2, 0.5, 0.9, 0.4], [0.1, 0.4, 0.8, 0.3]])
    result = rs.compare(score_table(x), test=test, rng=1)
    part = result["AP"]
    assert np.isnan([part.pvalue[0], part.pvalue_corrected[0], part.low[0], part.high[0]]).all()
    assert part.decisions.tolist() == [0]
    assert mentions(result.notes, "a and b", "same difference")
    assert mentions(text_of(result), "do not allow a test")


@pytest.mark.parametrize("test", ["permutation", "sign", "wilcoxon"])
def test_constant_differences_are_tested_by_their_signs(test):
    x = np.array([np.linspace(0.2, 0.9, 8), np.linspace(0.2, 0.9, 8) - 0.1])
    part = rs.compare(score_table(x), test=test)["AP"]
    assert part.pvalue[0] == pytest.approx(2 / 2**8)
    assert part.decisions.tolist() == [1]
    assert np.isnan(part.low[0])  # an interval without width would be sure of what is not known
    assert mentions(part.notes, "a and b", "same difference")


@pytest.mark.parametrize("test", [t for t in OF_ANY_VALUES if t not in OF_ALL])
def test_one_query_shows_nothing_and_says_so(test):
    result = rs.compare(score_table([[0.9], [0.1]]), test=test, rng=1, n_resamples=99)
    part = result["AP"]
    assert part.decisions.tolist() == [0] or test in BAYESIAN
    assert np.isnan(part.low[0])
    assert mentions(result.notes, "AP", "one query")
    assert "nan" not in text_of(result)


@pytest.mark.parametrize("test", [t for t in OF_ANY_VALUES if t not in OF_ALL])
@pytest.mark.parametrize("baseline", [None, "a"])
@pytest.mark.parametrize("n_systems", [2, 3])
def test_the_verdict_on_one_query_claims_no_test(test, baseline, n_systems):
    values = [[0.9], [0.1], [0.3]][:n_systems]
    result = rs.compare(score_table(values), test=test, baseline=baseline, rng=1, n_resamples=99)
    for sentence in (comparison_sentence(result, result["AP"]), " ".join(verdict(result))):
        assert mentions(sentence, "One query allows no test") or n_systems == 2
        assert "better than" not in sentence or test in BAYESIAN


def test_the_verdict_on_ranks_of_entities_names_the_way_to_a_test():
    ranks = np.arange(1, 10).reshape(3, 3)
    table = rs.EntityRanks(ranks=ranks, systems=list("abc"), entity_ids=list("xyz"))
    assert mentions(
        verdict(rs.compare(rs.evaluate(table, measures="AP")))[0], "allows no test", "-m MeanRank", "--systems a,b,c"
    )
    assert "MeanRank" not in verdict(rs.compare(score_table([[0.9], [0.1], [0.3]])))[0]


@pytest.mark.parametrize("test", OF_ALL)
def test_tests_of_all_systems_want_two_queries(test):
    with pytest.raises(ParameterError, match=r"2 queries, .*1 .*\bt\b"):
        rs.compare(score_table([[0.9], [0.1]]), test=test)


def test_where_ranks_and_means_disagree_neither_is_called_better():
    rng = np.random.default_rng(1)
    losses = np.concatenate([rng.uniform(0.01, 0.03, 36), [-0.9, -0.8, -0.9, -0.7]])  # wins often, loses much
    x = np.array([0.05 + losses, np.full(40, 0.05)])
    for test in ("sign", "wilcoxon", "nemenyi"):
        part = rs.compare(score_table(x), test=test)["AP"]
        assert part.pvalue_corrected[0] <= 0.05
        assert part.difference[0] < 0
        assert part.decisions.tolist() == [0]
        assert part.clusters.rank_high.tolist() == [2, 2]
        assert mentions(part.notes, "a and b", f"test {test}", "order")


def test_too_few_resamples_or_queries_for_the_family_are_noted():
    few = rs.compare(random_table(6, 40), test="permutation", n_resamples=99, rng=1).notes
    assert mentions(few, 99, "cannot find", 15, "level 0.05", 300)
    enough = rs.compare(random_table(6, 40), test="permutation", n_resamples=300, rng=1).notes
    assert not mentions(enough, "cannot find")
    assert mentions(enough, 300, "standard error", " 0.")
    two = random_table(3, 40, ("AP", "RR"))
    assert mentions(rs.compare(two, test="permutation", n_resamples=99, family="all", rng=1).notes, 99, 6)
    # 2 / 2^4 = .125
    few = notes_of(np.random.default_rng(1).random((2, 4)), test="sign")
    assert mentions(few, "sign test", "cannot find", 4, 0.125)
    enough = notes_of(np.random.default_rng(1).random((2, 6)), test="sign")
    assert not mentions(enough, "cannot find")  # 2 / 2^6 = .031


def test_what_a_statistician_would_want_to_know_is_noted():
    rng = np.random.default_rng(1)
    x = rng.random((2, 20))
    assert mentions(notes_of(x), "AP", 20, "few")
    assert not mentions(notes_of(rng.random((2, 25))), "few")
    mostly = np.where(np.arange(30) < 20, 0.5, rng.random((2, 30)))
    assert mentions(notes_of(mostly), "a and b", "ties", "half")
    skewed = np.array([np.zeros(30), np.where(np.arange(30) < 2, 0.9, 0.01 * rng.random(30))])
    for test in ("t", "permutation", "bayes-t"):
        assert mentions(notes_of(skewed, test=test, rng=1), "a and b", f"skewed for {test}", 30, "with test bootstrap")
    assert not mentions(notes_of(skewed, test="bootstrap", rng=1), "skewed")
    three = np.vstack([skewed, skewed[1] + 0.1 * rng.random(30)])
    for test in ("tukey", "max-t"):
        assert mentions(notes_of(three, test=test, rng=1), f"skewed for {test}", "with test max-t-bootstrap")
    assert mentions(notes_of(x, test="wilcoxon"), "medians")
    assert mentions(notes_of(rng.random((3, 30)), test="nemenyi"), "Friedman", 3)
    assert mentions(notes_of(rng.random((3, 30)), alternative="greater"), "first", "higher")


@pytest.mark.parametrize(
    ("n", "n_large", "noted"),
    [
        # One of n is 1, the others 0: skewness (n - 2) / sqrt(n - 1), with an error of sqrt(6 / n).
        (6, 1, False),  # 1.79 < 2 errors = 2
        (8, 1, True),  # 2.27 > 2 errors = 1.73, and 25 x 2.27^2 = 129 > 8
        # k of n: (1 - 2 p) / sqrt(p (1 - p)), p = k / n.
        (8, 2, False),  # 1.15 < 1.73, though 25 x 1.15^2 = 33 > 8
        (60, 10, True),  # 1.79 > 2 errors = .63, and 25 x 1.79^2 = 80 > 60
        (60, 14, False),  # 1.26 > .63, but 25 x 1.26^2 = 39.7 < 60
    ],
)
def test_skewness_is_noted_where_it_matters_and_chance_does_not_make_it(n, n_large, noted):
    x = np.array([0.5 * (np.arange(n) < n_large), np.zeros(n)])
    assert mentions(notes_of(x), "too skewed") == noted


def test_one_difference_on_all_queries_says_what_may_be_missed():
    x = np.array([[0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]])
    for test in ("t", "permutation", "sign"):
        notes = notes_of(x, test=test, rng=1)
        assert mentions(notes, "the same difference", "signs only", "31 % of queries")  # 1 - .05^(1/8) = .312
        assert not mentions(notes, "too skewed")


def test_systems_that_differ_in_kind_are_noted_where_a_test_takes_one_spread_for_all():
    rng = np.random.default_rng(1)
    twins = rng.random(40) + 0.01 * rng.standard_normal((4, 40))
    kinds = np.vstack([twins, rng.random(40)])
    alike = rng.random((5, 40))
    for test in ("tukey", "randomised-tukey", "nemenyi"):
        options = {"test": test, "n_resamples": 99, "rng": 1}
        assert mentions(notes_of(kinds, **options), "epsilon 0.", f"the test {test} takes one spread", "max-t")
        assert not mentions(notes_of(alike, **options), "one spread")
    for test in ("t", "max-t"):
        notes = notes_of(kinds, test=test, n_resamples=99, rng=1)
        assert not mentions(notes, "one spread")
        anova = two_way_anova(kinds)
        assert mentions(notes, "two-way ANOVA", f"epsilon {anova.epsilon:.2f}", f"p = {anova.pvalue_corrected:.4f}")


def test_a_note_names_two_pairs_and_counts_more():
    x = np.array([[0.1, 0.2, 0.3]] * 4)
    assert mentions(notes_of(x), "6 of 6", "same values")
    x[2:] += [[0.1, 0.0, 0.3], [0.2, 0.3, 0.0]]
    assert mentions(notes_of(x), "a and b", "same values")


# What is refused


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"baseline": "z"}, UnknownName, "'z'.* a, b"),
        ({"alpha": 0}, ParameterError, r"alpha is 0, .* 0\.5"),
        ({"alpha": 1.0}, ParameterError, "alpha is 1.0"),
        ({"alpha": float("nan")}, ParameterError, "alpha is nan"),
        ({"alpha": "high"}, ParameterError, "alpha is 'high'"),
        ({"rope": -0.1}, ParameterError, r"rope is -0\.1, .* 0"),
        ({"n_resamples": 0}, ParameterError, "n_resamples is 0"),
        ({"rng": -1}, ParameterError, "rng is -1"),
        ({"rng": "seed"}, ParameterError, "rng is 'seed'"),
        ({"test": "anova"}, UnknownName, "unknown test 'anova'"),
        ({"test": ["t"]}, UnknownName, "unknown test"),
        ({"correction": "sidak"}, UnknownName, "unknown correction 'sidak'"),
        ({"family": "measures"}, UnknownName, "unknown family"),
        ({"interval": "normal"}, UnknownName, "unknown interval"),
        ({"alternative": "bigger"}, ParameterError, "alternative is 'bigger'"),
        ({"test": "tukey", "baseline": "a"}, ParameterError, "baseline cannot be combined with test='tukey'"),
        (
            {"test": "nemenyi", "alternative": "less"},
            ParameterError,
            "alternative cannot be combined with test='nemenyi'",
        ),
        (
            {"test": "bayes-t", "alternative": "less"},
            ParameterError,
            "alternative cannot be combined with test='bayes-t'",
        ),
    ],
)
def test_what_cannot_be_asked_for_is_refused_in_one_line(options, error, says):
    with pytest.raises(error, match=says) as raised:
        rs.compare(random_table(2, 10), **options)
    assert "\n" not in str(raised.value)


def test_one_system_has_nothing_to_be_compared_with():
    with pytest.raises(ParameterError, match=r"1 system \(a\), .* 2 "):
        rs.compare(score_table([[0.1, 0.2]]))


def test_what_are_no_scores_is_told_how_to_become_some():
    qrels, runs = small()
    with pytest.raises(ParameterError, match=r"scores .* dict, .* evaluate\("):
        rs.compare(qrels, runs)


def test_systems_without_a_query_in_common_are_refused():
    with pytest.raises(InputError, match=r"AP .* a, b"):
        rs.compare(score_table([[0.1, np.nan], [np.nan, 0.2]]))


def test_a_measure_without_a_direction_is_refused():
    with pytest.raises(ParameterError, match="NumRet neither higher nor lower"):
        rs.compare(score_table([[1, 2, 3], [4, 5, 6]], "NumRet"))
