"""Isotonic regression, and estimates with a machine that is fitted to people's labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.same import assert_same_numbers

from rankscope.errors import ParameterError
from rankscope.stats.isotonic import isotonic_predictions, pool_adjacent_violators
from rankscope.stats.prediction_powered import prediction_powered
from rankscope.stats.prediction_powered.combined import design_of
from rankscope.stats.prediction_powered.cross_fitting import cross_fitted, folds_of


def naive_isotonic(values: list[float], weights: list[float]) -> list[float]:
    """max over begins <= i of the min over ends >= i of the weighted mean between them."""

    def mean(a: int, b: int) -> float:
        return sum(v * w for v, w in zip(values[a:b], weights[a:b], strict=True)) / sum(weights[a:b])

    n = len(values)
    return [max(min(mean(a, b) for b in range(i + 1, n + 1)) for a in range(i + 1)) for i in range(n)]


def test_pooling_adjacent_violators_gives_the_max_of_the_mins_of_means() -> None:
    rng = np.random.default_rng(1)
    values, weights = rng.normal(size=(6, 15)), rng.uniform(0.1, 3, size=(6, 15))
    values[0] = np.sort(values[0])[::-1]
    values[1] = np.sort(values[1])
    expected = [naive_isotonic(*rows) for rows in zip(values.tolist(), weights.tolist(), strict=True)]
    assert_same_numbers(pool_adjacent_violators(values, weights), expected)


def test_it_is_scipys_isotonic_regression() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(2)
    values, weights = np.linspace(0, 1, 300) + rng.normal(size=300), rng.uniform(0.1, 3, 300)
    expected = optimize.isotonic_regression(values, weights=weights).x
    assert_same_numbers(pool_adjacent_violators(values[None], weights[None])[0], expected)


def test_items_without_a_weight_have_the_value_before_them() -> None:
    values, weights = np.array([[9.0, 2.0, 7.0, 1.0, 5.0]]), np.array([[0.0, 1.0, 0.0, 1.0, 1.0]])
    assert pool_adjacent_violators(values, weights).tolist() == [[1.5, 1.5, 1.5, 1.5, 5.0]]


def test_predictions_are_interpolated_and_equal_values_are_one_point() -> None:
    rng = np.random.default_rng(3)
    x, y, weights = rng.integers(0, 8, 40).astype(float), rng.normal(size=20), rng.uniform(0, 2, 20)
    weights[::5] = 0
    points = sorted(set(x[:20][weights > 0].tolist()))
    own = [(x[:20] == point) & (weights > 0) for point in points]
    fitted = naive_isotonic(
        [float(np.average(y[rows], weights=weights[rows])) for rows in own],
        [float(weights[rows].sum()) for rows in own],
    )
    expected = np.interp(x, points, fitted)
    assert_same_numbers(isotonic_predictions(x[None], y[None], weights)[0], expected)


Sample = dict[str, Any]


def samples() -> list[Sample]:
    rng = np.random.default_rng(5)
    return [
        {},
        {"chances": rng.uniform(0.2, 0.9, 40)},
        {"clusters": np.concatenate((np.arange(40) // 2, np.arange(80) // 2 + 18))},
        {"strata": np.arange(120) % 3, "weights": rng.uniform(1, 2, 120)},
    ]


@pytest.mark.parametrize("sample", samples())
def test_each_item_is_predicted_by_fits_without_its_fold_and_others_by_the_mean_of_fits(sample: Sample) -> None:
    rng = np.random.default_rng(4)
    h, m, n = rng.normal(size=40), rng.normal(size=120), 40
    options = {"clusters": None, "weights": None, "strata": None, "chances": None} | sample
    design = design_of(n, 120, population="source", **options)
    folds = folds_of(design)
    weights = np.ones(n) if design.weights is None else design.weights[:n]
    weights = weights if design.chances is None else weights / design.chances
    strata = np.zeros(120, int) if design.strata is None else design.strata
    expected = np.zeros(120)
    fits = [isotonic_predictions(m[None], h[None], weights * (folds[:n] != k))[0] for k in range(10)]
    for i in range(120):
        if folds[i] >= 0:
            expected[i] = fits[folds[i]][i]
        else:
            own = [weights[(folds[:n] == k) & (strata[:n] == strata[i])].sum() for k in range(10)]
            expected[i] = sum(w * fit[i] for w, fit in zip(own, fits, strict=True)) / sum(own)
    assert_same_numbers(cross_fitted(h[None], m[None], None, "isotonic", design)[0], expected)
    if design.clusters is not None:  # a cluster is in one fold
        assert len({(c, f) for c, f in zip(design.clusters, folds, strict=True) if f >= 0}) == 20


def test_signals_are_a_ridge_regression_without_the_fold() -> None:
    rng = np.random.default_rng(6)
    h, m, signals = rng.normal(size=30), rng.normal(size=90), rng.normal(size=(2, 90))
    design = design_of(30, 90, None, None, None, None, "source")
    found = cross_fitted(h[None], m[None], signals[:, None], "none", design)[0]
    folds = folds_of(design)
    for fold in range(3):
        fit, own = np.flatnonzero(folds[:30] != fold), np.flatnonzero(folds == fold)
        x = np.column_stack((m, *signals))
        x = (x - x[fit].mean(axis=0)) / x[fit].std(axis=0)
        # A row of the penalty for each column: its coefficient is to be 0.
        slopes = np.linalg.lstsq(np.vstack((x[fit], np.eye(3))), np.concatenate((h[fit] - h[fit].mean(), np.zeros(3))))[
            0
        ]
        assert_same_numbers(found[own], x[own] @ slopes)


def test_a_label_does_not_change_what_is_predicted_for_its_own_item() -> None:
    rng = np.random.default_rng(7)
    h, m = rng.normal(size=(1, 50)), rng.normal(size=(1, 150))
    design = design_of(50, 150, None, None, None, None, "source")
    moved = h.copy()
    moved[0, 13] += 5
    before, after = (cross_fitted(x, m, m[None] ** 2, "isotonic", design)[0] for x in (h, moved))
    assert before[13] == after[13]
    assert not np.allclose(before, after)


def curved(n: int, seed: int = 8) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    h = rng.normal(size=400)
    m = np.exp(3 * (h + 0.2 * rng.normal(size=400)))
    return h[:n], m[:n], m[n:]


def test_calibration_narrows_what_a_straight_line_does_not_and_leaves_the_rest() -> None:
    plain, fitted = (prediction_powered(*curved(60), calibration=name) for name in ("none", "isotonic"))
    assert bool(fitted.is_fitted)
    assert not bool(plain.is_fitted)
    widths = [float(x.combined_high - x.combined_low) for x in (plain, fitted)]
    assert widths[1] < 0.6 * widths[0]
    for name in ("human", "human_low", "machine", "machine_low", "bias", "bias_pvalue"):
        assert getattr(fitted, name) == getattr(plain, name)


def test_from_few_labels_nothing_is_fitted() -> None:
    plain, fitted = (prediction_powered(*curved(29), calibration=name) for name in ("none", "isotonic"))
    assert not bool(fitted.is_fitted)
    assert fitted.combined_low == plain.combined_low
    assert bool(prediction_powered(*curved(30), calibration="isotonic").is_fitted)


def test_a_fit_that_looks_perfect_leaves_the_variance_of_one_value() -> None:
    h = np.tile([0.0, 1.0], 20)
    others = np.tile([0.0, 1.0], 30)
    found = prediction_powered(h, h, others, population="items", signals=np.zeros((1, 100)))
    assert not bool(found.is_fitted)  # the machine itself is right
    noise = np.linspace(-1, 1, 40)
    found = prediction_powered(h, noise, np.zeros(60), population="items", signals=np.concatenate((h, others))[None],
                               calibration="isotonic")  # fmt: skip
    half = float(found.combined_high - found.combined)
    variance = 2 * h.var(ddof=1) / 40 * (1 - 0.4) / 40
    assert bool(found.is_fitted)
    assert_same_numbers(half, 2.0243941645751362 * variance**0.5)  # Student's quantile, 38 degrees of freedom


@pytest.mark.parametrize(
    ("options", "name"),
    [({"calibration": "platt"}, "calibration"), ({"signals": np.zeros((1, 30))}, "signals"),
     ({"signals": np.full((1, 400), np.nan)}, "signals")],
)  # fmt: skip
def test_what_cannot_be_fitted_is_refused(options: dict[str, Any], name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        prediction_powered(*curved(60), **options)


Maker = Callable[[Any, np.random.Generator], Any]
MACHINES: dict[str, Maker] = {
    "useless": lambda h, rng: rng.normal(size=h.shape),
    "biased": lambda h, rng: 0.3 + 0.6 * h + 0.3 * rng.normal(size=h.shape),
    "non-linear": lambda h, rng: np.exp(3 * (h + 0.2 * rng.normal(size=h.shape))),
    "perfect": lambda h, rng: h.copy(),
}


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("n", [20, 50, 200])
def test_intervals_of_a_fitted_machine_keep_their_level(n: int, labels: bool, machine: str) -> None:
    """Of 400 items; values are normal, or 0 and 1."""
    rng, runs = np.random.default_rng(9), 1000
    h = (rng.random((runs, 400)) < 0.3).astype(float) if labels else rng.normal(size=(runs, 400))
    m, signals = MACHINES[machine](h, rng), (h + rng.normal(size=h.shape))[None]
    for options in ({"calibration": "isotonic"}, {"signals": signals}):
        found = prediction_powered(h[:, :n], m[:, :n], m[:, n:], **options)
        truth = 0.3 if labels else 0.0
        covered, of_people = (
            float(((getattr(found, f"{name}_low") <= truth) & (truth <= getattr(found, f"{name}_high"))).mean())
            for name in ("combined", "human")
        )
        error = (0.95 * 0.05 / runs) ** 0.5
        assert covered > min(0.94, of_people) - 3 * error, (
            f"{options.keys()}: {covered:.3f}, standard error {error:.4f}"
        )
        width, people = (
            float((getattr(found, f"{name}_high") - getattr(found, f"{name}_low")).mean())
            for name in ("combined", "human")
        )
        assert width <= 1.02 * people


def designed_draw(design: str, rng: np.random.Generator) -> tuple[Any, Any, Any, Any, Any]:
    """Strata (of 5, 10, 25 and 60 %), clusters (of 1 to 60 items), chances (of .02 to 1) and which items people judged,
    and what chances depend on; None for what the design has not.
    """
    clustered, unequal = "clusters" in design, "chances" in design
    sizes = np.clip(np.exp(1.2 + rng.normal(size=240)).round(), 1, 60).astype(int) if clustered else np.ones(800, int)
    stratum = np.zeros(sizes.size, int)
    if "strata" in design:
        stratum = np.searchsorted([0.05, 0.15, 0.4], np.arange(sizes.size) / sizes.size, side="right")
    latent = rng.normal(size=sizes.size)
    chance = np.clip(np.exp(-1.8 + 1.1 * latent + 0.5 * rng.normal(size=sizes.size)), 0.02, 1.0)
    is_judged = rng.random(sizes.size) < chance
    if not unequal:
        is_judged[:] = False
        for g in np.unique(stratum):
            own = rng.permutation(np.flatnonzero(stratum == g))
            is_judged[own[: min(own.size // 2, 80 // (1 + int(stratum.max())))]] = True
    unit = np.repeat(np.arange(sizes.size), sizes)
    return (
        stratum[unit] if "strata" in design else None,
        unit if clustered else None,
        chance[unit] if unequal else None,
        is_judged[unit],
        latent[unit],
    )


@pytest.mark.slow
@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("design", ["strata", "clusters", "chances", "strata clusters", "clusters chances"])
def test_fits_beside_designs_keep_their_level(design: str, labels: bool) -> None:
    """A biased machine; values are normal, or 0 and 1 with a share of about .1, and depend on what chances depend on.

    Of rare labels people's own intervals hold less often, and those of both about as often (docs/estimate.md).
    """
    rng, runs, covered = np.random.default_rng(15), 25, []
    for _ in range(12):
        strata, clusters, chances, is_judged, latent = designed_draw(design, rng)
        shape = (runs, latent.size)
        effect = 0.0 if clusters is None else rng.normal(size=(runs, int(clusters.max()) + 1))[:, clusters]
        if labels:
            h = (rng.random(shape) < 1 / (1 + np.exp(2.6 - 0.5 * latent - 0.8 * effect))).astype(float)
            m = (rng.random(shape) < np.where(h == 1, 0.85, 0.15)).astype(float)
        else:
            h = 0.5 * latent + 0.7 * effect + rng.normal(size=shape)
            m = 0.3 + 0.6 * h + 0.4 * rng.normal(size=shape)
        order, n = np.argsort(~is_judged, kind="stable"), int(is_judged.sum())
        truth, h, m = h.mean(axis=1), h[:, order], m[:, order]
        sample = {
            "strata": None if strata is None else strata[order],
            "clusters": None if clusters is None else clusters[order],
            "chances": None if chances is None else chances[order][:n],
        }
        for fit in ({"calibration": "isotonic"}, {"signals": (h + rng.normal(size=shape))[None]}):
            found = prediction_powered(h[:, :n], m[:, :n], m[:, n:], population="items", **sample, **fit)
            covered.append(
                [
                    np.mean(abs(truth - getattr(found, name)) <= getattr(found, f"{name}_high") - getattr(found, name))
                    for name in ("combined", "human")
                ]
            )
            width, people = ((getattr(found, f"{x}_high") - getattr(found, f"{x}_low")) for x in ("combined", "human"))
            assert (width <= people * (1 + 1e-9)).all()
    combined, of_people = np.mean(covered, axis=0)
    error = (0.95 * 0.05 / (12 * runs)) ** 0.5
    assert combined > min(0.94, of_people) - 3 * error, f"{combined:.3f}, of people {of_people:.3f}, error {error:.4f}"
