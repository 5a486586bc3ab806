"""Rows: ids are numbered and compared by their bytes, whatever their hashes say; rows find their queries."""

from __future__ import annotations

import random
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.data.rows import BLOCK_ROWS, Interner, decode_id
from rankscope.kernels import text
from rankscope.kernels.text import Fields, as_fields, decode

IDS = st.lists(
    st.sampled_from([b"a", b"b", b"q1", b"q2", b"a much longer id 1", b"a much longer id 2", b"\xff", b"a\x00"]),
    max_size=25,
)


def first_byte(fields: Fields, seed: int = 0) -> Any:
    """A hash so bad that most ids share it."""
    return text.words(fields, 0) % np.uint64(256) * np.uint64(0x9E3779B97F4A7C15)


def make_hashes_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    good = text.hashes
    import rankscope.data.join
    import rankscope.io.trec  # noqa: F401 - to be found below

    for name, module in list(sys.modules.items()):
        if name.startswith("rankscope") and getattr(module, "hashes", None) is good:
            monkeypatch.setattr(module, "hashes", first_byte)


@examples(100)
@given(st.lists(IDS, min_size=1, max_size=4))
def test_ids_are_numbered_in_the_order_in_which_they_are_first_seen(batches: list[list[bytes]]) -> None:
    interner = Interner()
    known: dict[bytes, int] = {}
    for ids in batches:
        if ids:
            expected = [known.setdefault(id_, len(known)) for id_ in ids]
            assert interner.codes(as_fields(ids)).tolist() == expected
    assert interner.ids == known


def test_ids_of_one_hash_are_told_apart_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    make_hashes_bad(monkeypatch)
    interner = Interner()
    for ids in ([b"a1", b"a2", b"a1", b"b", b"a3"], [b"a3", b"a9", b"a1"]):
        codes = interner.codes(as_fields(ids)).tolist()
        assert [list(interner.ids)[c] for c in codes] == ids


def naive_groups(rows: list[tuple[str, str, float]]) -> list[tuple[str, str, float]]:
    queries = list(dict.fromkeys(q for q, _, _ in rows))
    return [row for q in queries for row in rows if row[0] == q]


ROWS = st.lists(
    st.tuples(st.sampled_from(["q1", "q2", "10", "9", "é"]), st.text("abc", min_size=1, max_size=3), st.floats(-5, 5)),
    min_size=1,
    max_size=30,
    unique_by=lambda row: row[:2],
)


def columns(rows: list[tuple[str, str, float]]) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(("query_id", "doc_id", "score"))}


@examples(100)
@given(ROWS)
def test_rows_are_grouped_by_query_and_keep_their_order(rows: list[tuple[str, str, float]]) -> None:
    assert rs.Run(columns(rows)).frame().rows() == naive_groups(rows)


@examples(60)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_no_number(rows: list[tuple[str, str, float]], order: random.Random) -> None:
    qrels = {q: {d: i % 3 for i, d in enumerate(("a", "b", "ab", "ca"))} for q, _, _ in rows}
    mixed = list(rows)
    order.shuffle(mixed)
    measures = ["AP", "nDCG", "Bpref"]
    one, other = (rs.evaluate(qrels, rs.Run(columns(r)), measures) for r in (rows, mixed))
    assert_same_bits(one.values, other.values)


def test_blocks_are_whole_queries_and_all_of_them(tmp_path: Path) -> None:
    sizes = [10, BLOCK_ROWS - 5, 3, BLOCK_ROWS + 7, 1, 2 * BLOCK_ROWS, 5, 5]
    lines = [b"%d Q0 d%d 1 1 t\n" % (q, d) for q, n in enumerate(sizes) for d in range(n)]
    (tmp_path / "run").write_bytes(b"".join(lines))
    rows = rs.read_run(tmp_path / "run").rows()
    assert rows is not None
    blocks = list(rows.blocks())
    assert len(blocks) > 3
    found = []
    for block in blocks:
        assert block.docs.starts.size == block.values.size == block.offsets[-1]
        assert len(block.query_ids) == 1 or block.values.size <= BLOCK_ROWS
        docs = decode(block.docs)
        found += [(q, docs[a:b]) for q, (a, b) in zip(block.query_ids, pairwise(block.offsets.tolist()), strict=True)]
    assert found == [(b"%d" % q, [b"d%d" % d for d in range(n)]) for q, n in enumerate(sizes)]


def test_a_run_larger_than_a_block_gives_the_numbers_of_its_parts(tmp_path: Path) -> None:
    depth, queries = 300, 250  # 75,000 rows: several blocks
    lines = [f"q{q} Q0 d{(d * 7 + q) % depth} {d} {depth - d} t\n" for q in range(queries) for d in range(depth)]
    (tmp_path / "run").write_text("".join(lines))
    qrels = {f"q{q}": {f"d{d}": 1 for d in range(0, depth, 29)} for q in range(queries)}
    whole = rs.evaluate(qrels, tmp_path / "run", ["AP", "nDCG@10"])
    for q in (0, 1, 108, 109, 249):
        (tmp_path / "part").write_text("".join(lines[q * depth : (q + 1) * depth]))
        part = rs.evaluate({f"q{q}": qrels[f"q{q}"]}, tmp_path / "part", ["AP", "nDCG@10"])
        place = whole.query_ids.index(f"q{q}")
        assert_same_bits(whole.values[0, :, place].tolist(), part.values[0, :, 0].tolist())


# --- hashes are never trusted ---------------------------------------------------------------------


def test_documents_of_one_hash_are_neither_confused_nor_called_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "run").write_text(
        "".join(f"q Q0 {d} 1 {10 - i} t\n" for i, d in enumerate(("a2", "a1", "b2", "a3", "b1", "c9")))
    )
    qrels = {"q": {"a1": 1, "b1": 1, "c1": 1}}  # c1 is not retrieved, c9 is
    make_hashes_bad(monkeypatch)
    for run in (tmp_path / "run", rs.read_run(tmp_path / "run"), rs.Run(rs.read_run(tmp_path / "run").frame())):
        hits = rs.hits_of(rs.Qrels(rs.Qrels(qrels).frame()), run)
        assert hits.rank.tolist() == [2, 5]


@pytest.mark.parametrize(
    "order", [("a1", "a1", "a2"), ("a1", "a2", "a1"), ("a2", "a1", "a1"), ("a3", "a1", "a2", "b", "a1")]
)
def test_a_repeat_is_found_among_documents_of_one_hash(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, order: tuple[str, ...]
) -> None:
    path = tmp_path / "run"
    path.write_text("".join(f"q Q0 {d} 1 {10 - i} t\n" for i, d in enumerate(order)))
    make_hashes_bad(monkeypatch)
    lines = [i for i, d in enumerate(order, 1) if d == "a1"]
    with pytest.raises(rs.InputError) as caught:
        rs.evaluate({"q": {"b": 1}}, path, "AP")
    assert str(caught.value).startswith(f"{path}:{lines[1]}: ")
    assert mentions(caught.value, "'a1'", "'q'", "twice", f"{path}:{lines[0]};")


def test_documents_that_collide_in_fact_are_told_apart_and_found_twice() -> None:
    """These two ids have one hash: their lengths make up for their letters."""
    one, other = "\x03\x00", "\x02\x00\x00"
    qrels = rs.Qrels({"q": {one: 1}})
    apart = {"query_id": ["q", "q"], "doc_id": [other, one], "score": [2.0, 1.0]}
    assert rs.hits_of(qrels, rs.Run(apart)).rank.tolist() == [2]
    twice = {"query_id": ["q"] * 3, "doc_id": [one, other, one], "score": [3.0, 2.0, 1.0]}
    with pytest.raises(rs.InputError, match="occurs twice"):
        rs.hits_of(qrels, rs.Run(twice))


def test_a_document_in_two_queries_is_no_repeat() -> None:
    rows = {"query_id": ["q1", "q2"], "doc_id": ["a", "a"], "score": [1.0, 1.0]}
    assert rs.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, rs.Run(rows), "RR").overall("RR") == 1.0


def test_ids_that_are_no_utf8_survive_the_way_to_text_and_back() -> None:
    for id_ in (b"caf\xe9", b"\xff\xfe", "é".encode(), b"plain"):
        assert decode_id(id_).encode("utf-8", "surrogateescape") == id_
