"""Names of files and ids that are anything but plain: they are read and written, and no message breaks by them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankscope as rs
from rankscope.errors import InputError, OutputError

NAMES = {
    "spaces": b" a b .run",
    "newline": b"two\nlines.run",
    "carriage return": b"over\rwritten.run",
    "quotes": b"'\"`.run",
    "shell": b"$(id);|&*?[a]<>!.run",
    "escape": b"\x1b]0;title\x07\x1b[31m.run",
    "not UTF-8": b"\xff\xfe\x80.run",
    "C1": "\x9b31m\u0085.run".encode(),
    "backwards": "\u202enur.run".encode(),
    "emoji": "\U0001f600\u0301.run".encode(),
    "tilde": b"~",
    "percent": b"%s%d{0}{name}.run",
    "backslash": b"a\\nb\\.run",
    "long": b"x" * 251 + b".run",
}
#: Names that begin as options do; a command is told by -- that they are none.
DASHED = [b"-", b"--", b"-x.run", b"--help"]
QRELS, RUN = b"q 0 a 1\nq 0 b 0\nr 0 a 1\n", b"q Q0 a 1 2 t\nq Q0 b 2 1 t\nr Q0 a 1 1 t\n"
#: What may not reach a terminal.
RAW = [c for c in range(32) if c != 10] + [127]


def rankscope(*args: str | bytes, folder: Path, **environment: str) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "rankscope", *args],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "q.qrels").write_bytes(QRELS)
    return tmp_path


@pytest.mark.parametrize("what", NAMES)
def test_a_file_of_any_name_is_read_written_and_named_in_one_line(what: str, folder: Path) -> None:
    path = Path(os.fsdecode(os.path.join(os.fsencode(folder), NAMES[what])))
    path.write_bytes(RUN)
    other = path.with_name("other-" + path.name[:200])
    assert rs.evaluate(folder / "q.qrels", path, ["P@1"]).matrix("P@1").tolist() == [[1.0, 1.0]]
    assert rs.read_run(path).name == "t"
    rs.convert(path, other, to="csv", kind="run")
    again = rs.evaluate(folder / "q.qrels", [path, other], ["P@1"])
    assert again.matrix("P@1").tolist() == [[1.0, 1.0]] * 2
    plain = rs.evaluate(folder / "q.qrels", [RUN_OF, RUN_OF_2], ["P@1"])
    assert str(again).count("\n") == str(plain).count("\n")
    path.write_bytes(b"q Q0 a 1 x t\n")
    for refuse in (lambda: rs.read_run(path), lambda: rs.read_qrels(path), lambda: rs.convert(path, other, to="csv")):
        with pytest.raises(InputError) as error:
            refuse()
        assert str(error.value).isprintable() or what == "not UTF-8"
        assert "\n" not in str(error.value)


RUN_OF, RUN_OF_2 = (rs.Run({"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}, name=name) for name in ("x", "y"))


@pytest.mark.slow
@pytest.mark.parametrize("what", NAMES)
def test_every_command_takes_a_file_of_any_name_as_an_argument(what: str, folder: Path) -> None:
    name = NAMES[what]
    (folder / os.fsdecode(name)).write_bytes(RUN)
    (folder / "other.run").write_bytes(RUN.replace(b"t\n", b"u\n"))
    for args in (
        ["evaluate", "q.qrels", name, "--by-query"],
        ["evaluate", "q.qrels", name, "other.run", "--format", "markdown"],
        ["compare", "q.qrels", name, "other.run", "-m", "P@1"],
        ["convert", name, "made.csv"],
        ["fuse", name, "other.run", "-o", "fused.run"],
        ["report", "q.qrels", name, "other.run", "-o", "page.html"],
        ["trec_eval", "q.qrels", name],
    ):
        code, out, error = rankscope(*args, folder=folder)
        assert code == 0, error
        assert not any(c in RAW for c in out if c != 9), out
        assert not any(c in RAW for c in error), error


@pytest.mark.slow
@pytest.mark.parametrize("name", DASHED, ids=os.fsdecode)
def test_a_name_that_begins_as_an_option_is_one_behind_two_dashes(name: bytes, folder: Path) -> None:
    (folder / os.fsdecode(name)).write_bytes(RUN)
    code, out, error = rankscope("evaluate", "q.qrels", "--", name if name != b"-" else b"./-", folder=folder)
    assert (code, error) == (0, b"")
    assert out.split()[0] == b"system"


@pytest.mark.parametrize("locale", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_names_of_all_scripts_are_printed_whatever_the_terminal_says_it_takes(
    locale: dict[str, str], folder: Path
) -> None:
    run = "q Q0 a 1 2 \u0441\u0438\u0441\u0442\u0435\u043c\u0430\u200b\U0001f600\n".encode() + b"r Q0 \xff\xfe 1 1 t\n"
    (folder / "x.run").write_bytes(run)
    code, out, error = rankscope("evaluate", "q.qrels", "x.run", folder=folder, **locale)
    assert code == 0, error
    assert "\u0441\u0438\u0441".encode() in out
    (folder / "x.run").write_bytes("q Q0 a 1 \u00e9\u0441 t\n".encode())
    code, _, error = rankscope("evaluate", "q.qrels", "x.run", folder=folder, **locale)
    assert (code, error.count(b"\n")) == (2, 1)


def test_what_commands_a_terminal_in_ids_and_cells_is_shown_as_an_escape(folder: Path) -> None:
    (folder / "x.run").write_bytes(b"q Q0 a 1 2 \x1b[31mred\x1b]0;title\x07\n")
    code, out, error = rankscope("evaluate", "q.qrels", "x.run", "--by-query", folder=folder)
    assert (code, error) == (0, b"")
    assert rb"\x1b[31mred\x1b]0;title\x07" in out
    assert b"\x1b" not in out
    (folder / "x.run").write_bytes(b"q\x1b[2J Q0 a 1 \x1b[31mx t\n")
    code, _, error = rankscope("evaluate", "q.qrels", "x.run", folder=folder)
    assert (code, error.count(b"\n")) == (2, 1)
    assert b"\x1b" not in error
    assert rb"\x1b[31mx" in error


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b"], ids=["long", "NUL"])
def test_a_name_that_no_file_can_have_is_refused(name: str, folder: Path) -> None:
    for read in (rs.read_qrels, rs.read_run, rs.read_votes, rs.read_features, rs.read_scores, rs.read_rankings):
        with pytest.raises(InputError, match=r"no file|name too long"):
            read(name)
    with pytest.raises(InputError):
        rs.evaluate(folder / "q.qrels", [name], ["AP"])
    with pytest.raises(OutputError, match="cannot be written"):
        rs.convert(RUN_OF, name, to="csv")
