"""Gold spans: which retrieved spans find them, as a plain loop says, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.data import spans
from rankscope.data.spans import OVERLAP_OF
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import make_plan
from rankscope.judging.estimation import EstimateSettings, estimate_means

Span = tuple[str, str, int, int]
MEASURES = ["AP", "R@1", "R@3", "nDCG@5", "P@2", "RR", "NumRel", "bpref"]
bounds = st.tuples(st.integers(0, 12), st.integers(1, 9)).map(lambda pair: (pair[0], sum(pair)))
keys = st.tuples(st.sampled_from(["q1", "q2", "q3"]), st.sampled_from(["a", "b"]), bounds)
gold_spans = st.dictionaries(keys, st.integers(-1, 2), min_size=1, max_size=12)
retrieved_spans = st.lists(st.tuples(keys, st.sampled_from([0.5, 1.0, 2.0, 3.0])), max_size=25)


def columns(rows: list[tuple[Any, ...]], names: str) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names.split())}


def share(gold: tuple[int, int], found: tuple[int, int], of: str) -> float:
    """What a loop over characters says."""
    a, b = set(range(*gold)), set(range(*found))
    return len(a & b) / len({"gold": a, "retrieved": b, "union": a | b}[of])


def documents(
    gold: dict[Any, int], found: list[tuple[Any, float]], overlap: float, of: str
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """The twin: judgments and a run of documents, one span after the other."""
    qrels: dict[str, dict[str, int]] = {}
    for (query, file, (begin, end)), grade in gold.items():
        qrels.setdefault(query, {})[f"{file}:{begin}-{end}"] = grade
    run: dict[str, dict[str, float]] = {}
    for (query, file, bounds), score in found:
        covered = sorted(
            (gold_bounds, grade)
            for (gold_query, gold_file, gold_bounds), grade in gold.items()
            if (gold_query, gold_file) == (query, file) and share(gold_bounds, bounds, of) >= overlap
        )
        relevant = [gold_bounds for gold_bounds, grade in covered if grade > 0]
        for begin, end in relevant or [gold_bounds for gold_bounds, _ in covered[:1]] or [bounds]:
            docs, id_ = run.setdefault(query, {}), f"{file}:{begin}-{end}"
            docs[id_] = max(docs.get(id_, score), score)
    return qrels, run


@examples(80)
@given(
    gold=gold_spans,
    found=retrieved_spans,
    overlap=st.sampled_from([0.1, 0.3, 0.5, 2 / 3, 1.0]),
    of=st.sampled_from(list(OVERLAP_OF)),
)
def test_spans_give_the_values_of_the_documents_that_a_loop_makes_of_them(
    gold: dict[Any, int], found: list[tuple[Any, float]], overlap: float, of: str
) -> None:
    query = next(iter(gold))[0]
    found = [((query, "z", (0, 1)), 0.1), *found]
    expected = rs.evaluate(*documents(gold, found, overlap, of), MEASURES)
    gold_table = columns([(q, f, b, e, g) for (q, f, (b, e)), g in gold.items()], "query file begin end relevance")
    run = rs.Spans(columns([(q, f, b, e, s) for (q, f, (b, e)), s in found], "query file begin end score"))
    scores = rs.evaluate(gold_table, run, MEASURES, overlap=overlap, overlap_of=of)
    assert np.array_equal(scores.values, expected.values, equal_nan=True)
    assert scores.settings["overlap"] == f"{overlap:g} of {of}"


def test_pairs_in_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    begin, gold_begin = rng.integers(0, 500, (2, 60))
    end, gold_end = begin + rng.integers(1, 80, 60), np.sort(gold_begin) + rng.integers(1, 80, 60)
    group, gold_group = np.sort(rng.integers(0, 2, (2, 60)), axis=1)
    order = np.lexsort((gold_begin, gold_group))
    gold_begin, gold_end = gold_begin[order], gold_begin[order] + rng.integers(1, 80, 60)

    def pairs() -> list[tuple[int, int]]:
        blocks = spans.overlapping_pairs(gold_group, gold_begin, gold_end, group, begin, end)
        return [pair for rows, gold in blocks for pair in zip(rows.tolist(), gold.tolist(), strict=True)]

    expected = [
        (i, j)
        for i in range(60)
        for j in range(60)
        if group[i] == gold_group[j] and begin[i] < gold_end[j] and gold_begin[j] < end[i]
    ]
    assert pairs() == expected
    monkeypatch.setattr(spans, "MAX_PAIRS", 7)
    assert pairs() == expected


GOLD = "query,file,begin,end\nq1,a.txt,100,200\nq1,a.txt,300,360\nq2,b.txt,0,50\n"
RUN = "query,file,begin,end\nq1,a.txt,90,160\nq1,a.txt,280,400\nq2,b.txt,200,300\nq2,b.txt,10,50\n"


def write(folder: Path, gold: str = GOLD, run: str = RUN) -> tuple[Path, Path]:
    paths = folder / "gold.csv", folder / "dense.csv"
    for path, text in zip(paths, (gold, run), strict=True):
        path.write_text(text)
    return paths


def test_files_are_read_in_order_by_rank_or_by_score(tmp_path: Path) -> None:
    """q1: both gold spans in 2 results; q2: the second of two."""
    gold, run = write(tmp_path)
    expected = [[1.0, 0.5], [1.0, 0.5]]
    scores = rs.evaluate(gold, run, ["AP", "RR"], overlap=0.5)
    assert scores.systems == ("dense",)
    assert scores.values[0].tolist() == expected
    assert scores.notes == (
        "run 'dense': 3 of 4 retrieved spans cover a gold span (overlap:0.5 of gold), which counts once, by the "
        "best of them",
    )
    rows = [line.split(",") for line in RUN.splitlines()[1:]]
    ranked = "qid\tdoc_id\tstart\tend\trank\n" + "".join(
        "\t".join([*row, str(i)]) + "\n" for i, row in enumerate(rows, 1)
    )
    records = [
        {"query_id": q, "file": f, "start_index": int(b), "end_index": int(e), "score": -i}
        for i, (q, f, b, e) in enumerate(rows)
    ]
    for text in (ranked, "".join(json.dumps(record) + "\n" for record in records), json.dumps(records)):
        run.write_text(text)
        assert rs.evaluate(gold, run, ["AP", "RR"], overlap=0.5, workers=2).values[0].tolist() == expected


def test_a_chunk_that_covers_two_gold_spans_finds_both_and_chunks_of_one_find_it_once() -> None:
    gold = columns([("q", "a", 0, 10), ("q", "a", 20, 30), ("q", "a", 50, 60)], "query file begin end")
    run = columns(
        [("q", "a", 0, 40), ("q", "a", 0, 20), ("q", "a", 90, 95), ("q", "a", 50, 55)], "query file begin end"
    )
    scores = rs.evaluate(gold, rs.Spans(run), ["R@4", "AP", "NumRet"], overlap=0.5)
    # Ranks: both spans of the first chunk, no gold span, the third gold span.
    assert scores.overall("R@4") == 1
    assert scores.overall("NumRet") == 4
    assert scores.overall("AP") == pytest.approx((1 + 1 + 3 / 4) / 3)


BAD = [
    (GOLD + "q1,a.txt,100,200\n", RUN, r"gold\.csv:5: the span 100-200 of 'a\.txt' stands a second time .*gold\.csv:2"),
    (GOLD + "q1,a.txt,9,9\n", RUN, r"gold\.csv:5: a span from 9 to 9, expected whole numbers"),
    (GOLD, RUN + "q1,a.txt,-1,9\n", r"dense\.csv:6: a span from -1 to 9"),
    (GOLD, RUN + "q1,a.txt,1.5,9\n", r"dense\.csv:6: a span from 1\.5 to 9"),
    (GOLD, RUN + "q1,a.txt,,9\n", r"dense\.csv:6: begin is empty, expected a finite number"),
    (GOLD, RUN + "q1,a.txt,x,9\n", r"dense\.csv:6: begin is 'x', expected a finite number"),
    (GOLD, RUN + "q1,,1,9\n", r"dense\.csv:6: file is empty, expected an id"),
    (GOLD, "query,file,begin\nq1,a,1\n", r"dense\.csv:1: no column 'end' among 'query', 'file', 'begin'; rename one"),
]


@pytest.mark.parametrize(("gold", "run", "message"), BAD)
def test_wrong_spans_are_refused_with_their_line(tmp_path: Path, gold: str, run: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rs.evaluate(*write(tmp_path, gold, run), ["AP"], overlap=0.5)


def test_spans_without_a_share_and_documents_with_one_are_refused(tmp_path: Path) -> None:
    gold, run = write(tmp_path)
    with pytest.raises(InputError, match=r"are these spans\? Say what share .*--overlap 0\.5"):
        rs.evaluate(gold, run, ["AP"])
    with pytest.raises(InputError, match=r"say --overlap 0\.5"):
        rs.evaluate(rs.Spans({}), run, ["AP"])
    with pytest.raises(InputError, match="holds documents, expected spans"):
        rs.evaluate(rs.Qrels({"q": {"d": 1}}), run, ["AP"], overlap=0.5)
    for arguments in ({"overlap": 0}, {"overlap": 1.1}, {"overlap_of": "gold", "overlap": "half"}):
        with pytest.raises(ParameterError, match="overlap is"):
            rs.evaluate(gold, run, ["AP"], **arguments)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="overlap_of needs overlap;"):
        rs.evaluate(gold, run, ["AP"], overlap_of="union")


def test_spans_have_no_estimate_by_a_machine(tmp_path: Path) -> None:
    gold, run = write(tmp_path)
    settings = EstimateSettings()
    with pytest.raises(ParameterError, match=r"judgments of spans \(--overlap\) have no estimate"):
        estimate_means(gold, [run], gold, make_plan(["AP"], overlap=0.5), settings)


def test_an_evaluator_takes_spans() -> None:
    gold = columns([("q", "a", 0, 10)], "query file begin end")
    evaluator = rs.Evaluator(gold, ["RR"], overlap=1.0)
    found = [columns([("q", "a", begin, 12), ("q", "a", 0, 12)], "query file begin end") for begin in (0, 1)]
    assert [evaluator(rs.Spans(run)).overall("RR") for run in found] == [1.0, 0.5]
