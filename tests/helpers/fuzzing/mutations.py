"""Good files made bad: bytes changed, lines doubled, numbers grown huge, odd characters, other line ends, packed."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping

from helpers.fuzzing.seeds import zstd
from hypothesis import strategies as st

__all__ = ["NUMBERS", "hostile"]

#: What stands where a number is expected.
NUMBERS = (
    *(b"1e999", b"-1e999", b"1e-999", b"nan", b"NaN", b"inf", b"-Infinity", b"-1", b"-0", b"0x10", b"1_000", b"1,5"),
    *(b"", b"+-1", b"1.5.2", b"9" * 400, b"9" * 5000, b"0." + b"0" * 400 + b"1"),
    *("\u0663".encode(), "\u00bd".encode(), "\uff11\uff12".encode()),  # digits of other scripts, a half
    *(str(n).encode() for n in (2**31, 2**53 + 1, 2**63, -(2**63) - 1, 2**64, 10**30)),
)
#: Pieces that mean something to some reader.
PIECES = (
    *(b"\x00", b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1a", b"\x1b[31m", b"\r", b"\r\n", b"\n\n"),
    *(b"\x85", "\u2028\u2029\u202e\u200b\ufeff\U0001f600\u0130".encode(), b"\xed\xa0\x80", b"\\ud800", b"\\u0000"),
    *(
        b'"',
        b"'",
        b'""',
        b"\\",
        b"#",
        b",",
        b";",
        b"\t",
        b" ",
        b"\x0b",
        b"\x0c",
        b"\xc2\xa0",
        b":",
        b"=",
        b"qid:",
        b"1:1",
    ),
    *(b"{", b"}", b"[", b"]", b"{}", b"[]", b"null", b"true", b"[[[[", b'{"a":', b"-", b"PAR1", b"BZh"),
    *(b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"<!DOCTYPE x>", b"&a;", b"<!--", b"<a>", b"</a>"),
    *(b"x" * 3000, b"1 " * 500, b"[" * 3000),
)
NUMBER = rb"-?\d+(\.\d+)?"


def hostile(seeds: Mapping[str, bytes]) -> st.SearchStrategy[bytes]:
    """Files that began as one of the seeds, or never were good."""
    starts = st.sampled_from(sorted(seeds)).map(seeds.__getitem__)
    changed = st.builds(changed_by, starts, st.lists(changes(seeds), min_size=1, max_size=4))
    anything = st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
    begun = st.builds(lambda a, n, b: a[:n] + b, starts, st.integers(1, 64), anything)
    return st.one_of(changed, changed, changed, begun, anything)


def changed_by(content: bytes, steps: list[Callable[[bytes], bytes]]) -> bytes:
    for step in steps:
        content = step(content)
    return content


def changes(seeds: Mapping[str, bytes]) -> st.SearchStrategy[Callable[[bytes], bytes]]:
    """Ways to change a file. Places are shares of its length, so that they hold for whatever came before."""
    place = st.integers(0, 1 << 16)
    others = st.sampled_from(sorted(seeds)).map(seeds.__getitem__)
    return st.one_of(
        st.builds(flip, place, st.integers(1, 255)),
        st.builds(put, place, st.integers(0, 4), st.sampled_from(PIECES) | st.binary(max_size=4)),
        st.builds(number, place, st.sampled_from(NUMBERS)),
        st.builds(splice, place, place, others),
        st.builds(lines, place, st.sampled_from(["double", "drop", "swap", "join"])),
        st.builds(cut, place),
        st.sampled_from(
            [ends(b"\r\n"), ends(b"\r"), ends(b""), mark, bytes.upper, gzip.compress, zstd.compress, twice]
        ),
    )


def at(content: bytes, place: int) -> int:
    return place * (len(content) + 1) >> 17 if place < 1 << 16 else len(content)


def flip(place: int, by: int) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        i = at(content, 2 * place)
        return content[:i] + bytes(b ^ by for b in content[i : i + 1]) + content[i + 1 :]

    return change


def put(place: int, instead: int, piece: bytes) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        i = at(content, 2 * place)
        return content[:i] + piece + content[i + instead :]

    return change


def number(place: int, other: bytes) -> Callable[[bytes], bytes]:
    """Another number in the place of one of those that are there."""

    def change(content: bytes) -> bytes:
        found = list(re.finditer(NUMBER, content))
        if not found:
            return content + other
        one = found[place % len(found)]
        return content[: one.start()] + other + content[one.end() :]

    return change


def splice(place: int, begin: int, other: bytes) -> Callable[[bytes], bytes]:
    return lambda content: content[: at(content, 2 * place)] + other[at(other, 2 * begin) :]


def lines(place: int, how: str) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        rows = content.splitlines(keepends=True) or [b""]
        i = place % len(rows)
        if how == "double":
            rows.insert(i, rows[i])
        elif how == "drop":
            del rows[i]
        elif how == "swap":
            rows[0], rows[i] = rows[i], rows[0]
        else:
            rows[i] = rows[i].rstrip(b"\r\n")
        return b"".join(rows)

    return change


def cut(place: int) -> Callable[[bytes], bytes]:
    return lambda content: content[: at(content, 2 * place)]


def ends(with_: bytes) -> Callable[[bytes], bytes]:
    return lambda content: content.replace(b"\n", with_)


def mark(content: bytes) -> bytes:
    return b"\xef\xbb\xbf" + content


def twice(content: bytes) -> bytes:
    return content + content
