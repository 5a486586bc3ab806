"""No golden table holds a number that lies so near to a rounding edge that another processor would print another digit.

Where a case fails after golden files were written anew: give it another seed, another measure or other numbers.
"""

from __future__ import annotations

import ast
import json
import math
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.golden import COLLECTION, output_format
from helpers.golden_records import RECORDS
from helpers.rounded_numbers import ROUNDS, Rewritten, flips, in_full, near_an_edge, rounded, rounded_by

FOLDER = Path(__file__).parent
MODULES = {path.stem: import_module(f"golden.{path.stem}") for path in sorted(FOLDER.glob("test_golden*.py"))}
#: (module, name of the golden file) -> the command, for all that is printed for people.
COMMANDS = {
    (stem, name): (*module.COMMAND, *args)
    for stem, module in MODULES.items()
    for name, args in module.CASES.items()
    if output_format(args) not in RECORDS
}


@pytest.fixture(scope="module")
def results() -> dict[tuple[str, str], dict[str, Any]]:
    """What each command prints, and which of its numbers are near an edge."""
    path = os.pathsep.join([str(FOLDER.parent), *filter(None, sys.path)])
    run = subprocess.run(
        [sys.executable, "-m", "helpers.rounded_numbers"],
        input=json.dumps(list(COMMANDS.values())),
        env={**os.environ, "PYTHONPATH": path},
        cwd=COLLECTION,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    return dict(zip(COMMANDS, json.loads(run.stdout), strict=True))


@pytest.mark.parametrize(("stem", "name"), COMMANDS)
def test_no_number_of_a_golden_table_would_flip(
    stem: str, name: str, results: dict[tuple[str, str], dict[str, Any]]
) -> None:
    result = results[stem, name]
    lines = result["text"].splitlines()
    cells = [
        f"{text} ({value!r}, by {place}) in {next((line for line in lines if text in line), 'a sentence')!r}"
        for place, text, value in result["near"]
    ]
    assert not cells, f"{stem} {name}: near a rounding edge: {'; '.join(cells)}"


def test_all_rounded_numbers_are_seen(results: dict[tuple[str, str], dict[str, Any]]) -> None:
    """The commands print what they print without being watched."""
    for stem, name in (("test_golden", "default.txt"), ("test_golden_compare", "details.txt")):
        golden = (MODULES[stem].EXPECTED / name).read_text(encoding="utf-8")
        text = results[stem, name]["text"].splitlines()
        assert len(text) == len(golden.splitlines())
        assert [line for line in text if "rankscope" not in line] == [
            line for line in golden.splitlines() if "rankscope" not in line
        ]


def numbers_near_an_edge(source: str, **values: float) -> list[tuple[str, str, float]]:
    """Of a module's source, rewritten and run."""
    near_an_edge.clear()
    assert ROUNDS.search(source) or source == "f'{x}'"
    names = {"__rounded__": rounded, "__rounded_by__": rounded_by, "np": np, **values}
    exec(compile(Rewritten("module").visit(ast.parse(source)), "module", "exec"), names)
    return list(near_an_edge)


@pytest.mark.parametrize(
    ("source", "value", "text"),
    [
        ("f'{x:.4f}'", 0.83125, "0.8313"),  # 3.325 / 4
        ("f'{x:.4f}'", 0.12345 * (1 + 5e-10), "0.1235"),
        ("f'{x:.4f}'", 0.12345 * (1 - 5e-10), "0.1234"),
        ("f'a {x:+.2f} b'", -0.005, "-0.01"),
        ("f'{x:.1%}'", 0.1235, "12.3%"),
        ("f'{x:.3g}'", 12350000.0 - 5e-4, "1.23e+07"),
        ("f'{x:+.4f}'", 1e-17, "+0.0000"),  # or -0.0000
        ("f'{x:.12g}'", 1 / 3, "0.333333333333"),  # in full: no table holds still with it
        ("digits = 4\nf'{x:.{digits}f}'", 0.00005, "0.0001"),
        ("round(x, 4)", 0.83125, "0.8313"),
        ("np.round(np.array([0.1, x]), 2)", 0.705, "0.7"),
    ],
)
def test_a_number_near_an_edge_is_found(source: str, value: float, text: str) -> None:
    line = 1 + source.count("\n")
    assert numbers_near_an_edge(source, x=value) == [(f"module:{line}", text, value)]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("f'{x:.4f}'", 0.83124),
        ("f'{x:.4f}'", 0.12345 * (1 + 5e-9)),
        ("f'{x:.4f}'", 0.34375),  # 11/32, the sum of halves and quarters: the same on every machine
        ("f'{x:.4f}'", 0.0),
        ("f'{x:.4f}'", math.nan),
        ("f'{x:.12g}'", 0.05),  # a setting
        ("f'{x}'", 1 / 3),  # compared elsewhere: no rounding
        ("round(x, 9)", 1 / 3),  # so that the last bits decide nothing
        ("round(x)", 0.3),
        ("f'{x!r:>9}'", 0.83125),
    ],
)
def test_others_are_not(source: str, value: float) -> None:
    assert numbers_near_an_edge(source, x=value) == []


def test_a_rounded_number_is_what_it_was() -> None:
    assert rounded(0.83125, "+.4f", "") == "+0.8313"
    assert rounded(7, ">3", "") == "  7"
    assert rounded_by(round, 0.83125, 4, "") == 0.8313
    assert rounded_by(np.round, np.array([0.125, 2.0]), 2, "").tolist() == [0.12, 2.0]
    assert in_full(".15g")
    assert not in_full(".4f")
    assert not flips(7.5, str, full=True)
