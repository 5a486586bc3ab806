"""What a comparison claims, on systems whose truth is known: how often it is wrong, of two systems and of many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.score_tables import score_table

import rankscope as rs

pytestmark = pytest.mark.slow

LEVEL = 0.05


def drawn(rng: np.random.Generator, systems: int, n: int, shifts: Any = 0.0) -> Any:
    """Scores in [0, 1] on hard and easy queries, skewed as such scores are; equal systems where nothing is shifted."""
    hard = rng.random(n)
    values = rng.beta(1 + 2 * hard, 2, (systems, n))
    return score_table(values + np.broadcast_to(np.asarray(shifts, float).reshape(-1, 1), values.shape))


def at_most(level: float, runs: int) -> float:
    """The most that chance leaves of a level: 3.5 standard errors."""
    return level + 3.5 * np.sqrt(level * (1 - level) / runs)


@pytest.mark.parametrize("n", [10, 25, 50, 200])
@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "wilcoxon", "sign"])
def test_of_two_equal_systems_one_is_called_better_no_more_often_than_the_level_says(test, n):
    rng, runs = np.random.default_rng(n), 500
    options = {"test": test, "n_resamples": 199, "rng": 1}
    found = [rs.compare(drawn(rng, 2, n), **options)["AP"].decisions[0] for _ in range(runs)]
    assert np.count_nonzero(found) / runs <= at_most(LEVEL, runs)


@pytest.mark.parametrize("n", [10, 25, 50, 200])
@pytest.mark.parametrize("test", ["t", "tukey", "randomised-tukey", "nemenyi"])
def test_among_equal_systems_any_is_called_better_no_more_often_than_the_level_says(test, n):
    """All 10 pairs of 5 systems are one family: the probability of a single wrong claim is what stays at the level."""
    rng, runs = np.random.default_rng(n), 300
    options = {"test": test, "n_resamples": 199, "rng": 1}
    found = [rs.compare(drawn(rng, 5, n), **options)["AP"].decisions.any() for _ in range(runs)]
    assert np.mean(found) <= at_most(LEVEL, runs)
    if test == "randomised-tukey":  # at its level, not only under it
        assert np.mean(found) >= LEVEL - (at_most(LEVEL, runs) - LEVEL)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "hochberg"])
def test_against_a_baseline_any_wrong_claim_stays_at_the_level_where_others_do_differ(correction):
    """Half of the systems are as good as the baseline, the other half better: claims on the first half are wrong."""
    rng, runs = np.random.default_rng(1), 400
    shifts = [0, 0, 0, 0, 0.2, 0.2, 0.2, 0.2]
    options = {"baseline": "a", "correction": correction}
    found = [rs.compare(drawn(rng, 8, 50, shifts), **options)["AP"].decisions for _ in range(runs)]
    assert np.mean([claims[:3].any() for claims in found]) <= at_most(LEVEL, runs)
    assert np.mean([claims[3:] == 1 for claims in found]) > 0.8


def test_of_what_bh_finds_at_most_the_level_is_wrong():
    rng, runs = np.random.default_rng(2), 400
    shifts = [0, 0, 0, 0, 0.2, 0.2, 0.2, 0.2]
    wrong = []
    for _ in range(runs):
        claims = rs.compare(drawn(rng, 8, 50, shifts), baseline="a", correction="bh")["AP"].decisions
        wrong.append(claims[:3].astype(bool).sum() / max(1, np.count_nonzero(claims)))
    assert np.mean(wrong) <= LEVEL + 3.5 * np.std(wrong) / np.sqrt(runs)


def test_without_a_correction_any_wrong_claim_is_far_above_the_level():
    """The test of the tests: what the corrections are for can be seen at this size."""
    rng, runs = np.random.default_rng(1), 200
    found = [rs.compare(drawn(rng, 5, 50), correction="none")["AP"].decisions.any() for _ in range(runs)]
    assert np.mean(found) > 2 * at_most(LEVEL, runs)


@pytest.mark.parametrize("n", [25, 200])
@pytest.mark.parametrize("interval", ["t", "bca", "percentile"])
def test_intervals_hold_a_true_difference_as_often_as_they_say(interval, n):
    rng, runs = np.random.default_rng(n), 500
    held = 0
    for _ in range(runs):
        part = rs.compare(drawn(rng, 2, n, [0.1, 0]), interval=interval, n_resamples=499, rng=1)["AP"]
        held += bool(part.low[0] <= 0.1 <= part.high[0])
    short = 0.6 / n if interval != "t" else 0.0  # bootstrap intervals are a little narrow where queries are few
    assert held / runs >= 1 - at_most(LEVEL, runs) - short
