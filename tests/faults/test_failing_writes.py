"""Whatever is asked of the disk fails, at every place of every command that writes: nothing half-written is left."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.disk_faults import Faults, failing
from helpers.finished_commands import Done
from helpers.writing_commands import QUICK, WRITERS, Writer

Call = Callable[..., Done]

OLD = b"what was there before"
#: What may be opened under its own name, since a line is added to it; all else gets its name when it is whole.
ADDED_TO = {"a search and its log": {"a"}}
#: Of a folder of many files so many places are tried; all of them, of a folder of few, in another test.
MOST = 20
#: Folders that keep what is finished, so that the same command goes on from there.
KEPT = {"a study and its checkpoint": "a", "a search and its log": "a", "mt-experiment": "a/cache"}


def written(folder: Path) -> dict[str, bytes]:
    """All files, by their names."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() or path.is_symlink()
    }


def arguments(call: str, place: Path) -> list[str]:
    return [part.replace("{}", str(place)) for part in call.split()]


def empty(place: Path) -> None:
    shutil.rmtree(place)
    place.mkdir()


def prepared(writer: Writer, place: Path, call: Call) -> dict[str, bytes]:
    """The folder with what the command needs there."""
    empty(place)
    if writer.before:
        assert call(*arguments(writer.before, place)).code == 0
    return written(place)


def count(writer: Writer, place: Path, call: Call) -> tuple[int, dict[str, bytes]]:
    """How many things the command asks of the disk, and what it writes where nothing fails."""
    prepared(writer, place, call)
    with failing(Faults(place, errno.ENOSPC, None)) as faults:
        done = call(*arguments(writer.call, place))
    assert (done.code, [line for line in done.err if line.startswith("rankscope: ")]) == (0, [])
    own = {name for name in faults.opened if ".rankscope-" not in name}
    assert own <= ADDED_TO.get(writer.name, set())
    for name in writer.outputs:
        assert (place / name).exists()
    return len(faults.asked), written(place)


def is_kept(writer: Writer, name: str) -> bool:
    kept = KEPT.get(writer.name)
    return kept is not None and (name == kept or name.startswith(f"{kept}/"))


def try_all(writer: Writer, place: Path, call: Call, code: int, *, lasting: bool, replaces: bool) -> int:
    """Fail at every place in turn; how many places there are. replaces: whether there are files already."""
    steps, whole = count(writer, place, call)
    assert steps >= 2
    for at in range(0, steps, max(1, steps // MOST)):
        before = prepared(writer, place, call)
        if replaces:
            for name in writer.outputs:
                if not is_kept(writer, name) and name in whole:
                    (place / name).write_bytes(OLD)
                    before[name] = OLD
        with failing(Faults(place, code, at, lasting=lasting)) as faults:
            done = call(*arguments(writer.call, place))
        assert faults.struck, (at, steps, faults.asked, done)
        if done.code == 0 and not lasting and faults.asked[at] == "mkdir":  # of a folder that was there already
            assert written(place).items() >= whole.items(), (at, faults.asked)
            continue
        assert done.code == 2, (at, faults.asked, done)
        assert str(place) in done.said
        left = {name: content for name, content in written(place).items() if not is_kept(writer, name)}
        for name, content in left.items():
            assert content in (before.get(name), whole.get(name)), (at, faults.asked, name)
        assert all(name in left for name in before), (at, faults.asked)
        assert not list(place.rglob(".rankscope-*")), (at, faults.asked)
        if (
            at + 1 >= steps - steps // MOST or writer.name in KEPT
        ):  # what is left is no hindrance, and what is kept is whole
            assert call(*arguments(writer.call, place)).code == 0, (at, faults.asked)
            again = written(place)
            assert again.keys() == whole.keys()
            assert all(again[name] == whole[name] for name in whole if not is_kept(writer, name)), (at, faults.asked)
    return steps


@pytest.mark.parametrize("writer", QUICK, ids=[writer.name for writer in QUICK])
def test_a_full_disk_at_every_place(writer: Writer, place: Path, call: Call) -> None:
    try_all(writer, place, call, errno.ENOSPC, lasting=True, replaces=True)


@pytest.mark.slow
@pytest.mark.parametrize("replaces", [True, False], ids=["replaced", "new"])
@pytest.mark.parametrize(
    ("code", "lasting"),
    [(errno.ENOSPC, True), (errno.EIO, False), (errno.EACCES, True)],
    ids=["full", "an error once", "refused"],
)
@pytest.mark.parametrize("writer", WRITERS, ids=[writer.name for writer in WRITERS])
def test_every_error_at_every_place(
    writer: Writer, code: int, lasting: bool, replaces: bool, place: Path, call: Call
) -> None:
    try_all(writer, place, call, code, lasting=lasting, replaces=replaces)
