"""`rankscope agree segments` and `raters`: what they print, in which formats, and what they refuse."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

from rankscope.reporting.tables import RESULT_FORMATS

HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,"
    "system3Number,system3Id,system1rank,system2rank,system3rank\n"
)
#: Two judges of one segment, one of another, and one of another pair.
WMT = HEADER + (
    "French,English,1,d,1,ann,1,A,2,B,3,C,1,2,3\n"
    "French,English,1,d,1,bob,1,A,2,B,3,C,1,3,2\n"
    "French,English,2,d,2,ann,1,A,2,B,3,C,2,2,1\n"
    "German,English,1,d,1,ann,1,A,2,B,3,C,1,2,-1\n"
)


def seg_scores(metric: str, values: dict[tuple[str, str, int], float]) -> str:
    return "".join(f"{metric}\t{pair}\tset\t{system}\t{i}\t{x}\n" for (pair, system, i), x in values.items())


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "wmt.csv").write_text(WMT)
    fr = {("fr-en", s, i): x for i, row in ((1, (3, 2, 1)), (2, (1, 2, 2))) for s, x in zip("ABC", row, strict=True)}
    de = {("de-en", s, 1): x for s, x in zip("AB", (2, 1), strict=True)}
    (folder / "good.scr").write_text(seg_scores("good", fr | de))
    (folder / "poor.scr").write_text(seg_scores("poor", {key: -x for key, x in (fr | de).items()}))
    (folder / "judged.csv").write_text("item,candidate,human,llm\n1,A,1,9\n1,B,2,7\n2,A,2,4\n2,B,1,4\n")
    return folder


def rows(done: Any, *names: str) -> dict[tuple[str, ...], float]:
    assert done.code == 0, done.err
    return {tuple(record[name] for name in names): record["value"] for record in json.loads(done.out)}


def test_metrics_by_pairs_with_the_average(cli: Callable[..., Any], files: Path) -> None:
    found = rows(cli("agree", "segments", "wmt.csv", "good.scr", "poor.scr", "--format", "json"), "metric", "pair")
    # First judgment 3 right, second 2 right and 1 wrong, third: A behind C right, B and C tied by the metric.
    assert found["good", "fr-en"] == pytest.approx((3 + 2 + 1 - 1 - 1) / 8)
    assert found["good", "de-en"] == 1
    assert found["good", "average"] == pytest.approx((4 / 8 + 1) / 2)
    assert found["poor", "de-en"] == -1
    text = cli("agree", "segments", "wmt.csv", "good.scr", "poor.scr").out
    assert text.split("\n\n")[1].startswith("good ")
    assert mentions(text.split("\n\n")[1], "average")
    assert mentions(
        text.splitlines(),
        "| grouping:none | gold:rank",
        "| higher:good,poor | lower:rank",
        "| epsilon:0 | bootstrap:1000,0.95",
        "| rng:0 |",
    )


def test_options_choose_statistic_grouping_epsilon_and_pairs(cli: Callable[..., Any], files: Path) -> None:
    def call(*options: str) -> dict[tuple[str, ...], float]:
        return rows(cli("agree", "segments", "wmt.csv", "good.scr", *options, "--format", "json"), "pair", "statistic")

    assert call("--statistic", "wmt13", "--pairs", "fr-en") == {("fr-en", "wmt13"): pytest.approx((6 - 1) / 7)}
    assert call("--grouping", "segment", "--pairs", "fr-en") == {("fr-en", "wmt12"): pytest.approx((4 / 6 + 0 / 2) / 2)}
    own = call("--table", "1,0,0;x,x,x;0,0,1", "--pairs", "fr-en")
    assert own == {("fr-en", "own"): pytest.approx(6 / 8)}
    assert call("--epsilon", "5", "--pairs", "de-en") == {("de-en", "wmt12"): -1}
    assert list(call("--pairs", "de-en,fr-en")) == [("de-en", "wmt12"), ("fr-en", "wmt12"), ("average", "wmt12")]


def test_judgments_of_an_llm_stand_beside_those_of_people(cli: Callable[..., Any], files: Path) -> None:
    done = cli("agree", "segments", "judged.csv", "--gold", "human", "--higher", "llm", "--format", "json")
    assert rows(done, "metric") == {("llm",): (1 - 1) / 2}
    done = cli(
        "agree",
        "segments",
        "judged.csv",
        "--gold",
        "human",
        "--higher",
        "llm",
        "--statistic",
        "acc_eq",
        "--epsilon",
        "0",
        "--format",
        "json",
    )
    assert rows(done, "metric") == {("llm",): 1 / 2}


def test_decisions_are_a_confusion_matrix(cli: Callable[..., Any], files: Path) -> None:
    done = cli("agree", "segments", "wmt.csv", "good.scr", "--decisions", "--format", "json")
    found = rows(done, "statistic", "label")
    assert found["pairs", "concordant"] == 7
    assert found["count", "better -> worse"] == 1
    shares = cli("agree", "segments", "wmt.csv", "good.scr", "--decisions", "--normalise", "row").out
    assert mentions(" ".join(shares.split()), "share", "its row")
    weighted = cli("agree", "segments", "wmt.csv", "good.scr", "--decisions", "--beta", "2").out
    assert mentions(weighted, "F2", "beta:2")


def test_the_figure_of_each_metric_can_be_drawn(cli: Callable[..., Any], files: Path) -> None:
    pytest.importorskip("altair")
    drawn = {}
    for number, name in (("1", "confusion_matrix"), ("2", "confusion_matrix 2")):
        plot = f"{number}.json"
        done = cli(
            "agree", "segments", "wmt.csv", "good.scr", "poor.scr", "--decisions", "--figure", name, "--plot", plot
        )
        assert done.code == 0, done.err
        drawn[number] = Path(plot).read_text()
    assert "good" in drawn["1"]
    assert "poor" not in drawn["1"]
    assert "poor" in drawn["2"]
    wrong = cli("agree", "segments", "wmt.csv", "good.scr", "--decisions", "--figure", "matrix", "--plot", "x.json")
    assert (wrong.code, mentions(wrong.err, "figure", "'matrix'")) == (2, True)


def test_a_column_read_as_ranks_is_named_and_metrics_are_chosen(cli: Callable[..., Any], files: Path) -> None:
    (files / "more.csv").write_text("item,candidate,rank,llm,year\n1,A,1,9,2012\n1,B,2,7,2013\n")
    done = cli("agree", "segments", "more.csv", "--metrics", "llm")
    assert "| lower:rank,llm |" in done.out
    assert mentions(done.out.splitlines(), "note: llm ", "ranks", "lower is better", "--higher llm")
    said = cli("agree", "segments", "more.csv", "--metrics", "llm", "--higher", "llm")
    assert "read as ranks" not in said.out
    assert "| higher:llm | lower:rank" in said.out


def test_raters_with_either_rule_of_chance(cli: Callable[..., Any], files: Path) -> None:
    found = rows(
        cli("agree", "raters", "wmt.csv", "--pairs", "fr-en", "--chance", "third", "--format", "json"),
        "raters",
        "statistic",
    )
    assert found["between", "kappa"] == pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3))
    assert found["within", "kappa"] is None
    assert mentions(cli("agree", "raters", "wmt.csv").out.splitlines()[0], "Inter-annotator agreement")


@pytest.mark.parametrize("form", RESULT_FORMATS)
def test_every_format_is_written(cli: Callable[..., Any], files: Path, form: str) -> None:
    done = cli("agree", "segments", "wmt.csv", "good.scr", "poor.scr", "--format", form)
    assert done.code == 0, done.err
    if form == "csv":
        assert done.out.startswith("metric,pair,statistic,value,low,high,n\ngood,fr-en,wmt12,")
    if form in ("latex", "markdown"):
        assert (r"\textbf{" if form == "latex" else "**") in done.out


def test_options_say_how_files_are_read(cli: Callable[..., Any], files: Path) -> None:
    twice = WMT + WMT.splitlines()[-1] + "\n"
    (files / "twice.csv").write_text(twice)
    assert "1 row repeats" in cli("agree", "segments", "twice.csv", "good.scr").out
    refused = cli("agree", "segments", "twice.csv", "good.scr", "--duplicates", "refuse")
    assert (refused.code, mentions(refused.err, "twice.csv:6: ", "line 5")) == (2, True)
    one = cli(
        "agree", "segments", "twice.csv", "good.scr", "--duplicates", "drop", "--pairs", "de-en", "--format", "csv"
    )
    assert one.out.splitlines()[1].endswith(",1")  # of two rows one is left, with one pair
    lower = cli("agree", "segments", "wmt.csv", "poor.scr", "--lower", "poor", "--format", "json")
    assert rows(lower, "pair")["de-en",] == 1


def test_a_seed_makes_the_same_intervals_again(cli: Callable[..., Any], files: Path) -> None:
    outputs = {cli("agree", "segments", "wmt.csv", "good.scr", "--seed", 3, "--format", "csv").out for _ in range(2)}
    assert len(outputs) == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("wmt.csv",), "no metric to compare with people"),
        (("wmt.csv", "good.scr", "--statistic", "wmt21"), "'wmt21' is not one of 'wmt10'"),
        (("wmt.csv", "good.scr", "--pairs", "fr-de"), "unknown language pair 'fr-de'; did you mean"),
        (("wmt.csv", "good.scr", "--table", "1,2;3"), "not 3 x 3"),
        (
            ("wmt.csv", "good.scr", "--statistic", "pearson"),
            "these are ranks, which are comparable only within a judgment",
        ),
        (("wmt.csv", "good.scr", "--epsilon", "best"), "'best', expected a number"),
        (("wmt.csv", "good.scr", "--normalise", "row"), "--normalise needs --decisions"),
        (("wmt.csv", "good.scr", "--beta", "2"), "--beta needs --decisions"),
        (
            ("wmt.csv", "good.scr", "--decisions", "--epsilon", "calibrated"),
            "--decisions cannot be combined with --epsilon calibrated: decisions need a fixed epsilon, a number",
        ),
        (("wmt.csv", "nowhere.scr"), "nowhere.scr"),
        (("wmt.csv", "judged.csv"), "judged.csv: column 'human' is one of judgments, expected scores of metrics"),
        (("-", "-"), "standard input (-) can stand for one file only"),
        (("judged.csv", "--reference", "drop"), "is not a ranking CSV of WMT, so reference has no effect"),
        (("wmt.csv", "good.scr", "--higher", "rank"), "is not a table or JCML, so higher has no effect"),
        (("wmt.csv", "good.scr", "--lower", "TER"), "unknown metric 'TER'"),
        (("wmt.csv", "good.scr", "--test-set", "other"), "other"),
        (("judged.csv", "--higher", "mqm"), "unknown column of scores 'mqm'"),
        (("judged.csv", "--decisions", "--statistic", "wmt12"), "--decisions cannot be combined with --statistic"),
        (("judged.csv", "--decisions", "--table", "1,0,0;x,x,x;0,0,1"), "--decisions cannot be combined with --table"),
        (("judged.csv", "--decisions", "--grouping", "segment"), "--decisions cannot be combined with --grouping"),
        (("judged.csv", "--decisions", "--seed", "0"), "--decisions cannot be combined with --seed"),
        (("judged.csv", "--decisions", "--resamples", "7"), "--decisions cannot be combined with --resamples"),
        (
            ("judged.csv", "--decisions", "--confidence-level", ".5"),
            "--decisions cannot be combined with --confidence-level",
        ),
        (("judged.csv", "--decisions", "--details"), "--decisions cannot be combined with --details"),
        (
            ("judged.csv", "--table", "1,0,0;x,x,x;0,0,1", "--statistic", "wmt12"),
            "--table cannot be combined with --statistic",
        ),
        (("judged.csv", "--gold", "human", "--metrics", "lmm"), "unknown metric 'lmm'; did you mean llm"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    cli: Callable[..., Any], files: Path, args: tuple[str, ...], message: str
) -> None:
    done = cli("agree", "segments", *args)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""
    assert "Traceback" not in done.err


def test_raters_refuse_scores(cli: Callable[..., Any], files: Path) -> None:
    done = cli("agree", "raters", "good.scr")
    assert (done.code, "name no judges" in done.err) == (2, True)


def test_the_overview_names_both_and_help_loads_nothing_heavy(cli: Callable[..., Any]) -> None:
    shown = cli("agree").out
    assert "segments" in shown
    assert "raters" in shown
    code = (
        "import sys\nfrom rankscope.cli.main import main\ntry:\n main(['agree', 'segments', '--help'])\n"
        "except SystemExit: pass\nprint(sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"scipy", "polars", "altair", "pandas"} & set(eval(done.stderr))
