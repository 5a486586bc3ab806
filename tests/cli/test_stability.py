"""`rankscope stability`: every option does something, bad input ends in one line, interrupted work goes on."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.refusals import assert_refused
from helpers.same import assert_same_bits
from helpers.study_data import lists, ranks_table

import rankscope as rs

RUNS = ("run0.txt", "run1.txt", "run2.txt")
QUICK = ("--iterations", "4", "--resamples", "20", "--seed", "3")


def quick(args: tuple[Any, ...]) -> list[str]:
    """Those of `QUICK` that a call does not give itself."""
    pairs = zip(QUICK[::2], QUICK[1::2], strict=True)
    return [word for flag, value in pairs if flag not in args for word in (flag, value)]


MEASURES = ("-m", "AP", "-m", "P@5")
COMMAND = [sys.executable, "-c", "from rankscope.cli.main import main; main()"]


@pytest.fixture
def files(folder: Path) -> Path:
    """`qrels` of 12 queries, three runs, and `ranks.tsv`, a table of 60 entities."""
    qrels, runs = lists()
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, of in qrels.items() for d, g in of.items()))
    for (name, of), path in zip(runs.items(), RUNS, strict=True):
        text = "".join(f"{q} Q0 {d} 1 {s!r} {name}\n" for q, scores in of.items() for d, s in scores.items())
        (folder / path).write_text(text)
    table = ranks_table(1)
    rows = ["\t".join(["entity", *table.systems])]
    rows += ["\t".join([e, *(f"{r:g}" for r in row)]) for e, row in zip(table.entity_ids, table.ranks.T, strict=True)]
    (folder / "ranks.tsv").write_text("\n".join(rows) + "\n")
    return folder


@pytest.fixture
def call(cli: Callable[..., Any], files: Path) -> Callable[..., Any]:
    """The command on the runs."""
    return lambda *args: cli("stability", "qrels", *RUNS, *MEASURES, *quick(args), *args)


@pytest.fixture
def on_ranks(cli: Callable[..., Any], files: Path) -> Callable[..., Any]:
    """The command on the table."""
    return lambda *args: cli("stability", "ranks.tsv", "--input", "entity-ranks", *quick(args), *args)


def rows(done: Any) -> list[dict[str, str]]:
    assert (done.code, done.err) == (0, "")
    return list(csv.DictReader(io.StringIO(done.out)))


def said(found: Any) -> list[list[str]]:
    """The records as a CSV has them."""
    return [["" if cell is None or cell != cell else str(cell) for cell in row] for row in found.records()]


def listing(folder: Path) -> dict[str, bytes | None]:
    return {str(p): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


def test_options_are_those_of_the_function(call: Callable[..., Any]) -> None:
    more = ("--alpha", ".05,.2", "--fuzz", "0,.1", "--splits", "3", "--n-systems", "2", "--entities", "10,12")
    found = rows(call(*more, "--swap", "--swap-sets", "disjoint", "--workers", "1", "--format", "csv"))
    asked = {"alpha": (0.05, 0.2), "fuzz": (0, 0.1), "splits": 3, "systems": 2, "entities": (10, 12)}
    quick = {"iterations": 4, "n_resamples": 20, "rng": 3}
    expected = rs.stability.study("qrels", list(RUNS), ["AP", "P@5"], swap=True, swap_sets="disjoint", **asked, **quick)
    assert_same_bits([list(row.values()) for row in found], said(expected))


def test_a_table_of_ranks_is_tried_by_groups_of_entities(on_ranks: Callable[..., Any]) -> None:
    found = rows(on_ranks("-m", "P", "--cutoffs", "5,10", "--splits", "4", "--entities", "40", "--format", "csv"))
    quick = {"iterations": 4, "n_resamples": 20, "rng": 3}
    expected = rs.stability.study(
        "ranks.tsv", input="entity-ranks", measures=["P"], cutoffs=[5, 10], splits=4, entities=40, **quick
    )
    assert_same_bits([list(row.values()) for row in found], said(expected))
    assert {row["measure"] for row in found} == {"P@5", "P@10"}
    two = rows(on_ranks("-m", "P@5", "--systems", "S0,S1", "--print", "actual", "--format", "csv"))
    assert {row["systems"] for row in two} == {"2"}


def test_it_answers_in_sentences(call: Callable[..., Any], on_ranks: Callable[..., Any]) -> None:
    for done in (call(), on_ranks()):
        assert (done.code, done.err) == (0, "")
        assert mentions(done.out.splitlines()[0], "measures", "Stability")
        assert "comparisons" in done.out
        assert "rng:3 | rankscope " in done.out


CHANGES = {
    "--alpha": ("--alpha", "0.2"),
    "--cutoffs": ("-m", "nDCG", "--cutoffs", "3,4"),
    "--splits": ("--splits", "3"),
    "--n-systems": ("--n-systems", "2"),
    "--entities": ("--entities", "8"),
    "--set-size": ("--set-size", "4"),
    "--fuzz": ("--fuzz", "0.3"),
    "--iterations": ("--iterations", "9"),
    "--resamples": ("--resamples", "90"),
    "--seed": ("--seed", "5"),
    "--no-error-tie": ("--no-error-tie",),
    "--swap": ("--swap",),
    "--swap-sets": ("--swap-sets", "disjoint"),
    "--rel": ("--rel", "2"),
}


@pytest.mark.parametrize("option", CHANGES)
def test_every_option_changes_the_numbers(call: Callable[..., Any], option: str) -> None:
    assert rows(call("--format", "csv")) != rows(call(*CHANGES[option], "--format", "csv"))


@pytest.mark.parametrize(
    "more", [("--workers", "2"), ("--error-tie",), ("--swap-sets", "bootstrap"), ("--print", "eval")]
)
def test_what_changes_no_number_does_not(call: Callable[..., Any], more: tuple[str, ...]) -> None:
    assert_same_bits(rows(call("--format", "csv")), rows(call(*more, "--format", "csv")))


def test_without_a_seed_one_is_drawn_and_shown(cli: Callable[..., Any], files: Path) -> None:
    first = cli("stability", "qrels", *RUNS, *MEASURES, "--iterations", "5", "--resamples", "20")
    seed = first.out.rpartition("rng:")[2].split()[0]
    again = cli("stability", "qrels", *RUNS, *MEASURES, "--iterations", "5", "--resamples", "20", "--seed", seed)
    assert again.out == first.out


def test_judgments_are_dropped_where_that_is_asked_for(call: Callable[..., Any]) -> None:
    plain, dropped = call(), call("--ablation")
    assert (dropped.code, dropped.err) == (0, "")
    assert len(dropped.out) > len(plain.out)
    assert "judgments" in dropped.out
    assert "judgments" not in plain.out


PARTS = {
    "eval": "Stability and discriminative power of the measures",
    "actual": "Values on all 12 queries",
    "significance": "Which systems are better by",
}


@pytest.mark.parametrize("part", [*PARTS, "all"])
def test_parts_can_be_printed_alone(call: Callable[..., Any], part: str) -> None:
    done = call("--print", part)
    assert (done.code, done.err) == (0, "")
    assert {name for name, title in PARTS.items() if title in done.out} == ({part} if part != "all" else {*PARTS})


@pytest.mark.parametrize("form", ["table", "csv", "json", "jsonl", "latex", "markdown"])
def test_every_format_is_written(call: Callable[..., Any], files: Path, form: str) -> None:
    done = call("--format", form, "-o", "out")
    assert (done.code, done.out, done.err) == (0, "", "")
    text = (files / "out").read_text()
    assert "P@5" in text
    if form == "json":
        assert len(json.loads(text)) == 2 * 3


def test_figures_are_drawn_by_name(call: Callable[..., Any], files: Path) -> None:
    for name in ("error_against_tie", "swap_curve"):
        done = call("--plot", "figure.json", "--figure", name)
        assert (done.code, done.err) == (0, "")
        assert json.loads((files / "figure.json").read_text())
    done = call("--plot", "figure.json", "--figure", "swap_curv")
    assert_refused(done, "figure", "'swap_curv'", "swap_curve?")


def test_a_checkpoint_goes_on_and_is_refused_for_another_study(call: Callable[..., Any], files: Path) -> None:
    first = call("--checkpoint", "saved", "--splits", "2,3")
    assert sorted(p.name for p in (files / "saved").iterdir()) == [
        "splits2-systems3-entities12.arrays", "splits3-systems3-entities12.arrays", "study.json",
    ]  # fmt: skip
    assert call("--checkpoint", "saved", "--splits", "2,3").out == first.out
    before = listing(files)
    done = call("--checkpoint", "saved", "--splits", "2,3", "--resamples", "41")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("rankscope: saved: ")
    assert mentions(done.err, "n_resamples", 20, 41)
    assert listing(files) == before


BAD = {
    "too few queries": (
        ("--splits", "7"),
        "12 queries cannot be cut into 7 parts of at least 2; ask for at most 6 splits",
    ),
    "one split": (("--splits", "1"), "splits is 1: nothing is drawn then; ask for 2 or more"),
    "no split": (("--splits", "0"), "--splits is 0, expected a whole number of at least 1"),
    "half a split": (("--splits", "2.5"), "Invalid value for '--splits': '2.5', expected a whole number"),
    "blanks between": (("--splits", "2 3"), "'2 3', expected a whole number, with commas between several"),
    "one system": (("--n-systems", "1"), "--n-systems is 1, expected a whole number of at least 2"),
    "too many systems": (("--n-systems", "4"), "systems is 4, and there are 3; ask for 2 to 3"),
    "too many queries": (("--entities", "13"), "entities is 13, and there are 12 queries; ask for at most 12"),
    "one query": (("--set-size", "1"), "--set-size is 1, expected a whole number of at least 2"),
    "a large set": (("--set-size", "13"), "set_size (--set-size) is 13, of 12 queries; ask for 2 to 12"),
    "sizes and splits": (
        ("--set-size", "3", "--splits", "2"),
        "--splits cannot be combined with --set-size",
    ),
    "level 0": (("--alpha", "0"), "--alpha is 0.0, expected a number between 0 and 1"),
    "level 1": (("--alpha", ".05,1"), "--alpha is 1.0, expected a number between 0 and 1"),
    "level nan": (("--alpha", "nan"), "--alpha is nan, expected"),
    "no level": (("--alpha", ""), "Invalid value for '--alpha': '', expected a number"),
    "a word": (("--alpha", "low"), "Invalid value for '--alpha': 'low', expected a number"),
    "fuzz 1": (("--fuzz", "1"), "--fuzz is 1.0, expected a number of at least 0 and below 1"),
    "fuzz -1": (("--fuzz", "-.1"), "--fuzz is -0.1, expected a number of at least 0"),
    "no draws": (("--iterations", "0"), "Invalid value for '--iterations': 0 is not in the range x>=1"),
    "no samples": (("--resamples", "0"), "Invalid value for '--resamples': 0 is not in the range x>=1"),
    "no workers": (("--workers", "0"), "workers is 0, expected a whole number from 1"),
    "many workers": (("--workers", "5000"), "workers is 5000, expected a whole number from 1 to 1024"),
    "a seed below 0": (("--seed", "-1"), "'--seed': -1 is not in the range x>=0"),
    "cutoff 0": (("-m", "P", "--cutoffs", "0"), "--cutoffs is 0, expected a whole number of at least 1"),
    "unknown measure": (("-m", "nDGC"), "unknown measure 'nDGC'; did you mean"),
    "no direction": (
        ("-m", "NumRel"),
        "of NumRel neither higher nor lower is better, so no system can be; leave it out",
    ),
    "sets": (("--swap-sets", "both"), "Invalid value for '--swap-sets': 'both' is not one of 'bootstrap', 'disjoint'"),
    "part": (
        ("--print", "sign"),
        "Invalid value for '--print': 'sign' is not one of 'eval', 'actual', 'significance', 'ablation', 'all'",
    ),
    "total": (("--total-ranks", "50"), "total_ranks (--total-ranks) needs a table of ranks"),
    "checkpoint that is a file": (("--checkpoint", "qrels"), "qrels: cannot create this folder (File exists)"),
    "checkpoint that is none": (("--checkpoint", "."), ".: not empty and not a checkpoint; name a new folder"),
    "output that is read": (("-o", "qrels"), "qrels: is also an input and would be overwritten"),
    "figure": (("--plot", "x.foo"), "x.foo: .foo is not a figure format"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_arguments_end_in_one_line_and_leave_nothing(call: Callable[..., Any], files: Path, what: str) -> None:
    arguments, message = BAD[what]
    refused(call(*arguments), files, message, lambda: call(*arguments, *(() if "-o" in arguments else ("-o", "out"))))


BAD_RANKS = {
    "too few entities": (
        ("--splits", "61"),
        "60 entities cannot be cut into 61 parts of at least 1; ask for at most 60",
    ),
    "one split": (("--splits", "1"), "splits is 1: tests need at least 2 groups; ask for 2"),
    "too many entities": (("--entities", "61"), "entities is 61, and there are 60 entities; ask for at most 60"),
    "set size": (("--set-size", "5"), "set_size (--set-size) is for queries; entities are cut by splits"),
    "ablation": (
        ("--ablation",),
        "ablation drops judgments, so it asks for judgments and runs, not for scores or ranks",
    ),
    "permille": (
        ("-m", "AP(scale='permille')"),
        "a permille needs the number of all ranked items; pass it (--total-ranks N, total_ranks=N)",
    ),
    "a small total": (
        ("-m", "AP(scale='permille')", "--total-ranks", "9"),
        "but only 9 items were ranked according to --total-ranks (total_ranks); correct one of them",
    ),
    "cutoffs": (("-m", "P@5", "--cutoffs", "5"), "each has its own or takes none; add one without, such as nDCG or P"),
    "unknown measure with cutoffs": (("-m", "nDGC", "--cutoffs", "5"), "unknown measure 'nDGC'; did you mean"),
    "runs": (("run0.txt",), "a table of ranks holds judgments and runs together, already ranked; leave out runs"),
}


@pytest.mark.parametrize("what", BAD_RANKS)
def test_bad_arguments_for_ranks_end_in_one_line(on_ranks: Callable[..., Any], files: Path, what: str) -> None:
    arguments, message = BAD_RANKS[what]
    refused(on_ranks(*arguments), files, message, lambda: on_ranks(*arguments, "-o", "out", "--checkpoint", "c"))


def refused(done: Any, files: Path, message: str, again: Callable[[], Any]) -> None:
    before = listing(files)
    for one in (done, again()):
        assert (one.code, one.out, one.err.count("\n")) == (2, "", 1), one
        assert one.err.startswith("rankscope: ")
        assert message in one.err
        assert listing(files) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("e\tA\tB\nx\t1\t0\ny\t2\t3\n", "table:2: "),
        (
            "e\tA\tB\nx\t1\t2\ny\t2\t\n",
            "table:3: B is empty, expected a finite number; fill it in or drop the row",
        ),
        ("e\tA\tB\nx\t1\t2\ny\t2\n", "table:3: 2 fields, expected 3 (e, A, B); correct this line"),
        ("e\tA\tB\nx\t1\tlow\n", "table:2: B is 'low', expected a finite number"),
        ("e\tA\tB\nx\t1\t2\nx\t2\t3\n", "'x'"),
        ("e\tA\tA\nx\t1\t2\n", "table:1: two columns are called 'A'"),
        ("e\tA\nx\t1\ny\t2\n", "1 system in the data, expected at least 2; add another"),
        ("e\tA\tB\nx\t1\t2\n", "1 entity in the data, expected at least 2: two groups of 1; add some"),
        ("e\tA\tB\n", "a header and no rows"),
        ("", "the file is empty"),
    ],
)
def test_a_bad_table_is_told_with_its_line(cli: Callable[..., Any], files: Path, content: str, message: str) -> None:
    (files / "table").write_text(content)
    before = listing(files)
    done = cli("stability", "table", "--input", "entity-ranks", *QUICK, "-o", "out", "--checkpoint", "c")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
    assert done.err.startswith("rankscope: ")
    assert message in done.err
    assert listing(files) == before


def test_ranks_below_1_are_allowed_under_the_preset_and_0_is_not(cli: Callable[..., Any], files: Path) -> None:
    lines = ["e\tA\tB", *(f"x{i}\t{i + 0.5}\t{2 * i + 1}" for i in range(20))]
    (files / "table").write_text("\n".join(lines) + "\n")
    assert "table:2: " in cli("stability", "table", "--input", "entity-ranks", *QUICK).err
    preset = ("--input", "entity-ranks", "--preset", "dunaiski", "-m", "nDCG", *QUICK)
    assert cli("stability", "table", *preset).code == 0
    (files / "table").write_text("\n".join([*lines, "y\t0\t3"]) + "\n")
    done = cli("stability", "table", *preset)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "table:22: " in done.err


def test_one_run_and_none_are_refused(cli: Callable[..., Any], files: Path) -> None:
    for runs, message in ((RUNS[:1], "one run"), ((), "Missing argument 'RUN...'")):
        done = cli("stability", "qrels", *runs)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert message in done.err


def test_small_groups_are_a_note(on_ranks: Callable[..., Any]) -> None:
    done = on_ranks("--splits", "15")
    assert done.code == 0
    assert mentions(done.out.splitlines(), "note: ", "4 entities", 5)


def test_a_wrong_argument_is_told_before_anything_is_read(cli: Callable[..., Any], files: Path) -> None:
    for wrong, message in (
        (("--iterations", "0"), "--iterations"),
        (("--alpha", "2"), "--alpha"),
        (("--fuzz", "2"), "fuzz is 2.0"),
    ):
        done = cli("stability", "nowhere", *RUNS, *wrong)
        assert message in done.err


def test_an_interrupt_says_what_is_kept(cli: Callable[..., Any], files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import rankscope.cli.stability as command

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "study_measures", interrupted)
    done = cli("stability", "qrels", *RUNS)
    assert (done.code, done.out, done.err.count("\n")) == (130, "", 2)
    assert mentions(done.err, "\nrankscope: ", "interrupted", "no result")
    done = cli("stability", "qrels", *RUNS, "--checkpoint", "saved")
    assert (done.code, done.out) == (130, "")
    assert done.err.count("\n") == 2
    assert mentions(done.err, "\nrankscope: ", "interrupted", "kept in saved")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_process_that_is_interrupted_goes_on_with_the_same_result(files: Path, workers: str) -> None:
    asked = [
        "stability",
        "qrels",
        *RUNS,
        *MEASURES,
        "--iterations",
        "40",
        "--resamples",
        "60000",
        "--seed",
        "3",
        "--format",
        "csv",
    ]
    asked += ["--set-size", "3,4,5,6", "--workers", workers]
    process = subprocess.Popen(
        [*COMMAND, *asked, "--checkpoint", "saved"], stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    end = time.monotonic() + 60
    while not list(files.glob("saved/*.arrays")) and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    empty, said = err.decode().splitlines()
    assert empty == ""
    assert mentions(said, "rankscope: ", "interrupted", "kept in saved")
    finished = {path.name: path.read_bytes() for path in files.glob("saved/*.arrays")}
    assert 1 <= len(finished) < 4
    done = subprocess.run([*COMMAND, *asked, "--checkpoint", "saved"], capture_output=True, check=True)
    assert {name: (files / "saved" / name).read_bytes() for name in finished} == finished
    assert done.stdout == subprocess.run([*COMMAND, *asked], capture_output=True, check=True).stdout
