"""`rankscope leaderboard`: what a file is told to be, options, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankscope import Run, evaluate, write_scores
from rankscope.demo.rankings import answer_files, preference_files
from rankscope.demo.scores import score_files

QUICK = ("--resamples", "50")
HEAD = "left,right,winner\n"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of all kinds."""
    folder = tmp_path_factory.mktemp("demo")
    for name, text in {**preference_files(2003), **answer_files(2003), **score_files(2003)}.items():
        (folder / name).write_text(text)
    (folder / "judged.jcml").write_text(
        '<jcml><judgedsentence id="1" langsrc="en" langtgt="de"><src>x</src>'
        '<tgt system="A" rank="1">a</tgt><tgt system="B" rank="2">b</tgt></judgedsentence>'
        '<judgedsentence id="2" langsrc="en" langtgt="de"><src>y</src>'
        '<tgt system="A" rank="2">a</tgt><tgt system="B" rank="1">b</tgt></judgedsentence></jcml>'
    )
    (folder / "ballots.csv").write_text("who,1st,2nd,3rd\n1,A,B,C\n2,B,A,C\n3,C,A,B\n4,A,C,B\n")
    (folder / "points.csv").write_text("x,u,v,w\nA,9,7,6\nB,8,9,7\nC,5,5,9\n")
    (folder / "arena.csv").write_text("one,two,verdict\nA,B,A\nA,B,B\nB,A,A\n")
    (folder / "votes.json").write_text(json.dumps([["A", "B", "C"], ["B", "A", "C"], ["C", "A", "B"], ["A", "C", "B"]]))
    (folder / "ranks.tsv").write_text("paper\tx\ty\tz\nA\t1\t2\t3\nB\t2\t1\t1\nC\t3\t3\t2\n")
    found = {name: {f"q{i}": {"de"[(i % 3 == 0) == (name == "a")]: 2.0} for i in range(9)} for name in "ab"}
    runs = [Run(lists, name=name) for name, lists in found.items()]
    scores = evaluate({f"q{i}": {"d": 1} for i in range(9)}, runs, ["RR", "P@1"])
    write_scores(scores, folder / "scores.parquet")
    rows = [f"{r.system},{r.measure},{r.query},{r.value}" for r in scores.records(by_query=True)]
    (folder / "scores.csv").write_text("system,measure,query,value\n" + "\n".join(rows) + "\n")
    lines = [
        json.dumps({"model_a": "A", "model_b": "B", "winner": w}) for w in ("model_a", "model_b", "tie", "model_a")
    ]
    (folder / "arena.jsonl").write_text("\n".join(lines) + "\n")
    return folder


@pytest.mark.parametrize(
    ("arguments", "said", "systems"),
    [
        ("demo-preferences.csv", "comparisons:600", {"sage", "scholar", "verbose", "plain", "terse", "toy"}),
        ("arena.jsonl", "comparisons:4", {"A", "B"}),
        ("demo-answers.csv", "column:rank", {"large", "medium", "small", "tiny"}),
        ("demo-answers.csv --column llm --higher", "column:llm", {"large", "medium", "small", "tiny"}),
        ("demo-answers.csv --model plackett-luce", "votes:120", {"large", "medium", "small", "tiny"}),
        ("judged.jcml", "comparisons:2", {"A", "B"}),
        ("arena.csv --columns left=one,right=two", "comparisons:3", {"A", "B"}),
        ("arena.csv --columns left=one,right=two,winner=verdict", "comparisons:3", {"A", "B"}),
        ("ballots.csv --model plackett-luce --columns voter=who", "votes:4", {"A", "B", "C"}),
        ("points.csv --model plackett-luce --higher --prior 1", "votes:3", {"A", "B", "C"}),
        ("scores.csv -m RR --columns query=query", "measure:RR", {"a", "b"}),
        ("scores.parquet -m RR", "measure:RR", {"a", "b"}),
        ("scores.csv -m P@1", "measure:P@1", {"a", "b"}),
        ("scores.csv --input scores -m RR", "measure:RR", {"a", "b"}),
        ("demo-qa.csv", "measure:", {"base", "tuned", "prompted"}),
        ("votes.json --model plackett-luce --prior 0.5", "votes:4", {"A", "B", "C"}),
        ("ranks.tsv --model plackett-luce --prior 0.5", "votes:3", {"A", "B", "C"}),
    ],
)
def test_a_file_is_told_by_what_it_holds(
    cli: Callable[..., Any], demo: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, said: str, systems: set[str]
) -> None:
    monkeypatch.chdir(demo)
    done = cli("leaderboard", *arguments.split(), *QUICK)
    assert (done.code, done.err) == (0, "")
    assert said in done.out
    table = cli("leaderboard", *arguments.split(), *QUICK, "--format", "csv")
    assert {row["system"] for row in csv.DictReader(io.StringIO(table.out))} == systems


def test_a_table_that_may_hold_ranks_is_not_taken_for_scores(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for text, code in (("q1,1,2\nq2,2,1\nq3,1,3\n", 2), ("q1,1,0\nq2,0,1\nq3,1,0\n", 0)):
        Path("table.csv").write_text("item,old,new\n" + text)
        assert cli("leaderboard", "table.csv", *QUICK).code == code
        assert cli("leaderboard", "table.csv", "--input", "scores", *QUICK).code == 0


def test_a_scored_column_turns_the_order_around(cli: Callable[..., Any], demo: Path) -> None:
    orders = []
    for more in ((), ("--higher",)):
        done = cli("leaderboard", demo / "demo-answers.csv", "--column", "llm", *more, *QUICK, "--format", "csv")
        orders.append([row["system"] for row in csv.DictReader(io.StringIO(done.out))])
    assert orders[0] == orders[1][::-1]
    assert orders[1] == ["large", "medium", "small", "tiny"]


def test_every_option_stands_in_the_signature(cli: Callable[..., Any], demo: Path) -> None:
    options = "--model davidson --covariate length --position --cluster-by prompt --prior 0.1 --scale log --seed 5"
    done = cli("leaderboard", demo / "demo-preferences.csv", *options.split(), *QUICK, "--confidence-level", "0.9")
    assert done.code == 0
    for part in (
        "model:davidson",
        "covariates:length",
        "position:yes",
        "prior:0.1",
        "scale:log",
        "interval:bootstrap,50,clusters",
        "confidence:0.9",
        "rng:5",
        "systems:6",
        "comparisons:600",
    ):
        assert f"| {part} |" in done.out
    assert "90 % interval" in done.out


def test_figures_are_drawn_and_wrong_names_told(cli: Callable[..., Any], demo: Path, tmp_path: Path) -> None:
    path = tmp_path / "won.svg"
    done = cli("leaderboard", demo / "demo-preferences.csv", *QUICK, "--plot", path, "--figure", "win_matrix")
    assert done.code == 0
    assert "sage" in path.read_text(encoding="utf-8")
    wrong = cli("leaderboard", demo / "demo-preferences.csv", *QUICK, "--plot", path, "--figure", "wins")
    assert "leaderboard" in wrong.err
    assert "win_matrix" in wrong.err


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (HEAD + "A,B,C\n", "", "bad.csv:2: winner is 'C', between 'A' and 'B'"),
        (HEAD + "A,A,A\n", "", "bad.csv:2: 'A' is compared with itself"),
        ("left,right,winner,weight\nA,B,A,0\n", "", "bad.csv:2: weight is 0"),
        (HEAD + "A,B,A\nC,B,B\n", "", "3 groups; of any two groups, one never won against the other"),
        (HEAD + "A,B,A\nC,B,B\n", "", "or use a prior, such as prior=0.5 (--prior 0.5)"),
        (HEAD + "A,B,A\nA,B,B\n", "--covariate length", "bad.csv:1: no covariate 'length'"),
        (HEAD + "A,B,A\nA,B,B\n", "--cluster-by who", "bad.csv:1: no column 'who'"),
        (HEAD + "A,B,A\nA,B,B\n", "--columns winner=who", "bad.csv:1: no column 'who'"),
        (HEAD + "A,B,A\nA,B,B\n", "-m AP", "measure is 'AP', and these are no scores"),
        (HEAD + "A,B,A\nA,B,B\n", "--column rank", "column is 'rank', and these are no rankings"),
        (HEAD + "A,B,A\nA,B,B\n", "--unranked worst", "--unranked needs --model plackett-luce, not bradley-terry"),
        (HEAD + "A,B,A\nA,B,B\n", "--pair cs-en", "--pair is 'cs-en', and these are no rankings"),
        ("better,worse\nA,B\nB,A\n", "--position", "position is for comparisons of a left and a right side"),
        (HEAD + "A,B,A\nA,B,B\n", "--higher", "--higher is for rankings and votes"),
        (HEAD + "A,B,A\nA,B,B\n", "--resamples 5", "Invalid value for '--resamples': 5 is not in the range x>=20"),
        (HEAD + "A,B,A\nA,B,B\n", "--prior -1", "Invalid value for '--prior'"),
        (HEAD + "A,B,A\nA,B,B\n", "--interval exact", "Invalid value for '--interval'"),
        (HEAD + "A,B,A\nA,B,B\n", "--model plackett-luce", "bad.csv: comparisons of two, but --model plackett-luce"),
        (HEAD, "", "bad.csv: a header and no rows"),
        ("", "", "bad.csv: the file is empty"),
        (
            HEAD + "A,B,A\nA,B,B\n",
            "--columns query=left",
            "columns (--columns) has 'query', expected some of left, right",
        ),
        ("voter,1st,2nd\nu,A,B\nv,B,A\n", "", "use model='plackett-luce' (--model plackett-luce)"),
        (
            "segment,system,rank\n1,A,1\n",
            "--columns rank=x",
            "--columns has 'rank', and column (--column) names",
        ),
        ("x,y\n1,2\n", "", "bad.csv:1: columns 'x', 'y', expected those of two systems and of the winner"),
        ('[["A", "B"], ["B", "A"]]', "", "use model='plackett-luce' (--model plackett-luce)"),
        ("system,measure,query,value\na,AP,all,1\n", "", "bad.csv: summaries only"),
        ("system,measure,query,value\na,AP,1,1\na,AP,1,0\n", "", "bad.csv:3: a second value"),
        ("system,measure,query,value\na,AP,1,high\n", "", "bad.csv:2: value is 'high', expected a finite number"),
        ("system,measure,query,value\na,AP,1,1\nb,AP,1,0\n", "-m RR", "unknown measure of these scores 'RR'"),
        ("segment,system,rank\n1,A,1\n1,B,2\n", "--column gold", "unknown column of these rankings 'gold'"),
        ("segment,system,x,y\n1,A,1,2\n1,B,2,1\n", "", "which column says who is better?"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_exit_code_2(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, options: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.csv").write_text(text)
    done = cli("leaderboard", "bad.csv", *options.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert said in done.err


def test_a_file_that_is_not_there_is_named(cli: Callable[..., Any], tmp_path: Path) -> None:
    done = cli("leaderboard", tmp_path / "none.csv")
    assert done.code == 2
    assert "none.csv: no such file" in done.err


def test_columns_of_rankings_may_be_called_otherwise(cli: Callable[..., Any], tmp_path: Path) -> None:
    text = "segment,system,rank\n1,A,1\n1,B,2\n2,A,1\n2,B,2\n3,A,2\n3,B,1\n"
    (tmp_path / "usual.csv").write_text(text)
    (tmp_path / "other.csv").write_text(text.replace("segment,system", "prompt_no,engine"))
    usual = cli("leaderboard", tmp_path / "usual.csv", "--seed", "1", "--format", "csv")
    names = ("--columns", "segment=prompt_no,system=engine")
    other = cli("leaderboard", tmp_path / "other.csv", *names, "--seed", "1", "--format", "csv")
    assert (usual.code, other.code) == (0, 0)
    assert other.out == usual.out
