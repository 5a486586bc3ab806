"""Files cut at queries: every byte is in one range, no query in two, and readers see what stands there and no more."""

from io import BytesIO
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.io.core import BOM
from rankscope.io.large_runs import ByteRange, RangeReader, cut_at_queries
from rankscope.io.large_runs import splits as ranges


def line(query, doc="d"):
    return f"{query} Q0 {doc} 1 2.5 tag\n".encode()


def queries_of(text):
    """The queries of a text in the order of its lines, read as the grammar says, one line after the other."""
    fields = [one.split() for one in text.split(b"\n") if not one.startswith(b"#")]
    return [one[0] for one in fields if one]


def cut(text, size):
    return [text[a:b] for a, b in cut_at_queries(BytesIO(text), len(text), size)]


def test_a_file_is_cut_where_the_first_field_changes():
    text = line("a") + line("a") + line("b") + line("b") + line("c")
    n = len(line("a"))
    assert cut_at_queries(BytesIO(text), len(text), 1) == [
        ByteRange(0, 2 * n),
        ByteRange(2 * n, 4 * n),
        ByteRange(4 * n, 5 * n),
    ]
    assert cut_at_queries(BytesIO(text), len(text), 2 * n + 1) == [ByteRange(0, 4 * n), ByteRange(4 * n, 5 * n)]
    assert cut_at_queries(BytesIO(text), len(text), 5 * n) == [ByteRange(0, 5 * n)]


def test_an_empty_file_has_no_range():
    assert cut_at_queries(BytesIO(b""), 0, 1) == []


def test_comments_and_blank_lines_are_passed_over_and_stay_with_what_is_before_them():
    text = line("a") * 2 + b"# a comment\n\n  \t\r\n" + line("a") + b"#b Q0 d 1 2 tag\n" + line("b") * 2
    assert cut(text, 1) == [text[: -2 * len(line("b"))], line("b") * 2]


def test_a_query_longer_than_the_size_makes_its_range_as_long():
    text = line("a") * 50 + line("b") * 2 + line("c")
    assert cut(text, 10) == [line("a") * 50, line("b") * 2, line("c")]


def test_a_prefix_of_a_query_is_another_query():
    text = line("q10") * 2 + line("q1") * 2 + line("q") * 2
    assert cut(text, 1) == [line("q10") * 2, line("q1") * 2, line("q") * 2]


def test_a_byte_order_mark_is_no_part_of_a_query():
    text = BOM + line("a") * 3 + BOM + line("b") + line("b") * 2 + line("c")
    assert cut(text, 1) == [BOM + line("a") * 3, BOM + line("b") + line("b") * 2, line("c")]


def test_the_last_line_needs_no_newline():
    text = line("a") + line("a") + line("b") + line("b").rstrip()
    assert cut(text, 1) == [line("a") * 2, line("b") + line("b").rstrip()]


QUERIES = st.lists(st.tuples(st.sampled_from(("1", "10", "2", "a-long-query", "é")), st.integers(1, 9)), max_size=8)
BETWEEN = st.sampled_from((b"", b"", b"\n", b"# x\n", b"\r\n"))


@given(lists=QUERIES, between=BETWEEN, size=st.integers(1, 200), look=st.integers(1, 64), ended=st.booleans())
def test_ranges_hold_all_bytes_and_cut_between_queries_only(lists, between, size, look, ended):
    text = b"".join(line(query, doc) + between for query, n in lists for doc in map(str, range(n)))
    text = text if ended else text.rstrip(b"\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranges, "LOOK", look)
        parts = cut(text, size)
    assert b"".join(parts) == text
    assert all(parts)
    assert all(len(part) > size for part in parts[:-1])
    for one, other in pairwise(parts):
        assert queries_of(one)[-1] != queries_of(other)[0]


@given(st.binary(max_size=300), st.integers(1, 50), st.integers(1, 40))
def test_any_bytes_are_cut_so_that_nothing_is_lost(text, size, look):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranges, "LOOK", look)
        assert b"".join(cut(text, size)) == text


@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_reader_gives_the_bytes_of_its_range_and_then_ends(size):
    reader = RangeReader(BytesIO(bytes(range(60))), ByteRange(10, 50))
    found, buffer = b"", bytearray(size)
    while n := reader.readinto(memoryview(buffer)):
        found += bytes(buffer[:n])
    assert found == bytes(range(10, 50))
    assert reader.readinto(memoryview(buffer)) == 0
