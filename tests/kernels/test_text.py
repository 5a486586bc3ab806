"""Strings as slices of a buffer do what Python's bytes do."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import example, given
from hypothesis import strategies as st

from rankscope.kernels import text
from rankscope.kernels.text import (
    MANY_WORDS,
    PADDING,
    Fields,
    as_fields,
    changes,
    decode,
    encode,
    equal,
    hashes,
    order_descending,
    words,
    words_around,
    words_at,
)

# Few letters and shared beginnings, so that prefixes, NULs and long common parts meet often.
IDS = st.one_of(
    st.binary(max_size=20),
    st.text("ab\x00", max_size=19).map(str.encode),
    st.builds(
        lambda head, tail: head + tail,
        st.sampled_from([b"clueweb09-en0000-", b"12345678", b"1234567", b"x" * 40, b"\xff" * 8]),
        st.binary(max_size=10),
    ),
    st.sampled_from(["é", "日本語", " ", " ", "🙂" * 5]).map(str.encode),
)
LISTS = st.lists(IDS, max_size=40)


@examples(100)
@given(LISTS)
@example([])
@example([b""])
def test_what_goes_into_fields_comes_out(strings: list[bytes]) -> None:
    fields = as_fields(strings)
    assert decode(fields) == strings
    assert fields.lengths.tolist() == [len(s) for s in strings]


@examples(100)
@given(st.lists(IDS, min_size=1, max_size=20), st.data())
def test_taking_fields_is_taking_the_strings(strings: list[bytes], data: st.DataObject) -> None:
    index = data.draw(st.lists(st.integers(0, len(strings) - 1), max_size=30))
    taken = as_fields(strings).take(np.array(index, np.intp))
    assert decode(taken) == [strings[i] for i in index]


@examples(100)
@given(LISTS, st.integers(0, 40), st.integers(0, 40))
def test_a_slice_of_fields_is_that_of_the_strings(strings: list[bytes], start: int, stop: int) -> None:
    assert decode(as_fields(strings).slice(slice(start, stop))) == strings[start:stop]


@examples(100)
@given(st.lists(st.text("aé日\x00", max_size=12) | st.text("abc", max_size=30), max_size=20))
@example([])
@example(["", "abc", ""])
@example(["caf\udce9", "a"])  # a byte that was no UTF-8, as Python keeps it in a name
def test_text_goes_into_fields_as_utf_8(strings: list[str]) -> None:
    fields = encode(strings)
    bytes_ = [string.encode("utf-8", "surrogateescape") for string in strings]
    assert decode(fields) == bytes_
    assert fields.lengths.tolist() == [len(b) for b in bytes_]
    assert fields.buffer.size == 2 * PADDING + sum(map(len, bytes_))
    assert {fields.starts.dtype, fields.lengths.dtype} == {np.dtype(np.int64)}
    assert equal(fields, as_fields(bytes_)).all()


@examples(100)
@given(st.lists(IDS, min_size=1, max_size=12), st.lists(st.integers(0, 11), min_size=1, max_size=30))
@example([b"x" * 8 + b"a", b"x" * 8 + b"b", b"x" * 8, b"x" * 9, b"x" * 17], [0, 0, 1, 2, 2, 3, 4, 4])
@example([b"a", b"a\x00"], [0, 1, 1, 0])
@example([b"12345678a", b"12345678b"], [0, 1, 1])
def test_changes_are_where_a_string_is_not_the_one_before(strings: list[bytes], picked: list[int]) -> None:
    listed = [strings[i % len(strings)] for i in sorted(picked)]
    naive = [a != b for a, b in itertools.pairwise(listed)]
    assert changes(as_fields(listed)).tolist() == naive


def test_where_there_are_no_strings_nothing_changes() -> None:
    assert changes(as_fields([])).size == 0


@examples(100)
@given(st.lists(IDS, min_size=1, max_size=20), st.integers(0, 6))
def test_words_are_the_bytes_eight_at_a_time_with_zeros_behind(strings: list[bytes], j: int) -> None:
    naive = [int.from_bytes(s[8 * j : 8 * j + 8], "little") for s in strings]
    assert words(as_fields(strings), j).tolist() == naive


@pytest.mark.parametrize("beginning", range(9))
@pytest.mark.parametrize("size", [800, 801, 807])
def test_many_words_are_the_bytes_from_each_position_on_wherever_the_buffer_begins(beginning: int, size: int) -> None:
    buffer = np.random.default_rng(beginning).integers(0, 256, size + 8, dtype=np.uint8)[beginning:]
    last = buffer.size - 8
    for positions in (np.arange(last + 1), np.arange(16, last - 16), np.full(600, last), np.zeros(600, np.int64)):
        assert positions.size >= MANY_WORDS
        expected = [int.from_bytes(buffer[at : at + 8].tobytes(), "little") for at in positions.tolist()]
        assert words_at(buffer, positions).tolist() == expected
        assert words_at(buffer, positions.astype(np.int32)).tolist() == expected
        if positions.min() >= 8:
            before, behind = words_around(buffer, positions)
            assert before.tolist() == words_at(buffer, positions - 8).tolist()
            assert behind.tolist() == expected


@examples(150)
@given(st.lists(st.tuples(IDS, IDS), max_size=30), st.lists(IDS, max_size=10))
def test_equal_is_equality_of_bytes(pairs: list[tuple[bytes, bytes]], twins: list[bytes]) -> None:
    pairs = pairs + [(t, t) for t in twins]
    a, b = as_fields([a for a, _ in pairs]), as_fields([b"?" * 3, *(b for _, b in pairs)])
    rest = Fields(b.buffer, b.starts[1:], b.lengths[1:])
    assert equal(a, rest).tolist() == [x == y for x, y in pairs]


LONG = b"12345678ABCDEFGH"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([b"a", b"b"], [b"a\x00", b"b"]),
        ([b"12345678a"], [b"12345678b"]),
        ([LONG + b"a", LONG + b"b"], [LONG + b"a", LONG + b"c"]),  # alike up to the third word
        ([LONG, b"87654321ABCDEFGH", b"1"], [LONG, LONG, b"2"]),  # another first word, the second alike
        ([LONG, LONG[:12]], [LONG, LONG]),
    ],
    ids=["zeros behind", "nine bytes", "third word", "first word", "shorter"],
)
def test_strings_that_differ_in_one_byte_or_in_length_are_not_equal(a: list[bytes], b: list[bytes]) -> None:
    assert equal(as_fields(a), as_fields(b)).tolist() == [x == y for x, y in zip(a, b, strict=True)]


@examples(150)
@given(st.lists(IDS, min_size=1, max_size=30), st.integers(0, 5), st.randoms(use_true_random=False))
def test_equal_strings_have_equal_hashes_wherever_they_stand(strings: list[bytes], seed: int, random: object) -> None:
    doubled = strings + strings
    order = list(range(len(doubled)))
    random.shuffle(order)
    found = hashes(as_fields([doubled[i] for i in order]), seed).tolist()
    by_string: dict[bytes, set[int]] = {}
    for i, h in zip(order, found, strict=True):
        by_string.setdefault(doubled[i], set()).add(h)
    assert all(len(seen) == 1 for seen in by_string.values())


@pytest.mark.parametrize("seed", [0, 1])
def test_different_strings_hardly_ever_share_a_hash(seed: int) -> None:
    strings = [b"%d" % i for i in range(30_000)]
    strings += [b"doc-%09d" % i for i in range(30_000)]
    strings += [b"clueweb09-en%04d-%02d-%05d" % (i % 100, i % 37, i) for i in range(30_000)]
    strings += [bytes(p) for n in range(1, 7) for p in itertools.product(b"abc", repeat=n)]
    assert len(set(strings)) == len(strings)
    # With 64 good bits, 90,000 strings collide once in 4.5 billion trials: (9e4)^2 / 2 / 2^64.
    assert len(set(hashes(as_fields(strings), seed).tolist())) == len(strings)


@pytest.mark.parametrize("ending", [b"", b" 8 more", b" and two words more"], ids=["one word", "two", "three"])
def test_all_64_bits_of_a_hash_vary(ending: bytes) -> None:
    found = hashes(as_fields([b"d%d" % i + ending for i in range(200)]))
    assert np.bitwise_or.reduce(found) == 2**64 - 1
    assert np.bitwise_and.reduce(found) == 0


@examples(100)
@given(LISTS)
@example([b"", b"a"])
@example([b"nine_____", b"more than sixteen"])
def test_a_hash_does_not_depend_on_what_stands_beside(strings: list[bytes]) -> None:
    alone = [int(hashes(as_fields([s]), 1)[0]) for s in strings]
    assert hashes(as_fields(strings), 1).tolist() == alone


def test_a_seed_gives_other_hashes() -> None:
    fields = as_fields([b"a", b"b", b"a longer string"])
    assert (hashes(fields, 0) != hashes(fields, 1)).all()
    assert (hashes(fields) == hashes(fields, 0)).all()


def test_strings_hashed_in_pieces_have_the_hashes_that_each_has_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = as_fields([b"%d" % (i**5) for i in range(23)])
    whole = hashes(fields, 3)
    monkeypatch.setattr(text, "PIECE", 4)
    pieces = hashes(fields, 3)
    assert pieces.dtype == np.uint64
    assert pieces.tolist() == whole.tolist()


def naive_order(groups: list[int], strings: list[bytes]) -> list[bytes]:
    out = []
    for g in sorted(set(groups)):
        out += sorted((s for h, s in zip(groups, strings, strict=True) if h == g), reverse=True)
    return out


@examples(250)
@given(LISTS, st.data())
@example(
    [b"", b"\x00", b"\x00\x00", b"a", b"a\x00", b"a" + b"\x00" * 8, b"a" + b"\x00" * 16, b"a" + b"\x00" * 8 + b"b"],
    None,
)
def test_the_order_is_pythons_by_group_then_bytes_falling(strings: list[bytes], data: st.DataObject | None) -> None:
    sizes = st.lists(st.integers(0, 2), min_size=len(strings), max_size=len(strings))
    groups = sorted(data.draw(sizes)) if data else [0] * len(strings)
    order = order_descending(np.array(groups, np.intp), as_fields(strings))
    assert sorted(order.tolist()) == list(range(len(strings)))
    assert [groups[i] for i in order] == groups
    assert [strings[i] for i in order] == naive_order(groups, strings)


def test_ids_that_share_long_beginnings_are_ordered_by_their_ends() -> None:
    rng = np.random.default_rng(0)
    strings = [b"a/very/long/common/path/%d" % i for i in range(500)] + [
        b"a/very/long/common/path/%d" % i * 2 for i in range(500)
    ]
    strings = [strings[i] for i in rng.permutation(len(strings))]
    order = order_descending(np.zeros(len(strings), np.intp), as_fields(strings))
    assert [strings[i] for i in order] == sorted(strings, reverse=True)


@pytest.mark.parametrize(
    "strings",
    [
        [b"12345678a", b"12345678b"],  # nine bytes: the last one decides
        [b"12345678a", b"12345678b", b"z", b"12345678c"],
        [b"12345678a", b"12345678b", b"ABCDEFGHa", b"ABCDEFGHb"],  # two pairs that share their first word
        [b"1234567", b"1234567\x00"],  # words alike, the longest has eight bytes: the length decides
        [b"123456781234567", b"123456781234567\x00", b"123456781234567"],
        [b"", b"\x00" * 8],
        [b"same", b"same", b"same"],
        [b"a"],
        [],
    ],
    ids=lambda strings: f"{len(strings)} of {sum(map(len, strings))} bytes",
)
def test_the_last_byte_and_the_length_decide_between_strings_that_begin_alike(strings: list[bytes]) -> None:
    for one in (strings, strings[::-1]):
        order = order_descending(np.zeros(len(one), np.intp), as_fields(one))
        assert [one[i] for i in order] == sorted(one, reverse=True)


def test_more_groups_than_16_bits_can_count_are_each_in_order() -> None:
    groups = np.arange(70_000).repeat(2)
    strings = [b"12345678%d" % (i % 2) for i in range(140_000)]
    order = order_descending(groups, as_fields(strings))
    assert (order == np.arange(140_000).reshape(-1, 2)[:, ::-1].ravel()).all()


def test_digits_are_ordered_as_bytes_and_not_as_numbers() -> None:
    order = order_descending(np.zeros(4, np.intp), as_fields([b"10", b"9", b"100", b"1"]))
    assert order.tolist() == [1, 2, 0, 3]  # 9 > 100 > 10 > 1
