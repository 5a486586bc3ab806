"""estimate: how good systems are, from few judgments of people beside many of a machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.errors import UnknownName
from rankscope.judging.both_judged import DualScores, DualValues, score_under_both
from rankscope.judging.estimated import Estimates, MeasureEstimates
from rankscope.judging.estimated_shown import COLUMNS_NOTE, INTERVALS_NOTE
from rankscope.stats.inputs import check_share
from rankscope.stats.prediction_powered import FEWEST, prediction_powered
from rankscope.stats.tukey import all_pairs
from rankscope.typing import PathLike

__all__ = ["estimate", "pairs_of"]


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
