"""Two real runs of TREC's Robust 2003 track: trec_eval's complete output, to the last printed digit."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.recorded_trec_eval import VERSIONS, measures_of, printed, read_lines

import rankscope as rs

RUNS = ("rutcor03100", "uic0301")


@pytest.mark.parametrize("version", ["10.0", "9.0.8"])
@pytest.mark.parametrize("run", RUNS)
def test_every_line_of_a_real_run_is_reproduced(run: str, version: str, trec_data: Path) -> None:
    """By `evaluate`, nothing excepted; tests/compat has the output of `rankscope trec_eval`, byte for byte."""
    lines = read_lines(trec_data / f"{run}.trec_eval-{version}.txt")
    measures = measures_of(lines, version)
    files = trec_data / "robust03.qrels", trec_data / f"{run}.run"
    scores = rs.evaluate(*files, list(measures), preset=VERSIONS[version])
    records = {(r.measure, r.query): r.value for r in scores.records(by_query=True)}
    wrong, compared = [], 0
    for line in lines:
        if line.measure in measures:
            ours = printed(measures[line.measure], records[str(measures[line.measure]), line.query])
            compared += 1
            if ours != line.value:
                wrong.append((line, ours))
    assert wrong == []
    # 100 queries and the summary of all measures, but for the two geometric means, which have no lines by query.
    assert compared == 101 * (len(measures) - 2) + 2 > 9000


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
