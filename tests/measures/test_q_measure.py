"""The Q-measure: against a loop down the list, and what it comes to at its ends."""

from __future__ import annotations

import pytest
from helpers.properties import examples
from helpers.strategies import Case, as_lists, cases, ranked
from hypothesis import given

import rankscope as rs


def value(measure: str, relevance: list[int | None], missed: tuple[int, ...] = ()) -> float:
    return rs.evaluate(*as_lists(relevance, missed), measure).values.item()


GAINS = {
    "linear": lambda grade: max(grade, 0),
    "exp": lambda grade: 2 ** max(grade, 0) - 1,
    "given": lambda grade: max({0: 0.5, 1: 7, 2: 3.5, 3: -1}.get(grade, max(grade, 0)), 0),
}
FORMS = {
    "Q": ("linear", 1.0),
    "Q(beta=0.3)": ("linear", 0.3),
    "Q(beta=10)": ("linear", 10),
    "Q(gain='exp')": ("exp", 1.0),
    "Q(gains={0: 0.5, 1: 7, 2: 3.5, 3: -1}, others='gain', beta=2)": ("given", 2),
}


def by_hand(gains: list[float], judged: list[float], beta: float) -> float:
    """(count + beta cg) / (rank + beta cg*) at each document with gain, over how many there are."""
    best = sorted(judged, reverse=True)
    total, count, own = 0.0, 0, 0.0
    for rank, gain in enumerate(gains, 1):
        own += gain
        if gain > 0:
            count += 1
            total += (count + beta * own) / (rank + beta * sum(best[:rank]))
    n = sum(gain > 0 for gain in judged)
    return total / n if n else 0.0


@examples(250)
@given(case=cases())
def test_it_agrees_with_a_loop_down_the_list(case: Case) -> None:
    scores = rs.evaluate(case.qrels, case.run, list(FORMS))
    for i, query in enumerate(scores.query_ids):
        docs = case.qrels[query]
        for row, (gain, beta) in enumerate(FORMS.values()):
            gains = [GAINS[gain](docs[d]) if d in docs else 0 for d in ranked(case.run.get(query, {}))]
            expected = by_hand(gains, [GAINS[gain](g) for g in docs.values()], beta)
            assert scores.values[0, row, i] == pytest.approx(expected, rel=1e-12), (query, row)


@examples(100)
@given(case=cases())
def test_without_weight_on_the_gains_it_is_average_precision(case: Case) -> None:
    scores = rs.evaluate(case.qrels, case.run, ["Q(beta=0)", "AP"])
    assert scores.values[0, 0] == pytest.approx(scores.values[0, 1], rel=1e-12)


def test_the_ideal_list_gives_1_whatever_follows_it() -> None:
    assert value("Q", [3, 2, 2, 1, None, 0]) == 1
    assert value("Q(beta=5.0, gain='exp')", [3, 2, 2, 1, None, 0], (0, -1)) == 1
    assert value("Q", [3, 2, 1, 2]) < 1


def test_behind_the_end_of_the_ideal_list_only_the_rank_is_held_against_a_document() -> None:
    assert value("Q", [None] * 9 + [2]) == (1 + 2) / (10 + 2)


def test_where_nothing_gains_or_is_retrieved_it_is_0() -> None:
    assert value("Q", [0, None, -1], (0,)) == 0
    assert value("Q", [], (1,)) == 0
    assert value("Q(gains={1: 0})", [1, 1], (1,)) == 0


def test_its_settings_are_those_that_matter() -> None:
    scores = rs.evaluate(*as_lists([1]), "Q(gain='exp')")
    assert "gain:exp" in scores.signature("Q(gain='exp')")
    assert "beta:1.0" in scores.signature("Q(gain='exp')")
    assert "discount" not in scores.signature("Q(gain='exp')")


@pytest.mark.parametrize("beta", [-0.1, "1", None, True])
def test_a_weight_that_is_none_is_refused(beta: object) -> None:
    with pytest.raises(rs.ParameterError, match=r"Q: beta is .*, .* 0"):
        rs.parse_measure(f"Q(beta={beta!r})")


def test_a_gain_beyond_float64_is_refused() -> None:
    assert value("Q(gain='exp')", [900]) == 1
    with pytest.raises(rs.ParameterError, match=r"judged 901, .*2\^901 .*float64"):
        value("Q(gain='exp')", [901])


def test_it_takes_no_cutoff_and_averages_no_ties() -> None:
    with pytest.raises(rs.ParameterError, match="Q takes no cutoff"):
        rs.parse_measure("Q@10")
    with pytest.raises(rs.ParameterError, match=r"average .*tied documents"):
        rs.evaluate(*as_lists([1, 0]), "Q", ties="average")
