"""Measures of many lists: values by hand, p-values against SciPy and against all permutations, and what is refused."""

from __future__ import annotations

from itertools import permutations, product
from math import isnan, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.stats
from helpers.properties import examples
from helpers.same import assert_same_bits, assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import Rankings
from rankscope.agreement import per_segment, per_set
from rankscope.agreement.rankeval.kendall_tau import (
    permutation_plans,
    permutation_pvalue,
    permuted_pair_counts,
    tau_counts,
    tau_pvalues,
)
from rankscope.agreement.rankeval.measures import SET_MEASURES, MeasureSettings
from rankscope.agreement.rankeval.paired_ranks import as_table, table_of
from rankscope.errors import InputError, ParameterError, UnknownName

GOLD = [[1, 2, 3, 3], [2, 1]]
PREDICTED = [[3, 4, 1, 2], [1.5, 1.5]]
RANKINGS = Rankings.of([{"a": 1, "b": 2, "c": 3, "d": 3}, {"a": 2, "b": 1}]).with_column(
    "machine", np.array([3, 4, 1, 2, 1.5, 1.5]), higher_is_better=False
)
MEANS = {name: measure.mean_of for name, measure in SET_MEASURES.items() if measure.mean_of}
ranks = st.integers(1, 3).map(float)
pair = st.integers(2, 4).flatmap(
    lambda n: st.tuples(st.lists(ranks, min_size=n, max_size=n), st.lists(ranks, min_size=n, max_size=n))
)


class TestByHand:
    def test_micro_tau_counts_all_pairs_together(self) -> None:
        # 1 of 5 pairs concordant, and a pair that the machine ties: (1 - 5) / 6.
        assert per_set(GOLD, PREDICTED, "tau") == (1 - 5) / 6
        assert per_set(GOLD, PREDICTED, "tau", penalise_predicted_ties=False) == (1 - 4) / 5

    def test_macro_tau_is_the_mean_over_lists_zeros_included(self) -> None:
        assert_same_numbers(per_set(GOLD, PREDICTED, "tau_macro"), ((1 - 4) / 5 - 1) / 2)
        zero = [1, 2, 3, 4], [1, 4, 3, 2]  # 3 pairs each way
        assert (
            per_set([zero[0], [1, 2]], [zero[1], [1, 2]], "tau_macro") == (0 + 1) / 2
        )  # the tool leaves the 0 out: 1.0

    def test_lists_without_a_pair_that_counts_are_left_out(self) -> None:
        assert per_set([[1, 2], [1, 1], [1]], [[1, 2], [1, 2], [1]], "tau_macro") == 1.0

    def test_best_predicted_is_a_distribution_and_its_mean(self) -> None:
        best = rs.agreement.ranks(RANKINGS, n_resamples=9).parts[0].best
        assert (best.ranks.tolist(), best.counts.tolist(), best.share.tolist()) == ([2, 4], [1, 1], [50, 50])
        assert per_set(GOLD, PREDICTED, "average_predicted") == (4 + 2) / 2
        assert per_set(GOLD, PREDICTED, "average_predicted", normalise="minimize") == (3 + 2) / 2

    def test_mrr_is_the_mean_of_farr(self) -> None:
        assert per_set(GOLD, PREDICTED, "MRR") == pytest.approx((1 / 3 + 1 / 2) / 2, rel=1e-14)


class TestForms:
    @pytest.mark.parametrize("name", ["tau", "tau_original", *MEANS])
    def test_lists_padded_tables_and_columns_of_rankings_are_one(self, name: str) -> None:
        found = per_set(GOLD, PREDICTED, name)
        assert_same_bits(per_set(RANKINGS.table("rank"), RANKINGS.table("machine"), name), found)
        lists = [[rs.Ranking(one) for one in ranks] for ranks in (GOLD, PREDICTED)]
        assert_same_bits(per_set(*lists, name), found)

    @examples(30)
    @given(st.lists(pair, min_size=1, max_size=4), st.sampled_from(list(MEANS)))
    def test_each_is_the_mean_of_what_lists_have_alone(self, lists: list[Any], name: str) -> None:
        values = np.array([per_segment(gold, predicted, MEANS[name]) for gold, predicted in lists])
        expected = np.nan if np.isnan(values).all() else np.nanmean(values)
        found = per_set([gold for gold, _ in lists], [predicted for _, predicted in lists], name)
        assert found == pytest.approx(expected, nan_ok=True)

    def test_columns_of_scores_are_known_to_be_better_when_higher(self) -> None:
        scored = RANKINGS.with_column("machine", -RANKINGS.columns["machine"], higher_is_better=True)
        assert_same_bits(per_set(scored.table("rank"), scored.table("machine"), "tau"), per_set(GOLD, PREDICTED, "tau"))
        plain = RANKINGS.with_column("machine", -RANKINGS.columns["machine"], higher_is_better=False)
        assert_same_bits(
            per_set(plain.table("rank"), plain.table("machine"), "tau", invert=True), per_set(GOLD, PREDICTED, "tau")
        )

    def test_items_without_a_rank_are_refused_or_left_out(self) -> None:
        holes = RANKINGS.with_column("machine", np.array([3, 4, np.nan, 2, 1.5, 1.5]), higher_is_better=False)
        with pytest.raises(InputError, match="item 3 of list 1 has no predicted rank"):
            per_set(holes.table("rank"), holes.table("machine"), "tau")
        table, n_skipped = table_of(holes, "rank", "machine", missing="drop")
        assert n_skipped == 1
        value = SET_MEASURES["nDCG"].compute(table, MeasureSettings())
        assert_same_numbers(value, per_set([[1, 2, 3], [2, 1]], [[3, 4, 2], [1.5, 1.5]], "nDCG"))


class TestPvalues:
    GOLD = ([1, 2, 3, 4], [1, 2, 3], [1, 2, 3, 4, 5])
    PREDICTED = ([1, 2, 4, 3], [3, 2, 1], [2, 1, 3, 5, 4])

    def each(self) -> list[float]:
        pairs = zip(self.GOLD, self.PREDICTED, strict=True)
        return [float(tau_pvalues(per_segment(a, b, "tau"), len(a))) for a, b in pairs]

    def test_fisher_is_scipys(self) -> None:
        found = per_set(self.GOLD, self.PREDICTED, "pvalue_fisher")
        assert found == pytest.approx(scipy.stats.combine_pvalues(self.each(), "fisher").pvalue, rel=1e-12)

    def test_stouffer_adds_up_signed_statistics(self) -> None:
        taus = (4 / 6, -1.0, 6 / 10)
        z = [tau / sqrt((4 * n + 10) / (9 * n * (n - 1))) for tau, n in zip(taus, (4, 3, 5), strict=True)]
        expected = 2 * scipy.stats.norm.sf(abs(sum(z)) / sqrt(3))
        assert per_set(self.GOLD, self.PREDICTED, "pvalue_stouffer") == pytest.approx(expected, rel=1e-12)

    def test_thousands_of_lists_do_not_make_them_zero(self) -> None:
        """The tool multiplies p-values: 0.0 on real data, whatever they are."""
        rng = np.random.default_rng(3)
        gold, predicted = rng.random((2, 3000, 5))
        for method in ("fisher", "stouffer", "permutation"):
            options = {"n_resamples": 200, "rng": 1} if method == "permutation" else {}
            found = per_set(gold, predicted, f"pvalue_{method}", **options)
            assert 0.01 < found <= 1

    @pytest.mark.parametrize(("exclude", "penalise"), list(product([True, False], repeat=2)))
    def test_permutations_give_what_all_permutations_give(self, exclude: bool, penalise: bool) -> None:
        gold, predicted = [[1, 2, 2, 3], [1, 2, 3]], [[1, 1, 2, 3], [2, 1, 1]]
        options = {"exclude_gold_ties": exclude, "penalise_predicted_ties": penalise}
        everything = np.array(
            [
                per_set(gold, [list(a), list(b)], "tau", **options)
                for a in permutations(predicted[0])
                for b in permutations(predicted[1])
            ]
        )
        centre = everything.mean()
        observed = per_set(gold, predicted, "tau", **options)
        exact = np.mean(np.abs(everything - centre) >= abs(observed - centre) - 1e-9)
        found = permutation_pvalue(as_table(gold, predicted), **options, n_resamples=4000, rng=5)
        assert found == pytest.approx(exact, abs=0.03)

    def test_what_is_dealt_out_is_on_average_what_chance_gives(self) -> None:
        rng = np.random.default_rng(8)
        table = as_table(rng.integers(1, 4, (6, 4)), rng.integers(1, 4, (6, 4)))
        net, both, _ = permuted_pair_counts(next(permutation_plans(table)), 300, np.random.default_rng(1))
        counts = table.pair_counts
        untied = counts.concordant + counts.discordant + counts.tied_y  # by the person, which dealing out keeps
        assert (abs(net) <= both).all()
        assert (both <= untied.sum()).all()
        # Of the pairs of a list each is tied as often as any other, and as often concordant as discordant.
        share = 1 - tau_counts(counts).predicted_ties / counts.total
        assert both.mean() == pytest.approx((share * untied).sum(), rel=0.03)
        assert net.mean() == pytest.approx(0, abs=0.8)

    def test_it_depends_on_the_seed_only(self) -> None:
        one, other, third = (
            per_set(self.GOLD, self.PREDICTED, "pvalue_permutation", n_resamples=50, rng=seed) for seed in (1, 1, 2)
        )
        assert_same_bits(one, other)
        assert 0 < third <= 1

    def test_without_a_pair_that_counts_there_is_none(self) -> None:
        for method in ("fisher", "stouffer", "permutation"):
            assert isnan(per_set([[1, 1]], [[1, 2]], f"pvalue_{method}"))

    @pytest.mark.slow
    def test_chance_is_found_significant_as_often_as_the_level_says(self) -> None:
        """Ties of the machine count against it, which the permutations know."""
        rng = np.random.default_rng(11)
        found = []
        for _ in range(300):
            gold, predicted = rng.integers(1, 6, (2, 20, 5))
            found.append(per_set(gold, predicted, "pvalue_permutation", n_resamples=200, rng=rng) <= 0.05)
        assert 0.02 <= np.mean(found) <= 0.09


class TestRefused:
    @pytest.mark.parametrize(
        ("gold", "predicted", "why"),
        [
            ([[1, 2]], [[1, 2], [1]], "1 lists .*gold .*2 .*predicted"),
            ([[1, 2], [1, 2]], [[1, 2], [1]], "list 2: 2 gold .*1 predicted"),
            ([[1, 2], [1, -1]], [[1, 2], [1, 2]], "item 2 of list 2 .*gold .*-1"),
            ([[1, np.nan]], [[1, 2]], "item 2 of list 1 .*gold"),
            ([["a", "b"]], [[1, 2]], "gold .*list 1 .*numbers"),
        ],
    )
    def test_what_does_not_fit(self, gold: Any, predicted: Any, why: str) -> None:
        with pytest.raises(InputError, match=why):
            per_set(gold, predicted, "tau")

    def test_names_and_options_that_there_are_not(self) -> None:
        with pytest.raises(UnknownName, match="did you mean tau_macro"):
            per_set(GOLD, PREDICTED, "tau_makro")
        with pytest.raises(InputError, match="not numbers"):
            per_set("rank", "machine", "tau")
        with pytest.raises(UnknownName, match="pvalue_edgington"):
            per_set(GOLD, PREDICTED, "pvalue_edgington")

    @pytest.mark.parametrize("name", SET_MEASURES)
    def test_an_option_applies_or_is_refused(self, name: str) -> None:
        options: dict[str, Any] = {
            "exclude_gold_ties": False,
            "penalise_predicted_ties": False,
            "normalise": "floor",
            "cutoff": 1,
            "segments": ["a", "a"],
            "n_resamples": 5,
            "rng": 1,
        }
        for option, value in options.items():
            if option in SET_MEASURES[name].options:
                assert np.isfinite(per_set(GOLD, PREDICTED, name, **{option: value}))
            else:
                with pytest.raises(ParameterError, match=f"{option} has no effect on {name}"):
                    per_set(GOLD, PREDICTED, name, **{option: value})
