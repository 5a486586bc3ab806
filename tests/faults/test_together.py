"""Processes that write in the same place at the same time, and what becomes of a file's rights and other names."""

from __future__ import annotations

import errno
import json
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.finished_commands import Done
from helpers.messages import mentions

from rankscope.errors import InputError, OutputError
from rankscope.experiments.random_search import SearchLog, Trial, trial_log
from rankscope.io.core import check_writable, write_chunks, write_folder, write_new
from rankscope.stability import checkpoint
from rankscope.stability.checkpoint import Checkpoint

POSIX = pytest.mark.skipif(os.name == "nt", reason="no such permissions here")
WRITERS, TIMES = 6, 30


def refusing(code: int) -> Callable[..., None]:
    def link(*_: Any, **__: Any) -> None:
        raise OSError(code, os.strerror(code))

    return link


def at_once(work: Callable[[int], None]) -> None:
    """Call it in threads that begin together; an error of any is one of the test."""
    failed: list[BaseException] = []
    begin = threading.Barrier(WRITERS)

    def one(number: int) -> None:
        begin.wait()
        try:
            work(number)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_first_file_is_written_whole_and_once(links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not links:
        monkeypatch.setattr(os, "link", refusing(errno.EPERM))
    assert write_new(tmp_path / "a", "one")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "one")]
    monkeypatch.undo()
    assert not write_new(tmp_path / "a", "two")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "one")]


def test_where_a_first_file_cannot_be_written_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", refusing(errno.EIO))
    with pytest.raises(OutputError, match=r"a: .*\(Input/output error\)"):
        write_new(tmp_path / "a", "one")
    assert not list(tmp_path.iterdir())


def test_of_many_that_begin_at_once_one_is_the_first(tmp_path: Path) -> None:
    for turn in range(TIMES):
        first = []

        def work(number: int, turn: int = turn, first: list[int] = first) -> None:
            if write_new(tmp_path / str(turn), f"{number}"):
                first.append(number)

        at_once(work)
        assert [(tmp_path / str(turn)).read_text()] == list(map(str, first))
    assert len(list(tmp_path.iterdir())) == TIMES


def test_files_that_many_write_are_those_of_one_of_them(tmp_path: Path) -> None:
    def work(number: int) -> None:
        for _ in range(TIMES):
            write_chunks(tmp_path / "a", [str(number).encode() * 1000] * 10)
            write_folder(tmp_path / "b", {name: [str(number).encode() * 1000] * 10 for name in ("c", "d/e")})
            for path in (tmp_path / "a", tmp_path / "b" / "c", tmp_path / "b" / "d" / "e"):
                content = path.read_bytes()
                assert content == content[:1] * 10_000

    at_once(work)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == ["a", "b", "b/c", "b/d", "b/d/e"]


def between(monkeypatch: pytest.MonkeyPatch, module: Any, do: Callable[[], object]) -> None:
    """Another process does that once, after this one has looked at the place and before it writes there."""
    waiting = [do]

    def write(*args: Any) -> bool:
        while waiting:
            waiting.pop()()
        return write_new(*args)

    monkeypatch.setattr(module, "write_new", write)


@pytest.mark.parametrize("same", [True, False], ids=["the same", "another"])
def test_studies_that_begin_together_do_not_share_a_checkpoint_unless_they_are_the_same(
    same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the numbers of one would be taken for those of the other when it goes on."""
    ours, theirs = Checkpoint(tmp_path / "c", {"seed": 1}), Checkpoint(tmp_path / "c", {"seed": 1 if same else 2})
    between(monkeypatch, checkpoint, theirs.open)
    if same:
        ours.open()
    else:
        with pytest.raises(InputError, match=r"\(seed 2\D+1\)"):
            ours.open()
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["study.json"]
    assert json.loads((tmp_path / "c" / "study.json").read_text()) == theirs.settings


def setting(number: int) -> Trial:
    return Trial(model="m", number=number, changed={}, value=number / 4, by_fold=(0.5,), best_epoch=1.0, seconds=0.125)


@pytest.mark.parametrize("same", [True, False], ids=["the same", "another"])
def test_searches_that_begin_together_do_not_share_a_log_unless_they_are_the_same(
    same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = {"folds": 3}

    def other() -> None:
        SearchLog(tmp_path / "log", about if same else {"folds": 4}).add(setting(1))

    between(monkeypatch, trial_log, other)
    if same:
        log = SearchLog(tmp_path / "log", about)
        assert log.trials == {("m", 1): setting(1)}
        log.add(setting(2))
        assert SearchLog(tmp_path / "log", about).trials == {("m", n): setting(n) for n in (1, 2)}
    else:
        with pytest.raises(InputError, match=r"log\b.*\bfolds\D+4\D+3\b"):
            SearchLog(tmp_path / "log", about)
        assert SearchLog(tmp_path / "log", {"folds": 4}).trials == {("m", 1): setting(1)}
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


@pytest.fixture
def umask() -> Iterator[int]:
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


@POSIX
def test_new_files_have_the_permissions_of_any_new_file(umask: int, tmp_path: Path) -> None:
    write_chunks(tmp_path / "a", [b"x"])
    write_new(tmp_path / "b", "x")
    write_folder(tmp_path / "c", {"d/e": [b"x"]})
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {"a": 0o640, "b": 0o640, "c": 0o750, "d": 0o750, "e": 0o640}


@POSIX
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_a_file_that_is_replaced_keeps_its_owner_and_group(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    os.chown(tmp_path / "a", 12345, 23456)
    (tmp_path / "a").chmod(0o660)
    write_chunks(tmp_path / "a", [b"new"])
    there = (tmp_path / "a").stat()
    assert (there.st_uid, there.st_gid, stat.S_IMODE(there.st_mode)) == (12345, 23456, 0o660)


@POSIX
def test_where_the_owner_may_not_be_kept_the_group_is_and_where_not_that_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("old")
    there = os.stat(tmp_path / "a")
    asked: list[tuple[int, int]] = []

    def chown(path: object, owner: int, group: int) -> None:
        asked.append((owner, group))
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "chown", chown)
    write_chunks(tmp_path / "a", [b"new"])
    assert asked == []  # it is ours already
    other = os.stat_result((*there[:4], there.st_uid + 1, there.st_gid + 1, *there[6:]))
    real = Path.stat  # newer versions of Python ask it themselves, and with an option
    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", lambda path, **options: other if path.name == "a" else real(path, **options))
        write_chunks(tmp_path / "a", [b"newer"])
    assert asked == [(there.st_uid + 1, there.st_gid + 1), (-1, there.st_gid + 1)]
    assert (tmp_path / "a").read_bytes() == b"newer"


@POSIX
def test_a_file_that_only_its_owner_may_replace_is_told_before_long_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As another user's in /tmp."""
    (tmp_path / "a").write_text("old")
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    tmp_path.chmod(0o777)
    check_writable(tmp_path / "a")
    tmp_path.chmod(0o1777)
    with pytest.raises(OutputError, match=r"a: no permission"):
        check_writable(tmp_path / "a")
    check_writable(tmp_path / "new")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no /dev/null here")
def test_a_log_that_cannot_be_read_again_is_refused(tmp_path: Path) -> None:
    """A pipe would be waited for."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/null"):
        with pytest.raises(OutputError, match=r"not a regular file.*log"):
            SearchLog(path, {"folds": 3})


@POSIX
def test_links_are_followed_and_another_name_of_a_file_keeps_what_it_was(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    os.link(tmp_path / "a", tmp_path / "hard")
    (tmp_path / "soft").symlink_to("a")
    (tmp_path / "to nothing").symlink_to("b")
    write_chunks(tmp_path / "soft", [b"new"])
    write_chunks(tmp_path / "to nothing", [b"new"])
    assert {path.name: (path.is_symlink(), path.read_text()) for path in tmp_path.iterdir()} == {
        "a": (False, "new"),
        "hard": (False, "old"),
        "soft": (True, "new"),
        "b": (False, "new"),
        "to nothing": (True, "new"),
    }


def test_one_place_is_not_given_to_a_checkpoint_and_an_output(call: Callable[..., Done], place: Path) -> None:
    done = call(
        "stability", "demo.qrels", "bm25.run", "dense.run", "--checkpoint", place / "a", "-o", place / "." / "a"
    )
    assert done.code == 2
    assert mentions(done.said, f"rankscope: {place / 'a'}: ", "checkpoint", "output")
    assert not list(place.iterdir())
