"""Runs merged query by query."""

from __future__ import annotations

import pytest

import rankscope as rs
from rankscope.consensus import merge_queries, merge_rankings, merge_runs
from rankscope.data.votes import Votes
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
    assert "95 % interval of the rank" in str(found)


def test_weights_count_where_their_voter_votes() -> None:
    found = merge_queries(VOTES, weights={"z": 5}, rng=1)
    assert found["q1"].order[0] == "b"
    assert found["q2"].votes.weights.tolist() == [1, 1]


def test_runs_vote_by_their_ranks_and_queries_of_one_run_are_noted() -> None:
    found = merge_runs(RUNS, rng=1)
    assert found.query_ids == ("q1", "q2")
    # N - rank over 3 documents: a 2 + 0 (left out: third), b 1 + 2, c 0 + 1
    assert [(item, found["q1"][item]) for item in "bac"] == [("b", 3), ("a", 2), ("c", 1)]
    assert any("1 query of 3 has a list of one run only" in note for note in found.notes)
    assert "ties:doc_id_desc" in found.signature()


def test_a_note_that_all_queries_share_is_said_once() -> None:
    found = merge_queries(VOTES, n_resamples=5, rng=1)
    assert found.notes == (
        "query q1: 3 voters are few: intervals of the ranks are rough, and rather too narrow",
        "query q2: 2 voters are few: intervals of the ranks are rough, and rather too narrow",
    )
    same = merge_queries({"a": VOTES["q1"], "b": VOTES["q1"]}, n_resamples=5, rng=1)
    assert same.notes == ("3 voters are few: intervals of the ranks are rough, and rather too narrow",)


def test_long_queries_are_shown_to_their_tenth_item() -> None:
    names = [f"d{i:02d}" for i in range(14)]
    found = merge_queries({"q": Votes.of([names, names])}, rng=1)
    table = found.sections()[0].table
    assert table is not None
    assert len(table.rows) == 10
    assert len(list(found.records())) == 14
    assert "the first 10 of each query are shown" in str(found)


@pytest.mark.parametrize(
    ("votes", "arguments", "error", "said"),
    [
        ({}, {}, InputError, "no query, expected at least one whose items were ranked"),
        (VOTES, {"weights": {"w": 2}}, InputError, "a weight for 'w', who votes on no query; voters: x, y and z"),
        (VOTES, {"weights": [1, 2, 3]}, ParameterError, "weights is a list, expected a mapping of names"),
        (VOTES, {"weights": {"x": 0}}, InputError, "query 'q1': the weight of voter 'x' is 0"),
        (VOTES, {"method": "nobody"}, UnknownName, "unknown method 'nobody'"),
        (VOTES, {"n_resamples": 1.5}, ParameterError, "n_resamples is 1.5"),
    ],
)
def test_what_is_wrong_is_told(votes: dict[str, Votes], arguments: dict, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        merge_queries(votes, **arguments)
    assert said in str(caught.value)


def test_an_unknown_query_is_told() -> None:
    with pytest.raises(InputError, match="no query 'q9'; there are 2 queries"):
        merge_queries(VOTES, rng=1)["q9"]
