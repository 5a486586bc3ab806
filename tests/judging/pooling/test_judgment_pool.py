"""What to judge next: which documents take part, what was judged already, files, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

import rankscope as rs
from rankscope.demo.collection import SEED, make_collection
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import BLOCK
from rankscope.judging.pooling import METHODS

ONE = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 2.0, "y": 1.0}}
TWO = {"q1": {"b": 3.0, "d": 2.0, "e": 1.0}, "q2": {"z": 1.0}}


def runs() -> list[rs.Run]:
    return [rs.Run(ONE, name="one"), rs.Run(TWO, name="two")]


def pairs(found: rs.judging.Pooled) -> list[tuple[str, str]]:
    return [row[:2] for row in found.documents().rows()]


def test_the_first_documents_of_each_list_are_pooled_query_by_query() -> None:
    found = rs.judging.pool(runs(), depth=2)
    assert pairs(found) == [("q1", "b"), ("q1", "a"), ("q1", "d"), ("q2", "z"), ("q2", "x"), ("q2", "y")]
    assert found.documents().columns == ["query_id", "doc_id", "relevance", "priority", "rank", "runs"]
    assert found.documents().row(0) == ("q1", "b", -1, 1.0, 1, 2)
    assert_same_numbers(found.documents()["priority"].to_list(), [1, 1 / 2, 1 / 3, 1, 1 / 2, 1 / 3])
    assert found.qrels().relevance.tolist() == [-1] * 6


def test_what_each_run_has_to_do_with_it_is_counted() -> None:
    found = rs.judging.pool(runs(), depth=2, judged={"q1": {"a": 1, "b": 0, "d": -1}})
    assert list(found.records()) == [
        ("one", 2, 4, 3, 2, 1, 2),
        ("two", 2, 3, 2, 1, 0, 2),
        ("all runs", 2, 6, 5, 2, 1, 4),
    ]


def test_documents_of_one_score_are_cut_by_falling_id() -> None:
    tied = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 2.0}}
    assert pairs(rs.judging.pool([tied], depth=2)) == [("q", "d"), ("q", "c")]
    columns = {"query_id": ["q"] * 4, "doc_id": list("abcd"), "score": [1.0, 1.0, 1.0, 2.0]}
    assert pairs(rs.judging.pool([rs.Run(columns)], depth=3)) == [("q", "d"), ("q", "c"), ("q", "b")]
    in_order = {"query_id": ["q"] * 4, "doc_id": list("dabc"), "score": [2.0, 1.0, 1.0, 1.0]}
    assert pairs(rs.judging.pool([rs.Run(in_order)], depth=2)) == [("q", "d"), ("q", "c")]


@pytest.mark.parametrize("method", METHODS)
def test_runs_in_another_order_give_the_same(method: str) -> None:
    options: dict[str, Any] = {"budget": 5, "method": method, "judged": {"q1": {"b": 1}}, "rng": 1}
    assert pairs(rs.judging.pool(runs(), **options)) == pairs(rs.judging.pool(runs()[::-1], **options))


@pytest.mark.parametrize("method", ["depth", "mtf", "hedge", "bandit", "thompson"])
def test_asked_for_one_document_a_query_at_a_time_a_method_goes_where_it_would_have_gone(method: str) -> None:
    rng = np.random.default_rng(2)
    made = [
        rs.Run({f"q{q}": {f"d{i}": float(rng.random()) for i in range(12)} for q in range(3)}, name=f"run {r}")
        for r in range(3)
    ]
    qrels = {f"q{q}": {f"d{i}": int(i % 3 == q) for i in range(12)} for q in range(3)}
    judged: dict[str, dict[str, int]] = {}
    order = []
    for _ in range(6):
        batch = rs.judging.pool(made, depth=12, budget=3, method=method, judged=judged or None, rng=4)
        for query, doc in pairs(batch):
            judged.setdefault(query, {})[doc] = qrels[query][doc]
            order.append(bool(qrels[query][doc]))
    name = str(rs.judging.pool(made, method=method).method)
    assert order == rs.judging.play_back(made, qrels, method, 18, depth=12, rng=4).relevance_by_method[name].tolist()


def test_nothing_is_asked_for_twice_and_in_the_end_nothing_is_left() -> None:
    judged = {"q1": dict.fromkeys("abcde", 0), "q2": dict.fromkeys("xyz", 0)}
    found = rs.judging.pool(runs(), budget=2, method="mtf", judged=judged)
    assert found.documents().height == 0
    assert mentions(found.notes, "nothing is left")
    with pytest.raises(InputError, match="nothing is left"):
        found.qrels()


def test_a_query_with_nothing_left_gives_its_share_to_the_others() -> None:
    judged = {"q2": {"x": 0, "y": 0, "z": 1}}
    assert [query for query, _ in pairs(rs.judging.pool(runs(), budget=4, judged=judged))] == ["q1"] * 4


def test_queries_that_some_runs_lack_are_pooled_from_the_others_and_said() -> None:
    found = rs.judging.pool([rs.Run(ONE, name="one"), rs.Run({"q1": {"a": 1.0}}, name="two")])
    assert {query for query, _ in pairs(found)} == {"q1", "q2"}
    (note,) = found.notes
    assert mentions(note, "1 of 2", "pooled")


def test_lines_go_to_files_in_the_order_of_judging(tmp_path: Path) -> None:
    found = rs.judging.pool(runs(), budget=4, judged={"q1": {"b": 1}}, method="bandit")
    rs.judging.write_pool(found, tmp_path / "pool.qrels")
    rs.judging.write_pool(found, tmp_path / "pool.jsonl")
    lines = (tmp_path / "pool.qrels").read_text().splitlines()
    records = [json.loads(line) for line in (tmp_path / "pool.jsonl").read_text().splitlines()]
    assert lines == [f"{record['query_id']} 0 {record['doc_id']} -1" for record in records]
    assert [(record["query_id"], record["doc_id"]) for record in records] == pairs(found)
    again = rs.judging.pool(runs(), budget=2, judged=tmp_path / "pool.jsonl")  # none is judged by that
    assert len(pairs(again)) == 2


@pytest.fixture(scope="module")
def large() -> rs.Run:
    """Lists with ties; as a file it is longer than what is read at a time."""
    rng = np.random.default_rng(5)
    scores = np.sort(rng.integers(0, 300, (60, 700)), axis=1)[:, ::-1].tolist()
    docs = rng.permuted(np.tile(np.arange(2000), (60, 1)), axis=1).tolist()
    return rs.Run(
        {f"q{q}": {f"doc-{d:012}": float(s) for d, s in zip(docs[q], scores[q], strict=False)} for q in range(60)}
    )


def test_files_are_cut_while_they_are_read_as_lists_in_memory_are(large: rs.Run, tmp_path: Path) -> None:
    rs.convert(large, tmp_path / "run.run")
    content = (tmp_path / "run.run").read_bytes()
    assert len(content) > BLOCK
    (tmp_path / "run.run.gz").write_bytes(gzip.compress(content, 1))
    lines = content.splitlines(keepends=True)
    (tmp_path / "mixed.run").write_bytes(b"".join(lines[1::2] + lines[::2]))
    expected = rs.judging.pool([large], depth=7).documents()
    assert expected.height == 60 * 7
    told: list[int] = []
    assert rs.judging.pool([tmp_path / "run.run"], depth=7, progress=told.append).documents().equals(expected)
    assert sum(told) == len(content)
    assert rs.judging.pool([tmp_path / "run.run.gz"], depth=7).documents().equals(expected)
    mixed = rs.judging.pool([tmp_path / "mixed.run"], depth=7)
    assert mixed.documents().equals(expected)
    assert "60 queries" in mixed.notes[0]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("q Q0 a 1 3 x\nq Q0 b 2 2 x\nq Q0 a 3 1 x\n", r"bad\.run:3: .*'a' .*'q' .*twice"),
        ("q Q0 a 1 3 x\nq Q0 b 2 nan x\n", r"bad\.run:2: score 'nan'"),
        ("q Q0 a 1 3 x\nq Q0 b\n", r"bad\.run:2: 3 fields"),
        ("# nothing\n", r"bad.run: no data"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_by_its_line(lines: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.run").write_text(lines)
    with pytest.raises(InputError, match=message):
        rs.judging.pool([tmp_path / "bad.run"])


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ([{"q": {"a": 1.0}}, rs.Run({"Q": {"a": 1.0}}, name="b")], {}, "no query .*2 runs"),
        ([ONE], {"judged": {"q9": {"a": 1}}}, "none of the 2 queries"),
        ([{"q": {"a": float("nan")}}], {}, "'a' .*nan"),
        ([ONE, ONE], {}, "two runs .*'run'"),
    ],
)
def test_data_that_cannot_be_pooled_are_refused(given: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rs.judging.pool(given, **options)


def test_a_document_twice_is_refused_where_it_takes_part() -> None:
    twice = rs.Run({"query_id": ["q", "q"], "doc_id": ["a", "a"], "score": [2.0, 1.0]})
    with pytest.raises(InputError, match="occurs twice"):
        rs.judging.pool([twice], depth=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 0}, "depth is 0, .* 1"),
        ({"budget": 1}, "budget of 1 .*less"),
        ({"budget": 2.5}, "budget is 2.5"),
        ({"rel": 0}, "rel is 0"),
        ({"rng": -1}, "rng is -1"),
    ],
)
def test_arguments_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        rs.judging.pool(runs(), **options)


@pytest.mark.parametrize("given", ["one.run", None, rs.Run(ONE), {}])
def test_what_is_no_list_of_runs_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="runs is not a list"):
        rs.judging.pool(given)
    with pytest.raises(ParameterError, match="no runs given"):
        rs.judging.pool([])


def demo() -> tuple[list[rs.Run], dict[str, dict[str, int]]]:
    made = make_collection(SEED)
    return [rs.Run(lists, name=name) for name, lists in made.runs.items()], {q: dict(d) for q, d in made.qrels.items()}


def test_adaptive_pools_find_more_relevant_documents_of_the_demo_at_equal_budget() -> None:
    given, qrels = demo()
    found = rs.judging.play_back(given, qrels, list(METHODS), 2500, rng=1)
    for budget in (500, 1000, 1500, 2000, 2500):
        depth = found.relevant("depth")[budget - 1]
        assert all(found.relevant(name)[budget - 1] > depth for name in METHODS if name != "depth"), budget


def test_adaptive_pools_find_more_relevant_documents_of_real_runs_at_equal_budget(trec_data: Path) -> None:
    files = [trec_data / "rutcor03100.run", trec_data / "uic0301.run"]
    found = rs.judging.play_back(files, trec_data / "robust03.qrels", ["depth", "mtf", "hedge", "bandit"], 10_000)
    for budget in (1000, 2000, 5000, 10000):
        depth = found.relevant("depth")[budget - 1]
        assert all(found.relevant(name)[budget - 1] > depth for name in found.relevance_by_method if name != "depth"), (
            budget
        )
    assert found.relevant("bandit")[4999] > 1.2 * found.relevant("depth")[4999]


def wide_runs() -> list[rs.Run]:
    lists = [
        {f"q{q}": {f"d{(7 * q + 3 * r + i) % 40}": -float(i) for i in range(20)} for q in range(4)} for r in (0, 1)
    ]
    return [rs.Run(of, name=f"r{r}") for r, of in enumerate(lists)]


@pytest.mark.parametrize("method", ["depth", "hedge", "bandit"])
def test_documents_drawn_with_chances_come_out_as_often_as_these_say(method: str, tmp_path: Path) -> None:
    judged = {f"q{q}": {f"d{(7 * q) % 40}": 1} for q in range(4)}
    options: dict[str, Any] = {"method": method, "budget": 12, "judged": judged, "chances": True}
    pools = [rs.judging.pool(wide_runs(), **options, rng=seed) for seed in range(20)]
    counts: dict[tuple[str, str], float] = {}
    chance_of: dict[tuple[str, str], float] = {}
    for found in pools:
        assert abs(found.documents_to_judge.size - 12) <= 1
        for query, doc, chance in found.documents()["query_id", "doc_id", "chance"].iter_rows():
            counts[query, doc] = counts.get((query, doc), 0) + 1 / 20
            chance_of[query, doc] = chance
            assert 0 < chance <= 1
    likely = [key for key, chance in chance_of.items() if chance > 0.3]
    assert likely
    for key in likely:
        chance = chance_of[key]
        assert abs(counts[key] - chance) < 4 * (chance * (1 - chance) / 20) ** 0.5 + 1e-9
    rs.judging.write_pool(pools[0], tmp_path / "next.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "next.jsonl").read_text().splitlines()]
    assert_same_numbers([line["chance"] for line in lines], pools[0].documents()["chance"].to_list())


def test_a_total_weighted_by_chances_is_that_of_all_documents_on_average() -> None:
    """The number of unjudged documents is the mean of sums of 1 / chance."""
    found = [rs.judging.pool(wide_runs(), method="mtf", budget=12, chances=True, rng=seed) for seed in range(30)]
    totals = np.array([(1 / pool.documents()["chance"].to_numpy()).sum() for pool in found])
    assert abs(totals.mean() - found[0].lists.size) < 4 * totals.std() / 30**0.5


def test_chances_need_a_budget() -> None:
    with pytest.raises(ParameterError, match="budget"):
        rs.judging.pool(wide_runs(), chances=True)
    everything = rs.judging.pool(wide_runs(), chances=True, budget=10_000)
    assert set(everything.documents()["chance"].to_list()) == {1.0}
