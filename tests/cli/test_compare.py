"""`rankscope compare` as people use it: formats, baselines, seeds, files, and what goes wrong."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

import rankscope as rs

Call = Callable[..., Any]
RANKS = {
    "good.run": ("good", [1, 1, 2, 1, 1, 2, 1, 3]),
    "fair.run": ("fair & co_1", [2, 1, 2, 2, 1, 2, 3, 2]),
    "poor.run": ("poor", [4, 4, 4, 1, 4, 4, 3, 4]),
}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with judgments of 8 queries and three runs."""
    (tmp_path / "qrels").write_text("".join(f"{q} 0 r 1\n" for q in range(1, 9)))
    for file, (name, ranks) in RANKS.items():
        lines = [
            f"{q} Q0 {'r' if k == rank else f'x{k}'} {k} {10 - k} {name}\n"
            for q, rank in enumerate(ranks, 1)
            for k in range(1, rank + 1)
        ]
        (tmp_path / file).write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(done: Any) -> list[dict[str, str]]:
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def test_two_runs_give_a_sentence_a_table_and_the_difference(cli: Call, runs: Path) -> None:
    done = cli("compare", "qrels", "poor.run", "good.run", "-m", "RR")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("RR on 8 queries\n")
    assert mentions(done.out.split("\n\n")[1], "good is significantly better", "RR", 8)
    assert "\nRR: the difference\n" in done.out
    assert mentions(
        done.out.splitlines(), "| test:t | correction:holm", "| family:1 pair |", "| alpha:0.05 |", "| interval:t |"
    )


@pytest.mark.parametrize("baseline", ["fair & co_1", "fair.run"])
def test_the_baseline_is_called_by_its_name_or_its_file(cli: Call, runs: Path, baseline: str) -> None:
    found = rows(cli("compare", "qrels", *RANKS, "-m", "RR", "--baseline", baseline, "--format", "csv"))
    assert [(r["system_a"], r["system_b"]) for r in found] == [("good", "fair & co_1"), ("poor", "fair & co_1")]


def test_the_numbers_are_those_of_the_python_interface(cli: Call, runs: Path) -> None:
    scores = rs.evaluate("qrels", list(RANKS), ["RR", "P@2"])
    options = ("--test", "permutation", "--seed", "5", "--resamples", "100", "--correction", "bh", "--family", "all")
    done = cli("compare", "qrels", *RANKS, "-m", "RR", "-m", "P@2", *options, "--format", "json")
    expected = rs.compare(scores, test="permutation", rng=5, n_resamples=100, correction="bh", family="all")
    frame = expected.frame().to_dicts()
    assert_same_bits(json.loads(done.out), frame)


def test_without_a_named_measure_all_are_corrected_together(cli: Call, runs: Path) -> None:
    for named, family in (((), "all"), (("-m", "RR", "-m", "P@2"), "pairs")):
        done = cli("compare", "qrels", *RANKS, *named, "--format", "json")
        measures = [record["measure"] for record in json.loads(done.out)]
        scores = rs.evaluate("qrels", list(RANKS), list(dict.fromkeys(measures)))
        expected = rs.compare(scores, list(scores.measure_names), family=family)
        assert_same_bits(json.loads(done.out), expected.frame().to_dicts())
        signature = cli("compare", "qrels", *RANKS, *named).out
        assert ("pairs and measures" in signature) == (family == "all")


def test_programs_get_records_of_the_columns_of_the_surface(cli: Call, runs: Path) -> None:
    tidy = rows(cli("compare", "qrels", *RANKS, "-m", "RR", "--format", "csv"))
    lines = cli("compare", "qrels", *RANKS, "-m", "RR", "--format", "jsonl").out.splitlines()
    assert len(tidy) == len(lines) == 3
    assert list(tidy[0]) == list(json.loads(lines[0]))
    assert list(tidy[0])[:6] == ["measure", "system_a", "system_b", "mean_a", "mean_b", "difference"]


def test_names_are_escaped_for_latex_and_markdown(cli: Call, runs: Path) -> None:
    latex = cli("compare", "qrels", *RANKS, "-m", "RR", "--format", "latex").out
    assert r"fair \& co\_1" in latex
    assert r"\begin{tabular}" in latex
    assert mentions(latex.splitlines(), "% RR ", "8 queries")
    (runs / "odd.run").write_text("".join(f"{q} Q0 r 1 1 a|b\n" for q in range(1, 9)))
    markdown = cli("compare", "qrels", "odd.run", "good.run", "-m", "RR", "--format", "markdown").out
    assert r"a\|b" in markdown
    assert mentions(markdown.splitlines()[0], "### RR ", "8 queries")


def test_details_are_shown_where_asked_for(cli: Call, runs: Path) -> None:
    plain, more = (cli("compare", "qrels", *RANKS, "-m", "RR", *given).out for given in ((), ("--details",)))
    assert "BCa interval" not in plain
    assert "BCa interval" in more
    assert "Hedges' g" in more


def test_a_seed_gives_the_same_numbers_and_another_others(cli: Call, runs: Path) -> None:
    def p(seed: int) -> list[str]:
        options = ("--test", "bootstrap", "--resamples", "500", "--seed", str(seed), "--format", "csv")
        return [r["pvalue"] for r in rows(cli("compare", "qrels", *RANKS, "-m", "RR", *options))]

    assert_same_bits(p(1), p(1))
    assert p(1) != p(2)
    assert "| rng:0 |" in cli("compare", "qrels", *RANKS, "-m", "RR", "--test", "bootstrap", "--resamples", "99").out


def test_a_file_holds_what_would_be_printed(cli: Call, runs: Path) -> None:
    for form in ("table", "csv", "json", "jsonl", "latex", "markdown"):
        shown = cli("compare", "qrels", *RANKS, "-m", "RR", "--format", form)
        written = cli("compare", "qrels", *RANKS, "-m", "RR", "--format", form, "-o", "out")
        assert (written.code, written.out, written.err) == (0, "", "")
        assert_same_bits((runs / "out").read_text(), shown.out)


def test_options_of_evaluate_hold_here_too(cli: Call, runs: Path) -> None:
    with open(runs / "qrels", "a") as file:
        file.write("9 0 r 1\n")
    assert "on 9 queries" in cli("compare", "qrels", *RANKS, "-m", "RR").out
    dropped = cli("compare", "qrels", *RANKS, "-m", "RR", "--missing", "drop").out
    assert "RR on 8 queries" in dropped
    assert mentions(dropped.splitlines(), "note: RR: ", "1 query", 9)
    assert "P@2 on 9 queries" in cli("compare", "qrels", *RANKS, "-m", "P@2", "--rel", "1").out


def test_scores_may_be_standardised_by_query(cli: Call, runs: Path) -> None:
    done = cli("compare", "qrels", *RANKS, "-m", "RR", "--standardise", "cdf", "--format", "csv")
    plain = cli("compare", "qrels", *RANKS, "-m", "RR", "--format", "csv")
    assert [r["difference"] for r in rows(done)] != [r["difference"] for r in rows(plain)]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("qrels",), "Missing argument 'RUN...'"),
        (("none.csv",), "none.csv: no such file; check the path"),
        (("qrels", "good.run"), "one run cannot be compared"),
        (("qrels", "good.run", "good.run"), "two runs are called 'good.run'"),
        (("qrels", "good.run", "none.run"), "none.run: no such file; check the path"),
        (("none", "good.run", "poor.run"), "none: no such file"),
        (("qrels", "good.run", "poor.run", "-m", "NDGC"), "unknown measure 'NDGC'"),
        (("qrels", "good.run", "poor.run", "-m", "NumRet"), "of NumRet neither higher nor lower is better"),
        (("qrels", "good.run", "poor.run", "--baseline", "goof"), "did you mean good?"),
        (("qrels", "good.run", "poor.run", "--alpha", "0"), "Invalid value for '--alpha': 0.0"),
        (("qrels", "good.run", "poor.run", "--alpha", "x"), "'x' is not a number, expected one in the range 0<x<1"),
        (("qrels", "good.run", "poor.run", "--rope", "-1"), "Invalid value for '--rope': -1.0"),
        (("qrels", "good.run", "poor.run", "--resamples", "0"), "Invalid value for '--resamples': 0"),
        (("qrels", "good.run", "poor.run", "--seed", "-1", "--test", "permutation"), "Invalid value for '--seed': -1"),
        (("qrels", "good.run", "poor.run", "--test", "anova"), "'anova' is not one of 't', 'permutation'"),
        (("qrels", "good.run", "poor.run", "--test", "bonferroni"), "write --correction bonferroni"),
        (("qrels", "good.run", "poor.run", "--test", "tukey", "--baseline", "good"), "compares all pairs"),
        (
            ("qrels", "good.run", "poor.run", "--test", "bayes-t", "--alternative", "less"),
            "--alternative cannot be combined with --test",
        ),
        (("qrels", "good.run", "poor.run", "--format", "trec"), "'trec' is not one of 'table', 'csv'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_nothing_is_written(
    cli: Call, runs: Path, args: tuple[str, ...], says: str
) -> None:
    done = cli("compare", *args, "-o", "out")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("rankscope: ")
    assert done.err.count("\n") == 1
    assert says in done.err
    assert not (runs / "out").exists()


def test_no_input_is_overwritten_and_no_folder_made(cli: Call, runs: Path) -> None:
    before = (runs / "good.run").read_text()
    for output, says in (("good.run", "overwritten"), ("no/out", "does not exist")):
        done = cli("compare", "qrels", "good.run", "poor.run", "-o", output)
        assert done.code == 2
        assert says in done.err
    assert (runs / "good.run").read_text() == before


def test_a_wrong_setting_is_told_before_files_are_read(cli: Call, runs: Path) -> None:
    assert "--alpha" in cli("compare", "none", "nothing", "--alpha", "2").err


def test_ranks_of_entities_are_compared_without_runs(cli: Call, runs: Path) -> None:
    (runs / "ranks.tsv").write_text("entity\tnear\tfar\nx\t5\t9\ny\t20\t40\n")
    done = cli("compare", "ranks.tsv", "--input", "entity-ranks", "--total-ranks", "50", "-m", "MeanRank")
    assert done.code == 0, done.err
    assert mentions(done.out.splitlines(), "note: MeanRank: ", "lower")


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_systems_of_a_table_of_ranks_are_named(cli: Call, runs: Path, command: str) -> None:
    (runs / "ranks.csv").write_text("entity,year,near,far,field\nx,1999,5,9,art\ny,2004,20,40,law\n")
    call = (command, "ranks.csv", "--input", "entity-ranks", "-m", "MeanRank", "--format", "csv")
    assert mentions(cli(*call).err, "ranks.csv:2", "field", "--systems year,near,far")
    done = cli(*call, "--systems", "near,far")
    assert (done.code, done.err) == (0, "")
    assert "near" in done.out
    assert "year" not in done.out


def test_the_help_lists_the_tests(cli: Call) -> None:
    done = cli("compare", "--help")
    assert done.code == 0
    assert "randomised-tukey" in done.out
    assert "--baseline" in done.out


def test_the_table_for_a_paper_is_one_table_of_systems_by_measures(cli: Call, runs: Path) -> None:
    call = ("compare", "qrels", "poor.run", "good.run", "-m", "RR", "-m", "P@1", "--table", "paper")
    done = cli(*call, "--format", "latex")
    assert (done.code, done.err) == (0, "")
    assert done.out.count(r"\begin{tabular}") == 1
    assert " & system & RR & P@1 \\\\\n" in done.out
    done = cli(*call, "--baseline", "poor", "--table-columns", "mean,p")
    assert done.out.splitlines()[2].split() == ["system", "RR", "p", "P@1", "p"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--table-columns", "mean"), "--table-columns needs --table paper"),
        (("--table", "paper", "--format", "json"), "json holds the tidy table"),
        (("--table", "paper", "--details"), "--details"),
        (("--table", "paper", "--table-columns", "p"), "--baseline"),
        (("--table", "paper", "--table-columns", "median"), "'median'"),
    ],
)
def test_the_table_for_a_paper_refuses_what_it_cannot_show(
    cli: Call, runs: Path, options: tuple[str, ...], message: str
) -> None:
    done = cli("compare", "qrels", "good.run", "poor.run", "-m", "RR", *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
