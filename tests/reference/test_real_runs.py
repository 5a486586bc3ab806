"""Two real runs of TREC's Robust 2003 track: trec_eval's complete output, to the last printed digit."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from reference.recorded import Line, ours_of, printed, rbp_lines, read_lines

import rankscope as rs
from rankscope.data.scores import Scores

RUNS = ("rutcor03100", "uic0301")
VERSIONS = {"10.0": "trec_eval", "9.0.8": "trec_eval-9"}


@cache
def scored(folder: Path, run: str, version: str) -> tuple[list[Line], Scores]:
    lines = read_lines(folder / f"{run}.trec_eval-{version}.txt")
    names = [name for name in dict.fromkeys(line.measure for line in lines) if ours_of(name) is not None]
    files = folder / "robust03.qrels", folder / f"{run}.run"
    return lines, rs.evaluate(*files, names, preset=VERSIONS[version])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("run", RUNS)
def test_every_line_of_a_real_run_is_reproduced(run: str, version: str, trec_data: Path) -> None:
    lines, scores = scored(trec_data, run, version)
    records = {(r.measure, r.query): r.value for r in scores.records(by_query=True)}
    names = {name: ours_of(name) for name in {line.measure for line in lines}}
    ours = {
        line: printed(measure, records[str(measure), line.query])
        for line in lines
        if (measure := names[line.measure]) is not None
    }
    assert {line: value for line, value in ours.items() if value != line.value} == {}
    # 100 queries and the summary, of 13 measures without a cutoff, 4 at nine cutoffs, success at three.
    assert len(ours) == 101 * len(scores.measures) >= 101 * (13 + 4 * 9 + 3)


@pytest.mark.parametrize("run", RUNS)
def test_rbp_of_a_real_run_is_reproduced(run: str, trec_data: Path) -> None:
    lines = [
        line for line in read_lines(trec_data / f"{run}.trec_eval-10.0.txt") if line.measure in ("rbp", "rbp_resid")
    ]
    ours = rbp_lines(rs.hits_of(rs.read_qrels(trec_data / "robust03.qrels"), trec_data / f"{run}.run"), 0.9)
    assert len(lines) == 2 * 101
    for line in lines:
        if line.query != "all":
            assert ours[line.measure, line.query] == line.value, line


def test_the_tied_run_is_what_it_is_said_to_be(trec_data: Path) -> None:
    """90 % of the scores of rutcor03100 are tied: without a tie rule its numbers mean little."""
    run = rs.read_run(trec_data / "rutcor03100.run").frame()
    tied = run.with_columns(n=run["score"].is_not_null()).group_by("query_id", "score").len().filter(len=1).height
    assert 1 - tied / run.height > 0.85
    both = [
        rs.evaluate(trec_data / "robust03.qrels", trec_data / "rutcor03100.run", "AP", ties=ties).overall("AP")
        for ties in ("doc_id_desc", "file")
    ]
    assert both[0] != both[1]


@pytest.mark.parametrize("run", RUNS)
def test_reading_whole_and_streaming_give_the_same_numbers(run: str, trec_data: Path) -> None:
    qrels = rs.read_qrels(trec_data / "robust03.qrels")
    names = ["nDCG@10", "AP", "RR", "Bpref", "infAP", "ERR@20", "RBP(p=0.8)"]
    streamed = rs.evaluate(qrels, trec_data / f"{run}.run", names)
    whole = rs.evaluate(qrels, rs.read_run(trec_data / f"{run}.run"), names)
    assert streamed.values.tolist() == whole.values.tolist()
    assert streamed.systems == whole.systems
