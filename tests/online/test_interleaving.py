"""Interleaving: what each method promises of its lists and of the credit of clicks."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

import rankscope as rs
from rankscope.errors import InputError, ParameterError
from rankscope.online.interleaving.optimised import list_distribution

METHODS = ("team-draft", "balanced", "probabilistic", "optimised")
MULTILEAVING = ("team-draft", "probabilistic", "optimised")


def random_runs(n_runs, n_queries=6, depth=8, pool=12, seed=0):
    rng = np.random.default_rng(seed)
    return [
        rs.Run(
            {f"q{query}": [f"d{doc}" for doc in rng.permutation(pool)[:depth]] for query in range(n_queries)},
            name=f"run{number}",
        )
        for number in range(n_runs)
    ]


@pytest.mark.parametrize("method", METHODS)
def test_lists_hold_no_document_twice_and_only_next_documents_of_some_run(method):
    runs = random_runs(2)
    dicts = plain(runs)
    for record in rs.online.interleave(runs, method=method, length=8, rng=3).credit_records():
        documents = record["documents"]
        assert len(set(documents)) == len(documents) == 8
        if method == "probabilistic":
            assert set(documents) <= {doc for lists in dicts for doc in lists[record["query"]]}
            continue
        for place, document in enumerate(documents):
            nexts = [next(doc for doc in lists[record["query"]] if doc not in documents[:place]) for lists in dicts]
            assert document in nexts


def plain(runs):
    """[{query: documents in order}] of runs that were made of lists."""
    return [{query: documents_of(run, query) for query in (f"q{number}" for number in range(6))} for run in runs]


def documents_of(run, query):
    rows = run.rows()
    place = [id_.decode() for id_ in rows.query_ids].index(query)
    start, end = rows.offsets[place : place + 2]
    from rankscope.kernels.text import decode

    docs = [id_.decode() for id_ in decode(rows.docs)[start:end]]
    return [docs[index] for index in np.argsort(-rows.values[start:end], kind="stable")]


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_lists_and_another_others(method):
    runs = random_runs(2)
    records = [
        list(rs.online.interleave(runs, method=method, length=5, rng=seed).credit_records()) for seed in (1, 1, 2)
    ]
    assert records[0] == records[1]
    assert records[0] != records[2]


def test_team_draft_gives_each_run_one_document_in_a_round():
    for n_runs in (2, 3):
        runs = random_runs(n_runs, depth=9, pool=30)
        for record in rs.online.interleave(runs, length=3 * n_runs, rng=1).credit_records():
            rounds = [record["team"][start : start + n_runs] for start in range(0, 3 * n_runs, n_runs)]
            assert all(sorted(teams) == sorted(record["systems"]) for teams in rounds)


def test_team_draft_picks_by_a_loop():
    runs = random_runs(2, seed=4)
    lists = dict(zip(("run0", "run1"), plain(runs), strict=True))
    for record in rs.online.interleave(runs, length=8, rng=1).credit_records():
        placed = []
        for team, document in zip(record["team"], record["documents"], strict=True):
            if team is not None:
                assert document == next(doc for doc in lists[team][record["query"]] if doc not in placed)
            placed.append(document)


def test_a_run_that_ends_gives_no_credit_to_those_that_go_on():
    runs = [rs.Run({"q": ["a", "b", "c", "d", "e"]}, name="long"), rs.Run({"q": ["a"]}, name="short")]
    for seed in range(4):
        record = next(rs.online.interleave(runs, length=5, rng=seed).credit_records())
        assert record["documents"][0] == "a"
        assert record["team"][1:] in ([None] * 4, ["long", *[None] * 3])


def test_balanced_lists_hold_as_many_of_the_first_documents_of_both():
    runs = random_runs(2, seed=2)
    first, second = plain(runs)
    for record in rs.online.interleave(runs, method="balanced", length=8, rng=1).credit_records():
        for length in range(1, 9):
            placed = set(record["documents"][:length])
            a, b = first[record["query"]], second[record["query"]]
            heads = [(k + more, k + less) for k in range(9) for more, less in ((0, 0), (1, 0), (0, 1))]
            assert any({*a[:k_a], *b[:k_b]} == placed for k_a, k_b in heads)


def test_credit_of_probabilistic_interleaving_is_that_of_all_assignments():
    tau = 2.0
    runs = [rs.Run({"q": ["a", "b", "c"]}, name="one"), rs.Run({"q": ["c", "d", "a"]}, name="two")]
    lists = (["a", "b", "c"], ["c", "d", "a"])
    for seed in range(6):
        record = next(rs.online.interleave(runs, method="probabilistic", length=3, tau=tau, rng=seed).credit_records())
        documents = record["documents"]

        def chance(system, place, documents=documents):
            free = {doc: (rank + 1.0) ** -tau for rank, doc in enumerate(lists[system]) if doc not in documents[:place]}
            return free.get(documents[place], 0.0) / sum(free.values())

        # Every assignment of the documents to systems, with its likelihood.
        likelihoods = {
            assignment: np.prod([chance(system, place) for place, system in enumerate(assignment)])
            for assignment in product((0, 1), repeat=len(documents))
        }
        total = sum(likelihoods.values())
        for place, credit in enumerate(record["credit"]):
            share = sum(value for assignment, value in likelihoods.items() if assignment[place] == 0) / total
            assert credit[0] == pytest.approx(share, abs=2e-6)
            assert sum(credit) == pytest.approx(1, abs=2e-6)


def test_probabilistic_interleaving_draws_first_documents_in_proportion_to_ranks():
    n = 4000
    queries = {f"q{number}": ["a", "b", "c"] for number in range(n)}
    result = rs.online.interleave(
        [rs.Run(queries, name="one"), rs.Run(queries, name="two")], method="probabilistic", length=1, tau=1, rng=1
    )
    first = [record["documents"][0] for record in result.credit_records()]
    expected = n / (1 + 1 / 2 + 1 / 3)
    assert abs(first.count("a") - expected) < 4 * np.sqrt(n / 4)


@pytest.mark.parametrize("n_runs", [2, 3])
def test_optimised_credit_is_fair_at_every_rank(n_runs):
    rng = np.random.default_rng(1)
    lists = np.stack([rng.permutation(9)[:5] for _ in range(n_runs)])
    distribution = list_distribution(lists, 5, rng)
    expected = np.tensordot(distribution.probabilities, distribution.credit, 1)
    assert distribution.probabilities.sum() == pytest.approx(1)
    assert expected == pytest.approx(np.repeat(expected[:, :1], n_runs, axis=1))


@pytest.mark.parametrize("method", MULTILEAVING)
def test_three_runs_are_multileaved(method):
    result = rs.online.interleave(random_runs(3), method=method, length=6, rng=1)
    assert result.systems == ("run0", "run1", "run2")
    assert {row[3] for row in result.records()} == set(result.systems)


def test_record_and_run_hold_the_same_lists(tmp_path):
    result = rs.online.interleave(random_runs(2), length=4, rng=1)
    result.write_record(tmp_path / "record.jsonl")
    records = [json.loads(line) for line in (tmp_path / "record.jsonl").read_text().splitlines()]
    run = result.run("mixed")
    assert run.name == "mixed"
    assert [record["documents"] for record in records] == [documents_of(run, record["query"]) for record in records]


def test_what_cannot_be_interleaved_is_refused():
    runs = random_runs(3)
    with pytest.raises(ParameterError, match="balanced"):
        rs.online.interleave(runs, method="balanced", rng=1)
    with pytest.raises(ParameterError, match="two or more"):
        rs.online.interleave(runs[:1], rng=1)
    with pytest.raises(InputError, match="'run0'"):
        rs.online.interleave([runs[0], runs[0]], rng=1)
    with pytest.raises(InputError, match="no query"):
        rs.online.interleave([rs.Run({"a": ["x"]}, name="one"), rs.Run({"b": ["x"]}, name="two")], rng=1)
    with pytest.raises(ParameterError, match="tau"):
        rs.online.interleave(runs[:2], tau=2, rng=1)


def test_queries_of_one_run_only_are_noted():
    runs = [rs.Run({"a": ["x"], "b": ["y"]}, name="one"), rs.Run({"a": ["x"]}, name="two")]
    result = rs.online.interleave(runs, rng=1)
    assert any("1 of 2 queries" in note for note in result.notes)
