"""What a gate says: the verdict in words, which queries decide, how many more would."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.gate_tables import gated, made, samples
from helpers.messages import Messages, mentions
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankscope as rs
from rankscope import gate
from rankscope.comparison.gate.decision import PASS, UNDECIDED, WORSE, Criterion, decide
from rankscope.comparison.gate.verdict_change import VerdictChange, find_verdict_change
from rankscope.reporting import figures
from rankscope.stats import queries_for_t, sample_size_factor

SENTENCES = Messages("gate")

# Which queries decide, and how many would


def test_the_queries_that_are_hurt_and_helped_most_are_named() -> None:
    d = np.array([0.1, -0.3, 0.0, 0.2, -0.1, 0.05, 0.4, 0.3, 0.25, 0.2])
    part = gated(d, margin=0.01)["AP"]
    assert part.hurt.tolist() == [1, 4]
    assert part.helped.tolist() == [6, 7, 8, 3, 9]
    table = gated(d, margin=0.01).sections()[1].table
    assert table is not None
    assert table.rows[0] == ("helped", "q6", "0.9000", "0.5000", "+0.4000")
    assert table.rows[5] == ("hurt", "q1", "0.2000", "0.5000", "-0.3000")
    assert [row[1] for row in table.rows] == ["q6", "q7", "q8", "q3", "q9", "q1", "q4"]
    figure = gated(d).sections()[1].figure
    assert figure is not None
    assert figure.name == "query_differences"
    assert (figure.data["measure"], figure.data["system_a"], figure.data["system_b"]) == ("AP", "new", "old")
    assert figure.data["query_ids"] == tuple(f"q{i}" for i in range(10))
    assert figure.data["differences"] == pytest.approx(d)
    assert figure.data["values_a"] == pytest.approx(0.5 + d)
    assert figure.data["values_b"] == pytest.approx(np.full(10, 0.5))
    assert figure.data["higher_is_better"] is True


def test_where_lower_is_better_table_and_figure_say_so_too() -> None:
    """By MeanRank a system with lower values on 6 of 8 queries is the better one on 6 of 8."""
    d = np.array([-3.0, -2.0, -1.0, -1.0, -2.0, -4.0, 1.0, 2.0])
    section = gated(d, measure="MeanRank", margin=1).sections()[1]
    assert section.table is not None
    assert [row[:2] for row in section.table.rows[:1]] == [("helped", "q5")]
    assert [row[:2] for row in section.table.rows[-2:]] == [("hurt", "q7"), ("hurt", "q6")]
    assert section.figure is not None
    assert section.figure.data["higher_is_better"] is False
    said = str(figures.specification(section.figure))
    assert mentions(said, "6 of 8", "old on 2")
    assert mentions(section.sentence, "new", "6 of 8", "worse on 2", "equal on 0")


def test_a_gate_and_a_comparison_show_queries_alike() -> None:
    d = np.random.default_rng(3).normal(0.02, 0.1, 20)
    found = gated(d)
    section = rs.compare(found.scores, baseline="old").sections()[-1]
    ours = found.sections()[1]
    assert ours.table == section.table
    assert_same_numbers(ours.figure, section.figure)


def turn_by_a_loop(d: Any, verdict: str, asked: Criterion, *, helped: bool) -> VerdictChange | None:
    order = np.argsort(-d if helped else d, kind="stable")
    for gone in range(1, 1 + min(d.size - 2, int((d > 0 if helped else d < 0).sum()))):  # what it helps, or hurts
        other = decide(d[order[gone:]], asked).verdict
        if other != verdict:
            return VerdictChange(other, order[:gone], helped)
    return None


@given(d=samples, margin=st.sampled_from([0, 0.013, 0.2]), level=st.sampled_from([0.05, 0.2]))
@examples(150)
def test_the_queries_that_turn_the_verdict_are_those_that_a_loop_finds(d: Any, margin: float, level: float) -> None:
    """From the most helped on of a pass, from the most hurt on of a loss; else from whichever end takes fewer."""
    asked = Criterion(margin=margin, level=level)
    d = np.array(d)
    verdict = decide(d, asked).verdict
    ends = {PASS: (True,), WORSE: (False,), UNDECIDED: (False, True)}[verdict]
    turns = [turn_by_a_loop(d, verdict, asked, helped=helped) for helped in ends]
    expected = min((turn for turn in turns if turn), key=lambda turn: turn.queries.size, default=None)
    found = find_verdict_change(d, verdict, asked)
    assert (found is None) == (expected is None)
    if found and expected:
        assert (found.verdict, found.helped) == (expected.verdict, expected.helped)
        assert found.queries.tolist() == expected.queries.tolist()


def test_an_open_verdict_may_hang_on_what_helps() -> None:
    """Without the one query that helps, a loss is shown; of those that hurt, all but one would have to go."""
    d = [-0.1, -0.11, -0.12, -0.1, -0.12, 0.4]
    found = gated(d, margin=0.01)
    turn = found["AP"].verdict_change
    assert found.verdict == "undecided"
    assert turn is not None
    assert (turn.verdict, turn.queries.tolist(), turn.helped) == ("worse", [5], True)
    SENTENCES.check("a verdict that hangs on a query that is helped", found.sections()[1].sentence)


def test_one_query_that_turns_the_verdict_is_named() -> None:
    d = [*(0.02 * i for i in range(-4, 9)), *(0.02 * i for i in range(-4, 9)), -0.5]
    found = gated(d, margin=0.01)
    turn = found["AP"].verdict_change
    assert found.verdict == "undecided"
    assert turn is not None
    assert (turn.verdict, turn.queries.tolist()) == ("pass", [26])
    SENTENCES.check("a verdict that hangs on a query that is hurt", found.sections()[1].sentence)


def test_a_verdict_that_nothing_turns_is_said_to_stay() -> None:
    found = gated([0.1, 0.2, 0.15, *[-0.1] * 10], margin=0.7)
    assert found["AP"].verdict_change is None
    SENTENCES.check("a pass that stays", found.sections()[1].sentence)
    found = gated([0.5, -0.5, 0.1], margin=0.01)
    assert (found.verdict, found["AP"].verdict_change) == ("undecided", None)
    SENTENCES.check("an open verdict that stays", found.sections()[1].sentence)


def upper_sd(d: Any, level: float) -> float:
    """The upper end of the one-sided interval of a standard deviation."""
    return float(d.std(ddof=1) * np.sqrt((d.size - 1) / stats.chi2.ppf(1 - level, d.size - 1)))


def test_fresh_queries_are_those_with_which_an_equal_system_passes() -> None:
    d = np.array([0.1, -0.08] * 10)
    found = gated(d, margin=0.02)
    assert found.verdict == "undecided"
    n_fresh = found["AP"].decision.n_fresh
    assert n_fresh == queries_for_t(0.02, upper_sd(d, 0.8), alternative="greater")
    power9 = gated(d, margin=0.02, power=0.9)
    assert power9["AP"].decision.n_fresh == queries_for_t(0.02, upper_sd(d, 0.9), alternative="greater", power=0.9)
    sentence = power9.sections()[0].sentence
    assert mentions(sentence, f"{power9['AP'].decision.n_fresh} fresh queries", "90 of 100")
    factor = sample_size_factor(5, power=0.9)
    assert mentions(sentence, f"{int(np.ceil(power9['AP'].decision.n_fresh * factor))} queries (--up-to)")
    # 100 (1 - Phi(z)) of one look, as of two and of five that are each taken at the full level.
    assert mentions(sentence, "8 of 100", "13 at the fifth")


def test_where_losses_may_hide_there_are_as_many_fresh_queries_as_show_that_they_do_not() -> None:
    """(1 - .02)^149 is below .05."""
    assert gated([0.0] * 20, margin=0.02)["AP"].decision.n_fresh == 149
    few = np.r_[np.zeros(19), -0.001]
    assert gated(few, margin=0.02)["AP"].decision.n_fresh == 149
    assert gated(few, margin=0.001)["AP"].decision.n_fresh == 2995


def test_no_number_of_queries_lets_an_equal_system_pass_without_a_margin() -> None:
    found = gated([0.1, -0.1] * 5, margin=0)
    assert found.verdict == "undecided"
    assert found["AP"].decision.n_fresh is None
    assert mentions(found.sections()[0].sentence, "margin of 0")
    assert found.frame()["n_fresh"].to_list() == [None]


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
        "level": 0.05,
        "verdict": "undecided",
        "reason": "",
        "n": 20,
        "n_fresh": part.decision.n_fresh,
        "n_losses": 10,
        "share_of_losses": None,
        "least_mean": None,
        "pvalue_skewed": None,
    }
    assert tuple(row) == found.columns
    assert {type(cell) for cell in next(found.records())} == {str, float, int}
    hidden = gated([0.1, 0.2, 0.3]).frame().to_dicts()[0]
    assert (hidden["reason"], hidden["n_losses"]) == ("rare losses", 0)
    assert hidden["share_of_losses"] == pytest.approx(1 - 0.05 ** (1 / 3))
    assert hidden["least_mean"] == pytest.approx(-hidden["share_of_losses"])  # three gains show nothing
    assert gated([0.3, -0.1] * 20).frame()["n_fresh"].to_list() == [None]


VERDICTS = {
    "a pass": [0.3, 0.32, 0.31, 0.29] * 10,
    "a pass of equal means": [-0.06, 0.06, 0.06, -0.06] * 20,
    "a pass though it is worse": [-0.055, 0.045, 0.045, -0.055] * 100,
    "undecided, since losses may hide": [0.01, 0.0, -0.01, 0.0] * 12,
    "undecided, since one loss may be many": [*[0.0] * 99, -0.5],
    "undecided, since losses are skewed": [*[0.06] * 40, *[0.0] * 40, *[-0.4] * 5],
    "worse by more than the margin": [-0.1, -0.12, -0.11],
    "worse, perhaps by less than the margin": [-0.03, -0.01, -0.03, -0.01],
    "undecided": [-0.1, 0.12, 0.11],
}


@pytest.mark.parametrize(("case", "differences"), VERDICTS.items())
def test_the_verdict_is_said_in_words(case: str, differences: list[float]) -> None:
    found = gated(differences)
    SENTENCES.check(case, found.sections()[0].sentence)
    assert found.sections()[0].sentence in " ".join(str(found).split())


def test_no_sentence_says_that_a_number_is_less_than_itself() -> None:
    """A bound that rounds to the margin is shown with more digits."""
    d = np.array([-0.0199999, -0.02, -0.01999995])
    text = " ".join(str(gated(d, margin=0.02)).split())
    assert "at most 0.02000 lower" not in text
    assert "at most 0.0200 lower" not in text


def test_a_pass_by_another_test_cites_its_p_value_and_no_bound() -> None:
    text = " ".join(str(gated(np.linspace(-0.06, 0.4, 12), test="permutation", rng=1)).split())
    assert mentions(text, 0.02, "ruled out", "permutation test", "p = 0.0007", "level 0.05")
    assert "% sure" not in text


def test_logarithms_are_called_so() -> None:
    """GMAP is compared as natural logarithms: a margin of 0.1 is a geometric mean of e^-0.1 = 0.9048 times the old."""
    old = np.tile(np.linspace(0.2, 0.8, 12), 40)
    new = old * np.exp(np.tile([0.01, -0.03], 240))
    found = gate(made(new, "GMAP"), made(old, "GMAP", "old"), margin=0.1)
    assert found.verdict == "pass"
    assert mentions(found.sections()[0].sentence, "mean log GMAP", "0.0100 lower", "old", "less than the margin", 0.1)
    assert mentions(found.notes, "GMAP", "margin", 0.1, "logarithms", "0.9048 times")
    table = found.sections()[0].table
    assert table is not None
    assert table.rows[0][0] == "log GMAP"
    assert next(found.records())[0] == "GMAP"
    halved = gate(made(old / 2, "GMAP"), made(old, "GMAP", "old"), margin=0.1)
    assert mentions(halved.sections()[0].sentence, "log GMAP is lower", "old", "the same 0.6931", 480)
    assert not any("logarithm" in note for note in gated([0.1, 0.2]).notes)


def test_many_queries_that_turn_the_verdict_are_named_in_part() -> None:
    d = np.r_[np.full(8, 0.4) + np.arange(8) / 1000, np.linspace(-0.06, 0.07, 30)]
    found = gated(d, margin=0)
    turn = found["AP"].verdict_change
    assert turn is not None
    assert turn.queries.size > 5
    named = f"{turn.queries.size} queries (q7, q6, q5, q4 and {turn.queries.size - 4} others)"
    assert mentions(found.sections()[1].sentence, named)


def test_thousands_of_queries_are_counted_as_everywhere() -> None:
    first, second = gated(np.random.default_rng(0).normal(0.1, 0.1, 1200)).sections()
    assert mentions(first.sentence, "1,200 queries")
    assert mentions(second.sentence, "of 1,200 queries")


def test_a_p_value_too_small_to_print_is_less_than_something() -> None:
    found = gated(np.full(40, -0.2) + np.arange(40) / 1000, test="permutation", rng=1, n_resamples=50_000)
    assert found.verdict == "worse"
    assert mentions(found.sections()[0].sentence, "permutation", "p < 0.0001", "level 0.05")
