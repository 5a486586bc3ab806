"""Measures of one list: values by hand from the definitions, naive loops, and what holds of any list."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations
from math import erfc, isnan, log2, nan, sqrt

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.agreement import per_segment
from rankscope.agreement.rankeval.measures import SEGMENT_MEASURES
from rankscope.data.ranking import NORMALISATIONS
from rankscope.errors import InputError, ParameterError, UnknownName

GOLD, PREDICTED = [1, 2, 3, 3], [3, 4, 1, 2]  # the readme of the tool
ranks = st.integers(1, 4).map(float)
two_lists = st.integers(1, 5).flatmap(
    lambda n: st.tuples(st.lists(ranks, min_size=n, max_size=n), st.lists(ranks, min_size=n, max_size=n))
)


class TestByHand:
    def test_tau_leaves_out_what_people_tie(self) -> None:
        # Concordant: items 1 and 2. Discordant: 1 and 3, 1 and 4, 2 and 3, 2 and 4. Tied by people: 3 and 4.
        assert per_segment(GOLD, PREDICTED, "tau") == (1 - 4) / 5

    def test_tau_treats_ties_as_its_options_say(self) -> None:
        # Tied by the machine only: 1-2, 1-3. Discordant: 1-4. Tied by both: 2-3. Tied by people only: 2-4, 3-4.
        gold, predicted = [1, 2, 2, 2], [2, 2, 2, 1]

        def tau(exclude: bool, penalise: bool) -> float:
            return per_segment(gold, predicted, "tau", exclude_gold_ties=exclude, penalise_predicted_ties=penalise)

        assert tau(True, True) == (0 - 3) / 3
        assert tau(True, False) == (0 - 1) / 1
        assert tau(False, True) == (1 - 5) / 6
        assert tau(False, False) == (1 - 3) / 4

    def test_the_pvalue_takes_the_number_of_items(self) -> None:
        z = 1 / sqrt((4 * 4 + 10) / (9 * 4 * 3))
        found = per_segment([1, 2, 3, 4], [1, 2, 3, 4], "pvalue")
        assert found == pytest.approx(erfc(z / sqrt(2)), rel=1e-14)
        assert round(found, 3) == 0.042  # the tool has .0048, from 6 pairs

    def test_farr_is_where_the_machine_has_the_best(self) -> None:
        assert per_segment(GOLD, PREDICTED, "FARR") == 1 / 3
        assert per_segment([1, 1, 2], [3, 2, 1], "FARR") == 1 / 2  # two are best: the one that the machine ranks higher
        assert per_segment([1, 2, 3], [1, 1, 2], "FARR") == 1 / 2  # ceiling
        assert per_segment([1, 2, 3], [1, 1, 2], "FARR", normalise="floor") == 1
        assert_same_numbers(per_segment([1, 2, 3], [1, 1, 2], "FARR", normalise="middle"), 1 / 1.5)

    def test_dcg_has_relevance_from_ranks(self) -> None:
        # People's ceiling ranks 1 2 4 4 of 4 items: relevance 4 3 1 1; the machine's order: 3rd, 4th, 1st, 2nd.
        found = (2**1 - 1) / log2(2) + (2**1 - 1) / log2(3) + (2**4 - 1) / log2(4) + (2**3 - 1) / log2(5)
        ideal = (2**4 - 1) / log2(2) + (2**3 - 1) / log2(3) + (2**1 - 1) / log2(4) + (2**1 - 1) / log2(5)
        assert per_segment(GOLD, PREDICTED, "DCG") == pytest.approx(found, rel=1e-14)
        assert per_segment(GOLD, PREDICTED, "nDCG") == pytest.approx(found / ideal, rel=1e-14)
        assert per_segment(GOLD, PREDICTED, "DCG", cutoff=2) == pytest.approx(1 + 1 / log2(3), rel=1e-14)
        assert per_segment(GOLD, PREDICTED, "nDCG", cutoff=1) == pytest.approx(1 / 15, rel=1e-14)

    def test_err_is_where_a_reader_stops(self) -> None:
        stop = [1 / 16, 1 / 16, 15 / 16, 7 / 16]
        expected = stop[0] + 1 / 2 * (1 - stop[0]) * stop[1] + 1 / 3 * (1 - stop[0]) * (1 - stop[1]) * stop[2]
        expected += 1 / 4 * (1 - stop[0]) * (1 - stop[1]) * (1 - stop[2]) * stop[3]
        assert per_segment(GOLD, PREDICTED, "ERR") == pytest.approx(expected, rel=1e-14)
        assert per_segment(GOLD, PREDICTED, "ERR", cutoff=1) == 1 / 16

    def test_all_tied_by_both_is_the_ideal_where_the_tool_has_half(self) -> None:
        assert per_segment([1, 1, 1], [1, 1, 1], "nDCG") == 1.0
        # A tie for the first place of relevance 3 and 2: the mean of both orders. The tool has 0 at rank 1.
        assert per_segment([1, 2, 3], [1, 1, 2], "nDCG", cutoff=1) == pytest.approx((7 / 7 + 3 / 7) / 2, rel=1e-14)

    def test_best_predicted_is_the_worst_of_those_that_the_machine_ties(self) -> None:
        assert per_segment(GOLD, PREDICTED, "best_predicted") == 4  # ceiling: 1 2 4 4
        assert per_segment(GOLD, PREDICTED, "best_predicted", normalise="minimize") == 3
        assert per_segment([1, 2, 3], [1, 1, 2], "best_predicted") == 2


class TestAgainstLoops:
    @given(two_lists, st.booleans(), st.booleans())
    def test_tau_is_that_of_a_loop_over_pairs(self, lists: tuple[list[float], list[float]], a: bool, b: bool) -> None:
        gold, predicted = lists
        c = d = 0
        for i, j in combinations(range(len(gold)), 2):
            x, y = gold[i] - gold[j], predicted[i] - predicted[j]
            if (x == 0 and a) or (y == 0 and x != 0 and not b):
                continue
            if x * y > 0 or (x == y == 0):
                c += 1
            else:
                d += 1
        found = per_segment(gold, predicted, "tau", exclude_gold_ties=a, penalise_predicted_ties=b)
        assert found == (c - d) / (c + d) if c + d else isnan(found)

    @examples(40)
    @given(two_lists)
    def test_ties_of_the_machine_are_averaged_over_their_orders(self, lists: tuple[list[float], list[float]]) -> None:
        gold, predicted = lists
        n = len(gold)
        relevance = [n - sum(other <= rank for other in gold) + 1 for rank in gold]
        gains, stops = [], []
        for order in permutations(range(n)):
            if any(predicted[i] > predicted[j] for i, j in pairwise(order)):
                continue
            in_order = [relevance[i] for i in order]
            gains.append(sum((2**rel - 1) / log2(rank + 1) for rank, rel in enumerate(in_order, 1)))
            value, reached = 0.0, 1.0
            for rank, rel in enumerate(in_order, 1):
                stop = (2**rel - 1) / 2**n
                value += reached * stop / rank
                reached *= 1 - stop
            stops.append(value)
        assert per_segment(gold, predicted, "DCG") == pytest.approx(np.mean(gains), rel=1e-12)
        assert per_segment(gold, predicted, "ERR") == pytest.approx(np.mean(stops), rel=1e-12)


class TestOfAnyList:
    @examples(40)
    @given(two_lists, st.permutations(range(5)), st.sampled_from(NORMALISATIONS))
    def test_the_order_of_items_and_the_normalisation_before_change_nothing(
        self, lists: tuple[list[float], list[float]], order: list[int], ties: str
    ) -> None:
        gold, predicted = lists
        place = [i for i in order if i < len(gold)]
        other = [list(rs.Ranking([values[i] for i in place]).normalise(ties)) for values in (gold, predicted)]
        for name in SEGMENT_MEASURES:
            expected = per_segment(gold, predicted, name)
            assert per_segment(*other, name) == pytest.approx(expected, rel=1e-12, nan_ok=True)

    @examples(40)
    @given(two_lists)
    def test_scores_inverted_are_ranks(self, lists: tuple[list[float], list[float]]) -> None:
        gold, predicted = lists
        scores = [10 - rank for rank in predicted]
        for name in SEGMENT_MEASURES:
            expected = per_segment(gold, predicted, name)
            assert per_segment(gold, scores, name, invert=True) == pytest.approx(expected, nan_ok=True)

    @examples(40)
    @given(two_lists)
    def test_values_are_in_their_ranges_and_full_agreement_is_the_best(
        self, lists: tuple[list[float], list[float]]
    ) -> None:
        gold, predicted = lists
        tau = per_segment(gold, predicted, "tau")
        assert isnan(tau) or -1 <= tau <= 1
        assert 0 < per_segment(gold, predicted, "FARR") <= 1
        assert per_segment(gold, gold, "nDCG") == pytest.approx(1, rel=1e-14)
        assert 0 < per_segment(gold, predicted, "nDCG") <= 1
        assert 0 < per_segment(gold, predicted, "ERR") <= per_segment(gold, gold, "ERR") + 1e-12 < 1
        assert 1 <= per_segment(gold, predicted, "best_predicted") <= len(gold)


class TestWhatHasNoValue:
    def test_tau_of_one_item_and_of_all_tied_is_nan(self) -> None:
        assert isnan(per_segment([1], [1], "tau"))
        assert isnan(per_segment([2, 2, 2], [1, 2, 3], "tau"))
        assert isnan(per_segment([1, 2], [1, 1], "tau", penalise_predicted_ties=False))
        assert per_segment([1, 2], [1, 1], "tau") == -1

    def test_the_pvalue_of_fewer_than_two_items_is_nan(self) -> None:
        assert isnan(per_segment([1], [1], "pvalue"))
        assert isnan(per_segment([1, 1, 1], [1, 2, 3], "pvalue"))

    @pytest.mark.parametrize(
        ("gold", "predicted", "why"),
        [
            ([1, 2], [1], "2 gold .*1 predicted"),
            ([], [], "no item"),
            ([1, nan], [1, 2], "item 2 .*gold"),
            ([1, 2], [nan, 2], "item 1 .*predicted"),
            ([1, nan], [1, nan], "item 2 .*gold"),
            ([1, float("inf")], [1, 2], "infinite"),
            (["1", "2"], [1, 2], "not numbers"),
            ([1, None], [1, 2], "not numbers"),
            ([[1, 2]], [[1, 2]], "shape"),
            ([-1, 2], [1, 2], "gold rank -1, .*0"),
        ],
    )
    def test_what_is_no_list_of_ranks_is_refused(self, gold: object, predicted: object, why: str) -> None:
        for name in SEGMENT_MEASURES:
            with pytest.raises(InputError, match=why):
                per_segment(gold, predicted, name)

    def test_parameters_out_of_range_are_refused(self) -> None:
        with pytest.raises(ParameterError, match="cutoff"):
            per_segment([1, 2], [1, 2], "nDCG", cutoff=0)
        with pytest.raises(ParameterError, match="normalise is 'dense'"):
            per_segment([1, 2], [1, 2], "FARR", normalise="dense")
        with pytest.raises(ParameterError, match="cutoff has no effect on FARR"):
            per_segment([1, 2], [1, 2], "FARR", cutoff=1)
        with pytest.raises(UnknownName, match="did you mean FARR"):
            per_segment([1, 2], [1, 2], "farrr")
