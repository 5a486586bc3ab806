"""Fewer judgments: the hits that are left are those of judging less from the start."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from helpers.measure_table import FORMS
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.strategies import Judgments as Qrels
from helpers.strategies import Lists, random_case, ranked
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import Convention, Hits
from rankscope.stability.judgment_ablation import PooledJudgments, judgments_of

ARRAYS = ("offsets", "rank", "first", "last", "relevance", "judged", "retrieved", "missing", "grades", "grade_offsets")
#: All forms of all measures that ask for no subtopics.
PLAIN = [measure for measure in FORMS if not measure.needs_subtopics]


def hits_of(qrels: rs.Qrels, run: Lists, ties: str = "doc_id_desc") -> Hits:
    return replace(rs.hits_of(qrels, rs.Run(run), Convention(ties=ties)), collection_size=1000)


def lists_of(seed: int, n: int = 3) -> list[Lists]:
    return [random_case(seed + i, 4, depth=15).run for i in range(n)]


def in_order(qrels: rs.Qrels, docs: Qrels) -> list[tuple[str, str]]:
    """Query and document of each judgment, as a Qrels orders them."""
    return [(query, doc) for query in qrels.query_ids for doc in docs[query]]


def expect_same(found: Hits, expected: Hits, leave: tuple[str, ...] = ()) -> None:
    """The same hits where nothing is left out, and the same values of all measures."""
    for name in ARRAYS if not leave else ():
        if (name, found.ties) == ("judged", "average"):
            continue  # documents of one score and one grade have no order
        assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name
    assert found.max_grade == expected.max_grade
    for measure in PLAIN:
        if measure.name not in leave and (found.ties != "average" or measure.can_average_ties()):
            np.testing.assert_allclose(
                measure(found), measure(expected), rtol=1e-12, atol=1e-15, err_msg=str(measure), equal_nan=True
            )


# What is kept


@examples(15)
@given(seed=st.integers(0, 10**6))
def test_judgments_are_put_together_from_the_hits_of_all_runs(seed: int) -> None:
    docs = random_case(seed, 4).qrels
    qrels, runs = rs.Qrels(docs), lists_of(seed)
    found = judgments_of([(str(i), hits_of(qrels, run)) for i, run in enumerate(runs)])
    places = [
        [ranked(run[q]).index(doc) + 1 for run in runs if doc in run.get(q, {})] for q, doc in in_order(qrels, docs)
    ]
    assert found.best_rank.tolist() == [min(ranks, default=np.inf) for ranks in places]
    listed = np.isfinite(found.best_rank)
    assert found.relevance[listed].tolist() == qrels.relevance[listed].tolist()
    for a, b in pairwise(qrels.offsets.tolist()):  # of the others, nobody knows which is which
        assert sorted(found.relevance[a:b]) == sorted(qrels.relevance[a:b])


@examples(12)
@given(seed=st.integers(0, 10**6), depth=st.integers(1, 12))
def test_a_shallower_pool_gives_what_the_smaller_qrels_give(seed: int, depth: int) -> None:
    docs = random_case(seed, 4).qrels
    qrels, runs = rs.Qrels(docs), lists_of(seed)
    systems = [(str(i), hits_of(qrels, run)) for i, run in enumerate(runs)]
    pool = {q: {doc for run in runs for doc in ranked(run.get(q, {}))[:depth]} for q in docs}
    smaller = {q: {doc: grade for doc, grade in of.items() if doc in pool[q]} for q, of in docs.items()}
    if not any(smaller.values()):
        return
    kept = judgments_of(systems).within(depth)
    for (_, hits), run in zip(systems, runs, strict=True):
        expect_same(kept.rejudge(hits), hits_of(rs.Qrels(smaller), run))
    left = sum(grade >= 0 for of in smaller.values() for grade in of.values())
    assert kept.is_kept.sum() == left


@examples(8)
@given(
    seed=st.integers(0, 10**6), share=st.sampled_from([0.1, 0.3, 0.5, 0.9]), ties=st.sampled_from(["file", "average"])
)
def test_judgments_dropped_at_random_count_as_pooled_but_not_judged(seed: int, share: float, ties: str) -> None:
    """As in qrels with -1 in their place; and but for infAP, as in qrels without them."""
    docs = random_case(seed, 4).qrels
    qrels, runs = rs.Qrels(docs), lists_of(seed, 2)
    n = len(qrels.relevance)
    judgments = PooledJudgments(qrels.offsets, qrels.relevance, np.ones(n), 1)
    kept = judgments.sample(judgments.shuffle(np.random.default_rng(seed)), share)
    pooled: Qrels = {q: {} for q in docs}
    smaller: Qrels = {q: {} for q in docs}
    for (q, doc), mark in zip(in_order(qrels, docs), kept.is_kept, strict=True):
        grade = docs[q][doc]
        pooled[q][doc] = grade if mark else min(grade, -1)
        if mark:
            smaller[q][doc] = grade
    for run in runs:
        found = kept.rejudge(hits_of(qrels, run, ties))
        expect_same(found, hits_of(rs.Qrels(pooled), run, ties))
        if any(smaller.values()):
            expect_same(found, hits_of(rs.Qrels(smaller), run, ties), leave=("infAP",))


def test_of_each_stratum_the_share_is_kept_and_at_least_one_and_ten() -> None:
    # 7 relevant and 30 others; 1 and 4; none and 12; and one that nobody judged.
    grades = [[1] * 7 + [0] * 30, [0] * 4 + [2], [0] * 12 + [-1]]
    offsets = np.cumsum([0, *map(len, grades)])
    relevance = np.array([grade for of in grades for grade in of])
    judgments = PooledJudgments(offsets, relevance, np.ones(relevance.size), 1)
    turn = judgments.shuffle(np.random.default_rng(3))
    before = np.ones(relevance.size, np.bool_)
    for share, expected in (
        # of 7: 6.3, 3.5 rounded half up, .7; of 30: 27, 15, 3 but 10; of 12: 10.8, 6 but 10, 1.2 but 10
        (0.9, [(6, 27), (1, 4), (0, 11)]),
        (0.5, [(4, 15), (1, 4), (0, 10)]),
        (0.1, [(1, 10), (1, 4), (0, 10)]),
    ):
        kept = judgments.sample(turn, share)
        parts = [(kept.is_kept[a:b], relevance[a:b]) for a, b in pairwise(offsets)]
        assert [(int((m & (r > 0)).sum()), int((m & (r == 0)).sum())) for m, r in parts] == expected
        assert not (kept.is_kept & ~before).any()  # smaller shares are parts of larger ones
        before = kept.is_kept
    assert kept.relevance[-1] == -1
    assert not kept.is_kept[-1]


def test_every_document_is_dropped_as_often_as_any_other() -> None:
    relevance = np.array([1] * 8 + [0] * 20)
    judgments = PooledJudgments(np.array([0, 28]), relevance, np.ones(28), 1)
    streams = np.random.default_rng(0).spawn(2000)
    often = np.mean([judgments.sample(judgments.shuffle(one), 0.5).is_kept for one in streams], axis=0)
    assert np.abs(often - 0.5).max() < 4.5 * np.sqrt(0.25 / 2000)  # 28 documents: once in 5,000 such tests


def test_what_was_computed_from_all_judgments_is_not_taken_for_the_kept_ones() -> None:
    docs = {"q": {"a": 2, "b": 1, "c": 0}}
    qrels = rs.Qrels(docs)
    systems = [(name, hits_of(qrels, {"q": dict.fromkeys(name, 1.0)})) for name in ("ab", "bc")]
    before = [[measure(hits).tolist() for measure in PLAIN] for _, hits in systems]
    judgments = judgments_of(systems)
    shallow = judgments.within(1)  # b and c
    hits = [shallow.rejudge(one) for _, one in systems]
    assert [one.n_relevant().tolist() for one in hits] == [[1.0], [1.0]]
    assert hits[0].cached_on_qrels("shared", list) is hits[1].cached_on_qrels("shared", list)
    assert hits[0]._qrels_memory is not qrels.memory
    assert judgments.within(2).rejudge(systems[0][1]).n_relevant().tolist() == [2.0]
    assert_same_bits([[measure(hits).tolist() for measure in PLAIN] for _, hits in systems], before)


@pytest.mark.parametrize("other", [{"q": {"a": 1, "b": 1}}, {"q": {"a": 0, "b": 1}}, {"p": {"a": 1, "b": 0}}])
def test_runs_joined_with_other_judgments_are_refused(other: Qrels) -> None:
    ours = rs.hits_of({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}})
    theirs = rs.hits_of(other, {query: {"a": 1.0, "b": 0.5} for query in other})
    with pytest.raises(rs.ParameterError, match=r"\by\b.*\bother judgments\b.*\bx\b"):
        judgments_of([("x", ours), ("y", theirs)])
    with pytest.raises(rs.ParameterError, match="other judgments"):
        judgments_of([("x", ours), ("y", rs.hits_of({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}, Convention(rel=2)))])


def test_what_is_left_over_must_fit_the_places_that_are_free() -> None:
    """x lists the one relevant document, and y another place that would be relevant as well."""
    x = rs.hits_of({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}})
    y = rs.hits_of({"q": {"a": 0, "b": 1}}, {"q": {"b": 1.0}})
    with pytest.raises(rs.ParameterError, match="other judgments"):
        judgments_of([("x", x), ("y", y)])
