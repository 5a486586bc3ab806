"""Robust Rank Aggregation against its definition, counts of all cases, and the package's conventions."""

from itertools import product
from math import comb

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope import Votes
from rankscope.consensus import RobustRank
from rankscope.consensus.voting.robust_rank_aggregation import null_of_rho
from rankscope.errors import ParameterError


def naive_rho(shares):
    """The least beta probability of the order statistics, by binomial sums; NaN: left out."""
    rising = sorted(share for share in shares if share == share)
    n = len(rising)
    return min(
        (sum(comb(n, j) * r**j * (1 - r) ** (n - j) for j in range(k, n + 1)) for k, r in enumerate(rising, 1)),
        default=1.0,
    )


def votes_of(ranks):
    return Votes(ranks=np.array(ranks, np.float64), items=tuple(f"i{i}" for i in range(len(ranks[0]))))


def test_three_lists_of_three_items_by_hand():
    lists = [["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]
    found = RobustRank(pvalue="none").pvalues(lists)
    third = 1 / 3
    # A has the shares 1/3, 1/3, 2/3: two of three below 1/3 have the chance 3 (1/3)^2 (2/3) + (1/3)^3
    assert found["A"] == pytest.approx(3 * third**2 * (1 - third) + third**3)
    assert found["B"] == pytest.approx(1 - (2 / 3) ** 3)  # 1/3, 2/3, 1: at least one below 1/3
    assert found["C"] == pytest.approx(1 - third**3)  # 2/3, 1, 1: at least one below 2/3
    assert RobustRank(pvalue="bonferroni").pvalues(lists) == pytest.approx({"A": 3 * 7 / 27, "B": 1.0, "C": 1.0})


def test_the_exact_p_value_of_two_lists_is_an_area():
    # rho <= 1/4 is (least share <= a or greatest <= 1/2) with 1 - (1 - a)^2 = 1/4; else both are above a, one above 1/2
    a = 1 - np.sqrt(3 / 4)
    assert null_of_rho(np.array([0.25]), 2)[0] == pytest.approx(1 - ((1 - a) ** 2 - (0.5 - a) ** 2))


def test_small_p_values_keep_their_digits_and_one_is_one():
    found = null_of_rho(np.array([1e-40, 1e-20, 1.0]), 10)
    assert found[2] == pytest.approx(1.0)
    assert 1 < found[1] / 1e-20 < 10  # no less than one of the ten events, no more than all
    assert found[0] / 1e-40 == pytest.approx(found[1] / 1e-20, rel=1e-2)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_the_exact_distribution_is_that_of_random_lists(n):
    shares = np.sort(np.random.default_rng(n).random((40_000, n)), axis=1)
    rho = stats.beta.cdf(shares, np.arange(1, n + 1), n - np.arange(n)).min(axis=1)
    at = np.array([0.02, 0.2, 0.6])
    expected = (rho[:, None] <= at).mean(axis=0)
    np.testing.assert_allclose(null_of_rho(at, n), expected, atol=5 * 0.5 / np.sqrt(40_000))


ballots = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from([1, 2, 3, np.nan]), min_size=n, max_size=n), min_size=2, max_size=5)
)


@examples(40)
@given(ballots, st.sampled_from(["worst", "ignore"]), st.integers(0, 1000))
def test_draws_equal_the_definition_on_repeated_lists(ranks, unranked, seed):
    table = np.array(ranks)
    if np.isnan(table).all(axis=0).any() or np.isnan(table).all(axis=1).any():
        return
    votes = votes_of(ranks)
    times = np.random.default_rng(seed).multinomial(len(table), [1 / len(table)] * len(table), 3)
    found = RobustRank(unranked=unranked, pvalue="none").resampled_pvalues(votes, times.astype(float))
    places, n = votes.places, table.shape[1]
    shares = (
        votes.fill_unranked("worst") / n if unranked == "worst" else places / (~np.isnan(places)).sum(1, keepdims=True)
    )
    for draw, item in product(range(3), range(n)):
        assert found[draw, item] == pytest.approx(naive_rho(np.repeat(shares[:, item], times[draw])))


@pytest.mark.parametrize("pvalue", ["exact", "bonferroni"])
def test_an_item_that_no_drawn_list_has_is_not_the_best(pvalue):
    votes = Votes.of([["A", "B", "C"], ["A", "B", "C"], ["A", "B", "D"]])
    only_first = np.array([[3, 0, 0]])
    scores = RobustRank(unranked="ignore", pvalue=pvalue).scores(votes, only_first)
    assert np.isfinite(scores).all()
    assert votes.items[int(scores[0].argmax())] == "A"
    assert scores[0, votes.items.index("D")] == 0


def test_ignored_lists_are_not_counted():
    """As `full=TRUE` of the package: places by the length of the list, times the number of lists with the item."""
    found = RobustRank(unranked="ignore", pvalue="bonferroni").pvalues([["A", "B"], ["A", "C", "B", "D"], ["B", "C"]])
    assert found["D"] == 1.0  # last in its only list
    assert found["A"] == pytest.approx(min(2 * min(1 - (3 / 4) ** 2, (1 / 2) ** 2), 1))  # 1/4 and 1/2, of two lists


def test_an_item_at_the_top_of_half_the_lists_beats_one_in_the_middle_of_all():
    others = [f"i{i}" for i in range(18)]
    lists = [["A", *others[:7], "M", *others[7:]]] * 5 + [[*others[:8], "M", *others[8:], "A"]] * 5
    found = RobustRank(pvalue="none").pvalues(lists)
    assert found["M"] == pytest.approx((9 / 20) ** 10)  # all ten lists have it by place 9
    assert found["A"] == pytest.approx(sum(comb(10, k) * 0.05**k * 0.95 ** (10 - k) for k in range(5, 11)))
    assert found["A"] < found["M"]


def test_scores_are_logs_and_notes_count_what_is_above_chance():
    found = RobustRank().order([[f"i{i}" for i in range(20)]] * 6)
    assert found["i0"] == pytest.approx(-np.log10(RobustRank().pvalues([[f"i{i}" for i in range(20)]] * 6)["i0"]))
    assert found.order[:2] == ("i0", "i1")
    assert found.details["smallest p-value"] == pytest.approx(10 ** -found["i0"])
    (above_chance,) = (value for name, value in found.details.items() if "higher than chance" in name)
    assert above_chance >= 2
    assert mentions(found.notes[0], "higher", "by chance")


def test_many_draws_are_interpolated_in_the_right_order():
    rng = np.random.default_rng(2)
    votes = votes_of(np.argsort(np.argsort(rng.random((12, 30)), axis=1), axis=1) + 1.0)
    weights = rng.multinomial(12, [1 / 12] * 12, 60).astype(float)
    found = RobustRank().resampled_pvalues(votes, weights)
    rho = RobustRank(pvalue="none").resampled_pvalues(votes, weights)
    np.testing.assert_allclose(found[0], null_of_rho(rho[0], 12), rtol=1e-3)
    assert (np.argsort(np.argsort(found, axis=1)) == np.argsort(np.argsort(rho, axis=1))).all()


def test_unequal_weights_and_unknown_words_are_refused():
    lists = [["A", "B"], ["B", "A"]]
    with pytest.raises(ParameterError, match="expected equal weights"):
        RobustRank().order(lists, weights=[1, 2])
    assert_same_numbers(
        RobustRank().order(lists, weights=[2, 2]).scores.tolist(), RobustRank().order(lists).scores.tolist()
    )
    with pytest.raises(ParameterError, match="pvalue is 'stuart'"):
        RobustRank(pvalue="stuart").order(lists)
    with pytest.raises(ParameterError, match="unranked is 'average'"):
        RobustRank(unranked="average")


@pytest.mark.slow
def test_exact_p_values_of_random_lists_are_uniform():
    rng = np.random.default_rng(5)
    votes = votes_of(np.argsort(np.argsort(rng.random((8, 2000)), axis=1), axis=1) + 1.0)
    pvalues = RobustRank().resampled_pvalues(votes, votes.weights[None])[0]
    assert stats.kstest(pvalues, "uniform").pvalue > 0.01
