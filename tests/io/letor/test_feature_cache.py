"""The cache of features: the same arrays, never those of another state of the file, and no harm where it is damaged."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope import Features, read_features
from rankscope.errors import InputError, ParameterError
from rankscope.io.letor import feature_cache, features

LINES = (
    b"2 qid:10 1:0.5 2:0.25 #docid = D1 inc = 1\n"
    b"0 qid:9 1:0.1 2:0.75 #docid = \xc3\xa9\xff inc = 2\n"
    b"1 qid:10 1:0.2 2:0.5 #docid = D1 inc = 3\n"
)


class Place:
    """A file, and how often it was read."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.cache = folder / "train.txt", folder / "train.txt.rscache"
        self.reads = 0
        self.write(LINES)
        read = features.read_uncached

        def counted(*arguments):
            self.reads += 1
            return read(*arguments)

        monkeypatch.setattr(features, "read_uncached", counted)

    def write(self, content: bytes) -> None:
        """Long ago, as the clocks of file systems are coarse."""
        self.path.write_bytes(content)
        os.utime(self.path, (1e9, 1e9))

    def read(self, **more) -> Features:
        return read_features(self.path, cache=True, **more)


@pytest.fixture
def place(tmp_path, monkeypatch):
    # The system's own time of the last change is always now: without this, each test would have to wait for it.
    monkeypatch.setattr(feature_cache, "TICK", -60.0)
    return Place(tmp_path, monkeypatch)


def same(a: Features, b: Features) -> bool:
    """All of it, bit for bit."""
    arrays = all(
        getattr(a, name).tobytes() == getattr(b, name).tobytes() and getattr(a, name).dtype == getattr(b, name).dtype
        for name in ("values", "relevance", "offsets", "order")
    )
    names = ("query_ids", "names", "doc_ids", "comments", "name", "notes")
    return arrays and all(getattr(a, name) == getattr(b, name) for name in names)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_cache_holds_what_the_file_holds(place, dtype):
    plain = read_features(place.path, dtype=dtype)
    assert same(place.read(dtype=dtype), plain)
    place.reads = 0
    assert same(place.read(dtype=dtype), plain)
    assert place.reads == 0
    assert not place.read(dtype=dtype).values.flags.writeable


def test_the_cache_may_be_elsewhere_and_of_a_table(tmp_path, place):
    place.write(b'qid,rel,doc_id,f\n1,1,"a\nb",2\n')  # a name with a line break
    for _ in range(2):
        found = read_features(place.path, cache=tmp_path / "other")
        assert (found.doc_ids, found.values.tolist(), found.order) == (["a\nb"], [[2.0]], None)
    assert place.reads == 1
    assert not place.cache.exists()


def test_width_and_columns_are_those_of_each_call_and_not_of_the_cache(place):
    assert place.read(n_features=4).values.shape == (3, 4)
    assert place.read().values.shape == (3, 2)
    assert place.read(columns=["2"]).values[:, 0].tolist() == [0.25, 0.5, 0.75]
    with pytest.raises(InputError, match=r"^train: 2 .*\b1 \(n_features\)"):
        place.read(n_features=1)
    assert place.reads == 1


def test_float32_comes_from_a_cache_of_float64_but_not_the_other_way_round(place):
    exact = place.read(dtype="float64")
    assert_same_bits(place.read().values, exact.values.astype(np.float32))
    assert place.reads == 1
    place.cache.unlink()
    place.read()
    assert_same_bits(place.read(dtype="float64").values, exact.values)
    assert place.reads == 3


CHANGES = {
    "another size": LINES + b"1 qid:11 1:1 2:1 #docid = D4\n",
    "the same size and time": LINES.replace(b"0.75", b"0.85"),
}


@pytest.mark.parametrize("content", CHANGES.values(), ids=CHANGES)
def test_a_file_that_changed_is_read_anew_and_the_cache_written_again(place, content):
    place.read()
    place.write(content)
    for _ in range(2):
        assert same(place.read(), read_features(place.path))
    assert place.reads == 2 + 2  # first, changed; and twice without cache


def test_a_file_that_was_only_touched_is_known_by_its_bytes(place):
    place.read()
    os.utime(place.path, (1e9 + 7, 1e9 + 7))
    place.read()
    assert place.reads == 1


def test_a_file_that_changed_just_before_its_cache_was_written_is_known_by_its_bytes(place, monkeypatch):
    """Within one tick of the clock a second change leaves the times as they are."""
    monkeypatch.setattr(feature_cache, "TICK", 2.0)
    looked = []
    monkeypatch.setattr(feature_cache, "file_digest", lambda path: looked.append(path) or "0")
    place.read()
    place.read()
    assert len(looked) == 2  # for the first cache, and to compare
    assert place.reads == 1


def test_a_file_that_changes_while_it_is_read_gets_no_cache(place, monkeypatch):
    stamps = iter(range(9))
    monkeypatch.setattr(feature_cache, "file_times", lambda _: {"size": next(stamps)})
    place.read()
    assert not place.cache.exists()


def damaged(content: bytes, place: int) -> bytes:
    """With one bit of one byte turned."""
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


DAMAGE = {
    "cut within the magic and the numbers behind": lambda x: x[:25],
    "cut within the header": lambda x: x[:100],
    "cut within the arrays": lambda x: x[:-64],
    "longer": lambda x: x + b"x",
    "a bit of the header": lambda x: damaged(x, 60),
    "the length of the header": lambda x: x[:21] + struct.pack("<Q", 2**60) + x[29:],
    "a bit of the values": lambda x: damaged(x, 33 + struct.unpack("<Q", x[21:29])[0] + 1),
    "a bit of the comments": lambda x: damaged(x, len(x) - 64),
}


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_cache_is_told_and_written_again(place, change):
    whole = place.read()
    place.cache.write_bytes(change(place.cache.read_bytes()))
    found = place.read()
    *notes, told = found.notes
    assert mentions(told, "rscache: ", "damaged", "written again")
    assert tuple(notes) == whole.notes
    assert_same_bits(found.values, whole.values)
    assert same(place.read(), whole)
    assert place.reads == 2


@pytest.mark.parametrize("content", [b"", b"my thesis\n", b"\x80\x04K\x01."])
def test_a_file_that_is_no_cache_is_told_and_left_as_it_is(place, content):
    place.cache.write_bytes(content)
    assert mentions(place.read().notes[-1], "rscache: ", "no cache", "left as it is")
    assert place.cache.read_bytes() == content


def test_a_cache_of_another_version_is_written_again(place):
    place.read()
    place.cache.write_bytes(place.cache.read_bytes().replace(b"features 3", b"features 2", 1))
    assert len(place.read().notes) == 1  # of the query whose lines were apart
    place.read()
    assert place.reads == 2


def test_a_cache_that_cannot_be_written_is_a_note(place, tmp_path):
    found = read_features(place.path, cache=tmp_path / "none" / "cache")
    assert found.notes[-1].startswith("no cache was written: ")


def test_what_can_have_no_cache_is_refused(place, tmp_path):
    with pytest.raises(ParameterError, match="standard input is none"):
        read_features("-", cache=True)
    with pytest.raises(ParameterError, match="overwritten"):
        read_features(place.path, cache=place.path)
    with pytest.raises(ParameterError, match=r"cache .*read again"):
        read_features(tmp_path, cache=True)
    with pytest.raises(InputError, match="no such file"):
        read_features(tmp_path / "none", cache=True)


def test_nothing_is_left_where_writing_fails(place, monkeypatch):
    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rankscope.io.core.atomic_write.os.replace", fails)
    assert mentions(place.read().notes[-1], "No space left")
    assert [path.name for path in place.path.parent.iterdir()] == ["train.txt"]


def test_numbers_that_changed_places_are_damage(place):
    """A plain sum would not tell."""
    whole = place.read()
    content = place.cache.read_bytes()
    at = 33 + struct.unpack("<Q", content[21:29])[0]  # the values: two words of two numbers each
    changed = content[:at] + content[at + 8 : at + 16] + content[at : at + 8] + content[at + 16 :]
    assert changed != content
    place.cache.write_bytes(changed)
    found = place.read()
    assert mentions(found.notes[-1], "damaged", "(its values)")
    assert_same_bits(found.values, whole.values)


def test_a_cache_that_was_moved_with_its_file_has_the_new_name(place):
    place.write(b"qid,rel,f,g\n1,1,,2\n2,0,1,2\n1,1,1,1\n")
    place.read()
    new = place.path.with_name("new.csv")
    place.path.rename(new)
    place.cache.rename(new.with_name("new.csv.rscache"))
    found = read_features(new, cache=True)
    assert place.reads == 1
    assert found.name == "new"
    assert len(found.notes) == 2
    assert mentions(found.notes[0], f"{new}: ", 1, "missing", 0, "'f'")
    assert mentions(found.notes[1], "new: ", 1, "together")
