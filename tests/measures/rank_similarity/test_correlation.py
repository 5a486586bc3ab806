"""Rank correlations, against their definitions, SciPy and published values."""

from __future__ import annotations

from itertools import combinations, permutations, product
from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankscope as rs
from rankscope.measures.rank_similarity import (
    goodman_kruskal_gamma,
    kendall_tau,
    spearman,
    tau_ap,
    weighted_tau,
)

CORRELATIONS = [kendall_tau, tau_ap, weighted_tau, spearman, goodman_kruskal_gamma]
FEW, MANY = st.integers(0, 4).map(float), st.floats(-1e6, 1e6)
TWO_LISTS = st.one_of(
    st.lists(st.tuples(FEW, FEW), min_size=2, max_size=90),
    st.lists(st.tuples(MANY, MANY), min_size=2, max_size=90),
).map(lambda rows: ([x for x, _ in rows], [y for _, y in rows]))
ONE_TIED = st.integers(2, 6).flatmap(
    lambda n: st.tuples(st.permutations(range(n)), st.lists(FEW, min_size=n, max_size=n))
)
UNTIED = st.integers(2, 30).flatmap(lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n))))


def agrees(found, expected):
    return found == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


def varies(values):
    return len(set(values)) > 1


class TestWorkedExamples:
    """Six pairs of items: (a, b) and (c, d) are the other way round; in the tied list b and c are equal."""

    truth, estimate, tied = [4, 3, 2, 1], [3, 4, 1, 2], [4, 2, 2, 1]

    def test_kendall_tau_counts_pairs(self):
        assert agrees(kendall_tau(self.truth, self.estimate), (4 - 2) / 6)
        # of 6 pairs 5 are ordered alike and 1 is tied in one list
        assert agrees(kendall_tau(self.truth, self.tied, variant="a"), 5 / 6)
        assert agrees(kendall_tau(self.truth, self.tied, variant="b"), 5 / sqrt(6 * 5))
        assert agrees(kendall_tau(self.truth, self.tied, variant="c"), 5 / (4**2 * (3 - 1) / (2 * 3)))

    def test_gamma_leaves_tied_pairs_out(self):
        assert goodman_kruskal_gamma(self.truth, self.tied) == 1.0
        assert agrees(goodman_kruskal_gamma(self.tied, self.estimate), (3 - 2) / 5)

    def test_spearman_takes_squared_differences_of_ranks(self):
        assert agrees(spearman(self.truth, self.estimate), 1 - 6 * (1 + 1 + 1 + 1) / (4 * (16 - 1)))

    def test_tau_ap_takes_the_share_of_rightly_higher_items_above_each_rank(self):
        # estimated order b a d c; above a: b, wrongly; above d: b and a, rightly; above c: b and a rightly, d not
        assert agrees(tau_ap(self.truth, self.estimate), 2 / 3 * (0 / 1 + 2 / 2 + 2 / 3) - 1)

    def test_weighted_tau_weighs_pairs_by_the_ranks_of_both(self):
        weight = {(i, j): 1 / (i + 1) + 1 / (j + 1) for i, j in combinations(range(4), 2)}
        by_truth = sum(weight.values()) - 2 * (weight[0, 1] + weight[2, 3])
        assert agrees(weighted_tau(self.truth, self.estimate, by="x"), by_truth / sum(weight.values()))


class TestAgreementWithSciPy:
    @examples(300)
    @given(lists=TWO_LISTS)
    def test_of_tau_b_and_tau_c(self, lists):
        for variant in "bc":
            assert agrees(kendall_tau(*lists, variant=variant), stats.kendalltau(*lists, variant=variant).statistic)

    @examples(300)
    @given(lists=TWO_LISTS)
    def test_of_weighted_tau_by_both_lists_or_one(self, lists):
        assert agrees(weighted_tau(*lists), stats.weightedtau(*lists).statistic)
        assert agrees(weighted_tau(*lists, by="x"), stats.weightedtau(*lists, rank=None).statistic)
        assert agrees(weighted_tau(*lists, by="y"), stats.weightedtau(*lists[::-1], rank=None).statistic)

    @examples(200)
    @given(lists=TWO_LISTS)
    def test_of_spearman(self, lists):
        if varies(lists[0]) and varies(lists[1]):
            assert agrees(spearman(*lists), stats.spearmanr(*lists).statistic)
        else:
            assert isnan(spearman(*lists))

    @examples(100)
    @given(lists=TWO_LISTS)
    def test_of_gamma_with_somers_d_of_both_directions(self, lists):
        """Somers' D is (C - D) over the pairs not tied in its first list; tau-b^2 is the product of both."""
        if varies(lists[0]) and varies(lists[1]):
            there, back = stats.somersd(*lists).statistic, stats.somersd(*lists[::-1]).statistic
            assert kendall_tau(*lists) ** 2 == pytest.approx(there * back, abs=1e-12)
            assert abs(goodman_kruskal_gamma(*lists)) >= max(abs(there), abs(back)) - 1e-12

    def test_of_long_lists(self):
        rng = np.random.default_rng(5)
        x = rng.standard_normal(20_000)
        y = x + rng.standard_normal(20_000)
        for a, b in ((x, y), (np.round(3 * x), np.round(5 * y)), (np.round(900 * x), y)):
            assert agrees(kendall_tau(a, b), stats.kendalltau(a, b).statistic)
            assert agrees(weighted_tau(a, b), stats.weightedtau(a, b).statistic)


# The data and values of the tests of the R package ircor 1.1 (Urbano and Marrero), which prints four digits.
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        (0.8519, 0.7454, 0.8333, 0.7321),
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        (0.2504, 0.2692, 0.2880, 0.2970),
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        (-0.6971, -0.5558, -0.6680, -0.7047),
    ),
]


class TestAPCorrelation:
    @pytest.mark.parametrize(("x", "y", "expected"), IRCOR)
    def test_is_that_of_ircor_with_ties_and_without(self, x, y, expected):
        tied_x, tied_y = np.round(x, 1), np.round(y, 1)
        found = tau_ap(x, y), tau_ap(x, tied_y), tau_ap(x, y, ties="b"), tau_ap(tied_x, tied_y, ties="b")
        assert found == pytest.approx(expected, abs=5.1e-5)

    @examples(150)
    @given(lists=UNTIED)
    def test_is_its_definition_rank_by_rank(self, lists):
        truth, estimate = lists
        n = len(truth)
        order = sorted(range(n), key=lambda i: -estimate[i])
        right = [sum(truth[j] > truth[i] for j in order[:place]) for place, i in enumerate(order)]
        expected = 2 / (n - 1) * sum(right[i] / i for i in range(1, n)) - 1
        assert agrees(tau_ap(truth, estimate), expected)

    @examples(60)
    @given(
        case=st.integers(2, 6).flatmap(
            lambda n: st.tuples(st.permutations(range(n)), st.lists(FEW, min_size=n, max_size=n))
        )
    )
    def test_with_ties_in_the_estimate_is_the_mean_over_their_orders(self, case):
        truth, estimate = case
        levels = sorted(set(estimate))
        groups = [[i for i, score in enumerate(estimate) if score == level] for level in levels]
        values = []
        for orders in product(*map(permutations, groups)):
            order = [i for group in orders for i in group]
            values.append(tau_ap(truth, [order.index(i) for i in range(len(truth))]))
        assert agrees(tau_ap(truth, estimate), np.mean(values))

    @examples(100)
    @given(lists=UNTIED)
    def test_without_ties_variant_b_is_the_mean_of_both_directions(self, lists):
        x, y = lists
        assert agrees(tau_ap(x, y, ties="b"), (tau_ap(x, y) + tau_ap(y, x)) / 2)

    @examples(150)
    @given(lists=TWO_LISTS)
    def test_variant_b_is_its_definition_item_by_item(self, lists):
        def side(truth, estimate):
            shares = []
            for i in range(len(truth)):
                above = [j for j in range(len(truth)) if estimate[j] > estimate[i]]
                if above:
                    shares.append(sum(truth[j] > truth[i] for j in above) / len(above))
            return 2 * sum(shares) / len(shares) - 1 if shares else nan

        x, y = lists
        assert agrees(tau_ap(x, y, ties="b"), (side(x, y) + side(y, x)) / 2)
        assert agrees(tau_ap(x, y, ties="b"), tau_ap(y, x, ties="b"))

    def test_exchanging_truth_and_estimate_changes_it_without_ties_b(self):
        x, y = [5, 4, 3, 2, 1], [1, 5, 4, 3, 2]
        assert tau_ap(x, y) != tau_ap(y, x)

    def test_a_tied_truth_is_refused_in_variant_a(self):
        with pytest.raises(rs.InputError, match=r"tau_ap: 2 of 3 .*x, .*ties='b'"):
            tau_ap([1, 1, 2], [1, 2, 3])


class TestAllCorrelations:
    @pytest.mark.parametrize("correlation", CORRELATIONS)
    @examples(40)
    @given(lists=UNTIED)
    def test_are_1_for_one_order_minus_1_for_the_opposite_and_between_else(self, correlation, lists):
        x, y = map(np.array, lists)
        assert correlation(x, x) == pytest.approx(1, abs=1e-15)
        assert correlation(x, -x) == pytest.approx(-1, abs=1e-15)
        assert -1 <= correlation(x, y) <= 1
        assert type(correlation(x, y)) is float

    @pytest.mark.parametrize("correlation", CORRELATIONS)
    @examples(40)
    @given(lists=UNTIED)
    def test_depend_on_the_order_only(self, correlation, lists):
        x, y = map(np.array, lists)
        assert agrees(correlation(x, y), correlation(np.exp(x / 10.0), y**3 - 5))
        turned = np.random.default_rng(1).permutation(x.size)
        assert agrees(correlation(x, y), correlation(x[turned], y[turned]))

    @pytest.mark.parametrize("correlation", CORRELATIONS)
    def test_join_mappings_by_item(self, correlation):
        x, y = {"a": 3, "b": 2, "c": 1, "d": 0}, {"d": 2, "c": 5, "b": 4, "a": 9}
        assert_same_numbers(correlation(x, y), correlation([3, 2, 1, 0], [9, 4, 5, 2]))
        assert_same_numbers(correlation({**x, "e": 7}, {**y, "f": 0}, common=True), correlation(x, y))

    @pytest.mark.parametrize("correlation", CORRELATIONS)
    def test_take_infinite_scores_as_first_and_last(self, correlation):
        assert_same_numbers(correlation([inf, 2, -inf], [9, 7, 8]), correlation([3, 2, 1], [9, 7, 8]))

    @pytest.mark.parametrize(
        ("correlation", "options"),
        [
            *((kendall_tau, {"variant": v}) for v in "bc"),
            *((weighted_tau, {"by": v}) for v in ("both", "x", "y")),
            (tau_ap, {"ties": "b"}),
            (spearman, {}),
            (goodman_kruskal_gamma, {}),
        ],
    )
    def test_are_nan_where_a_list_has_one_value_only(self, correlation, options):
        assert isnan(correlation([1, 1, 1], [1, 2, 3], **options))
        assert isnan(correlation([1, 2, 3], [0, 0, 0], **options))
        assert isnan(correlation([0, 0], [0, 0], **options))

    def test_but_tau_a_is_0_there_and_so_is_tau_ap_on_average(self):
        assert kendall_tau([1, 1, 1], [1, 2, 3], variant="a") == 0
        assert tau_ap([1, 2, 3], [0, 0, 0]) == pytest.approx(0, abs=1e-15)


REFUSED = [
    (([1, 2, 3], [1, 2]), r"x .*3 scores .*y 2"),
    (([1], [2]), r"1 item .* 2"),
    (([], []), r"0 items .* 2"),
    (({}, {}), r"0 items .* 2"),
    (([1, nan, 2], [1, 2, 3]), r"1 of 3 .*x .*NaN, .*index 1"),
    (([1, 2, 3], {"a": 1}), r"x and y .*mapping, .*list"),
    (({"a": 1, "b": 2}, {"c": 1, "d": 2}), r"x \(2 items\) .*y \(2 items\)"),
    (
        ({"a": 1, "b": 2}, {"a": 1, "c": 2, "d": 3}),
        r"1 in x .*2 in y .*'b'; .*common=True",
    ),
    (({"a": 1, "b": nan}, {"a": 1, "b": 2}), r"1 of 2 .*x .*NaN"),
    ((["a", "b"], [1, 2]), r"x .*not a number"),
    (([1, None], [1, 2]), r"x .*not a number"),
    (([[1, 2], [3, 4]], [1, 2]), r"x has 2 dimensions"),
    (([[1, 2], [3]], [1, 2]), r"x holds lists of several lengths"),
]


@pytest.mark.parametrize("correlation", CORRELATIONS)
@pytest.mark.parametrize(("lists", "message"), REFUSED)
def test_what_cannot_be_compared_is_refused_in_one_line(correlation, lists, message):
    with pytest.raises(rs.InputError, match=message) as caught:
        correlation(*lists)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("correlation", "options", "message"),
    [
        (kendall_tau, {"variant": "d"}, "kendall_tau 'd'; .*a, b, c"),
        (tau_ap, {"ties": "w"}, "ties .*tau_ap 'w'; .*a, b"),
        (weighted_tau, {"by": "rank"}, "weighted_tau 'rank'; .*both, x, y"),
    ],
)
def test_an_unknown_variant_is_refused_with_those_there_are(correlation, options, message):
    with pytest.raises(rs.UnknownName, match=message):
        correlation([1, 2], [1, 2], **options)
