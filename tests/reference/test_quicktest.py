"""trec_eval's own test, `make quicktest`: its command lines, for both versions.

The tool's files are not ours to ship. Where its source is, the test is run on them, and every output must be that of
the tool byte for byte. Everywhere, the same command lines are run on made-up inputs, and compared with what both
versions printed for these (tests/reference/trec_eval).
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.paths import TESTS

FOLDER = TESTS / "reference" / "trec_eval"
PRESETS = {"v10": "trec_eval", "v9": "trec_eval-9"}
#: `./trec_eval ARGUMENTS | diff - EXPECTED` in the target `quicktest` of the tool's Makefile.
CALL = re.compile(r"^\t\./trec_eval (?P<arguments>.*) \| *diff - (?P<expected>\S+)", re.MULTILINE)


@pytest.fixture
def sources() -> dict[str, Path]:
    """Version -> folder of its source: v10, v9 in $RANKSCOPE_TREC_EVAL, else in ../shared/spec/trec_eval/quicktest."""
    beside = TESTS.parent.parent / "shared" / "spec" / "trec_eval" / "quicktest"
    folder = Path(os.environ.get("RANKSCOPE_TREC_EVAL") or beside)
    found = {version: folder / version for version in PRESETS if (folder / version / "Makefile").is_file()}
    if not found:
        pytest.skip("trec_eval's own test data, which rankscope does not ship: set RANKSCOPE_TREC_EVAL to v10 and v9")
    return found


@pytest.mark.parametrize("version", PRESETS)
def test_the_tools_own_test_succeeds(
    version: str, sources: dict[str, Path], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if version not in sources:
        pytest.skip(f"trec_eval's own test data of {version}, which rankscope does not ship")
    monkeypatch.chdir(sources[version])
    calls = quicktest_calls(Path("Makefile").read_text())
    assert len(calls) >= 11
    for arguments, expected in calls:
        done = cli("trec_eval", "--preset", PRESETS[version], *arguments)
        assert (done.code, done.out.encode()) == (0, Path(expected).read_bytes()), arguments


def quicktest_calls(makefile: str) -> list[tuple[list[str], str]]:
    """Arguments and expected output of each line of the target."""
    target = re.search(r"^quicktest:.*\n((?:\t.*\n?)*)", makefile, re.MULTILINE)
    assert target is not None
    return [(shlex.split(call["arguments"]), call["expected"]) for call in CALL.finditer(target[1])]


def test_calls_are_found_in_a_makefile() -> None:
    makefile = (
        "all: x\n\t./trec_eval a b | diff - c\n\nquicktest: x\n\t./trec_eval -q 'a b' c | diff - d\n\techo ok\n\nz:\n"
    )
    assert quicktest_calls(makefile) == [(["-q", "a b", "c"], "d")]


#: The command lines of quicktest without their files (-c added where our run lacks queries, and -q left out where it
#: has none) -> judgments and run here, the recorded output, and which of its lines the call must print.
EVERYTHING = (None, None)
CALLS = [
    ("-c", "close.qrels", "close.run", "close.summary", EVERYTHING),
    ("-c -m all_trec", "close.qrels", "close.run", "close.default", ("all_trec", "all")),
    ("-c -m all_trec -q", "close.qrels", "close.run", "close.default", ("all_trec", None)),
    ("-m all_trec -q -c", "graded.qrels", "graded.run", "graded.complete", ("all_trec", None)),
    ("-m all_trec -q -c -M7", "graded.qrels", "graded.run", "graded.first7", ("all_trec", None)),
    ("-m all_trec -mrelstring.10 -q -c -l2", "graded.qrels", "graded.run", "graded.level2", ("all_trec", None)),
    ("-m all_prefs -q -c -R prefs", "groups/prefs1.prefs", "groups/prefs1.run", "groups/prefs1.prefs", EVERYTHING),
    ("-m all_prefs -q -R prefs", "groups/prefs3.prefs", "groups/prefs3.run", "groups/prefs3.prefs-plain", EVERYTHING),
    (
        *("-m all_prefs -q -c -R qrels_prefs", "groups/prefs1.qrels", "groups/prefs1.run", "groups/prefs1.qrels-prefs"),
        EVERYTHING,
    ),
    ("-m qrels_jg -q -c -R qrels_jg", "groups/prefs2.groups", "groups/prefs2.run", "groups/prefs2.groups", EVERYTHING),
    (
        "-q -c -mutility.1,-1,-.5,.25 -mset_F.0.5 -m num_q -N1000",
        *("graded.qrels", "graded.run", "graded.collection", EVERYTHING),
    ),
    ("-q -c -n -mndcg_cut.10,3.4 -m P.3,1 -m map", "close.qrels", "close.run", "close.nosummary", ("relstring", None)),
    (
        "-q -c -m11pt_avg.0.2,0.5,0.8 -mrunid",
        "groups/prefs1.qrels",
        "groups/prefs1.run",
        "groups/prefs1.average3",
        EVERYTHING,
    ),
    (
        "-q -c -m map -m P.5,10 -m recip_rank -m ndcg_cut.10 -m bpref -Z groups/prefs1.zscores",
        *("groups/prefs1.qrels", "groups/prefs1.run", "groups/prefs1.zscores", EVERYTHING),
    ),
]
#: Where memory that the tool never set shows (see tests/compat/trec_eval), and where a parameter changes more than the
#: name: relstring.10 prints '-' for a query that the run lacks, and relstring nothing.
DIFFERENT = {
    ("close.default", "v10"): {"rbp"},
    ("graded.level2", "v10"): {"relstring_10"},
    **{("groups/prefs1.qrels-prefs", version): {"prefs_avgjg_Rnonrel"} for version in PRESETS},
}
#: Lines of `default`, `complete`, ... that belong to measures which no nickname holds.
NAMED_APART = ("dcg", "ideal_dcg", "yaap")


@pytest.mark.parametrize("version", PRESETS)
@pytest.mark.parametrize(("options", "judgments", "run", "recorded", "lines"), CALLS)
def test_its_command_lines_print_what_the_tool_printed_on_made_up_inputs(
    options: str,
    judgments: str,
    run: str,
    recorded: str,
    lines: tuple[str | None, str | None],
    version: str,
    cli: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(FOLDER)
    measures, query = lines
    done = cli("trec_eval", "--preset", PRESETS[version], *options.split(), judgments, run)
    theirs = Path(f"{recorded}.{version}.txt").read_text().splitlines()
    theirs = [line for line in theirs if query is None or line.split("\t")[1] == query]
    if measures == "all_trec":
        theirs = [line for line in theirs if line.split()[0] not in NAMED_APART]
    elif measures == "relstring":
        theirs = [line for line in theirs if not line.startswith("relstring")]
    if "relstring." in options:  # the same ten documents, under the name with the parameter
        theirs = [line.replace("relstring             ", "relstring_10          ") for line in theirs]
    ours = done.out.splitlines()
    assert (done.code, done.err, len(ours)) == (0, "", len(theirs))
    different = {our.split()[0] for our, their in zip(ours, theirs, strict=True) if our != their}
    assert different <= DIFFERENT.get((recorded, version), set())
