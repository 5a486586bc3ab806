"""Results are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import rankscope as rs
from rankscope.io.core import check_writable, write_chunks, write_folder, write_text


def test_what_is_written_is_what_was_given(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    write_text(path, "é\r\nx\n\udce9")
    assert path.read_bytes() == "é\r\nx\n".encode() + b"\xe9"
    write_text(path, "new")
    assert path.read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]


def test_a_written_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    write_text(tmp_path / "out", "x")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_failing_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(rs.OutputError, match=r"out: .*\(No space left on device\)"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(("name", "said"), [("", "is a directory"), ("no/such", "does not exist")])
def test_a_place_that_cannot_be_written_is_told_before_any_work(tmp_path: Path, name: str, said: str) -> None:
    for use in (check_writable, lambda path: write_text(path, "x")):
        with pytest.raises(rs.OutputError, match=said):
            use(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    with pytest.raises(rs.OutputError, match="permission"):
        check_writable(folder / "out")


def test_a_link_that_leads_to_a_file_may_be_written(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").read_text() == "new"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no devices here")
def test_a_device_is_written_to_and_not_replaced() -> None:
    write_text("/dev/null", "x")
    assert not Path("/dev/null").is_file()


def test_a_link_is_followed_and_permissions_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_to_and_stays_one() -> None:
    write_text("/dev/null", "text")
    assert not Path("/dev/null").is_file()


def test_a_name_as_long_as_a_name_may_be_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250)
    write_text(path, "text")
    assert path.read_text() == "text"


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_written_whole_and_keeps_other_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "z").write_text("of others")
    write_folder(tmp_path, {"a": [b"new"], "b/c": [b"x", b"y"]})
    assert contents(tmp_path) == {"a": "new", "b/c": "xy", "z": "of others"}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
@pytest.mark.parametrize("failing_move", [0, 1, 2])
@pytest.mark.parametrize("links", [True, False])
def test_files_are_moved_all_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, failing_move: int, links: bool
) -> None:
    """Also where the interrupt comes right after a file was moved, and on a disk without hard links."""
    before = {"a": "old a", "c": "old c"}
    for name, text in before.items():
        (tmp_path / name).write_text(text)
    replace, moves = os.replace, 0

    def failing(source: str, target: str) -> None:
        nonlocal moves
        moves += 1
        if moves == failing_move + 1 and isinstance(error, OSError):
            raise error
        replace(source, target)
        if moves == failing_move + 1:
            raise error

    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "replace", failing)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    with pytest.raises((KeyboardInterrupt, rs.OutputError)):
        write_folder(tmp_path, {name: [b"new"] for name in ("a", "b/b", "c")})
    assert contents(tmp_path) == before
    assert moves > failing_move


def test_an_interrupt_while_the_content_is_computed_leaves_nothing(tmp_path: Path) -> None:
    def interrupted() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_chunks(tmp_path / "a", interrupted())
    assert not list(tmp_path.iterdir())
