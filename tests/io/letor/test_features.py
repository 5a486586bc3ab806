"""Features from LETOR's and SVMlight's lines: what is read, by which way, and what is refused where."""

from __future__ import annotations

import gzip
import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.paths import ROOT
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import rankscope as rs
from rankscope import read_features
from rankscope.errors import InputError, ParameterError
from rankscope.io.letor import feature_lines, labels, read_labels
from rankscope.io.letor import feature_lines as feature_table
from rankscope.io.letor.feature_lines import LineReader

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LINES = (
    b"2 qid:10 1:0.5 2:0.25 3:-1 #docid = D1 inc = 1 prob = 0.1\n"
    b"0 qid:10 1:0.1 2:0.75 3:12 #docid = D2 inc = 1 prob = 0.2\n"
    b"1 qid:9 1:0.2 2:0.5 3:0 #docid = D1 inc = 1 prob = 0.3\n"
)
TABLE = [[0.5, 0.25, -1.0], [0.1, 0.75, 12.0], [0.2, 0.5, 0.0]]
BARE = b"".join(line.partition(b" #")[0] + b"\n" for line in LINES.splitlines())
LETOR = ROOT.parent / "shared" / "data" / "letor"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def call(content: bytes, name: str = "test.txt") -> str:
        (tmp_path / name).write_bytes(content)
        return name

    return call


def exact(path, **more):
    return read_features(path, dtype="float64", **more)


def naive(content: bytes) -> tuple[list[list[float]], list[int], list[str]]:
    """Values, grades and queries of lines, read one by one by Python's float()."""
    rows = [line.partition(b"#")[0].split() for line in content.splitlines()]
    cells = [{int(k): float(v) for k, v in (f.split(b":") for f in row[2:])} for row in rows if row]
    width = max(max(row, default=0) for row in cells)
    table = [[row.get(k, 0.0) for k in range(1, width + 1)] for row in cells]
    return table, [int(row[0]) for row in rows if row], [row[1][4:].decode() for row in rows if row]


FORMS = {
    "LETOR 4": LINES,
    "MSLR": BARE,
    "blanks at the ends": BARE.replace(b"\n", b" \n"),
    "tabs": BARE.replace(b" ", b"\t"),
    "CR LF": LINES.replace(b"\n", b"\r\n"),
    "a blank and CR LF": BARE.replace(b"\n", b" \r\n"),
    "several blanks": BARE.replace(b" ", b"  \t"),
    "blank lines and comments": b"# made by hand\n\n" + LINES.replace(b"\n", b"\n\n# more\n"),
    "no newline at the end": LINES.rstrip(),
    "byte order mark": b"\xef\xbb\xbf" + LINES,
    "comments right behind a value": LINES.replace(b" #", b"#"),
    "a comment on one line": BARE.replace(b"3:-1", b"3:-1 # best", 1),
    "leading zeros": BARE.replace(b" 1:", b" 01:"),
    "zeros left out": BARE.replace(b" 3:0", b""),
    "vertical tabs": BARE.replace(b" 2:", b"\v2:"),
    "gzip": gzip.compress(LINES),
    "Zstandard": zstd.compress(LINES),
}


@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
def test_all_forms_of_lines_hold_the_same(content, write):
    found = exact(write(content))
    assert found.values.tolist() == TABLE
    assert (found.relevance.tolist(), found.query_ids, found.offsets.tolist()) == ([2, 0, 1], ("10", "9"), [0, 2, 3])
    assert (found.names, found.order, found.notes, found.name) == (("1", "2", "3"), None, (), "test")


def test_the_names_of_documents_and_the_rest_of_comments_are_kept(write):
    found = read_features(write(LINES))
    assert found.doc_ids == ["D1", "D2", "D1"]
    assert found.comments == ["inc = 1 prob = 0.1", "inc = 1 prob = 0.2", "inc = 1 prob = 0.3"]
    assert read_features(write(BARE)).comments is None


def test_where_a_line_has_no_name_the_comments_are_kept_as_they_are(write):
    lines = "2 qid:1 1:1 #docid = D1 x\r\n0 qid:1 1:2\r\n0 qid:1 1:3 #  y é \r\n"
    found = read_features(write(lines.encode()))
    assert (found.doc_ids, found.comments) == (None, ["docid = D1 x", "", "y é"])


def test_the_type_is_float32_and_that_of_each_float64_rounded(write):
    path = write(b"1 qid:1 1:0.1 2:3.4028235e38 3:1e-46 4:16777217\n")
    found = read_features(path)
    assert found.values.dtype == np.float32
    assert_same_bits(found.values, exact(path).values.astype(np.float32))


def test_standard_input_is_a_hyphen(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(LINES))))
    found = exact("-")
    assert (found.values.tolist(), found.name) == (TABLE, "stdin")


def test_labels_and_queries_are_those_of_read_labels(write):
    path = write(LINES + b"4.0 qid:10 1:1 2:1 3:1 #docid = D9\n")
    labels, found = read_labels(path), read_features(path)
    assert found.query_ids == labels.query_ids
    assert found.in_input_order(found.relevance).tolist() == labels.relevance.tolist()
    assert found.in_input_order(found.group).tolist() == labels.query_index.tolist()


def test_lines_of_a_query_that_are_apart_are_put_together_with_a_note(write):
    found = exact(write(b"1 qid:a 1:1 #docid = x\n2 qid:b 1:2 #docid = y\n0 qid:a 1:3 #docid = z\n"))
    assert (found.values.ravel().tolist(), found.relevance.tolist()) == ([1, 3, 2], [1, 0, 2])
    assert found.doc_ids == ["x", "z", "y"]
    assert len(found.notes) == 1
    assert mentions(found.notes, "test: ", 1, "together")
    assert found.in_input_order(found.values[:, 0]).tolist() == [1, 2, 3]


def test_a_file_that_numbers_from_0_keeps_its_numbers_with_a_note(write):
    found = exact(write(b"1 qid:1 1:5 2:6\n0 qid:1 0:4\n"))
    assert (found.values.tolist(), found.names) == ([[0, 5, 6], [4, 0, 0]], ("0", "1", "2"))
    assert len(found.notes) == 1
    assert mentions(found.notes, "test.txt: ", "numbered", 0)


def test_fewer_features_than_asked_for_are_filled_up_with_zeros(write):
    assert exact(write(LINES), n_features=5).values.tolist() == [[*row, 0, 0] for row in TABLE]
    table = exact(write(b"qid,label,f\n1,1,2\n"), n_features=2)
    assert (table.values.tolist(), table.names) == ([[2, 0]], ("f", "2"))


def test_columns_are_taken_by_their_numbers_in_the_order_that_is_asked_for(write):
    found = exact(write(LINES), columns=[3, "1"])
    assert (found.values.tolist(), found.names) == ([[-1, 0.5], [12, 0.1], [0, 0.2]], ("3", "1"))


def test_progress_hears_of_all_bytes(write):
    heard: list[int] = []
    read_features(write(LINES), progress=heard.append)
    assert sum(heard) == len(LINES)


def test_the_table_grows_where_the_size_of_the_file_says_nothing(write, monkeypatch):
    """Blocks of a few lines; a table that is too low at first, wider and wider, and at last one column to the left."""
    monkeypatch.setattr(labels, "BLOCK_SIZE", 64)
    rows = [f"{i % 3} qid:{i // 7} {1 + i // 20}:{i}.5 {9 + i // 10}:1" for i in range(200)] + ["0 qid:99 0:7"]
    content = "\n".join(rows).encode()
    for packed in (content, gzip.compress(content)):
        found = exact(write(packed))
        assert found.values.shape == (201, 29)
        for i in range(200):
            row = {int(k): found.values[i, k] for k in np.flatnonzero(found.values[i])}
            assert row == {1 + i // 20: i + 0.5, 9 + i // 10: 1}
        assert found.values[200, 0] == 7


@pytest.mark.parametrize("growth", [0.1, 1.3])
def test_a_table_that_was_made_too_low_grows(write, monkeypatch, growth):
    monkeypatch.setattr(labels, "BLOCK_SIZE", 64)
    monkeypatch.setattr(feature_table, "SPARE", 0.2)
    monkeypatch.setattr(feature_table, "GROWTH", growth)
    found = exact(write(b"".join(b"0 qid:1 1:%d 2:3\n" % i for i in range(100))))
    assert found.values[:, 0].tolist() == list(range(100))


# The two ways


def both_ways(content: bytes, folder: Path) -> tuple[np.ndarray, np.ndarray, int]:
    """What the quick way and the slow one find, and how many blocks took the quick one."""
    path = folder / "both.txt"
    path.write_bytes(content)
    regular = LineReader.read_regular
    quick = []

    def watched(self, block, part):
        found = regular(self, block, part)
        quick.append(found is not None)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LineReader, "read_regular", watched)
        a = exact(path).values
        patch.setattr(LineReader, "read_regular", lambda *_: None)
        b = exact(path).values
    return a, b, sum(quick)


NUMBERS = (
    st.integers(-999, 999).map(str)
    | st.floats(-1e3, 1e3).map(lambda x: f"{x:.6f}")
    | st.floats(allow_nan=False, allow_infinity=False).map(repr)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ways")


@examples(30)
@given(st.data())
def test_the_quick_way_the_slow_way_and_a_loop_find_the_same_bits(folder, data):
    width = data.draw(st.integers(1, 12))
    numbers = sorted(data.draw(st.sets(st.integers(1, 200), min_size=width, max_size=width)))
    sparse = data.draw(st.booleans())
    end = data.draw(st.sampled_from([b"\n", b" \n", b"\r\n", b" #docid = A\n", b"#c\n"]))
    lines = []
    for i in range(data.draw(st.integers(1, 6))):
        kept = [k for k in numbers if not sparse or k == numbers[0] or data.draw(st.booleans())]
        cells = " ".join(f"{k}:{data.draw(NUMBERS)}" for k in kept)
        lines.append(f"{i % 3} qid:{i // 4} {cells}".encode() + end)
    quick, slow, count = both_ways(b"".join(lines), folder)
    expected = np.array(naive(b"".join(lines))[0])
    assert quick.tobytes() == slow.tobytes() == expected.tobytes()
    if not sparse:
        assert count == 1


def test_a_feature_that_differs_on_one_line_is_seen(tmp_path):
    """As many fields, as many bytes: only the number of one feature is another one."""
    lines = [b"0 qid:1 1:0.5 2:0.5 4:0.5\n"] * 50
    lines[33] = b"0 qid:1 1:0.5 3:0.5 4:0.5\n"
    quick, slow, count = both_ways(b"".join(lines), tmp_path)
    assert count == 0
    assert quick.tobytes() == slow.tobytes()
    assert quick[33].tolist() == [0.5, 0, 0.5, 0.5]


def test_fields_that_move_from_one_line_to_the_next_are_seen(tmp_path):
    """The same number of blanks in all, and of fields on average."""
    quick, slow, count = both_ways(b"0 qid:1 1:1 2:2 3:3\n0 qid:1 1:1\n0 qid:1 1:1 2:2\n", tmp_path)
    assert count == 0
    assert quick.tolist() == slow.tolist() == [[1, 2, 3], [1, 0, 0], [1, 2, 0]]


def test_features_may_change_from_block_to_block(write, monkeypatch):
    monkeypatch.setattr(labels, "BLOCK_SIZE", 32)
    content = b"0 qid:1 1:1 2:2\n" * 20 + b"0 qid:1 3:1 5:2\n" * 20 + b"0 qid:1 3:1 6:2\n" * 20
    assert exact(write(content)).values.tolist() == naive(content)[0]


@examples(60)
@given(st.integers(0, 3), st.lists(st.tuples(st.integers(0, 200), st.binary(max_size=2)), max_size=4))
def test_both_ways_read_or_refuse_damaged_lines_alike(folder, form, changes):
    """Some bytes of a file replaced by others: the same features or the same message, and never another error."""
    content = (BARE, LINES, BARE.replace(b"\n", b" \r\n"), BARE.replace(b" 3:0", b""))[form]
    for at, bytes_ in changes:
        content = content[: at % len(content)] + bytes_ + content[at % len(content) + 1 :]
    path = folder / "damaged.txt"
    path.write_bytes(content)

    def found():
        try:
            read = exact(path)
        except InputError as error:
            return str(error)
        return read.values.tobytes(), read.relevance.tolist(), read.query_ids, read.doc_ids, read.comments, read.names

    with pytest.MonkeyPatch.context() as patch:
        quick = found()
        patch.setattr(LineReader, "read_regular", lambda *_: None)
        assert found() == quick


# Peers and real data


def test_a_file_of_scikit_learn_numbers_from_0_and_holds_the_same(tmp_path):
    values = np.random.default_rng(3).normal(size=(40, 7)).round(3)
    values[np.random.default_rng(4).random(values.shape) < 0.4] = 0
    grades, queries = np.arange(40) % 3, np.arange(40) // 6
    dump_svmlight_file(values, grades, str(tmp_path / "a.txt"), query_id=queries, comment="made by a test")
    found = exact(tmp_path / "a.txt", n_features=7)
    assert_same_bits(found.values, values + 0.0)
    assert (found.relevance.tolist(), found.group.tolist()) == (grades.tolist(), queries.tolist())
    assert found.names[0] == "0"


@pytest.mark.parametrize("name", ["LETOR 4", "MSLR", "several blanks", "zeros left out"])
def test_scikit_learn_reads_the_same(name, write):
    path = write(FORMS[name])
    found = exact(path)
    table, grades, queries = load_svmlight_file(path, query_id=True, zero_based=False)
    assert table.toarray().tolist() == found.values.tolist()
    assert grades.tolist() == found.relevance.tolist()
    assert queries.tolist() == [int(found.query_ids[q]) for q in found.group]


@pytest.mark.skipif(not LETOR.is_dir(), reason="MQ2007 is not here")
def test_mq2007_is_read_as_a_loop_reads_it():
    path = LETOR / "MQ2007" / "S1.txt"
    found = exact(path)
    with open(path, "rb") as file:
        head = b"".join(next(file) for _ in range(2000))
    table, grades, queries = naive(head)
    assert found.values[:2000].tobytes() == np.array(table).tobytes()
    assert found.relevance[:2000].tolist() == grades
    assert [found.query_ids[q] for q in found.group[:2000]] == queries
    assert found.values.shape[1] == 46
    assert found.comments is not None
    assert found.comments[0].startswith("inc = ")


# What is refused

LINE = b"1 qid:1 1:0.5 2:1\n"
REFUSED = {
    "no number behind the colon": (LINE + b"1 qid:1 1:0.5 2:x\n", "test.txt:2: field '2:x'"),
    "nothing behind the colon": (LINE + b"1 qid:1 1: 2:1\n", "test.txt:2: field '1:'"),
    "no colon": (LINE * 3 + b"1 qid:1 1:0.5 2\n", "test.txt:4: field '2', ... number:value"),
    "no feature's number": (b"1 qid:1 a:1\n", "test.txt:1: field 'a:1'"),
    "two colons": (b"1 qid:1 1:2:3\n", "test.txt:1: field '1:2:3'"),
    "a colon of the next line": (b"1 qid:1 1:1 7\n1 qid:1 1:1 2:2\n", "test.txt:1: field '7'"),
    "a feature twice": (LINE + b"1 qid:1 2:1 2:1\n", "test.txt:2: feature 2 twice"),
    "falling features": (b"\n# c\n1 qid:1 2:1 1:1\n", "test.txt:3: feature 1 after feature 2"),
    "a feature below 0": (b"1 qid:1 -1:1\n", "test.txt:1: feature -1, ... 1 to 100000"),
    "a feature too high": (b"1 qid:1 100001:1\n", "test.txt:1: feature 100001, ... 1 to 100000"),
    "NaN": (LINE + b"1 qid:1 1:0.5 2:nan\n", "test.txt:2: field '2:nan'"),
    "infinity": (LINE + b"1 qid:1 1:-inf 2:0\n", "test.txt:2: field '1:-inf'"),
    "beyond float64": (LINE + b"1 qid:1 1:1e400 2:0\n", "test.txt:2: field '1:1e400'"),
    "beyond float32": (LINE + b"1 qid:1 1:1 2:3.5e38\n", "test.txt:2: ... beyond 3.4e38"),
    "a grade": (LINE + b"9e99 qid:1 1:1\n", "test.txt:2: ... 9e99"),
    "no qid": (LINE + b"1 1:1 2:2\n", "test.txt:2: '1:1' ... qid:"),
    "SVMlight without qid": (b"-1\t1:1\t2:2\n", "test.txt:1: '1:1' after the label"),
    "no features at all": (b"1 qid:1\n0 qid:1 # x\n", "test.txt: no line has features"),
    "Latin-1 in a number": ("1 qid:1 1:é\n".encode("latin1"), "test.txt:1: field '1:\\udce9'"),
    "UTF-16": ("1 qid:1 1:1\n".encode("utf-16"), "test.txt: ... UTF-16"),
    "NUL": (LINE + b"1 qid:1 1:\0\n", "test.txt: ... binary"),
    "HTML": (b"<html><body>404\n", "test.txt: this is an HTML page"),
    "empty": (b"", "test.txt: ... empty"),
    "blank": (b"\n \n", "test.txt: no data"),
    "truncated gzip": (gzip.compress(LINE * 9999)[:-50], "test.txt: ... truncated or damaged"),
    "ends of old Macs": (b"1 qid:1 1:1 2:2\r0 qid:1 1:1 2:2\r", "test.txt:1: ... carriage return"),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_refused_with_file_and_line(content, message, write):
    with pytest.raises(InputError) as caught:
        read_features(write(content))
    assert mentions(caught.value, *message.split(" ... "))


def test_the_line_is_right_in_any_block(write, monkeypatch):
    monkeypatch.setattr(labels, "BLOCK_SIZE", 64)
    with pytest.raises(InputError, match=re.escape("test.txt:41: field '1:'")):
        read_features(write(LINE * 40 + b"1 qid:1 1: 2:1\n" + LINE * 40))


BEYOND = {
    "dense": (LINE * 2, 1, "test.txt:1: feature 2, ... 1 features, ... 1 to 1 (n_features)"),
    "sparse": (LINE + b"1 qid:1 7:1\n", 6, "test.txt:2: feature 7, ... 6 features, ... 1 to 6"),
    "from 0": (b"1 qid:1 0:1 2:2\n", 2, "test.txt:1: feature 2, ... 2 features, ... 0 to 1"),
}


@pytest.mark.parametrize(("content", "most", "message"), BEYOND.values(), ids=BEYOND)
def test_features_beyond_those_expected_are_refused(content, most, message, write):
    with pytest.raises(InputError) as caught:
        read_features(write(content), n_features=most)
    assert mentions(caught.value, *message.split(" ... "))


def test_a_feature_0_after_the_highest_one_is_refused(write, monkeypatch):
    monkeypatch.setattr(labels, "BLOCK_SIZE", 32)
    with pytest.raises(InputError, match=r"^test\.txt:41: feature 0, .*\b2\b"):
        read_features(write(LINE * 40 + b"1 qid:1 0:1 1:1\n"), n_features=2)


def test_a_table_beyond_memory_is_refused(write, monkeypatch):
    class Full:
        """NumPy without memory."""

        def __getattr__(self, name):
            return getattr(np, name)

        def zeros(self, shape, dtype):
            if shape[0]:
                raise MemoryError
            return np.zeros(shape, dtype)

    monkeypatch.setattr(feature_table, "np", Full())
    with pytest.raises(InputError, match=r"\b1 documents .*\b2 features .*memory"):
        read_features(write(LINE))


@pytest.mark.parametrize(
    "more", [{"dtype": "int8"}, {"n_features": 0}, {"n_features": 1.5}, {"n_features": True}, {"columns": []}], ids=repr
)
def test_arguments_out_of_range_are_refused(more, write):
    with pytest.raises(ParameterError):
        read_features(write(LINE), **more)


def test_a_column_that_is_not_there_is_refused(write):
    with pytest.raises(InputError, match=r"^test: .*'9' .*\b2 \('1' to '2'\)"):
        read_features(write(LINE), columns=["9"])


def test_the_reader_is_public():
    assert rs.read_features is read_features
    assert feature_lines.MAX_FEATURES == 100_000
