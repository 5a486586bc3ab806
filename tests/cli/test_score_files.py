"""A file of scores in the place of judgments and runs, in every command that begins with scores."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

SYSTEMS = ("old", "new", "third")


@pytest.fixture
def values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Scores of three systems on 30 items, in scores.csv; whether they are above a half, in binary.csv."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    ease = rng.normal(0.5, 0.2, size=(1, 30))
    table = np.clip(ease + np.array([[0.0], [0.1], [0.02]]) + rng.normal(0, 0.1, size=(3, 30)), 0, 1).round(3)
    for name, columns in (("scores.csv", table), ("binary.csv", (table > 0.5).astype(int))):
        rows = ["item,old,new,third", *(f"{i:03d},{','.join(map(str, column))}" for i, column in enumerate(columns.T))]
        Path(name).write_text("\n".join(rows) + "\n")
    return table


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_compare_by_t_is_scipys(cli: Callable[..., Any], values: Any) -> None:
    from scipy.stats import ttest_rel

    done = cli("compare", "scores.csv", "-m", "F1", "--correction", "none", "--format", "csv")
    assert done.code == 0
    for row in records(done.out):
        a, b = (values[SYSTEMS.index(row[side])] for side in ("system_a", "system_b"))
        expected = ttest_rel(a, b)
        assert row["measure"] == "F1"
        assert float(row["pvalue"]) == pytest.approx(expected.pvalue, rel=1e-9)
        assert float(row["statistic"]) == pytest.approx(expected.statistic, rel=1e-9)


def test_the_sign_test_of_successes_is_mcnemars(cli: Callable[..., Any], values: Any) -> None:
    from scipy.stats import binomtest

    right = values > 0.5
    only_old, only_new = int((right[0] & ~right[1]).sum()), int((~right[0] & right[1]).sum())
    done = cli("compare", "binary.csv", "--test", "sign", "--correction", "none", "--format", "csv")
    assert float(records(done.out)[0]["pvalue"]) == pytest.approx(binomtest(only_old, only_old + only_new).pvalue)
    assert "McNemar's exact test" in cli("compare", "binary.csv", "--test", "sign").out


def test_all_commands_take_the_file(cli: Callable[..., Any], values: Any) -> None:
    for command in (
        ["compare", "scores.csv", "-m", "F1", "--baseline", "old"],
        ["plan", "scores.csv", "-m", "F1", "--difference", "0.05"],
        ["stability", "scores.csv", "-m", "F1", "--iterations", "4", "--resamples", "50", "--seed", "1"],
        ["leaderboard", "scores.csv", "--input", "scores"],
    ):
        done = cli(*command)
        assert (done.code, done.err) == (0, ""), command
    assert "F1 | source:table | queries:30" in cli("compare", "scores.csv", "-m", "F1").out


def test_agree_measures_takes_the_file(cli: Callable[..., Any], values: Any) -> None:
    lines = [f"{s},{i},{x},{-x}" for s, row in zip(SYSTEMS, values, strict=True) for i, x in enumerate(row)]
    Path("two.csv").write_text("\n".join(["system,item,F1,WER", *lines]) + "\n")
    done = cli("agree", "measures", "two.csv", "--lower", "WER", "--statistic", "pearson", "--format", "csv")
    assert float(records(done.out)[0]["value"]) == pytest.approx(1.0)


def test_report_has_no_parts_that_need_lists(cli: Callable[..., Any], values: Any) -> None:
    pytest.importorskip("jinja2")
    done = cli("report", "scores.csv", "-m", "F1", "--baseline", "old", "--no-figures", "-o", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert done.code == 0
    assert mentions(page, "scores.csv, SHA-256", "source:table", "from scores alone")
    assert "nobody judged" not in page


def test_a_gate_with_a_file_of_scores(cli: Callable[..., Any], values: Any) -> None:
    Path("new.csv").write_text("item,new\n" + "".join(f"{i:03d},{x}\n" for i, x in enumerate(values[1])))
    options = ("-m", "F1", "--margin", "0.02")
    assert cli("gate", "scores.csv", "new.csv", *options, "--baseline", "old").code == 0
    assert mentions(cli("gate", "scores.csv", "new.csv", *options).err, "3 systems", "--baseline")
    assert mentions(cli("gate", "new.csv", "scores.csv", *options).err, "3 systems", "--new")


def test_scores_come_from_standard_input(cli: Callable[..., Any], values: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = cli("compare", "scores.csv", "-m", "F1", "--format", "csv")
    content = Path("scores.csv").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
    assert cli("compare", "-", "-m", "F1", "--format", "csv").out == expected.out


@pytest.mark.parametrize("command", ["compare", "plan", "stability"])
def test_measures_without_a_direction_are_refused_where_they_are_named(
    cli: Callable[..., Any], values: Any, command: str
) -> None:
    for name, row in zip(SYSTEMS, values.tolist(), strict=True):
        lines = [f"{measure}\tq{i}\t{x + i}\n" for i, x in enumerate(row) for measure in ("map", "num_ret")]
        Path(f"{name}.eval").write_text("".join(lines))
    files = [f"{name}.eval" for name in SYSTEMS]
    assert mentions(cli(command, *files).out, "num_ret", "left out")
    assert "neither higher nor lower" in cli(command, *files, "-m", "num_ret").err
    assert "neither higher nor lower" in cli(command, *files, "-m", "map", "-m", "num_ret").err


def test_scores_in_the_place_of_a_run_are_told(cli: Callable[..., Any], values: Any) -> None:
    Path("my.qrels").write_text("1 0 d 1\n")
    Path("own.csv").write_text("system,measure,query,value\na,AP,1,0.5\n")
    assert mentions(cli("evaluate", "my.qrels", "own.csv").err, "own.csv:1:", "table of scores", "compare")


def test_a_gate_within_a_file_of_scores(cli: Callable[..., Any], values: Any) -> None:
    Path("new.csv").write_text("item,new\n" + "".join(f"{i:03d},{x}\n" for i, x in enumerate(values[1])))
    gate = ("-m", "F1", "--baseline", "old", "--margin", "0.02")
    expected = cli("gate", "scores.csv", "new.csv", *gate, "--format", "csv")
    one_file = cli("gate", "scores.csv", "--new", "new", *gate, "--format", "csv")
    assert (one_file.code, one_file.out) == (0, expected.out)
    assert cli("gate", "scores.csv", "--systems", "old,new", *gate, "--format", "csv").out == expected.out
    assert mentions(cli("gate", "scores.csv", *gate).err, "2 systems beside the baseline", "--new")
    assert mentions(cli("gate", "scores.csv", "--margin", "0.02").err, "3 systems", "--baseline")


def test_a_table_whose_header_tells_nothing_may_be_one_of_scores(cli: Callable[..., Any], values: Any) -> None:
    Path("named.csv").write_text(Path("scores.csv").read_text().replace("item,", "thing,"))
    message = cli("compare", "named.csv").err
    assert mentions(message, "--input entity-ranks", "--columns query=NAME")
    assert "--columns query=NAME" not in cli("evaluate", "named.csv").err
    expected = cli("compare", "scores.csv", "--format", "csv").out
    assert cli("compare", "named.csv", "--columns", "query=thing", "--format", "csv").out == expected
    Path("bare.csv").write_text("old,new\n0.5,0.25\n0.5,0.75\n0.25,0.5\n")
    assert cli("compare", "bare.csv", "--systems", "old,new").code == 0
    Path("one.csv").write_text("item,old,new\n1,good,0.5\n2,bad,0.75\n")
    assert mentions(cli("compare", "one.csv").err, "1 system (new)", "column of numbers")


def test_a_leaderboard_by_a_measure_that_the_file_does_not_name(cli: Callable[..., Any], values: Any) -> None:
    rows = [f"{s},{i},{x}" for s, row in zip(SYSTEMS, values.tolist(), strict=True) for i, x in enumerate(row)]
    Path("long.csv").write_text("\n".join(["system,query,value", *rows]) + "\n")
    assert "long.csv: F1: not a measure of rankscope" in cli("leaderboard", "long.csv", "-m", "F1").out
    Path("ab.csv").write_text("item,a,b\n1,0.5,0.25\n2,0.25,0.5\n")  # a and b may be the systems of comparisons
    assert mentions(cli("leaderboard", "ab.csv", "-m", "F1").err, "--input scores")


def forms(values: Any) -> dict[str, list[str]]:
    """The files of each form of the same scores, written here."""
    rows = [(s, i, x) for s, row in zip(SYSTEMS, values.tolist(), strict=True) for i, x in enumerate(row)]
    samples = [f"{i},1,{s},{x}" for s, i, x in rows]
    inspect = {
        s: {
            "version": 2,
            "eval": {"model": s, "task": "t"},
            "samples": [{"id": i, "epoch": 1, "scores": {"F1": {"value": x}}} for t, i, x in rows if t == s],
        }
        for s in SYSTEMS
    }
    files = {
        "long.csv": ["system,query,measure,value", *(f"{s},{i},F1,{x}" for s, i, x in rows)],
        "measures.csv": ["system,query,F1", *(f"{s},{i},{x}" for s, i, x in rows)],
        "epochs.csv": ["item,epoch,length," + ",".join(SYSTEMS)]
        + [f"{i},{e},{i}," + ",".join(map(str, column)) for i, column in enumerate(values.T) for e in (1, 2)],
        "samples.csv": ["id,epoch,model,score_F1", *samples],
        "nested.json": [json.dumps({s: {str(i): {"F1": x} for t, i, x in rows if t == s} for s in SYSTEMS})],
        "board.txt": [*(f"{s} F1 t{i} {x}" for s, i, x in rows), "old F1 all 0.5"],
        **{f"{s}.json": [json.dumps(log)] for s, log in inspect.items()},
    }
    for s in SYSTEMS:
        Path(s).mkdir()
        lines = [{"doc_id": i, "doc": {}, "resps": [], "metrics": ["F1"], "F1": x} for t, i, x in rows if t == s]
        files[f"{s}/samples_t_2026-01-01T00-00-00.1.jsonl"] = [json.dumps(line) for line in lines]
    for name, lines in files.items():
        Path(name).write_text("\n".join(lines) + "\n")
    alone = ("long.csv", "measures.csv", "samples.csv", "nested.json", "board.txt")
    return {
        **{name: [name] for name in alone},
        "epochs.csv": ["epochs.csv", "-m", "F1", "--systems", ",".join(SYSTEMS), "--repeats", "mean"],
        "inspect": [f"{s}.json" for s in SYSTEMS],
        "lm-eval": [f"{s}/samples_t_2026-01-01T00-00-00.1.jsonl" for s in SYSTEMS],
    }


def test_each_form_gives_the_same_comparison(cli: Callable[..., Any], values: Any) -> None:
    rows = []
    for form, call in forms(values).items():
        done = cli("compare", *call, "--baseline", "old", "--format", "csv")
        assert (done.code, done.err) == (0, ""), form
        rows.append([{**row, **{k: round(float(row[k]), 9) for k in ("difference", "low", "pvalue")}}
                     for row in records(done.out)])  # fmt: skip
        assert rows[-1][0]["measure"] == "F1"
        found, expected = (
            [(r["system_a"], r["difference"], r["low"], r["pvalue"]) for r in k] for k in (rows[-1], rows[0])
        )
        assert found == expected, form


@pytest.mark.parametrize(
    ("command", "form"),
    [
        (["plan", "-m", "F1", "--difference", "0.05"], "board.txt"),
        (["plan", "--difference", "0.05"], "epochs.csv"),
        (["stability", "--iterations", "3", "--resamples", "20", "--n-systems", "2"], "epochs.csv"),
        (["stability", "--iterations", "3", "--resamples", "20"], "lm-eval"),
        (["leaderboard", "--input", "scores", "--interval", "information"], "epochs.csv"),
        (["leaderboard", "--input", "scores", "--interval", "information"], "board.txt"),
        (["report", "--no-figures", "-o", "page.html", "--baseline", "old"], "inspect"),
        (["report", "--no-figures", "-o", "page.html", "--baseline", "old"], "samples.csv"),
    ],
)
def test_commands_take_further_forms(cli: Callable[..., Any], values: Any, command: list[str], form: str) -> None:
    call = [word for word in forms(values)[form] if command[0] != "leaderboard" or word not in ("-m", "F1")]
    done = cli(command[0], *call, *command[1:])
    assert (done.code, done.err) == (0, "")


def test_agree_measures_and_a_gate_take_further_forms(cli: Callable[..., Any], values: Any) -> None:
    two = [{"id": i, "epoch": 1, "model": s, "score_a": x, "score_b": 1 - x}
           for s, row in zip(SYSTEMS, values.tolist(), strict=True) for i, x in enumerate(row)]  # fmt: skip
    Path("two.jsonl").write_text("".join(json.dumps(row) + "\n" for row in two))
    done = cli("agree", "measures", "two.jsonl", "--statistic", "pearson", "--format", "csv")
    assert float(records(done.out)[0]["value"]) == pytest.approx(-1.0)
    call = forms(values)
    gate = ("-m", "F1", "--baseline", "old", "--new", "new", "--margin", "0.02")
    assert cli("gate", "long.csv", *call["epochs.csv"][:1], "--repeats", "mean", *gate).code in (0, 2)
    Path("new.csv").write_text("item,length,new\n" + "".join(f"{i},9,{x}\n" for i, x in enumerate(values[1])))
    assert cli("gate", "long.csv", "new.csv", *gate).code == 0


def test_options_of_scores_are_refused_for_comparisons(cli: Callable[..., Any], values: Any) -> None:
    Path("prefs.csv").write_text("left,right,winner\na,b,a\nb,a,b\n")
    done = cli("leaderboard", "prefs.csv", "--repeats", "mean")
    assert done.code == 2
    assert mentions(done.err, "--repeats", "prefs.csv")
    Path("q.qrels").write_text("q 0 d 1\n")
    assert mentions(cli("plan", "q.qrels", "a.run", "b.run", "--repeats", "error").err, "--repeats", "q.qrels")


def test_files_of_one_system_each(cli: Callable[..., Any], values: Any) -> None:
    for name, row in zip(SYSTEMS, values, strict=True):
        Path(f"{name}.eval").write_text("".join(f"map\t{i}\t{x}\n" for i, x in enumerate(row)))
    done = cli("compare", "old.eval", "new.eval", "--baseline", "old.eval", "--format", "csv")
    assert [(row["system_a"], row["system_b"]) for row in records(done.out)] == [("new", "old")]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--ties", "file"], ["--ties", "scores.csv"]),
        (["--rel", "1"], ["--rel", "scores.csv"]),
        (["--workers", "2"], ["--workers", "scores.csv"]),
        (["--columns", "value"], ["NAME=COLUMN"]),
        (["--columns", "value=x"], ["scores.csv:1", "'x'", "'old'"]),
        (["--lower", "x"], ["--lower", "score"]),
        (["-m", "F1", "-m", "F2"], ["F1"]),
    ],
)
def test_options_that_scores_do_not_have_are_refused(
    cli: Callable[..., Any], values: Any, options: list[str], words: list[str]
) -> None:
    done = cli("compare", "scores.csv", *options)
    assert done.code == 2
    assert mentions(done.err, *words)


def test_options_of_files_of_scores_need_one(cli: Callable[..., Any], values: Any) -> None:
    Path("q.qrels").write_text("q 0 d 1\n")
    Path("a.run").write_text("q Q0 d 1 1 a\n")
    for command in ("compare", "plan", "stability", "report"):
        done = cli(command, "q.qrels", "a.run", "a.run", "--lower", "AP")
        assert done.code == 2
        assert mentions(done.err, "--lower", "q.qrels")
