"""The result of a gate: the verdict by each measure, its numbers, and the tidy table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import MeasureValues, extreme_queries
from rankscope.comparison.gate.decision import EXIT_CODES, Decision, worst
from rankscope.comparison.gate.looks import ALL, Looks, Part
from rankscope.comparison.gate.margins import Margin
from rankscope.comparison.gate.settings import GateSettings
from rankscope.comparison.gate.verdict_change import VerdictChange
from rankscope.data.result import Result
from rankscope.data.scores import Scores
from rankscope.errors import ParameterError
from rankscope.typing import Bools, Floats

__all__ = [
    "Gate",
    "MeasureGate",
    "MovedDocument",
    "SeenQueries",
]


#: The column of groups stands behind those of the systems.
N_NAMES = 3


class SeenQueries(NamedTuple):
    """Queries that the new system saw in training, and that are left out.

    Attributes
    ----------
    queries
        Their ids.
    n_absent
        How many ids are of no query here.
    verdict
        The verdict with them.
    """

    queries: tuple[str, ...]
    n_absent: int
    verdict: str


class MovedDocument(NamedTuple):
    """A judged document that two systems rank differently.

    Attributes
    ----------
    document
        Its id.
    relevance
        Its grade.
    baseline_rank, new_rank
        Its rank in both lists; None if it is not there, as far as the measure sees the lists.
    """

    document: str
    relevance: float
    baseline_rank: float | None
    new_rank: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureGate:
    """The gate by one measure against one baseline; for a geometric measure (GMAP) all of it is of natural logarithms.

    Attributes
    ----------
    part
        Measure, baseline and group.
    measure_values
        The values compared, of the new system and of the baseline.
    gains
        (n) new system less baseline, above 0 where the new system is better; 0 where values differ by rounding
        only.
    margin
        The margin as it was set.
    margin_value
        The margin in units of the measure.
    decision
        The verdict, its p-values and bounds, where above 0 is better (`low` and `high` of this class have the sign
        of the measure).
    verdict_change
        The queries, from the most helped or the most hurt on, without which the verdict changes; None if there are
        none, or if the test is not t.
    same_lists
        (n) whether both have the same list for a query; None if that is not known.
    has_range
        Whether the range of the measure is known.
    groups
        The gate in each group of queries, if groups decide; their p-values of "worse" are corrected by Holm's method.
    """

    part: Part
    measure_values: MeasureValues
    gains: Floats
    margin: Margin
    margin_value: float
    decision: Decision
    verdict_change: VerdictChange | None
    same_lists: Bools | None
    has_range: bool
    groups: Mapping[str, MeasureGate] = field(default_factory=dict)

    @property
    def measure(self) -> str:
        return self.measure_values.measure

    @property
    def baseline(self) -> str:
        """The system that the new one is compared with."""
        return self.part.baseline

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
        """The mean difference is at least this, with the confidence 1 - level; NaN if the differences are constant."""
        return self.decision.low if self.measure_values.sign > 0 else -self.decision.high

    @property
    def high(self) -> float:
        """The mean difference is at most this, with the confidence 1 - level; NaN if the differences are constant."""
        return self.decision.high if self.measure_values.sign > 0 else -self.decision.low

    @property
    def hurt(self) -> npt.NDArray[np.intp]:
        """Indices (of the n) of the queries that the new system hurts most, the worst first."""
        return extreme_queries(self.gains)[1]

    @property
    def helped(self) -> npt.NDArray[np.intp]:
        """Indices (of the n) of the queries that the new system helps most, the best first."""
        return extreme_queries(self.gains)[0]

    @property
    def parts(self) -> dict[str, MeasureGate]:
        """The gate in each group, then that on all queries, by their names."""
        return {**self.groups, ALL: self}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Gate(Result):
    """Whether a system can replace another (a non-inferiority test), as `gate` gives it; `print` shows it in words.

    Attributes
    ----------
    scores
        The scores of all systems, the new one first.
    measure_gates
        The verdict by each measure; with several baselines, of each measure against the first, then the next.
    settings
        Margins, significance level, test, planned looks.
    notes
        What a reader should know of the data and the test.
    looks
        The looks so far, if they are kept in a file.
    seen
        Queries that the new system saw in training; None if there are none.
    documents
        By measure, baseline and query, judged documents that moved, of the queries that decide; none if runs are not
        known.

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
        *("pvalue_noninferior", "pvalue_worse", "level", "verdict", "reason", "n", "n_fresh"),
        *("n_losses", "share_of_losses", "least_mean", "pvalue_skewed"),
    )

    scores: Scores
    measure_gates: tuple[MeasureGate, ...]
    settings: GateSettings
    notes: tuple[str, ...]
    looks: Looks | None = None
    seen: SeenQueries | None = None
    documents: Mapping[tuple[str, str, str], tuple[MovedDocument, ...]] = field(default_factory=dict)

    @property
    def system(self) -> str:
        """The new system."""
        return self.scores.systems[0]

    @property
    def baselines(self) -> tuple[str, ...]:
        """The systems that the new one is compared with."""
        return self.scores.systems[1:]

    @property
    def verdict(self) -> str:
        """The verdict on all measures: worse if one is, else undecided if one is, else pass."""
        return worst(measure_gate.verdict for measure_gate in self.measure_gates)

    @property
    def exit_code(self) -> int:
        """0: pass; 3: worse; 4: undecided."""
        return EXIT_CODES[self.verdict]

    def __getitem__(self, key: object) -> MeasureGate:
        """The gate by one measure; with several baselines `result[measure, baseline]`.

        Raises UnknownName for a measure or baseline that is not part of the gate, ParameterError for no baseline.
        """
        measure, baseline = key if isinstance(key, tuple) else (key, None)
        if baseline is None:
            if len(self.baselines) > 1:
                raise ParameterError(
                    f"there are {len(self.baselines)} baselines; name one of {', '.join(self.baselines)}, as in "
                    f"result[{str(measure)!r}, {self.baselines[0]!r}]"
                )
            baseline = self.baselines[0]
        place = self.scores.place_of_system(baseline) - 1
        n_measures = len(self.scores.measures)
        return self.measure_gates[place * n_measures + self.scores.place_of(measure)]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table: with the group if groups decide."""
        names, numbers = self.COLUMNS[:N_NAMES], self.COLUMNS[N_NAMES:]
        return self.COLUMNS if self.settings.by_group is None else (*names, "group", *numbers)

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, one a measure and baseline; NaN where there is no such number.

        If groups decide, each has a row before that of all queries, and "all" is the name of the last.
        """
        for measure_gate in self.measure_gates:
            for name, part in measure_gate.parts.items():
                decision = part.decision
                yield (
                    *(measure_gate.measure, self.system, measure_gate.baseline),
                    *(() if self.settings.by_group is None else (name,)),
                    *(part.margin_value, part.difference, part.low, part.high),
                    *(decision.pvalue_noninferior, decision.pvalue_worse, decision.level, decision.verdict),
                    *(decision.reason, part.n),
                    np.nan if decision.n_fresh is None else float(decision.n_fresh),
                    np.nan if decision.n_losses is None else float(decision.n_losses),
                    *(decision.share_of_losses, decision.least_mean, decision.pvalue_skewed),
                )

    def signature(self) -> str:
        """Every setting that changes the verdict, in one line."""
        head, _, version = self.scores.signature().rpartition(" | ")
        settings = self.settings
        is_resampled = settings.test in ("permutation", "bootstrap")
        margins = settings.margin
        margin_text = (
            str(margins)
            if isinstance(margins, Margin)
            else ",".join(f"{name or 'others'}={margin}" for name, margin in margins.items())
        )
        entries = [f"margin:{margin_text}"]
        entries += [] if settings.by_group is None else [f"by_group:{settings.by_group}"]
        entries += [f"test:{settings.test}{f',{settings.n_resamples}' if is_resampled else ''}"]
        entries += [f"alpha:{settings.alpha:g}"]
        if settings.plans_looks and self.looks is not None:
            planned = f"up_to:{settings.up_to}" if settings.up_to is not None else f"looks:{settings.looks}"
            entries += [f"{planned},{settings.spending}", f"look:{self.looks.number}"]
        if settings.value_range is not None:
            entries.append(f"range:{','.join(f'{end:g}' for end in settings.value_range)}")
        entries += [] if self.seen is None else [f"seen:{len(self.seen.queries)}"]
        entries += [f"power:{settings.power:g}"]
        entries += [f"rng:{settings.seed}"] if is_resampled else []
        return " | ".join([head, *entries, version])

    def json_head(self) -> dict[str, Any]:
        """What stands beside the rows of the tidy table in JSON."""
        return {
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "system": self.system,
            "baselines": list(self.baselines),
            "signature": self.signature(),
            "notes": list(self.notes),
        }

    def contents(self) -> str:
        """What it holds, in a few words."""
        measures = ", ".join(dict.fromkeys(measure_gate.measure for measure_gate in self.measure_gates))
        baselines = ", ".join(map(repr, self.baselines))
        return f"{self.system!r} against {baselines} by {measures}: {self.verdict}"
