"""`evaluate`: files, dicts and frames score alike, alone and side by side."""

from __future__ import annotations

import copy
import gzip
from pathlib import Path
from typing import ClassVar

import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.strategies import Case, cases, random_case, write_trec
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs

NAMES = [
    "AP",
    "nDCG@3",
    "RR",
    "P@2",
    "Bpref",
    "infAP",
    "ERR",
    "RBP(p=0.8)",
    "RBPResidual(p=0.8)",
    "Judged@5",
    "SetF",
    "NumRet",
]


def writable(case: Case) -> Case:
    """The same without lists that a file cannot hold: empty ones."""
    run = {q: docs for q, docs in case.run.items() if docs}
    if not run.keys() & case.qrels.keys():
        run[next(iter(case.qrels))] = {"x": 1.0}
    return Case(case.qrels, run)


@examples(80)
@given(
    case=cases(scores=(1.0, 0.1, 0.30000000000000004, 1e-300, 12345678901234567.0, -0.0, 0.0)),
    ties=st.sampled_from(["doc_id_desc", "file"]),
)
def test_files_score_as_dicts(case: Case, ties: str, tmp_path: Path) -> None:
    case = writable(case)
    qrels, run = write_trec(tmp_path, case)
    expected = rs.evaluate(case.qrels, rs.Run(case.run, name="made"), NAMES, ties=ties)
    for files in ((qrels, run), (str(qrels), str(run)), (rs.read_qrels(qrels), rs.read_run(run))):
        scores = rs.evaluate(*files, NAMES, ties=ties)
        assert_same_bits(scores.values.tolist(), expected.values.tolist())
        assert scores.query_ids == expected.query_ids
        assert scores.systems == ("made",)
        assert scores.notes == expected.notes
        assert scores.signature() == expected.signature()


@examples(30)
@given(case=cases(), data=st.data())
def test_a_file_with_its_lines_in_any_order_scores_the_same(case: Case, data: st.DataObject, tmp_path: Path) -> None:
    case = writable(case)
    qrels, run = write_trec(tmp_path, case)
    expected = rs.evaluate(qrels, run, NAMES)
    for path in (qrels, run):
        lines = data.draw(st.permutations(path.read_text("utf-8").splitlines(keepends=True)))
        path.write_text("".join(lines), "utf-8")
    shuffled = rs.evaluate(qrels, run, NAMES)
    assert_same_bits(shuffled.values.tolist(), expected.values.tolist())


def test_a_compressed_file_scores_as_the_file(tmp_path: Path) -> None:
    qrels, run = write_trec(tmp_path, writable(random_case(2, 60)._replace()))
    packed = tmp_path / "made.run.gz"
    packed.write_bytes(gzip.compress(run.read_bytes().replace(b"nobody judged this", b"nobody")))
    run.write_bytes(gzip.decompress(packed.read_bytes()))
    a, b = rs.evaluate(qrels, run, NAMES), rs.evaluate(qrels, packed, NAMES)
    assert_same_bits(a.values.tolist(), b.values.tolist())
    assert a.systems == b.systems


def test_systems_side_by_side_have_the_values_that_they_have_alone(tmp_path: Path) -> None:
    a, b = random_case(1, 30), random_case(2, 30)
    runs = [rs.Run(a.run, name="a"), rs.Run(b.run, name="b")]
    together = rs.evaluate(a.qrels, runs, NAMES)
    for i, run in enumerate(runs):
        assert_same_bits(rs.evaluate(a.qrels, run, NAMES).values[0].tolist(), together.values[i].tolist())


def test_more_than_26_systems_are_nothing_special() -> None:
    qrels = {"q": {"a": 1}}
    runs = [rs.Run({"q": {**{f"x{j}": 2.0 for j in range(i)}, "a": 1.0}}, name=f"system {i}") for i in range(60)]
    scores = rs.evaluate(qrels, runs, "RR")
    assert scores.summary("RR").tolist() == [1 / (i + 1) for i in range(60)]
    assert scores.systems == tuple(f"system {i}" for i in range(60))


@pytest.mark.parametrize("n", [1, 2, 9])
def test_fewer_than_10_queries_are_nothing_special(n: int) -> None:
    qrels = {str(i): {"a": 1} for i in range(n)}
    assert rs.evaluate(qrels, {"0": {"a": 1.0}}, "RR").overall("RR") == 1 / n


@pytest.mark.parametrize(
    "query", ["a\u00a0b", "a\u2028b", "#1", "q#1", "\ufeffq", "-1", "1e5", "nan", "all", "01", "ü" * 300]
)
def test_an_odd_query_id_is_nothing_special(query: str) -> None:
    scores = rs.evaluate({query: {"d": 1}, "1": {"d": 1}}, {query: {"d": 1.0}}, "RR")
    assert dict(zip(scores.query_ids, scores.matrix("RR")[0].tolist(), strict=True)) == {query: 1, "1": 0}


@pytest.mark.parametrize("query", ["a\u00a0b", "a\u2028b", "q#1", "-1", "1e5", "01", "a,b", '"', "ü" * 300])
def test_an_odd_query_id_in_a_file_is_nothing_special(query: str, tmp_path: Path) -> None:
    files = write_trec(tmp_path, Case({query: {"d": 1}, "1": {"d": 1}}, {query: {"d": 1.0}}))
    scores = rs.evaluate(*files, "RR")
    assert dict(zip(scores.query_ids, scores.matrix("RR")[0].tolist(), strict=True)) == {query: 1, "1": 0}


class TestNamesOfSystems:
    QRELS: ClassVar = {"q": {"d": 1}}
    RUN: ClassVar = {"q": {"d": 1.0}}

    def test_two_runs_in_memory_with_one_name_are_refused(self) -> None:
        with pytest.raises(rs.InputError, match=r"two runs .*'run'"):
            rs.evaluate(self.QRELS, [self.RUN, self.RUN], "RR")

    def test_two_files_with_one_tag_are_told_apart_by_their_names_and_a_note_says_so(self, tmp_path: Path) -> None:
        paths = []
        for name in ("first", "second"):
            (tmp_path / f"{name}.run").write_text("q Q0 d 1 1.0 same\n")
            paths.append(tmp_path / f"{name}.run")
        scores = rs.evaluate(self.QRELS, paths, "RR")
        assert scores.systems == ("first", "second")
        assert mentions(scores.notes, "'same'", "files")

    def test_one_file_twice_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "a.run"
        path.write_text("q Q0 d 1 1.0 tag\n")
        with pytest.raises(rs.InputError, match="expected a name each"):
            rs.evaluate(self.QRELS, [path, path], "RR")

    def test_a_run_and_a_file_of_one_name_are_told_apart(self, tmp_path: Path) -> None:
        path = tmp_path / "file.run"
        path.write_text("q Q0 d 1 1.0 same\n")
        assert rs.evaluate(self.QRELS, [rs.Run(self.RUN, name="same"), path], "RR").systems == ("same", "file")


def test_no_runs_are_refused() -> None:
    with pytest.raises(rs.ParameterError, match="no runs"):
        rs.evaluate({"q": {"d": 1}}, [], "AP")


def test_progress_is_told_of_every_byte(tmp_path: Path) -> None:
    files = write_trec(tmp_path, writable(Case({"q": {"d": 1}}, {"q": {"d": 1.0, "e": 0.5}})))
    seen: list[int] = []
    rs.evaluate(*files, "AP", progress=seen.append)
    assert sum(seen) == files[1].stat().st_size


def highest(case: Case) -> int:
    """The highest level that some document reaches, at least 1."""
    return max(1, *(grade for docs in case.qrels.values() for grade in docs.values()), 1)


@examples(40)
@given(case=cases())
def test_evaluating_twice_gives_the_same_and_changes_nothing(case: Case) -> None:
    qrels, run, before = rs.Qrels(case.qrels), rs.Run(case.run), copy.deepcopy(case)
    first = rs.evaluate(qrels, run, NAMES)
    rs.evaluate(qrels, rs.Run({next(iter(case.qrels)): {"zz": 1.0}}), NAMES, rel=highest(case), ties="file")
    again = rs.evaluate(qrels, run, NAMES)
    assert_same_bits(first.values.tolist(), again.values.tolist())
    assert first.signature() == again.signature()
    assert case == before
    measures = list(NAMES)
    rs.evaluate(qrels, run, measures)
    assert measures == NAMES


@examples(60)
@given(case=cases(), data=st.data())
def test_one_qrels_serves_evaluations_of_any_convention(case: Case, data: st.DataObject) -> None:
    """What is kept with the judgments for the next run does not answer for another convention."""
    shared = rs.Qrels(case.qrels)
    measures = data.draw(st.lists(st.sampled_from([*NAMES, "AP(rel=2)", "nDCG"]), min_size=1, unique=True))
    for _ in range(3):
        options = {
            "rel": min(data.draw(st.sampled_from([1, 2, 3])), highest(case)),
            "no_relevant": data.draw(st.sampled_from(["zero", "drop", "one"])),
            "missing": data.draw(st.sampled_from(["zero", "drop"])),
            "measures": measures,
        }
        ours, fresh = (rs.evaluate(q, case.run, **options) for q in (shared, rs.Qrels(case.qrels)))
        assert_same_bits(ours.values, fresh.values)
        assert ours.undefined.tolist() == fresh.undefined.tolist()
        assert ours.notes == fresh.notes
        assert ours.signature() == fresh.signature()


def test_one_qrels_serves_evaluations_of_another_least_relevance() -> None:
    qrels = rs.Qrels({"a": {"d": 1}, "b": {"d": 2}})
    run = {"a": {"d": 1.0}, "b": {"d": 1.0}}
    for rel, expected in ((1, (1 + 1) / 2), (2, 1 / 1), (1, (1 + 1) / 2)):
        assert rs.evaluate(qrels, run, "AP", rel=rel, no_relevant="drop").overall("AP") == expected


def test_measures_may_be_one_name_many_or_measures() -> None:
    case = {"q": {"d": 1}}, {"q": {"d": 1.0}}
    assert rs.evaluate(*case, "RR").measure_names == ("RR",)
    assert rs.evaluate(*case, rs.parse_measure("RR")).measure_names == ("RR",)
    assert rs.evaluate(*case, (n for n in ("RR", "AP"))).measure_names == ("RR", "AP")
    assert rs.evaluate(*case, ["RR", rs.parse_measure("AP@3"), "RR"]).measure_names == ("RR", "AP@3")
