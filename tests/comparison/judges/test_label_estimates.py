"""Estimates of agreement on labels: against plain loops, scikit-learn and the package krippendorff; their intervals."""

from __future__ import annotations

from itertools import permutations

import krippendorff
import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from rankscope.comparison.judges.label_estimates import CodedLabels, Statistics, estimate_agreement
from rankscope.stats import cohens_kappa, gwets_ac, krippendorffs_alpha

ORDERED = {"positions": np.arange(3.0), "positive": None, "positive_name": "", "by_class": (), "beta": 1.0}
BINARY = {**ORDERED, "positions": None, "positive": 1, "positive_name": "yes"}
#: Items of four raters with three labels; -1 is a gap.
ITEMS = st.lists(st.lists(st.sampled_from([-1, 0, 1, 2, 0]), min_size=4, max_size=4), min_size=4, max_size=25)


def estimate(codes, *, weights=None, clusters=None, machines=1, n_resamples=2, settings=ORDERED, groups=True, rng=0):
    codes = np.array(codes, np.int64)
    n_raters, n_items = codes.shape
    n_people = n_raters - machines
    return estimate_agreement(
        CodedLabels(
            codes=codes,
            n_classes=3 if settings is ORDERED else 2,
            weights=np.ones(n_items) if weights is None else np.array(weights, float),
            clusters=clusters,
        ),
        Statistics(**settings),
        groups=[range(n_raters), range(n_people)] if groups else [],
        people=range(n_people),
        machines=range(n_people, n_raters),
        confidence_level=0.95,
        n_resamples=n_resamples,
        rng=rng,
    )


def value(found, name, row):
    return found.values[[key[0] for key in found.keys].index(name), row]


def with_gaps(codes):
    return np.where(np.array(codes) < 0, np.nan, np.array(codes, float))


@given(ITEMS)
@examples(60)
def test_pairs_and_groups_are_those_of_functions_for_one_table(items):
    codes = np.array(items).T
    assume(len(set(codes[codes >= 0].tolist())) == 3)
    found = estimate(codes)
    ratings = with_gaps(codes)
    for i, (a, b) in enumerate(found.pairs):
        row, both = found.row_of_pair(i), (codes[a] >= 0) & (codes[b] >= 0)
        x, y = codes[a][both], codes[b][both]
        for weights in (None, "linear", "quadratic"):
            suffix = "" if weights is None else f"_{weights}"
            kappa = cohens_kappa(x, y, weights=weights, labels=[0, 1, 2]).value
            assert value(found, f"kappa{suffix}", row) == pytest.approx(kappa, abs=1e-12, nan_ok=True)
            ac = gwets_ac([x, y], weights=weights, classes=[0, 1, 2]).value
            assert value(found, "ac1" if weights is None else f"ac2{suffix}", row) == pytest.approx(ac, abs=1e-12)
        for level in ("nominal", "ordinal", "interval"):
            alpha = krippendorffs_alpha([x, y], level=level).value
            assert value(found, f"alpha_{level}", row) == pytest.approx(alpha, abs=1e-12, nan_ok=True)
        if len(set(x.tolist())) > 1 and len(set(y.tolist())) > 1:
            assert value(found, "mcc", row) == pytest.approx(metrics.matthews_corrcoef(x, y), abs=1e-12)
    if not found.pairs:
        return
    group = ratings if ((codes >= 0).sum(axis=0) > 1).any() else None
    if group is not None:
        for level in ("nominal", "ordinal", "interval"):
            alpha = krippendorffs_alpha(group, level=level).value
            assert value(found, f"alpha_{level}", 0) == pytest.approx(alpha, abs=1e-12, nan_ok=True)
        assert value(found, "ac1", 0) == pytest.approx(gwets_ac(group, classes=[0, 1, 2]).value, abs=1e-12)


def test_alpha_of_all_is_that_of_the_package_krippendorff():
    rng = np.random.default_rng(5)
    codes = rng.integers(-1, 3, (5, 40))
    found = estimate(codes)
    for level in ("nominal", "ordinal", "interval"):
        theirs = krippendorff.alpha(with_gaps(codes), level_of_measurement=level)
        assert value(found, f"alpha_{level}", 0) == pytest.approx(theirs, abs=1e-12)


def test_statistics_of_two_labels_are_those_of_scikit_learn():
    rng = np.random.default_rng(6)
    x = rng.integers(0, 2, 60)
    y = np.where(rng.random(60) < 0.7, x, 1 - x)
    found = estimate([x, y], machines=0, settings=BINARY, groups=False)
    expected = {
        "agreement": metrics.accuracy_score(x, y),
        "kappa": metrics.cohen_kappa_score(x, y),
        "mcc": metrics.matthews_corrcoef(x, y),
        "fscore": metrics.f1_score(x, y),
        "precision": metrics.precision_score(x, y),
        "recall": metrics.recall_score(x, y),
        "specificity": metrics.recall_score(x, y, pos_label=0),
    }
    assert {name: value(found, name, 0) for name in expected} == pytest.approx(expected)


def plain_ceiling(codes, name, machine, people, left_out=None):
    """Means of the machine and of people over two people at a time, on what all three labelled, by loops."""
    sums = np.zeros(3)
    for h, other in permutations(people, 2):
        if left_out is not None and h != left_out:
            continue
        items = [i for i in range(codes.shape[1]) if min(codes[r, i] for r in (h, other, machine)) >= 0]
        if not items:
            continue
        sides = []
        for rater in (machine, h):
            x, y = codes[rater, items], codes[other, items]
            if name == "kappa":
                sides.append(cohens_kappa(x, y, labels=[0, 1, 2]).value)
            else:
                sides.append(krippendorffs_alpha([x, y], level="ordinal").value)
        if not np.isnan(sides).any():
            sums += np.array([*sides, 1]) * len(items)
    with np.errstate(invalid="ignore"):
        return sums[:2] / sums[2]


@given(ITEMS)
@examples(40)
def test_a_machine_is_beside_people_on_the_same_items(items):
    codes = np.array(items).T
    assume(((codes >= 0).sum(axis=0) > 1).any() and len(set(codes[codes >= 0].tolist())) == 3)
    found = estimate(codes)
    for i, ceiling in enumerate(found.ceilings):
        row = found.row_of_ceiling(i)
        for name in ("kappa", "alpha_ordinal"):
            expected = plain_ceiling(codes, name, 3, range(3), ceiling.left_out)
            assert [value(found, name, row), value(found, name, row + 1)] == pytest.approx(
                expected.tolist(), abs=1e-12, nan_ok=True
            )
            assert value(found, name, row + 2) == pytest.approx(expected[0] - expected[1], abs=1e-12, nan_ok=True)


@given(ITEMS, st.randoms(use_true_random=False))
@examples(40)
def test_a_weight_of_two_is_an_item_twice_and_labels_and_items_have_no_order(items, random):
    codes = np.array(items).T
    assume(((codes >= 0).sum(axis=0) > 1).any() and len(set(codes[codes >= 0].tolist())) == 3)
    weights = np.array([random.randint(1, 3) for _ in range(codes.shape[1])])
    weighted = estimate(codes, weights=weights).values
    assert weighted == pytest.approx(estimate(np.repeat(codes, weights, axis=1)).values, abs=1e-10, nan_ok=True)
    order = random.sample(range(codes.shape[1]), codes.shape[1])
    found = estimate(codes)
    assert found.values == pytest.approx(estimate(codes[:, order]).values, abs=1e-10, nan_ok=True)
    mirrored = estimate(np.where(codes < 0, -1, 2 - codes))  # the same distances of labels
    assert found.values == pytest.approx(mirrored.values, abs=1e-10, nan_ok=True)
    names = np.array([2, 0, 1, -1])[codes]
    nominal = [i for i, key in enumerate(found.keys) if key[0] in ("agreement", "kappa", "alpha_nominal", "ac1", "mcc")]
    assert found.values[nominal] == pytest.approx(estimate(names).values[nominal], abs=1e-10, nan_ok=True)


def simulated(n, *, share=0.5, accuracy=(0.9, 0.9), seed=1):
    """(raters, items) zeros and ones of raters who are right with these chances. share: of ones."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < share
    return np.array([np.where(rng.random(n) < chance, truth, ~truth) for chance in accuracy], np.int64)


def test_the_interval_does_not_depend_on_how_items_are_counted():
    """Items that are alike are counted together; with weights that differ a little they are not."""
    codes = simulated(200)
    together = estimate(codes, machines=0, settings=BINARY, groups=False, n_resamples=3000)
    one_by_one = estimate(
        codes, machines=0, settings=BINARY, groups=False, n_resamples=3000, weights=1 + 1e-9 * np.arange(200)
    )
    assert together.values == pytest.approx(one_by_one.values, abs=1e-6)
    assert together.low == pytest.approx(one_by_one.low, abs=0.02)
    assert together.high == pytest.approx(one_by_one.high, abs=0.02)


def test_the_interval_is_that_of_a_plain_loop():
    """Resamples of the items one by one: percentiles of kappa, which BCa shifts a little."""
    codes = simulated(150, accuracy=(0.85, 0.85))
    rng = np.random.default_rng(3)
    values = []
    for _ in range(1500):
        items = rng.integers(0, 150, 150)
        values.append(cohens_kappa(codes[0][items], codes[1][items]).value)
    found = estimate(codes, machines=0, settings=BINARY, groups=False, n_resamples=3000)
    i = [key[0] for key in found.keys].index("kappa")
    expected = np.quantile(values, [0.025, 0.975])
    assert [found.low[i, 0], found.high[i, 0]] == pytest.approx(expected.tolist(), abs=0.03)


def test_clusters_are_drawn_whole():
    """Items five times over are no more information, if their cluster is known."""
    codes = simulated(80)
    once = estimate(codes, machines=0, settings=BINARY, groups=False, n_resamples=3000)
    clusters = np.repeat(np.arange(80), 5)
    five = estimate(
        np.repeat(codes, 5, axis=1), machines=0, settings=BINARY, groups=False, n_resamples=3000, clusters=clusters
    )
    naive = estimate(np.repeat(codes, 5, axis=1), machines=0, settings=BINARY, groups=False, n_resamples=3000)
    i = [key[0] for key in once.keys].index("kappa")
    widths = [found.high[i, 0] - found.low[i, 0] for found in (once, five, naive)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    assert widths[2] == pytest.approx(widths[0] / np.sqrt(5), rel=0.15)
    assert (five.n_units, naive.n_units) == (80, 400)


def test_the_same_seed_gives_the_same_intervals():
    codes = simulated(60, accuracy=(0.9, 0.8, 0.7))
    a, b, other = (estimate(codes, settings=BINARY, n_resamples=50, rng=seed) for seed in (1, 1, 2))
    assert a.low.tobytes() == b.low.tobytes()
    assert not np.array_equal(a.low, other.low, equal_nan=True)


def coverage(n, n_data, n_resamples, **shape):
    """Statistic -> in how many of these data sets its interval of 95 % holds the true value; those without one count.

    The true values are those of a very large sample.
    """
    true = estimate(simulated(400_000, seed=99, **shape), settings=BINARY, n_resamples=2)
    held = np.zeros(true.values.shape)
    for seed in range(n_data):
        found = estimate(simulated(n, seed=1000 + seed, **shape), settings=BINARY, n_resamples=n_resamples, rng=seed)
        outside = (found.low > true.values) | (found.high < true.values)
        held += ~outside
    rows = {"pair": true.row_of_pair(0), "difference": true.row_of_ceiling(0) + 2}
    names = ("agreement", "kappa", "alpha_nominal", "ac1", "fscore", "mcc")
    found = {(name, "pair"): held[[key[0] for key in true.keys].index(name), rows["pair"]] for name in names}
    i = [key[0] for key in true.keys].index("alpha_nominal")
    found["alpha_nominal", "difference"] = held[i, rows["difference"]]
    return {key: float(count / n_data) for key, count in found.items()}


def test_intervals_hold_the_true_value_in_a_small_simulation():
    # Of 120 data sets 95 % are 114; 105 is four standard errors below.
    found = coverage(60, 120, 400, accuracy=(0.9, 0.85, 0.8))
    assert min(found.values()) >= 105 / 120, found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "shape"),
    [
        (50, {"accuracy": (0.9, 0.9, 0.85)}),
        (200, {"accuracy": (0.9, 0.9, 0.85)}),
        (100, {"accuracy": (0.97, 0.97, 0.95)}),
        (50, {"accuracy": (0.9, 0.9, 0.85), "share": 0.1}),
        (100, {"accuracy": (0.95, 0.95, 0.9), "share": 0.05}),
        (200, {"accuracy": (0.98, 0.98, 0.95), "share": 0.1}),
        (30, {"accuracy": (0.8, 0.8, 0.75)}),
    ],
)
def test_intervals_hold_the_true_value_in_93_of_100_data_sets(n, shape):
    # 1.5 % are two standard errors of 1,000 data sets.
    found = coverage(n, 1000, 1000, **shape)
    assert min(found.values()) >= 0.93 - 0.015, found


def in_clusters(n_clusters, seed):
    """Items in clusters of five, of which some are harder, and their clusters."""
    rng = np.random.default_rng(seed)
    truth = rng.random(5 * n_clusters) < 0.5
    accuracy = np.repeat(rng.choice([0.65, 0.97], n_clusters), 5)
    is_right = rng.random((2, truth.size)) < accuracy
    return np.where(is_right, truth, ~truth).astype(np.int64), np.repeat(np.arange(n_clusters), 5)


@pytest.mark.slow
def test_intervals_over_clusters_hold_the_true_value():
    true = value(estimate(in_clusters(100_000, 1)[0], machines=0, settings=BINARY, groups=False), "kappa", 0)
    held = np.zeros(2)
    for seed in range(600):
        codes, clusters = in_clusters(40, 100 + seed)
        for i, of_items in enumerate((clusters, None)):
            found = estimate(
                codes, machines=0, settings=BINARY, groups=False, n_resamples=800, clusters=of_items, rng=seed
            )
            k = [key[0] for key in found.keys].index("kappa")
            held[i] += found.low[k, 0] <= true <= found.high[k, 0]
    assert held[0] / 600 >= 0.93 - 0.02
    assert held[0] > held[1]  # one by one they are too narrow


@pytest.mark.slow
def test_weighted_intervals_of_an_unequal_sample_hold_the_value_of_the_whole():
    """Items that the first rater calls 1 are in the sample with certainty, the others with a chance of 1 in 5."""
    rng = np.random.default_rng(2)
    whole = simulated(200_000, share=0.15, seed=3)
    true = value(estimate(whole, machines=0, settings=BINARY, groups=False), "kappa", 0)
    held, centre = 0, 0.0
    for seed in range(600):
        drawn = whole[:, rng.integers(0, whole.shape[1], 600)]
        chance = np.where(drawn[0] == 1, 1.0, 0.2)
        is_in = rng.random(600) < chance
        found = estimate(
            drawn[:, is_in],
            machines=0,
            settings=BINARY,
            groups=False,
            n_resamples=800,
            weights=1 / chance[is_in],
            rng=seed,
        )
        k = [key[0] for key in found.keys].index("kappa")
        held += found.low[k, 0] <= true <= found.high[k, 0]
        centre += found.values[k, 0] / 600
    assert held / 600 >= 0.93 - 0.02
    assert centre == pytest.approx(true, abs=0.01)


def test_a_pair_without_common_items_is_skipped():
    found = estimate([[0, 1, 2, -1, 0], [0, 1, 2, -1, 1], [-1, -1, -1, 1, 1]], machines=0, groups=False)
    assert found.pairs == ((0, 1), (0, 2), (1, 2))
    found = estimate([[0, 1, 2, -1], [0, 1, 2, -1], [-1, -1, -1, 1]], machines=0, groups=False)
    assert found.pairs == ((0, 1),)
