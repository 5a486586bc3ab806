"""Importance weighting against its formulas as loops, which agree with open bandit pipeline 0.4.1."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.errors import ParameterError
from rankscope.stats import importance_weighting

N = 60


@pytest.fixture
def decisions():
    """Decisions among three actions: rewards, weights, predictions of the logged and of the target policy's reward."""
    rng = np.random.default_rng(5)
    logging, target, model = rng.dirichlet([1, 1, 1], N), rng.dirichlet([1, 1, 1], N), rng.random((N, 3))
    action = np.array([rng.choice(3, p=shares) for shares in logging])
    rows = np.arange(N)
    return {
        "reward": rng.random(N),
        "weight": (target / logging)[rows, action],
        "predicted": model[rows, action],
        "target": (model * target).sum(axis=1),
    }


def estimate_by_loop(decisions, estimator, clip, leave_out=None, clusters=None):
    total = mass = 0.0
    for i in range(N):
        if clusters is not None and clusters[i] == leave_out:
            continue
        reward, weight = decisions["reward"][i], decisions["weight"][i]
        if estimator == "dr":
            total += decisions["target"][i] + weight * (reward - decisions["predicted"][i])
        else:
            total += (min(weight, clip) if estimator == "clipped" else weight) * reward
        mass += weight if estimator == "snips" else 1.0
    return total / mass


@pytest.mark.parametrize("estimator", ["ips", "snips", "clipped", "dr"])
def test_estimate_and_jackknife_are_those_of_loops(decisions, estimator):
    clip = 2.0
    clusters = np.arange(N) % 7
    options = {"clip": clip} if estimator == "clipped" else {}
    if estimator == "dr":
        options = {"predicted": decisions["predicted"], "predicted_target": decisions["target"]}
    result = importance_weighting(
        decisions["reward"], decisions["weight"], estimator=estimator, clusters=clusters, **options
    )
    value = estimate_by_loop(decisions, estimator, clip)
    gaps = [value - estimate_by_loop(decisions, estimator, clip, cluster, clusters) for cluster in range(7)]
    assert result.value == pytest.approx(value, rel=1e-12)
    assert result.standard_error == pytest.approx(np.sqrt(6 / 7 * np.sum(np.square(gaps))), rel=1e-10)
    assert result.low < result.value < result.high
    assert result.high - result.value == pytest.approx(result.value - result.low)


def test_equal_weights_are_the_mean_with_its_t_interval():
    from scipy.stats import sem, t

    values = np.array([0.1, 0.4, 0.2, 0.9, 0.5])
    result = importance_weighting(values, np.ones(5))
    assert result.value == pytest.approx(values.mean())
    assert result.n_effective == pytest.approx(5)
    assert result.high == pytest.approx(values.mean() + t.ppf(0.975, 4) * sem(values))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"weights": [1.0]}, "weights"),
        ({"weights": [-1.0, 1.0]}, "weight"),
        ({"weights": [0.0, 0.0]}, "weight"),
        ({"clip": 2.0}, "clip"),
        ({"estimator": "clipped"}, "clip"),
        ({"estimator": "dr"}, "predicted"),
        ({"rewards": []}, "rewards"),
    ],
)
def test_what_cannot_be_is_refused(arguments, named):
    arguments = {"rewards": [1.0, 0.0], "weights": [1.0, 1.0], **arguments}
    with pytest.raises(ParameterError, match=named):
        importance_weighting(arguments.pop("rewards"), arguments.pop("weights"), **arguments)
