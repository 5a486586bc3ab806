"""Runs as votes: against a loop over the documents, by every tie rule, from files, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.consensus import votes_of_runs
from rankscope.errors import InputError, ParameterError, UnknownName

DOCS = ("d1", "d10", "d2", "é", "a-long-prefix-1", "a-long-prefix-2")
lists = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([3.0, 1.5, 0.0, -2.0]), max_size=6)
systems = st.lists(st.dictionaries(st.sampled_from(["q1", "q2", "ü"]), lists), min_size=2, max_size=4)


def ranks_of(documents: dict[str, float], ties: str) -> dict[str, float]:
    """From 1, by falling score; tied ones by falling bytes, by their order, or all with their mean rank."""
    names = list(documents)
    if ties != "file":
        names.sort(key=lambda name: name.encode(), reverse=True)
    names.sort(key=lambda name: -documents[name])
    ranks = {name: float(i) for i, name in enumerate(names, 1)}
    if ties == "average":
        tied = {name: [ranks[other] for other in names if documents[other] == documents[name]] for name in names}
        return {name: sum(found) / len(found) for name, found in tied.items()}
    return ranks


@given(systems, st.sampled_from(["doc_id_desc", "file", "average"]))
def test_ranks_are_those_of_a_loop_on_every_query_that_two_runs_answer(found, ties):
    expected = {}
    for query in dict.fromkeys(query for run in found for query in run):
        voters = {f"S{i}": ranks_of(run[query], ties) for i, run in enumerate(found) if run.get(query)}
        if len(voters) > 1 and len({name for ranks in voters.values() for name in ranks}) > 1:
            expected[query] = voters
    runs = [rs.Run(run, name=f"S{i}") for i, run in enumerate(found)]
    if not expected:
        with pytest.raises(InputError, match=r"no query|no documents"):
            votes_of_runs(runs, ties=ties)
        return
    if not all(any(run.values()) for run in found):
        with pytest.raises(InputError, match="no documents"):
            votes_of_runs(runs, ties=ties)
        return
    votes = votes_of_runs(runs, ties=ties)
    made = {
        query: {
            voter: {name: rank for name, rank in zip(one.items, row, strict=True) if rank == rank}
            for voter, row in zip(one.voters, one.ranks.tolist(), strict=True)
        }
        for query, one in votes.items()
    }
    assert made == expected
    assert list(made) == list(expected)


def test_items_stand_in_the_order_of_the_first_list():
    votes = votes_of_runs([{"q": {"b": 1.0, "a": 2.0}}, rs.Run({"q": {"c": 2.0, "a": 1.0, "z": 5.0}}, name="S")])["q"]
    assert votes.items == ("a", "b", "z", "c")
    np.testing.assert_array_equal(votes.ranks, [[1, 2, np.nan, np.nan], [3, np.nan, 1, 2]])


def test_queries_without_two_lists_are_counted_in_notes():
    one = rs.Run({"q1": {"a": 1.0, "b": 0.5}, "q2": {"a": 1.0}, "q3": {"a": 1.0}, "q4": {"a": 1.0}}, name="one")
    other = rs.Run({"q1": {"b": 1.0}, "q4": {"a": 2.0}}, name="other")
    votes = votes_of_runs([one, other])
    assert list(votes) == ["q1"]
    of_one_run, of_one_document = votes.notes
    assert mentions(of_one_run, 2, 4, "one run")
    assert mentions(of_one_document, 1, 4, "one document")
    assert repr(votes) == "RunVotes(1 query, 2 runs)"


def test_files_are_read_and_two_of_one_name_are_called_by_their_files(tmp_path):
    for name in ("x", "y"):
        (tmp_path / f"{name}.run").write_text("q Q0 a 1 2.5 tag\nq Q0 b 2 1.5 tag\nr Q0 a 1 1 tag\nq Q0 c 9 3 tag\n")
    votes = votes_of_runs([tmp_path / "x.run", str(tmp_path / "y.run")])
    assert votes.voters == ("x", "y")
    assert votes["q"].items == ("c", "a", "b")
    of_x, of_y, of_names, of_one_document = votes.notes
    assert mentions(of_x, "x.run", 1, "merged")
    assert mentions(of_y, "y.run", 1, "merged")
    assert mentions(of_names, "'tag'", "files")
    assert mentions(of_one_document, 1, 2, "one document")


def test_real_runs_vote_with_the_ranks_of_their_lists(trec_data):
    paths = sorted(trec_data.glob("*.run")) or sorted(trec_data.glob("input.*"))
    if len(paths) < 2:
        pytest.skip("fewer than two runs in the folder trec of the real data")
    votes = votes_of_runs(paths[:2])
    query = next(iter(votes))
    for voter, row in zip(votes[query].voters, votes[query].ranks, strict=True):
        ranked = row[~np.isnan(row)]
        assert sorted(ranked) == list(range(1, ranked.size + 1)), voter


TWO = [rs.Run({"q": {"a": 1.0, "b": 1.0}}, name="one"), rs.Run({"q": {"a": 1.0, "b": 2.0}}, name="two")]


@pytest.mark.parametrize(
    ("runs", "asked", "said"),
    [
        (TWO[:1], {}, ("1 run", "two")),
        (
            [TWO[0], TWO[0]],
            {},
            ("two runs", "'one'", "Run(..., name=...)"),
        ),
        (
            [TWO[0], rs.Run({"r": {"a": 1.0}}, name="r")],
            {},
            ("no query", "2 runs", "2 queries"),
        ),
        (
            TWO,
            {"ties": "error"},
            ("run 'one'", "'a'", "'q'", "ties='error'", "doc_id_desc", "file", "average"),
        ),
    ],
)
def test_what_cannot_be_merged_is_refused(runs, asked, said):
    with pytest.raises(InputError) as caught:
        votes_of_runs(runs, **asked)
    assert mentions(caught.value, *said)


def test_documents_twice_and_scores_that_are_none_are_refused(tmp_path):
    (tmp_path / "x.run").write_text("q Q0 a 1 2.5 x\nq Q0 a 2 1.5 x\n")
    with pytest.raises(InputError, match=r"x\.run:2: .*'a'.*'q'.* twice"):
        votes_of_runs([tmp_path / "x.run", TWO[0]])
    with pytest.raises(InputError, match=r"run 'run'.*'a'.*'q'.* nan"):
        votes_of_runs([{"q": {"a": float("nan")}}, TWO[0]])


def test_wrong_arguments_are_told_from_wrong_data():
    with pytest.raises(UnknownName, match=r"'avarage'.*\baverage\b"):
        votes_of_runs(TWO, ties="avarage")
    with pytest.raises(ParameterError, match=r"\bruns\b.*\blist\b"):
        votes_of_runs(TWO[0])
    with pytest.raises(ParameterError, match="standard input"):
        votes_of_runs(["-", "-"])
