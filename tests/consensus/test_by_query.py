"""Runs merged query by query."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope import Votes
from rankscope.consensus import merge_queries, merge_rankings, merge_runs
from rankscope.errors import InputError, ParameterError, UnknownName

VOTES = {
    "q1": Votes.of({"x": ["a", "b", "c"], "y": ["a", "c", "b"], "z": ["b", "a", "c"]}),
    "q2": Votes.of({"x": ["d", "e"], "y": ["e", "d"]}),
}
RUNS = [
    rs.Run({"q1": {"a": 3.0, "b": 2.0}, "q2": {"d": 1.0, "e": 0.5}, "q3": {"f": 1.0}}, name="x"),
    rs.Run({"q1": {"b": 3.0, "c": 2.0}, "q2": {"d": 1.0, "e": 0.5}}, name="y"),
]


def test_each_query_is_merged_for_itself() -> None:
    found = merge_queries(VOTES, "copeland", rng=1)
    for query, votes in VOTES.items():
        alone = merge_rankings(votes, "copeland", n_resamples=0, rng=1)
        assert list(map(repr, found[query].records())) == list(map(repr, alone.records()))
    assert [record[0] for record in found.records()] == ["q1", "q1", "q1", "q2", "q2"]


def test_there_is_no_interval_unless_it_is_asked_for() -> None:
    assert "interval" not in merge_queries(VOTES, rng=1).signature()
    found = merge_queries(VOTES, n_resamples=20, rng=1)
    assert "interval:bootstrap,20,0.95" in found.signature()
    assert all(low <= rank <= high for *_, rank, _, low, high in found.records())
    assert mentions(found, "95 % interval")


def test_weights_count_where_their_voter_votes() -> None:
    found = merge_queries(VOTES, weights={"z": 5}, rng=1)
    assert found["q1"].order[0] == "b"
    assert found["q2"].votes.weights.tolist() == [1, 1]


def test_runs_vote_by_their_ranks_and_queries_of_one_run_are_noted() -> None:
    found = merge_runs(RUNS, rng=1)
    assert found.query_ids == ("q1", "q2")
    # N - rank over 3 documents: a 2 + 0 (left out: third), b 1 + 2, c 0 + 1
    assert [(item, found["q1"][item]) for item in "bac"] == [("b", 3), ("a", 2), ("c", 1)]
    assert mentions(found.notes, 1, 3, "one run")
    assert "ties:doc_id_desc" in found.signature()


def test_a_note_that_all_queries_share_is_said_once() -> None:
    """Three voters and two: what differs is left out."""
    found = merge_queries(VOTES, n_resamples=20, rng=1)
    (note,) = found.notes
    assert mentions(note, "fewer than 10 voters", "intervals")


def test_notes_that_differ_in_numbers_or_names_are_one_line() -> None:
    """Three pairs of neighbours are tied in q0, two in q1 and so on; in the last two queries none."""
    names = ["a", "b", "c", "d"]
    votes = {f"q{i}": Votes.of([[names[: 4 - i], *names[4 - i :]]] * 2) for i in range(3)}
    few = merge_queries({**votes, "q3": Votes.of([names, names])}, "kemeny", rng=1)
    assert mentions(few.notes[-1], "q0, q1 and q2", "neighbours", "no cost")
    many = {f"{query}-{i}": one for query, one in votes.items() for i in range(9)}
    many |= {f"strict {i}": Votes.of([names, names]) for i in range(3)}
    assert mentions(merge_queries(many, "kemeny", rng=1).notes[-1], 27, 30, "neighbours", "no cost")


def test_the_p_value_of_a_single_query_is_no_note() -> None:
    votes = {"q": Votes.of([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]])}
    for method in ("plackett-luce", "robust-rank"):
        assert " p " in " ".join(merge_rankings(votes["q"], method, n_resamples=0).notes) or method == "robust-rank"
        assert merge_queries(votes, method, rng=1).notes == ()


def test_large_circles_of_many_queries_are_searched_and_not_proved_unless_it_is_asked_for() -> None:
    rng = np.random.default_rng(0)
    votes = {
        f"q{i}": Votes(ranks=rng.random((3, 20)).argsort(1) + 1.0, items=tuple("abcdefghijklmnopqrst"))
        for i in range(2)
    }
    told: list[float] = []
    for method in ("kemeny", "mallows"):
        found = merge_queries(votes, method, rng=1, progress=told.append)
        assert mentions(found.notes[0], "more than 14 items", "searched")
        assert mentions(found.notes[1:], "by a search")
    assert told == [1.0] * 4
    assert mentions(merge_queries(votes, "kemeny", exact=True, rng=1).notes, "(proved)")
    assert mentions(merge_rankings(votes["q0"], "kemeny", n_resamples=0).notes, "(proved)")


def test_weights_are_in_the_signature() -> None:
    found = merge_queries(VOTES, weights={"z": 5}, rng=1)
    assert " | weights:z=5 | " in found.signature()
    own = {"q1": VOTES["q1"].with_weights({"x": 2}), "q2": VOTES["q2"]}
    assert " | weights:q1/x=2 | " in merge_queries(own, rng=1).signature()
    assert "weights" not in merge_queries(VOTES, rng=1).signature()


def test_long_queries_are_shown_to_their_tenth_item() -> None:
    names = [f"d{i:02d}" for i in range(14)]
    found = merge_queries({"q": Votes.of([names, names])}, rng=1)
    table = found.sections()[0].table
    assert table is not None
    assert len(table.rows) == 10
    assert len(list(found.records())) == 14
    assert mentions(found, "first 10", "query")


@pytest.mark.parametrize(
    ("votes", "arguments", "error", "said"),
    [
        ({}, {}, InputError, ("no query",)),
        (VOTES, {"weights": {"w": 2}}, InputError, ("weight", "'w'", "x, y and z")),
        (VOTES, {"weights": [1, 2, 3]}, ParameterError, ("weights", "list")),
        (VOTES, {"weights": {"x": 0}}, InputError, ("'q1'", "weight", "'x'", 0)),
        (VOTES, {"method": "nobody"}, UnknownName, ("method", "'nobody'")),
        (VOTES, {"n_resamples": 1.5}, ParameterError, ("n_resamples", 1.5)),
    ],
)
def test_what_is_wrong_is_told(votes: dict[str, Votes], arguments: dict, error: type[Exception], said: tuple) -> None:
    with pytest.raises(error) as caught:
        merge_queries(votes, **arguments)
    assert mentions(caught.value, *said)


def test_an_unknown_query_is_told() -> None:
    with pytest.raises(InputError, match=r"'q9'.* 2 queries"):
        merge_queries(VOTES, rng=1)["q9"]
