"""The function `gate`: is a new system shown to be no worse within a margin (non-inferiority), or worse, or neither?

Differences here are oriented: above 0 where the new system is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, ldexp
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import (
    MeasureValues,
    check_systems,
    extreme_queries,
    match_queries,
    measure_names_of,
    query_gains,
    refuse_one_cluster,
    split_by_group,
    unjudged_reason,
)
from rankscope.comparison.merge_scores import join_scores
from rankscope.data.queries import Queries
from rankscope.data.result import Result
from rankscope.data.scores import Scores
from rankscope.data.text import format_percent, join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.cluster_notes import cluster_notes, weight_notes
from rankscope.kernels.rounding_ties import NOISE, at_most, order_of
from rankscope.settings import (
    NONNEGATIVE,
    REQUIRED,
    Settings,
    alpha_field,
    choice,
    number,
    resamples_field,
    seed_field,
    share,
)
from rankscope.stats.cluster_sums import ClusterSums, cluster_sums, intraclass_correlation
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.inputs import (
    is_constant,
    scale_rows,
    seed_of,
)
from rankscope.stats.intervals import tango_interval
from rankscope.stats.multiple_comparisons import adjust_pvalues
from rankscope.stats.paired_tests import bootstrap_test, randomisation_test
from rankscope.stats.power import queries_for_t
from rankscope.typing import Bools, Floats

__all__ = [
    "EXIT_CODES",
    "PASS",
    "TESTS",
    "UNDECIDED",
    "VERDICTS",
    "WORSE",
    "Decision",
    "Gate",
    "GateSettings",
    "MeasureGate",
    "VerdictChange",
    "decide",
    "decide_gate",
    "find_verdict_change",
    "gate",
]


PASS, UNDECIDED, WORSE = "pass", "undecided", "worse"
#: From the best to the worst; the verdict on several measures is the worst of theirs.
VERDICTS = (PASS, UNDECIDED, WORSE)
#: Tests of a mean: on differences shifted by the margin they test whether the mean difference is above -margin. Tests
#: of ranks and signs are about medians, which can be acceptable when the mean is not.


#: The tests of a gate.
TESTS = ("t", "permutation", "bootstrap")
#: Queries that are independent and count the same.
PLAIN: Mapping[str, Any] = {"clusters": None, "weights": None}
#: Numbers in a table of stages and clusters: 8 MB.
AT_ONCE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class GateSettings(Settings):
    """What a new system has to show. seed: of the resamples."""

    FUNCTIONS = ("rankscope:gate",)

    margin: float = number(
        REQUIRED,
        rule=NONNEGATIVE,
        flag="--gate",
        metavar="MARGIN",
        help="Largest acceptable loss of the mean, in units of the measure.",
    )
    alpha: float = alpha_field(help="Significance level of each one-sided test.")
    by_group: float | None = number(
        None,
        rule=NONNEGATIVE,
        flag="--by-group",
        metavar="MARGIN",
        help="Largest acceptable loss of the mean in each group of queries; to pass, a system has to be shown to lose "
        "less in every one.",
        unset="groups decide nothing",
    )
    test: str = choice("t", TESTS, help="Test of the mean difference.")
    power: float = share(0.8, help="Statistical power for the estimate of how many more queries would decide.")
    n_resamples: int = resamples_field(10_000, "Number of resamples of a permutation test or bootstrap.")
    seed: int = seed_field()


class Decision(NamedTuple):
    """The verdict on one measure, with its numbers.

    Attributes
    ----------
    verdict
        The name of the verdict.
    mean
        The mean difference, above 0 where the new system is better.
    low, high
        One-sided bounds of the mean difference, by t; NaN, as the p-values, if the differences are constant.
    pvalue_noninferior, pvalue_worse
        P-values of the two tests against the margin.
    n_needed
        An estimate of the queries that would decide; None if the verdict is not undecided, or no number would do.
    is_constant
        Whether the differences are constant.
    clusters_needed
        The same in clusters of queries, if there are clusters.
    """

    verdict: str
    mean: float
    low: float
    high: float
    pvalue_noninferior: float
    pvalue_worse: float
    n_needed: int | None
    is_constant: bool
    clusters_needed: int | None = None


class VerdictChange(NamedTuple):
    """Another verdict, and the queries without which it holds.

    Attributes
    ----------
    verdict
        The name of the other verdict.
    queries
        Indices of the queries, in the order of their removal.
    helped
        Whether they are those that the new system helps most; else those that it hurts most.
    """

    verdict: str
    queries: npt.NDArray[np.intp]
    helped: bool


def decide(
    differences: Floats, settings: GateSettings, sample: Mapping[str, Any] = PLAIN, *, can_be_worse: bool = True
) -> Decision:
    """The verdict on one measure.

    "pass": a one-sided test (of differences + margin) refutes at the level that the mean difference is at most -margin.
    Else "worse": a test refutes that it is at least 0. Else "undecided". One query or cluster, or clusters that all
    have the same mean: undecided. A constant difference needs no test: it passes if it is at least -margin, else it is
    worse.

    Parameters
    ----------
    differences
        The differences by query, (queries).
    settings
        The settings of the gate.
    sample
        Clusters and weights of the queries.
    can_be_worse
        Whether the verdict can be "worse", since a correction of its p-value leaves it significant.
    """
    differences, settings, power = scale_to_unit(differences, settings)
    estimate = estimate_mean(differences, sample)
    mean, margin, alpha = estimate.mean, settings.margin, settings.alpha
    missing_numbers = (np.nan,) * 4
    if estimate.n_units == 1:
        return Decision(UNDECIDED, ldexp(mean, power), *missing_numbers, None, True)
    if is_constant(differences[None])[0]:
        return Decision(verdict_of_constant(mean, margin), ldexp(mean, power), *missing_numbers, None, True)
    if estimate.sd == 0:
        return Decision(UNDECIDED, ldexp(mean, power), *missing_numbers, None, False)
    half_width = float(special().stdtrit(estimate.df, 1 - alpha) * estimate.sd / np.sqrt(estimate.n_units))
    noninferior, worse = pvalues(differences, settings, sample, estimate)
    is_worse = can_be_worse and at_most(worse, alpha)
    verdict = PASS if at_most(noninferior, alpha) else WORSE if is_worse else UNDECIDED
    n_needed = queries_needed(mean, estimate.sd, settings) if verdict == UNDECIDED else None
    clusters_needed = n_needed if sample["clusters"] is not None else None
    if clusters_needed is not None:
        n_needed = ceil(clusters_needed * differences.size / estimate.n_units)
    with np.errstate(over="ignore"):  # at a level near 0 the bounds may be beyond float64
        scaled_mean, low, high = np.ldexp([mean, mean - half_width, mean + half_width], power).tolist()
    return Decision(verdict, scaled_mean, low, high, noninferior, worse, n_needed, False, clusters_needed)


class MeanEstimate(NamedTuple):
    """A mean difference, and how much it varies.

    Attributes
    ----------
    mean
        The mean, weighted if there are weights.
    sd
        Standard deviation of the differences; with clusters or weights the standard error times the square root of
        the number of units. 0 if the means of all clusters are equal.
    df
        Degrees of freedom.
    n_units
        How many queries, or clusters of queries.
    """

    mean: float
    sd: float
    df: float
    n_units: int


def estimate_mean(differences: Floats, sample: Mapping[str, Any]) -> MeanEstimate:
    """The mean difference. sample: clusters and weights of the queries."""
    n = differences.size
    if sample["clusters"] is None and sample["weights"] is None:
        return MeanEstimate(float(differences.mean()), float(differences.std(ddof=1)) if n > 1 else np.nan, n - 1, n)
    units = cluster_sums(differences[None], **sample)
    mean, n = float(units.means[0]), units.n
    sd = 0.0 if units.degenerate[0] else float(units.standard_errors[0] * np.sqrt(n))
    return MeanEstimate(mean, sd, units.df, n)


def scale_to_unit(differences: Floats, settings: GateSettings) -> tuple[Floats, GateSettings, int]:
    """Differences scaled so that their squares are finite, the settings in that unit, and the unit's power of 2."""
    rows, powers = scale_rows(differences[None])
    power = int(powers[0])
    if not power:
        return differences, settings, 0
    largest_margin = ldexp(1.0, min(power + 800, 1000))  # a margin so far above the differences has the same effect
    margin = ldexp(min(settings.margin, largest_margin), -power)
    return rows[0], replace(settings, margin=margin), power


def verdict_of_constant(mean: float, margin: float) -> str:
    """The verdict on a difference that is the same on every query."""
    return PASS if mean >= -margin - NOISE * max(abs(mean), margin) else WORSE


def pvalues(
    differences: Floats, settings: GateSettings, sample: Mapping[str, Any], estimate: MeanEstimate
) -> tuple[float, float]:
    """The p-values of "not worse by the margin" and of "worse"."""
    if settings.test == "t":
        mean, error, df = estimate.mean, estimate.sd / np.sqrt(estimate.n_units), estimate.df
        noninferior = t_pvalue((mean + settings.margin) / error, df, "greater")
        return float(noninferior), float(t_pvalue(mean / error, df, "less"))
    test = randomisation_test if settings.test == "permutation" else bootstrap_test
    options = {"n_resamples": settings.n_resamples, "rng": settings.seed, **sample}
    noninferior = test(differences + settings.margin, alternative="greater", **options).pvalue
    return float(noninferior), float(test(differences, alternative="less", **options).pvalue)


def queries_needed(mean: float, sd: float, settings: GateSettings) -> int | None:
    """Queries with which a t-test decides, with the power of the settings, if the observed mean and sd are true."""
    options = {"power": settings.power, "alpha": settings.alpha}
    estimates = []
    for difference, alternative in ((mean + settings.margin, "greater"), (mean, "less")):
        if difference != 0 and (difference > 0) == (alternative == "greater"):
            try:
                estimates.append(queries_for_t(difference, sd, alternative=alternative, **options))
            except ParameterError:  # more than the search allows
                continue
    return min(estimates, default=None)


def find_verdict_change(
    differences: Floats, verdict: str, settings: GateSettings, sample: Mapping[str, Any] = PLAIN
) -> VerdictChange | None:
    """The queries to remove, in order, until the t-test gives another verdict; None if it never does.

    Parameters
    ----------
    differences
        The differences by query, (queries).
    verdict
        The verdict on all queries.
    settings
        The settings of the gate.
    sample
        Clusters and weights of the queries.

    Notes
    -----
    For "pass" the query that the new system helps most goes first, then the next; for "worse" the one that it hurts
    most. "undecided" can turn either way: both ends are tried, and the one with fewer queries is taken. The last two
    queries stay. Another choice of queries might need fewer. Clusters of queries are removed as a whole, by the sum of
    their differences; with weights, it is differences times weights that are ordered.
    """
    differences, settings, _ = scale_to_unit(differences, settings)
    sides = {PASS: (True,), WORSE: (False,), UNDECIDED: (False, True)}[verdict]
    if sample["clusters"] is None and sample["weights"] is None:
        turns = [find_verdict_change_from(differences, verdict, settings, helped=helped) for helped in sides]
    else:
        turns = [find_cluster_change_from(differences, verdict, settings, sample, helped=helped) for helped in sides]
    return min((turn for turn in turns if turn is not None), key=lambda turn: turn.queries.size, default=None)


def find_verdict_change_from(
    differences: Floats, verdict: str, settings: GateSettings, *, helped: bool
) -> VerdictChange | None:
    """As `find_verdict_change`, from one end. All stages are computed at once, from sums over the remaining queries."""
    if differences.size < 3:
        return None
    order = order_of(-differences if helped else differences)
    centred = differences[order] - np.median(differences)
    stage_slice = slice(0, differences.size - 1)  # the remaining queries from each index on, at least two
    n = np.arange(differences.size, 1, -1)
    sums, sums_of_squares = (np.cumsum(values[::-1])[::-1][stage_slice] for values in (centred, centred * centred))
    mean = sums / n
    variance = np.maximum(sums_of_squares - sums * mean, 0.0) / (n - 1)
    original = differences[order]
    magnitude = np.maximum(np.abs(original), abs(original[-1]))  # they are sorted
    is_constant = (np.abs(original - original[-1]) <= 100 * NOISE * magnitude)[stage_slice]
    verdicts = verdicts_by_t(mean + np.median(differences), np.sqrt(variance / n), n - 1, is_constant, settings)
    changed_stages = np.flatnonzero(verdicts[1:] != VERDICTS.index(verdict))
    if not changed_stages.size:
        return None
    n_removed = int(changed_stages[0]) + 1
    return VerdictChange(VERDICTS[verdicts[n_removed]], order[:n_removed], helped)


def find_cluster_change_from(
    differences: Floats, verdict: str, settings: GateSettings, sample: Mapping[str, Any], *, helped: bool
) -> VerdictChange | None:
    """As `find_verdict_change`, from one end, with clusters or weights; stages are computed in blocks."""
    codes = (
        np.arange(differences.size)
        if sample["clusters"] is None
        else np.unique(sample["clusters"], return_inverse=True)[1]
    )
    units = cluster_sums(differences[None], codes, sample["weights"])
    order = order_of(-units.sums[0] if helped else units.sums[0])
    ordered = ClusterSums(sums=units.sums[:, order], weights=units.weights[order])
    least, greatest = np.full(units.n, np.inf), np.full(units.n, -np.inf)
    np.minimum.at(least, codes, differences)
    np.maximum.at(greatest, codes, differences)
    step = max(1, AT_ONCE // units.n)
    for start in range(1, units.n - 1, step):
        stages = np.arange(start, min(start + step, units.n - 1))
        verdicts = verdicts_without_first(ordered, least[order], greatest[order], stages, settings)
        changed_stages = np.flatnonzero(verdicts != VERDICTS.index(verdict))
        if changed_stages.size:
            first = changed_stages[0]
            removed = order[: stages[first]]
            queries = np.concatenate([np.flatnonzero(codes == unit) for unit in removed])
            return VerdictChange(VERDICTS[verdicts[first]], queries, helped)
    return None


def verdicts_without_first(
    units: ClusterSums, least: Floats, greatest: Floats, stages: npt.NDArray[np.int64], settings: GateSettings
) -> npt.NDArray[np.int64]:
    """(stages) indices into `VERDICTS` without the first clusters.

    Parameters
    ----------
    units
        The clusters, in the order of their removal.
    least, greatest
        (clusters) the least and the greatest difference in each.
    stages
        How many clusters are removed.
    settings
        The settings of the gate.
    """

    def to_the_end(values: Floats, combine: Any) -> Floats:
        """(stages) what a function makes of all that remains."""
        return np.asarray(combine.accumulate(values[::-1])[::-1][stages])

    sums, weights = units.sums[0], units.weights
    remains = np.arange(units.n) >= stages[:, None]
    total = to_the_end(weights, np.add)
    mean = to_the_end(sums, np.add) / total
    shape = remains.shape
    gaps = np.divide(sums - mean[:, None] * weights, total[:, None] - weights, out=np.zeros(shape), where=remains)
    n = units.n - stages
    error = np.sqrt((n - 1) / n * (gaps * gaps).sum(axis=1))
    df = total**2 / to_the_end(weights * weights, np.add) - 1
    is_constant, is_degenerate = (
        to_the_end(high, np.maximum) - to_the_end(low, np.minimum)
        <= 100 * NOISE * to_the_end(np.maximum(np.abs(low), np.abs(high)), np.maximum)
        for low, high in ((least, greatest), (sums / weights, sums / weights))
    )
    verdicts = verdicts_by_t(mean, error, df, is_constant, settings)
    return np.where(is_degenerate & ~is_constant, VERDICTS.index(UNDECIDED), verdicts)


def verdicts_by_t(
    mean: Floats, error: Floats, df: npt.ArrayLike, is_constant: Bools, settings: GateSettings
) -> npt.NDArray[np.int64]:
    """Indices into `VERDICTS` for samples with these means and standard errors."""
    margin, alpha = settings.margin, settings.alpha
    with np.errstate(divide="ignore", invalid="ignore"):
        is_pass = at_most(t_pvalue((mean + margin) / error, df, "greater"), alpha)
        is_worse = at_most(t_pvalue(mean / error, df, "less"), alpha)
    constant_passes = mean >= -margin - NOISE * np.maximum(np.abs(mean), margin)
    verdicts = np.where(is_pass, 0, np.where(is_worse, 2, 1))
    return np.where(is_constant, np.where(constant_passes, 0, 2), verdicts)


def worst(verdicts: Iterable[str]) -> str:
    """The worst of these verdicts."""
    return max(verdicts, key=VERDICTS.index)


#: The column of groups stands behind those of the systems.
N_NAMES = 3
EXIT_CODES = dict(zip(VERDICTS, (0, 4, 3), strict=True))


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


def gate(
    new: Scores,
    baseline: Scores,
    measures: object = None,
    *,
    margin: float,
    by_group: float | None = None,
    system: str | None = None,
    baseline_system: str | None = None,
    alpha: float = 0.05,
    test: str = "t",
    n_resamples: int = 10_000,
    rng: Any = None,
    power: float = 0.8,
) -> Gate:
    """Test whether a new system is worse than a baseline by at most a margin (non-inferiority).

    Parameters
    ----------
    new, baseline
        Scores on the same queries, with the same judgments and measures; may have been saved (`read_scores`).
    measures
        A measure, a list of measures, or None for all measures of `new`.
    margin
        Largest acceptable loss of the mean, in units of the measure.
    by_group
        Largest acceptable loss of the mean in each group of queries; to pass, a system has to be shown to lose less in
        every one. Default: groups decide nothing.
    system
        The system of `new`; may be omitted if there is only one.
    baseline_system
        The system of `baseline`; may be omitted if there is only one.
    alpha
        Significance level of each one-sided test. Default: 0.05.
    test
        Test of the mean difference. One of 't', 'permutation', 'bootstrap'. Default: 't'.
    n_resamples
        Number of resamples of a permutation test or bootstrap. Default: 10000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    power
        Statistical power for the estimate of how many more queries would decide. Default: 0.8.

    Returns
    -------
    Gate
        `verdict` is "pass", "worse" or "undecided", the worst over all measures; `exit_code` is 0, 3 or 4.

    Raises
    ------
    ParameterError
        An argument is out of range, or a measure is missing on one side or has no direction.
    UnknownName
        A system or measure does not exist.
    InputError
        The scores are of different collections, none of the documents of a system is judged, or all queries are one
        cluster.

    Notes
    -----
    By each measure, on the queries where both systems have a value: "pass" if a one-sided test rejects a mean
    difference of -margin or less; otherwise "worse" if one rejects a mean difference of 0 or more; otherwise
    "undecided". If lower values are better, signs are reversed. For a geometric measure (GMAP) the margin is in natural
    logarithms. The bounds low and high are always those of Student's t. The number of queries still needed is estimated
    from the mean and variance of the queries at hand. One query decides nothing. If the difference is the same on every
    query, it decides by itself: at least -margin passes, so equal systems pass, also with margin 0.

    With clusters or weights of queries (`Scores.with_queries`), tests and bounds are those of `compare`: t with the
    jackknife over clusters, sign flips and samples of whole clusters. What either side says of its queries is used.

    With `by_group`, there is such a verdict in each group of queries, too, with this margin, and the worst verdict
    counts. A pass needs all groups to be shown to lose less, each at the level alpha: such an intersection-union test
    errs no more often than one of its tests, so that nothing needs to be corrected. "worse" needs a p-value that Holm's
    method corrects for the number of groups. A group of one query or cluster is undecided.

    References
    ----------
    Schuirmann (1987), one of his two one-sided tests; agrees with
    `scipy.stats.ttest_1samp(differences, -margin, alternative="greater")`. Berger (1982), "Multiparameter hypothesis
    testing and acceptance sampling", for intersection-union tests.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(8)}
    >>> old = {f"q{i}": {"d1": 1.0, "d2": 2.0 * (i % 2)} for i in range(8)}
    >>> new = {f"q{i}": {"d1": 1.0, "d2": 2.0 * (i == 1)} for i in range(8)}
    >>> result = gate(rs.evaluate(qrels, new, "RR"), rs.evaluate(qrels, old, "RR"), margin=0.02)
    >>> result.verdict, result.exit_code, round(result["RR"].difference, 4)
    ('pass', 0, 0.1875)
    """
    settings = GateSettings(
        margin=margin,
        by_group=by_group,
        alpha=alpha,
        test=test,
        power=power,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    return decide_gate(new, baseline, measures, settings, system=system, baseline_system=baseline_system)


def decide_gate(
    new: Scores,
    baseline: Scores,
    measures: object,
    settings: GateSettings,
    *,
    system: str | None = None,
    baseline_system: str | None = None,
) -> Gate:
    """As `gate`, with its settings as one object."""
    for scores in (new, baseline):
        check_systems(scores, None, 1)
    if measures is None:
        new = new.with_direction()
    measure_names = measure_names_of(new, measures)
    refuse_no_margin(new, measure_names, settings.margin, "the margin (--gate)")
    new_system, old_system = select_system(new, system), select_system(baseline, baseline_system)
    for scores in (new_system, old_system):
        if scores.unjudged_systems:
            raise InputError(f"the gate has no verdict: {unjudged_reason(scores.unjudged_systems)}")
    joined_scores = join_scores(new_system, old_system, measure_names)
    check_groups(joined_scores, measure_names, settings)
    measure_gates = tuple(
        decide_measure(match_queries(joined_scores, measure), settings, joined_scores.queries)
        for measure in measure_names
    )
    notes = dict.fromkeys(
        (
            *joined_scores.notes,
            *(note for measure_gate in measure_gates for note in notes_of(measure_gate, settings)),
            *notes_on_all(measure_gates, settings),
            *group_hint(joined_scores, settings),
            *joined_scores.queries.clustering_notes(),
        )
    )
    return Gate(
        scores=joined_scores,
        measure_gates=measure_gates,
        settings=settings,
        notes=tuple(notes),
    )


def refuse_no_margin(scores: Scores, measures: Sequence[str], margin: float, name: str) -> None:
    """Raise for a margin that no difference can reach, as one in percent of a measure in [0, 1]."""
    for measure in measures:
        low, high = scores.measures[scores.place_of(measure)].range
        if margin >= high - low:
            raise ParameterError(
                f"{name} is {margin:g}, and {measure} lies in [{low:g}, {high:g}]: every system would pass; expected a "
                "smaller one, such as 0.02"
            )


def check_groups(scores: Scores, measures: Sequence[str], settings: GateSettings) -> None:
    """Raise ParameterError for a margin of groups without groups, or one that no difference can reach."""
    if settings.by_group is None:
        return
    if scores.queries.group is None:
        raise ParameterError(
            "by_group (--by-group) is the margin of each group of queries, and these have no groups; name a column of "
            "them with group (--group), or find them in ids with group_by (--group-by)"
        )
    refuse_no_margin(scores, measures, settings.by_group, "the margin of groups (--by-group)")


def group_hint(scores: Scores, settings: GateSettings) -> list[str]:
    """A note on groups that decide nothing."""
    if scores.queries.group is None or settings.by_group is not None:
        return []
    n_groups = pluralise(len(scores.queries.groups), "group")
    return [f"{n_groups} of queries decide nothing here; by_group (--by-group) asks for a pass in each"]


def select_system(scores: Scores, system: str | None) -> Scores:
    """The scores of one system. Raises ParameterError, UnknownName."""
    if system is None and len(scores.systems) > 1:
        raise ParameterError(
            f"a gate compares two systems, but there are {len(scores.systems)} on one side; name one of "
            f"{join_names(scores.systems)}"
        )
    return scores.select(systems=[scores.place_of_system(system)])


def decide_measure(measure_values: MeasureValues, settings: GateSettings, queries: Queries) -> MeasureGate:
    refuse_one_cluster(measure_values)
    gains, sample = query_gains(measure_values, 0, 1), measure_values.sample
    decision = decide(gains, settings, sample)
    turn = find_verdict_change(gains, decision.verdict, settings, sample) if settings.test == "t" else None
    return MeasureGate(
        measure_values=measure_values,
        gains=gains,
        decision=decision,
        verdict_change=turn,
        groups={} if settings.by_group is None else decide_groups(measure_values, settings, settings.by_group, queries),
    )


def decide_groups(
    measure_values: MeasureValues, settings: GateSettings, margin: float, queries: Queries
) -> dict[str, MeasureGate]:
    """The gate in each group. Raises InputError for a group without a query that has values of both systems."""
    settings = replace(settings, margin=margin)
    values = split_by_group(measure_values, queries)
    for name in queries.groups:
        if name not in values:
            raise InputError(
                f"group {name!r}: no query has a value of {measure_values.measure} for both systems, and a pass by "
                "group (--by-group) needs one in each; leave the queries of this group out"
            )
    gains = {name: query_gains(own, 0, 1) for name, own in values.items()}
    decisions = {name: decide(gains[name], settings, own.sample) for name, own in values.items()}
    corrected = adjust_pvalues([decision.pvalue_worse for decision in decisions.values()], method="holm").pvalue
    groups = {}
    for (name, decision), p in zip(decisions.items(), corrected.tolist(), strict=True):
        if decision.verdict == WORSE and not decision.is_constant and not at_most(p, settings.alpha):
            decision = decide(gains[name], settings, values[name].sample, can_be_worse=False)
        groups[name] = MeasureGate(
            measure_values=values[name],
            gains=gains[name],
            decision=decision._replace(pvalue_worse=p),
            verdict_change=None,
        )
    return groups


def notes_of(measure_gate: MeasureGate, settings: GateSettings) -> list[str]:
    """Notes on the gate by one measure."""
    values = measure_gate.measure_values
    notes = list(values.notes)
    correlation = np.nan if values.clusters is None else intraclass_correlation(measure_gate.gains, values.clusters)
    sample_notes = [*weight_notes(values.weights), *cluster_notes(values.clusters, correlation)]
    notes += [f"{measure_gate.measure}: {note}" for note in sample_notes]
    if measure_gate.measure_values.are_logarithms:
        with np.errstate(over="ignore"):
            ratio = float(np.exp(-measure_gate.measure_values.sign * settings.margin))
        notes.append(
            f"{measure_gate.measure}: the margin of {settings.margin:g} is in natural logarithms as well: at it, a "
            f"geometric mean is {ratio:.4g} times that of the baseline"
        )
    if measure_gate.n == 1:
        notes.append(f"{measure_gate.measure}: one query does not show how much queries vary, so it decides nothing")
    elif measure_gate.decision.is_constant:
        constant_text = "the same values" if measure_gate.difference == 0 else "the same difference"
        notes.append(
            f"{measure_gate.measure}: {constant_text} on all {pluralise_queries(measure_gate.n)}: there is no "
            "variation to test"
        )
    elif np.isnan(measure_gate.low):
        notes.append(f"{measure_gate.measure}: the mean difference is the same in every cluster: nothing to test")
    is_plain = values.clusters is None and values.weights is None
    if values.are_binary and is_plain:
        low = float(tango_interval(measure_gate.gains, confidence_level=1 - 2 * settings.alpha).low)
        effect = "rules out" if low > -settings.margin else "does not rule out"
        notes.append(
            f"{measure_gate.measure}: all values are 0 or 1, where t is too sure near 0 and 1: by Tango's score "
            f"interval the gain is at least {low:.4f}, which {effect} a loss of {settings.margin:g}"
        )
    return notes


def notes_on_all(measure_gates: Sequence[MeasureGate], settings: GateSettings) -> list[str]:
    notes = []
    if settings.test != "t":
        notes.append(f"p-values are those of the {settings.test} test, the bounds low and high those of Student's t")
        smallest_p = 1 / (1 + settings.n_resamples)
        if smallest_p > settings.alpha:
            notes.append(
                f"{pluralise(settings.n_resamples, 'resample')} cannot show anything at level {settings.alpha:g}; "
                "use more"
            )
    n_tests = len(measure_gates) * (1 if settings.by_group is None else 2)
    if n_tests > 1 and any(measure_gate.verdict != UNDECIDED for measure_gate in measure_gates):
        error_rate = format_percent(min(1.0, n_tests * settings.alpha))
        subject = f"{len(measure_gates)} measures"
        if settings.by_group is not None:
            each = f"{subject}, each on" if len(measure_gates) > 1 else "verdicts on"
            subject = f"{each} all queries and in groups"
        notes.append(
            f"{subject}: a pass needs all of them; a system that is equal by all is called worse by one of them in up "
            f"to {error_rate} of cases"
        )
    return notes
