"""Prediction-powered estimates with strata, clusters, unequal chances, and of the items themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.same import assert_same_numbers

from rankscope.errors import ParameterError
from rankscope.stats import t_interval
from rankscope.stats.distributions import special
from rankscope.stats.prediction_powered import active_sampling, prediction_powered, systematic_sample

#: A row of a sample: stratum, unit, whether people judged it, their value, the machine's, weight, chance.
Row = tuple[int, int, bool, float, float, float, float]


def sample_rows(seed: int, *, sizes: tuple[int, ...], n_judged: int, clustered: bool, unequal: bool) -> list[Row]:
    """Strata of these numbers of units, n_judged of each judged; units of 1 to 3 items where they are clusters."""
    rng = np.random.default_rng(seed)
    rows, unit = [], 0
    for stratum, size in enumerate(sizes):
        for place in range(size):
            chance = float(rng.uniform(0.2, 0.9)) if unequal else 1.0
            weight = float(rng.integers(1, 4)) if clustered else 1.0
            for _ in range(int(rng.integers(1, 4)) if clustered else 1):
                h = stratum + rng.normal()
                m = 0.2 + 0.8 * h + 0.5 * rng.normal()
                rows.append((stratum, unit, place < n_judged, float(h), float(m), weight, chance))
            unit += 1
    return sorted(rows, key=lambda row: not row[2])


def estimate_rows(rows: list[Row], **options: Any) -> Any:
    n = sum(row[2] for row in rows)
    designs = {
        "strata": [f"s{row[0]}" for row in rows],
        "clusters": [row[1] for row in rows],
        "weights": [row[5] for row in rows],
        "chances": [row[6] for row in rows[:n]],
    }
    chosen = {name: values for name, values in designs.items() if len(set(values)) > 1}
    return prediction_powered(
        [row[3] for row in rows[:n]],
        [row[4] for row in rows[:n]],
        [row[4] for row in rows[n:]],
        **chosen,
        **options,
    )


def weighted(rows: list[Row], column: int, over_chance: bool) -> float:
    weights = [row[5] / row[6] if over_chance else row[5] for row in rows]
    return sum(w * row[column] for w, row in zip(weights, rows, strict=True)) / sum(weights)


def naive_means(rows: list[Row], every: list[Row]) -> tuple[float, float, float]:
    """People's mean and the machine's on the judged rows, and the machine's on every row."""
    judged = [row for row in rows if row[2]]
    return weighted(judged, 3, True), weighted(judged, 4, True), weighted(every, 4, False)


def uncertainty(rows: list[Row], unit: int, finite: bool, unequal: bool) -> float:
    """The share of a unit's squared deviation that is uncertain."""
    if not finite:
        return 1.0
    own = [row for row in rows if row[1] == unit]
    if not own[0][2]:
        return 0.0
    if unequal:
        return 1 - min(row[6] for row in own)
    return 1 - len({row[1] for row in rows if row[2]}) / len({row[1] for row in rows})


def squares_of_units(rows: list[Row], over_chance: bool) -> list[float]:
    """Squared deviations of the machine's means of units, which count by their size, as shares of all sizes."""
    units = [[row for row in rows if row[1] == unit] for unit in {row[1] for row in rows}]
    sizes = [sum(row[5] / (row[6] if over_chance else 1) for row in own) for own in units]
    mean = weighted(rows, 4, over_chance)
    return [
        size * (weighted(own, 4, over_chance) - mean) ** 2 / sum(sizes) for size, own in zip(sizes, units, strict=True)
    ]


def missing_spread(rows: list[Row], every_row: list[Row]) -> float:
    """How much more the machine's values vary over all units than over the judged, two standard errors allowed."""
    of_all, of_judged = squares_of_units(every_row, False), squares_of_units([row for row in rows if row[2]], True)
    variances = [sum(x) * len(x) / (len(x) - 1) for x in (of_all, of_judged)]
    every_judged = squares_of_units([row for row in every_row if row[2]], True)
    shares = [x / sum(every_judged) for x in every_judged]
    error = max(sum(x * x for x in shares) - 1 / len(shares), 0.0) ** 0.5
    return max(variances[0] / (variances[1] * (1 + 2 * error)), 1.0)


def naive_slope_parts(
    rows: list[Row], finite: bool, shares: dict[int, float], every_row: list[Row]
) -> tuple[float, float]:
    """Sums of a b and of b b over units, times the square of the number of judged units; the second is greater where
    the machine varies significantly more over all units than over the judged ones.
    """
    h, m, a = naive_means(rows, rows)
    judged_total = sum(row[5] / row[6] for row in rows if row[2])
    total = sum(row[5] for row in rows)
    ab = bb = 0.0
    for unit in {row[1] for row in rows}:
        own = [row for row in rows if row[1] == unit]
        of_people = sum((row[3] - h) * row[5] / row[6] for row in own if row[2]) / judged_total
        of_machine = sum((row[4] - m) * row[5] / row[6] for row in own if row[2]) / judged_total
        if not finite:
            of_machine -= sum((row[4] - a) * row[5] for row in own) / total
        ab += shares[unit] * of_people * of_machine
        bb += shares[unit] * of_machine**2
    n = len({row[1] for row in rows if row[2]})
    return n**2 * ab, n**2 * bb * missing_spread(rows, every_row)


def naive_estimate(rows: list[Row], weight: float | None, finite: bool, unequal: bool) -> tuple[float, float, float]:
    """The estimate, its variance and half its width, all strata sharing a weight; no strata have 20 judged units."""
    strata = sorted({row[0] for row in rows})
    of = {g: [row for row in rows if row[0] == g] for g in strata}
    total = sum(row[5] for row in rows)
    share = {g: sum(row[5] for row in of[g]) / total for g in strata}

    uncertain_of = {row[1]: uncertainty(of[row[0]], row[1], finite, unequal) for row in rows}

    def slope(parts: dict[int, list[Row]]) -> float:
        sums = [naive_slope_parts(x, finite, uncertain_of, of[g]) for g, x in parts.items()]
        return max(sum(s[0] for s in sums) / sum(s[1] for s in sums), 0.0)

    w = slope(of) if weight is None else weight
    means = {g: naive_means(of[g], of[g]) for g in strata}
    estimate = sum(share[g] * (h + w * (a - m)) for g, (h, m, a) in means.items())
    shift = {g: share[g] * (a - m) for g, (h, m, a) in means.items()}
    fixed, refitted, left_out = (dict.fromkeys(strata, 0.0) for _ in range(3))
    df = {}
    for g in strata:
        units = sorted({row[1] for row in of[g]})
        judged = {row[1] for row in of[g] if row[2]}
        sizes = []
        for unit in units:
            uncertain = uncertain_of[unit]
            if unit in judged:
                size = sum(row[5] / row[6] for row in of[g] if row[1] == unit)
                sizes.append(uncertain**0.5 * size)
            n = len(judged) if unit in judged else len(units) - len(judged)
            without = [row for row in of[g] if row[1] != unit]
            h, m, a = naive_means(without, of[g] if finite else without)
            refit = slope(of | {g: without}) if weight is None else w
            gap = share[g] * (h - means[g][0] + w * ((a - m) - (means[g][2] - means[g][1])))
            own_gap = share[g] * (h - means[g][0] + refit * ((a - m) - (means[g][2] - means[g][1])))
            others = sum(shift[k] for k in strata if k != g)
            fixed[g] += uncertain * (n - 1) / n * gap**2
            refitted[g] += uncertain * (n - 1) / n * (gap + (refit - w) * (share[g] * (a - m) + others)) ** 2
            left_out[g] += uncertain * (n - 1) / n * own_gap**2
        df[g] = sum(sizes) ** 2 / sum(x * x for x in sizes) - 1 - (1 / len(strata) if weight is None else 0)
    variance = max(sum(x.values()) for x in (fixed, refitted, left_out))
    total_df = sum(fixed.values()) ** 2 / sum(fixed[g] ** 2 / df[g] for g in strata)
    return estimate, variance, float(special().stdtrit(total_df, 0.975)) * variance**0.5


@pytest.mark.parametrize("machine_weight", [None, 0.7])
@pytest.mark.parametrize("population", ["source", "items"])
@pytest.mark.parametrize(
    ("sizes", "clustered", "unequal"),
    [
        ((20, 40), False, False),
        ((30,), False, True),
        ((15, 20), True, False),
        ((20, 15), True, True),
    ],
)
def test_it_is_the_jackknife_over_units_within_strata(
    sizes: tuple[int, ...], clustered: bool, unequal: bool, population: str, machine_weight: float | None
) -> None:
    rows = sample_rows(3, sizes=sizes, n_judged=8, clustered=clustered, unequal=unequal)
    found = estimate_rows(rows, population=population, machine_weight=machine_weight)
    estimate, _, half = naive_estimate(rows, machine_weight, population == "items", unequal)
    assert_same_numbers(
        [float(found.combined), float(found.combined_low), float(found.combined_high)],
        [estimate, estimate - half, estimate + half],
    )


def test_people_alone_are_the_stratified_mean_with_welchs_degrees_of_freedom() -> None:
    rows = sample_rows(1, sizes=(20, 60), n_judged=6, clustered=False, unequal=False)
    found = estimate_rows(rows, machine_weight=0)
    values = [np.array([row[3] for row in rows if row[2] and row[0] == g]) for g in (0, 1)]
    shares = [0.25, 0.75]
    variances = [share**2 * x.var(ddof=1) / x.size for share, x in zip(shares, values, strict=True)]
    df = sum(variances) ** 2 / sum(v**2 / 5 for v in variances)
    half = float(special().stdtrit(df, 0.975)) * sum(variances) ** 0.5
    mean = sum(share * float(x.mean()) for share, x in zip(shares, values, strict=True))
    for name in ("human", "combined"):
        ends = [float(getattr(found, f"{name}{end}")) for end in ("", "_low", "_high")]
        assert_same_numbers(ends, [mean, mean - half, mean + half])


def test_a_mean_over_the_items_has_the_correction_for_a_finite_population() -> None:
    rng = np.random.default_rng(2)
    h, m = rng.random(30), rng.random(120)
    found = prediction_powered(h, m[:30], m[30:], machine_weight=0, population="items")
    source = t_interval(h)
    half = float(source.high - source.mean) * (1 - 30 / 120) ** 0.5
    assert_same_numbers([float(found.human_low), float(found.human_high)], [h.mean() - half, h.mean() + half])
    assert_same_numbers([float(found.machine_low), float(found.machine_high)], [m.mean(), m.mean()])
    assert_same_numbers(float(found.effective), 30.0)  # a quarter of the items says what people alone do


def test_equal_chances_and_one_stratum_say_nothing() -> None:
    rows = sample_rows(4, sizes=(60,), n_judged=25, clustered=True, unequal=False)
    n = sum(row[2] for row in rows)
    three = [row[3] for row in rows[:n]], [row[4] for row in rows[:n]], [row[4] for row in rows[n:]]
    sample = {"clusters": [row[1] for row in rows], "weights": [row[5] for row in rows]}
    plain = prediction_powered(*three, **sample, machine_weight=0.6)
    for design in ({"strata": ["all"] * len(rows)}, {"chances": [0.3] * n}):
        found = prediction_powered(*three, **sample, **design, machine_weight=0.6)
        for name in ("human", "human_high", "machine_low", "bias_high", "combined", "combined_low", "effective"):
            assert_same_numbers(getattr(found, name), getattr(plain, name))


def test_items_that_were_sure_to_be_judged_leave_only_the_others_uncertain() -> None:
    """Of 6 items 4 are certain: the mean is (their sum and twice that of the drawn two) / N by Hájek."""
    human = [0.0, 1.0, 1.0, 0.0, 1.0, 0.0]
    found = prediction_powered(
        human, human, [0.5, 0.5], chances=[1, 1, 1, 1, 0.5, 0.5], machine_weight=0, population="items"
    )
    assert_same_numbers(float(found.human), (2 + 2 * 1) / 8)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"strata": ["a", "b"]}, "strata"),
        ({"strata": ["a", "a", "a", "a", "b", "b"]}, "stratum b"),
        ({"chances": [0.5, 0.5]}, "chances"),
        ({"chances": [0.5, 0.5, 0.0]}, "chance 0"),
        ({"chances": [0.5, 0.5, 1.5]}, "chance 1.5"),
        ({"population": "world"}, "population"),
        ({"strata": ["a", "b", "a", "a", "b", "b"], "clusters": [1, 1, 2, 2, 3, 3]}, "clusters"),
    ],
)
def test_designs_that_do_not_fit_are_refused(options: dict[str, Any], name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        prediction_powered([0.1, 0.2, 0.3], [0.1, 0.2, 0.4], [0.5, 0.1, 0.2], **options)


def test_items_like_those_where_the_machine_errs_are_likelier_to_be_chosen() -> None:
    rng = np.random.default_rng(5)
    m = rng.random(400)
    h = m + np.where(m > 0.7, 0.4, 0.02) * rng.normal(size=400)
    found = active_sampling(h[:60], m[:60], m[60:], budget=50)
    high = m > 0.75
    assert found.chances[high].min() > 2 * found.chances[~high & (m < 0.6)].max()
    assert_same_numbers(found.total_chances, 60 / 400 + (1 - 60 / 400) * found.chances)
    assert_same_numbers(found.n_labels, float(((1 - 60 / 400) * found.chances).sum()))
    assert abs(found.n_labels - 50) < 1e-6
    assert found.half_width[0] < found.half_width_even[0]
    with_costs = active_sampling(h[:60], m[:60], m[60:], budget=50, costs=np.where(high, 4.0, 1.0))
    assert with_costs.n_labels > 0
    assert with_costs.chances[high].mean() < found.chances[high].mean()


def test_a_judged_item_has_a_chance_that_does_not_depend_on_its_own_label() -> None:
    """But for the level of all chances, and for the weight of the machine, which all items share."""
    rng = np.random.default_rng(6)
    m = np.repeat([0.0, 1.0], 100)[rng.permutation(200)]
    h = m + 0.1 * rng.normal(size=200)
    h[:40] += np.where(m[:40] == 1, rng.normal(size=40), 0)
    far = h[:40].copy()
    i = int(np.flatnonzero(m[:40] == 1)[0])
    far[i] += 30.0
    near, moved = (active_sampling(x, m[:40], m[40:], budget=30).chances for x in (h[:40], far))
    like_it = np.flatnonzero(m == 1)
    assert (moved[like_it[like_it != i]] > moved[i]).all()
    assert (near[like_it] > 0).all()


@pytest.mark.parametrize(
    "options",
    [
        {"budget": 0.0},
        {"budget": 1e6},
        {"budget": 10, "chances": [0.5]},
        {"budget": 10, "strata": [1, 2]},
        {"budget": 10, "allocation": "even"},
        {"budget": 10, "width": 0.1},
        {"width": -1.0},
    ],
)
def test_a_budget_that_cannot_be_spent_is_refused(options: dict[str, Any]) -> None:
    values = np.linspace(0, 1, 40)
    with pytest.raises(ParameterError, match=next(reversed(options))):
        active_sampling(values[:10], values[:10], values[10:], **options)


def strata_sample() -> tuple[Any, Any, Any]:
    """People's values and the machine's of 300, 200 and 100 items, whose residuals spread by .1, .2 and .6; strata."""
    rng = np.random.default_rng(12)
    strata = np.repeat(["a", "b", "c"], [300, 200, 100])[order := rng.permutation(600)]
    spread = np.repeat([0.1, 0.2, 0.6], [300, 200, 100])[order]
    m = rng.random(600)
    return m + spread * rng.normal(size=600), m, strata


@pytest.mark.parametrize("allocation", ["neyman", "proportional"])
def test_labels_are_shared_out_between_strata_by_neymans_formula(allocation: str) -> None:
    """n_h as N_h S_h (Neyman, 1934), or as N_h, those so far included, where no stratum has more already."""
    h, m, strata = strata_sample()
    found = active_sampling(h[:60], m[:60], m[60:], budget=90, strata=strata, allocation=allocation)
    is_judged = np.arange(600) < 60
    labels = np.array(
        [(found.chances[~is_judged & (strata == g)]).sum() + (is_judged & (strata == g)).sum() for g in "abc"]
    )
    assert_same_numbers(labels.sum(), 150.0)
    assert_same_numbers(found.n_labels, 90.0)
    expected = np.array([300.0, 200.0, 100.0])
    if allocation == "neyman":
        residuals = h[:60] - m[:60]
        expected *= [residuals[strata[:60] == g].std(ddof=1) for g in "abc"]
    expected *= 150 / expected.sum()
    if allocation == "neyman":  # smoothed by neighbours, and drawn towards all
        assert np.abs(labels / expected - 1).max() < 0.3
        assert labels[0] < labels[2]
    else:
        assert_same_numbers(labels, expected)
    before = np.array([(strata[:60] == g).sum() / (strata == g).sum() for g in "abc"])[
        np.searchsorted(["a", "b", "c"], strata)
    ]
    assert_same_numbers(found.total_chances, before + (1 - before) * found.chances)


def test_each_stratum_has_two_labels_and_a_sample_has_the_expected_number_of_each() -> None:
    h, m, strata = strata_sample()
    strata = np.where(np.arange(600) >= 597, "new", strata)
    found = active_sampling(h[:60], m[:60], m[60:], budget=12, strata=strata)
    of_new = found.chances[597:].sum()
    assert of_new >= 2 - 1e-9
    codes = np.unique(strata, return_inverse=True)[1]
    expected = np.bincount(codes[60:], found.chances[60:])
    for seed in range(20):
        is_chosen = systematic_sample(found.chances[60:], np.random.default_rng(seed), codes[60:])
        counts = np.bincount(codes[60:], is_chosen)
        assert np.abs(counts - expected).max() < 1 + 1e-9
        assert counts.sum() == 12
    with pytest.raises(ParameterError, match="budget is 1, expected at least 2"):
        active_sampling(h[:60], m[:60], m[60:], budget=1, strata=strata)


@pytest.mark.parametrize("options", [{}, {"costs": True}, {"strata": True}])
def test_a_width_takes_the_smallest_budget(options: dict[str, bool]) -> None:
    h, m, strata = strata_sample()
    extra: dict[str, Any] = {"costs": 1.0 + np.arange(600) % 3} if "costs" in options else {}
    extra |= {"strata": strata} if "strata" in options else {}
    three = h[:60], m[:60], m[60:]
    found = active_sampling(*three, width=0.09, population="items", **extra)
    step = (extra["costs"].sum() * 540 / 600) / 1000 if "costs" in extra else 1.0
    cost = float((540 / 600 * extra.get("costs", np.ones(600)) * found.chances).sum())
    if "strata" in extra:
        cost = found.n_labels
    again, fewer = (
        active_sampling(*three, budget=budget, population="items", **extra) for budget in (cost, cost - step)
    )
    assert_same_numbers(again.half_width, found.half_width)
    assert 2 * found.half_width[0] <= 0.09 < 2 * fewer.half_width[0]


def test_a_machine_that_varies_far_more_where_people_did_not_judge_has_a_smaller_weight() -> None:
    """By hand: its variance is 28 / 11 over all, 4 / 5 of the judged, whose squares have the shares 1/4 and 0."""
    machine, others = np.array([-1.0, 1.0, -1.0, 1.0, 0.0, 0.0]), np.array([-2.0, 2.0] * 3)
    human = machine + np.array([0.1, -0.1, -0.1, 0.1, 0.2, -0.2])
    found = prediction_powered(human, machine, others, population="items", strata=[0] * 12)
    missing = (28 / 11) / (4 / 5 * (1 + 2 * (1 / 4 - 1 / 6) ** 0.5))
    assert_same_numbers(float(found.weight), float(human @ machine) / 4 / missing)


Maker = Callable[[Any, np.random.Generator], Any]
MACHINES: dict[str, Maker] = {
    "useless": lambda h, rng: rng.normal(size=h.shape),
    "biased": lambda h, rng: 0.3 + 0.6 * h + 0.3 * rng.normal(size=h.shape),
    "perfect": lambda h, rng: h.copy(),
}


def check_level(found: list[Any], truth: Any, name: str) -> None:
    """Combined intervals hold as often as they should, or more, and are no wider than people's."""
    low, high, human_low, human_high = (
        np.concatenate([np.atleast_1d(getattr(x, end)) for x in found])
        for end in ("combined_low", "combined_high", "human_low", "human_high")
    )
    truth = np.asarray(truth)
    rounding = 1e-9  # a perfect machine leaves nothing of the items themselves
    covered = float(((low - rounding <= truth) & (truth <= high + rounding)).mean())
    error = np.sqrt(0.95 * 0.05 / low.size)
    assert covered > 0.94 - 3 * error, f"{name}: {covered:.3f} of 0.95, standard error {error:.4f}"
    assert float((high - low).mean()) <= 1.02 * float((human_high - human_low).mean()), name


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("population", ["source", "items"])
@pytest.mark.parametrize("n", [20, 50, 200])
def test_intervals_over_strata_keep_their_level(n: int, population: str, machine: str) -> None:
    """Four strata of 250 items, a quarter of the labels from each."""
    rng, runs = np.random.default_rng(5), 2000
    codes = np.repeat(np.arange(4), 250)
    if population == "source":
        h = 0.7 * codes + rng.normal(size=(runs, 1000))
        truth = 1.05
    else:
        fixed = 0.7 * codes + rng.normal(size=1000)
        truth = float(fixed.mean())
        h = rng.permuted(np.tile(fixed.reshape(4, 250), (runs, 1, 1)), axis=2).reshape(runs, 1000)
    m = MACHINES[machine](h, rng)
    is_judged = np.tile(np.arange(250) < n // 4, 4)
    order = np.argsort(~is_judged, kind="stable")
    h, m, n = h[:, order], m[:, order], int(is_judged.sum())
    found = prediction_powered(h[:, :n], m[:, :n], m[:, n:], strata=codes[order], population=population)
    check_level([found], truth, f"{n} {population} {machine}")


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("population", ["source", "items"])
@pytest.mark.parametrize("n", [20, 50, 200])
def test_intervals_with_unequal_chances_keep_their_level(n: int, population: str, machine: str) -> None:
    """Chances that vary by a factor of 10 or so, whatever the values are."""
    rng, found, truths = np.random.default_rng(7), [], []
    for _ in range(400):
        h = rng.normal(size=1000)
        m = MACHINES[machine](h, rng)
        chances = np.minimum(1.0, n * (score := np.exp(0.6 * rng.normal(size=1000))) / score.sum())
        is_judged = rng.random(1000) < chances
        order, judged = np.argsort(~is_judged, kind="stable"), int(is_judged.sum())
        h, m, chances = h[order], m[order], chances[order][:judged]
        found.append(prediction_powered(h[:judged], m[:judged], m[judged:], chances=chances, population=population))
        truths.append(0.0 if population == "source" else float(h.mean()))
    check_level(found, truths, f"{n} {population} {machine}")


@pytest.mark.slow
@pytest.mark.parametrize("population", ["source", "items"])
def test_labels_chosen_actively_keep_the_level_and_narrow_intervals(population: str) -> None:
    """People pass 3 of 100 items to which the machine gives .03, and half of those to which it gives .5."""
    rng, active, even, truths = np.random.default_rng(3), [], [], []
    for _ in range(400):
        m = np.where(rng.random(1000) < 0.7, 0.03, 0.5)
        h = (rng.random(1000) < m).astype(float)
        chosen = active_sampling(h[:50], m[:50], m[50:], budget=50, population=population)
        is_judged = (np.arange(1000) < 50) | (rng.random(1000) < chosen.chances)
        order, n = np.argsort(~is_judged, kind="stable"), int(is_judged.sum())
        three = h[order][:n], m[order][:n], m[order][n:]
        chances = chosen.total_chances[order][:n]
        active.append(prediction_powered(*three, chances=chances, population=population))
        even.append(prediction_powered(h[:100], m[:100], m[100:], population=population))
        truths.append(0.7 * 0.03 + 0.3 * 0.5 if population == "source" else float(h.mean()))
    widths = [float(np.mean([x.combined_high - x.combined_low for x in found])) for found in (active, even)]
    assert widths[0] < 0.95 * widths[1]
    held = [
        float(np.mean([x.combined_low <= t <= x.combined_high for x, t in zip(found, truths, strict=True)]))
        for found in (active, even)
    ]
    assert held[0] > min(0.94, held[1]) - 3 * (0.05 * 0.95 / 400) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("allocation", ["neyman", "proportional"])
@pytest.mark.parametrize("population", ["source", "items"])
@pytest.mark.parametrize("clustered", [False, True])
def test_labels_chosen_by_strata_and_clusters_keep_the_level(clustered: bool, population: str, allocation: str) -> None:
    """Strata of very different size and spread; clusters of 1 to 30 items; a first sample, and a choice after it."""
    rng, runs, found, truths, expected = np.random.default_rng(14), 250, [], [], []
    for _ in range(runs):
        sizes = (
            np.clip(np.exp(1 + 0.8 * rng.normal(size=260)).round(), 1, 30).astype(int)
            if clustered
            else np.ones(800, int)
        )
        stratum = np.searchsorted([0.1, 0.4], np.arange(sizes.size) / sizes.size, side="right")
        unit = np.repeat(np.arange(sizes.size), sizes)
        m, effect = rng.normal(size=unit.size), 0.5 * clustered * rng.normal(size=sizes.size)[unit]
        h = 0.2 + m + effect + np.array([1.2, 0.3, 0.3])[stratum[unit]] * rng.normal(size=unit.size)
        is_first = np.zeros(sizes.size, np.bool_)
        for g, n_first in enumerate((15, 15, 30)):
            is_first[rng.permutation(np.flatnonzero(stratum == g))[:n_first]] = True
        units = np.argsort(~is_first, kind="stable")
        means_h, means_m = ((np.bincount(unit, x) / sizes)[units] for x in (h, m))
        chosen = active_sampling(
            means_h[:60],
            means_m[:60],
            means_m[60:],
            budget=60 * sizes.mean(),
            weights=sizes[units],
            costs=sizes[units],
            strata=stratum[units],
            allocation=allocation,
            population=population,
        )
        is_judged, chances = is_first.copy(), np.empty(sizes.size)
        is_judged[units[60:]] = systematic_sample(chosen.chances[60:], rng, stratum[units[60:]])
        chances[units] = chosen.total_chances
        order = np.argsort(~is_judged[unit], kind="stable")
        n = int(is_judged[unit].sum())
        found.append(
            prediction_powered(
                h[order][:n],
                m[order][:n],
                m[order][n:],
                strata=stratum[unit][order],
                clusters=unit[order] if clustered else None,
                chances=chances[unit][order][:n],
                population=population,
            )
        )
        truths.append(float(h.mean()) if population == "items" else 0.2)
        expected.append(2 * float(chosen.half_width[0]))
    check_level(found, truths, f"{clustered} {population} {allocation}")
    width = float(np.mean([x.combined_high - x.combined_low for x in found]))
    assert 0.85 < width / float(np.mean(expected)) < 1.15


def test_with_chances_estimates_are_those_of_ppi_python_with_weights() -> None:
    """Whose mean of the machine is over what it takes as unlabelled: all items."""
    peer = pytest.importorskip("ppi_py")
    rng = np.random.default_rng(8)
    h, chances = rng.random(40), rng.uniform(0.1, 1, 40)
    m = h[:, None] + 0.2 * rng.normal(size=(40, 1))
    others = rng.random(160)
    for weight in (0.0, 0.5, 1.0):
        found = prediction_powered(h, m[:, 0], others, chances=chances, machine_weight=weight)
        expected = peer.ppi_mean_pointestimate(h, m[:, 0], np.concatenate((m[:, 0], others)), lam=weight, w=1 / chances)
        assert_same_numbers(float(found.combined), float(np.squeeze(expected)))


def test_the_p_value_of_the_bias_is_where_its_interval_touches_0() -> None:
    rows = sample_rows(2, sizes=(20, 40), n_judged=8, clustered=False, unequal=True)
    pvalue = float(estimate_rows(rows).bias_pvalue)
    assert 0 < pvalue < 1
    touching = estimate_rows(rows, confidence_level=1 - pvalue)
    ends = float(touching.bias_low), float(touching.bias_high)
    assert min(map(abs, ends)) < 1e-9 < max(map(abs, ends))


@pytest.mark.parametrize("unequal", ["chances", "weights"])
def test_the_interval_of_people_with_unequal_chances_or_weights_is_statsmodels_hc3(unequal: str) -> None:
    """A weighted mean without item i is off by w_i e_i / (W - w_i): the jackknife is (n - 1) / n of HC3."""
    from statsmodels.regression.linear_model import WLS

    rng = np.random.default_rng(9)
    h, m, n = rng.normal(size=30), rng.normal(size=90), 30
    chances, weights = rng.uniform(0.1, 1, n), rng.uniform(0.5, 3, 90)
    own = 1 / chances if unequal == "chances" else weights[:n]
    fit = WLS(h, np.ones(n), weights=own).fit(cov_type="HC3")
    options = {"chances": chances} if unequal == "chances" else {"weights": weights, "strata": ["all"] * 90}
    found = prediction_powered(h, m[:n], m[n:], machine_weight=0, **options)
    df = own.sum() ** 2 / (own**2).sum() - 1
    half = float(special().stdtrit(df, 0.975)) * float(fit.bse[0]) * ((n - 1) / n) ** 0.5
    mean = float(fit.params[0])
    assert_same_numbers([float(found.human), float(found.human_low)], [mean, mean - half])
    assert_same_numbers(float(found.combined_high), mean + half)
