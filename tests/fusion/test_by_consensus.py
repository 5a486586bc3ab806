"""Fusion by methods of the consensus part: the order is theirs, whatever the order of the runs."""

from __future__ import annotations

import random

import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.consensus import METHODS, Kemeny
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.fusion import by_consensus

DOCUMENTS = [f"d{i}" for i in range(8)]


def some_runs(seed: int) -> list[rs.Run]:
    """Three to five runs of two queries, and one query that only the first has."""
    draw = random.Random(seed)

    def docs(least: int) -> dict[str, float]:
        return {doc: draw.random() for doc in draw.sample(DOCUMENTS, draw.randint(least, 6))}

    runs = [{"q1": docs(2), "q2": docs(2)} for _ in range(3 + seed % 3)]
    runs[0]["alone"] = docs(3)
    return [rs.Run(run, name=f"run{i}") for i, run in enumerate(runs)]


def fused(runs, method, **options):
    found: dict[str, dict[str, float]] = {}
    for query, doc, score in rs.fusion.fuse(runs, method, **options).frame().rows():
        found.setdefault(query, {})[doc] = score
    return found


@pytest.mark.parametrize("method", METHODS)
def test_scores_count_the_documents_that_are_not_before_each_in_the_consensus(method):
    for seed in range(3):
        runs = some_runs(seed)
        found = fused(runs, f"consensus:{method}")
        # The consensus of the same votes, its items in the order in which ties are broken here: falling ids.
        for query, votes in rs.consensus.votes_of_runs(runs).items():
            by_id = sorted(range(len(votes.items)), key=lambda i: votes.items[i], reverse=True)
            turned = rs.consensus.METHODS[method]().order(
                type(votes)(
                    ranks=votes.ranks[:, by_id], items=tuple(votes.items[i] for i in by_id), voters=votes.voters
                )
            )
            size = len(turned.items)
            expected = {doc: size - rank + 1 for doc, rank in zip(turned.items, turned.ranks.tolist(), strict=True)}
            assert found[query] == expected
            assert list(found[query]) == sorted(expected, key=lambda doc: (expected[doc], doc), reverse=True)


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_the_runs_does_not_matter_and_one_run_stays_as_it_is(method):
    runs = some_runs(5)
    assert fused(runs, f"consensus:{method}") == fused(runs[::-1], f"consensus:{method}")
    alone = fused(runs[:1], f"consensus:{method}")
    for query, docs in alone.items():
        given = dict(row[1:] for row in runs[0].frame().rows() if row[0] == query)
        assert list(docs) == sorted(given, key=lambda doc: given[doc], reverse=True)
        assert list(docs.values()) == list(range(len(docs), 0, -1))


def test_a_query_of_one_run_keeps_its_order_beside_others():
    runs = some_runs(1)
    scores = dict(row[1:] for row in runs[0].frame().rows() if row[0] == "alone")
    found = fused(runs, "consensus:schulze")["alone"]
    assert list(found) == sorted(scores, key=lambda doc: scores[doc], reverse=True)


def test_ties_of_the_consensus_stay_ties_and_are_ordered_by_id():
    runs = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}]
    assert rs.fusion.fuse(runs, "consensus:borda").frame().rows() == [("q", "b", 2.0), ("q", "a", 2.0)]


def test_weights_and_parameters_count_and_are_named():
    runs = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}]
    run = rs.fusion.fuse(runs, "consensus:copeland", weights=[2, 1], unranked="worst")
    assert run.name == "consensus:copeland(unranked=worst,weights=2,1)"
    assert run.frame().rows() == [("q", "a", 2.0), ("q", "b", 1.0)]
    turned = rs.fusion.fuse(runs[:1], "consensus:borda", normalise="min-max-inverted")
    assert turned.name == "consensus:borda(min-max-inverted)"
    assert turned.frame()["doc_id"].to_list() == ["b", "a"]


def test_a_method_may_bring_its_parameters_and_its_notes_are_passed_on():
    runs = some_runs(2)
    run = rs.fusion.fuse(runs, Kemeny(time_limit=5))
    assert run.name == "consensus:kemeny(time_limit=5)"
    assert mentions(run.notes, "(proved)")
    assert not any("time_limit" in note for note in run.notes)
    assert any("Kemeny(time_limit=2)" in note for note in rs.fusion.fuse(runs, "consensus:kemeny").notes)


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("consensus:borda", {"k": 3}, r"k is 3, .*consensus:borda\b.*\bunranked\b"),
        ("consensus:borda", {"unranked": "last"}, "unranked is 'last'"),
        ("consensus:borda", {"normalise": "sum"}, "consensus:borda uses ranks only"),
        ("consensus:borda", {"weights": [1, 0]}, r"\bweight\b.*\b0\b"),
        ("consensus:borda", {"weights": [1]}, r"\b1 weight\b.*\b2 runs\b"),
        ("rrf", {"unranked": "worst"}, r"unranked is 'worst', .*\brrf\b"),
    ],
)
def test_what_a_method_does_not_take_is_refused(method, options, message):
    with pytest.raises(ParameterError, match=message):
        rs.fusion.fuse(some_runs(0)[:2], method, **options)


def test_another_name_is_told_the_nearest():
    with pytest.raises(UnknownName, match="consensus:kemeny"):
        rs.fusion.fuse(some_runs(0), "consensus:kemney")


def test_more_documents_than_pairs_fit_for_are_refused(monkeypatch):
    monkeypatch.setattr(by_consensus, "MOST_PAIRED", 5)
    with pytest.raises(InputError, match=r"\ball pairs\b.*\bat most 5\b"):
        rs.fusion.fuse(some_runs(0), "consensus:schulze")
    assert rs.fusion.fuse(some_runs(0), "consensus:borda").query_ids
