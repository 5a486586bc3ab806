"""LETOR's evaluation tools: what the perl scripts printed, byte for byte, on made-up inputs and on MQ2008."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import cli

import rankscope as rs
from rankscope import read_letor
from rankscope.compat.letor import letor_score, letor_values

__all__ = ["cli"]

FOLDER = Path(__file__).resolve().parent / "letor"
CASES = sorted(path.parent.name for path in FOLDER.glob("*/meta.json"))
PRESETS = {"Eval-Score-3.0.pl": "letor3", "Eval-Score-4.0.pl": "letor4", "Eval-Score-MSLR.pl": "mslr"}
MODELS = [f"RankLib{i}" for i in range(1, 21)]


@pytest.fixture(scope="session")
def mq2008(data: Path) -> Path:
    """Fold 1 of LETOR 4.0's MQ2008: labels, predictions of 20 models, and what Eval-Score-4.0.pl gave for them."""
    folder = data / "letor" / "MQ2008_Fold1"
    if not (folder / "test.txt").is_file():
        pytest.skip(f"no MQ2008_Fold1 in the folder letor of the real data ({data.name})")
    return folder


def test_all_cases_are_here() -> None:
    assert len(CASES) == 8


@pytest.mark.parametrize("flag", ["0", "1"])
@pytest.mark.parametrize("case", CASES)
def test_each_recorded_case_is_reproduced(
    cli: Callable[..., Any], case: str, flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file, the exit code, and what is printed where."""
    monkeypatch.chdir(FOLDER)  # the messages name the files as they were named
    recorded = json.loads((FOLDER / case / "meta.json").read_text())
    out, expected = tmp_path / "out", FOLDER / case / f"out.flag{flag}.txt"
    preset = PRESETS[recorded["script"]]
    done = cli("letor", "score", "--preset", preset, f"{case}/test.txt", f"{case}/pred.txt", out, flag)
    assert done == (recorded[f"rc{flag}"], recorded[f"stdout{flag}"], recorded[f"stderr{flag}"])
    assert out.exists() == expected.exists()
    if expected.exists():
        assert out.read_bytes() == expected.read_bytes()


@pytest.mark.parametrize("part", ["test", "vali"])
@pytest.mark.parametrize("model", MODELS)
def test_each_published_output_is_reproduced(mq2008: Path, model: str, part: str) -> None:
    ours = letor_score(mq2008 / f"{part}.txt", mq2008 / "predictions" / f"{model}_{part}.txt")
    assert ours.encode() == (mq2008 / "eval-score-4.0" / f"perf_{part}_{model}.txt").read_bytes()


def test_conventions_move_one_number_from_a_fifth_to_four_fifths(mq2008: Path) -> None:
    """NDCG@10 of one file of predictions: 76 of 156 queries have fewer than 10 documents, 51 none that is relevant."""
    files = mq2008 / "test.txt", mq2008 / "predictions" / "RankLib1_test.txt"
    script = letor_values(*files)
    assert (script.lengths < 10).sum() == 76
    assert (script.average_precision == 0).sum() == 51
    assert script.ndcg[:, 9].mean() == pytest.approx(0.203, abs=5e-4)
    log2, script_discount = "nDCG(gain='exp', ideal='listed')@10", "nDCG(gain='exp', discount='jk', ideal='listed')@10"

    def here(measure: str, **options: Any) -> float:
        scores = rs.evaluate(*read_letor(*files), measure, ties="file", **options)
        return scores.overall(scores.measure_names[0])

    assert here(script_discount) == pytest.approx(0.479, abs=5e-4)
    assert here(log2) == pytest.approx(0.471, abs=5e-4)
    assert here(log2, no_relevant="drop") == pytest.approx(0.700, abs=5e-4)
    assert here(log2, no_relevant="one") == pytest.approx(0.798, abs=5e-4)


@pytest.mark.parametrize("model", MODELS[:3])
def test_our_measures_give_what_the_script_gives_where_both_are_defined(mq2008: Path, model: str) -> None:
    """P and AP everywhere, nDCG within the lists."""
    files = mq2008 / "test.txt", mq2008 / "predictions" / f"{model}_test.txt"
    script = letor_values(*files)
    at = range(1, 11)
    names = [f"P@{n}" for n in at] + [f"nDCG(gain='exp', discount='jk', ideal='listed')@{n}" for n in at] + ["AP"]
    scores = rs.evaluate(*read_letor(*files), names, ties="file")
    order = [scores.query_ids.index(query) for query in script.query_ids]
    ours = scores.values[0][:, order]
    assert abs(ours[:10].T - script.precision).max() < 1e-12
    inside = script.lengths[:, None] >= list(at)
    assert abs(ours[10:20].T - script.ndcg)[inside].max() < 1e-12
    assert not script.ndcg[~inside].any()
    assert abs(ours[20] - script.average_precision).max() < 1e-12
