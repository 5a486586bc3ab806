"""The demo's judge that changed: what was planted is what `agree judgments` finds."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankscope as rs
from rankscope.demo.collection import SEED, collection_files
from rankscope.demo.drift import DRIFT, drift_files


def test_the_new_version_is_found_to_be_more_lenient_by_what_was_planted(tmp_path: Path) -> None:
    for name, text in {**collection_files(SEED), **drift_files(SEED)}.items():
        (tmp_path / name).write_text(text)
    qrels, drifted = tmp_path / "demo.qrels", tmp_path / "demo-drift.qrels"
    found = rs.agree_judgments(qrels, drifted, queries={"queries": tmp_path / "demo-batches.csv"})
    rows = {(row.group, row.error): row for row in found.groups}
    bias = rows["new", "bias"]
    # grades at the ends of the scale cannot move, so the difference is less than what was planted
    assert 0.5 * DRIFT < bias.difference.value < DRIFT
    assert bias.pvalue_corrected < 0.001
    assert rows["new", "fpr"].in_group.value > 2 * rows["old", "fpr"].in_group.value
    assert bias.difference.value == pytest.approx(-rows["old", "bias"].difference.value)
