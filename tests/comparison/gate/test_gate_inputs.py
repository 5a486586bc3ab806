"""What a gate starts from: several baselines, saved ones, queries seen in training, the same lists, documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope import Gate, Run, Scores, gate
from rankscope.comparison.gate import GateSettings, gate_of_input, input_of_runs
from rankscope.comparison.gate.margins import Margin
from rankscope.errors import InputError, ParameterError

N = 30
QRELS = {f"q{i:02d}": {"a": 1, "b": 2, "z": 0} for i in range(N)}


def run(name: str, step: int = 0, first: str = "b") -> Run:
    """b (grade 2) stands first; or, on each query of that step, c."""
    docs = {"b": 3.0, "a": 2.0, "y": 1.0}
    docs[first] = 5.0
    return Run({q: {**docs, **({"c": 9.0} if step and i % step == 0 else {})} for i, q in enumerate(QRELS)}, name=name)


def scores(system: Run, **options: Any) -> Scores:
    return rs.evaluate(QRELS, system, ["nDCG@10", "P@1"], **options)


def of_runs(*runs: Any, **settings: Any) -> Gate:
    settings = {"margin": Margin(0.02), **settings}
    return gate_of_input(input_of_runs(rs.Qrels(QRELS), runs, ["nDCG@10", "P@1"]), GateSettings(**settings))


def test_a_pass_needs_each_baseline() -> None:
    new, low, high = scores(run("new", 3)), scores(run("low", 2)), scores(run("high"))
    found = gate(new, [low, high], margin=0.02)
    assert [(part.measure, part.baseline) for part in found.measure_gates] == [
        ("nDCG@10", "low"),
        ("P@1", "low"),
        ("nDCG@10", "high"),
        ("P@1", "high"),
    ]
    for baseline in (low, high):
        alone = gate(new, baseline, margin=0.02)
        for part in alone.measure_gates:
            own = found[part.measure, part.baseline]
            np.testing.assert_equal(own.decision._asdict(), part.decision._asdict())
            assert own.verdict == part.verdict
    assert found.verdict == "worse"
    assert {row[2] for row in found.records()} == {"low", "high"}
    assert mentions(found.sections()[0].sentence, "new against low and high does not pass")
    with pytest.raises(ParameterError, match=r"2 baselines; name one of low, high"):
        found["P@1"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"q03": {"a": 1, "b": 1, "z": 0}}, ("other grades in 1 query (q03)",)),
        ({"q03": {"a": 1, "b": 2, "z": 0, "n": 1}}, ("q03",)),
        ({"q99": {"a": 1}}, ("1 query of the new scores only", "q99")),
        ({"q03": None}, ("1 query of the baseline only", "q03")),
    ],
)
def test_a_saved_baseline_of_other_judgments_is_refused_with_what_changed(
    tmp_path: Path, change: dict[str, Any], words: tuple[str, ...]
) -> None:
    path = tmp_path / "old.parquet"
    rs.write_scores(scores(run("old")), path)
    assert gate(scores(run("new")), rs.read_scores(path), margin=0.02).baselines == ("old",)
    qrels = {q: docs for q, docs in {**QRELS, **change}.items() if docs is not None}
    new = rs.evaluate(qrels, run("new"), ["nDCG@10", "P@1"])
    with pytest.raises(InputError) as error:
        gate(new, rs.read_scores(path), margin=0.02)
    assert mentions(str(error.value), *words, "expected the same queries and judgments")


def test_saved_hashes_tell_that_lists_are_the_same(tmp_path: Path) -> None:
    """The values of `other` are the same, and it has another document without relevance at rank 3."""
    path = tmp_path / "old.parquet"
    rs.write_scores(scores(run("old", first="a"), hash_lists=True), path)
    baseline = rs.read_scores(path)
    other = Run({q: {"a": 5.0, "b": 3.0, "x": 1.0} for q in QRELS}, name="other")
    same = gate(scores(run("new", first="a"), hash_lists=True), baseline, margin=0)
    found = gate(scores(other, hash_lists=True), baseline, margin=0.02)
    assert (same.verdict, same["P@1"].decision.reason) == ("pass", "same lists")
    assert found["nDCG@10"].verdict == "undecided"
    assert found["P@1"].decision.reason == "same lists"  # as far as P@1 sees them
    assert mentions(found.notes, "nDCG@10", "on 30 of them the lists are not the same")


def test_queries_seen_in_training_are_left_out_and_counted() -> None:
    new, old = scores(run("new", 3)), scores(run("old", 2))
    seen = [f"q{i:02d}" for i in range(0, N, 6)]
    found = gate(new, old, margin=0.02, seen=[*seen, "q77"])
    unseen = np.array([i for i in range(N) if i % 6])
    alone = gate(new.select(queries=unseen), old.select(queries=unseen), margin=0.02)
    np.testing.assert_equal(found["P@1"].decision._asdict(), alone["P@1"].decision._asdict())
    assert found["P@1"].n == N - len(seen)
    assert found.seen is not None
    assert found.seen.queries == tuple(seen)
    assert found.seen.verdict == gate(new, old, margin=0.02).verdict
    assert mentions(found.notes, "5 queries were seen in training", "left out", found.seen.verdict)
    assert mentions(found.notes, "1 id", "none here")
    assert "seen:5" in found.signature()
    with pytest.raises(InputError, match="all 30 queries were seen in training"):
        gate(new, old, margin=0.02, seen=list(QRELS))


def test_runs_tell_which_documents_moved() -> None:
    """Where c stands first, b moves from rank 1 to 2 and a from 2 to 3: b, of grade 2, loses 2 (1 - 1 / log2(3))."""
    found = of_runs(run("old"), run("new", 5))
    documents = found.documents["nDCG@10", "old", "q00"]
    assert [(d.document, d.relevance, d.baseline_rank, d.new_rank) for d in documents] == [
        ("b", 2, 1, 2),
        ("a", 1, 2, 3),
    ]
    assert {query for _, _, query in found.documents} < {f"q{i:02d}" for i in range(0, N, 5)}  # those that it shows
    (moved,) = found.documents["P@1", "old", "q00"]  # whose list ends at rank 1
    assert (moved.document, moved.baseline_rank, moved.new_rank) == ("b", 1, None)


def test_saved_baselines_and_runs_may_be_mixed(tmp_path: Path) -> None:
    rs.write_scores(scores(run("saved"), hash_lists=True), tmp_path / "saved.parquet")
    found = of_runs(tmp_path / "saved.parquet", run("old", 4), run("new", 4))
    assert found.baselines == ("saved", "old")
    assert found["P@1", "old"].decision.reason == "same lists"
    assert {baseline for _, baseline, _ in found.documents} <= {"old"}
    np.testing.assert_array_equal(found.scores.values[1], rs.read_scores(tmp_path / "saved.parquet").values[0])
