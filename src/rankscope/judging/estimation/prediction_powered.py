"""Prediction-powered estimates: values of systems from few human judgments beside many of a machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.text import pluralise
from rankscope.errors import UnknownName
from rankscope.judging.estimation.dual_judgments import DualScores, DualValues, score_under_both
from rankscope.stats.anova import all_pairs
from rankscope.stats.inputs import check_share
from rankscope.stats.prediction_powered import FEWEST, PredictionPowered, prediction_powered
from rankscope.typing import PathLike

if TYPE_CHECKING:
    pass

__all__ = [
    "COLUMNS_NOTE",
    "INTERVALS_NOTE",
    "Estimates",
    "MeasureEstimates",
    "estimate",
    "pairs_of",
]


NO_VALUE = float("nan")


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureEstimates:
    """Estimates by one measure. of_systems: arrays (systems); of_pairs: (pairs), the first system less the second,
    None without a pair. sign: 1 where higher is better, -1 where lower is, 0 where neither.
    """

    measure: str
    sign: int
    systems: tuple[str, ...]
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    of_systems: PredictionPowered
    of_pairs: PredictionPowered | None
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Estimates(Result):
    """What `estimate` found.

    `found["nDCG@10"]` are the numbers of one measure. `frame()` is the tidy table: measure, system_a, system_b (empty
    for a system by itself; else the difference a - b), estimate (human, machine, bias, combined), value, low, high,
    weight (of the machine, in the combined), n_queries (that the row rests on), n_effective (of the combined: how many
    queries judged by people alone would be as sure). `print` shows sentences and tables.
    """

    #: The view of the result.
    VIEW = "rankscope.judging.estimation.view:estimate_sections"
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

    parts: tuple[MeasureEstimates, ...]
    baseline: str | None
    names: tuple[str, str]
    confidence_level: float
    tuned: bool
    settings_text: str
    notes: tuple[str, ...]

    def __getitem__(self, measure: str) -> MeasureEstimates:
        for estimates in self.parts:
            if estimates.measure == measure:
                return estimates
        raise UnknownName("measure of these estimates", str(measure), [estimates.measure for estimates in self.parts])

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table; NaN where there is no value."""
        for estimates in self.parts:
            for s, system in enumerate(estimates.systems):
                yield from estimate_rows(estimates.measure, system, "", estimates.of_systems, s)
            if estimates.of_pairs is not None:
                pairs = zip(estimates.first.tolist(), estimates.second.tolist(), strict=True)
                for i, (first, second) in enumerate(pairs):
                    system_a, system_b = estimates.systems[first], estimates.systems[second]
                    yield from estimate_rows(estimates.measure, system_a, system_b, estimates.of_pairs, i)

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return self.settings_text

    def contents(self) -> str:
        """What it holds, in a few words."""
        first = self.parts[0]
        return (
            f"{pluralise(len(first.systems), 'system')}, {pluralise(len(self.parts), 'measure')}, "
            f"{first.of_systems.n:,} of {first.of_systems.n_all:,} queries by people"
        )


def estimate_rows(
    measure: str, system_a: str, system_b: str, estimates: PredictionPowered, i: int
) -> Iterator[tuple[Any, ...]]:
    """The four estimates of one system or pair."""
    n, n_all = estimates.n, estimates.n_all
    for name, n_queries in (("human", n), ("machine", n_all), ("bias", n), ("combined", n_all)):
        interval = (getattr(estimates, f"{name}{suffix}")[i].item() for suffix in ("", "_low", "_high"))
        weight = estimates.weight[i].item() if name == "combined" else NO_VALUE
        n_effective = estimates.effective[i].item() if name == "combined" else NO_VALUE
        yield (measure, system_a, system_b, name, *interval, weight, n_queries, n_effective)


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
    dual_scores = score_under_both(human, runs, machine, measures, map=map, names=names, progress=progress, **options)
    baseline = resolve_baseline(baseline, runs, dual_scores)
    parts = tuple(
        estimates_of(dual_scores.values(name), dual_scores, baseline, weight, confidence_level)
        for name in dual_scores.human.measure_names
    )
    signature = dual_scores.signature(
        "prediction-powered",
        baseline=baseline,
        weight="tuned" if weight is None else f"{weight:g}",
        confidence=f"{confidence_level:g}",
    )
    measure_notes = [note for estimates in parts for note in estimates.notes]
    return Estimates(
        parts=parts,
        baseline=baseline,
        names=dual_scores.names,
        confidence_level=confidence_level,
        tuned=weight is None,
        settings_text=signature,
        notes=tuple(dict.fromkeys((*dual_scores.notes, *measure_notes, COLUMNS_NOTE, INTERVALS_NOTE))),
    )


def resolve_baseline(baseline: str | None, runs: Any, dual_scores: DualScores) -> str | None:
    """The name of the baseline, which is the name of a system or the path of a run. Raises UnknownName for another."""
    if baseline is None or baseline in dual_scores.systems:
        return baseline
    run_list = list(runs) if isinstance(runs, (list, tuple)) else [runs]
    matches = [i for i, run in enumerate(run_list) if isinstance(run, str) and run == baseline]
    if not matches:
        raise UnknownName(
            "system of these runs", str(baseline), dual_scores.systems, "; it was asked for as the baseline"
        )
    return dual_scores.systems[matches[0]]


def pairs_of(systems: tuple[str, ...], baseline: str | None) -> tuple[Any, Any]:
    """The first and second system of each pair: the others against the baseline, or all i < j."""
    n_systems = len(systems)
    if baseline is None:
        return all_pairs(n_systems) if n_systems > 1 else (np.zeros(0, np.int64), np.zeros(0, np.int64))
    baseline_index = systems.index(baseline)
    other_systems = np.delete(np.arange(n_systems), baseline_index)
    return other_systems, np.full(n_systems - 1, baseline_index)


def estimates_of(
    values: DualValues, dual_scores: DualScores, baseline: str | None, weight: float | None, confidence_level: float
) -> MeasureEstimates:
    """The estimates of all systems and pairs by one measure."""
    first, second = pairs_of(dual_scores.systems, baseline)
    value_matrices = (values.human, values.machine, values.machine_only)
    differences = [matrix[first] - matrix[second] for matrix in value_matrices]
    options: dict[str, Any] = {"weight": weight, "confidence_level": confidence_level}
    notes = list(values.notes)
    if weight is None and values.n < FEWEST:
        notes.append(
            f"people judged fewer than {FEWEST} queries, from which no weight of the machine can be told: the combined "
            "estimate is that of people alone"
        )
    return MeasureEstimates(
        measure=values.measure,
        sign=values.sign,
        systems=dual_scores.systems,
        first=first,
        second=second,
        of_systems=prediction_powered(*value_matrices, **options),
        of_pairs=prediction_powered(*differences, **options) if first.size else None,
        notes=tuple(notes),
    )
