"""All systems by all measures in one table: order, best means, letters and marks; columns of a paper's table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.score_tables import score_table

import rankscope as rs
from rankscope.comparison.compare import paper_table
from rankscope.data.section import Marked, Section, Table
from rankscope.errors import ParameterError, UnknownName
from rankscope.reporting.tables import render_result

#: Three systems far apart, with noise of .01 over ten queries: a is the best by both measures but for the last.
NOISE = np.array([0.01, -0.01, 0.0, 0.01, -0.01] * 2)
HIGH, MIDDLE, LOW = 0.8 + NOISE, 0.5 - NOISE, 0.2 + 0 * NOISE


def scores() -> rs.Scores:
    """MeanRank and AP of three systems: by MeanRank, where lower is better, b leads; by AP c does."""
    by_rank, by_precision = [100 * HIGH, 100 * LOW, 100 * MIDDLE], [MIDDLE, LOW, HIGH]
    return score_table(np.stack([by_rank, by_precision], axis=1), ("MeanRank", "AP"))


def table_of(section: Section) -> Table:
    assert section.table is not None
    return section.table


def marks(table: Table, column: int) -> list[tuple[str, bool, str]]:
    return [tuple(row[column]) for row in table.rows]  # type: ignore[misc]


def test_with_several_measures_all_systems_by_all_measures_come_first() -> None:
    several, one = rs.compare(scores()).sections(), rs.compare(scores(), "AP").sections()
    table = table_of(several[0])
    assert table.columns == ("", "system", "MeanRank", "AP")
    assert [row[:2] for row in table.rows] == [("a", "b"), ("b", "c"), ("c", "a")]  # best first by the first measure
    assert [section.title for section in several[1:]][:1] == ["MeanRank on 10 queries"]
    assert one[0].title == "AP on 10 queries"


def test_a_system_has_one_letter_for_all_measures_and_the_best_of_each_is_bold() -> None:
    table = table_of(rs.compare(scores()).sections()[0])
    assert marks(table, 2) == [("20.0000", True, "bc"), ("50.0000", False, "c"), ("80.0000", False, "")]
    # the best by AP is second by MeanRank, so its letter is b; it beats a and c
    assert marks(table, 3) == [("0.2000", False, ""), ("0.8000", True, "ac"), ("0.5000", False, "a")]


def test_the_sentence_names_the_leader_by_each_measure() -> None:
    assert mentions(rs.compare(scores()).sections()[0].sentence, "b by MeanRank", "c by AP")
    same = score_table(np.stack([[HIGH, LOW], [MIDDLE, LOW]], axis=1), ("AP", "RR"))
    assert mentions(rs.compare(same).sections()[0].sentence, "Best mean by every measure: a")


def test_systems_of_equal_means_lead_together() -> None:
    tied = score_table(np.stack([[HIGH, HIGH], [HIGH, LOW]], axis=1), ("AP", "RR"))
    assert mentions(rs.compare(tied).sections()[0].sentence, "a and b by AP", "a by RR")


def test_with_a_baseline_marks_say_better_or_worse_than_it() -> None:
    section = rs.compare(scores(), baseline="c").sections()[0]
    table = table_of(section)
    assert table.columns == ("system", "MeanRank", "AP")
    assert [row[0] for row in table.rows] == ["b", "c", "a"]
    assert [cell[2] for cell in marks(table, 1)] == ["▲", "", "▼"]
    assert [cell[2] for cell in marks(table, 2)] == ["▼", "", "▼"]
    assert mentions(section.notes, "▲", "better than the baseline c", "▼", "worse", "0.05")


def test_a_paper_s_legend_names_the_test_and_explains_the_marks_as_latex_writes_them() -> None:
    paper = paper_table(rs.compare(scores(), baseline="c", test="wilcoxon", correction="hommel"))
    assert mentions(paper.sections()[0].notes, "test wilcoxon, hommel, level 0.05")
    legends = [line for line in render_result(paper, "latex", details=False).splitlines() if "better than" in line]
    assert len(legends) == 1
    assert mentions(legends, r"$\uparrow$ significantly better", r"$\downarrow$ significantly worse")


def test_equal_means_are_all_bold_and_where_nothing_is_significant_a_note_says_so() -> None:
    section = paper_table(rs.compare(score_table([HIGH, HIGH], "AP"))).sections()[0]
    assert marks(table_of(section), 2) == [("0.8000", True, ""), ("0.8000", True, "")]
    assert mentions(section.notes, "no difference is significant")


@pytest.mark.parametrize("options", [{}, {"baseline": "a"}, {"test": "tukey"}, {"test": "bayes-t", "baseline": "c"}])
def test_the_letters_and_marks_are_the_decisions(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    values = rng.random((4, 30)) + np.array([0.0, 0.1, 0.25, 0.4])[:, None]
    result = rs.compare(score_table(values / 2, "AP"), **options)
    beats, order = result["AP"].beats, result["AP"].order.tolist()
    rows = table_of(paper_table(result).sections()[0]).rows
    for i, (system, row) in enumerate(zip(order, rows, strict=True)):
        mark = row[-1]
        assert isinstance(mark, Marked)
        if "baseline" not in options:
            expected = {"abcd"[j] for j, other in enumerate(order) if beats[system, other]}
            spelled = {"b-d": "bcd", "a-c": "abc"}.get(mark.raised, mark.raised)
            assert set(spelled) == expected
            assert row[0] == "abcd"[i]
        else:
            baseline = result.scores.systems.index(options["baseline"])
            assert mark.raised == "▲" * int(beats[system, baseline]) + "▼" * int(beats[baseline, system])


def test_the_columns_of_a_paper_are_those_that_are_named() -> None:
    result = rs.compare(scores(), baseline="c")
    named = table_of(paper_table(result, ["mean", "difference", "interval", "p", "effect"]).sections()[0])
    one_measure = ("difference", "95 % interval", "p", "effect d")
    assert named.columns == ("system", "MeanRank", *one_measure, "AP", *one_measure)
    assert [row[2] for row in named.rows] == ["-30.0000", "", "+30.0000"]
    full = table_of(result.sections()[1])  # whose difference, interval and corrected p these are
    column = {title: [row[i] for row in full.rows] for i, title in enumerate(full.columns)}
    for i, title in ((3, "95 % interval"), (4, "p corrected"), (5, "effect d")):
        assert [row[i] for row in named.rows] == column[title]
    alone = paper_table(result, "p").sections()[0]
    assert table_of(alone).columns == ("system", "MeanRank p", "AP p")
    assert mentions(alone.notes, "p: ", "from c", "holm")


def test_intervals_without_a_baseline_are_those_of_the_means() -> None:
    result = rs.compare(scores())
    named = table_of(paper_table(result, ("mean", "interval")).sections()[0])
    assert named.columns == ("", "system", "MeanRank", "95 % interval", "AP", "95 % interval")
    assert [row[3] for row in named.rows] == [row[3] for row in table_of(result.sections()[1]).rows]


def test_columns_that_do_not_exist_or_need_a_baseline_are_refused() -> None:
    result = rs.compare(scores())
    with pytest.raises(UnknownName, match=r"'median'.*mean"):
        paper_table(result, ["median"])
    with pytest.raises(ParameterError, match="table_columns is empty"):
        paper_table(result, [])
    for name in ("difference", "p", "effect"):
        with pytest.raises(ParameterError, match=rf"column {name} .*--baseline"):
            paper_table(result, ["mean", name])


def test_the_paper_table_keeps_the_tidy_table_the_notes_and_the_signature() -> None:
    result = rs.compare(scores(), baseline="c")
    table = paper_table(result)
    assert table.frame().equals(result.frame())
    assert (table.notes, table.signature()) == (result.notes, result.signature())
    assert len(table.sections()) == 1


def test_in_latex_the_table_has_minus_signs_bold_means_and_superscripts() -> None:
    latex = render_result(paper_table(rs.compare(scores())), "latex")
    assert latex.startswith("% needs \\usepackage{booktabs}\n% ")
    assert r"b & c & 50.0000\textsuperscript{c\phantom{c}} & \textbf{0.8000}\textsuperscript{ac} \\" in latex
    assert latex.count(r"\begin{tabular}{llrr}") == latex.count(r"\toprule") == latex.count(r"\bottomrule") == 1
    latex = render_result(paper_table(rs.compare(scores(), baseline="c"), ["mean", "difference"]), "latex")
    assert "\\providecommand{\\num}[1]{\\ensuremath{#1}}\n" in latex
    assert r"b & \textbf{20.0000}\textsuperscript{$\uparrow$} & \num{-30.0000} & " in latex
