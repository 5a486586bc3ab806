"""What `estimate` found: numbers by measure, system and pair, the tidy table, and what a report shows of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.sections import Section, as_text, tidy_frame
from rankscope.data.wording import pluralise
from rankscope.errors import UnknownName
from rankscope.judging.estimated_shown import differences_section, systems_section
from rankscope.stats.prediction_powered import PredictionPowered

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Estimates", "MeasureEstimates"]

COLUMNS = (
    "measure",
    "system_a",
    "system_b",
    "estimate",
    "value",
    "low",
    "high",
    "weight",
    "n_queries",
    "n_effective",
)
NO_VALUE = float("nan")


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureEstimates:
    """By one measure. of_systems: arrays (systems); of_pairs: (pairs), the first system less the second, None where
    there is no pair. sign: 1 where higher is better, -1 where lower is, 0 where neither.
    """

    measure: str
    sign: int
    systems: tuple[str, ...]
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    of_systems: PredictionPowered
    of_pairs: PredictionPowered | None
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimates:
    """What `estimate` found.

    `found["nDCG@10"]` are the numbers of one measure. `frame()` is the tidy table: measure, system_a, system_b (empty
    for a system by itself; else the difference a - b), estimate (human, machine, bias, combined), value, low, high,
    weight (of the machine, in the combined), n_queries (that the row rests on), n_effective (of the combined: how many
    queries judged by people alone would be as sure). `print` shows sentences and tables.
    """

    parts: tuple[MeasureEstimates, ...]
    baseline: str | None
    names: tuple[str, str]
    confidence_level: float
    tuned: bool
    measured: str
    notes: tuple[str, ...]

    def __getitem__(self, measure: str) -> MeasureEstimates:
        for part in self.parts:
            if part.measure == measure:
                return part
        raise UnknownName("measure of these estimates", str(measure), [part.measure for part in self.parts])

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        return COLUMNS

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table; NaN where there is no value."""
        for part in self.parts:
            for s, system in enumerate(part.systems):
                yield from rows_of(part.measure, system, "", part.of_systems, s)
            if part.of_pairs is not None:
                for i, (a, b) in enumerate(zip(part.first.tolist(), part.second.tolist(), strict=True)):
                    yield from rows_of(part.measure, part.systems[a], part.systems[b], part.of_pairs, i)

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no value."""
        return tidy_frame(self)

    def sections(self) -> list[Section]:
        """For each measure the systems, then the differences."""
        found = []
        for part in self.parts:
            found.append(systems_section(part, self.confidence_level, self.tuned))
            if part.of_pairs is not None:
                found.append(differences_section(part, part.of_pairs, self.confidence_level, self.baseline is None))
        return found

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return self.measured

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        first = self.parts[0]
        return (
            f"Estimates({pluralise(len(first.systems), 'system')}, {pluralise(len(self.parts), 'measure')}, "
            f"{first.of_systems.n:,} of {first.of_systems.n_all:,} queries by people)"
        )


def rows_of(measure: str, a: str, b: str, found: PredictionPowered, i: int) -> Iterator[tuple[Any, ...]]:
    """The four estimates of one system or pair."""
    for name, n in (("human", found.n), ("machine", found.n_all), ("bias", found.n), ("combined", found.n_all)):
        ends = (getattr(found, f"{name}{end}")[i].item() for end in ("", "_low", "_high"))
        of_it = (
            (found.weight[i].item(), n, found.effective[i].item()) if name == "combined" else (NO_VALUE, n, NO_VALUE)
        )
        yield (measure, a, b, name, *ends, *of_it)
