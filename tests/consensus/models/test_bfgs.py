"""Many maxima at once, against SciPy's one at a time."""

import numpy as np
from scipy.optimize import minimize

from rankscope.consensus.models.bfgs import maximise


def test_maxima_of_softplus_valleys_equal_scipys():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(6, 8, 3)), rng.normal(size=(6, 8))
    calls = []

    def height(some, x):
        """Concave, of several scales; the last draw starts far from its top."""
        calls.append(len(some))
        u = np.einsum("drn,dn->dr", a[some], x) + b[some]
        value = -(np.log1p(np.exp(-np.abs(u))) + np.maximum(u, 0)).sum(1) - 0.05 * (x**2).sum(1)
        return value, -np.einsum("drn,dr->dn", a[some], 1 / (1 + np.exp(-u))) - 0.1 * x

    start = np.zeros((6, 3))
    start[5] = 8.0
    found, steep = maximise(height, start, np.eye(3), np.full(6, 1e-9))
    assert (steep <= 1e-9).all()
    for d in range(6):
        peer = minimize(lambda x, d=d: -height(np.array([d]), x[None])[0][0], np.zeros(3), tol=1e-12)
        np.testing.assert_allclose(found[d], peer.x, atol=1e-5)


def test_a_draw_at_its_top_stays_and_what_cannot_rise_is_said():
    top = maximise(lambda some, x: (-(x**2).sum(1), -2 * x), np.zeros((1, 2)), np.eye(2), np.array([1e-9]))
    assert top[0].tolist() == [[0.0, 0.0]]
    # a slope that promises what no step gains: nothing moves, and the steepness tells
    lying = maximise(
        lambda some, x: (-np.abs(x).sum(1), np.ones_like(x)), np.zeros((1, 2)), np.eye(2), np.array([1e-9])
    )
    assert lying[0].tolist() == [[0.0, 0.0]]
    assert lying[1].tolist() == [1.0]
