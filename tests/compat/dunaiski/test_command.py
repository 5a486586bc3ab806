"""`rankscope dunaiski`: arguments, exit codes, what is written where."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from helpers.dunaiski_tables import CHATTER, QUICK, REFERENCE, SIGNS, blocks, marks, rates, table
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.compat.dunaiski import PRINTING, coded_measure, dunaiski, dunaiski_study, dunaiski_table
from rankscope.compat.dunaiski.output import HEAD
from rankscope.errors import InputError, ParameterError, UnknownName


def test_the_call_of_the_readme_works_as_it_stands(cli: Callable[..., Any], tables: Path) -> None:
    call = "-f testranks.txt --boot 1000 --iter 50 --threads 12 --splits 2 --seed 1 --printing all -n 100000"
    done = cli("dunaiski", *call.split())
    assert done.code == 0
    assert CHATTER.fullmatch(done.err)
    assert list(blocks(done.out)) == ["method", "Measure", *SIGNS]
    assert blocks(done.out)["Measure"][1] == ["Average", *map(str, small_means())]
    assert {row["splitCount"] for row in rates(done.out).values()} == {"2"}


def small_means() -> list[float]:
    return rs.read_entity_ranks("testranks.txt").ranks.mean(axis=1).tolist()


@pytest.mark.parametrize("arguments", [(), ("-h",), ("--help",), ("-i", 3, "--help")])
def test_no_arguments_give_the_help_and_exit_code_0(cli: Callable[..., Any], arguments: tuple[object, ...]) -> None:
    done = cli("dunaiski", *arguments)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("usage: rankscope dunaiski [-h]")


def test_long_and_short_options_and_abbreviations_are_the_same(cli: Callable[..., Any], tables: Path) -> None:
    found = {
        cli("dunaiski", *call.split()).out
        for call in (
            "-f small_4x60.txt -s 3 -t 2 -i 4 -b 50 -e -w -n 90000 -p eval -v --splits 5 10",
            "--file small_4x60.txt --seed 3 --threads 2 --iter 4 --boot 50 --err --swap --totalranks 90000 "
            "--printing eval --verbose --splits 5 10",
            "--splits 5 10 --fil=small_4x60.txt --see 3 -i4 -b50 -ew --tot 90000 --pri eval",
        )
    }
    assert len(found) == 1
    assert len(found.pop().splitlines()) == 2 + 2 * 5 * 9 + 1


@pytest.mark.parametrize("file", [(), ("-f", "-"), ("-f",)], ids=str)
def test_the_table_is_read_from_standard_input_by_default(
    cli: Callable[..., Any], tables: Path, monkeypatch: pytest.MonkeyPatch, file: tuple[str, ...]
) -> None:
    given = io.BufferedReader(io.BytesIO((tables / "small_4x60.txt").read_bytes()))  # bytes are raw enough
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(given))
    done = cli("dunaiski", *QUICK, "-p", "actual", *file)
    assert_same_bits(done.out, cli("dunaiski", *QUICK, "-p", "actual", "-f", "small_4x60.txt").out)
    assert "File input:\t<stdin>\n" in done.err


def test_results_go_to_the_file_named_by_o_and_nothing_else_does(cli: Callable[..., Any], tables: Path) -> None:
    done = cli("dunaiski", *QUICK, "-f", "small_4x60.txt", "-o", "out.txt")
    assert (done.code, done.out) == (0, "")
    assert CHATTER.fullmatch(done.err)
    for standard in ((), ("-o", "-"), ("-o",)):
        assert_same_bits(
            cli("dunaiski", *QUICK, "-f", "small_4x60.txt", *standard).out, (tables / "out.txt").read_text()
        )


@pytest.mark.usefixtures("forked_workers")
def test_the_output_is_the_same_for_any_number_of_threads(
    cli: Callable[..., Any], tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ("dunaiski", "-f", "small_4x60.txt", "-e", "-i", 12, "-b", 20, "-s", 5)
    alone = cli(*call).out
    monkeypatch.setattr(import_module("rankscope.stability.studies"), "MIN_PARALLEL_DIFFERENCES", 0)
    monkeypatch.setattr("rankscope.cli.compat.dunaiski.all_cores", lambda: 2)
    assert_same_bits(cli(*call, "-t", 7).out, alone)


def test_what_is_printed_is_chosen(cli: Callable[..., Any], tables: Path) -> None:
    found = {p: cli("dunaiski", *QUICK, "-f", "small_4x60.txt", "-p", p).out for p in PRINTING}
    parts = [found[p].removeprefix("Results:\n") for p in ("eval", "actual", "sign")]
    assert found["all"] == "Results:\n" + "".join(parts)
    assert [part.partition("\t")[0] for part in parts] == ["method", "Measure", "Average"]


def test_rows_have_the_format_of_the_tool_and_are_in_order(cli: Callable[..., Any], tables: Path) -> None:
    ranges = "--splits 10 5 --systems 4 3 --entities 60 50 --sigs .1 .05 -n 90000"
    done = cli("dunaiski", *QUICK, "-f", "small_4x60.txt", "-p", "eval", "-e", *ranges.split())
    head, *rows = blocks(done.out)["method"]
    assert head == list(HEAD)
    assert "\t".join(HEAD[14:17]) == "relRate\tasl\testDiff"
    decimal = r"(?:-?\d+\.\d{5}|nan|-?inf)"
    shape = rf"(\S+)\t\1\t{decimal}\t{decimal}\t\d+\t\d+\t\d+\t\d\.\d{{3}}\t(None|\d+)(\t{decimal}){{11}}"
    assert all(re.fullmatch(shape, "\t".join(row)) for row in rows)
    names = [name for name in SIGNS if name not in ("Average@10", "Average@20", "P@2000_per")]
    by_cutoff = [
        *((name, "None") for name in names),
        ("Average@10", "10"),
        ("Average@20", "20"),
        ("P@2000_per", "2000"),
    ]
    assert [(row[5], row[4], row[6], row[7], row[0], row[8]) for row in rows] == [
        (splits, systems, entities, level, *measure)
        for splits in ("10", "5")
        for entities in ("60", "50")
        for systems in ("4", "3")
        for level in ("0.100", "0.050")
        for measure in by_cutoff
    ]


def test_what_is_written_is_what_the_function_gives(cli: Callable[..., Any], tables: Path) -> None:
    done = cli("dunaiski", *QUICK, "-e", "-f", "small_4x60.txt", "--splits", 6, "-n", 90000)
    options = {"splits": 6, "iterations": 4, "n_resamples": 50, "rng": 1, "error_tie": True}
    assert_same_bits(done.out, dunaiski("small_4x60.txt", total_ranks=90000, **options))
    study = dunaiski_study(dunaiski_table("small_4x60.txt", 90000), **options)
    for row in study.rows():
        name = list(SIGNS)[study.names.index(row.measure)]
        if row.fuzz == row.level:
            for column, value in (("errRate", row.error_rate), ("asl", row.asl_rate), ("estDiff", row.est_diff)):
                assert rates(done.out)[name, f"{row.level:.3f}"][column] == f"{value:.5f}"


def test_without_e_there_are_no_error_and_tie_rates(cli: Callable[..., Any], tables: Path) -> None:
    head, *rows = blocks(cli("dunaiski", *QUICK, "-f", "small_4x60.txt").out)["method"]
    first, last = head.index("errRate"), head.index("relRate")
    assert {field for row in rows for field in row[first : last + 1]} == {"nan"}


def test_marks_are_explained_as_the_tool_does(cli: Callable[..., Any], tables: Path) -> None:
    sigs = ["0.2", "0.01", *(f"0.{n}" for n in range(21, 31))]
    done = cli("dunaiski", *QUICK, "-f", "small_4x60.txt", "-p", "sign", "--sigs", *sigs[:3])
    legend = "Significance: 0 '***' 0.2 '**' 0.01 '*' 0.21 ' ' 1"
    assert done.out.splitlines()[1] == f"Average\t{legend}"
    assert done.out.splitlines()[2].split("\t") == ["Systems", "S1", "S2", "S3", "S4"]
    assert [row[i] for i, row in enumerate(marks(done.out, "Average"))] == ["--"] * 4
    more = cli("dunaiski", *QUICK, "-f", "small_4x60.txt", "-p", "sign", "--sigs", *sigs).out.splitlines()[1]
    last = "'_4' 0.28 '_5' 0.29 ' ' 1"  # of twelve levels the last has no mark
    assert more.endswith(last)


BAD = {
    "-f none.txt": "none.txt: ",
    "-f one.txt": r"one\.txt: .*1 system \(S1\), .* 2",
    "-f zero.txt": r"zero\.txt:2: .*rank .*'S1' is 0, ",
    "-f twice.txt": r"twice\.txt:3: .*'a' .*twice",
    "-f cell.txt": r"cell\.txt:2: S2 is empty",
    "-f short.txt": r"short\.txt:2: 2 fields, .*3",
    "-f empty.txt": "empty.txt",
    "-f small_4x60.txt --splits 61": "60 entities .*61 parts",
    "-f small_4x60.txt --splits 1": "splits is 1",
    "-f small_4x60.txt --splits": "splits .*no value",
    "-f small_4x60.txt --systems 5": "systems is 5, .*4",
    "-f small_4x60.txt --systems 1": "systems is 1",
    "-f small_4x60.txt --entities 61": "entities is 61, .*60",
    "-f small_4x60.txt --sigs 0": r"--sigs is 0\.0",
    "-f small_4x60.txt --sigs nan": r"--sigs is nan",
    "-f small_4x60.txt --sigs": r"--sigs .*no value",
    "-f small_4x60.txt -n 10": "10 .*--total-ranks",
    "-f small_4x60.txt -o small_4x60.txt": "overwritten",
    "-f small_4x60.txt -o none/out.txt": "folder none .*exist",
    "-f small_4x60.txt -b 0": "argument -b/--boot: 0, .*1",
    "-f small_4x60.txt -i x": "argument -i/--iter: invalid",
    "-f small_4x60.txt -t 0": "argument -t/--threads: 0",
    "-f small_4x60.txt -p none": "argument -p/--printing: invalid choice",
    "-f small_4x60.txt -x": "unrecognized arguments: -x",
    "small_4x60.txt": "unrecognized arguments: small_4x60.txt",
}


@pytest.mark.parametrize("call", BAD)
def test_bad_input_is_told_in_one_line_and_nothing_is_written(cli: Callable[..., Any], tables: Path, call: str) -> None:
    header = "x\tS1\tS2\n"
    (tables / "one.txt").write_text("x\tS1\na\t1\n")
    (tables / "zero.txt").write_text(f"{header}a\t0\t1\n")
    (tables / "twice.txt").write_text(f"{header}a\t1\t1\na\t2\t2\n")
    (tables / "cell.txt").write_text(f"{header}a\t1\t\n")
    (tables / "short.txt").write_text(f"{header}a\t1\n")
    (tables / "empty.txt").write_text("")
    (tables / "kept.txt").write_text("as it was")
    before = (tables / "small_4x60.txt").read_text()
    done = cli("dunaiski", *([] if "-o" in call else ["-o", "kept.txt"]), *call.split())
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert done.err.startswith("rankscope: ")
    assert re.search(BAD[call], done.err)
    assert ((tables / "kept.txt").read_text(), (tables / "small_4x60.txt").read_text()) == ("as it was", before)


def test_the_functions_refuse_as_the_command_does() -> None:
    with pytest.raises(UnknownName, match="did you mean AP_at_n"):
        coded_measure("AP_at_m")
    with pytest.raises(ParameterError, match=r"printing is 'none', .*'all'"):
        dunaiski(REFERENCE / "small_4x60.txt", printing="none")
    with pytest.raises(InputError, match="1 system"):
        dunaiski_study(table([[1, 2, 3]]))


def test_ranks_between_0_and_1_are_taken_as_the_tool_takes_them(cli: Callable[..., Any], tables: Path) -> None:
    """Permilles of large rankings are such. Where the mean rank is below 1, no entity is within its whole part, 0."""
    lines = "".join(f"e{i}\t{i / 50}\t{i / 40 + 0.001}\n" for i in range(1, 31))
    (tables / "permille.txt").write_text(f"x\tS1\tS2\n{lines}")
    done = cli("dunaiski", *QUICK, "-f", "permille.txt", "-n", 5000, "-e", "--splits", 5)
    assert done.code == 0
    actual = {row[0]: row[1:] for row in blocks(done.out)["Measure"][1:]}
    assert float(actual["Average"][0]) == pytest.approx(31 / 2 / 50)
    assert actual["Average@Avg"] == ["nan", "nan"]
    assert actual["nDCG@Avg"] == ["0.0", "0.0"]
