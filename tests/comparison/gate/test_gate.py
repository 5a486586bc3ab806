"""The gate: pass, worse or undecided; what is found by its name, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers.gate_rule import verdict_by_definition
from helpers.gate_tables import gated, made, samples, with_lists
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits, assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

import rankscope as rs
from rankscope import gate
from rankscope.comparison.gate import EXIT_CODES, GateSettings
from rankscope.comparison.gate.decision import PASS, UNDECIDED, WORSE, Criterion, decide
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.stats import queries_for_t

# The verdict


@given(d=samples, margin=st.sampled_from([0, 0.013, 0.1, 0.3]), level=st.sampled_from([0.01, 0.05, 0.3]))
@examples(150)
def test_p_values_bounds_and_verdict_are_those_of_one_sided_t_tests(d: Any, margin: float, level: float) -> None:
    found = gated(d, margin=margin, alpha=level)
    differences = found["AP"].differences
    part = found["AP"]
    noninferior = oracle.ttest_1samp(differences, -margin, alternative="greater")
    worse = oracle.ttest_1samp(differences, 0, alternative="less")
    assert part.decision.pvalue_noninferior == pytest.approx(noninferior.pvalue, rel=1e-9, abs=1e-300)
    assert part.decision.pvalue_worse == pytest.approx(worse.pvalue, rel=1e-9, abs=1e-300)
    assert part.low == pytest.approx(noninferior.confidence_interval(1 - level).low, abs=1e-12)
    assert part.high == pytest.approx(worse.confidence_interval(1 - level).high, abs=1e-12)
    assert found.verdict == verdict_by_definition(differences, margin, level)
    if found.verdict == "pass":
        assert part.low >= -margin  # the bound and the test say the same
    assert found.exit_code == {"pass": 0, "worse": 3, "undecided": 4}[found.verdict]


def test_a_worked_example() -> None:
    """Mean 0.02, s = sqrt(0.0008 / 3): t = 0.04 / (s / 2) = 4.9 with 3 degrees of freedom passes a margin of 0.02.

    But 4 queries without a loss allow losses on 1 - .05^(1/4) = 52.7 % of all.
    """
    found = gated([0.0, 0.02, 0.02, 0.04], margin=0.02)
    s = (2 * 0.02**2 / 3) ** 0.5
    decision = found["AP"].decision
    assert decision.pvalue_noninferior == pytest.approx(oracle.t.sf(0.04 / (s / 2), 3))
    assert found["AP"].low == pytest.approx(0.02 - 2.353363 * s / 2, abs=1e-7)  # t(3) at 95 %, from a table
    assert (found.verdict, found.exit_code) == ("undecided", 4)
    assert (decision.reason, decision.n_losses) == ("rare losses", 0)
    assert decision.share_of_losses == pytest.approx(1 - 0.05**0.25)
    assert decision.least_mean == pytest.approx(-decision.share_of_losses)  # 3 gains are too few to count
    foreign = gated([-0.9, 1.0, 1.0, -0.9, 1.0, 1.0, -0.9, 1.0], margin=0.8)  # losses are seen, and 8 queries differ
    assert foreign.verdict == "pass"
    assert np.isnan(foreign["AP"].decision.share_of_losses)


def test_a_loss_smaller_than_the_margin_passes_though_it_is_shown_to_be_one() -> None:
    d = np.array([-0.11, -0.1, -0.09] * 10)
    found = gated(d, margin=0.2)
    assert found["AP"].decision.pvalue_worse < 0.001
    assert found.verdict == "pass"
    assert gated(d, margin=0.05).verdict == "worse"


def test_where_lower_is_better_signs_are_turned() -> None:
    d = np.array([0.5, 1.0, 2.0, 0.25, 0.75] * 4)
    assert gated(d, measure="AP").verdict == "pass"
    found = gated(d, measure="MeanRank")
    part = found["MeanRank"]
    assert found.verdict == "worse"
    assert part.difference == pytest.approx(d.mean())
    assert part.low < d.mean() < part.high
    mirrored = gated(-d, measure="AP")["AP"]
    assert (part.low, part.high) == pytest.approx((-mirrored.high, -mirrored.low))
    assert_same_numbers(part.decision, mirrored.decision)
    assert mentions(found.sections()[0].sentence, "MeanRank", "0.9000 higher", "old")


def test_measures_together_are_as_bad_as_the_worst_of_them() -> None:
    better, worse = np.tile([-0.1, 0.2, 0.3, 0.2, 0.1], 4), np.linspace(-0.2, -0.1, 20)
    unclear = np.array([-0.5, 0.5] * 10)

    def over(*differences: Any) -> str:
        new = made(0.5 + differences[0])
        names = ("AP", "RR", "P@5")[: len(differences)]
        values = np.array([0.5 + d for d in differences])[None]
        many = replace(
            new,
            measures=tuple(rs.parse_measures(names)),
            values=values,
            undefined=np.zeros(values.shape[1:], bool),
            measure_settings=({},) * len(names),
        )
        return gate(many, replace(many, values=np.full(values.shape, 0.5), systems=("old",)), margin=0.01).verdict

    assert over(better, better, better) == "pass"
    assert over(better, unclear, better) == "undecided"
    assert over(unclear, better, worse) == "worse"


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_other_tests_of_the_mean_shift_by_the_margin(test: str) -> None:
    rng = np.random.default_rng(5)
    d = rng.normal(0.01, 0.05, 40)
    found = gated(d, margin=0.03, test=test, rng=3, n_resamples=4000)
    decision = found["AP"].decision
    expected = oracle.ttest_1samp(d, -0.03, alternative="greater").pvalue
    assert decision.pvalue_noninferior == pytest.approx(expected, abs=0.003)
    assert decision.pvalue_worse == pytest.approx(oracle.ttest_1samp(d, 0, alternative="less").pvalue, abs=0.03)
    again = gated(d, margin=0.03, test=test, rng=3, n_resamples=4000)
    assert_same_bits(again["AP"].decision, decision)
    assert found.signature().split(" | ")[-5:-1] == [f"test:{test},4000", "alpha:0.05", "power:0.8", "rng:3"]
    assert mentions(found.notes, "p-values", f"{test} test")


def test_exact_permutations_are_counted() -> None:
    """d + 0.1 = 0.2, 0.3, 0.4, 0.5, 0.6: all signs as they are is 1 of 2^5 cases."""
    found = gated([0.1, 0.2, 0.3, 0.4, 0.5], margin=0.1, test="permutation")
    assert found["AP"].decision.pvalue_noninferior == 1 / 2**5
    assert found["AP"].decision.reason == "rare losses"  # which no test of a mean excludes


# Where there is nothing to test


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "betting"])
@pytest.mark.parametrize("margin", [0, 0.02])
def test_the_same_lists_pass_with_any_margin_and_test(test: str, margin: float) -> None:
    new, old = with_lists(made([0.5] * 7)), with_lists(made([0.5] * 7, system="old"))
    found = gate(new, old, margin=margin, test=test)
    assert (found.verdict, found["AP"].decision.reason) == ("pass", "same lists")
    assert np.isnan([found["AP"].low, found["AP"].decision.pvalue_worse]).all()
    assert mentions(found.sections()[0].sentence, "new passes", "lists are the same", "old", 7)


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
@pytest.mark.parametrize(("n", "verdict"), [(7, "undecided"), (148, "undecided"), (149, "pass")])
def test_the_same_values_of_other_lists_pass_where_no_loss_can_hide(test: str, n: int, verdict: str) -> None:
    """1 - .05^(1/149) = .0199: with so many queries, a loss of all on the queries that may lose is within .02."""
    found = gated([0.0] * n, margin=0.02, test=test)
    assert found.verdict == verdict
    assert mentions(found.notes, "AP", "same values", n, "is not known")
    other = with_lists(made([0.5] * n, system="old"), changed=3)
    found = gate(with_lists(made([0.5] * n)), other, margin=0.02, test=test)
    assert found.verdict == verdict
    assert mentions(found.notes, "same values", n, "on 3 of them the lists are not the same")
    assert gated([0.0] * n, margin=0, test=test).verdict == "undecided"


@pytest.mark.parametrize(
    ("constant", "margin", "n", "verdict"),
    [
        *((0.1, 0, 9, "undecided"), (0.1, 0, 40, "pass"), (-0.1, 0.1, 9, "pass"), (-0.1, 0.099, 9, "worse")),
        *((-0.1, 0, 9, "worse"), (-0.01, 0.02, 9, "undecided"), (-0.01, 0.02, 400, "pass")),
    ],
)
def test_a_constant_difference_decides_unless_losses_may_hide(
    constant: float, margin: float, n: int, verdict: str
) -> None:
    """Of 40 queries that gain .1 each, 1 - .05^(1/40) = 7.2 % may lose all: .928 x .1 - .072 is above 0."""
    found = gated([constant] * n, margin=margin)
    assert found.verdict == verdict
    assert mentions(found.notes, "same difference", n)
    if verdict != "undecided":
        assert mentions(found.sections()[0].sentence, f"the same {abs(constant):.4f}", n)


@pytest.mark.parametrize(("measure", "factor"), [("AP", 0.999999), ("GMAP", 0.9999999), ("GMAP", 0.5)])
def test_a_difference_that_is_constant_but_for_rounding_has_no_bounds(measure: str, factor: float) -> None:
    """Logarithms of old and of old times a factor differ by log(factor), but for their last bits."""
    old = np.tile(np.linspace(0.1, 0.9, 9), 400)
    new = old * factor if measure == "GMAP" else old + np.log(factor)
    part = gate(made(new, measure), made(old, measure, "old"), margin=0.02)[measure]
    assert part.difference == pytest.approx(np.log(factor))
    assert np.isnan([part.low, part.high]).all()
    found = gate(made(new, measure), made(old, measure, "old"), margin=0.02)
    assert found.verdict == {"AP": "pass", "GMAP": "worse" if factor == 0.5 else "pass"}[measure]
    table = found.sections()[0].table
    assert table is not None
    assert table.rows[0][5:9] == ("-", "-", "-", "-")
    assert mentions(found.notes, "same difference", "3,600 queries")


def test_values_that_only_rounding_tells_apart_are_equal() -> None:
    """0.1 + 0.2 and 0.3 differ in their last bit; one version of a program may give the one, the next the other."""
    new, old = made([0.3] * 6), made([0.1 + 0.2] * 3 + [0.3] * 3, system="old")
    found = gate(new, old, margin=0.6)
    assert found.verdict == "pass"
    assert found["AP"].difference == 0
    assert mentions(found.notes, "AP", "same values", 6)
    assert gate(with_lists(new), with_lists(old), margin=0).verdict == "pass"
    assert found["AP"].hurt.tolist() == []


def test_one_query_decides_nothing() -> None:
    for d in (0.4, 0.0, -0.4):
        found = gated([d])
        assert (found.verdict, found.exit_code) == ("undecided", 4)
        assert mentions(found.notes, "one query")
        assert mentions(found.sections()[0].sentence, "Undecided")


def test_queries_without_a_value_of_both_are_left_out_with_a_note() -> None:
    new, old = made([0.5, 0.6, np.nan, 0.8, 0.4]), made([0.4, np.nan, 0.1, 0.6, 0.1], system="old")
    found = gate(new, old, margin=0.01)
    assert found["AP"].n == 3
    assert found["AP"].differences == pytest.approx([0.1, 0.2, 0.3])
    assert mentions(found.notes, 2, 5)
    with pytest.raises(InputError, match=r"AP .* new, old"):
        gate(made([np.nan, 1.0]), made([1.0, np.nan], system="old"), margin=0.01)


# Names and files


def test_systems_of_one_name_are_told_apart() -> None:
    found = gate(made([0.5, 0.6]), made([0.5, 0.6]), margin=0)
    assert (found.system, found.baselines) == ("new", ("new (baseline)",))


def test_a_measure_is_found_by_its_name() -> None:
    found = gated([0.1, 0.2])
    assert found[rs.parse_measure("AP")] is found["AP"]
    assert found["ap"] is found["AP"]  # as measures=["ap"] finds it
    with pytest.raises(UnknownName, match="'RR'"):
        _ = found["RR"]


def test_a_measure_is_found_by_every_name_that_its_scores_know() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(3)}
    new = rs.evaluate(qrels, {q: {"a": 1.0} for q in qrels}, ["map", "ndcg_cut.10"])
    found = gate(new, new, margin=0)
    assert [found[name].measure for name in ("map", "MAP", "ap", "nDCG@10", "NDCG@10")] == [
        *("AP", "AP", "AP"),
        *("nDCG@10", "nDCG@10"),
    ]


def test_saved_scores_are_a_baseline_as_good_as_new_ones(tmp_path: Any) -> None:
    from rankscope import read_scores, write_scores

    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(6)}
    old = rs.evaluate(qrels, {f"q{i}": {"a": 1.0, "b": 2.0 * (i % 2)} for i in range(6)}, ["RR", "AP"])
    new = rs.evaluate(qrels, {f"q{i}": {"a": 1.0, "b": 2.0 * (i % 3 == 0)} for i in range(6)}, "RR")
    write_scores(old, tmp_path / "s.parquet")
    assert str(gate(new, read_scores(tmp_path / "s.parquet"), margin=0.1)) == str(gate(new, old, margin=0.1))


# What is refused


@pytest.mark.parametrize("margin", [-0.01, float("nan"), float("inf"), "0.1 %%", "-2%", "", None, True, {}])
def test_a_margin_that_is_none_is_refused(margin: Any) -> None:
    with pytest.raises(ParameterError, match=r"^margin is .*at least 0, .*'2%'$"):
        gated([0.1, 0.2], margin=margin)


@pytest.mark.parametrize("level", [0, 1, -0.05, 5, float("nan")])
def test_a_level_outside_0_and_1_is_refused(level: Any) -> None:
    with pytest.raises(ParameterError, match=r"^alpha is .*\b0 .*\b0\.5"):
        GateSettings(margin=0, alpha=level)


def test_tests_of_medians_are_refused() -> None:
    for test in ("wilcoxon", "sign", "tukey"):
        with pytest.raises(ParameterError, match="'t', 'permutation', 'bootstrap'"):
            gated([0.1, 0.2], test=test)


def test_one_system_of_each_side_is_asked_for() -> None:
    many, one = made([[0.5, 0.6], [0.7, 0.9]]), made([0.1, 0.3], system="old")
    with pytest.raises(ParameterError, match=r"2 .*new0 and new1"):
        gate(many, one, margin=0)
    assert gate(many, one, margin=0, system="new1").system == "new1"
    assert gate(one, many, margin=0, baseline_system="new0").baselines == ("new0",)
    with pytest.raises(UnknownName, match="did you mean new1"):
        gate(many, one, margin=0, system="new")


def test_scores_of_another_collection_are_refused() -> None:
    with pytest.raises(InputError, match="same queries"):
        gate(made([0.5, 0.6]), made([0.5, 0.6, 0.7]), margin=0)
    with pytest.raises(ParameterError, match=r"AP .*baseline"):
        gate(made([0.5, 0.6]), made([0.5, 0.6], "RR"), margin=0)
    with pytest.raises(ParameterError, match=r"NumRet .*higher nor lower"):
        gate(made([0.5, 0.6], "NumRet"), made([0.5, 0.6], "NumRet", "old"), margin=0)


@pytest.mark.parametrize("given", ["baseline.parquet", None, 7, {"q1": {"d1": 1.0}}])
def test_what_are_no_scores_is_refused(given: Any) -> None:
    says = f"^scores .*{type(given).__name__}, .*evaluate"
    with pytest.raises(ParameterError, match=says):
        gate(given, made([0.1, 0.3]), margin=0)
    with pytest.raises(ParameterError, match=says):
        gate(made([0.1, 0.3]), given, margin=0)


def test_draws_begin_as_those_of_a_comparison_do() -> None:
    d = np.random.default_rng(1).normal(0.01, 0.05, 30)
    for rng in (np.random.default_rng(5), np.random.default_rng(5).integers(1 << 32)):
        found = gated(d, test="permutation", rng=rng, n_resamples=200)
        assert found.settings.seed == np.random.default_rng(5).integers(1 << 32)
    with pytest.raises(ParameterError, match=r"rng is -1, .*None, .* 0"):
        gated(d, rng=-1)


def test_exit_codes_are_those_that_the_command_line_promises() -> None:
    assert {PASS: 0, WORSE: 3, UNDECIDED: 4} == EXIT_CODES


# What the level promises


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 25, 50, 200])
@pytest.mark.parametrize("test", ["t", "permutation"])
def test_the_gate_errs_no_more_often_than_its_level_says(n: int, test: str) -> None:
    """A system that is worse by just the margin passes, and one that is equal is called worse, in at most 5 %."""
    runs, margin = 1000, 0.05
    rng = np.random.default_rng(n)
    d = rng.beta(2, 3, (runs, n)) - rng.beta(2, 3, (runs, n))
    asked = [Criterion(margin=margin, test=test, n_resamples=499, seed=seed) for seed in range(runs)]
    passed = np.mean([decide(row - margin, by).verdict == "pass" for row, by in zip(d, asked, strict=True)])
    worse = np.mean([decide(row, by).verdict == "worse" for row, by in zip(d, asked, strict=True)])
    within = 3 * (0.05 * 0.95 / runs) ** 0.5
    assert passed <= 0.05 + within
    assert worse <= 0.05 + within


@pytest.mark.slow
def test_so_many_queries_as_are_said_to_be_needed_decide_as_often_as_said() -> None:
    rng = np.random.default_rng(3)
    asked = Criterion(margin=0.02)
    needed = queries_for_t(0.02, 0.1, alternative="greater")
    decided = [decide(rng.normal(0.0, 0.1, needed), asked).verdict == "pass" for _ in range(4000)]
    assert np.mean(decided) == pytest.approx(0.8, abs=0.02)


def test_a_margin_that_every_system_meets_is_refused() -> None:
    for margin in (1, 30):
        with pytest.raises(ParameterError, match=rf"margin \(--margin\) .*{margin}, .*AP .*\[0, 1\]"):
            gated([0.1, 0.2], margin=margin)
    assert gated([1.0, 2.0, 4.0], measure="MeanRank", margin=30).verdict == "pass"  # which has no greatest value
