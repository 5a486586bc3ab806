"""`rankscope gate`: its files, exit codes and outputs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

import rankscope as rs

Call = Callable[..., Any]
#: The rank of the only relevant document, again and again.
RANKS = {"old": [2, 1, 4, 2], "same": [2, 1, 4, 2], "worse": [4, 2, 8, 4], "unclear": [1, 2, 2, 4]}
GATE = ("gate", "my.qrels", "old.run")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.qrels").write_text("".join(f"q{i} 0 a 1\n" for i in range(40)))
    for name, ranks in RANKS.items():
        lines = [
            f"q{i} Q0 {'a' if r == ranks[i % 4] else f'x{r}'} {r} {20 - r} {name}\n"
            for i in range(40)
            for r in range(1, ranks[i % 4] + 1)
        ]
        Path(f"{name}.run").write_text("".join(lines))


@pytest.mark.parametrize(
    ("name", "code", "verdict"), [("same", 0, "pass"), ("worse", 3, "worse"), ("unclear", 4, "undecided")]
)
def test_the_exit_code_is_that_of_the_verdict_in_every_output(cli: Call, name: str, code: int, verdict: str) -> None:
    outputs = ("--summary", "gate.md", "--junit", "gate.xml", "-o", "gate.json")
    done = cli(*GATE, f"{name}.run", "-m", "RR", "--margin", "0.02", *outputs)
    assert (done.code, done.out, done.err) == (code, "", "")
    content = json.loads(Path("gate.json").read_text())
    assert (content["verdict"], content["exit_code"]) == (verdict, code)
    assert Path("gate.md").read_text("utf-8").splitlines()[0].endswith(verdict)
    assert ("<failure" in Path("gate.xml").read_text()) == bool(code)
    assert f"{name}" in cli(*GATE, f"{name}.run", "-m", "RR:0.02").out


def test_python_says_the_same(cli: Call) -> None:
    done = cli(*GATE, "unclear.run", "-m", "RR:2%", "-m", "P@1", "--margin", "0.05", "--format", "json")
    old, new = (rs.evaluate("my.qrels", f"{name}.run", ["RR", "P@1"], hash_lists=True) for name in ("old", "unclear"))
    found = rs.gate(new, old, margin={"RR": "2%", "": 0.05})
    rows = json.loads(done.out)["rows"]
    for row, expected in zip(rows, found.records(), strict=True):
        for value, number in zip(row.values(), expected, strict=True):
            assert value == (None if number != number else number)  # NaN


def test_a_saved_baseline_names_the_measures(cli: Call) -> None:
    cli("evaluate", "my.qrels", "old.run", "-m", "RR", "-m", "P@1", "--save", "old.parquet")
    done = cli("gate", "my.qrels", "old.parquet", "same.run", "--margin", "0.02", "--format", "csv")
    assert done.code == 0
    assert [line.split(",")[0] for line in done.out.splitlines()[1:]] == ["RR", "P@1"]
    assert "same lists" in done.out
    Path("my.qrels").write_text(Path("my.qrels").read_text().replace("q3 0 a 1", "q3 0 a 2"))
    done = cli("gate", "my.qrels", "old.parquet", "same.run", "--margin", "0.02")
    assert done.code == 2
    assert mentions(done.err, "other grades in 1 query (q3)")


def test_looks_are_kept_beside_the_baseline(cli: Call) -> None:
    options = ("-m", "RR", "--margin", "0.02", "--up-to", "100")
    assert mentions(cli(*GATE, "unclear.run", *options).out, "Look 1, at 40 of at most 100 queries")
    assert json.loads(Path("old.looks.json").read_text())["systems"].keys() == {"unclear"}
    with open("my.qrels", "a") as file:
        file.writelines(f"r{i} 0 a 1\n" for i in range(20))
    assert mentions(cli(*GATE, "unclear.run", *options).out, "Look 2, at 60 of at most 100 queries")
    cli(*GATE, "unclear.run", *options, "--looks-file", "mine.json")
    assert Path("mine.json").exists()
    done = cli(*GATE, "unclear.run", "-m", "RR", "--margin", "0.05", "--up-to", "100")
    assert done.code == 2
    assert mentions(done.err, "old.looks.json", "margins")


@pytest.mark.parametrize(
    "content", ["q1\nq2\n\nq3\nq3\n", "\ufeffq1\r\nq2\r\nq3\r\n", "query,from\nq1,train\nq2,train\nq3,dev\n"]
)
def test_queries_seen_in_training_come_from_a_file(cli: Call, content: str) -> None:
    Path("seen.txt").write_bytes(content.encode())
    done = cli(*GATE, "same.run", "-m", "RR", "--margin", "0.02", "--seen", "seen.txt")
    assert done.code == 0
    assert mentions(done.out, "seen:3", "3 queries were seen in training", "q1, q2 and q3")


def test_several_baselines_and_a_folder_that_is_not_there(cli: Call) -> None:
    done = cli("gate", "my.qrels", "old.run", "worse.run", "same.run", "-m", "RR", "--margin", "0.02")
    assert done.code == 0
    assert mentions(done.out, "same against old and worse passes")
    done = cli(*GATE, "same.run", "-m", "RR", "--margin", "0.02", "--summary", "no/gate.md")
    assert done.code == 2
    assert "no/gate.md" in done.err
