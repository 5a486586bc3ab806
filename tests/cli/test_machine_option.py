"""`--machine` of `evaluate` and `plan`: what they print, in which formats, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.refusals import assert_refused
from helpers.same import assert_same_bits

from rankscope.reporting.tables import RESULT_FORMATS

HUMAN = "demo-few.qrels"
MACHINE = ("--machine", "demo-judge.qrels", "-m", "nDCG@10")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from rankscope.demo.collection import SEED, collection_files, judge_files, write_files

    folder = tmp_path_factory.mktemp("demo")
    write_files(folder, {**collection_files(SEED), **judge_files(SEED)})
    return folder


@pytest.fixture
def files(demo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(demo)
    return demo


def test_estimates_hold_what_all_judgments_of_people_say(cli: Callable[..., Any], files: Path) -> None:
    done = cli("evaluate", HUMAN, "rerank.run", "dense.run", *MACHINE, "--format", "json")
    found = {(r["system_a"], r["system_b"], r["estimate"]): r for r in json.loads(done.out)}
    full = json.loads(cli("evaluate", "demo.qrels", "rerank.run", "dense.run", "-m", "nDCG@10", "--format", "json").out)
    truth = {r["system"]: r["value"] for r in full}
    for system, mean in truth.items():
        combined, human = found[system, "", "combined"], found[system, "", "human"]
        assert combined["low"] < mean < combined["high"]
        assert combined["high"] - combined["low"] < human["high"] - human["low"]
        assert combined["n_effective"] > 20
    # The machine, fond of dense, calls it as good as rerank; people do not, and both combined do not.
    assert found["rerank", "dense", "machine"]["value"] < 0 < found["rerank", "dense", "combined"]["low"]


@pytest.mark.parametrize("format_", RESULT_FORMATS)
def test_every_format_goes_to_a_file_too(cli: Callable[..., Any], files: Path, tmp_path: Path, format_: str) -> None:
    out = tmp_path / f"out.{format_}"
    for args in (["evaluate"], ["plan", "--width", "0.2"]):
        call = [*args, HUMAN, "rerank.run", "dense.run", *MACHINE, "--format", format_]
        printed = cli(*call)
        assert printed.code == 0, printed.err
        assert cli(*call, "-o", out).out == ""
        assert_same_bits(out.read_text(), printed.out)


def test_a_baseline_may_be_named_by_its_file(cli: Callable[..., Any], files: Path) -> None:
    done = cli("evaluate", HUMAN, "rerank.run", "dense.run", *MACHINE, "--baseline", "dense.run", "--format", "csv")
    assert "nDCG@10,rerank,dense,combined," in done.out


def test_a_weight_and_a_level_are_taken(cli: Callable[..., Any], files: Path) -> None:
    done = cli("evaluate", HUMAN, "rerank.run", *MACHINE, "--machine-weight", "0", "--confidence-level", "0.9")
    assert "weight:0 | confidence:0.9 |" in done.out
    assert "Its weight is 0." in done.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["evaluate", "--baseline", "x"], "--baseline needs --machine"),
        (["evaluate", "--map", "0=0"], "--map needs --machine"),
        (["evaluate", *MACHINE, "--by-query"], "--machine cannot be combined with --by-query"),
        (["evaluate", *MACHINE, "--save", "x.parquet"], "--machine cannot be combined with --save"),
        (["evaluate", *MACHINE, "--format", "trec"], "no format 'trec'"),
        (["evaluate", *MACHINE, "--map", "0=0,1=1"], "has the grade 2 and 3"),
        (["evaluate", *MACHINE, "--confidence-level", "95"], "95 % is 0.95"),
        (["evaluate", *MACHINE, "--baseline", "nobody"], "unknown system"),
        (["evaluate", *MACHINE, "-o", "demo-judge.qrels"], "demo-judge.qrels"),
        (["plan", *MACHINE], "--machine needs --width W"),
        (["plan", *MACHINE, "--width", "0.1", "--difference", "0.1"], "--machine cannot be combined with --difference"),
        (["plan", *MACHINE, "--width", "0.1", "--power", "0.9"], "--machine cannot be combined with --power"),
        (["plan", *MACHINE, "--width", "0.1", "--standardise", "z"], "--machine cannot be combined with --standardise"),
        (["plan", "--map", "0=0"], "--map needs --machine"),
        (["plan", "--cost", "3"], "--cost needs --machine"),
        (["plan", *MACHINE, "--width", "0.1", "--machine-cost", "3"], "--machine-cost needs --cost C"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_does_not_go_together_is_refused(cli: Callable[..., Any], files: Path, args: list[str], said: str) -> None:
    assert_refused(cli(args[0], HUMAN, "rerank.run", *args[1:]), said)


def test_another_scale_and_missing_queries_are_refused(cli: Callable[..., Any], files: Path, tmp_path: Path) -> None:
    lines = (files / "demo-judge.qrels").read_text().splitlines()
    few, other = tmp_path / "few.qrels", tmp_path / "other.qrels"
    few.write_text("\n".join(line for line in lines if not line.startswith("103 ")) + "\n")
    other.write_text("\n".join(f"{line[:-1]}{int(line[-1]) * 3}" for line in lines) + "\n")
    for command in (["evaluate"], ["plan", "--width", "0.1"]):
        call = [*command, HUMAN, "rerank.run", "-m", "RR"]
        assert_refused(cli(*call, "--machine", few), "few is missing 1 query of the 20 that demo-few has (103)")
        assert_refused(cli(*call, "--machine", other), "go up to 9", "as 0=0,3=3,6=6,9=9")
        assert cli(*call, "--machine", other, "--map", "0=0,3=1,6=2,9=3").code == 0
        assert_refused(cli(*call[:-3], "nothere.run", *MACHINE), "nothere.run")


def test_the_page_shows_people_machine_and_both(cli: Callable[..., Any], files: Path, tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason="the extra `report` is not installed")
    page = tmp_path / "page.html"
    call = ["report", HUMAN, "rerank.run", "dense.run", "-m", "nDCG@10", "--no-figures", "-o", page]
    assert cli(*call, "--machine", "demo-judge.qrels").code == 0
    text = page.read_text()
    assert mentions(text, "nDCG@10: people, machine")
    assert "demo-judge.qrels, SHA-256" in text
    assert_refused(cli(*call, "--map", "0=0"), "--machine")
    assert_refused(cli(*call, "--machine", "demo-judge.qrels", "--map", "0=0"), "has the grade 1, 2 and 3")
    assert_refused(cli("report", HUMAN, "-", "--machine", "demo-judge.qrels", "-o", page), "read twice")


def test_the_page_of_scores_shows_estimates_from_a_measure_of_people_and_that_of_a_machine(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    pytest.importorskip("jinja2", reason="the extra `report` is not installed")
    page, table = tmp_path / "page.html", tmp_path / "answers.csv"
    rows = [f"{s},{q},{q % 3 if q < 4 else ''},{(q + q // 4) % 3}" for s in ("a", "b") for q in range(8)]
    table.write_text("\n".join(["system,query,people,llm", *rows]) + "\n")
    call = ["report", table, "--no-figures", "-o", page]
    for options in ([], ["-m", "people"]):
        assert cli(*call, *options, "--machine", "llm").code == 0
        assert mentions(page.read_text(), "people: people, machine", "People judged 4 items, the machine 8")
        assert not mentions(page.read_text(), "llm on 8 queries")  # the machine's measure is compared nowhere
    assert_refused(cli(*call, "--machine", "lm"), "'lm'", "llm")
    assert_refused(cli(*call, "-m", "llm", "--machine", "llm"), "no measure beside 'llm'")
    assert_refused(cli(*call, "--machine", "llm", "--map", "0=0"), "--map is for judgments")
