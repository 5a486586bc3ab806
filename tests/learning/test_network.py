"""The perceptron: scores, gradients against finite differences, what is dropped, how it begins."""

import numpy as np
import pytest
from helpers.losses import differences

from rankscope.learning import network
from rankscope.learning.network import backward, forward, initial_weights, score_documents

SIZES = ((5, 1), (5, 7, 1), (5, 7, 3, 1))


def values_and_weights(sizes, n=6):
    rng = np.random.default_rng(4)
    weights = [w.astype(np.float64) for w in initial_weights(sizes, rng)]
    for bias in weights[1::2]:
        bias += rng.normal(size=bias.shape)
    return rng.normal(size=(n, sizes[0])), weights


def naive_scores(weights, values):
    found = []
    for row in values:
        for layer in range(0, len(weights), 2):
            row = [
                sum(x * w for x, w in zip(row, column, strict=True)) + b
                for column, b in zip(weights[layer].T, weights[layer + 1], strict=True)
            ]
            if layer < len(weights) - 2:
                row = [max(x, 0.0) for x in row]
        found.append(row[0])
    return found


@pytest.mark.parametrize("sizes", SIZES)
def test_scores_are_sums_of_products_and_what_is_above_zero(sizes, monkeypatch):
    values, weights = values_and_weights(sizes)
    expected = naive_scores(weights, values)
    assert forward(weights, values, 0.0, np.random.default_rng(0)).scores == pytest.approx(expected)
    monkeypatch.setattr(network, "DOCUMENTS_AT_ONCE", 4)
    assert score_documents(weights, values) == pytest.approx(expected, abs=1e-6)  # as float32


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("sizes", SIZES)
def test_gradients_are_those_of_finite_differences(sizes, dropout):
    # In float64, where differences say something; the code is the same for float32.
    values, weights = values_and_weights(sizes)
    pull = np.random.default_rng(9).normal(size=len(values))  # by the scores, of any loss

    def run():
        return forward(weights, values, dropout, np.random.default_rng(1))

    changes = backward(weights, run(), pull)
    for weight, change in zip(weights, changes, strict=True):
        kept = weight.copy()

        def loss(flat, weight=weight, kept=kept):
            weight[...] = flat.reshape(kept.shape)
            return float(run().scores @ pull)

        expected = differences(loss, kept.ravel().copy())
        weight[...] = kept
        assert change.ravel() == pytest.approx(expected, abs=1e-7)


def test_values_are_left_as_they_were():
    values, weights = values_and_weights((5, 7, 1))
    before = values.copy()
    found = forward(weights, values, 0.5, np.random.default_rng(0))
    backward(weights, found, np.ones(len(values)))
    score_documents(weights, values)
    assert values.tolist() == before.tolist()


def test_what_is_dropped_is_made_up_for_on_average():
    rng = np.random.default_rng(2)
    weights = [w.astype(np.float64) for w in initial_weights((3, 8, 1), rng)]
    values = rng.normal(size=(1, 3))
    many = np.repeat(values, 20_000, axis=0)
    found = forward(weights, many, 0.3, rng)
    hidden = forward(weights, values, 0.0, rng).inputs[1]
    kept = found.inputs[1][:, hidden[0] > 0] / hidden[:, hidden[0] > 0]
    assert kept[kept > 0] == pytest.approx(1 / 0.7, rel=1e-4)
    assert (kept == 0).mean() == pytest.approx(0.3, abs=4 * np.sqrt(0.3 * 0.7 / kept.size))
    whole = score_documents(weights, values)[0]
    assert abs(found.scores.mean() - whole) < 4 * found.scores.std() / np.sqrt(len(many))


def test_weights_begin_with_the_deviation_of_he_et_al_and_nothing_added():
    matrix, bias, last, end = initial_weights((400, 200, 1), np.random.default_rng(3))
    assert matrix.dtype == bias.dtype == np.float32
    assert matrix.std() == pytest.approx(np.sqrt(2 / 400), rel=0.02)  # He et al. (2015), equation 10
    assert last.shape == (200, 1)
    assert last.std() == pytest.approx(np.sqrt(2 / 200), rel=0.2)
    assert not bias.any()
    assert not end.any()


def test_scores_of_float32_are_float32():
    weights = initial_weights((3, 4, 1), np.random.default_rng(0))
    values = np.ones((2, 3), np.float32)
    found = forward(weights, values, 0.2, np.random.default_rng(0))
    assert found.scores.dtype == np.float32
    assert {one.dtype for one in backward(weights, found, found.scores)} == {np.dtype(np.float32)}
