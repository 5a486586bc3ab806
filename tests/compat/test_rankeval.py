"""RankEval's functions and command beyond what was recorded: its departures from the paper, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import cli
from helpers.same import assert_same_bits

from rankscope.agreement import per_segment
from rankscope.agreement.rankeval import as_printed
from rankscope.agreement.rankeval.kendall_tau import tau_pvalues
from rankscope.compat import rankeval
from rankscope.errors import InputError, ParameterError

__all__ = ["cli"]


def jcml(path: Path, *judgments: str) -> Path:
    path.write_text("<jcml>" + "\n".join(f"<judgedsentence>{one}</judgedsentence>" for one in judgments) + "</jcml>")
    return path


def tgt(rank: object, machine: object, system: str = "") -> str:
    return f'<tgt system="{system}" rank="{rank}" m="{machine}"/>'


class TestWhereItDepartsFromThePaper:
    """By the numbers of the points in docs/differences.md."""

    def test_1_the_pvalue_takes_pairs_for_items(self) -> None:
        found = rankeval.kendall_tau([1, 2, 3, 4], [1, 2, 3, 4])
        assert found["prob"] == pytest.approx(float(tau_pvalues(1.0, 6)), rel=1e-6)

    def test_2_and_3_macro_tau_leaves_zeros_out_and_pvalues_are_multiplied(self) -> None:
        zero, full = ([1, 2, 3, 4], [1, 4, 3, 2]), ([1, 2, 3], [1, 2, 3])
        found = rankeval.kendall_tau_set([zero[1], full[1], full[1]], [zero[0], full[0], full[0]])
        assert found["tau_avg_seg"] == 1.0
        assert found["tau_avg_seg_prob"] == pytest.approx(rankeval.kendall_tau_prob(1.0, 3) ** 2)

    def test_4_percentages_of_ties_are_of_the_last_list(self) -> None:
        tied, plain = ([1, 1, 1], [1, 2, 3]), ([1, 2], [1, 2])
        found = rankeval.kendall_tau_set([tied[0], plain[0]], [tied[1], plain[1]])
        assert (found["tau_predicted_ties"], found["tau_predicted_ties_per"]) == (3, 0.0)
        assert (found["tau_sentence_ties"], found["tau_sentence_ties_per"]) == (1, 50.0)

    def test_5_not_ranked_is_the_best_rank(self) -> None:
        assert rankeval.normalize([-1, 1, 2], "ceiling") == [1, 2, 3]
        assert rankeval.kendall_tau([1, 2, 3], [-1, 1, 2])["tau"] == 1.0

    def test_6_inverted_ranks_lose_the_pairs_of_the_best(self) -> None:
        found = rankeval.kendall_tau([4, 3, 2, 1], [1, 2, 3, 4], invert_ranks=True)
        assert (found["concordant_count"], found["all_pairs_count"], found["pairs"]) == (3, 3, 6)
        assert per_segment([1, 2, 3, 4], [4, 3, 2, 1], "tau", invert=True) == 1.0

    def test_8_tied_predictions_overwrite_each_others_gains(self) -> None:
        assert rankeval.ndgc_err([1, 1, 1], [1, 1, 1])[0] == pytest.approx(0.5)
        assert rankeval.ndgc_err([1, 1, 2], [1, 2, 3], 1)[0] == 0.0

    def test_9_the_cutoff_is_the_length_of_the_first_list(self) -> None:
        short, long = [1, 2], [4, 3, 2, 1]
        first = rankeval.allmetrics([short, long], [[1, 2], [1, 2, 3, 4]])["ndgc"]
        last = rankeval.allmetrics([long, short], [[1, 2, 3, 4], [1, 2]])["ndgc"]
        assert first == pytest.approx((1 + rankeval.ndgc_err(long, [1, 2, 3, 4], 2)[0]) / 2)
        assert last == pytest.approx((1 + rankeval.ndgc_err(long, [1, 2, 3, 4])[0]) / 2)

    def test_10_what_it_would_truncate_or_divide_by_zero_is_refused(self) -> None:
        with pytest.raises(InputError, match=r"1 predicted .*2 original"):
            rankeval.allmetrics([[1, 2]], [[1, 2], [1, 2]])
        with pytest.raises(InputError, match=r"list 2: 1 predicted .*2 original"):
            rankeval.allmetrics([[1, 2], [1]], [[1, 2], [1, 2]])
        with pytest.raises(InputError, match="no pair counts"):
            rankeval.allmetrics([[1, 2]], [[1, 1]])

    def test_11_minimize_is_the_default_of_its_normalisation(self) -> None:
        assert rankeval.normalize([1, 3, 3]) == [1, 2, 2]

    def test_12_a_tie_for_the_machines_best_gives_one_half(self) -> None:
        assert rankeval.reciprocal_rank([1, 1, 2], [1, 2, 3]) == 0.5


class TestDigits:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (7, "7"),
            (1.0, "1.0"),
            (-0.8, "-0.8"),
            (1 / 3, "0.333333333333"),
            (5.19980632314e-135, "5.19980632314e-135"),
            (1e16, "1e+16"),
            (37.49, "37.49"),
            (float("nan"), "nan"),
            (float("inf"), "inf"),
        ],
    )
    def test_numbers_are_printed_as_python_2_prints_them(self, value: float, text: str) -> None:
        assert as_printed(value) == text


class TestTheCommand:
    def test_systems_without_names_and_named_twice_are_taken_as_the_tool_takes_them(
        self, cli: Callable[..., Any], tmp_path: Path
    ) -> None:
        plain = jcml(tmp_path / "plain.jcml", tgt(1, 2, "a") + tgt(2, 1, "b"))
        odd = jcml(tmp_path / "odd.jcml", tgt(1, 2, "a") + tgt(2, 1, "a"))
        assert_same_bits(cli("rankeval", odd, "m", "rank"), cli("rankeval", plain, "m", "rank"))

    def test_output_goes_to_a_file(self, cli: Callable[..., Any], tmp_path: Path) -> None:
        path = jcml(tmp_path / "made.jcml", tgt(1, 1) + tgt(2, 2))
        printed = cli("rankeval", path, "m", "rank").out
        assert cli("rankeval", path, "m", "rank", "-o", tmp_path / "out.tsv") == (0, "", "")
        assert_same_bits((tmp_path / "out.tsv").read_text(), printed)
        assert cli("rankeval", path, "m", "rank", "-o", path).code == 2

    @pytest.mark.parametrize(
        ("judgments", "why"),
        [
            ([tgt(1, 1) + tgt(1, 2)], "no pair counts"),
            ([tgt(1, 1)], "no pair counts"),
            ([tgt(1, 1) + tgt(2, 2), ""], "judgment 2 has no"),
            ([tgt(1, "x") + tgt(2, 2)], ":1: m is 'x'"),
            ([tgt(1, 1) + '<tgt rank="2"/>'], "m has no value"),
        ],
    )
    def test_what_has_no_number_is_refused_with_the_file(
        self, cli: Callable[..., Any], tmp_path: Path, judgments: list[str], why: str
    ) -> None:
        done = cli("rankeval", jcml(tmp_path / "bad.jcml", *judgments), "m", "rank")
        assert (done.code, done.out) == (2, "")
        assert "bad.jcml:" in done.err
        assert why in done.err
        assert done.err.count("\n") == 1

    def test_a_macro_tau_of_no_list_is_nan_as_the_tool_prints_it(self) -> None:
        found = rankeval.kendall_tau_set([[1, 4, 3, 2]], [[1, 2, 3, 4]])
        assert isnan(found["tau_avg_seg"])

    def test_arguments_out_of_range_are_refused(self) -> None:
        with pytest.raises(ParameterError):
            rankeval.ndgc_err([1], [1], 0)
        with pytest.raises(ParameterError):
            rankeval.reciprocal_rank([1], [1], "dense")
        with pytest.raises(InputError, match="not a number"):
            rankeval.normalize(["a"])
        with pytest.raises(InputError, match="NaN"):
            rankeval.normalize([float("nan")])
