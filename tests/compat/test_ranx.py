"""`rankscope.compat.ranx` beside what ranx 0.3.21 gave (tests/reference/ranx/record.py), and where it must differ."""

from __future__ import annotations

import copy
import gzip
import json
import math
from collections import defaultdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from helpers.paths import TESTS
from helpers.same import assert_same_numbers
from helpers.strategies import Case, cases, write_trec
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.compat import ranx
from rankscope.errors import InputError, OutputError, ParameterError, UnknownName

FOUND = json.loads((TESTS / "reference" / "ranx" / "recorded.json").read_text("utf-8"))
STEMS = (
    *("hits", "hit_rate", "precision", "recall", "f1", "r-precision", "mrr", "map"),
    *("dcg", "dcg_burges", "ndcg", "ndcg_burges", "bpref", "rbp.95"),
)
QRELS = {"q2": {"d1": 0, "d4": 1}, "q1": {"d1": 1, "d2": 0, "d3": 2}}
RUN = {"q2": {"d4": 0.5, "d1": 0.75, "d9": 0.25}, "q1": {"d1": 1.0, "d2": 3.0, "d3": 2.0}}
SMALL = st.sampled_from(["a", "b", "c", "d", "e", "f"])


# Values


@pytest.mark.parametrize("case", FOUND["cases"], ids=lambda case: "whole" if case["whole"] else "with holes")
@pytest.mark.parametrize("prepared", [True, False], ids=["objects", "dicts"])
def test_all_metrics_give_what_ranx_gave(case: Any, prepared: bool) -> None:
    qrels, run = case["qrels"], case["run"]
    if prepared:
        qrels, run = ranx.Qrels(qrels), ranx.Run(run)
    metrics = list(case["by_query"])
    assert set(STEMS) - {"bpref"} <= set(metrics)
    options: dict[str, Any] = {"make_comparable": not case["whole"]}
    found = ranx.evaluate(qrels, run, metrics, return_mean=False, **options)
    assert list(found) == metrics
    queries = list(qrels.keys())
    for metric, expected in case["by_query"].items():
        by_query = dict(zip(queries, found[metric], strict=True))
        assert [by_query[query] for query in sorted(queries)] == pytest.approx(expected, abs=1e-9), metric
    means = ranx.evaluate(qrels, run, metrics, return_std=True, **options)
    for metric, (mean, std) in case["mean_std"].items():
        assert means[metric] == pytest.approx({"mean": mean, "std": std}, abs=1e-9), metric


def value(qrels: dict[str, int], run: dict[str, float] | str, metric: str) -> float:
    """Of one query; a run may be its documents, best first."""
    if isinstance(run, str):
        run = {doc: -float(rank) for rank, doc in enumerate(run)}
    return float(ranx.evaluate({"q": qrels}, {"q": run}, metric))


def test_rbp_gains_the_grade_itself() -> None:
    # ranx 0.3.21: (1 - p) * sum of grade * p^(rank - 1), not divided by the highest grade.
    assert value({"a": 3, "b": 2}, "axb", "rbp.50") == pytest.approx((1 - 0.5) * (3 + 2 * 0.5**2))
    assert value({"a": 3}, "a", "rbp.0") == 3


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("precision", 2 / 4),  # of the list's four
        ("precision@8", 2 / 8),  # a list shorter than k counts as filled up
        ("f1", 2 * (2 / 4 * 2 / 3) / (2 / 4 + 2 / 3)),
        ("f1@8", 2 * (2 / 8 * 2 / 3) / (2 / 8 + 2 / 3)),
        ("recall@1", 1 / 3),
        ("hits@1", 1),
        ("r-precision", 1 / 3),  # the first three hold one, and one that is not judged, and one of grade 0
        ("map", (1 / 1 + 2 / 4) / 3),
        ("map@1", (1 / 1) / 3),
        ("dcg", 3 / math.log2(2) + 1 / math.log2(5)),
        ("dcg_burges", (2**3 - 1) / math.log2(2) + (2**1 - 1) / math.log2(5)),
        ("ndcg@2", 3 / (3 + 2 / math.log2(3))),
        ("dcg-l2", 3 / math.log2(2)),  # what is below the level is left out, what is not keeps its grade
        ("ndcg-l2", 3 / (3 + 2 / math.log2(3))),
        ("bpref", (1 + (1 - min(1, 3) / min(1, 3))) / 3),
    ],
)
def test_a_worked_example(metric: str, expected: float) -> None:
    assert value({"a": 3, "b": 1, "c": 0, "e": 2}, "axcb", metric) == pytest.approx(expected)


def test_negative_grades_are_judged_not_relevant() -> None:
    # ranx 0.3.21: bpref 0.25 here, with two such documents of which one stands above the first relevant one.
    qrels = {"a": 1, "b": 1, "n": -1, "m": -2}
    assert value(qrels, "nxac", "bpref") == pytest.approx((1 - 1 / 2) / 2)
    assert value(qrels, "nxac", "ndcg") == pytest.approx((1 / math.log2(4)) / (1 + 1 / math.log2(3)))


def test_a_level_below_one_makes_documents_of_grade_0_relevant() -> None:
    # ranx 0.3.21: map-l0 is 0.525 and map-l-1 0.6433333333333333 on these.
    qrels = {"a": 3, "b": 1, "c": 0, "d": -1, "e": 2}
    assert value(qrels, "axdbc", "map-l0") == pytest.approx((1 / 1 + 2 / 4 + 3 / 5) / 4) == pytest.approx(0.525)
    assert value(qrels, "axdbc", "map-l-1") == pytest.approx((1 + 2 / 3 + 3 / 4 + 4 / 5) / 5)


@given(
    qrels=st.dictionaries(SMALL, st.integers(-1, 3), min_size=1),
    run=st.lists(SMALL, unique=True, max_size=6),
    cutoff=st.integers(1, 8),
    level=st.integers(0, 3),
)
def test_metrics_are_what_naive_loops_give(qrels: Any, run: list[str], cutoff: int, level: int) -> None:
    listed = "".join(run)
    counts = {doc for doc, grade in qrels.items() if grade >= level}
    found = [doc in counts for doc in run[:cutoff]]
    gains = [max(qrels[doc], 0) if doc in counts else 0 for doc in run]
    tail = f"@{cutoff}-l{level}"
    assert value(qrels, listed, "hits" + tail) == sum(found)
    assert value(qrels, listed, "hit_rate" + tail) == any(found)
    assert value(qrels, listed, "precision" + tail) == pytest.approx(sum(found) / cutoff)
    recall = sum(found) / len(counts) if counts else 0.0
    assert value(qrels, listed, "recall" + tail) == pytest.approx(recall)
    both = sum(found) / cutoff + recall
    assert value(qrels, listed, "f1" + tail) == pytest.approx(2 * sum(found) / cutoff * recall / both if both else 0)
    dcg = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:cutoff], 1))
    assert value(qrels, listed, "dcg" + tail) == pytest.approx(dcg)
    rbp = 0.2 * sum(gain * 0.8 ** (rank - 1) for rank, gain in enumerate(gains, 1))
    assert value(qrels, listed, f"rbp.8-l{level}") == pytest.approx(rbp)


@given(case=cases())
def test_metrics_are_those_of_rankscope(case: Case) -> None:
    listed = {query: case.run.get(query, {}) for query in case.qrels}
    found = ranx.evaluate(case.qrels, case.run, ["map@3", "ndcg_burges", "mrr"], make_comparable=True)
    scores = rs.evaluate(case.qrels, listed, ["AP@3", "nDCG(gain='exp')", "RR"])
    assert list(found.values()) == pytest.approx([scores.overall(name) for name in scores.measure_names])


# Where the original divides by zero or is not defined


def test_bpref_without_documents_judged_not_relevant_counts_what_was_retrieved() -> None:
    """NaN in the original, where something relevant was retrieved."""
    assert value({"a": 1, "b": 1}, "ax", "bpref") == 1 / 2
    assert value({"a": 1, "b": 1}, "x", "bpref") == 0


def test_bpref_after_a_query_without_relevant_documents_is_computed() -> None:
    """In the original the division by 0 ends the thread's work: all queries that it had before it are 0."""
    one, ranked = {"a": 1, "b": 0}, {"a": 2.0, "b": 1.0}
    found = ranx.evaluate(
        {"q1": one, "q2": {"a": 0}, "q3": one}, dict.fromkeys(("q1", "q2", "q3"), ranked), "bpref", return_mean=False
    )
    assert found.tolist() == [1, 0, 1]


@pytest.mark.parametrize("metric", STEMS)
def test_without_documents_or_relevant_ones_all_are_0(metric: str) -> None:
    qrels = {"empty": {"a": 1}, "none": {"a": 0, "b": -1}, "nothing judged": {}}
    run = {"empty": {}, "none": {"a": 1.0, "b": 2.0}, "nothing judged": {"a": 1.0}}
    for data in ((qrels, run), (ranx.Qrels(qrels), ranx.Run(run))):
        assert ranx.evaluate(*data, metric, return_mean=False).tolist() == [0, 0, 0]


def test_ties_are_broken_by_falling_document_id_whatever_the_order() -> None:
    for run in ({"a": 1.0, "b": 1.0}, {"b": 1.0, "a": 1.0}):
        assert value({"b": 1}, run, "mrr") == 1
        assert list(ranx.Run({"q": run})["q"]) == ["b", "a"]


def test_queries_meet_by_their_ids_and_not_by_their_order() -> None:
    """The original takes the first list for the first query, whatever their ids; and so 0 here."""
    assert ranx.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q2": {"b": 0.5}, "q1": {"a": 1.0}}, "map") == 1


def test_infinite_scores_rank_and_nan_is_refused() -> None:
    assert value({"a": 1}, {"b": 2.0, "a": math.inf, "c": -math.inf}, "mrr") == 1
    with pytest.raises(InputError, match="document 'a' is nan"):
        value({"a": 1}, {"a": math.nan, "b": 1.0}, "mrr")


# Names


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("nope", "unknown metric .*'nope'"),
        ("ndgc@10", "did you mean ndcg?"),
        ("MAP", "did you mean map"),
        ("rbp@9.5", "unknown metric .*'rbp@9'"),
        ("ndcg@x", "ndcg@x: cannot read 'x'"),
        ("map@", "cannot read ''"),
        ("map@-1", "the cutoff is -1"),
        ("map-l2@3", "cannot read '2@3'"),
        ("map-l1-l2", "2 relevance levels"),
        ("rbp", "found no persistence"),
        ("rbp.x", "found no persistence"),
        ("rbp.1e3", "persistence .*0 and 1"),
        (3, "a metric is 3"),
    ],
)
def test_a_metric_that_cannot_be_read_is_a_value_error(metric: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        ranx.evaluate(QRELS, RUN, [metric])


def test_a_cutoff_of_r_precision_and_bpref_makes_no_difference() -> None:
    assert value({"a": 1, "b": 0}, "xab", "bpref@-3") == value({"a": 1, "b": 0}, "xab", "bpref") == 1
    assert value({"a": 1, "b": 1}, "xab", "r-precision@1") == 1 / 2


# The structure of the answer


def test_one_metric_gives_a_number_and_several_a_dict() -> None:
    for metrics in ("map", ["map"], ("map",)):
        found = ranx.evaluate(QRELS, RUN, metrics)
        assert type(found) is np.float64
    assert_same_numbers(ranx.evaluate(QRELS, RUN, ["map", "mrr"]), {"map": found, "mrr": 0.5})
    assert ranx.evaluate(QRELS, RUN, []) == {}
    assert ranx.evaluate(QRELS, RUN, ["mrr"], return_std=True) == {"mean": 0.5, "std": 0.0}
    both = ranx.evaluate(QRELS, RUN, ["mrr", "map@1"], return_std=True, threads=1)
    assert both == {"mrr": {"mean": 0.5, "std": 0.0}, "map@1": {"mean": 0.0, "std": 0.0}}


def test_values_by_query_are_an_array_in_the_order_of_the_judgments() -> None:
    """For dicts and one metric with a cutoff, the original ends in a KeyError."""
    found = ranx.evaluate(QRELS, RUN, "hits@3-l2", return_mean=False, return_std=True)
    assert found.tolist() == [0, 1]  # q2, q1
    assert ranx.evaluate(ranx.Qrels(QRELS), ranx.Run(RUN), "hits@3-l2", return_mean=False).tolist() == [1, 0]
    assert ranx.evaluate(QRELS, ranx.Run(RUN), ["hits-l2"], return_mean=False).tolist() == [0, 1]
    found[:] = 7  # it is the caller's
    assert ranx.evaluate(QRELS, RUN, "hits@3-l2", return_mean=False).tolist() == [0, 1]


def test_results_are_kept_in_the_run() -> None:
    run = ranx.Run(RUN, name="made")
    assert (dict(run.scores), run.mean_scores, run.std_scores) == ({}, {}, {})
    ranx.evaluate(ranx.Qrels(QRELS), run, ["hits", "mrr"], return_std=True)
    assert run.mean_scores == {"hits": 1.5, "mrr": 0.5}
    assert run.std_scores == {"hits": 0.5, "mrr": 0.0}
    assert dict(run.scores) == {"hits": {"q1": 2, "q2": 1}, "mrr": {"q1": 0.5, "q2": 0.5}}
    ranx.evaluate(QRELS, run, "map@1", return_mean=False, return_std=True)
    assert (run.mean_scores["map@1"], set(run.std_scores)) == (0, {"hits", "mrr"})
    ranx.evaluate(QRELS, run, "recall", save_results_in_run=False)
    assert "recall" not in {*run.scores, *run.mean_scores}
    json.dumps([run.scores, run.mean_scores])


@pytest.mark.parametrize("objects", [True, False])
def test_different_queries_are_refused_or_made_comparable(objects: bool) -> None:
    qrels: Any = {"q1": {"a": 1}, "q2": {"b": 1}}
    run: Any = {"q3": {"a": 1.0}, "q1": {"a": 1.0}}
    before = copy.deepcopy((qrels, run))
    if objects:
        qrels, run = ranx.Qrels(qrels), ranx.Run(run)
    for error in (AssertionError, ValueError):
        with pytest.raises(error, match=r"no list for 1 of 2 .*\(q2\), .*1 .*\(q3\)"):
            ranx.evaluate(qrels, run, "map")
    assert ranx.evaluate(qrels, run, "map", make_comparable=True) == 0.5
    if objects:  # the run itself, as in the original
        assert run.to_dict() == {"q1": {"a": 1.0}, "q2": {}}
        assert run.make_comparable(qrels) is run
    else:
        assert (qrels, run) == before


def test_data_of_other_shapes_are_refused() -> None:
    for qrels, run in (([1], RUN), (QRELS, None), (QRELS, {"q1": 3, "q2": {}}), ({}, {}), ({"q1": {"a": 0.5}}, RUN)):
        with pytest.raises(ValueError, match="expected"):
            ranx.evaluate(qrels, run, "map")
    with pytest.raises(InputError, match=r"found a Run, .*Qrels"):
        ranx.evaluate(ranx.Run(RUN), ranx.Qrels(QRELS), "map")


def test_other_mappings_are_taken() -> None:
    qrels = MappingProxyType({q: {d: np.int64(r) for d, r in docs.items()} for q, docs in QRELS.items()})
    run = defaultdict(dict, {q: MappingProxyType(docs) for q, docs in RUN.items()})
    assert_same_numbers(ranx.evaluate(qrels, run, "map"), ranx.evaluate(QRELS, RUN, "map"))


# Qrels and Run


def test_what_is_added_stands_where_it_stands_in_ranx() -> None:
    qrels, run = ranx.Qrels(), ranx.Run()
    for name, arguments, judged, listed in FOUND["steps"]:
        for data, expected in ((qrels, judged), (run, listed)):
            getattr(data, name)(*arguments)
            found = [[query, [list(item) for item in docs.items()]] for query, docs in data.to_dict().items()]
            assert found == expected, name
            assert data.get_query_ids() == list(data.keys()) == [query for query, _ in expected]
            assert len(data) == data.size == len(expected)
    assert {type(score) for docs in run.get_doc_ids_and_scores() for score in docs.values()} == {float}


def test_what_was_added_is_evaluated_also_after_an_evaluation() -> None:
    qrels, run = ranx.Qrels(QRELS), ranx.Run(RUN)
    before = ranx.evaluate(qrels, run, "hits")
    qrels.add_score("q1", "d9", 1)
    run.add_score("q1", "d9", 9)
    assert ranx.evaluate(qrels, run, "hits") == before + 1 / 2
    assert next(iter(run["q1"])) == "d9"  # an evaluation sorts
    qrels.qrels["q1"]["d7"] = run.run["q1"]["d7"] = 1
    assert ranx.evaluate(qrels, run, "hits") == before + 2 / 2
    qrels.add("q1", ["x"], [1])
    assert ranx.evaluate(qrels, run, "hits") == (0 + 1) / 2


def test_a_relevance_level_lowers_all_grades() -> None:
    qrels = ranx.Qrels(QRELS)
    expected = ranx.evaluate(qrels, ranx.Run(RUN), "map-l2")
    qrels.set_relevance_level(2)
    assert qrels.to_dict() == {"q1": {"d3": 1, "d1": 0, "d2": -1}, "q2": {"d4": 0, "d1": -1}}
    assert ranx.evaluate(qrels, ranx.Run(RUN), "map") == expected


def test_nothing_that_is_passed_in_is_kept() -> None:
    qrels, run = copy.deepcopy(QRELS), copy.deepcopy(RUN)
    judged, listed = ranx.Qrels(qrels, name="n"), ranx.Run(run)
    qrels["q1"]["d3"] = 7
    run["q1"]["d3"] = 7.0
    run["q3"] = {}
    judged["q1"]["d3"] = listed["q1"]["d3"] = 8
    assert judged.to_dict() == ranx.Qrels(QRELS).to_dict()
    assert listed.to_dict() == ranx.Run(RUN).to_dict() == {"q1": {"d2": 3, "d3": 2, "d1": 1}, "q2": RUN["q2"]}
    assert (repr(judged), repr(listed)) == ("Qrels(2 queries, name='n')", "Run(2 queries, name=None)")
    with pytest.raises(KeyError):
        judged["q3"]


def test_without_data_they_are_empty() -> None:
    for data in (ranx.Qrels(), ranx.Run(), ranx.Qrels({}), ranx.Run.from_dict({})):
        assert (len(data), data.to_dict(), data.get_query_ids()) == (0, {}, [])


@pytest.mark.parametrize("kind", ["json", "trec", "txt", "gz", "parquet", "parq"])
def test_files_give_back_what_was_saved(kind: str, tmp_path: Path) -> None:
    qrels, run = ranx.Qrels(QRELS), ranx.Run(RUN, name="made")
    for data, there, reader in ((qrels, "a.", ranx.Qrels), (run, "b.", ranx.Run)):
        path = tmp_path / (there + kind)
        data.save(path)
        found = reader.from_file(str(path))
        assert found.to_dict() == data.to_dict()
        assert list(found.to_dict()["q1"].items()) == list(data["q1"].items())
        assert found.name == ("made" if reader is ranx.Run and kind in ("trec", "txt", "gz") else None)
    assert ranx.Run.from_file(path, name="other").name == "other"
    found_run = ranx.Run.from_file(path)
    assert_same_numbers(ranx.evaluate(qrels, found_run, ["map", "ndcg"]), ranx.evaluate(QRELS, RUN, ["map", "ndcg"]))


def test_text_files_are_written_as_ranx_writes_them(tmp_path: Path) -> None:
    qrels, run = ranx.Qrels({"q2": {"a": 1, "b": 2}, "q1": {"c": 1}}), ranx.Run({"q2": {"a": 1, "b": 2.5}}, name="my")
    qrels.save(str(tmp_path / "q.json"))
    # As recorded from ranx 0.3.21, which leaves out the last newline of TREC's lines.
    expected = '{\n  "q1": {\n    "c": 1\n  },\n  "q2": {\n    "b": 2,\n    "a": 1\n  }\n}'
    assert (tmp_path / "q.json").read_text("utf-8") == expected
    qrels.save(tmp_path / "q", kind="trec")
    run.save(tmp_path / "r.trec")
    run.save(tmp_path / "r.gz")
    assert (tmp_path / "q").read_text("utf-8") == "q1 0 c 1\nq2 0 b 2\nq2 0 a 1\n"
    assert (tmp_path / "r.trec").read_text("utf-8") == "q2 Q0 b 1 2.5 my\nq2 Q0 a 2 1.0 my\n"
    assert gzip.decompress((tmp_path / "r.gz").read_bytes()) == (tmp_path / "r.trec").read_bytes()


@given(case=cases())
def test_trec_files_of_others_are_read(case: Case, tmp_path_factory: Any) -> None:
    run = {query: docs for query, docs in case.run.items() if docs}
    folder = tmp_path_factory.mktemp("files")
    judged, listed = write_trec(folder, Case(case.qrels, run or {"zz": {"d": 1.0}}))
    qrels, found = ranx.Qrels.from_file(judged, kind="trec"), ranx.Run.from_file(listed, kind="trec")
    assert found.name == "made"
    assert qrels.to_dict() == case.qrels
    metrics = ["map", "rbp.5", "hits@2"]
    expected = ranx.evaluate(case.qrels, run, metrics, make_comparable=True)
    assert ranx.evaluate(qrels, found, metrics, make_comparable=True) == pytest.approx(expected)


def test_data_frames_go_both_ways(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    qrels, run = ranx.Qrels(QRELS), ranx.Run(RUN, name="made")
    frame = run.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == list(qrels.to_dataframe().columns) == ["q_id", "doc_id", "score"]
    assert (str(frame.score.dtype), str(qrels.to_dataframe().score.dtype)) == ("float64", "int64")
    assert frame.doc_id.tolist() == ["d2", "d3", "d1", "d1", "d4", "d9"]
    again = ranx.Run.from_df(frame.rename(columns={"q_id": "q"}), q_id_col="q", name="x")
    assert (again.to_dict(), again.name) == (run.to_dict(), "x")
    assert ranx.Qrels.from_df(qrels.to_dataframe()).to_dict() == qrels.to_dict()
    with pytest.raises(InputError, match="no column 'score' among"):
        ranx.Qrels.from_df(qrels.to_dataframe()[["q_id", "doc_id"]])
    frame.to_parquet(tmp_path / "run.parquet")
    columns = {"columns": ["q_id", "doc_id", "score"]}
    assert ranx.Run.from_parquet(tmp_path / "run.parquet", pd_kwargs=columns, name="y").to_dict() == run.to_dict()
    qrels.save(tmp_path / "qrels.parquet")
    assert ranx.Qrels.from_parquet(tmp_path / "qrels.parquet").to_dict() == qrels.to_dict()


def test_what_cannot_be_read_or_written_is_said(tmp_path: Path) -> None:
    run = ranx.Run({"q 1": {"a": 1.0}})
    with pytest.raises(OutputError, match=r"'q 1' .*blanks"):
        run.save(tmp_path / "run.trec")
    with pytest.raises(AssertionError, match=r"run\.lz4: 'lz4'"):
        run.save("run.lz4")
    with pytest.raises(UnknownName, match="gz, json, parquet, trec"):
        ranx.Run.from_file("run.lz4")
    (tmp_path / "bad.json").write_text("q1 Q0 a 1 1.0 made\n", "utf-8")
    with pytest.raises(InputError, match=r"bad\.json: .*JSON"):
        ranx.Run.from_file(tmp_path / "bad.json")
    (tmp_path / "bad.json").write_text("[1]", "utf-8")
    with pytest.raises(InputError, match="expected a dict"):
        ranx.Qrels.from_file(tmp_path / "bad.json")
    (tmp_path / "twice.trec").write_text("q1 0 a 1\nq1 0 a 0\n", "utf-8")
    with pytest.raises(InputError, match=r"twice\.trec:2: .*'a' .*'q1' .*twice"):
        ranx.Qrels.from_file(tmp_path / "twice.trec")


def test_wrong_numbers_and_ids_are_refused_at_once() -> None:
    bad: Any
    for bad in ({"q": {"a": 0.5}}, {"q": {"a": "1"}}, {"q": {1: 1}}, {1: {"a": 1}}, [], {"q": [1]}):
        with pytest.raises(InputError, match=r"expected|use str|whole numbers only"):
            ranx.Qrels(bad)
    qrels, run = ranx.Qrels(QRELS), ranx.Run(RUN)
    with pytest.raises(InputError, match=r"'d1' .*'q1' is 1\.5"):
        qrels.add_score("q1", "d1", 1.5)
    with pytest.raises(InputError, match=r"is '1', .*number"):
        run.add_score("q1", "d1", "1")
    for docs, scores in ((["a", "b"], [1.0]), (["a", "a"], [1.0, 2.0])):
        with pytest.raises(InputError, match="as many"):
            run.add("q1", docs, scores)
    assert (qrels.to_dict(), run.to_dict()) == (ranx.Qrels(QRELS).to_dict(), ranx.Run(RUN).to_dict())


def test_sorted_says_whether_queries_and_documents_are_in_order() -> None:
    for make, content in ((ranx.Qrels, QRELS), (ranx.Run, RUN)):
        assert [make().sorted, make(content).sorted, make.from_dict(content).sorted] == [False, True, True]
        lists = make(content)
        lists.add_score("q0", "d1", 1)
        assert (lists.sorted, lists.get_query_ids()[-1]) == (False, "q0")
        lists.sort()
        assert (lists.sorted, lists.get_query_ids()[0]) == (True, "q0")
        lists.add("r", ["a", "b"], [1, 2])
        assert (lists.sorted, list(lists["r"])) == (True, ["b", "a"])


def test_evaluating_sorts_both() -> None:
    qrels, run = ranx.Qrels(), ranx.Run()
    for query, doc in (("q2", "a"), ("q1", "b")):
        qrels.add_score(query, doc, 1)
        run.add_score(query, "b", 1.0)
    assert ranx.evaluate(qrels, run, "mrr", return_mean=False).tolist() == [1.0, 0.0]  # q1, q2
    assert (qrels.sorted, run.sorted, qrels.get_query_ids()) == (True, True, ["q1", "q2"])


def test_nothing_is_downloaded() -> None:
    with pytest.raises(ParameterError, match=r"use Qrels\.from_dict\(ir_datasets\.load"):
        ranx.Qrels.from_ir_datasets("msmarco-passage/dev")
    with pytest.raises(ParameterError, match=r"use Run\.from_file"):
        ranx.Run.from_ranxhub("some-id")
