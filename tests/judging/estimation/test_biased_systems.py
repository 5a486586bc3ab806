"""Of which systems a machine is biased: all are tested together."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.simulated_rates import show
from scipy import stats

from rankscope.judging.estimation.view import biased_systems
from rankscope.stats.prediction_powered import prediction_powered


def estimates(bias, n=20, noise=0.2, seed=1):
    """Of a machine that errs so much on each system on average, on queries that people judged."""
    rng = np.random.default_rng(seed)
    human = rng.normal(0.5, 0.2, (len(bias), n))
    machine = human + np.asarray(bias)[:, None] + noise * rng.normal(size=human.shape)
    return human, machine, prediction_powered(human, machine, rng.normal(0.5, 0.2, (len(bias), 40)))


def test_biases_are_corrected_for_the_number_of_systems_by_holm():
    human, machine, found = estimates([0.2, 0.11, 0.11, 0.09, 0.0, -0.1], seed=2)
    p = stats.ttest_rel(machine, human, axis=1).pvalue
    np.testing.assert_allclose(found.bias_pvalue, p, rtol=1e-9)
    expected, order = [], np.argsort(p)
    # Holm: the smallest times 6, the next times 5, up to the first miss.
    for place, system in enumerate(order.tolist()):
        if p[system] * (6 - place) > 0.05:
            break
        expected.append(system)
    assert biased_systems(found) == sorted(expected)
    assert 0 < len(expected) < (p <= 0.05).sum()  # each for itself would be more


def test_a_machine_that_errs_by_the_same_on_every_query_is_biased():
    _, _, found = estimates([0.25, 0.0], noise=0.0)
    assert biased_systems(found) == [0]


@pytest.mark.slow
def test_an_unbiased_machine_is_called_biased_of_any_system_in_5_of_100_cases():
    runs = 1500
    n_wrong = sum(bool(biased_systems(estimates(np.zeros(6), seed=run)[2])) for run in range(runs))
    show("bias of any of six systems", n_wrong / runs)
    assert n_wrong / runs <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / runs)
    assert n_wrong / runs >= 0.03
