"""A study that was interrupted goes on where it was, and only that one."""

from __future__ import annotations

import json
import os
from importlib import import_module

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits
from helpers.study_data import collection, made, normal_values, ranks_table

import rankscope as rs
from rankscope.errors import InputError, OutputError
from rankscope.io.core import write_arrays
from rankscope.stability.checkpoint import OUTCOME_MAGIC

study = rs.stability.study
TABLE = ranks_table(1)
ASKED = {"splits": [4, 6], "iterations": 6, "n_resamples": 20, "measures": ["AP", "MeanRank"], "rng": 3}


def rows(found):
    return list(map(repr, found.records()))


def listing(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Stop(Exception):
    pass


def stop_after(n):
    """Ends the study by an exception once so many units are done. Two units of 5 iterations are one condition."""
    count = iter(range(n))

    def tell(_):
        if next(count, None) is None:
            raise Stop

    return tell


@pytest.mark.parametrize("units", [0, 2, 3])
def test_an_interrupted_study_that_is_continued_is_as_one_that_was_not(tmp_path, units):
    with pytest.raises(Stop):
        study(TABLE, **ASKED, checkpoint=tmp_path / "c", progress=stop_after(units))
    saved = {path.name for path in (tmp_path / "c").glob("*.arrays")}
    assert len(saved) == units // 2
    before = listing(tmp_path / "c")
    found = study(TABLE, **ASKED, checkpoint=tmp_path / "c")
    assert_same_bits(rows(found), rows(study(TABLE, **ASKED)))
    assert str(found) == str(study(TABLE, **ASKED))
    after = listing(tmp_path / "c")
    assert {name: after[name] for name in before} == before  # what was finished is not computed again
    assert len(after) == 3


def test_what_is_saved_is_read_and_not_computed_again(tmp_path, monkeypatch):
    first = study(TABLE, **ASKED, checkpoint=tmp_path)
    monkeypatch.setattr(import_module("rankscope.stability.studies"), "measure_unit", None)
    assert_same_bits(rows(study(TABLE, **ASKED, checkpoint=str(tmp_path))), rows(first))
    order = {**ASKED, "splits": [6]}
    assert {*rows(study(TABLE, **order, checkpoint=tmp_path))} < {*rows(first)}


def test_without_a_seed_that_of_the_checkpoint_is_taken(tmp_path):
    asked = {**ASKED, "rng": None}
    with pytest.raises(Stop):
        study(TABLE, **asked, checkpoint=tmp_path, progress=stop_after(3))
    seed = json.loads((tmp_path / "study.json").read_text())["seed"]
    found = study(TABLE, **asked, checkpoint=tmp_path)
    assert found.settings.seed == seed
    assert_same_bits(rows(found), rows(study(TABLE, **{**ASKED, "rng": seed})))


def test_what_is_shown_may_change(tmp_path):
    study(TABLE, **ASKED, checkpoint=tmp_path)
    for more in ({"swap": True}, {"swap_sets": "disjoint"}, {"error_tie": False}):
        found = study(TABLE, **ASKED, **more, checkpoint=tmp_path)
        assert_same_bits(rows(found), rows(study(TABLE, **ASKED, **more)))


CHANGED = {
    "seed": {"rng": 4},
    "alpha": {"alpha": 0.05},
    "fuzz": {"fuzz": 0.1},
    "iterations": {"iterations": 7},
    "n_resamples": {"n_resamples": 21},
    "measures": {"measures": ["AP"]},
    "measures by preset": {"preset": "dunaiski", "alpha": [0.01, 0.05, 0.1]},
    "measures by total": {"total_ranks": 5000},
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_checkpoint_of_other_settings_is_refused_and_left_as_it_is(tmp_path, what):
    study(TABLE, **ASKED, checkpoint=tmp_path)
    before = listing(tmp_path)
    with pytest.raises(InputError) as caught:
        study(TABLE, **{**ASKED, **CHANGED[what]}, checkpoint=tmp_path)
    assert mentions(caught.value, "another study", what.split()[0], "another folder")
    assert "\n" not in str(caught.value)
    assert listing(tmp_path) == before


def test_a_checkpoint_of_other_data_is_refused(tmp_path):
    study(TABLE, **ASKED, checkpoint=tmp_path)
    before = listing(tmp_path)
    ranks = np.array(TABLE.ranks)
    ranks[0, [0, 1]] = ranks[0, [1, 0]]
    names = {"systems": TABLE.systems, "entity_ids": TABLE.entity_ids}
    for other in (
        rs.EntityRanks(ranks=ranks, **names),
        rs.EntityRanks(ranks=TABLE.ranks, **{**names, "systems": ["S0", "S2", "S1"]}),
    ):
        with pytest.raises(InputError, match="another study"):
            study(other, **ASKED, checkpoint=tmp_path)
    assert listing(tmp_path) == before


def test_scores_do_not_go_on_where_judgments_were_since_they_know_less(tmp_path):
    qrels, runs = collection()
    asked = {"measures": ["AP", "RR"], "iterations": 3, "n_resamples": 20, "rng": 1}
    study(qrels, runs, **asked, checkpoint=tmp_path)
    study(qrels, runs, **asked, checkpoint=tmp_path)
    with pytest.raises(InputError, match="another study"):
        study(rs.evaluate(qrels, runs, ["AP", "RR"]), **asked, checkpoint=tmp_path)


def test_values_that_are_nan_are_the_same_data(tmp_path):
    values = normal_values(np.random.default_rng(1), [0.2, 0.4, 0.5], 14)
    values[0, 0, 3] = np.nan
    asked = {"iterations": 3, "n_resamples": 20, "rng": 1}
    first = study(made(values), **asked, checkpoint=tmp_path)
    assert_same_bits(rows(study(made(values), **asked, checkpoint=tmp_path)), rows(first))


@pytest.mark.parametrize("damage", [b"", b"no archive", "half", "names"])
def test_a_damaged_file_is_named_and_can_be_removed(tmp_path, damage):
    study(TABLE, **ASKED, checkpoint=tmp_path)
    path = tmp_path / "splits6-systems3-entities60.arrays"
    good = path.read_bytes()
    if damage == "names":
        write_arrays(path, OUTCOME_MAGIC, {"error": np.zeros(3)})
    else:
        path.write_bytes(good[: len(good) // 2] if damage == "half" else damage)
    with pytest.raises(InputError) as caught:
        study(TABLE, **ASKED, checkpoint=tmp_path)
    assert str(caught.value).startswith(f"{path}: ")
    assert mentions(caught.value, "damaged", "remove")
    path.unlink()
    assert_same_bits(rows(study(TABLE, **ASKED, checkpoint=tmp_path)), rows(study(TABLE, **ASKED)))


@pytest.mark.parametrize("content", ["", "{", "[]", "3", "\xff"])
def test_a_damaged_head_is_refused(tmp_path, content):
    (tmp_path / "study.json").write_text(content, "latin-1")
    with pytest.raises(InputError, match=r"study\.json: .*(not JSON|to a checkpoint)"):
        study(TABLE, **ASKED, checkpoint=tmp_path)
    assert (tmp_path / "study.json").read_text("latin-1") == content


def test_a_folder_that_holds_something_else_is_refused_and_an_empty_one_is_not(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match=r"\bnot empty\b.*\bnot a checkpoint\b"):
        study(TABLE, **ASKED, checkpoint=tmp_path)
    assert listing(tmp_path) == {"thesis.tex": b"precious"}
    (tmp_path / "empty").mkdir()
    study(TABLE, **ASKED, checkpoint=tmp_path / "empty")
    study(TABLE, **ASKED, checkpoint=tmp_path / "new" / "deep")
    with pytest.raises(OutputError, match=r"thesis\.tex.*cannot create this folder"):
        study(TABLE, **ASKED, checkpoint=tmp_path / "thesis.tex")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError):
        study(TABLE, **ASKED, checkpoint=tmp_path / "c")


def test_nothing_is_made_for_a_study_that_is_refused(tmp_path):
    for wrong in ({"splits": 99}, {"measures": ["nDGC"]}):
        with pytest.raises(ValueError, match=r"\S"):
            study(TABLE, **{**ASKED, **wrong}, checkpoint=tmp_path / "c")
    assert not (tmp_path / "c").exists()
