"""Power and numbers of queries: published values, SciPy's noncentral distributions, properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.stats import (
    anova_power,
    difference_for_t,
    queries_for_anova,
    queries_for_interval,
    queries_for_t,
    t_power,
)
from rankscope.stats.inputs import ALTERNATIVES


def test_a_medium_effect_takes_34_queries():
    """Cohen's d of .5 and power .8: the value that every planner of paired tests shows, 34 with power .8078."""
    assert queries_for_t(0.5, 1.0) == 34
    assert float(t_power(34, 0.5, 1.0)) == pytest.approx(0.8078, abs=5e-5)
    assert queries_for_t(0.5, 1.0, alternative="greater") == 27


@pytest.mark.parametrize(("difference", "n"), [(0.05, 90), (0.02, 550), (0.01, 2191)])
def test_a_standard_deviation_of_a_sixth_as_the_normal_formula_has_it(difference, n):
    assert queries_for_t(difference, 0.167) == n
    z = stats.norm.ppf
    rough = (z(0.975) + z(0.8)) ** 2 * 0.167**2 / difference**2 + z(0.975) ** 2 / 2
    assert n == pytest.approx(rough, abs=1)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("difference", [-0.1, 0.0, 0.02, 0.3])
def test_power_agrees_with_scipys_noncentral_t(alternative, difference):
    n = np.array([2, 3, 10, 50, 1000])
    shift = difference * np.sqrt(n) / 0.2
    tail = 0.025 if alternative == "two-sided" else 0.05
    c = stats.t.isf(tail, n - 1)
    above, below = stats.nct.sf(c, n - 1, shift), stats.nct.cdf(-c, n - 1, shift)
    below = np.nan_to_num(below)  # SciPy has no value so far out in a tail
    expected = {"two-sided": above + below, "greater": above, "less": below}[alternative]
    np.testing.assert_allclose(t_power(n, difference, 0.2, alternative=alternative), expected, atol=1e-7)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_power_to_find_nothing_is_the_level(alternative):
    np.testing.assert_allclose(t_power([2, 10, 500], 0.0, 1.0, alpha=0.03, alternative=alternative), 0.03, rtol=1e-6)


@pytest.mark.parametrize("difference", [5.0, 1e3])
def test_power_is_1_where_nothing_can_hide(difference):
    assert t_power([100, 10_000], difference, 0.1).tolist() == pytest.approx([1.0, 1.0])


def test_power_agrees_with_statsmodels():
    power = pytest.importorskip("statsmodels.stats.power")
    for n, d in ((10, 0.3), (40, 0.4)):
        assert float(t_power(n, d, 1.0)) == pytest.approx(power.TTestPower().power(d, n, 0.05), abs=1e-9)


@given(
    difference=st.sampled_from([0.02, 0.1, 0.5, -0.3]),
    sd=st.sampled_from([0.1, 0.25, 1.0]),
    power=st.sampled_from([0.5, 0.8, 0.95]),
    level=st.sampled_from([0.01, 0.05]),
)
def test_the_number_of_queries_is_the_smallest(difference, sd, power, level):
    n = queries_for_t(difference, sd, power=power, alpha=level)
    assert t_power(n, difference, sd, alpha=level) >= power
    assert n == 2 or t_power(n - 1, difference, sd, alpha=level) < power


@pytest.mark.parametrize("design", ["one-way", "two-way"])
@pytest.mark.parametrize("systems", [2, 10, 100])
def test_power_of_the_analysis_of_variance_is_scipys_noncentral_f(design, systems):
    n, difference, sd = 40, 0.1, 0.2
    df, df_error = systems - 1, (systems - 1) * (n - 1) if design == "two-way" else systems * (n - 1)
    shift = n * difference**2 / (2 * sd**2)
    expected = stats.ncf.sf(stats.f.isf(0.05, df, df_error), df, df_error, shift)
    assert anova_power(n, systems, difference, sd, design=design) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("design", ["one-way", "two-way"])
@given(systems=st.integers(2, 40), difference=st.sampled_from([0.05, 0.2]), power=st.sampled_from([0.7, 0.9]))
def test_the_number_of_queries_for_many_systems_is_the_smallest(design, systems, difference, power):
    n = queries_for_anova(systems, difference, 0.2, power=power, design=design)
    assert anova_power(n, systems, difference, 0.2, design=design) >= power
    assert n == 2 or anova_power(n - 1, systems, difference, 0.2, design=design) < power


def test_two_systems_on_the_same_queries_are_the_paired_t_test():
    """sd of a difference is sqrt(2) times that of the residuals, for two systems."""
    for n in (5, 40):
        power = anova_power(n, 2, 0.1, 0.2)
        assert power == pytest.approx(float(t_power(n, 0.1, 0.2 * np.sqrt(2))), abs=1e-7)


@given(width=st.sampled_from([0.02, 0.1, 1.0]), sd=st.sampled_from([0.1, 0.3]), level=st.sampled_from([0.9, 0.99]))
def test_the_interval_is_as_narrow_as_asked_and_with_one_query_fewer_it_is_not(width, sd, level):
    def wide(n):
        return 2 * stats.t.ppf((1 + level) / 2, n - 1) * sd / np.sqrt(n)

    n = queries_for_interval(width, sd, confidence_level=level)
    assert wide(n) <= width
    assert n == 2 or wide(n - 1) > width


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("n", "power", "level"), [(2, 0.8, 0.05), (50, 0.8, 0.05), (1000, 0.95, 0.001)])
def test_the_smallest_difference_has_the_power_and_any_smaller_one_has_less(alternative, n, power, level):
    smallest = difference_for_t(n, 0.2, power=power, alpha=level, alternative=alternative)
    side = "two-sided" if alternative == "two-sided" else "greater"
    at, below = (float(t_power(n, share * smallest, 0.2, alpha=level, alternative=side)) for share in (1, 1 - 1e-6))
    assert at == pytest.approx(power, abs=1e-7)
    assert below < power


def test_the_smallest_difference_of_many_queries_is_that_of_the_normal_formula():
    z = stats.norm.ppf
    assert difference_for_t(10_000, 0.2) == pytest.approx((z(0.975) + z(0.8)) * 0.2 / 100, rel=1e-3)


def test_what_cannot_be_planned_is_refused():
    with pytest.raises(ParameterError, match=r"power is 0\.05 and alpha 0\.05"):
        difference_for_t(50, 0.2, power=0.05)
    with pytest.raises(ParameterError, match=r"n is 1, .* 2"):
        t_power([5, 1], 0.1, 0.2)
    with pytest.raises(ParameterError, match=r"sd is 0, .* 0"):
        t_power(5, 0.1, 0)
    with pytest.raises(ParameterError, match="difference is 0"):
        queries_for_t(0, 0.2)
    with pytest.raises(ParameterError, match="no number of queries"):
        queries_for_t(0.1, 0.2, alternative="less")
    with pytest.raises(ParameterError, match="more than 100,000,000"):
        queries_for_t(1e-9, 0.2)
    with pytest.raises(ParameterError, match="power is 80"):
        queries_for_t(0.1, 0.2, power=80)
    with pytest.raises(ParameterError, match=r"systems is 1, .* 2"):
        queries_for_anova(1, 0.1, 0.2)
    with pytest.raises(ParameterError, match="design is 'nested'"):
        queries_for_anova(3, 0.1, 0.2, design="nested")
    with pytest.raises(ParameterError, match="width is -1"):
        queries_for_interval(-1, 0.2)


# Clusters


@given(
    d=st.floats(0.1, 1.0),
    size=st.floats(1, 20),
    effect=st.floats(0.5, 10),
    clusters=st.integers(3, 60),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
)
def test_power_with_clusters_is_that_of_their_means(d, size, effect, clusters, alternative):
    """n queries in n / size clusters, whose means have the variance effect / size."""
    sd = 1.3
    found = t_power(clusters * size, d, sd, alternative=alternative, cluster_size=size, design_effect=effect)
    expected = t_power(clusters, d, sd * (effect / size) ** 0.5, alternative=alternative)
    assert float(found) == pytest.approx(float(expected), rel=1e-9, abs=1e-12)


def test_the_fewest_queries_with_clusters_have_the_power_and_one_less_has_not():
    design = {"cluster_size": 5, "design_effect": 2.2}
    n = queries_for_t(0.3, 1.0, **design)
    assert t_power(n, 0.3, 1.0, **design) >= 0.8 > t_power(n - 1, 0.3, 1.0, **design)
    assert t_power(n, difference_for_t(n, 1.0, **design), 1.0, **design) == pytest.approx(0.8)
    assert queries_for_t(9.0, 1.0, **design) == 10  # two clusters


def test_an_interval_with_clusters_is_that_of_their_means():
    n = queries_for_interval(0.4, 1.0, cluster_size=5, design_effect=2.2)
    sd = (2.2 / 5) ** 0.5

    def width(m):
        return 2 * stats.t.ppf(0.975, m / 5 - 1) * sd / (m / 5) ** 0.5

    assert width(n) <= 0.4 < width(n - 1)


@pytest.mark.parametrize(
    ("design", "name"), [({"cluster_size": 0.5}, "cluster_size"), ({"design_effect": 0.0}, "design_effect")]
)
def test_designs_out_of_range_are_refused(design, name):
    for function in (lambda: t_power(50, 0.1, 1.0, **design), lambda: queries_for_interval(0.4, 1.0, **design)):
        with pytest.raises(ParameterError, match=name):
            function()


def test_fewer_queries_than_two_clusters_have_no_power():
    with pytest.raises(ParameterError, match="at least 2 clusters of 5"):
        t_power(9, 0.1, 1.0, cluster_size=5)
