"""The values that systems are compared on: those of the queries that have one for every system, and the gains query by
query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rankscope.data.scores import LEAST, Scores
from rankscope.data.text import pluralise_queries
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.ties import NOISE, order_of
from rankscope.typing import Floats, Ints

if TYPE_CHECKING:
    pass

__all__ = [
    "MeasureValues",
    "check_systems",
    "extreme_queries",
    "gains_of",
    "match_queries",
    "resolve_system",
    "select_measures",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureValues:
    """One measure, where every system has a value.

    values: (systems, n), as the measure has them, or their logarithms. queries: (n) their places among `query_ids` of
    the scores. sign: 1 where higher is better, -1 where lower is. notes: what was left out, and what values are.
    """

    measure: str
    systems: tuple[str, ...]
    values: Floats
    queries: npt.NDArray[np.int64]
    sign: int
    logarithms: bool
    notes: tuple[str, ...]

    @property
    def label(self) -> str:
        """What values are of, in a sentence: "AP", or "log GMAP" where logarithms are compared."""
        return f"log {self.measure}" if self.logarithms else self.measure

    @cached_property
    def scale(self) -> float:
        """The greatest size of a value: what means, too, are equal or not by."""
        return float(np.abs(self.values).max(initial=0.0))

    def differences(self, first: Ints, second: Ints) -> Floats:
        """(pairs, n) of the systems at these places; 0 where only rounding tells two values apart."""
        found = self.values[first] - self.values[second]
        pair, query = np.nonzero((np.abs(found) <= NOISE * self.scale) & (found != 0))
        if pair.size:
            greater = np.maximum(np.abs(self.values[first[pair], query]), np.abs(self.values[second[pair], query]))
            some = np.abs(found[pair, query]) <= NOISE * greater
            found[pair[some], query[some]] = 0.0
        return found

    @property
    def n(self) -> int:
        """How many queries."""
        return self.queries.size


def select_measures(scores: Scores, measures: object) -> tuple[str, ...]:
    """The full names of one measure, of a list, or (None) of all; each once. Raises UnknownName."""
    if measures is None:
        return scores.measure_names
    asked = list(measures) if isinstance(measures, (list, tuple)) else [measures]
    if not asked:
        raise ParameterError("no measures given, expected at least one, or None for all of the scores")
    return tuple(dict.fromkeys(scores.measure_names[scores.place_of(measure)] for measure in asked))


def check_systems(scores: Scores, baseline: str | None, least: int = 2) -> None:
    """Raise where there are too few systems, or no such baseline; and for what are no scores."""
    if not isinstance(scores, Scores):
        raise ParameterError(
            f"scores are a {type(scores).__name__}, expected what evaluate gives; pass evaluate(qrels, runs, measures)"
        )
    if baseline is not None and baseline not in scores.systems:
        raise UnknownName("system of these scores", str(baseline), scores.systems, "; it was asked for as the baseline")
    if len(scores.systems) < least:
        raise ParameterError(
            f"{len(scores.systems)} system ({', '.join(scores.systems)}), expected at least {least} to compare; "
            "give another run"
        )


def resolve_system(baseline: str | None, runs: Sequence[object], scores: Scores) -> str | None:
    """The system that is meant: by its name, or by its run as it was given among `runs`."""
    if baseline is None or baseline in scores.systems or baseline not in runs:
        return baseline
    return scores.systems[list(runs).index(baseline)]


def match_queries(scores: Scores, measure: str) -> MeasureValues:
    """The values of a measure on the queries where every system has one.

    Values of a geometric measure (GMAP) are taken as logarithms, which is what it averages. Raises ParameterError for
    a measure without direction or summary, InputError where no query is left.
    """
    m = scores.place_of(measure)
    kind = scores.measures[m]
    sign = scores.sign(measure)
    if sign == 0 or kind.summary == "none":
        raise ParameterError(
            f"of {measure} neither higher nor lower is better, so that no system can be; choose another"
        )
    values = scores.values[:, m]
    there = ~np.isnan(values).any(axis=0)
    if not there.any():
        raise InputError(
            f"no query has a value of {measure} for all of {', '.join(scores.systems[:5])}"
            f"{', ...' if len(scores.systems) > 5 else ''}; check that runs and judgments are about the same queries"
        )
    notes = []
    out = int((~there).sum())
    if out:
        notes.append(
            f"{measure}: {pluralise_queries(out)} of {there.size} left out, where not every system has a value"
        )
    values = values[:, there]
    if kind.summary == "geometric":
        values = np.log(np.maximum(values, LEAST))
        notes.append(f"{measure}: values are compared as natural logarithms, a difference is that of two logarithms")
    if sign < 0:
        notes.append(f"{measure}: lower is better")
    return MeasureValues(
        measure=measure,
        systems=scores.systems,
        values=np.ascontiguousarray(values),
        queries=np.flatnonzero(there),
        sign=sign,
        logarithms=kind.summary == "geometric",
        notes=tuple(notes),
    )


#: Queries shown on either side.
MOST_EXTREME = 5


def gains_of(matched: MeasureValues, a: int, b: int) -> Floats:
    """(n) differences of two systems, above 0 where the first is better; what only rounding tells apart is equal.

    Values that should be one can differ in their last bits, as of two versions; so can differences that should.
    """
    first, second = matched.values[a], matched.values[b]
    gain = matched.sign * (first - second)
    noise = NOISE * np.maximum(np.abs(first), np.abs(second))
    gain = np.where(np.abs(gain) <= noise, 0.0, gain)
    one = (gain - noise).max() <= (gain + noise).min()  # there is a difference that all of them may be
    return np.full(gain.size, gain.mean()) if one and gain.any() else gain


def extreme_queries(gain: Floats) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Places of the queries that are helped most, and of those that are hurt most; the most extreme first."""
    best, worst = (order_of(values)[:MOST_EXTREME] for values in (-gain, gain))
    return best[gain[best] > 0], worst[gain[worst] < 0]
