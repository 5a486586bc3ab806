"""Every recorded value of trec_eval 10.0 and 9.0.8 on made-up inputs from our measures, to the last printed digit.

What `rankscope trec_eval` prints is compared byte for byte in tests/compat/trec_eval/test_output.py; here it is what
`hits_of`, the measures and `evaluate` give to those who ask for them in Python, and where that is something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.recorded_trec_eval import VERSIONS, Line, measures_of, printed, read_lines, summary

import rankscope as rs
from rankscope import Convention, Hits
from rankscope.measures.names import TREC_NAMES, expand_trec

FOLDER = Path(__file__).resolve().parent / "trec_eval"
OUTPUTS = sorted(p.name for p in FOLDER.glob("*.v*.txt"))


def hits_of_case(case: str, options: str, version: str) -> Hits:
    """Under our options for the same command line."""
    convention = Convention(rel=2 if options == "level2" else 1, precision="float32" if version == "v9" else "float64")
    hits = rs.hits_of(rs.read_qrels(FOLDER / f"{case}.qrels"), FOLDER / f"{case}.run", convention)
    if options == "first7":
        hits = hits.cut(7)
    elif options == "judged":
        hits = hits.judged_only()
    elif options == "collection":
        hits = replace(hits, collection_size=1000)
    elif options == "plain":
        hits = hits.select(~hits.missing)
    return hits


#: Where a measure is not what the tool prints under its name, and why: (files, lines) as tests.
WHY: dict[str, Callable[[str, Hits, Line], bool]] = {
    "the tool printed -nan": lambda name, hits, line: line.value == "-nan",
    "rbp from uninitialised memory": lambda name, hits, line: (
        line.measure == "rbp"
        and line.query
        in {"close.default.v10.txt": "2 4 all", "pooled.judged.v10.txt": "14 17 18 all"}.get(name, "").split()
    ),
    "rbp_resid is 0 there where nothing is unjudged, and where the run lacks the query": lambda name, hits, line: (
        line.measure.startswith("rbp_resid") and (line.query == "all" or line.value == "0.0000")
    ),
    "with -c the summary of num_rel counts every grade above 0, whatever -l says": lambda name, hits, line: (
        line.measure == "num_rel" and line.query == "all" and ".level2." in name and line.value == "77"
    ),
    "utility with parameters holds a document for a query that the run lacks": lambda name, hits, line: (
        line.measure.startswith("utility_")
        and ".v10." in name
        and line.query in ("all", *(q for q, m in zip(hits.query_ids, hits.missing, strict=True) if m))
    ),
    "in version 9 a query that the run lacks adds 0 to every mean": lambda name, hits, line: (
        ".v9." in name
        and line.query == "all"
        and bool(hits.missing.any())
        and line.measure.startswith(("yaap", "util"))
    ),
}


def differences(name: str) -> tuple[dict[Line, str], int]:
    """Each line that we print otherwise, with what we print; and how many were compared."""
    case, options, version, _ = name.split(".")
    lines = read_lines(FOLDER / name)
    hits = hits_of_case(case, options, version)
    places = {query: i for i, query in enumerate(hits.query_ids)}
    measures = measures_of(lines, version)
    values = {shown: measure(hits) for shown, measure in measures.items()}
    found, compared = {}, 0
    for line in lines:
        if line.measure in measures:
            measure, by_query = measures[line.measure], values[line.measure]
            value = summary(measure, by_query) if line.query == "all" else by_query[places[line.query]]
            compared += 1
            if (ours := printed(measure, value)) != line.value:
                found[line] = ours
    return found, compared


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_recorded_value_is_reproduced_or_has_its_reason(name: str) -> None:
    case, options, version, _ = name.split(".")
    found, compared = differences(name)
    hits = hits_of_case(case, options, version)
    assert compared > 20 or options == "collection"
    unexplained = {
        line: ours for line, ours in found.items() if not any(test(name, hits, line) for test in WHY.values())
    }
    assert unexplained == {}, f"{len(unexplained)} of {compared} lines differ"
    if options == "nosummary" or (case == "graded" and options in ("plain", "gains")):
        assert found == {}


def test_every_reason_is_needed() -> None:
    needed = set()
    for name in OUTPUTS:
        case, options, version, _ = name.split(".")
        hits = hits_of_case(case, options, version)
        for line in differences(name)[0]:
            needed |= {why for why, test in WHY.items() if test(name, hits, line)}
    assert needed == set(WHY)


def test_a_changed_digit_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "graded.complete.v10.txt"
    wrong = Line("map", "10", "0.0626")
    lines = [wrong if line[:2] == wrong[:2] else line for line in read_lines(FOLDER / name)]
    monkeypatch.setitem(differences.__globals__, "read_lines", lambda path: lines)
    found, _ = differences(name)
    assert found[wrong] == "0.0625"
    assert not any(test(name, hits_of_case("graded", "complete", "v10"), wrong) for test in WHY.values())


def test_no_measure_of_trec_eval_goes_untested() -> None:
    """The longest output prints every name that TREC_NAMES knows, with its default parameters."""
    printed_names = {line.measure for line in read_lines(FOLDER / "graded.complete.v10.txt")}
    known = {shown for stem in TREC_NAMES for shown, _ in expand_trec(stem, None)}
    assert known == printed_names - {"runid", "num_q", "relstring_10", "relstring"}


@pytest.mark.parametrize("version", ["v10", "v9"])
@pytest.mark.parametrize("case", ["graded", "pooled", "close"])
def test_evaluating_the_files_prints_the_same_as_the_tool(case: str, version: str) -> None:
    """The whole way a user goes: paths, names, preset, per query and in the mean."""
    options = "complete" if case == "graded" else "default"
    name = f"{case}.{options}.{version}.txt"
    lines = read_lines(FOLDER / name)
    measures = measures_of(lines, version)
    scores = rs.evaluate(FOLDER / f"{case}.qrels", FOLDER / f"{case}.run", list(measures), preset=VERSIONS[version])
    assert scores.systems == ("made",)
    assert set(scores.measure_names) == {str(measure) for measure in measures.values()}
    records = {(r.measure, r.query): r.value for r in scores.records(by_query=True)}
    hits = hits_of_case(case, options, version)
    for line in lines:
        if line.measure in measures and not any(test(name, hits, line) for test in WHY.values()):
            measure = measures[line.measure]
            assert printed(measure, records[str(measure), line.query]) == line.value, line


def test_queries_missing_from_the_run_are_rows_of_version_10_and_not_of_version_9() -> None:
    ours = rs.evaluate(FOLDER / "graded.qrels", FOLDER / "graded.run", "map")
    assert {q for q, missing in zip(ours.query_ids, ours.missing[0], strict=True) if missing} == {"4", "q-a"}
    queries = {v: {line.query for line in read_lines(FOLDER / f"graded.complete.{v}.txt")} for v in ("v10", "v9")}
    assert queries["v10"] == {*ours.query_ids, "all"}
    assert queries["v10"] - queries["v9"] == {"4", "q-a"}


def test_without_c_the_mean_is_over_the_queries_in_both() -> None:
    lines = read_lines(FOLDER / "graded.plain.v9.txt")
    measures = measures_of(lines, "v9")
    files = FOLDER / "graded.qrels", FOLDER / "graded.run"
    scores = rs.evaluate(*files, list(measures), preset="trec_eval-9", missing="drop")
    means = [line for line in lines if line.query == "all" and line.measure in measures]
    assert len(means) == len(measures) > 90
    for line in means:
        measure = measures[line.measure]
        assert printed(measure, scores.overall(measure)) == line.value, line


def test_queries_come_in_the_order_of_their_bytes() -> None:
    ours = rs.evaluate(FOLDER / "graded.qrels", FOLDER / "graded.run", "map").query_ids
    theirs = dict.fromkeys(line.query for line in read_lines(FOLDER / "graded.complete.v10.txt"))
    assert [*ours, "all"] == list(theirs)
    assert ours[:3] == ("10", "100", "2")
