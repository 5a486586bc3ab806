"""`rankscope trec_eval` prints what trec_eval printed, byte for byte; what it cannot have printed rightly is listed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.paths import TESTS

FOLDER = TESTS / "reference" / "trec_eval"
ALL = ("-m", "all_trec", "-m", "dcg", "-m", "ideal_dcg", "-m", "yaap")
ALL_9 = ("-m", "all_trec", "-m", "yaap")  # version 9 knows neither dcg nor ideal_dcg
UTILITY = ("-N", "1000", "-m", "utility.1,-1,-.5,.25", "-m", "num_q", "-m", "set_F.0.5", "-m", "set_F.2")
GAINS = (
    *("-m", "ndcg.1=3,2=7,3=15,12=100", "-m", "ndcg_cut.5", "-m", "success.1"),
    *("-m", "iprec_at_recall.0.25,0.5", "-m", "rbp.p=0.5"),
)
FEW = ("-m", "map", "-m", "ndcg_cut.3,10", "-m", "P.1,3", "-m", "relstring.30")

#: The command lines of tests/reference/trec_eval/README.md. Its `complete` is -q -c with all measures.
CASES = {
    "close.default.v10": ("-q", "-c", *ALL),
    "close.default.v9": ("-q", "-c", *ALL_9),
    "close.nosummary.v10": ("-q", "-n", "-c", *FEW),
    "close.nosummary.v9": ("-q", "-n", "-c", *FEW),
    "close.summary.v10": ("-c", "-m", "official"),
    "close.summary.v9": ("-c", "-m", "official"),
    "graded.collection.v10": ("-q", "-c", *UTILITY),
    "graded.collection.v9": ("-q", "-c", *UTILITY),
    "graded.complete.v10": ("-q", "-c", *ALL),
    "graded.complete.v9": ("-q", "-c", *ALL_9),
    "graded.first7.v10": ("-q", "-c", *ALL, "-M", "7"),
    "graded.first7.v9": ("-q", "-c", *ALL_9, "-M", "7"),
    "graded.gains.v10": ("-q", "-c", *GAINS),
    "graded.level2.v10": ("-q", "-c", *ALL, "-l", "2"),
    "graded.level2.v9": ("-q", "-c", *ALL_9, "-l", "2"),
    "graded.plain.v9": ("-q", *ALL_9),
    "pooled.default.v10": ("-q", "-c", *ALL),
    "pooled.default.v9": ("-q", "-c", *ALL_9),
    "pooled.judged.v10": ("-q", "-c", *ALL, "-J"),
    "pooled.judged.v9": ("-q", "-c", *ALL_9, "-J"),
}


#: Lines of version 10's rbp that started from uninitialised memory, and what the formula gives. The values by query are
#: worked out in `test_rbp_is_what_its_formula_says_where_the_tool_is_not`, the others are means.
RBP = {
    "close.default.v10": {("rbp", "2"): "0.1286", ("rbp", "4"): "0.2054", ("rbp", "all"): "0.0987"},
    "pooled.judged.v10": {
        ("rbp", "14"): "0.2334",
        ("rbp", "17"): "0.4295",
        ("rbp", "18"): "0.2011",
        ("rbp", "all"): "0.1080",
    },
}
#: Where the tool prints -nan: the interpolated precision of queries whose list is empty after -J, at the recalls that
#: ask for no document, and so the mean of all eleven; and every mean over these queries.
NAN_FILES = {"pooled.judged.v10": ("13", "15", "16"), "pooled.judged.v9": ("13", "15", "16")}


def command(name: str) -> list[str]:
    stem, _, version = name.split(".")
    preset = ["--preset", "trec_eval-9"] if version == "v9" else []
    return ["trec_eval", *preset, *CASES[name], str(FOLDER / f"{stem}.qrels"), str(FOLDER / f"{stem}.run")]


def fields_of(line: str) -> tuple[str, str, str]:
    shown, query, value = line.rstrip("\n").split("\t")
    return shown.strip(), query, value.strip()


@pytest.mark.parametrize("name", CASES)
def test_a_recorded_output_is_reproduced_byte_for_byte(name: str, cli: Callable[..., Any]) -> None:
    done = cli(*command(name))
    assert (done.code, done.err) == (0, "")
    theirs = (FOLDER / f"{name}.txt").read_bytes().decode().splitlines(keepends=True)
    ours = done.out.splitlines(keepends=True)
    if name not in {*RBP, *NAN_FILES}:
        assert done.out == "".join(theirs)
    assert len(ours) == len(theirs)
    differ = {fields_of(a): b for a, b in zip(theirs, ours, strict=True) if a != b}
    rbp = {line[:2]: fields_of(ours)[2] for line, ours in differ.items() if line[2] != "-nan"}
    assert rbp == RBP.get(name, {})
    nan = {line[:2] for line in map(fields_of, theirs) if line[2] == "-nan"}
    assert nan == {line[:2] for line in differ if line[2] == "-nan"}
    assert {query for _, query in nan} == ({*NAN_FILES[name], "all"} if name in NAN_FILES else set())
    assert {shown.rstrip(".0123456789") for shown, _ in nan} <= {"iprec_at_recall_", "11pt_avg"}
    # A line of the same name and query: 0 for a query, and for `all` the mean with that 0.
    values = {fields_of(line)[:2]: fields_of(line)[2] for line in ours}
    queries = sorted({query for _, query in values} - {"all"})
    for shown, query in nan:
        if query == "all":
            mean = sum(float(values[shown, q]) for q in queries) / len(queries)
            assert float(values[shown, query]) == pytest.approx(mean, abs=1e-4)
        else:
            assert values[shown, query] == "0.0000"


def test_every_recorded_output_is_a_case() -> None:
    assert {path.name.removesuffix(".txt") for path in FOLDER.glob("*.v*.txt")} == set(CASES)


@pytest.mark.parametrize("name", RBP)
def test_rbp_is_what_its_formula_says_where_the_tool_is_not(name: str, cli: Callable[..., Any]) -> None:
    """(1 - p) sum of g / gmax p^(rank - 1), p = .9, gmax the query's largest grade: a loop down the list."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, list[tuple[float, bytes, str]]] = {}
    stem = name.split(".")[0]
    for line in (FOLDER / f"{stem}.qrels").read_text().splitlines():
        query, _, doc, grade = line.split()
        qrels.setdefault(query, {})[doc] = int(grade)
    for line in (FOLDER / f"{stem}.run").read_text().splitlines():
        query, _, doc, _, score, _ = line.split()
        run.setdefault(query, []).append((float(score), doc.encode(), doc))
    found = {}
    for query, grades in qrels.items():
        docs = [doc for *_, doc in sorted(run.get(query, []), reverse=True)]
        if "-J" in CASES[name]:
            docs = [doc for doc in docs if grades.get(doc, -1) >= 0]
        highest = max(1, *grades.values())
        found[query] = 0.1 * sum(max(grades.get(doc, 0), 0) / highest * 0.9**i for i, doc in enumerate(docs))
    found["all"] = sum(found.values()) / len(found)
    lines = {q: v for shown, q, v in map(fields_of, cli(*command(name)).out.splitlines()) if shown == "rbp"}
    assert {query: float(value) for query, value in lines.items()} == pytest.approx(found, abs=5.01e-5)
    assert RBP[name].items() <= {("rbp", query): value for query, value in lines.items()}.items()


@pytest.mark.parametrize("version", ["10.0", "9.0.8"])
@pytest.mark.parametrize("run", ["rutcor03100", "uic0301"])
def test_a_real_run_is_reproduced_byte_for_byte(
    run: str, version: str, trec_data: Path, cli: Callable[..., Any]
) -> None:
    preset = "trec_eval" if version == "10.0" else "trec_eval-9"
    files = trec_data / "robust03.qrels", trec_data / f"{run}.run"
    done = cli("trec_eval", "-q", "-c", "-m", "all_trec", "--preset", preset, *files)
    assert (done.code, done.err) == (0, "")
    assert done.out.encode() == (trec_data / f"{run}.trec_eval-{version}.txt").read_bytes()
