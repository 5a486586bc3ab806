"""gate: non-inferiority of a new system within a margin. Shown not to be worse, shown to be worse, or neither.

Differences here are oriented: above 0 where the new system is better.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ldexp
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import (
    MeasureValues,
    check_systems,
    extreme_queries,
    gains_of,
    match_queries,
    select_measures,
)
from rankscope.comparison.merge_scores import join_scores
from rankscope.data.result import as_text, sections_by_view, tidy_frame
from rankscope.data.scores import Scores
from rankscope.data.section import Section
from rankscope.data.text import format_percent, join_names, pluralise, pluralise_queries
from rankscope.errors import ParameterError
from rankscope.kernels.ties import NOISE, at_most, order_of
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.inputs import (
    check_choice,
    check_count,
    check_level,
    check_positive,
    check_share,
    constant,
    levelled,
    seed_of,
)
from rankscope.stats.paired_tests import bootstrap_test, randomisation_test
from rankscope.stats.power import queries_for_t
from rankscope.typing import Bools, Floats

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "EXIT_CODES",
    "PASS",
    "TESTS",
    "UNDECIDED",
    "VERDICTS",
    "WORSE",
    "Criterion",
    "Decision",
    "Gate",
    "MeasureGate",
    "Turn",
    "check_gate",
    "decide",
    "gate",
    "turn_of",
]


PASS, UNDECIDED, WORSE = "pass", "undecided", "worse"
#: From the best to the worst; the verdict on many measures is the worst of theirs.
VERDICTS = (PASS, UNDECIDED, WORSE)
#: Tests of a mean: shifted by the margin they ask whether the mean difference is above -margin. Those of ranks and of
#: signs ask about medians, which can be fine where the mean is not.
TESTS = ("t", "permutation", "bootstrap")


class Criterion(NamedTuple):
    """What it takes to pass. seed: of the resamples."""

    margin: float
    level: float
    test: str
    power: float
    n_resamples: int
    seed: int


class Decision(NamedTuple):
    """low, high: one-sided bounds of the mean difference, by t; NaN as p-values where the differences do not vary.

    n_needed: queries, by estimate, with which the decision would be made; None where it is made, or none would do.
    """

    verdict: str
    mean: float
    low: float
    high: float
    pvalue_noninferior: float
    pvalue_worse: float
    n_needed: int | None
    flat: bool


class Turn(NamedTuple):
    """The verdict without `queries` (places, in the order in which they are taken away).

    helped: whether they are those that the new system helps most; else those that it hurts most.
    """

    verdict: str
    queries: npt.NDArray[np.intp]
    helped: bool


def decide(differences: Floats, criterion: Criterion) -> Decision:
    """The verdict on one measure.

    "pass": that the mean difference is at most -margin is refuted at the level (test of differences + margin,
    one-sided). Else "worse": that it is at least 0 is refuted. Else "undecided". One query: undecided. A constant
    difference is no sample to test: it passes where it is at least -margin, else it is worse.
    """
    differences, criterion, power = scale_to_unit(differences, criterion)
    n, mean = differences.size, float(differences.mean())
    margin, level = criterion.margin, criterion.level
    nothing = (np.nan,) * 4
    if n == 1:
        return Decision(UNDECIDED, ldexp(mean, power), *nothing, None, True)
    if constant(differences[None])[0]:
        return Decision(verdict_of_constant(mean, margin), ldexp(mean, power), *nothing, None, True)
    sd = float(differences.std(ddof=1))
    reach = float(special().stdtrit(n - 1, 1 - level) * sd / np.sqrt(n))
    noninferior, worse = pvalues(differences, criterion)
    verdict = PASS if at_most(noninferior, level) else WORSE if at_most(worse, level) else UNDECIDED
    needed = queries_needed(mean, sd, criterion) if verdict == UNDECIDED else None
    with np.errstate(over="ignore"):  # at a level near 0 the ends may be beyond float64
        middle, low, high = np.ldexp([mean, mean - reach, mean + reach], power).tolist()
    return Decision(verdict, middle, low, high, noninferior, worse, needed, False)


def scale_to_unit(differences: Floats, criterion: Criterion) -> tuple[Floats, Criterion, int]:
    """Differences whose squares are numbers, the margin in their unit, and that as a power of 2."""
    rows, powers = levelled(differences[None])
    power = int(powers[0])
    if not power:
        return differences, criterion, 0
    most = ldexp(1.0, min(power + 800, 1000))  # any margin that is so much larger is as good
    margin = ldexp(min(criterion.margin, most), -power)
    return rows[0], criterion._replace(margin=margin), power


def verdict_of_constant(mean: float, margin: float) -> str:
    """The verdict on a difference that is the same on every query."""
    return PASS if mean >= -margin - NOISE * max(abs(mean), margin) else WORSE


def pvalues(differences: Floats, criterion: Criterion) -> tuple[float, float]:
    """Of "not worse by the margin" and of "worse"."""
    shifted = differences + criterion.margin
    if criterion.test == "t":
        mean, error, df = differences.mean(), differences.std(ddof=1) / np.sqrt(differences.size), differences.size - 1
        noninferior = t_pvalue((mean + criterion.margin) / error, df, "greater")
        return float(noninferior), float(t_pvalue(mean / error, df, "less"))
    run = randomisation_test if criterion.test == "permutation" else bootstrap_test
    options = {"n_resamples": criterion.n_resamples, "rng": criterion.seed}
    noninferior = run(shifted, alternative="greater", **options).pvalue
    return float(noninferior), float(run(differences, alternative="less", **options).pvalue)


def queries_needed(mean: float, sd: float, criterion: Criterion) -> int | None:
    """Queries with which a t-test shows one of the two, with the power asked for, were the truth what was observed."""
    options = {"power": criterion.power, "level": criterion.level}
    found = []
    for difference, alternative in ((mean + criterion.margin, "greater"), (mean, "less")):
        if difference != 0 and (difference > 0) == (alternative == "greater"):
            try:
                found.append(queries_for_t(difference, sd, alternative=alternative, **options))
            except ParameterError:  # more than are looked for
                continue
    return min(found, default=None)


def turn_of(differences: Floats, verdict: str, criterion: Criterion) -> Turn | None:
    """The queries to take away, in order, until the t-test gives another verdict; None where it never does.

    Of a verdict "pass" the query that the new system helps most goes first, then the next; of "worse" the one that it
    hurts most. "undecided" can turn either way: both ends are tried, and the shorter way is taken. The last two queries
    stay. Queries chosen in another way might turn a verdict with fewer.
    """
    differences, criterion, _ = scale_to_unit(differences, criterion)
    ends = {PASS: (True,), WORSE: (False,), UNDECIDED: (False, True)}[verdict]
    ways = [turn_from(differences, verdict, criterion, helped=helped) for helped in ends]
    return min((way for way in ways if way is not None), key=lambda way: way.queries.size, default=None)


def turn_from(differences: Floats, verdict: str, criterion: Criterion, *, helped: bool) -> Turn | None:
    """As `turn_of`, from one end. All stages are computed at once, from sums over what is left."""
    if differences.size < 3:
        return None
    order = order_of(-differences if helped else differences)
    left = differences[order] - np.median(differences)
    stages = slice(0, differences.size - 1)  # what is left from each place on, two at least
    n = np.arange(differences.size, 1, -1)
    total, square = (np.cumsum(values[::-1])[::-1][stages] for values in (left, left * left))
    mean = total / n
    variance = np.maximum(square - total * mean, 0.0) / (n - 1)
    original = differences[order]
    furthest = np.maximum(np.abs(original), abs(original[-1]))  # they are sorted
    flat = (np.abs(original - original[-1]) <= 100 * NOISE * furthest)[stages]
    verdicts = verdicts_by_t(mean + np.median(differences), variance, n, flat, criterion)
    other = np.flatnonzero(verdicts[1:] != VERDICTS.index(verdict))
    if not other.size:
        return None
    gone = int(other[0]) + 1
    return Turn(VERDICTS[verdicts[gone]], order[:gone], helped)


def verdicts_by_t(
    mean: Floats, variance: Floats, n: npt.NDArray[np.int64], flat: Bools, criterion: Criterion
) -> npt.NDArray[np.int64]:
    """The places among `VERDICTS` of samples of which only means and variances are known."""
    margin, level = criterion.margin, criterion.level
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(variance / n)
        passes = at_most(t_pvalue((mean + margin) / error, n - 1, "greater"), level)
        worse = at_most(t_pvalue(mean / error, n - 1, "less"), level)
    steady = mean >= -margin - NOISE * np.maximum(np.abs(mean), margin)
    found = np.where(passes, 0, np.where(worse, 2, 1))
    return np.where(flat, np.where(steady, 0, 2), found)


EXIT_CODES = dict(zip(VERDICTS, (0, 4, 3), strict=True))
COLUMNS = (
    *("measure", "system", "baseline", "margin", "difference", "low", "high"),
    *("pvalue_noninferior", "pvalue_worse", "verdict", "n", "n_needed"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureGate:
    """What was found by one measure.

    matched: the values compared, of the new system and of the baseline. decision: the verdict, its p-values and bounds,
    where above 0 is better (`low` and `high` here are as the measure has it). gains: (n) new system less baseline,
    above 0 where the new system is better; values that only rounding tells apart are equal. turn: the queries, taken
    from the most helped or from the most hurt on, without which the verdict would be another; None where there are
    none, or where the test is not t. Of a geometric measure (GMAP) all of this is of natural logarithms.
    """

    matched: MeasureValues
    gains: Floats
    decision: Decision
    turn: Turn | None

    @property
    def measure(self) -> str:
        return self.matched.measure

    @property
    def verdict(self) -> str:
        """pass, undecided or worse."""
        return self.decision.verdict

    @property
    def n(self) -> int:
        """How many queries have a value of both."""
        return self.matched.n

    @property
    def differences(self) -> Floats:
        """(n) new system less baseline, as the measure has it."""
        return self.matched.sign * self.gains

    @property
    def difference(self) -> float:
        """The mean difference, as the measure has it."""
        return self.matched.sign * self.decision.mean

    @property
    def low(self) -> float:
        """The mean difference is at least this, with the confidence 1 - level; NaN where differences do not vary."""
        return self.decision.low if self.matched.sign > 0 else -self.decision.high

    @property
    def high(self) -> float:
        """The mean difference is at most this, with the confidence 1 - level; NaN where differences do not vary."""
        return self.decision.high if self.matched.sign > 0 else -self.decision.low

    @property
    def hurt(self) -> npt.NDArray[np.intp]:
        """Places (among the n) of the queries that the new system hurts most, the worst first."""
        return extreme_queries(self.gains)[1]

    @property
    def helped(self) -> npt.NDArray[np.intp]:
        """Places (among the n) of the queries that the new system helps most, the best first."""
        return extreme_queries(self.gains)[0]


@dataclass(frozen=True, eq=False, kw_only=True)
class Gate:
    """Whether a system may take the place of another; `print` says it in words.

    scores: of the two systems, the new one first. parts: what was found by each measure. criterion: margin, level,
    test, power. notes: what a reader should know. `gate` makes it.

    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> old = rs.Run({q: {"a": 1.0, "b": 2.0 * (i % 2)} for i, q in enumerate(qrels)}, name="old")
    >>> new = rs.Run({q: {"a": 1.0, "b": 2.0} for q in qrels}, name="new")
    >>> found = rs.gate(rs.evaluate(qrels, new, "RR"), rs.evaluate(qrels, old, "RR"), margin=0.05)
    >>> found
    Gate('new' against 'old' by RR: worse)
    >>> found.verdict, found.exit_code, found["RR"].difference
    ('worse', 3, -0.25)
    """

    #: The view that shows it.
    VIEW: ClassVar[str] = "rankscope.comparison.gate.view:sections_of"

    scores: Scores
    parts: tuple[MeasureGate, ...]
    criterion: Criterion
    seeded: bool
    notes: tuple[str, ...]

    @property
    def system(self) -> str:
        """The new system."""
        return self.scores.systems[0]

    @property
    def baseline(self) -> str:
        """The system that it is held against."""
        return self.scores.systems[1]

    @property
    def verdict(self) -> str:
        """Of all measures: worse where one is, else undecided where one is, else pass."""
        return max((part.verdict for part in self.parts), key=VERDICTS.index)

    @property
    def exit_code(self) -> int:
        """0: pass; 3: worse; 4: undecided."""
        return EXIT_CODES[self.verdict]

    def __getitem__(self, measure: object) -> MeasureGate:
        """What was found by one measure. Raises UnknownName for one that is not part of the gate."""
        return self.parts[self.scores.place_of(measure)]  # the scores have the same measures in the same order

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        return COLUMNS

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, one a measure; NaN where there is no such number."""
        for part in self.parts:
            found = part.decision
            yield (
                *(
                    part.measure,
                    self.system,
                    self.baseline,
                    self.criterion.margin,
                    part.difference,
                    part.low,
                    part.high,
                ),
                *(found.pvalue_noninferior, found.pvalue_worse, found.verdict, part.n),
                np.nan if found.n_needed is None else float(found.n_needed),
            )

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no value."""
        return tidy_frame(self)

    def sections(self) -> Sequence[Section]:
        """What a report shows."""
        return sections_by_view(self)

    def signature(self) -> str:
        """Every setting that changes the verdict, in one line."""
        head, _, version = self.scores.signature().rpartition(" | ")
        test = self.criterion.test
        drawn = test != "t"
        parts = [f"gate:{self.criterion.margin:g}", f"test:{test}{f',{self.criterion.n_resamples}' if drawn else ''}"]
        parts += [f"level:{self.criterion.level:g}", f"power:{self.criterion.power:g}"]
        parts += [f"rng:{self.criterion.seed}"] if drawn and self.seeded else []
        return " | ".join([head, *parts, version])

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        measures = ", ".join(part.measure for part in self.parts)
        return f"Gate({self.system!r} against {self.baseline!r} by {measures}: {self.verdict})"


def check_gate(
    *, margin: float, level: float = 0.05, test: str = "t", n_resamples: int = 10_000, power: float = 0.8
) -> None:
    """Raise ParameterError for what cannot be asked for, before anything is computed."""
    check_positive("margin", margin, zero=True)
    check_level(level)
    check_choice("test", test, TESTS)
    check_count("n_resamples", n_resamples)
    check_share("power", power)


def gate(
    new: Scores,
    baseline: Scores,
    measures: object = None,
    *,
    margin: float,
    system: str | None = None,
    baseline_system: str | None = None,
    level: float = 0.05,
    test: str = "t",
    n_resamples: int = 10_000,
    rng: Any = None,
    power: float = 0.8,
) -> Gate:
    """Whether a new system is shown not to be worse than a baseline by more than a margin: for continuous integration.

    new, baseline: scores of the same queries, judged and measured alike; saved ones too (`read_scores`). system,
    baseline_system: which of their systems; may be left out where there is only one. measures: one, a list, or None for
    all of `new`. margin: the loss of the mean that is no matter, at least 0, in units of the measure; of a geometric
    measure (GMAP) in natural logarithms, of which it is the mean.

    Each measure, on the queries where both systems have a value: "pass" where a one-sided test at `level` refutes a
    mean difference of -margin or less; else "worse" where one refutes a mean difference of 0 or more; else "undecided".
    Where lower values are better, signs are turned. All measures: the worst of these. test: "t", "permutation" or
    "bootstrap", with n_resamples and rng; low and high bounds are those of t throughout. power: with which the queries
    still needed are estimated, from mean and variance of those at hand.

    One query: undecided. A difference that is the same on every query decides by itself: at least -margin passes, so
    that equal systems pass, with margin 0 too. Raises ParameterError for arguments out of range, what are no scores, a
    measure that one of the two lacks or that has no direction; UnknownName for other names; InputError for scores of
    another collection.

    Source: non-inferiority by a one-sided test (Schuirmann 1987, one half of his two); agrees with
    scipy.stats.ttest_1samp(differences, -margin, alternative="greater").

    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(8)}
    >>> old = {f"q{i}": {"d1": 1.0, "d2": 2.0 * (i % 2)} for i in range(8)}
    >>> new = {f"q{i}": {"d1": 1.0, "d2": 2.0 * (i == 1)} for i in range(8)}
    >>> found = gate(rs.evaluate(qrels, new, "RR"), rs.evaluate(qrels, old, "RR"), margin=0.02)
    >>> found.verdict, found.exit_code, round(found["RR"].difference, 4)
    ('pass', 0, 0.1875)
    """
    check_gate(margin=margin, level=level, test=test, n_resamples=n_resamples, power=power)
    for scores in (new, baseline):
        check_systems(scores, None, 1)
    chosen = select_measures(new, measures)
    refuse_no_margin(new, chosen, margin)
    both = join_scores(select_system(new, system), select_system(baseline, baseline_system), chosen)
    criterion = Criterion(float(margin), float(level), test, float(power), int(n_resamples), seed_of(rng))
    parts = tuple(decide_measure(match_queries(both, measure), criterion) for measure in chosen)
    notes = dict.fromkeys(
        (*both.notes, *(note for part in parts for note in notes_of(part, criterion)), *notes_on_all(parts, criterion))
    )
    return Gate(scores=both, parts=parts, criterion=criterion, seeded=rng is not None, notes=tuple(notes))


def refuse_no_margin(scores: Scores, measures: Sequence[str], margin: float) -> None:
    """Raise for a margin that no difference can reach, as one in percent of a measure in [0, 1]."""
    for name in measures:
        low, high = getattr(scores.measures[scores.place_of(name)], "range", (-np.inf, np.inf))
        if margin >= high - low:
            raise ParameterError(
                f"the margin (--gate) is {margin:g}, and {name} lies in [{low:g}, {high:g}]: every system would pass; "
                "expected a smaller one, as 0.02"
            )


def select_system(scores: Scores, system: str | None) -> Scores:
    """The scores of one system alone. Raises ParameterError, UnknownName."""
    if system is None and len(scores.systems) > 1:
        raise ParameterError(
            f"a gate compares two systems, and there are {len(scores.systems)} of one side; name one of "
            f"{join_names(scores.systems)}"
        )
    return scores.select(systems=[scores.place_of_system(system)])


def decide_measure(matched: MeasureValues, criterion: Criterion) -> MeasureGate:
    gains = gains_of(matched, 0, 1)
    decision = decide(gains, criterion)
    turn = turn_of(gains, decision.verdict, criterion) if criterion.test == "t" else None
    return MeasureGate(matched=matched, gains=gains, decision=decision, turn=turn)


def notes_of(part: MeasureGate, criterion: Criterion) -> list[str]:
    """What a careful reader should know of one measure."""
    notes = list(part.matched.notes)
    if part.matched.logarithms:
        with np.errstate(over="ignore"):
            least = float(np.exp(-part.matched.sign * criterion.margin))
        notes.append(
            f"{part.measure}: the margin of {criterion.margin:g} is in natural logarithms as well: at it, a geometric "
            f"mean is {least:.4g} times that of the baseline"
        )
    if part.n == 1:
        notes.append(f"{part.measure}: one query says nothing of how much queries vary, and so decides nothing")
    elif part.decision.flat:
        same = "the same values" if part.difference == 0 else "the same difference"
        notes.append(
            f"{part.measure}: {same} on all {pluralise_queries(part.n)}: nothing varies that a test could look at"
        )
    return notes


def notes_on_all(parts: Sequence[MeasureGate], criterion: Criterion) -> list[str]:
    notes = []
    if criterion.test != "t":
        notes.append(f"p-values are those of the {criterion.test} test, the bounds low and high those of Student's t")
        least = 1 / (1 + criterion.n_resamples)
        if least > criterion.level:
            notes.append(
                f"{pluralise(criterion.n_resamples, 'resample')} cannot show anything at level {criterion.level:g}; "
                "ask for more"
            )
    if len(parts) > 1 and any(part.verdict != UNDECIDED for part in parts):
        chance = min(1.0, len(parts) * criterion.level)
        notes.append(
            f"{len(parts)} measures: a pass needs all of them; a system that is equal by all is called worse by one of "
            f"them in up to {format_percent(chance)} of cases"
        )
    return notes
