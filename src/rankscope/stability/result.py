"""The result of `study`: a row for each measure, cutoff, fuzziness, level, number of splits, systems and entities; and
the pairs of systems that are decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.result import Result
from rankscope.data.scores import MeasureLike
from rankscope.data.text import pluralise
from rankscope.kernels.rounding_ties import NOISE, at_most
from rankscope.stability.ablation_result import Ablation
from rankscope.stability.conditions import Condition
from rankscope.stability.outcome import Outcome
from rankscope.stability.settings import StudySettings
from rankscope.typing import Floats

__all__ = [
    "PARTS",
    "STARS",
    "StabilityRow",
    "StabilityStudy",
    "compared_values",
    "decision_rate",
    "lowest_level_reached",
    "marks_of",
    "needed_of",
]


#: Marks of a system that is better than another at the first level, the second, ...
STARS = ("***", "**", "*", ".", ",", "_", "_1", "_2", "_3", "_4", "_5")


def needed_of(outcome: Outcome, *, swap: bool, sets: int) -> Floats:
    """(measures, levels) the needed difference: by the bootstrap, or by the swap method with these sets."""
    return np.asarray(outcome.swap_diff[0, sets] if swap else outcome.est_diff)


def compared_values(outcome: Outcome, actual: Floats, signs: tuple[int, ...], *, as_dunaiski: bool) -> Floats:
    """(measures, systems) the compared values, greater is better: means over all sets, on the scale of `needed_of`.

    Parameters
    ----------
    outcome
        The numbers of one condition.
    actual
        (measures, systems) values on all queries or entities.
    signs
        1 for each measure of which higher is better, -1 for the others.
    as_dunaiski
        Values of all entities together, on any scale, as Dunaiski's tool compares them.
    """
    return actual * np.array(signs)[:, None] if as_dunaiski else outcome.means


def exceeds_needed(differences: Floats, needed: Floats, *, zero_decides: bool) -> npt.NDArray[np.bool_]:
    """Whether differences are larger than needed; never where the needed difference is NaN.

    Parameters
    ----------
    differences, needed
        The differences, and those needed; shapes that broadcast.
    zero_decides
        Whether a needed difference of 0 is valid, so that any difference beyond rounding exceeds it: the swap method
        gives 0 where no set ever reverses two systems. Dunaiski's tool treats 0 as missing.
    """
    with np.errstate(invalid="ignore"):
        if not zero_decides:
            return np.asarray(differences > np.where(needed > 0, needed, np.inf))
        present = differences[~np.isnan(differences)]
        noise = NOISE * np.abs(present).max() if present.size else 0.0
        threshold = np.where(needed >= 0, np.maximum(needed, noise), np.inf)
        return np.asarray((differences > threshold) & ~at_most(differences, threshold))  # beyond rounding


def decision_rate(values: Floats, needed: Floats, *, zero_decides: bool = False) -> Floats:
    """(measures, levels) percent of pairs that differ by more than needed; NaN where the needed difference is NaN.

    Parameters
    ----------
    values
        (measures, systems).
    needed
        (measures, levels).
    zero_decides
        See `exceeds_needed`.
    """
    first, second = np.triu_indices(values.shape[1], 1)
    differences = np.abs(values[:, first] - values[:, second])
    rates = [
        100.0
        * exceeds_needed(measure_differences[None], measure_needed[:, None], zero_decides=zero_decides).mean(axis=1)
        for measure_differences, measure_needed in zip(differences, needed, strict=True)
    ]
    return np.where(np.isnan(needed), np.nan, np.array(rates).reshape(needed.shape))


def lowest_level_reached(
    differences: Floats, needed: Floats, levels: tuple[float, ...], *, zero_decides: bool = False
) -> Floats:
    """(systems, systems) the lowest level at which a difference is larger than needed; 1 where it is at none."""
    exceeds = exceeds_needed(np.abs(differences)[..., None], needed, zero_decides=zero_decides)
    return np.asarray(np.where(exceeds, np.array(levels), 1.0).min(axis=2))


def marks_of(values: Floats, needed: Floats, *, zero_decides: bool = False) -> list[list[str]]:
    """(systems, systems) where the row is better than the column: the mark of the first level at which it is.

    Parameters
    ----------
    values
        (systems).
    needed
        (levels), in the order of the levels.
    zero_decides
        See `exceeds_needed`.
    """
    n_systems = len(values)
    marks = [["--" if i == j else " " for j in range(n_systems)] for i in range(n_systems)]
    is_better = exceeds_needed((values[:, None] - values[None])[..., None], needed, zero_decides=zero_decides)
    for i, j in np.argwhere(is_better.any(axis=2)).tolist():
        marks[i][j] = STARS[min(int(np.argmax(is_better[i, j])), len(STARS) - 1)]
    return marks


#: The parts of a study that can be shown, by the names of Dunaiski's tool.
PARTS = ("eval", "actual", "significance")


class StabilityRow(NamedTuple):
    """A row of the tidy table: one measure, combination of the ranges, fuzziness and level.

    Rates are percentages, 0 to 100. A number that does not exist is NaN (null or empty in files).

    Attributes
    ----------
    measure, cutoff
        The measure with its parameters, and its cutoff if it has one.
    fuzz, level
        Fuzziness, and significance level.
    splits, systems, entities
        Number of groups or sets, of systems drawn, and of entities, queries or clusters drawn.
    error_rate, error_rate_sd
        Comparisons in which a set orders two systems differently from most sets, and the jackknife deviation.
    tie_rate, tie_rate_sd
        Comparisons in which two systems tie, and the jackknife deviation.
    t_rate, asl_rate
        Pairs of systems that the paired t-test, and the paired bootstrap test, distinguish at the level.
    used_rate
        Relevant documents or entities that affect the values.
    est_diff
        Difference of two systems that the bootstrap needs to distinguish them.
    swap_diff_min, swap_diff_max
        Bin of differences from which on two sets disagree at most as often as the level.
    correlation, correlation_sd
        Spearman's rho of the values of two systems over the queries: mean and deviation over pairs.
    decisions
        Pairs of systems that differ by more than the difference needed.
    """

    measure: str
    cutoff: int | str | None
    fuzz: float
    level: float
    splits: int
    systems: int
    entities: int
    error_rate: float
    error_rate_sd: float
    tie_rate: float
    tie_rate_sd: float
    t_rate: float
    used_rate: float
    asl_rate: float
    est_diff: float
    swap_diff_min: float
    swap_diff_max: float
    correlation: float
    correlation_sd: float
    decisions: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StabilityStudy(Result):
    """The result of `study`; its tidy table has the columns of `StabilityRow`.

    Attributes
    ----------
    kind
        What was drawn: "entities", "queries" or "clusters".
    measures, signs
        The measures, and for each 1 if higher is better or -1 if lower is better.
    systems
        Names of the systems.
    n_items
        Number of all entities, queries or clusters.
    conditions, outcomes
        The combinations of the ranges, and the numbers of each.
    settings
        All settings.
    scores_signature
        The signature of the scores.
    actual
        (measures, systems) values on all queries or entities.
    ablation
        The effect of fewer judgments, if requested.
    notes
        Remarks on the data and the settings.
    parts
        The parts that `sections` shows, of "eval", "actual" and "significance".
    """

    #: The function of the view.
    VIEW = "rankscope.stability.view:sections_of"
    COLUMNS = StabilityRow._fields

    kind: str
    measures: tuple[MeasureLike, ...]
    signs: tuple[int, ...]
    systems: tuple[str, ...]
    n_items: int
    conditions: tuple[Condition, ...]
    outcomes: tuple[Outcome, ...]
    settings: StudySettings
    scores_signature: str
    actual: Floats
    ablation: Ablation | None
    notes: tuple[str, ...]
    #: Those of PARTS that `sections` shows.
    parts: tuple[str, ...] = PARTS

    @property
    def sets(self) -> int:
        """The place of the chosen sets of the swap method among those of an Outcome."""
        return int(self.settings.swap_sets == "disjoint")

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(map(str, self.measures))

    def needed(self, outcome: Outcome) -> Floats:
        """(measures, levels) the difference from which on two systems count as decided.

        Parameters
        ----------
        outcome
            The numbers of one condition, from `outcomes`.
        """
        return needed_of(outcome, swap=self.settings.swap, sets=self.sets)

    def decisions(self, outcome: Outcome) -> Floats:
        """(measures, levels) percent of pairs of systems that differ by more than that.

        Parameters
        ----------
        outcome
            The numbers of one condition, from `outcomes`.
        """
        return decision_rate(
            self.compared_values(outcome), self.needed(outcome), zero_decides=not self.settings.as_dunaiski
        )

    def compared_values(self, outcome: Outcome) -> Floats:
        """(measures, systems) the values that are compared, better is greater.

        Parameters
        ----------
        outcome
            The numbers of one condition, from `outcomes`.
        """
        return compared_values(outcome, self.actual, self.signs, as_dunaiski=self.settings.as_dunaiski)

    def marks(self, outcome: Outcome, measure: int) -> list[list[str]]:
        """(systems, systems) stars: the lowest level at which the row's system is better than the column's.

        Parameters
        ----------
        outcome
            The numbers of one condition, from `outcomes`.
        measure
            Index of the measure.
        """
        return marks_of(
            self.compared_values(outcome)[measure],
            self.needed(outcome)[measure],
            zero_decides=not self.settings.as_dunaiski,
        )

    def rows(self) -> Iterator[StabilityRow]:
        """The rows of the tidy table."""
        for condition, outcome in zip(self.conditions, self.outcomes, strict=True):
            decision_rates = self.decisions(outcome)
            for m, measure in enumerate(self.measures):
                cutoff = getattr(measure, "cutoff", None)
                for f, fuzz in enumerate(self.settings.fuzz):
                    tables = (outcome.error, outcome.error_sd, outcome.tie, outcome.tie_sd)
                    error, error_sd, tie, tie_sd = (
                        float(table[m, f]) if self.settings.error_tie else np.nan for table in tables
                    )
                    for k, level in enumerate(self.settings.tested_alpha):
                        low, high = outcome.swap_diff[:, self.sets, m, k].tolist()
                        yield StabilityRow(
                            str(measure),
                            cutoff,
                            fuzz,
                            level,
                            condition.splits,
                            condition.systems,
                            condition.entities,
                            error,
                            error_sd,
                            tie,
                            tie_sd,
                            float(outcome.t_rate[m, k]) if self.settings.error_tie else np.nan,
                            float(outcome.used[m]) if self.settings.error_tie else np.nan,
                            float(outcome.asl_rate[m, k]),
                            float(outcome.est_diff[m, k]),
                            low,
                            high,
                            float(outcome.correlation[0, m]),
                            float(outcome.correlation[1, m]),
                            float(decision_rates[m, k]),
                        )

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        return self.rows()

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers, after those of the scores."""
        settings = self.settings
        conditions = {
            name: ",".join(map(str, dict.fromkeys(getattr(condition, name) for condition in self.conditions)))
            for name in Condition._fields
        }
        return [
            self.scores_signature.rpartition(" | rankscope ")[0],
            f"alpha:{','.join(f'{level:g}' for level in settings.tested_alpha)}",
            f"fuzz:{','.join(f'{fuzz:g}' for fuzz in settings.fuzz)}",
            f"splits:{conditions['splits']}",
            f"systems:{conditions['systems']}",
            f"{self.kind}:{conditions['entities']}",
            f"iterations:{settings.iterations}",
            f"resamples:{settings.n_resamples}",
            f"decided:{f'swap,{settings.swap_sets}' if settings.swap else 'bootstrap'}",
            f"rng:{settings.seed}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return (
            f"{pluralise(len(self.measures), 'measure')}, {pluralise(len(self.conditions), 'condition')} of {self.kind}"
        )
