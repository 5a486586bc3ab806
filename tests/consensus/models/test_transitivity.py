"""Strengths on one scale against a probability for each two systems."""

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.wins_by_system import wins_by_system

from rankscope import Preferences
from rankscope.consensus.models import deviance_from_pairs, fit_preferences
from rankscope.errors import ParameterError


def won(times, **more):
    """times: (left, right) -> (wins of the left one, ties, wins of the right one)."""
    rows = [
        (i, j, o) for (i, j), counts in times.items() for o, n in zip((1, 0, -1), counts, strict=True) for _ in range(n)
    ]
    left, right, outcome = np.array(rows).T
    names = tuple(f"s{i}" for i in range(max(left.max(), right.max()) + 1))
    return Preferences(systems=names, left=left, right=right, outcome=outcome, **more)


def test_the_deviance_is_that_of_each_pair_from_its_own_share():
    counts = {(0, 1): (12, 0, 8), (1, 2): (15, 0, 5), (2, 0): (9, 0, 11)}
    seen = won(counts)
    fitted = fit_preferences(seen)
    found = deviance_from_pairs(seen, fitted)
    own = sum(n * np.log(n / 20) for a, _, b in counts.values() for n in (a, b))
    assert found.deviance == pytest.approx(2 * (own - fitted.loglikelihood), abs=1e-10)
    assert found.df == 3 - 2  # pairs, less strengths that are free
    assert found.notes == ()


def test_the_deviance_of_davidson_counts_ties():
    counts = {(0, 1): (12, 4, 8), (1, 2): (15, 5, 5), (2, 0): (9, 9, 11)}
    seen = won(counts)
    fitted = fit_preferences(seen, model="davidson")
    found = deviance_from_pairs(seen, fitted)
    own = sum(n * np.log(n / sum(three)) for three in counts.values() for n in three)
    assert found.deviance == pytest.approx(2 * (own - fitted.loglikelihood), abs=1e-10)
    assert found.df == 3 * 2 - 2 - 1


def test_two_systems_leave_nothing_to_test():
    seen = won({(0, 1): (12, 0, 8)})
    found = deviance_from_pairs(seen, fit_preferences(seen))
    assert found.deviance == pytest.approx(0, abs=1e-10)
    assert found.df == 0
    assert np.isnan(found.pvalue)


def test_notes_say_where_the_pvalue_is_not_to_be_trusted():
    few = won({(0, 1): (2, 1, 1), (1, 2): (1, 0, 1), (2, 0): (1, 0, 2)}, weight=np.full(9, 2.0))
    notes = deviance_from_pairs(few, fit_preferences(few, prior=0.5)).notes
    for part in ("below 5", "ties", "weights", "prior"):
        assert mentions(notes, part)


def test_the_estimate_of_others_is_refused():
    seen, other = won({(0, 1): (2, 0, 1)}), won({(0, 1): (1, 0, 1), (1, 2): (1, 0, 1)})
    with pytest.raises(ParameterError, match="of other systems"):
        deviance_from_pairs(seen, fit_preferences(other))


def test_position_and_covariates_are_part_of_the_expected_wins():
    rng = np.random.default_rng(2)
    left = rng.integers(0, 4, 200)
    right = (left + rng.integers(1, 4, 200)) % 4
    seen = Preferences(
        systems=tuple("abcd"),
        left=left,
        right=right,
        outcome=rng.integers(-1, 2, 200),
        covariates={"length": rng.integers(-2, 3, 200)},
    )
    fitted = fit_preferences(seen, covariates=["length"], position=True)
    observed, expected = wins_by_system(seen, fitted)
    assert observed == pytest.approx(expected, abs=1e-8)
    points = np.bincount(left, (seen.outcome + 1) / 2, 4) + np.bincount(right, (1 - seen.outcome) / 2, 4)
    assert observed == pytest.approx(points, abs=1e-10)


@pytest.mark.slow
def test_pvalues_are_even_where_the_model_is_right():
    strengths, pvalues = np.array([0.6, 0.2, -0.1, -0.7]), []
    for seed in range(600):
        rng = np.random.default_rng(seed)
        left, right = np.array([(i, j) for i in range(4) for j in range(i) for _ in range(80)]).T
        p = 1 / (1 + np.exp(strengths[right] - strengths[left]))
        outcome = np.where(rng.random(p.size) < p, 1, -1)
        seen = Preferences(systems=tuple("abcd"), left=left, right=right, outcome=outcome)
        pvalues.append(deviance_from_pairs(seen, fit_preferences(seen)).pvalue)
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(pvalues) < level) == pytest.approx(level, abs=3.5 * np.sqrt(level * (1 - level) / 600))
