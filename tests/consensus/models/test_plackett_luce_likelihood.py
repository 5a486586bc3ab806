"""The likelihood of Plackett and Luce against loops, and its derivatives against differences."""

import numpy as np
import pytest
from helpers.properties import examples
from helpers.voter_places import some_places
from hypothesis import given
from hypothesis import strategies as st

from rankscope.consensus.models.plackett_luce_likelihood import curvature, prior_curvature, slope, stages_of

STEP = 1e-5


def naive_likelihood(places, logs, subsets):
    """One voter: choices one after the other; tied items leave in equal parts; the last item is no choice."""
    ranked = [i for i in range(len(places)) if not np.isnan(places[i])]
    left = list(ranked) if subsets else list(range(len(places)))
    total = 0.0
    for place in sorted({places[i] for i in ranked}):
        tied = [i for i in ranked if places[i] == place]
        whole, part = sum(np.exp(logs[i]) for i in left), sum(np.exp(logs[i]) for i in tied)
        made = len(tied) - (len(tied) == len(left))
        for s in range(made):
            total += sum(logs[i] for i in tied) / len(tied) - np.log(whole - s / len(tied) * part)
        left = [i for i in left if i not in tied]
    return total


@examples(40)
@given(st.integers(0, 10_000), st.booleans())
def test_likelihood_and_slope_equal_loops_and_differences(seed, subsets):
    places, rng = some_places(seed)
    logs, weights, prior = rng.normal(size=(2, 5)), rng.random((2, 4)), np.array([0.0, 0.7])
    logs -= logs.mean(axis=1, keepdims=True)
    stages = stages_of(places, subsets=subsets)
    value, gained = slope(stages, logs, weights, prior)
    for d in range(2):
        expected = sum(w * naive_likelihood(row, logs[d], subsets) for w, row in zip(weights[d], places, strict=True))
        expected += prior[d] * sum(-np.log1p(np.exp(-x)) - np.log1p(np.exp(x)) for x in logs[d])
        assert value[d] == pytest.approx(expected, abs=1e-9)
    for i in range(5):
        shift = STEP * np.eye(5)[i]
        rise = slope(stages, logs + shift, weights, prior)[0] - slope(stages, logs - shift, weights, prior)[0]
        np.testing.assert_allclose(gained[:, i], rise / (2 * STEP), atol=1e-6)


@examples(30)
@given(st.integers(0, 10_000), st.booleans())
def test_curvature_equals_differences_of_slopes(seed, subsets):
    places, rng = some_places(seed)
    logs, weights = rng.normal(size=5), rng.random(4)
    stages = stages_of(places, subsets=subsets)
    found = curvature(stages, logs, weights) + prior_curvature(logs, 0.3)
    for i in range(5):
        shift = STEP * np.eye(5)[i]
        before, after = (slope(stages, (logs + s)[None], weights[None], np.array([0.3]))[1][0] for s in (-shift, shift))
        np.testing.assert_allclose(found[i], (before - after) / (2 * STEP), atol=1e-6)


def test_a_set_of_votes_a_draw_equals_each_alone_and_chunks_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    places = np.stack([some_places(seed)[0] for seed in (3, 4, 5)])
    logs, weights, prior = rng.normal(size=(3, 5)), rng.random((3, 4)), np.zeros(3)
    together = slope(stages_of(places, subsets=False), logs, weights, prior)
    for d in range(3):
        alone = slope(stages_of(places[d], subsets=False), logs[d : d + 1], weights[d : d + 1], prior[:1])
        np.testing.assert_allclose(together[1][d], alone[1][0], atol=1e-12)
    monkeypatch.setattr("rankscope.consensus.models.plackett_luce_likelihood.NUMBERS", 7)
    preference_matrix_chunks = slope(stages_of(places, subsets=False), logs, weights, prior)
    np.testing.assert_allclose(preference_matrix_chunks[1], together[1], atol=1e-12)
    np.testing.assert_allclose(preference_matrix_chunks[0], together[0])
    stages = stages_of(places[0], subsets=True)
    small = curvature(stages, logs[0], weights[0])
    monkeypatch.undo()
    np.testing.assert_allclose(small, curvature(stages, logs[0], weights[0]), atol=1e-12)
