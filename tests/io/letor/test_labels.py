"""LETOR's and SVMlight's label files and prediction files: what is read, and what is refused where."""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import example, given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import read_letor
from rankscope.errors import InputError
from rankscope.io.core import LineBlock
from rankscope.io.letor import fields as letor_fields
from rankscope.io.letor import label_qrels, prediction_run, read_labels, read_predictions
from rankscope.io.letor import labels as letor
from rankscope.io.letor import predictions as letor_predictions
from rankscope.io.letor.labels import LetorLabels
from rankscope.kernels.text import PADDING, decode

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LETOR4 = (
    b"2 qid:10 1:0.5 2:0.25 #docid = D1 inc = 1 prob = 0.1\n"
    b"0 qid:10 1:0.1 2:0.75 #docid = D2 inc = 1 prob = 0.1\n"
    b"1 qid:9 1:0.2 2:0.5 #docid = D1 inc = 1 prob = 0.1\n"
)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def call(content: bytes, name: str = "test.txt") -> str:
        (tmp_path / name).write_bytes(content)
        return name

    return call


def read(labels: LetorLabels) -> list[tuple[int, str, str | None, int]]:
    """(relevance, query, document, line) of each document."""
    docs = [None] * len(labels) if labels.docs is None else [doc.decode() for doc in decode(labels.docs)]
    queries = [labels.query_ids[code] for code in labels.query_index]
    return list(zip(labels.relevance.tolist(), queries, docs, labels.lines.tolist(), strict=True))


EXPECTED = [(2, "10", "D1", 1), (0, "10", "D2", 2), (1, "9", "D1", 3)]


def without_docs(rows):
    return [(label, query, None, line) for label, query, _, line in rows]


FORMS = {
    "LETOR 4": (LETOR4, EXPECTED),
    "LETOR 3": (re.sub(rb" inc.*", b"", LETOR4), EXPECTED),
    "MSLR": (re.sub(rb" #.*", b"", LETOR4), without_docs(EXPECTED)),
    "labels and queries only": (re.sub(rb" 1:.*", b"", LETOR4), without_docs(EXPECTED)),
    "CRLF": (LETOR4.replace(b"\n", b"\r\n"), EXPECTED),
    "tabs": (re.sub(rb" (?=qid|\d:|#)", b"\t", LETOR4), EXPECTED),
    "several spaces": (LETOR4.replace(b" ", b"   "), EXPECTED),
    "blanks around": (re.sub(rb"(?m)^(.*)$", rb"  \1 \t", LETOR4).rstrip(), EXPECTED),
    "no newline at the end": (LETOR4.rstrip(), EXPECTED),
    "a byte order mark": (b"\xef\xbb\xbf" + LETOR4, EXPECTED),
    "another comment": (re.sub(rb"#.*", b"# http://x/#docid = D", LETOR4), without_docs(EXPECTED)),
    "a comment without a blank before it": (re.sub(rb" 1:.*", b" 1:1#x", LETOR4), without_docs(EXPECTED)),
    "one line without docid": (LETOR4.replace(b"#docid = D2", b"#"), without_docs(EXPECTED)),
    "labels written as 2.0": (re.sub(rb"(?m)^(\d)", rb"\1.0", LETOR4), EXPECTED),
    "labels with signs": (re.sub(rb"(?m)^(\d)", rb"+\1", LETOR4), EXPECTED),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [3, 40, 100, letor.BLOCK_SIZE])
def test_each_form_of_the_file_is_read(write, form: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """And with blocks that end anywhere."""
    monkeypatch.setattr(letor, "BLOCK_SIZE", size)
    content, expected = FORMS[form]
    assert read(read_labels(write(content))) == expected


def test_blank_lines_and_comments_count_as_lines_only(write) -> None:
    content = b"# LETOR\n\n" + LETOR4.replace(b"1 qid:9", b" \t\n  # more\n1 qid:9")
    assert read(read_labels(write(content))) == [(2, "10", "D1", 3), (0, "10", "D2", 4), (1, "9", "D1", 7)]


def test_negative_labels_and_long_ids_are_kept(write) -> None:
    query, doc = "query-" + "x" * 500, "http://a/" + "y" * 900
    labels = read_labels(write(f"-1 qid:{query} 1:0.5 #docid = {doc}\n2 qid:{query} 1:2 #docid = é\n".encode()))
    assert read(labels) == [(-1, query, doc, 1), (2, query, "é", 2)]


def test_features_are_not_looked_at(write) -> None:
    assert read(read_labels(write(b"1 qid:a nonsense ::: 1:x\n"))) == [(1, "a", None, 1)]


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_compressed_files_are_told_by_content(write, pack) -> None:
    assert read(read_labels(write(pack(LETOR4)))) == EXPECTED
    assert read_predictions(write(pack(b"1\n2\n"))).tolist() == [1.0, 2.0]


def test_lines_of_a_query_that_are_not_together_are_known(write) -> None:
    labels = read_labels(write(b"1 qid:b\n0 qid:a\n2 qid:b\n"))
    assert (labels.query_ids, labels.query_index.tolist(), labels.is_grouped) == (("b", "a"), [0, 1, 0], False)
    assert read_labels(write(LETOR4)).is_grouped


ids = st.text("abQ019-_", min_size=1, max_size=40)
documents = st.lists(st.tuples(st.integers(-3, 40), ids, st.integers(0, 9), ids), min_size=1, max_size=30)


@given(documents, st.integers(1, 300), st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\n # x\n"]))
@example([(1, "q", 0, "d")], 1, b"\n")
def test_what_is_read_is_what_a_loop_reads(tmp_path: Path, rows, size: int, end: bytes) -> None:
    lines = [f"{a} qid:{q} {'1:0.5 ' * n}#docid = {d}".encode() for a, q, n, d in rows]
    path = tmp_path / "labels"
    path.write_bytes(end.join(lines) + end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letor, "BLOCK_SIZE", size)
        labels = read_labels(path)
    naive = [
        (int(fields[0]), fields[1].decode()[4:], fields[-1].decode(), number)
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1)
        if (fields := line.split()) and fields[0] != b"#"
    ]
    assert read(labels) == naive
    assert list(labels.query_ids) == list(dict.fromkeys(q for _, q, _, _ in naive))


@given(st.lists(st.text("ab \t\r#", max_size=70), min_size=1, max_size=8), st.integers(1, 4), st.integers(1, 40))
def test_the_first_fields_are_those_of_split(lines: list[str], count: int, width: int) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    buffer = bytearray(bytes(PADDING) + text + bytes(2 * PADDING))
    found = letor_fields.find_lines(LineBlock(buffer, PADDING, PADDING + len(text), 1, "x", True), comments=True)
    starts, lengths = letor_fields.leading_fields(found.buffer, found.starts, found.ends, count, width)
    for row, line in enumerate(lines):
        fields = [bytes(buffer[a : a + n]) for a, n in zip(starts[row], lengths[row], strict=True) if n]
        assert fields == line.encode().split()[:count]
    places = [line.find("#") if "#" in line else len(line) for line in lines]
    assert (letor_fields.comment_starts(found) - found.starts).tolist() == places
    ends = letor_fields.field_ends(found.buffer, found.starts, width)
    assert (ends - found.starts).tolist() == [re.search(r"\s|\Z", line).start() for line in lines]


# What is refused


BAD_LABELS = {
    "no qid": (b"1 qid:1\n1 1:0.5\n", "test.txt:2: '1:0.5' "),
    "an empty qid": (b"1 qid: 1:0.5\n", "test.txt:1: 'qid:' "),
    "a label only": (b"\n1\n", "test.txt:2: nothing after"),
    "qid in a comment": (b"1 #qid:1\n", "test.txt:1: nothing after"),
    "a run of TREC": (b"1 Q0 a 1 2.5 tag\n", "test.txt:1: 'Q0' after the label"),
    "a word": (b"1 qid:1\nhigh qid:1\n", "test.txt:2: label 'high'"),
    "nan": (b"nan qid:1\n", "test.txt:1: label 'nan'"),
    "an endless number": (b"9" * 30 + b" qid:1\n", f"test.txt:1: label '{'9' * 30}', expected a finite number"),
    "2^53": (b"1 qid:1 1:2\n9007199254740992 qid:1 1:1\n", "test.txt:2: label '9007199254740992', expected a finite"),
    "below -2^53": (b"-9007199254740993 qid:1\n", "test.txt:1: label '-9007199254740993', expected a finite number"),
    "old Macs": (b"1 qid:1 1:2\r0 qid:1 1:1\r", "test.txt:1: a carriage return inside the line"),
    "nothing": (b"", "test.txt: the file is empty"),
    "blanks and comments": (b"\n # x\n", "test.txt: no data"),
    "binary": (b"1 qid:1\0\n", "test.txt: a binary file"),
    "bzip2": (b"BZh91AY", "test.txt: compressed with bzip2"),
    "UTF-16": ("1 qid:1\n".encode("utf-16"), "test.txt: the text is UTF-16"),
}


@pytest.mark.parametrize("kind", BAD_LABELS)
def test_a_bad_label_file_is_refused_with_its_line(write, kind: str) -> None:
    content, said = BAD_LABELS[kind]
    path = write(content)
    with pytest.raises(InputError, match=f"^{re.escape(said)}") as refused:
        read_labels(path)
    assert "\n" not in str(refused.value)


def test_the_largest_and_the_smallest_labels_are_those_of_all_formats(write) -> None:
    labels = read_labels(write(b"9007199254740991 qid:1\n-9007199254740991 qid:1\n1e-400 qid:2\n"))
    assert labels.relevance.tolist() == [2**53 - 1, 1 - 2**53, 0]


def test_the_first_bad_line_is_named_however_it_is_bad(write) -> None:
    with pytest.raises(InputError, match=r"^test.txt:2: label 'x'"):
        read_labels(write(b"1 qid:1\nx qid:1\n1 2\n"))
    with pytest.raises(InputError, match=r"^test.txt:2: '2' after"):
        read_labels(write(b"1 qid:1\n1 2\nx qid:1\n"))


def test_lines_are_counted_through_all_blocks(write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letor, "BLOCK_SIZE", 50)
    monkeypatch.setattr(letor_predictions, "BLOCK_SIZE", 50)
    with pytest.raises(InputError, match=r"^test.txt:501: 'x' after"):
        read_labels(write(b"1 qid:1 1:0.5\n" * 500 + b"1 x\n"))
    with pytest.raises(InputError, match=r"^test.txt:501: 'x'"):
        read_predictions(write(b"0.5\n" * 500 + b"x\n"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"1\nhigh\n", "test.txt:2: 'high'"),
        (b"1\nnan\n", "test.txt:2: 'nan'"),
        (b"inf\n", "test.txt:1: 'inf'"),
        (b"1e999\n", "test.txt:1: '1e999'"),
        (b"1 2\n", "test.txt:1: more than one"),
        (b"1\n\n2\n", "test.txt:2: a blank line"),
        (b"\n1\n", "test.txt:1: a blank line"),
        (b"\n \n", "test.txt: no data"),
        (b"", "test.txt: the file is empty"),
    ],
)
@pytest.mark.parametrize("size", [1, letor.BLOCK_SIZE])
def test_a_bad_prediction_file_is_refused(write, content: bytes, said: str, size: int, monkeypatch) -> None:
    monkeypatch.setattr(letor_predictions, "BLOCK_SIZE", size)
    with pytest.raises(InputError, match=f"^{re.escape(said)}"):
        read_predictions(write(content))


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n \n", b"\r\n", b"\r\n\r\n"])
def test_predictions_may_end_in_blank_lines(write, end: bytes) -> None:
    assert read_predictions(write(b"\xef\xbb\xbf 0.5 \n-1e-3" + end)).tolist() == [0.5, -1e-3]


# Judgments and runs


def test_documents_are_named_by_their_comments(write) -> None:
    qrels, run = read_letor(write(LETOR4), write(b"0.5\n0.7\n1\n", "model.txt"))
    assert qrels.frame().rows() == [("10", "D1", 2), ("10", "D2", 0), ("9", "D1", 1)]
    assert run.frame().rows() == [("10", "D1", 0.5), ("10", "D2", 0.7), ("9", "D1", 1.0)]
    assert (run.name, run.notes) == ("model", ())
    # Query 10: the relevant document is second; query 9: first. RR = (1/2 + 1/1) / 2
    assert rs.evaluate(qrels, run, "RR", ties="file").overall("RR") == 0.75


def test_documents_without_such_comments_are_named_by_their_lines(write) -> None:
    qrels, run = read_letor(write(b"\n" + FORMS["MSLR"][0]), write(b"1\n2\n3\n", "p"))
    assert qrels.frame()["doc_id"].to_list() == ["2", "3", "4"]
    assert run.notes == ()


def test_a_document_twice_in_its_query_makes_lines_the_names_and_is_noted(write) -> None:
    qrels, run = read_letor(write(LETOR4.replace(b"D2", b"D1")), write(b"1\n2\n3\n", "p"))
    assert qrels.frame()["doc_id"].to_list() == ["1", "2", "3"]
    (note,) = run.notes
    assert note.startswith("test.txt:2: ")
    assert mentions(note, "'D1'", "'10'", "test.txt:1")


def test_lines_that_are_not_together_are_merged_with_a_note(write) -> None:
    labels = read_labels(write(b"1 qid:b\n0 qid:a\n2 qid:b\n"))
    run = prediction_run(labels, write(b"1\n2\n3\n", "p"))
    assert len(run.notes) == 1
    assert mentions(run.notes, "test.txt: ", 1, "merged")
    assert run.frame().rows() == [("b", "1", 1.0), ("b", "3", 3.0), ("a", "2", 2.0)]
    assert label_qrels(labels).frame().rows() == [("a", "2", 0), ("b", "1", 1), ("b", "3", 2)]


def test_rank_positions_become_scores_that_fall(write) -> None:
    _, run = read_letor(write(LETOR4), write(b"2\n1\n1\n", "p"), ranks=True)
    assert run.frame()["score"].to_list() == [-2.0, -1.0, -1.0]


@pytest.mark.parametrize("rank", ["0", "-1", "0.5"])
def test_a_rank_below_1_is_refused(write, rank: str) -> None:
    with pytest.raises(InputError, match=rf"^p:2: rank {rank}, "):
        read_letor(write(LETOR4), write(f"1\n{rank}\n1\n".encode(), "p"), ranks=True)


@pytest.mark.parametrize("n", [2, 4])
def test_unequal_lengths_are_refused_with_both_counts_and_names(write, n: int) -> None:
    with pytest.raises(InputError, match=rf"^p: {n} .*\b3 .*test\.txt"):
        read_letor(write(LETOR4), write(b"1\n" * n, "p"))


def test_ties_in_file_order_are_those_of_the_lines(write) -> None:
    """Ids by their bytes would put line 10 before line 9."""
    labels = b"".join(b"%d qid:1\n" % (line == 9) for line in range(1, 13))
    qrels, run = read_letor(write(labels), write(b"0.5\n" * 12, "p"))
    assert rs.evaluate(qrels, run, "RR", ties="file").overall("RR") == pytest.approx(1 / 9)


def test_memory_does_not_grow_with_features(write) -> None:
    """What is kept of a line: its label, query, number and document."""
    path = write(b"".join(b"0 qid:%d %s#docid = D%d\n" % (i // 50, b"1:0.5 " * 100, i) for i in range(500)))
    labels = read_labels(path)
    assert labels.docs is not None
    assert labels.docs.buffer.size == 2 * PADDING + int(labels.docs.lengths.sum()) < 3000
    assert np.array_equal(labels.relevance, np.zeros(500))


def test_a_hash_in_a_query_id_is_refused_before_two_queries_become_one(tmp_path: Path) -> None:
    path = tmp_path / "l.txt"
    path.write_text("1 qid:a#b 1:1\n0 qid:a#c 1:1\n")
    with pytest.raises(rs.InputError, match=r"l.txt:1: .*#.*'a'"):
        read_labels(path)
