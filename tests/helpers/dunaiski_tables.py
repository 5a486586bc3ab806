"""Tables of ranks, a quick experiment on them, and how the output of `rankscope dunaiski` is taken apart."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.paths import TESTS

import rankscope as rs
from rankscope.compat.dunaiski import dunaiski_study, dunaiski_table, name_measures
from rankscope.stability import StabilityStudy

__all__ = [
    "CHATTER",
    "QUICK",
    "REFERENCE",
    "SIGNS",
    "blocks",
    "few_entities",
    "marks",
    "quick",
    "rates",
    "small",
    "table",
    "tables",
]

REFERENCE = TESTS / "reference" / "dunaiski"
#: The tool's nine measures, and whether it takes higher for better.
SIGNS = {named.name: named.sign for named in name_measures()}
QUICK = ("-i", 4, "-b", 50, "-s", 1)
#: What stands on standard error.
CHATTER = re.compile(r"Computation overview:\n(.*\n)*DONE! Total time: \S+\n")


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with two tables of ranks."""
    shutil.copy(REFERENCE / "small_4x60.txt", tmp_path)
    (tmp_path / "testranks.txt").write_text(few_entities())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def few_entities() -> str:
    """A table as small as the tool's own example, made up: five systems, 14 entities, ties and fractions among them."""
    rng = np.random.default_rng(14)
    ranks = np.round(np.exp(rng.normal(5, 1.5, (14, 5)))) + 1
    ranks[3:5, 1] = 17.5
    lines = ["\t".join(["entity", *(f"System{i}" for i in range(1, 6))])]
    lines += ["\t".join([f"Entity{i}", *(f"{rank:g}" for rank in row)]) for i, row in enumerate(ranks, 1)]
    return "\n".join(lines) + "\n"


def blocks(text: str) -> dict[str, list[list[str]]]:
    """The parts of an output by what they begin with: lines of fields."""
    head, _, rest = text.partition("\n")
    assert head == "Results:"
    parts = [[line.split("\t") for line in part.split("\n")] for part in rest.removesuffix("\n\n").split("\n\n")]
    return {part[0][0]: part for part in parts}


def rates(text: str) -> dict[tuple[str, str], dict[str, str]]:
    """The rows of the first part, by measure and level."""
    head, *rows = blocks(text)["method"]
    return {(row[0], row[7]): dict(zip(head, row, strict=True)) for row in rows}


def marks(text: str, name: str) -> list[list[str]]:
    """A matrix without its heads."""
    parts = text.removeprefix("Results:\n").split("\n\n")
    part = [[line.split("\t") for line in part.split("\n")] for part in parts]
    (found,) = [lines for lines in part if lines[0][0] == name and lines[0][1].startswith("Significance")]
    return [row[1:] for row in found[2:]]


def table(ranks: Any, **options: Any) -> rs.EntityRanks:
    ranks = np.asarray(ranks, float)
    systems = [f"S{i}" for i in range(1, len(ranks) + 1)]
    return rs.EntityRanks(
        ranks=ranks, systems=systems, entity_ids=[f"e{i}" for i in range(ranks.shape[1])], min_rank=0, **options
    )


def small() -> rs.EntityRanks:
    return dunaiski_table(REFERENCE / "small_4x60.txt")


def quick(data: rs.EntityRanks, **options: Any) -> StabilityStudy:
    return dunaiski_study(data, **{"iterations": 6, "n_resamples": 80, "rng": 1, "alpha": 0.05, **options})
