"""Rank-biased overlap, against its definition, published values, and the mean over the orders of tied items."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from itertools import chain, permutations, product
from math import inf, log, nan, sqrt

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.measures.rank_similarity import rbo
from rankscope.measures.rank_similarity.rank_biased_overlap import harmonic_tail

P = st.floats(0.05, 0.95)
#: Far enough for p = .95: .95^1000 is below 1e-22.
DEPTH = 1000


def agrees(found, expected):
    return found == pytest.approx(expected, rel=1e-11, abs=1e-11)


@st.composite
def rankings(draw, items=12, most=10, tied=True):
    """Some of the items in any order, neighbours tied here and there."""
    order = draw(st.permutations(range(items)))[: draw(st.integers(1, most))]
    cuts = [True, *(not tied or draw(st.booleans()) for _ in order[1:])]
    groups = []
    for item, new in zip(order, cuts, strict=True):
        groups = [*groups, {item}] if new else [*groups[:-1], groups[-1] | {item}]
    return [group if len(group) > 1 else group.pop() for group in groups]


def chance(first, last, ties):
    if ties == "w":
        return lambda depth: float(depth >= first)
    return lambda depth: min(max(0, depth - first + 1) / (last - first + 1), 1)


def chances(ranking, ties):
    """Item -> how much it counts at each depth up to the list's end: Corsi and Urbano (2024), section 3."""
    found, first = {}, 1
    for group in ranking:
        group = group if isinstance(group, set) else {group}
        last = first + len(group) - 1
        for item in group:
            found[item] = chance(first, last, ties)
        first = last + 1
    return found, first - 1


def by_definition(a, b, p, variant, ties):
    """The series summed term by term, the unseen part of each list written out."""
    (of_s, s), (of_l, n) = sorted((chances(a, ties), chances(b, ties)), key=lambda pair: pair[1])
    both, only = of_s.keys() & of_l.keys(), [item for item in of_l if item not in of_s]

    def norm(d):
        sizes = [sum(c(d) for c in of.values()) if d <= end else d for of, end in ((of_s, s), (of_l, n))]
        squares = [sum(c(d) ** 2 for c in of.values()) if d <= end else d for of, end in ((of_s, s), (of_l, n))]
        return {"w": sum(sizes) / 2, "a": d, "b": sqrt(squares[0] * squares[1])}[ties]

    def seen(d):
        return sum(of_s[item](d) * of_l[item](d) for item in both)

    agreed = seen(s) / norm(s)

    def overlap(d):
        x = seen(d)
        if variant == "ext" and d > s:
            active = [of_l[item](min(d, n)) for item in only if of_l[item](min(d, n)) > 0]
            return x + (d - s) * agreed * sum(active) / len(active) if d <= n else d * overlap(n) / n
        if variant == "max" and s < d <= n:
            return x + sum(sorted((of_l[item](d) for item in only), reverse=True)[: d - s])
        if variant == "max" and d > n:
            return min(d, x + (n - s) + 2 * (d - n))
        return x

    if variant == "ext":  # beyond both ends: the overlap of depth n with the unseen at their full count
        last = (seen(n) + (n - s) * agreed) / n
        agreement = [overlap(d) / norm(d) for d in range(1, n + 1)] + [last] * (DEPTH - n)
    else:
        agreement = [overlap(d) / norm(d) for d in range(1, n + 1)] + [overlap(d) / d for d in range(n + 1, DEPTH + 1)]
    return (1 - p) * sum(p**i * value for i, value in enumerate(agreement))


@examples(150)
@given(a=rankings(), b=rankings(), p=P, ties=st.sampled_from("wab"))
def test_every_variant_is_its_series_summed_term_by_term(a, b, p, ties):
    assert agrees(rbo(a, b, p=p, ties=ties), by_definition(a, b, p, "ext", ties))
    least = by_definition(a, b, p, "min", ties)
    assert agrees(rbo(a, b, p=p, variant="min", ties=ties), least)
    assert agrees(rbo(a, b, p=p, variant="res", ties=ties), by_definition(a, b, p, "max", ties) - least)


def orders(ranking):
    """All lists without ties that a list with ties may stand for."""
    groups = [permutations(group) if isinstance(group, set) else [(group,)] for group in ranking]
    return [list(chain.from_iterable(choice)) for choice in product(*groups)]


def parse(text):
    """As the lists are written below: brackets around tied items."""
    found = re.findall(r"\(([^)]*)\)|(\S+)", text)
    return [set(tied.split()) if tied else item for tied, item in found]


# Rows of the test data of Corsi and Urbano (2024), computed by their code: (ext, min, res) for each treatment of ties.
CORSI_URBANO = [
    (
        "i3 (i1 i5 i7) i9",
        "(i1 i9) i7 i3 i4",
        0.930093081332594,
        {
            "w": (0.697096710334179, 0.35176094170816, 0.484543086103469),
            "a": (0.678580739450433, 0.333244970824414, 0.484543086103469),
            "b": (0.684614956129899, 0.339279187503881, 0.484543086103469),
        },
    ),
    (
        "i1 (i15 i16) i10 i12 i2 i14",
        "i16 (i1 i10 i11 i15) i2 (i4 i5 i6)",
        0.988786023528663,
        {
            "w": (0.691527178549045, 0.161742780873865, 0.806147106433969),
            "a": (0.7056986088397, 0.157852652669937, 0.806223303274782),
            "b": (0.718722074850857, 0.163365514575474, 0.806280902059836),
        },
    ),
    (
        "(i11 i13) i3 i5 i6",
        "i4 i12 i8 i15 (i1 i2 i7 i9 i10 i16) i14",
        0.903237825185868,
        {"w": (0, 0, 0.396046869573696), "a": (0, 0, 0.404100165551889), "b": (0, 0, 0.409969273851766)},
    ),
    (
        "i20 i23 i15 (i7 i8 i26) i10 i6 (i12 i17) i5 i18",
        "(i8 i20 i23) (i7 i10 i15) (i5 i6 i16 i17 i26) (i12 i24 i27) i1",
        0.957045572925238,
        {
            "w": (0.853717273384902, 0.569548125596915, 0.336138702815604),
            "a": (0.83756830645108, 0.552012454667932, 0.336210961864046),
            "b": (0.875494864817412, 0.587078370433584, 0.336262997509566),
        },
    ),
]


class TestPublishedValues:
    def test_of_the_lists_of_webbers_figure_5(self):
        """Webber et al. (2010): abcdefg and zcavwxy agree by 0, 0, 2/3, 2/4, 2/5, 2/6, 2/7 at depths 1 to 7."""
        p, agreement = 0.9, [0, 0, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7]
        prefix = sum((1 - p) * p**i * value for i, value in enumerate(agreement))
        a, b = list("abcdefg"), list("zcavwxy")
        assert agrees(rbo(a, b, p=p), prefix + p**7 * 2 / 7)  # equation 23
        tail = log(1 / (1 - p)) - sum(p**d / d for d in range(1, 8))
        assert agrees(rbo(a, b, p=p, variant="min"), prefix + (1 - p) / p * 2 * tail)  # equation 11

    @examples(100)
    @given(a=rankings(tied=False), b=rankings(tied=False), p=P)
    def test_of_the_residual_are_webbers_equation_30(self, a, b, p):
        short, long = sorted((len(a), len(b)))
        shared = len(set(a) & set(b))
        f = long + short - shared
        sums = {start: sum(p**d / d for d in range(start + 1, f + 1)) for start in (0, short, long)}
        inner = short * sums[short] + long * sums[long] + shared * (log(1 / (1 - p)) - sums[0])
        expected = p**short + p**long - p**f - (1 - p) / p * inner
        assert agrees(rbo(a, b, p=p, variant="res"), expected)

    @pytest.mark.parametrize(("a", "b", "p", "expected"), CORSI_URBANO)
    def test_of_lists_with_ties_are_those_of_corsi_and_urbano(self, a, b, p, expected):
        for ties, values in expected.items():
            for variant, value in zip(("ext", "min", "res"), values, strict=True):
                assert rbo(parse(a), parse(b), p=p, variant=variant, ties=ties) == pytest.approx(value, abs=1e-13)


class TestTies:
    @pytest.mark.parametrize("ties", ["w", "a", "b"])
    def test_make_no_difference_where_there_are_none(self, ties):
        for variant in ("ext", "min", "res"):
            assert_same_numbers(
                rbo(["a", "b", "c", "d"], ["d", "a", "e"], variant=variant, ties=ties),
                rbo(["a", "b", "c", "d"], ["d", "a", "e"], variant=variant),
            )

    @examples(60)
    @given(a=rankings(items=7, most=5), b=rankings(items=7, most=5), p=P)
    def test_of_variant_a_stand_for_the_mean_over_all_orders(self, a, b, p):
        """For lists of one length; for others RBO_min only, since the rest extrapolates order by order."""
        same_length = len(orders(a)[0]) == len(orders(b)[0])
        for variant in ("ext", "min", "res") if same_length else ("min",):
            values = [rbo(x, y, p=p, variant=variant) for x in orders(a) for y in orders(b)]
            assert agrees(rbo(a, b, p=p, variant=variant, ties="a"), np.mean(values))

    def test_are_equal_scores_of_a_mapping_and_sets_in_a_list(self):
        scores, ranking = {"a": 1, "b": 3.5, "c": 1, "d": -2, "e": 3.5}, [{"b", "e"}, frozenset("ac"), "d"]
        other = ["e", {"a", "x"}, "c"]
        for ties in "wab":
            assert_same_numbers(rbo(scores, other, ties=ties), rbo(ranking, other, ties=ties))

    def test_of_infinite_scores_are_ties_too(self):
        ranking = [{"a", "b"}, "c", {"d", "e"}]
        scores = {"d": -inf, "a": inf, "b": inf, "c": 0, "e": -inf}
        assert_same_numbers(rbo(scores, ["c", "a"]), rbo(ranking, ["c", "a"]))

    def test_of_one_item_are_none(self):
        assert_same_numbers(rbo([{"a"}, {"b"}], ["b", "a"]), rbo(["a", "b"], ["b", "a"]))

    @examples(100)
    @given(a=rankings(), p=P)
    def test_of_variant_w_and_b_let_a_list_agree_with_itself(self, a, p):
        assert rbo(a, a, p=p, ties="w") == pytest.approx(1, abs=1e-12)
        assert rbo(a, a, p=p, ties="b") == pytest.approx(1, abs=1e-12)
        assert rbo(a, a, p=p, ties="a") <= 1

    def test_of_variant_a_do_not(self):
        # at depth 1 two items in either order agree half the time; from depth 2 on they agree
        assert agrees(rbo([{"a", "b"}], [{"a", "b"}], p=0.5, ties="a"), (1 - 0.5) * 1 / 2 + 0.5)


class TestProperties:
    @examples(300)
    @given(a=rankings(), b=rankings(), p=P, ties=st.sampled_from("wab"))
    def test_the_extrapolated_value_lies_between_the_bounds(self, a, b, p, ties):
        value, least, residual = (rbo(a, b, p=p, variant=v, ties=ties) for v in ("ext", "min", "res"))
        assert 0 <= least <= value + 1e-12
        assert value <= least + residual + 1e-12
        assert least + residual <= 1 + 1e-12
        assert 0 <= value <= 1
        assert type(value) is float

    @examples(150)
    @given(a=rankings(), b=rankings(), p=P, ties=st.sampled_from("wab"))
    def test_it_does_not_matter_which_list_comes_first(self, a, b, p, ties):
        for variant in ("ext", "min", "res"):
            assert agrees(rbo(a, b, p=p, variant=variant, ties=ties), rbo(b, a, p=p, variant=variant, ties=ties))

    @examples(100)
    @given(a=rankings(tied=False, most=6), b=rankings(tied=False, most=6), p=P, more=st.permutations(range(20, 26)))
    def test_reading_on_never_leaves_the_bounds(self, a, b, p, more):
        """Webber et al.: bounds narrow with depth, whatever comes."""
        before = rbo(a, b, p=p, variant="min"), rbo(a, b, p=p, variant="min") + rbo(a, b, p=p, variant="res")
        longer = [*a, *more[:3]], [*b, *more[2:5]]
        after = rbo(*longer, p=p, variant="min"), rbo(*longer, p=p, variant="min") + rbo(*longer, p=p, variant="res")
        assert before[0] <= after[0] + 1e-12
        assert after[1] <= before[1] + 1e-12

    def test_lists_without_a_common_item_overlap_by_0(self):
        assert rbo(["a", "b"], ["c"]) == rbo(["a", "b"], ["c"], variant="min") == 0
        assert 0 < rbo(["a", "b"], ["c"], variant="res") < 1

    def test_any_hashable_is_an_item(self):
        assert rbo([1, "1", (1, 2), None], [1, "1", (1, 2), None]) == pytest.approx(1)
        assert rbo(np.array(["a", "b"]), ("a", "b")) == pytest.approx(1)
        assert rbo(iter("ab"), {"a": 2, "b": 1}.keys()) == pytest.approx(1)

    @pytest.mark.parametrize("p", [1e-6, 0.5, 0.999, 0.9999, 1 - 1e-9])
    def test_p_may_be_anywhere_between_0_and_1(self, p):
        a, b = list(range(2000)), [*range(1, 2000), 0]
        value, least, residual = (rbo(a, b, p=p, variant=v) for v in ("ext", "min", "res"))
        assert 0 <= least <= value + 1e-12 <= least + residual + 1e-9
        assert rbo(a, a, p=p) == pytest.approx(1)


class TestRefused:
    @pytest.mark.parametrize(
        ("a", "message"),
        [
            ([], "rbo: a is empty"),
            ({}, "rbo: a is empty"),
            (["x", "y", "x"], "rbo: a .*'x' 2 times"),
            (["x", {"y", "x"}], "rbo: a .*'x' 2 times"),
            (["x", set()], "rbo: a .*empty set"),
            (["x", ["y", "z"]], "rbo: a .*cannot be compared"),
            ([1.0, nan], "rbo: a .*NaN"),
            ({"x": nan}, "1 of 1 .* a .*NaN"),
            ("xyz", "rbo: a .*str, .*list"),
            ({"x", "y"}, "rbo: a .*set, .*list"),
            (7, "rbo: a .*int, .*list"),
        ],
    )
    def test_is_a_list_that_cannot_be_read(self, a, message):
        with pytest.raises(rs.InputError, match=message) as caught:
            rbo(a, ["x", "y"])
        assert "\n" not in str(caught.value)
        with pytest.raises(rs.InputError, match=message.replace(" a ", " b ", 1)):
            rbo(["x", "y"], a)

    @pytest.mark.parametrize("p", [0, 1, -0.5, 1.5, nan, "0.9", None, True])
    def test_is_p_that_is_not_between_0_and_1(self, p):
        with pytest.raises(rs.ParameterError, match=r"rbo: p is .*, .*0 and 1"):
            rbo(["x"], ["x"], p=p)

    def test_is_a_variant_that_does_not_exist(self):
        with pytest.raises(rs.UnknownName, match=r"rbo 'max'; .*ext, min, res"):
            rbo(["x"], ["x"], variant="max")
        with pytest.raises(rs.UnknownName, match=r"ties .*rbo 'c'; .*a, b, w"):
            rbo(["x"], ["x"], ties="c")


@pytest.mark.parametrize(
    "p", [0.5, 0.999, 0.9996, 0.9997, 0.99999]
)  # from 0.9997 on as a logarithm less its first terms
@pytest.mark.parametrize("n", [0, 1, 7, 3000])
def test_the_tail_of_the_series_is_that_of_exact_decimals(p, n):
    with localcontext(prec=50):
        exact = Decimal(p)
        tail = -(1 - exact).ln() - sum(exact**d / d for d in range(1, n + 1))
    assert harmonic_tail(n, p) == pytest.approx(float(tail), rel=1e-11)


@pytest.mark.parametrize("p", [0.9995, 0.9999])
def test_the_least_overlap_of_one_item_is_its_formula_at_any_persistence(p):
    assert rbo(["a"], ["a"], p=p, variant="min") == pytest.approx((1 - p) / p * -log(1 - p), rel=1e-10)
