"""Folders that are written all or not at all, what a killed process may leave, and writers that only Python has."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.disk_faults import Faults, failing
from helpers.finished_commands import Done
from helpers.same import assert_same_bits
from helpers.writing_commands import QUICK, Writer

import rankscope as rs
from rankscope.compat.ranx import Run
from rankscope.demo.collection import write_files
from rankscope.errors import InputError, OutputError
from rankscope.io.core import read_arrays, write_arrays, write_chunks, write_folder

Call = Callable[..., Done]

#: One of each kind of file: text, of polars, packed, of safetensors.
NAMES = ("evaluate", "a table as parquet", "convert to zstandard", "train")
CUT = [writer for writer in QUICK if writer.name in NAMES]
FILES = {"a.txt": [b"one ", b"two"], "inner/b.txt": [b"three"], "inner/more/c.txt": [b""]}


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def error_of(write: Callable[[], object]) -> str:
    """What it says of an output that cannot be written; nothing where it can."""
    try:
        write()
    except OutputError as error:
        return str(error)
    return ""


WHOLE = {name: b"".join(chunks) for name, chunks in FILES.items()}


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_is_written_all_or_not_at_all(there: bool, tmp_path: Path) -> None:
    """Of a folder that is there, what could not be replaced any more is old, and nothing is cut off."""
    old = {"a.txt": b"old", "other": b"kept"}
    at = 0
    while True:
        base = tmp_path / f"{at}" / "deep"
        if there:
            write_folder(base, {name: [content] for name, content in old.items()})
        with failing(Faults(tmp_path, errno.ENOSPC, at)) as faults:
            said = error_of(lambda base=base: write_folder(base, FILES))
        found = written(base)
        if not faults.struck:
            break
        assert str(base) in said
        assert os.strerror(errno.ENOSPC) in said
        moved = sum(step == "replace" for step in faults.asked[:at])
        if moved == 0:
            assert found == (old if there else {}), faults.asked
            assert there or not (tmp_path / f"{at}").exists()
        else:
            assert all(content in (old.get(name), WHOLE.get(name)) for name, content in found.items()), faults.asked
        assert not list(tmp_path.rglob(".rankscope-*")), faults.asked
        at += 1
    assert found == ({**old, **WHOLE} if there else WHOLE)
    assert at > 10


def test_what_goes_wrong_while_a_folder_is_made_leaves_none(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"some"
        raise InputError("of the data")

    with pytest.raises(InputError, match="of the data"):
        write_folder(tmp_path / "a" / "b", {**FILES, "broken": broken()})
    assert not list(tmp_path.iterdir())


def test_a_folder_in_the_place_of_one_of_the_files_is_told_before_any_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a" / "inner" / "b.txt").mkdir(parents=True)
    (tmp_path / "a" / "a.txt").write_text("old")
    with pytest.raises(OutputError, match=r"b\.txt: is a directory"):
        write_folder(tmp_path / "a", FILES)
    assert written(tmp_path / "a") == {"a.txt": b"old"}


@pytest.mark.parametrize("place", ["file", "file/inner"])
def test_no_folder_is_made_in_a_file(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(OutputError, match="no folder"):
        write_folder(tmp_path / place, FILES)
    assert written(tmp_path) == {"file": b"old"}


def test_a_file_keeps_its_permissions_from_its_first_byte_on(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("old")
    (tmp_path / "secret").chmod(0o600)
    seen = []

    def chunks() -> Iterator[bytes]:
        (temporary,) = tmp_path.glob(".rankscope-*")
        seen.append(temporary.stat().st_mode & 0o777)
        yield b"new"

    write_chunks(tmp_path / "secret", chunks())
    assert seen == [0o600]
    assert (tmp_path / "secret").read_bytes() == b"new"


def test_what_a_killed_process_left_is_no_hindrance(call: Call, place: Path) -> None:
    """Before it was whole: the head of a checkpoint, and a file of the demo."""
    for name in ("study", "demo"):
        (place / name).mkdir()
        (place / name / ".rankscope-0123456789ab").write_bytes(b"half")
    study = next(writer for writer in QUICK if writer.name == "a study and its checkpoint").call
    args = [arg.replace("{}/a", f"{place}/study").replace("{}/b", f"{place}/b") for arg in study.split()]
    assert call(*args).code == 0
    write_files(place / "demo", {"a": "text"})
    assert (place / "demo" / "a").read_text() == "text"


@pytest.mark.parametrize("kind", ["json", "trec", "gz", "parquet"])
def test_what_ranx_saves_is_written_whole_or_not_at_all(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    path = tmp_path / f"run.{'gz' if kind == 'gz' else kind}"
    run = Run({"q1": {"d1": 2.0, "d2": 1.0}}, name="r")
    run.save(path, kind=kind)
    whole = path.read_bytes()
    at = 0
    while True:
        path.write_bytes(b"old")
        with failing(Faults(tmp_path, errno.ENOSPC, at)) as faults:
            said = error_of(lambda: run.save(path, kind=kind))
        if not faults.struck:
            break
        assert "No space left" in said
        assert path.read_bytes() == b"old"
        assert [one.name for one in tmp_path.iterdir()] == [path.name]
        at += 1
    assert at >= 4
    assert path.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_a_note(demo_files: Path, tmp_path: Path) -> None:
    source = tmp_path / "train.txt"
    source.write_bytes((demo_files / "demo-train.txt").read_bytes())
    plain = rs.read_features(source)
    at = 0
    while True:
        with failing(Faults(tmp_path, errno.ENOSPC, at)) as faults:
            found = rs.read_features(source, cache=True)
        assert_same_bits(found.values, plain.values)
        if not faults.struck:
            break
        assert any("no cache was written" in note and "No space left" in note for note in found.notes)
        assert [one.name for one in tmp_path.iterdir()] == ["train.txt"]
        at += 1
    assert at >= 4
    assert not found.notes


def test_arrays_that_cannot_be_read_are_told_from_damaged_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    path = tmp_path / "a.arrays"
    write_arrays(path, b"rankscope test 1\n", {"x": np.arange(3.0)})
    whole = path.read_bytes()
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"a\.arrays: .*damaged"):
            read_arrays(path, b"rankscope test 1\n")
    path.write_bytes(whole)
    assert read_arrays(path, b"rankscope test 1\n")["x"].tolist() == [0, 1, 2]

    def refused(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(InputError, match=r"a\.arrays: .*\(Input/output error\)"):
        read_arrays(path, b"rankscope test 1\n")


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files here")
@pytest.mark.parametrize("writer", CUT, ids=[writer.name for writer in CUT])
def test_the_system_itself_cuts_files_off(writer: Writer, call: Call, place: Path) -> None:
    """Whoever writes, in whatever language: no file may be longer than a limit."""
    import resource

    args = [part.replace("{}", str(place)) for part in writer.call.split()]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for size in (0, 1, 100):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            done = call(*args)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert (done.code, "File too large" in done.said) == (2, True), done
        assert not [path for path in place.rglob("*") if path.is_file()]
