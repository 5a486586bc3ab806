"""Mallows' law against sums over all orders."""

from itertools import permutations

import numpy as np
import pytest

from rankscope.consensus.models.mallows import law_of_distance, log_normaliser, moments_of_distance, theta_of_mean


def distances(n):
    orders = permutations(range(n))
    return np.array([sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n)) for p in orders])


@pytest.mark.parametrize("theta", [0.0, 1e-9, 0.009, 0.011, 0.049, 0.051, 0.3, 0.99, 1.01, 2.0, 40.0])
def test_law_moments_and_normaliser_equal_sums_over_all_orders(theta):
    d = distances(5)
    weight = np.exp(-theta * d)
    chance = weight / weight.sum()
    mean = chance @ d
    np.testing.assert_allclose(law_of_distance(5, theta), np.bincount(d, chance), rtol=1e-12)
    found = moments_of_distance(5, theta)
    assert found == pytest.approx((mean, chance @ (d - mean) ** 2), rel=1e-10)
    assert log_normaliser(5, theta) == pytest.approx(np.log(weight.sum()), abs=1e-13)
    assert theta_of_mean(5, mean) == pytest.approx(theta, rel=1e-9, abs=1e-12)


def test_at_theta_zero_the_law_is_that_of_mahonian_numbers():
    np.testing.assert_allclose(law_of_distance(4, 0.0) * 24, [1, 3, 5, 6, 5, 3, 1])
    assert moments_of_distance(4, 0.0) == pytest.approx((4 * 3 / 4, 4 * 3 * 13 / 72))


def test_many_items_lose_no_digits():
    j = np.arange(1, 501)
    for theta in (1e-4, 0.04, 0.06, 3.0):
        part = [np.arange(k) for k in j]
        means = [np.exp(-theta * i) @ i / np.exp(-theta * i).sum() for i in part]
        squares = [np.exp(-theta * i) @ i**2 / np.exp(-theta * i).sum() for i in part]
        expected = sum(means), sum(np.array(squares) - np.array(means) ** 2)
        assert moments_of_distance(500, theta) == pytest.approx(expected, rel=1e-10)


def test_the_ends_of_theta():
    assert theta_of_mean(4, 0.0) == np.inf
    assert theta_of_mean(4, 3.0) == theta_of_mean(4, 5.0) == 0.0
    assert moments_of_distance(4, np.inf) == (0.0, 0.0)
