"""Query by query: what helps, what hurts, how few queries a lead hangs on; and the verdict on a whole comparison."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import Messages, mentions

from rankscope import Scores, compare, parse_measures
from rankscope.comparison.compare import query_section
from rankscope.comparison.summary import short_verdict, verdict
from rankscope.stats import difference_for_t


def scores_of(values: list[list[float]], names: str = "abcdefgh", measure: str = "AP") -> Scores:
    table = np.array(values, np.float64)
    systems, n = table.shape
    return Scores(
        systems=tuple(names[:systems]),
        measures=tuple(parse_measures([measure])),
        query_ids=tuple(f"q{i}" for i in range(n)),
        values=table[:, None, :],
        missing=np.zeros((systems, n), bool),
        undefined=np.zeros((1, n), bool),
        measure_settings=({},),
    )


SENTENCES = Messages("query_by_query")

A = [0.9, 0.5, 0.5, 0.2, 0.0, 0.3]
B = [0.1, 0.4, 0.5, 0.3, 0.0, 0.2]  # a - b: .8 .1 0 -.1 0 .1


def section_of(values: list[list[float]], **options: object) -> object:
    result = compare(scores_of(values), **options)  # of any test
    return query_section(result, result.comparisons[0])


def test_the_most_helped_and_the_most_hurt_queries_stand_with_both_values() -> None:
    found = section_of([A, B])
    assert mentions(found.title, "AP", "a and b")
    assert found.table.columns == ("most", "query", "a", "b", "difference")
    assert found.table.rows == (
        ("helped", "q0", "0.9000", "0.1000", "+0.8000"),
        ("helped", "q1", "0.5000", "0.4000", "+0.1000"),
        ("helped", "q5", "0.3000", "0.2000", "+0.1000"),
        ("hurt", "q3", "0.2000", "0.3000", "-0.1000"),
    )


def test_wins_losses_and_ties_are_counted_and_so_are_the_queries_that_the_lead_hangs_on() -> None:
    # the sum of all differences is .9: without q0 it is .1, and without q0 and q1 (or q5) nothing is left
    SENTENCES.check("wins, losses and ties, and a lead that hangs on two queries", section_of([A, B]).sentence)


def test_a_lead_that_hangs_on_one_query_is_called_so() -> None:
    found = section_of([[1.0, 0.2, 0.2], [0.0, 0.3, 0.3]])
    SENTENCES.check("a lead that hangs on one query", found.sentence)


def test_a_system_that_is_never_worse_hangs_on_no_few_queries() -> None:
    SENTENCES.check("a system that is never worse", section_of([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6]]).sentence)


def test_queries_that_nobody_answers_are_named() -> None:
    (note,) = section_of([A, B]).notes
    assert mentions(note, 1, 0, "q4")


def test_of_many_systems_the_best_two_are_looked_at_and_with_a_baseline_the_best_and_the_baseline() -> None:
    worst = [0.0] * 6
    assert section_of([worst, A, B]).title.endswith(": b and c")
    assert section_of([worst, A, B], baseline="a").title.endswith(": b and a")
    assert section_of([worst, A, B], baseline="b").title.endswith(": c and b")


def test_the_figure_holds_every_query() -> None:
    data = section_of([A, B]).figure.data
    assert data["query_ids"] == tuple(f"q{i}" for i in range(6))
    assert data["differences"] == pytest.approx([0.8, 0.1, 0.0, -0.1, 0.0, 0.1])


# The verdict

RNG = np.random.default_rng(5)
EASY = RNG.random(40) * 0.5
CLEAR = [(EASY + 0.2 + RNG.normal(0, 0.05, 40)).tolist(), EASY.tolist()]
UNCLEAR = [(EASY + 0.01 + RNG.normal(0, 0.1, 40)).tolist(), EASY.tolist()]


def smallest_of(values: list[list[float]]) -> str:
    """The smallest difference that 40 queries detect, as it is written."""
    d = np.array(values[0]) - np.array(values[1])
    return f"{difference_for_t(40, d.std(ddof=1)):.4g}"


def test_the_verdict_says_who_wins_and_what_the_queries_can_show() -> None:
    result = compare(scores_of(CLEAR))
    difference = np.mean(CLEAR[0]) - np.mean(CLEAR[1])
    assert mentions(short_verdict(result), f"a beats b by {difference:.4f}", "With 40 queries", smallest_of(CLEAR))
    SENTENCES.check("the verdict on a difference that was shown", short_verdict(result))
    first, second, third = verdict(result)
    means = [f"{np.mean(values):.3f}" for values in CLEAR]
    assert mentions(first, f"a beats b: AP {means[0]} against {means[1]} (+{difference:.3f}, 95 % interval ")
    assert mentions(second, "chance", "40 queries")
    SENTENCES.check("what the queries can show", third)


def test_where_nothing_was_shown_the_verdict_says_so_and_what_could_be() -> None:
    result = compare(scores_of(UNCLEAR))
    p = float(result.comparisons[0].pvalue[0])
    assert p > 0.05
    text = short_verdict(result)
    assert mentions(text, "which may be chance", f"(p = {p:.4f})", "With 40 queries", smallest_of(UNCLEAR))
    for words in ("would have", "it would take", "sufficed"):  # the power for a difference that was seen is no news
        assert words not in text
    assert "beats" not in text
    assert mentions(verdict(result)[0], "leads, but is not significantly better than")
    assert mentions(verdict(result)[1], "does not show that they are equal")


def test_the_better_system_comes_first_whatever_its_place() -> None:
    assert short_verdict(compare(scores_of(CLEAR[::-1]))).startswith("b beats a by")
    assert short_verdict(compare(scores_of(CLEAR), baseline="a")).startswith("a beats b by")


def test_equal_systems_show_nothing_of_what_queries_detect() -> None:
    result = compare(scores_of([A, A]))
    assert "detected" not in short_verdict(result)
    assert len(verdict(result)) == 1
    assert mentions(short_verdict(result), "chance", "p = 1.0000")
