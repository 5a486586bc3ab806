"""Hits: what the operations give is what the changed lists themselves would give."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.strategies import Case, cases, ranked
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import Convention, Hits

NAMES = [
    "AP",
    "nDCG",
    "Bpref",
    "infAP",
    "RR",
    "P@3",
    "Judged",
    "RBP(p=0.8)",
    "RBPResidual(p=0.8)",
    "SetP",
    "ERR",
    "NumRet",
]
MEASURES = [rs.parse_measure(name) for name in NAMES]


def hits_of(case: Case) -> Hits:
    return rs.hits_of(rs.Qrels(case.qrels), rs.Run(case.run))


ARRAYS = ("offsets", "rank", "first", "last", "relevance", "judged", "retrieved", "missing", "grades", "grade_offsets")


def expect_equal(a: Hits, b: Hits, arrays: tuple[str, ...] = ARRAYS) -> None:
    assert a.query_ids == b.query_ids
    for name in arrays:
        assert getattr(a, name).tolist() == getattr(b, name).tolist(), name
    for measure in MEASURES:
        np.testing.assert_allclose(measure(a), measure(b), rtol=1e-12, err_msg=str(measure))


EXAMPLE = Case(
    {"q1": {"a": 2, "b": 0, "c": -1, "m": 1}, "q2": {"a": 1}, "q3": {"x": 0}},
    {"q1": {"u": 5.0, "a": 4.0, "b": 4.0, "c": 1.0}, "q3": {"u": 1.0}},
)


def test_hits_hold_the_rank_and_the_ties_of_every_judged_document() -> None:
    hits = hits_of(EXAMPLE)
    assert hits.query_ids == ("q1", "q2", "q3")
    assert hits.offsets.tolist() == [0, 3, 3, 3]
    # u is first; b and a are tied on ranks 2 and 3, b before a (bytes falling); c is fourth.
    assert hits.rank.tolist() == [2, 3, 4]
    assert hits.first.tolist() == [2, 2, 4]
    assert hits.last.tolist() == [3, 3, 4]
    assert hits.relevance.tolist() == [0, 2, -1]
    assert hits.judged.tolist() == [1, 0, 2]
    assert hits.retrieved.tolist() == [4, 0, 1]
    assert hits.missing.tolist() == [False, True, False]
    assert hits.grades.tolist() == [2, 1, 0, -1, 1, 0]
    assert hits.grade_offsets.tolist() == [0, 4, 5, 6]
    assert hits.max_grade == 2
    assert hits.query.tolist() == [0, 0, 0]
    assert hits.n_relevant().tolist() == [2, 1, 0]
    assert hits.n_relevant(2).tolist() == [1, 0, 0]
    assert hits.n_nonrelevant().tolist() == [1, 0, 1]
    assert hits.n_nonrelevant(2).tolist() == [2, 1, 1]
    assert hits.relevant_above().tolist() == [0, 0, 1]


def test_hits_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        hits_of(EXAMPLE).rel = 2


@examples(150)
@given(case=cases())
def test_ranks_and_ties_are_those_of_sorting_in_python(case: Case) -> None:
    hits = hits_of(case)
    expected = []
    for query in hits.query_ids:
        docs = case.run.get(query, {})
        for rank, doc in enumerate(ranked(docs), 1):
            if doc in case.qrels[query]:
                above = sum(s > docs[doc] for s in docs.values())
                level = sum(s == docs[doc] for s in docs.values())
                place = list(case.qrels[query]).index(doc)
                expected.append((rank, above + 1, above + level, case.qrels[query][doc], place))
    columns = (hits.rank, hits.first, hits.last, hits.relevance, hits.judged)
    assert [tuple(row) for row in np.stack(columns, axis=1).tolist()] == expected if expected else hits.rank.size == 0
    assert hits.retrieved.tolist() == [len(case.run.get(q, {})) for q in hits.query_ids]
    assert hits.missing.tolist() == [q not in case.run for q in hits.query_ids]


# --- select -----------------------------------------------------------------------------------------------------------


@examples(100)
@given(case=cases(), data=st.data())
def test_selected_queries_keep_their_values_also_when_repeated(case: Case, data: st.DataObject) -> None:
    hits = hits_of(case)
    index = data.draw(st.lists(st.integers(0, len(hits) - 1), max_size=6))
    chosen = hits.select(index)
    assert len(chosen) == len(index)
    assert chosen.query_ids == tuple(hits.query_ids[i] for i in index)
    for measure in MEASURES:
        np.testing.assert_allclose(measure(chosen), measure(hits)[index], rtol=1e-12, err_msg=str(measure))


def test_selecting_nothing_gives_no_values() -> None:
    nothing = hits_of(EXAMPLE).select([])
    assert [measure(nothing).tolist() for measure in MEASURES] == [[]] * len(MEASURES)


def test_a_selection_keeps_the_highest_grade_of_the_whole_input() -> None:
    assert hits_of(EXAMPLE).select([1]).max_grade == 2


@pytest.mark.parametrize("index", [[3], [-1], [-4], [0, 7]], ids=str)
def test_a_query_that_is_not_there_is_refused(index: list[int]) -> None:
    """An index from the end would be a query of other hits."""
    with pytest.raises((IndexError, rs.ParameterError), match=r"out of bounds|quer"):
        hits_of(EXAMPLE).select(index)


def test_a_mask_is_no_index() -> None:
    """As whole numbers, (True, False, True) would be the queries 1, 0, 1: it selects 0 and 2, or is refused."""
    try:
        chosen = hits_of(EXAMPLE).select(np.array([True, False, True]))
    except (IndexError, TypeError, rs.ParameterError):
        return
    assert chosen.query_ids == ("q1", "q3")


# --- cut --------------------------------------------------------------------------------------------------------------


@examples(100)
@given(case=cases(), depth=st.integers(1, 12))
def test_cut_hits_are_those_of_shortened_lists(case: Case, depth: int) -> None:
    short = {q: {d: docs[d] for d in ranked(docs)[:depth]} for q, docs in case.run.items()}
    expect_equal(hits_of(case).cut(depth), hits_of(Case(case.qrels, short)))


def test_cutting_below_the_end_changes_nothing() -> None:
    expect_equal(hits_of(EXAMPLE).cut(1000), hits_of(EXAMPLE))


def test_cutting_through_a_tie_ends_the_tie_there() -> None:
    cut = hits_of(EXAMPLE).cut(2)
    assert (cut.rank.tolist(), cut.first.tolist(), cut.last.tolist()) == ([2], [2], [2])
    assert cut.retrieved.tolist() == [2, 0, 1]


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_1_is_refused(depth: int) -> None:
    with pytest.raises(rs.ParameterError, match=f"the depth is {depth}, expected a whole number of at least 1"):
        hits_of(EXAMPLE).cut(depth)


# --- judged_only ------------------------------------------------------------------------------------------------------


@examples(100)
@given(case=cases())
def test_judged_only_is_as_if_nothing_else_had_been_retrieved(case: Case) -> None:
    kept = {q: {d: s for d, s in docs.items() if case.qrels.get(q, {}).get(d, -1) >= 0} for q, docs in case.run.items()}
    expect_equal(hits_of(case).judged_only(), hits_of(Case(case.qrels, kept)))


def test_judged_only_of_the_example() -> None:
    judged = hits_of(EXAMPLE).judged_only()
    assert judged.rank.tolist() == [1, 2]
    assert judged.first.tolist() == [1, 1]
    assert judged.last.tolist() == [2, 2]
    assert judged.retrieved.tolist() == [2, 0, 0]


@examples(60)
@given(case=cases(), depth=st.integers(1, 8))
def test_judged_only_then_cut_is_the_condensed_list_to_a_depth(case: Case, depth: int) -> None:
    kept = {q: {d: s for d, s in docs.items() if case.qrels.get(q, {}).get(d, -1) >= 0} for q, docs in case.run.items()}
    short = {q: {d: docs[d] for d in ranked(docs)[:depth]} for q, docs in kept.items()}
    expect_equal(hits_of(case).judged_only().cut(depth), hits_of(Case(case.qrels, short)))


# --- filled -----------------------------------------------------------------------------------------------------------


@examples(100)
@given(case=cases(), grade=st.integers(0, 3), depth=st.none() | st.integers(1, 12))
def test_filled_hits_are_those_of_lists_of_which_all_is_judged(case: Case, grade: int, depth: int | None) -> None:
    """Judgments that are there already stay, all but negative grades."""
    filled = hits_of(case).filled(grade, depth)
    rows = []
    for i, query in enumerate(filled.query_ids):
        judged = case.qrels[query]
        for rank, doc in enumerate(ranked(case.run.get(query, {}))[:depth], 1):
            place = list(judged).index(doc) if doc in judged else -1
            rows.append([i, rank, rank, rank, g if (g := judged.get(doc, -1)) >= 0 else grade, place])
    found = (filled.query, filled.rank, filled.first, filled.last, filled.relevance, filled.judged)
    assert np.stack(found, axis=1).tolist() == rows if rows else filled.rank.size == 0
    assert filled.retrieved.tolist() == [len(ranked(case.run.get(q, {}))[:depth]) for q in filled.query_ids]
    # What was judged in all stays as it is.
    assert filled.grades.tolist() == hits_of(case).grades.tolist()
    assert filled.max_grade == hits_of(case).max_grade


def test_filled_hits_of_the_example() -> None:
    """u, b, a, c; u was not judged, c is judged -1."""
    filled = hits_of(EXAMPLE).filled(3)
    assert filled.offsets.tolist() == [0, 4, 4, 5]
    assert filled.relevance.tolist() == [3, 0, 2, 3, 3]
    assert filled.judged.tolist() == [-1, 1, 0, 2, -1]
    assert rs.parse_measure("P(rel=2)@4")(filled).tolist() == [3 / 4, 0, 1 / 4]


def test_filling_does_not_change_the_hits_it_starts_from() -> None:
    hits = hits_of(EXAMPLE)
    before = [measure(hits) for measure in MEASURES]
    hits.filled(2)
    assert_same_bits(before, [measure(hits) for measure in MEASURES])


# --- ties averaged ----------------------------------------------------------------------------------------------------


def averaged(case: Case) -> Hits:
    return rs.hits_of(rs.Qrels(case.qrels), rs.Run(case.run), Convention(ties="average"))


def test_averaged_hits_stand_in_the_middle_of_their_ties() -> None:
    hits = averaged(EXAMPLE)
    assert hits.ties == "average"
    # a and b are tied on ranks 2 and 3: by falling grade, since neither is first.
    assert hits.rank.tolist() == [2.5, 2.5, 4]
    assert (hits.first.tolist(), hits.last.tolist()) == ([2, 2, 4], [3, 3, 4])
    assert hits.relevance.tolist() == [2, 0, -1]


def test_averaged_hits_without_the_unjudged_are_ranked_anew() -> None:
    judged = averaged(EXAMPLE).judged_only()
    assert judged.rank.tolist() == [1.5, 1.5]
    assert (judged.first.tolist(), judged.last.tolist()) == ([1, 1], [2, 2])
    assert judged.retrieved.tolist() == [2, 0, 0]


@pytest.mark.parametrize("depth", [1, 3, 4, 9])
def test_averaged_hits_are_cut_between_ties(depth: int) -> None:
    short = {q: {d: docs[d] for d in ranked(docs)[:depth]} for q, docs in EXAMPLE.run.items()}
    cut, expected = averaged(EXAMPLE).cut(depth), averaged(Case(EXAMPLE.qrels, short))
    for name in ARRAYS:
        assert getattr(cut, name).tolist() == getattr(expected, name).tolist(), name


def test_averaged_hits_are_not_cut_through_a_tie() -> None:
    with pytest.raises(rs.ParameterError) as refused:
        averaged(EXAMPLE).cut(2)
    assert mentions(refused.value, "depth 2", "ties='average'", "doc_id_desc", "file")


def test_averaged_and_ordered_hits_are_not_put_together() -> None:
    with pytest.raises(rs.ParameterError, match="different conventions"):
        Hits.concat([hits_of(EXAMPLE), averaged(EXAMPLE)])


# --- concat -----------------------------------------------------------------------------------------------------------


@examples(60)
@given(case=cases(), data=st.data())
def test_hits_cut_apart_and_put_together_are_the_same(case: Case, data: st.DataObject) -> None:
    hits = hits_of(case)
    at = data.draw(st.integers(0, len(hits)))
    expect_equal(Hits.concat([hits.select(range(at)), hits.select(range(at, len(hits)))]), hits)


def test_hits_of_other_qrels_put_together_know_the_highest_grade_of_all() -> None:
    low, high = hits_of(Case({"a": {"d": 1}}, {"a": {"d": 1.0}})), hits_of(Case({"b": {"d": 3}}, {"b": {"d": 1.0}}))
    both = Hits.concat([low, high])
    assert both.max_grade == 3
    assert rs.parse_measure("ERR")(both).tolist() == [1 / 8, 7 / 8]
    # What the parts had computed before is not taken for the whole.
    assert both.n_relevant().tolist() == [1, 1]


def test_the_parts_may_have_been_used_before() -> None:
    """Measures keep what they counted with the hits; operations start afresh."""
    hits = hits_of(EXAMPLE)
    before = [measure(hits) for measure in MEASURES]
    for changed in (hits.select([2, 0]), hits.cut(2), hits.judged_only(), Hits.concat([hits, hits])):
        for measure in MEASURES:
            assert measure(changed).shape == (len(changed),)
    assert_same_bits(before, [measure(hits) for measure in MEASURES])


def test_hits_judged_anew_are_those_of_the_other_judgments() -> None:
    """a of q1 has another grade, b and q2's only document are not judged any more; ranks and lists are as they were."""
    judged = Case({"q1": {"a": 1, "c": -1, "m": 3}, "q2": {}, "q3": {"x": 0}}, EXAMPLE.run)
    hits, qrels = hits_of(EXAMPLE), rs.Qrels(judged.qrels)
    for measure in MEASURES:
        measure(hits)  # which keep what they counted
    found = hits.rejudged(
        relevance=np.array([1, 9, -1, 3, 9, 0]),  # a, b, c, m; a; x
        places=np.array([0, -1, 1, 2, -1, 0]),
        grades=qrels.grades,
        grade_offsets=qrels.offsets,
        memory={},
    )
    expect_equal(found, hits_of(judged))
    assert found.max_grade == 3
    assert hits.n_relevant().tolist() == [2, 1, 0]


@pytest.mark.parametrize("convention", [Convention(rel=2), Convention(ties="file"), Convention(precision="float32")])
def test_hits_of_other_conventions_are_not_put_together(convention: Convention) -> None:
    other = rs.hits_of(rs.Qrels(EXAMPLE.qrels), rs.Run(EXAMPLE.run), convention)
    with pytest.raises(rs.ParameterError, match="different conventions"):
        Hits.concat([hits_of(EXAMPLE), other])


def test_nothing_to_put_together_is_refused() -> None:
    with pytest.raises(rs.ParameterError, match="at least one"):
        Hits.concat([])


def test_hits_of_takes_whatever_evaluate_takes() -> None:
    assert rs.hits_of(rs.Qrels(EXAMPLE.qrels), EXAMPLE.run).rank.tolist() == [2, 3, 4]
    assert rs.hits_of(EXAMPLE.qrels, EXAMPLE.run).rank.tolist() == [2, 3, 4]


@pytest.mark.parametrize("queries", [[-1], [2], [0, 99]])
def test_queries_that_do_not_exist_cannot_be_selected(queries: list[int]) -> None:
    hits = rs.hits_of({"a": {"d": 1}, "b": {"d": 1}}, {"a": {"d": 1.0}})
    with pytest.raises(rs.ParameterError, match="0 to 1"):
        hits.select(queries)


def test_what_measures_share_cannot_be_written_to() -> None:
    """A measure that changed the counts in place would change every later value of the same judgments."""
    qrels = rs.Qrels({"a": {"d": 1, "e": 1}})
    hits = rs.hits_of(qrels, {"a": {"d": 1.0}})
    scores = rs.evaluate(qrels, {"a": {"d": 1.0}}, ["AP"])
    shared = [hits.n_relevant(), hits.relevant(), hits.relevant_above(), hits.rank, hits.grades, hits.query]
    for array in [*shared, qrels.relevance, qrels.grades, scores.values, scores.matrix("AP")]:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    assert rs.evaluate(qrels, {"a": {"d": 1.0}}, ["AP"]).overall("AP") == 1 / 2
