"""The function `gate`: is a new system shown to be no worse within a margin (non-inferiority), or worse, or neither?

Differences here are oriented: above 0 where the new system is better.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ldexp
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
    unjudged_reason,
)
from rankscope.comparison.merge_scores import join_scores
from rankscope.data.result import Result
from rankscope.data.scores import Scores
from rankscope.data.text import format_percent, join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
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
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.inputs import (
    is_constant,
    scale_rows,
    seed_of,
)
from rankscope.stats.intervals import tango_interval
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
    """

    verdict: str
    mean: float
    low: float
    high: float
    pvalue_noninferior: float
    pvalue_worse: float
    n_needed: int | None
    is_constant: bool


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


def decide(differences: Floats, settings: GateSettings) -> Decision:
    """The verdict on one measure.

    "pass": a one-sided test (of differences + margin) refutes at the level that the mean difference is at most -margin.
    Else "worse": a test refutes that it is at least 0. Else "undecided". One query: undecided. A constant difference
    needs no test: it passes if it is at least -margin, else it is worse.
    """
    differences, settings, power = scale_to_unit(differences, settings)
    n, mean = differences.size, float(differences.mean())
    margin, alpha = settings.margin, settings.alpha
    missing_numbers = (np.nan,) * 4
    if n == 1:
        return Decision(UNDECIDED, ldexp(mean, power), *missing_numbers, None, True)
    if is_constant(differences[None])[0]:
        return Decision(verdict_of_constant(mean, margin), ldexp(mean, power), *missing_numbers, None, True)
    sd = float(differences.std(ddof=1))
    half_width = float(special().stdtrit(n - 1, 1 - alpha) * sd / np.sqrt(n))
    noninferior, worse = pvalues(differences, settings)
    verdict = PASS if at_most(noninferior, alpha) else WORSE if at_most(worse, alpha) else UNDECIDED
    n_needed = queries_needed(mean, sd, settings) if verdict == UNDECIDED else None
    with np.errstate(over="ignore"):  # at a level near 0 the bounds may be beyond float64
        scaled_mean, low, high = np.ldexp([mean, mean - half_width, mean + half_width], power).tolist()
    return Decision(verdict, scaled_mean, low, high, noninferior, worse, n_needed, False)


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


def pvalues(differences: Floats, settings: GateSettings) -> tuple[float, float]:
    """The p-values of "not worse by the margin" and of "worse"."""
    shifted = differences + settings.margin
    if settings.test == "t":
        mean, error, df = differences.mean(), differences.std(ddof=1) / np.sqrt(differences.size), differences.size - 1
        noninferior = t_pvalue((mean + settings.margin) / error, df, "greater")
        return float(noninferior), float(t_pvalue(mean / error, df, "less"))
    test = randomisation_test if settings.test == "permutation" else bootstrap_test
    options = {"n_resamples": settings.n_resamples, "rng": settings.seed}
    noninferior = test(shifted, alternative="greater", **options).pvalue
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


def find_verdict_change(differences: Floats, verdict: str, settings: GateSettings) -> VerdictChange | None:
    """The queries to remove, in order, until the t-test gives another verdict; None if it never does.

    Parameters
    ----------
    differences
        The differences by query, (queries).
    verdict
        The verdict on all queries.
    settings
        The settings of the gate.

    Notes
    -----
    For "pass" the query that the new system helps most goes first, then the next; for "worse" the one that it hurts
    most. "undecided" can turn either way: both ends are tried, and the one with fewer queries is taken. The last two
    queries stay. Another choice of queries might need fewer.
    """
    differences, settings, _ = scale_to_unit(differences, settings)
    sides = {PASS: (True,), WORSE: (False,), UNDECIDED: (False, True)}[verdict]
    turns = [find_verdict_change_from(differences, verdict, settings, helped=helped) for helped in sides]
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
    verdicts = verdicts_by_t(mean + np.median(differences), variance, n, is_constant, settings)
    changed_stages = np.flatnonzero(verdicts[1:] != VERDICTS.index(verdict))
    if not changed_stages.size:
        return None
    n_removed = int(changed_stages[0]) + 1
    return VerdictChange(VERDICTS[verdicts[n_removed]], order[:n_removed], helped)


def verdicts_by_t(
    mean: Floats, variance: Floats, n: npt.NDArray[np.int64], is_constant: Bools, settings: GateSettings
) -> npt.NDArray[np.int64]:
    """Indices into `VERDICTS` for samples with these means and variances."""
    margin, alpha = settings.margin, settings.alpha
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(variance / n)
        is_pass = at_most(t_pvalue((mean + margin) / error, n - 1, "greater"), alpha)
        is_worse = at_most(t_pvalue(mean / error, n - 1, "less"), alpha)
    constant_passes = mean >= -margin - NOISE * np.maximum(np.abs(mean), margin)
    verdicts = np.where(is_pass, 0, np.where(is_worse, 2, 1))
    return np.where(is_constant, np.where(constant_passes, 0, 2), verdicts)


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
    """

    measure_values: MeasureValues
    gains: Floats
    decision: Decision
    verdict_change: VerdictChange | None

    @property
    def measure(self) -> str:
        return self.measure_values.measure

    @property
    def verdict(self) -> str:
        """pass, undecided or worse."""
        return self.decision.verdict

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
        return max((measure_gate.verdict for measure_gate in self.measure_gates), key=VERDICTS.index)

    @property
    def exit_code(self) -> int:
        """0: pass; 3: worse; 4: undecided."""
        return EXIT_CODES[self.verdict]

    def __getitem__(self, measure: object) -> MeasureGate:
        """The gate by one measure. Raises UnknownName for one that is not part of the gate."""
        return self.measure_gates[self.scores.place_of(measure)]  # the scores have the same measures in the same order

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, one a measure; NaN where there is no such number."""
        for measure_gate in self.measure_gates:
            decision = measure_gate.decision
            yield (
                *(
                    measure_gate.measure,
                    self.system,
                    self.baseline,
                    self.settings.margin,
                    measure_gate.difference,
                    measure_gate.low,
                    measure_gate.high,
                ),
                *(decision.pvalue_noninferior, decision.pvalue_worse, decision.verdict, measure_gate.n),
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
        The scores are of different collections, or none of the documents of a system is judged.

    Notes
    -----
    By each measure, on the queries where both systems have a value: "pass" if a one-sided test rejects a mean
    difference of -margin or less; otherwise "worse" if one rejects a mean difference of 0 or more; otherwise
    "undecided". If lower values are better, signs are reversed. For a geometric measure (GMAP) the margin is in natural
    logarithms. The bounds low and high are always those of Student's t. The number of queries still needed is estimated
    from the mean and variance of the queries at hand. One query decides nothing. If the difference is the same on every
    query, it decides by itself: at least -margin passes, so equal systems pass, also with margin 0.

    References
    ----------
    Schuirmann (1987), one of his two one-sided tests; agrees with
    `scipy.stats.ttest_1samp(differences, -margin, alternative="greater")`.

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
        margin=margin, alpha=alpha, test=test, power=power, n_resamples=n_resamples, seed=seed_of(rng)
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
    refuse_no_margin(new, measure_names, settings.margin)
    new_system, old_system = select_system(new, system), select_system(baseline, baseline_system)
    for scores in (new_system, old_system):
        if scores.unjudged_systems:
            raise InputError(f"the gate has no verdict: {unjudged_reason(scores.unjudged_systems)}")
    joined_scores = join_scores(new_system, old_system, measure_names)
    measure_gates = tuple(decide_measure(match_queries(joined_scores, measure), settings) for measure in measure_names)
    notes = dict.fromkeys(
        (
            *joined_scores.notes,
            *(note for measure_gate in measure_gates for note in notes_of(measure_gate, settings)),
            *notes_on_all(measure_gates, settings),
        )
    )
    return Gate(
        scores=joined_scores,
        measure_gates=measure_gates,
        settings=settings,
        notes=tuple(notes),
    )


def refuse_no_margin(scores: Scores, measures: Sequence[str], margin: float) -> None:
    """Raise for a margin that no difference can reach, as one in percent of a measure in [0, 1]."""
    for name in measures:
        low, high = scores.measures[scores.place_of(name)].range
        if margin >= high - low:
            raise ParameterError(
                f"the margin (--gate) is {margin:g}, and {name} lies in [{low:g}, {high:g}]: every system would pass; "
                "expected a smaller one, such as 0.02"
            )


def select_system(scores: Scores, system: str | None) -> Scores:
    """The scores of one system. Raises ParameterError, UnknownName."""
    if system is None and len(scores.systems) > 1:
        raise ParameterError(
            f"a gate compares two systems, but there are {len(scores.systems)} on one side; name one of "
            f"{join_names(scores.systems)}"
        )
    return scores.select(systems=[scores.place_of_system(system)])


def decide_measure(measure_values: MeasureValues, settings: GateSettings) -> MeasureGate:
    gains = query_gains(measure_values, 0, 1)
    decision = decide(gains, settings)
    turn = find_verdict_change(gains, decision.verdict, settings) if settings.test == "t" else None
    return MeasureGate(measure_values=measure_values, gains=gains, decision=decision, verdict_change=turn)


def notes_of(measure_gate: MeasureGate, settings: GateSettings) -> list[str]:
    """Notes on the gate by one measure."""
    notes = list(measure_gate.measure_values.notes)
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
    if measure_gate.measure_values.are_binary:
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
    if len(measure_gates) > 1 and any(measure_gate.verdict != UNDECIDED for measure_gate in measure_gates):
        error_rate = min(1.0, len(measure_gates) * settings.alpha)
        notes.append(
            f"{len(measure_gates)} measures: a pass needs all of them; a system that is equal by all is called worse "
            f"by one of them in up to {format_percent(error_rate)} of cases"
        )
    return notes
