"""Ranks, ties and tie groups, against Python's sort; the same by every way in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import example, given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import Convention
from rankscope.data.tie_breaking import TIE_RULES

List = list[tuple[str, float]]
#: query -> (documents with scores in the order of the input, judged documents)
Case = dict[str, tuple[List, set[str]]]


def naive_ranks(docs: List, ties: str) -> dict[str, tuple[int, int, int]]:
    """document -> its rank, and the first and last rank of those that have its score."""
    ranked = list(docs)
    if ties == "doc_id_desc":
        ranked.sort(key=lambda d: d[0].encode(), reverse=True)
    ranked.sort(key=lambda d: -d[1])  # stable
    found, first = {}, 1
    for _, level in groupby(ranked, key=lambda d: d[1]):
        names = [d for d, _ in level]
        for i, name in enumerate(names):
            found[name] = (first + i, first, first + len(names) - 1)
        first += len(names)
    return found


def naive_hits(case: Case, ties: str) -> dict[str, list[tuple[int, int, int, int]]]:
    """query -> (rank, first, last, relevance) of its judged retrieved documents by rank; a judged one has its place."""
    out = {}
    for query, (docs, judged) in case.items():
        ranks = naive_ranks(docs, ties)
        out[query] = sorted((*ranks[d], grade(d)) for d in judged if d in ranks)
    return out


def grade(doc: str) -> int:
    return len(doc.encode()) % 4 - 1


# Ids that share their first eight bytes, prefixes of each other, other scripts; scores full of ties.
DOCS = [
    "a",
    "ab",
    "abc",
    "d10",
    "d9",
    "shared-beginning-1",
    "shared-beginning-10",
    "shared-beginning-2",
    "é",
    "日本",
    "Z",
    "z",
]
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.0, 1.0 + 2**-52, -1.5, 1e300, 5e-324, 2.0, 3.0])


@st.composite
def cases(draw: st.DrawFn) -> Case:
    case = {}
    for query in draw(st.lists(st.sampled_from(["q1", "q2", "10", "9", "é"]), min_size=1, max_size=4, unique=True)):
        names = draw(st.lists(st.sampled_from(DOCS), min_size=1, max_size=12, unique=True))
        docs = [(name, draw(SCORES)) for name in names]
        if draw(st.booleans()):
            docs.sort(key=lambda d: -d[1])
        case[query] = (docs, draw(st.sets(st.sampled_from(DOCS), min_size=1)))
    return case


def by_mapping(case: Case) -> rs.Run:
    return rs.Run({q: dict(docs) for q, (docs, _) in case.items()})


def by_columns(case: Case) -> rs.Run:
    rows = [(q, d, s) for q, (docs, _) in case.items() for d, s in docs]
    return rs.Run({"query_id": [r[0] for r in rows], "doc_id": [r[1] for r in rows], "score": [r[2] for r in rows]})


def by_file(case: Case, path: Path) -> Path:
    lines = [f"{q} Q0 {d} 1 {s!r} t\n" for q, (docs, _) in case.items() for d, s in docs]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def hits_as_table(hits: rs.Hits) -> dict[str, list[tuple[float, float, float, int]]]:
    rows = list(zip(hits.rank, hits.first, hits.last, hits.relevance, strict=True))
    return {q: rows[a:b] for q, (a, b) in zip(hits.query_ids, pairwise(hits.offsets.tolist()), strict=True)}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ranking") / "run"


def check(case: Case, ties: str, path: Path) -> None:
    qrels = rs.Qrels({q: {d: grade(d) for d in judged} for q, (_, judged) in case.items()})
    expected = naive_hits(case, ties)
    for run in (by_mapping(case), by_columns(case), by_file(case, path)):
        hits = rs.hits_of(qrels, run, Convention(ties=ties))
        assert hits_as_table(hits) == {q: expected[q] for q in hits.query_ids}
        assert hits.retrieved.tolist() == [len(case[q][0]) for q in hits.query_ids]


@examples(150)
@given(cases(), st.sampled_from(["doc_id_desc", "file"]))
@example({"q": ([("a", 1.0), ("ab", 1.0), ("abc", 1.0)], {"a", "abc"})}, "doc_id_desc")
@example({"q": ([("a", 0.0), ("ab", -0.0)], {"a", "ab"})}, "doc_id_desc")
def test_ranks_are_those_of_pythons_sort_by_every_way_in(path: Path, case: Case, ties: str) -> None:
    check(case, ties, path)


@pytest.mark.slow
@examples(2_000)
@given(cases(), st.sampled_from(["doc_id_desc", "file"]))
def test_ranks_are_those_of_pythons_sort_at_length(path: Path, case: Case, ties: str) -> None:
    check(case, ties, path)


@pytest.mark.parametrize("order", ["sorted", "shuffled", "rising"])
@pytest.mark.parametrize("ties", ["doc_id_desc", "file"])
@pytest.mark.parametrize("levels", [1, 7, 100_000])
def test_long_lists_are_ranked_as_short_ones(path: Path, order: str, ties: str, levels: int) -> None:
    rng = np.random.default_rng(4)
    scores = rng.integers(0, levels, 2000) / 8
    if order != "shuffled":
        scores = np.sort(scores)[:: -1 if order == "sorted" else 1]
    docs = [(f"document-{i}", s) for i, s in zip(rng.permutation(2000), scores.tolist(), strict=True)]
    judged = {name for name, _ in docs[::17]}
    check({"q": (docs, judged), "r": (docs[:50], judged)}, ties, path)


def naive_averages(case: Case) -> dict[str, list[tuple[float, int, int, int]]]:
    """query -> (mean rank, first, last, relevance) of its judged documents by rank, tied ones by falling grade."""
    out = {}
    for query, (docs, judged) in case.items():
        ranks = naive_ranks(docs, "file")
        rows = [((ranks[d][1] + ranks[d][2]) / 2, *ranks[d][1:], grade(d)) for d in judged if d in ranks]
        out[query] = sorted(rows, key=lambda row: (row[1], -row[3]))
    return out


@examples(150)
@given(cases())
@example({"q": ([("a", 0.0), ("ab", -0.0)], {"a", "ab"})})
def test_averaged_ranks_are_the_mean_of_their_ties_by_every_way_in(path: Path, case: Case) -> None:
    qrels = rs.Qrels({q: {d: grade(d) for d in judged} for q, (_, judged) in case.items()})
    expected = naive_averages(case)
    for run in (by_mapping(case), by_columns(case), by_file(case, path)):
        hits = rs.hits_of(qrels, run, Convention(ties="average"))
        assert hits_as_table(hits) == {q: expected[q] for q in hits.query_ids}


@pytest.mark.parametrize("way", [by_mapping, by_columns])
def test_averaged_ties_do_not_depend_on_the_order_of_the_input(way: Callable[[Case], rs.Run]) -> None:
    docs = [("a", 1.0), ("b", 1.0), ("ab", 1.0), ("x", 1.0), ("abc", 2.0)]
    qrels = rs.Qrels({"q": {d: grade(d) for d in ("a", "ab", "abc", "b")}})
    tables = [
        hits_as_table(rs.hits_of(qrels, way({"q": (order, set())}), Convention(ties="average")))
        for order in (docs, docs[::-1], docs[2:] + docs[:2])
    ]
    # abc is first; a and b (grade 0), ab (grade 1) and x share ranks 2 to 5
    assert tables == [{"q": [(1, 1, 1, 2), (3.5, 2, 5, 1), (3.5, 2, 5, 0), (3.5, 2, 5, 0)]}] * 3


def test_of_a_tie_the_greater_id_is_first_as_in_trec_eval() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    assert rs.evaluate(qrels, {"q": {"a": 1.0, "b": 1.0}}, "RR").overall("RR") == 1 / 2
    assert rs.evaluate(qrels, {"q": {"a": 1.0, "b": 1.0}}, "RR", ties="file").overall("RR") == 1 / 1


def test_one_tie_tells_all_measures_the_same_story() -> None:
    for relevant, value in (("a", 0.0), ("b", 1.0)):
        names = ["P@1", "RR@1", "nDCG@1", "Success@1", "AP@1"]
        scores = rs.evaluate({"q": {relevant: 1}}, {"q": {"a": 1.0, "b": 1.0}}, names)
        assert [scores.overall(m) for m in names] == [value] * 5
        assert scores.systems == ("run",)
        assert rs.evaluate({"q": {relevant: 1}}, {"q": {"a": 1.0, "b": 1.0}}, "RR").overall("RR") == (1 + value) / 2


def test_scores_that_differ_in_the_last_bit_are_no_tie_but_in_float32() -> None:
    run = {"q": {"a": 1.0 + 2**-52, "b": 1.0}}
    qrels = rs.Qrels({"q": {"a": 1}})
    assert rs.hits_of(qrels, run).rank.tolist() == [1]
    single = rs.hits_of(qrels, run, Convention(precision="float32"))
    assert (single.rank.tolist(), single.first.tolist(), single.last.tolist()) == ([2], [1], [2])


def test_zero_and_minus_zero_are_one_score() -> None:
    hits = rs.hits_of(rs.Qrels({"q": {"a": 1, "b": 1}}), {"q": {"a": 0.0, "b": -0.0}})
    assert hits.first.tolist() == [1, 1]
    assert hits.last.tolist() == [2, 2]


@pytest.mark.parametrize("way", [by_mapping, by_columns])
def test_ties_are_refused_only_where_a_judged_document_is_among_them(way: Callable[[Case], rs.Run]) -> None:
    qrels = rs.Qrels({"q": {"a": 1, "u": 0}})
    harmless: Case = {"q": ([("a", 3.0), ("x", 2.0), ("y", 2.0), ("u", 1.0)], set())}
    assert rs.hits_of(qrels, way(harmless), Convention(ties="error")).rank.tolist() == [1, 4]
    harmful: Case = {"q": ([("x", 3.0), ("y", 2.0), ("a", 2.0), ("z", 2.0)], set())}
    with pytest.raises(rs.InputError, match=r"'a' .*'q' .*2 more"):
        rs.hits_of(qrels, way(harmful), Convention(ties="error"))


def test_an_unknown_tie_rule_is_named_with_the_nearest() -> None:
    with pytest.raises(rs.UnknownName, match="did you mean doc_id_desc"):
        Convention(ties="docid_desc")
    assert all(Convention(ties=rule).ties == rule for rule in TIE_RULES)
