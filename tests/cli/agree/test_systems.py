"""`rankscope agree systems`: what it prints, in which formats, and what it refuses in one line."""

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

HEADER = "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"
#: fr-en: A wins 4 of 5, B 3 of 6, C 1 of 5 where people say which is better; de-en: A before B, C never ranked.
WMT = HEADER + (
    "French,English,1,ann,A,B,C,1,2,3\n"
    "French,English,1,bob,A,B,C,1,3,2\n"
    "French,English,2,ann,A,B,C,2,1,2\n"
    "German,English,1,ann,A,B,C,1,2,-1\n"
)


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "wmt.csv").write_text(WMT)
    rows = {"fr-en": (30, 31, 20), "de-en": (25, 24)}
    (folder / "bleu.sys.scr").write_text(
        "".join(f"BLEU\t{p}\tset\t{s}\t{x}\n" for p, row in rows.items() for s, x in zip("ABC", row, strict=False))
    )
    (folder / "ter.seg.scr").write_text(
        "".join(
            f"TER\tfr-en\tset\t{s}\t{i}\t{x}\n"
            for s, row in (("A", (1, 2)), ("B", (2, 3)), ("C", (3, 3)))
            for i, x in enumerate(row, 1)
        )
    )
    (folder / "systems.csv").write_text("system,human,BLEU\nA,0.7,30\nB,0.6,28\nC,0.5,29\nD,0.1,20\nE,0.4,27\n")
    return folder


def rows(done: Any, *names: str) -> dict[tuple[str, ...], float]:
    assert done.code == 0, done.err
    return {tuple(record[name] for name in names): record["value"] for record in json.loads(done.out)}


def test_metrics_by_pairs_with_the_average_and_all(cli: Callable[..., Any], files: Path) -> None:
    found = rows(cli("agree", "systems", "wmt.csv", "bleu.sys.scr", "--format", "json"), "metric", "pair")
    assert found["BLEU", "fr-en"] == pytest.approx(2 / 3)  # A and B are the wrong way round
    assert found["BLEU", "de-en"] == 1
    assert found["BLEU", "average"] == pytest.approx((2 / 3 + 1) / 2)
    assert found["BLEU", "all"] == pytest.approx((2 + 1) / (3 + 1))
    text = cli("agree", "systems", "wmt.csv", "bleu.sys.scr").out
    assert mentions(text.split("\n\n")[1], "BLEU ", "2 language pairs")
    assert mentions(
        text.splitlines(),
        "| human:wins | given:BLEU",
        "| higher:BLEU | lower:rank",
        "| interval:segments,1000,0.95 |",
        "| rng:0 |",
    )
    assert "Systems of fr-en" not in text
    details = cli("agree", "systems", "wmt.csv", "bleu.sys.scr", "--details").out
    assert "Systems of fr-en\n\nsystem    wins     BLEU\nA       0.8000  30.0000\n" in details


def test_options_choose_scores_statistic_and_interval(cli: Callable[..., Any], files: Path) -> None:
    def call(*options: str) -> str:
        done = cli("agree", "systems", *options)
        assert done.code == 0, done.err
        return str(done.out)

    one = call("wmt.csv", "ter.seg.scr", "--pairs", "fr-en", "--lower", "TER", "--statistic", "spearman", "--details")
    assert "A       0.8000  1.5000" in one
    assert mentions(one.split("\n\n")[1], "TER ", "spearman 1.0000")
    shares = call("wmt.csv", "ter.seg.scr", "--pairs", "fr-en", "--lower", "TER", "--from-segments", "share")
    assert "A       0.8000  1.0000" in shares
    assert "metrics:share | " in shares
    assert "strength" in call("wmt.csv", "bleu.sys.scr", "--pairs", "fr-en", "--human", "bradley_terry")
    assert "better or equal" in call("wmt.csv", "bleu.sys.scr", "--pairs", "fr-en", "--human", "better_or_equal")
    table = call("systems.csv", "--statistic", "pearson", "--without-outliers", "--absolute")
    assert "|pearson|" in table
    assert mentions(table.splitlines(), "D ", "2.5 deviations", "skipped")
    weighted = call("wmt.csv", "bleu.sys.scr", "--weights", "fr-en=0.9,de-en=0.1", "--interval", "none")
    assert "weights:fr-en=0.9,de-en=0.1 | interval:none" in weighted
    assert "0.9667\n" not in weighted
    assert "0.7000" in weighted  # 0.9 * 2 / 3 + 0.1


@pytest.mark.parametrize("format_", RESULT_FORMATS)
def test_every_format_holds_it(cli: Callable[..., Any], files: Path, format_: str) -> None:
    done = cli("agree", "systems", "wmt.csv", "bleu.sys.scr", "--format", format_)
    assert done.code == 0, done.err
    assert "BLEU" in done.out


def test_a_figure_of_each_metric_and_pair_can_be_drawn(cli: Callable[..., Any], files: Path) -> None:
    pytest.importorskip("altair")
    for name in ("human_against_metric", "human_against_metric 2"):
        done = cli("agree", "systems", "wmt.csv", "bleu.sys.scr", "--figure", name, "--plot", "x.json")
        assert done.code == 0, done.err
        assert "people: wins" in Path("x.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("wmt.csv bleu.sys.scr --statistic tau", "'tau' is not one of 'pearson'"),
        ("wmt.csv bleu.sys.scr --weights fr-en=0.9", "--weights add up to 0.9, expected 1"),
        ("wmt.csv bleu.sys.scr --weights fr-en=1", "no entry for de-en"),
        ("wmt.csv bleu.sys.scr --weights fr-en", "'fr-en', expected PAIR=WEIGHT"),
        ("wmt.csv bleu.sys.scr --weights fr-en=1 --pairs de-en", "--weights names fr-en, which is not among --pairs"),
        ("wmt.csv ter.seg.scr", "TER has no scores of language pair 'de-en', only of 'fr-en'; use --common"),
        ("wmt.csv bleu.sys.scr --human mean", "human is 'mean', but rank holds ranks"),
        ("systems.csv --statistic soft_pairwise_accuracy", "needs scores of segments from people and metrics"),
        ("systems.csv bleu.sys.scr --pairs fr-en", "unknown language pair 'fr-en'"),
        ("wmt.csv", "there is no metric to compare with people"),
        ("- -", "standard input"),
        ("nothing.csv bleu.sys.scr", "nothing.csv"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(cli: Callable[..., Any], files: Path, arguments: str, said: str) -> None:
    done = cli("agree", "systems", *arguments.split())
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_sets_of_systems_that_differ_and_constant_scores_are_refused(cli: Callable[..., Any], files: Path) -> None:
    Path("less.csv").write_text("system,m\nA,1\nB,2\nX,3\n")
    done = cli("agree", "systems", "systems.csv", "less.csv")
    assert done.code == 2
    assert mentions(done.err, " m ", "C, D and E", "2 systems", "--common")
    assert cli("agree", "systems", "systems.csv", "less.csv", "--common").code == 0
    Path("same.csv").write_text("system,m\nA,1\nB,1\nC,1\nD,1\nE,1\n")
    done = cli("agree", "systems", "systems.csv", "same.csv")
    assert (done.code, mentions(done.err, " m is 1 ", "5 systems")) == (2, True)


def test_judgments_may_come_from_standard_input(
    cli: Callable[..., Any], files: Path, piped: Callable[..., Any]
) -> None:
    for name in ("systems.csv", "wmt.csv"):
        done = piped("agree", "systems", "-", *([] if name == "systems.csv" else ["bleu.sys.scr"]), stdin=name)
        assert done.returncode == 0, done.stderr


@pytest.fixture
def piped(commands: dict[str, str]) -> Callable[..., Any]:
    def call(*arguments: str, stdin: str) -> Any:
        with Path(stdin).open("rb") as file:
            return subprocess.run(["rankscope", *arguments], env=commands, stdin=file, capture_output=True, text=True)

    return call


def test_the_overview_names_it_and_help_loads_nothing_heavy(cli: Callable[..., Any]) -> None:
    assert "systems" in cli("agree").out
    code = (
        "import sys\nfrom rankscope.cli.main import main\ntry:\n main(['agree', 'systems', '--help'])\n"
        "except SystemExit: pass\nprint(sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"scipy", "polars", "altair", "pandas"} & set(eval(done.stderr))


def test_several_statistics_and_the_top_are_rows_of_the_tidy_table(cli: Callable[..., Any], files: Path) -> None:
    options = ("systems.csv", "--statistic", "kendall_b", "--statistic", "tau_ap", "--top", "3", "--format", "json")
    found = rows(cli("agree", "systems", *options), "metric", "statistic")
    # BLEU orders A C B E D where people say A B C E D.
    assert found == {
        ("BLEU", "kendall_b"): pytest.approx(8 / 10),
        ("BLEU", "tau_ap"): pytest.approx(2 / 4 * (1 + 1 / 2 + 3 / 3 + 4 / 4) - 1),
        ("BLEU", "kendall_b@3"): pytest.approx(1 / 3),
        ("BLEU", "tau_ap@3"): pytest.approx(2 / 2 * (1 + 1 / 2) - 1),
    }
    text = cli("agree", "systems", *options[:-2]).out
    assert mentions(text, "Among the best 3 systems", "A, B and C", "top:3", "tau AP")
    done = cli("agree", "systems", "wmt.csv", "bleu.sys.scr", "--top", "5")
    assert mentions(done.err + done.out, "only 3 systems", "only 2 systems")


def test_leaderboards_of_judges(cli: Callable[..., Any], folder: Path) -> None:
    for name, values in (("truth", (3, 2, 1)), ("ann", (3, 1, 2)), ("bob", (1, 2, 3))):
        lines = [f"r{i} GRADE {topic} {value}\n" for i, value in enumerate(values) for topic in ("t1", "t2", "all")]
        (folder / f"{name}.txt").write_text("".join(lines))
    files = ("truth.txt", "ann.txt", "bob.txt")
    found = rows(cli("agree", "systems", *files, "--statistic", "kendall_b", "--format", "json"), "metric")
    assert found == {("ann",): pytest.approx(1 / 3), ("bob",): -1}
    tested = cli("agree", "metrics", *files, "--level", "system", "--statistic", "tau_ap", "--format", "json")
    (record,) = json.loads(tested.out)
    assert (record["metric_a"], record["metric_b"], record["value_b"]) == ("ann", "bob", -1)
