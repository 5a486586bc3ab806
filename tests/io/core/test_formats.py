"""Compressed files, pipes, tables with named columns: told by content, the same numbers as TREC's text."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.data.row_input import rows_from_dicts
from rankscope.io.core import FORMATS, FileContent, Format, ReadRequest, Source
from rankscope.io.core.formats import FormatEntry
from rankscope.kernels.text import decode

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

QRELS = b"007 0 d1 2\n007 0 d2 0\n10 0 d1 1\n"
RUN = b"007 Q0 d2 1 3.5 bm25\n007 Q0 d1 2 2.5 bm25\n10 Q0 d1 1 -1e-3 bm25\n"
ROWS = [(b"007", b"d2", 3.5), (b"007", b"d1", 2.5), (b"10", b"d1", -1e-3)]
JUDGED = [("007", "d1", 2), ("007", "d2", 0), ("10", "d1", 1)]


def rows_of(run: rs.Run) -> list[tuple[bytes, bytes, float]]:
    return [(q.encode(), d.encode(), s) for q, d, s in run.frame().rows()]


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., Path]:
    def write(content: bytes, name: str = "file.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def check(qrels: Path, run: Path, *, name: str = "bm25") -> None:
    assert rows_of(rs.read_run(run)) == ROWS
    assert rs.read_qrels(qrels).frame().rows() == JUDGED
    scores = rs.evaluate(qrels, run, ["RR", "P@1"])
    assert scores.systems == (name,)
    assert scores.query_ids == ("007", "10")
    assert scores.matrix("RR").tolist() == [[1 / 2, 1]]
    assert scores.overall("P@1") == (0 + 1) / 2


# --- compression ----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst", ".txt"])
@pytest.mark.parametrize(
    "pack",
    [
        bytes,
        gzip.compress,
        zstd.compress,
        lambda b: b"".join(gzip.compress(b[i : i + 7]) for i in range(0, len(b), 7)),
        lambda b: b"".join(zstd.compress(b[i : i + 7]) for i in range(0, len(b), 7)),
        lambda b: gzip.compress(b, compresslevel=0),
    ],
    ids=["plain", "gzip", "zstd", "gzip of many members", "zstd of many frames", "gzip stored"],
)
def test_compression_is_told_by_content_and_not_by_suffix(
    put: Callable[..., Path], pack: Callable[[bytes], bytes], suffix: str
) -> None:
    check(put(pack(QRELS), "q" + suffix), put(pack(RUN), "r" + suffix))


def big_run() -> bytes:
    return b"".join(
        b"%d Q0 doc%07d %d %d.25 big\n" % (i // 1000, (i * 7919) % 1000003, i % 1000, 1000 - i % 1000)
        for i in range(20_000)
    )


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
@pytest.mark.parametrize("share", [0.0001, 0.5, 0.98, 1.0])
def test_a_truncated_file_is_refused_wherever_it_ends(
    put: Callable[..., Path], pack: Callable[[bytes], bytes], share: float
) -> None:
    packed = pack(big_run())
    end = min(max(int(len(packed) * share), 5), len(packed) - 1)
    path = put(packed[:end], "cut")
    for use in (rs.read_run, rs.read_qrels, lambda p: rs.evaluate({"1": {"d": 1}}, p, "AP")):
        with pytest.raises(rs.InputError, match=r"cut: .*(truncated|damaged)"):
            use(path)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
@pytest.mark.parametrize("at", [5, 20, 3000, -2])
def test_a_damaged_file_is_refused(put: Callable[..., Path], pack: Callable[[bytes], bytes], at: int) -> None:
    packed = bytearray(pack(big_run()))
    for i in range(4):
        packed[at - i] ^= 0x5A
    path = put(bytes(packed), "damaged")
    for use in (rs.read_run, rs.read_qrels, lambda p: rs.evaluate({"1": {"d": 1}}, p, "AP")):
        with pytest.raises(rs.InputError, match=r"damaged(:\d+)?: "):
            use(path)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
def test_a_compressed_nothing_is_an_empty_file(put: Callable[..., Path], pack: Callable[[bytes], bytes]) -> None:
    for use in (rs.read_run, rs.read_qrels):
        with pytest.raises(rs.InputError, match="empty"):
            use(put(pack(b"")))


# --- standard input and pipes ---------------------------------------------------------------------


@pytest.fixture
def standard_input(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    def feed(content: bytes) -> None:
        buffered = io.BufferedReader(io.BytesIO(content))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(buffered))

    return feed


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress])
def test_a_dash_is_standard_input(
    put: Callable[..., Path], standard_input: Callable[[bytes], None], pack: Callable[[bytes], bytes]
) -> None:
    standard_input(pack(RUN))
    scores = rs.evaluate(put(QRELS), "-", "RR")
    assert scores.systems == ("bm25",)
    assert scores.overall("RR") == (1 / 2 + 1) / 2
    standard_input(pack(QRELS))
    assert len(rs.read_qrels("-")) == 3
    standard_input(pack(RUN.replace(b" bm25", b"")))
    assert rs.read_run("-").name == "stdin"


def test_standard_input_can_stand_for_one_file_only(standard_input: Callable[[bytes], None]) -> None:
    standard_input(QRELS)
    with pytest.raises(rs.ParameterError, match="standard input"):
        rs.evaluate("-", "-", "RR")
    with pytest.raises(rs.ParameterError, match="standard input"):
        rs.evaluate({"007": {"d1": 1}}, ["-", "-"], "RR")


def test_an_error_in_standard_input_names_it(standard_input: Callable[[bytes], None]) -> None:
    standard_input(b"q Q0 d 1 1 t\nq Q0 e 2 x t\n")
    with pytest.raises(rs.InputError, match=r"^<stdin>:2: score 'x'"):
        rs.evaluate({"q": {"d": 1}}, "-", "RR")
    standard_input(b"")
    with pytest.raises(rs.InputError, match=r"^<stdin>: .*empty"):
        rs.read_qrels("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("mixed", [False, True])
def test_a_named_pipe_is_read_once_and_whole(
    tmp_path: Path, put: Callable[..., Path], pack: Callable[[bytes], bytes], mixed: bool
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = RUN + b"007 Q0 d9 3 9 bm25\n" if mixed else RUN
    writer = threading.Thread(target=pipe.write_bytes, args=(pack(content),))
    writer.start()
    scores = rs.evaluate(put(QRELS), pipe, "RR")
    writer.join()
    assert scores.systems == ("bm25",)
    assert scores.matrix("RR").tolist() == [[1 / 3 if mixed else 1 / 2, 1]]


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
def test_a_pipe_by_its_descriptor_is_read(put: Callable[..., Path]) -> None:
    code = (
        "import sys, rankscope as rs; "
        "print(rs.evaluate(sys.argv[1], '/dev/fd/0', 'RR').overall('RR'), rs.__version__ > '')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, put(QRELS)], input=gzip.compress(RUN), capture_output=True, check=True
    )
    assert done.stdout.split() == [b"0.75", b"True"]


# --- tables ---------------------------------------------------------------------------------------


def table(kind: str, names: tuple[str, str, str]) -> pl.DataFrame:
    rows = JUDGED if kind == "qrels" else [(q.decode(), d.decode(), s) for q, d, s in ROWS]
    return pl.DataFrame(rows, names, orient="row")


def as_bytes(frame: pl.DataFrame, form: str) -> bytes:
    out = io.BytesIO()
    if form == "parquet":
        frame.write_parquet(out)
    elif form == "jsonl":
        frame.write_ndjson(out)
    else:
        frame.write_csv(out, separator={"csv": ",", "tsv": "\t"}[form])
    return out.getvalue()


NAMES = [("query_id", "doc_id"), ("qid", "docno"), ("query", "docid"), ("query-id", "corpus-id"), ("topic", "doc")]


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress], ids=["plain", "gzip", "zstd"])
@pytest.mark.parametrize("names", NAMES, ids=" ".join)
def test_a_table_is_told_by_content_and_read_by_its_columns(
    put: Callable[..., Path], form: str, pack: Callable[[bytes], bytes], names: tuple[str, str]
) -> None:
    qrels = put(pack(as_bytes(table("qrels", (*names, "relevance")), form)), "judged")
    run = put(pack(as_bytes(table("run", (*names, "score")), form)), "mine")
    check(qrels, run, name="mine")


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_columns_may_stand_in_any_order_among_others(put: Callable[..., Path], form: str) -> None:
    frame = table("run", ("query_id", "doc_id", "score")).with_columns(tag=pl.lit("x"), rank=pl.lit(1))
    run = put(as_bytes(frame.select("rank", "score", "tag", "doc_id", "query_id"), form), "run")
    assert rows_of(rs.read_run(run)) == ROWS


@pytest.mark.parametrize("name", ["relevance", "rel", "label", "grade", "score"])
def test_a_relevance_goes_by_several_names(put: Callable[..., Path], name: str) -> None:
    path = put(as_bytes(table("qrels", ("query_id", "doc_id", name)), "csv"))
    assert rs.read_qrels(path).frame().rows() == JUDGED


def test_beir_qrels_are_read(put: Callable[..., Path]) -> None:
    path = put(b"query-id\tcorpus-id\tscore\n007\td1\t2\n007\td2\t0\n10\td1\t1\n", "test.tsv")
    assert rs.read_qrels(path).frame().rows() == JUDGED


def test_ids_of_digits_stay_as_they_are_written(put: Callable[..., Path]) -> None:
    path = put(b"query_id,doc_id,score\n007,0010,1\n7,1e3,2\n1_0,+5,3\n")
    assert rows_of(rs.read_run(path)) == [(b"007", b"0010", 1.0), (b"7", b"1e3", 2.0), (b"1_0", b"+5", 3.0)]


def test_ids_that_are_whole_numbers_become_their_digits(put: Callable[..., Path]) -> None:
    lines = b'{"query_id": 7, "doc_id": 10, "score": 1}\n{"query_id": 7, "doc_id": 11, "score": 0.5}\n'
    assert rows_of(rs.read_run(put(lines))) == [(b"7", b"10", 1.0), (b"7", b"11", 0.5)]
    frame = pl.DataFrame({"query_id": [7, 7], "doc_id": [2**53 + 1, 2**53], "score": [1, 2]})
    run = rs.read_run(put(as_bytes(frame, "parquet")))
    assert rows_of(run) == [(b"7", b"9007199254740993", 1.0), (b"7", b"9007199254740992", 2.0)]


def test_quoted_fields_hold_separators_and_quotes(put: Callable[..., Path]) -> None:
    path = put(b'query_id,doc_id,score\n"a,b","d ""1""",1.5\r\n"c",d#2,"2"\r\n')
    assert rows_of(rs.read_run(path)) == [(b"a,b", b'd "1"', 1.5), (b"c", b"d#2", 2.0)]


def test_a_table_may_begin_with_a_byte_order_mark(put: Callable[..., Path]) -> None:
    assert rows_of(rs.read_run(put(b"\xef\xbb\xbfquery_id,doc_id,score\nq,d,1\n"))) == [(b"q", b"d", 1.0)]
    assert rows_of(rs.read_run(put(b'\xef\xbb\xbf{"query_id":"q","doc_id":"d","score":1}\n'))) == [(b"q", b"d", 1.0)]


def test_unicode_ids_in_tables_are_those_in_text(put: Callable[..., Path]) -> None:
    ids = [("q\u00a0x", "日本"), ("é", "\u2003")]
    csv = "query_id,doc_id,score\n" + "".join(f"{q},{d},1\n" for q, d in ids)
    text = "".join(f"{q} Q0 {d} 1 1 t\n" for q, d in ids)
    in_table, in_text = rs.read_run(put(csv.encode(), "a")), rs.read_run(put(text.encode(), "b"))
    assert in_table.query_ids == in_text.query_ids == tuple(q for q, _ in ids)
    assert decode(in_table.rows().docs) == decode(in_text.rows().docs)


def test_scores_in_a_table_are_read_to_the_last_bit(put: Callable[..., Path]) -> None:
    scores = [0.1, 1 / 3, 1e-310, 123456789.123456789, -2.5e-7, 5e-324, 1.7976931348623157e308]
    for form in ("csv", "tsv", "parquet", "jsonl"):
        frame = pl.DataFrame({"query_id": ["q"] * 7, "doc_id": list("abcdefg"), "score": scores})
        content = as_bytes(frame, form)
        if form in ("csv", "tsv"):
            gap = {"csv": ",", "tsv": "\t"}[form]
            rows = [gap.join(("q", d, repr(s))) for d, s in zip("abcdefg", scores, strict=True)]
            content = "\n".join([gap.join(("query_id", "doc_id", "score")), *rows]).encode()
        assert [s for _, _, s in rows_of(rs.read_run(put(content)))] == scores, form


def test_rows_of_a_query_that_are_apart_in_a_table_are_merged_with_a_note(put: Callable[..., Path]) -> None:
    run = rs.read_run(put(b"query_id,doc_id,score\na,d1,1\nb,d1,1\na,d2,2\n"))
    assert rows_of(run) == [(b"a", b"d1", 1.0), (b"a", b"d2", 2.0), (b"b", b"d1", 1.0)]
    assert mentions(run.notes[0], 1, "together")


def test_input_overrides_what_content_says(put: Callable[..., Path]) -> None:
    path = put(b"query_id doc_id,x doc 1 2.5 t\n")
    assert rows_of(rs.read_run(path, input="trec")) == [(b"query_id", b"doc", 2.5)]
    with pytest.raises(rs.InputError):
        rs.read_run(path, input="csv")
    with pytest.raises(rs.UnknownName, match="did you mean jsonl"):
        rs.read_run(path, input="jsonll")
    with pytest.raises(rs.InputError):
        rs.evaluate({"query_id": {"doc": 1}}, path, "RR", input="parquet")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"query_id,doc_id,score\nq,d,1\nq,e,x\n", ":3: score is 'x'"),
        (b"query_id,doc_id,score\nq,d,nan\n", ":2: score is nan"),
        (b"query_id,doc_id,score\nq,d,inf\n", ":2: score is inf"),
        (b"query_id,doc_id,score\nq,d,1e999\n", ":2: score is inf"),
        (b"query_id,doc_id,score\nq,d,\n", ":2: score is empty"),
        (b"query_id,doc_id,score\nq,d,1\nq,e\n", ":3: "),
        (b"query_id,doc_id,score\nq,d,1\nq,e,1,2\n", ":3: 4 fields, expected 3"),
        (b"query_id,doc_id,score\nq,,1\n", ":2: doc_id is empty"),
        (b"query_id,doc_id,score\n,d,1\n", ":2: query_id is empty"),
        (b"query_id,doc_id,score\nq,d,1\nz,d,1\nq,d,2\n", ":4: document 'd' of query 'q' "),
        (b"query_id,doc_id,points\nq,d,1\n", "no column 'score'"),
        (b"query_id,doc_id,score\n", "a header and no rows"),
        (b'{"query_id":"q","doc_id":"d","score":1}\n{"query_id":"q","doc_id":"e","score":"x"}\n', ":2: score"),
        (b'{"query_id":"q","doc_id":"d","score":1}\n{"query_id":"q","doc_id":"d","score":0}\n', ":2: document 'd'"),
        (b'{"query_id":"q","doc_id":"d","score":1}\n{"query_id":"q","score":0}\n', ":2: doc_id is empty"),
        (b'{"query_id":"q","doc_id":"d","score":1}\nnonsense\n', ":2: not a JSON object"),
        (b'{"query_id":1.5,"doc_id":"d","score":1}\n', "column 'query_id' holds"),
    ],
)  # fmt: skip
def test_a_bad_row_of_a_table_is_named(put: Callable[..., Path], content: bytes, said: str) -> None:
    path = put(content)
    with pytest.raises(rs.InputError) as caught:
        rs.evaluate({"q": {"d": 1}}, path, "RR")
    assert str(caught.value).startswith(f"{path}:")
    assert said in str(caught.value)


def test_both_rows_of_a_document_that_comes_again_are_named(put: Callable[..., Path]) -> None:
    path = put(b"query_id,doc_id,score\nq,d,1\nz,d,1\nq,e,3\nq,d,2\n")
    with pytest.raises(rs.InputError) as caught:
        rs.evaluate({"q": {"d": 1}}, path, "RR")
    assert str(caught.value).startswith(f"{path}:5: ")
    assert mentions(caught.value, "'d'", "'q'", f"{path}:2")


@pytest.mark.parametrize("value", ["1.5x", "x", "nan", "inf", "1e300"])
def test_a_relevance_in_a_table_must_be_a_finite_number(put: Callable[..., Path], value: str) -> None:
    path = put(f"query_id,doc_id,relevance\nq,d,1\nq,e,{value}\n".encode())
    with pytest.raises(rs.InputError, match=r":3: relevance"):
        rs.read_qrels(path)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("letor", r"input='letor' \(--input letor\) .*read_letor\(labels, predictions\)"),
        ("letor-ranks", r"use read_letor\(labels, ranks, ranks=True\)"),
        ("entity-ranks", r"input='entity-ranks' .*; use read_entity_ranks\(path\)"),
        ("letr", "unknown input format 'letr'; did you mean letor"),
    ],
)
def test_formats_that_are_no_judgments_and_no_run_by_themselves_say_what_reads_them(
    put: Callable[..., Path], form: str, said: str
) -> None:
    for use in (rs.read_run, rs.read_qrels):
        with pytest.raises(rs.ParameterError, match=said):
            use(put(QRELS), input=form)


@pytest.fixture
def colons() -> Iterator[None]:
    """A format of runs that a file does not have to be named for: `query: document document ...`."""

    def read(source: Source, wanted: ReadRequest) -> FileContent:
        lines = [line.split(":") for line in source.read_bytes().decode().splitlines()]
        found = {query: {doc: -float(i) for i, doc in enumerate(docs.split())} for query, docs in lines}
        return FileContent(rows_from_dicts(found, source.name, "score"))

    FORMATS["colons"] = FormatEntry(
        Format(read=read, sniff=lambda head: head.line.split()[0].endswith(b":")), (".colons",)
    )
    yield
    del FORMATS["colons"]


@pytest.mark.usefixtures("colons")
def test_a_new_format_is_read_wherever_runs_are(put: Callable[..., Path], tmp_path: Path) -> None:
    path = put(b"007: d2 d1\n10: d1\n", "mine.colons")
    for input_ in (None, "colons"):
        run = rs.read_run(path, input=input_)
        assert (run.name, run.query_ids) == ("mine", ("007", "10"))
        scores = rs.evaluate(put(QRELS, "q"), path, "RR", input=input_)
        assert (scores.systems, scores.matrix("RR").tolist()) == (("mine",), [[1 / 2, 1]])
    assert rs.convert(path, tmp_path / "out.csv", kind="run", input="colons") == ()
    assert rs.read_run(tmp_path / "out.csv").frame().equals(rs.read_run(path).frame())
    with pytest.raises(rs.InputError, match=r"mine\.colons: colons .*run, .*judgments"):
        rs.read_qrels(path)
    with pytest.raises(rs.ParameterError, match=r"'\.colons'"):  # it is not written
        rs.convert(path, tmp_path / "out.colons")


def test_files_of_trec_load_no_other_format(put: Callable[..., Path]) -> None:
    code = (
        "import sys, rankscope as rs; rs.evaluate(*sys.argv[1:], 'AP'); "
        "print(*sorted(m for m in sys.modules if m.startswith('rankscope.io.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, put(QRELS, "q"), put(RUN, "r")], capture_output=True, check=True, text=True
    )
    loaded = set(done.stdout.replace("rankscope.io.", "").split())
    assert {"trec.format", "core.formats"} <= loaded
    others = {"tables", "json_dicts", "letor", "translation", "ballots", "preferences", "convert", "trec.diagnose"}
    assert not loaded & others


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_an_empty_file_of_a_named_format_is_empty(put: Callable[..., Path], form: str) -> None:
    with pytest.raises(rs.InputError, match="empty"):
        rs.read_run(put(b""), input=form)


def test_column_names_may_be_written_in_any_case(put: Callable[..., Path]) -> None:
    assert rows_of(rs.read_run(put(b"Query_ID, Doc_ID ,Score\nq,d,1\n"))) == [(b"q", b"d", 1.0)]


GRADES_AS_FILES = {
    "g.qrels": "q 0 d {}\nq 0 e 1\n",
    "g.csv": "query_id,doc_id,relevance\nq,d,{}\nq,e,1\n",
    "g.tsv": "query_id\tdoc_id\trelevance\nq\td\t{}\nq\te\t1\n",
    "g.jsonl": '{{"query_id":"q","doc_id":"d","relevance":{}}}\n{{"query_id":"q","doc_id":"e","relevance":1}}\n',
    "g.json": '{{"q":{{"d":{},"e":1}}}}',
}


@pytest.mark.parametrize("name", GRADES_AS_FILES)
@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("9007199254740991", 2**53 - 1),
        ("9007199254740992", None),
        ("-9007199254740993", None),
        ("9007199254740993.0", None),
        ("1e16", None),
        ("123456789012345678901234567890", None),
        ("1e-400", 0),
        ("-1e-400", 0),
    ],
)
def test_a_grade_is_the_same_in_every_format(tmp_path, name, text, grade):
    path = tmp_path / name
    path.write_text(GRADES_AS_FILES[name].format(text))
    if grade is None:
        with pytest.raises(rs.InputError, match=r"expected a finite number below 2\^53"):
            rs.read_qrels(path)
        return
    assert rs.read_qrels(path).frame()["relevance"].to_list() == [grade, 1]
