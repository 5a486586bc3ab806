"""Results are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import rankscope as rs
from rankscope.io.core import check_writable, write_text


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
