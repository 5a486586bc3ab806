"""One measure under every named convention; LETOR's files as judgments and runs."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.paths import ROOT
from helpers.same import assert_same_numbers

import rankscope as rs
from rankscope.cli.main import cli
from rankscope.compat.letor import letor_values
from rankscope.measures.presets import PRESETS

MQ2008 = Path(os.environ.get("RANKSCOPE_DATA") or ROOT.parent / "shared" / "data") / "letor" / "MQ2008_Fold1"
FIGURES = {"letor4": 0.203, "letor-filled": 0.479, "burges": 0.471, "gdeval": 0.700, "lightgbm": 0.798}

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 0}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}, "q2": {"d": 1.0}}


def values(table: rs.ConventionTable) -> dict[str, float]:
    return {convention: value for _, convention, _, value, _ in table.rows}


@pytest.mark.skipif(not MQ2008.is_dir(), reason="the data of LETOR is not here")
def test_the_figures_that_are_known_of_one_and_the_same_file_are_met() -> None:
    """letor.md of the reference tools: NDCG@10 of RankLib1 on MQ2008, Fold1, from .20 to .80."""
    table = rs.compare_conventions(
        MQ2008 / "test.txt", MQ2008 / "predictions" / "RankLib1_test.txt", "nDCG@10", input="letor"
    )
    found = values(table)
    assert {name: round(found[name], 3) for name in FIGURES} == FIGURES


def test_each_convention_gives_what_evaluate_gives_under_its_preset() -> None:
    table = rs.compare_conventions(QRELS, RUN, "nDCG@10")
    assert table.rows[0][1] == "standard"
    for system, convention, measure, value, settings in table.rows:
        preset = None if convention == "standard" else convention
        scores = rs.evaluate(QRELS, RUN, "nDCG@10", preset=preset)
        assert (system, measure) == ("run", scores.measure_names[0])
        assert_same_numbers(value, scores.overall(measure))
        assert f"ties:{settings['ties']}" in scores.signature()
        assert f"no_relevant:{settings['no_relevant']}" in scores.signature()


def test_values_by_hand() -> None:
    """q1: gains 1, 2 (or 1, 3) in that order; q2 has nothing relevant. Lists of 3 and 1."""
    found = values(rs.compare_conventions(QRELS, RUN, "nDCG@2"))
    log = np.log2
    linear = (1 / log(2) + 2 / log(3)) / (2 / log(2) + 1 / log(3))
    exp = (1 / log(2) + 3 / log(3)) / (3 / log(2) + 1 / log(3))
    assert found["standard"] == pytest.approx(linear / 2)
    assert found["burges"] == pytest.approx(exp / 2)
    assert found["gdeval"] == pytest.approx(exp)
    assert found["lightgbm"] == pytest.approx((exp + 1) / 2)
    assert found["letor4"] == pytest.approx((1 + 3) / (3 + 1) / 2)  # ranks 1 and 2 are not discounted


def test_ap_and_p_have_conventions_too() -> None:
    of_both = values(rs.compare_conventions(QRELS, RUN, "P@2"))
    assert {"standard", "trec_eval", "trec_eval-9", "ir_measures", "letor3", "letor4"} < set(of_both)
    assert of_both == {**dict.fromkeys(of_both, 1 / 2), "mslr": 1 / 4}  # there grade 1 is not relevant
    found = values(rs.compare_conventions({"q": {"a": 1, "x": 1}}, {"q": {"a": 1.0}}, "AP"))
    assert (found["standard"], found["letor4"]) == (1 / 2, 1)


def test_a_convention_that_does_not_know_a_grade_is_left_out_with_a_note() -> None:
    table = rs.compare_conventions({"q": {"a": 3}}, {"q": {"a": 1.0}}, "nDCG@10")
    assert not {"letor3", "letor4"} & set(values(table))
    assert mentions(table.notes, "letor4", "grades", 2)
    assert "mslr" in values(table)


def test_what_the_name_says_holds_in_all_conventions() -> None:
    table = rs.compare_conventions(QRELS, RUN, "nDCG(gain='exp')@2")
    assert_same_numbers(values(table)["standard"], values(table)["burges"])


def test_several_systems_stand_side_by_side_and_the_frame_is_tidy() -> None:
    runs = [rs.Run(RUN, name="one"), rs.Run({"q1": {"a": 1.0}}, name="two")]
    table = rs.compare_conventions(QRELS, runs, "nDCG@10")
    head, first, *_ = table.cells()
    assert head[:3] == ["convention", "one", "two"]
    assert first[0] == "standard"
    frame = table.frame()
    assert frame.columns == list(table.columns)
    assert frame.height == len(table.rows)
    assert mentions(str(table).splitlines(), "note: two ", 1, 2)


def write(folder: Path) -> tuple[str, str]:
    labels = "2 qid:1 1:0.5 #docid = A inc = 1 prob = 1\n0 qid:1 1:0.2 #docid = B inc = 1 prob = 1\n1 qid:2 1:1\n"
    (folder / "test.txt").write_text(labels)
    (folder / "svm.txt").write_text("0.5\n0.5\n-1\n")
    return str(folder / "test.txt"), str(folder / "svm.txt")


class TestLetorFiles:
    def test_are_judgments_and_runs(self, tmp_path: Path) -> None:
        labels, predictions = write(tmp_path)
        scores = rs.evaluate(labels, predictions, ["P@1", "AP"], input="letor")
        assert scores.systems == ("svm",)
        assert scores.values.tolist() == [[[1, 1], [1, 1]]]
        assert "ties:file" in scores.signature()
        assert rs.evaluate(labels, predictions, "P@1", input="letor", ties="average").overall("P@1") == (1 / 2 + 1) / 2

    def test_ranks_are_positions_and_1_is_best(self, tmp_path: Path) -> None:
        labels, _ = write(tmp_path)
        (tmp_path / "ranks.txt").write_text("2\n1\n1\n")
        assert rs.evaluate(labels, str(tmp_path / "ranks.txt"), "P@1", input="letor-ranks").overall("P@1") == 1 / 2

    def test_a_preset_gives_what_the_script_gives(self, tmp_path: Path) -> None:
        labels, predictions = write(tmp_path)
        for preset in ("letor3", "letor4", "mslr"):
            scores = rs.evaluate(labels, predictions, ["nDCG@1", "nDCG@2", "P@1", "AP"], preset=preset, input="letor")
            there = letor_values(labels, predictions, preset=preset) if preset == "mslr" else None
            if there is not None:  # the others ask for a comment in every line
                assert scores.matrix("nDCG@1")[0].tolist() == there.ndcg[:, 0].tolist()
                assert scores.matrix("nDCG@2")[0].tolist() == there.ndcg[:, 1].tolist()
                assert scores.matrix("P@1")[0].tolist() == there.precision[:, 0].tolist()
            assert scores.matrix("nDCG@2")[0].tolist() == [1, 0]  # a list of one ends before rank 2

    def test_lengths_that_differ_and_objects_in_place_of_paths_are_refused(self, tmp_path: Path) -> None:
        labels, predictions = write(tmp_path)
        Path(predictions).write_text("1\n2\n")
        with pytest.raises(rs.InputError, match=r"svm.txt: 2 .*\b3 .*test\.txt"):
            rs.evaluate(labels, predictions, "AP", input="letor")
        with pytest.raises(rs.ParameterError, match="needs paths"):
            rs.evaluate(labels, {"1": {"A": 1.0}}, "AP", input="letor")

    def test_on_the_command_line(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        labels, predictions = write(tmp_path)
        cli.main(["evaluate", labels, predictions, "--input", "letor", "-m", "AP"], standalone_mode=False)
        assert capsys.readouterr().out.splitlines()[1].split() == ["svm", "1.0000"]


class TestConventionsOption:
    def run(self, tmp_path: Path, *arguments: str) -> None:
        labels, predictions = write(tmp_path)
        cli.main(["evaluate", labels, predictions, "--input", "letor", *arguments], standalone_mode=False)

    def test_prints_a_table(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.run(tmp_path, "--conventions", "nDCG@10")
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "nDCG@10 by convention"
        assert {line.split()[0] for line in lines[3:] if line} >= {"standard", "letor4", "lightgbm", "sklearn"}

    @pytest.mark.parametrize("format_", ["csv", "json", "jsonl", "markdown"])
    def test_has_formats_for_programs(self, format_: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.run(tmp_path, "--conventions", "nDCG@10", "--format", format_)
        text = capsys.readouterr().out
        if format_ == "csv":
            rows = list(csv.DictReader(io.StringIO(text)))
        elif format_ == "markdown":
            rows = [{"convention": line.split("|")[1].strip()} for line in text.splitlines()[2:] if "|" in line]
        else:
            rows = json.loads(text) if format_ == "json" else [json.loads(line) for line in text.splitlines()]
        assert {row["convention"] for row in rows} > {"standard", "gdeval"}

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            (("-m", "AP"), r"^--conventions .*--measure"),
            (("--by-query",), r"^--conventions .*--by-query"),
            (("--preset", "letor4"), "^preset is 'letor4', and each convention"),
            (("--ties", "file"), "^ties is 'file', and each convention"),
            (("--unjudged", "skip"), "^unjudged is 'skip', and each convention"),
        ],
    )
    def test_stands_alone(self, more: tuple[str, ...], message: str, tmp_path: Path) -> None:
        with pytest.raises(rs.ParameterError, match=message):
            self.run(tmp_path, "--conventions", "nDCG@10", *more)

    def test_refuses_a_format_that_it_has_not(self, tmp_path: Path) -> None:
        with pytest.raises(rs.ParameterError, match=r"--conventions .*'trec'"):
            self.run(tmp_path, "--conventions", "nDCG@10", "--format", "trec")


def test_every_preset_says_what_it_is_and_can_be_used() -> None:
    for name, preset in PRESETS.items():
        assert preset.tool
        if name != "dunaiski":  # of tables of ranks
            rs.evaluate(QRELS, RUN, [m for m in preset.measures if m != "iprec_at_recall"], preset=name)
