"""What agreement on segments shows: the published table, the best in bold, and sentences that do not claim too much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.messages import Messages, mentions

from rankscope import Rankings
from rankscope.agreement import segments
from rankscope.data.columns import is_best
from rankscope.data.rankings import Labels
from rankscope.data.section import Marked
from rankscope.reporting.tables import render_result

SENTENCES = Messages("agreement_sentences")


def judged(**metrics):
    """Two pairs of one judgment each, A before B before C; metrics: scores of the three, twice."""
    found = Rankings.of([{"A": 1, "B": 2, "C": 3}] * 2)
    found = replace(found, pair=Labels.of(["fr-en", "de-en"]))
    for name, values in metrics.items():
        found = found.with_column(name, np.array(values * 2, float), higher_is_better=True)
    return found


def test_the_best_of_a_column_is_bold_and_all_of_them_where_they_look_alike():
    assert is_best(np.array([0.1, 0.30001, 0.30003, np.nan])) == [False, True, True, False]
    assert is_best(np.array([0.1, np.nan])) == [False, False]


def test_the_table_is_metrics_by_pairs_with_the_average():
    found = segments(judged(good=[3, 2, 1], poor=[1, 3, 2]), rng=1)
    table = found.sections()[0].table
    assert table.columns == ("metric", "fr-en", "de-en", "average")
    assert [row[0] for row in table.rows] == ["good", "poor"]
    assert all(cell.bold and cell.text == "1.0000" for cell in table.rows[0][1:])
    assert table.rows[1][1:] == (Marked("-0.3333"),) * 3
    assert "**1.0000**" in render_result(found, "markdown")


def test_of_one_pair_there_is_no_average_and_of_none_named_the_statistic_heads_the_column():
    one = segments(judged(m=[3, 2, 1]), pairs=["fr-en"], rng=1)
    assert one.sections()[0].table.columns == ("metric", "fr-en")
    bare = Rankings.of([{"A": 1, "B": 2}]).with_column("m", np.array([2.0, 1.0]), higher_is_better=True)
    assert segments(bare, rng=1).sections()[0].table.columns == ("metric", "wmt12")
    assert "pair" not in segments(bare, rng=1).sections()[1].table.columns


@pytest.mark.parametrize(
    ("metrics", "case"),
    [
        ({"m": [3, 2, 1]}, "one metric"),
        ({"m": [3, 2, 1], "n": [1, 3, 2]}, "one of two metrics agrees most"),
        ({"m": [3, 2, 1], "n": [3, 2, 1]}, "two metrics agree most"),
    ],
)
def test_a_sentence_says_who_agrees_most(metrics, case):
    SENTENCES.check(case, segments(judged(**metrics), rng=1).sections()[0].sentence)


def test_nothing_is_said_of_chance_where_nothing_was_tested():
    found = segments(judged(m=[3, 2, 1], n=[1, 3, 2]), rng=1)
    assert mentions(found.sections()[0].sentence, "not tested", "rankscope agree")


@pytest.mark.parametrize(
    ("options", "meaning"),
    [
        ({"statistic": "wmt12"}, "as many right as wrong"),
        ({"statistic": "acc_eq"}, "ties included"),
        ({"statistic": "kendall_b", "grouping": "segment"}, "scores rise"),
        ({"statistic": [[3, 0, 1], [None] * 3, [1, 0, 3]]}, "from 0 to 3"),
    ],
)
def test_a_sentence_says_what_the_number_means(options, meaning):
    assert meaning in segments(judged(m=[3, 2, 1]), rng=1, **options).sections()[0].sentence


def test_long_tables_are_folded_and_shown_when_asked_for():
    many = segments(judged(**{f"m{i}": [3, 2, 1] for i in range(9)}), rng=1)
    assert many.sections()[1].folded
    assert "Each metric and language pair" not in str(many)
    assert "Each metric and language pair" in render_result(many, "table", details=True)


def test_calibrated_epsilons_stand_beside_the_values():
    found = segments(judged(m=[3, 2, 1]), statistic="acc_eq", rng=1)
    table = found.sections()[1].table
    assert table.columns[-1] == "epsilon"
    assert [row[-1] for row in table.rows] == ["0", "0", "-"]


def test_the_signature_names_all_that_changes_the_numbers():
    found = segments(judged(m=[3, 2, 1]), statistic="tau14", grouping="segment", epsilon=0.5, n_resamples=20, rng=7)
    for part in ("statistic:tau14", "grouping:segment", "gold:rank", "epsilon:0.5", "bootstrap:20,0.95", "rng:7"):
        assert part in found.signature()
