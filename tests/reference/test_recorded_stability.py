"""The statistics of the preset `dunaiski` against what its tool computed, for the same groups and resamples."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from rankscope import EntityRanks, Measure, read_entity_ranks
from rankscope.compat.dunaiski import coded_measure
from rankscope.kernels.resample import counts_of
from rankscope.stability.dunaiski import dunaiski_error_and_ties, dunaiski_levels, dunaiski_swap_difference
from rankscope.stability.sampling import Entities
from rankscope.stats import t_test

FOLDER = Path(__file__).resolve().parent / "dunaiski"
#: Where a table that is not ours may lie: beside the repository.
SHARED = Path(os.environ.get("RANKSCOPE_SPEC") or FOLDER.parents[3] / "shared" / "spec") / "dunaiski"
RECORDED = json.loads((FOLDER / "stability_cases.json").read_text("utf-8"))
#: What the tool's own script calls its measures -> function, cutoff, and 1, or -1 where lower is better.
MEASURES = {
    "Recall@500": ("Recall_at_k", 500, 1),
    "AP@Avg": ("AP_at_avg", None, 1),
    "nDCG": ("NDCG", None, 1),
    "Average": ("Average", None, -1),
}


class Case(NamedTuple):
    """A recorded case: the tool's numbers, and what they were computed from.

    values: (systems, queries) the recorded scores, better is greater. draws: (2, resamples, queries) both samples.
    """

    said: dict[str, Any]
    measure: Measure
    sign: int
    values: npt.NDArray[np.float64]
    draws: npt.NDArray[np.int64]
    groups: list[list[str]] | None

    @property
    def differences(self) -> npt.NDArray[np.float64]:
        first, second = np.triu_indices(len(self.values), 1)
        return self.values[first] - self.values[second]

    @property
    def name(self) -> str:
        return f"{self.said['file']}-{self.said['splits']}-{self.said['measure']}-{self.said['alpha']}"


def case_of(said: dict[str, Any]) -> Case:
    function, cutoff, sign = MEASURES[said["measure"]]
    key = f"{said['file']}/{said['splits']}"
    scores = RECORDED["scores"][f"{key}/{said['measure']}"]
    values = np.array([scores[system] for system in RECORDED["systems"][said["file"]]])
    draws = np.array([[list(map(int, draw)) for draw in said[name].split()] for name in ("draws1", "draws2")])
    return Case(said, coded_measure(function, cutoff), sign, sign * values, draws, RECORDED["queries"].get(key))


CASES = [case_of(said) for said in RECORDED["cases"]]
EVERY = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
WITH_TABLE = [case for case in CASES if case.groups is not None]
OF_TABLES = pytest.mark.parametrize("case", WITH_TABLE, ids=[case.name for case in WITH_TABLE])


@cache
def table_of(file: str) -> EntityRanks:
    """The table with its systems in the order of the tool's dict."""
    path = next((folder / file for folder in (FOLDER, SHARED) if (folder / file).is_file()), None)
    if path is None:
        pytest.skip(f"{file} is not here: it ships with the tool; $RANKSCOPE_SPEC/dunaiski may have it")
    table = read_entity_ranks(path)
    order = RECORDED["systems"][file]
    ranks = table.ranks[[table.systems.index(system) for system in order]]
    return EntityRanks(ranks=ranks, systems=order, entity_ids=table.entity_ids)


def hits_of(case: Case) -> list[Any]:
    assert case.groups is not None
    table = table_of(case.said["file"])
    place = {entity: i for i, entity in enumerate(table.entity_ids)}
    groups = [[place[entity] for entity in group] for group in case.groups]
    return [table.hits(system, groups) for system in table.systems]


def close(value: Any) -> Any:
    return pytest.approx(float(value), rel=1e-9, abs=1e-9)


def test_there_are_24_cases_and_20_of_them_have_their_table() -> None:
    assert (len(CASES), len(WITH_TABLE)) == (24, 20)
    assert {case.said["measure"] for case in CASES} == set(MEASURES)
    assert all(case.draws.shape == (2, case.said["boot"], case.said["splits"]) for case in CASES)


@OF_TABLES
def test_values_by_group_and_the_share_of_entities_used(case: Case) -> None:
    hits = hits_of(case)
    found = np.array([case.sign * case.measure(one) for one in hits])
    assert found == pytest.approx(case.values, rel=1e-9, abs=1e-12)
    shares = [case.measure.used(one) / np.diff(one.offsets) for one in hits]
    assert 100 * np.mean(shares) == close(case.said["relRate"])


@EVERY
def test_bootstrap(case: Case) -> None:
    """Where all pairs are identical the tool finds all significant, which is mended; with 2 groups all t tie."""
    level = case.said["alpha"]
    counts = counts_of(case.draws[0], case.said["splits"])
    asl, needed = dunaiski_levels(case.differences, counts, (level,))
    identical = (case.differences == 0).all()
    assert 100 * np.mean(asl < level) == close(0.0 if identical else case.said["asl"])
    assert not identical or case.said["asl"] == 100
    if case.said["splits"] > 2:
        assert needed.max() == close(case.said["estDiff"])


def test_identical_systems_are_in_two_of_the_cases() -> None:
    assert [i for i, case in enumerate(CASES) if (case.differences == 0).all()] == [12, 16]


@EVERY
def test_swaps(case: Case) -> None:
    n = case.said["splits"]
    met = np.bincount((n * case.draws[0] + case.draws[1]).ravel(), minlength=n * n).reshape(n, n)
    found, lower = dunaiski_swap_difference(case.differences, met, (case.said["alpha"],))
    assert lower[0] == close(case.said["binValue"])
    assert found[0].tolist() == [close(case.said["swapMin"]), close(case.said["swapMax"])]


@EVERY
def test_error_tie_and_t_rates(case: Case) -> None:
    level = case.said["alpha"]
    error, tie = dunaiski_error_and_ties(case.values[None], level)
    assert [error[0], tie[0]] == [close(case.said["errRate"]), close(case.said["tieRate"])]
    assert 100 * np.mean(t_test(case.differences).pvalue <= level) == close(case.said["tRate"])


@OF_TABLES
def test_correlation(case: Case) -> None:
    table = table_of(case.said["file"])
    found = Entities(table, (), np.zeros(0)).dunaiski_correlation(np.arange(len(table.systems))[None])
    assert found[:2].tolist() == [close(value) for value in case.said["correlation"]]
