"""The preset `dunaiski` against what its tool computed: every recorded value, and how many entities it used."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from rankscope import EntityRanks, Hits, Measure, parse_measures, read_entity_ranks
from rankscope.compat.dunaiski import FUNCTIONS, coded_measure
from rankscope.measures.presets import PRESETS

FOLDER = Path(__file__).resolve().parent / "dunaiski"
PRESET = PRESETS["dunaiski"]


class Row(NamedTuple):
    function: str
    ranks: str
    cutoff: Any
    total: int | None
    value: Any
    used: Any


RECORDED = json.loads((FOLDER / "measures.json").read_text("utf-8"))
ROWS = [Row(*row) for row in RECORDED["rows"]]


def measure_of(row: Row) -> Measure:
    return coded_measure(row.function, row.cutoff)


def hits_of(row: Row) -> Hits:
    """The list as a query of its own: permille rows name fewer items than the deepest rank has, as the tool allows."""
    ranks = RECORDED["ranks"][row.ranks]
    table = EntityRanks(ranks=[ranks], systems=("s",), entity_ids=tuple(map(str, range(len(ranks)))), min_rank=0)
    return table.hits() if row.total is None else with_total(table.hits(), row.total)


def with_total(hits: Hits, total: int) -> Hits:
    return replace(hits, collection_size=total, _memory={}, _qrels_memory={})


def test_all_rows_are_here_and_847_hold_a_number() -> None:
    assert len(ROWS) == 870
    assert {row.function for row in ROWS} == set(FUNCTIONS)
    assert sum(isinstance(row.value, float) for row in ROWS) == 847
    assert sum(row.value == "nan" for row in ROWS) == 22


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_preset_agrees_with_every_recorded_value_and_count(function: str) -> None:
    for row in ROWS:
        if row.function != function or row.value == "EXC":
            continue
        measure, hits = measure_of(row), hits_of(row)
        value, used = float(measure(hits)[0]), float(measure.used(hits)[0])
        assert value == pytest.approx(float(row.value), rel=1e-9, abs=1e-9, nan_ok=True), (row, str(measure))
        assert used == pytest.approx(row.used, rel=1e-9), (row, str(measure))


def test_where_the_tool_divides_nothing_by_nothing_and_stops_the_preset_has_a_value() -> None:
    """ROC_at_k_auc at k = 1 with two entities at rank 1: (r - i) / (r + k - 2 i) is 0/0 for the first of them."""
    (row,) = [row for row in ROWS if row.value == "EXC"]
    assert (row.function, row.cutoff, RECORDED["ranks"][row.ranks][:2]) == ("ROC_at_k_auc", 1, [1.0, 1.0])
    assert measure_of(row)(hits_of(row)).tolist() == [0.0]


def test_lists_measured_together_have_the_values_they_have_alone() -> None:
    table = read_entity_ranks(FOLDER / "small_4x60.txt")
    groups = np.random.default_rng(1).integers(0, len(table), (40, 7))
    plain = [name for name in FUNCTIONS.values() if "{}" not in name and "scale" not in name]
    names = [*plain, "P@9", "R@30", "AP@100", "nDCG@100", "AUC@500", "P@recall=0.3", "nDCG@recall=0.7"]
    for measure in parse_measures(names, PRESET.parameters, PRESET.renames):
        together = measure(table.hits("S2", groups))
        alone = [measure(table.hits("S2", [group]))[0] for group in groups]
        assert together.tolist() == pytest.approx(alone, rel=1e-12, abs=1e-300, nan_ok=True), str(measure)
        assert not math.isnan(together[0]) or "Rank" in str(measure)
