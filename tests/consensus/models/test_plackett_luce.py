"""Plackett-Luce: worked fits, choix's values, first-order conditions, existence, intervals."""

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Votes
from rankscope.consensus import sample_plackett_luce
from rankscope.consensus.models import LuceModel
from rankscope.consensus.models.plackett_luce import connected, fit_plackett_luce, refuse_unconnected
from rankscope.consensus.models.plackett_luce_likelihood import slope, stages_of
from rankscope.errors import InputError


def fit(lists, **options):
    votes = Votes.of(lists, items=sorted({name for row in lists for name in np.hstack(row).tolist()}))
    return fit_plackett_luce(votes, votes.weights[None], **options)[0]


def test_worths_of_four_lists_by_hand():
    # B and C alike, of worth 1, A of worth a: 4 choices of A = 4 a/(a + 2) + 2 a/(a + 1), so a^2 - 2a - 4 = 0
    found = fit([["A", "B", "C"], ["B", "A", "C"], ["A", "C", "B"], ["C", "A", "B"]])
    assert found[0] - found[1] == pytest.approx(np.log(1 + np.sqrt(5)))
    assert found[1] == pytest.approx(found[2])
    assert found.sum() == pytest.approx(0)


def test_a_tie_of_two_is_half_a_win_each():
    found = fit([["A", "B"], ["A", "B"], [["A", "B"]], ["B", "A"]])  # 2.5 wins to 1.5
    assert found[0] - found[1] == pytest.approx(np.log(2.5 / 1.5))


def test_a_top_list_orders_its_items_above_the_others():
    # four choices among all, two of A, one of B, one of C, and one of A before B: the likelihood is a^2 b c a/(a + b),
    # so that 4 c = 1, a + b = 3/4, and 3 = 4 a + a/(a + b), that is a = 9/16
    found = fit([["A"], ["A"], ["B"], ["C", "A"]])
    np.testing.assert_allclose(np.exp(found) / np.exp(found).sum(), [9 / 16, 3 / 16, 1 / 4], rtol=1e-8)


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        # choix 0.4.1, ilsr_rankings(n, data, tol=1e-14), less its mean
        (
            ["ABCD", "BADC", "ACBD", "DABC", "CBAD", "ABDC"],
            [1.0800128125255752, 0.5133719629891687, -0.7741009261344403, -0.8192838493803036],
        ),
        (
            ["ABC", "BD", "DAC", "CEB", "EA", "AED", "CA"],
            [0.3100775476005145, -0.12559476, -0.22261225, -0.5529110714113917, 0.5910405340712348],
        ),
    ],
    ids=["full", "subsets"],
)
def test_worths_equal_those_of_choix(lists, expected):
    np.testing.assert_allclose(fit([list(row) for row in lists], unranked="ignore"), expected, atol=1e-8)


@examples(25)
@given(st.integers(0, 10_000), st.sampled_from(["average", "ignore"]), st.sampled_from([0.0, 0.5]))
def test_choices_equal_expected_choices_and_draws_equal_each_alone(seed, unranked, prior):
    rng = np.random.default_rng(seed)
    ranks = np.floor(rng.random((6, 4)) * rng.choice([3, 50]))
    ranks[:3][rng.random((3, 4)) < 0.3] = np.nan
    ranks[:, 0] = np.where(np.isnan(ranks).all(axis=1), 1, ranks[:, 0])
    votes = Votes(ranks=ranks, items=tuple("ABCD"), weights=rng.choice([0.5, 1, 2], 6))
    subsets = unranked == "ignore"
    weights = np.vstack([votes.weights, rng.multinomial(6, [1 / 6] * 6, 3) * votes.weights])
    try:
        found = fit_plackett_luce(votes, weights, unranked=unranked, prior=prior)
    except InputError:
        assert not prior
        return
    priors = np.where(connected(votes, weights, subsets), prior, prior or 1e-3)
    left = slope(stages_of(votes.places, subsets=subsets), found, weights, priors)[1]
    np.testing.assert_allclose(left, 0, atol=1e-7)
    np.testing.assert_allclose(found.mean(axis=1), 0, atol=1e-12)
    if prior:
        for row, weight in zip(found, weights, strict=True):
            alone = fit_plackett_luce(votes, weight[None], unranked=unranked, prior=prior)[0]
            np.testing.assert_allclose(row, alone, atol=1e-6)


@examples(40)
@given(st.integers(0, 10_000), st.booleans())
def test_connected_is_what_paths_say(seed, subsets):
    rng = np.random.default_rng(seed)
    ranks = np.floor(rng.random((3, 4)) * 6)
    ranks[rng.random(ranks.shape) < 0.3] = np.nan
    there = ~np.isnan(ranks)
    if not there.any(axis=0).all() or not there.any(axis=1).all():
        return
    votes = Votes(ranks=ranks, items=tuple("ABCD"))
    reach = np.eye(4, dtype=bool)
    for row in ranks:
        for i in range(4):
            for j in range(4):
                if not np.isnan(row[i]):
                    reach[i, j] |= not subsets if np.isnan(row[j]) else bool(row[i] <= row[j])
    for _ in range(4):
        reach = reach @ reach
    assert connected(votes, votes.weights[None], subsets)[0] == reach.all()
    if reach.all():
        refuse_unconnected(votes, votes.weights, subsets)
    else:
        with pytest.raises(InputError, match=r"\bgroups\b.*\bvoter\b"):
            refuse_unconnected(votes, votes.weights, subsets)


def test_no_maximum_is_refused_with_the_parts_named_unless_a_prior_is_given():
    lists = [["A", "B", "C"], ["A", "C", "B"]]
    with pytest.raises(InputError, match=r"\b2 groups\b.*\{A\}.*\{B and C\}"):
        fit(lists)
    found = fit(lists, prior=0.5)
    assert found[0] > found[1] == pytest.approx(found[2])


def test_a_resample_without_a_maximum_keeps_the_right_order():
    votes = Votes.of([["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"]])
    found = fit_plackett_luce(votes, np.array([[1.0, 1, 1], [3, 0, 0]]))
    np.testing.assert_allclose(found[0], 0, atol=1e-9)
    assert found[1][0] > found[1][1] + 3 > found[1][2] + 6


def covariance(votes):
    model = LuceModel.of(votes, "average", 0.0)
    return model.covariance(model.fit(votes.weights))


def test_the_covariance_is_that_of_a_log_odds_and_its_rows_add_up_to_nothing():
    votes = Votes.of([["A", "B"]] * 6 + [["B", "A"]] * 2)
    cov = covariance(votes)
    assert cov[0, 0] + cov[1, 1] - 2 * cov[0, 1] == pytest.approx(1 / 6 + 1 / 2)
    np.testing.assert_allclose(cov.sum(axis=1), 0, atol=1e-12)
    half = covariance(votes.with_weights([2.0] * 8))
    np.testing.assert_allclose(half, cov / 2)


@pytest.mark.slow
@pytest.mark.parametrize("length", [None, 3])
def test_worths_are_found_again_and_intervals_hold_as_often_as_they_say(length):
    logs = np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    rng = np.random.default_rng(7)
    inside = []
    for _ in range(150):
        votes = sample_plackett_luce(dict(zip("ABCDE", np.exp(logs), strict=True)), 80, rng)
        if length:
            places = np.where(votes.places > length, np.nan, votes.places)
            votes = Votes(ranks=places, items=votes.items)
        found = fit_plackett_luce(votes, votes.weights[None])[0]
        error = np.sqrt(np.diag(covariance(votes)))
        inside.append(np.abs(found - logs) <= 1.96 * error)
    assert 0.92 < np.mean(inside) < 0.98
