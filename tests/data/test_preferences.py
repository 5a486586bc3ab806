"""Preferences: from rankings and scores against loops, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import Rankings
from rankscope.data.rankings import Labels
from rankscope.errors import InputError, ParameterError, UnknownName

judgments = st.lists(
    st.dictionaries(st.sampled_from("ABCDE"), st.none() | st.integers(1, 4), max_size=5), min_size=1, max_size=8
)


def told(found: rs.Preferences) -> list[tuple[str, str, int, str]]:
    """Left, right, outcome and cluster of each comparison."""
    clusters = [""] * len(found) if found.cluster is None else list(found.cluster)
    rows = zip(found.left.tolist(), found.right.tolist(), found.outcome.tolist(), clusters, strict=True)
    return [(found.systems[a], found.systems[b], outcome, cluster) for a, b, outcome, cluster in rows]


def outcome_of(a: float, b: float) -> int:
    """Lower is better."""
    return int(a < b) - int(a > b)


@given(judgments, st.booleans())
def test_every_two_items_of_a_judgment_are_a_comparison(judged, score):
    expected = [
        (a, b, outcome_of(one[a], one[b]) * (-1 if score else 1), str(i))
        for i, one in enumerate(judged, 1)
        for a, b in combinations([name for name, rank in one.items() if rank is not None], 2)
    ]
    rankings = Rankings.of(judged, name="gold", higher_is_better=score)
    if not expected:
        with pytest.raises(InputError, match=r"^no judgment .*'gold'"):
            rs.Preferences.from_rankings(rankings, "gold")
        return
    found = rs.Preferences.from_rankings(rankings, "gold")
    assert told(found) == expected
    assert set(found.systems) == {name for a, b, *_ in expected for name in (a, b)}
    assert set(found.cluster.names) == {cluster for *_, cluster in expected}


def test_segments_of_one_name_in_two_language_pairs_are_two_clusters():
    rankings = Rankings.of([{"A": 1, "B": 2}] * 3)
    rankings = replace(
        rankings,
        pair=Labels(("de-en", "en-de"), np.array([0, 1, 0])),
        segment=Labels(("7",), np.zeros(3, np.int64)),
        notes=("read from a file",),
    )
    found = rs.Preferences.from_rankings(rankings, "rank")
    assert list(found.cluster) == ["de-en 7", "en-de 7", "de-en 7"]
    assert found.notes == ("read from a file",)
    with pytest.raises(UnknownName, match="gold"):
        rs.Preferences.from_rankings(rankings, "gold")


def scored(*lists: list[str]) -> rs.Scores:
    """Scores of a system a list, on a query a document: each finds some of the relevant documents of one rank."""
    qrels = {f"q{i}": {"d": 1} for i in range(len(lists[0]))}
    runs = [
        rs.Run({f"q{i}": {d: -float(j) for j, d in enumerate(found)} for i, found in enumerate(one)}, name=f"S{s}")
        for s, one in enumerate(lists)
    ]
    return rs.evaluate(qrels, runs, ["RR", "MeanRank", "NumRet"])


def test_every_two_systems_are_a_comparison_on_every_query():
    scores = scored(["d", "xd", "xyd"], ["xd", "d", "xyd"], ["d", "xyd", "x"])
    assert scores.matrix("RR").tolist() == [[1, 1 / 2, 1 / 3], [1 / 2, 1, 1 / 3], [1, 1 / 3, 0]]
    found = rs.Preferences.from_scores(scores, "RR")
    values = scores.matrix("RR")
    assert told(found) == [
        (f"S{a}", f"S{b}", outcome_of(-values[a, q], -values[b, q]), f"q{q}")
        for q in range(3)
        for a, b in combinations(range(3), 2)
    ]


def test_of_a_measure_in_which_lower_is_better_the_lower_value_wins_and_queries_without_a_value_are_none():
    scores = scored(["d", "xd"], ["xd", "d"], ["xd", "x"])
    found = rs.Preferences.from_scores(scores, "MeanRank")
    assert told(found) == [
        ("S0", "S1", 1, "q0"),
        ("S0", "S2", 1, "q0"),
        ("S1", "S2", 0, "q0"),
        ("S0", "S1", -1, "q1"),
    ]


def test_of_a_count_nobody_wins():
    with pytest.raises(ParameterError, match=r"^NumRet: .*higher nor lower"):
        rs.Preferences.from_scores(scored(["d"], ["xd"]), "NumRet")
    with pytest.raises(InputError, match=r"^RR: no two systems"):
        rs.Preferences.from_scores(scored(["d"]), "RR")


def made(**other: object) -> rs.Preferences:
    parts = {"systems": ("A", "B"), "left": [0, 1], "right": [1, 0], "outcome": [1, 0]} | other
    return rs.Preferences(**{k: np.array(v) if isinstance(v, list) else v for k, v in parts.items()})


def test_names_become_places_and_each_comparison_counts_once():
    found = rs.Preferences.of([("B", "A", "A"), ("A", "C", "tie"), ("tie", "A", "tie")])
    assert found.systems == ("B", "A", "C", "tie")
    assert told(found) == [("B", "A", -1, ""), ("A", "C", 0, ""), ("tie", "A", 1, "")]
    assert found.weight.tolist() == [1, 1, 1]
    assert len(found) == 3


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: rs.Preferences.of([("A", "B", "C")]),
            "comparison 1: .*winner is 'C', .*'A', 'B' or 'tie'",
        ),
        (lambda: rs.Preferences.of([]), "0 systems"),
        (
            lambda: rs.Preferences.of([("A", "B", "A"), ("B", "B", "B")]),
            "comparison 2: 'B' against itself",
        ),
        (lambda: made(left=[], right=[], outcome=[]), "no comparisons"),
        (lambda: made(outcome=[1]), "1 .*'outcome' .*2 comparisons"),
        (lambda: made(right=[1, 2]), "a comparison .*system 2, .* 2$"),
        (lambda: made(outcome=[1, 2]), r"an outcome .*1 \(.*0 \(.*-1 \("),
        (
            lambda: made(weight=[1.0, -1.0]),
            "comparison 2: weight -1, .* 0",
        ),
        (
            lambda: made(covariates={"length": np.array([0.0, np.nan])}),
            "comparison 2: length is nan",
        ),
        (
            lambda: rs.Preferences.of([("A", "A", "A")]),
            "comparison 1: 'A' against itself",
        ),
        (
            lambda: rs.Preferences.of([("A", "B", "A"), ("A", "B", "A", 2)]),
            r"comparison 2 is \('A', 'B', 'A', 2\), .*left, right, winner",
        ),
        (
            lambda: made(weight=[1e308, 1e308]),
            r"the weights, .*1e\+308, .*1e\+300",
        ),
        (lambda: made(cluster=Labels.of(["1"])), "1 clusters .*2 comparisons"),
    ],
)
def test_what_are_no_preferences_is_refused(make, said):
    with pytest.raises(InputError, match=f"^{said}"):
        make()


def test_what_the_caller_changes_later_changes_nothing_and_nobody_else_can():
    given = {"left": np.array([0, 1]), "right": np.array([1, 0]), "outcome": np.array([1, 0])}
    weight, lengths, codes = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([0, 1])
    found = made(**given, weight=weight, covariates={"length": lengths}, cluster=Labels(("x", "y"), codes))
    for array in (*given.values(), weight, lengths, codes):
        array[0] = 7
    arrays = (found.left, found.right, found.outcome, found.weight, found.covariates["length"], found.cluster.codes)
    assert [array[0] for array in arrays] == [0, 1, 1, 1.0, 3.0, 0]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_arrays_that_nobody_can_change_are_not_copied():
    found = made()
    again = replace(found, notes=("more",))
    assert again.left is found.left
    assert again.weight is found.weight
    view = found.left[:]  # of an array that somebody else may unlock
    assert replace(found, left=view).left is not view


def test_rankings_and_scores_have_no_sides():
    assert rs.Preferences.of([("A", "B", "A")]).sides
    assert not rs.Preferences.from_rankings(Rankings.of([{"A": 1, "B": 2}]), "rank").sides
    assert not rs.Preferences.from_scores(scored(["d"], ["xd"]), "RR").sides
