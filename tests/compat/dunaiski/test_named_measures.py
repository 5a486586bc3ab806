"""Measures in the place of the tool's nine: `--measures`, `--cutoffs`, and a Python file with a dictionary."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.dunaiski_tables import QUICK, REFERENCE, blocks, marks, rates, small
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.compat.dunaiski import dunaiski, dunaiski_study, dunaiski_table, name_measures
from rankscope.errors import ParameterError
from rankscope.measures import MEASURES

CALL = ("dunaiski", *QUICK, "-f", "small_4x60.txt", "--sigs", ".05")
OWN = """
import numpy as np
import rankscope as rs

@rs.define_measure("DeepestHere", range=(0, np.inf), higher_is_better=False)
def deepest(hits, *, cutoff=1000):
    "Rank of the last entity."
    return np.array([hits.rank[hits.query == query].max() for query in range(len(hits))])

MEASURES = {"precision": "P@k", "deepest": "DeepestHere", "plain nDCG": rs.parse_measure("nDCG@20")}
"""


def test_measures_at_each_cutoff_have_the_tools_columns(cli: Callable[..., Any], tables: Path) -> None:
    done = cli(*CALL, "--measures", "P@k", "AP_at_n", "Average@10", "early=nDCG@5", "--cutoffs", 5, 20)
    assert done.code == 0, done.err
    head, *rows = blocks(done.out)["method"]
    assert [(row[0], row[1], row[head.index("cutoff")]) for row in rows] == [
        *(("P", "P", "5"), ("AP_at_n", "AP_at_n", "5"), ("early", "early", "5")),
        ("Average@10", "Average@10", "10"),
        *(("P", "P", "20"), ("AP_at_n", "AP_at_n", "20")),
    ]
    names = ["P@5", "P@20", "AP_at_n@5", "AP_at_n@20", "Average@10", "early"]
    assert [row[0] for row in blocks(done.out)["Measure"][1:]] == names
    assert all(len(marks(done.out, name)) == 4 for name in names)


def test_values_and_rates_are_those_of_the_same_measures_elsewhere(cli: Callable[..., Any], tables: Path) -> None:
    done = cli(*CALL, "--measures", "AP", "P@k", "--cutoffs", 10)
    actual = {row[0]: list(map(float, row[1:])) for row in blocks(done.out)["Measure"][1:]}
    expected = rs.evaluate(small(), measures=["AP", "P@10"], preset="dunaiski")
    assert actual["AP"] == pytest.approx(expected.summary("DunaiskiAP").tolist(), rel=1e-12)
    assert actual["P@10"] == pytest.approx(expected.summary("DunaiskiP@10").tolist(), rel=1e-12)
    nine = cli(*CALL)
    assert rates(done.out)["AP", "0.050"] == rates(nine.out)["AP", "0.050"]  # draws do not depend on the measures


def test_the_function_gives_what_the_command_writes(cli: Callable[..., Any], tables: Path) -> None:
    done = cli(*CALL, "--measures", "first=MinRank", "R@k", "--cutoffs", 10, 50)
    options = {"iterations": 4, "n_resamples": 50, "rng": 1, "alpha": 0.05}
    measures = {"first": "MinRank", "R": "R@k"}
    assert_same_bits(done.out, dunaiski("small_4x60.txt", measures, cutoffs=[10, 50], **options))
    study = dunaiski_study(dunaiski_table("small_4x60.txt"), measures, cutoffs=[10, 50], **options)
    assert (study.names, [int(sign) for sign in study.signs]) == (
        ("MinRank", "DunaiskiR@10", "DunaiskiR@50"),
        [-1, 1, 1],
    )


def test_a_python_file_holds_a_dictionary_of_measures(cli: Callable[..., Any], tables: Path) -> None:
    (tables / "own.py").write_text(OWN)
    try:
        done = cli(*CALL, "--measures", "own.py", "--cutoffs", 5, 10, "-p", "actual", "-v")
        assert done.code == 0, done.err
        lines = blocks(done.out)["Measure"][1:]
        assert [row[0] for row in lines] == ["precision@5", "precision@10", "deepest", "plain nDCG"]
        assert [float(value) for value in lines[2][1:]] == small().ranks.max(axis=1).tolist()
        assert "deepest: DeepestHere@1000, lower counts as better\n" in done.err
    finally:
        MEASURES.pop("DeepestHere", None)
        sys.modules.pop("rankscope_measures_own", None)


BAD = {
    ("P@k",): "--cutoffs",
    ("P",): "cutoff, as in",
    ("AP", "--cutoffs", "10"): "P@k",
    ("Average_at_avgs",): "unknown measure",
    ("NumRet",): "NumRet neither higher nor lower",
    ("P@5", "precision=P@5"): "'P@5' and 'precision' are one measure",
    ("P@5", "P@5"): "two measures are called 'P@5'",
    ("=P@5",): "NAME=MEASURE",
    ("AP_buckets",): "-n N",
    ("none.py",): "none.py: no such file",
    ("fails.py",): "fails.py: ZeroDivisionError .*division by zero",
    ("empty.py",): "empty.py: no dictionary MEASURES",
    ("number.py",): "measure 'x' is 5",
    ("P@k", "--cutoffs", "0"): "argument --cutoffs: 0",
}


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_wrong_measures_are_told_in_one_line(cli: Callable[..., Any], tables: Path, arguments: tuple[str, ...]) -> None:
    for name, text in (("fails", "1 / 0"), ("empty", "MEASURES = {}"), ("number", "MEASURES = {'x': 5}")):
        (tables / f"{name}.py").write_text(text)
    done = cli(*CALL, "--measures", *arguments)
    assert (done.code, done.out) == (2, "")
    assert re.search(BAD[arguments], done.err.splitlines()[-1])


def test_the_nine_measures_are_the_default_and_keep_their_names() -> None:
    assert name_measures({"Average@10": "Average@10"}) == name_measures()[1:2]
    (renamed,) = name_measures({"x": "Average@10"})
    assert (renamed.label, renamed.sign) == ("x", -1)
    with pytest.raises(ParameterError, match="x"):
        name_measures({"x": 5})  # type: ignore[dict-item]
    assert dunaiski(REFERENCE / "small_4x60.txt", {"AP": "AP"}, printing="actual", iterations=1).startswith("Results:")
