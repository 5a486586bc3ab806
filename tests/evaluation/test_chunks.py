"""A document that a query holds several times, and chunks of documents: as a plain loop that collapses first."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.joining import join_one
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.data import rows as rows_module
from rankscope.data.chunks import DUPLICATES, DocumentPattern, Merging, cut_at, first_rows_of_keys
from rankscope.data.join import Joiner, join
from rankscope.data.rows import decode_ids
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.text import decode, encode
from rankscope.measures.rank_similarity import between_runs

#: Rows of a run: query, chunk, score.
Lines = list[tuple[str, str, float]]
MEASURES = ["nDCG@5", "AP", "RR", "P@3", "R@3", "bpref", "NumRet"]
PATTERN = "^([^#]+)"
QRELS = {"q1": {"d0": 2, "d1": 0, "d2": 1}, "q2": {"d3": 1, "long-document-4": 2}, "q3": {"d0": 1}}
documents = st.sampled_from(["d0", "d1", "d2", "d3", "long-document-4", "é5"])
scores = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5, allow_nan=False, width=32), st.just(1 + 2**-40))
lines = st.lists(
    st.tuples(st.sampled_from(["q1", "q2", "q4"]), documents, st.integers(0, 12), scores), max_size=40
).map(lambda rows: list({(q, f"{d}#{n}"): (q, f"{d}#{n}", s) for q, d, n, s in [("q1", "d0", 0, 1.0), *rows]}.values()))


def collapse(rows: Lines, rule: str) -> dict[str, dict[str, float]]:
    """The twin: one document after the other."""
    lists: dict[str, dict[str, float]] = {}
    for query, chunk, score in rows:
        docs, doc = lists.setdefault(query, {}), chunk.partition("#")[0]
        if doc not in docs:
            docs[doc] = score
        elif rule == "max":
            docs[doc] = max(docs[doc], score)
        elif rule == "sum":
            docs[doc] += score
    return lists


def columns(rows: Lines) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(("query_id", "doc_id", "score"))}


def as_dicts(rows: Lines) -> dict[str, dict[str, float]]:
    lists: dict[str, dict[str, float]] = {}
    for query, chunk, score in rows:
        lists.setdefault(query, {})[chunk] = score
    return lists


@examples(60)
@given(rows=lines, rule=st.sampled_from(["first", "max", "sum"]), ties=st.sampled_from(["doc_id_desc", "file"]))
def test_chunks_and_duplicates_give_the_values_of_a_run_that_a_loop_collapsed(
    rows: Lines, rule: str, ties: str
) -> None:
    qrels = rs.Qrels(QRELS)
    rows = sorted(rows, key=lambda row: row[0])  # as files have queries; the order within a query stays
    expected = rs.evaluate(qrels, collapse(rows, rule), MEASURES, ties=ties)
    table = {chunk: chunk.partition("#")[0] for _, chunk, _ in rows}
    repeated = columns([(q, table[chunk], score) for q, chunk, score in rows])
    other_pattern = r"^(.+)#\d+$"
    for found in (
        rs.evaluate(qrels, as_dicts(rows), MEASURES, ties=ties, doc_of=PATTERN, duplicates=rule),
        rs.evaluate(qrels, rs.Run(columns(rows)), MEASURES, ties=ties, doc_of=PATTERN, duplicates=rule),
        rs.evaluate(qrels, rs.Run(columns(rows)), MEASURES, ties=ties, doc_of=other_pattern, duplicates=rule),
        rs.evaluate(qrels, rs.Run(columns(rows)), MEASURES, ties=ties, doc_of=table, duplicates=rule),
        rs.evaluate(qrels, rs.Run(repeated), MEASURES, ties=ties, duplicates=rule),
        rs.Evaluator(qrels, MEASURES, ties=ties, doc_of=PATTERN, duplicates=rule)(as_dicts(rows)),
    ):
        assert np.array_equal(found.values, expected.values)
        assert f"duplicates:{rule}" in found.signature()


@examples(60)
@given(ids=st.lists(st.text(st.sampled_from("a#bé\x00_"), min_size=1, max_size=40), min_size=1, max_size=20))
def test_a_mark_is_cut_as_the_pattern_says(ids: list[str]) -> None:
    cut = decode_ids(decode(cut_at(encode(ids), ord("#"))))
    assert cut == [id_.partition("#")[0] for id_ in ids]
    assert [id_ or None for id_ in cut] == [(found := re.search(PATTERN, id_)) and found[1] for id_ in ids]


@pytest.mark.parametrize(
    ("pattern", "mark"),
    [
        ("^([^#]+)", "#"),
        ("^([^_]*)", "_"),
        (r"^([^\|]+)", "|"),
        ("^([^^]+)", "^"),
        (r"^([^\d]+)", ""),
        ("([^#]+)", ""),
        ("^([^é]+)", ""),
        ("^([^#]+)#", ""),
    ],
)
def test_the_patterns_that_cut_at_one_byte_are_known(pattern: str, mark: str) -> None:
    assert DocumentPattern(pattern).mark == (ord(mark) if mark else 0)


@examples(40)
@given(numbers=st.lists(st.integers(0, 30), max_size=60), high_bits=st.booleans())
def test_the_first_row_of_each_key_is_found(numbers: list[int], high_bits: bool) -> None:
    """Also where keys share the places of a table: their highest bits are the same, or the lowest."""
    keys = np.array(numbers, np.uint64) << np.uint64(58 if high_bits else 0)
    assert first_rows_of_keys(keys).tolist() == [keys.tolist().index(key) for key in keys.tolist()]


def test_documents_of_one_key_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash that is the same for all, until another seed is tried."""
    hashed = rows_module.hashes
    monkeypatch.setattr(
        rows_module,
        "hashes",
        lambda fields, seed=0: hashed(fields, seed) if seed > 1 else np.zeros(fields.starts.size, np.uint64),
    )
    rows = rs.Run(
        columns([("q1", "a", 1.0), ("q1", "b", 2.0), ("q2", "a", 3.0), ("q1", "a", 4.0), ("q2", "b", 5.0)])
    ).rows()
    rows = replace(rows, hashes=np.zeros(5, np.uint64))
    merged = Merging(duplicates="max").merge(rows).rows
    assert (decode(merged.docs), merged.values.tolist()) == ([b"a", b"b", b"a", b"b"], [4, 2, 3, 5])
    assert merged.offsets.tolist() == [0, 2, 4]


def test_parts_of_a_run_that_workers_join_keep_the_counts() -> None:
    qrels = rs.Qrels(QRELS)
    rows = [("q1", "d0#0", -1.0), ("q1", "d0#1", -2.0), ("q2", "d3#0", 1.0), ("q2", "d3#7", 2.0), ("q2", "d3#8", 2.0)]
    convention = rs.Convention(doc_of=PATTERN, duplicates="sum")
    whole = Joiner(qrels, convention, "run")
    for query in ("q1", "q2"):
        part = Joiner(qrels, convention, "part")
        part.add(rs.Run(columns([row for row in rows if row[0] == query])).rows())
        whole.merge(part.part())
    together = join_one(qrels, rs.Run(columns(rows)), convention)
    assert whole.merge_notes() == together.notes
    assert "5 chunks are 2 documents" in together.notes[0]
    assert "negative scores are added" in together.notes[1]


def test_a_file_in_pieces_and_a_shuffled_one_give_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [
        (f"q{q}", f"d{d}#{c}", round(float(rng.normal()), 3)) for q in range(1, 4) for d in range(300) for c in range(9)
    ]
    qrels = {f"q{q}": {f"d{d}": int(d % 3 == 0) for d in range(0, 300, 7)} for q in range(1, 4)}
    expected = rs.evaluate(qrels, collapse(rows, "max"), MEASURES)
    for order in (range(len(rows)), rng.permutation(len(rows)).tolist()):
        path = tmp_path / "chunks.run"
        path.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in (rows[i] for i in order)))
        found = rs.evaluate(qrels, path, MEASURES, doc_of=PATTERN)
        assert np.array_equal(found.values, expected.values)
        assert any("8,100 chunks are 900 documents" in note for note in found.notes)
        assert any("median list has 300 documents, of 2700 chunks" in note for note in found.notes)


def test_scores_are_compared_before_they_are_rounded() -> None:
    """Of two scores that are one in float32 the higher counts, not the first of the tie."""
    rows = [("q1", "d0#0", 1.0), ("q1", "d1#0", 1.0 + 2**-40), ("q1", "d0#1", 1.0 + 2**-30)]
    hits = join(rs.Qrels(QRELS), rs.Run(columns(rows)), rs.Convention(doc_of=PATTERN, precision="float32"))
    assert hits.last.tolist() == [2, 2]
    exact = join(rs.Qrels(QRELS), rs.Run(columns(rows)), rs.Convention(doc_of=PATTERN))
    assert (exact.relevance.tolist(), exact.rank.tolist()) == ([2, 0], [1, 2])


def test_judgments_by_subtopic_stay_as_they_are() -> None:
    qrels = rs.Qrels({"q1": {"s1": {"d0": 1}, "s2": {"d2": 1}}})
    run = {"q1": {"d0#1": 3.0, "d0#2": 2.0, "d2#1": 1.0}}
    found = rs.evaluate(qrels, run, ["StRecall@2"], doc_of=PATTERN)
    assert found.overall("StRecall@2") == 1
    assert rs.evaluate(qrels, run, ["StRecall@2"]).overall("StRecall@2") == 0


def test_a_run_without_repeated_documents_is_as_without_the_option() -> None:
    run = {"q1": {"d0": 2.0, "d2": 1.0}}
    expected = rs.evaluate(QRELS, run, MEASURES)
    for rule in DUPLICATES:
        found = rs.evaluate(QRELS, run, MEASURES, duplicates=rule)
        assert np.array_equal(found.values, expected.values)
        assert found.notes == expected.notes
        assert ("duplicates" in found.settings) == (rule != "error")


CHUNKS = {"q1": {"d0#0": 3.0, "d0#1": 2.0, "d2#0": 1.0}}
BAD: list[tuple[dict[str, Any], str]] = [
    ({"doc_of": "#"}, r"a pattern with 0 groups, expected one group .* as '\^\(\[\^#\]\+\)'"),
    ({"doc_of": "(a)(b)"}, "a pattern with 2 groups"),
    ({"doc_of": "(a"}, "is no pattern"),
    ({"doc_of": r"^(.+)#1"}, r"'d0#0' of query 'q1' does not match --doc-of"),
    ({"doc_of": {"d0#0": "d0"}}, "'d0#1' of query 'q1' is no chunk of doc_of"),
    ({"doc_of": {"d0#0": ""}}, "the document id '' is not a string, is empty"),
    ({"doc_of": {}}, "expected a pattern or a mapping"),
    ({"doc_of": {"chunk": ["a", "a"], "document": ["x", "y"]}}, "chunk 'a' stands a second time"),
    ({"doc_of": {"passages": ["a"], "document": ["x"]}}, "no column 'chunk' among 'passages', 'document'"),
    ({"doc_of": PATTERN, "duplicates": "error"}, "document 'd0' of query 'q1' occurs twice"),
    ({"duplicates": "best"}, "duplicates is 'best', expected one of 'error', 'first', 'max', 'sum'"),
    ({"doc_of": "^(.)"}, r"none of its 1 documents is judged: 'd0#0' belongs to 'd' \(doc_of:\^\(.\)\)"),
    ({"doc_of": PATTERN, "input": "letor"}, "this input holds each document once"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[repr(arguments) for arguments, _ in BAD])
def test_what_cannot_be_mapped_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, ParameterError), match=message):
        rs.evaluate(QRELS, CHUNKS, ["AP"], **arguments)


def test_judgments_of_chunks_are_refused() -> None:
    with pytest.raises(InputError, match=r"1 of 2 judged ids, such as 'd0#0', are no documents by --doc-of"):
        rs.evaluate({"q1": {"d0#0": 1, "d2": 1}}, CHUNKS, ["AP"], doc_of=PATTERN)


def test_a_table_in_a_file_is_read_and_its_faults_have_lines(tmp_path: Path) -> None:
    path = tmp_path / "chunks.csv"
    path.write_text("passage_id,parent\nd0#0,d0\nd0#1,d0\nd2#0,d2\n")
    found = rs.evaluate(QRELS, CHUNKS, ["AP"], doc_of=path)
    assert found.values.tolist() == rs.evaluate(QRELS, CHUNKS, ["AP"], doc_of=PATTERN).values.tolist()
    assert (
        found.settings["doc_of"]
        == rs.evaluate(QRELS, CHUNKS, ["AP"], doc_of={"d2#0": "d2", "d0#1": "d0", "d0#0": "d0"}).settings["doc_of"]
    )
    path.write_text("chunk,document\nd0#0,d0\nd0#0,d1\n")
    with pytest.raises(InputError, match=r"chunks\.csv:3: chunk 'd0#0' stands a second time, the first is at .*:2"):
        rs.evaluate(QRELS, CHUNKS, ["AP"], doc_of=str(path))
    path.write_text("chunk,document\nd0#0,d0\n")
    run = tmp_path / "chunks.run"
    run.write_text("q1 Q0 d0#0 1 2 t\nq1 Q0 d0#9 2 1 t\n")
    with pytest.raises(InputError, match=r"chunks\.run:2: 'd0#9' of query 'q1' is no chunk of .*chunks\.csv"):
        rs.evaluate(QRELS, run, ["AP"], doc_of=str(path))


@pytest.mark.parametrize(
    ("chunk", "pattern"),
    [
        ("d{}#{}", "^([^#]+)"),
        ("d{}_x_{}", "^([^_]+)"),
        ("a-d{}-{}", "^(.+)-"),
        ("a-d{}|{}", "^([^|]+)"),
        ("a-.d{}.{}", r"^(.+)\."),
        ("z{}/{}", ""),
    ],
)
def test_a_run_without_a_judged_document_gets_the_pattern_that_would_map_it(chunk: str, pattern: str) -> None:
    judged = {"q1": {chunk.format(1, 0)[:-2] if chunk.startswith("a-") else "d1": 1}}
    run = {"q1": {chunk.format(d, c): -float(d) for d in range(1, 60) for c in range(2)}}
    note = next(note for note in rs.evaluate(judged, run, ["AP"]).notes if "was judged" in note)
    assert ("--doc-of" in note) == bool(pattern)
    if pattern:
        assert f"--doc-of '{pattern}'" in note
        assert rs.evaluate(judged, run, ["AP"], doc_of=pattern).overall("AP") > 0


def test_fusion_pools_conversion_and_rank_similarity_see_documents(tmp_path: Path) -> None:
    a = rs.Run(columns([("q1", "d0#0", 3.0), ("q1", "d0#1", 2.0), ("q1", "d2#0", 1.0)]), name="a")
    b = rs.Run(columns([("q1", "d2#1", 3.0), ("q1", "d2#2", 2.0), ("q1", "d0#3", 1.0)]), name="b")
    plain_a, plain_b = (
        rs.Run({"q1": {"d0": 3.0, "d2": 1.0}}, name="a"),
        rs.Run({"q1": {"d2": 3.0, "d0": 1.0}}, name="b"),
    )
    fused = rs.fusion.fuse([a, b], "comb-sum", doc_of=PATTERN)
    assert fused.frame().equals(rs.fusion.fuse([plain_a, plain_b], "comb-sum").frame())
    assert any("3 chunks are 2 documents" in note for note in fused.notes)
    pooled = rs.judging.pool([a, b], depth=2, doc_of=PATTERN)
    assert pooled.frame().equals(rs.judging.pool([plain_a, plain_b], depth=2).frame())
    found = between_runs(a, b, "rbo", p=0.5, doc_of=PATTERN)
    assert found.values.tolist() == between_runs(plain_a, plain_b, "rbo", p=0.5).values.tolist()
    path = tmp_path / "documents.csv"
    notes = rs.convert(a, path, doc_of=PATTERN)
    assert path.read_text() == "query_id,doc_id,score\nq1,d0,3.0\nq1,d2,1.0\n"
    assert "3 chunks are 2 documents" in notes[0]
    with pytest.raises(ParameterError, match="are for runs, and these are judgments"):
        rs.convert(rs.Qrels(QRELS), path, doc_of=PATTERN)
