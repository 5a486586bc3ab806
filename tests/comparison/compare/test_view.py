"""Tables of a comparison: letters, stars, possible ranks, pairs, and what is not shown of many systems."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.score_tables import random_table, score_table
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankscope as rs
from rankscope.comparison.compare.columns import beaten_letters, letter, stars
from rankscope.comparison.compare.view import sections_of
from rankscope.data.result import as_text
from rankscope.data.section import Marked
from rankscope.reporting.tables import RESULT_FORMATS, render_result

#: Four systems, far apart but for the second and the third.
FAR = np.array([0.1, 0.5, 0.5, 0.9])[:, None] + 0.02 * np.random.default_rng(1).standard_normal((4, 30))


def tables(result: Any) -> dict[str, Any]:
    return {section.title: section.table for section in result.sections()}


def column(table: Any, name: str) -> list[Any]:
    return [row[table.columns.index(name)] for row in table.rows]


def test_letters_go_on_after_z():
    assert [letter(i) for i in (0, 1, 25, 26, 27, 51, 52, 701, 702)] == [*"abz", "aa", "ab", "az", "ba", "zz", "aaa"]


def test_better_on_counts_queries_on_which_a_system_is_better_and_no_ties():
    x = np.zeros((2, 50))
    x[0, :13], x[1, 13:23] = 0.5, 0.25  # 13 won, 10 lost, 27 tied
    table = tables(rs.compare(score_table(x)))["AP: the difference"]
    assert (column(table, "better on"), column(table, "wins/ties/losses")) == (["26 %"], ["13/27/10"])


def notes_by_title(result: Any) -> dict[str, str]:
    return {section.title: " ".join(section.notes) for section in result.sections()}


def test_intervals_beside_a_corrected_p_are_said_not_to_be_corrected():
    for options, noted in (
        ({}, True),
        ({"correction": "bh"}, True),
        ({"correction": "none"}, False),
        ({"test": "max-t", "n_resamples": 99, "rng": 1}, False),  # which hold all at once
        ({"test": "bayes-t"}, False),
    ):
        notes = notes_by_title(rs.compare(score_table(FAR), **options))
        assert mentions(notes["AP, pair by pair"], "p corrected: for 6 tests", "intervals: each for itself") == noted
    notes = notes_by_title(rs.compare(score_table(FAR), baseline="a", alternative="greater"))
    assert mentions(notes["AP on 30 queries"], "p corrected: for 3 tests", "bounds: each for itself")
    assert not mentions(notes_by_title(rs.compare(score_table(FAR[:2])))["AP: the difference"], "corrected")


def test_possible_ranks_say_whether_they_hold_at_once():
    for options, text in (
        ({}, "for all systems at once, with 95 % confidence"),
        ({"test": "tukey", "alpha": 0.1}, "for all systems at once, with 90 % confidence"),
        ({"correction": "bh"}, "each test for itself"),
        ({"correction": "none"}, "each test for itself"),
    ):
        assert mentions(notes_by_title(rs.compare(score_table(FAR), **options))["AP on 30 queries"], "ranks", text)
    assert not mentions(notes_by_title(rs.compare(score_table(FAR[:2])))["AP on 30 queries"], "ranks")
    noise = np.random.default_rng(1).random((3, 10))
    assert not mentions(notes_by_title(rs.compare(score_table(noise)))["AP on 10 queries"], "ranks")


def test_what_significant_promises_is_said_once_where_something_is_called_so():
    for options, text in (
        ({}, "of equal systems, at most about 5 of 100 such comparisons claim any difference"),
        ({"correction": "bh", "alpha": 0.1}, "at most about 10 of 100 such claims are false on average"),
        ({"correction": "none"}, "of two equal systems, at most about 5 of 100 such tests"),
        ({"test": "tukey"}, "of equal systems, at most about 5 of 100"),
    ):
        notes = rs.compare(score_table(FAR), **options).notes
        assert [mentions(note, "significant at level", text, "queries are a random sample") for note in notes].count(
            True
        ) == 1
    noise = np.random.default_rng(1).random((3, 10))
    for x, options in ((noise, {}), (FAR, {"test": "bayes-t"})):
        assert not mentions(rs.compare(score_table(x), **options).notes, "significant at level")


def test_bootstrap_intervals_that_are_too_narrow_are_noted():
    rng = np.random.default_rng(1)
    tied = np.where(np.arange(60) < 40, 0.5, rng.random((2, 60)))
    free = rng.random((2, 60))
    for x, interval, text, noted in (
        (tied, "bca", "as few as 75 %", True),
        (tied, "t", "as few as 75 %", False),
        (free, "bca", "as few as 75 %", False),
        (free[:, :20], "percentile", "80 to 95 %", True),
        (free, "percentile", "80 to 95 %", False),
    ):
        notes = rs.compare(score_table(x), interval=interval, n_resamples=99, rng=1).notes
        assert mentions(notes, "bootstrap intervals", "too narrow", text) == noted


@given(i=st.integers(0, 10**6))
def test_each_place_has_a_letter_of_its_own(i):
    value = 0
    for char in letter(i):
        value = 26 * value + ord(char) - ord("a") + 1
    assert value == i + 1


@pytest.mark.parametrize(
    ("places", "m", "text"),
    [
        ([], 5, ""),
        ([3], 5, "d"),
        ([3, 4], 5, "de"),
        ([2, 3, 4], 5, "c-e"),
        ([1, 3, 4], 5, "bde"),
        ([0, 2, 3, 4, 6], 8, "ac-eg"),
        ([25, 26], 30, "z,aa"),
        ([24, 25, 26, 29], 30, "y-aa,ad"),
    ],
)
def test_runs_of_letters_are_joined(places, m, text):
    assert beaten_letters(places, m) == text


def test_stars_say_how_small_p_is_and_nothing_above_the_level():
    assert [stars(p, 0.05) for p in (0.0005, 0.001, 0.002, 0.01, 0.02, 0.05, 0.06, np.nan)] == [
        *("***", "***", "**", "**", "*", "*", "", "")
    ]
    assert [stars(p, 0.005) for p in (0.0005, 0.003, 0.006)] == ["***", "**", ""]
    assert stars(0.0005, 0.0001) == ""
    assert stars(0.15, 0.2) == "*"


def test_the_leaderboard_is_in_order_with_the_systems_that_each_beats():
    result = rs.compare(score_table(FAR))
    table = tables(result)["AP on 30 queries"]
    assert table.columns == ("", "system", "mean", "95 % interval", "possible ranks")
    assert column(table, "") == ["a", "b", "c", "d"]
    assert column(table, "system") == ["d", *sorted("bc", key=lambda s: -FAR["abcd".index(s)].mean()), "a"]
    means = column(table, "mean")
    assert [cell.raised for cell in means] == ["b-d", "d", "d", ""]
    assert [cell.bold for cell in means] == [True, False, False, False]
    assert [cell.text for cell in means] == [f"{x:.4f}" for x in sorted(FAR.mean(axis=1), reverse=True)]
    assert column(table, "possible ranks") == ["1", "2-3", "2-3", "4"]
    assert mentions(str(result), "superscripts")


def test_of_two_systems_and_of_probabilities_no_ranks_are_left_over():
    assert "possible ranks" not in tables(rs.compare(score_table(FAR[:2])))["AP on 30 queries"].columns
    assert "possible ranks" not in tables(rs.compare(score_table(FAR), test="bayes-t"))["AP on 30 queries"].columns


def test_a_legend_stands_only_where_there_is_something_to_explain():
    same = rs.compare(score_table(FAR[[1, 2]]))
    assert not same["AP"].decisions.any()
    assert "letters behind" not in str(same)
    assert "* differs" not in str(rs.compare(score_table(FAR[[1, 2]]), baseline="a"))
    starred = str(rs.compare(score_table(FAR), baseline="a"))
    assert mentions(starred, "* differs", "level 0.05", "** at 0.01", "*** at 0.001")
    starred = str(rs.compare(score_table(FAR), baseline="a", alpha=0.005))
    assert mentions(starred, "* differs", "level 0.005", "*** at 0.001")
    assert not mentions(starred, "** at 0.01,")


def test_against_a_baseline_there_are_stars_and_no_table_of_pairs():
    result = rs.compare(score_table(FAR), baseline="b")
    table = tables(result)["AP on 30 queries"]
    assert "AP, pair by pair" not in tables(result)
    rows = {row[0]: row for row in table.rows}
    assert rows["b"][2] == "baseline"
    assert {name: row[1].raised for name, row in rows.items()} == {"d": "***", "c": "", "b": "", "a": "***"}
    assert rows["d"][2] == f"{FAR[3].mean() - FAR[1].mean():+.4f}"
    assert rows["a"][-1] == "0/0/30"
    by_chance = rs.compare(score_table(FAR), baseline="b", test="bayes-t")
    raised = {row[0]: row[1].raised for row in tables(by_chance)["AP on 30 queries"].rows}
    assert raised == {"d": "*", "c": "", "b": "", "a": "*"}
    assert mentions(str(by_chance).splitlines(), "*: better or worse", 0.95)


def test_each_pair_has_the_better_system_first():
    result = rs.compare(score_table(FAR))
    table = tables(result)["AP, pair by pair"]
    assert table.columns[:2] == ("ahead", "of")
    assert all(cell.startswith("+") for cell in column(table, "difference"))
    assert column(table, "wins/ties/losses")[0] == "30/0/0"
    first = table.rows[0]
    d = FAR[3] - FAR["abcd".index(first[1])]
    assert first[2] == f"{d.mean():+.4f}"
    lower = rs.compare(score_table(100 * FAR, "MeanRank"))
    table = tables(lower)["MeanRank, pair by pair"]
    assert all(cell.startswith("-") for cell in column(table, "difference"))
    assert table.rows[0][0] == "a"
    assert column(table, "better on")[0] == "100 %"


def test_columns_of_p_are_those_that_the_test_gives():
    def of(**options: Any) -> list[str]:
        return [
            c for c in tables(rs.compare(score_table(FAR), **options))["AP, pair by pair"].columns if "p" in c.lower()
        ]

    assert of() == ["p", "p corrected"]
    assert of(correction="none") == ["p"]
    assert of(test="tukey") == ["p corrected"]
    assert of(test="bayes-t") == ["P(worse)", "P(equal)", "P(better)"]
    pair = tables(rs.compare(score_table(FAR[:2])))["AP: the difference"]
    assert "p corrected" not in pair.columns
    two = rs.compare(random_table(2, 30, ("AP", "RR")), family="all")
    assert "p corrected" in tables(two)["AP: the difference"].columns


def test_probabilities_turn_with_their_pair():
    table = tables(rs.compare(score_table(FAR), test="bayes-t"))["AP, pair by pair"]
    assert table.rows[0][4:7] == ("0.000", "0.000", "1.000")


def test_what_is_of_interest_to_few_is_folded():
    result = rs.compare(score_table(FAR))
    titles = [section.title for section in sections_of(result) if section.folded]
    assert mentions(titles, "AP", "intervals", "effect sizes")
    assert "BCa interval" not in str(result)
    assert "BCa interval" in as_text(result, details=True)
    row = tables(result)["AP: intervals and effect sizes"].rows[0]
    d = FAR[1] - FAR[0]  # the better one first
    assert row[:3] == ("b", "a", f"{d.mean():+.4f}")
    assert row[5] == f"{d.mean() / d.std(ddof=1):+.2f}"
    low, high = stats.binomtest(int((d > 0).sum()), d.size).proportion_ci(method="wilson")
    assert row[8:] == (f"[{100 * low:.0f}, {100 * high:.0f}]",)
    in_clusters = score_table(FAR).with_queries(
        {"query": score_table(FAR).query_ids, "cluster": np.arange(d.size) // 2}
    )
    assert len(tables(rs.compare(in_clusters))["AP: intervals and effect sizes"].rows[0]) == 8


def test_thirty_systems_have_thirty_letters_and_no_table_of_435_pairs():
    result = rs.compare(random_table(30, 60, spread=0.1))
    assert result["AP"].first.size == 435
    shown = tables(result)
    letters = column(shown["AP on 60 queries"], "")
    assert letters[-4:] == ["aa", "ab", "ac", "ad"]
    raised = [cell.raised for cell in column(shown["AP on 60 queries"], "mean")]
    assert all(re.fullmatch(r"(?:[a-z]{1,2}(?:-[a-z]{1,2})?,?)*", text) for text in raised)
    (pairs,) = (section for section in sections_of(result) if section.title == "AP, pair by pair")
    assert pairs.folded
    assert mentions(pairs.sentence, 435, "--format csv", "frame()")
    assert len(result.frame()) == 435


def test_the_letters_of_a_row_are_the_systems_that_it_beats():
    result = rs.compare(random_table(12, 40, spread=0.1))
    part, table = result["AP"], tables(result)["AP on 40 queries"]
    for place, row in enumerate(table.rows):
        raised = row[2].raised
        for start, end in re.findall(r"(\w)-(\w)", raised):
            raised = raised.replace(f"{start}-{end}", "".join(map(chr, range(ord(start), ord(end) + 1))))
        beaten = {table.rows[ord(c) - ord("a")][1] for c in raised}
        assert beaten == {part.systems[s] for s in np.flatnonzero(part.beats[part.order[place]])}


HOSTILE = ("50% & co_1 #2 $x$ {y} ~ ^ \\z", "a|b `c` *d* <e> [f](g)")


@pytest.mark.parametrize("form", RESULT_FORMATS)
def test_hostile_names_break_no_format(form):
    result = rs.compare(score_table(FAR[:2], systems=HOSTILE))
    text = render_result(result, form)
    assert text.endswith("\n")
    body = [line for line in text.splitlines() if not line.startswith("%")]
    if form == "latex":
        rows = [line for line in body if line.endswith(r"\\") and "textbf" not in line and "mean" not in line]
        assert not re.search(r"(?<!\\)[%#$_]", "\n".join(line.removesuffix("%") for line in body))
        assert {line.count(" & ") for line in rows} == {3, 7}
    if form == "markdown":
        rows = [re.split(r"(?<!\\)\|", line) for line in body if line.startswith("|")]
        assert {len(row) for row in rows} == {6, 10}


@pytest.mark.parametrize("form", ["table", "latex", "markdown"])
def test_nothing_undefined_is_printed_as_nan(form):
    for x in ([[0.9], [0.1]], [[0.2, 0.4, 0.6], [0.1, 0.3, 0.5]], [[0.2, 0.3], [0.2, 0.3]]):
        for options in ({}, {"baseline": "a"}, {"test": "bayes-t"}):
            assert "nan" not in render_result(rs.compare(score_table(x), **options), form, details=True)


def test_what_a_figure_draws_is_in_the_order_of_the_leaderboard():
    figures = [s.figure for s in sections_of(rs.compare(score_table(FAR))) if s.figure is not None]
    board = next(figure for figure in figures if figure.name == "leaderboard")
    assert list(board.data["means"]) == sorted(board.data["means"], reverse=True)
    assert all(
        low < mean < high for low, mean, high in zip(*(board.data[k] for k in ("low", "means", "high")), strict=True)
    )
    matrix = next(figure for figure in figures if figure.name == "significance_matrix")
    assert matrix.data["systems"] == board.data["systems"]
    np.testing.assert_allclose(matrix.data["differences"], -np.transpose(matrix.data["differences"]))


def test_marked_cells_are_the_means():
    (board, *_) = sections_of(rs.compare(score_table(FAR)))
    assert all(isinstance(row[2], Marked) for row in board.table.rows)
