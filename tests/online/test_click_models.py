"""Click models: their marginal probabilities of clicks, in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.errors import ParameterError
from rankscope.online import simulate_clicks

N = 40_000
ATTRACTION = np.array([0.5, 0.2, 0.6])


def shares(model, **options):
    return simulate_clicks(np.tile(ATTRACTION, (N, 1)), model, rng=1, **options).mean(axis=0)


def test_position_based_clicks_are_attraction_times_examination():
    assert shares("position-based", eta=1) == pytest.approx(ATTRACTION / [1, 2, 3], abs=0.01)


def test_cascade_ends_with_the_first_click():
    assert shares("cascade") == pytest.approx([0.5, 0.5 * 0.2, 0.5 * 0.8 * 0.6], abs=0.01)


def test_dynamic_bayesian_goes_on_unless_satisfied_or_tired():
    satisfaction, continuation = 0.4, 0.8
    examined, expected = 1.0, []
    for attraction in ATTRACTION:
        expected.append(examined * attraction)
        examined *= (1 - attraction * satisfaction) * continuation
    found = shares("dynamic-bayesian", satisfaction=satisfaction, continuation=continuation)
    assert found == pytest.approx(expected, abs=0.01)


def test_numbers_that_are_no_probabilities_are_refused():
    with pytest.raises(ParameterError, match="attraction"):
        simulate_clicks([[1.5]])
    with pytest.raises(ParameterError, match="model"):
        simulate_clicks([[0.5]], "ubm")
