"""Scores of other tools: every form gives the same values, and what is wrong is refused with file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError, ParameterError, RankscopeError, UnknownName
from rankscope.evaluation.read_scores import is_score_file, refuse_file_without_queries
from rankscope.io.core import with_columns
from rankscope.reporting.tables import render_scores

QRELS = {f"q{i}": {"a": 1, "b": 2 * (i % 2)} for i in range(6)}
RUNS = [
    rs.Run({query: {"a": 2.0, "b": 1.0} for query in QRELS}, name="good"),
    rs.Run({query: {"c": 3.0, "a": 1.0 + i, "b": 2.5} for i, query in enumerate(QRELS)}, name="poor"),
]


def read(folder: Path, text: str | bytes, name: str = "scores.csv", **options: Any) -> rs.Scores:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return rs.read_scores(path, **options)


def as_dict(scores: rs.Scores) -> dict[tuple[str, str, str], float]:
    return {
        (system, measure, query): float(scores.values[s, m, q])
        for s, system in enumerate(scores.systems)
        for m, measure in enumerate(scores.measure_names)
        for q, query in enumerate(scores.query_ids)
        if not np.isnan(scores.values[s, m, q])
    }


# All forms


@pytest.mark.parametrize("format_name", ["csv", "json", "jsonl"])
def test_what_evaluate_writes_comes_back_with_the_same_bits(tmp_path: Path, format_name: str) -> None:
    scores = rs.evaluate(QRELS, RUNS, ["AP", "nDCG@2"])
    text = render_scores(scores, format_name, by_query=True)
    again = read(tmp_path, text, f"own.{format_name}")
    assert as_dict(again) == as_dict(scores)
    assert (again.systems, again.measure_names, again.query_ids) == (
        scores.systems,
        scores.measure_names,
        scores.query_ids,
    )
    assert again.signature() == f"AP nDCG@2 | source:table | queries:6 | rankscope {rs.__version__}"


NAMES = st.lists(st.sampled_from(["bm25", "dense", "é b", "007", "x,y", 'a"b', "z|w"]), min_size=2, unique=True)
VALUES = st.floats(-1e6, 1e6)


@examples(40)
@given(st.data(), NAMES, st.lists(st.sampled_from(["1", "01", "q 2", "a;b", "Q"]), min_size=1, unique=True))
def test_long_wide_frames_mappings_and_arrays_are_one(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, systems: list[str], queries: list[str]
) -> None:
    values = np.array([[data.draw(VALUES) for _ in queries] for _ in systems])
    folder = tmp_path_factory.mktemp("forms")
    rows = [(s, q, values[i, j]) for i, s in enumerate(systems) for j, q in enumerate(queries)]
    long = pl.DataFrame(rows, schema=["system", "query", "F1"], orient="row")
    wide = pl.DataFrame({"item": queries, **dict(zip(systems, values, strict=True))})
    expected = {(s, "F1", q): v for s, q, v in rows}
    for frame in (long, long.rename({"F1": "value"}).with_columns(measure=pl.lit("F1")), wide):
        for name, write in (
            ("a.csv", lambda f: f.write_csv()),
            ("a.tsv", lambda f: f.write_csv(separator="\t")),
            ("a.jsonl", lambda f: f.write_ndjson()),
            ("a.json", lambda f: f.write_json()),
        ):
            assert as_dict(read(folder, write(frame), name, measures="F1")) == expected
        frame.write_parquet(folder / "a.parquet")
        assert as_dict(rs.read_scores(folder / "a.parquet", measures="F1")) == expected
        assert as_dict(rs.Scores.of(frame, measures="F1")) == expected
        assert as_dict(rs.Scores.of(frame.to_arrow(), measures="F1")) == expected
    nested = {s: dict(zip(queries, values[i].tolist(), strict=True)) for i, s in enumerate(systems)}
    assert as_dict(rs.Scores.of(nested, measures="F1")) == expected
    assert as_dict(read(folder, json.dumps(nested), "b.json", measures="F1")) == expected
    assert rs.Scores.of(values, systems=systems).values[:, 0].tolist() == values.tolist()


def test_a_column_a_measure_and_several_systems(tmp_path: Path) -> None:
    scores = read(tmp_path, "model,item,F1,WER,text\na,1,0.5,3,x\na,2,1,2,y\nb,1,0.25,1,z\n", lower="WER")
    assert scores.matrix("F1").tolist()[0] == [0.5, 1.0]
    assert np.isnan(scores.matrix("F1")[1, 1])
    assert (scores.sign("F1"), scores.sign("WER")) == (1, -1)
    assert "WER[better:lower]" in scores.signature()
    assert "missing:drop" in scores.signature()
    assert mentions(scores.notes[0], "'text'", "left out")
    assert mentions(scores.notes[-1], 2, "missing")


def test_columns_of_measures_of_one_system(tmp_path: Path) -> None:
    scores = read(tmp_path, "qid,AP,nDCG@10,MinRank\n1,0.5,0.25,3\n", "bm25.csv")
    assert (scores.systems, scores.measure_names) == (("bm25",), ("AP", "nDCG@10", "MinRank"))
    assert scores.sign("MinRank") == -1
    assert not isinstance(scores.measures[0], type(rs.parse_measure("AP")))  # another tool's AP may be another


def test_trec_eval_and_ir_measures(tmp_path: Path) -> None:
    text = "map                   \tq1\t0.5000\nP_5                   \tq1\t0.2\nmap\tq2\t1\nP_5\tq2\t0.4\n"
    scores = read(tmp_path, f"{text}runid                 \tall\tbm25\nmap\tall\t0.75\n", "bm25.eval")
    assert as_dict(scores) == {
        ("bm25", "map", "q1"): 0.5,
        ("bm25", "map", "q2"): 1.0,
        ("bm25", "P_5", "q1"): 0.2,
        ("bm25", "P_5", "q2"): 0.4,
    }
    by_ir_measures = read(tmp_path, "q1\tAP\t0.5\nq2\tAP\t1.0\nall\tAP\t0.75\n", "dense.txt")
    assert by_ir_measures.matrix("AP").tolist() == [[0.5, 1.0]]
    with pytest.raises(InputError, match=r"bad\.eval:2: value is 'x'"):
        read(tmp_path, "map\tq1\t0.5\nmap\tq2\tx\n", "bad.eval")


@pytest.mark.parametrize("named_first", [False, True])
def test_a_file_of_several_runs_names_them(named_first: bool, tmp_path: Path) -> None:
    blocks = []
    for run, value in (("bm25", "0.5"), ("dense", "0.25")):
        queries, named = f"map\tq1\t{value}\nmap\tq2\t1\n", f"runid\tall\t{run}\n"
        blocks.append(f"{named}{queries}map\tall\t0.7\n" if named_first else f"{queries}{named}map\tall\t0.7\n")
    scores = read(tmp_path, "".join(blocks), "both.eval")
    assert (scores.systems, scores.matrix("map").tolist()) == (("bm25", "dense"), [[0.5, 1.0], [0.25, 1.0]])
    with pytest.raises(InputError, match=r"both\.eval:\d+: a second value .* \('dense', 'map' and 'q1'\)"):
        read(tmp_path, "".join([blocks[0], blocks[1].replace("q2", "q1"), blocks[0]]), "both.eval")


def test_measures_that_trec_eval_only_sums_up_are_left_out(tmp_path: Path) -> None:
    summary = "runid\tall\tbm25\nnum_q\tall\t1\nmap\tall\t0.5\ngm_map\tall\t0.5\n"
    scores = read(tmp_path, f"map\tq1\t0.5\nnum_ret\tq1\t3\n{summary}", "bm25.eval")
    assert scores.measure_names == ("map", "num_ret")
    assert mentions(scores.notes[0], "bm25.eval: ", "num_q and gm_map", "left out")
    with pytest.raises(InputError, match="summaries only"):
        read(tmp_path, summary, "bm25.eval")


def test_what_evaluate_writes_as_trec_eval_does_comes_back(tmp_path: Path) -> None:
    runs = [rs.Run({"q1": {"a": 1.0}, "q2": {"b": 1.0}}, name=name) for name in ("one", "two")]
    scores = rs.evaluate({"q1": {"a": 1}, "q2": {"c": 1}}, runs, ["AP", "P@5"])
    found = read(tmp_path, render_scores(scores, "trec", by_query=True), "own.eval")
    assert (found.systems, found.matrix("map").tolist()) == (("one", "two"), [[1.0, 0.0], [1.0, 0.0]])


def test_measures_without_a_direction_are_left_out_unless_they_are_asked_for(tmp_path: Path) -> None:
    for name, value in (("a", 0.5), ("b", 1.0)):
        lines = [f"{m}\tq{q}\t{value + q}\n" for q in range(5) for m in ("map", "num_ret")]
        (tmp_path / f"{name}.eval").write_text("".join(lines))
    scores = rs.read_scores([tmp_path / "a.eval", tmp_path / "b.eval"])
    assert scores.measure_names == ("map", "num_ret")
    for result in (
        rs.compare(scores),
        rs.plan(scores),
        rs.stability.study(scores),
        rs.gate(scores, scores, system="b", baseline_system="a", margin=0.1),
    ):
        assert any(mentions(note, "num_ret", "left out") for note in result.notes)
        assert "num_ret" not in result.signature()
    with pytest.raises(ParameterError, match="of num_ret neither higher nor lower is better"):
        rs.compare(scores, "num_ret")
    only_counts = scores.select(measures=[1])
    with pytest.raises(ParameterError, match="of num_ret neither higher nor lower is better"):
        rs.compare(only_counts)


def test_several_files_are_several_systems(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.eval").write_text("map\tq1\t0.5\nmap\tq2\t1\n")
    scores = rs.read_scores([tmp_path / "a.eval", tmp_path / "b.eval"])
    assert (scores.systems, scores.matrix("map").tolist()) == (("a", "b"), [[0.5, 1.0], [0.5, 1.0]])
    with pytest.raises(InputError, match=r"the system 'a' is in .*a\.eval, too"):
        rs.read_scores([tmp_path / "a.eval", tmp_path / "b.eval", tmp_path / "a.eval"])


@pytest.mark.parametrize(
    "text",
    [
        '{"item": {"0": 7, "1": 8}, "a": {"0": 0.5, "1": 1.0}, "b": {"0": 0.25, "1": null}}',
        '{"item": [7, 8], "a": [0.5, 1.0], "b": [0.25, null]}',
        '{\n"item": [7, 8],\n"a": [0.5, 1.0],\n"b": [0.25, null]\n}\n',
    ],
)
def test_a_table_of_columns_in_json(text: str, tmp_path: Path) -> None:
    scores = read(tmp_path, text, "scores.json", measures="F1")
    assert (scores.systems, scores.query_ids) == (("a", "b"), ("7", "8"))
    assert as_dict(scores) == {("a", "F1", "7"): 0.5, ("b", "F1", "7"): 0.25, ("a", "F1", "8"): 1.0}
    assert is_score_file(tmp_path / "scores.json", alone=False)


def test_systems_may_have_numbered_queries(tmp_path: Path) -> None:
    scores = read(tmp_path, '{"a": {"0": 0.5, "1": 1.0}, "b": {"0": 0.25, "1": 0.75}}', "scores.json")
    assert (scores.systems, scores.query_ids) == (("a", "b"), ("0", "1"))


def test_the_named_index_of_pandas_is_a_column() -> None:
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame({"query": ["7", "7", "8", "8"], "system": ["a", "b"] * 2, "value": [0.5, 0.25, 1, 0.75]})
    scores = rs.Scores.of(rows.pivot(index="query", columns="system", values="value"))
    assert (scores.systems, scores.query_ids) == (("a", "b"), ("7", "8"))
    assert scores.matrix("score").tolist() == [[0.5, 1.0], [0.25, 0.75]]


def test_a_path_is_no_data() -> None:
    with pytest.raises(ParameterError, match="read_scores"):
        rs.Scores.of("scores.csv")
    with pytest.raises(ParameterError, match=r"read_scores.*Scores\.of"):
        rs.compare({"a": {"q": 1.0}})  # type: ignore[arg-type]  # what a user may try


def test_the_index_of_a_data_frame_is_no_column(tmp_path: Path) -> None:
    scores = read(tmp_path, ",name,qid,measure,value\n0,a,1,AP,0.5\n1,b,1,AP,0.25\n")
    assert (scores.systems, scores.measure_names, scores.query_ids) == (("a", "b"), ("AP",), ("1",))
    scores = read(tmp_path, "Unnamed: 0,user_input,response,faithfulness\n0,who?,he,0.5\n1,why?,so,1\n", "rag.csv")
    assert as_dict(scores) == {("rag", "faithfulness", "who?"): 0.5, ("rag", "faithfulness", "why?"): 1.0}
    assert mentions(scores.notes[1], "rag.csv: ", "without a name", "index")


def sample(number: int, **values: Any) -> str:
    return json.dumps({"doc_id": number, "doc": {"q": "?"}, "resps": [[]], "metrics": sorted(values), **values})


def test_samples_of_lm_evaluation_harness(tmp_path: Path) -> None:
    for model, right in (("llama", 1.0), ("qwen", 0.0)):
        (tmp_path / model).mkdir()
        for task in ("arc", "mmlu"):
            lines = [sample(i, acc=right, exact=i % 2) for i in range(3)]
            (tmp_path / model / f"samples_{task}_2024-01-01.jsonl").write_text("\n".join(lines) + "\n")
    scores = rs.read_scores(sorted(tmp_path.glob("*/*.jsonl")))
    assert scores.systems == ("llama", "qwen")
    assert scores.query_ids == ("arc/0", "arc/1", "arc/2", "mmlu/0", "mmlu/1", "mmlu/2")
    assert scores.matrix("acc").tolist() == [[1.0] * 6, [0.0] * 6]
    with pytest.raises(InputError, match=r"x\.jsonl:2: a second acc of .* for 'x/0', the first is at .*x\.jsonl:1"):
        read(tmp_path, f"{sample(0, acc=1)}\n{sample(0, acc=0)}\n", "x.jsonl")


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"filtered_resps": ["A"], "target": "A"}, "left.jsonl"),
        ({"doc_hash": "4e1d", "target": 2}, "left.jsonl"),  # a target is no measure
        ({"doc": {"question": "?"}}, "left.jsonl"),
        ({"filter": "none"}, "left.jsonl"),
        ({}, "samples_arc_2026-01-01T00-00-00.jsonl"),
        ({"doc": {"text": "long " * 20_000}, "resps": []}, "left.jsonl"),  # beyond what is looked at
    ],
)
def test_samples_without_some_of_their_fields_are_the_scores_that_they_are(
    tmp_path: Path, fields: dict[str, Any], name: str
) -> None:
    path = tmp_path / name
    path.write_text("".join(json.dumps({"doc_id": i, **fields, "acc": i % 2}) + "\n" for i in range(3)))
    assert is_score_file(path, alone=True)
    assert is_score_file(path, alone=False)
    scores = rs.read_scores(path)
    task = "arc" if name.startswith("samples") else "left"
    assert scores.query_ids == tuple(f"{task}/{i}" for i in range(3))
    assert (scores.measure_names, scores.matrix("acc").tolist()) == (("acc",), [[0.0, 1.0, 0.0]])


def test_samples_without_values_and_judgments_are_no_scores(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.jsonl: samples without a number"):
        read(tmp_path, '{"doc_id": 0, "target": "A", "filtered_resps": ["A"]}\n', "x.jsonl")
    path = tmp_path / "samples_of_judgments.jsonl"
    path.write_text('{"query_id": "q", "doc_id": "d", "relevance": 1, "filter": "none"}\n')
    assert not is_score_file(path, alone=False)
    assert rs.evaluate(path, {"q": {"d": 1.0}}, "P@1").overall("P@1") == 1


@pytest.mark.parametrize("text", ["doc_id,a,b\n1,0.5,0.75\n", '{"doc_id": 1, "a": 0.5, "b": 0.75}\n'])
def test_documents_without_queries_are_refused_unless_columns_names_them(tmp_path: Path, text: str) -> None:
    name = "x.csv" if text.startswith("d") else "x.jsonl"
    with pytest.raises(InputError) as raised:
        read(tmp_path, text, name)
    assert mentions(str(raised.value), name, "'doc_id'", "--columns query=doc_id", "samples_TASK_DATE.jsonl")
    with pytest.raises(InputError, match="--columns query=doc_id"):
        refuse_file_without_queries(tmp_path / name)
    scores = read(tmp_path, text, name, columns={"query": "doc_id"})
    assert as_dict(scores) == {("a", "score", "1"): 0.5, ("b", "score", "1"): 0.75}
    path = with_columns(tmp_path / name, {"query": "doc_id"})
    assert is_score_file(path, alone=False)
    refuse_file_without_queries(path)


def test_pyterrier_frames_and_records() -> None:
    pandas = pytest.importorskip("pandas")
    records = [
        {"name": name, "qid": str(q), "measure": "AP", "value": value}
        for name, value in (("bm25", 0.5), ("dense", 0.75))
        for q in (1, 2)
    ]
    for data in (pandas.DataFrame(records), records, pl.DataFrame(records)):
        assert rs.Scores.of(data).matrix("AP").tolist() == [[0.5, 0.5], [0.75, 0.75]]


def test_pytrec_eval_results_by_system() -> None:
    results = {"bm25": {"q1": {"map": 0.5, "P_5": 0.2}, "q2": {"map": 1.0, "P_5": None}}}
    scores = rs.Scores.of(results)
    assert scores.measure_names == ("map", "P_5")
    assert scores.matrix("map").tolist() == [[0.5, 1.0]]


def test_columns_semicolons_and_decimal_commas(tmp_path: Path) -> None:
    columns = {"query": "prompt", "system": "variant", "value": "points"}
    scores = read(tmp_path, "prompt;variant;points\n007;a;0,5\n007;b;1,25\n", columns=columns)
    assert as_dict(scores) == {("a", "points", "007"): 0.5, ("b", "points", "007"): 1.25}
    with pytest.raises(InputError, match=r":1: no column 'x', which columns \(--columns\) names, among 'prompt'"):
        read(tmp_path, "prompt,variant,points\n1,a,1\n", columns={"query": "x"})
    with pytest.raises(ParameterError, match=r"has 'topic', expected some of query_id, doc_id"):
        read(tmp_path, "prompt,variant,points\n1,a,1\n", columns={"topic": "prompt"})


def test_directions_and_names(tmp_path: Path) -> None:
    text = "item,system,WER\n1,a,0.5\n1,b,0.25\n"
    assert any("--lower WER" in note for note in read(tmp_path, text).notes)
    assert not any("--lower" in note for note in read(tmp_path, text, lower=["WER"]).notes)
    with pytest.raises(UnknownName, match="lower"):
        read(tmp_path, text, lower="TER")
    with pytest.raises(UnknownName, match="F1"):
        read(tmp_path, text, measures="F1")
    percent = read(tmp_path, "item,system,AP\n1,a,50\n")
    assert any(mentions(note, "50", "percent") for note in percent.notes)


def test_a_foreign_measure_is_saved_as_such(tmp_path: Path) -> None:
    scores = read(tmp_path, "item,system,AP\n1,a,50\n1,b,25\n")
    rs.write_scores(scores, tmp_path / "s.parquet")
    again = rs.read_scores(tmp_path / "s.parquet")
    assert again.measures == scores.measures
    assert again.signature() == scores.signature()


# Ranks, which are no scores

RANKS = "item,A,B\nx,3,120.5\ny,12,7\nz,1,400\n"


def test_ranks_without_a_name_are_noted_first(tmp_path: Path) -> None:
    notes = read(tmp_path, RANKS).notes
    assert mentions(notes[0], "ranks", "--input entity-ranks", "-m MeanRank")
    for text in (RANKS, RANKS.replace("120.5", "120.25"), RANKS.replace("12", "0"), "item,A,B\nx,1,5\ny,2,3\n"):
        is_ranks = text is RANKS
        assert any("look like ranks" in note for note in read(tmp_path, text).notes) == is_ranks
    assert not any("look like ranks" in note for note in read(tmp_path, RANKS, measures="MeanRank").notes)
    assert not any("look like ranks" in note for note in read(tmp_path, RANKS, lower="score").notes)


@pytest.mark.parametrize(
    ("text", "measures", "expected"),
    [
        (RANKS, "AP", (":4", "'B'", "'z'", "400", "--input entity-ranks", "MeanRank")),
        (RANKS.replace("400", "40").replace("120.5", "20.5"), "nDCG@10", (":4", "40", "--input entity-ranks")),
        ("item,A,B\nx,0.5,0.25\ny,-0.5,0.5\n", "AP", (":3", "'A'", "'y'", "-0.5", "a name of its own")),
        ("item,A,B\nx,0.5,0.25\ny,0.5,100.5\n", "AP", (":3", "'B'", "'y'", "100.5", "a name of its own")),
        ("item,A,B\nx,0.5,0.25\ny,0.5,-1\n", "MeanRank", (":3", "'B'", "'y'", "-1", "at least 0")),
        ("system,query,measure,value\na,x,RR,0.5\na,y,RR,1\nb,x,RR,1\nb,y,RR,-2\n", None, (":5", "'b'", "-2")),
        ("query,AP,RR\nx,0.5,0.5\ny,0.5,-1\n", None, (":3", "RR", "-1")),
    ],
)
def test_values_that_a_measure_cannot_have(
    tmp_path: Path, text: str, measures: str | None, expected: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, measures=measures)
    assert mentions(str(caught.value), *expected)


def test_the_verdict_says_that_scores_look_like_ranks(tmp_path: Path) -> None:
    doubt = "look like ranks"
    assert doubt in str(rs.compare(read(tmp_path, RANKS), test="t"))
    assert doubt not in str(rs.compare(read(tmp_path, RANKS, lower="score"), test="t"))


# What is wrong

HEADER = "system,query,value\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEADER}a,1,nan\n", ":2: value is nan"),
        (f"{HEADER}a,1,1\na,2,inf\n", ":3: value is inf"),
        (f"{HEADER}a,1,1e999\n", ":2: value is inf"),
        (f"# note\n\n{HEADER}a,1,1\n\na,2,x\n", ":6: value is 'x'"),
        (f"{HEADER}a,1,1_0\n", ":2: value is '1_0'"),
        (f"{HEADER}a,1,1\n\na,2\n", ":4: 2 fields, expected 3"),
        (f"{HEADER}a,1,1\na,2,3,4\n", ":3: 4 fields, expected 3"),
        (f"{HEADER}a,1,1\nb,1,1\na,1,2\n", ":4: a second value of this system and query ("),
        (f"{HEADER}a,,1\n", ":2: query is empty"),
        (f"{HEADER}a,1,1\nA,1,1\n", ":3: the system 'A' differs from 'a' in case only"),
        (f'{HEADER}"a\nb",1,1\nb,1,x\n', ":4: value is 'x'"),
        (f"{HEADER}a,1,\n", ": no value in any cell"),
        (HEADER, ": a header and no rows"),
        ("", ": the file is empty"),
        ("item,a,b\n1,1,2\n1,2,3\n", ":3: a second value of this query ("),
        ("item,a,b\n1,1,2\n2,2,3x\n3,1,1\n", ":3: b is '3x'"),
        ("item,a,A\n1,1,2\n", ":1: the columns 'a' and 'A' differ in case"),
        ("item,a,a\n1,1,2\n", ":1: two columns are called 'a'"),
        (",a,b\n1,1,2\n", ":1: column 1 has no name"),
        ("system,F1\na,1\n", ":1: no column 'query' among 'system', 'F1'"),
        ("wording,a,b\nx,1,2\n", ":1: no column 'query' among 'wording', 'a', 'b'"),
        ("query_id,doc_id,score\n1,d,2\n", ":1: a column of documents ('doc_id')"),
        ("q1 0 d1 1\n", ":1: one column only"),
        ("item,a\n1,x\n", ":1: no column of numbers"),
        ("system,query,value\na,all,1\n", ": summaries only"),
        (b"system,query,value\na,1,1\na,\xff,2\n", ":3: this is not UTF-8"),
        ("system,query,value\na,1,1\n".encode("utf-16"), ": the text is UTF-16"),
        ('[{"system": "a", "query": 1, "value": NaN}]', ": row 1: the value NaN"),
        ('{"system": "a", "query": 1, "value": 1}\n{"system": "a", "query": 1, "value": 2}\n', ":2: a second value"),
        ('{"system": "a", "query": 1.5, "value": 1}\n', ":1: column 'query' holds Float64"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(RankscopeError) as raised:
        read(tmp_path, text)
    assert f"scores.csv{message}" in str(raised.value)
    assert "\n" not in str(raised.value).replace("a\nb", "")


JUDGMENTS = [
    {"id": "7", "timestamp": 3, "judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": "1"}]}]},
    {"id": "q", "question": "who?", "documents_that_answer": ["d1"]},
    {"query_id": "q", "relevant_ids": ["d1"], "answer": "he"},
]


@pytest.mark.parametrize("record", JUDGMENTS)
def test_judgments_beside_an_id_are_no_scores(record: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(record))
    assert not is_score_file(path, alone=False)


@pytest.mark.parametrize("value", [0.5, "0.5", None, True])
def test_a_record_with_a_list_and_a_value_is_one_of_scores(value: object, tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(json.dumps({"id": "q", "contexts": ["a text"], "faithfulness": value}))
    assert is_score_file(path, alone=False)


def test_a_list_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    path.write_text('{"query": "1", "x": [1]}\n{"query": "2", "x": [2]}\n')
    with pytest.raises(InputError, match="x is a list, expected a finite number"):
        rs.read_scores(path, systems=["x"])


def test_a_line_of_trec_eval_without_a_measure_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("runid\tall\tx\nmap\t1\t0.5\n\t2\t0.5\n")
    with pytest.raises(InputError, match=":3: measure is empty"):
        rs.read_scores(path)


def test_wrong_data_in_memory() -> None:
    for data, message in (
        (pl.DataFrame({"query": [1.0, 2.0], "a": [1, 2], "b": [1, 2]}), "Float64"),
        ({"a": {"q": "x"}}, "'a'"),
        ({"a": {"q": float("inf")}}, "inf"),
        (np.ones(3), "(systems, queries)"),
        (np.array([["a"]]), "numbers"),
        (7, "no table"),
        (pl.DataFrame({"system": [], "query": [], "value": []}), "without rows"),
    ):
        with pytest.raises(InputError) as raised:
            rs.Scores.of(data)
        assert message in str(raised.value)
    with pytest.raises(ParameterError, match="2"):
        rs.Scores.of(np.ones((2, 3)), systems=["a", "a"])


def test_blanks_quotes_and_odd_quotes_are_read(tmp_path: Path) -> None:
    scores = read(tmp_path, 'item , a ,b\n"x, y" , 1, 2 \r\nz"w,3, NA\n\n')
    assert as_dict(scores) == {
        ("a", "score", "x, y"): 1.0,
        ("a", "score", 'z"w'): 3.0,
        ("b", "score", "x, y"): 2.0,
    }


# Scores or judgments


@pytest.mark.parametrize(
    ("text", "beside_runs", "alone"),
    [
        ("system,query,value\na,1,1\n", True, True),
        ("item,a,b\n1,1,1\n", True, True),
        ("a,b\n1,1\n2,1\n", False, False),  # as a table of ranks
        ("q1 0 d1 1\n", False, False),
        ("q1\t0\td1\t1\n", False, False),
        ("query-id\tcorpus-id\tscore\nq\td\t1\n", False, False),
        ("query_id,doc_id,relevance\nq,d,1\n", False, False),
        ("map\tq1\t0.5\n", True, True),
        ('{"q1": {"d1": 1}}', False, True),
        ('{"question_id": 7, "gold_ids": ["d1"]}', False, True),
        ('{"question": "who?", "retrieved_ids": ["d2"], "expected_ids": ["d1"]}', False, True),
        ('{"question": "who?", "retrieved_ids": ["d2"], "faithfulness": 0.5}', True, True),
        ("", False, False),
    ],
)
def test_scores_are_told_from_judgments(tmp_path: Path, text: str, beside_runs: bool, alone: bool) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert is_score_file(path, alone=False) == beside_runs
    assert is_score_file(path, alone=True) == alone
    assert not is_score_file("-", alone=True)
