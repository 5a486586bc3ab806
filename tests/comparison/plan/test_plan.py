"""Plans: worked numbers, statsmodels and R's formula as oracles, and sentences."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from helpers.messages import Messages, mentions
from helpers.planning_tables import METHODS, many, pair, rows, scores_of
from helpers.same import assert_same_numbers
from helpers.score_tables import random_table
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from rankscope import plan, standardise
from rankscope.errors import ParameterError, UnknownName
from rankscope.stats import difference_for_t

SENTENCES = Messages("plan")

# Numbers


@pytest.mark.parametrize(("difference", "n"), [(0.05, 90), (0.02, 550), (0.01, 2191)])
def test_the_worked_example_of_a_standard_deviation_of_167_thousandths(difference, n):
    """(z_.975 + z_.8)^2 .167^2 / d^2 + z_.975^2 / 2 = 89.5, 549.2 and 2190.9."""
    rough = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) ** 2 * 0.167**2 / difference**2
    assert math.ceil(rough + stats.norm.ppf(0.975) ** 2 / 2) == n
    found = rows(plan(pair(0.167), difference=difference))
    assert found["t"][2] == n
    assert found["two-way ANOVA"][2] == n  # of two systems the same test


@given(
    d=st.floats(0.03, 1.5),
    sd=st.floats(0.05, 2.0),
    power=st.sampled_from([0.5, 0.8, 0.95]),
    level=st.sampled_from([0.01, 0.05, 0.1]),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
)
def test_agrees_with_statsmodels(d, sd, power, level, alternative):
    models = pytest.importorskip("statsmodels.stats.power")
    side = "two-sided" if alternative == "two-sided" else "larger"
    asked = {"power": power, "alpha": level, "alternative": alternative}
    unbounded = scores_of(pair(sd, n=30).values, ("DCG",))
    found = rows(plan(unbounded, difference=d * sd, n_queries=17, **asked), "DCG")

    def there(n):
        return models.TTestPower().power(d, n, level, alternative=side)

    n = found["t"][2]
    assert found["t"][1] == pytest.approx(there(n), abs=1e-7)
    assert found["t"][1] >= power
    assert n == 2 or there(n - 1) < power
    assert found["t achieved"][1:] == (pytest.approx(there(17), abs=1e-7), 17)


@given(d=st.floats(0.02, 0.4), systems=st.integers(2, 8))
def test_the_analysis_of_variance_of_different_queries_agrees_with_statsmodels(d, systems):
    models = pytest.importorskip("statsmodels.stats.power")
    x = many(systems)
    found = rows(plan(scores_of(x), difference=d))["one-way ANOVA"]
    effect = d / np.sqrt(2 * systems * x.var(axis=1, ddof=1).mean())  # Cohen's f of the worst case

    def there(n):  # statsmodels counts the scores of all systems
        return models.FTestAnovaPower().power(effect, n * systems, 0.05, k_groups=systems)

    assert found[1] == pytest.approx(there(found[2]), abs=1e-7)
    assert found[2] == 2 or there(found[2] - 1) < 0.8


def test_the_spread_of_two_systems_is_that_of_their_differences():
    x = many(2)
    (one,) = plan(scores_of(x), difference=0.05).plans
    assert one.sd == pytest.approx((x[0] - x[1]).std(ddof=1))


def test_the_spread_of_many_systems_is_that_of_the_residuals_of_the_analysis_of_variance():
    x = many(5)
    left = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    (one,) = plan(scores_of(x), difference=0.05).plans
    assert one.sd == pytest.approx(np.sqrt(2 * (left**2).sum() / (4 * 39)))
    # which is also the mean variance of the differences of all pairs
    i, j = np.triu_indices(5, 1)
    assert one.sd**2 == pytest.approx((x[i] - x[j]).var(axis=1, ddof=1).mean())


def test_the_spread_around_a_baseline_is_pooled_over_the_differences_to_it():
    x = many(5)
    (one,) = plan(scores_of(x), difference=0.05, baseline="c").plans
    d = x[[0, 1, 3, 4]] - x[2]
    assert one.sd**2 == pytest.approx(d.var(axis=1, ddof=1).mean())
    (two,) = plan(scores_of(x[:2]), difference=0.05, baseline="b").plans
    assert two.sd == pytest.approx((x[0] - x[1]).std(ddof=1))


def test_the_interval_is_as_narrow_as_asked():
    sd, width = 0.2, 0.05
    difference, power, n = rows(plan(pair(sd), difference=0.04, width=width))["interval"]
    assert (difference, math.isnan(power)) == (width / 2, True)
    for queries, narrow in ((n, True), (n - 1, False)):
        assert (2 * stats.t.ppf(0.975, queries - 1) * sd / np.sqrt(queries) <= width) == narrow
    assert rows(plan(pair(sd), difference=0.04))["interval"][0] == 0.04  # width: twice the difference


@given(sd=st.sampled_from([1e-9, 0.01, 0.2, 0.5]), d=st.sampled_from([1e-9, 1e-4, 0.03, 1.0]), n=st.integers(2, 9))
def test_power_grows_with_queries_and_is_a_probability(sd, d, n):
    found = plan(pair(sd, n=n), difference=d)
    powers = [r[3] for r in found.records() if r[1] == "t at n"]
    curve = found.plans[0].curve
    assert len(powers) >= 3
    for some in (powers, curve.power):
        assert np.diff(some).min() >= -1e-9
        assert 0 <= min(some) <= max(some) <= 1
    assert list(curve.n) == sorted(set(curve.n))
    assert min(curve.n) >= 2


@given(hnp.arrays(float, st.tuples(st.integers(2, 4), st.integers(1, 6)), elements=st.sampled_from([0, 0.1, 0.3, 1])))
def test_whatever_the_scores_there_is_a_sentence_for_each_measure(x):
    for options in ({}, {"baseline": "a"}, {"difference": 0.1}):
        found = plan(scores_of(x), **options)
        assert found.sections()[0].sentence.endswith(".")
        methods = [r[1] for r in found.records()]
        assert (
            methods[:6] == METHODS if options.get("difference") else set(methods) <= {METHODS[0], f"{METHODS[0]} at n"}
        )
        assert "nan" not in str(found)


# Which difference


def test_without_a_difference_it_is_the_smallest_that_the_queries_detect():
    x = many(4, seed=3)
    found = plan(scores_of(x))
    (one,) = found.plans
    smallest = difference_for_t(40, one.sd)
    assert (one.is_named, one.difference) == (False, pytest.approx(smallest))
    (section,) = found.sections()
    assert mentions(section.sentence, f"at least {smallest:.4g}", "two systems like these", "--difference")
    assert "difference:detectable" in found.signature()
    assert [r[1] for r in found.records()] == ["t detectable", *["t detectable at n"] * 6]
    for _, _, difference, power, n in found.records():
        assert difference == pytest.approx(difference_for_t(n, one.sd))
        assert power == 0.8
    assert [row[0] for row in section.table.rows] == ["10", "25", "50", "100", "250", "500"]  # 40 / 5 to 40 x 20
    assert [row[1] for row in section.table.rows] == [f"{r[2]:.4g}" for r in list(found.records())[1:]]
    data = section.figure.data
    assert (data["n_now"], data["n_needed"], data["difference"]) == (40, None, one.difference)
    assert data["power"][data["n"].index(40)] == pytest.approx(0.8)
    low, high = np.sqrt(39 / stats.chi2.ppf([0.975, 0.025], 39)) * smallest
    assert mentions(section.notes, f"between {low:.4g} and {high:.4g}", "95 %")
    named = plan(scores_of(x), difference=0.1).sections()[0]
    assert not mentions(named.sentence, "--difference")


def test_without_a_difference_a_named_width_still_has_its_queries():
    found = plan(pair(0.2), width=0.05)
    expected = rows(plan(pair(0.2), difference=0.04, width=0.05))["interval"]
    assert_same_numbers(rows(found)["interval"], expected)
    assert mentions(found.sections()[0].sentence, "interval that is 0.05 wide", f"{expected[2]} queries")


def test_a_smallest_difference_beyond_the_values_is_none():
    (section,) = plan(pair(0.3, n=6)).sections()
    assert section.table.rows[0] == ("10", f"{difference_for_t(10, 0.3):.4g}")
    (section,) = plan(pair(1.5, n=6)).sections()
    assert mentions(section.sentence, "6 queries cannot show any difference in AP")
    assert section.table.rows[0] == ("10", "-")


@pytest.mark.parametrize("options", [{"difference": 0.05}, {}])
def test_an_assurance_plans_with_the_upper_bound_of_the_spread(options):
    """(n - 1) s^2 / sigma^2 exceeds the quantile q of chi-square in 80 of 100 samples: sigma <= s sqrt((n - 1) / q)."""
    upper = 0.167 * np.sqrt(11 / stats.chi2.ppf(0.2, 11))
    found, expected = plan(pair(0.167, n=12), assurance=0.8, **options), plan(pair(upper, n=12), **options)
    for one, other in zip(found.records(), expected.records(), strict=True):
        assert_same_numbers(one[2:], other[2:], rtol=1e-9)
    (one,) = found.plans
    assert (one.sd, one.planned_sd) == (pytest.approx(0.167), pytest.approx(upper))
    assert mentions(found.sections()[0].notes, f"{upper:.4g}", "80 %", "normal", "assurance")
    assert "assurance:0.8" in found.signature()
    plain = plan(pair(0.167, n=12), **options)
    assert mentions(plain.sections()[0].notes, "12 queries are few", "--assurance 0.8", "1 of 5")
    assert "assurance" not in plain.signature()


def test_a_geometric_measure_is_planned_for_on_the_logarithms_that_compare_tests():
    values = np.random.default_rng(2).random((2, 1, 40)) ** 2
    values[0, 0, 3] = 0.0  # counts as the least value that has a logarithm here, 0.00001
    scores = scores_of(values, ("GMAP",))
    logs = np.log(np.maximum(values[:, 0], 0.00001))
    found = plan(scores, difference=0.3)
    assert found.plans[0].sd == pytest.approx((logs[0] - logs[1]).std(ddof=1))
    assert_same_numbers(rows(found, "GMAP"), rows(plan(scores_of(logs, ("DCG",)), difference=0.3), "DCG"))
    section = found.sections()[0]
    assert mentions(section.sentence, 0.3, "mean log GMAP")
    assert mentions(section.notes, "natural logarithms")
    assert mentions(section.notes, 0.3, "mean log GMAP", "1.35 times")  # e^.3
    with pytest.raises(ParameterError, match=r"difference is 12, .*log GMAP .*-11\.51 and 0"):
        plan(scores, difference=12)


# Words


def test_the_sentence_says_what_is_needed_and_what_one_has():
    SENTENCES.check("too few queries", plan(pair(0.167), difference=0.05).sections()[0].sentence)
    enough = plan(pair(0.167), difference=0.05, n_queries=200, power=0.95).sections()[0].sentence
    SENTENCES.check("enough queries", enough)
    odd = plan(pair(0.167), difference=0.05, power=0.875, n_queries=5000).sections()[0].sentence
    assert mentions(odd, "87.5 %", "above 99 %")


@pytest.mark.parametrize("options", [{}, {"difference": 0.05}, {"difference": 0.05, "alternative": "less"}])
def test_the_first_sentence_says_what_the_queries_at_hand_can_show(options):
    found = plan(pair(0.167, mean=0.01), power=0.9, tests=2, **options)
    smallest, power, n = rows(found)["t detectable"]
    assert (power, n) == (0.9, 50)
    again = rows(plan(pair(0.167), power=0.9, tests=2, **{**options, "difference": smallest}))
    assert again["t achieved"][1] == pytest.approx(0.9)
    first = found.sections()[0].sentence.split(". ")[0]
    assert mentions(first, "With 50 queries", f"at least {smallest:.4g} in AP", "90 % power")


def test_queries_that_can_show_no_difference_at_all_are_said_to_show_none():
    sentence = plan(pair(0.167, n=2), difference=0.05, tests=20).sections()[0].sentence
    assert mentions(sentence, "2 queries cannot show any difference in AP", "80 %")


def test_power_is_rounded_down_so_that_no_target_seems_reached():
    n = rows(plan(pair(0.167), difference=0.05))["t"][2]
    sentence = plan(pair(0.167), difference=0.05, n_queries=n - 1).sections()[0].sentence
    assert mentions(sentence, "79 %")


def test_the_table_and_the_figure_hold_the_numbers_of_the_rows():
    found = plan(pair(0.167), difference=0.05)
    needs, curve = found.sections()
    assert [row[-1] for row in needs.table.rows] == [f"{r[2]:,}" for r in rows(found).values()]
    at = [(r[4], r[3]) for r in found.records() if r[1] == "t at n"]
    assert [row[0] for row in curve.table.rows] == [f"{n:,}" for n, _ in at] == ["10", "25", "50", "100", "250"]
    name, data = curve.figure
    assert name == "power_curve"
    assert (data["measure"], data["n_now"], data["n_needed"], data["target"]) == ("AP", 50, 90, 0.8)
    assert len(data["n"]) == len(data["power"]) > 20
    assert data["power"][data["n"].index(50)] == rows(found)["t achieved"][1]
    assert data["power"][data["n"].index(90)] == rows(found)["t"][1]


def test_the_tidy_table_has_its_columns_and_whole_numbers_of_queries():
    frame = plan(pair(0.167), difference=0.05).frame()
    assert frame.columns == ["measure", "method", "difference", "power", "n_queries"]
    assert frame["n_queries"].to_list() == [50, 90, 50, *frame["n_queries"].to_list()[3:]]
    assert str(frame["n_queries"].dtype) == "Int64"
    assert frame["method"].to_list() == [*METHODS, *["t at n"] * 5]
    assert frame["power"].null_count() == 1


def test_the_signature_holds_every_setting():
    asked = {"difference": 0.05, "width": 0.2, "power": 0.9, "alpha": 0.01, "alternative": "greater", "n_queries": 7}
    found = plan(scores_of(many(3)), baseline="b", **asked)
    assert found.signature().split(" | ")[:-1] == [
        *("AP", "rel:1", "queries:40", "baseline:b", "difference:0.05", "width:0.2", "power:0.9", "alpha:0.01"),
        *("alternative:greater", "at_hand:7"),
    ]
    assert str(found).splitlines()[-2] == found.signature()
    assert found.notes == ("as it was",)


def test_notes_say_how_well_the_spread_is_known():
    """(n - 1) s^2 / sigma^2 is a chi-square: sigma between .167 sqrt(49 / 70.2) and .167 sqrt(49 / 31.6)."""
    (one,) = plan(pair(0.167), difference=0.05).plans
    low, high = 0.167 * np.sqrt(49 / stats.chi2.ppf([0.975, 0.025], 49))
    assert one.need_low == rows(plan(pair(low), difference=0.05))["t"][2]
    assert one.need_high == rows(plan(pair(high), difference=0.05))["t"][2]
    notes = plan(pair(0.167), difference=0.05).sections()[0].notes
    assert mentions(notes[1], f"{one.need_low} and {one.need_high}", "95 %")
    assert mentions(plan(pair(0.167, n=4), difference=0.05).sections()[0].notes[1], 4, "few")


def test_a_note_names_the_pairs_that_spread_most_and_least_where_they_spread_far_apart():
    x = many(4)
    assert not any("a plan for two" in note for note in plan(scores_of(x), difference=0.05).plans[0].notes)
    x[1] = x[0] + 0.1 * (x[1] - x[0])  # b is nearly a
    pairs = {
        f"{a} and {b}": np.std(x["abcd".index(a)] - x["abcd".index(b)], ddof=1) for a, b in combinations("abcd", 2)
    }
    least, most = min(pairs, key=pairs.get), max(pairs, key=pairs.get)
    (note,) = [note for note in plan(scores_of(x), difference=0.05).plans[0].notes if "a plan for two" in note]
    assert mentions(note, f"{pairs[least]:.4g} ({least})", f"{pairs[most]:.4g} ({most})")
    notes = plan(scores_of(x), difference=0.05, baseline="d").plans[0].notes
    assert not any("a plan for two" in note for note in notes)


def test_notes_say_that_many_pairs_and_sides_need_more():
    notes = plan(scores_of(many(4)), difference=0.05, alternative="less").sections()[0].notes
    assert mentions(notes, "correction", 6, "more queries", "/ 6 = 0.0083")
    assert mentions(notes, "alternative less", "variance", "intervals")
    notes = plan(scores_of(many(4)), difference=0.05, baseline="a").sections()[0].notes
    assert mentions(notes, "correction", 3, "more queries")


def test_queries_that_lack_a_value_are_left_out_and_counted():
    x = many(3)
    x[1, 4] = x[2, 7] = np.nan
    found = plan(scores_of(x), difference=0.05)
    there = np.delete(x, [4, 7], axis=1)
    assert_same_numbers(found.plans[0].sd, plan(scores_of(there), difference=0.05).plans[0].sd)
    assert (found.plans[0].n, found.plans[0].n_now) == (38, 38)
    assert mentions(found.sections()[0].notes, "AP", 2, 40)


def test_plans_are_made_for_the_measures_that_are_asked_for():
    x = np.random.default_rng(4).random((3, 2, 9))
    scores = scores_of(x, ("AP", "nDCG@10"))
    assert [one.measure for one in plan(scores, difference=0.1).plans] == ["AP", "nDCG@10"]
    for asked in ("nDCG@10", ["nDCG@10", "ndcg@10"], scores.measures[1], [scores.measures[1]]):
        found = plan(scores, asked, difference=0.1)
        assert [one.measure for one in found.plans] == ["nDCG@10"]
        assert found.signature().startswith("nDCG@10 | rel:1 | ")
    with pytest.raises(UnknownName, match="'RR'"):
        plan(scores, "RR")
    with pytest.raises(ParameterError, match="no measures"):
        plan(scores, [])


def test_standardised_scores_are_called_that():
    found = plan(standardise(scores_of(many(5))), difference=0.5)
    assert mentions(found.sections()[0].sentence, 0.5, "standardised AP")
    assert {r[0] for r in found.records()} == {"AP"}
    assert "standardised:z | difference:0.5" in found.signature()
    plan(standardise(scores_of(many(5))), difference=3.0)  # which AP itself cannot reach


def test_tests_that_share_the_level_have_each_a_part_of_it() -> None:
    scores = random_table(2, 40)
    shared = plan(scores, difference=0.03, tests=15).frame()
    alone = plan(scores, difference=0.03, alpha=0.05 / 15).frame()
    of_one_pair = ["t detectable", "t", "t achieved", "t at n"]
    of_t = shared["method"].is_in(of_one_pair)
    assert_same_numbers(shared.filter(of_t), alone.filter(of_t))
    rest = plan(scores, difference=0.03).frame()  # one analysis of variance, one interval
    assert_same_numbers(shared.filter(~of_t), rest.filter(~rest["method"].is_in(of_one_pair)))
    found = plan(scores, difference=0.03, tests=15)
    assert mentions(found.sections()[0].notes, "p-value", "/ 15 = 0.0033", "15 tests")
    assert "alpha:0.05 | tests:15" in " ".join(str(found).split())
