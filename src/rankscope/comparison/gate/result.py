"""The result of a gate: the verdict by each measure, its numbers, and the tidy table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import MeasureValues, extreme_queries
from rankscope.comparison.gate.decision import EXIT_CODES, Decision, worst
from rankscope.comparison.gate.settings import GateSettings
from rankscope.comparison.gate.verdict_change import VerdictChange
from rankscope.data.result import Result
from rankscope.data.scores import Scores
from rankscope.typing import Floats

__all__ = [
    "Gate",
    "MeasureGate",
]


#: The column of groups stands behind those of the systems.
N_NAMES = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureGate:
    """The gate by one measure; for a geometric measure (GMAP) all of it is of natural logarithms.

    Attributes
    ----------
    measure_values
        The values compared, of the new system and of the baseline.
    gains
        (n) new system less baseline, above 0 where the new system is better; 0 where values differ by rounding
        only.
    decision
        The verdict, its p-values and bounds, where above 0 is better (`low` and `high` of this class have the sign
        of the measure).
    verdict_change
        The queries, from the most helped or the most hurt on, without which the verdict changes; None if there are
        none, or if the test is not t.
    groups
        The gate in each group of queries, if groups decide; their p-values of "worse" are corrected by Holm's method.
    """

    measure_values: MeasureValues
    gains: Floats
    decision: Decision
    verdict_change: VerdictChange | None
    groups: Mapping[str, MeasureGate] = field(default_factory=dict)

    @property
    def measure(self) -> str:
        return self.measure_values.measure

    @property
    def verdict(self) -> str:
        """pass, undecided or worse: the worst of those on all queries and in groups."""
        return worst((self.decision.verdict, *(part.verdict for part in self.groups.values())))

    @property
    def n(self) -> int:
        """How many queries have a value of both."""
        return self.measure_values.n

    @property
    def differences(self) -> Floats:
        """(n) new system less baseline, in the measure's own direction."""
        return self.measure_values.sign * self.gains

    @property
    def difference(self) -> float:
        """The mean difference, in the measure's own direction."""
        return self.measure_values.sign * self.decision.mean

    @property
    def low(self) -> float:
        """The mean difference is at least this, with the confidence 1 - alpha; NaN if the differences are constant."""
        return self.decision.low if self.measure_values.sign > 0 else -self.decision.high

    @property
    def high(self) -> float:
        """The mean difference is at most this, with the confidence 1 - alpha; NaN if the differences are constant."""
        return self.decision.high if self.measure_values.sign > 0 else -self.decision.low

    @property
    def hurt(self) -> npt.NDArray[np.intp]:
        """Indices (of the n) of the queries that the new system hurts most, the worst first."""
        return extreme_queries(self.gains)[1]

    @property
    def helped(self) -> npt.NDArray[np.intp]:
        """Indices (of the n) of the queries that the new system helps most, the best first."""
        return extreme_queries(self.gains)[0]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Gate(Result):
    """Whether a system can replace another (a non-inferiority test), as `gate` gives it; `print` shows it in words.

    Attributes
    ----------
    scores
        The scores of both systems, the new one first.
    measure_gates
        The verdict by each measure.
    settings
        Margin, significance level, test and power.
    notes
        What a reader should know of the data and the test.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> old = rs.Run({q: {"a": 1.0, "b": 2.0 * (i % 2)} for i, q in enumerate(qrels)}, name="old")
    >>> new = rs.Run({q: {"a": 1.0, "b": 2.0} for q in qrels}, name="new")
    >>> result = rs.gate(rs.evaluate(qrels, new, "RR"), rs.evaluate(qrels, old, "RR"), margin=0.05)
    >>> result
    Gate('new' against 'old' by RR: worse)
    >>> result.verdict, result.exit_code, result["RR"].difference
    ('worse', 3, -0.25)
    """

    VIEW = "rankscope.comparison.gate.view:sections_of"
    COLUMNS = (
        *("measure", "system", "baseline", "margin", "difference", "low", "high"),
        *("pvalue_noninferior", "pvalue_worse", "verdict", "n", "n_needed"),
    )

    scores: Scores
    measure_gates: tuple[MeasureGate, ...]
    settings: GateSettings
    notes: tuple[str, ...]

    @property
    def system(self) -> str:
        """The new system."""
        return self.scores.systems[0]

    @property
    def baseline(self) -> str:
        """The system that the new one is compared with."""
        return self.scores.systems[1]

    @property
    def verdict(self) -> str:
        """The verdict on all measures: worse if one is, else undecided if one is, else pass."""
        return worst(measure_gate.verdict for measure_gate in self.measure_gates)

    @property
    def exit_code(self) -> int:
        """0: pass; 3: worse; 4: undecided."""
        return EXIT_CODES[self.verdict]

    def __getitem__(self, measure: object) -> MeasureGate:
        """The gate by one measure. Raises UnknownName for one that is not part of the gate."""
        return self.measure_gates[self.scores.place_of(measure)]  # the scores have the same measures in the same order

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table: with the group if groups decide."""
        names, numbers = self.COLUMNS[:N_NAMES], self.COLUMNS[N_NAMES:]
        return self.COLUMNS if self.settings.by_group is None else (*names, "group", *numbers)

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, one a measure; NaN where there is no such number.

        If groups decide, each has a row before that of all queries, and "all" is the name of the last.
        """
        for measure_gate in self.measure_gates:
            parts = {**measure_gate.groups, "all": measure_gate}
            for name, part in parts.items():
                decision = part.decision
                margin = self.settings.margin if part is measure_gate else self.settings.by_group
                yield (
                    *(measure_gate.measure, self.system, self.baseline),
                    *(() if self.settings.by_group is None else (name,)),
                    *(margin, part.difference, part.low, part.high),
                    *(decision.pvalue_noninferior, decision.pvalue_worse, decision.verdict, part.n),
                    np.nan if decision.n_needed is None else float(decision.n_needed),
                )

    def signature(self) -> str:
        """Every setting that changes the verdict, in one line."""
        head, _, version = self.scores.signature().rpartition(" | ")
        test = self.settings.test
        is_resampled = test != "t"
        entries = [
            f"gate:{self.settings.margin:g}",
            f"test:{test}{f',{self.settings.n_resamples}' if is_resampled else ''}",
        ]
        entries += [] if self.settings.by_group is None else [f"by_group:{self.settings.by_group:g}"]
        entries += [f"alpha:{self.settings.alpha:g}", f"power:{self.settings.power:g}"]
        entries += [f"rng:{self.settings.seed}"] if is_resampled else []
        return " | ".join([head, *entries, version])

    def contents(self) -> str:
        """What it holds, in a few words."""
        measures = ", ".join(measure_gate.measure for measure_gate in self.measure_gates)
        return f"{self.system!r} against {self.baseline!r} by {measures}: {self.verdict}"
