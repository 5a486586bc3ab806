"""TREC's formats in all their wild forms, against a reader of twenty lines."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
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
from rankscope import Convention
from rankscope.data.join import Joiner, join
from rankscope.data.rows import Ungrouped
from rankscope.io.core import BlockReader, Source, open_binary, open_source, split_fields
from rankscope.io.core.blocks import split_irregular_fields, split_regular_fields
from rankscope.io.trec import RUN, stream_rows
from rankscope.io.trec.format import QRELS, Grammar, read_rows
from rankscope.kernels.text import decode

Table = list[tuple[bytes, list[tuple[bytes, Any]]]]


# --- the oracle -----------------------------------------------------------------------------------


def naive_lines(content: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Number and fields of each line that holds data; bytes.split() splits at C's isspace()."""
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.split() and not line.startswith(b"#"):
            yield number, line.split()


def naive_table(content: bytes, kind: str) -> Table:
    """[(query, [(document, value), ...]), ...] in the order of first appearance."""
    table: dict[bytes, list[tuple[bytes, Any]]] = {}
    for _, fields in naive_lines(content):
        if kind == "qrels":
            query, _, doc, value = fields
            table.setdefault(query, []).append((doc, int(value)))
        else:
            table.setdefault(fields[0], []).append((fields[2], float(fields[4])))
    return list(table.items())


def table_of(rows: Any) -> Table:
    docs, values = decode(rows.docs), rows.values.tolist()
    bounds = rows.offsets.tolist()
    pairs = list(zip(docs, values, strict=True))
    return [(q, pairs[a:b]) for q, (a, b) in zip(rows.query_ids, pairwise(bounds), strict=True)]


def exact(table: Table) -> Any:
    """Bits instead of floats, so that -0.0 is not 0.0."""
    bits = lambda v: struct.pack("<d", v) if isinstance(v, float) else v  # noqa: E731 - a line's work
    return [(q, [(d, bits(v)) for d, v in docs]) for q, docs in table]


# --- wild files -----------------------------------------------------------------------------------

QUERIES = [
    b"301",
    b"7",
    b"007",
    b"q#1",
    "q\u00a01".encode(),
    "topic\u20032".encode(),
    "日本".encode(),
    b"q" * 40,
    b"q\xff\xfe1",
]
DOCS = [
    b"d1",
    b"d2",
    b"FT911-3032",
    b"clueweb09-en0000-00-00000",
    b"clueweb09-en0000-00-00001",
    b"d#3",
    b"#4",
    "doc\u00a05".encode(),
    "\u2003".encode(),
    "\u3000x\u2028y".encode(),
    "\x85z".encode(),
    "é".encode(),
    b"\xe9",  # Latin-1, no UTF-8
    b"x" * 70,
    b"x" * 69 + b"y",
    b"0",
    b"00",
]
SCORES = st.one_of(
    st.floats(-1e4, 1e4).map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-50, 50).map(str),
    st.floats(0, 30).map(lambda x: f"{x:.6f}"),
    st.floats(0, 30).map(lambda x: f"{x:.17g}"),
    st.floats(-1e9, 1e9).map(lambda x: f"{x:.3e}"),
    st.sampled_from(["-0", "+1.5", ".5", "3.", "1E3", "1e-310", "00012", "0.1234567890123456789"]),
).map(str.encode)
GRADES = st.sampled_from([b"0", b"1", b"2", b"3", b"-1", b"-2", b"+1", b"007", b"100"])
TAGS = st.sampled_from([b"tag", b"", b"my own system", b"#1", "ünï".encode(), b"a\tb", b"1.0"])
# A carriage return inside a line has a test of its own: of a line with a long tag it is refused.
GAPS = st.sampled_from([b" ", b"\t", b"  ", b" \t ", b"\x0b", b"\x0c "])
NOISE = st.sampled_from([b"", b" ", b"\t \t", b"\r", b"#", b"# a comment", b"#301 Q0 d1 1 1.0 tag", b"#\xff"])


@st.composite
def wild_files(draw: st.DrawFn, kind: str, *, grouped: bool | None = None) -> bytes:
    """A file that a patient reader can make sense of; no document twice in a query."""
    keys = draw(
        st.lists(st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCS)), min_size=1, max_size=25, unique=True)
    )
    if draw(st.booleans()) if grouped is None else grouped:
        firsts = list(dict.fromkeys(query for query, _ in keys))
        keys.sort(key=lambda key: firsts.index(key[0]))
    regular = draw(st.booleans())  # every line alike, as in most files
    gap, end, tag = (
        draw(GAPS if not regular else st.sampled_from([b" ", b"\t"])),
        draw(st.sampled_from([b"\n", b"\r\n"])),
        draw(TAGS),
    )
    lines = []
    for rank, (query, doc) in enumerate(keys, 1):
        if kind == "qrels":
            fields = [query, b"0", doc, draw(GRADES)]
        else:
            fields = [query, b"Q0", doc, b"%d" % rank, draw(SCORES), *([tag] if tag else [])]
        if regular:
            lines.append(gap.join(fields) + end)
            continue
        line = draw(GAPS).join(fields[:2]) + gap + draw(GAPS).join(fields[2:])
        line = draw(st.sampled_from([b"", b"", b" ", b"\t"])) + line + draw(st.sampled_from([b"", b"", b" ", b"\t\t"]))
        lines += [draw(NOISE) + end for _ in range(draw(st.sampled_from([0, 0, 0, 1, 3])))]
        lines.append(line + draw(st.sampled_from([b"\n", b"\r\n"])))
    content = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + b"".join(lines)
    return content.rstrip(b"\r\n") if draw(st.booleans()) else content


@pytest.fixture(scope="module")
def put(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    folder = tmp_path_factory.mktemp("trec")

    def write(content: bytes, name: str = "file.txt") -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    return write


def check_run(content: bytes, path: Path) -> None:
    run = rs.read_run(path)
    assert exact(table_of(run.rows())) == exact(naive_table(content, "run"))


def check_qrels(content: bytes, path: Path) -> None:
    qrels = rs.read_qrels(path)
    expected = sorted(naive_table(content, "qrels"))  # queries in the order of their bytes
    pairs = list(zip(decode(qrels.docs), qrels.relevance.tolist(), strict=True))
    bounds = qrels.offsets.tolist()
    ids = [q.encode("utf-8", "surrogateescape") for q in qrels.query_ids]
    assert [(q, pairs[a:b]) for q, (a, b) in zip(ids, pairwise(bounds), strict=True)] == expected


@examples(150)
@given(wild_files("run"))
def test_a_wild_run_is_read_as_the_naive_reader_reads_it(put: Callable[..., Path], content: bytes) -> None:
    check_run(content, put(content))


@examples(150)
@given(wild_files("qrels"))
def test_wild_qrels_are_read_as_the_naive_reader_reads_them(put: Callable[..., Path], content: bytes) -> None:
    check_qrels(content, put(content))


@pytest.mark.slow
@examples(2_000)
@given(wild_files("run"), wild_files("qrels"))
def test_two_thousand_wild_files_are_read_as_the_naive_reader_reads_them(
    put: Callable[..., Path], run: bytes, qrels: bytes
) -> None:
    check_run(run, put(run))
    check_qrels(qrels, put(qrels))


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("doc", DOCS)
def test_an_id_is_what_stands_between_ascii_whitespace(put: Callable[..., Path], query: bytes, doc: bytes) -> None:
    if query.startswith(b"#"):
        pytest.skip("a comment")
    qrels = put(query + b" 0 " + doc + b" 1\nz 0 z 1\n", "qrels")
    run = put(query + b" Q0 " + doc + b" 1 2.5 t\nz Q0 other 1 1 t\n", "run")
    scores = rs.evaluate(qrels, run, "P@1")
    assert dict(zip(scores.query_ids, scores.matrix("P@1")[0].tolist(), strict=True)) == {
        query.decode("utf-8", "surrogateescape"): 1.0,
        "z": 0.0,
    }


def test_the_frame_of_a_run_holds_what_was_read(put: Callable[..., Path]) -> None:
    run = rs.read_run(put("b Q0 é 1 2.5 t\na Q0 d 1 1 t\nb Q0 x 2 -1e-3 t\n".encode()))
    assert run.frame().rows() == [("b", "é", 2.5), ("b", "x", -1e-3), ("a", "d", 1.0)]
    qrels = rs.read_qrels(put("b 0 é 2\na 0 d -1\n".encode()))
    assert qrels.frame().rows() == [("a", "d", -1), ("b", "é", 2)]


def test_ids_that_are_no_utf8_can_be_looked_at_in_a_frame(put: Callable[..., Path]) -> None:
    assert rs.read_run(put(b"q Q0 caf\xe9 1 2.5 t\n")).frame().height == 1
    assert rs.read_qrels(put(b"q 0 caf\xe9 1\n")).frame().height == 1


def test_an_id_of_a_hundred_thousand_bytes_is_read_whole(put: Callable[..., Path]) -> None:
    long = b"x" * 100_000
    run = rs.read_run(put(b"q Q0 " + long + b" 1 1.0 t\nq Q0 " + long + b"y 2 0.5 t\n"))
    assert decode(run.rows().docs) == [long, long + b"y"]


def test_a_run_and_qrels_with_many_queries_of_one_line_are_read(put: Callable[..., Path]) -> None:
    content = b"".join(b"%d Q0 d%d 1 %d.5 t\n" % (i, i % 7, i % 11) for i in range(3000))
    check_run(content, put(content))


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"q Q0 d 1 1.0 bm25\n", "bm25"),
        (b"q Q0 d 1 1.0 my  own system \r\n", "my  own system"),
        (b"q\tQ0\td\t1\t1.0\ta\tb\n", "a\tb"),
        (b"q Q0 d 1 1.0\n", "file"),
        (b"q Q0 d 1 1.0 \r\n", "file"),
        (b"\xef\xbb\xbfq Q0 d 1 1.0 bm25\n", "bm25"),
        (b"# q Q0 d 1 1.0 wrong\n\n \nq Q0 d 1 1.0 right\n", "right"),
        (b"q Q0 d 1 1.0 #1\n", "#1"),
        (b"q Q0 d 1 1.0 last", "last"),
        ("q Q0 d 1 1.0 ünï\u00a0x\n".encode(), "ünï\u00a0x"),
    ],
)
def test_a_run_is_called_by_its_tag_else_by_its_file(put: Callable[..., Path], line: bytes, name: str) -> None:
    path = put(line, "file.txt")
    assert rs.read_run(path).name == name
    assert rs.evaluate({"q": {"d": 1}}, path, "RR").systems == (name,)
    assert rs.read_run(path, name="mine").name == "mine"


@pytest.mark.parametrize(
    ("file", "name"),
    [("bm25.run", "bm25"), ("bm25.txt.gz", "bm25"), ("a.b.trec.zst", "a.b"), ("input.x", "input.x"), (".run", ".run")],
)
def test_a_file_lends_its_name_without_suffixes_of_format(put: Callable[..., Path], file: str, name: str) -> None:
    assert rs.read_run(put(b"q Q0 d 1 1.0\n", file)).name == name


def test_the_tag_is_found_behind_a_comment_longer_than_the_first_look(put: Callable[..., Path]) -> None:
    for length in (70_000, 3_000_000):
        path = put(b"#" + b"x" * length + b"\nq Q0 d 1 1.0 mytag\n")
        assert rs.evaluate({"q": {"d": 1}}, path, "RR").overall("RR") == 1.0


def test_lines_of_a_query_that_are_apart_are_merged_with_a_note(put: Callable[..., Path]) -> None:
    path = put(b"a Q0 d1 1 1 t\nb Q0 d1 1 1 t\na Q0 d2 2 2 t\nb Q0 d2 1 2 t\nc Q0 d1 1 1 t\n")
    run = rs.read_run(path)
    (note,) = run.notes
    assert "2 queries" in note
    assert note.startswith(f"{path}:")
    scores = rs.evaluate({"a": {"d2": 1}, "b": {"d1": 1}, "c": {"d1": 1}}, path, "RR")
    assert scores.matrix("RR")[0].tolist() == [1.0, 1 / 2, 1.0]
    assert any("2 queries" in note for note in scores.notes)


def test_queries_that_are_together_in_any_order_need_no_note(put: Callable[..., Path]) -> None:
    assert rs.read_run(put(b"b Q0 d1 1 1 t\nb Q0 d2 1 1 t\na Q0 d2 2 2 t\n")).notes == ()


# --- the fast way and the slow way ----------------------------------------------------------------

PIECES = [
    b"a",
    b"b1",
    b"7",
    b"-1.5",
    b"#",
    b" ",
    b" ",
    b" ",
    b"\t",
    b"  ",
    b"\n",
    b"\n",
    b"\r\n",
    b"\x0b",
    b"\x01",
    b"\xc2\xa0",
]


@st.composite
def nearly_regular(draw: st.DrawFn) -> bytes:
    """Lines of one form, a few of them disturbed."""
    width = draw(st.integers(3, 7))
    words = st.sampled_from([b"a", b"bb", b"1.5", b"-3", b"q#", b"x" * 9])
    gap, end = draw(st.sampled_from([b" ", b"\t"])), draw(st.sampled_from([b"\n", b"\r\n", b" \n"]))
    lines = [
        gap.join(draw(st.lists(words, min_size=width, max_size=width))) + end for _ in range(draw(st.integers(1, 6)))
    ]
    content = bytearray(b"".join(lines))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(content) - 1))
        content[at : at + draw(st.integers(0, 1))] = draw(st.sampled_from(PIECES))
    return bytes(content)


SOUP = st.lists(st.sampled_from(PIECES), min_size=1, max_size=40).map(b"".join)


def check_ways(content: bytes, grammar: Grammar) -> None:
    block = BlockReader(io.BytesIO(content), "file").next()
    assert block is not None
    expected = [fields for _, fields in naive_lines(content)]
    layout = grammar.layout
    good = all(
        len(f) >= layout.min_fields and (layout.max_fields is None or len(f) <= layout.max_fields) for f in expected
    )
    # Many fields and a carriage return inside: several lines in truth.
    good &= not any(
        b"\r" in line.removesuffix(b"\r") and len(line.split()) > layout.min_fields + 1
        for line in content.split(b"\n")
        if not line.startswith(b"#")
    )
    if not good:
        with pytest.raises(rs.InputError):
            split_irregular_fields(block, layout)
        assert split_regular_fields(block, layout) is None
        return
    columns = [[f[c] for f in expected] for c in layout.columns]
    assert [decode(f) for f in split_irregular_fields(block, layout)] == columns
    assert [decode(f) for f in split_fields(block, layout)] == columns
    regular = split_regular_fields(block, layout)
    assert regular is None or [decode(f) for f in regular] == columns


@examples(400)
@given(st.one_of(nearly_regular(), SOUP, wild_files("run"), wild_files("qrels")))
def test_what_the_fast_way_accepts_it_splits_as_the_slow_way_does(content: bytes) -> None:
    for grammar in (RUN, QRELS):
        check_ways(content, grammar)


@pytest.mark.slow
@examples(5_000)
@given(st.one_of(nearly_regular(), SOUP, wild_files("run"), wild_files("qrels")))
def test_what_the_fast_way_accepts_it_splits_as_the_slow_way_does_at_length(content: bytes) -> None:
    for grammar in (RUN, QRELS):
        check_ways(content, grammar)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b" \n"])
@pytest.mark.parametrize("gap", [b" ", b"\t"])
def test_a_regular_file_takes_the_fast_way(gap: bytes, end: bytes) -> None:
    content = gap.join([b"q1", b"Q0", b"d1", b"1", b"2.5", b"t"]) + end
    block = BlockReader(io.BytesIO(content * 3), "file").next()
    assert block is not None
    found = split_regular_fields(block, RUN.layout)
    assert found is not None
    assert [decode(f) for f in found] == [[b"q1"] * 3, [b"d1"] * 3, [b"2.5"] * 3]


# --- streaming ------------------------------------------------------------------------------------


class Trickle(io.RawIOBase):
    """A stream that gives as many bytes at a time as it likes."""

    def __init__(self, content: bytes, sizes: list[int]) -> None:
        self.rest, self.sizes, self.turn = content, sizes, 0

    def readinto(self, buffer: Any) -> int:
        n = min(self.sizes[self.turn % len(self.sizes)], len(buffer), len(self.rest))
        self.turn += 1
        buffer[:n], self.rest = self.rest[:n], self.rest[n:]
        return n


ARRAYS = ("offsets", "rank", "first", "last", "relevance", "judged", "retrieved", "missing")


def assert_same_hits(a: rs.Hits, b: rs.Hits) -> None:
    assert a.query_ids == b.query_ids
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def everything_judged(content: bytes) -> rs.Qrels:
    """Judgments for every second document, and for a query that nobody answers."""
    name = lambda id_: id_.decode("utf-8", "surrogateescape")  # noqa: E731 - a line's work
    qrels: dict[str, dict[str, int]] = {"nobody": {"d1": 1}}
    for query, docs in naive_table(content, "run"):
        qrels[name(query)] = {name(d): i % 3 for i, (d, _) in enumerate(docs) if i % 2 == 0}
    return rs.Qrels(qrels)


def check_streaming(content: bytes, path: Path, size: int, chunks: list[int]) -> None:
    qrels = everything_judged(content)
    expected = join(qrels, rs.read_run(path))
    stretches = [f[0] for _, f in naive_lines(content)]
    stretches = [q for i, q in enumerate(stretches) if i == 0 or q != stretches[i - 1]]
    apart = len(stretches) > len(set(stretches))
    with open_binary(path) as file:
        sources = [
            open_source(file, path, None).stream_rows(size),
            stream_rows(Trickle(content, chunks), "run", RUN, size),
        ]
        for rows_of in sources:
            joiner = Joiner(qrels, Convention(), "run")
            try:
                for rows in rows_of:
                    joiner.add(rows)
            except Ungrouped:
                assert apart
            else:
                assert not apart
                assert_same_hits(joiner.finish(), expected)


STREAMED = st.one_of(wild_files("run", grouped=True), wild_files("run", grouped=True), wild_files("run"))


@examples(150)
@given(STREAMED, st.integers(3, 400), st.lists(st.integers(3, 60), min_size=1, max_size=5))
def test_streaming_gives_the_same_hits_on_any_chunking(
    put: Callable[..., Path], content: bytes, size: int, chunks: list[int]
) -> None:
    check_streaming(content, put(content), size, chunks)


@pytest.mark.slow
@examples(2_000)
@given(STREAMED, st.integers(3, 400), st.lists(st.integers(3, 60), min_size=1, max_size=5))
def test_streaming_gives_the_same_hits_on_any_chunking_at_length(
    put: Callable[..., Path], content: bytes, size: int, chunks: list[int]
) -> None:
    check_streaming(content, put(content), size, chunks)


@pytest.fixture
def tiny_blocks(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes `evaluate` read its run files in blocks of so many bytes."""

    def shrink(size: int) -> None:
        monkeypatch.setattr(
            Source, "stream_rows", lambda self, progress=None: stream_rows(self, self.name, RUN, size, progress)
        )

    return shrink


def made_run(queries: int, depth: int) -> bytes:
    rng = np.random.default_rng(5)
    lines = []
    for q in range(queries):
        scores = np.sort(rng.integers(0, depth, depth) / 4)[::-1]
        lines += [
            b"%d Q0 d%d %d %.2f made\n" % (q, d, r, s)
            for r, (d, s) in enumerate(zip(rng.permutation(depth), scores, strict=True))
        ]
    return b"".join(lines)


@pytest.mark.parametrize("size", [40, 200, 1000, 1 << 20])
def test_evaluate_gives_the_same_values_whatever_the_block_size(
    put: Callable[..., Path], tiny_blocks: Callable[[int], None], size: int
) -> None:
    content = made_run(12, 25)
    path = put(content)
    qrels = {str(q): {f"d{d}": d % 3 for d in range(0, 25, 2)} for q in range(12)}
    whole = rs.evaluate(qrels, rs.read_run(path), ["nDCG@10", "AP", "RR", "Bpref"])
    tiny_blocks(size)
    seen: list[int] = []
    streamed = rs.evaluate(qrels, path, ["nDCG@10", "AP", "RR", "Bpref"], progress=seen.append)
    assert_same_bits(streamed.values, whole.values)
    assert sum(seen) == len(content)
    assert size > len(content) or len(seen) > 1


@pytest.mark.parametrize("size", [40, 300])
@pytest.mark.parametrize("disturbance", [b"9 Q0 d1 1\n", b"9 Q0 d1 1 x t\n", b"9 Q0 d1 1 nan t\n"])
def test_an_error_far_into_a_stream_names_its_line(
    put: Callable[..., Path], tiny_blocks: Callable[[int], None], size: int, disturbance: bytes
) -> None:
    lines = made_run(9, 20).splitlines(keepends=True)
    for at in (0, 57, len(lines)):
        path = put(b"".join([*lines[:at], disturbance, *lines[at:]]))
        tiny_blocks(size)
        with pytest.raises(rs.InputError, match=rf":{at + 1}: "):
            rs.evaluate({"1": {"d1": 1}}, path, "AP")
        with pytest.raises(rs.InputError, match=rf":{at + 1}: "):
            rs.read_run(path)


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"# c\n\n", b"\xef\xbb\xbf# c\r\n \r\n"])
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b"q Q0 d 1", "4 fields, expected 6"),
        (b"q", "1 field, expected 6"),
        (b"q Q0 d 1 high t", "score 'high'"),
        (b"q Q0 d 1 nan t", "score 'nan'"),
        (b"q Q0 d 1 -inf t", "score '-inf'"),
        (b"q Q0 d 1 1e999 t", "score '1e999'"),
        (b"q Q0 d 1 1_0 t", "score '1_0'"),
        (b"q Q0 d 1 1,5 t", "score '1,5'"),
        (b"q Q0 a 1 1 t", "document 'a' of query 'q' "),
    ],
)
@pytest.mark.parametrize("form", ["{}\n", "{}\r\n", "  {}\n", "{}"])
def test_a_bad_line_of_a_run_is_named(
    put: Callable[..., Path], before: bytes, bad: bytes, said: str, form: str
) -> None:
    content = before + b"q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\n" + form.encode().replace(b"{}", bad)
    path = put(content)
    line = before.count(b"\n") + 3
    with pytest.raises(rs.InputError) as caught:
        rs.evaluate({"q": {"a": 1}}, path, "AP")
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b"q 0 d", "3 fields, expected 4"),
        (b"q 0 d 1 x", "5 fields, expected 4"),
        (b"q 0 d 1.5.2", "relevance '1.5.2'"),
        (b"q 0 d x", "relevance 'x'"),
        (b"q 0 d 1e999", "relevance '1e999'"),
        (b"q 0 d 99999999999999999999", "relevance '99999999999999999999'"),
        (b"q 0 a 2", "document 'a' of query 'q' "),
    ],
)
def test_a_bad_line_of_qrels_is_named(put: Callable[..., Path], bad: bytes, said: str) -> None:
    path = put(b"# judged\nq 0 a 1\nq 0 b 0\n" + bad + b"\n")
    with pytest.raises(rs.InputError) as caught:
        rs.read_qrels(path)
    assert str(caught.value).startswith(f"{path}:4: ")
    assert said in str(caught.value)


def test_of_several_bad_lines_the_first_is_named(put: Callable[..., Path]) -> None:
    path = put(b"q Q0 a 1 2.0 t\nq Q0 b 2 x t\nq Q0 c 3 y t\n")
    with pytest.raises(rs.InputError, match=":2: "):
        rs.read_run(path)


@pytest.mark.parametrize("size", [64, 1 << 20])
def test_a_document_that_comes_again_is_named_with_both_lines(
    put: Callable[..., Path], tiny_blocks: Callable[[int], None], size: int
) -> None:
    tiny_blocks(size)
    lines = [b"q Q0 d%d %d %d t\n" % (i, i, 1000 - i) for i in range(500)]
    path = put(b"".join([*lines, b"q Q0 d7 501 0 t\n", b"q Q0 d7 502 0 t\n", b"z Q0 d7 1 1 t\n"]))
    with pytest.raises(rs.InputError) as caught:
        rs.evaluate({"q": {"d1": 1}}, path, "AP")
    assert str(caught.value).startswith(f"{path}:501: ")
    assert mentions(caught.value, "'d7'", "'q'", f"{path}:8")


def test_a_document_that_comes_again_is_found_where_its_query_is_scattered(put: Callable[..., Path]) -> None:
    rng = np.random.default_rng(2)
    pairs = [(q, d) for q in range(30) for d in range(60)]
    lines = [b"%d Q0 d%d 1 %d t\n" % (*pairs[i], i) for i in rng.permutation(len(pairs))]
    lines.append(lines[11])
    path = put(b"".join(lines))
    query, _, doc, *_ = lines[11].decode().split()
    for use in (
        lambda: rs.evaluate({query: {"x": 1}}, path, "AP"),
        lambda: join(rs.Qrels({query: {"x": 1}}), rs.read_run(path)),
    ):
        with pytest.raises(rs.InputError) as caught:
            use()
        said = f"{path}:1801: document {doc!r} of query {query!r} occurs twice, first at {path}:12;"
        assert str(caught.value).startswith(said)


def test_a_document_that_comes_again_in_a_query_without_judgments_is_refused_too(put: Callable[..., Path]) -> None:
    path = put(b"q Q0 a 1 2 t\nz Q0 a 1 2 t\nz Q0 a 2 1 t\n")
    with pytest.raises(rs.InputError, match=r":3: .*'a' .*'z'"):
        rs.evaluate({"q": {"a": 1}}, path, "AP")


def test_a_file_of_nothing_but_comments_is_refused(put: Callable[..., Path]) -> None:
    for content in (b"# nothing\n\n", b"\n", b" ", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b"\r\n" * 3000):
        path = put(content)
        for use in (rs.read_run, rs.read_qrels, lambda p: rs.evaluate({"q": {"a": 1}}, p, "AP")):
            with pytest.raises(rs.InputError, match=r"no data|empty"):
                use(path)


def test_a_file_with_the_line_ends_of_old_macs_is_refused(tmp_path: Path) -> None:
    """Else it would be one document with a very long tag."""
    run, qrels = tmp_path / "old.run", tmp_path / "old.qrels"
    run.write_bytes(b"1 Q0 d0 1 9 t\r1 Q0 d1 2 8 t\r")
    qrels.write_bytes(b"1 0 d0 0\r1 0 d1 1\r")
    with pytest.raises(rs.InputError, match=r"old\.run:1: .*carriage return"):
        rs.read_run(run)
    with pytest.raises(rs.InputError, match=r"old\.qrels:1: 8 fields, .*\b4\b.*carriage return"):
        rs.read_qrels(qrels)
    assert rs.evaluate({"1": {"d": 1}}, put_run(tmp_path, b"1 Q0\rd 1 9 t\n"), "NumRet").overall("NumRet") == 1


def put_run(folder: Path, content: bytes) -> Path:
    path = folder / "one.run"
    path.write_bytes(content)
    return path


MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, 1 << 20])
@pytest.mark.parametrize("mark", [MARK, 2 * MARK, b"\n" + MARK], ids=["one", "two", "after a blank line"])
def test_byte_order_marks_of_joined_files_are_no_data(size: int, mark: bytes) -> None:
    """Wherever the blocks end; elsewhere in a line they stay."""
    lines = [b"q%d Q0 d\xef\xbb\xbf%d 1 %d.5 t\xef\n" % (i // 2, i, i) for i in range(8)]
    content = MARK + b"".join(lines[:3]) + mark + b"".join(lines[3:6]) + mark + b"".join(lines[6:])
    expected = naive_table(b"".join(lines), "run")
    streamed = [table_of(rows) for rows in stream_rows(Trickle(content, [size]), "run", RUN, max(size, 64))]
    assert exact([entry for table in streamed for entry in table]) == exact(expected)
    rows, n_ungrouped = read_rows(Trickle(content, [size]), "run", RUN)
    assert (exact(table_of(rows)), n_ungrouped) == (exact(expected), 0)


def test_lines_are_counted_past_byte_order_marks() -> None:
    content = MARK + b"q Q0 d 1 2 t\n" + MARK + b"q Q0 e 1 x t\n"
    with pytest.raises(rs.InputError, match="run:2: score 'x'"):
        read_rows(io.BytesIO(content), "run", RUN)


@pytest.mark.parametrize(
    ("line", "kind"), [(b"#q Q0 d 1 2 t", "run"), (b"#q Q0 d 1 2.5", "run"), (b"#q 0 d 1", "qrels")]
)
def test_comments_that_may_be_data_are_noted(line: bytes, kind: str, put: Callable[..., Path]) -> None:
    """By every way to read a run, and once."""
    data = b"q 0 d 1\n" if kind == "qrels" else b"q Q0 d 1 2 t\n"
    path = put(line + b"\n" + data + line + b"\n")
    scores = rs.evaluate(path, {"q": {"d": 1}}) if kind == "qrels" else rs.evaluate({"q": {"d": 1}}, path)
    notes = rs.convert(path, path.with_suffix(".jsonl"), kind=kind)
    expected = f"{path}: lines that begin with # were skipped as comments, but have the fields of data"
    for found in (scores.notes, notes, (rs.read_qrels if kind == "qrels" else rs.read_run)(path).notes):
        assert [note.partition(";")[0] for note in found if "#" in note] == [expected]


@pytest.mark.parametrize(
    "line", [b"#query Q0 document rank score tag", b"#qrels of 2004", b"#", b"#1 2 3", b"#q 0 d x", b"# q 0 d 1 2"]
)
def test_other_comments_are_skipped_without_a_note(line: bytes, put: Callable[..., Path]) -> None:
    assert rs.read_run(put(b"q Q0 d 1 2 t\n" + line + b"\n")).notes == ()
    assert rs.read_qrels(put(b"q 0 d 1\n" + line + b"\n")).notes == ()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b" \t\n"])
def test_blocks_of_blank_lines_are_passed_over(end: bytes) -> None:
    """As a small compressed file may unpack to many; lines are counted all the same."""
    content = b"q Q0 d 1 2 t\n" + end * 5000 + b"q Q0 e 2 1 t\n" + end * 5000 + b"q Q0 f 3 x t\n"
    reader = BlockReader(io.BytesIO(content), "run", 100)
    sizes, keep_from = [], None
    while (block := reader.next(keep_from)) is not None:
        sizes.append(block.end - block.begin)
        keep_from = block.end
    assert len(sizes) < 10
    with pytest.raises(rs.InputError, match="run:10003: score 'x'"):
        list(stream_rows(io.BytesIO(content), "run", RUN, 100))
    with pytest.raises(rs.InputError, match="no data, only comments and blank lines"):
        list(stream_rows(io.BytesIO(end * 5000), "run", RUN, 100))
