"""Prediction-powered estimates: how good systems are, from few human judgments beside many of a machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankscope.data.qrels import Qrels
from rankscope.data.result import as_text, sections_by_view, tidy_frame
from rankscope.data.section import Section
from rankscope.data.text import pluralise
from rankscope.errors import UnknownName
from rankscope.judging.estimation.dual_judgments import DualScores, DualValues, score_under_both
from rankscope.stats.anova import all_pairs
from rankscope.stats.inputs import check_share
from rankscope.stats.prediction_powered import FEWEST, PredictionPowered, prediction_powered
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "COLUMNS_NOTE",
    "INTERVALS_NOTE",
    "Estimates",
    "MeasureEstimates",
    "estimate",
    "pairs_of",
]


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

    #: The view that shows it.
    VIEW: ClassVar[str] = "rankscope.judging.estimation.view:estimate_sections"

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

    def sections(self) -> Sequence[Section]:
        """For each measure the systems, then the differences."""
        return sections_by_view(self)

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


#: What readers should know of the columns and of the intervals.
COLUMNS_NOTE = (
    "bias: machine less people, on the queries of people; weight: of the machine in the combined estimate; worth: as "
    "sure as so many queries judged by people alone"
)
INTERVALS_NOTE = (
    "combined intervals hold whatever the machine is worth, where people judged a random sample of these queries; each "
    "holds by itself, not all at once"
)


def estimate(
    human: Qrels | PathLike | Any,
    runs: Any,
    machine: Qrels | PathLike | Any,
    measures: Any = None,
    *,
    baseline: str | None = None,
    map: Any = None,
    weight: float | None = None,
    names: tuple[str, str] | None = None,
    confidence_level: float = 0.95,
    progress: Any = None,
    **options: Any,
) -> Estimates:
    """The mean of each system, and differences of systems, as people would find them on all queries.

    human: judgments of people, for some of the queries; machine: of a machine, for all of them, those of people among
    them. Each a Qrels, a path, or what `Qrels(...)` takes. runs, measures: as `evaluate` takes them; options: preset,
    rel, ties, missing, no_relevant, unjudged ("bounds" apart), input. Measures have to be means over queries.

    Three estimates of each: from people alone; from the machine alone, with its bias (machine less people, on the
    queries of people); and combined, the mean of people's values corrected by what the machine finds on the other
    queries (`rankscope.stats.prediction_powered`). The interval of the last holds whatever the machine is worth, and is
    never wider than that of people alone, where the queries of people are a random sample of all; a note says so where
    they do not look like one. Intervals are of the mean over the population that all queries are a sample of.

    baseline: differences of the others to this system; None: of all pairs. map: the machine's grades on people's scale,
    as {0: 0, 1: 0, 2: 1} or "0=0,1=0,2=1". weight: of the machine, in the place of the one that makes the variance
    least: 1 is prediction-powered inference as first proposed, 0 people alone. names: of people's judgments and of the
    machine's, for messages.

    Raises InputError where the machine lacks a query of people or of the runs, has no other query, or another highest
    grade and no map says how to read it; ParameterError and what `evaluate` raises for other arguments.

    Source: Angelopoulos et al. (2023), "Prediction-powered inference"; Angelopoulos, Duchi and Zrnic (2023), "PPI++".

    >>> import rankscope as rs
    >>> machine = {f"q{i}": {"a": 1, "b": int(i % 3 > 0)} for i in range(9)}
    >>> human = {f"q{i}": {"a": int(i != 4), "b": 1} for i in (1, 4, 6, 8)}
    >>> run = rs.Run({f"q{i}": {"b": 2.0, "a": 1.0} for i in range(9)}, name="r")
    >>> (found,) = estimate(human, [run], machine, "P@1", weight=1).parts
    >>> found.of_systems.human.tolist(), found.of_systems.bias.tolist()  # of 4 queries the machine errs on 1
    ([1.0], [-0.25])
    >>> round(float(found.of_systems.combined[0]), 4)  # 6/9 - 3/4 + 4/4
    0.9167
    """
    check_share("confidence_level", confidence_level)
    both = score_under_both(human, runs, machine, measures, map=map, names=names, progress=progress, **options)
    baseline = resolve_baseline(baseline, runs, both)
    parts = tuple(
        estimates_of(both.values(name), both, baseline, weight, confidence_level) for name in both.human.measure_names
    )
    measured = both.signature(
        "prediction-powered",
        baseline=baseline,
        weight="tuned" if weight is None else f"{weight:g}",
        confidence=f"{confidence_level:g}",
    )
    return Estimates(
        parts=parts,
        baseline=baseline,
        names=both.names,
        confidence_level=confidence_level,
        tuned=weight is None,
        measured=measured,
        notes=tuple(
            dict.fromkeys((*both.notes, *(note for part in parts for note in part.notes), COLUMNS_NOTE, INTERVALS_NOTE))
        ),
    )


def resolve_baseline(baseline: str | None, runs: Any, both: DualScores) -> str | None:
    """The system that is meant: by its name, or by its run as it was given. Raises UnknownName for another."""
    if baseline is None or baseline in both.systems:
        return baseline
    given = list(runs) if isinstance(runs, (list, tuple)) else [runs]
    places = [i for i, run in enumerate(given) if isinstance(run, str) and run == baseline]
    if not places:
        raise UnknownName("system of these runs", str(baseline), both.systems, "; it was asked for as the baseline")
    return both.systems[places[0]]


def pairs_of(systems: tuple[str, ...], baseline: str | None) -> tuple[Any, Any]:
    """Both sides of each pair: the others against the baseline, or all i < j."""
    m = len(systems)
    if baseline is None:
        return all_pairs(m) if m > 1 else (np.zeros(0, np.int64), np.zeros(0, np.int64))
    b = systems.index(baseline)
    others = np.delete(np.arange(m), b)
    return others, np.full(m - 1, b)


def estimates_of(
    values: DualValues, both: DualScores, baseline: str | None, weight: float | None, confidence_level: float
) -> MeasureEstimates:
    """Of all systems and pairs by one measure."""
    first, second = pairs_of(both.systems, baseline)
    three = (values.human, values.machine, values.others)
    asked: dict[str, Any] = {"weight": weight, "confidence_level": confidence_level}
    notes = list(values.notes)
    if weight is None and values.n < FEWEST:
        notes.append(
            f"people judged fewer than {FEWEST} queries, from which no weight of the machine can be told: the combined "
            "estimate is that of people alone"
        )
    return MeasureEstimates(
        measure=values.measure,
        sign=values.sign,
        systems=both.systems,
        first=first,
        second=second,
        of_systems=prediction_powered(*three, **asked),
        of_pairs=prediction_powered(*(side[first] - side[second] for side in three), **asked) if first.size else None,
        notes=tuple(notes),
    )
