"""Planned looks: their levels, their file, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.gate_tables import made
from helpers.messages import mentions
from scipy import stats as oracle

from rankscope import Gate, Scores, gate
from rankscope.errors import InputError, ParameterError

RNG = np.random.default_rng(4)
VALUES = 0.5 + RNG.normal(0.0, 0.1, 200)
#: Bounds of five equal looks at one-sided .025, as published for spending like O'Brien and Fleming's, and Pocock's.
OBRIEN_FLEMING, POCOCK = (4.877, 3.357, 2.680, 2.290, 2.031), (2.438, 2.427, 2.410, 2.397, 2.386)


def look(path: Path, n: int, values: Any = VALUES, system: str = "new", **options: Any) -> Gate:
    """A look at the first queries."""
    new, old = made(values[:n], system=system), made(np.full(n, 0.5), system="old")
    return gate(new, old, looks_file=path, **{"margin": 0.02, "up_to": 200, **options})


@pytest.mark.parametrize(("spending", "bounds"), [("obrien-fleming", OBRIEN_FLEMING), ("pocock", POCOCK)])
@pytest.mark.parametrize("plan", [{"up_to": 200}, {"up_to": None, "looks": 5}])
def test_looks_have_the_published_levels(
    tmp_path: Path, spending: str, bounds: tuple[float, ...], plan: dict[str, Any]
) -> None:
    options = {**plan, "alpha": 0.025, "spending": spending}
    found = [look(tmp_path / "looks.json", n, **options)["AP"].decision.level for n in (40, 80, 120, 160, 200)]
    np.testing.assert_allclose(oracle.norm.isf(found), bounds, atol=2e-3)


def test_a_look_is_a_test_at_its_level(tmp_path: Path) -> None:
    """Published bounds of looks at half and at all, spent like O'Brien and Fleming at one-sided .05: 2.538, 1.662."""
    path = tmp_path / "looks.json"
    first, second = look(path, 100), look(path, 200)
    assert first["AP"].decision.level == pytest.approx(oracle.norm.sf(2.538), abs=2e-5)
    assert second["AP"].decision.level == pytest.approx(oracle.norm.sf(1.662), abs=1e-4)
    for found, n in ((first, 100), (second, 200)):
        expected = oracle.ttest_1samp(VALUES[:n] - 0.5, -0.02, alternative="greater").pvalue
        assert found["AP"].decision.pvalue_noninferior == pytest.approx(expected)
        assert (found.verdict == "pass") == (expected <= found["AP"].decision.level)
    assert mentions(first.sections()[0].sentence, "Look 1, at 100 of at most 200 queries", "obrien-fleming")
    assert mentions(second.signature(), "up_to:200,obrien-fleming", "look:2")


def test_the_same_look_again_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "looks.json"
    first = look(path, 60)
    content = path.read_bytes()
    again = look(path, 60)
    assert path.read_bytes() == content
    assert again["AP"].decision.level == first["AP"].decision.level
    assert mentions(again.sections()[0].sentence, "by this same look taken before")
    look(path, 90)
    entry = json.loads(path.read_text())["systems"]["new"]
    assert [len(one["queries"]) for one in entry["looks"]] == [60, 30]
    assert entry["looks"][1]["parts"][0]["n"] == 90
    assert entry["looks"][0]["spent"] < entry["looks"][1]["spent"] < 0.05


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"values": VALUES + np.r_[1e-3, np.zeros(199)]}, ("AP of new", "changed on 1 of the 60 queries", "q0")),
        ({"n": 40}, ("20 of the 60 queries", "are gone", "q40")),
        ({"margin": 0.03}, ("margins", "AP 0.02", "AP 0.03")),
        ({"alpha": 0.1}, ("alpha of new was 0.05", "0.1 now")),
        ({"test": "bootstrap"}, ("test of new was t", "bootstrap")),
        ({"spending": "pocock"}, ("spending", "pocock")),
        ({"up_to": 300}, ("up_to", "300")),
        ({"up_to": None, "looks": 4}, ("up_to", "not set")),
    ],
)
def test_another_look_than_planned_is_refused(tmp_path: Path, change: dict[str, Any], words: tuple[str, ...]) -> None:
    path = tmp_path / "looks.json"
    look(path, 60)
    content = path.read_bytes()
    with pytest.raises((InputError, ParameterError)) as error:
        look(path, **{"n": 90, **change})
    assert mentions(str(error.value), "looks.json", *words)
    assert path.read_bytes() == content


def test_no_more_looks_or_queries_than_planned(tmp_path: Path) -> None:
    path = tmp_path / "looks.json"
    for n in (40, 80):
        look(path, n, up_to=None, looks=2)
    with pytest.raises(ParameterError, match=r"2 looks were planned .*--looks"):
        look(path, 120, up_to=None, looks=2)
    with pytest.raises(ParameterError, match=r"--up-to 100 .*largest number of queries.* 120"):
        look(tmp_path / "more.json", 120, up_to=100)


def test_systems_of_one_file_have_looks_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "looks.json"
    look(path, 60)
    assert look(path, 80, system="other").looks.number == 1  # type: ignore[union-attr]
    assert look(path, 90).looks.number == 2  # type: ignore[union-attr]
    assert set(json.loads(path.read_text())["systems"]) == {"new", "other"}


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"looks of rankscope gate": 1}', '{"systems": {}}', "q 0 d 1"])
def test_another_file_is_refused_and_stays(tmp_path: Path, content: str) -> None:
    path = tmp_path / "looks.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"looks\.json: not a file of looks"):
        look(path, 60)
    assert path.read_text() == content


def test_a_damaged_or_newer_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "looks.json"
    look(path, 60)
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "looks of rankscope gate": 2}))
    with pytest.raises(InputError, match="form 2, expected form 1"):
        look(path, 60)
    del content["systems"]["new"]["looks"][0]["parts"][0]["n"]
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="damaged"):
        look(path, 60)


def test_planned_looks_need_a_file_and_a_file_needs_looks() -> None:
    new, old = made(VALUES), made(np.full(200, 0.5), system="old")
    with pytest.raises(ParameterError, match=r"looks_file \(--looks-file\)"):
        gate(new, old, margin=0.02, looks=3)
    with pytest.raises(ParameterError, match=r"looks_file \(--looks-file\) is for planned looks"):
        gate(new, old, margin=0.02, looks_file="looks.json")


def test_bets_may_go_on_with_their_file(tmp_path: Path) -> None:
    """The order of bets is kept: the earlier queries first, so that p is that of the first look, or less evidence."""
    path = tmp_path / "bets.json"
    values = np.clip(0.5 + np.random.default_rng(0).normal(0.12, 0.2, 200), 0, 1)
    options = {"test": "betting", "up_to": None}
    pvalues = [look(path, n, values, **options)["AP"].decision.pvalue_noninferior for n in (50, 100, 200)]
    assert pvalues == sorted(pvalues, reverse=True)  # p is the least so far, whatever comes
    entry = json.loads(path.read_text())["systems"]["new"]
    assert [one["spent"] for one in entry["looks"]] == [None] * 3
    assert look(path, 200, values, **options).verdict == "pass"


def test_without_a_plan_the_next_look_is_priced() -> None:
    found = gate(made(VALUES[:50]), made(np.full(50, 0.5), system="old"), margin=0.005)
    sentence = found.sections()[0].sentence
    assert found.verdict == "undecided"
    assert mentions(sentence, "one look at level 0.05", "8 of 100", "13 at the fifth", "fresh queries", "--up-to")
    assert f"{found['AP'].decision.n_fresh:,} fresh queries" in sentence


def test_groups_have_levels_of_their_own(tmp_path: Path) -> None:
    def grouped(values: Any, system: str) -> Scores:
        ids = [f"q{i}" for i in range(len(values))]
        frame = {"query": ids, "group": ["head" if i % 2 else "tail" for i in range(len(values))]}
        return made(values, system=system).with_queries(frame, group="group")

    found = gate(
        grouped(VALUES[:100], "new"),
        grouped(np.full(100, 0.5), "old"),
        margin=0.02,
        by_group=0.05,
        up_to=200,
        looks_file=tmp_path / "looks.json",
    )
    levels = {name: part.decision.level for name, part in found["AP"].parts.items()}
    assert set(levels) == {"head", "tail", "all"}
    assert len(set(levels.values())) == 1  # half of what is planned in each
    parts = json.loads((tmp_path / "looks.json").read_text())["systems"]["new"]["looks"][0]["parts"]
    assert {part["group"] for part in parts} == {"head", "tail", "all"}
