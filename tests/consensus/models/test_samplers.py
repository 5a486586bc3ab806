"""Random rankings: their frequencies are the chances of their models."""

from itertools import permutations

import numpy as np
import pytest

from rankscope.consensus import sample_mallows, sample_plackett_luce
from rankscope.errors import InputError, ParameterError

N = 20_000


def shares(votes):
    """The share of each order, as a word."""
    words = ["".join(votes.items[i] for i in np.argsort(row)) for row in votes.places]
    return {"".join(p): words.count("".join(p)) / len(words) for p in permutations(votes.items)}


def test_mallows_orders_come_as_often_as_their_distance_says():
    found = shares(sample_mallows("BAC", 0.7, N, rng=1))
    chances = {}
    for word in found:
        places = [word.index(item) for item in "BAC"]
        chances[word] = np.exp(-0.7 * sum(places[i] > places[j] for i in range(3) for j in range(i + 1, 3)))
    total = sum(chances.values())
    for word, chance in chances.items():
        assert found[word] == pytest.approx(chance / total, abs=5 * 0.5 / np.sqrt(N))


def test_plackett_luce_orders_come_as_often_as_choices_say():
    worths = {"A": 3.0, "B": 1.0, "C": 2.0}
    found = shares(sample_plackett_luce(worths, N, rng=1))
    for (a, b, c), share in found.items():
        expected = worths[a] / 6 * worths[b] / (worths[b] + worths[c])
        assert share == pytest.approx(expected, abs=5 * 0.5 / np.sqrt(N))


def test_theta_zero_is_all_orders_and_infinity_is_the_centre():
    assert set(shares(sample_mallows("ABC", 0, 500, rng=1)).values()) - {0} != set()
    assert min(shares(sample_mallows("ABC", 0.0, 500, rng=1)).values()) > 0.1
    assert shares(sample_mallows("CAB", float("inf"), 9))["CAB"] == 1.0
    assert shares(sample_mallows("CAB", 1000.0, 9))["CAB"] == 1.0


def test_a_seed_gives_the_same_votes():
    first, second = (sample_mallows("ABCDE", 0.5, 4, rng=3).places for _ in range(2))
    assert (first == second).all()


def test_what_is_no_worth_theta_or_number_is_refused():
    for wrong in (-0.1, float("nan"), "1"):
        with pytest.raises(ParameterError, match="theta is"):
            sample_mallows("AB", wrong, 5)
    with pytest.raises(ParameterError, match="n is 1"):
        sample_mallows("AB", 1.0, 1)
    with pytest.raises(ParameterError, match=r"\bworth\b.*'B'.*\b0\b"):
        sample_plackett_luce({"A": 1.0, "B": 0}, 5)
    with pytest.raises(InputError, match=r"\btwo\b.*'A'"):
        sample_mallows("AA", 1.0, 5)
