"""Agreement beyond chance: by hand, against scikit-learn, statsmodels and Krippendorff's worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics
from statsmodels.stats import inter_rater

from rankscope.errors import InputError, ParameterError
from rankscope.stats import cohens_kappa, gwets_ac, krippendorffs_alpha
from rankscope.stats.rater_agreement import LEVELS

NAN = float("nan")
WEIGHTS = [None, "linear", "quadratic"]
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)
#: Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section D: four observers, twelve units.
FOUR = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


# Kappa


def test_kappa_by_hand():
    found = cohens_kappa([[20, 5], [10, 15]])
    assert found.agreement == pytest.approx((20 + 15) / 50)
    assert found.chance == pytest.approx((25 / 50) * (30 / 50) + (25 / 50) * (20 / 50))
    assert found.value == pytest.approx((0.7 - 0.5) / (1 - 0.5))
    assert (found.n, found.notes) == (50, ())


def test_weighted_kappa_by_hand():
    a, b = [0, 1, 2], [0, 2, 2]
    # Distances 0, 1, 0 of at most 2; by chance the mean over all nine pairs of one a and one b.
    by_chance = np.abs(np.subtract.outer(a, b)).mean() / 2
    assert cohens_kappa(a, b, weights="linear").value == pytest.approx(1 - (1 / 3 / 2) / by_chance)
    by_chance = (np.subtract.outer(a, b) ** 2).mean() / 4
    assert cohens_kappa(a, b, weights="quadratic").value == pytest.approx(1 - (1 / 3 / 4) / by_chance)


@given(pairs=PAIRS, weights=st.sampled_from(WEIGHTS))
def test_kappa_is_that_of_scikit_learn_and_of_statsmodels(pairs, weights):
    a, b = map(np.array, zip(*pairs, strict=True))
    labels = np.unique(np.r_[a, b])
    assume(labels.size > 1)
    found = cohens_kappa(a, b, weights=weights)
    assert found.value == pytest.approx(metrics.cohen_kappa_score(a, b, weights=weights), abs=1e-12)
    table = metrics.confusion_matrix(a, b)
    with np.errstate(all="ignore"):  # it divides by a standard error of 0, and takes roots of rounding errors below 0
        theirs = inter_rater.cohens_kappa(table, wt=weights)
    assert found.value == pytest.approx(theirs.kappa, abs=1e-12)
    assert found.standard_error == pytest.approx(np.nan_to_num(theirs.std_kappa), abs=1e-7)
    if not np.isnan(found.low):
        assert found.low == pytest.approx(max(theirs.kappa_low, -1), abs=1e-6)
        assert found.high == pytest.approx(min(theirs.kappa_upp, 1), abs=1e-6)
    assert cohens_kappa(table, weights=weights).value == pytest.approx(found.value)


@given(pairs=PAIRS)
def test_kappa_does_not_mind_who_is_first_and_labels_that_nobody_uses(pairs):
    a, b = map(list, zip(*pairs, strict=True))
    assume(len({*a, *b}) > 1)
    found = cohens_kappa(a, b).value
    assert cohens_kappa(b, a).value == pytest.approx(found)
    assert cohens_kappa(a, b, labels=[0, 1, 2, 3, 4]).value == pytest.approx(found)
    assert found <= 1


def test_positions_say_how_far_classes_are_apart():
    a, b = [0, 1, 3, 3, 0], [0, 3, 3, 1, 1]
    by_grade = cohens_kappa(a, b, weights="linear", positions=[0, 1, 3])
    assert by_grade.value == pytest.approx(metrics.cohen_kappa_score(a, b, weights="linear", labels=[0, 1, 2, 3]))
    by_place = cohens_kappa(a, b, weights="linear")
    assert by_place.value == pytest.approx(metrics.cohen_kappa_score(a, b, weights="linear"))
    assert by_grade.value != pytest.approx(by_place.value)


def test_the_interval_is_wider_at_a_higher_level_and_stays_within_what_is_possible():
    table = [[20, 5], [10, 15]]
    widths = [(found := cohens_kappa(table, confidence_level=level)).high - found.low for level in (0.5, 0.9, 0.99)]
    assert widths == sorted(widths)
    assert cohens_kappa([[3, 1], [0, 3]], confidence_level=0.999).high == 1
    assert "fewer than 30 items" in cohens_kappa([[3, 1], [0, 3]]).notes[0]


def test_one_class_has_no_kappa_and_little_variation_no_interval():
    one = cohens_kappa([1, 1, 1], [1, 1, 1])
    assert np.isnan(one.value)
    assert mentions(one.notes[0], "same label")
    full = cohens_kappa([0, 1, 1], [0, 1, 1])
    assert (full.value, full.standard_error) == (1, 0)
    assert np.isnan([full.low, full.high]).all()
    assert "agree on every item" in full.notes[0]
    flat = cohens_kappa([0, 1, 1], [1, 1, 1])
    assert flat.value == pytest.approx(0)
    assert np.isnan([flat.low, flat.high]).all()
    assert mentions(flat.notes[0], "one judge", "same label")
    assert cohens_kappa([0, 0], [1, 1]).value == 0  # never alike, and chance says so
    never = cohens_kappa([0, 1], [1, 0])
    assert (never.value, never.standard_error) == (-1, 0)
    assert np.isnan(never.low)
    assert "no width" in never.notes[0]


@pytest.mark.slow
def test_intervals_of_kappa_hold_the_true_value_as_often_as_they_say():
    rng = np.random.default_rng(11)
    p = np.array([[0.35, 0.1, 0.02], [0.06, 0.2, 0.05], [0.02, 0.05, 0.15]])
    truth = cohens_kappa((p * 100).astype(int)).value
    held = 0
    for table in rng.multinomial(200, p.ravel(), 1000):
        found = cohens_kappa(table.reshape(3, 3))
        held += found.low <= truth <= found.high
    low, high = stats.binom.ppf([0.001, 0.999], 1000, 0.95)
    assert low - 15 <= held <= high


def test_what_makes_no_kappa_is_refused():
    with pytest.raises(ParameterError, match=r"weights is 'cubic', .*'linear', 'quadratic'"):
        cohens_kappa([0, 1], [0, 1], weights="cubic")
    with pytest.raises(ParameterError, match="expected 2 rising numbers"):
        cohens_kappa([0, 1], [0, 1], weights="linear", positions=[1, 0])
    with pytest.raises(ParameterError, match="confidence_level"):
        cohens_kappa([0, 1], [0, 1], confidence_level=0)
    with pytest.raises(InputError, match=r"2 true .*1 predicted"):
        cohens_kappa([0, 1], [0])


# Alpha


def naive_alpha(table, level):
    """Of the definition: coincidences of values, unit by unit, and differences by level."""
    units = [[x for x in unit if not np.isnan(x)] for unit in np.transpose(table)]
    units = [unit for unit in units if len(unit) > 1]
    values = sorted({x for unit in units for x in unit})
    o = {(c, k): 0.0 for c in values for k in values}
    for unit in units:
        for i, c in enumerate(unit):
            for j, k in enumerate(unit):
                if i != j:
                    o[c, k] += 1 / (len(unit) - 1)
    n_of = {c: sum(o[c, k] for k in values) for c in values}
    n = sum(n_of.values())

    def difference(c, k):
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (c - k) ** 2
        low, high = sorted((c, k))
        return (sum(n_of[g] for g in values if low <= g <= high) - (n_of[c] + n_of[k]) / 2) ** 2

    observed = sum(o[c, k] * difference(c, k) for c in values for k in values)
    expected = sum(n_of[c] * n_of[k] * difference(c, k) for c in values for k in values)
    return 1 - (n - 1) * observed / expected


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_four_observers(level, value):
    found = krippendorffs_alpha(FOUR, level=level)
    assert round(found.value, 3) == value
    assert (found.units, found.n) == (11, 40)  # the twelfth unit has one value


def test_krippendorffs_two_observers():
    a, b = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert round(krippendorffs_alpha([a, b], level="nominal").value, 3) == 0.095  # section A
    a, b = (["abcde".index(x) for x in text] for text in ("aabbdcccedda", "babbbccceddd"))
    assert round(krippendorffs_alpha([a, b], level="nominal").value, 3) == 0.692  # section B


TABLES = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 2.0, 5.0, NAN]), min_size=raters, max_size=raters), min_size=1, max_size=12
    )
)


@given(units=TABLES, level=st.sampled_from(LEVELS))
def test_alpha_is_that_of_its_definition(units, level):
    table = np.array(units).T
    pairable = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    assume(np.unique(pairable[~np.isnan(pairable)]).size > 1)
    assert krippendorffs_alpha(table, level=level).value == pytest.approx(naive_alpha(table, level), abs=1e-12)


@given(units=TABLES, level=st.sampled_from(LEVELS))
def test_alpha_is_that_of_the_package_krippendorff(units, level):
    theirs = pytest.importorskip("krippendorff", reason="the package krippendorff is no dependency of the tests")
    table = np.array(units).T
    pairable = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    assume(np.unique(pairable[~np.isnan(pairable)]).size > 1)
    expected = theirs.alpha(reliability_data=table, level_of_measurement=level)
    assert krippendorffs_alpha(table, level=level).value == pytest.approx(expected, abs=1e-12)


def test_only_the_order_of_values_matters_to_ordinal_alpha_and_only_difference_to_nominal():
    table = np.array(FOUR)
    for level, mapped in (("ordinal", np.exp(table)), ("interval", 3 - 7 * table), ("nominal", (7 * table) % 11)):
        ours = krippendorffs_alpha(mapped, level=level).value
        assert ours == pytest.approx(krippendorffs_alpha(table, level=level).value)


def test_one_value_has_no_alpha():
    found = krippendorffs_alpha([[1, 1, NAN], [1, 1, 2]])
    assert np.isnan(found.value)
    assert "all values are one" in found.notes[0]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1, 2, 3], r"shape \(3,\), .*\(judges, units\)"),
        ([[1, NAN], [NAN, 2]], "none of the 2 units"),
        ([[1, np.inf], [1, 2]], "infinite"),
        ([["a", "b"], ["a", "b"]], "not a table of numbers"),
    ],
)
def test_what_are_no_ratings_is_refused(table, message):
    with pytest.raises(InputError, match=message):
        krippendorffs_alpha(table)


def test_another_level_is_refused():
    with pytest.raises(ParameterError, match=r"level is 'ratio', .*'nominal', 'ordinal', 'interval'"):
        krippendorffs_alpha(FOUR, level="ratio")


# Gwet's AC1 and AC2


def test_ac1_is_that_of_published_tables():
    # The R package irrCAC on its data cac.raw4raters, those above: p_a 0.8181818, p_e 0.1903212, AC1 0.77544.
    found = gwets_ac(FOUR)
    assert (found.agreement, found.chance) == (pytest.approx(0.8181818, abs=1e-7), pytest.approx(0.1903212, abs=1e-7))
    assert found.value == pytest.approx(0.77544, abs=1e-5)
    # Its table cont3x3abstractors: AC1 0.8493305.
    table = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
    a, b = (np.repeat(codes, table.ravel()) for codes in (np.repeat(range(3), 3), np.tile(range(3), 3)))
    assert gwets_ac([a, b]).value == pytest.approx(0.8493305, abs=1e-7)


def plain_gwet(ratings, weights, classes):
    """The definition, a unit and two of its ratings at a time."""
    span = classes[-1] - classes[0]
    power = {None: 0, "linear": 1, "quadratic": 2}[weights]

    def w(x, y):
        return float(x == y) if weights is None else 1 - (abs(x - y) / span) ** power

    units = [[x for x in unit if x == x] for unit in np.array(ratings).T]
    agreements = [
        np.mean([w(x, y) for i, x in enumerate(unit) for j, y in enumerate(unit) if i != j])
        for unit in units
        if len(unit) > 1
    ]
    shares = [np.mean([unit.count(k) / len(unit) for unit in units if unit]) for k in classes]
    total = sum(w(x, y) for x in classes for y in classes)
    chance = total / (len(classes) * (len(classes) - 1)) * sum(share * (1 - share) for share in shares)
    return (np.mean(agreements) - chance) / (1 - chance)


@given(st.lists(st.lists(st.sampled_from([0, 1, 2.5, NAN]), min_size=3, max_size=3), min_size=2, max_size=12))
def test_ac_is_its_definition(units):
    ratings = np.array(units, float).T
    classes = sorted(set(ratings[~np.isnan(ratings)].tolist()))
    assume(len(classes) > 1 and ((~np.isnan(ratings)).sum(axis=0) > 1).any())
    for weights in WEIGHTS:
        expected = plain_gwet(ratings, weights, classes)
        assert gwets_ac(ratings, weights=weights).value == pytest.approx(expected, abs=1e-12)
    with_more = gwets_ac(ratings, classes=[*classes, 9]).value
    assert with_more == pytest.approx(plain_gwet(ratings, None, [*classes, 9]), abs=1e-12)


@pytest.mark.parametrize(
    ("ratings", "options", "message"),
    [
        ([[1, 1], [1, 1]], {}, "all values are one"),
        ([[1, NAN], [NAN, 2]], {}, "two judges"),
        ([[1, 2], [1, 3]], {"classes": [1, 2]}, "the value 3 is none of the classes"),
        ([[1, 2], [1, 2]], {"classes": [2, 1]}, "rising numbers"),
        ([[1, 2], [1, 2]], {"weights": "cubic"}, "weights"),
    ],
)
def test_what_gwets_ac_refuses(ratings, options, message):
    with pytest.raises((InputError, ParameterError), match=message):
        gwets_ac(ratings, **options)
