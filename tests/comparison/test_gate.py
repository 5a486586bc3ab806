"""The gate: pass, worse or undecided; which queries decide, how many more would; what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as oracle

import rankscope as rs
from rankscope.comparison.gate import EXIT_CODES, Gate, check_gate, gate
from rankscope.comparison.noninferiority import PASS, UNDECIDED, WORSE, Criterion, decide, turn_of
from rankscope.data.scores import Scores
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.stats import queries_for_t


def made(values: Any, measure: str = "AP", system: str = "new") -> Scores:
    """Scores of one system and measure, out of the air."""
    array = np.atleast_2d(np.asarray(values, float))[:, None]
    flags = np.isnan(array[:, 0])
    return Scores(
        systems=(system,) if len(array) == 1 else tuple(f"{system}{s}" for s in range(len(array))),
        measures=tuple(rs.parse_measures([measure])),
        query_ids=tuple(f"q{i}" for i in range(array.shape[2])),
        values=array,
        missing=flags,
        undefined=flags[:1],
        settings={"queries": str(array.shape[2])},
        measure_settings=({},),
    )


def gated(differences: Any, *, margin: float = 0.02, measure: str = "AP", **options: Any) -> Gate:
    """The new system has these differences to a baseline of which all values are 1/2."""
    differences = np.asarray(differences, float)
    old = made(np.full(differences.size, 0.5), measure, "old")
    return gate(made(0.5 + differences, measure), old, margin=margin, **options)


def verdict_by_definition(d: Any, margin: float, level: float) -> str:
    if oracle.ttest_1samp(d, -margin, alternative="greater").pvalue <= level:
        return "pass"
    return "worse" if oracle.ttest_1samp(d, 0, alternative="less").pvalue <= level else "undecided"


samples = st.lists(st.integers(-40, 40).map(lambda i: i / 100), min_size=3, max_size=25).filter(
    lambda d: len(set(d)) > 1
)


# The verdict


@given(d=samples, margin=st.sampled_from([0, 0.013, 0.1, 0.3]), level=st.sampled_from([0.01, 0.05, 0.3]))
@settings(max_examples=150)
def test_p_values_bounds_and_verdict_are_those_of_one_sided_t_tests(d: Any, margin: float, level: float) -> None:
    found = gated(d, margin=margin, level=level)
    differences = found["AP"].differences
    part = found["AP"]
    noninferior = oracle.ttest_1samp(differences, -margin, alternative="greater")
    worse = oracle.ttest_1samp(differences, 0, alternative="less")
    assert part.decision.pvalue_noninferior == pytest.approx(noninferior.pvalue, rel=1e-9, abs=1e-300)
    assert part.decision.pvalue_worse == pytest.approx(worse.pvalue, rel=1e-9, abs=1e-300)
    assert part.low == pytest.approx(noninferior.confidence_interval(1 - level).low, abs=1e-12)
    assert part.high == pytest.approx(worse.confidence_interval(1 - level).high, abs=1e-12)
    assert found.verdict == verdict_by_definition(differences, margin, level)
    assert (found.verdict == "pass") == (part.low >= -margin)  # the bound and the test say the same
    assert found.exit_code == {"pass": 0, "worse": 3, "undecided": 4}[found.verdict]


def test_a_worked_example() -> None:
    """Mean 0.02, s = sqrt(0.0008 / 3): t = 0.04 / (s / 2) = 4.9 with 3 degrees of freedom passes a margin of 0.02."""
    found = gated([0.0, 0.02, 0.02, 0.04], margin=0.02)
    s = (2 * 0.02**2 / 3) ** 0.5
    assert found["AP"].decision.pvalue_noninferior == pytest.approx(oracle.t.sf(0.04 / (s / 2), 3))
    assert found["AP"].low == pytest.approx(0.02 - 2.353363 * s / 2, abs=1e-7)  # t(3) at 95 %, from a table
    assert (found.verdict, found.exit_code) == ("pass", 0)


def test_a_loss_smaller_than_the_margin_passes_though_it_is_shown_to_be_one() -> None:
    d = np.array([-0.011, -0.01, -0.009] * 10)
    found = gated(d, margin=0.02)
    assert found["AP"].decision.pvalue_worse < 0.001
    assert found.verdict == "pass"
    assert gated(d, margin=0.005).verdict == "worse"


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
    assert part.decision == mirrored.decision
    assert "its mean MeanRank is 0.9000 higher than that of old" in " ".join(str(found).split())


def test_measures_together_are_as_bad_as_the_worst_of_them() -> None:
    better, worse = np.linspace(0.1, 0.2, 10), np.linspace(-0.2, -0.1, 10)
    unclear = np.array([-0.5, 0.5] * 5)

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
    assert again["AP"].decision == decision
    assert f"test:{test},4000 | level:0.05 | power:0.8 | rng:3 | rankscope" in found.signature()
    assert any(f"p-values are those of the {test} test" in note for note in found.notes)


def test_exact_permutations_are_counted() -> None:
    """d + 0.1 = 0.2, 0.3, 0.4, 0.5, 0.6: all signs as they are is 1 of 2^5 cases."""
    found = gated([0.1, 0.2, 0.3, 0.4, 0.5], margin=0.1, test="permutation")
    assert found["AP"].decision.pvalue_noninferior == 1 / 2**5
    assert found.verdict == "pass"


# Where there is nothing to test


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
@pytest.mark.parametrize("margin", [0, 0.02])
def test_equal_systems_pass_with_any_margin_and_test(test: str, margin: float) -> None:
    found = gated([0.0] * 7, margin=margin, test=test)
    assert found.verdict == "pass"
    assert np.isnan([found["AP"].low, found["AP"].decision.pvalue_worse]).all()
    assert "AP: the same values on all 7 queries: nothing varies that a test could look at" in found.notes
    assert "new passes: its mean AP is that of old, on each of 7 queries." in " ".join(str(found).split())


@pytest.mark.parametrize(
    ("constant", "margin", "verdict"),
    [(0.1, 0, "pass"), (-0.1, 0.1, "pass"), (-0.1, 0.099, "worse"), (-0.1, 0, "worse"), (-0.01, 0.02, "pass")],
)
def test_a_constant_difference_decides_by_itself(constant: float, margin: float, verdict: str) -> None:
    found = gated([constant] * 9, margin=margin)
    assert found.verdict == verdict
    assert any("the same difference on all 9 queries" in note for note in found.notes)
    assert f"by the same {abs(constant):.4f} on each of 9 queries" in " ".join(str(found).split())


def test_one_query_decides_nothing() -> None:
    for d in (0.4, 0.0, -0.4):
        found = gated([d])
        assert (found.verdict, found.exit_code) == ("undecided", 4)
        assert any("one query says nothing of how much queries vary" in note for note in found.notes)
        assert "1 query cannot tell" in str(found)


def test_queries_without_a_value_of_both_are_left_out_with_a_note() -> None:
    new, old = made([0.5, 0.6, np.nan, 0.8, 0.4]), made([0.4, np.nan, 0.1, 0.6, 0.1], system="old")
    found = gate(new, old, margin=0.01)
    assert found["AP"].n == 3
    assert found["AP"].differences == pytest.approx([0.1, 0.2, 0.3])
    assert any("2 queries of 5 left out" in note for note in found.notes)
    with pytest.raises(InputError, match="no query has a value of AP for all of new, old"):
        gate(made([np.nan, 1.0]), made([1.0, np.nan], system="old"), margin=0.01)


# Which queries decide, and how many would


def test_the_queries_that_are_hurt_and_helped_most_are_named() -> None:
    d = np.array([0.1, -0.3, 0.0, 0.2, -0.1, 0.05, 0.4, 0.3, 0.25, 0.2])
    part = gated(d, margin=0.01)["AP"]
    assert part.hurt.tolist() == [1, 4]
    assert part.helped.tolist() == [6, 7, 8, 3, 9]
    table = gated(d, margin=0.01).sections()[1].table
    assert table is not None
    assert table.rows[0] == ("hurt", "q1", "0.2000", "0.5000", "-0.3000")
    assert [row[1] for row in table.rows] == ["q1", "q4", "q6", "q7", "q8", "q3", "q9"]
    figure = gated(d).sections()[1].figure
    assert figure is not None
    assert figure.name == "query_differences"
    assert (figure.data["measure"], figure.data["system_a"], figure.data["system_b"]) == ("AP", "new", "old")
    assert figure.data["query_ids"] == [f"q{i}" for i in range(10)]
    assert figure.data["differences"] == pytest.approx(d)


@given(d=samples, margin=st.sampled_from([0, 0.013, 0.2]), level=st.sampled_from([0.05, 0.2]))
@settings(max_examples=150)
def test_the_fewest_queries_that_turn_the_verdict_are_those_that_a_loop_finds(
    d: Any, margin: float, level: float
) -> None:
    asked = Criterion(margin, level, "t", 0.8, 100, 0)
    d = np.array(d)
    verdict = decide(d, asked).verdict
    order = np.argsort(-d if verdict == "pass" else d, kind="stable")
    expected = None
    for gone in range(1, d.size - 1):
        other = decide(d[order[gone:]], asked).verdict
        if other != verdict:
            expected = (other, order[:gone].tolist())
            break
    found = turn_of(d, verdict, asked)
    assert (found and (found.verdict, found.queries.tolist())) == expected


def test_one_query_that_turns_the_verdict_is_named() -> None:
    d = [0.02, 0.01, 0.015, 0.012, 0.018, 0.011, -0.5]
    found = gated(d, margin=0.01)
    turn = found["AP"].turn
    assert found.verdict == "undecided"
    assert turn is not None
    assert (turn.verdict, turn.queries.tolist()) == ("pass", [6])
    assert "Without query q6, which it hurts most, the verdict would be: pass." in " ".join(str(found).split())


def test_a_verdict_that_nothing_turns_is_said_to_stay() -> None:
    found = gated([0.1, 0.2, 0.15], margin=1.0)
    assert found["AP"].turn is None
    assert "However many queries that it helps most are taken away" in " ".join(str(found).split())


def test_queries_needed_are_those_that_the_observed_difference_and_spread_ask_for() -> None:
    d = np.array([0.1, -0.08] * 10)
    found = gated(d, margin=0.02)
    assert found.verdict == "undecided"
    sd = d.std(ddof=1)
    assert found["AP"].decision.n_needed == queries_for_t(d.mean() + 0.02, sd, alternative="greater")
    power9 = gated(d, margin=0.02, power=0.9)["AP"].decision.n_needed
    assert power9 == queries_for_t(d.mean() + 0.02, sd, alternative="greater", power=0.9)
    assert power9 > found["AP"].decision.n_needed
    assert f"About {found['AP'].decision.n_needed} queries" in " ".join(str(found).split())


def test_either_side_may_decide_sooner() -> None:
    d = np.array([0.2, -0.24] * 8)  # the mean is -0.02: a margin of 0.021 is nearly it, a loss is nearer to be shown
    part = gated(d, margin=0.021)["AP"]
    assert part.decision.n_needed == queries_for_t(d.mean(), d.std(ddof=1), alternative="less")


def test_no_number_of_queries_decides_a_difference_of_nothing_without_a_margin() -> None:
    found = gated([0.1, -0.1] * 5, margin=0)
    assert found.verdict == "undecided"
    assert found["AP"].decision.n_needed is None
    assert "no number of queries that anybody has would decide" in " ".join(str(found).split())
    assert np.isnan(next(found.records())[-1])


# What is shown


def test_the_tidy_table_has_a_row_a_measure() -> None:
    found = gated(np.array([0.1, -0.08] * 10))
    (row,) = found.frame().to_dicts()
    part = found["AP"]
    assert row == {
        "measure": "AP",
        "system": "new",
        "baseline": "old",
        "margin": 0.02,
        "difference": part.difference,
        "low": part.low,
        "high": part.high,
        "pvalue_noninferior": part.decision.pvalue_noninferior,
        "pvalue_worse": part.decision.pvalue_worse,
        "verdict": "undecided",
        "n": 20,
        "n_needed": part.decision.n_needed,
    }
    assert tuple(row) == found.columns
    assert {type(cell) for cell in next(found.records())} == {str, float, int}
    decided = gated([0.1, 0.2, 0.3]).frame().to_dicts()[0]
    assert decided["n_needed"] is None


SENTENCES = [
    (
        [0.1, 0.12, 0.11, 0.09],
        "new passes: its mean AP is 0.1050 higher than that of old on these 4 queries; over all queries like them it "
        "is at least 0.0898 higher (95 % sure).",
    ),
    (
        [-0.01, 0.01, 0.01, -0.01],
        "new passes: its mean AP is equal to that of old on these 4 queries; over all queries like them it is at most "
        "0.0136 lower (95 % sure), less than the margin of 0.02.",
    ),
    (
        [-0.1, -0.12, -0.11],
        "new is worse: its mean AP is 0.1100 lower than that of old on these 3 queries; over all queries like them it "
        "is at least 0.0931 lower (95 % sure). That is more than the margin of 0.02.",
    ),
    (
        [-0.03, -0.01, -0.03, -0.01],
        "is at least 0.0064 lower (95 % sure). Whether by more than the margin of 0.02 is another question.",
    ),
    (
        [-0.1, 0.12, 0.11],
        "3 queries cannot tell: there the mean AP of new is 0.0433 higher than that of old. Of all queries like them "
        "no more can be said (95 % sure) than that it is at most 0.1661 lower, and the margin is 0.02; that it is "
        "lower at all is not shown either. About",
    ),
]


@pytest.mark.parametrize(("differences", "says"), SENTENCES)
def test_the_verdict_is_said_in_words(differences: list[float], says: str) -> None:
    assert says in " ".join(str(gated(differences)).split())


def test_no_sentence_says_that_a_number_is_less_than_itself() -> None:
    """A bound that rounds to the margin is shown with more digits."""
    d = np.array([-0.0199999, -0.02, -0.01999995])
    text = " ".join(str(gated(d, margin=0.02)).split())
    assert "at most 0.02000 lower" not in text
    assert "at most 0.0200 lower" not in text


def test_a_pass_by_another_test_cites_its_p_value_and_no_bound() -> None:
    text = " ".join(str(gated(np.linspace(0, 0.2, 12), test="permutation", rng=1)).split())
    assert "by 0.02 or more is ruled out (permutation test, p = 0.0002, level 0.05)" in text
    assert "% sure" not in text


def test_systems_of_one_name_are_told_apart() -> None:
    found = gate(made([0.5, 0.6]), made([0.5, 0.6]), margin=0)
    assert (found.system, found.baseline) == ("new", "new (baseline)")


def test_a_measure_is_found_by_its_name() -> None:
    found = gated([0.1, 0.2])
    assert found[rs.parse_measure("AP")] is found["AP"]
    with pytest.raises(UnknownName, match="unknown measure of this gate 'RR'"):
        _ = found["RR"]


def test_saved_scores_are_a_baseline_as_good_as_new_ones(tmp_path: Any) -> None:
    from rankscope.evaluation.saved import read_scores, write_scores

    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(6)}
    old = rs.evaluate(qrels, {f"q{i}": {"a": 1.0, "b": 2.0 * (i % 2)} for i in range(6)}, ["RR", "AP"])
    new = rs.evaluate(qrels, {f"q{i}": {"a": 1.0, "b": 2.0 * (i % 3 == 0)} for i in range(6)}, "RR")
    write_scores(old, tmp_path / "s.parquet")
    assert str(gate(new, read_scores(tmp_path / "s.parquet"), margin=0.1)) == str(gate(new, old, margin=0.1))


# What is refused


@pytest.mark.parametrize("margin", [-0.01, float("nan"), float("inf"), "0.1", None])
def test_a_margin_that_is_none_is_refused(margin: Any) -> None:
    with pytest.raises(ParameterError, match=r"^margin is .*, expected a number of at least 0$"):
        gated([0.1, 0.2], margin=margin)


@pytest.mark.parametrize("level", [0, 1, -0.05, 5, float("nan")])
def test_a_level_outside_0_and_1_is_refused(level: Any) -> None:
    with pytest.raises(ParameterError, match=r"^level is .*, expected a number between 0 and 1"):
        check_gate(margin=0, level=level)


def test_tests_of_medians_are_refused() -> None:
    for test in ("wilcoxon", "sign", "tukey"):
        with pytest.raises(ParameterError, match="expected one of 't', 'permutation', 'bootstrap'"):
            gated([0.1, 0.2], test=test)


def test_one_system_of_each_side_is_asked_for() -> None:
    many, one = made([[0.5, 0.6], [0.7, 0.9]]), made([0.1, 0.3], system="old")
    with pytest.raises(ParameterError, match="there are 2 of one side; name one of new0, new1"):
        gate(many, one, margin=0)
    assert gate(many, one, margin=0, system="new1").system == "new1"
    assert gate(one, many, margin=0, baseline_system="new0").baseline == "new0"
    with pytest.raises(UnknownName, match="did you mean new1"):
        gate(many, one, margin=0, system="new")


def test_scores_of_another_collection_are_refused() -> None:
    with pytest.raises(InputError, match="expected the same queries in both"):
        gate(made([0.5, 0.6]), made([0.5, 0.6, 0.7]), margin=0)
    with pytest.raises(ParameterError, match="no AP among the measures of the baseline"):
        gate(made([0.5, 0.6]), made([0.5, 0.6], "RR"), margin=0)
    with pytest.raises(ParameterError, match="neither higher nor lower is better"):
        gate(made([0.5, 0.6], "NumRet"), made([0.5, 0.6], "NumRet", "old"), margin=0)


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
    asked = [Criterion(margin, 0.05, test, 0.8, 499, seed) for seed in range(runs)]
    passed = np.mean([decide(row - margin, by).verdict == "pass" for row, by in zip(d, asked, strict=True)])
    worse = np.mean([decide(row, by).verdict == "worse" for row, by in zip(d, asked, strict=True)])
    within = 3 * (0.05 * 0.95 / runs) ** 0.5
    assert passed <= 0.05 + within
    assert worse <= 0.05 + within


@pytest.mark.slow
def test_so_many_queries_as_are_said_to_be_needed_decide_as_often_as_said() -> None:
    rng = np.random.default_rng(3)
    asked = Criterion(0.02, 0.05, "t", 0.8, 1, 1)
    needed = queries_for_t(0.02, 0.1, alternative="greater")
    decided = [decide(rng.normal(0.0, 0.1, needed), asked).verdict == "pass" for _ in range(4000)]
    assert np.mean(decided) == pytest.approx(0.8, abs=0.02)
