"""`rankscope evaluate` and its neighbours: names, outputs, options."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.cli import _output as output
from rankscope.cli.main import COMMANDS
from rankscope.measures import MEASURES

RUN = "1 Q0 a 1 2.5 {tag}\n1 Q0 b 2 1.5 {tag}\n2 Q0 c 1 9.0 {tag}\n2 Q0 a 2 8.0 {tag}\n"  # RR: 1/1, 1/2


def systems(done: Any) -> dict[str, float]:
    assert done.code == 0, done.err
    return {row["system"]: float(row["value"]) for row in csv.DictReader(io.StringIO(done.out))}


def test_several_runs_stand_side_by_side_in_the_order_given(cli: Callable[..., Any], folder: Path) -> None:
    (folder / "zeta").write_text(RUN.format(tag="zeta"))
    (folder / "best").write_text("1 Q0 a 1 1 best\n2 Q0 a 1 1 best\n")
    done = cli("evaluate", "qrels", "zeta", "best", "run", "-m", "RR", "--format", "csv")
    assert list(systems(done).items()) == [("zeta", (1 + 1 / 2) / 2), ("best", 1.0), ("bm25", (1 + 1 / 2) / 2)]


def test_runs_that_share_a_tag_are_called_by_their_files_with_a_note(cli: Callable[..., Any], folder: Path) -> None:
    (folder / "other.run.gz").write_bytes(gzip.compress(RUN.format(tag="bm25").encode()))
    done = cli("evaluate", "qrels", "run", "other.run.gz", "-m", "RR")
    assert [line.split()[0] for line in done.out.splitlines()[1:3]] == ["run", "other"]
    assert mentions(done.out.splitlines(), "note: ", "'bm25'", "names")


def test_runs_that_share_tag_and_file_name_are_called_by_their_paths(cli: Callable[..., Any], folder: Path) -> None:
    for name in ("x", "y"):
        (folder / name).mkdir()
        (folder / name / "run").write_text(RUN.format(tag="same"))
    done = cli("evaluate", "qrels", "x/run", "y/run", "-m", "RR", "--format", "csv")
    assert list(systems(done)) == [str(Path("x/run")), str(Path("y/run"))]


def test_a_run_without_a_tag_is_called_by_its_file(cli: Callable[..., Any], folder: Path) -> None:
    (folder / "nameless.txt").write_text(RUN.replace(" {tag}", ""))
    assert list(systems(cli("evaluate", "qrels", "nameless.txt", "-m", "RR", "--format", "csv"))) == ["nameless"]


def test_what_is_written_to_a_file_is_what_would_be_printed(cli: Callable[..., Any], folder: Path) -> None:
    for form in ("table", "csv", "json", "jsonl", "latex", "markdown", "trec"):
        shown = cli("evaluate", "qrels", "run", "--format", form, "--by-query")
        written = cli("evaluate", "qrels", "run", "--format", form, "--by-query", "-o", "out")
        assert (written.code, written.out, written.err) == (0, "", "")
        assert (
            (folder / "out").read_text()
            == shown.out
            == cli("evaluate", "qrels", "run", "--format", form, "--by-query", "-o", "-").out
        )
    assert sorted(p.name for p in folder.iterdir()) == ["out", "qrels", "run"]


def test_the_values_are_those_of_the_python_interface_to_the_last_bit(cli: Callable[..., Any], folder: Path) -> None:
    names = ["nDCG@10", "AP", "RBP(p=0.9)", "NumRel"]
    scores = rs.evaluate("qrels", "run", names)
    done = cli("evaluate", "qrels", "run", *(w for n in names for w in ("-m", n)), "--format", "json", "--by-query")
    found = {(r["measure"], r["query"]): r["value"] for r in json.loads(done.out)}
    for name in names:
        expected = dict(zip(scores.query_ids, scores.matrix(name)[0].tolist(), strict=True))
        assert_same_bits({q: found[name, q] for q in scores.query_ids}, expected)
        assert_same_bits(found[name, "all"], scores.overall(name))


def test_without_measures_the_five_usual_ones_are_shown(cli: Callable[..., Any], folder: Path) -> None:
    header = cli("evaluate", "qrels", "run").out.splitlines()[0].split()
    assert header == ["system", "nDCG@10", "AP", "RR", "P@10", "R@100"]


def test_options_reach_the_numbers(cli: Callable[..., Any], folder: Path) -> None:
    (folder / "half").write_text("1 Q0 b 1 1 half\n1 Q0 a 2 1 half\n")  # tied; nothing for query 2

    def rr(*options: str) -> float:
        return systems(cli("evaluate", "qrels", "half", "-m", "RR", "--format", "csv", *options))["half"]

    assert rr() == (1 / 2 + 0) / 2  # b before a, since it is the greater id
    assert rr("--missing", "drop") == 1 / 2
    assert rr("--ties", "file") == (1 / 2 + 0) / 2
    (folder / "half").write_text("1 Q0 a 1 1 half\n1 Q0 b 2 1 half\n")
    assert rr("--ties", "file") == (1 / 1 + 0) / 2
    assert rr("--rel", "2", "--missing", "drop") == 0  # a is judged 1 in query 1
    assert rr("--rel", "2", "--missing", "drop", "--no-relevant", "one") == 1
    assert rr("--rel", "2", "--no-relevant", "drop") == 0


def test_standard_input_may_be_the_run_or_the_qrels(
    cli: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def feed(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))

    feed(RUN.format(tag="piped").encode())
    assert systems(cli("evaluate", "qrels", "-", "-m", "RR", "--format", "csv")) == {"piped": (1 + 1 / 2) / 2}
    feed(gzip.compress((folder / "qrels").read_bytes()))
    assert systems(cli("evaluate", "-", "run", "-m", "RR", "--format", "csv")) == {"bm25": (1 + 1 / 2) / 2}


def test_the_format_of_the_runs_may_be_named(cli: Callable[..., Any], folder: Path) -> None:
    (folder / "table").write_text("query_id\tdoc_id\tscore\n1\ta\t1\n")
    assert systems(cli("evaluate", "qrels", "table", "-m", "RR", "--format", "csv")) == {"table": 1 / 2}
    done = cli("evaluate", "qrels", "table", "-m", "RR", "--input", "trec")
    assert done.code == 2
    assert done.err.startswith("rankscope: table:1: 3 fields")


def test_the_version_and_the_overview_are_shown(cli: Callable[..., Any]) -> None:
    assert cli("--version").out.strip() == f"rankscope, version {rs.__version__}"
    overview = cli("--help").out
    assert all(f"\n  {name} " in overview for name in COMMANDS)
    assert mentions(cli("evaluate", "-h").out, "Usage: rankscope evaluate", "RUN", "judgments")


def test_an_unknown_command_is_refused(cli: Callable[..., Any]) -> None:
    done = cli("evalaute")
    assert done.code == 2
    assert "evalaute" in done.err.splitlines()[-1]


def test_measures_lists_all_and_explains_one(cli: Callable[..., Any]) -> None:
    listed = cli("measures").out
    assert all(any(line.split()[:1] == [name] for line in listed.splitlines()) for name in MEASURES)
    assert [r["name"] for r in json.loads(cli("measures", "--format", "json").out)] == list(MEASURES)
    explained = cli("measures", "ndcg").out
    assert explained.startswith("nDCG ")
    assert "also called  ndcg, ndcg_cut" in explained
    assert "trec_eval" in cli("measures", "--presets").out


def test_nobody_is_told_of_progress_where_nobody_looks(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    with output.bytes_progress(["run"], "reading") as tell:
        assert tell is None


def test_on_a_terminal_long_work_shows_a_bar_and_takes_it_away(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with output.bytes_progress(["run"], "reading") as tell:
        assert tell is not None
        tell(10)
        assert terminal.getvalue() == ""  # not long yet
        monkeypatch.setattr(output, "SECONDS_BEFORE_BAR", -1.0)
        tell(10)
    assert "reading" in terminal.getvalue()


def test_progress_is_told_of_every_byte_of_every_run(folder: Path) -> None:
    (folder / "mixed").write_text("1 Q0 a 1 1 x\n2 Q0 a 1 1 x\n1 Q0 b 1 0 x\n")
    seen: list[int] = []
    rs.evaluate("qrels", "run", "RR", progress=seen.append)
    assert sum(seen) == Path("run").stat().st_size
